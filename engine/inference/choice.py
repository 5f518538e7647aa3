"""The choice: every candidate judged by the rules, the accepted ones ranked by the criteria that rules give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from gpurules.engine.inference.agenda import Impossible, Run
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.judging import POWER, SEVERAL, ByAgenda, ByKernel, Judge, Stages
from gpurules.engine.inference.scalar import Program
from gpurules.engine.knowledge.rule import Advise, Prefer, Require
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Function
from gpurules.engine.language.syntax import Name
from gpurules.engine.values import quantity
from gpurules.engine.values.interval import Interval, exceeds
from gpurules.engine.values.quantity import QuantityError
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

FINALISTS = 2
"""Card models that an answer names at most."""
NEAREST = 8
"""Rejected machines that an answer names at most."""
FIT = "candidate.fit"
"""What a machine lacks memory by."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One figure that candidates are compared by, from one rule; `step` is the difference that counts."""

    rule: str
    fact: str
    direction: str
    rank: int
    step: float
    figure: Function


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate in one pass: its verdict, and the rules that reject it or leave it open."""

    candidate: Candidate
    verdict: Truth
    against: tuple[str, ...]
    open: tuple[str, ...]
    scores: tuple[Interval, ...]
    order: tuple[float | str, ...]
    impossible: str = ""
    """Of one that cannot be: the figure that rules give a value which nothing can have."""
    shown: tuple[str, str] = ("", "")
    """That value, in English and Chinese."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A machine that a rule names outright: number of cards, memory of each by name, and how they divide the work."""

    rule: str
    count: str
    memory_nominal: str
    plan: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """All candidates of one pass, accepted ones best first; what was chosen; what rejects and what is open, counted."""

    criteria: tuple[Criterion, ...]
    accepted: tuple[Judged, ...]
    undecided: tuple[Judged, ...]
    refused: tuple[Judged, ...]
    """The rejected ones as they were judged, not yet compared."""
    judge: Judge = field(compare=False, repr=False)
    before: Choice | None = None
    """A choice of which none was accepted, so that these were looked for."""

    @cached_property
    def rejected(self) -> tuple[Judged, ...]:
        """The rejected ones, those nearest to being accepted first; those of the choice before come before them."""
        return (*(self.before.rejected if self.before else ()), *self._own)

    @cached_property
    def _own(self) -> tuple[Judged, ...]:
        found = (_judged(j.candidate, self.judge, self.criteria, True) if len(j.against) < SEVERAL and not j.impossible else j for j in self.refused)
        return tuple(sorted(found, key=lambda j: (len(j.against), bool(j.open), j.order if j.scores else (), j.candidate.id)))

    @cached_property
    def nearest(self) -> tuple[Judged, ...]:
        """Rejected ones worth a word."""
        return (*_nearest(self._own, self.accepted, self.judge), *(self.before.nearest if self.before else ()))[:NEAREST]

    @cached_property
    def chosen(self) -> tuple[Judged, ...]:
        """The best candidate of each of the first card models."""
        best: dict[str, Judged] = {}
        for one in self.accepted:
            best.setdefault(one.candidate.card, one)
            if len(best) == FINALISTS:
                break
        return tuple(best.values())

    def ranked(self, judge: Judge, measures: tuple[Criterion, ...]) -> Choice:
        """The same machines judged alike by another, and ranked by other criteria."""
        if measures == self.criteria:
            return replace(self, judge=judge)
        accepted = sorted((_judged(j.candidate, judge, measures) for j in self.accepted), key=lambda j: j.order)
        before = self.before.ranked(judge, measures) if self.before else None
        return replace(self, criteria=measures, accepted=tuple(accepted), judge=judge, before=before)

    def short_of_memory(self, fitting: Set[str]) -> bool:
        """Whether every machine is rejected for want of memory, whatever else speaks against it. `fitting` are the rules that do so."""
        if self.accepted or self.undecided or any(len(j.against) >= SEVERAL and _enough(j, fitting) for j in self.refused):
            return False
        return bool(self.rejected) and not any(_enough(j, fitting) for j in self.rejected)

    def causes(self, one: Judged) -> tuple[str, ...]:
        """Of an undecided one: given facts and parameters that can settle it."""
        fork = self.judge.fork(one.candidate)
        return tuple(dict.fromkeys(c for rule in one.open for c in fork.accept_causes(rule)))

    @property
    def rejections(self) -> Counter[str]:
        return Counter(rule for j in self.rejected for rule in j.against)


