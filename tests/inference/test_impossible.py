"""Figures that nothing can have: of a machine of the catalogue they reject it, of the stated machine or the workload they are an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gpurules
from gpurules.engine import GpurulesError
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries.flip import Searcher
from gpurules.engine.inquiries.goal import MachineGoal
from gpurules.engine.inquiries.trial import Trial

RULE = """
id: {id}
version: 1.0.0
status: active
title: {{en: An example, zh: 示例}}
{body}
because: {{en: An example., zh: 示例。}}
cites: [A01]
cases:
- {{name: small, facts: {{gpu.memory_usable: 20 GB}}, fires: {fires}}}
"""
LARGE = """
for_each: candidate
when: candidate.memory_usable > limit
then:
- derive: {candidate.power: candidate.power_limit * factor}
parameters:
  limit: {value: 45 GB, cites: [A01], since: 2026-01-01}
  factor: {value: 1e7, cites: [A01], since: 2026-01-01}
"""
SMALL = """
for_each: candidate
when: candidate.memory_usable <= limit
then:
- derive: {candidate.power: candidate.power_limit * candidate.count}
- require: candidate.count > 1
parameters:
  limit: {value: 45 GB, cites: [A01], since: 2026-01-01}
"""
ORDER = """
for_each: candidate
then:
- prefer: {figure: candidate.power, direction: low, rank: 1}
"""
SIZED = {"workload.task": "lora", "model.size_class": "7B"}


def book(folder: Path, **bodies: str) -> gpurules.Rulebook:
    for number, (name, body) in enumerate(bodies.items(), 1):
        fires = "no" if name.startswith("large") else "yes"
        (folder / f"EXA-00{number}-{name}.yaml").write_text(RULE.format(id=f"EXA-00{number}", body=body.strip(), fires=fires), "utf-8")
    return gpurules.load(folder)


def test_a_machine_of_the_catalogue_is_rejected(tmp_path: Path) -> None:
    rulebook = book(tmp_path, large=LARGE, small=SMALL, order=ORDER)
    decision = gpurules.evaluate(SIZED, rulebook)
    choice = decision.document["choice"]
    assert decision.status == "recommended" and choice["accepted"] > 0
    impossible = choice["impossible"]
    cards = rulebook.catalogs["card"].entries
    for one in impossible.values():
        assert one["fact"] == "candidate.power" and one["rules"] == ["EXA-001"] and one["shown"]["en"].endswith("kW")
    assert {i for i, rules in choice["rejections"].items() if rules == ["EXA-001"]} == set(impossible)
    assert choice["rejected_by"]["EXA-001"] == len(impossible) > 100
    assert not any(i in impossible for i in (m["id"] for m in (*choice["chosen"], *choice["nearest_rejected"])))
    assert {i.split("x", 1)[1].split("/")[0] for i in impossible} < set(cards)
    assert choice["considered"] == choice["accepted"] + choice["undecided"] + choice["rejected"]


def test_where_every_machine_is_impossible_none_fits(tmp_path: Path) -> None:
    body = LARGE.replace("value: 45 GB", "value: 2 GB").replace("1e7", "1e9")
    decision = gpurules.evaluate(SIZED, book(tmp_path, always=body))
    assert decision.status == "none_fits" and decision.document["choice"]["criteria"] == []
    assert len(decision.document["choice"]["impossible"]) == decision.document["choice"]["considered"]


def test_the_stated_machine_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GpurulesError) as caught:
        gpurules.evaluate({**SIZED, "gpu.name": "H100 SXM", "gpu.count": 8}, book(tmp_path, large=LARGE, small=SMALL))
    (problem,) = caught.value.problems
    assert problem.code == "GR501" and "EXA-001 give candidate.power a value that nothing can have" in problem.message


def test_both_back_ends_agree(tmp_path: Path) -> None:
    pytest.importorskip("durable_rules_engine")
    rulebook = book(tmp_path, large=LARGE, small=SMALL, order=ORDER)
    assert gpurules.evaluate(SIZED, rulebook, backend="durable").to_json() == gpurules.evaluate(SIZED, rulebook).to_json()


def test_a_step_to_what_cannot_be_is_not_proposed(tmp_path: Path) -> None:
    step = "when: gpu.count > 1\nthen:\n- step: {set: {gpu.power_limit: 3000 W}}\n- step: {set: {gpu.power_limit: 300 W}}\n"
    power = """
    for_each: candidate
    then:
    - derive: {candidate.power: candidate.power_limit * candidate.count * factor}
    parameters:
      factor: {value: 1e5, cites: [A01], since: 2026-01-01}
    """.replace("\n    ", "\n")
    rulebook = book(tmp_path, large_step=step.replace("gpu.count > 1", "gpu.count > 1 and gpu.memory_usable > limit") + PARAMETER, power=power)
    facts = {**SIZED, "gpu.count": 8, "gpu.memory_usable": "80 GB", "gpu.power_limit": "400 W"}
    document = gpurules.evaluate(facts, rulebook).document
    assert [s["set"] for s in document["steps"]] == [{"gpu.power_limit": "300 W"}]


@pytest.mark.parametrize(
    "facts",
    [
        {"model.name": "CodeLlama-34B", "workload.task": "lora", "training.precision": "tf32", "training.tokens_total": "24.51 T tokens", "host.gpus": 200_000},
        {"model.name": "SmolLM-1.7B", "workload.task": "lora or full_finetune", "model.attention_heads": "<= 1,024", "memory.vision": "1,000 TB"},
    ],
)
def test_what_a_machine_cannot_be_is_not_told_of_it(facts: dict[str, object]) -> None:
    document = gpurules.evaluate(facts).document
    assert document["choice"]["considered"] > 100 and all(bill["parts"] for bill in document.get("parts", []))


PARAMETER = "parameters:\n  limit: {value: 45 GB, cites: [A01], since: 2026-01-01}\n"

# ---------------------------------------------------------------- assumptions

ASSUMES = """
when: gpu.count > 1
then:
- assume: {site.pue: 1 + gpu.count / many}
parameters:
  many: {value: %s, cites: [A01], since: 2026-01-01}
