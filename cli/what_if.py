"""`gpurules what-if`: the decision over lists of values, and where along a range it becomes another."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from gpurules.cli import asking, cache, stated
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.engine.inquiries import grid_report, what_if
from gpurules.engine.inquiries.grid import Gridded


@click.command("what-if")
@click.argument("facts", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml")
@click.option("--vary", multiple=True, required=True, metavar="PATH=VALUES", help="Values as 1,2,4,8, or one range as 0..1; may be given several times.")
@click.option("--machines/--no-machines", default=True, show_default=True, help="Compare the machines recommended, too; without, it is much faster.")
@click.option("--budget", type=click.IntRange(1, 10_000_000), default=what_if.EVALUATIONS, show_default=True, help="Evaluations for all ranges together.")
@stated.stated_options
@asking.format_options
@language_option
@rules_option
def command(
    facts: Path,
    vary: tuple[str, ...],
    machines: bool,
    budget: int,
    settings: tuple[str, ...],
    date: str | None,
    format_: str,
    width: int | None,
    language: str,
    rules: Path | None,
) -> None:
    """Show the decision for each combination of listed values as a table, and along a range the stretches in which it is one and the same,
    exact to the fact's step, with the rules that change from each to the next. Where that was not settled, the stretch is told as a band.

    Exit codes: 0 done; 2 the input is wrong.
    """
    further, day = stated.read(settings, date)
    content, name = asking.content_of(facts)
    engine = cache.engine(located(rules))
    varied = [what_if.read(text, engine.rulebook) for text in vary]
    total = 1
    for one in varied:
        total *= max(1, len(one.values))
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=total)
        if not any(one.axis for one in varied):
            lists = what_if.lists(varied)
            made = Gridded(engine, asking.node_of(content, name), name, machines, further, day).grid(lists, lambda: progress.advance(task))
            progress.stop()
            asking.print_sections(grid_report.sections(made, engine.rulebook, language), grid_report.document(made, engine.rulebook), format_, width)
            return
        branches = what_if.answer(engine, asking.node_of(content, name), name, varied, machines, budget, lambda: progress.advance(task), further, day)
    asking.print_trees(branches, format_, language, width)
