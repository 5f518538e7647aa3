"""`gpurules facts`: what may be stated in a facts file."""

from __future__ import annotations

from pathlib import Path

import click

from gpurules.cli.language import language_option
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine.values import quantity


@click.command("facts")
@click.argument("prefix", default="", metavar="[GROUP]")
@language_option
@rules_option
def command(prefix: str, language: str, rules: Path | None) -> None:
    """List the facts that may be stated, all or those of a group such as measured. `gpurules show FACT` tells more."""
    for path, definition in opened(rules).vocabulary.facts.items():
        if definition.kind == "observed" and path.startswith(prefix):
            if definition.number:
                allowed = quantity.show(definition.range, definition.unit, definition.share)
            else:
                allowed = ", ".join(definition.members) if definition.type in ("enum", "bool") else f"a {definition.type} of the catalogue"
            click.echo(f"{path}\t{definition.title.get(language)}\t{allowed}")
