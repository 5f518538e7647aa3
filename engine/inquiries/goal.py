"""Goals: what somebody asks after, as a truth over evaluations, and whether a whole cell of facts has one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from gpurules.engine.decisions import change
from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Impossible, Run, wide
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inquiries.lookup import leads, looks_up
from gpurules.engine.knowledge.rule import Advise, Ask, Prefer, Require, Rule, Step
from gpurules.engine.language.compile import Condition
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

SPEAKS = (Advise, Ask, Prefer, Step)
"""Conclusions that stand as far as the rule does and none that overrides it."""


@dataclass(frozen=True)
class RuleGoal:
    """Whether a rule speaks: its advice stands, or its requirement fails, or, of a rule that only derives or assumes, it holds."""

    rule: Rule
    candidate: Candidate | None = None

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.rule.id,)

    def truths(self, evaluation: Evaluation) -> tuple[Truth, Truth]:
        """Without and with assumptions; no where the rule is not judged, since no machine is stated."""
        if not evaluation.looked_at(self.rule.id):
            return NO, NO
        before, after = (self._truth(run) for run in (evaluation.first, evaluation.second))
        return before, after

    def _truth(self, run: Run) -> Truth:
        if any(isinstance(c, SPEAKS) for c in self.rule.then):
            return run.stands(self.rule.id)
        if any(isinstance(c, Require) for c in self.rule.then):
            return Truth(2 - run.accepts(self.rule.id))
        return run.truths[self.rule.id]

    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, ...]:
        return evaluation.first, evaluation.second


@dataclass(frozen=True)
class MachineGoal:
    """Whether a machine meets every requirement: the stated one (`candidate` None), or one of the catalogue."""

    targets: tuple[str, ...]
    candidate: Candidate | None = None

    def truths(self, evaluation: Evaluation) -> tuple[Truth, Truth]:
        if self.candidate is None and not evaluation.has_candidate:
            return NO, NO
        found = [min((run.accepts(rule) for rule in self.targets), default=YES) for run in self.runs(evaluation, evaluation.engine)]
        return (found[0], found[1]) if found else (NO, NO)

    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, ...]:
        """The runs in which the machine's figures stand; none where rules give it a figure that cannot be."""
        if self.candidate is None or evaluation.choices is self.candidate.figures:
            return evaluation.first, evaluation.second
        try:
            before, after = (engine.judged(run, self.candidate) for run in evaluation.workloads)
        except Impossible:
            return ()
        return before, after


Goal = RuleGoal | MachineGoal


def state(goal: Goal, evaluation: Evaluation | None) -> str:
    """How surely it stands: as `change.standing`; "" where it does not, or where no such evaluation can be."""
    return "" if evaluation is None else change.standing(*goal.truths(evaluation))


def answers(state: str, wanted: bool) -> bool:
    """Whether a state is what is sought: it stands, surely or under assumptions; where it is not `wanted`, it does not stand at all."""
    return state in ("certain", "assuming") if wanted else state == ""


def reached(goal: Goal, wanted: bool, evaluation: Evaluation | None) -> bool:
    """The same of an evaluation; not where there is none."""
    return evaluation is not None and answers(state(goal, evaluation), wanted)


IMPOSSIBLE = "impossible"
"""The state where no such facts can be."""
EVERY = frozenset([NO, DEPENDS, YES])
"""All that a truth may be."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of facts that was evaluated at once: the states that its places may have, and the facts among those varied that
    keep it open; none where every place decides alike."""

    states: frozenset[str]
    open: frozenset[str]


