"""The choice by stages gives what the choice along the agenda gives: verdicts, reasons, scores, causes, for every machine."""

from __future__ import annotations

from pathlib import Path

import pytest

import gpurules
from gpurules.engine import public
from gpurules.engine.inference import candidates, choice
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.judging import POWER, ByAgenda, ByKernel
from gpurules.engine.knowledge import document

EXAMPLES = Path(__file__).parents[2] / "examples"
ENGINE = public.engine(gpurules.load())


@pytest.mark.parametrize("name", ["7b-full-4x4090", "14b-lora-a100-80gb", "70b-int4-48gb", "8xh100-air-6kw", "nothing-measured"])
def test_kernels_and_agenda_agree(name: str) -> None:
    evaluation = ENGINE.evaluate(facts_module.read(document.read(EXAMPLES / f"{name}.yaml"), ENGINE.rulebook))
    some = ENGINE.catalogued[3::29]
    for run in evaluation.workloads:
        kernel, agenda = ByKernel(run, ENGINE.stages), ByAgenda(run, ENGINE.stages)
        quick, slow = (choice.choose(some, judge, choice.measured(some, judge)) for judge in (kernel, agenda))
        assert quick == slow
        assert quick.rejected == slow.rejected
        assert quick.nearest == slow.nearest
        assert [quick.causes(one) for one in quick.undecided] == [slow.causes(one) for one in slow.undecided]
        for one, other in ((kernel.whole(c), agenda.whole(c)) for c in some):
            assert (one is None) == (other is None)
            assert one is None or other is None or (one.truths == other.truths and one.derived == other.derived)


def test_steps_about_the_division_read_no_card() -> None:
    division = ENGINE.stages.division
    other = [p for p, d in ENGINE.rulebook.vocabulary.facts.items() if d.kind == "choice" and p not in candidates.COUNTED]
    slots = [f"v[{ENGINE.program.slots[path]}]" for path in other]
    assert not [s for s in slots if s in division.source]
    assert len(division.rules) > 2 * len(ENGINE.stages.card.rules)


def test_the_stages_are_all_rules_about_machines() -> None:
    stages = ENGINE.stages
    assert sorted([*stages.required.steps, *stages.ranked.steps, *stages.rest.steps]) == sorted(ENGINE.candidate.steps)
    assert ("fact", POWER) in (*stages.required.steps, *stages.ranked.steps)
    assert not {name for kind, name in stages.ranked.steps if kind == "rule"} & set(stages.requiring)
