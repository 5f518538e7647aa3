"""What the sources claim about the way of choosing and about moving to other machines, and how measured signals are read together.

Each test of a claim names it, and holds to what it says on decisions as a user gets them.
"""

from __future__ import annotations

import re

import pytest
from claim_decisions import SERVED, Document, decide

import gpurules
from gpurules.engine import public
from gpurules.engine.inference.facts import read
from gpurules.engine.knowledge.document import parse as document_parse
from gpurules.engine.reports.blocks import Grid, Items, Section
from gpurules.engine.reports.report import report
from gpurules.engine.values.interval import point

FULL = {"workload.task": "full_finetune", "training.precision": "mixed", "training.optimizer": "adamw"}
TRAINED = {"workload.task": "full_finetune"}
SURE = ("certain", "assuming")


def said(document: Document) -> set[tuple[str, str, str]]:
    """(rule, level, action) of what stands, of the workload and of the stated machine."""
    return {(c["rule"], c["level"], c["action"]) for c in document["conclusions"] if c["kind"] == "advise" and c["state"] in SURE}


def actions(document: Document) -> set[tuple[str, str]]:
    return {(level, action) for _, level, action in said(document)}


def of_chosen(document: Document) -> list[dict[str, Document]]:
    """For each machine chosen, what rules about machines say of it, by rule."""
    return [{advice["rule"]: advice for advice in machine["advice"]} for machine in document["choice"]["chosen"]]


def section(document: Document, key: str, language: str = "en") -> Section:
    (found,) = (s for s in report(document, language) if s.key == key)
    return found


def checklist(document: Document, language: str = "en") -> list[str]:
    """The steps of the report's checklist, each with the rules and claims behind it."""
    if not any(s.key == "checklist" for s in report(document, language)):
        return []
    blocks = [b for b in section(document, "checklist", language).blocks if isinstance(b, Items)]
    return [f"{item.text} [{', '.join(item.references)}]" for block in blocks for item in block.items]


def step(document: Document, claim: str) -> list[str]:
    """The steps of the checklist that cite a claim."""
    return [line for line in checklist(document) if claim in re.findall(r"[A-Z]\d\d", line)]


# ---------------------------------------------------------------- moving to other machines


def test_c22_another_architecture_checks_driver_cuda_and_framework() -> None:
    facts = {"gpu.current_name": "V100", "gpu.name": "H100 SXM5 80GB", "gpu.count": 8}
    assert ("MIG-001", "recommend", "check_versions") in said(decide(FULL, facts, model__size_class="7B"))
    assert step(decide(FULL, facts, model__size_class="7B"), "C22")


def test_c22_is_silent_within_an_architecture_and_where_nothing_is_replaced() -> None:
    machine = {"gpu.name": "H100 SXM5 80GB", "gpu.count": 8, "model.size_class": "7B"}
    assert "check_versions" not in {a for _, a in actions(decide(FULL, machine, gpu__current_name="H100 SXM5 80GB"))}
    assert "check_versions" not in {a for _, a in actions(decide(FULL, machine))}


def test_c22_speaks_of_the_machines_that_are_recommended() -> None:
    document = decide(SERVED, model__size_class="13B", inference__weight_bits="int8", gpu__current_name="Tesla P100-PCIE-16GB")
    assert document["choice"]["chosen"]
    for advice in of_chosen(document):
        assert {"MIG-001", "MIG-004"} & advice.keys()
        assert advice["MIG-002"]["action"] == "regression_check"


def test_another_maker_means_another_stack() -> None:
    facts = {"gpu.current_name": "V100", "gpu.name": "MI300X", "gpu.count": 1, "model.size_class": "7B"}
    assert ("MIG-004", "recommend", "check_versions") in said(decide(FULL, facts))


def test_c23_a_change_of_card_asks_for_a_regression_check() -> None:
    facts = {"gpu.current_name": "RTX 3090", "gpu.name": "RTX A6000", "gpu.count": 1, "model.size_class": "7B", "workload.task": "lora"}
    document = decide(facts)
    assert ("MIG-002", "recommend", "regression_check") in said(document)
    assert "MIG-001" not in {rule for rule, _, _ in said(document)}, "one architecture"


def test_c23_more_of_the_same_card_asks_for_none() -> None:
    document = decide(FULL, gpu__current_name="RTX 3090", gpu__name="RTX 3090", gpu__count=4, model__size_class="7B")
    assert "regression_check" not in {a for _, a in actions(document)}


