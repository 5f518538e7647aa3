"""What is unlikely rather than impossible: an answer all the same, with a finding that names the place of every fact in it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest

from gpurules.engine import GpurulesError, evaluate, load
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.public import engine
from gpurules.engine.reports.report import report

FINDINGS: dict[str, tuple[str, str, list[tuple[str, str, int, int]]]] = {
    # what: facts, rule, places as (fact, looked up by, line, column)
    "peak above the card": (
        "gpu.name: RTX 4090\nmeasured.memory_peak: 30 GB\n", "INP-001",
        [("measured.memory_peak", "", 2, 23), ("gpu.memory_usable", "gpu.name", 1, 11)],
    ),
    "one card faster than four": (
        "gpu.count: 4\nmeasured: {throughput: 10, throughput_one_gpu: 30}\n", "INP-002",
        [("gpu.count", "", 1, 12), ("measured.throughput_one_gpu", "", 2, 48), ("measured.throughput", "", 2, 24)],
    ),
    "four cards faster than four times one": (
        "gpu.count: 4\nmeasured: {throughput: 100, throughput_one_gpu: 10}\n", "INP-003",
        [("gpu.count", "", 1, 12), ("measured.throughput", "", 2, 24), ("measured.throughput_one_gpu", "", 2, 49)],
    ),
    "groups of six on eight cards": (
        "gpu.count: 8\nparallel: {tensor: 2, pipeline: 3}\n", "INP-004",
        [("parallel.tensor", "", 2, 20), ("parallel.pipeline", "", 2, 33), ("gpu.count", "", 1, 12)],
    ),
    "groups of three on four cards": ("gpu.count: 4\nparallel.tensor: 3\n", "INP-005", [("parallel.tensor", "", 2, 18), ("gpu.count", "", 1, 12)]),
    "experts over three of eight cards": ("gpu.count: 8\nparallel.expert: 3\n", "INP-006", [("parallel.expert", "", 2, 18), ("gpu.count", "", 1, 12)]),
    "experts of a dense model": (
        "model.name: Llama-2-7b-hf\nparallel.expert: 2\n", "INP-007", [("parallel.expert", "", 2, 18), ("model.experts", "model.name", 1, 13)],
    ),
    "limit above the card": (
        "gpu: {name: T4, power_limit: 300 W}\n", "INP-008",
        [("gpu.power_limit", "", 1, 30), ("gpu.power_limit_highest", "gpu.name", 1, 13)],
    ),
    "limit below the card": (
        "gpu: {name: T4, power_limit: 30 W}\n", "INP-009",
        [("gpu.power_limit", "", 1, 30), ("gpu.power_limit_lowest", "gpu.name", 1, 13)],
    ),
    "context beyond the model": (
        "workload.task: inference\nmodel.name: Llama-2-7b-hf\ninference.context_length: 32768\n", "INP-010",
        [("workload.task", "", 1, 16), ("inference.context_length", "", 3, 27), ("model.max_positions", "model.name", 2, 13)],
    ),
    "sequences beyond the model": (
        "workload.task: lora\nmodel.name: Llama-2-7b-hf\ntraining.sequence_length: 32768\n", "INP-011",
        [("workload.task", "", 1, 16), ("training.sequence_length", "", 3, 27), ("model.max_positions", "model.name", 2, 13)],
    ),
    "heads not shared evenly": (
        "model: {attention_heads: 32, kv_heads: 5}\n", "INP-012", [("model.kv_heads", "", 1, 40), ("model.attention_heads", "", 1, 26)],
    ),
    "heads too small": (
        "model: {attention_heads: 32, head_size: 12, hidden_size: 4096}\n", "INP-013",
        [("model.attention_heads", "", 1, 26), ("model.head_size", "", 1, 41), ("model.hidden_size", "", 1, 58)],
    ),
    "heads too large": (
        "model: {attention_heads: 128, head_size: 512, hidden_size: 1024}\n", "INP-014",
        [("model.attention_heads", "", 1, 26), ("model.head_size", "", 1, 42), ("model.hidden_size", "", 1, 60)],
    ),
    "uneven nodes": ("gpu.count: 8\nnetwork.nodes: 3\n", "INP-016", [("network.nodes", "", 2, 16), ("gpu.count", "", 1, 12)]),
}  # fmt: skip


@lru_cache(maxsize=1)
def loaded() -> Engine | GpurulesError:
    try:
        return engine(load())
    except GpurulesError as error:
        return error


def ready() -> Engine:
    found = loaded()
    if isinstance(found, GpurulesError):
        raise found
    return found


def decided(text: str) -> dict[str, Any]:
    return evaluate(text.encode(), ready()).document


@pytest.mark.parametrize("what", FINDINGS)
def test_a_finding_names_every_place(what: str) -> None:
    text, rule, places = FINDINGS[what]
    document = decided(text)
    (finding,) = (c for c in document["conclusions"] if c["kind"] == "advise" and c["topic"] == "input")
    assert (finding["rule"], finding["state"], finding["level"]) == (rule, "certain", "caution")
    assert [(p["fact"], p.get("via", ""), p["line"], p["column"]) for p in finding["places"]] == places
    assert document["status"]
    for language, words in (("en", "see "), ("zh", "见 ")):
        shown = str(report(document, language))
        assert words in shown and all(str(line) in shown for _, _, line, _ in places)
        assert finding["text"][language] in shown


def test_every_rule_about_the_input_is_met_here() -> None:
    rules = {r.id for r in ready().rulebook.running if r.id.startswith("INP-")}
    assert rules == {rule for _, rule, _ in FINDINGS.values()} | {"INP-020"}


def test_a_peak_between_gb_and_gib_is_a_matter_of_units() -> None:
    """No fact is in doubt, so the note names no places, and the finding that doubts the peak is silent."""
    document = decided("gpu.name: RTX 4090\nmeasured.memory_peak: 25.765 GB\n")
    (finding,) = (c for c in document["conclusions"] if c["kind"] == "advise" and c["topic"] == "input")
    assert (finding["rule"], finding["state"], finding["level"], finding["action"]) == ("INP-020", "certain", "note", "check_memory_kind")
    assert "places" not in finding


@pytest.mark.parametrize(
    ("precision", "card", "rule"),
    [("bf16", "V100 SXM2 32GB", "NUM-004"), ("bf16_mixed", "T4", "NUM-004"), ("fp8_mixed", "A100 80GB PCIe", "NUM-012"), ("tf32", "T4", "NUM-006")],
)
def test_a_precision_that_the_card_lacks_is_a_finding(precision: str, card: str, rule: str) -> None:
    document = decided(f"workload.task: full_finetune\nmodel.size_class: 7B\ntraining.precision: {precision}\ngpu: {{name: {card}, count: 1}}\n")
    (finding,) = (c for c in document["conclusions"] if c["rule"] == rule and c["kind"] == "advise")
    assert finding["state"] == "certain" and finding["action"] == "unsupported_precision"


def test_a_measurement_in_doubt_names_its_places() -> None:
    document = decided("measured: {communication_exposed_share: 70 %, data_wait_share: 60 %}\n")
    (finding,) = (c for c in document["conclusions"] if c["rule"] == "SIG-003")
    assert [(p["fact"], p["column"]) for p in finding["places"]] == [("measured.data_wait_share", 64), ("measured.communication_exposed_share", 41)]


# ---------------------------------------------------------------- facts that mean nothing here

WITHOUT_MEANING = {
    "rank of a full fine-tune": ("workload.task: full_finetune\ntraining.adapter_rank: 16\n", "training.adapter_rank"),
    "bits of the base of a full fine-tune": ("workload.task: full_finetune\ntraining.base_weight_bits: 4.5 bit\n", "training.base_weight_bits"),
    "cache of a training": ("workload.task: lora\ninference.kv_bits: 8\n", "inference.kv_bits"),
    "context of a training": ("workload.task: lora\ninference.context_length: 4096\n", "inference.context_length"),
    "micro-batch of inference": ("workload.task: inference\ntraining.micro_batch: 4\n", "training.micro_batch"),
    "optimizer of inference": ("workload.task: inference\ntraining.optimizer: adamw\n", "training.optimizer"),
    "sharding of one card": ("workload.task: lora\ngpu.count: 1\nparallel.sharding_stage: full\n", "parallel.sharding_stage"),
}


@pytest.mark.parametrize("what", WITHOUT_MEANING)
def test_a_fact_without_meaning_is_told(what: str) -> None:
    text, fact = WITHOUT_MEANING[what]
    document = decided(text)
    (one,) = document["not_applicable"]
    assert one["fact"] == fact and one["unless"]
    assert f"Stated, but without meaning here: {fact}" in str(report(document, "en"))
    assert f"已给出，但在此没有意义：{fact}" in str(report(document, "zh"))


@pytest.mark.parametrize(
    "text",
    [
        "workload.task: lora\ntraining.adapter_rank: 16\n",
        "training.adapter_rank: 16\n",  # the task is open
        "workload.task: lora\ngpu.count: 1\nparallel.sharding_stage: none\n",
        "workload.task: [lora, full_finetune]\ntraining.adapter_rank: 16\n",
    ],
)
def test_a_fact_that_may_mean_something_is_not(text: str) -> None:
    assert "not_applicable" not in decided(text)


# ---------------------------------------------------------------- division by exactly 0


def test_a_division_by_exactly_0_is_a_finding() -> None:
    text = "workload.task: lora\ngpu.count: 4\nmeasured: {communication_share: 0 %, memory_peak: 23 GB}\ngpu.memory_usable: 24 GB\ntraining.micro_batch: 4\n"
    text += "measured.activation_share: 5 %\nparallel.sharding_stage: full\n"
    document = decided(text)
    entry = next(d for d in document["derived"] if d["fact"] == "communication.share_after")
    assert entry["undefined"] == ["SAV-016"]
    assert "communication.share_after divides by zero" in str(report(document, "en"))
    entry = next(d for d in decided(text.replace("share: 0 %", "share: 10 %"))["derived"] if d["fact"] == "communication.share_after")
    assert "undefined" not in entry
