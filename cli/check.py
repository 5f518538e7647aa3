"""`gpurules check`: every fault of a rulebook, and every case of its rules."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import public
from gpurules.engine.decisions import cases
from gpurules.engine.knowledge import support


@click.command("check")
@rules_option
def command(rules: Path | None) -> None:
    """Check rules, catalogues and vocabulary, hold figures against the claims that they cite, and run the cases of every rule.

    Exit codes: 0 all well; 1 a case failed, or a figure is in none of its claims; 2 a file is wrong.
    """
    rulebook = opened(rules)
    results = list(cases.run(public.engine(rulebook)))
    figures = support.unsupported(rulebook)
    problems = [*figures, *(p for r in results for p in r.problems)]
    for problem in problems:
        click.echo(str(problem), err=True)
    failed = sum(bool(r.problems) for r in results)
    click.echo(f"{len(rulebook.running)} rules, {len(results) - failed} cases passed, {failed} failed; rulebook {rulebook.version} {rulebook.digest[:19]}…")
    if problems:
        sys.exit(1)
