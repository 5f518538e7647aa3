"""An engine in which one lever stands elsewhere: what the rulebook would say, had it another figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.judging import Stages
from gpurules.engine.inference.scalar import parameter_value, qualified, recompiled
from gpurules.engine.inquiries.axis import Cell
from gpurules.engine.knowledge.derivation import Groups, Regrouping
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Assume, Derive, Rule
from gpurules.engine.knowledge.scope import parameter_type
from gpurules.engine.language import aggregate, syntax
from gpurules.engine.language.monotony import signs
from gpurules.engine.language.syntax import Comparison, Name, Node
from gpurules.engine.language.typecheck import NumberType
from gpurules.engine.sensitivity.lever import Lever, conditioned
from gpurules.engine.values.interval import Interval

Any = TypeVar("Any", bound=Engine)


class Mover:
    """Makes the engines for the places of one lever, or of several at once, from the engine of the rulebook as it is or from a part
    of it. Several are looked at over all of their places alone, and none of them may cut rules apart."""

    def __init__(self, whole: Engine, levers: Sequence[Lever], date: str) -> None:
        self.whole, self.levers, self.lever, self.date = whole, tuple(levers), levers[0], date
        self.held = tuple(one for lever in levers for one in lever.held)
        self.names = frozenset(name for lever in levers for name in lever.names)
        self.carriers = tuple({rule.id: rule for rule, _ in self.held}.values())
        self._shapes: dict[int, tuple[object, ...]] = {}
        self._groupings: dict[tuple[object, ...], Regrouping] = {}

    # ------------------------------------------------------------ what is proven of rules that the figure cuts apart

    @cached_property
    def cut(self) -> tuple[str, ...]:
        """The facts that rules derive or assume which the figure cuts apart: with it, proofs about them change."""
        found = (c.fact for rule, name in self.held if conditioned(rule, name) for c in rule.then if isinstance(c, Derive | Assume))
        return tuple(dict.fromkeys(found))

    @cached_property
    def _plain(self) -> bool:
        """Whether what conditions compare rises or falls with the figure throughout, so that thresholds pass one another once."""
        facts = self.whole.rulebook.vocabulary.facts
        given, wide = {path: d.range for path, d in facts.items() if d.number}, self._rules(self.lever.ends)
        for rule, name in self.held:
            ranges = {**given, **self._ranges(wide[rule.id])}
            for node in syntax.walk(rule.when) if rule.when is not None else ():
                if isinstance(node, Comparison):
                    sides = [side for side in (node.left, node.right) if name in syntax.names(side)]
                    if any(signs(side, ranges).get(name) is None for side in sides):
                        return False
        return True

    def orders(self, cell: Cell) -> Orders | None:
        """The orders that hold at every place of a cell; None where there are several, or rules contradict each other somewhere."""
        if not self.cut:
            return self.whole.rulebook.orders
        if cell[0] != cell[1] and (not self._plain or self._shape(cell[1]) != self._shape(cell[0])):
            return None
        found = self.grouping(cell[0])
        return found.orders if found.agree else None

    def agree(self, place: int) -> bool:
        """Whether the rulebook can be loaded at all with the figure there."""
        return not self.cut or self.grouping(place).agree

    def grouping(self, place: int) -> Regrouping:
        """What is proven of the rules with the figure at a place."""
        shape = self._shape(place)
        if shape not in self._groupings:
            self._groupings[shape] = self._groups.regrouped({**self.whole.rulebook.rules, **self._rules((place, place))})
        return self._groupings[shape]

    def _shape(self, place: int) -> tuple[object, ...]:
        if place not in self._shapes:
            self._shapes[place] = self._groups.shape({**self.whole.rulebook.rules, **self._rules((place, place))})
        return self._shapes[place]

    @cached_property
    def _groups(self) -> Groups:
        rulebook = self.whole.rulebook
        return Groups(rulebook.rules, rulebook.vocabulary, rulebook.orders, self.cut)

    # ------------------------------------------------------------ engines

    def engine(self, part: Any, cell: Cell, orders: Orders, end: int | None = None) -> Any:
        """A part of the engine with the figure anywhere within a cell; of a figure that is an interval its lower `end` (0) alone, or
        its higher one (1). It is for judging along the agenda: its kernels are as they were."""
        return self._engine(part, cell, orders, self._narrowed, end)

    def exact(self, place: int) -> Engine:
        """The whole engine as the rulebook would give it with the figure at a place. Raises GpurulesError where it contradicts itself."""
        orders = self.grouping(place).orders if self.cut else self.whole.rulebook.orders
        other = self._engine(self.whole, (place, place), orders, True)
        if any(rule.for_each for rule in self.carriers):
            other.stages = Stages(other.program, orders, other.candidate, [aggregate.split(name)[1] for name in other.program.aggregates])
        return other

    def _engine(self, part: Any, cell: Cell, orders: Orders, compiled: bool, end: int | None = None) -> Any:
        other, rules = copy(part), self._rules(cell, end)
        other.__dict__.pop("kernel", None)
        rulebook = replace(part.rulebook, rules={**part.rulebook.rules, **rules}, orders=orders)
        program = recompiled(part.program, rulebook, rules) if compiled else replace(part.program, rulebook=rulebook)
        fresh = part.program.values(self.date)
        for rule, name in self.held:
            fresh[program.slots[qualified(rule.id, name)]] = parameter_value(rules[rule.id].parameters[name], self.date, rulebook.vocabulary)
        other.rulebook, other.program = rulebook, replace(program, _fresh={self.date: fresh})
        return other

    def _rules(self, cell: Cell, end: int | None = None) -> Mapping[str, Rule]:
        found: Mapping[str, Rule] = {}
        for lever in self.levers:
            at = cell if len(self.levers) == 1 else lever.ends
            found = lever.rules(found, lever.text_at(at[0]), lever.value(at, end), self.date)
        return found

    @cached_property
    def _narrowed(self) -> bool:
        """Whether an expression of the rules is kept narrow by what the figure is: it must then be compiled anew wherever the figure moves."""
        facts = self.whole.rulebook.vocabulary.facts
        given = {path: d.range for path, d in facts.items() if d.number}
        wide = self._rules(self.lever.ends)
        for rule, name in self.held:
            now, moved = ({**given, **self._ranges(r)} for r in (rule, wide[rule.id]))
            for tree in rule.trees:
                if any(_hangs(node, now, moved, name) for node in syntax.walk(tree)):
                    return True
        return False

    def _ranges(self, rule: Rule) -> Mapping[str, Interval]:
        kinds = {name: parameter_type(p, self.whole.rulebook.vocabulary) for name, p in rule.parameters.items()}
        return {name: kind.range for name, kind in kinds.items() if isinstance(kind, NumberType)}


def _hangs(node: Node, now: Mapping[str, Interval], moved: Mapping[str, Interval], name: str) -> bool:
    leaves = [n.path for n in syntax.walk(node) if isinstance(n, Name)] if not isinstance(node, Name) else []
    if name not in leaves or len(leaves) == len(set(leaves)):
        return False
    before, after = signs(node, now), signs(node, moved)
    return before != after or any(sign is None for path, sign in after.items() if path in now)