def test_c24_from_one_card_to_four_the_code_changes() -> None:
    document = decide(FULL, gpu__current_count=1, gpu__name="A100 80GB PCIe", gpu__count=4, model__size_class="7B")
    assert ("MIG-003", "recommend", "adapt_code") in said(document)


@pytest.mark.parametrize(("before", "after"), [(1, 1), (2, 4), (4, 4)])
def test_c24_is_silent_where_one_card_stays_or_there_were_several(before: int, after: int) -> None:
    document = decide(FULL, gpu__current_count=before, gpu__name="A100 80GB PCIe", gpu__count=after, model__size_class="7B")
    assert "adapt_code" not in {a for _, a in actions(document)}


def test_c25_a_move_to_data_center_cards_is_a_step_of_its_own() -> None:
    document = decide(FULL, gpu__current_name="RTX 4090", gpu__name="H100 SXM5 80GB", gpu__count=8, model__size_class="7B")
    (level,) = {level for level, action in actions(document) if action == "plan_room"}
    assert level == "recommend"
    same = decide(FULL, gpu__current_name="A100 80GB PCIe", gpu__name="H100 SXM5 80GB", gpu__count=8, model__size_class="7B")
    assert "plan_room" not in {a for _, a in actions(same)}


def test_c26_moving_a_terabyte_takes_time_and_room() -> None:
    document = decide(FULL, model__size_class="70B", storage__checkpoint_size="1 TB", network__bandwidth="10 Gb/s")
    (time,) = (d["value"] for d in document["derived"] if d["fact"] == "network.transfer_time")
    assert time == {"low": 800.0, "high": 800.0}
    (said_of_it,) = (c["text"]["en"] for c in document["conclusions"] if c.get("action") == "plan_transfer")
    assert "checkpoint of 1,000 GB" in said_of_it and "room for another 1,000 GB" in said_of_it
    assert step(document, "C26")


# ---------------------------------------------------------------- finalists


def finalists() -> Document:
    document = decide(FULL, model__size_class="7B")
    assert len(document["choice"]["chosen"]) == 2
    return document


def test_a38_and_c27_two_finalists_are_benchmarked_in_one_step() -> None:
    document = finalists()
    assert all(advice["WAY-011"]["action"] == "benchmark" for advice in of_chosen(document))
    (line,) = step(document, "A38")
    assert "C27" in line and "benchmark" in line


def test_b23_what_makes_compute_arrive_stands_beside_the_benchmark() -> None:
    (line,) = step(finalists(), "B23")
    assert "benchmark" in line
    text = of_chosen(finalists())[0]["WAY-011"]["text"]["en"]
    assert all(word in text for word in ("matrix", "framework", "supply of data"))


@pytest.mark.parametrize(("lead", "state"), [(0.1, "yes"), (0.29, "yes"), (0.3, "no"), (0.8, "no")])
def test_a38_a_lead_on_paper_below_30_per_cent_decides_nothing(lead: float, state: str) -> None:
    """At the limit, with the figures of a machine set: those of real finalists are the catalogue's, and may change with it."""
    engine = public.engine(gpurules.load())
    facts = read(document_parse(b"workload.task: full_finetune\n", "facts.yaml"), engine.rulebook)
    figures = {"finalists": 2.0, "finalist_compute_lead": lead, "finalist_bandwidth_lead": 5.0}
    found = engine.evaluate(facts, choices={f"candidate.{name}": point(value) for name, value in figures.items()})
    assert str(found.first.truths["WAY-012"]) == state


def test_a38_the_leads_of_finalists_are_worked_out_from_all_their_cards() -> None:
    document = finalists()
    first, second = document["choice"]["chosen"]
    rates = [m["figures"]["candidate.half_tensor_rate"]["value"]["low"] * m["count"] for m in (first, second)]
    ahead = max(rates) / min(rates) - 1
    spoken = ["WAY-012" in advice for advice in of_chosen(document)]
    assert spoken == [ahead < 0.3] * 2


def test_a38_a_measured_lead_decides_however_small() -> None:
    document = decide(FULL, model__size_class="7B", purchase__measured_lead="3 %")
    for advice in of_chosen(document):
        assert advice["WAY-013"]["action"] == "compare_measured"
        assert not {"WAY-011", "WAY-012"} & advice.keys()


