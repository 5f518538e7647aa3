"""Intervals and their one tolerance, at the boundaries that docs/semantics.md names."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.values import interval
from gpurules.engine.values.interval import LINE, Interval, point
from gpurules.engine.values.truth import DEPENDS, NO, YES

INF = math.inf
exactly = settings(derandomize=True, database=None, deadline=None)
finite = st.floats(-1e15, 1e15)
numbers = finite | st.sampled_from((0.0, 1.0, -1.0, 0.1, 0.3))
intervals = st.tuples(numbers, numbers).map(lambda p: Interval(min(p), max(p)))


# ---------------------------------------------------------------- comparison


@pytest.mark.parametrize(
    ("a", "b", "above"),
    [
        (1.0, 1.0, False), (1.0 + 0.9e-12, 1.0, False), (1.0 + 1.2e-12, 1.0, True), (1.0, 1.0 + 1.2e-12, False),
        (1e18 + 0.9e6, 1e18, False), (1e18 + 1.2e6, 1e18, True), (-1.0, -1.0 - 0.9e-12, False), (-1.0, -1.0 - 1.2e-12, True),
        (5e-324, 0.0, True), (0.0, -5e-324, True), (0.0, 0.0, False), (0.0, -0.0, False), (1e-300, 0.0, True),
        (INF, 1e308, True), (INF, INF, False), (-INF, INF, False), (1e308, -INF, True), (-INF, -INF, False),
        (0.1 + 0.2, 0.3, False), (0.3, 0.1 + 0.2, False),
    ],
)  # fmt: skip
def test_one_number_exceeds_another_by_more_than_the_tolerance(a, b, above):
    assert interval.exceeds(a, b) is above


def test_seventy_two_of_eighty_gigabytes_is_at_ninety_per_cent():
    for used, whole, share in ((72e9, 80e9, 0.9), (84.6e9, 94e9, 0.9)):
        for side in (interval.multiply(point(share), point(whole)), point(used)):
            assert interval.at_least(point(used), side) is YES
            assert interval.greater(point(used), side) is NO
            assert interval.greater(side, point(used)) is NO
        assert interval.at_least(interval.divide(point(used), point(whole)), point(share)) is YES
    assert pytest.approx(84.6, abs=0) == 0.9 * 94 or interval.equal(point(0.9 * 94), point(84.6)) is YES


def test_thirty_per_cent_is_not_above_thirty_per_cent():
    assert interval.greater(point(0.3), point(0.3)) is NO
    assert interval.greater(Interval(0.29, 0.31), point(0.3)) is DEPENDS
    assert interval.greater(Interval(0.2, 0.3), point(0.3)) is NO
    assert interval.at_least(Interval(0.3, 0.4), point(0.3)) is YES
    assert interval.at_least(Interval(0.2, 0.3), point(0.3)) is DEPENDS


def test_equality_is_sure_only_where_neither_side_can_exceed_the_other():
    assert interval.equal(point(1.0), point(1.0 + 5e-13)) is YES
    assert interval.equal(point(1.0), point(1.1)) is NO
    assert interval.equal(Interval(0.0, 1.0), Interval(0.0, 1.0)) is DEPENDS
    assert interval.equal(Interval(0.0, 1.0), Interval(1.0, 2.0)) is DEPENDS


@exactly
@given(intervals, intervals)
def test_at_least_is_the_negation_of_less(a, b):
    assert interval.at_least(a, b) == 2 - interval.greater(b, a)


@exactly
@given(intervals, intervals, st.data())
def test_truth_of_intervals_holds_at_every_pair_of_points(a, b, data):
    x, y = data.draw(st.floats(*a)), data.draw(st.floats(*b))
    for test in (interval.greater, interval.at_least, interval.equal):
        assert test(a, b) in (DEPENDS, test(point(x), point(y)))


# ---------------------------------------------------------------- arithmetic


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (interval.multiply(point(0.0), Interval(-INF, INF)), point(0.0)),
        (interval.multiply(Interval(0.0, 1.0), Interval(1.0, INF)), Interval(0.0, INF)),
        (interval.multiply(Interval(-1.0, 2.0), Interval(-3.0, 4.0)), Interval(-6.0, 8.0)),
        (interval.divide(point(1.0), Interval(-1.0, 1.0)), LINE),
        (interval.divide(point(0.0), Interval(-1.0, 1.0)), LINE),
        (interval.divide(point(1.0), point(0.0)), LINE),
        (interval.divide(point(0.0), point(0.0)), LINE),
        (interval.divide(point(1.0), Interval(0.0, 4.0)), Interval(0.25, INF)),
        (interval.divide(point(1.0), Interval(-4.0, 0.0)), Interval(-INF, -0.25)),
        (interval.divide(Interval(-1.0, 1.0), Interval(0.0, 4.0)), LINE),
        (interval.divide(point(0.0), Interval(0.0, 4.0)), point(0.0)),
        (interval.divide(point(1.0), Interval(-0.0, 4.0)), Interval(0.25, INF)),
        (interval.divide(point(1.0), Interval(2.0, INF)), Interval(0.0, 0.5)),
        (interval.divide(Interval(1.0, INF), Interval(1.0, INF)), Interval(0.0, INF)),
        (interval.divide(Interval(1.0, 2.0), Interval(4.0, 8.0)), Interval(0.125, 0.5)),
        (interval.add(Interval(0.0, INF), Interval(-INF, 0.0)), LINE),
        (interval.subtract(Interval(0.0, INF), Interval(0.0, INF)), LINE),
        (interval.subtract(Interval(1.0, 2.0), Interval(1.0, 2.0)), Interval(-1.0, 1.0)),
        (interval.negative(Interval(-1.0, 2.0)), Interval(-2.0, 1.0)),
        (interval.minimum([Interval(1.0, 5.0), Interval(2.0, 3.0)]), Interval(1.0, 3.0)),
        (interval.maximum([Interval(1.0, 5.0), Interval(2.0, 3.0)]), Interval(2.0, 5.0)),
        (interval.hull(Interval(1.0, 2.0), Interval(4.0, 5.0)), Interval(1.0, 5.0)),
    ],
)  # fmt: skip
def test_arithmetic_at_its_edges(result, expected):
    assert result == expected


def test_a_quotient_is_divided_once():
    assert interval.divide(point(1.0), point(49.0)).low == 1.0 / 49.0
    assert 49.0 * (1.0 / 49.0) != 1.0
    assert interval.divide(point(49.0), point(49.0)) == point(1.0)


def test_no_minus_zero_comes_from_a_negation():
    assert math.copysign(1, interval.negative(point(0.0)).low) == 1


@exactly
@given(intervals, intervals, st.data())
def test_results_at_points_lie_in_the_result_of_the_intervals(a, b, data):
    x, y = data.draw(st.floats(*a)), data.draw(st.floats(*b))
    for operation in (interval.add, interval.subtract, interval.multiply, interval.divide):
        if operation is interval.divide and y == 0:
            continue
        wide, exact = operation(a, b), operation(point(x), point(y))
        assert not any(map(math.isnan, (*wide, *exact)))
        assert wide.low <= exact.low <= exact.high <= wide.high


@exactly
@given(st.lists(st.floats(allow_nan=False), min_size=4, max_size=4))
def test_no_operation_makes_a_nan_of_any_ends(ends):
    a, b = Interval(*sorted(ends[:2])), Interval(*sorted(ends[2:]))
    operations = (interval.add, interval.subtract, interval.multiply, interval.divide)
    unary = (interval.ceil, interval.floor, interval.log2, interval.nearest_whole, interval.negative)
    for result in (*(o(a, b) for o in operations), *(o(a) for o in unary)):
        assert not any(map(math.isnan, result))
        assert result.low <= result.high


# ---------------------------------------------------------------- whole numbers and logarithms


@pytest.mark.parametrize(
    ("number", "up", "down"),
    [
        (2.0, 2, 2), (2.0 + 1e-12, 2, 2), (2.0 - 1e-12, 2, 2), (2.0 + 1e-11, 3, 2), (2.0 - 1e-11, 2, 1), (0.1 * 3 * 10, 3, 3), (-0.5, 0, -1),
        (1e9 + 0.0005, 1_000_000_000, 1_000_000_000), (1e9 + 0.01, 1_000_000_001, 1_000_000_000), (5e-324, 1, 0), (1e300, 1e300, 1e300), (INF, INF, INF),
    ],
)  # fmt: skip
def test_ceil_and_floor_snap_within_the_tolerance(number, up, down):
    assert interval.ceiling(number) == up
    assert interval.flooring(number) == down


@pytest.mark.parametrize(
    ("number", "whole"),
    [(0.5, 1), (1.5, 2), (2.5, 3), (-0.5, 0), (-1.5, -1), (0.49999999999999994, 0), (2.0**52 + 1, 2.0**52 + 1), (-(2.0**53) + 1, -(2.0**53) + 1), (INF, INF)],
)
def test_round_takes_halves_upward_and_leaves_whole_numbers_alone(number, whole):
    assert interval.nearest_whole(point(number)) == point(whole)


def test_log2_is_exact_at_powers_of_two():
    for power in range(-60, 61):
        assert interval.log2(point(2.0**power)) == point(float(power))
    assert interval.log2(Interval(-1.0, 8.0)) == Interval(-INF, 3.0)
    assert interval.ceil(interval.log2(point(2.0**29))) == point(29.0)


@pytest.mark.parametrize(
    ("a", "b", "truth"),
    [
        (point(1), Interval(1, 9), YES), (point(4), point(8), YES), (point(4), point(6), NO), (point(0), point(6), NO), (point(4), Interval(4, 8), DEPENDS),
        (Interval(5, 9), Interval(1, 4), NO), (Interval(2, 4), point(8), DEPENDS), (Interval(5, 9), Interval(0, 4), DEPENDS),
        (Interval(1, 4), point(0.3), DEPENDS), (point(1), point(0.3), YES),
    ],
)  # fmt: skip
def test_divides(a, b, truth):
    assert interval.divides(a, b) is truth


# ---------------------------------------------------------------- common parts


def test_ends_that_cross_by_less_than_the_tolerance_meet():
    assert interval.intersection(Interval(0, 1), Interval(1 + 5e-13, 2)) is not None
    assert interval.intersection(Interval(0, 1), Interval(1 + 5e-12, 2)) is None
    assert interval.intersection(Interval(0, 2), Interval(1, 3)) == Interval(1, 2)
