"""What the emitter writes is what the functions of intervals give: thresholds to the last float, kernels on random rulebooks."""

from __future__ import annotations

import json
import math
import random

import worlds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.kernel import Kernel, OutOfRange
from gpurules.engine.knowledge import document
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.threshold import above, below


def neighbours(number: float) -> list[float]:
    found = [number]
    for _ in range(3):
        found = [math.nextafter(found[0], 0.0), *found, math.nextafter(found[-1], math.inf)]
    return found


def test_thresholds_are_exact_to_the_float() -> None:
    draw = random.Random(1)
    for _ in range(3000):
        constant = draw.choice((draw.random() * 10 ** draw.randint(-20, 20), round(draw.random(), 2) or 0.5, float(draw.randint(1, 10**6)), 80e9, 0.3))
        first, last = above(constant), below(constant)
        tried = [*neighbours(first), *neighbours(last), *neighbours(constant), 0.0, constant / 2, constant * 2, constant * 3 * draw.random()]
        for x in tried:
            assert (x - constant > 1e-12 * x) == (x >= first), (constant, x)
            assert (constant - x > 1e-12 * constant) == (x <= last), (constant, x)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds.rulebooks(), st.lists(worlds.facts(), min_size=1, max_size=3))
def test_kernels_of_random_rulebooks(rules: list[dict[str, object]], asked: list[dict[str, object]]) -> None:
    engine = Engine(worlds.load(worlds.written(rules))).along_the_agenda()
    slots, procedures = engine.program.slots, engine.program.procedures
    kernel = Kernel(engine.program, engine.rulebook.orders, engine.workload)
    for content in asked:
        try:
            facts = reading.read(document.parse(json.dumps(content).encode(), "facts") if content else None, engine.rulebook)
            evaluation = engine.evaluate(facts, choices={})
        except GpurulesError:
            continue  # a value that nothing can have: the kernel leaves it to the agenda to say so
        run, whole = evaluation.workloads[0], evaluation.first
        if run.pins:
            continue
        values = engine.program.values(evaluation.date)
        for path, fact in facts.given.items():
            values[slots[path]] = fact.value
        truths, _ = kernel(values, [run.knows(procedures[r].rule.needs) for r in kernel.rules], {})
        assert truths == [int(run.truths[r]) for r in kernel.rules]
        assert {n: values[slots[n]] for n in run.derived} == {n: d.used for n, d in run.derived.items()}
        own = list(whole.values)
        before = {r: int(run.truths[r]) for r in engine.kernel.earlier}
        try:
            found, accepted = engine.kernel(own, [run.knows(procedures[r].rule.needs) for r in engine.kernel.rules], before)
        except OutOfRange:
            continue
        assert found == [int(whole.truths[r]) for r in engine.kernel.rules]
        assert accepted == [int(whole.accepts(r)) for r in engine.kernel.requiring]
        assert {n: own[slots[n]] for n in whole.derived} == {n: d.used for n, d in whole.derived.items()}