def test_c33_two_finalists_get_a_table_criterion_by_criterion() -> None:
    document = finalists()
    (grid,) = (b for b in section(document, "compare").blocks if isinstance(b, Grid))
    assert len(grid.heads) == 3
    assert len(grid.rows) >= 3
    assert all(advice["WAY-003"]["action"] == "compare_row_by_row" for advice in of_chosen(document))


@pytest.mark.parametrize("criterion", ["TFLOPS", "flagship"])
def test_a52_a_choice_by_tflops_alone_is_warned_against(criterion: str) -> None:
    document = decide(purchase__criterion=criterion)
    assert ("WAY-002", "avoid", "judge_by_peak_rate") in said(document)
    assert step(document, "A52")


def test_a52_other_grounds_are_not_warned_against() -> None:
    assert "WAY-002" not in {rule for rule, _, _ in said(decide(purchase__criterion="measured"))}


def test_b22_the_older_of_two_generations_is_not_ruled_out() -> None:
    document = decide(FULL, model__size_class="7B", workload__modality="text")
    rejected, undecided = document["choice"]["rejections"], document["choice"]["open"]
    for older in ("4xa100-sxm4-80gb/nvlink_switch/sharded", "4xh100-sxm5-80gb/nvlink_switch/sharded"):
        assert older not in rejected and older not in undecided
    assert all(advice["WAY-004"]["action"] == "older_card" for advice in of_chosen(document))


# ---------------------------------------------------------------- orders


def test_c32_each_step_has_its_place_in_the_report_in_this_order() -> None:
    document = decide(FULL, model__size_class="7B", gpu__name="A100 80GB PCIe", gpu__count=2, period__horizon="3 years")
    keys = [s.key for s in report(document)]
    assert ("WAY-001", "note", "follow_order") in said(document)
    assert step(document, "C32")
    assert keys.index("memory") < keys.index("findings")
    assert {"facts", "next", "memory", "findings"} <= set(keys)
    assert step(decide(), "C32"), "whatever is stated"


@pytest.mark.parametrize(
    ("facts", "rules"),
    [
        (FULL | {"model.size_class": "13B"}, {"WAY-005"}),
        ({"workload.task": "lora", "model.size_class": "7B"}, {"WAY-006"}),
        (SERVED | {"model.size_class": "7B"}, {"WAY-006"}),
        (TRAINED | {"model.size_class": "1B", "workload.modality": "multimodal"}, {"WAY-005", "ORD-013"}),
    ],
)
def test_a53_stands_beside_the_order_of_a42(facts: dict[str, object], rules: set[str]) -> None:
    document = decide(facts)
    spoken = {c["rule"]: c["text"]["en"] for c in document["conclusions"] if c["rule"] in rules}
    assert spoken.keys() == rules
    assert all("A42" in text for rule, text in spoken.items() if rule.startswith("WAY"))
    assert all(c["rule"].startswith(("ORD-001", "ORD-002", "ORD-003", "ORD-004", "CST", "COM", "NUM", "CON")) for c in document["choice"]["criteria"])


def test_a42_against_a53_is_a_conflict_that_a42_wins_and_the_other_side_is_told() -> None:
    document = decide(FULL, model__size_class="13B", gpu__name="RTX 4090", gpu__count=2)
    (met,) = (c for c in document["conflicts"] if c["id"] == "K14")
    assert {"ORD-001", "ORD-011"} <= {r["rule"] for r in met["rules"]}
    assert met["other_side"]["claims"] == ["A53"]


# ---------------------------------------------------------------- precision, class of card, serving


def test_c30_tf32_takes_four_bytes_a_value_and_the_contradiction_is_shown() -> None:
    document = decide(TRAINED, training__precision="tf32", model__size_class="7B")
    (size,) = (d for d in document["derived"] if d["fact"] == "training.value_size")
    assert size["value"] == {"low": 4.0, "high": 4.0}
    (met,) = (c for c in document["conflicts"] if c["id"] == "K60")
    assert met["between"] == ["C30", "W11"] and met["met"] == "yes"
    assert met["other_side"]["advice_changes"]


@pytest.mark.parametrize(("precision", "size"), [("fp32", 4.0), ("bf16_mixed", 2.0), ("fp16_mixed", 2.0)])
def test_c30_holds_for_the_other_precisions(precision: str, size: float) -> None:
    document = decide(TRAINED, training__precision=precision, model__size_class="7B")
    (found,) = (d["value"] for d in document["derived"] if d["fact"] == "training.value_size")
    assert found == {"low": size, "high": size}
    assert "K60" not in [c["id"] for c in document["conflicts"]]


