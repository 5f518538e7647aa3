"""What the sources claim about which machine to take, and how many cards: advice, both sides of their conflicts, limits, and the answer's form."""

from __future__ import annotations

import pytest
from claim_decisions import SERVED, SHARDED, Document, decide

FULL = {"workload.task": "full_finetune", "training.precision": "mixed"}
GB = 1e9


def said(document: Document, rule: str) -> list[str]:
    """What a rule surely advises."""
    return [c["action"] for c in document["conclusions"] if c["rule"] == rule and c["kind"] == "advise" and c["state"] == "certain"]


def derived(document: Document, fact: str) -> tuple[float, float]:
    (value,) = (d["value"] for d in document["derived"] if d["fact"] == fact)
    return value["low"], value["high"]


def conflicts(document: Document) -> dict[str, str]:
    return {c["id"]: c["met"] for c in document["conflicts"]}


# ---------------------------------------------------------------- how many cards, before which


def test_a15_further_pretraining_takes_more_mid_range_cards() -> None:
    document = decide(workload__task="continued_pretrain", model__size_class="7B")
    assert said(document, "CHO-003") == ["more_mid_range_cards"]
    assert said(decide(workload__task="continued_pretrain", model__size_class="70B"), "CHO-003") == []


def test_a37_on_a_limited_budget_the_count_comes_first_with_the_reason() -> None:
    document = decide(FULL, model__size_class="7B", budget__limited="yes", gpu__count=2, measured__communication_share="10 %")
    assert said(document, "CHO-002") == ["fix_count_first"]
    (reason,) = (c["text"]["en"] for c in document["conclusions"] if c["rule"] == "CHO-002")
    assert "throughput grows about evenly with their number" in reason


@pytest.mark.parametrize(("share", "speaks"), [("30 %", True), ("31 %", False)])
def test_a37_holds_up_to_the_share_where_a04_begins(share: str, speaks: bool) -> None:
    machine = {"gpu.name": "L40S", "gpu.count": 4, "measured.communication_share": share}
    document = decide(FULL, machine, model__size_class="7B", budget__limited="yes")
    assert said(document, "CHO-002") == (["fix_count_first"] if speaks else [])
    assert said(document, "COM-001") == ([] if speaks else ["add_cards"])
    assert "K06" in conflicts(document)


def test_a37_against_a04_depends_while_the_share_is_not_measured() -> None:
    document = decide(FULL, model__size_class="7B", budget__limited="yes", gpu__name="L40S", gpu__count=4)
    assert conflicts(document)["K06"] == "depends"


@pytest.mark.parametrize(
    ("facts", "rule", "action"),
    [
        ({"workload.task": "lora", "model.size_class": "13B"}, "CHO-004", "more_mid_range_cards"),
        ({"workload.task": "full_finetune", "model.size_class": "70B"}, "CHO-005", "fewer_high_end_cards"),
        ({"workload.task": "lora", "model.size_class": "13B", "training.sequence_length": 16384}, "CHO-006", "fewer_high_end_cards"),
    ],
)
def test_b11_four_small_cards_or_two_large_ones(facts: dict[str, object], rule: str, action: str) -> None:
    document = decide(facts)
    assert {r: said(document, r) for r in ("CHO-004", "CHO-005", "CHO-006") if said(document, r)} == {rule: [action]}


def test_b11_at_70b_says_which_method_fits_at_all() -> None:
    (text,) = (c["text"]["en"] for c in decide(FULL, model__size_class="70B")["conclusions"] if c["rule"] == "CHO-005")
    assert "1,120 GB" in text
    assert "QLoRA" in text


def test_b11_and_b16_the_link_filters_full_training_and_not_lora() -> None:
    machine = {"gpu.name": "RTX 4090", "gpu.count": 4, "model.size_class": "13B"}
    full, lora = decide(FULL, machine), decide(SHARDED, machine, workload__task="lora")
    for document, met in ((full, "no"), (lora, "yes")):
        (found,) = (r["met"] for r in document["candidates"][0]["requirements"] if r["rule"] == "NET-001")
        assert found == met
        assert said(document, "CHO-004") == ["more_mid_range_cards"]
    assert "K26" in conflicts(full)


# ---------------------------------------------------------------- what a card bounds


