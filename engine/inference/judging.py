"""Judging one machine: whether it meets the requirements, and the figures by which it is ranked.

What requirements rest on comes first; what criteria rest on, for machines that one rule at most rejects. What is left (advice, speed,
terms that a report shows) is looked at for machines that are not rejected, and is kept of none. Two ways give the same: along the agenda,
and by kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gpurules.engine.inference import stages as cut
from gpurules.engine.inference.agenda import Impossible, Run, Stratum
from gpurules.engine.inference.candidates import COUNTED, Candidate
from gpurules.engine.inference.kernel import Kernel, OutOfRange
from gpurules.engine.inference.scalar import Program
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Require
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES

POWER = "candidate.power"
"""The figure that decides between machines which are otherwise level."""
SEVERAL = 2
"""Rules that reject a machine before nobody asks any more how it would rank."""
_TRUTHS = (NO, DEPENDS, YES)


class Stages:
    """The rules about machines, cut into what a division of the work settles, what a card settles, and what no choice reads."""

    def __init__(self, program: Program, orders: Orders, stratum: Stratum, read: Sequence[str] = ()) -> None:
        """`read` are figures of machines that rules of the workload look at."""
        division, card, ranked = cut.parts(program, orders, stratum, COUNTED, {POWER, *read})
        required = {*division.steps, *card.steps}
        self.required = Stratum(tuple(s for s in stratum.steps if s in required))
        self.ranked = ranked
        self.rest = Stratum(tuple(s for s in stratum.steps if s not in required and s not in ranked.steps))
        self.requiring = tuple(n for k, n in stratum.steps if k == "rule" and any(isinstance(c, Require) for c in program.procedures[n].rule.then))
        self.division = Kernel(program, orders, division, ())
        self.card = Kernel(program, orders, card, self.requiring)
        self.ranking = Kernel(program, orders, ranked, ())
        self.others = Kernel(program, orders, self.rest, ())


@dataclass(frozen=True, slots=True)
class Outcome:
    """The values of a machine, numbers as pairs, and the truth (0, 1, 2) of each requirement."""

    values: Sequence[Value]
    accepts: Sequence[int]


class Judge(Protocol):
    """One way of judging machines on one workload. Calling it raises Impossible where rules give a figure that cannot be."""

    requiring: tuple[str, ...]

    def __call__(self, candidate: Candidate) -> Outcome: ...

    def fork(self, candidate: Candidate) -> Run:
        """The run that causes of what is open are read from."""

    def possible(self, candidate: Candidate) -> bool:
        """Whether all figures of a machine can be, those included that no choice reads."""


class ByAgenda:
    """Judges by a run along the agenda."""

    def __init__(self, run: Run, stages: Stages) -> None:
        self.run, self.stages, self.requiring = run, stages, stages.requiring

    def __call__(self, candidate: Candidate) -> Outcome:
        fork = self.fork(candidate)
        accepts = [int(fork.accepts(rule)) for rule in self.requiring]
        if accepts.count(NO) < SEVERAL:
            fork.along(self.stages.ranked)
        if NO not in accepts:
            fork.along(self.stages.rest)
        return Outcome(fork.values, accepts)

    def fork(self, candidate: Candidate) -> Run:
        fork = begun(self.run, candidate)
        fork.along(self.stages.required)
        return fork

    def possible(self, candidate: Candidate) -> bool:
        fork = self.fork(candidate)
        try:
            fork.along(self.stages.ranked)
            fork.along(self.stages.rest)
        except Impossible:
            return False
        return True


@dataclass(frozen=True, slots=True)
class _Division:
    """What machines of one division have in common: values, truths of the rules about it, and the truths that later rules want."""

    values: list[Value]
    truths: Mapping[str, int]
    before: Mapping[str, int]


class ByKernel:
    """Judges by the kernels: that of the division once for all machines which divide the work alike."""

    def __init__(self, run: Run, stages: Stages) -> None:
        self.run, self.stages, self.requiring = run, stages, stages.requiring
        self.slow = ByAgenda(run, stages)
        self.before = {rule: int(truth) for rule, truth in run.truths.items()}
        self.wanted = frozenset([*stages.card.earlier, *stages.ranking.earlier, *stages.others.earlier])
        self.speaking = {k: self._speaking(k) for k in (stages.division, stages.card, stages.ranking, stages.others)}
        self.slots, self.numbers = run.program.slots, [run.program.slots[n] for k, n in stages.required.steps if k == "fact"]
        self.divided: dict[tuple[Value | None, ...], _Division | None] = {}

    def _speaking(self, kernel: Kernel) -> list[bool]:
        return [self.run.knows(self.run.program.procedures[rule].rule.needs) for rule in kernel.rules]

    def __call__(self, candidate: Candidate) -> Outcome:
        try:
            values, truths, accepts = self._judged(candidate)
            if accepts.count(0) < SEVERAL:
                self._further(self.stages.ranking, candidate, values, truths)
            if 0 not in accepts:
                self._further(self.stages.others, candidate, values.copy(), truths)
        except OutOfRange:
            return self.slow(candidate)  # says which rules gave the value
        return Outcome(values, accepts)

    def possible(self, candidate: Candidate) -> bool:
        try:
            values, truths, _ = self._judged(candidate)
            self._further(self.stages.ranking, candidate, values, truths)
            self._further(self.stages.others, candidate, values, truths)
        except OutOfRange:
            return False
        return True

    def _judged(self, candidate: Candidate) -> tuple[list[Value], dict[str, int], list[int]]:
        division = self._divided(candidate)
        values, slots, card = division.values.copy(), self.slots, self.stages.card
        for path, value in candidate.figures.items():
            values[slots[path]] = value
        truths, accepts = card(values, self.speaking[card], division.before)
        return values, dict(zip(card.rules, truths, strict=True)), accepts

    def _further(self, kernel: Kernel, candidate: Candidate, values: list[Value], truths: dict[str, int]) -> None:
        """A later stage, whose figures must be such as can be; its truths are added. Raises OutOfRange."""
        found, _ = kernel(values, self.speaking[kernel], {**self._divided(candidate).before, **truths})
        truths.update(zip(kernel.rules, found, strict=True))

    def _divided(self, candidate: Candidate) -> _Division:
        """What holds once the division of the work is settled, the card not. Raises OutOfRange."""
        key = candidate.division
        if key not in self.divided:
            self.divided[key] = self._divide(candidate)
        found = self.divided[key]
        if found is None:
            raise OutOfRange
        return found

    def _divide(self, candidate: Candidate) -> _Division | None:
        values, kernel = list(self.run.values), self.stages.division
        for path in COUNTED:
            if path in candidate.figures:
                values[self.slots[path]] = candidate.figures[path]
        try:
            truths, _ = kernel(values, self.speaking[kernel], self.before)
        except OutOfRange:
            return None
        own = dict(zip(kernel.rules, truths, strict=True))
        every = {**self.before, **own}
        return _Division(values, own, {rule: every[rule] for rule in self.wanted & every.keys()})

    def fork(self, candidate: Candidate) -> Run:
        """Truths and values from the kernels, alternatives when they are asked for."""
        fork = self.run.copy()
        values, truths, _ = self._judged(candidate)
        for slot in self.numbers:
            value = values[slot]
            values[slot] = Interval._make(value) if isinstance(value, tuple) else value
        fork.values, fork.pending = values, frozenset(n for k, n in self.stages.required.steps if k == "fact")
        fork.truths.update((rule, _TRUTHS[truth]) for rule, truth in {**self._divided(candidate).truths, **truths}.items())
        return fork


def begun(run: Run, candidate: Candidate) -> Run:
    """A copy of a workload's run in which the candidate's figures stand, before any rule about machines is judged."""
    fork = run.copy()
    for path, value in candidate.figures.items():
        fork.values[run.program.slots[path]] = value
    return fork


def judged(run: Run, stratum: Stratum, candidate: Candidate) -> Run:
    """The same, with every rule about machines judged. Raises Impossible."""
    fork = begun(run, candidate)
    fork.along(stratum)
    return fork
