"""What the sources claim about measured signals, saving memory, plans, links, precision and rent, checked on decisions as a
user gets them: values, rules, levels and the order of criteria, never the wording.

Each test names its claim. A check may add what its sentence implies, such as several cards behind a share of communication.
"""

from typing import Any

import pytest
from claim_decisions import SERVED, SHARDED, Document, decide

GB = 1e9
FULL = {"workload.task": "full_finetune", "training.precision": "bf16_mixed"}


def advice(document: Document, rule: str, state: str = "certain") -> list[tuple[str, str]]:
    """(level, action) of what a rule says in that state."""
    return [(c["level"], c["action"]) for c in document["conclusions"] if c["rule"] == rule and c["kind"] == "advise" and c["state"] == state]


def speaks(document: Document, rule: str) -> bool:
    return any(c["rule"] == rule for c in document["conclusions"])


def value(document: Document, fact: str, scale: float = GB) -> Any:
    """Both ends of a derived value, as something that compares approximately."""
    (entry,) = (e for e in document["derived"] if e["fact"] == fact)
    return pytest.approx([entry["value"]["low"] / scale, entry["value"]["high"] / scale], rel=1e-9)


def low(document: Document, fact: str) -> float:
    (entry,) = (e for e in document["derived"] if e["fact"] == fact)
    return float(entry["value"]["low"])


def given(document: Document, fact: str, scale: float = GB) -> float:
    (entry,) = (e for e in document["facts"] if e["path"] == fact)
    assert entry["value"]["low"] == entry["value"]["high"]
    return float(entry["value"]["low"]) / scale


def asked(document: Document) -> dict[str, Document]:
    return {q["fact"]: q for q in document["measure_next"]}


def conflicts(document: Document) -> set[frozenset[str]]:
    return {frozenset(c["between"]) for c in document["conflicts"]}


def criteria(document: Document) -> list[str]:
    return [c["fact"].removeprefix("candidate.") for c in document["choice"]["criteria"]]


def links(document: Document) -> set[str]:
    """The links of the chosen machines."""
    return {chosen["id"].split("/")[1] for chosen in document["choice"]["chosen"]}


def verdict(document: Document) -> str:
    return str(document["candidates"][0]["verdict"])


# ---------------------------------------------------------------- measured signals


@pytest.mark.parametrize(("peak", "duration", "finding"), [("39.9 GB", "48 h", True), ("40.0 GB", "48 h", False), ("39.9 GB", "1 h", False)])
def test_a03_a_peak_below_half_over_a_long_run_is_an_oversized_card(peak: str, duration: str, finding: bool) -> None:
    document = decide(measured__memory_peak=peak, measured__duration=duration, gpu__memory_usable="80 GB", gpu__count=1)
    assert advice(document, "MEM-052") == ([("recommend", "smaller_card")] if finding else [])
    assert speaks(document, "MEM-052") == finding


def test_a03_waits_for_the_length_of_the_run_and_is_silent_on_memory_taken_in_advance() -> None:
    peak = {"measured.memory_peak": "30 GB", "gpu.memory_usable": "80 GB", "gpu.count": 1}
    assert "measured.duration" in asked(decide(peak))
    assert not speaks(decide(peak, measured__duration="48 h", measured__memory_kind="engine_preallocated"), "MEM-052")


def test_a05_a_high_share_on_pcie_puts_nvlink_and_large_cards_first() -> None:
    machine = {"model.size_class": "7B", "gpu.name": "L40S", "gpu.count": 4}
    document = decide(FULL, SHARDED, machine, measured__communication_share="45 %")
    order = [c for c in criteria(document) if c in ("link_class", "count", "interconnect_bandwidth")]
    assert order[:3] == ["link_class", "count", "interconnect_bandwidth"]
    assert "pcie" not in links(document)
    assert advice(document, "COM-003") == [("recommend", "larger_card")]
    assert advice(document, "COM-004") == [("recommend", "nvlink_machine")]


@pytest.mark.parametrize("share", ["30 %", None])
def test_a05_does_not_lean_at_the_limit_or_without_a_measurement(share: str | None) -> None:
    measured = {} if share is None else {"measured.communication_share": share}
    document = decide({"workload.task": "lora", "training.precision": "bf16_mixed", "model.size_class": "7B"}, measured)
    assert "link_class" not in criteria(document)


def test_a06_the_share_is_asked_for_with_the_command() -> None:
    questions = asked(decide(FULL, SHARDED, model__size_class="7B", gpu__name="A100 SXM4 80GB", gpu__count=8))
    for fact in ("measured.communication_share", "measured.communication_exposed_share"):
        assert "COM-005" in questions[fact]["asked_by"]
        assert "nsys profile" in questions[fact]["command"]


