"""`gpurules catalog`: cards and models, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from gpurules.cli import output
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import GpurulesError
from gpurules.engine.knowledge.catalog import Catalog, Entry
from gpurules.engine.values.problem import Place, Problem, printable

_LISTED = {
    "card": ("gpu.memory_nominal", "gpu.power_limit", "link.kind", "link.bandwidth"),
    "model": ("model.size_class", "model.parameters", "model.layers", "model.hidden_size"),
}


@click.command("catalog")
@click.argument("which", type=click.Choice(["gpus", "models"]))
@click.argument("name", required=False)
@rules_option
def command(which: str, name: str | None, rules: Path | None) -> None:
    """List the cards or models; with NAME, every value of that one with its source and confidence."""
    catalog = opened(rules).catalogs["card" if which == "gpus" else "model"]
    if name is None:
        for entry in catalog.entries.values():
            values = (entry.values[k].text if k in entry.values else "-" for k in _LISTED[catalog.kind])
            output.line(entry.name, *values)
        return
    found = catalog.find(name)
    if not found:
        near = catalog.nearest(name)
        mend = "did you mean " + ", ".join(f"'{n}'" for n in near) + "?" if near else f"`gpurules catalog {which}` lists the names"
        raise GpurulesError([Problem(Place("catalog"), "GR307", f"'{printable(name, 60)}' matches no {catalog.kind} of the catalogue", mend)])
    if len(found) > 1:
        click.echo(f"'{printable(name, 60)}' may mean {len(found)} entries:")
    for id_ in found:
        for text in _entry(catalog, catalog.entries[id_]):
            output.line(text)


def _entry(catalog: Catalog, entry: Entry) -> Iterator[str]:
    yield entry.name
    for path, value in entry.values.items():
        yield f"  {path:28} {value.text:18} {value.confidence}"
        for source in value.sources:
            yield f"  {'':28}   {catalog.sources.get(source, {}).get('where', source)}"
    for key, data in entry.data.items():
        if key not in ("from", "weak"):
            yield f"  {key:28} {data}"
    if entry.aliases:
        yield f"  also called: {', '.join(entry.aliases)}"
    for note in entry.notes:
        yield f"  note: {note}"
