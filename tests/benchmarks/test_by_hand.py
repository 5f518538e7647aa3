"""What the benchmarks compare the engine with gives the engine's conclusions: on exactly known facts, for every rule."""

from __future__ import annotations

import random

import by_hand
import exact
import pytest

import gpurules
from gpurules.engine.inference import choice
from gpurules.engine.inference.agenda import Run
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.language.compile import Value
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES

WORKLOADS, MACHINES = 400, 6
WORKLOAD_VALUES = {
    "memory.rule_of_thumb": "rule_of_thumb", "memory.minimum": "minimum", "memory.recommended": "recommended", 
    "memory.inference_floor": "inference_floor", "memory.training_floor": "training_floor", "memory.total_nominal": "total_nominal",
    "memory.total_usable": "total_usable", "memory.pressure": "pressure", "memory.activations_measured": "activations_measured",
    "memory.peak_after_checkpointing": "peak_after_checkpointing", "memory.activations_after_half": "activations_after_half",
    "training.micro_batch_that_fits": "micro_batch_that_fits", "training.accumulation_to_keep": "accumulation_to_keep",
    "communication.share_after": "communication_share_after", "power.cards": "power_cards", "power.node": "power_node", "power.rack_excess": "rack_excess",
    "host.gpus": "gpus_of_node",
}  # fmt: skip
ESTIMATES = {
    "training.tokens_per_micro_batch": "tokens", "model.embedding_parameters": "embedding", "model.linear_parameters": "linear",
    "model.held_parameters": "held", "model.expert_share": "expert_share", "memory.weights": "weights", "memory.gradients": "gradients",
    "memory.master_weights": "master_weights", "memory.moments": "moments", "memory.optimizer": "optimizer", "memory.cast_weights": "cast_weights",
    "training.base_weight_bytes": "base_weight_bytes", "training.adapter_parameters": "adapter_parameters", "memory.adapters": "adapters",
    "memory.dequantized": "dequantized", "training.gathered_weight_bytes": "gathered_weight_bytes", "memory.host_need": "host_need",
    "memory.layer_bytes_per_token": "layer_bytes", "memory.further_norms_per_token": "further_norms", "memory.capped_bytes_per_logit": "capped",
    "memory.layer_replicated_bytes_per_token": "replicated_bytes", "memory.expert_copies_per_token": "expert_copies",
    "memory.attention_scores": "scores", "memory.layer_activations": "layer_activations", "memory.checkpoints_per_layer": "checkpoints",
    "memory.kept_per_layer": "kept", "memory.recomputed_layer": "recomputed", "memory.backward_work": "backward_work",
    "memory.loss_work": "loss_work", "memory.loss_held": "loss_held", "memory.vision": "vision", "memory.linear_weights": "linear_weights",
    "memory.embedding_weights": "embedding_weights", "memory.kv_cache_per_sequence": "cache_per_sequence", "memory.kv_cache": "cache",
    "inference.prefill_tokens": "prefill_tokens", "memory.prefill_work": "prefill_work",
    "memory.working_measured": "working_measured", "memory.working_ratio": "working_ratio",
}  # fmt: skip
MACHINE_VALUES = {
    f"candidate.{name}": name
    for name in (
        "memory_need", "memory_minimum", "memory_recommended", "headroom", "fit", "cards_for_memory", "cards_for_weights", "power", "memory_margin",
        "link_class", "plan_order", "compute_per_watt", "bandwidth_per_watt", "known_compute", "as_named", "precision_support",
    )
}  # fmt: skip
SHARES = {
    f"candidate.{name}": name
    for name in (
        "model_shards", "data_ranks", "weight_shards", "gradient_shards", "optimizer_shards", "largest_stage", "expert_division", "weights", "gradients",
        "optimizer", "adapters", "gathered", "buffers", "early_gradients", "step_work", "activations", "layer_work", "logits", "logits_held", "kv_cache",
        "prefill", "forward_phase", "backward_phase", "step_phase", "working", "states", "states_share",
    )
} | {"candidate.memory_allocated": "allocated", "candidate.memory_reserved": "reserved", "candidate.memory_device": "device",
     "candidate.memory_structured": "device", "candidate.memory_seen": "seen"}  # fmt: skip


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(exact.part(upper=True))


