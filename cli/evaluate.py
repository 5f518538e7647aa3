"""`gpurules evaluate`: the decision for one facts file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpurules.cli import cache
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.engine import GpurulesError, evaluate
from gpurules.engine.inference.facts import Setting
from gpurules.engine.knowledge.document import MAX_BYTES
from gpurules.engine.knowledge.rule import LEVELS
from gpurules.engine.public import BACKENDS
from gpurules.engine.values.problem import Place, Problem, printable


@click.command("evaluate")
@click.argument("facts", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml")
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="State or replace one fact; may be given several times.")
@click.option("--format", "format_", type=click.Choice(["text", "markdown", "html", "json"]), default="text", show_default=True, help="What to print.")
@click.option("--date", metavar="YYYY-MM-DD", help="Decide as of this day; the rulebook's release by default.")
@click.option("--fail-on", type=click.Choice(LEVELS), help="Exit with 1 if advice of this level or graver stands.")
@click.option("--width", type=click.IntRange(60, 200), help="Columns of the text report; the terminal's, or 120, by default.")
@click.option("--backend", type=click.Choice(BACKENDS), default=BACKENDS[0], show_default=True, help="What judges the rules; the decision is the same.")
@language_option
@rules_option
def command(
    facts: Path,
    settings: tuple[str, ...],
    format_: str,
    date: str | None,
    fail_on: str | None,
    width: int | None,
    backend: str,
    language: str,
    rules: Path | None,
) -> None:
    """Evaluate FACTS.yaml ("-" for standard input) and print the decision.

    Exit codes: 0 done; 1 --fail-on was met; 2 the input is wrong.
    """
    given: Path | bytes = facts if str(facts) != "-" else sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin else b""
    problems: list[Problem] = []
    stated, day = _settings(settings, problems), _date(date, problems)
    if problems:
        raise GpurulesError(problems)
    decision = evaluate(given, cache.engine(located(rules)), stated, day, backend)
    if format_ == "json":
        click.echo(decision.to_json())
    else:
        from gpurules.cli.printing import report_text

        sys.stdout.write(report_text(decision.document, format_, language, width))
    if fail_on is not None and any(_grave(c, fail_on) for c in decision.document["conclusions"]):
        sys.exit(1)


def _grave(conclusion: dict[str, object], level: str) -> bool:
    """Whether advice surely stands, or stands under what is assumed, at `level` or graver."""
    found = "stop" if conclusion["kind"] == "require" else str(conclusion["level"])
    return conclusion["state"] in ("certain", "assuming") and LEVELS.index(found) <= LEVELS.index(level)


def _settings(texts: tuple[str, ...], problems: list[Problem]) -> list[Setting]:
    found = []
    for text in texts:
        path, equals, value = text.partition("=")
        if equals and path.strip():
            found.append(Setting(path.strip(), value.strip()))
        else:
            problems.append(Problem(Place(f"--set {printable(text)}"), "GR311", "is not PATH=VALUE", "write e.g. --set gpu.count=4"))
    return found


def _date(text: str | None, problems: list[Problem]) -> str:
    """The day as ISO writes it; "" where none was given."""
    import datetime

    if text is None:
        return ""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        problems.append(Problem(Place(f"--date {printable(text)}"), "GR311", "is not a day", "write it as 2026-11-30"))
        return ""
