"""Judging one machine: whether it meets the requirements, and the figures by which it is ranked.

What requirements rest on comes first; what criteria rest on, for machines that one rule at most rejects. What is left (advice, speed,
terms that a report shows) is looked at for machines that are not rejected, and is kept of none. Two ways give the same: along the agenda,
and by kernels.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gpurules.engine.inference import stages as cut
from gpurules.engine.inference.agenda import Impossible, Run, Stratum
from gpurules.engine.inference.candidates import COUNTED, Candidate
from gpurules.engine.inference.kernel import TRUTHS, Kernel, OutOfRange
from gpurules.engine.inference.scalar import Program
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Require
from gpurules.engine.language.compile import Value
from gpurules.engine.values.truth import NO

POWER = "candidate.power"
"""The figure that decides between machines which are otherwise level."""
SEVERAL = 2
"""Rules that reject a machine before nobody asks any more how it would rank."""


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
        kernels = self.division, self.card, self.ranking, self.others
        own = {rule for kernel in kernels for rule in kernel.rules}
        self._read = tuple(sorted(slot for slot in frozenset().union(*(k.read for k in kernels)) if slot < len(program.slots) - len(program.parameters)))
        self._earlier = tuple(sorted({rule for kernel in kernels for rule in kernel.earlier} - own))
        self._needs = tuple(needs for rule in sorted(own) if (needs := program.procedures[rule].rule.needs))

    def judged_by(self, run: Run) -> Hashable:
        """All that machines are judged by on a workload: where it is the same, and the date, the verdicts are."""
        values, truths = run.values, run.truths
        return tuple([values[slot] for slot in self._read]), tuple([truths[rule] for rule in self._earlier]), tuple([run.knows(n) for n in self._needs])


@dataclass(frozen=True, slots=True)
class Outcome:
    """The values of a machine, numbers as pairs, and the truth (0, 1, 2) of each requirement."""

    values: Sequence[Value]
    accepts: Sequence[int]


class Judge(Protocol):
    """One way of judging machines on one workload.

    Calling it looks at what requirements rest on; at what machines are ranked by where the rules do not reject it, or `ranking`
    asks for it; and at the rest where they do not reject it. It raises Impossible where rules give a figure that cannot be.
    """

    run: Run
    requiring: tuple[str, ...]

    def __call__(self, candidate: Candidate, ranking: bool = False) -> Outcome: ...

    def fork(self, candidate: Candidate) -> Run:
        """The run that causes of what is open are read from."""

    def whole(self, candidate: Candidate) -> Run | None:
        """The run with every rule about machines judged; None where a figure cannot be, though no choice may read it."""

    def possible(self, candidate: Candidate) -> bool:
        """Whether all figures of a machine can be, those included that no choice reads."""


class ByAgenda:
    """Judges by a run along the agenda."""

    def __init__(self, run: Run, stages: Stages) -> None:
        self.run, self.stages, self.requiring = run, stages, stages.requiring

    def __call__(self, candidate: Candidate, ranking: bool = False) -> Outcome:
        fork = self.fork(candidate)
        accepts = [int(fork.accepts(rule)) for rule in self.requiring]
        if ranking or NO not in accepts:
            fork.along(self.stages.ranked)
        if NO not in accepts:
            fork.along(self.stages.rest)
        return Outcome(fork.values, accepts)

    def fork(self, candidate: Candidate) -> Run:
        fork = begun(self.run, candidate)
        fork.along(self.stages.required)
        return fork

    def whole(self, candidate: Candidate) -> Run | None:
        try:
            fork = self.fork(candidate)
            fork.along(self.stages.ranked)
            fork.along(self.stages.rest)
        except Impossible:
            return None
        return fork

    def possible(self, candidate: Candidate) -> bool:
        return self.whole(candidate) is not None


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
        self.speaking = {k: k.speaking(run) for k in (stages.division, stages.card, stages.ranking, stages.others)}
        self.slots = run.program.slots
        self.divided: dict[tuple[Value | None, ...], _Division | None] = {}

    def __call__(self, candidate: Candidate, ranking: bool = False) -> Outcome:
        try:
            values, truths, accepts = self._judged(candidate)
            if 0 not in accepts:
                self._further((self.stages.ranking, self.stages.others), candidate, values, truths)
            elif ranking:
                self._further((self.stages.ranking,), candidate, values, truths)
        except OutOfRange:
            return self.slow(candidate, ranking)  # says which rules gave the value
        return Outcome(values, accepts)

    def _judged(self, candidate: Candidate) -> tuple[list[Value], list[int], list[int]]:
        """Values, truths of the card's rules, and of the requirements. Raises OutOfRange."""
        division = self.divided.get(candidate.division) or self._divided(candidate)
        values, slots, card = division.values.copy(), self.slots, self.stages.card
        for path, value in candidate.figures.items():
            values[slots[path]] = value
        truths, accepts = card(values, self.speaking[card], division.before)
        return values, truths, accepts

    def _further(self, kernels: Sequence[Kernel], candidate: Candidate, values: list[Value], truths: Sequence[int]) -> dict[str, int]:
        """The truths of all rules about a machine, of those of later stages too, whose figures must be such as can be. Raises OutOfRange."""
        division = self._divided(candidate)
        found = dict(zip(self.stages.card.rules, truths, strict=True))
        for kernel in kernels:
            later, _ = kernel(values, self.speaking[kernel], {**division.before, **found})
            found.update(zip(kernel.rules, later, strict=True))
        return found

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
        values, truths, _ = self._judged(candidate)
        return self._forked(candidate, values, self._further((), candidate, values, truths), (self.stages.division, self.stages.card))

    def whole(self, candidate: Candidate) -> Run | None:
        later = self.stages.ranking, self.stages.others
        try:
            values, truths, _ = self._judged(candidate)
            every = self._further(later, candidate, values, truths)
        except OutOfRange:
            return None
        return self._forked(candidate, values, every, (self.stages.division, self.stages.card, *later))

    def possible(self, candidate: Candidate) -> bool:
        return self.whole(candidate) is not None

    def _forked(self, candidate: Candidate, values: list[Value], truths: Mapping[str, int], kernels: Sequence[Kernel]) -> Run:
        fork = self.run.copy()
        for kernel in kernels:
            kernel.fill(fork, values)
        fork.truths.update((rule, TRUTHS[truth]) for rule, truth in {**self._divided(candidate).truths, **truths}.items())
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
