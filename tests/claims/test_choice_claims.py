"""What the sources claim about choosing a machine, checked on decisions as a user gets them.

Each test names its claim. Which card comes first depends on the catalogue and may change with it; tests hold to what the
claim says: how many cards, of what memory, over which link, in which order of criteria.
"""

import pytest
from claim_decisions import SERVED, SHARDED, Document, decide

GB = 1e9
FULL = {"workload.task": "full_finetune", "training.precision": "mixed"}
TRAINED = ("pretrain", "continued_pretrain", "full_finetune")


def advice(document: Document, rule: str) -> list[tuple[str, str]]:
    """(level, action) of what a rule surely says of the workload and the stated machine."""
    return [(c["level"], c["action"]) for c in document["conclusions"] if c["rule"] == rule and c["kind"] == "advise" and c["state"] == "certain"]


def machines(document: Document) -> dict[str, tuple[str, str, list[str]]]:
    """The machines that rules name outright: cards, memory of each, plans."""
    return {s["rule"]: (s["count"], s["memory_nominal"], s["plan"]) for s in document["choice"]["scenarios"]}


def criteria(document: Document) -> list[str]:
    """The facts by which machines were compared, the first first."""
    return [c["fact"].removeprefix("candidate.") for c in document["choice"]["criteria"]]


def order(document: Document, *facts: str) -> list[str]:
    """Those of `facts` that machines were compared by, in that order."""
    return [fact for fact in criteria(document) if fact in facts]


def asked(document: Document) -> list[str]:
    return [q["fact"] for q in document["measure_next"]]


def met(document: Document, rule: str) -> str:
    """Whether the stated machine meets the requirement of a rule."""
    (found,) = (r["met"] for r in document["candidates"][0]["requirements"] if r["rule"] == rule)
    return str(found)


def usable(machine: Document) -> float:
    """Usable memory of one card in bytes."""
    return float(machine["figures"]["candidate.memory_usable"]["value"]["low"])


# ---------------------------------------------------------------- narrowing down


@pytest.mark.parametrize(
    "profile",
    [
        FULL | {"model.size_class": "7B", "training.optimizer": "adamw", "workload.modality": "text"},
        SERVED | {"model.size_class": "20B", "inference.weight_bits": "int8"},
        {"workload.task": "lora", "model.size_class": "3B", "training.base_weight_bits": "fp16"},
    ],
)
def test_a10_a_complete_profile_leaves_one_or_two_cards_with_their_reasons(profile: dict[str, object]) -> None:
    document = decide(profile)
    chosen = document["choice"]["chosen"]
    assert document["status"] == "recommended"
    assert 1 <= len({m["card"]["id"] for m in chosen}) == len(chosen) <= 2
    assert all([s["fact"].removeprefix("candidate.") for s in m["scores"]] == criteria(document) for m in chosen)
    assert advice(document, "CHO-001") == [("note", "narrow_choice")]


def test_a10_without_a_size_nothing_is_narrowed() -> None:
    document = decide(FULL)
    assert advice(document, "CHO-001") == []
    assert document["choice"] is None


def test_b04_a_card_without_a_model_size_gets_no_recommendation_but_questions() -> None:
    document = decide(gpu__name="RTX 4090", workload__task="inference")
    assert (document["status"], document["choice"]) == ("not_sized", None)
    assert advice(document, "SIZ-001") == [("note", "size_first")]
    (question,) = (q for q in document["measure_next"] if q["fact"] == "model.size_class")
    assert question["asked_by"] == ["SIZ-001"]
    assert all(question["obtain"].values())


def test_b04_asks_for_the_task_first_and_is_silent_once_both_are_there() -> None:
    assert asked(decide(gpu__name="RTX 4090"))[:2] == ["workload.task", "model.size_class"]
    assert advice(decide(gpu__name="RTX 4090", workload__task="lora", model__size_class="7B"), "SIZ-001") == []


