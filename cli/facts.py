"""`gpurules facts`: what may be stated in a facts file."""

from __future__ import annotations

from pathlib import Path

import click

from gpurules.cli import output
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import GpurulesError
from gpurules.engine.values import quantity
from gpurules.engine.values.problem import Place, Problem, did_you_mean, printable


@click.command("facts")
@click.argument("prefix", default="", metavar="[GROUP]")
@language_option
@rules_option
def command(prefix: str, language: str, rules: Path | None) -> None:
    """List the facts that may be stated, all or those of a group such as measured. `gpurules show FACT` tells more."""
    facts = opened(rules).vocabulary.facts
    stated = [path for path, definition in facts.items() if definition.kind == "observed"]
    if not any(path.startswith(prefix) for path in stated):
        groups = dict.fromkeys(path.split(".")[0] for path in stated)
        mend = did_you_mean(prefix, groups, f"groups: {', '.join(groups)}")
        raise GpurulesError([Problem(Place("facts"), "GR301", f"no fact that may be stated begins with '{printable(prefix)}'", mend)])
    for path, definition in facts.items():
        if definition.kind == "observed" and path.startswith(prefix):
            if definition.number:
                allowed = quantity.show(definition.range, definition.unit, definition.share)
            else:
                allowed = ", ".join(definition.members) if definition.type in ("enum", "bool") else f"a {definition.type} of the catalogue"
            output.line(path, definition.title.get(language), allowed)
