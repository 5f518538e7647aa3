"""Expressions as text and as trees: a small subset of Python's syntax, read with the standard `ast`, never run as text."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from gpurules.engine.values.problem import printable

MAX_LENGTH, MAX_DEPTH = 1000, 40
FUNCTIONS = {
    "min": (1, 8), "max": (1, 8), "hull": (2, 8), "ceil": (1, 1), "floor": (1, 1), "round": (1, 1), "log2": (1, 1),
    "lookup": (2, 5), "divides": (2, 2),
}  # fmt: skip
"""The closed table of functions: name -> least and most arguments."""
AGGREGATES = {"any_accepted": 0, "min_over": 1, "best": 1}
"""What may be said of all machines together: name -> figures of a machine that it takes. `aggregate` has more."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression. `span` is where it stood in its text (characters), and never matters for equality."""

    span: Span = field(default=(0, 0), compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A fact or parameter by its dotted name."""

    path: str


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: float


@dataclass(frozen=True, slots=True)
class Text(Node):
    value: str


@dataclass(frozen=True, slots=True)
class Negative(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    operator: str  # + - * /
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    operator: str  # < <= > >= == !=
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Membership(Node):
    subject: Node
    members: tuple[str, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class All(Node):
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Any(Node):
    parts: tuple[Node, ...]


class SyntaxFault(ValueError):
    """Text that is no expression: what is wrong, how to mend it, and the character it starts at."""

    def __init__(self, message: str, mend: str, offset: int = 0) -> None:
        self.message, self.mend, self.offset = message, mend, max(0, offset)
        super().__init__(message)


# ---------------------------------------------------------------- text -> tree

_ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARISON: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_ALLOWED = "allowed are names, strings, + - * /, comparisons, in (...), and/or/not, and calls of " + ", ".join(sorted((*FUNCTIONS, *AGGREGATES)))


def parse(text: str) -> Node:
    """The tree that `text` spells. Raises SyntaxFault at the first thing that is not part of the language."""
    if len(text) > MAX_LENGTH:
        raise SyntaxFault(f"expression of {len(text)} characters", f"split it: at most {MAX_LENGTH} characters; use all: with several lines")
    flat = "".join(" " if c in "\r\n\t" else c for c in text)
    lead = len(flat) - len(flat.lstrip())
    source = flat.strip()
    if not source:
        raise SyntaxFault("empty expression", "write a condition, e.g. gpu.count > 1")
    glued = _GLUED.search(_STRING.sub(lambda found: "'" * len(found.group()), source)) or _ESCAPE.search(source)
    if glued:  # Python reads some of these with a warning
        raise SyntaxFault("not an expression of the rule language", _slip(source), lead + glued.start())
    try:
        body = ast.parse(source, mode="eval").body
    except SyntaxError as error:
        raise SyntaxFault("not an expression of the rule language", _slip(source), lead + _stumble(source, error)) from None
    except (ValueError, RecursionError, MemoryError, OverflowError):
        raise SyntaxFault("not an expression", _ALLOWED, lead) from None
    end = body.end_col_offset or 0
    comment = source.encode()[end:].find(b"#")
    if comment >= 0:
        raise SyntaxFault("a comment inside an expression", "write it after # outside of the quotes", lead + len(source.encode()[: end + comment].decode()))
    return _Reader(source, lead).read(body, 0)


def _stumble(source: str, error: SyntaxError) -> int:
    """The character at which reading stopped; the end where more was awaited."""
    if not error.offset or (error.lineno or 1) > 1:
        return len(source)
    return min(len(source), error.offset - 1)


_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_GLUED = re.compile(r"(?<![\w.])(?>\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?>(?:[eE][+-]?\d[\d_]*)?)[^\W\d]")
"""A number and the letter that follows it: `24GB`, `1and`, `0x10`."""
_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\(?![\\'\"abfnrtvxuUN])")
"""A backslash that begins no escape."""
_SLIPS = (
    (r"(?<![<>=!])=(?![=])", "compare with ==; a single = has no meaning here"),
    (r"&&|\|\||(?<!\w)(?:AND|OR|NOT)(?!\w)", "write and, or, not"),
    (r"(?<![\w.])\d[\d.,]*\s*(?:%|[A-Za-z])", "name the figure under parameters:, with unit, source and date, and write its name here"),
    (r"=<|=>|<>", "comparisons are < <= > >= == !="),
    (r"[“”‘’，（）]", "write plain quotes, commas and brackets: ' , ( )"),
)


def _slip(source: str) -> str:
    """What to write instead of a common slip."""
    outside = _STRING.sub("''", source)
    return next((mend for pattern, mend in _SLIPS if re.search(pattern, outside)), _ALLOWED)


class _Reader:
    def __init__(self, source: str, lead: int) -> None:
        self.source, self.lead = source, lead
        self.bytes = source.encode()

    def _characters(self, byte_offset: int) -> int:
        return len(self.bytes[:byte_offset].decode("utf-8", "ignore"))

    def _span(self, node: ast.expr) -> Span:
        return self._characters(node.col_offset) + self.lead, self._characters(node.end_col_offset or node.col_offset) + self.lead

    def _fault(self, node: ast.expr, message: str, mend: str = _ALLOWED) -> SyntaxFault:
        return SyntaxFault(message, mend, self._span(node)[0])

    def read(self, node: ast.expr, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self._fault(node, "expression is nested too deeply", f"split it: at most {MAX_DEPTH} levels")
        span = self._span(node)
        match node:
            case ast.Name(id=name):
                return Name(name, span=span)
            case ast.Attribute():
                return Name(self._dotted(node), span=span)
            case ast.Constant(value=bool()):
                raise self._fault(node, "True and False are not part of the language", "write the yes/no fact alone, or 'not' before it")
            case ast.Constant(value=int() | float() as number):
                return Number(self._finite(node, number), span=span)
            case ast.Constant(value=str() as word):
                return Text(word, span=span)
            case ast.UnaryOp(op=ast.USub()):
                return Negative(self.read(node.operand, depth + 1), span=span)
            case ast.UnaryOp(op=ast.Not()):
                return Not(self.read(node.operand, depth + 1), span=span)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                return Arithmetic(_ARITHMETIC[type(node.op)], self.read(node.left, depth + 1), self.read(node.right, depth + 1), span=span)
            case ast.BoolOp():
                return self._connective(node, depth, span)
            case ast.Compare():
                return self._comparison(node, depth, span)
            case ast.Call(func=ast.Name(id=function), keywords=[]) if function in AGGREGATES:
                return Name(f"{function}({', '.join(self._figures(node, function))})", span=span)
            case ast.Call(func=ast.Name(id=function), keywords=[]):
                arguments = tuple(self.read(a, depth + 1) for a in node.args)
                return Call(function, arguments, span=span)
        start, end = self._span(node)
        raise self._fault(node, f"'{printable(self.source[start - self.lead : end - self.lead], 40)}' is not part of the rule language")

    def _figures(self, node: ast.Call, function: str) -> list[str]:
        """The figures of a machine that an aggregate is taken over."""
        found = [self._dotted(a) for a in node.args if isinstance(a, ast.Attribute)]
        if len(found) != len(node.args) or len(found) != AGGREGATES[function] or not all(f.startswith("candidate.") for f in found):
            written = f"{function}(candidate.power)" if AGGREGATES[function] else f"{function}()"
            raise self._fault(node, f"{function} looks at all machines together, and at one figure of each at most", f"write {written}")
        return found

    def _finite(self, node: ast.expr, number: int | float) -> float:
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if math.isinf(value):
            raise self._fault(node, "number is too large", "name it as a parameter, with unit and source")
        return value

    def _dotted(self, node: ast.Attribute) -> str:
        parts: list[str] = [node.attr]
        inner = node.value
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if not isinstance(inner, ast.Name):
            raise self._fault(node, "only dotted names have parts", "write a fact such as gpu.count")
        return ".".join([inner.id, *reversed(parts)])

    def _connective(self, node: ast.BoolOp, depth: int, span: Span) -> Node:
        for value in node.values:
            if isinstance(value, ast.BoolOp) and not self._bracketed(value):
                raise self._fault(value, "'and' mixed with 'or' without brackets", "put brackets around one of them: a and (b or c)")
        parts = tuple(self.read(v, depth + 1) for v in node.values)
        return All(parts, span=span) if isinstance(node.op, ast.And) else Any(parts, span=span)

    def _bracketed(self, node: ast.expr) -> bool:
        before = self.bytes[: node.col_offset].decode().rstrip()
        after = self.bytes[node.end_col_offset :].decode().lstrip()
        return before.endswith("(") and after.startswith(")")

    def _comparison(self, node: ast.Compare, depth: int, span: Span) -> Node:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            if len(node.ops) > 1:
                raise self._fault(node, "'in' cannot be chained", "write two conditions joined by and")
            members = self._members(node.comparators[0])
            return Membership(self.read(node.left, depth + 1), members, isinstance(node.ops[0], ast.NotIn), span=span)
        operands = [node.left, *node.comparators]
        parts: list[Node] = []
        for operator, left, right in zip(node.ops, operands, operands[1:], strict=False):
            if type(operator) not in _COMPARISON:
                raise self._fault(node, "'is' is not part of the language" if not isinstance(operator, ast.In | ast.NotIn) else "'in' cannot be chained")
            start, end = self._span(left)[0], self._span(right)[1]
            parts.append(Comparison(_COMPARISON[type(operator)], self.read(left, depth + 1), self.read(right, depth + 1), span=(start, end)))
        return parts[0] if len(parts) == 1 else All(tuple(parts), span=span)

    def _members(self, node: ast.expr) -> tuple[str, ...]:
        elements = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        words: list[str] = []
        for element in elements:
            if not (isinstance(element, ast.Constant) and isinstance(element.value, str)):
                raise self._fault(element, "after 'in' stands a bracket of strings", "write in ('lora', 'qlora')")
            words.append(element.value)
        if not words:
            raise self._fault(node, "an empty bracket has no members", "write in ('lora', 'qlora')")
        return tuple(dict.fromkeys(words))


# ---------------------------------------------------------------- tree -> text

_BINDING = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "/": 6, "negative": 7, "atom": 8}


def show(node: Node) -> str:
    """The text of a tree, with the fewest brackets; `parse(show(e)) == e`."""
    return _show(node)[0]


def _bracket(node: Node, least: int) -> str:
    text, binding = _show(node)
    return text if binding >= least else f"({text})"


def _show(node: Node) -> tuple[str, int]:
    match node:
        case Name(path):
            return path, _BINDING["atom"]
        case Number(value):
            return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value), _BINDING["atom"]
        case Text(value):
            return repr(value), _BINDING["atom"]
        case Negative(operand):
            return f"-{_bracket(operand, 7)}", _BINDING["negative"]
        case Arithmetic(operator, left, right):
            level = _BINDING[operator]
            return f"{_bracket(left, level)} {operator} {_bracket(right, level + 1)}", level
        case Call(function, arguments):
            return f"{function}({', '.join(show(a) for a in arguments)})", _BINDING["atom"]
        case Comparison(operator, left, right):
            return f"{_bracket(left, 5)} {operator} {_bracket(right, 5)}", _BINDING["compare"]
        case Membership(subject, members, negated):
            return f"{_bracket(subject, 5)} {'not in' if negated else 'in'} ({', '.join(repr(m) for m in members)})", _BINDING["compare"]
        case Not(operand):
            return f"not {_bracket(operand, 3)}", _BINDING["not"]
        case All(parts):
            return " and ".join(_bracket(p, 3) for p in parts), _BINDING["and"]
        case Any(parts):
            return " or ".join(_bracket(p, 3) for p in parts), _BINDING["or"]
    raise TypeError(f"no expression: {node!r}")


# ---------------------------------------------------------------- walking


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Negative(operand) | Not(operand):
            return (operand,)
        case Arithmetic(_, left, right) | Comparison(_, left, right):
            return left, right
        case Call(_, arguments):
            return arguments
        case Membership(subject, _, _):
            return (subject,)
        case All(parts) | Any(parts):
            return parts
    return ()


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from walk(child)


def names(node: Node) -> tuple[str, ...]:
    """Every fact or parameter that the tree reads, once each, in reading order."""
    return tuple(dict.fromkeys(n.path for n in walk(node) if isinstance(n, Name)))


def connective(node: Node) -> bool:
    return isinstance(node, All | Any | Not)
