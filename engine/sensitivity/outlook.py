"""The verdict with one parameter moved: at one place, or over a cell of places at once, where it is the same at all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TypeVar

from gpurules.engine.decisions import change
from gpurules.engine.inference import candidates, choice
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.candidates import GROWN, Candidate
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries import goal
from gpurules.engine.inquiries.axis import Cell
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Advise, Assume, Derive, Prefer, Require
from gpurules.engine.language.compile import Table, Value
from gpurules.engine.sensitivity.field_view import View, taken
from gpurules.engine.sensitivity.lever import Lever
from gpurules.engine.sensitivity.machine_field import Field, Plan
from gpurules.engine.sensitivity.mover import Mover
from gpurules.engine.sensitivity.varying import Bounds, Varying, tightened
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import DEPENDS, NO, YES

Verdict = tuple[str, ...]
"""The status and the machines chosen, as `change.verdict`."""
IMPOSSIBLE: Verdict = ("impossible",)
"""Rules give a fact a value that nothing can have: there is no decision."""
CONFLICTING: Verdict = ("conflicting",)
"""Two rules derive one fact, and nothing says which holds: such a rulebook cannot be loaded."""
Held = TypeVar("Held")


class Outlook:
    """The verdicts of one trial's facts, under the rulebook with one parameter moved."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.facts, self.engine, self.base = trial, trial.facts, trial.engine, trial.base
        self.end: int | None = None
        """Of a corner: the end at which everything stands that is open."""
        self.date = self.base.date
        rules = trial.rulebook.running
        judged = [r.id for r in rules if any(isinstance(c, Require | Prefer) for c in r.then)]
        named = [r.id for r in rules if not r.for_each and any(isinstance(c, Advise) and c.machine for c in r.then)]
        self.naming = tuple(named)
        self.verdict_rules = Cone(self.engine, [*judged, *named]).rules
        """The rules that the verdict rests on."""
        self.cone = Cone(self.engine, [*judged, *named, *(r.id for r in rules if any(isinstance(c, Derive | Assume) for c in r.then))])
        self.plan = Plan(self.engine)
        self._held: dict[Hashable, object] = {}

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
        return Glance(self, mover, evaluation, cell, orders)

    @cached_property
    def corners(self) -> tuple[Outlook, ...]:
        """The same with what is open at one of its ends, all low, then all high: what comes out there may come out here."""
        return tuple(corner for end in (0, 1) if (corner := self._corner(end)) is not None)

    def _corner(self, end: int) -> Outlook | None:
        other = copy(self)
        other.end, other._held = end, {}
        other.__dict__.pop("corners", None)
        facts = self.trial.rulebook.vocabulary.facts
        given = {p: replace(f, value=_given(f.value, end)) if f.value != facts[p].whole else f for p, f in self.facts.given.items()}
        other.facts = replace(self.facts, given=given)
        values = [_end(value, end) for value in self.engine.program.values(self.date)]
        program = replace(self.engine.program, _fresh={self.date: values})
        other.engine, other.cone = copy(self.engine), copy(self.cone)
        other.engine.program = other.cone.program = program
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

    def field(self, number: int, evaluation: Evaluation, nodes: int) -> Field:
        """The machines of a pass: of one machine each (`nodes` 0), of several, or of those at hand (-1)."""
        same = not number or goal.assumed(evaluation) == goal.assumed(self.base) and evaluation.assumptions == self.base.assumptions
        key = (number, nodes, () if same else evaluation.assumptions)

        def made() -> Field:
            run = self.base.workloads[number] if same else self.engine.assuming(self.base.workloads[0], evaluation.assumptions)
            preferring = self.base.workloads[1] if same else run
            return Field(self.plan, run, preferring, self._machines(run, nodes))

        return self.held(("field", *key), made)

    def _machines(self, run: Run, nodes: int) -> tuple[Candidate, ...]:
        return candidates.at_hand(run) if nodes < 0 else self.engine.grown(nodes) if nodes else self.engine.catalogued

    def held(self, key: Hashable, make: Callable[[], Held]) -> Held:
        if key not in self._held:
            self._held[key] = make()
        return self._held[key]  # type: ignore[return-value]


def _end(value: Value, end: int) -> Value:
    """A value at one end; of a table, each row."""
    return Table((key, Interval(row[end], row[end])) for key, row in value.items()) if isinstance(value, Table) else _given(value, end)


def _given(value: Interval | frozenset[str], end: int) -> Interval | frozenset[str]:
    """A number at one end, of members the first or the last."""
    return Interval(value[end], value[end]) if isinstance(value, Interval) else frozenset([sorted(value)[-end]])