def test_a45_nothing_measured_asks_for_three_measurements_in_order_with_commands() -> None:
    document = decide(FULL, model__size_class="7B", gpu__name="A100 80GB PCIe", gpu__count=4)
    three = ["measured.memory_peak", "measured.communication_share", "measured.throughput_fluctuation"]
    found = [q for q in document["measure_next"] if q["fact"] in three]
    assert [q["fact"] for q in found] == three
    assert all(q["command"] for q in found if q["fact"] != "measured.throughput_fluctuation")
    assert all("BAS-001" in q["asked_by"] for q in found)
    assert advice(document, "BAS-001") == [("note", "profile_first")]


def test_a45_measured_loads_are_classified() -> None:
    measured = {"measured.memory_peak": "60 GB", "measured.communication_share": "12 %", "measured.throughput_fluctuation": "5 %"}
    document = decide(FULL, measured, model__size_class="7B", gpu__name="A100 80GB PCIe", gpu__count=4)
    assert advice(document, "BAS-001") == []
    assert advice(document, "BAS-002") == [("note", "classify_load")]


def test_a45_stands_while_the_task_is_unknown() -> None:
    document = decide(model__size_class="7B")
    states = [c["state"] for c in document["conclusions"] if c["rule"] == "BAS-001"]
    assert states == ["depends"]


# ---------------------------------------------------------------- machines that sources name


def test_a18_lora_at_10b_names_two_cards_of_24_gb_and_the_plan() -> None:
    document = decide(workload__task="lora", model__size_class="10B")
    assert machines(document)["LOR-001"] == ("2", "24 GB", ["sharded", "layer_split"])
    assert advice(document, "LOR-001") == [("recommend", "take_machine")]


def test_a18_against_b12_both_machines_are_shown_and_what_settles_it_is_asked() -> None:
    document = decide(workload__task="lora", model__size_class="10B")
    assert machines(document)["LOR-004"] == ("1", "24 GB", ["single"])
    assert document["choice"]["contradicting"] and document["choice"]["chosen"] == []
    assert document["status"] == "ask"
    settings = ["training.base_weight_bits", "training.sequence_length", "training.micro_batch", "model.name"]
    assert [fact for fact in asked(document) if fact in settings] == settings
    assert "K10" in [c["id"] for c in document["conflicts"]]


def test_a18_holds_once_the_base_is_known_to_have_16_bits() -> None:
    document = decide(workload__task="lora", model__size_class="10B", training__base_weight_bits="16 bit")
    assert list(machines(document)) == ["LOR-001"]
    assert document["status"] == "recommended"
    for machine in document["choice"]["chosen"]:
        assert (machine["count"], machine["plan"]["id"]) == (2, "sharded")
        assert 22 * GB < usable(machine) < 26 * GB


def test_a18_two_cards_fit_when_sharded_and_not_when_each_holds_the_whole() -> None:
    lora = {"workload.task": "lora", "model.size_class": "10B", "gpu.name": "RTX 4090", "gpu.count": 2, "parallel.tensor": 1, "parallel.pipeline": 1}
    assert decide(lora, parallel__sharding_stage="full")["candidates"][0]["verdict"] == "accepted"
    assert decide(lora, parallel__sharding_stage="none")["candidates"][0]["verdict"] != "accepted"


def test_a19_lora_at_30b_takes_four_cards_of_48_gb_with_the_plan_named() -> None:
    document = decide(workload__task="lora", model__size_class="30B")
    assert machines(document) == {"LOR-002": ("4", "48 GB", ["sharded", "layer_split"])}
    assert document["status"] == "recommended"
    for machine in document["choice"]["chosen"]:
        assert machine["count"] == 4
        assert usable(machine) > 47 * GB
        assert machine["plan"]["id"] == "sharded"


@pytest.mark.parametrize(("size", "rule"), [("10.1B", "LOR-003"), ("13B", "LOR-003"), ("15B", "LOR-003"), ("15.1B", "LOR-002")])
def test_between_a18_and_a19_the_larger_ratio_holds(size: str, rule: str) -> None:
    named = machines(decide(workload__task="lora", model__size_class=size))
    assert named[rule][:2] == {"LOR-003": ("4", "24 GB"), "LOR-002": ("4", "48 GB")}[rule]


