"""The choice: every candidate judged by the rules, the accepted ones ranked by the criteria that rules give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from gpurules.engine.inference.agenda import Impossible, Run, Stratum
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.judging import POWER, SEVERAL, ByAgenda, ByKernel, Judge, Stages, judged
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
    causes: tuple[str, ...]
    """Of an undecided one: given facts that can settle it."""
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


@dataclass(frozen=True, slots=True)
class Choice:
    """All candidates of one pass, accepted ones best first; what was chosen; what rejects and what is open, counted."""

    criteria: tuple[Criterion, ...]
    accepted: tuple[Judged, ...]
    undecided: tuple[Judged, ...]
    rejected: tuple[Judged, ...]
    chosen: tuple[Judged, ...]
    nearest: tuple[Judged, ...]

    @property
    def rejections(self) -> Counter[str]:
        return Counter(rule for j in self.rejected for rule in j.against)


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


def choose(run: Run, stratum: Stratum, candidates: Iterable[Candidate], stages: Stages, preferring: Run, kernels: bool = True) -> Choice:
    """Judge and rank `candidates` on a run whose workload is settled. Undecided ones are never chosen.

    The order of criteria is that of `preferring`, the run with assumptions: what is assumed may rank, never accept. With
    `kernels` the verdicts come from them, and of what is open only the derivations that causes lead to are worked out.
    """
    judge: Judge = ByKernel(run, stages) if kernels and not run.pins else ByAgenda(run, stages)
    candidates = tuple(candidates)
    measures = _measures(preferring, stratum, candidates)
    places = [run.program.slots.get(c.fact) for c in measures]
    power = run.program.slots[POWER]
    groups: dict[Truth, list[Judged]] = {YES: [], DEPENDS: [], NO: []}
    for candidate in candidates:
        try:
            found = judge(candidate)
        except Impossible as fault:
            groups[NO].append(_impossible(candidate, fault, run))
            continue
        values, outcome = found.values, found.accepts
        against = tuple(r for r, t in zip(judge.requiring, outcome, strict=True) if t == NO) if 0 in outcome else ()
        open_rules = tuple(r for r, t in zip(judge.requiring, outcome, strict=True) if t == DEPENDS) if 1 in outcome else ()
        verdict = NO if against else DEPENDS if open_rules else YES
        scores: tuple[Interval, ...] = ()
        order: tuple[float | str, ...] = (candidate.id,)
        if len(against) < SEVERAL:
            scores = tuple([Interval._make(c.figure(values) if at is None else values[at]) for c, at in zip(measures, places, strict=True)])
            watts = Interval._make(values[power]).high
            order = (*_ranks(measures, scores), watts, float(candidate.count), candidate.card, float(candidate.preference), candidate.id)
        causes: tuple[str, ...] = ()
        if verdict is DEPENDS:
            fork = judge.fork(candidate)
            causes = tuple(dict.fromkeys(c for r in open_rules for c in fork.accept_causes(r)))
        groups[verdict].append(Judged(candidate, verdict, against, open_rules, scores, order, causes))
    accepted = sorted(groups[YES], key=lambda j: j.order)
    rejected = sorted(groups[NO], key=lambda j: (len(j.against), bool(j.open), j.order if j.scores else (), j.candidate.id))
    return Choice(measures, tuple(accepted), tuple(groups[DEPENDS]), tuple(rejected), _finalists(accepted), _nearest(rejected, accepted, judge))


def short_of_memory(found: Choice, program: Program) -> bool:
    """Whether every machine is rejected for want of memory, whatever else speaks against it."""
    if found.accepted or found.undecided or not found.rejected:
        return False
    fitting = {
        p.rule.id for p in program.procedures.values() for c in p.rule.then if isinstance(c, Require) and FIT in syntax.names(c.condition.tree)
    }  # fmt: skip
    return all(j.impossible or not fitting.isdisjoint(j.against) for j in found.rejected)


def joined(one: Choice, other: Choice) -> Choice:
    """Both choices as one. None of the first is accepted; those of the second are the nearest."""
    nearest = (*other.nearest, *one.nearest)[:NEAREST]
    return Choice(other.criteria, other.accepted, other.undecided, (*one.rejected, *other.rejected), other.chosen, nearest)


def _measures(run: Run, stratum: Stratum, candidates: Sequence[Candidate]) -> tuple[Criterion, ...]:
    """The criteria, which no candidate changes, as the first one shows them that can be."""
    for candidate in candidates:
        try:
            return criteria(judged(run, stratum, candidate))
        except Impossible:
            continue
    return ()


def _impossible(candidate: Candidate, fault: Impossible, run: Run) -> Judged:
    """A machine whose figures cannot be, rejected by the rules that give them."""
    definition = run.program.rulebook.vocabulary.facts[fault.fact]
    shown = definition.show(fault.value), definition.show(fault.value, "zh")
    return Judged(candidate, NO, fault.rules, (), (), (float("inf"), candidate.id), (), fault.fact, shown)


def _ranks(measures: Sequence[Criterion], scores: Sequence[Interval]) -> tuple[float, ...]:
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


def _finalists(accepted: Sequence[Judged]) -> tuple[Judged, ...]:
    """The best candidate of each of the first card models."""
    best: dict[str, Judged] = {}
    for one in accepted:
        best.setdefault(one.candidate.card, one)
        if len(best) == FINALISTS:
            break
    return tuple(best.values())


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
