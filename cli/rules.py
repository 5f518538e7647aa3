"""`gpurules rules`: the rules of a rulebook, one a line; or which claims they cover."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpurules.cli import output
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import GpurulesError, Rulebook
from gpurules.engine.knowledge import support
from gpurules.engine.values.problem import Place, Problem, did_you_mean, printable


@click.command("rules")
@click.option("--cites", metavar="CLAIM", help="Only rules that cite this claim, e.g. A04.")
@click.option("--coverage", is_flag=True, help="Each claim with the running rules that cite it; exit code 1 where one has none.")
@language_option
@rules_option
def command(cites: str | None, coverage: bool, language: str, rules: Path | None) -> None:
    """List the rules: id, version, status, title, claims cited."""
    rulebook = opened(rules)
    if coverage:
        sys.exit(_coverage(rulebook, language))
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
        if cites is None or cites in support.cited(rule):
            output.line(rule.id, rule.version, rule.status, rule.title.get(language), " ".join(rule.cites))


def _coverage(rulebook: Rulebook, language: str) -> int:
    """Every claim with the rules that cite it, those without one last, in full; the exit code."""
    found = support.citations(rulebook)
    open_claims = [claim for claim, rules in found.items() if not rules]
    for claim, citing in found.items():
        if citing:
            output.line(claim, " ".join(citing))
    for claim in open_claims:
        output.line(claim, "-", rulebook.register.claims[claim].says.get(language))
    click.echo(f"{len(found)} claims: {len(found) - len(open_claims)} cited by rules that run, {len(open_claims)} by none")
    return 1 if open_claims else 0
