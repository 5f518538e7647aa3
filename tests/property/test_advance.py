"""Going on from one evaluation gives what evaluating afresh does: truths, values, assumptions and verdicts, for facts in any order."""

from __future__ import annotations

import json

import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.decisions import change
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import document
from gpurules.engine.values.problem import GpurulesError


def outcome(evaluate, facts):
    try:
        found = evaluate(facts, "2026-01-01")
    except GpurulesError as error:
        return error.problems[0].code
    runs = [(r.truths, r.values, {f: (d.value, d.alternatives) for f, d in r.derived.items()}) for r in (found.first, found.second, *found.workloads)]
    return runs, found.assumptions, found.has_candidate, change.signature(found)


@settings(max_examples=40, deadline=None)
@given(worlds.rulebooks(), st.lists(worlds.facts(), min_size=2, max_size=6))
def test_going_on_gives_what_evaluating_afresh_does(rules, contents):
    engine = Engine(worlds.load(worlds.written(rules)))
    advance = Advance(engine)
    for content in contents:
        try:
            facts = reading.read(document.parse(json.dumps(content).encode(), "facts") if content else None, engine.rulebook)
        except GpurulesError:
            continue
        assert outcome(advance.evaluate, facts) == outcome(engine.evaluate, facts)