def tiers(document: Document) -> set[str]:
    return {t for m in document["choice"]["chosen"] for t in m["figures"]["candidate.tier"]["value"]["members"]}


def test_c02_a_model_of_five_million_takes_a_consumer_card() -> None:
    document = decide(FULL, model__size_class="5M")
    assert ("CON-001", "recommend", "consumer_card") in said(document)
    assert tiers(document) == {"consumer"}


def test_c02_several_billion_to_fine_tune_are_bounded_by_memory_and_bandwidth() -> None:
    assert ("CON-002", "note", "state_limits") in said(decide(FULL, model__size_class="7B"))


def test_c13_learning_on_half_a_billion_takes_a_consumer_card() -> None:
    document = decide(FULL, model__size_class="0.5B", workload__purpose="learning")
    assert ("CON-003", "recommend", "consumer_card") in said(document)
    assert tiers(document) == {"consumer"}
    assert "CON-003" not in {rule for rule, _, _ in said(decide(FULL, model__size_class="0.5B", workload__purpose="production"))}


def test_a51_one_model_trained_and_served_gets_two_configurations() -> None:
    assert ("SRV-013", "recommend", "separate_configurations") in said(decide(FULL, model__size_class="7B", workload__trained_and_served="yes"))
    assert "SRV-013" not in {rule for rule, _, _ in said(decide(FULL, model__size_class="7B"))}


def test_a25_batching_is_tuned_before_cards_are_added() -> None:
    document = decide(SERVED, model__size_class="7B", inference__concurrency=256, inference__batching="off")
    assert {("recommend", "tune_batching"), ("avoid", "add_cards")} <= actions(document)
    assert "SRV-010" not in {rule for rule, _, _ in said(decide(SERVED, model__size_class="7B", inference__concurrency=256, inference__batching="continuous"))}


def test_c16_production_that_bears_it_takes_int8_on_an_inference_card() -> None:
    document = decide(SERVED, model__size_class="7B", workload__purpose="production", workload__accuracy="tolerant")
    assert {("recommend", "quantize"), ("recommend", "inference_card")} <= actions(document)


def test_c16_a_sensitive_task_is_evaluated_first() -> None:
    document = decide(SERVED, model__size_class="7B", workload__purpose="production", workload__accuracy="sensitive_not_evaluated")
    assert ("SRV-012", "recommend", "evaluate_quantization") in said(document)
    assert ("recommend", "inference_card") not in actions(document)


# ---------------------------------------------------------------- what no rule covers


@pytest.mark.parametrize(("language", "words"), [("en", ["Licenses", "Export", "Lead time", "Growth"]), ("zh", ["许可", "出口", "交付", "增长"])])
def test_what_no_rule_covers_ends_every_report_in_both_languages(language: str, words: list[str]) -> None:
    for document in (decide(), finalists()):
        texts = [i.text for b in section(document, "not_covered", language).blocks if isinstance(b, Items) for i in b.items]
        assert [t[: len(w)] for t, w in zip(texts, words, strict=False)] == words


def test_the_checklist_is_apart_from_findings_and_from_what_decides() -> None:
    document = finalists()
    elsewhere = [i.text for s in report(document) if s.key in ("do", "findings") for b in s.blocks if isinstance(b, Items) for i in b.items]
    assert not [text for text in elsewhere if "benchmark" in text or "five steps" in text]
    assert checklist(document, "zh")


# ---------------------------------------------------------------- measured signals together


def test_full_utilization_at_a_third_of_the_clock_is_throttling() -> None:
    document = decide(TRAINED, model__size_class="1B", measured__gpu_utilization="100 %", measured__clock_share="29 %")
    assert {("caution", "check_throttling"), ("avoid", "upgrade_gpu")} <= actions(document)


def test_an_idle_card_at_a_low_clock_is_not() -> None:
    document = decide(TRAINED, model__size_class="1B", measured__gpu_utilization="30 %", measured__clock_share="29 %")
    assert "CLK-001" not in {rule for rule, _, _ in said(document)}


def test_a_drift_is_heat_unless_the_clock_stands() -> None:
    slower = {"measured.throughput_drift": "-40 %"}
    assert ("CLK-002", "caution", "check_throttling") in said(decide(TRAINED, slower))
    steady = said(decide(TRAINED, slower, measured__clock_share="99 %"))
    assert ("CLK-003", "caution", "profile_first") in steady
    assert "CLK-002" not in {rule for rule, _, _ in steady}


