"""The smallest change of facts that turns an answer round, found by branch and bound and proved by evaluating again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.axis import CHANGE, SETTLE, Axis, Value, axes
from gpurules.engine.inquiries.branching import Box, Budget
from gpurules.engine.inquiries.goal import Cell, Goal
from gpurules.engine.inquiries.lookup import looks_up
from gpurules.engine.inquiries.sight import ALL, SOME, Sight
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import NO, Truth

MOST = 3
"""Facts that a flip changes at most."""
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
        self.sight = Sight(trial, wanted_goal, wanted)
        self.cone = self.sight.cone
        self.most = most or (TOGETHER if self.cone.aggregates else 0) or max(LEAST, min(EVALUATIONS, EFFORT // max(1, len(self.cone.rules))))
        self.axes = tuple(self._axes(frozenset(fixed), frozenset(movable)))

    def _axes(self, fixed: frozenset[str], movable: frozenset[str]) -> Iterator[Axis]:
        base, vocabulary, lookups = self.trial.base, self.trial.rulebook.vocabulary.facts, self.trial.lookups
        behind, read = lookups.behind(self.sight.asked), self.sight.read
        for path in (p for p in vocabulary if p in read):
            definition = vocabulary[path]
            applies = base.program.applies.get(path)
            pinned = applies is not None and Truth(applies.truth(base.first.values)) is NO
            moves = (definition.movable or path in movable) and path not in fixed
            if path in behind and path in lookups.filled:
                members = lookups.differing(path, definition.members, read)
                definition = replace(definition, members={m: definition.members[m] for m in members})
            for axis in axes(definition, _given(base, path), moves, looks_up(path, self.trial.rulebook)):
                if not (pinned and axis.kind == SETTLE) and path not in base.first.pins:
                    yield axis

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
        budget = self.sight.budget = Budget(self.most)
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
        cell = self.cell({axis: axis.value(cell) for axis, cell in box.items()}, branching.is_point(box), self.wanted)
        return self.sight.answer(cell), cell.open

    def cell(self, values: Mapping[Axis, Value], point: bool = False, wanted: bool | None = None) -> Cell:
        """What the goal comes to over a cell of facts; over a point of them, where that is one. `wanted` as for `goal.over`."""
        if point:
            return self.sight.at(values)
        return self.sight.over(values, (), ALL if all(axis.narrow(value) for axis, value in values.items()) else SOME, wanted)

    def _boxes(self, axes_: Sequence[Axis], size: int, budget: Budget) -> Iterator[Box]:
        """Boxes of `size` facts in which the goal may be reached; sets of facts that surely do not reach it are left out together."""
        if size == 1:  # most of those that have a part in the answer at all, have it in many ways
            reaching = self.sight.over({}, axes_, 0)
            if self.sight.answer(reaching) is not NO:
                for axis in (a for a in axes_ if a.path in reaching.open):
                    if self.sight.answer(self.sight.over({}, (axis,), ALL, self.wanted)) is not NO:
                        yield from ({axis: cell} for cell in axis.cells)
            return
        pending: list[tuple[tuple[tuple[Axis, ...], int], ...]] = [((tuple(axes_), size),)]
        while pending:
            groups = pending.pop()
            if budget.reached or any(len({a.path for a in members}) < count for members, count in groups):
                continue
            free = [axis for members, _ in groups for axis in members]
            if self.sight.answer(self.sight.over({}, free, ALL, self.wanted)) is NO:
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


def _given(evaluation: Evaluation, path: str) -> Value:
    """What is known of a fact, before anything is assumed."""
    value = evaluation.first.value(path)
    assert isinstance(value, Interval | frozenset)
    return value
