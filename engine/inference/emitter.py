"""The emitter: conditions written out as Python statements, comparisons that several rules make written once.

A comparison with a constant asks whether an end has reached the first float for which it holds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from gpurules.engine.inference.scalar import Program
from gpurules.engine.inference.statements import Statements
from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import All, Any, Call, Comparison, Membership, Name, Node, Not, Number, Text
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.threshold import LARGEST, SMALLEST, above, below

_FLIPPED = {"<": ">", "<=": ">="}


class Emitter(Statements):
    """Writes conditions: the name of a rule or comparison carries its truth, 0, 1 or 2."""

    def __init__(self, program: Program, inside: Iterable[str]) -> None:
        super().__init__(program, inside)
        self.shared: dict[Hashable, str] = {}
        """Comparisons that several rules make: the name of each one's truth, "" while it is not written."""

    # ------------------------------------------------------------ comparisons that several rules make

    def key(self, node: Node) -> Hashable:
        """What a condition compares, in slots and constants, so that two rules' parameters of one value are the same."""
        match node:
            case Name(path):
                return self.fixed.get(path, ("slot", self._slot(path)))
            case Number(value):
                return Interval(value, value)
            case Text(value):
                return "text", value
            case Membership(subject, members, negated):
                return "member", self.key(subject), frozenset(members), negated
            case Comparison(operator, left, right):
                return operator, self.key(left), self.key(right)
        return type(node).__name__, *(self.key(child) for child in syntax.children(node)), getattr(node, "function", getattr(node, "operator", ""))

    def share(self, node: Node) -> None:
        """Write the comparisons in a condition that other rules make too, where no branch is open."""
        for atom in atoms(node):
            key = self.key(atom)
            if self.shared.get(key) == "":
                self.shared[key] = name = self.fresh("a")
                self._atom(atom, name)

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
            case _:
                written = self.shared.get(self.key(node))
                self.emit(f"{target} = {written}") if written else self._atom(node, target)

    def _atom(self, node: Node, target: str) -> None:
        match node:
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
            held = "" if syntax.connective(part) else self.shared.get(self.key(part), "")
            if not held:
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
        plain = self._plain(left) and self._plain(right)
        against = self._constant(left), self._constant(right)
        if plain and operator not in ("==", "!=") and self._thresholds(operator, left, right, against, target):
            return
        (al, ah), (bl, bh) = self.number(left), self.number(right)
        if operator in ("==", "!="):
            no, yes = (2, 0) if operator == "!=" else (0, 2)
            if plain:
                apart = f"{no} if {al} - {bh} > 1e-12 * {al} or {bl} - {ah} > 1e-12 * {bl}"
                self.emit(f"{target} = {apart} else 1 if {ah} - {bl} > 1e-12 * {ah} or {bh} - {al} > 1e-12 * {bh} else {yes}")
                return
            self.emit(f"{target} = equal(({al}, {ah}), ({bl}, {bh}))")
            if operator == "!=":
                self.emit(f"{target} = 2 - {target}")
            return
        if not plain:
            test = f"greater(({al}, {ah}), ({bl}, {bh}))" if operator == ">" else f"2 - greater(({bl}, {bh}), ({al}, {ah}))"
            self.emit(f"{target} = {test}")
        elif operator == ">":
            self.emit(f"{target} = 2 if {al} - {bh} > 1e-12 * {al} else 1 if {ah} - {bl} > 1e-12 * {ah} else 0")
        else:
            self.emit(f"{target} = 0 if {bl} - {ah} > 1e-12 * {bl} else 1 if {bh} - {al} > 1e-12 * {bh} else 2")

    def _thresholds(self, operator: str, left: Node, right: Node, against: tuple[Interval | None, Interval | None], target: str) -> bool:
        """`left > right` or `left >= right` where one side is constant and the other is not; False where that is not so."""
        first, second = against
        if (first is None) == (second is None) or not all(SMALLEST < end < LARGEST for end in first or second or ()):
            return False
        low, high = self.number(right if second is None else left)
        match operator, first, second:
            case ">", None, Interval():
                test = f"2 if {low} >= {above(second.high)!r} else 1 if {high} >= {above(second.low)!r} else 0"
            case ">=", None, Interval():
                test = f"0 if {high} <= {below(second.low)!r} else 1 if {low} <= {below(second.high)!r} else 2"
            case ">", Interval(), None:
                test = f"2 if {high} <= {below(first.low)!r} else 1 if {low} <= {below(first.high)!r} else 0"
            case _:
                assert first is not None
                test = f"0 if {low} >= {above(first.high)!r} else 1 if {high} >= {above(first.low)!r} else 2"
        self.emit(f"{target} = {test}")
        return True


def atoms(node: Node) -> Iterable[Node]:
    """The comparisons of a condition."""
    return [a for part in syntax.children(node) for a in atoms(part)] if syntax.connective(node) else [node]