def test_c28_the_largest_model_by_memory_is_stated_for_a_consumer_card() -> None:
    document = decide(SERVED, gpu__name="RTX 4090", gpu__count=1, model__size_class="7B")
    assert said(document, "CHO-010") == ["state_limits"]
    low, high = derived(document, "limit.model_inference")
    assert 10e9 < low == high < 11e9
    low, high = derived(document, "limit.model_full_training")
    assert 1e9 < low < high < 1.4e9


def test_c28_the_largest_batch_by_memory_is_stated_where_the_shape_is_known() -> None:
    run = {"workload.task": "lora", "model.name": "Llama-2-7b-hf", "training.micro_batch": 1, "training.sequence_length": 1024}
    document = decide(run, training__precision="bf16_pure", gpu__name="RTX 4090", gpu__count=1)
    assert said(document, "CHO-011") == ["state_limits"]


# ---------------------------------------------------------------- the form of the answer


def test_c33_two_finalists_are_compared_criterion_by_criterion() -> None:
    choice = decide(FULL, model__size_class="7B")["choice"]
    assert len(choice["chosen"]) == 2
    facts = [c["fact"] for c in choice["criteria"]]
    assert all([s["fact"] for s in m["scores"]] == facts for m in choice["chosen"])


def test_b25_what_memory_rejects_is_told_before_what_ranks() -> None:
    choice = decide(workload__task="qlora", model__size_class="70B")["choice"]
    assert choice["rejected_by"]["FIT-009"] > 0
    assert all("FIT-009" not in m["truths"] or m["truths"]["FIT-009"] == "yes" for m in choice["chosen"])


def test_a53_is_shown_beside_a42() -> None:
    assert "K14" in conflicts(decide(FULL, model__size_class="7B", gpu__name="L40S", gpu__count=4))


# ---------------------------------------------------------------- machines at hand, and several machines


def test_lora_on_one_of_the_four_cards_at_hand_comes_first_where_four_are_rejected() -> None:
    document = decide(FULL, model__size_class="0.5B", gpu__name="RTX 4090", gpu__count=4)
    assert document["status"] != "keep"
    best = document["choice"]["chosen"][0]
    assert (best["at_hand"], best["count"], best["card"]["id"]) == (True, 1, "geforce-rtx-4090")
    assert document["choice"]["at_hand"]["accepted"] == [best["id"]]
    assert all("NET-001" in rules for i, rules in document["choice"]["at_hand"]["rules"].items() if not i.startswith("own-1x"))


def test_a_machine_that_suffices_is_kept() -> None:
    document = decide(SHARDED, workload__task="lora", model__size_class="7B", gpu__name="RTX 4090", gpu__count=4)
    assert (document["status"], document["choice"]) == ("keep", None)


def test_several_machines_are_looked_at_where_no_single_one_has_the_memory() -> None:
    choice = decide(FULL, model__size_class="700B")["choice"]
    assert {m["count"] for m in choice["chosen"]} == {64}
    assert {m["nodes"] for m in choice["chosen"]} == {8}
    assert all(usable(m) > 150 * GB for m in choice["chosen"])
    assert decide(FULL, model__size_class="13B")["choice"]["considered"] < choice["considered"]


def test_tensor_parallel_within_a_machine_divides_the_heads() -> None:
    shape = {"model.size_class": "700B", "model.attention_heads": 60, "model.layers": 61}
    rejections = decide(FULL, shape)["choice"]["rejections"]
    divided = [rules for i, rules in rejections.items() if i.endswith("+tensor8")]
    assert divided
    assert all("PLN-007" in rules for rules in divided)
    assert all("PLN-008" in rules for i, rules in rejections.items() if i.startswith("64x") and i.endswith("/layer_split"))


def usable(machine: Document) -> float:
    return float(machine["figures"]["candidate.memory_usable"]["value"]["low"])


# ---------------------------------------------------------------- budget


def test_a44_nothing_within_the_budget_is_said_and_the_nearest_show_by_how_much() -> None:
    document = decide(FULL, model__size_class="9000B", budget__total="1000 USD")
    assert said(document, "BUD-020") == ["buy_card", "raise_budget"]
    assert said(decide(SERVED, model__size_class="7B", budget__total="1000000 USD"), "BUD-020") == []


def test_c14_medium_fine_tuning_on_a_consumer_card_is_allowed_once_checked() -> None:
    document = decide(SHARDED, workload__task="lora", model__size_class="3B", gpu__name="RTX 4090", gpu__count=1)
    assert document["status"] in ("keep", "provisional")
    assert said(document, "CHO-012") == ["check_stability", "check_cooling"]
