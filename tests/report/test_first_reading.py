"""What a reader meets first: no advice that contradicts the verdict, the question that matters, figures that a card can have."""

from __future__ import annotations

import json
import re

import gpurules
from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.report import report


def decision(facts: dict[str, object]) -> Document:
    return gpurules.evaluate(facts).document


def section(document: Document, key: str, language: str = "en") -> str:
    return next(repr(s.blocks) for s in report(document, language) if s.key == key)


def test_a_rejected_machine_is_not_advised_as_this_machine() -> None:
    found = decision({"workload.task": "lora", "model.size_class": "7B", "gpu.name": "RTX 4080", "gpu.count": 1, "training.precision": "fp16"})
    assert "Do not go ahead" in section(found, "verdict")
    assert "this machine" not in section(found, "do")
    assert "1 × 24 GB by name" in section(found, "do")
    assert "1 × 24 GB（标称）" in section(found, "do", "zh")


def test_a_rule_that_names_two_machines_is_one_thing_to_do() -> None:
    found = decision({"workload.task": "inference", "model.size_class": "32B", "inference.weight_bits": "int4"})
    assert "1 × 48 GB or 2 × 24 GB by name" in section(found, "do")
    assert "split the model" not in section(found, "do")


def test_the_task_is_asked_before_any_measurement() -> None:
    found = decision({"workload.task": "finetune", "model.size_class": "7B", "gpu.name": "A10", "gpu.count": 1})
    assert found["measure_next"][0]["fact"] == "workload.task"


def test_what_tells_named_machines_apart_is_asked_first() -> None:
    found = decision({"workload.task": "lora", "model.size_class": "13B"})
    assert found["status"] == "ask"
    assert {"LOR-003", "LOR-004"} & set(found["measure_next"][0]["asked_by"])


def test_a_setting_that_decides_comes_before_measurements_that_do_not() -> None:
    found = decision({"workload.task": "full_finetune", "model.name": "Qwen2.5-7B", "gpu.name": "Ascend 910B", "gpu.count": 8})
    assert [q["fact"] for q in found["measure_next"]][:2] == ["gpu.name", "training.precision"]


def test_a_peak_known_by_one_end_is_a_share_of_one_card() -> None:
    common: dict[str, object] = {"workload.task": "full_finetune", "model.size_class": "3B", "gpu.name": "A100 80GB PCIe", "gpu.count": 1}
    assert "83.8–100 % of usable" in section(decision(common | {"measured.memory_peak": ">= 72 GB"}), "memory")
    assert "'≤ 44.2 % of usable'" in section(decision(common | {"measured.memory_peak": "<= 38 GB"}), "memory")


def test_an_open_verdict_shows_the_machines_that_are_open() -> None:
    facts = {"workload.task": "pretrain", "model.size_class": "70B", "gpu.name": "B200", "gpu.count": 8, "site.cooling": "air"}
    found = decision(facts)
    assert found["status"] == "ask"
    assert found["choice"]["undecided"] > 0


def test_what_does_not_apply_is_not_named_as_missing() -> None:
    found = decision({"workload.task": "inference", "model.name": "Llama-3.1-405B", "inference.weight_bits": "fp8", "gpu.name": "MI300X", "gpu.count": 8})
    need = next(d for d in found["derived"] if d["fact"] == "candidate.fit")
    assert "parallel.tensor" in json.dumps(need)
    assert "sharding_stage" not in need["shown"]["en"]


def test_no_figure_is_said_of_a_model_whose_size_is_unknown() -> None:
    found = decision({"workload.task": "inference"})
    assert found["status"] == "not_sized"
    assert not [c for c in found["conclusions"] if c["rule"] == "NUM-009"]


def test_a_machine_on_the_edge_is_not_promised_a_question_that_settles_it() -> None:
    facts = {"workload.task": "full_finetune", "model.size_class": "70B", "gpu.name": "A100 80GB SXM", "gpu.count": 16, "training.precision": "bf16_mixed"}
    found = decision(facts)
    assert not any(q["settles_verdict"] for q in found["measure_next"])
    assert "16 × NVIDIA A100 SXM4 80GB is on the edge" in section(found, "verdict")
    assert "first settle" not in section(found, "do")


def test_stated_facts_that_nothing_reads_are_owned_up_to() -> None:
    facts = {"workload.task": "inference", "model.name": "Llama-3.1-8B", "gpu.name": "L4", "gpu.count": 1, "inference.latency_target": "2 s"}
    found = decision(facts)
    assert found["unread"] == ["inference.latency_target"]
    assert "inference.latency_target" in section(found, "unread", "zh")
    assert decision({"workload.task": "lora", "model.parameters": "7B", "gpu.memory_nominal": "24 GB"})["unread"] == []


def test_a_bound_inside_a_sentence_is_a_figure_alone() -> None:
    facts: dict[str, object] = {"workload.task": "pretrain", "model.size_class": "7B", "gpu.name": "H100 SXM", "gpu.count": 8, "site.rack_power": "4 kW"}
    text = next(c["text"]["en"] for c in decision(facts)["conclusions"] if c["rule"] == "PWR-006" and c["kind"] == "advise")
    assert "≥ 5.62 kW" in text.replace("5,620 W", "5.62 kW")
    assert "needs" not in text


def test_what_fills_a_gap_of_a_chinese_sentence_is_spaced_as_a_writer_would() -> None:
    facts: dict[str, object] = {"workload.task": "full_finetune", "model.size_class": "7B", "gpu.name": "V100 SXM2 32GB", "gpu.count": 4}
    found = decision(facts | {"training.precision": "bf16", "training.offload": "optimizer", "measured.out_of_memory": "forward"})
    said = {c["rule"]: c["text"]["zh"] for c in found["conclusions"] if "text" in c}
    assert "bf16 混合精度" in said["NUM-004"]
    for text in said.values():
        assert not re.search("[\u4e00-\u9fff][A-Za-z0-9≥≤−]|[A-Za-z0-9%][\u4e00-\u9fff]|[\u4e00-\u9fff] [\u4e00-\u9fff]", text), text


def test_a_figure_is_told_in_words_that_fit_a_sentence() -> None:
    found = decision({"workload.task": "inference", "model.size_class": "32B", "inference.weight_bits": "int4"})
    said = next(c["text"] for c in found["conclusions"] if c["rule"] == "MEM-022")
    assert "4 bits a weight" in said["en"] and "0.59–0.94 bytes a parameter" in said["en"]
    assert "4 位" in said["zh"] and "0.59–0.94 字节" in said["zh"]
