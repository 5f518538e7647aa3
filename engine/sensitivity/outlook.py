"""The verdict with one parameter moved: at one place, or over a cell of places at once, where it is the same at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import cache, cached_property

from gpurules.engine.decisions import change
from gpurules.engine.glances.field_view import taken
from gpurules.engine.glances.glance import Glance, Verdict, corners_of
from gpurules.engine.glances.ground import Ground, cornered, narrowed
from gpurules.engine.glances.machine_field import Field, Plan
from gpurules.engine.glances.varying import Varying
from gpurules.engine.inference.agenda import Run
from gpurules.engine.inference.candidates import GROWN
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inquiries.axis import Cell
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Advise, Assume, Derive, Prefer, Require
from gpurules.engine.sensitivity.lever import Lever
from gpurules.engine.sensitivity.mover import Mover
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import NO

IMPOSSIBLE: Verdict = ("impossible",)
"""Rules give a fact a value that nothing can have: there is no decision."""
CONFLICTING: Verdict = ("conflicting",)
"""Two rules derive one fact, and nothing says which holds: such a rulebook cannot be loaded."""


class Outlook(Ground):
    """The verdicts of one trial's facts, under the rulebook with one parameter moved."""

    def __init__(self, trial: Trial) -> None:
        engine, rules = trial.engine, trial.rulebook.running
        judged = [r.id for r in rules if any(isinstance(c, Require | Prefer) for c in r.then)]
        named = [r.id for r in rules if not r.for_each and any(isinstance(c, Advise) and c.machine for c in r.then)]
        assuming = (r.id for r in rules if any(isinstance(c, Assume) for c in r.then))
        cone = Cone(engine, [*judged, *named, *assuming], wanted=trial.rulebook.derivations)  # a value that cannot be ends the decision, whoever reads it
        super().__init__(engine, trial.base, cone, Plan(engine))
        self.trial, self.facts, self.date = trial, trial.facts, trial.base.date
        self.end: int | None = None
        """Of a corner: the end at which everything stands that is open."""
        self.verdict_rules = Cone(engine, [*judged, *named]).rules
        """The rules that the verdict rests on."""

    @cached_property
    def now(self) -> Verdict:
        """The verdict as it is."""
        return change.verdict(self.base)

    def mover(self, *levers: Lever) -> Mover:
        return Mover(self.engine, levers, self.date)

    def exactly(self, mover: Mover, place: int) -> Verdict:
        """The verdict of the whole engine with the figure at a place, compiled as if the rulebook said so."""
        if not mover.agree(place):
            return CONFLICTING
        try:
            return change.verdict(mover.exact(place).evaluate(self.trial.facts, self.date, self.trial.file))
        except GpurulesError:
            return IMPOSSIBLE

    def over(self, mover: Mover, cell: Cell) -> Verdict | None:
        """The verdict at every place of a cell; None where that is not settled, which it always is at a single place."""
        point = cell[0] == cell[1]
        orders = mover.orders(cell)
        if orders is None:
            return CONFLICTING if point else None
        if self.cone.together.steps:  # rules that look at all machines name one: nothing shorter than the whole engine will do
            return self.exactly(mover, cell[0]) if point else None
        try:
            glance = self.glance(mover, cell, orders)
        except GpurulesError:
            return IMPOSSIBLE
        return glance.verdict()

    def glance(self, mover: Mover, cell: Cell, orders: Orders) -> Glance:
        """One look at a cell. Raises GpurulesError where there is no decision at any place of it."""
        engine = mover.engine(self.cone, cell, orders, self.end)
        evaluation = engine.evaluate(self.facts, self.date, self.trial.file, together=False)
        names = () if cell[0] == cell[1] else mover.names

        @cache
        def corners() -> tuple[Glance, ...]:
            return tuple(self._corners(mover, cell, orders)) if names else ()

        return Glance(self, evaluation, mover.names, names, mover.cut, lambda number: corners_of(evaluation, number, corners()))

    def _corners(self, mover: Mover, cell: Cell, orders: Orders) -> Iterator[Glance]:
        for outlook in self.corners if self.end is None else ():
            try:
                yield outlook.glance(mover, cell, orders)
            except GpurulesError:
                continue

    @cached_property
    def corners(self) -> tuple[Outlook, ...]:
        """The same with what is open at one of its ends, all low, then all high: what comes out there may come out here."""
        return tuple(corner for end in (0, 1) if (corner := self._corner(end)) is not None)

    def _corner(self, end: int) -> Outlook | None:
        other = copy(self)
        other.end, other._held = end, {}
        other.__dict__.pop("corners", None)
        other.engine, other.facts = cornered(self.engine, self.date, end, end), narrowed(self.facts, self.engine, end)
        other.cone = copy(self.cone)
        other.cone.program = other.engine.program
        try:
            other.base = other.engine.evaluate(other.facts, self.date, self.trial.file, together=False)
        except GpurulesError:
            return None
        return other

    def idle(self, mover: Mover) -> bool:
        """Whether a figure of rules about the workload makes no difference to what these rules say, wherever it stands: whatever
        else holds, the decision then makes no use of it. False where more would have to be looked at."""
        carriers, cell = mover.carriers, mover.lever.ends
        orders = mover.orders(cell)
        if orders is None or any(rule.for_each or ("rule", rule.id) not in self.cone.workload.steps for rule in carriers):
            return False
        return not any(self._speaks(mover, orders, base) for base in self.base.workloads)

    def used(self, mover: Mover) -> bool:
        """Whether a figure has a part in the decision: in what is said of the workload, of the stated machine or of one chosen."""
        orders = mover.orders((0, 0)) or self.engine.rulebook.orders
        runs = [*self.base.workloads, *((self.base.first, self.base.second) if self.base.has_candidate else ())]
        for number in (0, 1):
            for nodes in (-1, 0, *GROWN):
                field = self._held.get(("field", number, nodes, ()))
                if isinstance(field, Field):
                    runs += [field.judged(field.named[name]) for name in self.now[1:] if name in field.named]
        return any(self._speaks(mover, orders, run) for run in runs)

    def _speaks(self, mover: Mover, orders: Orders, base: Run) -> bool:
        """Whether what the rules of a figure say at once differs somewhere from what they say in a run."""
        carriers, names = [rule for rule in mover.carriers if rule.id in base.truths], mover.names
        program = mover.engine(self.cone, mover.lever.ends, orders).program
        derived = (c.fact for rule in carriers for c in rule.then if isinstance(c, Derive))
        facts = [fact for fact in dict.fromkeys(derived) if all(r in base.truths for r in orders.derivations[fact].rules)]
        steps = (*(("rule", rule.id) for rule in carriers), *(("fact", fact) for fact in facts))
        run, varying = Run(program, orders, list(base.values), base.known, base.pins, base.file, dict(base.truths)), Varying(names)
        fresh = program.values(self.date)
        for name in names:
            run.values[program.slots[name]] = fresh[program.slots[name]]
        if not taken(run, varying, steps) or varying.rules or varying.beyond or len(varying.values) > len(names):
            return True
        if any(run.truths[r.id] is not base.truths[r.id] for r in carriers) or any(tuple(run.value(f)) != tuple(base.value(f)) for f in facts):
            return True
        requires = [(r.id, c) for r in carriers for c in program.procedures[r.id].requires]
        if any(varying.reaches(run, c) or run.accepts(rule) is not base.accepts(rule) for rule, c in requires):
            return True
        return any(isinstance(c, Assume) and run.truths[rule.id] is not NO for rule in carriers for c in rule.then)
