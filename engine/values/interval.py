"""Closed intervals of float64, the one kind of number gpurules has, with the one tolerance of its comparisons.

An exact number has both ends equal. Ends may be infinite inside a computation; NaN never occurs.
Every function here is pure and total: a divisor that may be 0 widens the result instead of failing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth, negation

TOLERANCE = 1e-12
"""Relative difference below which two numbers count as equal."""


class Interval(NamedTuple):
    """All numbers from `low` to `high`, both ends included, in base units."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int | float) and self.low <= number <= self.high


LINE = Interval(-math.inf, math.inf)


def point(number: float) -> Interval:
    return Interval(number, number)


def exceeds(a: float, b: float) -> bool:
    """`a > b`, by more than the tolerance. Infinite ends are told apart first."""
    if a <= b:
        return False
    return math.isinf(a) or math.isinf(b) or a - b > TOLERANCE * max(abs(a), abs(b))


def greater(a: Interval, b: Interval) -> Truth:
    """Truth of `a > b` over all pairs."""
    if exceeds(a[0], b[1]):
        return YES
    return DEPENDS if exceeds(a[1], b[0]) else NO


def at_least(a: Interval, b: Interval) -> Truth:
    """Truth of `a >= b`, which is `not b > a`."""
    return negation(greater(b, a))


def equal(a: Interval, b: Interval) -> Truth:
    """Truth of `a == b`: *yes* only where neither can exceed the other."""
    if exceeds(a[0], b[1]) or exceeds(b[0], a[1]):
        return NO
    return DEPENDS if exceeds(a[1], b[0]) or exceeds(b[1], a[0]) else YES


def hull(*parts: Interval) -> Interval:
    return Interval(min(p[0] for p in parts), max(p[1] for p in parts))


def intersection(a: Interval, b: Interval) -> Interval | None:
    """The common part; ends that cross by less than the tolerance meet. None when there is no common part."""
    low, high = max(a[0], b[0]), min(a[1], b[1])
    if low <= high:
        return Interval(low, high)
    return None if exceeds(low, high) else Interval(high, high)


def negative(a: Interval) -> Interval:
    return Interval(0.0 - a[1], 0.0 - a[0])


def _sum(x: float, y: float, otherwise: float) -> float:
    total = x + y
    return total if total == total else otherwise  # NaN is not itself


def add(a: Interval, b: Interval) -> Interval:
    return Interval(_sum(a[0], b[0], -math.inf), _sum(a[1], b[1], math.inf))


def subtract(a: Interval, b: Interval) -> Interval:
    return Interval(_sum(a[0], -b[1], -math.inf), _sum(a[1], -b[0], math.inf))


def _product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y


def multiply(a: Interval, b: Interval) -> Interval:
    """Product; `0 * infinity` is 0, since an end at infinity stands for finite numbers without a bound."""
    if a[0] > 0 and b[0] > 0:
        return Interval(a[0] * b[0], a[1] * b[1])
    corners = [_product(x, y) for x in a for y in b]
    return Interval(min(corners), max(corners))


def reciprocal(a: Interval) -> Interval:
    """`1 / a`. A divisor with 0 inside, or `[0, 0]`, gives the whole line; with 0 at an end, a one-sided interval."""
    low, high = a
    if low < 0 < high or low == high == 0:
        return LINE
    return Interval(1 / high if high else -math.inf, 1 / low if low else math.inf)


def divide(a: Interval, b: Interval) -> Interval:
    """Quotient, each corner divided once (not multiplied by a rounded reciprocal)."""
    low, high = b
    if a[0] > 0 and low > 0 and high < math.inf:
        return Interval(a[0] / high, a[1] / low)
    if low < 0 < high or low == high == 0:
        return LINE
    if low == 0 or high == 0:
        return multiply(a, reciprocal(b))
    corners = [0.0 if x == 0 or math.isinf(y) else x / y for x in a for y in b]
    return Interval(min(corners), max(corners))


def _snapped(rounding: Callable[[float], int]) -> Callable[[float], float]:
    def apply(x: float) -> float:
        if math.isinf(x):
            return x
        whole = float(round(x))
        return whole if abs(x - whole) <= TOLERANCE * max(abs(x), abs(whole)) else float(rounding(x))

    return apply


ceiling = _snapped(math.ceil)
flooring = _snapped(math.floor)


def _nearest(x: float) -> float:
    """Halves upward; not floor(x + 0.5), whose sum may round to the next whole number."""
    if math.isinf(x):
        return x
    below = math.floor(x)
    return float(below + 1 if x - below >= 0.5 else below)


def _log2(x: float) -> float:
    return -math.inf if x <= 0 else math.log2(x)


def _rising(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    return lambda a: Interval(function(a[0]), function(a[1]))


ceil = _rising(ceiling)
floor = _rising(flooring)
nearest_whole = _rising(_nearest)
log2 = _rising(_log2)


def minimum(parts: Iterable[Interval]) -> Interval:
    lows, highs = zip(*parts, strict=True)
    return Interval(min(lows), min(highs))


def maximum(parts: Iterable[Interval]) -> Interval:
    lows, highs = zip(*parts, strict=True)
    return Interval(max(lows), max(highs))


def divides(a: Interval, b: Interval) -> Truth:
    """Truth of "`a` divides `b`" for whole numbers; *depends* where either is wide (and 1 divides everything)."""
    if a[0] == a[1] == 1:
        return YES
    if a[0] == a[1] and b[0] == b[1]:
        return YES if a[0] != 0 and b[0] % a[0] == 0 else NO
    return NO if b[0] > 0 and a[0] > max(b[1], 1.0) else DEPENDS
