"""A part of the rulebook as an engineer would write it down for one program: floats, if and else, no intervals, no unknowns.

The part is COVERED: what is done and how large it is, the estimate of memory by rule of thumb and by its parts (`estimate_by_hand`),
whether it fits, what a machine must have, and what machines are compared by. No rule of it needs a rule outside of it.

Every fact is a known number or word. Of a coefficient that its source gives as a range, this takes the upper end, as one
sizes for the worst case (`exact.py` does the same to the rulebook, so that the two can be compared without a remainder).
What each rule says (that it holds, what it derives, what it rejects) is here; its reason, its sources and its trace are not.

tests/benchmarks/test_by_hand.py holds this to the engine's truths, values, verdicts and ranking on random facts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import estimate_by_hand
from estimate_by_hand import Estimate, Share

RULES = "54f665b9dacc8d87"
"""The digest (`exact.logic`) of the rules of COVERED that this was written for. When one of them has changed, a test fails: mend what
follows until the others of its tests pass, then write the new digest here."""

_NUMBERS = {
    "ACT": "001-024 030-040 050-054 060-061 070-076",
    "ASM": "001-003 005",
    "BAS": "001-002",
    "CHO": "001",
    "COM": "001-006",
    "DAT": "001",
    "FIT": "001-012 020-021 030-031",
    "FUL": "001-003",
    "HST": "001-003",
    "INF": "001-002",
    "LIM": "001-002",
    "LNK": "001-003",
    "LOR": "001-008",
    "MEM": "001-012 020 030-031 040-041 050-055 062 070-071",
    "MSR": "001-006",
    "NET": "001-003",
    "NUM": "001-011",
    "ORD": "001-004",
    "PAR": "001",
    "PEA": "001-015 020-029",
    "PEF": "001-003",
    "PLN": "001-006",
    "PWR": "001-009",
    "QNT": "001-002",
    "RNK": "001-006",
    "RNT": "001-003",
    "SAV": "001-006 010-016 020-025",
    "SIZ": "001",
    "SRM": "001-003 010-014 020-021 030-035 040-047",
    "SRV": "001",
    "STA": "001-005 010-017 020-038 040-064 070-076 080-100",
    "TIE": "001-003",
    "TPA": "001-002",
    "UTL": "001-005",
}


def _ids() -> frozenset[str]:
    found: set[str] = set()
    for topic, numbers in _NUMBERS.items():
        for run in numbers.split():
            first, _, last = run.partition("-")
            found.update(f"{topic}-{number:03d}" for number in range(int(first), int(last or first) + 1))
    return frozenset(found)


COVERED = _ids()
"""Ids of the rules that are written by hand here, of those that run."""

GB, TB, B = 1e9, 1e12, 1e9
YEAR = 8760 * 3600.0
FULL = frozenset(["pretrain", "continued_pretrain", "full_finetune"])
TRAINING = FULL | {"lora", "qlora"}
WHOLE_32 = frozenset(["fp32", "tf32"])
MINIMUM_HEADROOM, RECOMMENDED_HEADROOM = 0.2, 0.3
COMMUNICATION_LIMIT = 0.3
FLUCTUATION_LIMIT = 0.2
HALF, EIGHT = 2.0, 1.0
PCIE_4, NVLINK_4 = 64 * GB, 900 * GB
NVLINK = frozenset(["nvlink_bridge", "nvlink_switch"])
SWITCHED = frozenset(["nvlink_switch", "infinity_fabric", "hccs", "roce"])
LINK_CLASS = {"pcie": 0, "nvlink_bridge": 1, "nvlink_switch": 2, "infinity_fabric": 2, "hccs": 2, "roce": 2, "single_gpu": 3, "unified_memory": 3, "other": 2}
FULL_STATES = {"fp32": 16.0, "tf32": 16.0, "fp16_mixed": 20.0, "bf16_mixed": 20.0, "fp8_mixed": 20.0, "bf16_pure": 8.0}
_MIXED = {
    "adam_8bit": 14.0, "paged_adam_8bit": 14.0, "adafactor": 13.0, "lion": 16.0,
    "sgd": 12.0, "sgd_momentum": 16.0, "muon": 20.0, "prodigy": 28.0, "lomo": 2.0,
}  # fmt: skip
_WHOLE = {
    "adam_8bit": 10.0, "paged_adam_8bit": 10.0, "adafactor": 9.0, "lion": 12.0,
    "sgd": 8.0, "sgd_momentum": 12.0, "muon": 16.0, "prodigy": 24.0, "lomo": 4.0,
}  # fmt: skip
_PURE = {
    "adam_8bit": 6.0, "paged_adam_8bit": 6.0, "adafactor": 5.0, "lion": 6.0,
    "sgd": 4.0, "sgd_momentum": 6.0, "muon": 8.0, "prodigy": 12.0, "lomo": 2.0,
}  # fmt: skip
OTHER_STATES = {"fp32": _WHOLE, "tf32": _WHOLE, "fp16_mixed": _MIXED, "bf16_mixed": _MIXED, "fp8_mixed": _MIXED, "bf16_pure": _PURE}
PLAN_ORDER_TRAINING = {"single": 0, "replicated": 0, "sharded": 1, "partly_sharded": 1, "layer_split": 2, "tensor": 3}
PLAN_ORDER_INFERENCE = {"single": 0, "replicated": 0, "tensor": 1, "layer_split": 2, "sharded": 3, "partly_sharded": 3}


@dataclass(slots=True)
class Facts:
    """What is known of a workload, in base units: byte, second, watt; a number of bits in byte."""

    workload_task: str
    workload_modality: str
    workload_stability: str
    workload_accuracy: str
    model_size_class: float
    model_parameters: float
    model_attention_heads: float
    gpu_name: str
    gpu_count: float
    gpu_memory_nominal: float
    gpu_memory_usable: float
    gpu_power_limit: float
    gpu_bf16: bool
    gpu_tf32: bool
    gpu_air_cooled_by_vendor: bool
    host_other_power: float
    interconnect_kind: str
    interconnect_bandwidth: float
    inference_weight_bits: float
    measured_memory_peak: float
    measured_memory_kind: str
    measured_activation_share: float
    measured_out_of_memory: str
    measured_communication_share: float
    measured_throughput_fluctuation: float
    measured_data_wait_share: float
    measured_gpu_utilization: float
    measured_duration: float
    network_nodes: float
    parallel_sharding_stage: str
    parallel_tensor: float
    period_horizon: float
    period_utilization: float
    period_continuous: bool
    site_cooling: str
    site_rack_power: float
    training_base_weight_bits: float
    training_precision: str
    training_optimizer: str
    training_micro_batch: float
    training_gradient_accumulation: float
    training_checkpointing: str
    # what the structured estimate reads
    workload_visual_tokens: float
    model_name: str
    model_layers: float
    model_hidden_size: float
    model_intermediate_size: float
    model_head_size: float
    model_kv_heads: float
    model_vocabulary_size: float
    model_tied_embeddings: bool
    model_gated_mlp: bool
    model_experts: float
    model_latent_attention: bool
    model_kv_elements_per_token: float
    model_kv_elements_beyond_window: float
    model_sliding_window: float
    training_framework: str
    training_sequence_length: float
    training_attention: str
    training_loss: str
    training_compiled: bool
    training_longest_sample: bool
    training_offload: str
    training_optimizer_fused: bool
    training_optimizer_in_backward: bool
    training_base_format: str
    training_adapter_rank: float
    training_adapter_targets: str
    training_adapter_dropout: bool
    inference_context_length: float
    inference_concurrency: float
    inference_weight_format: str
    inference_engine: str
    inference_cache: str
    inference_kv_bits: float
    inference_prefill_chunk: float
    parallel_pipeline: float
    parallel_context: float
    parallel_sequence: bool
    parallel_expert: float
    parallel_overlap_communication: bool
    parallel_reduce_bucket: float
    host_memory: float
    measured_micro_batch: float
    measured_sequence_length: float
    training_reentrant_checkpoints: bool


@dataclass(slots=True)
class Machine:
    """One machine: the one that is there, or one that could be bought."""

    card: str
    count: float
    memory_nominal: float
    memory_usable: float
    memory_bandwidth: float
    half_tensor_rate: float
    power_limit: float
    interconnect: str
    interconnect_bandwidth: float
    tier: str
    bf16: bool
    tf32: bool
    plan: str
    tensor: float
    pipeline: float
    context: float
    sharding_stage: str
    preference: int = 0
    id: str = ""


@dataclass(slots=True)
class Workload:
    """The rules that hold for a workload, and what they derive; None where no rule that holds derives it."""

    fired: list[str]
    rule_of_thumb: float
    minimum: float
    recommended: float
    inference_floor: float
    training_floor: float
    total_nominal: float
    total_usable: float
    pressure: str
    activations_measured: float
    peak_after_checkpointing: float | None
    activations_after_half: float | None
    micro_batch_that_fits: float
    accumulation_to_keep: float
    communication_share_after: float | None
    power_cards: float
    power_node: float
    rack_excess: float
    gpus_of_node: float
    estimate: Estimate


@dataclass(slots=True)
class Verdict:
    """The rules that hold for a machine, what they derive, and the rules that reject it."""

    fired: list[str]
    rejected_by: list[str]
    memory_need: float
    memory_minimum: float
    memory_recommended: float
    headroom: float
    fit: str
    cards_for_memory: float
    cards_for_weights: float
    power: float
    memory_margin: float
    link_class: float
    plan_order: float
    compute_per_watt: float
    bandwidth_per_watt: float
    known_compute: float
    as_named: float
    precision_support: float | None
    share: Share


def workload(f: Facts) -> Workload:
    """The conclusions about a workload."""
    fired: list[str] = ["CHO-001", "SIZ-001"]
    say = fired.append
    task, size, precision, several = f.workload_task, f.model_size_class, f.training_precision, f.gpu_count > 1
    training, full, lora, inference = task in TRAINING, task in FULL, task == "lora", task == "inference"
    if training:
        say("ASM-005")
    half_base = abs(f.training_base_weight_bits - HALF) < 1e-9
    communication_heavy = f.measured_communication_share > COMMUNICATION_LIMIT

    # memory by rule of thumb: what fits on which machine hangs on this
    if full:
        say("ASM-001")
        if f.training_optimizer not in ("adamw", "other"):
            thumb = OTHER_STATES[precision][f.training_optimizer] * size
            say("MEM-005")
        else:
            thumb = FULL_STATES[precision] * size
        say({"bf16_pure": "MEM-002", "fp32": "MEM-003", "tf32": "MEM-003", "fp8_mixed": "MEM-004"}.get(precision, "MEM-001"))
        if several:
            say("ASM-003")
        if f.measured_memory_peak * f.gpu_count < thumb:
            say("MEM-054")
        if f.measured_out_of_memory in ("load", "forward", "backward", "optimizer_step"):
            say("MEM-055")
    elif lora:
        say("MEM-006")
        if size <= 7 * B:
            thumb = 16 * GB / (7 * B) * size
            say("MEM-008")
        elif size <= 10 * B:
            thumb = max(HALF * size, 48 * GB / (1 + MINIMUM_HEADROOM) / (10 * B) * size)
            fired += ("MEM-011", "LOR-001")
        elif size <= 30 * B:
            thumb = max(HALF * size, 192 * GB / (1 + MINIMUM_HEADROOM) / (30 * B) * size)
            say("MEM-012")
        else:
            thumb = 6.4 * size
        if not half_base:
            thumb = (f.training_base_weight_bits + 4.4) * size
            say("MEM-007")
        if 15 * B < size <= 30 * B:
            say("LOR-002")
        if 10 * B < size <= 15 * B:
            say("LOR-003")
    elif task == "qlora":
        thumb = (2.4 if size >= 6 * B else 5.5) * size
        say("MEM-009" if size >= 6 * B else "MEM-010")
    else:
        thumb = size * f.inference_weight_bits
        fired += ("ASM-002", "MEM-020", "MEM-062")
    minimum = (1 + MINIMUM_HEADROOM) * thumb
    inference_floor = (4.0 if precision in WHOLE_32 else HALF) * size
    training_floor = (8.0 if precision == "bf16_pure" else 16.0) * size
    fired += ("MEM-040", "MEM-041", "MEM-070")
    if task in ("full_finetune", "lora", "qlora"):
        fired += ("MEM-030", "MEM-031")

    # machines that sources name
    if task in ("lora", "qlora"):
        say("PEF-003")
        if 7 * B <= size <= 13 * B:
            say("LOR-004")
            if lora and f.training_base_weight_bits >= HALF and minimum > 24 * GB:
                say("LOR-006")
    if inference:
        if 7 * B <= size <= 13 * B:
            say("INF-001")
            if thumb > 24 * GB:
                say("INF-002")
        if 30 * B <= size <= 70 * B and minimum <= 48 * GB:
            say("SRV-001")
        tolerant = f.workload_accuracy in ("tolerant", "sensitive_evaluated_ok")
        if f.inference_weight_bits >= HALF:
            say("NUM-009")
            if tolerant:
                say("NUM-010")
        else:
            say("QNT-001")
            if tolerant:
                say("QNT-002")
        if f.workload_accuracy == "sensitive_evaluated_bad":
            say("NUM-011")

    # what was measured
    tight = f.measured_memory_peak >= 0.9 * f.gpu_memory_usable
    preallocated = f.measured_memory_kind == "engine_preallocated"
    oversized = f.measured_memory_peak < 0.5 * f.gpu_memory_usable
    idle = f.measured_gpu_utilization < 0.6
    fluctuating = f.measured_throughput_fluctuation > FLUCTUATION_LIMIT
    if tight:
        say("MEM-050")
    if preallocated:
        say("MEM-051")
    if oversized and f.measured_duration >= 4 * 3600:
        say("MEM-052")
    if fluctuating:
        say("DAT-001")
    fired += ("SAV-001", "SAV-003", "SAV-006", "SAV-013", "SAV-014")
    pressure = "ample"
    if tight:
        pressure = "short"
        say("SAV-002")
    if preallocated:
        pressure = "not_measured"
        say("SAV-005")
    if f.measured_out_of_memory not in ("none", "host"):
        pressure = "short"
        say("SAV-004")
    activations = f.measured_activation_share * f.measured_memory_peak
    batch = f.training_micro_batch
    room = f.gpu_memory_usable / ((1 + MINIMUM_HEADROOM) * f.measured_memory_peak) - 1
    fits = max(1.0, min(batch, float(math.floor(batch * (1 + room / f.measured_activation_share)))))
    keep = float(math.ceil(f.training_gradient_accumulation * batch / fits))
    after_checkpointing = after_half = share_after = None
    sharded = f.parallel_sharding_stage in ("full", "full_within_node")
    if sharded:
        share_after = 1 / (1 + (1 / f.measured_communication_share - 1) * fits / batch)
        say("SAV-016")
    if training:
        fired += ("BAS-001", "BAS-002")
        if several:
            say("COM-005")
            if communication_heavy:
                fired += ("COM-001", "COM-003")
                if f.interconnect_kind == "pcie":
                    say("COM-004")
                if HALF * f.model_parameters <= f.gpu_memory_usable:
                    say("PAR-001")
        if precision == "fp16_mixed":
            say("NUM-001")
        elif precision == "fp32":
            say("NUM-007")
            if f.gpu_bf16:
                say("NUM-008")
        if full and training_floor > inference_floor:
            say("MEM-071")
        if f.measured_activation_share > 0.5 and pressure != "ample":
            if f.training_checkpointing == "none":
                after_checkpointing = (1 - 0.4) * f.measured_memory_peak
                say("SAV-010")
            if precision in WHOLE_32:
                after_half = 0.5 * activations
                say("SAV-011")
            if batch > 1:
                say("SAV-012")
                if several and sharded:
                    say("SAV-015")
        if pressure == "short":
            say("SAV-025")
            if f.training_checkpointing in ("none", "selective") or precision in WHOLE_32 or batch > 1:
                say("SAV-021")
            elif f.training_checkpointing in ("full", "full_offloaded"):
                say("SAV-023")
        if idle:
            say("UTL-001")
            if oversized:
                say("MEM-053")
            if not tight:
                say("UTL-002")
            if fluctuating:
                say("UTL-003")
            if f.measured_data_wait_share >= 0.5 * (1 - f.measured_gpu_utilization):
                say("UTL-004")
            if several and communication_heavy:
                say("UTL-005")

    # links, plans, rent, power
    bandwidth, kind = f.interconnect_bandwidth, f.interconnect_kind
    if (kind == "pcie" and bandwidth > 2 * PCIE_4) or (kind in NVLINK and bandwidth > 2 * NVLINK_4):
        say("LNK-003")
    if f.parallel_tensor != 1 and f.model_attention_heads % f.parallel_tensor:
        say("PLN-003")
    if f.workload_stability != "stable":
        say("RNT-001")
    elif f.period_horizon >= 3 * YEAR and f.period_utilization >= 0.8:
        say("RNT-002")
    else:
        say("RNT-003")
    cards = f.gpu_count * f.gpu_power_limit
    gpus = f.gpu_count / f.network_nodes
    node = gpus * f.gpu_power_limit + f.host_other_power
    fired += ("PWR-005", "HST-001" if f.gpu_count <= 8 else "HST-002", "HST-003")
    if node > f.site_rack_power:
        say("PWR-006")
    estimate = estimate_by_hand.workload(f, fired)
    return Workload(
        fired, thumb, minimum, (1 + RECOMMENDED_HEADROOM) * thumb, inference_floor, training_floor,
        f.gpu_count * f.gpu_memory_nominal, f.gpu_count * f.gpu_memory_usable, pressure, activations, after_checkpointing, after_half,
        fits, keep, share_after, cards, node, node - f.site_rack_power, gpus, estimate,
    )  # fmt: skip


def judge(f: Facts, w: Workload, m: Machine) -> Verdict:
    """The conclusions about one machine."""
    fired: list[str] = ["FIT-004", "FIT-005", "FIT-009", "PEF-002", "PLN-006", "PWR-007", "PWR-008", "RNK-001", "RNK-002", "RNK-003", "RNK-004", "TPA-002"]
    against: list[str] = []
    say, reject = fired.append, against.append
    task, size, precision, several = f.workload_task, f.model_size_class, f.training_precision, m.count > 1
    training, full, pcie, tensor = task in TRAINING, task in FULL, m.interconnect == "pcie", m.plan == "tensor"

    # does it fit
    share = estimate_by_hand.machine(f, w.estimate, m, fired)
    need = estimate_by_hand.needed(f, w.estimate, share, fired)
    say("FIT-002" if m.plan in ("single", "replicated") else "FIT-003" if m.plan == "partly_sharded" else "FIT-001")
    headroom = m.memory_usable / need
    if headroom < 1:
        fit = "does_not_fit"
        fired += ("FIT-006", "FIT-010")
    elif headroom < 1 + MINIMUM_HEADROOM:
        fit = "no_headroom"
        fired += ("FIT-007", "FIT-011")
    else:
        fit = "fits"
        say("FIT-008")
        if headroom < 1 + RECOMMENDED_HEADROOM:
            say("FIT-012")
    if fit != "fits":
        reject("FIT-009")
        if training:
            say("SAV-024")
            if f.training_checkpointing in ("none", "selective") or precision in WHOLE_32 or f.training_micro_batch > 1:
                say("SAV-020")
            elif f.training_checkpointing in ("full", "full_offloaded"):
                say("SAV-022")
    cards_for_memory = float(math.ceil((1 + MINIMUM_HEADROOM) * w.rule_of_thumb / m.memory_usable))
    cards_for_weights = float(math.ceil((1 + RECOMMENDED_HEADROOM) * w.estimate.weights / m.memory_usable))
    if w.estimate.weights > m.memory_usable and m.interconnect in SWITCHED:
        say("TPA-001")

    # class, link, plan
    if f.period_continuous:
        say("TIE-001")
        if m.tier != "data_center":
            reject("TIE-001")
    if several and m.interconnect in ("unified_memory", "single_gpu"):
        reject("PLN-004")
    if several:
        say("PLN-004")
    if full:
        say("ORD-001")
        if f.workload_modality in ("image", "video"):
            say("ORD-002")
        if several and m.tier != "data_center":
            say("TIE-002")
        if task != "full_finetune" and m.tier in ("consumer", "laptop", "integrated"):
            say("TIE-003")
        if several and pcie:
            say("COM-006")
        if size >= 10 * B and m.memory_nominal < 40 * GB:
            say("FUL-001")
            reject("FUL-001")
        if size >= 70 * B:
            say("FUL-002")
            if pcie:
                say("FUL-003")
                reject("FUL-002")
    if (full and several) or tensor:
        say("NET-001")
        if pcie:
            say("NET-002")
            reject("NET-001")
    if several and pcie and (tensor or (task in ("full_finetune", "lora", "qlora") and size >= 70 * B)):
        say("LNK-002")
    as_named = 0.0
    if task in ("lora", "qlora"):
        say("ORD-004")
        if m.count > cards_for_memory:
            say("PEF-001")
        if several and pcie:
            say("NET-003")
        if task == "lora":
            if 15 * B < size <= 30 * B and m.count == 4 and m.memory_nominal == 48 * GB:
                as_named = 1.0
                say("LOR-005")
            if 7 * B < size <= 10 * B and m.count == 2 and m.memory_nominal == 24 * GB:
                as_named = 1.0
                say("LOR-007")
            if 10 * B < size <= 15 * B and m.count == 4 and m.memory_nominal == 24 * GB:
                as_named = 1.0
                say("LOR-008")
    elif task == "inference":
        fired += ("ORD-003", "PLN-001")
        if size <= 7 * B and m.count <= 1:
            say("LNK-001")
        if m.plan in ("sharded", "partly_sharded"):
            reject("PLN-001")
    if tensor:
        say("PLN-002")
        runs = f.parallel_tensor == 1 or f.model_attention_heads % f.parallel_tensor == 0
        if runs and f.parallel_tensor < m.count:
            say("PLN-005")
        elif m.count != 1 and f.model_attention_heads % m.count:
            reject("PLN-002")

    # precision
    support = None
    if training:
        if f.measured_communication_share > COMMUNICATION_LIMIT:
            say("COM-002")
        if precision in ("bf16_mixed", "bf16_pure"):
            support = 1.0 if m.bf16 else 0.0
            fired += ("NUM-002", "NUM-003")
            if not m.bf16:
                say("NUM-004")
                reject("NUM-002")
        elif precision == "tf32":
            say("NUM-005")
            if not m.tf32:
                say("NUM-006")
                reject("NUM-005")

    # power and cooling
    power = m.count * m.power_limit
    if power + f.host_other_power > f.site_rack_power:
        reject("PWR-007")
    if m.power_limit > 350:
        if f.site_cooling == "ordinary_air":
            say("PWR-001")
            reject("PWR-001")
        if m.power_limit > 700:
            fired += ("PWR-002", "PWR-003")
            if f.gpu_air_cooled_by_vendor and m.power_limit <= f.gpu_power_limit:
                say("PWR-004")
            elif f.site_cooling != "liquid":
                reject("PWR-003")
            if m.power_limit >= 750:
                say("PWR-009")

    # what machines are compared by
    link_class = float(LINK_CLASS[m.interconnect])
    if m.interconnect == "nvlink_bridge" and m.count <= 2:
        link_class = 2.0
        say("RNK-006")
    known = 0.0
    if m.half_tensor_rate >= 10 * TB:
        known = 1.0
        say("RNK-005")
    order = (PLAN_ORDER_INFERENCE if task == "inference" else PLAN_ORDER_TRAINING)[m.plan]
    return Verdict(
        fired, against, need, (1 + MINIMUM_HEADROOM) * need, (1 + RECOMMENDED_HEADROOM) * need, headroom, fit, cards_for_memory, cards_for_weights,
        power, min(headroom, 1 + RECOMMENDED_HEADROOM), link_class, float(order), m.half_tensor_rate / m.power_limit,
        m.memory_bandwidth / m.power_limit, known, as_named, support, share,
    )  # fmt: skip


def choose(f: Facts, w: Workload, machines: Iterable[Machine]) -> tuple[list[Machine], dict[str, list[str]]]:
    """The machines that nothing rejects, best first, and what rejects each of the others."""
    accepted: list[tuple[tuple[object, ...], Machine]] = []
    rejected: dict[str, list[str]] = {}
    for machine in machines:
        verdict = judge(f, w, machine)
        if verdict.rejected_by:
            rejected[machine.id] = verdict.rejected_by
        else:
            accepted.append((_order(f, machine, verdict), machine))
    accepted.sort(key=lambda entry: entry[0])
    return [machine for _, machine in accepted], rejected


def _order(f: Facts, m: Machine, v: Verdict) -> tuple[object, ...]:
    """What machines are sorted by, the best first; figures in the steps that count."""
    order: list[object] = []
    task = f.workload_task
    link = f.measured_communication_share > COMMUNICATION_LIMIT and task in TRAINING
    margin, links = -round(v.memory_margin / 0.01), -v.link_class
    crowded = (links, m.count, -round(m.interconnect_bandwidth / GB)) if link else ()
    support = -(v.precision_support or 0.0)
    compute = -round(v.compute_per_watt / 1e11)
    if task in FULL and f.workload_modality in ("image", "video"):
        order = [support, -v.known_compute, *crowded, -round(m.half_tensor_rate / TB), margin, m.count, v.plan_order]
    elif task in FULL:
        order = [support, -v.known_compute, *crowded, margin, links, v.power, compute, v.plan_order]
    elif task == "inference":
        order = [margin, links, v.power, -round(v.bandwidth_per_watt / 1e8), v.plan_order]
    else:
        order = [support, -v.known_compute, -v.as_named, *crowded, margin, m.count, v.power, compute, v.plan_order]
    return (*order, v.power, m.count, m.card, m.preference, m.id)
