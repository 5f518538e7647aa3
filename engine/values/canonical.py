"""Canonical JSON, after RFC 8785: one sequence of bytes for one content, and the digest of it."""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata

from gpurules.engine.values.problem import CONTROL

_STEERING = re.compile(f"[{''.join(re.escape(chr(c)) for c in CONTROL if c not in (9, 10, 13))}\\ud800-\\udfff]")
"""Such characters stand in the strings of JSON text alone; of those below 32 there are none in it."""


def dumps(content: object) -> str:
    """Canonical JSON text: keys in code-point order, NFC, shortest numbers, no −0.0. Raises ValueError for NaN and infinity."""
    return "".join(_pieces(content))


def printed(text: str) -> str:
    """JSON text for a terminal: what could steer it, or reverse a line, as escapes, which read back as the same content."""
    return _STEERING.sub(lambda found: json.dumps(found[0])[1:-1], text)


def digest(content: object) -> str:
    """`sha256:` and the hexadecimal SHA-256 of the canonical text."""
    return "sha256:" + hashlib.sha256(dumps(content).encode("utf-8")).hexdigest()


def _pieces(content: object) -> list[str]:
    match content:
        case None:
            return ["null"]
        case bool():
            return ["true" if content else "false"]
        case int():
            return [str(content)]
        case float():
            return [_number(content)]
        case str():
            return [_text(content)]
        case list() | tuple():
            parts = ["["]
            for index, item in enumerate(content):
                parts += [","] * (index > 0) + _pieces(item)
            return [*parts, "]"]
        case dict():
            parts = ["{"]
            for index, key in enumerate(sorted(content, key=lambda k: unicodedata.normalize("NFC", k))):
                parts += [","] * (index > 0) + [_text(key), ":", *_pieces(content[key])]
            return [*parts, "}"]
    raise TypeError(f"{type(content).__name__} has no place in JSON")


def _text(text: str) -> str:
    return json.dumps(unicodedata.normalize("NFC", text), ensure_ascii=False)


def _number(number: float) -> str:
    """The shortest text that reads back as the same number, spelt as ECMAScript spells it."""
    if math.isnan(number) or math.isinf(number):
        raise ValueError("NaN and infinity have no place in JSON")
    if number == 0:
        return "0"
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    mantissa, _, exponent = repr(number).partition("e")
    power = int(exponent or 0)
    if number.is_integer() and abs(number) < 1e21:
        if not exponent:
            return str(int(number))
        return mantissa.replace(".", "") + "0" * (power - len(mantissa.partition(".")[2]))
    if not exponent and abs(number) >= 1e-6:
        return mantissa
    digits = mantissa.replace(".", "").lstrip("-")
    whole = len(mantissa.lstrip("-").split(".")[0])
    if not exponent:
        stripped = digits.lstrip("0")
        power = whole - 1 - (len(digits) - len(stripped))
        digits = stripped
    digits = digits.rstrip("0") or "0"
    sign = "-" if number < 0 else ""
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if power > 0 else '-'}{abs(power)}"
