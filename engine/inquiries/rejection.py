"""Rejections: the requirements because of which two decisions name different machines, or one stated machine is accepted and then is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpurules.engine.decisions import change
from gpurules.engine.decisions.change import Signature
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries.goal import MachineGoal
from gpurules.engine.inquiries.subject import STATED


@dataclass(frozen=True, slots=True)
class Rejection:
    """A requirement that a machine meets in one way before and in another after: as `change.standing`."""

    machine: str
    rule: str
    before: str
    after: str


def between(before: tuple[Signature, Evaluation], after: tuple[Signature, Evaluation]) -> Iterator[Rejection]:
    """The requirements that the machines of one verdict alone, and the stated one, meet differently; none where the verdicts are one."""
    (one, first), (other, second) = before, after
    if one[0] == other[0]:
        return
    machines: dict[str, Candidate | None] = {STATED: None} if first.has_candidate and second.has_candidate else {}
    machines |= {m.id: m for evaluation in (first, second) for m in _chosen(evaluation) if (m.id in one[0]) != (m.id in other[0])}
    for machine, candidate in machines.items():
        states = _states(first, candidate), _states(second, candidate)
        for rule in sorted(states[0].keys() & states[1].keys()):
            if states[0][rule] != states[1][rule]:
                yield Rejection(machine, rule, states[0][rule], states[1][rule])


def _chosen(evaluation: Evaluation) -> Iterator[Candidate]:
    """The machines that a verdict may name."""
    for at_hand, bought in ((evaluation.given_at_hand, evaluation.given_choice), (evaluation.assuming_at_hand, evaluation.assuming_choice)):
        yield from (j.candidate for j in (*at_hand.chosen, *bought.chosen))


def _states(evaluation: Evaluation, candidate: Candidate | None) -> Mapping[str, str]:
    """How surely a machine meets each requirement; empty where it cannot be judged."""
    runs = MachineGoal((), candidate).runs(evaluation, evaluation.engine)
    return {rule: change.standing(runs[0].accepts(rule), runs[1].accepts(rule)) for rule in evaluation.requirements} if runs else {}
