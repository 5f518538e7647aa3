"""Units: a dimension in the base units (byte, second, joule, flop, celsius, one per currency) and an exact scale."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

Dimension = tuple[tuple[str, int], ...]
"""Base units with their exponents, sorted, none of them 0. `()` is dimensionless: counts and shares."""

NUMBER: Dimension = ()

_SI = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_SMALL = {"m": Fraction(1, 10**3), "u": Fraction(1, 10**6), "µ": Fraction(1, 10**6), "μ": Fraction(1, 10**6), "n": Fraction(1, 10**9)}
HOUR, MONTH, YEAR = 3600, 730 * 3600, 8760 * 3600


def _table() -> dict[str, tuple[Fraction, str]]:
    """Every spelling of a single unit: its scale and base unit ("" for counts)."""
    table: dict[str, tuple[Fraction, str]] = {}

    def put(words: str, scale: Fraction | int, base: str) -> None:
        for word in words.split():
            table[word] = (Fraction(scale), base)

    for prefix, factor in (_SI | _BINARY).items():
        put(f"{prefix}B {prefix}byte {prefix}bytes {prefix}Byte {prefix}Bytes", factor, "byte")
        put(f"{prefix}b {prefix}bit {prefix}bits {prefix}Bit", Fraction(factor, 8), "byte")
    for prefix, factor in _SI.items():
        put(f"{prefix}W {prefix}watt {prefix}watts", factor, "watt")
        put(f"{prefix}Wh", factor * HOUR, "joule")
        put(f"{prefix}J", factor, "joule")
        put(f"{prefix}FLOP {prefix}FLOPs {prefix}flop {prefix}OP", factor, "flop")
        put(f"{prefix}FLOPS {prefix}FLOPs/s {prefix}flops {prefix}OPS", factor, "flop/s")
        put(f"{prefix}bps {prefix}bit/s", Fraction(factor, 8), "byte/s")
        put(f"{prefix}Bps", factor, "byte/s")
    put("bpw", Fraction(1, 8), "byte")  # bits a weight
    put("字节", 1, "byte")
    put("位 比特", Fraction(1, 8), "byte")
    put("瓦", 1, "watt")
    put("千瓦", 1000, "watt")
    put("度", 1000 * HOUR, "joule")
    put("s sec second seconds 秒", 1, "second")
    for prefix, small in _SMALL.items():
        put(f"{prefix}s", small, "second")
    put("min minute minutes 分钟", 60, "second")
    put("h hr hrs hour hours 小时", HOUR, "second")
    put("d day days 天", 24 * HOUR, "second")
    put("week weeks 周", 7 * 24 * HOUR, "second")
    put("month months 个月 月", MONTH, "second")
    put("y yr yrs year years 年", YEAR, "second")
    put("°C ℃ degC celsius 摄氏度", 1, "celsius")
    put("USD $ usd dollar dollars 美元", 1, "USD")
    put("CNY RMB ¥ cny rmb yuan 元 人民币", 1, "CNY")
    put("万元", 10**4, "CNY")
    put("EUR € eur euro euros 欧元", 1, "EUR")
    put("% percent pct", Fraction(1, 100), "")
    put("1 x × parameter parameters param params token tokens sequence sequences sample samples", 1, "")
    put("layer layers head heads card cards gpu gpus GPU GPUs core cores node nodes 张 卡 块 个 台 核 层 条 参数 令牌 样本 次 步", 1, "")
    return table


_UNITS = _table()
_PARTS = {
    "": NUMBER,
    "watt": (("joule", 1), ("second", -1)),
    "flop/s": (("flop", 1), ("second", -1)),
    "byte/s": (("byte", 1), ("second", -1)),
}
NAMES: dict[Dimension, str] = {
    NUMBER: "a plain number",
    (("byte", 1),): "an amount of memory",
    (("second", 1),): "a time",
    (("byte", 1), ("second", -1)): "a bandwidth",
    (("joule", 1), ("second", -1)): "a power",
    (("joule", 1),): "an energy",
    (("flop", 1), ("second", -1)): "a compute rate",
    (("flop", 1),): "an amount of compute",
    (("second", -1),): "a rate",
    (("celsius", 1),): "a temperature",
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as written, e.g. `GB/s`: `scale` base units of `dimension` each."""

    text: str
    scale: Fraction
    dimension: Dimension


def product(a: Dimension, b: Dimension, sign: int = 1) -> Dimension:
    """Dimension of a product (`sign` 1) or quotient (`sign` -1)."""
    powers = dict(a)
    for base, power in b:
        powers[base] = powers.get(base, 0) + sign * power
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def describe(dimension: Dimension) -> str:
    """A dimension in words for a message: "an amount of memory", "joule/byte"."""
    if dimension in NAMES:
        return NAMES[dimension]
    above = "·".join(b if p == 1 else f"{b}^{p}" for b, p in dimension if p > 0) or "1"
    below = "".join(f"/{b}" if p == -1 else f"/{b}^{-p}" for b, p in dimension if p < 0)
    return f"'{above}{below}'"


def parse(text: str) -> Unit | None:
    """The unit that `text` spells, `/` and `*` combining single units; None when it spells none."""
    if text in _UNITS:
        scale, base = _UNITS[text]
        return Unit(text, scale, _PARTS.get(base, ((base, 1),)))
    parts = re.split(r"\s*([/*·])\s*", text)
    if len(parts) > 7 or len(parts) == 1:
        return None
    scale, dimension, sign = Fraction(1), NUMBER, 1
    for part in parts:
        if part in "/*·" and part:
            sign = -1 if part == "/" else 1
        elif part.strip() in _UNITS:
            factor, base = _UNITS[part.strip()]
            scale = scale * factor if sign == 1 else scale / factor
            dimension = product(dimension, _PARTS.get(base, ((base, 1),)), sign)
        else:
            return None
    return Unit(text, scale, dimension)


def known_spellings() -> tuple[str, ...]:
    """Every spelling of a single unit, for "did you mean"."""
    return tuple(_UNITS)
