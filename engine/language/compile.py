"""Checked trees to Python functions of a list of values. The trees become Python's own syntax trees; no text is ever run.

A value in the list is an Interval, a frozenset of members, or a table; a name's slot is its index. Conditions
return Truth, arithmetic an Interval. Where every leaf enters an arithmetic expression with one sign and one of them
enters twice, the ends are computed from the matching ends of the leaves, so that the repetition costs no width.
"""

from __future__ import annotations

import ast
import marshal
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any as Anything

from gpurules.engine.language import syntax
from gpurules.engine.language.monotony import signs
from gpurules.engine.language.syntax import All, Any, Arithmetic, Call, Comparison, Membership, Name, Negative, Node, Not, Number, Text
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth, negation

Members = frozenset[str]


class Table(dict[tuple[str, ...], Interval]):
    """Rows of a table parameter, one for every combination of its keys' members. Rows never change once it is made."""

    def __init__(self, rows: Iterable[tuple[tuple[str, ...], Interval]] = ()) -> None:
        super().__init__(rows)
        self._found: dict[tuple[Members, ...], Interval] = {}

    def lookup(self, *keys: Members) -> Interval:
        """The row, or the hull of the rows that undetermined keys leave possible."""
        found = self._found.get(keys)
        if found is None:
            found = interval.hull(*(row for key, row in self.items() if all(k in allowed for k, allowed in zip(key, keys, strict=True))))
            if len(self._found) < _REMEMBERED:
                self._found[keys] = found
        return found


_REMEMBERED = 1000
"""Answers that a table keeps."""
Value = Interval | Members | Table
Values = Sequence[Value]
Function = Callable[[Values], Anything]


def member_of(value: Members, members: Members) -> Truth:
    if value <= members:
        return YES
    return NO if value.isdisjoint(members) else DEPENDS


_GLOBALS: dict[str, Anything] = {
    "YES": YES, "NO": NO, "DEPENDS": DEPENDS, "Interval": Interval, "negation": negation, "member_of": member_of,
    "greater": interval.greater, "at_least": interval.at_least, "equal": interval.equal, "add": interval.add,
    "subtract": interval.subtract, "multiply": interval.multiply, "divide": interval.divide, "negative": interval.negative,
    "minimum": interval.minimum, "maximum": interval.maximum, "hull": interval.hull, "ceil": interval.ceil,
    "floor": interval.floor, "nearest_whole": interval.nearest_whole, "log2": interval.log2, "divides": interval.divides,
}  # fmt: skip
_OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_COMPARISONS = {">": ("greater", False), "<": ("greater", True), ">=": ("at_least", False), "<=": ("at_least", True)}
_FUNCTIONS = {"ceil": "ceil", "floor": "floor", "round": "nearest_whole", "log2": "log2", "divides": "divides", "hull": "hull"}


@dataclass(frozen=True, slots=True)
class Atom:
    """One comparison of a condition: its tree, truth, and the values on its sides (functions of the values list)."""

    tree: Node
    truth: Function
    left: Function
    right: Function | None
    reads: tuple[tuple[str, int], ...]
    """Names and slots of its leaves."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A compiled condition: the truth of the whole, and its parts down to the atoms."""

    tree: Node
    truth: Function
    parts: tuple[Condition, ...]
    atom: Atom | None

    def atoms(self) -> tuple[Atom, ...]:
        return (self.atom,) if self.atom else tuple(a for part in self.parts for a in part.atoms())

    def causes(self, values: Values) -> tuple[str, ...]:
        """Names of the wide leaves that can settle a *depends*; of a connective, those of its *depends* parts."""
        if self.truth(values) is not DEPENDS:
            return ()
        if self.atom is None:
            return tuple(dict.fromkeys(name for part in self.parts for name in part.causes(values)))
        return tuple(name for name, slot in self.atom.reads if wide(values[slot]))


def wide(value: Value) -> bool:
    """Whether narrowing could still change the value."""
    if isinstance(value, Interval):
        return value.low != value.high
    return not isinstance(value, Table) and len(value) > 1


