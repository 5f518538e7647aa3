"""Quantities: text <-> interval. `22.8 GB`, `7B`, `25..35 %`, `>= 72 GB`, `100 Gb/s`, each read in the unit its fact names."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpurules.engine.values import unit as units
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import nearest, printable
from gpurules.engine.values.unit import NUMBER, Dimension, Unit

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_BETWEEN = re.compile(r"\s*(?:\.\.+|–|—|-|~|to\b|至|到)\s*", re.ASCII)
_SIDES = {">=": "low", "≥": "low", ">": "low", "at least": "low", "<=": "high", "≤": "high", "<": "high", "at most": "high"}
_SIDES |= {"至少": "low", "至多": "high", "不低于": "low", "不超过": "high"}
_COUNTS = {"K": 3, "M": 6, "G": 9, "B": 9, "T": 12, "MILLION": 6, "BILLION": 9, "TRILLION": 12, "万": 4, "亿": 8}
_WORDS = ["parameter", "parameters", "param", "params", "token", "tokens", "sequence", "sequences", "sample", "samples", "令牌", "参数", "条", "样本"]
_MEMORY = (("byte", 1),)
_EXAMPLES = {"byte": "'24 GB' or '24564 MiB'", "parameter": "'7B'", "W": "'350 W'", "byte/s": "'900 GB/s'", "bit/s": "'100 Gb/s'", "year": "'3 years'"}
_EXAMPLES |= {"USD": "'12000 USD'", "bit": "'4 bit'", "s": "'2 h'", "FLOP/s": "'165 TFLOP/s'", "token": "4096"}
MAX_DIGITS, MAX_EXPONENT = 60, 400


class QuantityError(ValueError):
    """Text that is no quantity of the wanted unit; `mend` says what to write instead."""

    def __init__(self, message: str, mend: str) -> None:
        self.message, self.mend = message, mend
        super().__init__(f"{message}; {mend}")


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a text states: the interval in base units (None for an open end) and its dimension."""

    low: float | None
    high: float | None
    dimension: Dimension

    def within(self, bounds: Interval) -> Interval:
        """The interval, an open end closed by `bounds`."""
        return Interval(bounds.low if self.low is None else self.low, bounds.high if self.high is None else self.high)


def read(text: str, unit: Unit | None = None, share: bool = False) -> Quantity:
    """Read a quantity. With `unit`, a bare number is in that unit and any other dimension is refused;
    without, the text must carry its own unit and a bare number is dimensionless. `share` admits per cent.

    Numbers go through Decimal, are scaled exactly and rounded once. Raises QuantityError.
    """
    if any(unicodedata.category(c) == "No" for c in text):  # NFKC would read 10⁹ as 109
        raise QuantityError(f"'{printable(text)}' holds raised figures or fractions", "write 1e9 for 10⁹, 0.5 for ½")
    given = " ".join(unicodedata.normalize("NFKC", text).replace("−", "-").split())
    side, rest = _side(given)
    low_text, high_text, tail = _numbers(rest, text, unit, share)
    if high_text is None:
        dimension, value = _scaled(low_text, tail, unit, share, text)
        return Quantity(*{"": (value, value), "low": (value, None), "high": (None, value)}[side], dimension)
    if side:
        raise QuantityError(f"'{printable(text)}' is both one-sided and a range", "write '>= 72 GB' or '72..80 GB'")
    low_tail, high_tail = tail.split("\0")
    dimension, high = _scaled(high_text, high_tail, unit, share, text)
    same, low = _scaled(low_text, low_tail or high_tail, unit, share, text)
    if same != dimension:
        raise QuantityError(f"the two ends of '{printable(text)}' have different units", "write both ends in one unit, e.g. '25..35 %'")
    if low > high:
        raise QuantityError(f"'{printable(text)}' is upside down", "write the smaller end first")
    return Quantity(low, high, dimension)


def _side(text: str) -> tuple[str, str]:
    for word in sorted(_SIDES, key=len, reverse=True):
        if text.lower().startswith(word):
            return _SIDES[word], text[len(word) :].strip()
    return "", text


def _numbers(text: str, given: str, unit: Unit | None, share: bool) -> tuple[str, str | None, str]:
    """Split into (number, None, unit) or (low, high, "low unit\\0high unit")."""
    money = re.match(r"[$¥€]\s*(?=[\d.])", text)
    if money:
        amount, slash, per = text[money.end() :].partition("/")
        text = f"{amount} {money.group().strip()}{slash}{per}"
    first = _NUMBER.match(text)
    if first is None:
        mend = "write a number with its unit, e.g. '24 GB', '34 %', '7B'" if unit is None else _example(unit, share)
        if re.match(r"(about|approx|circa|ca\.?|~|约|大约)", text, re.IGNORECASE):
            mend = "write how far it may be off as a range, e.g. '22..24 GB'"
        raise QuantityError(f"'{printable(given)}' is not a quantity", mend)
    rest = text[first.end() :]
    for gap in _BETWEEN.finditer(rest):
        second = _NUMBER.match(rest, gap.end())
        if second is not None and not rest[: gap.start()].strip().endswith("/"):
            return first.group(), second.group(), f"{rest[: gap.start()].strip()}\0{rest[second.end() :].strip()}"
    return first.group(), None, rest.strip()


