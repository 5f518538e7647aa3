"""An axis: one fact that is varied, its values counted in steps, and how far each is from the value that the fact has now."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.language.compile import wide
from gpurules.engine.values.interval import Interval

Value = Interval | frozenset[str]
Cell = tuple[int, int]
"""First and last place on an axis, both meant."""
CHANGE, SETTLE = "change", "settle"
_NARROW = 16
FINEST = 1_000_000
"""Steps into which the range of a fact without a step of its own is cut."""


@dataclass(frozen=True, eq=False)
class Axis:
    """The places that `definition` may take instead of `now`: whole multiples of its step inside its range, or its members.

    `kind` is SETTLE where an open fact is narrowed within what is known of it, and CHANGE where a known one becomes another.
    `apart` is for facts that others are looked up by: the number 1 is a cell of its own, since what is known of one card is not
    what is known of several.
    """

    definition: Definition
    now: Value
    kind: str
    apart: bool = False

    @property
    def path(self) -> str:
        return self.definition.path

    @cached_property
    def step(self) -> Fraction:
        """The fact's step, exactly as it is written."""
        definition = self.definition
        step = Fraction(repr(definition.step)) if definition.step else Fraction(0)
        if definition.integer:
            return max(Fraction(1), Fraction(math.ceil(step)))
        return step or Fraction(repr((definition.range.high - definition.range.low) / FINEST or 1.0))

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The members that it may become, in the vocabulary's order; empty for a number."""
        if not isinstance(self.now, frozenset):
            return ()
        return tuple(m for m in self.definition.members if (m in self.now) == (self.kind == SETTLE) and m != "other")

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The fewest cells that together hold every place but the present value, none of them as wide as the fact may be."""
        if isinstance(self.now, frozenset):
            last = len(self.members) - 1
            if self.kind == SETTLE and len(self.members) == len(self.definition.members) and last > 0:
                return _halves((0, last))
            return ((0, last),) if last >= 0 else ()
        whole = self.definition.range
        within = self.now if self.kind == SETTLE else whole
        first, last = self._from(within.low), self._to(within.high)
        if self.kind == SETTLE:
            parts = [(first, last)] if within != whole or first == last else list(_halves((first, last)))
        else:
            below, above = self._from(self.now.low) - 1, self._to(self.now.high) + 1
            parts = [(first, below), (above, last)]
        if self.apart and self.step == 1:
            parts = [cut for a, b in parts for cut in (((1, 1), (2, b)) if a == 1 < b else ((a, b),))]
        return tuple(p for p in parts if p[0] <= p[1])

    def _from(self, low: float) -> int:
        """The first place that is not below a number; a place counts as the float it becomes, so that 60 % is one of 0.6."""
        place = math.ceil(Fraction(low) / self.step)
        return place - 1 if float((place - 1) * self.step) >= low else place

    def _to(self, high: float) -> int:
        """The last place that is not above a number."""
        place = math.floor(Fraction(high) / self.step)
        return place + 1 if float((place + 1) * self.step) <= high else place

    def value(self, cell: Cell) -> Value:
        """What the fact is within a cell."""
        if isinstance(self.now, frozenset):
            return frozenset(self.members[cell[0] : cell[1] + 1])
        return Interval(float(cell[0] * self.step), float(cell[1] * self.step))

    def split(self, cell: Cell) -> tuple[Cell, ...]:
        return _halves(cell) if cell[0] < cell[1] else (cell,)

    def cost(self, cell: Cell) -> float:
        """How far the nearest place of a cell is: |difference| / max(|present value|, step); 1 for another member, 0 for settling."""
        if self.kind == SETTLE:
            return 0.0
        if isinstance(self.now, frozenset):
            return 1.0
        near = self.value(self.nearest(cell))
        assert isinstance(near, Interval)
        below = near.high < self.now.low
        old = self.now.low if below else self.now.high
        return abs(near.low - old) / max(abs(old), float(self.step))

    def nearest(self, cell: Cell) -> Cell:
        """The place of a cell that is nearest to the present value."""
        if isinstance(self.now, Interval) and self.kind == CHANGE and float(cell[1] * self.step) < self.now.low:
            return cell[1], cell[1]
        return cell[0], cell[0]

    def narrow(self, value: Value) -> bool:
        """Whether a cell is so small a part of the fact's range that dividing it further would hardly settle what it leaves open."""
        whole = self.definition.range
        return isinstance(value, frozenset) or value.high - value.low <= (whole.high - whole.low) / _NARROW

    def text(self, value: Value) -> str:
        """A value as a facts file has it: in the unit of the fact, or its members."""
        if isinstance(value, frozenset):
            return " | ".join(m for m in self.definition.members if m in value)
        low, high = (_written(float(Fraction(end) / self.definition.unit.scale)) for end in value)
        return low if value.exact else f"{low} .. {high}"

    def places(self) -> Iterator[Cell]:
        """Every place, one by one."""
        for first, last in self.cells:
            for place in range(first, last + 1):
                yield place, place


def axes(definition: Definition, now: Value, movable: bool, apart: bool = False) -> tuple[Axis, ...]:
    """The axes of a fact: settling it where it is open; changing what is known of it where it may be moved."""
    found = []
    if wide(now):
        found.append(Axis(definition, now, SETTLE, apart))
    if movable and now != definition.whole:
        found.append(Axis(definition, now, CHANGE, apart))
    return tuple(a for a in found if a.cells)


def _written(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def _halves(cell: Cell) -> tuple[Cell, Cell]:
    middle = (cell[0] + cell[1]) // 2
    return (cell[0], middle), (middle + 1, cell[1])
