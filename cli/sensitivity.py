"""`gpurules sensitivity`: how far each figure of the rules can move before the verdict is another."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from gpurules.cli import asking, cache, output, stated
from gpurules.cli.language import language_option
from gpurules.cli.printing import columns_of, on_terminal, rendered
from gpurules.cli.rulebook import located, rules_option
from gpurules.engine.decisions import decision
from gpurules.engine.public import VERSION
from gpurules.engine.reports.sensitivity_section import SensitivityReader
from gpurules.engine.sensitivity import document, search

FORMATS = ("text", "markdown", "html", "json")
WIDE, NARROW = 61, 41
"""Characters of a bar, on a wide terminal and on a narrow one."""


@click.command("sensitivity")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml|DECISION.json")
@stated.stated_options
@click.option("--all", "everything", is_flag=True, help="List the figures that change nothing, too.")
@click.option("--budget", type=click.IntRange(1, 10_000_000), default=search.EVALUATIONS, show_default=True, help="Evaluations for all figures together.")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="What to print; html is the whole report.")
@click.option("--width", type=click.IntRange(60, 200), help="Columns of the text; the terminal's, or 120, by default.")
@language_option
@rules_option
def command(
    source: Path,
    settings: tuple[str, ...],
    date: str | None,
    everything: bool,
    budget: int,
    format_: str,
    width: int | None,
    language: str,
    rules: Path | None,
) -> None:
    """Show how far each figure of the rules that a decision used can move, down and up, before the verdict (its status and the
    machines chosen) is another, nearest first: rows of tables too, each alone, from a quarter to four times, shares from 0 to
    100 %. Then the verdict under the other side of each conflict that was met. Each change was proved by deciding again with a
    rulebook that holds that figure.

    Exit codes: 0 done; 2 the input is wrong.
    """
    given, day = stated.read(settings, date)
    content, name = asking.content_of(source)
    engine = cache.engine(located(rules))
    trial, _ = asking.trial_of(content, name, engine, given, day)
    searcher = search.Searcher(trial, budget)
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("", total=len(searcher.levers))
        found = document.document(searcher, searcher.answer(lambda: progress.advance(task)))
    if format_ == "json":
        output.json(found)
    elif format_ == "html":
        from gpurules.engine.reports.html import html

        sys.stdout.write(html(decision.document(trial.base, VERSION), language, found))
    else:
        sys.stdout.write(_written(SensitivityReader(found, language), format_, everything, width))


def _written(reader: SensitivityReader, format_: str, everything: bool, width: int | None) -> str:
    """The answer as Markdown, or as text for this terminal."""
    if format_ == "markdown":
        from gpurules.engine.reports.markdown import written

        return written([reader.section(0, everything), reader.conflicts()])
    columns = columns_of(width)
    sections = reader.section(WIDE if columns >= 100 else NARROW, everything), reader.conflicts()
    return on_terminal((rendered(section, columns) for section in sections), columns)