def _enough(rejected: Judged, fitting: Set[str]) -> bool:
    """Whether a machine is rejected, but not for want of memory."""
    return not rejected.impossible and fitting.isdisjoint(rejected.against)


def scenarios(run: Run) -> tuple[Scenario, ...]:
    """The machines that standing advice names."""
    found = []
    for procedure in run.program.procedures.values():
        rule = procedure.rule
        for conclusion in rule.then:
            if isinstance(conclusion, Advise) and conclusion.machine and not rule.for_each and run.stands(rule.id) is YES:
                machine = conclusion.machine
                plan = machine.get("plan", ())
                named = tuple(map(str, plan)) if isinstance(plan, list) else (str(plan),) if plan else ()
                found.append(Scenario(rule.id, str(machine.get("count", "")), str(machine.get("memory_nominal", "")), named))
    return tuple(found)


def contradict(named: Sequence[Scenario]) -> bool:
    """Whether two rules name no machine in common; the machines of one rule are alternatives."""
    by_rule: dict[str, set[tuple[float | str, float | str]]] = {}
    for one in named:
        by_rule.setdefault(one.rule, set()).add((_amount(one.count), _amount(one.memory_nominal)))
    return any(a.isdisjoint(b) for a, b in combinations(by_rule.values(), 2))


def _amount(text: str) -> float | str:
    """A figure as written, made comparable: "24GB" is "24 GB"."""
    try:
        return quantity.read(text).low or 0.0
    except QuantityError:
        return text


def criteria(run: Run) -> tuple[Criterion, ...]:
    """The criteria of the rules that surely hold, in order of rank, then rule; one that comes again changes nothing."""
    facts = run.program.rulebook.vocabulary.facts
    found = []
    for procedure in run.program.procedures.values():
        preferences = [c for c in procedure.rule.then if isinstance(c, Prefer)]
        if preferences and run.stands(procedure.rule.id) is YES:
            for preference, figure in zip(preferences, procedure.prefers, strict=True):
                tree = preference.figure.tree
                step = facts[tree.path].step if isinstance(tree, Name) and tree.path in facts else 0.0
                found.append(Criterion(procedure.rule.id, tree.path if isinstance(tree, Name) else "", preference.direction, preference.rank, step, figure))
    distinct: dict[tuple[str, str], Criterion] = {}
    for criterion in sorted(found, key=lambda c: (c.rank, c.rule)):
        distinct.setdefault((criterion.fact, criterion.direction), criterion)
    return tuple(distinct.values())


def judge_of(run: Run, stages: Stages, kernels: bool = True) -> Judge:
    """What judges machines on a run whose workload is settled; with `kernels` by them, where no derived fact is stated."""
    return ByKernel(run, stages) if kernels and not run.pins else ByAgenda(run, stages)


def choose(candidates: Iterable[Candidate], judge: Judge, measures: tuple[Criterion, ...], before: Choice | None = None) -> Choice:
    """Judge `candidates` and rank them by `measures`. Undecided ones are never chosen.

    The measures are those of the run with assumptions: what is assumed may rank, never accept.
    """
    groups: dict[Truth, list[Judged]] = {YES: [], DEPENDS: [], NO: []}
    for candidate in candidates:
        found = _judged(candidate, judge, measures)
        groups[found.verdict].append(found)
    accepted = sorted(groups[YES], key=lambda j: j.order)
    return Choice(measures, tuple(accepted), tuple(groups[DEPENDS]), tuple(groups[NO]), judge, before)


def prospect(judge: Judge, candidates: Iterable[Candidate]) -> Truth:
    """Whether some machine is accepted, or may be. Looks no further than the first accepted."""
    best = NO
    for candidate in candidates:
        best = max(best, _judged(candidate, judge, ()).verdict)
        if best is YES:
            break
    return best