def check_values(run: Run, paths: dict[str, str], found: object) -> None:
    """Every derived value is the hand-written one; one that no rule derives is None, and as wide as its definition allows."""
    for path, name in paths.items():
        value: Value = run.value(path)
        own = getattr(found, name)
        if own is None:
            assert value == run.program.rulebook.vocabulary.facts[path].whole, path
        elif isinstance(value, Interval):
            assert value.exact, (path, value)
            assert own == pytest.approx(value.low, rel=1e-12), path
        else:
            assert value == frozenset([own]), path


def fired(run: Run, rules: list[str]) -> list[str]:
    assert not [r for r in rules if run.truths[r] is DEPENDS]
    return [r for r in rules if run.truths[r] is YES]


def test_every_rule_and_value_on_random_facts(engine: Engine) -> None:
    draw, spoke, silent = random.Random(10), set[str](), set[str]()
    workload_rules = [name for kind, name in engine.workload.steps if kind == "rule"]
    machine_rules = [name for kind, name in engine.candidate.steps if kind == "rule"]
    derived = {name for stratum in (engine.workload, engine.candidate) for kind, name in stratum.steps if kind == "fact"}
    assert derived == {*WORKLOAD_VALUES, *ESTIMATES, *MACHINE_VALUES, *SHARES}
    for _ in range(WORKLOADS):
        facts = exact.facts(draw, engine.rulebook)
        evaluation = engine.evaluate(exact.stated(facts, engine.rulebook))
        run = evaluation.workloads[0]
        found = by_hand.workload(facts)
        assert sorted(found.fired) == sorted(fired(run, workload_rules)), facts
        check_values(run, WORKLOAD_VALUES, found)
        check_values(run, ESTIMATES, found.estimate)
        spoke.update(found.fired)
        silent.update(set(workload_rules) - set(found.fired))
        for _ in range(MACHINES):
            machine = exact.machine(draw, engine.rulebook)
            fork = run.copy()
            for path, value in exact.figures(machine).items():
                fork.values[engine.program.slots[path]] = value
            fork.along(engine.candidate)
            verdict = by_hand.judge(facts, found, machine)
            assert sorted(verdict.fired) == sorted(fired(fork, machine_rules)), (facts, machine)
            check_values(fork, MACHINE_VALUES, verdict)
            check_values(fork, SHARES, verdict.share)
            assert sorted(verdict.rejected_by) == sorted(r for r in evaluation.requirements if fork.accepts(r) is NO), (facts, machine)
            assert not [r for r in evaluation.requirements if fork.accepts(r) is DEPENDS]
            spoke.update(verdict.fired)
            silent.update(set(machine_rules) - set(verdict.fired))
    assert spoke == {*workload_rules, *machine_rules}, "every rule was seen to hold"
    always = {*workload_rules, *machine_rules} - silent
    assert all(engine.rulebook.rules[r].when is None for r in always), "every rule with a condition was seen not to hold"


def test_the_part_needs_no_other_rule(engine: Engine) -> None:
    whole = gpurules.load()
    assert {rule.id for rule in engine.rulebook.running} == by_hand.COVERED
    assert {rule.id for rule in whole.running} >= by_hand.COVERED
    assert exact.unmet(whole) == []


def test_the_rules_are_those_it_was_written_for() -> None:
    rules = gpurules.load()
    assert exact.followed(rules), f"a rule that it covers has changed: mend it, then set RULES in benchmarks/by_hand.py to {exact.logic(rules)!r}"


def test_choice_among_all_machines(engine: Engine) -> None:
    draw, compared = random.Random(11), 0
    pairs = [(c, m) for c in engine.catalogued if (m := exact.catalogued(c)) is not None]
    for _ in range(12):
        facts = exact.facts(draw, engine.rulebook)
        facts.site_rack_power, facts.period_continuous = 30000.0, False
        if facts.training_precision == "tf32":
            facts.training_precision = "bf16_mixed"  # the catalogue does not always say whether a card has TF32
        evaluation = engine.evaluate(exact.stated(facts, engine.rulebook))
        run = evaluation.workloads[0]
        judge, some = choice.judge_of(run, engine.stages), [c for c, _ in pairs]
        found = choice.choose(some, judge, choice.measured(some, judge))
        best, rejected = by_hand.choose(facts, by_hand.workload(facts), [m for _, m in pairs])
        assert not found.undecided
        assert {j.candidate.id: sorted(j.against) for j in found.rejected} == {id_: sorted(rules) for id_, rules in rejected.items()}
        assert [j.candidate.id for j in found.accepted] == [m.id for m in best]
        compared += bool(best)
    assert compared > 4
