"""`gpurules replay`: a recorded decision, made again."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from gpurules.cli import cache, output
from gpurules.cli import store as stores
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.cli.waivers import waiver_line, waiver_lines
from gpurules.engine import GpurulesError
from gpurules.engine.decisions import kept
from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import bundle
from gpurules.engine.knowledge.rulebook import Files
from gpurules.engine.public import VERSION
from gpurules.engine.records import comparison, record, replay
from gpurules.engine.records.replay import Replay
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import Place, Problem, printable

LISTED = 40
"""Differences that the text lists; --format json holds them all."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be made again: its name, the rulebook it was made with, and how to make it with an engine of any rulebook."""

    name: str
    then: Document
    files: Files
    replayed: Callable[[Engine], Replay]
    again: Callable[[Engine], tuple[Evaluation, Document]]


@click.command("replay")
@click.argument("decision", metavar="ID|DECISION.json")
@click.option("--with-current", is_flag=True, help="Say also what today's rulebook (or that of --rules) makes of the same facts, rule by rule.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True, help="What to print.")
@language_option
@rules_option
def command(decision: str, with_current: bool, format_: str, language: str, rules: Path | None) -> None:
    """Make a decision again with the rulebook that was recorded, and hold both against each other, byte by byte.

    ID is an entry of the record; DECISION.json a decision that `gpurules evaluate --format json` printed, whose rulebook is looked for in the
    record, then under --rules, then in this package. Exit codes: 0 the same; 1 not the same; 2 it cannot be made again.
    """
    subject = _of_file(Path(decision), rules) if decision == "-" or decision.endswith(".json") or Path(decision).is_file() else _of_entry(decision)
    found = subject.replayed(cache.engine(subject.files))
    current = _current(subject, found, cache.engine(located(rules))) if with_current else None
    if format_ == "json":
        output.json({"of": subject.name, **_plain(found), **({"current": current} if current is not None else {})})
    else:
        for text in (*_lines(subject, found), *(_current_lines(current, language) if current is not None else ())):
            click.echo(printable(text, 400))
    if found.outcome == replay.DIFFERENT:
        sys.exit(1)


# ---------------------------------------------------------------- what is to be made again


def _of_entry(name: str) -> Subject:
    with stores.opened() as store:
        entry = record.entry(store, name)
        files = record.rulebook(store, entry.head["rulebook"]["digest"])
    if files is None:
        raise _no_rulebook(f"entry {entry.number}", entry.document)
    return _recorded(entry, files)


def _recorded(entry: record.Entry, files: bundle.Bundle) -> Subject:
    return Subject(
        f"entry {entry.number}",
        entry.document,
        bundle.files(files),
        lambda engine: replay.of_record(entry.asked, engine, VERSION, entry.decision),
        lambda engine: replay.again(entry.asked, engine, VERSION),
    )


def _of_file(path: Path, rules: Path | None) -> Subject:
    shown = "standard input" if str(path) == "-" else printable(str(path), 300)
    if str(path) == "-":
        content = sys.stdin.buffer.read(kept.MAX_BYTES + 1) if sys.stdin else b""
    else:
        with path.open("rb") as file:
            content = file.read(kept.MAX_BYTES + 1)
    then = kept.read(content, shown)
    digest = kept.made(then, shown, lambda d: (str(d["rulebook"]["digest"]), d["engine"]["semantics"], d["engine"]["version"], d["date"])[0])
    files = None
    try:
        with stores.opened() as store:
            entry = record.deciding(store, canonical.dumps(then).encode())
            files = record.rulebook(store, digest)
            if entry is not None and files is not None:
                return _recorded(entry, files)
    except GpurulesError as error:
        if {p.code for p in error.problems} != {"GR801"}:  # there need be no record
            raise
    at_hand = bundle.files(files) if files is not None else located(rules)
    if files is None and cache.engine(at_hand).rulebook.digest != digest:
        raise _no_rulebook(shown, then)
    return Subject(
        shown,
        then,
        at_hand,
        lambda engine: kept.made(then, shown, lambda d: replay.of_document(d, engine, VERSION)),
        lambda engine: kept.made(then, shown, lambda d: replay.restated(d, engine, VERSION)),
    )


def _no_rulebook(name: str, then: Document) -> GpurulesError:
    about = then["rulebook"]
    message = f"was decided with rulebook {printable(str(about['version']))} {printable(str(about['digest']))}, which is not at hand"
    return GpurulesError([Problem(Place(name), "GR806", message, "name its folder by --rules, or the record that holds it by GPURULES_STORE")])


# ---------------------------------------------------------------- what came of it


def _plain(found: Replay) -> Document:
    return {
        "outcome": found.outcome,
        "engine": {"then": found.engines[0], "now": found.engines[1]},
        "semantics": {"then": found.semantics[0], "now": found.semantics[1]},
        "differences": [{"path": d.name, "then": d.before, "now": d.after} for d in found.differences],
        **({"waivers": found.document["waivers"]} if "waivers" in found.document else {}),
    }


def _lines(subject: Subject, found: Replay) -> list[str]:
    lines = []
    if found.semantics[0] != found.semantics[1]:
        lines.append(f"decided under semantics {found.semantics[0]}; this engine has semantics {found.semantics[1]}, and may decide otherwise for that alone")
    waived = [f"  {line}" for line in waiver_lines(found.document)]
    if found.outcome == replay.IDENTICAL:
        return [*lines, f"{subject.name}: identical", *waived]
    if found.outcome == replay.ENGINE:
        return [*lines, f"{subject.name}: the same decision; engine {found.engines[0]} then, {found.engines[1]} now", *waived]
    lines.append(f"{subject.name}: not the same, {len(found.differences)} differences")
    for part in found.differences[:LISTED]:
        lines += [f"  {part.name}", f"    then: {_short(part.before)}", f"    now:  {_short(part.after)}"]
    if len(found.differences) > LISTED:
        lines.append(f"  and {len(found.differences) - LISTED} more; --format json holds them all")
    return [*lines, *waived]


def _short(value: object) -> str:
    return printable(value if isinstance(value, str) else canonical.dumps(value), 160)


def _current(subject: Subject, found: Replay, engine: Engine) -> Document:
    """What another rulebook makes of the same facts: both verdicts, the advice of one side alone, and every rule that judges otherwise."""
    evaluation, made = subject.again(engine)
    moved = comparison.moved(comparison.signature(found.evaluation), comparison.signature(evaluation))
    then, now = ({r["id"]: r for r in d["rules"]} for d in (found.document, made))
    rules: list[Document] = []
    for id_ in sorted({*then, *now}):
        sides = [_judged(side.get(id_)) for side in (then, now)]
        if sides[0] != sides[1]:
            rules.append({"rule": id_, "title": (now.get(id_) or then[id_])["title"], "then": sides[0], "now": sides[1]})
    advice = ("rule", "topic", "action", "level", "state")
    return {
        "rulebook": {"then": found.document["rulebook"], "now": made["rulebook"]},
        "status": {"then": found.document["status"], "now": made["status"]},
        "same": moved is None,
        "gone": [dict(zip(advice, a, strict=True)) for a in (moved.gone if moved else ())],
        "new": [dict(zip(advice, a, strict=True)) for a in (moved.new if moved else ())],
        "rules": rules,
        "waivers": _waivers(found.document, made),
    }


def _waivers(then: Document, now: Document) -> list[Document]:
    """Every waiver with its state on both sides, judged as of the same day."""
    sides = [side["waivers"]["entries"] for side in (then, now) if "waivers" in side]
    keys = ("rule", "who", "why", "until")
    return [{**{k: a[k] for k in keys}, "then": a["state"], "now": b["state"]} for a, b in zip(*sides, strict=True)] if len(sides) == 2 else []


def _judged(rule: Document | None) -> Document | None:
    return None if rule is None else {key: rule[key] for key in ("version", "truth", "stands", "truth_assuming", "stands_assuming")}


def _current_lines(current: Document, language: str) -> list[str]:
    then, now = current["rulebook"]["then"], current["rulebook"]["now"]
    lines = ["", f"with rulebook {now['version']} {now['digest'][:19]}… instead of {then['version']} {then['digest'][:19]}…:"]
    status = current["status"]
    lines.append(f"  status: {status['then']}" if status["then"] == status["now"] else f"  status: {status['then']} → {status['now']}")
    lines.append("  the same verdict and advice" if current["same"] else "  another decision")
    for mark, side in (("−", "gone"), ("+", "new")):
        lines += [f"  {mark} {a['rule']}: {a['level']} {a['topic']}/{a['action']}, {a['state']}" for a in current[side]]
    for rule in current["rules"]:
        lines.append(f"  {rule['rule']} {rule['title'][language]}: {_side(rule['then'])} → {_side(rule['now'])}")
    for one in current["waivers"]:
        lines.append(f"  {waiver_line(one)}: {one['then'] if one['then'] == one['now'] else one['then'] + ' → ' + one['now']}")
    return lines


def _side(rule: dict[str, Any] | None) -> str:
    if rule is None:
        return "not judged"
    assuming = "" if rule["truth"] == rule["truth_assuming"] else f", {rule['truth_assuming']} under assumptions"
    stands = "" if rule["stands"] == rule["truth"] else f", stands: {rule['stands']}"
    return f"{rule['version']} {rule['truth']}{assuming}{stands}"
