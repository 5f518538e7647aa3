"""`gpurules catalog`: cards, models and example prices, and where each value comes from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from gpurules.cli import output
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import GpurulesError
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.catalog import Catalog, Entry
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.problem import Place, Problem, printable

_LISTED = {
    "card": ("gpu.memory_nominal", "gpu.power_limit", "link.kind", "link.bandwidth"),
    "model": ("model.size_class", "model.parameters", "model.layers", "model.hidden_size"),
}


@click.command("catalog")
@click.argument("which", type=click.Choice(["gpus", "models", "prices"]))
@click.argument("name", required=False)
@rules_option
def command(which: str, name: str | None, rules: Path | None) -> None:
    """List the cards, the models, or the example prices of cards and regions; with NAME, every value of that one with its source and
    confidence. Prices of your own, stated as budget.* and site.*, come before these."""
    rulebook = opened(rules)
    if which == "prices":
        _prices(rulebook, name)
        return
    catalog = rulebook.catalogs["card" if which == "gpus" else "model"]
    if name is None:
        for entry in catalog.entries.values():
            values = (entry.values[k].text if k in entry.values else "-" for k in _LISTED[catalog.kind])
            output.line(entry.name, *values)
        return
    found = _found(catalog, name, which)
    if len(found) > 1:
        click.echo(f"'{printable(name, 60)}' may mean {len(found)} entries:")
    for id_ in found:
        for text in _entry(catalog, catalog.entries[id_]):
            output.line(text)


def _found(catalog: Catalog, name: str, which: str) -> tuple[str, ...]:
    """Ids of the entries of that name. Raises GpurulesError where there is none."""
    found = catalog.find(name)
    if not found:
        near = catalog.nearest(name)
        mend = "did you mean " + ", ".join(f"'{n}'" for n in near) + "?" if near else f"`gpurules catalog {which}` lists the names"
        raise GpurulesError([Problem(Place("catalog"), "GR307", f"'{printable(name, 60)}' matches no {catalog.kind} of the catalogue", mend)])
    return found


def _prices(rulebook: Rulebook, name: str | None) -> None:
    """What is known of every card and region, or of one, with the page and month of each price."""
    cards, regions = rulebook.prices.cards, rulebook.prices.regions
    catalog = rulebook.catalogs["card"]
    asked = None if name is None else _region(rulebook, name) or frozenset(_found(catalog, name, "prices"))
    for id_, values in {**cards, **regions}.items():
        if asked is not None and id_ not in asked:
            continue
        output.line(catalog.entries[id_].name if id_ in cards else id_)
        for path, value in values.items():
            output.line(f"  {path:28} {value.text:24} {value.confidence}")
            for source in value.sources if asked is not None else ():
                output.line(f"  {'':28}   {rulebook.prices.sources[source]}")
    for id_ in sorted(asked or ()):
        if id_ not in cards and id_ not in regions:
            output.line(f"{catalog.entries[id_].name}: no price is known; state budget.card_price or budget.rent_price")


def _region(rulebook: Rulebook, name: str) -> frozenset[str]:
    """The region of that name or alias, if it is one."""
    definition = rulebook.vocabulary.facts.get("site.region")
    try:
        found = statement.read(definition, Scalar(name, "text", Place("catalog")), rulebook.catalogs) if definition is not None else frozenset()
    except GpurulesError:
        return frozenset()
    return found if isinstance(found, frozenset) else frozenset()


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
