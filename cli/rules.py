"""`gpurules rules`: the rules of a rulebook, one a line."""

from __future__ import annotations

from pathlib import Path

import click

from gpurules.cli.language import language_option
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import GpurulesError
from gpurules.engine.values.problem import Place, Problem, did_you_mean, printable


@click.command("rules")
@click.option("--cites", metavar="CLAIM", help="Only rules that cite this claim, e.g. A04.")
@language_option
@rules_option
def command(cites: str | None, language: str, rules: Path | None) -> None:
    """List the rules: id, version, status, title, claims cited."""
    rulebook = opened(rules)
    if cites is not None and cites not in rulebook.register.claims:
        raise GpurulesError(
            [
                Problem(
                    Place("--cites"),
                    "GR312",
                    f"no claim is called '{printable(cites)}'",
                    did_you_mean(cites, rulebook.register.claims, "catalogs/claims.yaml lists the claims"),
                )
            ]
        )
    for rule in rulebook.rules.values():
        cited = set(rule.cites) | {c for p in rule.parameters.values() for c in p.cites}
        if cites is None or cites in cited:
            click.echo(f"{rule.id}\t{rule.version}\t{rule.status}\t{rule.title.get(language)}\t{' '.join(rule.cites)}")
