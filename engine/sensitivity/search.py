"""Sensitivity: how far each figure of the rulebook that a decision used can move before the verdict is another.

A figure is given all values of a stretch at once; where the verdict is then one, it is so all along the stretch. Else the stretch is
halved, the nearer half first, down to one step. The first place with another verdict, and the last before it, are proved by
evaluating with a rulebook that holds that figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gpurules.engine.decisions import change, conflict
from gpurules.engine.decisions.conflict import Meeting
from gpurules.engine.glances.glance import Verdict
from gpurules.engine.inquiries.axis import Cell
from gpurules.engine.inquiries.branching import Budget
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.sensitivity.lever import Lever, levers
from gpurules.engine.sensitivity.mover import Mover
from gpurules.engine.sensitivity.outlook import CONFLICTING, IMPOSSIBLE, Outlook

EVALUATIONS = 2_000
ONE_WAY, LEAST = 250, 30
"""Evaluations that the search makes in one direction of one figure: at most, and where many figures share what is left at least."""
BUNCH = 8
"""Figures that are looked at together first."""
CHANGE, CONSTANT, LIMIT, OPEN = "change", "constant", "limit", "open"


@dataclass(frozen=True, slots=True)
class Side:
    """One way to move a figure. `change`: at `place` the verdict is `verdict`, one step before it is as now. `constant`: it stays
    as now up to `place`, the end of what is plausible. `limit`: it does up to `place`, and one step on there is no decision, for a
    reason that `verdict` tells. `open`: it does up to `place`, and beyond that was not settled."""

    kind: str
    place: int
    verdict: Verdict = ()


@dataclass(frozen=True, slots=True)
class Swing:
    """What moving one figure down and up comes to."""

    lever: Lever
    down: Side
    up: Side

    @property
    def nearest(self) -> float:
        """The distance of the nearer change; infinite where there is none."""
        return min((self.lever.distance(s.place) for s in (self.down, self.up) if s.kind == CHANGE), default=float("inf"))

    @property
    def unsettled(self) -> bool:
        """Whether the budget ended before anything was found of it."""
        return self.down.kind == self.up.kind == OPEN and self.down.place == self.up.place == 0

    @property
    def constant(self) -> bool:
        """Whether the verdict is one wherever the figure may plausibly be."""
        return {self.down.kind, self.up.kind} <= {CONSTANT, LIMIT}


@dataclass(frozen=True, slots=True)
class Turned:
    """A conflict that was met, and the verdict with its other side; None where no side supersedes the other."""

    meeting: Meeting
    verdict: Verdict | None
    advice_changes: bool


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """All figures that the verdict rests on: those the decision used, nearest first; and how many others it made no use of."""

    now: Verdict
    swings: tuple[Swing, ...]
    unused: int
    fixed: tuple[Lever, ...]
    """Figures that are 0, which no factor moves."""
    conflicts: tuple[Turned, ...]
    evaluations: int
    budget_reached: bool


class Searcher:
    """Searches along the figures of one trial."""

    def __init__(self, trial: Trial, budget: int = EVALUATIONS) -> None:
        self.trial, self.outlook, self.budget = trial, Outlook(trial), Budget(budget)
        self.levers = tuple(levers(trial.rulebook, sorted(self.outlook.verdict_rules), self.outlook.date))

    def answer(self, tick: Callable[[], None] = lambda: None) -> Sensitivity:
        """Every figure; `tick` is called after each."""
        swings: list[Swing] = []
        fixed: list[Lever] = []
        pending: list[Lever] = []
        unused = 0
        for bunch in self._bunches():
            for lever, found in self._looked(bunch):
                if lever.ends == (0, 0):
                    fixed.append(lever)
                elif found == CHANGE:
                    pending.append(lever)
                    continue
                elif found == CONSTANT and self.outlook.used(self.outlook.mover(lever)):
                    swings.append(_constant(lever))
                else:
                    unused += 1
                tick()
        pending.sort(key=lambda lever: bool(self.outlook.mover(lever).cut))  # those that cut rules apart take longest and say least
        for number, lever in enumerate(pending):
            share = self.budget.left // (2 * (len(pending) - number)) if self.outlook.mover(lever).cut else ONE_WAY
            swings.append(self.swing(lever, max(LEAST, share)))
            tick()
        swings.sort(key=lambda s: (s.nearest, s.constant, s.lever.key))
        spent = self.budget
        return Sensitivity(self.outlook.now, tuple(swings), unused, tuple(fixed), self.conflicts(), spent.most - spent.left, spent.reached)

    def _bunches(self) -> Iterator[list[Lever]]:
        """The figures in bunches of neighbours; one that cuts rules apart stands alone."""
        bunch: list[Lever] = []
        for lever in self.levers:
            alone = lever.ends == (0, 0) or bool(self.outlook.mover(lever).cut)
            if alone or len(bunch) == BUNCH:
                yield from ([bunch] if bunch else [])
                bunch = []
            if alone:
                yield [lever]
            else:
                bunch.append(lever)
        yield from ([bunch] if bunch else [])

    def _looked(self, bunch: Sequence[Lever]) -> Iterator[tuple[Lever, str]]:
        """Whether the verdict is one wherever a figure of a bunch may be (`constant`), or has to be searched for (`change`); "" where
        the decision makes no use of it. While all of them may be anywhere at once and the verdict is still one, it is so whichever moves."""
        moving = []
        for lever in bunch:
            if lever.ends == (0, 0) or self.outlook.idle(self.outlook.mover(lever)):
                yield lever, ""
            else:
                moving.append(lever)
        pending = [moving] if moving else []
        while pending:
            part = pending.pop()
            self.budget.spend()
            if not self.budget.reached and self.outlook.over(self.outlook.mover(*part), part[0].ends) == self.outlook.now:
                yield from ((lever, CONSTANT) for lever in part)
            elif len(part) == 1:
                yield part[0], CHANGE
            else:
                half = len(part) // 2
                pending += [part[half:], part[:half]]

    def swing(self, lever: Lever, most: int = ONE_WAY) -> Swing:
        """What moving one figure comes to, after at most so many evaluations in each direction."""
        mover = self.outlook.mover(lever)
        return Swing(lever, self._side(mover, -1, -lever.ends[0], most), self._side(mover, 1, lever.ends[1], most))

    def _side(self, mover: Mover, way: int, last: int, most: int) -> Side:
        now, left = self.outlook.now, Budget(min(ONE_WAY, most, max(self.budget.left, 0)))
        pending = [(1, last)] if last else []
        while pending:
            near, far = pending.pop()
            if left.reached:
                self.budget.spend(left.spent)
                return Side(OPEN, way * (near - 1))
            if mover.orders(_cell(way, near - 1, far)) is not None:
                left.spend()
                if self.outlook.over(mover, _cell(way, near - 1, far)) == now:
                    continue
            if near < far:
                middle = (near + far) // 2
                pending += [(middle + 1, far), (near, middle)]
                continue
            left.spend()
            found = self.outlook.over(mover, _cell(way, near, near))
            if found != now:
                self.budget.spend(left.spent + 2)
                return self._proved(mover, way, near)
        self.budget.spend(left.spent)
        return Side(CONSTANT, way * last)

    def _proved(self, mover: Mover, way: int, place: int) -> Side:
        """The change at a place, as the whole engine sees it with such a rulebook, and the verdict as it is one step before."""
        found, before = (self.outlook.exactly(mover, way * p) for p in (place, place - 1))
        if found == self.outlook.now or before != self.outlook.now:
            return Side(OPEN, way * max(0, place - 2))
        if found in (IMPOSSIBLE, CONFLICTING):
            return Side(LIMIT, way * (place - 1), found)
        return Side(CHANGE, way * place, found)

    def conflicts(self) -> tuple[Turned, ...]:
        """Every conflict met, one at a time, settled the other way."""
        return tuple(self._turned(meeting) for meeting in conflict.met(self.outlook.base))

    def _turned(self, meeting: Meeting) -> Turned:
        other = conflict.settled_otherwise(self.outlook.base, meeting)
        if other is None:
            return Turned(meeting, None, False)
        return Turned(meeting, change.verdict(other), change.standing_advice(other) != change.standing_advice(self.outlook.base))


def _cell(way: int, near: int, far: int) -> Cell:
    """The cell from a near place to a far one, in one direction."""
    return (near, far) if way > 0 else (-far, -near)


def _constant(lever: Lever) -> Swing:
    return Swing(lever, Side(CONSTANT, lever.ends[0]), Side(CONSTANT, lever.ends[1]))


def changing(swings: Iterable[Swing]) -> tuple[Swing, ...]:
    """Those that change the verdict somewhere."""
    return tuple(s for s in swings if CHANGE in (s.down.kind, s.up.kind))