@pytest.mark.parametrize(("utilization", "finding"), [(0.55, True), (0.60, False)])
def test_a07_an_idle_gpu_with_free_memory_wants_a_larger_batch_not_more_compute(utilization: float, finding: bool) -> None:
    document = decide(FULL, measured__gpu_utilization=utilization, measured__memory_peak="40 GB", gpu__memory_usable="80 GB", gpu__count=1)
    assert advice(document, "UTL-001") == ([("avoid", "add_compute")] if finding else [])
    assert advice(document, "UTL-002") == ([("recommend", "raise_batch")] if finding else [])


def test_a07_gives_way_where_the_swing_names_the_data_path() -> None:
    idle = {"measured.gpu_utilization": 0.45, "measured.memory_peak": "40 GB", "gpu.memory_usable": "80 GB", "gpu.count": 1}
    document = decide(FULL, idle, measured__throughput_fluctuation="27 %")
    assert advice(document, "UTL-002") == []
    assert advice(document, "UTL-003") == [("recommend", "feed_card_first")]
    assert frozenset({"A07", "A09", "C12"}) in conflicts(document)
    unmeasured = asked(decide(FULL, idle))
    assert {"measured.throughput_fluctuation", "measured.data_wait_share"} <= set(unmeasured)


def test_a07_comes_before_a03() -> None:
    facts = {"measured.memory_peak": "36 GB", "measured.duration": "48 h", "gpu.memory_usable": "80 GB", "gpu.count": 1}
    document = decide(FULL, facts, measured__gpu_utilization="50 %")
    assert advice(document, "MEM-052") == []
    assert advice(document, "MEM-053") == [("recommend", "raise_batch")]
    assert frozenset({"A07", "A03"}) in conflicts(document)


# ---------------------------------------------------------------- several cards


def test_a13_eight_cards_over_pcie_are_warned_of_a_higher_share() -> None:
    machine = {"model.size_class": "7B", "gpu.memory_nominal": "80 GB", "gpu.count": 8}
    assert ("caution", "plan_communication") in advice(decide(FULL, SHARDED, machine, interconnect__kind="pcie"), "COM-006")
    assert not speaks(decide(FULL, SHARDED, machine, interconnect__kind="nvlink_switch"), "COM-006")


def test_a33_high_share_and_weights_in_one_card_mean_data_parallel() -> None:
    machine = {"model.size_class": "7B", "gpu.name": "RTX 4090", "gpu.count": 4}
    document = decide(FULL, machine, measured__communication_share="35 %")
    assert advice(document, "PAR-001") == [("recommend", "data_parallel"), ("avoid", "tensor_parallel")]
    larger = decide(FULL, machine | {"model.size_class": "70B"}, measured__communication_share="35 %")
    assert not speaks(larger, "PAR-001")


def test_b07_the_catalogue_knows_64_600_and_900() -> None:
    for card, bandwidth in (("RTX 4090", 64), ("A100 SXM4 80GB", 600), ("H100 SXM5 80GB", 900)):
        document = decide(gpu__name=card, gpu__count=8)
        assert given(document, "interconnect.bandwidth") == pytest.approx(bandwidth)
        assert not speaks(document, "LNK-003")


def test_b07_a_figure_beyond_its_link_is_questioned() -> None:
    document = decide(FULL, gpu__count=8, gpu__memory_nominal="24 GB", interconnect__kind="pcie", interconnect__bandwidth="600 GB/s")
    assert advice(document, "LNK-003") == [("caution", "check_link_figure")]


def test_b10_the_link_is_not_weighed_for_7b_on_one_card_and_drags_at_70b() -> None:
    small = decide(SERVED, model__size_class="7B", inference__weight_bits="fp16", gpu__name="RTX 4090", gpu__count=1)
    assert advice(small, "LNK-001") == [("note", "disregard_interconnect")]
    large = decide(workload__task="finetune", model__size_class="70B", gpu__name="RTX 4090", gpu__count=8)
    assert advice(large, "LNK-002") == [("caution", "pcie_machine")]


# ---------------------------------------------------------------- LoRA, inference


def test_a16_eight_cards_for_7b_lora_are_too_many() -> None:
    facts = {"workload.task": "lora", "model.size_class": "7B", "gpu.name": "RTX 4090", "parallel.sharding_stage": "none"}
    assert advice(decide(facts, gpu__count=8), "PEF-001") == [("recommend", "fewer_cards")]
    assert not speaks(decide(facts, gpu__count=1), "PEF-001")


def test_a17_a_mid_range_card_ranks_above_a_flagship_for_lora() -> None:
    document = decide(workload__task="lora", model__size_class="7B", training__precision="bf16_mixed")
    assert advice(document, "PEF-003") == [("note", "mid_range_card")]
    order = criteria(document)
    assert order.index("memory_margin") < order.index("power") < order.index("compute_per_watt")
    (first, *_) = document["choice"]["chosen"]
    assert first["figures"]["candidate.power_limit"]["value"]["high"] <= 350