"""


def assuming(folder: Path, many: str) -> gpurules.Rulebook:
    body = ASSUMES % many
    (folder / "EXA-001-a.yaml").write_text(
        RULE.format(id="EXA-001", body=body.strip(), fires="yes").replace("gpu.memory_usable: 20 GB", "gpu.count: 2"), "utf-8"
    )
    return gpurules.load(folder)


def test_an_assumption_is_cut_to_the_range(tmp_path: Path) -> None:
    document = gpurules.evaluate({"gpu.count": "2..8"}, assuming(tmp_path, "2")).document
    assert json.dumps(document["assumptions"][0]["value"]) == '{"low": 2.0, "high": 3.0}'


def test_an_assumption_that_nothing_can_have_is_an_error(tmp_path: Path) -> None:
    rulebook = assuming(tmp_path, "2")
    with pytest.raises(GpurulesError) as caught:
        gpurules.evaluate({"gpu.count": 8}, rulebook)
    (problem,) = caught.value.problems
    assert problem.code == "GR501" and "EXA-001 give site.pue a value that nothing can have: 5, outside 1–3" in problem.message


def test_an_assumption_that_never_can_be_is_a_fault_of_the_rule(tmp_path: Path) -> None:
    with pytest.raises(GpurulesError) as caught:
        assuming(tmp_path, "0.1")
    (problem,) = caught.value.problems
    assert problem.code == "GR419" and "'site.pue', which is within 1–3" in problem.message and problem.place.line == 8


FED = """
for_each: candidate
then:
- derive: {candidate.power: candidate.power_limit * training.sequence_length}
"""
STRICT = """
for_each: candidate
when: training.precision == 'fp32'
then:
- require: candidate.power > limit
parameters:
  limit: {value: 1 MW, cites: [A01], since: 2026-01-01}
"""


def test_a_search_is_not_ended_by_values_at_which_the_machine_cannot_be(tmp_path: Path) -> None:
    engine = Engine(book(tmp_path, large_fed=FED, large_strict=STRICT))
    machine = next(c for c in engine.catalogued if c.count == 1)
    search = Searcher(Trial(engine, None), MachineGoal(("EXA-002",), machine), True).settle()
    assert search.exhausted and search.flip is not None
    assert [m.axis.path for m in search.flip.moves] == ["training.precision"]