def over(
    goal: Goal,
    evaluation: Evaluation | None,
    cone: Cone,
    varied: Iterable[str],
    corners: Callable[[], Iterable[Evaluation | None]] = tuple,
    wanted: bool | None = None,
) -> Cell:
    """What a goal comes to over a cell of facts; with `wanted`, as `answers` has it, no more than is needed to say that no place of it does.

    Yes and no of the whole cell hold at each place of it. What depends may do so everywhere, because of facts that are open
    besides: `corners` gives evaluations of the same cell with these at some of their values; where one of them is surely no, no
    place is surely yes, and the reverse.
    """
    if evaluation is None:
        return Cell(frozenset([IMPOSSIBLE]), frozenset())
    if ranks(evaluation, cone):
        return Cell(frozenset([*_states(EVERY, EVERY), IMPOSSIBLE]), frozenset(varied))
    if goal.candidate is None and _machine_open(evaluation, evaluation.first):
        return Cell(_states(EVERY, EVERY), frozenset(varied))
    before, after = goal.truths(evaluation)
    may_before = EVERY if before is DEPENDS else frozenset([before])
    may_after = EVERY if after is DEPENDS or not _assumptions_stay(evaluation, cone) else frozenset([after])
    found = _states(may_before, may_after)
    if wanted is not None and not any(answers(state, wanted) for state in found):
        return Cell(found, frozenset())
    unsettled = open_axes(goal, evaluation, cone, varied)
    if not unsettled:
        return Cell(frozenset([change.standing(before, after)]), unsettled)
    settled = assumptions_settled(evaluation, cone)
    if len(found) > 1:
        for corner in corners():
            if corner is None:
                continue
            first, second = goal.truths(corner)
            may_before -= excluded(first)
            if settled and assumed(corner) == assumed(evaluation) and assumptions_settled(corner, cone):
                may_after -= excluded(second)
            if wanted is not None and not any(answers(state, wanted) for state in _states(may_before, may_after)):
                break
        found = _states(may_before, may_after)
    return Cell(found, unsettled)


