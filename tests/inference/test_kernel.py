"""The kernel gives the truths and values of a run along the agenda: on every example, on the facts of every case, for many candidates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import gpurules
from gpurules.engine import public
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import Facts
from gpurules.engine.inference.kernel import Kernel
from gpurules.engine.knowledge import document
from gpurules.engine.values.problem import GpurulesError

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
ENGINE = public.engine(gpurules.load()).along_the_agenda()
WORKLOAD = Kernel(ENGINE.program, ENGINE.rulebook.orders, ENGINE.workload)


def given_facts(every: int) -> Iterator[Facts]:
    """Facts of one in so many of all cases that state nothing derived."""
    cases = [case for rule in ENGINE.rulebook.running for case in rule.cases]
    for case in cases[::every]:
        try:
            facts = facts_module.read(case.facts, ENGINE.rulebook)
        except GpurulesError:
            continue  # a case that pins a figure of a candidate; the kernel is not used with pins
        if not any(ENGINE.rulebook.vocabulary.facts[path].kind == "derived" for path in facts.given):
            yield facts


_AGED = ("budget.price_age",)
"""Facts that the evaluation gives by its date."""


def compared(evaluation: Evaluation, every: int) -> int:
    """Compare both passes; returns how many candidates were compared."""
    slots, procedures, count = ENGINE.program.slots, ENGINE.program.procedures, 0
    for number, run in enumerate(evaluation.workloads):
        values = ENGINE.program.values(evaluation.date)
        stated = {path: fact.value for path, fact in evaluation.facts.given.items()} | {path: run.value(path) for path in _AGED if path in run.known}
        assumed = {a.fact: a.value for a in evaluation.assumptions} if number else {}
        for path, value in {**stated, **assumed}.items():
            values[slots[path]] = value
        truths, _ = WORKLOAD(values, [run.knows(procedures[r].rule.needs) for r in WORKLOAD.rules], {})
        assert truths == [int(run.truths[r]) for r in WORKLOAD.rules]
        assert {n: values[slots[n]] for n in run.derived} == {n: d.used for n, d in run.derived.items()}
        before = dict(zip(WORKLOAD.rules, truths, strict=True))
        speaking = [run.knows(procedures[r].rule.needs) for r in ENGINE.kernel.rules]
        for candidate in ENGINE.catalogued[count % every :: every]:
            fork = ENGINE.judged(run, candidate)
            own = list(run.values)
            for path, value in candidate.figures.items():
                own[slots[path]] = value
            found, accepted = ENGINE.kernel(own, speaking, before)
            assert found == [int(fork.truths[r]) for r in ENGINE.kernel.rules], candidate.id
            assert accepted == [int(fork.accepts(r)) for r in ENGINE.kernel.requiring], candidate.id
            assert {n: own[slots[n]] for n in fork.derived} == {n: d.used for n, d in fork.derived.items()}, candidate.id
            count += 1
    return count


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples(path: Path) -> None:
    evaluation = ENGINE.evaluate(facts_module.read(document.read(path), ENGINE.rulebook))
    assert compared(evaluation, 5) > 200


@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.long)])
def test_facts_of_cases(every: int) -> None:
    """Neighbouring cases differ little: one in eleven runs always, all of them take minutes."""
    compared_facts = 0
    for facts in given_facts(every):
        try:
            evaluation = ENGINE.evaluate(facts)
        except GpurulesError:
            continue  # a value outside its range: both ways raise
        compared(evaluation, 97)
        compared_facts += 1
    assert compared_facts > 1200 / every
