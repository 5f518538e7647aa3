"""`gpurules report`: a decision that was kept as JSON, laid out again."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpurules.cli.language import language_option
from gpurules.engine.decisions import kept

FORMATS = ("text", "markdown", "html")


@click.command("report")
@click.argument("decision", type=click.Path(path_type=Path, allow_dash=True), metavar="DECISION.json")
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="What to print.")
@click.option("--width", type=click.IntRange(60, 200), help="Columns of the text report; the terminal's, or 120, by default.")
@language_option
def command(decision: Path, format_: str, width: int | None, language: str) -> None:
    """Print the report of DECISION.json ("-" for standard input), which `gpurules evaluate --format json` wrote.

    Neither facts nor rules are read: the report says what was decided then. Exit codes: 0 done; 2 the input is wrong.
    """
    from gpurules.cli.printing import report_text

    name = "standard input" if str(decision) == "-" else str(decision)
    if name == "standard input":
        content = sys.stdin.buffer.read(kept.MAX_BYTES + 1) if sys.stdin else b""
    else:
        with decision.open("rb") as file:
            content = file.read(kept.MAX_BYTES + 1)
    document = kept.read(content, name)
    sys.stdout.write(kept.made(document, name, lambda read: report_text(read, format_, language, width)))
