"""Canonical JSON after RFC 8785, with keys in code-point order."""

from __future__ import annotations

import json
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.values import canonical


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (1e-6, "0.000001"), (1.234e-5, "0.00001234"),
        (0.0001, "0.0001"),
        (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.25e22, "1.25e+22"), (123456789012345680000.0, "123456789012345680000"), (-1e21, "-1e+21"),
        (5e-324, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"), (333333333.3333333, "333333333.3333333"), (0.1 + 0.2, "0.30000000000000004"),
        (4.5, "4.5"), (2e-3, "0.002"), (9007199254740992.0, "9007199254740992"), (295147905179352830000.0, "295147905179352830000"), (-1e-7, "-1e-7"),
        (-0.00001, "-0.00001"),
    ],
)  # fmt: skip
def test_numbers_are_spelt_as_ecmascript_spells_them(number, text):
    assert canonical.dumps(number) == text


@settings(derandomize=True, database=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(0, 2**64 - 1).map(lambda n: struct.unpack("<d", struct.pack("<Q", n))[0]).filter(math.isfinite)
)
def test_numbers_read_back_the_same_and_are_the_shortest(number):
    text = canonical.dumps(number)
    assert float(text) == number
    digits = text.lstrip("-").split("e")[0].replace(".", "").strip("0")
    assert len(digits) <= len(repr(number).lstrip("-").split("e")[0].replace(".", "").strip("0"))


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_what_json_cannot_say_is_refused(number):
    with pytest.raises(ValueError, match="no place in JSON"):
        canonical.dumps({"a": [number]})
    with pytest.raises(TypeError):
        canonical.dumps({"a": {1, 2}})


def test_text_is_composed_and_keys_stand_in_code_point_order():
    composed, decomposed = "é", "e\u0301"
    assert canonical.dumps(decomposed) == canonical.dumps(composed) == f'"{composed}"'
    assert canonical.dumps({decomposed: 1}) == f'{{"{composed}":1}}'
    keys = ["\U0001f600", "\uff5e", "b", "a", "Z", "10", "9", ""]
    assert list(json.loads(canonical.dumps(dict.fromkeys(keys)))) == sorted(keys)


def test_only_what_must_be_escaped_is():
    assert canonical.dumps('\b\f\n\r\t"\\/\x00\x1f\x7f显存') == '"\\b\\f\\n\\r\\t\\"\\\\/\\u0000\\u001f\x7f显存"'


def test_truths_and_nothing_are_words():
    assert canonical.dumps([True, False, None, 1, ()]) == "[true,false,null,1,[]]"


def test_order_of_keys_does_not_change_the_digest():
    assert canonical.digest({"a": 1, "b": [1.0, 2]}) == canonical.digest({"b": [1, 2.0], "a": 1.0})
    assert canonical.digest({}).startswith("sha256:")
