"""Checking expressions against a scope: names, kinds, units, ranges and bare numbers, every fault at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import All, Any, Arithmetic, Call, Comparison, Membership, Name, Negative, Node, Not, Number, Span, Text
from gpurules.engine.values import unit as units
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import did_you_mean, printable
from gpurules.engine.values.unit import NUMBER, Dimension


@dataclass(frozen=True, slots=True)
class NumberType:
    """An interval: its dimension and the range that its values may have, in base units."""

    dimension: Dimension
    range: Interval


@dataclass(frozen=True, slots=True)
class EnumType:
    """A subset of `members`. `boolean` marks yes/no facts, which are conditions on their own."""

    members: tuple[str, ...]
    boolean: bool = False


@dataclass(frozen=True, slots=True)
class TableType:
    """A table parameter: the enumerations of its keys, and the type of its rows."""

    keys: tuple[tuple[str, ...], ...]
    row: NumberType


@dataclass(frozen=True, slots=True)
class TruthType:
    """A condition: yes, no or depends."""


Type = NumberType | EnumType | TableType | TruthType
TRUTH = TruthType()
Scope = Mapping[str, Type]
"""What each name means; facts by their path, parameters by their own name."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault of an expression: where in its text, a stable code, what is wrong, how to mend it."""

    span: Span
    code: str
    message: str
    mend: str


ANY_ZERO = NumberType((("*", 1),), Interval(0.0, 0.0))
"""The literal 0, which fits any unit."""


def check(tree: Node, scope: Scope, wanted: type[TruthType] | type[NumberType] | type[EnumType]) -> tuple[Type | None, tuple[Fault, ...]]:
    """The type of `tree`, and every fault found. The type is None where a fault hides it."""
    checker = _Checker(scope)
    found = checker.type_of(tree)
    if found is not None and not isinstance(found, wanted):
        if wanted is TruthType and isinstance(found, EnumType) and found.boolean:
            found = TRUTH
        else:
            checker.fault(tree, "GR104", f"'{_short(tree)}' is {_words(found)}, where {_WANTED[wanted]} is wanted", _MEND[wanted])
            found = None
    return found, tuple(sorted(set(checker.faults)))


_WANTED = {TruthType: "a condition", NumberType: "a number", EnumType: "a member of an enumeration"}
_MEND = {
    TruthType: "write a comparison, e.g. gpu.count > 1, or fact in ('a', 'b')",
    NumberType: "write an arithmetic expression over numeric facts and parameters",
    EnumType: "write one of its members as a string",
}


_TABLE = "a table is read with lookup(table, key)"


def _words(kind: Type) -> str:
    match kind:
        case NumberType(dimension, _):
            return "the number 0" if kind is ANY_ZERO else units.describe(dimension)
        case EnumType():
            return "an enumeration"
        case TableType():
            return "a table"
        case TruthType():
            return "a condition"


def _short(node: Node) -> str:
    return printable(syntax.show(node), 60)