@pytest.mark.parametrize(("size", "bits"), [("7B", "fp16"), ("13B", "int8")])
def test_b12_inference_takes_one_card_of_24_gb_where_the_estimate_fits(size: str, bits: str) -> None:
    document = decide(SERVED, model__size_class=size, inference__weight_bits=bits)
    assert machines(document) == {"INF-001": ("1", "24 GB", ["single"])}
    best = document["choice"]["chosen"][0]
    assert best["count"] == 1
    assert 22 * GB < usable(best) < 26 * GB


def test_b12_gives_way_to_b01_where_the_weights_exceed_the_card() -> None:
    document = decide(SERVED, model__size_class="13B", inference__weight_bits="fp16")
    assert machines(document) == {}
    assert advice(document, "INF-002") == [("recommend", "larger_card")]
    assert all(usable(m) > 26 * GB for m in document["choice"]["chosen"])
    assert "K03" in [c["id"] for c in document["conflicts"]]


# ---------------------------------------------------------------- plans and links


def test_a34_weights_beyond_one_card_suggest_tensor_parallel_over_more_than_two() -> None:
    machine = {"gpu.count": 4, "gpu.memory_nominal": "80 GB", "interconnect.kind": "nvlink_switch"}
    document = decide(SERVED, machine, model__size_class="70B", inference__weight_bits="fp16", memory__weights="140 GB")
    assert advice(document, "TPA-001") == [("note", "tensor_parallel")]
    (cards,) = (d["value"] for d in document["derived"] if d["fact"] == "candidate.cards_for_weights")
    assert cards["low"] == cards["high"] == 3


def test_a34_is_silent_over_pcie_and_where_one_card_holds_the_weights() -> None:
    weights = {"model.size_class": "70B", "inference.weight_bits": "fp16"}
    assert advice(decide(SERVED, weights, gpu__count=4, gpu__memory_nominal="80 GB", interconnect__kind="pcie"), "TPA-001") == []
    assert advice(decide(SERVED, weights, gpu__count=4, gpu__memory_nominal="192 GB", interconnect__kind="nvlink_switch"), "TPA-001") == []


def test_a50_the_link_is_no_hard_filter_for_lora() -> None:
    document = decide(SHARDED, workload__task="lora", model__size_class="7B", gpu__name="RTX 4090", gpu__count=2)
    assert met(document, "NET-001") == "yes"
    assert advice(document, "NET-003") == [("note", "disregard_interconnect")]
    assert document["candidates"][0]["verdict"] == "accepted"


def test_b16_stated_tensor_parallel_over_pcie_is_rejected() -> None:
    facts = {"model.size_class": "13B", "inference.weight_bits": "fp16", "gpu.name": "RTX 4090", "gpu.count": 2, "parallel.tensor": 2, "parallel.pipeline": 1}
    document = decide(SERVED, facts)
    assert met(document, "NET-001") == "no"
    assert advice(document, "NET-002") == [("stop", "pcie_machine")]


def test_b16_filters_pcie_out_of_full_training_and_of_tensor_parallel() -> None:
    trained = decide(FULL, model__size_class="13B")["choice"]
    served = decide(SERVED, model__size_class="70B", inference__weight_bits="fp16")["choice"]
    accepted = {m["id"] for choice in (trained, served) for m in choice["chosen"]}
    assert not [i for i in accepted if "/pcie/" in i]
    assert all("NET-001" in rules for i, rules in trained["rejections"].items() if "/pcie/" in i)
    assert all("NET-001" in rules for i, rules in served["rejections"].items() if i.endswith("/pcie/tensor"))
    assert not [i for i, rules in served["rejections"].items() if i.endswith("/pcie/layer_split") and "NET-001" in rules]


# ---------------------------------------------------------------- order of criteria


def test_a42_three_loads_have_three_orders() -> None:
    text = decide(FULL, model__size_class="13B", workload__modality="text")
    vision = decide(FULL, model__size_class="1B", workload__modality="image")
    served = decide(SERVED, model__size_class="13B", inference__weight_bits="int8")
    assert order(text, "memory_margin", "link_class", "compute_per_watt") == ["memory_margin", "link_class", "compute_per_watt"]
    assert order(vision, "memory_margin", "half_tensor_rate", "link_class") == ["half_tensor_rate", "memory_margin"]
    assert order(served, "memory_margin", "bandwidth_per_watt", "half_tensor_rate", "compute_per_watt") == ["memory_margin", "bandwidth_per_watt"]
    assert len({tuple(criteria(d)) for d in (text, vision, served)}) == 3


