"""Stated numbers against the range of their fact."""

from __future__ import annotations

import pytest

from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.vocabulary import Definition, Localized
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place

PLACE = Place("facts.yaml", 1, 1)
SHARE = Definition("load.share", Localized("share", "占比"), "number", "observed", PLACE, range=Interval(0.0, 1.0), share=True)
COUNT = Definition("load.count", Localized("count", "数量"), "number", "observed", PLACE, range=Interval(1.0, 64.0), integer=True)


def read(definition, text):
    return statement.read(definition, Scalar(text, "text", PLACE), {})


def code(definition, text):
    with pytest.raises(GpurulesError) as caught:
        read(definition, text)
    return [p.code for p in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("34 %", Interval(0.34, 0.34)),
        (">= 0.9", Interval(0.9, 1.0)),
        ("<= 0.9", Interval(0.0, 0.9)),
        ("1.0000000000000002", Interval(1.0, 1.0)),
        ("0.5..1.0000000000000002", Interval(0.5, 1.0)),
        ("1..1.0000000000000002", Interval(1.0, 1.0)),
        (">= 1", Interval(1.0, 1.0)),
    ],
)
def test_ends_that_stick_out_by_less_than_the_tolerance_are_moved_in(text, value):
    assert read(SHARE, text) == value


def test_what_lies_outside_or_is_not_whole_is_refused():
    assert code(SHARE, "34") == ["GR304"]
    assert code(SHARE, "1.00000001") == ["GR304"]
    assert code(SHARE, ">= 2") == ["GR304"]
    assert code(COUNT, "2.5") == ["GR305"]
    assert code(COUNT, "2..2.5") == ["GR305"]
    assert code(COUNT, "1_000") == ["GR303"]


def test_a_share_written_without_per_cent_is_asked_back():
    with pytest.raises(GpurulesError) as caught:
        read(SHARE, "34")
    assert "34 %" in caught.value.problems[0].mend
