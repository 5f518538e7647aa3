"""The emitter: conditions and arithmetic over the ends of intervals, written out as Python statements.

Where the vocabulary fixes that ends are finite and not negative, comparisons and arithmetic are written with bare operators;
everything else calls the functions of `values.interval`, so that both forms agree to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any as Anything

from gpurules.engine.inference.scalar import Procedure, Program
from gpurules.engine.language import syntax
from gpurules.engine.language.monotony import range_of
from gpurules.engine.language.syntax import All, Any, Arithmetic, Call, Comparison, Membership, Name, Negative, Node, Not, Number, Text
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval

Ends = tuple[str, str]
_FLIPPED = {"<": ">", "<=": ">="}
_CALLED = {"ceil": "ceil", "floor": "floor", "round": "nearest_whole", "log2": "log2"}


FUNCTIONS: Mapping[str, Anything] = {
    "Interval": Interval, "greater": interval.greater, "equal": interval.equal, "divides": interval.divides,
    "add": interval.add, "subtract": interval.subtract, "multiply": interval.multiply, "divide": interval.divide,
    "ceil": interval.ceil, "floor": interval.floor, "nearest_whole": interval.nearest_whole, "log2": interval.log2,
}  # fmt: skip
"""What the statements may call."""


class Emitter:
    """Collects statements. `l7, h7` hold the ends of slot 7, `s7` its members or table; names of rules carry truths 0, 1, 2."""

    def __init__(self, program: Program, inside: Iterable[str]) -> None:
        self.program = program
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.loaded: dict[int, bool] = {}
        self.derived = set(inside)
        self.constants: dict[str, Anything] = {}
        self.procedure: Procedure | None = None
        self.local_names: Mapping[str, str] = {}
        self.ranges: Mapping[str, Interval] = {}

    def emit(self, line: str) -> None:
        self.lines.append(" " * self.depth + line)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}_"

    def constant(self, value: Anything) -> str:
        name = f"C{len(self.constants)}"
        self.constants[name] = value
        return name

    def _slot(self, path: str) -> int:
        return self.program.slots[self.local_names.get(path, path)]

    def _load(self, path: str, numeric: bool) -> int:
        slot = self._slot(path)
        if path not in self.derived:
            self.loaded[slot] = numeric
        return slot

    # ------------------------------------------------------------ truths

    def truth(self, node: Node, target: str) -> None:
        match node:
            case All(parts):
                self._connective(parts, target, "if {0}:", "<")
            case Any(parts):
                self._connective(parts, target, "if {0} != 2:", ">")
            case Not(operand):
                self.truth(operand, target)
                self.emit(f"{target} = 2 - {target}")
            case Membership(subject, members, negated):
                self._member(subject, members, negated, target)
            case Comparison(operator, Text(member), other) | Comparison(operator, other, Text(member)):
                self._member(other, (member,), operator == "!=", target)
            case Comparison():
                self._compare(node, target)
            case Call("divides", (a, b)):
                (al, ah), (bl, bh) = self.number(a), self.number(b)
                self.emit(f"{target} = divides(({al}, {ah}), ({bl}, {bh}))")
            case Name():
                self._member(node, ("yes",), False, target)
            case _:
                raise TypeError(f"no condition: {node!r}")

    def _connective(self, parts: Sequence[Node], target: str, going_on: str, better: str) -> None:
        depth = self.depth
        self.truth(parts[0], target)
        for part in parts[1:]:
            self.emit(going_on.format(target))
            self.depth += 1
            held = self.fresh("t")
            self.truth(part, held)
            self.emit(f"if {held} {better} {target}: {target} = {held}")
        self.depth = depth

    def _member(self, subject: Node, members: Iterable[str], negated: bool, target: str) -> None:
        assert isinstance(subject, Name)
        value = f"s{self._load(subject.path, False)}"
        chosen = self.constant(frozenset(members))
        yes, no = (0, 2) if negated else (2, 0)
        self.emit(f"{target} = {yes} if {value} <= {chosen} else {no} if {value}.isdisjoint({chosen}) else 1")

    def _compare(self, node: Comparison, target: str) -> None:
        left, right, operator = node.left, node.right, node.operator
        if operator in _FLIPPED:
            left, right, operator = right, left, _FLIPPED[operator]
        (al, ah), (bl, bh) = self.number(left), self.number(right)
        if operator in ("==", "!="):
            self.emit(f"{target} = equal(({al}, {ah}), ({bl}, {bh}))")
            if operator == "!=":
                self.emit(f"{target} = 2 - {target}")
            return
        if not (self._plain(left) and self._plain(right)):
            test = f"greater(({al}, {ah}), ({bl}, {bh}))" if operator == ">" else f"2 - greater(({bl}, {bh}), ({al}, {ah}))"
            self.emit(f"{target} = {test}")
        elif operator == ">":
            self.emit(f"{target} = 2 if {al} - {bh} > 1e-12 * {al} else 1 if {ah} - {bl} > 1e-12 * {ah} else 0")
        else:
            self.emit(f"{target} = 0 if {bl} - {ah} > 1e-12 * {bl} else 1 if {bh} - {al} > 1e-12 * {bh} else 2")

    # ------------------------------------------------------------ numbers

    def _plain(self, node: Node) -> bool:
        """Whether the ends are surely finite and not negative, so that the shortest code is right."""
        low, high = range_of(node, self.ranges)
        return low >= 0 and high < math.inf and not any(isinstance(n, Call) and n.function not in ("min", "max", "hull") for n in syntax.walk(node))

    def number(self, node: Node) -> Ends:
        match node:
            case Name(path):
                slot = self._load(path, True)
                return f"l{slot}", f"h{slot}"
            case Number(value):
                return repr(value), repr(value)
        if self._repeats(node):
            return self._called(node)
        match node:
            case Negative(operand):
                low, high = self.number(operand)
                return self._hold(f"0.0 - {high}", f"0.0 - {low}")
            case Arithmetic(operator, left, right):
                return self._arithmetic(operator, left, right)
            case Call("min" | "max" as name, arguments):
                ends = [self.number(a) for a in arguments]
                return self._hold(f"{name}({', '.join(e[0] for e in ends)})", f"{name}({', '.join(e[1] for e in ends)})") if len(ends) > 1 else ends[0]
            case Call("hull", arguments):
                ends = [self.number(a) for a in arguments]
                return self._hold(f"min({', '.join(e[0] for e in ends)})", f"max({', '.join(e[1] for e in ends)})")
            case Call(name, (argument,)) if name in _CALLED:
                low, high = self.number(argument)
                return self._pair(f"{_CALLED[name]}(({low}, {high}))")
            case Call("lookup", (Name(table), *keys)):
                given = ", ".join(f"s{self._load(k.path, False)}" for k in keys if isinstance(k, Name))
                return self._pair(f"s{self._load(table, False)}.lookup({given})")
        raise TypeError(f"no number: {node!r}")

    def _arithmetic(self, operator: str, left: Node, right: Node) -> Ends:
        (al, ah), (bl, bh) = self.number(left), self.number(right)
        a, b = range_of(left, self.ranges), range_of(right, self.ranges)
        bounded = all(map(math.isfinite, (*a, *b)))
        if operator == "+" and bounded:
            return self._hold(f"{al} + {bl}", f"{ah} + {bh}")
        if operator == "-" and bounded:
            return self._hold(f"{al} - {bh}", f"{ah} - {bl}")
        if operator == "*" and bounded and a.low >= 0 and b.low >= 0:
            return self._hold(f"{al} * {bl}", f"{ah} * {bh}")
        if operator == "/" and bounded and a.low >= 0 and b.low > 0:
            return self._hold(f"{al} / {bh}", f"{ah} / {bl}")
        name = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}[operator]
        return self._pair(f"{name}(({al}, {ah}), ({bl}, {bh}))")

    def _hold(self, low: str, high: str) -> Ends:
        name = self.fresh("x")
        self.emit(f"l{name} = {low}")
        self.emit(f"h{name} = {high}")
        return f"l{name}", f"h{name}"

    def _pair(self, call: str) -> Ends:
        name = self.fresh("x")
        self.emit(f"l{name}, h{name} = {call}")
        return f"l{name}", f"h{name}"

    def _repeats(self, node: Node) -> bool:
        leaves = [n.path for n in syntax.walk(node) if isinstance(n, Name)]
        return len(leaves) != len(set(leaves))

    def _called(self, node: Node) -> Ends:
        """An expression with a repeated leaf: the compiler of expressions knows how to keep it narrow."""
        assert self.procedure is not None
        function = self.constant(self.procedure.scope.late(node))
        return self._pair(f"{function}(v)")
