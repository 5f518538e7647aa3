"""Thresholds: the first float for which a comparison with a constant holds, tolerance included."""

from __future__ import annotations

import struct
from collections.abc import Callable

SMALLEST, LARGEST = 1e-250, 1e250
"""Between these, the tolerance of a comparison is far above the rounding of the floats that it is computed in."""


def above(constant: float) -> float:
    """The least float that exceeds a positive constant, as comparisons have it: `x - constant > 1e-12 * x`."""
    return _first(constant, constant * (1 + 1e-11), lambda x: x - constant > 1e-12 * x)


def below(constant: float) -> float:
    """The greatest float that a positive constant exceeds."""
    return _first(constant, constant * (1 - 1e-11), lambda x: constant - x > 1e-12 * constant)


def _first(without: float, within: float, holds: Callable[[float], bool]) -> float:
    """The float nearest to `without` for which `holds` is true, as it is for `within` and all beyond; both are positive."""
    (no,), (yes,) = (struct.unpack("<q", struct.pack("<d", end)) for end in (without, within))
    while abs(yes - no) > 1:
        middle = (no + yes) // 2
        if holds(struct.unpack("<d", struct.pack("<q", middle))[0]):
            yes = middle
        else:
            no = middle
    found: float = struct.unpack("<d", struct.pack("<q", yes))[0]
    return found
