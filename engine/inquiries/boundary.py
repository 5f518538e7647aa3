"""Boundaries: where, along the range of one fact, a decision becomes another; exact to the fact's step, or a band where that is not settled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpurules.engine.decisions import change
from gpurules.engine.decisions.change import Signature
from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Facts
from gpurules.engine.inference.scalar import Procedure
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.axis import Axis, Cell, Value
from gpurules.engine.inquiries.branching import Budget, Stretch
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge.rule import Advise, Prefer, Require
from gpurules.engine.values.truth import DEPENDS, Truth

CHOICE = 20
"""What looking for machines counts in a budget, in evaluations."""


@dataclass(frozen=True)
class Decided:
    """What two decisions are compared by: the verdict and the standing advice; None where the facts contradict each other."""

    signature: Signature | None


class Everything:
    """All that a decision's signature hangs on, as a goal over the facts as they are stated."""

    candidate = None
    targets = ()

    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, ...]:
        return evaluation.first, evaluation.second


class Sweep:
    """The decisions of one trial along one axis. `machines` also looks for machines of the catalogue; without, of the verdict
    only what is decided without them is compared."""

    def __init__(self, trial: Trial, machines: bool = True) -> None:
        self.trial, self.machines = trial, machines
        rules = trial.rulebook.running
        self.targets = tuple(r.id for r in rules if any(isinstance(c, Advise | Require) for c in r.then))
        self.advising = tuple(r.id for r in rules if any(isinstance(c, Advise) for c in r.then))
        self.choosing = tuple(r.id for r in rules if any(isinstance(c, Require | Prefer) for c in r.then))

    @cached_property
    def cone(self) -> Cone:
        return Cone(self.trial.engine, self.targets)

    @cached_property
    def advance(self) -> Advance:
        return Advance(self.trial.engine)

    @cached_property
    def deciding(self) -> frozenset[str]:
        """The facts that the choice of machines hangs on."""
        return frozenset(Cone(self.trial.engine, self.choosing, machine=False).facts)

    def along(self, axis: Axis, budget: Budget) -> tuple[Stretch, ...]:
        """The stretches of an axis by their decision. A band has no label: there the budget ended, or nothing certifies the whole."""

        def label(cell: Cell) -> Decided | None:
            return self._decided(axis, cell, budget)

        return branching.stretches(axis, label, budget)

    def at(self, changes: Mapping[Axis, Value] | None = None) -> Decided:
        """The decision at one point."""
        facts = self.trial.changed(changes or {})
        evaluation = None if facts is None else self.trial.judged(facts, self.advance)
        return Decided(None) if evaluation is None else self._signature(evaluation)

    def _decided(self, axis: Axis, cell: Cell, budget: Budget) -> Decided | None:
        budget.spend()
        found = self.trial.loosely({axis: axis.value(cell)}, (), self.cone)
        evaluation = None if found is None else self.trial.judged(found[0], self.advance, found[1])
        if found is None or evaluation is None:
            return Decided(None)
        if cell[0] != cell[1] and (found[1] or goal.ranks(evaluation, self.cone) or not self._alike(evaluation, found[0], axis, cell, budget)):
            return None
        if not self._chooses(evaluation):
            return self._signature(evaluation)
        if cell[0] != cell[1] and axis.path in self.deciding and not self._one_choice(evaluation, axis):
            return None
        budget.spend(CHOICE)
        return self._signature(evaluation)

    def _alike(self, evaluation: Evaluation, facts: Facts, axis: Axis, cell: Cell, budget: Budget) -> bool:
        """Whether advice, and the verdict on the stated machine, are the same at every place of a cell."""
        if not goal.open_axes(Everything(), evaluation, self.cone, [axis.path]):
            return True
        if not goal.assumptions_settled(evaluation, self.cone) or not axis.narrow(axis.value(cell)):
            return False
        differ = [goal.open_rules(run, evaluation, self.cone, [axis.path]) for run in (evaluation.first, evaluation.second)]
        left = {key: (goal.EVERY, truth) for key, truth in self._truths(evaluation).items() if truth is DEPENDS and self._may_differ(key, differ, evaluation)}
        for advance, whole in self.corners:
            budget.spend()
            corner = self.trial.judged(facts, advance, whole=whole)
            if corner is None or not goal.assumptions_settled(corner, self.cone):
                continue
            same = goal.assumed(corner) == goal.assumed(evaluation)
            found = self._truths(corner)
            left = {key: (may - goal.excluded(found[key]) if same or not key[1] else may, t) for key, (may, t) in left.items() if key in found}
            left = {key: (may, t) for key, (may, t) in left.items() if may != {DEPENDS}}
            if not left:
                return True
        return not left

    @staticmethod
    def _may_differ(key: tuple[str, int], differ: Sequence[frozenset[str]], evaluation: Evaluation) -> bool:
        """Whether one of the rules behind a truth may differ over the cell."""
        rule, number = key
        rules = {rule, *evaluation.first.overriders(rule)} if rule else set(evaluation.requirements)
        return not rules.isdisjoint(differ[number])

    def _truths(self, evaluation: Evaluation) -> dict[tuple[str, int], Truth]:
        """The truth of each rule's advice, and of the stated machine's being accepted (""), without (0) and with assumptions (1)."""
        found: dict[tuple[str, int], Truth] = {}
        for number, run in enumerate((evaluation.first, evaluation.second)):
            found |= {(rule, number): run.stands(rule) for rule in self.advising if rule in run.truths}
            if evaluation.has_candidate:
                found["", number] = evaluation.accepted(run)
        return found

    @cached_property
    def corners(self) -> tuple[tuple[Advance, Mapping[str, Value]], ...]:
        return tuple((self.advance.another(), corner) for corner in self.trial.corners(self.cone))

    def _chooses(self, evaluation: Evaluation) -> bool:
        """Whether machines of the catalogue are looked for."""
        return self.machines and status(evaluation) not in ("not_sized", "keep", "provisional")

    def _signature(self, evaluation: Evaluation) -> Decided:
        if self.machines:
            return Decided(change.signature(evaluation))
        return Decided(((status(evaluation),), change.standing_advice(evaluation)))

    def _one_choice(self, evaluation: Evaluation, axis: Axis) -> bool:
        """Whether the rules about machines read nothing that differs over the cell, so that each place of it has one choice."""
        procedures, run = evaluation.program.procedures, evaluation.workloads[1]
        rules = [name for kind, name in evaluation.engine.candidate.steps if kind == "rule"]
        read = {leaf for rule in rules for leaf in _reads(procedures[rule])}
        return not any(name in read and wide(run.value(name)) for name in goal.varying(evaluation, self.cone, [axis.path]))


