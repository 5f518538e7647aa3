"""What the sources claim, checked on decisions as a user gets them: values, rules, levels and verdicts, never the wording.

Each test names its claim. Facts are written as people write them; a check may add what its sentence implies, such as
several cards behind a share of communication.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from claim_decisions import SERVED, SHARDED, Document, decide

import gpurules

GB, KW = 1e9, 1e3
TRAINED = {"workload.task": "full_finetune", "training.precision": "mixed"}


def derived(document: Document, fact: str, assuming: bool = False) -> Document:
    entry: Document
    (entry,) = (entry for entry in document["derived"] if entry["fact"] == fact)
    if assuming:
        entry = entry["assuming"]
    return entry


def ends(entry: Document, scale: float = GB) -> Any:
    """Both ends of a value, as something that compares approximately."""
    return pytest.approx([entry["value"]["low"] / scale, entry["value"]["high"] / scale], rel=1e-9)


def levels(document: Document, rule: str, state: str = "certain") -> list[tuple[str, str]]:
    """(level, action) of the advice that a rule gives in that state."""
    return [(c["level"], c["action"]) for c in document["conclusions"] if c["rule"] == rule and c["state"] == state and c["kind"] == "advise"]


def speaks(document: Document, rule: str) -> bool:
    return any(c["rule"] == rule for c in document["conclusions"])


def fit(document: Document) -> list[str]:
    return list(derived(document, "candidate.fit")["value"]["members"])


def verdict(document: Document) -> str:
    return str(document["candidates"][0]["verdict"])


def requirement(document: Document, rule: str) -> Document:
    entry: Document
    (entry,) = (entry for entry in document["candidates"][0]["requirements"] if entry["rule"] == rule)
    return entry


# ---------------------------------------------------------------- memory


def test_a01_mixed_precision_needs_16_to_20_bytes_a_parameter() -> None:
    memory = derived(decide(TRAINED, model__size_class="7B"), "memory.rule_of_thumb")
    assert ends(memory) == [112, 140]
    assert [a["rule"] for a in memory["alternatives"]] == ["MEM-001"]


@pytest.mark.parametrize(("size", "floor"), [("13B", 208), ("70B", 1120)])
def test_a01_holds_under_the_usual_precision_where_none_is_stated(size: str, floor: float) -> None:
    document = decide(workload__task="full_finetune", model__size_class=size)
    memory = derived(document, "memory.rule_of_thumb", assuming=True)
    assert memory["value"]["low"] == pytest.approx(floor * GB)
    assert [a["rule"] for a in memory["alternatives"]] == ["MEM-001"]
    assert {a["fact"]: a["rule"] for a in document["assumptions"]}["training.precision"] == "ASM-001"


@pytest.mark.parametrize(("peak", "tight"), [("72.0 GB", True), ("71.9 GB", False)])
def test_a02_a_peak_of_90_percent_is_tight(peak: str, tight: bool) -> None:
    document = decide(measured__memory_peak=peak, gpu__memory_usable="80 GB", gpu__count=1)
    assert levels(document, "MEM-050") == ([("caution", "run_without_headroom")] if tight else [])
    assert speaks(document, "MEM-050") == tight


def test_b01_half_precision_inference_takes_two_gb_a_billion() -> None:
    assert ends(derived(decide(SERVED, inference__weight_bits="fp16", model__size_class="7B"), "memory.rule_of_thumb")) == [14, 14]


def test_b01_half_precision_is_what_inference_assumes() -> None:
    document = decide(SERVED, model__size_class="7B")
    assert ends(derived(document, "memory.rule_of_thumb", assuming=True)) == [14, 14]
    assert {a["fact"]: a["rule"] for a in document["assumptions"]} == {"inference.weight_bits": "ASM-002"}


def test_b01_13b_in_fp16_is_rejected_on_a_24_gb_card_and_by_how_much() -> None:
    document = decide(SERVED, inference__weight_bits="fp16", model__size_class="13B", gpu__name="RTX 4090", gpu__count=1)
    assert ends(derived(document, "candidate.memory_need")) == [26, 26]
    assert (verdict(document), fit(document)) == ("rejected", ["does_not_fit"])
    assert levels(document, "FIT-010") == [("stop", "take_machine")]
    headroom = derived(document, "candidate.headroom")
    assert headroom["value"]["high"] == pytest.approx(24564 * 2**20 / 26e9)


def test_b03_70b_in_four_bits_is_35_gb_and_wants_evaluation() -> None:
    document = decide(SERVED, inference__weight_bits="int4", model__size_class="70B")
    assert ends(derived(document, "memory.rule_of_thumb")) == [35, 35]
    assert levels(document, "QNT-001") == [("recommend", "evaluate_quantization")]


def test_b03_leaves_the_judgment_to_the_user() -> None:
    document = decide(SERVED, inference__weight_bits="int4", model__size_class="70B", workload__accuracy="tolerant")
    assert not speaks(document, "QNT-001")
    assert levels(document, "QNT-002") == [("note", "quantize")]


def test_c03_fine_tuning_by_an_unknown_method_is_42_to_70_gb_with_low_confidence() -> None:
    document = decide(workload__task="finetune", model__size_class="7B")
    memory = derived(document, "memory.rule_of_thumb")
    by_rule = {a["rule"]: a for a in (*memory["alternatives"], *memory["set_aside"])}
    assert ends(by_rule["MEM-030"]) == [42, 70]
    assert (by_rule["MEM-030"]["confidence"], by_rule["MEM-001"]["confidence"]) == ("low", "high")
    assert "workload.task" in [q["fact"] for q in document["measure_next"]]


def test_c03_keeps_its_other_reading_and_gives_way_to_a01_once_the_method_is_stated() -> None:
    document = decide(TRAINED, model__size_class="7B")
    aside = {a["rule"]: a for a in derived(document, "memory.rule_of_thumb")["set_aside"]}
    assert ends(aside["MEM-030"]) == [42, 70]
    assert ends(aside["MEM-031"]) == [21, 35]
    assert [c["id"] for c in document["conflicts"] if set(c["between"]) == {"A01", "C03"}] == ["K01"]


@pytest.mark.parametrize(("card", "expected"), [("16 GB", "no_headroom"), ("24 GB", "fits")])
def test_c04_7b_lora_just_goes_into_16_gb_and_fits_24(card: str, expected: str) -> None:
    document = decide(workload__task="lora", model__size_class="7B", training__base_weight_bits="fp16", gpu__memory_nominal=card, gpu__count=1)
    assert fit(document) == [expected]
    assert verdict(document) == ("accepted" if expected == "fits" else "rejected")


def test_c17_asks_for_20_and_recommends_30_percent_over_the_estimate() -> None:
    document = decide(TRAINED, memory__rule_of_thumb="112 GB", model__size_class="7B", gpu__memory_usable="112 GB", gpu__count=1)
    assert ends(derived(document, "memory.minimum")) == [134.4, 134.4]
    assert ends(derived(document, "memory.recommended")) == [145.6, 145.6]
    assert (fit(document), verdict(document)) == (["no_headroom"], "rejected")
    assert levels(document, "FIT-011") == [("avoid", "run_without_headroom")]


@pytest.mark.parametrize(("usable", "expected", "noted"), [("134.3 GB", "no_headroom", False), ("134.4 GB", "fits", True), ("145.6 GB", "fits", False)])
def test_c17_at_its_two_limits(usable: str, expected: str, noted: bool) -> None:
    document = decide(TRAINED, memory__rule_of_thumb="112 GB", model__size_class="7B", gpu__memory_usable=usable, gpu__count=1)
    assert fit(document) == [expected]
    assert speaks(document, "FIT-012") == noted


# ---------------------------------------------------------------- measured signals


@pytest.mark.parametrize(("share", "finding"), [("31 %", True), (0.31, True), ("30 %", False), (0.30, False)])
def test_a04_above_30_percent_communication_cards_are_not_added(share: object, finding: bool) -> None:
    document = decide(TRAINED, gpu__count=4, measured__communication_share=share)
    assert levels(document, "COM-001") == ([("avoid", "add_cards")] if finding else [])
    assert speaks(document, "COM-001") == finding


def test_a04_waits_for_the_measurement() -> None:
    document = decide(TRAINED, gpu__count=4, model__size_class="7B")
    assert levels(document, "COM-001", "depends") == [("avoid", "add_cards")]
    assert "measured.communication_share" in [q["fact"] for q in document["measure_next"]]


@pytest.mark.parametrize(("fluctuation", "finding"), [(0.21, True), ("21 %", True), (0.20, False)])
def test_a09_swinging_throughput_is_the_data_path_not_the_gpu(fluctuation: object, finding: bool) -> None:
    document = decide(TRAINED, measured__throughput_fluctuation=fluctuation)
    assert levels(document, "DAT-001") == ([("avoid", "upgrade_gpu"), ("recommend", "fix_data_pipeline")] if finding else [])
    assert speaks(document, "DAT-001") == finding


# ---------------------------------------------------------------- full training


@pytest.mark.parametrize(("size", "card", "finding"), [("10B", "24 GB", True), ("10B", "40 GB", False), ("9.9B", "24 GB", False)])
def test_a12_small_cards_for_full_training_from_10b(size: str, card: str, finding: bool) -> None:
    document = decide(TRAINED, SHARDED, model__size_class=size, gpu__memory_nominal=card, gpu__count=16)
    assert levels(document, "FUL-001") == ([("avoid", "small_cards_for_full_training")] if finding else [])
    assert speaks(document, "FUL-001") == finding


@pytest.mark.parametrize(("link", "met"), [("pcie", "no"), ("nvlink_switch", "yes")])
def test_b14_full_training_from_70b_is_rejected_on_pcie_and_allowed_on_nvlink(link: str, met: str) -> None:
    document = decide(TRAINED, SHARDED, model__size_class="70B", interconnect__kind=link, gpu__memory_nominal="80 GB", gpu__count=32)
    assert requirement(document, "FUL-002")["met"] == met
    assert levels(document, "FUL-003") == ([("stop", "pcie_machine")] if met == "no" else [])
    assert verdict(document) == ("rejected" if met == "no" else "accepted")


# ---------------------------------------------------------------- power and cooling


@pytest.mark.parametrize(("power", "finding"), [("1000 W", True), ("750 W", True), ("749 W", False)])
def test_a14_cards_of_the_800_w_class_need_the_facility(power: str, finding: bool) -> None:
    document = decide(gpu__power_limit=power, gpu__count=8)
    assert levels(document, "PWR-009") == ([("recommend", "facility_support")] if finding else [])


@pytest.mark.parametrize(("power", "finding"), [("350 W", False), ("351 W", True), ("450 W", True)])
def test_a39_more_than_350_w_in_an_ordinary_air_rack(power: str, finding: bool) -> None:
    document = decide(gpu__power_limit=power, gpu__count=4, site__cooling="ordinary_air")
    assert levels(document, "PWR-001") == ([("avoid", "ordinary_air_rack")] if finding else [])
    assert speaks(document, "PWR-001") == finding


@pytest.mark.parametrize(("power", "needed"), [("700 W", False), ("701 W", True)])
def test_a40_more_than_700_w_needs_liquid(power: str, needed: bool) -> None:
    document = decide(gpu__power_limit=power, gpu__count=8, site__cooling="air")
    assert levels(document, "PWR-002") == ([("recommend", "liquid_cooling")] if needed else [])
    assert requirement(document, "PWR-003")["met"] == ("no" if needed else "yes")


def test_a40_gives_way_to_the_vendors_statement() -> None:
    document = decide(gpu__power_limit="701 W", gpu__count=8, site__cooling="air", gpu__air_cooled_by_vendor="yes")
    assert not speaks(document, "PWR-002")
    assert requirement(document, "PWR-003")["met"] == "yes"
    assert levels(document, "PWR-004") == [("note", "air_cooling")]


def test_a41_the_rack_is_exceeded_and_by_how_much() -> None:
    document = decide(gpu__power_limit="700 W", gpu__count=8, site__rack_power="6 kW", host__other_power="2 kW")
    assert ("stop", "take_machine") in levels(document, "PWR-006")
    assert ends(derived(document, "power.rack_excess"), KW) == [1.6, 1.6]
    assert requirement(document, "PWR-007")["met"] == "no"


def test_a41_depends_on_the_hosts_power_where_that_is_not_given() -> None:
    document = decide(gpu__power_limit="700 W", gpu__count=8, site__rack_power="6 kW")
    assert ("stop", "take_machine") in levels(document, "PWR-006", "depends")
    (finding, *_) = (c for c in document["conclusions"] if c["rule"] == "PWR-006")
    assert finding["needs"] == ["host.other_power"]


# ---------------------------------------------------------------- the command says the same


def test_the_command_prints_the_same_decision(tmp_path: Path) -> None:
    facts = tmp_path / "facts.yaml"
    facts.write_text("workload:\n  task: full_finetune\n  # 7B by name\nmodel.size_class: 7B\ntraining.precision: bf16_mixed\n", encoding="utf-8")
    command = [sys.executable, "-m", "gpurules.cli", "evaluate", str(facts), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ends(derived(json.loads(done.stdout), "memory.rule_of_thumb")) == [112, 140]


EXAMPLES = {
    "1.7b-ddp-4x4090.yaml": ("recommended", set()),
    "10b-lora-2x24gb.yaml": ("provisional", {"LOR-001", "LOR-004", "NET-003"}),
    "13b-fp16-inference-24gb.yaml": ("recommended", {"FIT-010", "INF-002"}),
    "13b-pretraining-nothing-owned.yaml": ("recommended", set()),
    "14b-lora-a100-80gb.yaml": ("keep", {"LIM-014"}),
    "1b-utilization-45-a100.yaml": ("keep", {"UTL-001", "UTL-002", "MEM-053"}),
    "30b-lora.yaml": ("recommended", {"LOR-002"}),
    "32b-vllm-64-sequences.yaml": ("recommended", {"FIT-010", "LIM-022"}),
    "33b-tensor-parallel-3xv100.yaml": ("recommended", {"PLN-003"}),
    "3b-communication-45-4xl40s.yaml": ("recommended", {"COM-001", "COM-003", "COM-004", "COM-006", "PAR-001"}),
    "6.7b-full-1xa100.yaml": ("recommended", set()),
    "70b-fp16-2xh100.yaml": ("recommended", {"NUM-009"}),
    "70b-int4-48gb.yaml": ("keep", {"QNT-001"}),
    "7b-full-4x4090.yaml": ("recommended", {"FIT-010", "COM-001", "PWR-001", "MEM-050", "NET-002"}),
    "7b-full-8xa100-40gb-steps.yaml": ("recommended", {"FIT-010", "SAV-020"}),
    "7b-zero2-8xv100.yaml": ("recommended", set()),
    "8xh100-air-6kw.yaml": ("ask", {"PWR-001"}),
    "8xh100-rent-or-buy.yaml": ("provisional", {"PRC-001"}),
    "fluctuation-27.yaml": ("keep", {"DAT-001"}),
    "mixtral-lora-8xa800.yaml": ("recommended", {"NUM-001", "PEF-001", "SAV-021"}),
    "nothing-measured.yaml": ("recommended", set()),
    "video-60mb-samples.yaml": ("keep", {"UTL-001", "UTL-004"}),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_lead_to_what_their_comments_say(name: str) -> None:
    path = Path(__file__).parents[2] / "examples" / name
    document = gpurules.evaluate(path).document
    status, rules = EXAMPLES[name]
    assert document["status"] == status
    assert rules <= {c["rule"] for c in document["conclusions"] if c["state"] == "certain"}


def test_every_example_is_tested() -> None:
    assert {p.name for p in (Path(__file__).parents[2] / "examples").glob("*.yaml")} == set(EXAMPLES)