class Bundle:
    """Functions compiled together. It is stored as Python's own code, and made again from that."""

    __slots__ = ("code", "functions")

    def __init__(self) -> None:
        self.code: CodeType | None = None
        self.functions: list[Function] = []

    def fill(self, code: CodeType) -> None:
        """Make the functions of `code`, an expression that lists them; built from checked trees, never from text."""
        self.code = code
        self.functions.extend(eval(code, dict(_GLOBALS)))

    def __reduce__(self) -> tuple[Callable[[bytes], Bundle], tuple[bytes]]:
        return _restored, (marshal.dumps(self.code),)


def _restored(stored: bytes) -> Bundle:
    bundle = Bundle()
    bundle.fill(marshal.loads(stored))
    return bundle


class Late:
    """One function of a bundle; it may be handed out before the bundle is filled."""

    __slots__ = ("bundle", "index")

    def __init__(self, bundle: Bundle, index: int) -> None:
        self.bundle, self.index = bundle, index

    def __call__(self, values: Values) -> Anything:
        return self.bundle.functions[self.index](values)

    def __reduce__(self) -> tuple[type[Late], tuple[Bundle, int]]:
        return Late, (self.bundle, self.index)


class Compiler:
    """Collects expressions and compiles them together. Handed-out functions work once `finish` was called."""

    def __init__(self) -> None:
        self._sources: list[ast.expr] = []
        self._bundle = Bundle()

    def scope(self, names: Mapping[str, tuple[str, int]], ranges: Mapping[str, Interval]) -> Scope:
        """A view of the compiler in which local names stand for (global name, slot), numeric ones with their range."""
        return Scope(self, names, ranges)

    def add(self, source: ast.expr) -> Function:
        self._sources.append(source)
        return Late(self._bundle, len(self._sources) - 1)

    def finish(self) -> None:
        body = ast.Expression(ast.List([_lambda(s) for s in self._sources], ast.Load()))
        self._bundle.fill(compile(ast.fix_missing_locations(body), "<rulebook>", "eval"))
        self._sources.clear()


