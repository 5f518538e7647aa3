"""One evaluation: the facts in two passes, without and with assumptions, over the workload and candidate 0."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial

from gpurules.engine.inference import agenda, aggregates, candidates, choice, judging, pricing
from gpurules.engine.inference.agenda import Impossible, Run, Stratum
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.choice import Choice, Criterion, Scenario
from gpurules.engine.inference.durable import Network
from gpurules.engine.inference.facts import Fact, Facts
from gpurules.engine.inference.judging import Judge, Stages
from gpurules.engine.inference.kernel import Kernel, OutOfRange
from gpurules.engine.inference.scalar import Procedure, Program, compile_rulebook
from gpurules.engine.knowledge import order
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Assume, Require
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language import aggregate, syntax
from gpurules.engine.language.compile import Value
from gpurules.engine.values.heap import growing
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

_STAND_IN = (("model.size_class", "model.parameters"), ("gpu.memory_nominal", "gpu.memory_usable"))
"""Facts of which each stands in for the other."""


@dataclass(frozen=True, slots=True)
class Assumption:
    """A fact that nobody stated, the value assumed for it, and the rule that assumes it."""

    fact: str
    value: Value
    rule: str


@dataclass(frozen=True)
class Evaluation:
    """Everything that came of one set of facts. `first` is the pass over what is given, `second` the one with assumptions;
    both hold the workload and, where the facts state a machine, candidate 0."""

    engine: Engine
    facts: Facts
    choices: Mapping[str, Value] | None
    date: str
    first: Run
    second: Run
    assumptions: tuple[Assumption, ...]
    has_candidate: bool
    workloads: tuple[Run, Run]
    """Both passes over the workload alone, before any candidate was looked at."""
    looked_for: dict[Hashable, Choice] = field(default_factory=dict)
    """Choices that were made for this or a like evaluation, by what machines were judged by."""

    @property
    def sized(self) -> bool:
        """Whether both what is done and how large the model is are given; without, no machine is looked for."""
        known = self.facts.known
        return "workload.task" in known and bool({"model.size_class", "model.parameters", "memory.rule_of_thumb"} & known)

    @cached_property
    def given_judge(self) -> Judge:
        """What judges machines on what is given."""
        return choice.judge_of(self.workloads[0], self.engine.stages_under(self.first.orders))

    @cached_property
    def assuming_judge(self) -> Judge:
        """The same with the assumptions made."""
        return choice.judge_of(self.workloads[1], self.engine.stages_under(self.first.orders)) if self.assumptions else self.given_judge

    @cached_property
    def _measures(self) -> tuple[Criterion, ...]:
        """What machines are ranked by: what is assumed may rank, never accept."""
        return choice.measured(self.engine.catalogued, self.assuming_judge)

    @cached_property
    def given_choice(self) -> Choice:
        """The choice among all candidates on what is given."""
        return self._choose(self.given_judge)

    @cached_property
    def assuming_choice(self) -> Choice:
        """The choice with the assumptions made."""
        return self._choose(self.assuming_judge) if self.assumptions else self.given_choice

    def _choose(self, judge: Judge) -> Choice:
        """Among single machines; where memory rejects them all, among several of eight cards each, twice as many at a time."""
        key = self._judged_by(judge)
        if key in self.looked_for:
            return self.looked_for[key].ranked(judge, self._measures)
        found = choice.choose(self.engine.catalogued, judge, self._measures)
        for nodes in candidates.GROWN:
            if not found.short_of_memory(self.engine.fitting):
                break
            found = choice.choose(self.engine.grown(nodes), judge, self._measures, found)
        if key is not None:
            self.looked_for[key] = found
        return found

    def _judged_by(self, judge: Judge) -> Hashable:
        """What machines are judged by here; None where that is not told easily."""
        stages = self.engine.stages
        if judge.run.pins or self.engine.stages_under(self.first.orders) is not stages:
            return None
        return id(self.program), self.date, stages.judged_by(judge.run)

    @cached_property
    def given_prospect(self) -> Truth:
        """Whether a candidate is accepted on what is given, or (*depends*) may be; found without ranking them where that is quicker."""
        return self._prospect("given_choice", self.given_judge)

    @cached_property
    def assuming_prospect(self) -> Truth:
        """The same with the assumptions made."""
        return self._prospect("assuming_choice", self.assuming_judge) if self.assumptions else self.given_prospect

    def _prospect(self, name: str, judge: Judge) -> Truth:
        if name not in self.__dict__ and self._judged_by(judge) not in self.looked_for:
            best = choice.prospect(judge, self.engine.catalogued)
            if best is not NO:
                return best
        found: Choice = getattr(self, name)  # where memory rejects every single machine, several are looked at
        return YES if found.accepted else DEPENDS if found.undecided else NO

    @cached_property
    def given_at_hand(self) -> Choice:
        """The choice among fewer of the cards that are stated, on what is given."""
        return self._at_hand(self.given_judge)

    @cached_property
    def assuming_at_hand(self) -> Choice:
        """The same with the assumptions made."""
        return self._at_hand(self.assuming_judge) if self.assumptions else self.given_at_hand

    def _at_hand(self, judge: Judge) -> Choice:
        machines = candidates.at_hand(judge.run) if self.choices is None else ()
        measures = self._measures or choice.measured(machines, self.assuming_judge)
        return choice.choose(machines, judge, measures)

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Machines that rules name outright; where they differ, none is chosen until the question between them is settled."""
        return choice.scenarios(self.second)

    @property
    def program(self) -> Program:
        return self.engine.program

    @property
    def requirements(self) -> tuple[str, ...]:
        """Ids of the rules that require something of a candidate."""
        return self.engine.requirements

    @cached_property
    def _verdicts(self) -> tuple[Truth, Truth]:
        before, after = (min((run.accepts(rule) for rule in self.requirements), default=YES) for run in (self.first, self.second))
        return before, after

    def accepted(self, run: Run) -> Truth:
        """Whether candidate 0 meets every requirement: rejected if any fails, accepted if all hold."""
        return self._verdicts[run is self.second]

    def otherwise(self, changes: Mapping[str, Fact | None], by: Engine | None = None) -> Evaluation | None:
        """What the rules say where some facts are others, or (None) not given; None where a figure then is what nothing can have.

        Rules that look at all machines together are not judged; those of a cone alone are, where one is to do it (`by`).
        """
        given = {path: fact for path, fact in {**self.facts.given, **changes}.items() if fact is not None}
        ordered = {path: given[path] for path in self.program.rulebook.vocabulary.facts if path in given}
        return self._again(by or self.engine, replace(self.facts, given=ordered), None, False)

    def under(self, orders: Orders) -> Evaluation | None:
        """What the same facts come to where rules stand in another order; None as for `otherwise`."""
        return self._again(self.engine, self.facts, orders, True)

    def _again(self, by: Engine, facts: Facts, orders: Orders | None, whole: bool) -> Evaluation | None:
        try:
            return by.evaluate(facts, self.date, self.first.file, self.choices, orders, self.looked_for, together=whole)
        except Impossible:
            return None

    def looked_at(self, rule: str) -> bool:
        """Whether a rule was judged: candidate rules are, where there is a candidate."""
        return rule in self.first.truths


