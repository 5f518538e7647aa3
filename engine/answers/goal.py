"""Goals: what somebody asks after, as a truth over evaluations, and whether a whole cell of facts has one answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.answers import change
from gpurules.engine.answers.trial import LOOKED_AT
from gpurules.engine.inference import candidates, choice
from gpurules.engine.inference.agenda import Impossible, Run, wide
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
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
            before, after = (choice.judged(run, engine.candidate, self.candidate) for run in evaluation.workloads)
        except Impossible:
            return ()
        return before, after


Goal = RuleGoal | MachineGoal


def state(goal: Goal, evaluation: Evaluation | None) -> str:
    """How surely it stands: as `change.standing`; "" where it does not, or where no such evaluation can be."""
    return "" if evaluation is None else change.standing(*goal.truths(evaluation))


def reached(goal: Goal, wanted: bool, evaluation: Evaluation | None) -> bool:
    """Whether it stands, surely or under assumptions; where it is not `wanted`, whether it does not stand at all."""
    found = state(goal, evaluation)
    return found in ("certain", "assuming") if wanted else evaluation is not None and found == ""


def over(goal: Goal, wanted: bool, evaluation: Evaluation | None, cone: Cone, varied: Iterable[str]) -> Truth:
    """The same over a cell of facts, evaluated at once: yes or no where it is so at every place of the cell, else depends."""
    if evaluation is None:
        return NO
    if steady(goal, evaluation, cone, varied):
        return YES if reached(goal, wanted, evaluation) else NO
    if not _assumptions_settled(evaluation, cone):
        return DEPENDS
    before, after = goal.truths(evaluation)
    if wanted:
        return after
    if YES in (before, after):
        return NO
    return YES if before is after is NO else DEPENDS


def _assumptions_settled(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether the same is assumed at every place of a cell: no rule that might assume something is open."""
    run, known = evaluation.first, evaluation.facts.known
    for rule in cone.assuming:
        if run.truths.get(rule, NO) is DEPENDS and not known.issuperset(cone.assuming[rule]):
            return False
    return True


def steady(goal: Goal, evaluation: Evaluation, cone: Cone, varied: Iterable[str]) -> bool:
    """Whether every comparison that the varied facts can reach has one truth over the cell, so that each place of it decides alike."""
    paths = frozenset(varied)
    runs = goal.runs(evaluation, cone)
    return bool(runs) and all(_steady(run, evaluation, cone, paths, goal.candidate is None) for run in runs)


def _steady(run: Run, evaluation: Evaluation, cone: Cone, varied: frozenset[str], stated: bool) -> bool:
    facts, procedures = evaluation.facts.given, run.program.procedures
    varying = set(varied)
    if any(path.startswith(LOOKED_AT) for path in varied):
        varying |= {path for path, fact in facts.items() if fact.via}
    varying |= {a.fact for a in evaluation.assumptions if wide(a.value)}
    if stated:
        varying |= {figure for figure in cone.figures if varying.intersection(candidates.cause(figure))}
    for kind, name in (*cone.workload.steps, *cone.candidate.steps):
        if kind == "fact":
            found = run.derived.get(name)
            if found is not None and wide(found.used) and any(varying.intersection(procedures[a.rule].leaves[name]) for a in found.alternatives):
                varying.add(name)
        elif name in run.truths:
            conditions = [c for c in (procedures[name].condition, *procedures[name].requires) if c is not None]
            for atom in (a for c in conditions for a in c.atoms()):
                if any(leaf in varying for leaf, _ in atom.reads) and Truth(atom.truth(run.values)) is DEPENDS:
                    return False
    return True