class Glance:
    """One evaluation in which a parameter has all values of a cell at once, and what may differ in it from place to place."""

    def __init__(self, outlook: Outlook, mover: Mover, evaluation: Evaluation, cell: Cell, orders: Orders) -> None:
        self.outlook, self.mover, self.evaluation, self.cell, self.orders = outlook, mover, evaluation, cell, orders
        cone, self.engine = outlook.cone, outlook.engine
        self.names = names = () if cell[0] == cell[1] else mover.names
        first = Varying(names)
        first.along(evaluation.workloads[0], cone.workload.steps)
        second = Varying(names)
        for one in evaluation.assumptions:
            if wide(one.value) and not first.values.isdisjoint(self.engine.program.procedures[one.rule].leaves.get(one.fact, ())):
                second.values.add(one.fact)
                second.beyond.add((one.fact, 0))  # how far the fact's range cuts what is assumed is not followed
        second.along(evaluation.workloads[1], cone.workload.steps)
        self.workloads = first, second if evaluation.assumptions else first
        self.machines = tuple(self._stated(varying, number) for number, varying in enumerate(self.workloads))
        self._views: dict[tuple[int, int], View] = {}

    def _stated(self, workload: Varying, number: int) -> Varying:
        """What varies of the stated machine besides the workload."""
        if not self.evaluation.has_candidate:
            return workload
        varying, cone = workload.copy(), self.outlook.cone
        varying.values |= {figure for figure in cone.figures if not varying.values.isdisjoint(candidates.cause(figure))}
        varying.along((self.evaluation.first, self.evaluation.second)[number], cone.candidate.steps)
        return varying

    # ------------------------------------------------------------ the verdict, as `change.verdict` finds it

    def verdict(self) -> Verdict | None:
        evaluation = self.evaluation
        if not self._settled or any(v.impossible(self._runs(number)) for v, number in self._looked):
            return None
        if not evaluation.sized:
            return ("not_sized",)
        if evaluation.has_candidate:
            before, after = self._accepted(0), self._accepted(1)
            if before[0] is YES or (before[1] is not YES and after[0] is YES):
                status = "keep" if before[0] is YES else "provisional"
                return (status, "stated") if after[0] is YES else (status,) if after[1] is not YES else None
            if before[1] is YES or after[1] is YES:
                return None
        named = [self._stands(rule) for rule in self.outlook.naming if rule in evaluation.second.truths]
        if any(high is YES and low is not YES for low, high in named):
            return None
        if choice.contradict(evaluation.scenarios):
            return ("ask",)
        return self._chosen()

    @property
    def _looked(self) -> Iterable[tuple[Varying, int]]:
        return (self.machines[0], 0), (self.machines[1], 1)

    @cached_property
    def corners(self) -> tuple[Glance, ...]:
        """The same cell with what else is open at one of its ends."""
        found = []
        for outlook in self.outlook.corners if self.outlook.end is None and self.names else ():
            try:
                found.append(outlook.glance(self.mover, self.cell, self.orders))
            except GpurulesError:
                continue
        return tuple(found)

    def _alike(self, number: int) -> Iterable[Glance]:
        """The corners in which the same is assumed."""
        if not number:
            return self.corners
        return (c for c in self.corners if c._settled and c.evaluation.assumptions == self.evaluation.assumptions)

    @cached_property
    def _settled(self) -> bool:
        """Whether the same is assumed at every place: what may be assumed somewhere is so everywhere, or surely nowhere."""
        run, settled = self.evaluation.first, self.evaluation.facts.settled
        may = [r for r, facts in self.outlook.cone.assumed_by.items() if r in self.workloads[0].rules and not settled.issuperset(facts)]
        return all(run.truths[r] is not DEPENDS or any(c.evaluation.first.truths[r] is NO for c in self.corners) for r in may)

    def _runs(self, number: int) -> Iterable[Run]:
        return ((c.evaluation.first, c.evaluation.second)[number] for c in self._alike(number))

    def _accepted(self, number: int) -> Bounds:
        """Whether the stated machine meets every requirement."""
        run = (self.evaluation.first, self.evaluation.second)[number]
        bounds = self.machines[number].accepted(run, self.evaluation.requirements)
        return tightened(bounds, (c._accepted(number) for c in self._alike(number)))

    def _stands(self, rule: str) -> Bounds:
        bounds = self.machines[1].stands(self.evaluation.second, rule)
        return tightened(bounds, (c._stands(rule) for c in self._alike(1)))

    def _chosen(self) -> Verdict | None:
        for number, status in enumerate(("recommended", "provisional")):
            own = self._picked(number, -1)
            found = None if own is None else self._picked(number, 0)
            if own is None or found is None:
                return None
            if own or found:
                return (status, *(*own, *found)[: choice.FINALISTS])
        open_ = [self._last(number).undecided for number in (0, 1)]
        return ("ask",) if True in open_ else None if None in open_ else ("none_fits",)

    def _picked(self, number: int, nodes: int) -> tuple[str, ...] | None:
        """What a pass chooses; where memory rejects all machines, among several together."""
        view = self._view(number, nodes)
        found = view.picked
        for grown in GROWN if nodes == 0 else ():
            if found is None or found or view.short is False:
                break
            if view.short is None:
                return None
            view = self._view(number, grown)
            found = view.picked
        return found

    def _last(self, number: int) -> View:
        """The machines that a pass looked at last."""
        grown = [self._views[key] for key in ((number, nodes) for nodes in (0, *GROWN)) if key in self._views]
        return grown[-1] if grown else self._view(number, 0)

    def _view(self, number: int, nodes: int) -> View:
        number = number if self.evaluation.assumptions else 0
        if (number, nodes) not in self._views:
            ranker = None if (number or not self.evaluation.assumptions) and nodes == 0 else self._view(1, 0)
            self._views[number, nodes] = self._made(number, nodes, ranker)
        return self._views[number, nodes]

    def _made(self, number: int, nodes: int, ranker: View | None) -> View:
        field = self.outlook.field(number, self.evaluation, nodes)
        names = self.mover.names
        made = View(field, self.evaluation.workloads[number], self.workloads[number], names, self.mover.cut, ranker)
        if made.same:
            return self.outlook.held(("same", field), lambda: View(field, field.run, Varying(), (), ()))
        made.corners = lambda: [c._view(number, nodes) for c in self._alike(number)]
        return made
