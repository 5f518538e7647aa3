"""Expressions in which a name stands twice: computed at matching ends where each name has one direction."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.language.compile import Compiler
from gpurules.engine.language.monotony import signs
from gpurules.engine.language.syntax import names, parse
from gpurules.engine.values.interval import Interval, point

POSITIVE = {n: Interval(1.0, 100.0) for n in "xyz"}
MIXED = {n: Interval(-10.0, 10.0) for n in "xyz"}


def value(text, values, ranges):
    compiler = Compiler()
    scope = compiler.scope({name: (name, i) for i, name in enumerate(values)}, ranges)
    function = scope.number(parse(text))
    compiler.finish()
    return function(list(values.values()))


@pytest.mark.parametrize(
    ("text", "ranges", "found"),
    [
        ("x + y", MIXED, {"x": 1, "y": 1}), ("x - y", MIXED, {"x": 1, "y": -1}), ("x - x", MIXED, {"x": None}), ("-x", MIXED, {"x": -1}),
        ("x * y", POSITIVE, {"x": 1, "y": 1}), ("x * y", MIXED, {"x": None, "y": None}), ("x * y + x * z", POSITIVE, {"x": 1, "y": 1, "z": 1}),
        ("x / y", POSITIVE, {"x": 1, "y": -1}), ("x / y", MIXED, {"x": None, "y": None}), ("x / (x + y)", POSITIVE, {"x": None, "y": -1}),
        ("-x / y", POSITIVE, {"x": -1, "y": 1}), ("x * -y", POSITIVE, {"x": -1, "y": -1}), ("max(x, x + y)", MIXED, {"x": 1, "y": 1}),
        ("min(x, -y)", MIXED, {"x": 1, "y": -1}),
        ("ceil(x) - floor(y)", MIXED, {"x": 1, "y": -1}), ("log2(x) + x", POSITIVE, {"x": None}), ("hull(x, y) + x", MIXED, {"x": 1, "y": 1}),
        ("x - 1", MIXED, {"x": 1}),
    ],
)  # fmt: skip
def test_directions(text, ranges, found):
    assert signs(parse(text), ranges) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x * y + x", (Interval(2, 4), point(1.0), Interval(4, 8))),
        ("(x + y) / y", None),
        ("x - x * y", None),
        ("x + x", (Interval(2, 4), point(1.0), Interval(4, 8))),
        ("x / (x + y)", (Interval(1, 1), Interval(1, 3), Interval(0.25, 0.5))),
        ("x - y - y", (Interval(1, 2), Interval(1, 3), Interval(-5, 0))),
        ("-(x * x)", (Interval(2, 3), point(1.0), Interval(-9, -4))),
    ],
)
def test_repeated_names_cost_no_width(text, expected):
    if expected is not None:
        assert value(text, {"x": expected[0], "y": expected[1]}, POSITIVE) == expected[2]


EXPRESSIONS = (
    "x / (x + y)", "x * y + x * z", "x - x", "(x + y) / (x + z)", "x * x - y", "max(x, y) - x", "min(x, x * y)", "x / y / x", "hull(x, y) * x - z",
    "ceil(x) * x", "-(x - y) * (x - y)", "log2(x) - x", "x * (y - x)", "round(x / y) * y", "floor(x + y) - floor(x)",
)  # fmt: skip


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.sampled_from(EXPRESSIONS), st.booleans(), st.data())
def test_results_hold_every_point(text, positive, data):
    """Whatever is proved of directions, the value at points lies in the value of the intervals."""
    ranges = POSITIVE if positive else MIXED
    ends = {n: sorted((data.draw(st.floats(*ranges[n])), data.draw(st.floats(*ranges[n])))) for n in names(parse(text))}
    wide = value(text, {n: Interval(*e) for n, e in ends.items()}, ranges)
    picks = [(*e, data.draw(st.floats(*e))) for e in ends.values()]
    for combination in itertools.product(*picks):
        try:
            exact = value(text, {n: point(p) for n, p in zip(ends, combination, strict=True)}, ranges)
        except ZeroDivisionError:  # pragma: no cover
            pytest.fail("division is total")
        if exact.low == float("-inf") and "/" in text:
            continue  # divided by exactly 0, which has no result
        slack = 1e-11 * max(1.0, *(abs(v) for v in combination)) ** 2
        assert wide.low - slack <= exact.low and exact.high <= wide.high + slack
