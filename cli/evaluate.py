"""`gpurules evaluate`: the decision for one facts file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpurules.cli import cache, output, stated
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.cli.waivers import given as given_waivers
from gpurules.cli.waivers import waiver_lines, waivers_option
from gpurules.engine import evaluate
from gpurules.engine.decisions import waiver
from gpurules.engine.decisions.decision import Document
from gpurules.engine.knowledge import bundle, document
from gpurules.engine.knowledge.document import MAX_BYTES
from gpurules.engine.knowledge.rule import LEVELS
from gpurules.engine.public import BACKENDS, waive
from gpurules.engine.values.problem import printable


@click.command("evaluate")
@click.argument("facts", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml")
@stated.stated_options
@click.option("--format", "format_", type=click.Choice(["text", "markdown", "html", "json"]), default="text", show_default=True, help="What to print.")
@click.option("--fail-on", type=click.Choice(LEVELS), help="Exit with 1 if advice of this level or graver stands.")
@waivers_option
@click.option("--record", "keep", is_flag=True, help="Keep facts, rulebook and decision in the record, for `gpurules audit` and `gpurules replay`.")
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
    keep: bool,
    waivers: Path | None,
) -> None:
    """Evaluate FACTS.yaml ("-" for standard input) and print the decision.

    Exit codes: 0 done; 1 --fail-on was met; 2 the input is wrong.
    """
    further, day = stated.read(settings, date)
    given, shown = _content(facts)
    held = bundle.gather(located(rules)) if keep else None  # what is recorded is what was read: files may change meanwhile
    decision = evaluate(given, cache.engine(located(rules) if held is None else bundle.files(held)), further, day, backend, shown)
    waived, as_of = given_waivers(facts, waivers), ""
    if waived is not None:
        as_of = day or stated.today()
        decision = waive(decision, waived[0], as_of, waived[1])
    if held is not None:
        from gpurules.cli import store as stores
        from gpurules.engine.records import record

        asked = record.Asked(
            given,
            facts.name if shown != "facts" else "-",
            [(s.path, s.text) for s in further],
            day,
            waived[0] if waived is not None else None,
            as_of,
            stores.user(),
            stores.moment(),
        )
        with stores.opened(write=True) as store:
            number, hash_ = record.add(store, asked, decision.to_json().encode(), lambda: held)
        click.echo(f"recorded as {number}:{hash_}", err=True)
    if format_ == "json":
        output.json_text(decision.to_json())
    else:
        from gpurules.cli.printing import report_text

        sys.stdout.write(report_text(decision.document, format_, language, width))
    if fail_on is not None:
        failing = _failing(decision.document, fail_on)
        for line in (*failing, *waiver_lines(decision.document)):
            click.echo(printable(f"--fail-on {fail_on}: {line}", 400), err=True)
        if failing:
            sys.exit(1)


def _content(facts: Path) -> tuple[bytes, str]:
    """The content of the facts file, and what it is called where its faults are told."""
    if str(facts) == "-":
        return (sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin else b""), "facts"
    return document.content(facts), printable(str(facts), 300)


def _failing(decision: Document, level: str) -> list[str]:
    """What stands at `level` or graver and is waived by nobody, a rule each; a waiver that counts no more is such a finding, too."""
    found = dict.fromkeys(f"{c['rule']} {_level(c)}, {c['state']}" for c in decision["conclusions"] if "waived" not in c and _grave(c, level))
    stale = waiver.stale(decision) if LEVELS.index(waiver.STALE_LEVEL) <= LEVELS.index(level) else []
    return [*found, *(f"{w['rule']} {waiver.STALE_LEVEL}, its waiver is {w['state']}" for w in stale)]


def _grave(conclusion: Document, level: str) -> bool:
    """Whether advice surely stands, or stands under what is assumed, at `level` or graver."""
    return conclusion["state"] in ("certain", "assuming") and LEVELS.index(_level(conclusion)) <= LEVELS.index(level)


def _level(conclusion: Document) -> str:
    """The level of advice; a requirement that is not met counts as the gravest."""
    return "stop" if conclusion["kind"] == "require" else str(conclusion["level"])