def test_b13_30b_to_70b_inference_takes_48_gb_or_twice_24() -> None:
    document = decide(SERVED, model__size_class="32B", inference__weight_bits="int8")
    assert advice(document, "SRV-001") == [("recommend", "take_machine"), ("recommend", "layer_split")]
    named = [(str(s["count"]), s["memory_nominal"], s["plan"]) for s in document["choice"]["scenarios"] if s["rule"] == "SRV-001"]
    assert named == [("1", "48 GB", ["single"]), ("2", "24 GB", ["layer_split"])]


@pytest.mark.parametrize(("bits", "named"), [("int4", True), ("int8", False), ("fp16", False)])
def test_b13_at_70b_holds_at_four_bits_only(bits: str, named: bool) -> None:
    assert speaks(decide(SERVED, model__size_class="70B", inference__weight_bits=bits), "SRV-001") == named


def test_b02_training_needs_more_than_inference_at_any_precision() -> None:
    for precision in ("fp32", "bf16_mixed", "bf16_pure", "fp8_mixed"):
        document = decide(workload__task="full_finetune", model__size_class="7B", training__precision=precision)
        training, inference = low(document, "memory.training_floor"), low(document, "memory.inference_floor")
        assert training > inference > 0
        assert advice(document, "MEM-071") == [("note", "separate_configurations")]


# ---------------------------------------------------------------- saving memory before buying

ACTIVATIONS = {"measured.memory_peak": "100 GB", "measured.activation_share": "80 %", "training.checkpointing": "none"}


def test_a26_checkpointing_brings_a_peak_of_100_gb_to_60() -> None:
    document = decide(FULL, ACTIVATIONS)
    assert advice(document, "SAV-010") == [("recommend", "enable_checkpointing")]
    assert value(document, "memory.peak_after_checkpointing") == [60, 60]
    assert {"training.checkpointing": "full"} in [s["set"] for s in document["steps"] if s["rule"] == "SAV-010"]


def test_a26_is_not_offered_where_weights_dominate_or_memory_is_free() -> None:
    assert not speaks(decide(FULL, ACTIVATIONS | {"measured.activation_share": "20 %"}), "SAV-010")
    assert not speaks(decide(FULL, ACTIVATIONS, gpu__memory_usable="141 GB", gpu__count=1), "SAV-010")


def test_a26_waits_for_the_split_of_the_peak() -> None:
    document = decide(FULL, measured__out_of_memory="backward", training__checkpointing="none", gpu__name="RTX 4090", gpu__count=1)
    assert advice(document, "SAV-010", "depends") == [("recommend", "enable_checkpointing")]
    assert "SAV-025" in asked(document)["measured.activation_share"]["asked_by"]


def test_a27_half_precision_halves_40_gb_of_activations() -> None:
    facts = {"workload.task": "full_finetune", "training.precision": "fp32", "measured.memory_peak": "50 GB", "measured.activation_share": "80 %"}
    document = decide(facts)
    assert advice(document, "SAV-011") == [("recommend", "half_precision")]
    assert value(document, "memory.activations_measured") == [40, 40]
    assert value(document, "memory.activations_after_half") == [20, 20]
    assert any(s["rule"] == "SAV-011" and "training.precision" in s["set"] for s in document["steps"])


MICRO = {"training.micro_batch": 8, "training.gradient_accumulation": 8, "gpu.memory_usable": "72 GB"}


def test_a28_the_largest_micro_batch_that_fits_keeps_the_batch_by_accumulation() -> None:
    document = decide(FULL, ACTIVATIONS, MICRO, gpu__count=1)
    assert advice(document, "SAV-012") == [("recommend", "lower_batch"), ("recommend", "accumulate_gradients")]
    assert value(document, "training.micro_batch_that_fits", 1) == [4, 4]
    assert value(document, "training.accumulation_to_keep", 1) == [16, 16]
    assert not speaks(document, "SAV-015")


def test_a28_under_full_sharding_the_share_of_communication_rises() -> None:
    document = decide(FULL, SHARDED, ACTIVATIONS, MICRO, gpu__count=4, measured__communication_share="20 %")
    assert advice(document, "SAV-015") == [("caution", "plan_communication")]
    assert value(document, "communication.share_after", 1) == [1 / 3, 1 / 3]
    assert frozenset({"A28", "A04"}) in conflicts(decide(FULL, SHARDED, ACTIVATIONS, MICRO, gpu__count=4, measured__communication_share="40 %"))