class Scope:
    """Turns checked trees into functions, each name read from its slot."""

    def __init__(self, compiler: Compiler, names: Mapping[str, tuple[str, int]], ranges: Mapping[str, Interval]) -> None:
        self._compiler, self._names, self._ranges = compiler, names, ranges

    def condition(self, tree: Node) -> Condition:
        parts = tuple(self.condition(p) for p in syntax.children(tree)) if syntax.connective(tree) else ()
        atom = None if parts else self._atom(tree)
        return Condition(tree, atom.truth if atom else self._compiler.add(self._truth(tree, 0)), parts, atom)

    def number(self, tree: Node) -> Function:
        return self._compiler.add(self._number(tree))

    def late(self, tree: Node) -> Function:
        """A number compiled on its own, after the others were finished."""
        compiler = Compiler()
        function = Scope(compiler, self._names, self._ranges).number(tree)
        compiler.finish()
        return function

    def value(self, tree: Node) -> Function:
        """A number, or the value of a name of any kind."""
        return self._compiler.add(self._value(tree))

    def _atom(self, tree: Node) -> Atom:
        match tree:
            case Comparison(_, left, right):
                sides = left, None if isinstance(right, Text) else right
                if isinstance(left, Text):
                    sides = right, None
            case Membership(subject, _, _):
                sides = subject, None
            case Call(_, (a, b)):
                sides = a, b
            case _:
                sides = tree, None
        left_function = self._compiler.add(self._value(sides[0]))
        right_function = None if sides[1] is None else self._compiler.add(self._value(sides[1]))
        return Atom(tree, self._compiler.add(self._truth(tree, 0)), left_function, right_function, tuple(self._names[n] for n in syntax.names(tree)))

    def _value(self, node: Node) -> ast.expr:
        return self._slot(node.path) if isinstance(node, Name) else self._number(node)

    def _slot(self, path: str) -> ast.expr:
        return ast.Subscript(ast.Name("v", ast.Load()), ast.Constant(self._names[path][1]), ast.Load())

    def _truth(self, node: Node, depth: int) -> ast.expr:
        match node:
            case All(parts):
                return self._fold([self._truth(p, depth + 2 * i + 2) for i, p in enumerate(parts)], "NO", "YES", depth)
            case Any(parts):
                return self._fold([self._truth(p, depth + 2 * i + 2) for i, p in enumerate(parts)], "YES", "NO", depth)
            case Not(operand):
                return _call("negation", self._truth(operand, depth))
            case Membership(subject, members, negated):
                test = _call("member_of", self._value(subject), _members(members))
                return _call("negation", test) if negated else test
            case Comparison(operator, Text(member), other) | Comparison(operator, other, Text(member)):
                test = _call("member_of", self._value(other), _members([member]))
                return _call("negation", test) if operator == "!=" else test
            case Comparison("==" | "!=" as operator, left, right):
                test = _call("equal", self._number(left), self._number(right))
                return _call("negation", test) if operator == "!=" else test
            case Comparison(operator, left, right):
                name, swapped = _COMPARISONS[operator]
                pair = (right, left) if swapped else (left, right)
                return _call(name, self._number(pair[0]), self._number(pair[1]))
            case Call("divides", (a, b)):
                return _call("divides", self._number(a), self._number(b))
            case Name(path):
                return _call("member_of", self._slot(path), _members(["yes"]))
        raise TypeError(f"no condition: {node!r}")

    def _fold(self, parts: list[ast.expr], decisive: str, neutral: str, depth: int) -> ast.expr:
        """`decisive` as soon as one part is; `neutral` when all are; else DEPENDS. Later parts wait for earlier ones."""
        held = [f"t{depth}_{i}" for i in range(len(parts))]
        assigned = [ast.NamedExpr(ast.Name(h, ast.Store()), p) for h, p in zip(held, parts, strict=True)]
        first = ast.BoolOp(ast.Or(), [_is(a, decisive) for a in assigned])
        rest = ast.BoolOp(ast.And(), [_is(ast.Name(h, ast.Load()), neutral) for h in held])
        if len(parts) == 1:
            return parts[0]
        return ast.IfExp(first, _name(decisive), ast.IfExp(rest, _name(neutral), _name("DEPENDS")))

    def _number(self, node: Node) -> ast.expr:
        leaves = Counter(n.path for n in syntax.walk(node) if isinstance(n, Name))
        if any(count > 1 for count in leaves.values()):
            found = signs(node, self._ranges)
            if all(found.get(path) in (1, -1) for path in leaves):
                low = self._arithmetic(node, {path: 0 if sign == 1 else 1 for path, sign in found.items() if sign})
                high = self._arithmetic(node, {path: 1 if sign == 1 else 0 for path, sign in found.items() if sign})
                return _call("Interval", ast.Subscript(low, ast.Constant(0), ast.Load()), ast.Subscript(high, ast.Constant(1), ast.Load()))
        return self._arithmetic(node, {})

    def _arithmetic(self, node: Node, ends: Mapping[str, int]) -> ast.expr:
        match node:
            case Name(path):
                slot = self._slot(path)
                if path not in ends:
                    return slot
                end = ast.Subscript(slot, ast.Constant(ends[path]), ast.Load())
                return _call("Interval", end, end)
            case Number(value):
                return _call("Interval", ast.Constant(value), ast.Constant(value))
            case Negative(operand):
                return _call("negative", self._arithmetic(operand, ends))
            case Arithmetic(operator, left, right):
                return _call(_OPERATORS[operator], self._arithmetic(left, ends), self._arithmetic(right, ends))
            case Call("min" | "max" as name, arguments):
                parts: list[ast.expr] = [self._arithmetic(a, ends) for a in arguments]
                return _call("minimum" if name == "min" else "maximum", ast.Tuple(parts, ast.Load()))
            case Call("lookup", (Name(table), *keys)):
                function = ast.Attribute(self._slot(table), "lookup", ast.Load())
                return ast.Call(function, [self._value(k) for k in keys], [])
            case Call(name, arguments):
                return _call(_FUNCTIONS[name], *(self._arithmetic(a, ends) for a in arguments))
        raise TypeError(f"no number: {node!r}")


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(function: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_name(function), list(arguments), [])


def _is(value: ast.expr, constant: str) -> ast.expr:
    return ast.Compare(value, [ast.Is()], [_name(constant)])


def _members(members: Iterable[str]) -> ast.expr:
    constant = ast.Constant(None)
    constant.value = frozenset(members)  # type: ignore[assignment]  # the compiler takes frozen sets, its stubs do not say so
    return constant


def _lambda(body: ast.expr) -> ast.expr:
    arguments = ast.arguments(posonlyargs=[], args=[ast.arg("v")], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(arguments, body)
