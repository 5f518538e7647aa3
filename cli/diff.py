"""`gpurules diff`: what differs between two rulebooks, and which decisions change because of it."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from gpurules.cli import output, sources, stated
from gpurules.cli.language import language_option
from gpurules.cli.waivers import ENDING, waiver_line
from gpurules.cli.waivers import given as given_waivers
from gpurules.engine import GpurulesError
from gpurules.engine.decisions import decision as decisions
from gpurules.engine.decisions import waiver
from gpurules.engine.decisions.waiver import Waiver
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

SHOWN, LINE = 100, 400
"""Characters of a value that text and Markdown show, and of a line of text."""


@dataclass(frozen=True, slots=True)
class Waived:
    """A waiver beside a facts file, and what becomes of it under both rulebooks: used, expired or unused."""

    waiver: Waiver
    states: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Given:
    """A facts file, and the waivers that lie beside it."""

    node: Node
    waivers: tuple[Waiver, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """One facts file under both rulebooks: what moved and why, or which side cannot read it."""

    file: str
    moved: Moved | None
    causes: Causes | None
    faults: tuple[str, str] = ("", "")
    waivers: tuple[Waived, ...] = ()

    def accepted(self, rule: str) -> Waiver | None:
        """The waiver in force of a rule that speaks on one side at least, if there is one."""
        return next((w.waiver for w in self.waivers if w.waiver.rule == rule and waiver.USED in w.states), None)


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
    changes the decision; what is left after these is put down to the changes without which RULES_B decides otherwise.
    Exit codes: 0 done; 2 the input is wrong.
    """
    given = _facts(facts) if facts is not None else {}
    one, two = _side(before), _side(after)
    found = comparison.rulebooks(one.engine.rulebook, two.engine.rulebook)
    decided = [*_decided(one, two, found, given, date.date().isoformat() if date is not None else "")]
    if format_ == "json":
        output.json(_plain(one.engine.rulebook, two.engine.rulebook, found, decided))
        return
    for line in _lines(one.engine.rulebook, two.engine.rulebook, found, decided, language, format_ == "markdown"):
        click.echo(line)


def _side(name: str) -> Side:
    files = sources.named(name)
    return Side(files, Engine(rulebook.load(bundle.files(files))))


def _facts(where: Path) -> dict[str, Given]:
    """Facts files by name, with the waivers beside them. Raises GpurulesError where there is none, or one is no YAML."""
    if not where.is_dir():
        return {where.name: _given(where)}
    paths = [p for p in sorted(where.rglob("*")) if p.suffix in (".yaml", ".yml") and not p.name.endswith(ENDING)]
    if not paths:
        raise GpurulesError([Problem(Place(printable(str(where), 300)), "GR001", "holds no facts files", "name a folder of *.yaml")])
    return {p.relative_to(where).as_posix(): _given(p) for p in paths}


def _given(path: Path) -> Given:
    beside = given_waivers(path, None)
    return Given(document.read(path), waiver.read(*beside, None) if beside is not None else ())


def _decided(before: Side, after: Side, found: Difference, given: dict[str, Given], date: str) -> Iterator[Decided]:
    told = (lambda name: click.echo(f"trying {printable(name)} …", err=True)) if sys.stderr.isatty() else (lambda name: None)
    attribution = Attribution(before, after, found, told)
    as_of = date or stated.today()
    for file, one in given.items():

        def decide(engine: Engine, node: Node = one.node, file: str = file) -> Evaluation:
            return engine.evaluate(facts_module.read(node, engine.rulebook), date, file)

        sides, faults, states = [], ["", ""], list[list[str]]()
        for number, side in enumerate((before, after)):
            try:
                evaluation = decide(side.engine)
                sides.append(comparison.signature(evaluation))
                if one.waivers:
                    speaking = {c["rule"] for c in decisions.trace(evaluation)["conclusions"]}
                    states.append([waiver.standing(w, speaking, as_of) for w in one.waivers])
            except GpurulesError as error:
                faults[number] = f"{error.problems[0].code} {error.problems[0].message}"
        if any(faults):
            yield Decided(file, None, None, (faults[0], faults[1]))
            continue
        moved = comparison.moved(*sides)
        waived = tuple(Waived(*w) for w in zip(one.waivers, zip(*states, strict=True), strict=True)) if one.waivers else ()
        yield Decided(file, moved, attribution.causes(moved, sides[0], decide) if moved is not None else None, waivers=waived)