def test_a29_hardware_is_extended_only_when_every_step_was_taken() -> None:
    machine = {"memory.rule_of_thumb": "100 GB", "model.size_class": "7B", "gpu.memory_usable": "80 GB", "gpu.count": 1}
    done = {"training.checkpointing": "full", "training.micro_batch": 1}
    assert advice(decide(FULL, machine, done), "SAV-022") == [("recommend", "extend_hardware")]
    assert not speaks(decide(FULL, machine, done | {"training.micro_batch": 2}), "SAV-022")


def test_a46_software_comes_before_hardware() -> None:
    machine = {"memory.rule_of_thumb": "100 GB", "model.size_class": "7B", "gpu.memory_usable": "80 GB", "gpu.count": 1}
    document = decide(FULL, machine, training__checkpointing="none")
    assert advice(document, "SAV-020") == [("recommend", "software_first")]
    assert not speaks(document, "SAV-022")
    measured = decide(FULL, gpu__memory_usable="80 GB", gpu__count=1, measured__out_of_memory="backward", training__checkpointing="none")
    assert advice(measured, "SAV-021") == [("recommend", "software_first")]


# ---------------------------------------------------------------- precision


def test_c06_fp16_training_scales_the_loss() -> None:
    assert advice(decide(workload__task="full_finetune", training__precision="fp16"), "NUM-001") == [("recommend", "loss_scaling")]
    assert not speaks(decide(FULL), "NUM-001")


@pytest.mark.parametrize(("card", "precision", "rule"), [("V100", "bf16", "NUM-004"), ("Tesla T4", "bf16", "NUM-004"), ("V100", "tf32", "NUM-006")])
def test_c06_a_precision_that_the_card_lacks_stops(card: str, precision: str, rule: str) -> None:
    document = decide(workload__task="full_finetune", model__size_class="0.1B", training__precision=precision, gpu__name=card, gpu__count=1)
    assert advice(document, rule) == [("stop", "unsupported_precision")]
    assert verdict(document) == "rejected"


@pytest.mark.parametrize("card", ["Ascend 910B2", "MI300X", "Gaudi 3", "RTX 4090", "A100 80GB PCIe"])
def test_c06_cards_of_other_makers_are_not_refused_for_want_of_a_compute_capability(card: str) -> None:
    document = decide(FULL, model__size_class="0.5B", gpu__name=card, gpu__count=1)
    assert not speaks(document, "NUM-004")
    (found,) = (r["met"] for r in document["candidates"][0]["requirements"] if r["rule"] == "NUM-002")
    assert found == "yes"


def test_c06_no_card_without_bf16_is_proposed_for_bf16() -> None:
    document = decide(FULL, model__size_class="7B", gpu__name="V100 SXM2 32GB", gpu__count=8)
    rejections = document["choice"]["rejections"]
    assert all("NUM-002" in against for machine, against in rejections.items() if "v100" in machine)
    assert criteria(decide(FULL, model__size_class="7B"))[0] == "precision_support"


def test_c07_fp32_on_an_a100_is_moved_to_bf16() -> None:
    document = decide(workload__task="full_finetune", training__precision="fp32", gpu__name="A100 80GB PCIe", gpu__count=1)
    assert advice(document, "NUM-008") == [("recommend", "use_bf16")]
    assert not speaks(document, "NUM-007")
    assert advice(decide(workload__task="full_finetune", training__precision="fp32"), "NUM-007") == [("recommend", "half_precision")]


@pytest.mark.parametrize(
    ("accuracy", "rule", "expected"),
    [
        (None, "NUM-009", ("recommend", "evaluate_quantization")),
        ("sensitive_not_evaluated", "NUM-009", ("recommend", "evaluate_quantization")),
        ("tolerant", "NUM-010", ("recommend", "quantize")),
        ("sensitive_evaluated_bad", "NUM-011", ("avoid", "quantize")),
    ],
)
def test_c07_int8_inference_follows_evaluation(accuracy: str | None, rule: str, expected: tuple[str, str]) -> None:
    stated = {} if accuracy is None else {"workload.accuracy": accuracy}
    document = decide(SERVED, stated, model__size_class="7B", inference__weight_bits="fp16")
    assert advice(document, rule) == [expected]
    assert {r for r in ("NUM-009", "NUM-010", "NUM-011") if speaks(document, r)} == {rule}


# ---------------------------------------------------------------- rent or buy


@pytest.mark.parametrize("stability", ["early", "volatile"])
def test_a35_young_and_volatile_loads_are_rented(stability: str) -> None:
    assert advice(decide(workload__stability=stability), "RNT-001") == [("recommend", "rent")]


def test_a35_three_stable_years_at_full_load_are_bought() -> None:
    stable = {"workload.stability": "stable", "period.horizon": "3 years"}
    assert advice(decide(stable, period__utilization="100 %"), "RNT-002") == [("recommend", "buy")]
    half = decide(stable, period__utilization="50 %")
    assert not speaks(half, "RNT-002")
    assert advice(half, "RNT-003") == [("note", "compare_rent_and_buy")]
