"""Sight: what one goal comes to over cells of facts, told by as few evaluations as will do."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property

from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries import goal
from gpurules.engine.inquiries.axis import Axis, Value
from gpurules.engine.inquiries.branching import Budget
from gpurules.engine.inquiries.goal import Cell, Goal, MachineGoal
from gpurules.engine.inquiries.reach import Reach
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

PART, MISSED = 8, 4
"""How many times fewer rules judge a part of a goal that is looked at first; cells at which no corner told anything, before facts are
looked for that decide alone."""
ALL, SOME = 9, 1
"""Corners of a cell that are looked at: of one that is small enough to end with, and of others."""
WITNESSES = 3
"""Facts that are tried, of those that decide alone."""
NAMING = ("gpu.name", "gpu.count")
"""Facts by which somebody states a machine."""
Corner = tuple[Advance, Mapping[str, Value]]
"""What goes on from where facts that nobody stated stand at one of their values, and these values."""


class Sight:
    """Looks at cells for one goal, which is to stand where it is `wanted`, else not at all. What was looked at is kept, and counts in the
    `budget` each time as it did first, so that nothing hangs on what was asked before."""

    def __init__(self, trial: Trial, asked: Goal, wanted: bool) -> None:
        self.trial, self.goal, self.wanted = trial, asked, wanted
        self.cone = Cone(trial.engine, asked.targets, asked.candidate is None)
        self.budget, self.missed = Budget(0), 0
        self._found: dict[Hashable, tuple[Cell, int]] = {}

    @cached_property
    def asked(self) -> frozenset[str]:
        """The facts that the rules of the goal read; of a machine that nobody stated, those by which it is, too."""
        judged = any(self.trial.rulebook.rules[rule].for_each for rule in self.goal.targets)
        named = self.goal.candidate is None and judged and not self.trial.base.has_candidate
        return frozenset((*self.cone.facts, *(NAMING if named else ())))

    @cached_property
    def read(self) -> frozenset[str]:
        """The same, and those by which they are looked up: no other has a part in the answer."""
        return self.asked | self.trial.lookups.behind(self.asked)

    # ------------------------------------------------------------ looking

    def answer(self, cell: Cell) -> Truth:
        """Whether what is sought comes about everywhere in a cell, or nowhere."""
        answers = [goal.answers(state, self.wanted) for state in cell.states]
        return YES if all(answers) else DEPENDS if any(answers) else NO

    def at(self, values: Mapping[Axis, Value]) -> Cell:
        """What the goal comes to where facts have other values: at one place, exactly."""
        self.budget.spend()
        facts = self.trial.changed(values)
        evaluation = None if facts is None else self.trial.judged(facts, self.advance)
        return Cell(frozenset([goal.IMPOSSIBLE if evaluation is None else goal.state(self.goal, evaluation)]), frozenset())

    def over(self, values: Mapping[Axis, Value], free: Collection[Axis], corners: int, wanted: bool | None = None) -> Cell:
        """What it comes to over a cell, with the facts of `free` left as they are or at any of their places. So many corners are looked
        at. `wanted` as for `goal.over`."""
        values = {axis: value for axis, value in values.items() if axis.path in self.read}
        free = [axis for axis in free if axis.path in self.read]
        key = frozenset((a.path, a.kind, v) for a, v in values.items()), frozenset((a.path, a.kind) for a in free), corners, wanted
        if key not in self._found:
            left = self.budget.left
            self._found[key] = self._over(values, free, corners, wanted), left - self.budget.left
        else:
            self.budget.spend(self._found[key][1])
        return self._found[key][0]

    def _over(self, values: Mapping[Axis, Value], free: Collection[Axis], corners: int, wanted: bool | None) -> Cell:
        if wanted is not None:
            for part in self.parts:
                cell = part.over(values, free, corners, wanted)
                if self.answer(cell) is NO:
                    return cell
        found = self.trial.loosely(values, free, self.cone)
        if found is None:
            return Cell(frozenset([goal.IMPOSSIBLE]), frozenset())
        facts, maybe = found
        self.budget.spend()
        evaluation = self.trial.judged(facts, self.advance, maybe)
        varied = [axis.path for axis in (*values, *free)]
        unknown = [path for path in self.cone.facts if path not in facts.given]

        def cornered(evaluation: Evaluation, telling: frozenset[str]) -> Iterator[tuple[Truth, Truth]]:
            """Where the facts that can make a difference stand as in the cell, or as at another corner, nothing new comes out; it counts all the same."""
            seen: set[frozenset[tuple[str, Value]]] = {frozenset()}
            for advance, whole in self._corners_of(varied, corners):
                self.budget.spend()
                standing = frozenset((path, value) for path, value in whole.items() if path in telling)
                if standing not in seen:
                    seen.add(standing)
                    yield from self._corner(evaluation, advance, whole, wanted)

        return goal.over(self.goal, evaluation, self.reach, varied, unknown, cornered, wanted)

    def _corners_of(self, varied: Collection[str], corners: int) -> Iterator[Corner]:
        """The corners, that first which told most the last time, then facts that decide alone."""
        for corner in self.corners[:corners]:
            self.corners.remove(corner)
            self.corners.insert(0, corner)
            yield corner
        self.missed += 1
        others = [(path, value) for path, value in self.deciding.items() if path not in varied] if corners and self.missed > MISSED else []
        for path, value in others[: min(corners, WITNESSES)]:
            del self.deciding[path]
            self.deciding = {path: value, **self.deciding}
            yield self.advance, {path: value}

    def _corner(self, evaluation: Evaluation, advance: Advance, whole: Mapping[str, Value], wanted: bool | None) -> Iterator[tuple[Truth, Truth]]:
        """The truths at a corner of a cell; what is sought stands by the second alone. A corner at which there is no decision, or no such
        machine, says nothing."""
        if not wanted or self.cone.aggregates:
            found = self.trial.judged(evaluation.facts, advance, evaluation.first.maybe, whole)
            if found is not None and self.goal.runs(found, self.cone) is not None:
                yield self.goal.truths(found)
            return
        with suppress(GpurulesError):
            yield DEPENDS, self.goal.truth(advance.assuming(evaluation, whole))

    # ------------------------------------------------------------ what it is looked at by

    @cached_property
    def parts(self) -> tuple[Sight, ...]:
        """Of a machine that is to meet all requirements, those which it does not, if they are judged by much fewer rules: where one of
        these cannot be met, the others need not be looked at."""
        if not isinstance(self.goal, MachineGoal) or not self.wanted or len(self.goal.targets) == 1:
            return ()
        base = self.trial.base
        runs = self.goal.runs(base, self.trial.engine) if base.has_candidate or self.goal.candidate is not None else None
        each = [MachineGoal((rule,), self.goal.candidate) for rule in self.goal.targets]
        found = [Sight(self.trial, one, True) for one in each if runs is None or one.truth(runs[1]) is not YES]
        small = [part for part in found if PART * len(part.cone.rules) < len(self.cone.rules)]
        return tuple(sorted(small, key=lambda part: (len(part.cone.rules), part.goal.targets)))

    @cached_property
    def reach(self) -> Reach:
        return Reach(self.cone, self.goal.candidate is None)

    @cached_property
    def advance(self) -> Advance:
        """Goes on from the facts as they are, from which most cells differ in a few."""
        made = Advance(self.cone, self.goal.candidate)
        self.trial.judged(self.trial.facts, made)
        return made

    @cached_property
    def corners(self) -> list[Corner]:
        """What nobody stated at one of its ends."""
        found = [(self.advance.another(), corner) for corner in self.trial.corners(self.cone)]
        for advance, corner in found:
            self.trial.judged(self.trial.facts, advance, whole=corner)
        return found

    @cached_property
    def deciding(self) -> dict[str, Value]:
        """Facts that nobody stated, one value of which alone decides against the goal, whatever else is open: that value."""
        found: dict[str, Value] = {}
        vocabulary, facts = self.trial.rulebook.vocabulary.facts, self.trial.base.facts
        against = (NO, NO) if self.wanted else (YES, YES)
        unknown = [path for path in self.cone.facts if path not in facts.known]
        plain = self.trial.judged(facts, self.advance)
        telling = frozenset(unknown) if plain is None else frozenset().union(*goal.felt(self.goal, plain, self.reach, (), unknown))
        for path in unknown:
            for value in _ends(vocabulary[path]):
                evaluation = self.trial.judged(facts, self.advance, whole={path: value}) if path in telling else plain
                if evaluation is not None and self.goal.truths(evaluation) == against:
                    found[path] = value
                    break
        return found


def _ends(definition: Definition) -> Iterator[Value]:
    """The members of a fact, or the ends of its range."""
    if definition.number:
        yield from (Interval(end, end) for end in definition.range)
    elif definition.type not in ("card", "model"):
        yield from (frozenset([member]) for member in definition.members)