def _reads(procedure: Procedure) -> Iterator[str]:
    """The names that a rule's conditions, requirements and derivations read."""
    conditions = [c for c in (procedure.condition, *procedure.requires) if c is not None]
    yield from (leaf for c in conditions for atom in c.atoms() for leaf, _ in atom.reads)
    yield from (leaf for leaves in procedure.leaves.values() for leaf in leaves)


def status(evaluation: Evaluation) -> str:
    """The part of the status that is found without machines of the catalogue."""
    if not evaluation.sized:
        return "not_sized"
    if evaluation.has_candidate and evaluation.accepted(evaluation.first) is Truth.YES:
        return "keep"
    if evaluation.has_candidate and evaluation.accepted(evaluation.second) is Truth.YES:
        return "provisional"
    return "open" if evaluation.has_candidate and evaluation.accepted(evaluation.second) is DEPENDS else "other"


def differing(one: Signature | None, other: Signature | None) -> Mapping[str, tuple[str, str]]:
    """Rule -> (state before, state after) of the advice that two decisions do not have in common."""
    before, after = ({(rule, topic, action): state for rule, topic, action, _, state in (s[1] if s else ())} for s in (one, other))
    return {key[0]: (before.get(key, ""), after.get(key, "")) for key in sorted({*before, *after}) if before.get(key) != after.get(key)}
