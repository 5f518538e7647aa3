"""The kernel: a stratum as one straight-line Python function over the ends of intervals, for verdicts without a trace.

It gives the same truths and the same derived values as a run along the agenda, about as fast as code written by hand for
one set of conditions: each value is loaded once, comparisons and arithmetic are written out for ends whose sign the
vocabulary fixes, and what cannot be written out calls the functions of `values.interval`. The source is made of slot
numbers and constants alone; no text of a rule enters it.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import CodeType
from typing import Any as Anything

from gpurules.engine.inference.agenda import Run, Stratum
from gpurules.engine.inference.emitter import Emitter, atoms
from gpurules.engine.inference.scalar import Procedure, Program, qualified
from gpurules.engine.inference.statements import FUNCTIONS
from gpurules.engine.knowledge.order import Derivation, Orders
from gpurules.engine.knowledge.rule import Derive, Require
from gpurules.engine.knowledge.scope import parameter_type
from gpurules.engine.language.compile import Value
from gpurules.engine.language.syntax import All, Arithmetic, Call, Node, walk
from gpurules.engine.language.typecheck import NumberType, TableType
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES

TRUTHS = (NO, DEPENDS, YES)


MAYBE = 3
"""Of a rule whose needs may as well not be known."""


class OutOfRange(Exception):
    """A derived value left its range: the run along the agenda says which rules gave it."""


class Kernel:
    """One stratum, compiled. `rules` are its rules in order; calling it fills derived values in and returns their truths.

    `requiring` are those whose requirements it looks at: all of its own that have any, where no others are named. `earlier` are
    rules outside of the stratum whose truths it wants, `read` the slots that it reads and does not fill in.
    """

    def __init__(self, program: Program, orders: Orders, stratum: Stratum, requiring: Sequence[str] | None = None) -> None:
        self.rules = tuple(name for kind, name in stratum.steps if kind == "rule")
        with_requirements = (r for r in self.rules if any(isinstance(c, Require) for c in program.procedures[r].rule.then))
        self.requiring = tuple(with_requirements if requiring is None else requiring)
        outside = {*self.requiring, *(o for r in self.requiring for o in orders.overriders.get(r, ()))}
        outside |= {r for kind, name in stratum.steps if kind == "fact" for r in orders.derivations[name].rules}
        self.earlier = tuple(sorted(outside - set(self.rules)))
        self.facts = frozenset(name for kind, name in stratum.steps if kind == "fact")
        definitions = program.rulebook.vocabulary.facts
        self._numbers = tuple(program.slots[fact] for fact in self.facts if definitions[fact].number)
        self._needing = tuple((i, needs) for i, rule in enumerate(self.rules) if (needs := program.procedures[rule].rule.needs))
        self._needed = tuple((fact, program.slots[fact], definitions[fact].whole) for fact in sorted({fact for _, needs in self._needing for fact in needs}))
        writer = _Writer(program, orders, stratum)
        self.source = writer.source(self.rules, self.requiring, self.earlier)
        self.read = frozenset(writer.read)
        self._make(compile(self.source, "<kernel>", "exec"), writer.constants)  # slot numbers and constants only

    def _make(self, code: CodeType, constants: Mapping[str, Anything]) -> None:
        self._code, self._constants = code, constants
        names = {**FUNCTIONS, "OutOfRange": OutOfRange, **constants}
        exec(code, names)
        self._function: Callable[[list[Value], Sequence[int], Mapping[str, int]], tuple[list[int], list[int]]] = names["kernel"]

    def __getstate__(self) -> tuple[Anything, ...]:
        made = self.rules, self.requiring, self.earlier, self.read, self.facts, self._numbers, self._needing, self._needed
        return *made, self.source, marshal.dumps(self._code), self._constants

    def __setstate__(self, state: tuple[Anything, ...]) -> None:
        self.rules, self.requiring, self.earlier, self.read, self.facts, self._numbers, self._needing, self._needed, self.source, code, constants = state
        self._make(marshal.loads(code), constants)

    def __call__(self, values: list[Value], speaking: Sequence[int], before: Mapping[str, int]) -> tuple[list[int], list[int]]:
        """Truths (0, 1, 2) of `rules`, and of the requirements of `requiring`, over `values`.

        The values derived are filled in, numbers as pairs (low, high). `speaking` tells for each rule whether its needs are
        known, MAYBE where that is open; `before` holds the truths of rules of other strata, those in `earlier` at least. Raises OutOfRange.
        """
        return self._function(values, speaking, before)

    def speaking(self, run: Run) -> list[int]:
        """For each rule whether its needs are known."""
        given, maybe, values = run.known, run.maybe, run.values
        known = {fact for fact, slot, whole in self._needed if fact in maybe or (fact in given and values[slot] != whole)}
        found: list[int] = [True] * len(self.rules)
        for index, needs in self._needing:
            found[index] = known.issuperset(needs) and (MAYBE if not maybe.isdisjoint(needs) else True)
        return found

    def along(self, run: Run) -> None:
        """Judge the stratum's rules and derive its facts, as `Run.along` does; alternatives wait until somebody asks. Raises OutOfRange.

        The run must have the orders of this kernel, and no pins.
        """
        values = run.values.copy()
        truths, _ = self(values, self.speaking(run), run.truths)
        self.fill(run, values)
        run.truths.update(zip(self.rules, map(TRUTHS.__getitem__, truths), strict=True))

    def fill(self, run: Run, values: list[Value]) -> None:
        """Give a run the values that a call filled in."""
        for slot in self._numbers:
            values[slot] = Interval._make(values[slot])  # a pair
        run.values = values
        run.pending |= self.facts


class _Writer(Emitter):
    """Writes the function of one stratum."""

    def __init__(self, program: Program, orders: Orders, stratum: Stratum) -> None:
        super().__init__(program, (name for kind, name in stratum.steps if kind == "fact"))
        self.orders, self.stratum = orders, stratum
        self.facts = program.rulebook.vocabulary.facts
        self.of_facts = {path: d.range for path, d in self.facts.items() if d.number}

    # ------------------------------------------------------------ source

    def source(self, rules: Sequence[str], requiring: Sequence[str], earlier: Sequence[str]) -> str:
        index = {rule: i for i, rule in enumerate(rules)}
        for rule in earlier:
            self.emit(f"{self._truth_name(rule)} = w[{rule!r}]")
        self._count(rules)
        for kind, name in self.stratum.steps:
            self._rule(name, index[name]) if kind == "rule" else self._fact(self.orders.derivations[name])
        accepted = [self._accepts(rule, i) for i, rule in enumerate(requiring)]
        truths = ", ".join(self._truth_name(r) for r in rules)
        return "\n".join(["def kernel(v, n, w):", *self.lines, f" return [{truths}], [{', '.join(accepted)}]", ""])

    def _count(self, rules: Iterable[str]) -> None:
        """Find the comparisons that are worth making once for all rules: of an enumeration, or of two names or constants."""
        made: Counter[Hashable] = Counter()
        for rule_id in rules:
            rule = self._scope(rule_id).rule
            trees = [c.condition.tree for c in rule.then if isinstance(c, Require)] + ([] if rule.when is None else [rule.when])
            made.update(self.key(a) for tree in trees for a in atoms(tree) if not any(isinstance(n, Arithmetic | Call) for n in walk(a)))
        self.shared = dict.fromkeys((key for key, count in made.items() if count > 1), "")

    def _truth_name(self, rule: str) -> str:
        return "t_" + rule.replace("-", "_")

    def _scope(self, rule_id: str) -> Procedure:
        procedure = self.program.procedures[rule_id]
        rule = procedure.rule
        self.procedure = procedure
        self.local_names = {name: qualified(rule.id, name) for name in rule.parameters}
        ranges = self.of_facts.copy()
        for name, parameter in rule.parameters.items():
            kind = parameter_type(parameter, self.program.rulebook.vocabulary)
            if isinstance(kind, NumberType | TableType):
                ranges[name] = kind.range if isinstance(kind, NumberType) else kind.row.range
        self.ranges = ranges
        self.fixed = {name: p.values[0].value for name, p in rule.parameters.items() if len(p.values) == 1 and not p.rows}
        return procedure

    # ------------------------------------------------------------ rules

    def _rule(self, rule_id: str, index: int) -> None:
        procedure = self._scope(rule_id)
        target = self._truth_name(rule_id)
        if procedure.rule.when is not None:
            self.share(procedure.rule.when)
        if procedure.rule.needs:
            self.emit(f"{target} = 0")
            self.emit(f"if n[{index}]:")
            self.depth += 1
        if procedure.rule.when is None:
            self.emit(f"{target} = 2")
        else:
            self.truth(procedure.rule.when, target)
        if procedure.rule.needs:
            self.emit(f"if n[{index}] == {MAYBE} and {target} == 2: {target} = 1")
            self.depth -= 1

    def _stands(self, rule_id: str) -> str:
        own = self._truth_name(rule_id)
        others = [self._truth_name(o) for o in self.orders.overriders.get(rule_id, ())]
        if not others:
            return own
        return f"min({own}, {', '.join(f'2 - {o}' for o in others)})"

    def _accepts(self, rule_id: str, index: int) -> str:
        """max(2 - stands, min of the conditions)"""
        procedure = self._scope(rule_id)
        target = f"r{index}"
        trees = [c.condition.tree for c in procedure.rule.then if isinstance(c, Require)]
        for tree in trees:
            self.share(tree)
        self.emit(f"{target} = 2 - {self._stands(rule_id)}")
        self.emit(f"if {target} != 2:")
        self.depth += 1
        held = self.fresh("q")
        self.truth(All(tuple(trees)) if len(trees) > 1 else trees[0], held)
        self.emit(f"if {held} > {target}: {target} = {held}")
        self.depth -= 1
        return target

    # ------------------------------------------------------------ derived facts

    def _fact(self, derivation: Derivation) -> None:
        definition = self.facts[derivation.fact]
        slot = self.program.slots[derivation.fact]
        if derivation.combine:
            self._combined(derivation, slot, definition.range)
            return
        whole = definition.whole
        rules = [r for r in derivation.rules if r not in derivation.shadowed]
        if len(rules) == 1 and self._always(rules[0]):
            self._give(rules[0], derivation.fact, slot, whole)
            return
        taken = self.fresh("k")
        self.emit(f"{taken} = 0")
        for rule_id in rules:
            truth = self._truth_name(rule_id)
            self.emit(f"if {truth} and {taken} != 2:")
            self.depth += 1
            self._take(rule_id, derivation.fact, slot, definition.number, taken)
            self.emit(f"{taken} = {truth}")
            self.depth -= 1
        self.emit(f"if not {taken}:" if derivation.exhaustive else f"if {taken} != 2:")
        if isinstance(whole, Interval):
            self.emit(f" l{slot} = {whole.low!r}; h{slot} = {whole.high!r}")
            self._close(slot, whole)
        else:
            self.emit(f" s{slot} = {self.constant(whole)}")
            self.emit(f"v[{slot}] = s{slot}")

    def _always(self, rule_id: str) -> bool:
        rule = self.program.procedures[rule_id].rule
        return rule.when is None and not rule.needs

    def _give(self, rule_id: str, fact: str, slot: int, whole: Value) -> None:
        """A fact that one rule derives in every case."""
        procedure = self._scope(rule_id)
        if isinstance(whole, Interval):
            low, high = self.number(_expression(procedure, fact))
            self.emit(f"l{slot} = {low}; h{slot} = {high}")
            self._close(slot, whole)
        else:
            self.emit(f"v[{slot}] = s{slot} = {self.constant(procedure.derives[fact])}")

    def _close(self, slot: int, whole: Interval) -> None:
        """Cut a number to its range and store it, as a plain pair: an Interval takes eight times as long to make."""
        self.emit(f"if l{slot} < {whole.low!r}:")
        self.emit(f" if h{slot} < {whole.low!r}: raise OutOfRange")
        self.emit(f" l{slot} = {whole.low!r}")
        self.emit(f"if h{slot} > {whole.high!r}:")
        self.emit(f" if l{slot} > {whole.high!r}: raise OutOfRange")
        self.emit(f" h{slot} = {whole.high!r}")
        self.emit(f"v[{slot}] = l{slot}, h{slot}")

    def _take(self, rule_id: str, fact: str, slot: int, numeric: bool, taken: str) -> None:
        procedure = self._scope(rule_id)
        if not numeric:
            members = self.constant(procedure.derives[fact])
            self.emit(f"s{slot} = s{slot} | {members} if {taken} else {members}")
            return
        low, high = self.number(_expression(procedure, fact))
        self.emit(f"if {taken}:")
        self.emit(f" if {low} < l{slot}: l{slot} = {low}")
        self.emit(f" if {high} > h{slot}: h{slot} = {high}")
        self.emit(f"else: l{slot} = {low}; h{slot} = {high}")

    def _combined(self, derivation: Derivation, slot: int, whole: Interval) -> None:
        nothing = {"sum": 0.0, "max": whole.low, "min": whole.high}[derivation.combine]
        self.emit(f"l{slot} = h{slot} = {nothing!r}")
        for rule_id in sorted(derivation.rules):
            truth = self._truth_name(rule_id)
            self.emit(f"if {truth}:")
            self.depth += 1
            low, high = self.number(_expression(self._scope(rule_id), derivation.fact))
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
