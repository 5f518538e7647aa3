"""Goals: what somebody asks after, as a truth over evaluations, and whether a whole cell of facts has one answer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

from gpurules.engine.decisions import change
from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Impossible, Run
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inquiries.reach import Reach
from gpurules.engine.knowledge.rule import Advise, Ask, Prefer, Require, Rule, Step
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth, negation

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
        return self.truth(evaluation.first), self.truth(evaluation.second)

    def truth(self, run: Run) -> Truth:
        """Whether it speaks in one pass."""
        if self.rule.id not in run.truths:
            return NO
        if any(isinstance(c, SPEAKS) for c in self.rule.then):
            return run.stands(self.rule.id)
        if any(isinstance(c, Require) for c in self.rule.then):
            return negation(run.accepts(self.rule.id))
        return run.truths[self.rule.id]

    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, Run] | None:
        return evaluation.first, evaluation.second


@dataclass(frozen=True)
class MachineGoal:
    """Whether a machine meets every requirement: the stated one (`candidate` None), or one of the catalogue."""

    targets: tuple[str, ...]
    candidate: Candidate | None = None

    def truths(self, evaluation: Evaluation) -> tuple[Truth, Truth]:
        if self.candidate is None and not evaluation.has_candidate:
            return NO, NO
        runs = self.runs(evaluation, evaluation.engine)
        if runs is None:
            return NO, NO
        return self.truth(runs[0]), self.truth(runs[1])

    def truth(self, run: Run) -> Truth:
        """Whether it does in a run of the machine."""
        return min((run.accepts(rule) for rule in self.targets), default=YES)

    def runs(self, evaluation: Evaluation, engine: Engine) -> tuple[Run, Run] | None:
        """The runs in which the machine's figures stand; None where rules give it a figure that cannot be."""
        if self.candidate is None or evaluation.choices is self.candidate.figures:
            return evaluation.first, evaluation.second
        try:
            before, after = (engine.judged(run, self.candidate) for run in evaluation.workloads)
        except Impossible:
            return None
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
    reach: Reach,
    varied: Collection[str],
    unknown: Collection[str] = (),
    corners: Callable[[Evaluation, frozenset[str]], Iterable[tuple[Truth, Truth]]] = lambda evaluation, telling: (),
    wanted: bool | None = None,
) -> Cell:
    """What a goal comes to over a cell of facts; with `wanted`, as `answers` has it, no more than is needed to say that no place of it does.

    Yes and no of the whole cell hold at each place of it. What depends may do so everywhere, because of facts that are open
    besides, the `unknown` ones: `corners` gives the truths over the same cell with these at some of their values, under the same
    assumptions; where one of them is surely no, no place is surely yes, and the reverse. It is told which can make a difference.
    """
    cone = reach.cone
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
    given, assuming = felt(goal, evaluation, reach, varied, unknown)
    unsettled = (given | assuming).intersection(varied)
    if not unsettled:
        return Cell(frozenset([change.standing(before, after)]), unsettled)
    if len(found) > 1:
        settled = _assumptions_settled(evaluation, cone)
        telling = (assuming if settled else frozenset()) | (given if not wanted else frozenset())  # what is sought stands by the second pass alone
        for first, second in corners(evaluation, telling.difference(varied)):
            may_before -= _excluded(first)
            if settled:
                may_after -= _excluded(second)
            if wanted is not None and not any(answers(state, wanted) for state in _states(may_before, may_after)):
                break
        found = _states(may_before, may_after)
    return Cell(found, unsettled)


def ranks(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether a rule looked at the best of all machines: their ranking may change within a cell where nothing else does."""
    looked = any(run.gathered for run in (evaluation.first, evaluation.second))
    return looked and any(name.startswith("best(") for name in cone.aggregates)


@lru_cache
def _states(before: frozenset[Truth], after: frozenset[Truth]) -> frozenset[str]:
    return frozenset(change.standing(b, a) for b in before for a in after)


def _excluded(truth: Truth) -> frozenset[Truth]:
    """What cannot hold with facts open, where with some values of these it is surely `truth`."""
    return frozenset([YES]) if truth is NO else frozenset([NO]) if truth is YES else frozenset()


def _assumptions_settled(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether the same is assumed at every place of a cell: no rule that might assume something is open."""
    open_ = _assuming_openly(evaluation, cone)
    return not open_ or all(evaluation.facts.settled.issuperset(cone.assumed_by[rule]) for rule in open_)


def _assumptions_stay(evaluation: Evaluation, cone: Cone) -> bool:
    """Whether what is assumed over a cell is assumed at each place of it. What may be assumed besides lies within what was evaluated."""
    made = {a.fact: a.rule for a in evaluation.assumptions}
    return not any(rule != made.get(fact, rule) for rule in _assuming_openly(evaluation, cone) for fact in cone.assumed_by[rule])


def _assuming_openly(evaluation: Evaluation, cone: Cone) -> list[str]:
    """The rules that may or may not assume something."""
    truths = evaluation.first.truths
    return [rule for rule in cone.assumed_by if truths.get(rule, NO) is DEPENDS]


def felt(goal: Goal, evaluation: Evaluation, reach: Reach, varied: Collection[str], unknown: Collection[str] = ()) -> tuple[frozenset[str], frozenset[str]]:
    """The facts, varied or unknown, that reach a comparison which is open over the cell and has a part in the answer, without and with
    assumptions: where it is none of those varied, each place of the cell decides alike."""
    runs = goal.runs(evaluation, reach.cone)
    if runs is None or (goal.candidate is None and _machine_open(evaluation, runs[0])):
        every = frozenset((*varied, *unknown))
        return every, every
    asked = {*goal.targets, *(o for r in goal.targets for o in runs[0].overriders(r))}
    before, after = (reached.behind(asked) for reached in reach.over(evaluation, runs, varied, unknown))
    return before, after


def _machine_open(evaluation: Evaluation, run: Run) -> bool:
    """Whether it is open if the facts state a machine at all."""
    return bool(run.maybe) and evaluation.has_candidate and not candidates.stated(evaluation.facts.known - run.maybe)
