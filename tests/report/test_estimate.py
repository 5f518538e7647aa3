"""What the report says of a card's memory term by term, of settings to change first, and of speed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

import gpurules
from gpurules.engine.decisions import wording
from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import FIGURES
from gpurules.engine.reports.blocks import Bars, Items, Section
from gpurules.engine.reports.report import report
from gpurules.engine.values.interval import Interval, point

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS, LORA, SERVING = "7b-full-8xa100-40gb-steps", "14b-lora-a100-80gb", "32b-vllm-64-sequences"

BY_SIZE = {"workload.task": "full_finetune", "model.size_class": "7B", "training.precision": "bf16_mixed", "gpu.name": "A100 80GB", "gpu.count": 4}


@cache
def example(name: str) -> Document:
    return gpurules.evaluate(EXAMPLES / f"{name}.yaml").document


def decision(facts: Mapping[str, object]) -> Document:
    return gpurules.evaluate(dict(facts)).document


def section(document: Document, key: str, language: str = "en") -> Section:
    return next(s for s in report(document, language) if s.key == key)


def bars(document: Document) -> dict[str, str]:
    return {bar.label: f"{bar.shown} {bar.note}" for block in section(document, "memory").blocks if isinstance(block, Bars) for bar in block.bars}


@pytest.mark.parametrize("name", [STEPS, LORA, SERVING])
def test_each_term_of_a_card_has_its_rule_and_none_is_zero(name: str) -> None:
    document = example(name)
    for machine in (document["candidates"][0], *(document["choice"]["chosen"] if document["choice"] else ())):
        assert [e["fact"] for e in machine["estimate"]] == [f for f in FIGURES if f in {e["fact"] for e in machine["estimate"]}]
        assert all(e["rules"] and e["value"] != {"low": 0, "high": 0} for e in machine["estimate"])


def test_rule_of_thumb_and_structured_estimate_stand_side_by_side() -> None:
    shown = bars(example(STEPS))
    assert "[FIT-001]" in shown["rule of thumb"] and "[FIT-020]" in shown["structured estimate"]
    assert "does not fit" in shown["structured estimate"]
    assert {"weights", "optimizer states", "activations", "logits and loss", "forward adds", "on the device"} <= set(shown)
    assert not {"adapters", "key-value cache", "buffers"} & set(shown)
    assert "Why two figures" in repr(section(example(STEPS), "memory"))


def test_serving_has_weights_cache_and_prefill_alone() -> None:
    shown = bars(example(SERVING))
    assert {"weights", "key-value cache", "prefill"} <= set(shown)
    assert not {"gradients", "activations", "forward adds"} & set(shown)


def test_the_phase_that_decides_is_told() -> None:
    shown = bars(example(LORA))
    assert "decides" in shown["forward adds"]
    assert "decide" not in shown["backward adds"] + shown["the step adds"]


def test_the_size_alone_says_what_more_would_be_added_up() -> None:
    facts = {"workload.task": "full_finetune", "model.size_class": "7B", "gpu.name": "A100 80GB SXM", "gpu.count": 2, "training.micro_batch": 1}
    text = repr(section(decision(facts), "memory"))
    assert "added up once these are stated: model.name, training.sequence_length [FIT-020]" in text
    assert "structured estimate" not in text


def test_a_recommended_machine_shows_what_decides_its_need() -> None:
    items = next(b for b in reversed(section(example(STEPS), "memory").blocks) if isinstance(b, Items)).items
    assert len(items) == len(example(STEPS)["choice"]["chosen"])
    assert all("always held: weights" in i.details[0] and any("activations" in d for d in i.details) for i in items)


def test_a_measured_peak_calibrates_and_a_measured_rate_overrules() -> None:
    document = decision(
        {
            "workload.task": "full_finetune", "model.name": "Llama-2-7b-hf", "gpu.name": "A100 40GB SXM", "gpu.count": 8,
            "training.framework": "fsdp", "training.precision": "bf16_mixed", "training.optimizer": "adamw", "training.micro_batch": 1,
            "training.sequence_length": 4096, "training.checkpointing": "full", "parallel.sharding_stage": "full", "parallel.tensor": 1,
            "parallel.pipeline": 1, "parallel.context": 1, "measured.memory_peak": "21 GB", "measured.memory_kind": "reserved",
            "measured.throughput": "5 sample/s",
        }
    )  # fmt: skip
    shown = bars(document)
    assert "[FIT-001]" in shown["rule of thumb"] and "[FIT-020]" in shown["structured estimate"] and "[FIT-030]" in shown["calibrated"]
    speed = repr(section(document, "speed"))
    assert "20,480 tokens/s" in speed and "[SPD-046]" in speed and "overrules the estimate" in speed


def test_settings_that_suffice_come_before_any_purchase() -> None:
    document = example(STEPS)
    assert document["status"] == "recommended" and document["steps"][-1]["after"]["candidate.fit"]["value"]["members"] == ["fits"]
    text = repr(section(document, "do"))
    places = [text.index(rule) for rule in (s["rule"] for s in document["steps"] if s["place"])]
    assert places == sorted(places) and places[-1] < text.index("no purchase is needed") < text.index("do not take this machine")
    assert "nothing needs to be bought" in repr(section(document, "verdict"))
    assert "无需采购" in repr(section(document, "verdict", "zh"))
    assert "Only if these settings are not wanted" in repr(section(document, "machines"))


def test_settings_that_mend_memory_alone_name_what_stays() -> None:
    document = example("7b-full-4x4090")
    assert "NET-001" in document["steps"][-1]["unmet"]
    text = repr(section(document, "do"))
    assert "against the machine remains" in text and "NET-001" in text
    idle = [s["rule"] for s in document["steps"] if not s["place"]]
    assert idle and not any(f"'{rule}'" in text for rule in idle)
    assert "nothing needs to be bought" not in repr(section(document, "verdict"))


def test_a_model_known_by_its_size_alone_is_estimated_by_an_assumed_shape() -> None:
    assert "[FIT-020]" not in repr(bars(decision(BY_SIZE)))
    document = decision({**BY_SIZE, "training.micro_batch": 1, "training.sequence_length": 4096})
    assert "[FIT-020]" in bars(document)["structured estimate"] and "[FIT-001]" in bars(document)["rule of thumb"]
    verdict = repr(section(document, "verdict"))
    assert "shaped like Llama-2-7B [ASM-035]" in verdict and "model.layers" not in verdict
    assert "Llama-2-7B 的结构计 [ASM-035]" in repr(section(document, "verdict", "zh"))
    asked = [q["fact"] for q in document["measure_next"]]
    assert "model.name" in asked and "model.layers" not in asked[: asked.index("model.name")]
    named = decision({**BY_SIZE, "model.name": "Mistral-7B-v0.1", "training.micro_batch": 1, "training.sequence_length": 4096})
    assert not any(a["fact"].startswith("model.") for a in named["assumptions"])


def test_a_machine_chosen_by_the_rule_of_thumb_tells_its_need_by_the_assumed_shape() -> None:
    document = example("7b-full-4x4090")
    for machine in document["choice"]["chosen"]:
        assert machine["assuming"]["candidate.memory_need"]["value"] in [e["value"] for e in machine["estimate"]]
        assert machine["assuming"]["candidate.memory_need"] != machine["figures"]["candidate.memory_need"]
    assert "by shape and batch, as far as assumed below" in repr(section(document, "machines"))
    assert "LoRA" in repr(section(document, "findings")) and "984.4 ms" in repr(section(document, "findings"))
    schema = json.loads((resources.files("gpurules.schemas") / "decision.schema.json").read_text())
    jsonschema.validate(document, schema)


def test_a_machine_that_only_its_size_speaks_for_is_kept_with_that_said() -> None:
    facts = {"workload.task": "lora", "model.size_class": "7B", "gpu.name": "RTX 4090", "gpu.count": 1}
    run = {"training.micro_batch": 1, "training.sequence_length": 2048, "training.precision": "bf16_mixed"}
    assert "it meets every requirement." in repr(section(decision(facts), "verdict"))
    document = decision({**facts, **run})
    assert document["status"] == "keep" and document["candidates"][0]["verdict_assuming"] == "undecided"
    assert "that is not certain" in repr(section(document, "verdict")) and "不能确定" in repr(section(document, "verdict", "zh"))


def test_what_did_not_help_at_first_is_tried_again_after_other_settings() -> None:
    plan = {step["rule"]: step["place"] for step in example("7b-full-4x4090")["steps"]}
    assert plan["SAV-033"] > plan["SAV-037"] > plan["SAV-036"]
    assert len(plan) == len(example("7b-full-4x4090")["steps"])


def test_speed_of_each_machine_with_its_rules() -> None:
    text = repr(section(example(STEPS), "speed"))
    assert all(rule in text for rule in ("SPD-044", "SPD-050", "SPD-052"))
    assert "generation" in repr(section(example(SERVING), "speed"))
    assert "model.name" in repr(section(decision(BY_SIZE), "speed"))


@pytest.mark.parametrize("name", [STEPS, LORA, SERVING])
def test_the_document_keeps_to_its_schema(name: str) -> None:
    schema = json.loads((resources.files("gpurules.schemas") / "decision.schema.json").read_text())
    jsonschema.validate(example(name), schema)


def test_ends_too_far_apart_are_told_by_the_upper_one_or_not_at_all() -> None:
    assert wording.extent(Interval(1e-8, 168.0), Interval(0.0, 1e15)) == "most"
    assert wording.extent(Interval(1e-8, 1e15), Interval(0.0, 1e15)) == "unknown"
    for told in (Interval(1.0, 1000.0), Interval(0.0, 5.0), point(3.0), frozenset(["fits"])):
        assert wording.extent(told, Interval(0.0, 1e15)) == ""
    vocabulary = gpurules.load().vocabulary
    assert wording.fact(vocabulary, "candidate.weights", Interval(1.0, 4e9)) == {"en": "≤ 4 GB", "zh": "≤ 4 GB"}
    assert wording.fact(vocabulary, "candidate.weights", Interval(1.0, 1e15)) == wording.UNKNOWN
