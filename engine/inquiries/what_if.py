"""What-if: the decisions over lists of values, and the boundaries along a range, as trees."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import plane, rejection
from gpurules.engine.inquiries.axis import SETTLE, Axis, Value
from gpurules.engine.inquiries.boundary import Decided, Sweep, differing
from gpurules.engine.inquiries.branching import Budget, Stretch
from gpurules.engine.inquiries.decision_words import DecisionWords
from gpurules.engine.inquiries.lookup import looks_up
from gpurules.engine.inquiries.plane_report import NoPlane, PlaneReport
from gpurules.engine.inquiries.tree_phrases import said
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.reports.branch import Branch, Said, both
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

MOST = 10_000
"""Combinations of listed values."""
EVALUATIONS, PLANE = 4_000, 8_000
"""Evaluations along a range, and over two, where nobody says how many."""


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
    if definition is not None and definition.kind != "observed":
        mend = f"vary what it is derived of; `gpurules show {path}` names the rules behind it"
        raise GpurulesError([Problem(place, "GR301", f"{path} is no fact that somebody states: rules derive it", mend)])
    if definition is None:
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
    count, ranges = math.prod(len(values) for values in found.values()), sum(v.axis is not None for v in varied)
    twice = [path for path, times in Counter(v.path for v in varied).items() if times > 1]
    if twice:
        raise GpurulesError([Problem(Place("--vary"), "GR311", f"names {twice[0]} twice", "give each fact once, with all its values: PATH=1,2,4")])
    if ranges > 2 or count > MOST:
        asked = f"asks for {ranges} ranges at once" if ranges > 2 else f"asks for {count:,} combinations"
        mend = f"two ranges at most, others as lists (PATH=1,2,4), and at most {MOST:,} combinations of listed values"
        raise GpurulesError([Problem(Place("--vary"), "GR311", asked, mend)])
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """What is varied, and the facts that stay: those in `node` and `stated`, for a day (the rulebook's release by default). Through
    ranges, `budget` evaluations are made in all, as many as is usual where it is None; `tick` is told how much of everything is done, from 0 to 1."""

    engine: Engine
    node: Node | None
    file: str
    varied: Sequence[Vary]
    machines: bool = True
    budget: int | None = None
    stated: Sequence[Setting] = ()
    date: str = ""
    tick: Callable[[float], None] = lambda share: None

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(v.axis for v in self.varied if v.axis is not None)

    @property
    def evaluations(self) -> int:
        return self.budget or (PLANE if len(self.axes) > 1 else EVALUATIONS)

    def combinations(self) -> Iterator[tuple[tuple[Setting, ...], Callable[[float], None]]]:
        """Each combination of listed values, and what is to be told how much of it is done."""
        found = lists(self.varied)
        every = list(itertools.product(*found.values()))
        for number, values in enumerate(every):
            done = partial(lambda number, share: self.tick((number + share) / len(every)), number)
            yield tuple(Setting(path, text) for path, text in zip(found, values, strict=True)), done

    def sweep(self, settings: Sequence[Setting], done: Callable[[float], None]) -> Sweep | str:
        """The decisions with a combination of listed values, or why it contradicts itself, with which it is done. Raises GpurulesError
        where nothing is listed, so that the facts themselves are wrong."""
        try:
            return Sweep(Trial(self.engine, self.node, (*self.stated, *settings), self.date, self.file), self.machines)
        except GpurulesError as error:
            if not settings:
                raise
            done(1.0)
            return error.problems[0].message


def planes(asked: Asked, language: str) -> Iterator[PlaneReport | NoPlane]:
    """For two ranges, the plane of each combination of listed values; of one that contradicts itself, why."""
    across, down = asked.axes
    every = math.prod(len(values) for values in lists(asked.varied).values())
    for settings, done in asked.combinations():
        sweep = asked.sweep(settings, done)
        if isinstance(sweep, str):
            yield NoPlane(settings, sweep, language)
            continue
        part = Budget(max(1, asked.evaluations // every))
        yield PlaneReport(plane.over(sweep, across, down, part, done), sweep, language, settings)


def answer(asked: Asked) -> tuple[Branch, ...]:
    """One tree for each combination of listed values: its decision, or the stretches of the range with what changes between them."""
    return tuple(_rows(asked))


def _named(settings: Sequence[Setting]) -> str:
    return ", ".join(f"{s.path} = {s.text}" for s in settings)


def _rows(asked: Asked) -> Iterator[Branch]:
    first: Decided | None = None
    budget, words = Budget(asked.evaluations), _words(asked.engine.rulebook)
    for settings, done in asked.combinations():
        name, data = _named(settings), {"set": {s.path: s.text for s in settings}}
        sweep = asked.sweep(settings, done)
        if isinstance(sweep, str):
            yield Branch("row", both(f"{name}: {sweep}"), {**data, "contradiction": True}, (), "caution")
            continue
        for axis in asked.axes:
            spent = budget.spent
            found = sweep.along(axis, budget, tick=done)
            text = said("along", name=f"{name}, " if name else "", fact=axis.path, count=budget.spent - spent)
            yield Branch("range", text, {**data, "vary": axis.path}, tuple(_stretches(sweep, axis, found, words)), "strong")
        if asked.axes:
            continue
        decided = sweep.at()
        done(1.0)
        text = said("stretch", value=name or asked.file, state=_verdict(decided, words))
        changes = tuple(_changes(first, decided)) if first is not None else ()
        yield Branch("row", text, {**data, **_data(decided)}, changes, "strong")
        first = first or decided


def _words(rulebook: Rulebook) -> Mapping[str, DecisionWords]:
    return {language: DecisionWords(rulebook, language) for language in ("en", "zh")}


def _stretches(sweep: Sweep, axis: Axis, found: Sequence[Stretch], words: Mapping[str, DecisionWords]) -> Iterator[Branch]:
    before: Decided | None = None
    end = 0
    for stretch in found:
        value = axis.value(stretch.cell)
        shown = {la: axis.definition.show(value, la) for la in ("en", "zh")}
        ends = [axis.value((place, place)) for place in stretch.cell]
        data = {"from": axis.text(ends[0]), "to": axis.text(ends[1])}
        if not isinstance(stretch.label, Decided):
            changes = tuple(_differences(sweep, sweep.at({axis: ends[0]}), sweep.at({axis: ends[1]}), [{axis: one} for one in ends]))
            yield Branch("band", said("band", value=shown), data, changes, "caution")
            before = None
            continue
        text = said("stretch", value=shown, state=_verdict(stretch.label, words))
        sides = [{axis: axis.value((place, place))} for place in (end, stretch.cell[0])]
        differences = tuple(_differences(sweep, before, stretch.label, sides)) if before is not None else ()
        if stretch.label.signature is None:
            differences = (Branch("why", both(sweep.trial.contradiction({axis: ends[0]})), {}, (), "quiet"),)
        yield Branch("stretch", text, {**data, **_data(stretch.label)}, differences)
        before, end = stretch.label, stretch.cell[1]


def _differences(sweep: Sweep, before: Decided, after: Decided, sides: Sequence[Mapping[Axis, Value]]) -> Iterator[Branch]:
    """What makes the decisions at two places differ."""
    yield from _changes(before, after)
    if _parted(before, after):
        yield from _rejections(before, after, [sweep.trial.evaluate(side) for side in sides], _words(sweep.trial.rulebook))


def _changes(before: Decided, after: Decided) -> Iterator[Branch]:
    """The rules that make two decisions differ; none where facts contradict each other on one side."""
    if before.signature is None or after.signature is None:
        return
    for rule, (old, new) in differing(before.signature, after.signature).items():
        states = {la: f"{said(f'state_{old}', facts='…')[la]} → {said(f'state_{new}', facts='…')[la]}" for la in ("en", "zh")}
        yield Branch("change", {la: f"{rule}: {states[la]}" for la in states}, {"rule": rule, "before": old, "after": new})


def _parted(before: Decided | None, after: Decided) -> bool:
    """Whether two neighbours have different verdicts."""
    return bool(before is not None and before.signature and after.signature and before.signature[0] != after.signature[0])


def _rejections(before: Decided, after: Decided, sides: Sequence[Evaluation | None], words: Mapping[str, DecisionWords]) -> Iterator[Branch]:
    """The requirements that make two verdicts differ."""
    one, other = sides if len(sides) == 2 else (None, None)
    if one is None or other is None or not before.signature or not after.signature:
        return
    found = list(rejection.between((before.signature, one), (after.signature, other)))
    for r in found:
        states = {key: said(f"met_{state}", facts="…") for key, state in (("before", r.before), ("after", r.after))}
        text = said("part", rule=r.rule, machine={la: w.machine(r.machine) for la, w in words.items()}, **states)
        yield Branch("requirement", text, {"rule": r.rule, "machine": r.machine, "before": r.before, "after": r.after})
    if not found and before.signature[0][0] == after.signature[0][0]:
        yield Branch("requirement", said("ranking"), {}, (), "quiet")


def _verdict(decided: Decided, words: Mapping[str, DecisionWords]) -> Said:
    signature = decided.signature
    return said("contradiction") if signature is None else {language: one.verdict(signature) for language, one in words.items()}


def _data(decided: Decided) -> dict[str, object]:
    if decided.signature is None:
        return {"contradiction": True}
    (status, *machines), advice = decided.signature
    return {"status": status, "machines": machines, "advice": [list(one) for one in sorted(advice)]}
