"""The kernel: a stratum as one straight-line Python function over the ends of intervals, for verdicts without a trace.

It gives the same truths and the same derived values as a run along the agenda, about as fast as code written by hand for
one set of conditions: each value is loaded once, comparisons and arithmetic are written out for ends whose sign the
vocabulary fixes, and what cannot be written out calls the functions of `values.interval`. The source is made of slot
numbers and constants alone; no text of a rule enters it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any as Anything

from gpurules.engine.inference.agenda import Stratum
from gpurules.engine.inference.scalar import Procedure, Program, qualified
from gpurules.engine.knowledge.lint import Derivation, Orders, parameter_type
from gpurules.engine.knowledge.rule import Derive, Require
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Value
from gpurules.engine.language.monotony import range_of
from gpurules.engine.language.syntax import All, Any, Arithmetic, Call, Comparison, Membership, Name, Negative, Node, Not, Number, Text
from gpurules.engine.language.typecheck import NumberType
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval

Ends = tuple[str, str]
_FLIPPED = {"<": ">", "<=": ">="}
_CALLED = {"ceil": "ceil", "floor": "floor", "round": "nearest_whole", "log2": "log2"}


class OutOfRange(Exception):
    """A derived value left its range: the run along the agenda says which rules gave it."""


class Kernel:
    """One stratum, compiled. `rules` are its rules in order; calling it fills derived values in and returns their truths."""

    def __init__(self, program: Program, orders: Orders, stratum: Stratum) -> None:
        emitter = _Emitter(program, orders, stratum)
        self.rules = tuple(name for kind, name in stratum.steps if kind == "rule")
        self.requiring = tuple(r for r in self.rules if any(isinstance(c, Require) for c in program.procedures[r].rule.then))
        self.source = emitter.source(self.rules, self.requiring)
        names: dict[str, Anything] = dict(emitter.constants)
        exec(compile(self.source, "<kernel>", "exec"), names)  # slot numbers and constants only
        self._function: Callable[[list[Value], Sequence[bool], Mapping[str, int]], tuple[list[int], list[int]]] = names["kernel"]

    def __call__(self, values: list[Value], speaking: Sequence[bool], before: Mapping[str, int]) -> tuple[list[int], list[int]]:
        """Truths (0, 1, 2) of `rules`, and of the requirements of `requiring`, over `values`.

        `speaking` tells for each rule whether its needs are known; `before` holds the truths of earlier strata.
        Raises OutOfRange.
        """
        return self._function(values, speaking, before)


class _Emitter:
    def __init__(self, program: Program, orders: Orders, stratum: Stratum) -> None:
        self.program, self.orders, self.stratum = program, orders, stratum
        self.facts = program.rulebook.vocabulary.facts
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.loaded: dict[int, bool] = {}
        self.derived = {name for kind, name in stratum.steps if kind == "fact"}
        self.constants: dict[str, Anything] = {
            "Interval": Interval, "OutOfRange": OutOfRange, "greater": interval.greater, "equal": interval.equal, "divides": interval.divides,
            "add": interval.add, "subtract": interval.subtract, "multiply": interval.multiply, "divide": interval.divide,
            "ceil": interval.ceil, "floor": interval.floor, "nearest_whole": interval.nearest_whole, "log2": interval.log2,
        }  # fmt: skip
        self.procedure: Procedure | None = None
        self.local_names: Mapping[str, str] = {}
        self.ranges: Mapping[str, Interval] = {}

    # ------------------------------------------------------------ source

    def source(self, rules: Sequence[str], requiring: Sequence[str]) -> str:
        index = {rule: i for i, rule in enumerate(rules)}
        for kind, name in self.stratum.steps:
            self._rule(name, index[name]) if kind == "rule" else self._fact(self.orders.derivations[name])
        accepted = [self._accepts(rule, i) for i, rule in enumerate(requiring)]
        head = ["def kernel(v, n, w):"]
        for slot, numeric in sorted(self.loaded.items()):
            head.append(f" l{slot}, h{slot} = v[{slot}]" if numeric else f" s{slot} = v[{slot}]")
        truths = ", ".join(self._truth_name(r) for r in rules)
        return "\n".join([*head, *self.lines, f" return [{truths}], [{', '.join(accepted)}]", ""])

    def emit(self, line: str) -> None:
        self.lines.append(" " * self.depth + line)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}_"

    def constant(self, value: Anything) -> str:
        name = f"C{len(self.constants)}"
        self.constants[name] = value
        return name

    def _truth_name(self, rule: str) -> str:
        return "t_" + rule.replace("-", "_")

    def _scope(self, rule_id: str) -> Procedure:
        procedure = self.program.procedures[rule_id]
        rule = procedure.rule
        self.procedure = procedure
        self.local_names = {name: qualified(rule.id, name) for name in rule.parameters}
        ranges = {path: d.range for path, d in self.facts.items() if d.number}
        for name, parameter in rule.parameters.items():
            kind = parameter_type(parameter, self.program.rulebook.vocabulary)
            if isinstance(kind, NumberType):
                ranges[name] = kind.range
        self.ranges = ranges
        return procedure

    def _slot(self, path: str) -> int:
        return self.program.slots[self.local_names.get(path, path)]

    def _load(self, path: str, numeric: bool) -> int:
        slot = self._slot(path)
        if path not in self.derived:
            self.loaded[slot] = numeric
        return slot

    # ------------------------------------------------------------ rules

    def _rule(self, rule_id: str, index: int) -> None:
        procedure = self._scope(rule_id)
        target = self._truth_name(rule_id)
        if procedure.rule.needs:
            self.emit(f"{target} = 0")
            self.emit(f"if n[{index}]:")
            self.depth += 1
        if procedure.rule.when is None:
            self.emit(f"{target} = 2")
        else:
            self._truth(procedure.rule.when, target)
        if procedure.rule.needs:
            self.depth -= 1

    def _stands(self, rule_id: str) -> str:
        own = self._truth_name(rule_id)
        inside = {name for kind, name in self.stratum.steps if kind == "rule"}
        others = [self._truth_name(o) if o in inside else f"w[{o!r}]" for o in self.orders.overriders.get(rule_id, ())]
        if not others:
            return own
        return f"min({own}, {', '.join(f'2 - {o}' for o in others)})"

    def _accepts(self, rule_id: str, index: int) -> str:
        """max(2 - stands, min of the conditions)"""
        procedure = self._scope(rule_id)
        target = f"a{index}"
        self.emit(f"{target} = 2 - {self._stands(rule_id)}")
        self.emit(f"if {target} != 2:")
        self.depth += 1
        trees = [c.condition.tree for c in procedure.rule.then if isinstance(c, Require)]
        held = self.fresh("q")
        self._truth(All(tuple(trees)) if len(trees) > 1 else trees[0], held)
        self.emit(f"if {held} > {target}: {target} = {held}")
        self.depth -= 1
        return target

    # ------------------------------------------------------------ truths

    def _truth(self, node: Node, target: str) -> None:
        match node:
            case All(parts):
                self._connective(parts, target, "if {0}:", "<")
            case Any(parts):
                self._connective(parts, target, "if {0} != 2:", ">")
            case Not(operand):
                self._truth(operand, target)
                self.emit(f"{target} = 2 - {target}")
            case Membership(subject, members, negated):
                self._member(subject, members, negated, target)
            case Comparison(operator, Text(member), other) | Comparison(operator, other, Text(member)):
                self._member(other, (member,), operator == "!=", target)
            case Comparison():
                self._compare(node, target)
            case Call("divides", (a, b)):
                (al, ah), (bl, bh) = self._number(a), self._number(b)
                self.emit(f"{target} = divides(({al}, {ah}), ({bl}, {bh}))")
            case Name():
                self._member(node, ("yes",), False, target)
            case _:
                raise TypeError(f"no condition: {node!r}")

    def _connective(self, parts: Sequence[Node], target: str, going_on: str, better: str) -> None:
        depth = self.depth
        self._truth(parts[0], target)
        for part in parts[1:]:
            self.emit(going_on.format(target))
            self.depth += 1
            held = self.fresh("t")
            self._truth(part, held)
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
        (al, ah), (bl, bh) = self._number(left), self._number(right)
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

    def _number(self, node: Node) -> Ends:
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
                low, high = self._number(operand)
                return self._hold(f"0.0 - {high}", f"0.0 - {low}")
            case Arithmetic(operator, left, right):
                return self._arithmetic(operator, left, right)
            case Call("min" | "max" as name, arguments):
                ends = [self._number(a) for a in arguments]
                return self._hold(f"{name}({', '.join(e[0] for e in ends)})", f"{name}({', '.join(e[1] for e in ends)})") if len(ends) > 1 else ends[0]
            case Call("hull", arguments):
                ends = [self._number(a) for a in arguments]
                return self._hold(f"min({', '.join(e[0] for e in ends)})", f"max({', '.join(e[1] for e in ends)})")
            case Call(name, (argument,)) if name in _CALLED:
                low, high = self._number(argument)
                return self._pair(f"{_CALLED[name]}(({low}, {high}))")
            case Call("lookup", (Name(table), *keys)):
                given = ", ".join(f"s{self._load(k.path, False)}" for k in keys if isinstance(k, Name))
                return self._pair(f"s{self._load(table, False)}.lookup({given})")
        raise TypeError(f"no number: {node!r}")

    def _arithmetic(self, operator: str, left: Node, right: Node) -> Ends:
        (al, ah), (bl, bh) = self._number(left), self._number(right)
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

    # ------------------------------------------------------------ derived facts

    def _fact(self, derivation: Derivation) -> None:
        definition = self.facts[derivation.fact]
        slot = self.program.slots[derivation.fact]
        if derivation.combine:
            self._combined(derivation, slot, definition.range)
            return
        numeric, depth = definition.number, self.depth
        taken = self.fresh("k")
        self.emit(f"{taken} = 0")
        for rule_id in derivation.rules:
            if rule_id in derivation.shadowed:
                continue
            truth = self._truth_name(rule_id)
            self.emit(f"if {truth}:")
            self.depth += 1
            self._take(rule_id, derivation.fact, slot, numeric, taken)
            self.depth -= 1
            self.emit(f"if {truth} != 2:")
            self.depth += 1
        whole = definition.whole
        self._open(slot, whole, taken, derivation.exhaustive)
        self.depth = depth
        if isinstance(whole, Interval):
            self._close(slot, whole)
        else:
            self.emit(f"v[{slot}] = s{slot}")

    def _close(self, slot: int, whole: Interval) -> None:
        """Cut a number to its range and store it."""
        self.emit(f"if l{slot} < {whole.low!r}: l{slot} = {whole.low!r}")
        self.emit(f"if h{slot} > {whole.high!r}: h{slot} = {whole.high!r}")
        self.emit(f"if l{slot} > h{slot}: raise OutOfRange")
        self.emit(f"v[{slot}] = Interval(l{slot}, h{slot})")

    def _take(self, rule_id: str, fact: str, slot: int, numeric: bool, taken: str) -> None:
        procedure = self._scope(rule_id)
        if not numeric:
            members = self.constant(procedure.derives[fact])
            self.emit(f"s{slot} = s{slot} | {members} if {taken} else {members}")
            self.emit(f"{taken} = 1")
            return
        low, high = self._number(_expression(procedure, fact))
        self.emit(f"if {taken}:")
        self.emit(f" if {low} < l{slot}: l{slot} = {low}")
        self.emit(f" if {high} > h{slot}: h{slot} = {high}")
        self.emit("else:")
        self.emit(f" l{slot} = {low}; h{slot} = {high}; {taken} = 1")

    def _open(self, slot: int, whole: Value, taken: str, exhaustive: bool) -> None:
        if exhaustive:
            self.emit(f"if not {taken}:")
            self.depth += 1
        if isinstance(whole, Interval):
            self.emit(f"l{slot} = {whole.low!r}; h{slot} = {whole.high!r}")
        else:
            self.emit(f"s{slot} = {self.constant(whole)}")
        if exhaustive:
            self.depth -= 1

    def _combined(self, derivation: Derivation, slot: int, whole: Interval) -> None:
        nothing = {"sum": 0.0, "max": whole.low, "min": whole.high}[derivation.combine]
        self.emit(f"l{slot} = h{slot} = {nothing!r}")
        for rule_id in sorted(derivation.rules):
            truth = self._truth_name(rule_id)
            self.emit(f"if {truth}:")
            self.depth += 1
            low, high = self._number(_expression(self._scope(rule_id), derivation.fact))
            name = self.fresh("y")
            self.emit(f"l{name}, h{name} = {low}, {high}")
            self.emit(f"if {truth} == 1: l{name}, h{name} = min({low}, {nothing!r}), max({high}, {nothing!r})")
            if derivation.combine == "sum":
                self.emit(f"l{slot} += l{name}; h{slot} += h{name}")
            else:
                self.emit(f"l{slot} = {derivation.combine}(l{slot}, l{name}); h{slot} = {derivation.combine}(h{slot}, h{name})")
            self.depth -= 1
        self._close(slot, whole)


def _expression(procedure: Procedure, fact: str) -> Node:
    for conclusion in procedure.rule.then:
        if isinstance(conclusion, Derive) and conclusion.fact == fact and conclusion.expression is not None:
            return conclusion.expression.tree
    raise TypeError(f"{procedure.rule.id} derives no number for {fact}")
