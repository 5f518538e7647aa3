"""The machines that one pass chooses among, judged once with every parameter as it is, so that a moved one asks for little more.

What a moved parameter cannot reach is not looked at again: of the rules about machines only those behind which something differs
are, for machines that no other rule rejects, and those that divide the work alike once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpurules.engine.glances.varying import Step, Varying
from gpurules.engine.inference import candidates, choice, judging
from gpurules.engine.inference import stages as cut
from gpurules.engine.inference.agenda import Impossible, Run, Stratum
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.choice import Criterion
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.judging import POWER, ByAgenda, ByKernel, Judge
from gpurules.engine.inference.kernel import OutOfRange
from gpurules.engine.knowledge.rule import Prefer
from gpurules.engine.language import aggregate
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import Truth

Key = tuple[float | str, ...]


class Plan:
    """The rules about machines of one engine: which step reads what, and in which part of the choice it comes."""

    def __init__(self, engine: Engine) -> None:
        program, stratum = engine.program, engine.candidate
        self.engine, self.stages = engine, engine.stages
        self.preferring = tuple(p.rule.id for p in program.procedures.values() if any(isinstance(c, Prefer) for c in p.rule.then))
        read = {POWER, *(aggregate.split(name)[1] for name in program.aggregates)}
        self.division = frozenset(cut.parts(program, engine.rulebook.orders, stratum, candidates.COUNTED, read)[0].steps)
        self.reads = {step: self._reads(*step) for step in stratum.steps}
        rest = [s for s in self.stages.rest.steps if s[0] == "fact"]
        deriving = {("rule", r) for _, fact in rest for r in engine.rulebook.derivations[fact].rules}
        self.required, self.ranked = frozenset(self.stages.required.steps), frozenset(self.stages.ranked.steps)
        self.rest = tuple(s for s in self.stages.rest.steps if s[0] == "fact" or s in deriving)
        self.fitting = engine.fitting
        slots = program.slots
        self.inputs = tuple((n, slots[n]) for n in sorted({n for names in self.reads.values() for n in names} | self._required_names()) if n in slots)

    def _reads(self, kind: str, name: str) -> frozenset[str]:
        """The names of facts and parameters that a step reads, by their names outside of rules."""
        procedures = self.engine.program.procedures
        if kind == "rule":
            condition = procedures[name].condition
            return frozenset(leaf for atom in (condition.atoms() if condition is not None else ()) for leaf, _ in atom.reads)
        return frozenset(leaf for rule in self.engine.rulebook.derivations[name].rules for leaf in procedures[rule].leaves[name])

    def required_names(self, rule: str) -> frozenset[str]:
        return frozenset(leaf for c in self.engine.program.procedures[rule].requires for atom in c.atoms() for leaf, _ in atom.reads)

    def _required_names(self) -> set[str]:
        return {name for rule in self.stages.requiring for name in self.required_names(rule)}

    def reached(self, names: set[str], rules: set[str], run: Run) -> tuple[Step, ...]:
        """The steps that rest on names or on truths of rules, each name and rule reached added to these; not rules that keep silent
        for want of a fact."""
        found = []
        procedures = self.engine.program.procedures
        for step in self.engine.candidate.steps:
            kind, name = step
            if kind == "rule":
                behind = not names.isdisjoint(self.reads[step]) and run.knows(procedures[name].rule.needs)
            else:
                deriving = [r for r in run.orders.derivations[name].rules if run.knows(procedures[r].rule.needs)]
                behind = name in names or not rules.isdisjoint(deriving) or any(not names.isdisjoint(procedures[r].leaves[name]) for r in deriving)
            if behind or (kind == "rule" and name in rules):
                found.append(step)
                (names if kind == "fact" else rules).add(name)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Entry:
    """One machine as it is: values and truths (None where rules give it a figure that cannot be), whether it meets each requirement,
    and its place in the order."""

    candidate: Candidate
    values: list[Value] | None
    truths: dict[str, Truth]
    accepts: tuple[Truth, ...]
    key: Key


class Field:
    """The machines of one pass over a workload, `preferring` the pass whose criteria rank them."""

    def __init__(self, plan: Plan, run: Run, preferring: Run, machines: Iterable[Candidate]) -> None:
        self.plan, self.run, self.preferring = plan, run, preferring
        self.machines = tuple(machines)
        self.judge: Judge = ByAgenda(run, plan.stages) if run.pins else ByKernel(run, plan.stages)
        self._possible: dict[str, bool] = {}
        self._rested: dict[str, Run | None] = {}

    @cached_property
    def measures(self) -> tuple[Criterion, ...]:
        return self.measured(self.preferring) or ()

    def measured(self, run: Run) -> tuple[Criterion, ...] | None:
        """The criteria, as the first machine shows them that can be."""
        for machine in self.machines:
            try:
                return choice.criteria(judging.judged(run, self.plan.engine.candidate, machine))
            except Impossible:
                continue
        return None

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All machines, the best first."""
        return tuple(sorted((self._entry(machine) for machine in self.machines), key=lambda e: (e.values is None, e.key)))

    @cached_property
    def named(self) -> Mapping[str, Entry]:
        return {entry.candidate.id: entry for entry in self.entries}

    def _entry(self, machine: Candidate) -> Entry:
        try:
            fork = self.judge.fork(machine)
            fork.along(self.plan.stages.ranked)
        except (Impossible, OutOfRange):
            return Entry(machine, None, {}, (), (machine.id,))
        accepts = tuple(fork.accepts(rule) for rule in self.plan.stages.requiring)
        return Entry(machine, list(fork.values), fork.truths, accepts, key(self.measures, fork, machine))

    def judged(self, entry: Entry) -> Run:
        """The run in which a machine stands as it is."""
        run, values = self.run, entry.values or self.run.values
        return Run(run.program, run.orders, list(values), run.known, run.pins, run.file, {**run.truths, **entry.truths})

    def rested(self, entry: Entry) -> Run | None:
        """The same with the figures that no choice reads; None where they cannot be."""
        if entry.candidate.id not in self._rested:
            run: Run | None = self.judged(entry)
            try:
                run.along(Stratum(self.plan.rest))  # type: ignore[union-attr]
            except Impossible:
                run = None
            self._rested[entry.candidate.id] = run
        return self._rested[entry.candidate.id]

    def possible(self, entry: Entry) -> bool:
        """Whether figures that no choice reads can be."""
        if entry.candidate.id not in self._possible:
            self._possible[entry.candidate.id] = self.judge.possible(entry.candidate)
        return self._possible[entry.candidate.id]


def key(measures: Sequence[Criterion], fork: Run, machine: Candidate, varying: Varying | None = None, high: bool = False, inside: Sequence[Run] = ()) -> Key:
    """What a machine is ordered by. Of figures that vary it is the least that their worst case may be, or (`high`) the most; runs
    `inside`, with what is open at one of its values, bound the worst case from the other side."""
    scores = []
    for criterion in measures:
        score = Interval._make(criterion.figure(fork.values))
        if varying is not None and criterion.fact in varying.values:
            there = [Interval._make(criterion.figure(run.values)) for run in inside]
            best = criterion.direction == "high"
            least_worst = score.low if best else max([score.low, *(one.low for one in there)])
            most_worst = min([score.high, *(one.high for one in there)]) if best else score.high
            score = Interval(most_worst, most_worst) if high else Interval(least_worst, least_worst)
        scores.append(score)
    power = fork.value(POWER)
    assert isinstance(power, tuple)
    watts = power[0] if varying is not None and POWER in varying.values and not high else power[1]
    return (*choice.ranks(measures, scores), watts, float(machine.count), machine.card, float(machine.preference), machine.id)
