"""Interval branch and bound: boxes of facts are evaluated at once, kept whole where they decide alike, else divided."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpurules.engine.inquiries.axis import Axis, Cell
from gpurules.engine.values.truth import NO, YES, Truth

Box = Mapping[Axis, Cell]
_FEW = 16


class Budget:
    """Evaluations that a search may still make."""

    def __init__(self, most: int) -> None:
        self.most, self.left = most, most

    def spend(self, count: int = 1) -> None:
        self.left -= count

    @property
    def reached(self) -> bool:
        return self.left <= 0

    @property
    def spent(self) -> int:
        return self.most - max(self.left, 0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Places of one axis that decide alike: `label`, or None where that could not be settled."""

    cell: Cell
    label: Hashable | None


def is_point(box: Box) -> bool:
    return all(first == last for first, last in box.values())


def cost(box: Box) -> float:
    """The largest distance of its facts from what they are now, at the nearest place of the box."""
    return max(axis.cost(cell) for axis, cell in box.items())


def divided(box: Box, across: Collection[str] = ()) -> Iterator[Box]:
    """The box in two, across the axis with the most places left, of those named by `across` if any has several; but first across
    members, if they are few, since each is a world of its own."""
    places = {axis: last - first for axis, (first, last) in box.items()}
    named = [axis for axis in box if places[axis] and axis.path in across]
    widest = max(named or box, key=lambda axis: (bool(axis.members) and 0 < places[axis] <= _FEW, places[axis]))
    for cell in widest.split(box[widest]):
        yield {**box, widest: cell}


def _order(box: Box) -> tuple[float, tuple[str, ...], tuple[int, ...]]:
    axes = sorted(box, key=lambda axis: axis.path)
    return cost(box), tuple(a.path for a in axes), tuple(place for a in axes for place in a.nearest(box[a]))


def nearest(boxes: Iterable[Box], decide: Callable[[Box], tuple[Truth, Collection[str]]], budget: Budget) -> Box | None:
    """The point nearest to the present facts at which `decide` is yes, by cost, then names; None where there is none, or where
    the budget ends before that is settled.

    `decide` says of a box whether it is so everywhere (yes) or nowhere (no) in it, and must say either of a point; with it come
    the facts that keep a box open. The boxes are looked at in order of their nearest place, so that the first point that is
    found is the nearest.
    """
    number = 0
    heap: list[tuple[tuple[float, tuple[str, ...], tuple[int, ...]], int, Box]] = []
    for box in boxes:
        heap.append((_order(box), number, box))
        number += 1
    heapq.heapify(heap)
    while heap:
        _, _, box = heapq.heappop(heap)
        if budget.reached:
            return None
        truth, open_ = decide(box)
        if truth is NO:
            continue
        if is_point(box):
            return box
        for part in _nearest_place(box) if truth is YES else divided(box, open_):
            heapq.heappush(heap, (_order(part), number, part))
            number += 1
    return None


def _nearest_place(box: Box) -> Iterator[Box]:
    yield {axis: axis.nearest(cell) for axis, cell in box.items()}


def stretches(axis: Axis, label: Callable[[Cell], Hashable | None], budget: Budget, tick: Callable[[float], None] = lambda share: None) -> tuple[Stretch, ...]:
    """The stretches of an axis by what each place of them decides, in order, neighbours alike joined.

    `label` gives what a cell decides, None where it is not settled for the whole cell; of a single place it must not be None. The widest
    cells are looked at first; those that are left where the budget ends stay unsettled. `tick` is told how much is done, from 0 to 1.
    """
    found: dict[Cell, Hashable | None] = {}
    pending = [(first - last, first, last) for first, last in axis.cells]
    whole, settled = sum(last - first + 1 for first, last in axis.cells), 0
    heapq.heapify(pending)
    while pending:
        _, *ends = heapq.heappop(pending)
        cell = ends[0], ends[1]
        found[cell] = label(cell) if not budget.reached else None
        if found[cell] is None and cell[0] < cell[1] and not budget.reached:
            del found[cell]
            for first, last in axis.split(cell):
                heapq.heappush(pending, (first - last, first, last))
        else:
            settled += cell[1] - cell[0] + 1
        tick(max(settled / whole, budget.spent / budget.most))
    return tuple(_joined(axis, sorted(found.items())))


def _joined(axis: Axis, cells: Iterable[tuple[Cell, Hashable | None]]) -> Iterator[Stretch]:
    """Neighbours that decide alike as one; of members, each is told."""
    before: Stretch | None = None
    for cell, label in cells:
        if before is not None and before.label == label and before.cell[1] + 1 == cell[0] and not axis.members:
            before = Stretch((before.cell[0], cell[1]), label)
            continue
        if before is not None:
            yield before
        before = Stretch(cell, label)
    if before is not None:
        yield before
