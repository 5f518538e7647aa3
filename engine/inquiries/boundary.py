"""Boundaries: where, over the values of facts, a decision becomes another; exact to the facts' steps, or a band where that is not settled."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from gpurules.engine.decisions import change
from gpurules.engine.decisions.change import Signature
from gpurules.engine.glances.glance import Glance
from gpurules.engine.glances.ground import Ground, cornered, narrowed
from gpurules.engine.glances.machine_field import Plan
from gpurules.engine.inference import consistency
from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.agenda import wide
from gpurules.engine.inference.choice import Choice
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import STATED, Fact, Facts
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.axis import Axis, Cell, Value
from gpurules.engine.inquiries.branching import Box, Budget, Stretch
from gpurules.engine.inquiries.lookup import leads
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge.rule import Advise, Assume, Prefer, Require
from gpurules.engine.language.compile import Table
from gpurules.engine.values.truth import DEPENDS, Truth

CHOICE = 20
"""What looking for machines counts in a budget, in evaluations."""
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 0.001), (0.0, 0.1), (1.0, 1.0))
"""Where what else is open may stand, as shares of the way from its low to its high end: figures and stated facts, and those that nobody
stated, which all at their highest are often more than can be."""
FEW = 8
"""Places of a cell that are looked at one by one rather than from its corners."""
Corner = tuple[float, float]


@dataclass(frozen=True)
class Decided:
    """What two decisions are compared by: the verdict and the standing advice; None where the facts contradict each other."""

    signature: Signature | None


class Sweep:
    """The decisions of one trial over values of facts. `machines` also looks for machines of the catalogue; without, of the verdict
    only what is decided without them is compared."""

    def __init__(self, trial: Trial, machines: bool = True) -> None:
        self.trial, self.machines = trial, machines
        self._engines: dict[Corner | None, tuple[Engine, Advance]] = {None: (trial.engine, Advance(trial.engine))}
        self._beyond: set[tuple[Corner, int]] = set()
        """Corners that somewhere cannot be: they are not looked at again."""
        self._grounds: dict[Hashable, Ground] = {}
        self.looked_for: dict[Hashable, Choice] = {}

    @cached_property
    def cone(self) -> Cone:
        """All that speaks, and all that derives: a value that cannot be leaves nothing decided, whether or not any advice rests on it."""
        rules, derived = self.trial.rulebook.running, self.trial.rulebook.derivations
        return Cone(self.trial.engine, (r.id for r in rules if any(isinstance(c, Advise | Require | Prefer | Assume) for c in r.then)), wanted=derived)

    @cached_property
    def plan(self) -> Plan:
        return Plan(self.trial.engine)

    def along(self, axis: Axis, budget: Budget, beside: Box | None = None, tick: Callable[[float], None] = lambda share: None) -> tuple[Stretch, ...]:
        """The stretches of an axis by their decision, with other facts at the places `beside`. A band has no label: there the budget ended,
        or nothing certifies the whole. `tick` is told how much is done, from 0 to 1."""

        def label(cell: Cell) -> Decided | None:
            return self.over({axis: cell, **(beside or {})}, budget)

        return branching.stretches(axis, label, budget, tick)

    def at(self, changes: Mapping[Axis, Value] | None = None) -> Decided:
        """The decision at one point."""
        return self._at(changes or {}, Budget(1))

    def _at(self, changes: Mapping[Axis, Value], budget: Budget) -> Decided:
        facts = self.trial.changed(changes)
        evaluation = None if facts is None else self.trial.judged(facts, self._engines[None][1], looked_for=self.looked_for)
        budget.spend(1 + (CHOICE if evaluation is not None and self._chooses(evaluation) else 0))
        return Decided(None if evaluation is None else signature(evaluation, self.machines))

    def _chooses(self, evaluation: Evaluation) -> bool:
        """Whether machines of the catalogue are looked for."""
        return self.machines and status(evaluation) in ("open", "other")

    def over(self, box: Box, budget: Budget) -> Decided | None:
        """What is decided at every place of a box; None where that is not settled, which it always is at a single place."""
        values = {axis: axis.value(cell) for axis, cell in box.items()}
        if branching.is_point(box):
            return self._at(values, budget)
        budget.spend()
        found = self.trial.loosely(values, (), self.cone)
        evaluation = None if found is None else self.trial.judged(found[0], self._engines[None][1], found[1], looked_for=self.looked_for)
        if found is None or evaluation is None:
            return Decided(None)
        facts, unsure = found
        if unsure or goal.ranks(evaluation, self.cone) or not self._agree(values, facts):
            return None
        places = math.prod(last - first + 1 for first, last in box.values())
        alone = places <= FEW and not self._chooses(evaluation)  # single places are quicker
        glance = self._glance(values, facts, evaluation, budget, not alone)
        decided = self._decided(glance)
        budget.spend(CHOICE if glance.looked else 0)
        return decided

    def _decided(self, glance: Glance) -> Decided | None:
        if not glance.possible:
            return None
        advice = glance.advice()
        verdict = None if advice is None else glance.verdict() if self.machines else _alone(glance)
        return None if advice is None or verdict is None else Decided((verdict, advice))

    def _agree(self, values: Mapping[Axis, Value], facts: Facts) -> bool:
        """Whether facts contradict each other, and what is looked up, at no place of a box."""
        moved = {axis.path for axis, value in values.items() if wide(value)}
        if not consistency.everywhere(facts.given, self.trial.rulebook, moved):
            return False
        for axis, value in values.items():
            if axis.apart and wide(value):
                given = facts.given.get(axis.path)
                if not isinstance(value, tuple) or given is None or given.value != value:
                    return False
                ends = [self.trial.changed({**values, axis: type(value)(end, end)}) for end in value]  # an entry that agrees with both does between
                if any(end is None or _names(end) != _names(facts) for end in ends):
                    return False
        return True

    def _glance(self, values: Mapping[Axis, Value], facts: Facts, evaluation: Evaluation, budget: Budget, deep: bool, at: Corner | None = None) -> Glance:
        moved = {axis.path for axis in values}
        if any(leads(path, facts) for path in moved):
            moved |= {path for path, fact in facts.given.items() if fact.via}
        run = evaluation.workloads[0]
        varying = [path for path in moved if wide(run.value(path))]

        def corners(number: int) -> Iterator[tuple[Glance, int]]:
            made = evaluation.assumptions if number else ()
            assumed = {one.fact: Fact(one.fact, one.value, STATED, "", None) for one in made if not isinstance(one.value, Table)}
            given = replace(facts, given={**facts.given, **assumed})
            for corner in [c for c in CORNERS if deep and (c, number) not in self._beyond]:
                budget.spend()
                engine, advance = self._engine(corner, evaluation.date)
                there = narrowed(given, engine, corner[0], moved)
                found = self.trial.judged(there, advance, together=False)
                if found is None:
                    self._beyond.add((corner, number))
                else:
                    yield self._glance(values, there, found, budget, False, corner), 0  # what is assumed is given there, hence in its first pass

        return Glance(self._ground(evaluation, at), evaluation, moved, varying, (), corners)

    def _engine(self, at: Corner, date: str) -> tuple[Engine, Advance]:
        if at not in self._engines:
            engine = cornered(self.trial.engine, date, *at)
            self._engines[at] = engine, Advance(engine)
        return self._engines[at]

    def _ground(self, evaluation: Evaluation, at: Corner | None) -> Ground:
        """What a glance is on: the first evaluation that knew the same facts."""
        run = evaluation.workloads[0]
        known = frozenset(path for path in run.known if run.knows((path,)))
        key = at, known, evaluation.has_candidate
        if key not in self._grounds:
            self._grounds[key] = Ground(evaluation.engine, evaluation, self.cone, self.plan)
        return self._grounds[key]


def signature(evaluation: Evaluation, machines: bool) -> Signature:
    """What is compared of one decision."""
    return change.signature(evaluation) if machines else ((status(evaluation),), change.standing_advice(evaluation))


def status(evaluation: Evaluation) -> str:
    """The part of the status that is found without machines of the catalogue."""
    if not evaluation.sized:
        return "not_sized"
    if evaluation.has_candidate and evaluation.accepted(evaluation.first) is Truth.YES:
        return "keep"
    if evaluation.has_candidate and evaluation.accepted(evaluation.second) is Truth.YES:
        return "provisional"
    return "open" if evaluation.has_candidate and evaluation.accepted(evaluation.second) is DEPENDS else "other"


def _alone(glance: Glance) -> tuple[str, ...] | None:
    """The same over a cell."""
    stated = glance.stated()
    if stated is None or stated:
        return stated and stated[:1]
    if not glance.evaluation.has_candidate:
        return ("other",)
    least, most = glance.accepted(1)
    return None if least is not most else ("open",) if most is DEPENDS else ("other",)


def _names(facts: Facts) -> tuple[object, ...]:
    """What the names that are given may stand for."""
    return tuple(fact.value for path, fact in facts.given.items() if path.endswith("name"))


def differing(one: Signature | None, other: Signature | None) -> Mapping[str, tuple[str, str]]:
    """Rule -> (state before, state after) of the advice that two decisions do not have in common."""
    before, after = ({(rule, topic, action): state for rule, topic, action, _, state in (s[1] if s else ())} for s in (one, other))
    return {key[0]: (before.get(key, ""), after.get(key, "")) for key in sorted({*before, *after}) if before.get(key) != after.get(key)}
