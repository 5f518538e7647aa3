"""What-if: the decisions over lists of values, and the boundaries along a range, as trees."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import rejection
from gpurules.engine.inquiries.axis import SETTLE, Axis
from gpurules.engine.inquiries.boundary import Decided, Sweep, differing
from gpurules.engine.inquiries.branching import Budget, Stretch
from gpurules.engine.inquiries.lookup import looks_up
from gpurules.engine.inquiries.subject import STATED
from gpurules.engine.inquiries.tree_phrases import said
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.reports.branch import Branch, Said, both
from gpurules.engine.reports.phrases import word
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

MOST = 10_000
"""Combinations of listed values."""
EVALUATIONS = 2_000


@dataclass(frozen=True, slots=True)
class Vary:
    """One fact that is varied: through `values`, as text, or along `axis`."""

    path: str
    values: tuple[str, ...]
    axis: Axis | None


def read(text: str, rulebook: Rulebook) -> Vary:
    """`path=1,2,4` or `path=0..1`. Raises GpurulesError (GR311, GR301, and what is wrong with a value)."""
    place = Place(f"--vary {printable(text)}")
    path, equals, given = (part.strip() for part in text.partition("="))
    definition = rulebook.vocabulary.facts.get(path)
    if not equals or not given:
        raise GpurulesError([Problem(place, "GR311", "is not PATH=VALUES", "write e.g. --vary gpu.count=1,2,4 or --vary measured.communication_share=0..1")])
    if definition is None or definition.kind != "observed":
        known = [p for p, d in rulebook.vocabulary.facts.items() if d.kind == "observed"]
        raise GpurulesError([Problem(place, "GR301", f"unknown fact '{printable(path)}'", did_you_mean(path, known, "`gpurules facts` lists them"))])
    if definition.number and "," not in given and ".." in given:
        value = statement.read(definition, Scalar(given, "text", place), rulebook.catalogs)
        if isinstance(value, Interval) and value.low < value.high:
            return Vary(path, (), Axis(definition, value, SETTLE, looks_up(path, rulebook)))
    values = tuple(v.strip() for v in given.split(",") if v.strip())
    for one in values:
        statement.read(definition, Scalar(one, "text", place), rulebook.catalogs)
    return Vary(path, values, None)


def lists(varied: Sequence[Vary]) -> dict[str, tuple[str, ...]]:
    """The values of each fact that is varied through a list. Raises GpurulesError (GR311) where all in all more is asked than can be told."""
    found = {v.path: v.values for v in varied if v.axis is None}
    count = math.prod(len(values) for values in found.values())
    if sum(v.axis is not None for v in varied) > 1 or count > MOST or len({v.path for v in varied}) < len(varied):
        mend = f"one range, and at most {MOST:,} combinations of values, each fact once"
        raise GpurulesError([Problem(Place("--vary"), "GR311", "asks for too much at once", mend)])
    return found


def answer(
    engine: Engine,
    node: Node | None,
    file: str,
    varied: Sequence[Vary],
    machines: bool,
    budget: int,
    tick: Callable[[], None] = lambda: None,
    stated: Sequence[Setting] = (),
    date: str = "",
) -> tuple[Branch, ...]:
    """One tree for each combination of listed values: its decision, or the stretches of the range with what changes between them.

    `stated` are facts beside those in `node`, `date` the day to decide for, the rulebook's release by default.
    """
    ranges = [v for v in varied if v.axis is not None]
    listed = [v for v in varied if v.axis is None]
    lists(varied)
    left = Budget(budget)

    def trial(settings: Sequence[Setting]) -> Trial:
        return Trial(engine, node, (*stated, *settings), date, file)

    return tuple(_rows(trial, file, listed, ranges[0].axis if ranges else None, machines, left, tick))


def _rows(
    trial: Callable[[Sequence[Setting]], Trial], file: str, lists: Sequence[Vary], axis: Axis | None, machines: bool, budget: Budget, tick: Callable[[], None]
) -> Iterator[Branch]:
    first: Decided | None = None
    for values in itertools.product(*(v.values for v in lists)):
        settings = [Setting(v.path, text) for v, text in zip(lists, values, strict=True)]
        name = ", ".join(f"{s.path} = {s.text}" for s in settings)
        data = {"set": {s.path: s.text for s in settings}}
        try:
            sweep = Sweep(trial(settings), machines)
        except GpurulesError as error:
            tick()
            yield Branch("row", both(f"{name}: {error.problems[0].message}"), {**data, "contradiction": True}, (), "caution")
            continue
        if axis is not None:
            spent = budget.spent
            found = sweep.along(axis, budget)
            tick()
            text = said("along", name=f"{name}, " if name else "", fact=axis.path, count=budget.spent - spent)
            yield Branch("range", text, {**data, "vary": axis.path}, tuple(_stretches(sweep, axis, found)), "strong")
            continue
        decided = sweep.at()
        tick()
        text = {la: f"{name or file}: {_verdict(decided)[la]}" for la in ("en", "zh")}
        changes = tuple(_changes(first, decided)) if first is not None else ()
        yield Branch("row", text, {**data, **_data(decided)}, changes, "strong")
        first = first or decided


def _stretches(sweep: Sweep, axis: Axis, found: Sequence[Stretch]) -> Iterator[Branch]:
    before: Decided | None = None
    end = 0
    for stretch in found:
        value = axis.value(stretch.cell)
        shown = {la: axis.definition.show(value, la) for la in ("en", "zh")}
        data = {"from": axis.text(axis.value((stretch.cell[0],) * 2)), "to": axis.text(axis.value((stretch.cell[1],) * 2))}
        if not isinstance(stretch.label, Decided):
            yield Branch("band", said("band", value=shown), data, (), "caution")
            before = None
            continue
        text = {la: f"{shown[la]}: {_verdict(stretch.label)[la]}" for la in shown}
        sides = [sweep.trial.evaluate({axis: axis.value((place, place))}) for place in (end, stretch.cell[0])] if _parted(before, stretch.label) else []
        changes = (*_changes(before, stretch.label), *_rejections(before, stretch.label, sides)) if before is not None else ()
        yield Branch("stretch", text, {**data, **_data(stretch.label)}, changes)
        before, end = stretch.label, stretch.cell[1]


def _changes(before: Decided, after: Decided) -> Iterator[Branch]:
    """The rules that make two decisions differ."""
    for rule, (old, new) in differing(before.signature, after.signature).items():
        states = {la: f"{said(f'state_{old}', facts='…')[la]} → {said(f'state_{new}', facts='…')[la]}" for la in ("en", "zh")}
        yield Branch("change", {la: f"{rule}: {states[la]}" for la in states}, {"rule": rule, "before": old, "after": new})


def _parted(before: Decided | None, after: Decided) -> bool:
    """Whether two neighbours have different verdicts."""
    return bool(before is not None and before.signature and after.signature and before.signature[0] != after.signature[0])


def _rejections(before: Decided, after: Decided, sides: Sequence[Evaluation | None]) -> Iterator[Branch]:
    """The requirements that make two verdicts differ."""
    one, other = sides if len(sides) == 2 else (None, None)
    if one is None or other is None or not before.signature or not after.signature:
        return
    found = list(rejection.between((before.signature, one), (after.signature, other)))
    for r in found:
        states = {key: said(f"met_{state}", facts="…") for key, state in (("before", r.before), ("after", r.after))}
        text = said("part", rule=r.rule, machine=said("machine_stated") if r.machine == STATED else both(r.machine), **states)
        yield Branch("requirement", text, {"rule": r.rule, "machine": r.machine, "before": r.before, "after": r.after})
    if not found and before.signature[0][0] == after.signature[0][0]:
        yield Branch("requirement", said("ranking"), {}, (), "quiet")


def _verdict(decided: Decided) -> Said:
    if decided.signature is None:
        return said("contradiction")
    status, *machines = decided.signature[0]
    named = f": {', '.join(machines)}" if machines and machines != ["stated"] else ""
    known = {la: word(f"status_{status}", la) if status not in ("open", "other") else said(f"status_{status}")[la] for la in ("en", "zh")}
    return {la: f"{known[la]}{named}" for la in known}


def _data(decided: Decided) -> dict[str, object]:
    if decided.signature is None:
        return {"contradiction": True}
    (status, *machines), advice = decided.signature
    return {"status": status, "machines": machines, "advice": [list(one) for one in sorted(advice)]}