# ---------------------------------------------------------------- printing


def _plain(before: Rulebook, after: Rulebook, found: Difference, decided: list[Decided]) -> dict[str, object]:
    about = [{"version": b.version, "released": b.released, "digest": b.digest} for b in (before, after)]
    changed = [
        {
            "facts": d.file,
            "before": list(d.moved.verdicts[0]),
            "after": list(d.moved.verdicts[1]),
            "gone": [_plain_advice(a, d) for a in d.moved.gone],
            "new": [_plain_advice(a, d) for a in d.moved.new],
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
        "waivers": [
            {"facts": d.file, **_plain_waiver(w.waiver), "rule": w.waiver.rule, "before": w.states[0], "after": w.states[1]} for d in decided for w in d.waivers
        ],
        "undecided": [{"facts": d.file, "before": d.faults[0] or None, "after": d.faults[1] or None} for d in decided if any(d.faults)],
    }


def _plain_advice(advice: tuple[str, str, str, str, str], decided: Decided) -> dict[str, object]:
    found: dict[str, object] = dict(zip(("rule", "topic", "action", "level", "state"), advice, strict=True))
    accepted = decided.accepted(advice[0])
    return found if accepted is None else {**found, "waived": _plain_waiver(accepted)}


def _plain_waiver(one: Waiver) -> dict[str, str]:
    return {"who": one.who, "why": one.why, "until": one.until}


def _lines(before: Rulebook, after: Rulebook, found: Difference, decided: list[Decided], language: str, markdown: bool) -> Iterator[str]:
    head, safe = ("## ", escaped) if markdown else ("", lambda text: printable(text, LINE))
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
            yield from (f"  - no longer: {_advice(a)}{safe(_accepted(a, one))}" for a in one.moved.gone)
            yield from (f"  - new: {_advice(a)}{safe(_accepted(a, one))}" for a in one.moved.new)
    if any(one.waivers for one in decided):
        yield from ("", f"{'### ' if markdown else ''}Waivers", "")
        for one in decided:
            yield from (f"- {safe(one.file)}: {safe(_waived(w))}" for w in one.waivers)
    if failed:
        yield from ("", f"{'### ' if markdown else ''}Facts that one side does not take", "")
        for one in failed:
            yield from (f"- {safe(one.file)}, {side}: {safe(fault)}" for side, fault in zip(("before", "after"), one.faults, strict=True) if fault)


def _accepted(advice: tuple[str, str, str, str, str], decided: Decided) -> str:
    accepted = decided.accepted(advice[0])
    return "" if accepted is None else f"; waived by {accepted.who} until {accepted.until}"


def _waived(one: Waived) -> str:
    """A waiver with its state, or with both where the rulebooks differ in it."""
    states = " → ".join(dict.fromkeys(one.states))
    return f"{waiver_line({'rule': one.waiver.rule, **_plain_waiver(one.waiver)})}: {states}"


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
    together = f"{', '.join(causes.possible)}{' together' if len(causes.possible) > 1 else ''}"
    if causes.alone:
        return f"because of {', '.join(causes.alone)}" + (f"; the rest possibly because of {together}" if causes.possible else "")
    return f"possibly because of {together}" if causes.possible else "because of what no rule of both says alone"


def _advice(advice: tuple[str, str, str, str, str]) -> str:
    rule, topic, action, level, state = advice
    return f"{rule} {level} {topic}/{action}, {state}"
