"""The smallest change of facts that turns an answer round, found by branch and bound and proved by evaluating again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, product

from gpurules.engine.inference import candidates
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.axis import CHANGE, SETTLE, Axis, Value, axes
from gpurules.engine.inquiries.branching import Box, Budget
from gpurules.engine.inquiries.goal import Cell, Goal
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

MOST = 3
"""Facts that a flip changes at most."""
NAMING = ("gpu.name", "gpu.count")
"""Facts by which somebody states a machine."""
_ELSE = "…"
"""A member that no enumeration has."""
EVALUATIONS, LEAST, TOGETHER, EFFORT = 1_500, 400, 40, 50_000
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
        self.budget = Budget(self.most)
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
            for axis in axes(definition, _given(base, path), moves, self.trial.reads(path)):
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

    def cell(self, values: Mapping[Axis, Value], point: bool = False) -> Cell:
        """What the goal comes to over a cell of facts; over a point of them, where that is one."""
        evaluation = self._evaluate(values, self.cone)
        if point and evaluation is not None:
            return Cell(frozenset([goal.state(self.goal, evaluation)]), frozenset())
        corners = self.corners if all(axis.narrow(value) for axis, value in values.items()) else ()
        return goal.over(self.goal, evaluation, self.cone, (a.path for a in values), lambda: (self._evaluate(values, c) for c in corners))

    def _judge(self, values: Mapping[Axis, Value], point: bool) -> tuple[Truth, frozenset[str]]:
        cell = self.cell(values, point)
        answers = [goal.answers(state, self.wanted) for state in cell.states]
        return (YES if all(answers) else DEPENDS if any(answers) else NO), cell.open

    def _evaluate(self, values: Mapping[Axis, Value], cone: Cone) -> Evaluation | None:
        self.budget.spend()
        return self.trial.evaluate(values, cone)

    @cached_property
    def corners(self) -> tuple[Cone, ...]:
        return self.trial.corners(self.cone)

    def _boxes(self, axes_: Sequence[Axis], size: int, budget: Budget) -> Iterator[Box]:
        """Boxes of `size` facts in which the goal may be reached; sets of facts that surely do not reach it are left out together."""
        joint = [a for a in axes_ if not a.apart and self._may_be_whole(a)]
        single = [a for a in axes_ if a not in joint]
        for count in range(min(size, len(single)) + 1):
            for chosen in combinations(single, count):
                if len({a.path for a in chosen}) < count:
                    continue
                for cells in product(*(a.cells for a in chosen)):
                    base = dict(zip(chosen, cells, strict=True))
                    free = [a for a in joint if a.path not in {b.path for b in chosen}]
                    yield from self._spread(base, [(tuple(free), size - count)], budget)

    def _may_be_whole(self, axis: Axis) -> bool:
        """Whether one value stands for all places of a fact and for its being left as it is, so that sets of facts can be judged
        with all of them open. A fact that is not known yet is more than open, once it is stated, where rules need or assume it."""
        if axis.path in self.trial.base.facts.known:
            return axis.path not in self.cone.needed or axis.definition.number or axis.path not in candidates.PLAN_FACTS
        return axis.path not in self.cone.needed and not any(axis.path in facts for facts in self.cone.assuming.values())

    def _wider(self, axis: Axis) -> Value:
        """A value that holds every place. Where rules need the fact it is a little wider than whole, since those that need it keep
        silent where it is whole."""
        whole = axis.definition.whole
        if axis.path not in self.cone.needed:
            return whole
        return Interval(whole.low - 1, whole.high + 1) if isinstance(whole, Interval) else whole | {_ELSE}

    def _spread(self, base: Box, groups: list[tuple[tuple[Axis, ...], int]], budget: Budget) -> Iterator[Box]:
        """Boxes with `count` facts of each group beside those of `base`. A group is judged with all its facts open, then halved."""
        groups = [(axes_, count) for axes_, count in groups if count]
        if any(len({a.path for a in axes_}) < count for axes_, count in groups):
            return
        if not groups and not base:
            return
        chosen = {axis: axis.cells for axes_, count in groups for axis in axes_ if len(axes_) == count}
        largest = max((g for g in groups if len(g[0]) > g[1]), key=lambda g: len(g[0]), default=None)
        if largest is None:
            if len({a.path for a in (*base, *chosen)}) == len(base) + len(chosen):
                for cells in product(*chosen.values()):
                    yield {**base, **dict(zip(chosen, cells, strict=True))}
            return
        if budget.reached or self._open(base, [a for axes_, _ in groups for a in axes_]) is NO:
            return
        rest = [g for g in groups if g is not largest]
        members, count = largest
        half = len(members) // 2
        for first in range(count + 1):
            yield from self._spread(base, [*rest, (members[:half], first), (members[half:], count - first)], budget)

    def _open(self, base: Box, free: Iterable[Axis]) -> Truth:
        """Whether the goal can be reached with some facts at any of their places, whichever."""
        values = {axis: axis.value(cell) for axis, cell in base.items()}
        for axis in free:
            values = {a: v for a, v in values.items() if a.path != axis.path or a in base}
            values[axis] = self._wider(axis)
        return self._judge(values, False)[0]

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