class _Checker:
    def __init__(self, scope: Scope) -> None:
        self.scope, self.faults = scope, list[Fault]()

    def fault(self, node: Node, code: str, message: str, mend: str) -> None:
        self.faults.append(Fault(node.span, code, message, mend))

    def type_of(self, node: Node) -> Type | None:
        match node:
            case Name(path):
                found = self.scope.get(path)
                if found is None:
                    near = did_you_mean(path, self.scope, "facts are listed in schemas/vocabulary; parameters stand in the rule")
                    self.fault(node, "GR101", f"unknown fact or parameter '{printable(path)}'", near)
                return found
            case Number(value):
                if value not in (0.0, 1.0):
                    self.fault(node, "GR102", f"bare number {_short(node)}", "name it under parameters:, with unit, source and date")
                return ANY_ZERO if value == 0 else NumberType(NUMBER, Interval(value, value))
            case Text():
                self.fault(node, "GR104", f"the string {_short(node)} stands alone", "compare it with a fact: fact == 'member'")
                return None
            case Negative(operand):
                return self._number(operand)
            case Arithmetic():
                return self._arithmetic(node)
            case Call():
                return self._call(node)
            case Comparison():
                self._comparison(node)
            case Membership(subject, members, _):
                self._members(node, subject, members)
            case Not(operand):
                self._truth(operand)
            case All(parts) | Any(parts):
                for part in parts:
                    self._truth(part)
        return TRUTH

    def _truth(self, node: Node) -> None:
        found = self.type_of(node)
        if found is None or isinstance(found, TruthType) or (isinstance(found, EnumType) and found.boolean):
            return
        self.fault(node, "GR104", f"'{_short(node)}' is {_words(found)}, where a condition is wanted", _MEND[TruthType])

    def _number(self, node: Node) -> NumberType | None:
        found = self.type_of(node)
        if found is None or isinstance(found, NumberType):
            return found
        mend = _TABLE if isinstance(found, TableType) else "compare members with == or in (...)"
        self.fault(node, "GR103", f"'{_short(node)}' is {_words(found)}, where a number is wanted", mend)
        return None

    def _same(self, node: Node, parts: Iterable[Node], what: str) -> NumberType | None:
        """The common type of `parts`; literal 0 fits any."""
        common: NumberType | None = None
        for part in parts:
            found = self._number(part)
            if found is None:
                return None
            if common is None or common is ANY_ZERO:
                common = found
            elif found is not ANY_ZERO and found.dimension != common.dimension:
                self.fault(
                    node,
                    "GR105",
                    f"{what} {units.describe(common.dimension)} and {units.describe(found.dimension)} in '{_short(node)}'",
                    "bring both to one unit; units convert themselves, dimensions do not",
                )
                return None
        return common

    def _arithmetic(self, node: Arithmetic) -> NumberType | None:
        if node.operator in "+-":
            return self._same(node, (node.left, node.right), "adding" if node.operator == "+" else "subtracting")
        left, right = self._number(node.left), self._number(node.right)
        if left is None or right is None:
            return None
        if right is ANY_ZERO and node.operator == "/":
            self.fault(node.right, "GR106", "division by 0", "divide by a fact or parameter")
            return None
        dimension = units.product(() if left is ANY_ZERO else left.dimension, () if right is ANY_ZERO else right.dimension, 1 if node.operator == "*" else -1)
        return NumberType(dimension, Interval(float("-inf"), float("inf")))

    def _call(self, node: Call) -> Type | None:
        if node.function not in syntax.FUNCTIONS:
            mend = did_you_mean(node.function, syntax.FUNCTIONS, "functions are " + ", ".join(sorted(syntax.FUNCTIONS)))
            self.fault(node, "GR107", f"unknown function '{printable(node.function)}'", mend)
            return None
        least, most = syntax.FUNCTIONS[node.function]
        if not least <= len(node.arguments) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            self.fault(
                node,
                "GR107",
                f"{node.function} takes {wanted} argument{'' if wanted == '1' else 's'}, not {len(node.arguments)}",
                "see the functions in docs/rules.md",
            )
            return None
        if node.function == "lookup":
            return self._lookup(node)
        if node.function in ("min", "max", "hull"):
            return self._same(node, node.arguments, f"{node.function} over")
        for argument in node.arguments:
            found = self._number(argument)
            if found is not None and found is not ANY_ZERO and found.dimension != NUMBER:
                self.fault(
                    argument,
                    "GR105",
                    f"{node.function} takes plain numbers, '{_short(argument)}' is {units.describe(found.dimension)}",
                    "divide by a parameter of the same unit first",
                )
                return None
        return TRUTH if node.function == "divides" else NumberType(NUMBER, Interval(float("-inf"), float("inf")))

    def _lookup(self, node: Call) -> Type | None:
        table = self.type_of(node.arguments[0])
        keys = node.arguments[1:]
        if table is None:
            return None
        if not isinstance(table, TableType):
            self.fault(node.arguments[0], "GR108", f"'{_short(node.arguments[0])}' is {_words(table)}, not a table", "name a parameter with keys: and rows:")
            return None
        if len(keys) != len(table.keys):
            self.fault(
                node,
                "GR108",
                f"the table is read with {len(table.keys)} key{'' if len(table.keys) == 1 else 's'}, not {len(keys)}",
                "give one fact for each key",
            )
            return None
        for key, members in zip(keys, table.keys, strict=True):
            found = self.type_of(key)
            if found is not None and (not isinstance(found, EnumType) or set(found.members) != set(members)):
                self.fault(key, "GR108", f"'{_short(key)}' is not the fact that the table's key names", "give the facts in the order of keys:")
        return table.row

    def _comparison(self, node: Comparison) -> None:
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, Text):
                if isinstance(one, Text) or node.operator not in ("==", "!="):
                    self.fault(node, "GR103", f"'{_short(node)}' compares text", "text has == and != with a fact, no order")
                else:
                    self._members(node, one, (other.value,))
                return
        left, right = self.type_of(node.left), self.type_of(node.right)
        if left is None or right is None:
            return
        if not isinstance(left, NumberType) or not isinstance(right, NumberType):
            self.fault(
                node,
                "GR103",
                f"'{_short(node)}' compares {_words(left)} with {_words(right)}",
                _TABLE if TableType in (type(left), type(right)) else "numbers compare with numbers, enumerations with strings",
            )
            return
        if ANY_ZERO not in (left, right) and left.dimension != right.dimension:
            self.fault(
                node,
                "GR105",
                f"'{_short(node)}' compares {units.describe(left.dimension)} with {units.describe(right.dimension)}",
                "bring both to one unit; units convert themselves, dimensions do not",
            )
            return
        if isinstance(node.left, Name) and isinstance(node.right, Name | Number):
            self._settled(node, left.range, right.range)

    def _settled(self, node: Comparison, left: Interval, right: Interval) -> None:
        if left.low > right.high or left.high < right.low:
            self.fault(node, "GR109", f"'{_short(node)}' can never change: the two sides' ranges do not meet", "check the figure and its unit")

    def _members(self, node: Node, subject: Node, members: tuple[str, ...]) -> None:
        found = self.type_of(subject)
        if found is None:
            return
        if not isinstance(found, EnumType):
            self.fault(node, "GR103", f"'{_short(subject)}' is {_words(found)}, compared with text", "compare numbers with numbers")
            return
        for member in members:
            if member not in found.members:
                mend = did_you_mean(member, found.members, "its members are " + ", ".join(found.members[:12]))
                self.fault(node, "GR110", f"'{printable(member)}' is not a member of '{_short(subject)}'", mend)