def _exact(number: str, given: str) -> Fraction:
    plain = number.replace(",", "")
    mantissa, _, exponent = plain.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise QuantityError(f"'{printable(given, 40)}' is too long or too large to be a quantity of anything here", "write a number of ordinary size")
    return Fraction(Decimal(plain))


def _scaled(number: str, tail: str, unit: Unit | None, share: bool, given: str) -> tuple[Dimension, float]:
    exact = _exact(number, given)
    written = _unit(tail, unit, share, given)
    if unit is not None and written.dimension != unit.dimension:
        raise QuantityError(
            f"'{printable(given)}' is {units.describe(written.dimension)}, where {units.describe(unit.dimension)} is wanted",
            _example(unit, share),
        )
    try:
        return written.dimension, float(exact * written.scale) + 0.0
    except OverflowError:
        raise QuantityError(f"'{printable(given, 40)}' is too large", "write a number of ordinary size") from None


def _unit(tail: str, unit: Unit | None, share: bool, given: str) -> Unit:
    """The unit that follows a number; `G`, `B` and `b` are read by the wanted dimension."""
    if not tail:
        return unit or Unit("1", Fraction(1), NUMBER)
    tail = f"1{tail}" if tail.startswith("/") else re.sub(r"^-(?=[a-zA-Z])", "", tail)
    if unit is None and tail == "B":
        raise QuantityError(f"'{printable(given)}' may mean bytes or billions", "write '10 byte' or '10B parameters'")
    if unit is None or unit.dimension == NUMBER:
        letter, _, word = tail.partition(" ")
        plain = word in _WORDS or (unit is not None and (not word or word in _WORDS))
        if letter.upper() in _COUNTS and plain and not (share and unit is not None):
            return Unit(tail, Fraction(10) ** _COUNTS[letter.upper()], NUMBER)
        glued = re.fullmatch(r"([KMGBTkmbgt万亿])\s*(个)?(参数|tokens?|params?)?", tail)
        if glued and unit is not None and not share:
            return Unit(tail, Fraction(10) ** _COUNTS[glued.group(1).upper()], NUMBER)
    elif unit.dimension == _MEMORY:
        short = re.fullmatch(r"([kKMGT])(i?)", tail)
        if short and unit.text != "bit":
            tail += "B"
        if re.fullmatch(r"[KMGTP]i?b", tail) and unit.text != "bit":
            raise QuantityError(
                f"'{printable(given)}' is in bits ({tail}), where bytes are meant",
                f"write '{given[: -len(tail)].strip()} {tail[:-1]}B' if bytes are meant",
            )
    money = re.fullmatch(r"([KkMm万亿])\s*(\S+)", tail)
    parsed = units.parse(tail[:-1] if re.fullmatch(r"[MG]bE", tail) and unit is not None else tail)
    if parsed is not None and re.fullmatch(r"[MG]bE", tail):
        parsed = Unit(tail, parsed.scale, units.product(parsed.dimension, (("second", 1),), -1))
    if parsed is None and money and any(base in ("USD", "CNY", "EUR") for base, _ in (unit.dimension if unit else ())):
        inner = units.parse(money.group(2))
        if inner is not None:
            return Unit(tail, inner.scale * 10 ** _COUNTS[money.group(1).upper()], inner.dimension)
    if parsed is None:
        raise QuantityError(f"'{printable(tail)}' in '{printable(given)}' is not a unit", _unit_hint(tail, unit, share))
    if "%" in parsed.text and not share and unit is not None:
        raise QuantityError(f"'{printable(given)}' is a per cent figure, where {units.describe(unit.dimension)} is wanted", "write a plain number")
    return parsed


def _example(unit: Unit, share: bool) -> str:
    if unit.text == "1":
        return "write it like '34 %', or 0.34" if share else "write a plain number such as 4"
    return f"write it like {_EXAMPLES[unit.text]}" if unit.text in _EXAMPLES else f"write it in {unit.text}"


def _unit_hint(tail: str, unit: Unit | None, share: bool) -> str:
    if unit is not None:
        return _example(unit, share)
    hits = nearest(tail, units.known_spellings())
    return f"did you mean '{hits[0]}'?" if hits else "write a unit such as GB, W, %, byte, GB/s, years, USD"


