"""The ground of glances: one evaluation, and the machines that it chooses among, judged once, so that a cell near it asks for little more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from copy import copy
from dataclasses import replace
from typing import TypeVar

from gpurules.engine.glances.machine_field import Field, Plan
from gpurules.engine.inference import candidates
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Facts
from gpurules.engine.knowledge.rule import Advise
from gpurules.engine.language.compile import Table, Value
from gpurules.engine.values.interval import Interval

Held = TypeVar("Held")


class Ground:
    """An evaluation by `engine`, and the part of the rulebook, `cone`, that is looked at. Cells near it know the same facts."""

    def __init__(self, engine: Engine, base: Evaluation, cone: Cone, plan: Plan) -> None:
        self.engine, self.base, self.cone, self.plan = engine, base, cone, plan
        rules = engine.rulebook.running
        self.advising = tuple(r.id for r in rules if any(isinstance(c, Advise) for c in r.then))
        self.naming = tuple(r.id for r in rules if not r.for_each and any(isinstance(c, Advise) and c.machine for c in r.then))
        self._held: dict[Hashable, object] = {}

    def field(self, number: int, evaluation: Evaluation, nodes: int) -> Field:
        """The machines of a pass: of one machine each (`nodes` 0), of several, or of those at hand (-1)."""
        same = not number or evaluation.assumptions == self.base.assumptions
        key = (number, nodes, () if same else evaluation.assumptions)

        def made() -> Field:
            run = self.base.workloads[number] if same else self.engine.assuming(self.base.workloads[0], evaluation.assumptions)
            preferring = self.base.workloads[1] if same else run
            machines = candidates.at_hand(run) if nodes < 0 else self.engine.grown(nodes) if nodes else self.engine.catalogued
            return Field(self.plan, run, preferring, machines)

        return self.held(("field", *key), made)

    def held(self, key: Hashable, make: Callable[[], Held]) -> Held:
        if key not in self._held:
            self._held[key] = make()
        return self._held[key]  # type: ignore[return-value]


def cornered(engine: Engine, date: str, figures: float, unstated: float) -> Engine:
    """The engine with all that is open at one of its values, which lies some share of the way from its low to its high end: figures of
    rules, and facts that nobody stated. What comes out there may come out wherever they are open."""
    other, plain, facts = copy(engine), engine.program.values(date), len(engine.rulebook.vocabulary.facts)
    figures_from = len(plain) - len(engine.program.parameters)  # between stands what is said of all machines together, which stays whole
    values = [_part(v, unstated) if slot < facts else _part(v, figures) if slot >= figures_from else v for slot, v in enumerate(plain)]
    other.program = replace(engine.program, _fresh={date: values})
    return other


def narrowed(facts: Facts, engine: Engine, share: float, apart: Collection[str] = ()) -> Facts:
    """The same of facts that are given; those of `apart` stay as they are."""
    vocabulary = engine.rulebook.vocabulary.facts
    given = {p: f if p in apart or f.value == vocabulary[p].whole else replace(f, value=_given(f.value, share)) for p, f in facts.given.items()}
    return replace(facts, given=given)


def _part(value: Value, share: float) -> Value:
    """One value of those that a figure may have; of a table, in each row."""
    return Table((key, _at(row, share)) for key, row in value.items()) if isinstance(value, Table) else _given(value, share)


def _given(value: Interval | frozenset[str], share: float) -> Interval | frozenset[str]:
    """Of a number that share of its width above its low end, of members one of them."""
    if isinstance(value, Interval):
        return _at(value, share)
    members = sorted(value)
    return frozenset([members[round(share * (len(members) - 1))]])


def _at(value: Interval, share: float) -> Interval:
    at = value.low if share == 0 else value.high if share == 1 else value.low + share * (value.high - value.low)
    return Interval(at, at)
