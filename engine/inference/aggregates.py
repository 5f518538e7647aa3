"""What came of all machines together: the values of aggregates over one choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpurules.engine.inference.agenda import Run
from gpurules.engine.inference.choice import Choice, Judged, judge_of
from gpurules.engine.inference.judging import Stages
from gpurules.engine.language import aggregate
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import NO


def values(run: Run, choice: Choice | None, stages: Stages) -> Mapping[str, Value]:
    """Each aggregate's value over the machines that `choice` accepts and leaves open; whole where no machine was looked for.

    `run` is that of the workload on which they were judged.
    """
    program = run.program
    if choice is None:
        return {name: program.whole(name) for name in program.aggregates}
    reader = _Reader(run, choice, stages)
    return {name: reader.value(name) for name in program.aggregates}


def causes(choice: Choice | None) -> tuple[str, ...]:
    """The given facts and parameters that can settle machines left open."""
    found = () if choice is None else (c for one in choice.undecided for c in choice.causes(one) if not c.startswith("candidate."))
    return tuple(dict.fromkeys(found))


class _Reader:
    def __init__(self, run: Run, choice: Choice, stages: Stages) -> None:
        self.program, self.choice = run.program, choice
        self.judge = judge_of(run, stages)

    def value(self, name: str) -> Value:
        function, figure = aggregate.split(name)
        choice, whole = self.choice, self.program.whole(name)
        if function == "any_accepted":
            return whole if choice.undecided and not choice.accepted else frozenset(["yes" if choice.accepted else "no"])
        if not choice.accepted:
            return whole
        if function == "best":
            return self._figures(choice.accepted[:1], figure)[0]
        sure, open_ = (self._figures(group, figure) for group in (choice.accepted, choice.undecided))
        return Interval(min(v.low for v in (*sure, *open_) if isinstance(v, Interval)), min(v.high for v in sure if isinstance(v, Interval)))

    def _figures(self, machines: Sequence[Judged], figure: str) -> list[Value]:
        slot = self.program.slots[figure]
        found = (self.judge(one.candidate).values[slot] for one in machines if one.verdict is not NO)
        return [Interval._make(v) if isinstance(v, tuple) else v for v in found]
