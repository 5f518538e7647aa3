"""`gpurules diff`: what differs between two rulebooks, and which decisions change because of it."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from gpurules.cli import sources
from gpurules.cli.language import language_option
from gpurules.cli.waivers import ENDING
from gpurules.engine import GpurulesError
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import bundle, document, rulebook
from gpurules.engine.knowledge.document import Node
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.records import comparison
from gpurules.engine.records.attribution import Attribution, Causes, Side
from gpurules.engine.records.comparison import Difference, Moved, RuleChange
from gpurules.engine.reports.markdown import escaped
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import Place, Problem, printable

SHOWN = 100
"""Characters of a value that text and Markdown show."""


@dataclass(frozen=True, slots=True)
class Decided:
    """One facts file under both rulebooks: what moved and why, or which side cannot read it."""

    file: str
    moved: Moved | None
    causes: Causes | None
    faults: tuple[str, str] = ("", "")


@click.command("diff")
@click.argument("before", metavar="RULES_A")
@click.argument("after", metavar="RULES_B")
@click.option(
    "--facts", type=click.Path(path_type=Path), metavar="DIR", help="Facts files (or one) to decide under both; those whose decision changes are listed."
)
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), metavar="YYYY-MM-DD", help="Decide as of this day; by default the release of each rulebook.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="What to print; Markdown suits a pull request.",
)
@language_option
def command(before: str, after: str, facts: Path | None, date: datetime.datetime | None, format_: str, language: str) -> None:
    """Compare two rulebooks: rules and parameters added, removed and changed; with --facts, decisions that change, and because of which rule.

    RULES_A and RULES_B are folders, zip or tar archives, or git revisions with a colon: `gpurules diff HEAD~1: . --facts examples`.
    Decisions are compared by verdict and advice, not by figures and texts. A rule is named as a cause where it alone, put into RULES_A,
    changes the decision. Exit codes: 0 done; 2 the input is wrong.
    """
    given = _facts(facts) if facts is not None else {}
    one, two = _side(before), _side(after)
    found = comparison.rulebooks(one.engine.rulebook, two.engine.rulebook)
    decided = [*_decided(one, two, found, given, date.date().isoformat() if date is not None else "")]
    if format_ == "json":
        click.echo(canonical.dumps(_plain(one.engine.rulebook, two.engine.rulebook, found, decided)))
        return
    for line in _lines(one.engine.rulebook, two.engine.rulebook, found, decided, language, format_ == "markdown"):
        click.echo(line)


def _side(name: str) -> Side:
    files = sources.named(name)
    return Side(files, Engine(rulebook.load(bundle.files(files))))


def _facts(where: Path) -> dict[str, Node]:
    """Facts files by name. Raises GpurulesError where there is none, or one is no YAML."""
    if not where.is_dir():
        return {where.name: document.read(where)}
    paths = [p for p in sorted(where.rglob("*")) if p.suffix in (".yaml", ".yml") and not p.name.endswith(ENDING)]
    if not paths:
        raise GpurulesError([Problem(Place(printable(str(where), 300)), "GR001", "holds no facts files", "name a folder of *.yaml")])
    return {p.relative_to(where).as_posix(): document.read(p) for p in paths}


def _decided(before: Side, after: Side, found: Difference, given: dict[str, Node], date: str) -> Iterator[Decided]:
    told = (lambda name: click.echo(f"trying {name} alone …", err=True)) if sys.stderr.isatty() else (lambda name: None)
    attribution = Attribution(before, after, found, told)
    for file, node in given.items():

        def decide(engine: Engine, node: Node = node, file: str = file) -> Evaluation:
            return engine.evaluate(facts_module.read(node, engine.rulebook), date, file)

        sides, faults = [], ["", ""]
        for number, side in enumerate((before, after)):
            try:
                sides.append(comparison.signature(decide(side.engine)))
            except GpurulesError as error:
                faults[number] = f"{error.problems[0].code} {error.problems[0].message}"
        if any(faults):
            yield Decided(file, None, None, (faults[0], faults[1]))
            continue
        moved = comparison.moved(*sides)
        yield Decided(file, moved, attribution.causes(moved, sides[0], decide) if moved is not None else None)


# ---------------------------------------------------------------- printing


def _plain(before: Rulebook, after: Rulebook, found: Difference, decided: list[Decided]) -> dict[str, object]:
    about = [{"version": b.version, "released": b.released, "digest": b.digest} for b in (before, after)]
    advice = ("rule", "topic", "action", "level", "state")
    changed = [
        {
            "facts": d.file,
            "before": list(d.moved.verdicts[0]),
            "after": list(d.moved.verdicts[1]),
            "gone": [dict(zip(advice, a, strict=True)) for a in d.moved.gone],
            "new": [dict(zip(advice, a, strict=True)) for a in d.moved.new],
            "because": list(d.causes.alone),
            "possibly": list(d.causes.possible),
        }
        for d in decided
        if d.moved is not None and d.causes is not None
    ]
    return {
        "before": about[0],
        "after": about[1],
        "rules": [
            {
                "rule": c.id,
                "change": c.kind,
                "title": dict(c.title),
                "before": c.versions[0] or None,
                "after": c.versions[1] or None,
                "parameters": [{"name": p.name, "before": p.before, "after": p.after} for p in c.parameters],
                "keys": [{"name": p.name, "before": p.before, "after": p.after} for p in c.parts],
            }
            for c in found.rules
        ],
        "data": [{"kind": d.kind, "id": d.id, "change": d.change} for d in found.data],
        "decided": len(decided),
        "changed": changed,
        "undecided": [{"facts": d.file, "before": d.faults[0] or None, "after": d.faults[1] or None} for d in decided if any(d.faults)],
    }


def _lines(before: Rulebook, after: Rulebook, found: Difference, decided: list[Decided], language: str, markdown: bool) -> Iterator[str]:
    head, safe = ("## ", escaped) if markdown else ("", printable)
    yield f"{head}Rulebook {before.version} {before.digest[:19]}… → {after.version} {after.digest[:19]}…"
    counts = [f"{sum(c.kind == kind for c in found.rules)} {kind}" for kind in (comparison.ADDED, comparison.REMOVED, comparison.CHANGED)]
    changed, failed = [d for d in decided if d.moved is not None], [d for d in decided if any(d.faults)]
    of_decisions = f" {len(changed)} of {len(decided)} decisions change." if decided else ""
    yield ""
    yield f"Rules: {', '.join(counts)}.{of_decisions}"
    if found.rules:
        yield from ("", f"{'### ' if markdown else ''}Rules", "")
        for change in found.rules:
            versions = " → ".join(v for v in dict.fromkeys(change.versions) if v)
            yield f"- {change.id} {versions} {change.kind}: {safe(change.title[language])}"
            yield from (f"  - {safe(line)}" for line in _parts(change))
    if found.data:
        yield from ("", f"{'### ' if markdown else ''}Catalogues, facts, claims", "")
        yield from (f"- {d.kind} {safe(d.id)} {d.change}" for d in found.data)
    if changed:
        yield from ("", f"{'### ' if markdown else ''}Decisions that change", "")
        for one in changed:
            assert one.moved is not None and one.causes is not None
            yield f"- {safe(one.file)}: {safe(_verdicts(one.moved))} — {_because(one.causes)}"
            yield from (f"  - no longer: {_advice(a)}" for a in one.moved.gone)
            yield from (f"  - new: {_advice(a)}" for a in one.moved.new)
    if failed:
        yield from ("", f"{'### ' if markdown else ''}Facts that one side does not take", "")
        for one in failed:
            yield from (f"- {safe(one.file)}, {side}: {safe(fault)}" for side, fault in zip(("before", "after"), one.faults, strict=True) if fault)


def _parts(change: RuleChange) -> Iterator[str]:
    for part in change.parameters:
        yield f"parameter {part.name}: {_value(part.before)} → {_value(part.after)}"
    for part in change.parts:
        if part.name in ("cases", "because", "then", "when"):
            yield f"{part.name} changed"
        elif part.name != "version":
            yield f"{part.name}: {_value(part.before)} → {_value(part.after)}"


def _value(value: object) -> str:
    """A value as a person reads it: of a parameter with nothing but a value, that value."""
    if value is None:
        return "none"
    shown = value["value"] if isinstance(value, dict) and "value" in value else value
    return printable(shown if isinstance(shown, str) else canonical.dumps(shown), SHOWN)


def _verdicts(moved: Moved) -> str:
    before, after = (" ".join(v) for v in moved.verdicts)
    return f"{before} → {after}" if before != after else f"{before}, with other advice"


def _because(causes: Causes) -> str:
    if causes.alone:
        return f"because of {', '.join(causes.alone)}"
    return f"possibly because of {', '.join(causes.possible)} together" if causes.possible else "because of what no rule of both says alone"


def _advice(advice: tuple[str, str, str, str, str]) -> str:
    rule, topic, action, level, state = advice
    return f"{rule} {level} {topic}/{action}, {state}"