def ranks(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether a rule looked at the best of all machines: their ranking may change within a cell where nothing else does."""
    looked = any(run.gathered for run in (evaluation.first, evaluation.second))
    return looked and any(name.startswith("best(") for name in cone.aggregates)


def _states(before: Iterable[Truth], after: Iterable[Truth]) -> frozenset[str]:
    after = tuple(after)
    return frozenset(change.standing(b, a) for b in before for a in after)


def excluded(truth: Truth) -> frozenset[Truth]:
    """What cannot hold with facts open, where with some values of these it is surely `truth`."""
    return frozenset([YES]) if truth is NO else frozenset([NO]) if truth is YES else frozenset()


def assumed(evaluation: Evaluation) -> frozenset[tuple[str, str]]:
    """Which facts were assumed, and by which rules."""
    return frozenset((a.fact, a.rule) for a in evaluation.assumptions)


def assumptions_settled(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether the same is assumed at every place of a cell: no rule that might assume something is open."""
    run, settled = evaluation.first, evaluation.facts.settled
    return not any(run.truths.get(rule, NO) is DEPENDS and not settled.issuperset(facts) for rule, facts in cone.assumed_by.items())


def _assumptions_stay(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether what is assumed over a cell is assumed at each place of it. What may be assumed besides lies within what was evaluated."""
    truths = evaluation.first.truths
    made = {a.fact: a.rule for a in evaluation.assumptions}
    return not any(truths.get(rule, NO) is DEPENDS and rule != made.get(fact, rule) for rule, facts in cone.assumed_by.items() for fact in facts)


class Looked(Protocol):
    """What is looked at over a cell: the rules that it hangs on (all of them where none is named), the runs that it is read from, and
    whether they are of the stated machine."""

    @property
    def candidate(self) -> Candidate | None: ...
    @property
    def targets(self) -> tuple[str, ...]: ...
    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, ...]: ...


def open_axes(goal: Looked, evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> frozenset[str]:
    """The varied facts that reach a comparison which is open over the cell and has a part in the answer; none where each place of
    the cell decides alike."""
    paths = frozenset(varied)
    runs = goal.runs(evaluation, cone)
    if not runs or (goal.candidate is None and _machine_open(evaluation, runs[0])):
        return paths
    asked = {*goal.targets, *(o for r in goal.targets for o in runs[0].overriders(r))} if goal.targets else set(cone.rules)
    found = (_reach(run, evaluation, cone, paths, goal.candidate is None)[1] for run in runs)
    return frozenset[str]().union(*(reached for one in found for rule, reached in one.items() if rule in asked))


def _machine_open(evaluation: Evaluation, run: Run) -> bool:
    """Whether it is open if the facts state a machine at all."""
    return bool(run.maybe) and evaluation.has_candidate and not candidates.stated(evaluation.facts.known - run.maybe)


def open_rules(run: Run, evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> frozenset[str]:
    """The rules whose truth may differ from place to place of a cell; that of all others is one, whatever else is open."""
    return frozenset(_reach(run, evaluation, cone, frozenset(varied), True)[1])


def varying(evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> frozenset[str]:
    """The names whose values may differ from place to place of a cell, the varied facts and what is derived of them, on the workload."""
    return frozenset(_reach(evaluation.workloads[1], evaluation, cone, frozenset(varied), False)[0])


Reached = Mapping[str, frozenset[str]]


def _reach(run: Run, evaluation: Evaluation, cone: Cone, varied: frozenset[str], stated: bool) -> tuple[Reached, Reached]:
    """The varied facts behind each value that may differ over the cell, and those behind each rule whose truth may.

    Of the run with assumptions, what is assumed differs where the rules that assume it do without.
    """
    facts = evaluation.facts.given
    reach: dict[str, frozenset[str]] = {path: frozenset([path]) for path in varied}

    def add(path: str, behind: Iterable[frozenset[str]]) -> None:
        joined = reach.get(path, frozenset[str]()).union(*behind)
        if joined:
            reach[path] = joined

    leading = frozenset(path for path in varied if leads(path, evaluation.facts))
    reading = frozenset(path for path in varied if looks_up(path, run.program.rulebook)) or varied
    for path, fact in facts.items():
        if path not in varied and ((fact.via and leading) or path in run.maybe):
            add(path, [leading if fact.via else reading])
    if run is not evaluation.first and run is not evaluation.workloads[0] and cone.assumed_by:
        before = _along(evaluation.first, evaluation, cone, varied, dict(reach), stated)[1]
        for rule, assumed_ in cone.assumed_by.items():
            for path in assumed_ - evaluation.facts.settled:
                add(path, [before.get(rule, frozenset())])
        for one in evaluation.assumptions:
            if wide(one.value):
                add(one.fact, [varied])
    return _along(run, evaluation, cone, varied, reach, stated)


def _along(run: Run, evaluation: Evaluation, cone: Cone, varied: frozenset[str], reach: dict[str, frozenset[str]], stated: bool) -> tuple[Reached, Reached]:
    """What the varied facts reach along the agenda of one run, from what they reach before any rule."""
    procedures = run.program.procedures
    for figure in cone.figures if stated else ():
        behind = [reach[path] for path in candidates.cause(figure) if path in reach]
        if behind:
            reach[figure] = frozenset[str]().union(*behind)
    reach |= {name: varied for name in cone.aggregates if wide(run.value(name))}
    found: dict[str, frozenset[str]] = {}
    for kind, name in (*cone.workload.steps, *cone.candidate.steps, *cone.together.steps):
        if kind == "fact":
            derived = run.derived.get(name) if wide(run.value(name)) else None
            if derived is not None:
                leaves = (leaf for a in derived.alternatives for leaf in procedures[a.rule].leaves[name])
                behind = [reach[leaf] for leaf in leaves if leaf in reach]
                behind += [found[a.rule] for a in derived.alternatives if a.rule in found]
                if behind:
                    reach[name] = frozenset[str]().union(*behind)
        elif name in run.truths:
            behind = _behind(procedures[name].condition, run, reach) if run.truths[name] is DEPENDS else []
            behind += [reach[need] for need in procedures[name].rule.needs if need in run.maybe and need in reach]
            if behind:
                found[name] = frozenset[str]().union(*behind)
    for name in (name for kind, name in cone.candidate.steps if kind == "rule" and run.truths.get(name, NO) is not NO):  # what they require comes after them
        behind = [reached for condition in procedures[name].requires for reached in _behind(condition, run, reach)]
        if behind:
            found[name] = found.get(name, frozenset[str]()).union(*behind)
    return reach, found


def _behind(condition: Condition | None, run: Run, reach: Reached) -> list[frozenset[str]]:
    """What is behind a condition that is open."""
    if condition is None or Truth(condition.truth(run.values)) is not DEPENDS:
        return []
    read = (atom for atom in condition.atoms() if any(leaf in reach for leaf, _ in atom.reads))
    return [reach[leaf] for atom in read if Truth(atom.truth(run.values)) is DEPENDS for leaf, _ in atom.reads if leaf in reach]