def test_a42_training_of_unstated_data_is_ranked_as_a_language_model() -> None:
    assert criteria(decide(FULL, model__size_class="13B")) == criteria(decide(FULL, model__size_class="13B", workload__modality="text"))


def test_b25_memory_then_compute_with_the_link_as_a_filter_only() -> None:
    document = decide(workload__task="lora", model__size_class="3B")
    assert order(document, "memory_margin", "compute_per_watt", "link_class") == ["memory_margin", "compute_per_watt"]
    assert [c["rule"] for c in document["choice"]["criteria"]] == ["ORD-004"] * len(criteria(document))


# ---------------------------------------------------------------- class of card


def test_c18_continuous_operation_takes_data_center_cards() -> None:
    document = decide(SERVED, model__size_class="20B", inference__weight_bits="int8", period__continuous="yes")
    assert document["choice"]["chosen"]
    assert all(m["figures"]["candidate.tier"]["value"] == {"members": ["data_center"]} for m in document["choice"]["chosen"])
    assert document["choice"]["rejected_by"]["TIE-001"] > 0


def test_c18_rejects_a_stated_consumer_card_that_must_run_without_pause() -> None:
    facts = SERVED | {"model.size_class": "7B", "inference.weight_bits": "fp16", "gpu.name": "RTX 4090", "gpu.count": 1}
    assert met(decide(facts, period__continuous="yes"), "TIE-001") == "no"
    assert met(decide(facts, period__continuous="no"), "TIE-001") == "yes"
    assert met(decide(facts), "TIE-001") == "yes"


def test_c18_several_cards_for_full_training_speak_for_data_center_cards_and_not_for_lora() -> None:
    cards = {"model.size_class": "7B", "gpu.name": "RTX 4090", "gpu.count": 4}
    assert advice(decide(FULL, cards), "TIE-002") == [("note", "data_center_card")]
    assert advice(decide(cards, workload__task="lora"), "TIE-002") == []
    assert advice(decide(FULL, model__size_class="7B", gpu__name="H100 SXM5 80GB", gpu__count=4), "TIE-002") == []


# ---------------------------------------------------------------- requirements beside these


@pytest.mark.parametrize(("card", "expected"), [("24 GB", "no"), ("39 GB", "no"), ("40 GB", "yes")])
def test_a12_small_cards_are_no_machine_for_full_training_from_10b(card: str, expected: str) -> None:
    assert met(decide(FULL, SHARDED, model__size_class="10B", gpu__memory_nominal=card, gpu__count=16), "FUL-001") == expected


@pytest.mark.parametrize(("power", "cooling", "expected"), [("351 W", "ordinary_air", "no"), ("350 W", "ordinary_air", "yes"), ("450 W", "liquid", "yes")])
def test_a39_hot_cards_are_no_machine_for_an_ordinary_rack(power: str, cooling: str, expected: str) -> None:
    assert met(decide(FULL, model__size_class="7B", gpu__power_limit=power, gpu__count=4, site__cooling=cooling), "PWR-001") == expected


def test_a39_keeps_the_choice_below_350_w_in_an_ordinary_rack() -> None:
    document = decide(SERVED, model__size_class="70B", inference__weight_bits="int8", site__cooling="ordinary_air")
    assert document["choice"]["chosen"]
    assert all(m["figures"]["candidate.power_limit"]["value"]["high"] <= 350 for m in document["choice"]["chosen"])


def test_heads_that_tensor_parallel_cannot_deal_out() -> None:
    facts = {"model.size_class": "33B", "model.attention_heads": 52, "gpu.name": "V100 SXM2 32GB", "parallel.tensor": 3, "gpu.count": 3}
    document = decide(SERVED, facts)
    assert ("stop", "tensor_parallel") in advice(document, "PLN-003")
    assert met(decide(SERVED, facts, parallel__pipeline=1), "PLN-002") == "no"
