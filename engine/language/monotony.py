"""Where an expression rises or falls with each of its leaves, judged from the ranges that the leaves may have."""

from __future__ import annotations

from collections.abc import Mapping

from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import Arithmetic, Call, Name, Negative, Node, Number
from gpurules.engine.values import interval
from gpurules.engine.values.interval import LINE, Interval

Signs = dict[str, int | None]
"""For each leaf: 1 where the expression never falls as it rises, -1 where it never rises, None where both happen."""


def signs(node: Node, ranges: Mapping[str, Interval]) -> Signs:
    """The sign with which each leaf enters `node`. `ranges` holds every numeric leaf's range in base units."""
    match node:
        case Name(path):
            return {path: 1}
        case Negative(operand):
            return _scaled(signs(operand, ranges), -1)
        case Arithmetic("+", left, right):
            return _joined(signs(left, ranges), signs(right, ranges))
        case Arithmetic("-", left, right):
            return _joined(signs(left, ranges), _scaled(signs(right, ranges), -1))
        case Arithmetic("*", left, right):
            by_right, by_left = _sign(right, ranges), _sign(left, ranges)
            return _joined(_scaled(signs(left, ranges), by_right), _scaled(signs(right, ranges), by_left))
        case Arithmetic("/", left, right):
            by_right, by_left = _sign(right, ranges), _sign(left, ranges)
            if 0.0 in range_of(right, ranges):
                by_right = None
            below = None if by_left is None or by_right is None else -by_left
            return _joined(_scaled(signs(left, ranges), by_right), _scaled(signs(right, ranges), below))
        case Call("lookup" | "divides" | "log2"):
            return dict.fromkeys(syntax.names(node))
        case Call(_, arguments):
            return _joined(*(signs(a, ranges) for a in arguments))
    return {}


def _sign(node: Node, ranges: Mapping[str, Interval]) -> int | None:
    low, high = range_of(node, ranges)
    return 1 if low >= 0 else -1 if high <= 0 else None


def range_of(node: Node, ranges: Mapping[str, Interval]) -> Interval:
    """Bounds of an expression over all values that its leaves may have."""
    match node:
        case Name(path):
            return ranges.get(path, LINE)
        case Number(value):
            return Interval(value, value)
        case Negative(operand):
            return interval.negative(range_of(operand, ranges))
        case Arithmetic(operator, left, right):
            function = {"+": interval.add, "-": interval.subtract, "*": interval.multiply, "/": interval.divide}[operator]
            return function(range_of(left, ranges), range_of(right, ranges))
        case Call("min" | "max" | "hull", arguments):
            parts = [range_of(a, ranges) for a in arguments]
            return interval.minimum(parts) if node.function == "min" else interval.maximum(parts) if node.function == "max" else interval.hull(*parts)
        case Call("lookup", (Name(table), *_)):
            return ranges.get(table, LINE)
    return LINE


def _scaled(found: Signs, by: int | None) -> Signs:
    return {path: None if sign is None or by is None else sign * by for path, sign in found.items()}


def _joined(*found: Signs) -> Signs:
    joined: Signs = {}
    for part in found:
        for path, sign in part.items():
            joined[path] = sign if joined.get(path, sign) == sign else None
    return joined
