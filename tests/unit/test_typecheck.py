"""Faults of expressions: code and column of each, all at once."""

from __future__ import annotations

import pytest

from gpurules.engine.language.syntax import parse
from gpurules.engine.language.typecheck import EnumType, NumberType, TableType, TruthType, check
from gpurules.engine.values import unit
from gpurules.engine.values.interval import Interval


def _number(name, low, high):
    return NumberType(unit.parse(name).dimension, Interval(low, high))


SCOPE = {
    "gpu.count": _number("1", 1, 64),
    "gpu.memory": _number("byte", 1e9, 1e12),
    "gpu.power": _number("W", 10, 3000),
    "load.share": _number("1", 0, 1),
    "load.kind": EnumType(("a", "b")),
    "load.mode": EnumType(("x", "y")),
    "load.flag": EnumType(("no", "yes"), True),
    "limit": _number("1", 0.3, 0.3),
    "size": _number("byte", 16, 20),
    "table": TableType((("a", "b"), ("x", "y")), _number("byte", 1, 2)),
}


def faults(text, wanted=TruthType):
    return [(f.code, f.span[0]) for f in check(parse(text), SCOPE, wanted)[1]]


@pytest.mark.parametrize(
    "text",
    [
        "gpu.count > 1", "gpu.memory - size > 0", "0 < gpu.power - gpu.power", "load.share > limit", "load.kind == 'a'", "'b' != load.kind",
        "load.kind in ('a', 'b')", "load.flag", "not load.flag",
        "divides(gpu.count, gpu.count / limit)", "lookup(table, load.kind, load.mode) * gpu.count >= gpu.memory - size", "log2(gpu.memory / size) >= gpu.count",
        "load.flag == 'no' and min(gpu.memory, size, 0) < gpu.memory", "size / size > limit", "gpu.count * 1 + 0 > limit", "-gpu.memory < 0",
    ],
)  # fmt: skip
def test_sound_conditions(text):
    assert faults(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("gpu.cuont > 1", [("GR101", 0)]),
        ("load.flag and gpu.cuont > limt", [("GR101", 14), ("GR101", 26)]),
        ("gpu.count > 2", [("GR102", 12)]),
        ("load.share > 0.3 or gpu.count > 5", [("GR102", 13), ("GR102", 32)]),
        ("gpu.count == 'a'", [("GR103", 0)]),
        ("load.kind > 1", [("GR103", 0)]),
        ("load.kind < 'a'", [("GR103", 0)]),
        ("'a' == 'a'", [("GR103", 0)]),
        ("load.kind == load.mode", [("GR103", 0)]),
        ("gpu.count in ('a')", [("GR103", 0)]),
        ("-load.kind > 0", [("GR103", 1)]),
        ("'a'", [("GR104", 0)]),
        ("gpu.count", [("GR104", 0)]),
        ("load.flag and gpu.count", [("GR104", 14)]),
        ("load.kind", [("GR104", 0)]),
        ("gpu.memory > gpu.power", [("GR105", 0)]),
        ("gpu.memory + gpu.power > 0", [("GR105", 0)]),
        ("load.flag and max(gpu.memory, gpu.count) > 0", [("GR105", 14)]),
        ("ceil(gpu.memory) > 1", [("GR105", 5)]),
        ("divides(gpu.memory, gpu.count)", [("GR105", 8)]),
        ("gpu.memory > 1", [("GR105", 0)]),
        ("gpu.count / 0 > limit", [("GR106", 12)]),
        ("sqrt(gpu.count) > limit", [("GR107", 0)]),
        ("log2(gpu.count, limit) > limit", [("GR107", 0)]),
        ("hull(gpu.count) > limit", [("GR107", 0)]),
        ("lookup(limit, load.kind) > limit", [("GR108", 7)]),
        ("lookup(table, load.kind) > size", [("GR108", 0)]),
        ("lookup(table, load.mode, load.kind) > size", [("GR108", 14), ("GR108", 25)]),
        ("table > size", [("GR103", 0)]),
        ("load.share > gpu.count", []),
        ("gpu.count < limit", [("GR109", 0)]),
        ("gpu.count > 0", [("GR109", 0)]),
        ("load.kind in ('a', 'c')", [("GR110", 0)]),
        ("load.flag == 'maybe'", [("GR110", 0)]),
        ("gpu.显存 > 1 and load.kind == 'c'", [("GR101", 0), ("GR110", 15)]),
    ],
)
def test_faults_with_their_columns(text, found):
    assert faults(text) == found


def test_near_names_are_offered():
    (fault,) = check(parse("gpu.cuont > 1"), SCOPE, TruthType)[1]
    assert fault.mend == "did you mean 'gpu.count'?"


def test_dimensions_multiply_and_divide():
    found, none = check(parse("gpu.memory * gpu.power / size"), SCOPE, NumberType)
    assert not none and found.dimension == unit.parse("W").dimension


def test_a_condition_is_no_number_and_a_number_no_condition():
    assert faults("gpu.count > 1", NumberType) == [("GR104", 0)]
    assert faults("gpu.count", NumberType) == []
    assert faults("load.kind", EnumType) == []
    assert faults("gpu.count", EnumType) == [("GR104", 0)]
