"""Statements of arithmetic over the ends of intervals, as Python source made of slot numbers and constants.

Where the vocabulary fixes that ends are finite and not negative, arithmetic is written with bare operators; everything else
calls the functions of `values.interval`, so that both forms agree to the bit. A parameter that has one value for all time is
a constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any as Anything

from gpurules.engine.inference.scalar import Procedure, Program
from gpurules.engine.language import syntax
from gpurules.engine.language.monotony import range_of, signs
from gpurules.engine.language.syntax import Arithmetic, Call, Name, Negative, Node, Number
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval

Ends = tuple[str, str]
_SCALAR = {"ceil": "ceiling", "floor": "flooring", "min": "min", "max": "max"}
_GREAT, _NEAR, _DIVISIONS, _SIZE = 1e30, 1e-30, 4, 24
"""Leaves below the first, divisors beyond the second, and few of both: no float on the way is infinite."""
_CALLED = {"round": "nearest_whole", "log2": "log2"}


FUNCTIONS: Mapping[str, Anything] = {
    "greater": interval.greater, "equal": interval.equal, "divides": interval.divides,
    "add": interval.add, "subtract": interval.subtract, "multiply": interval.multiply, "divide": interval.divide,
    "ceiling": interval.ceiling, "flooring": interval.flooring,
    "nearest_whole": interval.nearest_whole, "log2": interval.log2,
}  # fmt: skip
"""What the statements may call."""
_FOLDED: Mapping[str, Callable[[Interval, Interval], Interval]] = {
    "+": interval.add, "-": interval.subtract, "*": interval.multiply, "/": interval.divide,
}  # fmt: skip


class Statements:
    """Collects statements. `l7, h7` hold the ends of slot 7, `s7` its members or table; names of rules carry truths 0, 1, 2.

    A slot is read where it is first needed, and again where that was inside a branch that may not have been taken.
    """

    def __init__(self, program: Program, inside: Iterable[str]) -> None:
        self.program = program
        self.lines: list[str] = []
        self._depth = 1
        self.count = 0
        self.loaded: dict[int, int] = {}
        self.derived = set(inside)
        self.read = set[int]()
        """Slots that are read, and not filled in here."""
        self.constants: dict[str, Anything] = {}
        self.procedure: Procedure | None = None
        self.local_names: Mapping[str, str] = {}
        self.ranges: Mapping[str, Interval] = {}
        self.fixed: Mapping[str, Interval] = {}
        """Parameters of the rule that have one value for all time."""

    @property
    def depth(self) -> int:
        """How far statements are set in."""
        return self._depth

    @depth.setter
    def depth(self, depth: int) -> None:
        self._depth = depth
        self.loaded = {slot: at for slot, at in self.loaded.items() if at <= depth}

    def emit(self, line: str) -> None:
        self.lines.append(" " * self._depth + line)

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
        if path not in self.derived and slot not in self.loaded:
            self.loaded[slot] = self._depth
            self.read.add(slot)
            self.emit(f"x = v[{slot}]; l{slot} = x[0]; h{slot} = x[1]" if numeric else f"s{slot} = v[{slot}]")  # quicker than unpacking
        return slot

    # ------------------------------------------------------------ numbers

    def _plain(self, node: Node) -> bool:
        """Whether the ends are surely finite and not negative, so that the shortest code is right."""
        low, high = range_of(node, self.ranges)
        return low >= 0 and high < math.inf and not any(isinstance(n, Call) and n.function not in ("min", "max", "hull") for n in syntax.walk(node))

    def _constant(self, node: Node) -> Interval | None:
        """The value of an expression over nothing but constants."""
        match node:
            case Name(path):
                return self.fixed.get(path)
            case Number(value):
                return Interval(value, value)
            case Arithmetic(operator, left, right) if not self._repeats(node):
                a, b = self._constant(left), self._constant(right)
                return None if a is None or b is None else _FOLDED[operator](a, b)
        return None

    def number(self, node: Node) -> Ends:
        constant = self._constant(node)
        if constant is not None and all(map(math.isfinite, constant)):
            return repr(constant.low), repr(constant.high)
        match node:
            case Name(path):
                slot = self._load(path, True)
                return f"l{slot}", f"h{slot}"
            case Number(value):
                return repr(value), repr(value)
        if self._laborious(node):
            return self._either(node)
        return self._compound(node)

    def _compound(self, node: Node) -> Ends:
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
            case Call("ceil" | "floor" as name, (argument,)):
                low, high = self.number(argument)
                return self._hold(f"{_SCALAR[name]}({low})", f"{_SCALAR[name]}({high})")
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
        if operator == "/" and bounded and a.low >= 0 and b.low == 0:
            name = self.fresh("x")
            self.emit(f"if {bl} > 0.0: l{name} = {al} / {bh}; h{name} = {ah} / {bl}")
            self.emit(f"else: l{name}, h{name} = divide(({al}, {ah}), ({bl}, {bh}))")
            return f"l{name}", f"h{name}"
        name = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}[operator]
        return self._pair(f"{name}(({al}, {ah}), ({bl}, {bh}))")

    # -------------------------------- expressions over exact numbers

    def _laborious(self, node: Node) -> bool:
        """Whether an expression calls functions, and none that may give an interval for exact numbers."""
        inside = list(syntax.walk(node))
        if any(isinstance(n, Call) and n.function not in _SCALAR for n in inside) or not all(self._bounded(n) for n in inside if isinstance(n, Name)):
            return False
        return self._repeats(node) or any(not self._inline(n) for n in inside)

    def _inline(self, node: Node) -> bool:
        """Whether one step of arithmetic is written with bare operators."""
        if not isinstance(node, Arithmetic):
            return not isinstance(node, Call) or node.function in ("min", "max")
        a, b = range_of(node.left, self.ranges), range_of(node.right, self.ranges)
        return all(map(math.isfinite, (*a, *b))) and (node.operator in "+-" or (a.low >= 0 and b.low >= 0))

    def _bounded(self, name: Name) -> bool:
        return all(-_GREAT < end < _GREAT for end in self.ranges[name.path])

    def _either(self, node: Node) -> Ends:
        """An expression in floats where every leaf is exact and no divisor near 0; as intervals otherwise. Both give the same.

        One that rises or falls with each of its leaves, of which one comes again, is written for both ends, whether they are exact or not.
        """
        leaves = [n for n in syntax.names(node) if n not in self.fixed]
        name, ready = self.fresh("x"), self.fresh("e")
        slots = [self._load(n, True) for n in leaves]
        fixed = all(self.fixed[n].exact for n in syntax.names(node) if n in self.fixed)
        divisions = sum(isinstance(n, Arithmetic) and n.operator == "/" for n in syntax.walk(node))
        if not fixed or divisions > _DIVISIONS or sum(1 for _ in syntax.walk(node)) > _SIZE:
            return self._compound(node)
        found = signs(node, self.ranges) if self._repeats(node) else {}
        rising = bool(found) and all(found.get(n) in (1, -1) for n in syntax.names(node))
        self.emit(f"{ready} = {'True' if rising else ' and '.join(f'l{s} == h{s}' for s in slots) or 'True'}")
        self.emit(f"if {ready}:")
        self.depth += 1
        self.emit("try:")
        self.depth += 1
        divisors: list[str] = []
        if rising:
            for end, other in (("l", "h"), ("h", "l")):
                value = self._scalar(node, divisors, {n: end if found[n] == 1 else other for n in leaves})
                self.emit(f"{end}{name} = {value} + 0.0")  # -0.0 becomes 0.0
        else:
            self.emit(f"l{name} = h{name} = {self._scalar(node, divisors, {})} + 0.0")
        if divisors:
            self.emit(f"{ready} = {' and '.join(f'not {-_NEAR!r} < {d} < {_NEAR!r}' for d in divisors)}")
        self.depth -= 1
        self.emit(f"except ZeroDivisionError: {ready} = False")
        self.depth -= 1
        self.emit(f"if not {ready}:")
        self.depth += 1
        low, high = self._compound(node)
        self.emit(f"l{name} = {low}; h{name} = {high}")
        self.depth -= 1
        return f"l{name}", f"h{name}"

    def _scalar(self, node: Node, divisors: list[str], ends: Mapping[str, str]) -> str:
        constant = self._constant(node)
        if constant is not None and constant.exact:
            return repr(constant.low)
        match node:
            case Name(path):
                return f"{ends.get(path, 'l')}{self._load(path, True)}"
            case Negative(operand):
                return f"(0.0 - {self._scalar(operand, divisors, ends)})"
            case Arithmetic("/", left, right):
                above, under = self._scalar(left, divisors, ends), self.fresh("d")
                self.emit(f"{under} = {self._scalar(right, divisors, ends)}")
                divisors.append(under)
                return f"({above} / {under})"
            case Arithmetic(operator, left, right):
                return f"({self._scalar(left, divisors, ends)} {operator} {self._scalar(right, divisors, ends)})"
            case Call(function, arguments):
                return f"{_SCALAR[function]}({', '.join(self._scalar(a, divisors, ends) for a in arguments)})"
        raise TypeError(f"no number: {node!r}")

    # -------------------------------- pieces

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
