"""Planes: the decisions over two ranges at once, as rectangles each of which has one, by interval branch and bound."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from gpurules.engine.inquiries.axis import Axis, Cell
from gpurules.engine.inquiries.boundary import Decided, Sweep
from gpurules.engine.inquiries.branching import Box, Budget, is_point

EDGE = 6
"""What part of a budget goes to each edge of a plane."""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of places: what all of them decide, or None where that was not settled."""

    across: Cell
    down: Cell
    label: Decided | None

    @property
    def places(self) -> int:
        return (self.across[1] - self.across[0] + 1) * (self.down[1] - self.down[0] + 1)

    def holds(self, across: int, down: int) -> bool:
        return self.across[0] <= across <= self.across[1] and self.down[0] <= down <= self.down[1]


@dataclass(frozen=True, slots=True)
class Border:
    """Where two decisions stand a step apart: `first` on the lower places of one axis, the second on the next; between which places of
    it that is, and along which of the other axis."""

    first: Decided
    second: Decided
    axis: Axis
    between: Cell
    along: Cell


@dataclass(frozen=True)
class Plane:
    """Two axes, and the rectangles that together hold every pair of their places."""

    across: Axis
    down: Axis
    regions: tuple[Region, ...]

    @cached_property
    def places(self) -> int:
        return sum(region.places for region in self.regions)

    @cached_property
    def shares(self) -> dict[Decided, Fraction]:
        """The decisions, the one that holds at most places first, each with its share of all places."""
        found: dict[Decided, int] = {}
        for region in self.regions:
            if region.label is not None:
                found[region.label] = found.get(region.label, 0) + region.places
        return {label: Fraction(count, self.places) for label, count in sorted(found.items(), key=lambda pair: -pair[1])}

    @property
    def decided(self) -> Fraction:
        return sum(self.shares.values(), Fraction(0))

    @property
    def open(self) -> tuple[Region, ...]:
        """The rectangles that were not settled, the largest first."""
        return tuple(sorted((r for r in self.regions if r.label is None), key=lambda r: -r.places))

    def at(self, across: int, down: int) -> Region:
        return next(region for region in self.regions if region.holds(across, down))

    @cached_property
    def borders(self) -> tuple[Border, ...]:
        """Every place where two decisions meet, neighbours of one pair joined."""
        return tuple((*self._met(self.across, lambda r: (r.across, r.down)), *self._met(self.down, lambda r: (r.down, r.across))))

    def _met(self, axis: Axis, cells: Callable[[Region], tuple[Cell, Cell]]) -> Iterator[Border]:
        starts: dict[int, list[Region]] = {}
        for region in self.regions:
            starts.setdefault(cells(region)[0][0], []).append(region)
        for one in self.regions:
            (_, last), along = cells(one)
            for other in starts.get(last + 1, ()):
                beside = cells(other)[1]
                common = max(along[0], beside[0]), min(along[1], beside[1])
                if common[0] <= common[1] and one.label is not None and other.label is not None and one.label != other.label:
                    yield Border(one.label, other.label, axis, (last, last + 1), common)


def over(sweep: Sweep, across: Axis, down: Axis, budget: Budget, tick: Callable[[float], None] = lambda share: None) -> Plane:
    """The rectangles of two axes by their decision. The plane is cut where the decision changes along its edges, so that straight borders are
    exact. Then the largest rectangles are looked at first, and divided where they do not decide alike, across the axis of which they hold the
    greater share; what is left where the budget ends stays unsettled. `tick` is told how much is done, from 0 to 1."""
    wholes = {axis: sum(last - first + 1 for first, last in axis.cells) for axis in (across, down)}
    found: list[Region] = []
    pending: list[tuple[float, int, Box]] = []
    settled = number = 0
    every = wholes[across] * wholes[down]

    def push(boxes: Sequence[Box]) -> None:
        nonlocal number
        for box in boxes:
            number += 1
            heapq.heappush(pending, (-float(_share(box, across, wholes) * _share(box, down, wholes)), number, box))

    columns, rows = _cut(sweep, across, down, budget), _cut(sweep, down, across, budget)
    push([{across: one, down: other} for one in columns for other in rows])
    while pending:
        _, _, box = heapq.heappop(pending)
        label = None if budget.reached else sweep.over(box, budget)
        if label is None and not budget.reached and not is_point(box):
            push(tuple(_divided(box, wholes)))
            tick(budget.spent / budget.most)
            continue
        region = Region(box[across], box[down], label)
        found.append(region)
        settled += region.places if label is not None else 0
        tick(max(settled / every, budget.spent / budget.most))
    return Plane(across, down, tuple(sorted(found, key=lambda r: (r.across, r.down))))


def _cut(sweep: Sweep, axis: Axis, other: Axis, budget: Budget) -> tuple[Cell, ...]:
    """The cells of an axis, cut where the decision changes along it at either end of the other axis."""
    starts: set[int] = set()
    for end in (other.cells[0][0], other.cells[-1][1]):
        part = Budget(max(1, min(budget.most // EDGE, budget.left)))
        starts |= {stretch.cell[0] for stretch in sweep.along(axis, part, {other: (end, end)})}
        budget.spend(part.spent)
    found: list[Cell] = []
    for first, last in axis.cells:
        inner = sorted({first, *(start for start in starts if first < start <= last)})
        found += [(start, after - 1) for start, after in zip(inner, [*inner[1:], last + 1], strict=True)]
    return tuple(found)


def _share(box: Box, axis: Axis, wholes: dict[Axis, int]) -> Fraction:
    first, last = box[axis]
    return Fraction(last - first + 1, wholes[axis])


def _divided(box: Box, wholes: dict[Axis, int]) -> Iterator[Box]:
    widest = max((axis for axis, (first, last) in box.items() if first < last), key=lambda axis: _share(box, axis, wholes))
    for cell in widest.split(box[widest]):
        yield {**box, widest: cell}
