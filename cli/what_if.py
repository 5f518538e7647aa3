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
@click.option(
    "--vary", multiple=True, required=True, metavar="PATH=VALUES", help="Values as 1,2,4,8, or a range as 0..1. Several times, with two ranges at most."
)
@click.option("--machines/--no-machines", default=True, show_default=True, help="Compare the machines recommended, too; without, it is much faster.")
@click.option("--budget", type=click.IntRange(1, 10_000_000), help="Evaluations for all ranges together.  [default: 4000; of two ranges 8000]")
@stated.stated_options
@asking.format_options
@language_option
@rules_option
def command(
    facts: Path,
    vary: tuple[str, ...],
    machines: bool,
    budget: int | None,
    settings: tuple[str, ...],
    date: str | None,
    format_: str,
    width: int | None,
    language: str,
    rules: Path | None,
) -> None:
    """Show the decision for each combination of listed values as a table, and along a range the stretches in which it is one and the same,
    exact to the fact's step, with the rules that change from each to the next. Where that was not settled, the stretch is told as a band.
    Over two ranges, show a map of the plane: rectangles in which the decision is one and the same, and where they meet.

    Exit codes: 0 done; 2 the input is wrong.
    """
    further, day = stated.read(settings, date)
    content, name = asking.content_of(facts)
    engine = cache.engine(located(rules))
    varied = [what_if.read(text, engine.rulebook) for text in vary]
    listed, node = what_if.lists(varied), asking.node_of(content, name)
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=1.0)
        asked = what_if.Asked(engine, node, name, varied, machines, budget, further, day, lambda share: progress.update(task, completed=share))
        if not asked.axes:
            made = Gridded(engine, node, name, machines, further, day).grid(listed, asked.tick)
            sections, document = grid_report.sections(made, engine.rulebook, language), grid_report.document(made, engine.rulebook)
        elif len(asked.axes) == 1:
            branches = what_if.answer(asked)
        else:
            planes = list(what_if.planes(asked, language))
    if len(asked.axes) == 1:
        asking.print_trees(branches, format_, language, width)
    elif asked.axes:
        asking.print_sections([s for one in planes for s in one.sections()], [one.document() for one in planes], format_, width)
    else:
        asking.print_sections(sections, document, format_, width)
