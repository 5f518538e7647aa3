"""Finalists: the machines chosen, seen beside each other. How many there are, and how far one is ahead of the others on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpurules.engine.inference.candidates import BANDWIDTH_LEAD, COMPUTE_LEAD, FINALISTS, Candidate
from gpurules.engine.language.compile import Value
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval, point

_PAPER = {COMPUTE_LEAD: "candidate.half_tensor_rate", BANDWIDTH_LEAD: "candidate.memory_bandwidth"}


def beside(machine: Candidate, others: Sequence[Candidate], wholes: Mapping[str, Interval]) -> dict[str, Value]:
    """The figures of a chosen machine that hang on the others chosen: how many there are, and the leads on paper.

    A lead is that of the better machine, all cards together, over the other: 0.2 whether this one is ahead by a fifth or
    behind by as much. It is as wide as the catalogue's figures; `wholes` are the ranges of what the catalogue lacks.
    """
    found: dict[str, Value] = {FINALISTS: point(float(1 + len(others)))}
    for lead, figure in _PAPER.items():
        own = _total(machine, figure, wholes)
        leads = [_ahead(own, _total(other, figure, wholes)) for other in others]
        found[lead] = interval.maximum(tuple(leads)) if leads else point(0.0)
    return found


def _total(machine: Candidate, figure: str, wholes: Mapping[str, Interval]) -> Interval:
    value = machine.figures.get(figure, wholes[figure])
    assert isinstance(value, Interval)
    return interval.multiply(value, point(float(machine.count)))


def _ahead(one: Interval, other: Interval) -> Interval:
    """How far the better of two is ahead of the other: at least 0."""
    ratios = interval.divide(one, other), interval.divide(other, one)
    return interval.subtract(interval.maximum((*ratios, point(1.0))), point(1.0))