class Engine:
    """A rulebook made ready: compiled once, evaluated many times. Pure: evaluations share nothing that changes."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        with growing():
            self.program = compile_rulebook(rulebook)
            self.workload, self.candidate, self.together = agenda.strata(self.program)
            self.catalogued = candidates.catalogued(rulebook)
            self.stages = self._stages(rulebook.orders)
        self._grown: dict[int, tuple[Candidate, ...]] = {}
        self._compiled = self.program
        self._kernels: tuple[Kernel | None, Kernel | None] | None = None

    required: tuple[Kernel, Kernel] | None = None
    """The kernels of what requirements rest on, once a `Cone` of some had them made."""
    network: Network | None = None
    """What judges workload rules instead of their compiled conditions; the decisions are the same."""
    network_together: Network | None = None
    """The same for the rules that look at all machines together."""

    def _stages(self, orders: Orders) -> Stages:
        return Stages(self.program, orders, self.candidate, [aggregate.split(name)[1] for name in self.program.aggregates])

    @cached_property
    def requirements(self) -> tuple[str, ...]:
        """Ids of the rules that require something of a candidate."""
        return tuple(p.rule.id for p in self.program.procedures.values() if any(isinstance(c, Require) for c in p.rule.then))

    @cached_property
    def read(self) -> frozenset[str]:
        """The facts that running rules read: themselves, as figures of the stated machine, or by standing in for another."""
        found = {"gpu.name", "model.name"}
        for rule in self.rulebook.running:
            for name in (*rule.needs, *(name for tree in rule.trees for name in syntax.names(tree))):
                found.update((name, *candidates.cause(name)))
        return frozenset(found.union(*(pair for pair in _STAND_IN if found.intersection(pair))))

    @cached_property
    def fitting(self) -> frozenset[str]:
        """The rules that reject a machine for want of memory."""
        return choice.fitting(self.program)

    def judged(self, run: Run, candidate: Candidate) -> Run:
        """A workload's run with every rule about one machine judged. Raises Impossible."""
        fork = judging.begun(run, candidate)
        self._along(fork, self.candidate, self.kernels[1])
        return fork

    def grown(self, nodes: int) -> tuple[Candidate, ...]:
        """Candidates of several machines, made when they are first wanted."""
        if nodes not in self._grown:
            self._grown[nodes] = candidates.grown(self.rulebook, nodes)
        return self._grown[nodes]

    def stages_under(self, orders: Orders) -> Stages:
        """The rules about machines made ready for choosing, under the rulebook's orders or others."""
        return self.stages if self.compiled_under(orders) else self._stages(orders)

    def durable(self) -> Engine:
        """This engine on the durable back end. Raises GpurulesError where that cannot be had, or the rulebook is beyond its bounds."""
        other = copy(self)
        other.network, other.network_together = Network(self.program, self.workload), Network(self.program, self.together)
        return other

    def evaluate(
        self,
        facts: Facts,
        date: str = "",
        file: str = "facts",
        choices: Mapping[str, Value] | None = None,
        orders: Orders | None = None,
        looked_for: dict[Hashable, Choice] | None = None,
        together: bool = True,
    ) -> Evaluation:
        """Evaluate `facts` as of `date` (the rulebook's release by default). `choices` overrides figures of candidate 0,
        `orders` the rulebook's own, to see the other side of a conflict; a choice in `looked_for`, made on this date, is not made again.
        Without `together`, the rules that look at all machines together are not judged: nothing else rests on them.

        Raises GpurulesError when rules give a derived fact a value outside its range.
        """
        date = date or self.rulebook.released
        given, pins = self.given(facts, date)
        has_candidate = candidates.stated(facts.known) or choices is not None
        orders = orders or self.rulebook.orders
        first = self._run(given, pins, date, file, orders)
        assumptions = self.assume(first, facts.settled)
        second = self._run({**given, **{a.fact: a.value for a in assumptions}}, pins, date, file, orders) if assumptions else first.copy()
        workloads = first.copy(), second.copy()
        if has_candidate:
            for run in (first, second):
                self._judge_candidate(run, choices or {})
        evaluation = Evaluation(self, facts, choices, date, first, second, assumptions, has_candidate, workloads, {} if looked_for is None else looked_for)
        if together:
            self.look_together(evaluation)
        return evaluation

    def given(self, facts: Facts, date: str) -> tuple[dict[str, Value], dict[str, Value]]:
        """The values of what is given as of a day, and of derived facts that are stated."""
        vocabulary = self.rulebook.vocabulary.facts
        pins: dict[str, Value] = {path: f.value for path, f in facts.given.items() if vocabulary[path].kind == "derived"}
        given: dict[str, Value] = {path: f.value for path, f in facts.given.items() if path not in pins}
        aged = pricing.age(facts.oldest, date)
        if aged is not None and "budget.price_age" in vocabulary:
            given.setdefault("budget.price_age", aged)
        return given, pins

    def look_together(self, evaluation: Evaluation) -> None:
        """Judge the rules that look at all machines together. Machines are looked for where such a rule may hold."""
        if not self.together.steps:
            return
        rules = [name for kind, name in self.together.steps if kind == "rule"]
        for number, run in enumerate((evaluation.first, evaluation.second)):
            self._along(run, self.together, network=self.network_together)
            if not evaluation.sized or all(run.truths[rule] is NO for rule in rules):
                continue
            found = evaluation.assuming_choice if number else evaluation.given_choice
            workload = evaluation.workloads[number]
            for name, value in aggregates.values(workload, found, self.stages_under(run.orders)).items():
                run.values[self.program.slots[name]] = value
            run.gathered = cache(partial(aggregates.causes, found))
            self._along(run, self.together, network=self.network_together)

    @cached_property
    def kernel(self) -> Kernel:
        """All rules about machines as one kernel; the choice itself has them cut into stages."""
        return Kernel(self.program, self.rulebook.orders, self.candidate)

    @property
    def kernels(self) -> tuple[Kernel | None, Kernel | None]:
        """What judges the rules of the workload, and those about candidate 0, quicker than a run along the agenda, and alike.
        None where this is a copy with another program than they were made of."""
        if self._kernels is None:
            orders = self.rulebook.orders
            self._kernels = Kernel(self.program, orders, self.workload, ()), Kernel(self.program, orders, self.candidate, ())
        return self._kernels if self.program is self._compiled else (None, None)

    def ready(self) -> Engine:
        """This engine, with all made that is otherwise made when it is first asked for."""
        for made in (self.kernels, self.read, self.requirements, self.fitting, self.assuming_procedures, self.rulebook.orders.above):
            assert made is not None
        return self

    def along_the_agenda(self) -> Engine:
        """This engine without kernels for the workload and candidate 0."""
        other = copy(self)
        other._kernels = None, None
        return other

    def compiled_under(self, orders: Orders) -> bool:
        """Whether `orders` leaves the order of the rules about machines as it was compiled."""
        compiled = self.rulebook.orders
        if orders is compiled:
            return True
        facts = [name for kind, name in self.candidate.steps if kind == "fact"]
        same = all(orders.derivations[f] == compiled.derivations[f] for f in facts)
        return same and all(orders.overriders.get(r) == compiled.overriders.get(r) for r in self.stages.requiring)

    def _run(self, given: Mapping[str, Value], pins: Mapping[str, Value], date: str, file: str, orders: Orders) -> Run:
        values = self.program.values(date)
        for path, value in {**given, **pins}.items():
            values[self.program.slots[path]] = value  # a pin, too: no rule may derive the fact
        run = Run(self.program, orders, values, frozenset((*given, *pins)), pins, file)
        self._along(run, self.workload, self.kernels[0], self.network)
        return run

    def assuming(self, run: Run, assumptions: Iterable[Assumption]) -> Run:
        """The workload of a run over what is given, with other facts assumed."""
        given = {path: run.value(path) for path in run.known if path not in run.pins}
        return self._run({**given, **{a.fact: a.value for a in assumptions}}, run.pins, "", run.file, run.orders)

    def _along(self, run: Run, stratum: Stratum, kernel: Kernel | None = None, network: Network | None = None) -> None:
        if network is not None:
            network.along(run)
            return
        own = self.rulebook.orders
        if kernel is not None and not run.pins and not run.maybe and (run.orders is own or run.orders.derivations == own.derivations):
            try:
                kernel.along(run)
                return
            except OutOfRange:
                pass  # the agenda says which rules gave the value
        run.along(stratum)

    def _judge_candidate(self, run: Run, choices: Mapping[str, Value]) -> None:
        for path, value in {**candidates.figures(run), **choices}.items():
            run.values[self.program.slots[path]] = value
        self._along(run, self.candidate, self.kernels[1])

    @cached_property
    def assuming_procedures(self) -> tuple[Procedure, ...]:
        """The rules that assume something."""
        return tuple(p for p in self.program.procedures.values() if p.assumes)

    def assume(self, run: Run, settled: frozenset[str]) -> tuple[Assumption, ...]:
        """What assume rules that surely hold say of facts that nobody stated; of several, the strongest."""
        groups: dict[str, list[str]] = {}
        for procedure in (p for p in self.assuming_procedures if run.truths.get(p.rule.id, NO) is YES):
            for conclusion in procedure.rule.then:
                if isinstance(conclusion, Assume) and conclusion.fact not in settled:
                    groups.setdefault(conclusion.fact, []).append(procedure.rule.id)
        found: list[Assumption] = []
        for fact, rules in sorted(groups.items()):
            rule = rules[0] if len(rules) == 1 else order.chain(rules, self.rulebook.orders.above)[0]
            given = self.program.procedures[rule].assumes[fact]
            value = given if isinstance(given, frozenset) else run.within(fact, (rule,), given(run.values))
            found.append(Assumption(fact, value, rule))
        return tuple(found)
