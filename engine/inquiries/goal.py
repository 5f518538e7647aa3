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
from gpurules.engine.inquiries.trial import leads
from gpurules.engine.knowledge.rule import Advise, Ask, Prefer, Require, Rule, Step
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
        if self.candidate is None:
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


def over(goal: Goal, evaluation: Evaluation | None, cone: Cone, varied: Iterable[str], corners: Callable[[], Iterable[Evaluation | None]] = tuple) -> Cell:
    """What a goal comes to over a cell of facts.

    Yes and no of the whole cell hold at each place of it. What depends may do so everywhere, because of facts that are open
    besides: `corners` gives evaluations of the same cell with these at some of their values; where one of them is surely no, no
    place is surely yes, and the reverse.
    """
    if evaluation is None:
        return Cell(frozenset([IMPOSSIBLE]), frozenset())
    if ranks(evaluation, cone):
        return Cell(frozenset([*_states(EVERY, EVERY), IMPOSSIBLE]), frozenset(varied))
    unsettled = open_axes(goal, evaluation, cone, varied)
    before, after = goal.truths(evaluation)
    if not unsettled:
        return Cell(frozenset([change.standing(before, after)]), unsettled)
    settled = assumptions_settled(evaluation, cone)
    may_before = EVERY if before is DEPENDS else frozenset([before])
    may_after = EVERY if after is DEPENDS or not settled else frozenset([after])
    found = _states(may_before, may_after)
    if len(found) > 1:
        for corner in corners():
            if corner is not None and found:
                first, second = goal.truths(corner)
                may_before -= excluded(first)
                if settled and assumed(corner) == assumed(evaluation) and assumptions_settled(corner, cone):
                    may_after -= excluded(second)
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
    return not any(run.truths.get(rule, NO) is DEPENDS and not settled.issuperset(facts) for rule, facts in cone.assuming.items())


class Looked(Protocol):
    """What is looked at over a cell: the runs that it is read from, and whether they are of the stated machine."""

    @property
    def candidate(self) -> Candidate | None: ...
    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, ...]: ...


def open_axes(goal: Looked, evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> frozenset[str]:
    """The varied facts that reach a comparison whose truth is open over the cell; none where each place of it decides alike."""
    paths = frozenset(varied)
    runs = goal.runs(evaluation, cone)
    if not runs:
        return paths
    return frozenset[str]().union(*(_open(run, evaluation, cone, paths, goal.candidate is None) for run in runs))


def _open(run: Run, evaluation: Evaluation, cone: Cone, varied: frozenset[str], stated: bool) -> frozenset[str]:
    return frozenset[str]().union(*_reach(run, evaluation, cone, varied, stated)[1].values())


def open_rules(run: Run, evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> frozenset[str]:
    """The rules whose truth may differ from place to place of a cell; that of all others is one, whatever else is open."""
    return frozenset(_reach(run, evaluation, cone, frozenset(varied), True)[1])


def varying(evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> frozenset[str]:
    """The names whose values may differ from place to place of a cell, the varied facts and what is derived of them, on the workload."""
    return frozenset(_reach(evaluation.workloads[1], evaluation, cone, frozenset(varied), False)[0])


def _reach(
    run: Run, evaluation: Evaluation, cone: Cone, varied: frozenset[str], stated: bool
) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """The varied facts behind each value that may differ over the cell, and those behind the open comparisons of each rule."""
    facts, procedures = evaluation.facts.given, run.program.procedures
    reach: dict[str, frozenset[str]] = {path: frozenset([path]) for path in varied}
    if any(leads(path, evaluation.facts) for path in varied):
        reach |= {path: varied for path, fact in facts.items() if fact.via and path not in reach}
    reach |= {a.fact: varied for a in evaluation.assumptions if wide(a.value)}
    for figure in cone.figures if stated else ():
        behind = [reach[path] for path in candidates.cause(figure) if path in reach]
        if behind:
            reach[figure] = frozenset[str]().union(*behind)
    reach |= {name: varied for name in cone.aggregates if wide(run.value(name))}
    found: dict[str, frozenset[str]] = {}
    for kind, name in (*cone.workload.steps, *cone.candidate.steps, *cone.together.steps):
        if kind == "fact":
            derived = run.derived.get(name)
            if derived is not None and wide(derived.used):
                leaves = (leaf for a in derived.alternatives for leaf in procedures[a.rule].leaves[name])
                behind = [reach[leaf] for leaf in leaves if leaf in reach]
                behind += [found[a.rule] for a in derived.alternatives if a.rule in found]
                if behind:
                    reach[name] = frozenset[str]().union(*behind)
        elif name in run.truths:
            conditions = [c for c in (procedures[name].condition, *procedures[name].requires) if c is not None]
            for atom in (a for c in conditions for a in c.atoms()):
                read = [reach[leaf] for leaf, _ in atom.reads if leaf in reach]
                if read and Truth(atom.truth(run.values)) is DEPENDS:
                    found[name] = found.get(name, frozenset()).union(*read)
    return reach, found
