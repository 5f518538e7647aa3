"""A field of machines over a cell of one figure: which are chosen, whether some stay open, whether memory rejects them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpurules.engine.glances.comparison import Bounds, tightened
from gpurules.engine.glances.machine_field import Entry, Field, Key, key
from gpurules.engine.glances.varying import Step, Varying, least
from gpurules.engine.inference import choice, judging
from gpurules.engine.inference.agenda import Impossible, Run, Stratum
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.choice import FINALISTS, Criterion
from gpurules.engine.inference.judging import POWER
from gpurules.engine.language.compile import Value
from gpurules.engine.values.truth import DEPENDS, NO, YES


class View:
    """A field over a cell of one lever: `run` is the workload there, `varying` what differs in it from place to place."""

    def __init__(self, field: Field, run: Run, varying: Varying, names: Iterable[str], touched: Iterable[str], ranker: View | None = None) -> None:
        """`names` are the parameters that stand elsewhere, `touched` the facts about which something else is proven, `ranker` is
        the view of the pass whose criteria rank machines, where it is another."""
        self.field, self.run, self.varying, self.ranker = field, run, varying, ranker or self
        plan, base = field.plan, field.run
        at = [(name, slot) for name, slot in plan.inputs if run.values[slot] != base.values[slot] or name in varying.values]
        self.slots = [slot for _, slot in at]
        self.names, self.rules = {name for name, _ in at} | {n for n in names if n in run.program.slots}, set(varying.rules)
        self.truths = {rule: truth for rule, truth in run.truths.items() if truth is not base.truths.get(rule)}
        self.rules |= self.truths.keys()
        self.names |= set(touched)
        self.steps = plan.reached(self.names, self.rules, run)
        self.required = [s for s in self.steps if s in plan.required]
        self.ranked = [s for s in self.steps if s in plan.ranked]
        self.rest = [s for s in self.steps if s in plan.rest]
        self.open = tuple(n for n, rule in enumerate(plan.stages.requiring) if self._reaches(rule))
        self._divided: dict[tuple[Value | None, ...], tuple[list[tuple[int, Value]], Run, Varying] | None] = {}
        self._states: dict[str, _State] = {}
        self._met: dict[str, Bounds] = {}
        self.corners: Callable[[], Iterable[View]] = tuple
        """The same cell with what else is open at one of its values."""

    @property
    def judged(self) -> Iterable[Varying]:
        """What varies of each machine that was looked at."""
        return (state.varying for state in self._states.values())

    def _reaches(self, rule: str) -> bool:
        behind = rule in self.rules or not self.rules.isdisjoint(self.run.overriders(rule))
        return behind or not self.names.isdisjoint(self.field.plan.required_names(rule))

    @property
    def same(self) -> bool:
        """Whether nothing differs that a machine is judged or ranked by."""
        return not self.steps and not self.open and not self.ranker.reranks

    @cached_property
    def reranks(self) -> bool:
        """Whether something differs that tells which criteria rank machines."""
        return any(rule in self.rules or not self.rules.isdisjoint(self.run.overriders(rule)) for rule in self.field.plan.preferring)

    # ------------------------------------------------------------ what a pass comes to

    @cached_property
    def picked(self) -> tuple[str, ...] | None:
        """The machines chosen; None where that is not one answer for the whole cell."""
        measures = self.ranker.measures
        if measures is None:
            return None
        moving = POWER in self.names or any(m.fact in self.names or not m.fact for m in measures)
        revived = bool(self.steps) and any(e.values is None and self._meets(e)[1] is YES for e in self.field.entries)
        if not moving and not revived and (measures is self.ranker.field.measures or measures == self.field.measures):
            return self._in_order()
        return self._ranked(measures)

    def _in_order(self) -> tuple[str, ...] | None:
        """The first that are accepted, one of each card, where the order is what it was."""
        found: dict[str, str] = {}
        for entry in self.field.entries:
            if entry.candidate.card in found:
                continue
            low, high = self._meets(entry)
            if low is YES:
                found[entry.candidate.card] = entry.candidate.id
                if len(found) == FINALISTS:
                    break
            elif high is YES:
                return None
        return tuple(found.values())

    def _ranked(self, measures: Sequence[Criterion]) -> tuple[str, ...] | None:
        open_: list[tuple[Key, Key, bool, Candidate]] = []
        for entry in self.field.entries:
            low, high = self._meets(entry)
            if high is YES:
                state = self._state(entry)
                inside = self._inside(entry) if any(m.fact in state.varying.values for m in measures) else []
                keys = [key(measures, state.run, entry.candidate, state.varying, end, inside) for end in (False, True)]
                least_key = tuple(min(pair) for pair in zip(*keys, strict=True))
                most_key = tuple(max(pair) for pair in zip(*keys, strict=True))
                open_.append((least_key, most_key, low is YES, entry.candidate))
        found: list[str] = []
        while open_ and len(found) < FINALISTS:
            first = min((one for one in open_ if one[2]), key=lambda one: one[1], default=None)
            if first is None or not all(one is first or _before(first, one) for one in open_):
                return None
            found.append(first[3].id)
            open_ = [one for one in open_ if one[3].card != first[3].card]
        return tuple(found)

    @cached_property
    def measures(self) -> tuple[Criterion, ...] | None:
        """The criteria over the cell; None where they may differ."""
        if not self.reranks:
            return self.field.measures
        plan = self.field.plan
        for machine in self.field.machines:
            try:
                fork = judging.judged(self.run, plan.engine.candidate, machine)
            except Impossible:
                continue
            moving = self.varying.copy()
            moving.along(fork, plan.engine.candidate.steps)
            bounds = [moving.stands(fork, rule) for rule in plan.preferring]
            return None if moving.beyond or any(low is not high for low, high in bounds) else choice.criteria(fork)
        return ()

    @cached_property
    def undecided(self) -> bool | None:
        """Whether some machine stays open; asked where none is accepted."""
        found = False
        for entry in self.field.entries:
            low, high = self._meets(entry)
            if low is DEPENDS and high is DEPENDS:
                return True
            found = found or low is not high
        return None if found else False

    @cached_property
    def short(self) -> bool | None:
        """Whether every machine is rejected for want of memory; asked where none is accepted."""
        sure = True
        for entry in self.field.entries:
            bounds = self._meets(entry)
            if bounds[0] is not NO:
                return False
            fitting = self._fitting(entry)
            if bounds[1] is NO and fitting[0] is not NO:
                return False
            sure = sure and bounds[1] is NO and fitting[1] is NO
        return sure and bool(self.field.entries) if sure else None

    def _fitting(self, entry: Entry) -> Bounds:
        """Whether it meets what is required of memory; no where it cannot be at all."""
        plan, state = self.field.plan, None
        found = []
        for number, rule in enumerate(plan.stages.requiring):
            if rule in plan.fitting:
                if entry.values is not None and number not in self.open:
                    found.append((entry.accepts[number],) * 2)
                else:
                    state = state or self._state(entry)
                    if state.impossible:
                        return NO, NO
                    found.append(state.varying.accepts(state.run, rule))
        return least(found)

    # ------------------------------------------------------------ one machine

    def _meets(self, entry: Entry) -> Bounds:
        """Whether a machine meets every requirement, over the cell."""
        found = self._met.get(entry.candidate.id)
        if found is None:
            found = self._looked(entry)
            if found[0] is not found[1]:
                found = tightened(found, (bounds for view in self.corners() if (bounds := view.there(entry.candidate)) is not None))
            self._met[entry.candidate.id] = found
        return found

    def there(self, machine: Candidate) -> Bounds | None:
        """Whether a machine meets every requirement, at a corner."""
        entry = self.field.named.get(machine.id)
        return None if entry is None else self._meets(entry)

    def _sure(self, entry: Entry, state: _State) -> bool:
        """Whether a machine's figures are such as can be, at every place."""
        if not state.varying.beyond:
            return True
        return not state.varying.impossible(self._inside(entry))

    def _inside(self, entry: Entry) -> list[Run]:
        """The machine with what else is open at one of its values."""
        corners = ((view, view.field.named.get(entry.candidate.id)) for view in self.corners())
        states = (view._state(other) for view, other in corners if other is not None)
        return [s.run for s in states if not s.impossible]

    def _looked(self, entry: Entry) -> Bounds:
        if entry.values is None:
            if not self.steps:
                return NO, NO
            closed: Bounds = (YES, YES)
        else:
            closed = least((truth, truth) for n, truth in enumerate(entry.accepts) if n not in self.open)
            if closed[1] is NO:
                return closed
        if entry.values is not None and not self.steps and not self.open:
            bounds = closed
        else:
            state = self._state(entry)
            if state.impossible:
                return NO, NO
            requiring = self.field.plan.stages.requiring
            numbers = range(len(requiring)) if entry.values is None else self.open
            bounds = least([closed, *(state.varying.accepts(state.run, requiring[n]) for n in numbers)])
            if bounds[1] is not NO and not self._sure(entry, state):
                bounds = (NO, bounds[1])
        if bounds[1] is YES:
            return self._whole(entry, bounds)
        return bounds

    def _whole(self, entry: Entry, bounds: Bounds) -> Bounds:
        """The same once figures that no choice reads are looked at: one which cannot be rejects a machine, too."""
        if entry.values is not None and not self.rest:
            return bounds if self.field.possible(entry) else (NO, NO)
        state = self._state(entry)
        self._rest(entry, state)
        for view in self.corners() if state.varying.beyond else ():
            if (other := view.field.named.get(entry.candidate.id)) is not None:
                view._rest(other, view._state(other))
        return (NO, NO) if state.impossible else bounds if self._sure(entry, state) else (NO, bounds[1])

    def _rest(self, entry: Entry, state: _State) -> None:
        """Look at the figures that no choice reads; of them, those behind which something differs."""
        if state.rested or state.impossible:
            return
        state.rested = True
        base = None if entry.values is None else self.field.rested(entry)
        steps: Sequence[Step] = self.field.plan.rest if base is None else self.rest
        for kind, name in self.field.plan.rest if base is not None else ():
            if kind == "rule":
                state.run.truths[name] = base.truths[name]  # type: ignore[union-attr]
            else:
                slot = state.run.program.slots[name]
                state.run.values[slot] = base.values[slot]  # type: ignore[union-attr]
        state.impossible = not taken(state.run, state.varying, steps)

    def _state(self, entry: Entry) -> _State:
        found = self._states.get(entry.candidate.id)
        if found is None:
            found = self._states[entry.candidate.id] = self._judged(entry)
        return found

    def _judged(self, entry: Entry) -> _State:
        plan = self.field.plan
        if entry.values is None:
            steps: Sequence[Step] = (*plan.stages.required.steps, *plan.stages.ranked.steps)
            fork, varying = judging.begun(self.run, entry.candidate), self.varying.copy()
            return _State(fork, varying, not taken(fork, varying, steps))
        fork, varying = self._begun(entry), self.varying.copy()
        divided = [s for s in (*self.required, *self.ranked) if s in plan.division]
        if not self._apply(entry, fork, varying, divided):
            return _State(fork, varying, True)
        rest = [s for s in (*self.required, *self.ranked) if s not in plan.division]
        return _State(fork, varying, not taken(fork, varying, rest))

    def _begun(self, entry: Entry) -> Run:
        run = self.run
        assert entry.values is not None
        values = list(entry.values)
        for slot in self.slots:
            values[slot] = run.values[slot]
        for name in self.names:
            if ":" in name:
                values[run.program.slots[name]] = run.values[run.program.slots[name]]
        return Run(run.program, run.orders, values, run.known, run.pins, run.file, {**entry.truths, **self.truths})

    def _apply(self, entry: Entry, fork: Run, varying: Varying, steps: Sequence[Step]) -> bool:
        """Take the steps that hang on how the work is divided, once for all machines that divide it alike; False where none can be."""
        division = entry.candidate.division
        if division not in self._divided:
            other, moving = self._begun(entry), self.varying.copy()
            slots = [fork.program.slots[name] for kind, name in steps if kind == "fact"]
            self._divided[division] = ([(slot, other.values[slot]) for slot in slots], other, moving) if taken(other, moving, steps) else None
        found = self._divided[division]
        if found is None:
            return False
        values, other, moving = found
        for slot, value in values:
            fork.values[slot] = value
        fork.truths.update({name: other.truths[name] for kind, name in steps if kind == "rule"})
        fork.found.update({name: other.found[name] for kind, name in steps if kind == "fact"})
        varying.add(moving)
        return True


@dataclass(slots=True)
class _State:
    """One machine over a cell, as far as it was judged."""

    run: Run
    varying: Varying
    impossible: bool
    rested: bool = False


def taken(fork: Run, varying: Varying, steps: Sequence[Step]) -> bool:
    """Take steps; False where rules give a figure that nothing can have, at every place."""
    try:
        fork.along(Stratum(tuple(steps)))
    except Impossible:
        return False
    varying.along(fork, steps)
    return True


def _before(one: tuple[Key, Key, bool, Candidate], other: tuple[Key, Key, bool, Candidate]) -> bool:
    """Whether one machine comes before another at every place of a cell: nowhere is it behind in what is compared first; where it is level, the next counts."""
    for most, least_other in zip(one[1], other[0], strict=True):
        if most != least_other:
            return most < least_other  # type: ignore[operator]
    return False