# ---------------------------------------------------------------- showing

TO = " to "
_PLURALS = {"year": "years", "month": "months", "byte": "bytes", "bit": "bits", "token/s": "tokens/s", "sample/s": "samples/s"}

_STEPS: dict[str, tuple[tuple[float, str], ...]] = {
    "byte": ((1e13, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "byte")),
    "byte/s": ((1e13, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1, "byte/s")),
    "bit/s": ((1.25e8, "Gb/s"), (1.25e5, "Mb/s"), (0.125, "bit/s")),
    "bit": ((0.125, "bit"),),
    "W": ((1e4, "kW"), (1, "W")),
    "s": ((2 * units.YEAR, "year"), (2 * 86400, "days"), (7200, "h"), (120, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")),
    "year": ((units.YEAR, "year"), (units.MONTH, "month")),
    "FLOP/s": ((1e16, "PFLOP/s"), (1e12, "TFLOP/s"), (1, "FLOP/s")),
    "FLOP": ((1e21, "ZFLOP"), (1e18, "EFLOP"), (1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP"), (1, "FLOP")),
    "parameter": ((1e9, "B"), (1e6, "M"), (1, "")),
    "token": ((1e12, "T tokens"), (1e9, "B tokens"), (1e6, "M tokens"), (1, "tokens")),
}
_DIVISOR: dict[str, dict[str, float]] = {
    "byte": {"TB": 1e12}, "byte/s": {"TB/s": 1e12}, "W": {"kW": 1e3}, "FLOP/s": {"PFLOP/s": 1e15},
    "s": {"year": units.YEAR, "days": 86400, "h": 3600, "min": 60},
}  # fmt: skip
"""What a size is divided by where that is not the size from which the unit is used."""


def figure(number: float, digits: int = 4) -> str:
    """A number to four significant digits, or fewer where it is the end of a wide range and not exact in four;
    what is exact in fewer is printed without trailing zeros."""
    if number == 0:
        return "0"
    if math.isinf(number):
        return "∞" if number > 0 else "-∞"
    if abs(number) >= 1000:
        return f"{number:,.0f}" if abs(number) < 1e15 else f"{number:.3e}"
    rounded = f"{number:.4g}"
    if digits < 4 and abs(float(rounded) - number) > 1e-9 * abs(number):
        rounded = f"{number:.{digits}g}"
    else:
        digits = 4
    if "e" in rounded:
        return rounded
    decimals = max(0, digits - len(rounded.lstrip("-").split(".")[0])) if abs(number) >= 1 else len(rounded.split(".")[-1])
    text = f"{number:.{decimals}f}"
    exact = abs(float(rounded) - number) <= 1e-9 * abs(number)
    return text.rstrip("0").rstrip(".") if exact and "." in text else text


def show(value: Interval, unit: Unit, share: bool = False, bounds: Interval | None = None) -> str:
    """An interval in the unit people use for it: `112–140 GB`, `34 %`, `≥ 72 GB`; an end at `bounds` is left open. A range that
    begins below zero is told with a word, `−3 to 5 %`: a dash beside a minus sign is hard to read. `read` reads all of them."""
    low, high = value
    scale, name = _display(max((abs(x) for x in value if x not in (float("inf"), float("-inf"))), default=1.0), unit, share)

    wide = 3 if high - low > 0.02 * abs(high) else 4

    def digits(number: float) -> str:
        text = figure(number / scale, wide)
        return f"−{text[1:]}" if text.startswith("-") else text

    if name in _PLURALS:
        name = name if value.exact and digits(high) == "1" else _PLURALS[name]
    glued = not name or name in ("B", "M") or name[1:] == " tokens"
    suffix = name if glued else "/s" if name == "1/s" else f" {name}"
    if bounds is not None and not value.exact and high >= bounds.high and low > bounds.low:
        return f"≥ {digits(low)}{suffix}"
    if bounds is not None and not value.exact and low <= bounds.low and high < bounds.high:
        return f"≤ {digits(high)}{suffix}"
    if value.exact or digits(low) == digits(high):
        return f"{digits(high)}{suffix}"
    return f"{digits(low)}{TO if low < 0 else '–'}{digits(high)}{suffix}"


def _display(size: float, unit: Unit, share: bool) -> tuple[float, str]:
    if share:
        return 0.01, "%"
    if unit.text in _STEPS:
        for threshold, name in _STEPS[unit.text]:
            if size >= threshold * (1 - 1e-12):
                return _DIVISOR.get(unit.text, {}).get(name, threshold), name
        threshold, name = _STEPS[unit.text][-1]
        return _DIVISOR.get(unit.text, {}).get(name, threshold), name
    return float(unit.scale), "" if unit.text in ("1", "none", "sequence", "sample") else unit.text
