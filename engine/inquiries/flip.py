"""The smallest change of facts that turns an answer round, found by branch and bound and proved by evaluating again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product

from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.axis import CHANGE, SETTLE, Axis, Value, axes
from gpurules.engine.inquiries.branching import Box, Budget
from gpurules.engine.inquiries.goal import Cell, Goal, MachineGoal
from gpurules.engine.inquiries.lookup import looks_up
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

MOST = 3
"""Facts that a flip changes at most."""
PART, MISSED = 8, 4
"""How many times fewer rules judge a part of a goal that is looked at first; cells at which no corner told anything, before facts are
looked for that decide alone."""
ALL, SOME = 9, 1
"""Corners of a cell that are looked at: of one that is small enough to end with, and of others."""
WITNESSES = 3
"""Facts that are tried, of those that decide alone."""
NAMING = ("gpu.name", "gpu.count")
"""Facts by which somebody states a machine."""
EVALUATIONS, LEAST, TOGETHER, EFFORT = 1_500, 300, 40, 50_000
"""Evaluations that one search makes unless it is told otherwise: fewer of large cones, so many that they judge EFFORT rules, but
LEAST; TOGETHER where each has to look for machines."""


@dataclass(frozen=True, slots=True)
class Move:
    """One fact of a flip: what it is now, what it would be, and that as text for a facts file."""

    axis: Axis
    value: Value
    text: str


@dataclass(frozen=True, slots=True)
class Flip:
    """The facts that change, by name, how far the farthest moves, the answer then, and the evaluation that proves it."""

    moves: tuple[Move, ...]
    distance: float
    state: str
    proof: Evaluation = field(repr=False)


@dataclass(frozen=True, slots=True)
class Search:
    """What a search came to. Without a flip: `exhausted` where none exists over these facts, up to three at a time; else the
    budget ended while looking at sets of `size` facts."""

    flip: Flip | None
    exhausted: bool
    size: int
    evaluations: int
    facts: tuple[str, ...]


class Searcher:
    """Searches for flips of one goal. `fixed` are facts that may not be changed, `movable` some that may, whatever the vocabulary
    says; settling what is open is always allowed."""

    def __init__(self, trial: Trial, wanted_goal: Goal, wanted: bool, fixed: Iterable[str] = (), movable: Iterable[str] = (), most: int = 0) -> None:
        self.trial, self.goal, self.wanted = trial, wanted_goal, wanted
        self.cone = Cone(trial.engine, wanted_goal.targets, wanted_goal.candidate is None)
        self.most = most or (TOGETHER if self.cone.aggregates else 0) or max(LEAST, min(EVALUATIONS, EFFORT // max(1, len(self.cone.rules))))
        self.budget, self.missed = Budget(self.most), 0
        self.axes = tuple(self._axes(frozenset(fixed), frozenset(movable)))

    def _axes(self, fixed: frozenset[str], movable: frozenset[str]) -> Iterator[Axis]:
        base, vocabulary, lookups = self.trial.base, self.trial.rulebook.vocabulary.facts, self.trial.lookups
        asked = {*self.cone.facts, *(NAMING if self._names_machine else ())}
        behind = lookups.behind(asked)
        for path in (p for p in vocabulary if p in asked or p in behind):
            definition = vocabulary[path]
            applies = base.program.applies.get(path)
            pinned = applies is not None and Truth(applies.truth(base.first.values)) is NO
            moves = (definition.movable or path in movable) and path not in fixed
            if path in behind and path in lookups.filled:
                members = lookups.differing(path, definition.members, {*asked, *behind})
                definition = replace(definition, members={m: definition.members[m] for m in members})
            for axis in axes(definition, _given(base, path), moves, looks_up(path, self.trial.rulebook)):
                if not (pinned and axis.kind == SETTLE) and path not in base.first.pins:
                    yield axis

    @property
    def _names_machine(self) -> bool:
        """Whether the goal is about the stated machine where none is stated, so that naming one may decide it."""
        judged = any(self.trial.rulebook.rules[rule].for_each for rule in self.goal.targets)
        return self.goal.candidate is None and judged and not self.trial.base.has_candidate

    def settle(self) -> Search:
        """The fewest open facts that, once known, bring the answer about."""
        return self._search([a for a in self.axes if a.kind == SETTLE])

    def change(self) -> Search:
        """The smallest change of known facts that does, whatever is open stays open."""
        return self._search([a for a in self.axes if a.kind == CHANGE])

    def both(self) -> Search:
        """The smallest set of facts that does, some settled and some changed."""
        return self._search(list(self.axes))

    def _search(self, axes_: Sequence[Axis]) -> Search:
        budget = self.budget = Budget(self.most)
        size, paths = 0, tuple(dict.fromkeys(a.path for a in axes_))
        for size in range(1, min(MOST, len(paths)) + 1):
            boxes = list(self._boxes(axes_, size, budget))
            found = None if budget.reached else branching.nearest(boxes, self.decide, budget)
            flip = self._proved(found) if found is not None else None
            if flip is not None:
                return Search(flip, True, size, budget.spent, paths)
            if budget.reached:
                return Search(None, False, size, budget.spent, paths)
        return Search(None, True, size, budget.spent, paths)

    # ------------------------------------------------------------ boxes

    def decide(self, box: Box) -> tuple[Truth, frozenset[str]]:
        """Whether the goal is reached everywhere or nowhere in a box, and the facts that keep it open; of a point, whether it is."""
        return self._judge({axis: axis.value(cell) for axis, cell in box.items()}, branching.is_point(box))

    def cell(self, values: Mapping[Axis, Value], point: bool = False, wanted: bool | None = None) -> Cell:
        """What the goal comes to over a cell of facts; over a point of them, where that is one. `wanted` as for `goal.over`."""
        if point:
            self.budget.spend()
            facts = self.trial.changed(values)
            evaluation = None if facts is None else self.trial.judged(facts, self.advance)
            return Cell(frozenset([goal.IMPOSSIBLE if evaluation is None else goal.state(self.goal, evaluation)]), frozenset())
        return self._over(values, (), ALL if all(axis.narrow(value) for axis, value in values.items()) else SOME, wanted)

    def _over(self, values: Mapping[Axis, Value], free: Collection[Axis], corners: int, wanted: bool | None = None) -> Cell:
        """What it comes to over a cell, with the facts of `free` left as they are or at any of their places. So many corners are looked at."""
        if wanted is not None:
            for part in self.parts:
                cell = part._over(values, free, corners, wanted)
                if self._answer(cell) is NO:
                    return cell
        found = self.trial.loosely(values, free, self.cone)
        if found is None:
            return Cell(frozenset([goal.IMPOSSIBLE]), frozenset())

        facts, maybe = found

        def judged(advance: Advance, whole: Mapping[str, Value] | None = None) -> Evaluation | None:
            self.budget.spend()
            return self.trial.judged(facts, advance, maybe, whole)

        def cornered() -> Iterator[Evaluation | None]:
            """The corners, that first which told most the last time, then facts that decide alone."""
            for corner in self.corners[:corners]:
                self.corners.remove(corner)
                self.corners.insert(0, corner)
                yield judged(*corner)
            self.missed += 1
            others = [(path, value) for path, value in self.deciding.items() if path not in varied] if corners and self.missed > MISSED else []
            for path, value in others[: min(corners, WITNESSES)]:
                del self.deciding[path]
                self.deciding = {path: value, **self.deciding}
                yield judged(self.advance, {path: value})

        varied = [axis.path for axis in (*values, *free)]
        return goal.over(self.goal, judged(self.advance), self.cone, varied, cornered, wanted)

    def _judge(self, values: Mapping[Axis, Value], point: bool) -> tuple[Truth, frozenset[str]]:
        cell = self.cell(values, point, self.wanted)
        return self._answer(cell), cell.open

    def _answer(self, cell: Cell) -> Truth:
        answers = [goal.answers(state, self.wanted) for state in cell.states]
        return YES if all(answers) else DEPENDS if any(answers) else NO

    @cached_property
    def parts(self) -> tuple[Searcher, ...]:
        """Of a machine that is to meet all requirements, those which it does not, if they are judged by much fewer rules: where one of
        these cannot be met, the others need not be looked at."""
        if not isinstance(self.goal, MachineGoal) or not self.wanted or len(self.goal.targets) == 1:
            return ()
        each = [MachineGoal((rule,), self.goal.candidate) for rule in self.goal.targets]
        found = [Searcher(self.trial, one, True, (), (), self.most) for one in each if not goal.reached(one, True, self.trial.base)]
        small = [part for part in found if PART * len(part.cone.rules) < len(self.cone.rules)]
        return tuple(sorted(small, key=lambda part: (len(part.cone.rules), part.goal.targets)))

    @cached_property
    def advance(self) -> Advance:
        return Advance(self.cone, self.goal.candidate)

    @cached_property
    def corners(self) -> list[tuple[Advance, Mapping[str, Value]]]:
        return [(self.advance.another(), corner) for corner in self.trial.corners(self.cone)]

    @cached_property
    def deciding(self) -> dict[str, Value]:
        """Facts that nobody stated, one value of which alone decides against the goal, whatever else is open: that value."""
        found: dict[str, Value] = {}
        vocabulary, facts = self.trial.rulebook.vocabulary.facts, self.trial.base.facts
        against = NO if self.wanted else YES
        for path in (p for p in self.cone.facts if p not in facts.known):
            for value in _ends(vocabulary[path]):
                evaluation = self.trial.judged(facts, self.advance, whole={path: value})
                if evaluation is not None and self.goal.truths(evaluation) == (against, against):
                    found[path] = value
                    break
        return found

    def _boxes(self, axes_: Sequence[Axis], size: int, budget: Budget) -> Iterator[Box]:
        """Boxes of `size` facts in which the goal may be reached; sets of facts that surely do not reach it are left out together."""
        if size == 1:  # most of those that have a part in the answer at all, have it in many ways
            reaching = self._over({}, axes_, 0)
            if self._answer(reaching) is not NO:
                for axis in (a for a in axes_ if a.path in reaching.open):
                    if self._answer(self._over({}, (axis,), ALL, self.wanted)) is not NO:
                        yield from ({axis: cell} for cell in axis.cells)
            return
        pending: list[tuple[tuple[tuple[Axis, ...], int], ...]] = [((tuple(axes_), size),)]
        while pending:
            groups = pending.pop()
            if budget.reached or any(len({a.path for a in members}) < count for members, count in groups):
                continue
            free = [axis for members, _ in groups for axis in members]
            if self._answer(self._over({}, free, ALL, self.wanted)) is NO:
                continue
            largest = max((g for g in groups if len(g[0]) > g[1]), key=lambda g: len(g[0]), default=None)
            if largest is None:
                if len({a.path for a in free}) == len(free):
                    yield from (dict(zip(free, cells, strict=True)) for cells in product(*(a.cells for a in free)))
                continue
            rest = [g for g in groups if g is not largest]
            members, count = largest
            half = len(members) // 2
            for first in range(count + 1):
                parts = (*rest, (members[:half], first), (members[half:], count - first))
                pending.append(tuple(g for g in parts if g[1]))

    # ------------------------------------------------------------ proof

    def _proved(self, box: Box) -> Flip | None:
        """The flip of a point, with its facts written as text, read and evaluated by the whole engine; None where that fails."""
        texts = {axis: axis.text(axis.value(cell)) for axis, cell in box.items()}
        facts = self.trial.read_again(texts)
        if facts is None:
            return None
        proof = self.trial.engine.evaluate(facts, self.trial.date, self.trial.file)
        if not goal.reached(self.goal, self.wanted, proof):
            return None
        moves = tuple(Move(axis, axis.value(cell), texts[axis]) for axis, cell in sorted(box.items(), key=lambda item: item[0].path))
        return Flip(moves, branching.cost(box), goal.state(self.goal, proof), proof)


def _ends(definition: Definition) -> Iterator[Value]:
    """The members of a fact, or the ends of its range."""
    if definition.number:
        yield from (Interval(end, end) for end in definition.range)
    elif definition.type not in ("card", "model"):
        yield from (frozenset([member]) for member in definition.members)


def _given(evaluation: Evaluation, path: str) -> Value:
    """What is known of a fact, before anything is assumed."""
    value = evaluation.first.value(path)
    assert isinstance(value, Interval | frozenset)
    return value