def _judged(candidate: Candidate, judge: Judge, measures: Sequence[Criterion], rejected: bool = False) -> Judged:
    """A machine and its verdict; with its figures by each criterion where it is accepted, or else where it is known to be `rejected`."""
    try:
        outcome = judge(candidate, rejected)
    except Impossible as fault:
        return _impossible(candidate, fault, judge.run)
    accepts, values = outcome.accepts, outcome.values
    against = tuple(r for r, t in zip(judge.requiring, accepts, strict=True) if t == NO) if 0 in accepts else ()
    open_rules = tuple(r for r, t in zip(judge.requiring, accepts, strict=True) if t == DEPENDS) if 1 in accepts else ()
    verdict = NO if against else DEPENDS if open_rules else YES
    if verdict is not YES and not rejected:
        return Judged(candidate, verdict, against, open_rules, (), (candidate.id,))
    slots = judge.run.program.slots
    scores = tuple([Interval._make(values[slots[c.fact]] if c.fact in slots else c.figure(values)) for c in measures])
    watts = Interval._make(values[slots[POWER]]).high
    order: tuple[float | str, ...] = (*ranks(measures, scores), watts, float(candidate.count), candidate.card, float(candidate.preference), candidate.id)
    return Judged(candidate, verdict, against, open_rules, scores, order)


def fitting(program: Program) -> frozenset[str]:
    """The rules that reject a machine for want of memory."""
    rules = (p.rule for p in program.procedures.values())
    return frozenset(r.id for r in rules for c in r.then if isinstance(c, Require) and FIT in syntax.names(c.condition.tree))


def measured(candidates: Iterable[Candidate], judge: Judge) -> tuple[Criterion, ...]:
    """The criteria, which no candidate changes, as the first one shows them that can be."""
    run = next((run for run in map(judge.whole, candidates) if run is not None), None)
    return () if run is None else criteria(run)


def _impossible(candidate: Candidate, fault: Impossible, run: Run) -> Judged:
    """A machine whose figures cannot be, rejected by the rules that give them."""
    definition = run.program.rulebook.vocabulary.facts[fault.fact]
    shown = definition.show(fault.value), definition.show(fault.value, "zh")
    return Judged(candidate, NO, fault.rules, (), (), (float("inf"), candidate.id), fault.fact, shown)


def ranks(measures: Sequence[Criterion], scores: Sequence[Interval]) -> tuple[float, ...]:
    """Sort keys, best first: each criterion's worst case in whole steps, costs rising, benefits falling."""
    ranks = []
    for criterion, score in zip(measures, scores, strict=False):
        worst = score.low if criterion.direction == "high" else score.high
        steps = _steps(worst, criterion.step)
        ranks.append(-steps if criterion.direction == "high" else steps)
    return tuple(ranks)


def _steps(value: float, step: float) -> float:
    if not step or value in (float("inf"), float("-inf")):
        return value
    return float(round(value / step))


def _nearest(rejected: Sequence[Judged], accepted: Sequence[Judged], judge: Judge, each: int = 2, most: int = NEAREST) -> tuple[Judged, ...]:
    """Rejected candidates worth a word: those that one rule alone rules out, the best of each rule, one a card; not the
    machines that are accepted under another plan."""
    running = {(one.candidate.card, one.candidate.count, one.candidate.interconnect) for one in accepted}
    found: list[Judged] = []
    counts: Counter[str] = Counter()
    cards: set[str] = set()
    for one in rejected:
        candidate = one.candidate
        if one.impossible or (candidate.card, candidate.count, candidate.interconnect) in running or candidate.card in cards:
            continue
        if len(one.against) == 1 and counts[one.against[0]] < each and judge.possible(candidate):
            found.append(one)
            counts[one.against[0]] += 1
            cards.add(candidate.card)
        if len(found) == most:
            break
    return tuple(found)


def leads(criterion: Criterion, own: Interval, others: Iterable[Interval]) -> bool:
    """Whether the worst case is at or above every other's best case: a sure lead."""
    if criterion.direction == "high":
        return all(not exceeds(other.high, own.low) for other in others)
    return all(not exceeds(own.high, other.low) for other in others)