def test_a_small_batch_that_waits_for_no_data_is_not_blamed_on_the_loader() -> None:
    facts = {"measured.gpu_utilization": "40 %", "measured.data_wait_share": "2 %", "training.micro_batch": 1, "model.size_class": "0.5B"}
    document = decide(TRAINED, facts)
    assert {("recommend", "raise_batch"), ("recommend", "compile_model")} <= actions(document)
    assert not {action for _, action in actions(document)} & {"fix_data_pipeline", "feed_card_first"}


def test_the_same_card_with_a_wait_is_blamed_on_the_data_and_on_nothing_else() -> None:
    facts = {"measured.gpu_utilization": "20 %", "measured.data_wait_share": "68 %", "training.micro_batch": 1, "model.size_class": "0.5B"}
    document = decide(TRAINED, facts)
    assert {("recommend", "feed_card_first"), ("recommend", "fix_data_pipeline"), ("avoid", "upgrade_gpu")} <= actions(document)
    assert not {action for _, action in actions(document)} & {"raise_batch", "compile_model"}


def test_swing_against_wait_the_direct_measurement_counts() -> None:
    swinging = {"measured.throughput_fluctuation": "30 %"}
    assert ("recommend", "fix_data_pipeline") in actions(decide(TRAINED, swinging))
    document = decide(TRAINED, swinging, measured__data_wait_share="1 %")
    assert ("DAT-002", "caution", "find_the_stalls") in said(document)
    assert not {action for _, action in actions(document)} & {"fix_data_pipeline", "feed_card_first"}


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({"measured.gpu_utilization": "99 %", "measured.data_wait_share": "40 %"}, "SIG-001"),
        (
            {"gpu.count": 4, "measured.gpu_utilization": "100 %", "measured.throughput": "14 sample/s", "measured.throughput_one_gpu": "15.4 sample/s"},
            "SIG-002",
        ),
        ({"gpu.count": 4, "measured.data_wait_share": "70 %", "measured.communication_exposed_share": "50 %"}, "SIG-003"),
        (
            {
                "gpu.name": "A100 80GB PCIe",
                "gpu.count": 1,
                "measured.memory_peak": "84 GB",
                "measured.memory_kind": "reserved",
                "measured.out_of_memory": "none",
            },
            "SIG-004",
        ),
        ({"measured.throughput": "8 sample/s", "measured.steps_per_second": 0.5, "training.effective_batch": 64}, "SIG-005"),
        ({"measured.gpu_utilization": "99 %", "measured.power": "120 W", "gpu.power_limit": "350 W"}, "CLK-004"),
    ],
)
def test_signals_that_contradict_each_other_are_a_finding(facts: dict[str, object], rule: str) -> None:
    assert rule in {found for found, _, _ in said(decide(TRAINED, facts))}


def test_hidden_communication_overrules_the_whole_share() -> None:
    facts = {"gpu.count": 8, "gpu.name": "RTX 4090", "measured.communication_share": "45 %", "model.size_class": "3B"}
    assert ("avoid", "add_cards") in actions(decide(TRAINED, facts))
    hidden = decide(TRAINED, facts, measured__communication_exposed_share="8 %")
    assert ("COM-030", "note", "keep_interconnect") in said(hidden)
    assert not {rule for rule, _, _ in said(hidden)} & {"COM-001", "COM-003", "COM-004", "UTL-005"}


def test_exposed_communication_speaks_without_the_whole_share() -> None:
    document = decide(TRAINED, gpu__count=8, model__size_class="3B", measured__communication_exposed_share="40 %")
    assert {("avoid", "add_cards"), ("recommend", "faster_interconnect")} <= actions(document)


def test_fewer_steps_of_a_larger_batch_are_read_as_faster() -> None:
    runs = {"measured.steps_per_second": 1, "measured.steps_per_second_before": 2, "training.effective_batch": 64, "training.effective_batch_before": 16}
    document = decide(TRAINED, runs)
    assert ("RUN-002", "note", "compare_by_samples") in said(document)
    (change,) = (d["value"] for d in document["derived"] if d["fact"] == "measured.throughput_change")
    assert change == {"low": 1.0, "high": 1.0}


def test_a_larger_batch_that_is_slower_is_looked_into() -> None:
    runs = {"measured.steps_per_second": 1, "measured.steps_per_second_before": 3, "training.effective_batch": 32, "training.effective_batch_before": 16}
    assert ("RUN-003", "caution", "find_the_stalls") in said(decide(TRAINED, runs))
