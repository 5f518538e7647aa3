"""The structured estimate of memory as an engineer would write it down for one program: the second half of `by_hand`.

What training and inference hold (states), keep of the forward pass (activations, loss, cache), and how a machine divides it;
the phases of a step, and what the device shows. Of a coefficient given as a range, the upper end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from by_hand import Facts, Machine

GIB = 2.0**30
NODE = 8.0
WIDE = frozenset(["fp32", "tf32"])
FULL = frozenset(["pretrain", "continued_pretrain", "full_finetune"])
TUNING = frozenset(["lora", "qlora"])
FULL_STAGES = frozenset(["full", "full_within_node"])
HOOKS = frozenset(["transformers", "ddp_amp", "fsdp", "deepspeed", "torchtune"])
FSDP = frozenset(["fsdp", "litgpt", "torchtune"])
WHOLE_BLOCKS = frozenset(["transformers", "deepspeed", "litgpt", "unsloth"])
GELU = frozenset(["gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "gpt-neo-125m", "gpt-neo-1.3b", "gpt-neo-2.7b", "gpt-j-6b", "phi-1.5", "phi-2"])
GEMMA_2 = frozenset(["gemma-2-2b", "gemma-2-9b", "gemma-2-27b"])
GEMMA = GEMMA_2 | {"gemma-3-1b-it", "gemma-3-4b-it", "gemma-3-12b-it", "gemma-3-27b-it"}
GPTQ = {"gptq_128": 0.5195, "gptq_32": 0.578, "gptq_column": 0.5005}
FORMATS = {"half": 2.0, "single": 4.0, "fp8": 1.0, "int8": 1.02, "nf4": 0.5625, "nf4_double": 0.516, **GPTQ, "other": 4.0}
MOMENTS = {
    "adamw": 8.0, "lion": 4.0, "sgd_momentum": 4.0, "muon": 8.0, "prodigy": 16.0, "other": 16.0,
    "adam_8bit": 2.04, "adafactor": 1.0, "paged_adam_8bit": 0.0, "sgd": 0.0, "lomo": 0.0,
}  # fmt: skip
SAME_WHEN_PURE = frozenset(["adam_8bit", "adafactor"])
ADAPTER_MOMENTS = {
    "adamw": 2.0, "adam_8bit": 1.0, "adafactor": 0.5, "lion": 1.0, "sgd_momentum": 1.0, "paged_adam_8bit": 0.0, "sgd": 0.0, "lomo": 0.0,
    "muon": 2.0, "prodigy": 4.0, "other": 4.0,
}  # fmt: skip
TEMPORARY = {"adamw": 1.0, "prodigy": 2.0, "other": 2.0, "lion": 1.0, "sgd": 1.0, "sgd_momentum": 1.0, "muon": 1.0}
ADAPTER_STEP = {"adam_8bit": 0.0, "paged_adam_8bit": 0.0, "lomo": 0.0, "adamw": 4.0}
INPUTS = {  # of adapters, by targets: pure, mixed, wide; without and with dropout
    "attention_qv": {"pure": (2.0, 6.0), "mixed": (8.0, 10.0), "wide": (4.0, 10.0)},
    "attention_all": {"pure": (2.0, 9.0), "mixed": (12.0, 15.0), "wide": (4.0, 15.0)},
    "all_linear": {"pure": (4.0, 15.0), "mixed": (20.0, 25.0), "wide": (8.0, 25.0)},
}
ADAPTED_WIDTH = {"pure": (8.0, 9.0), "mixed": (10.0, 11.0), "wide": (16.0, 17.0)}
ADAPTED_QUERY = {"pure": (4.0, 7.0), "mixed": (8.0, 9.0), "wide": (8.0, 13.0)}
VISION = {"none": 8.2e6, "selective": 8.2e6, "full": 6e5, "full_offloaded": 3e5}
PREPARED = frozenset(["transformers", "ddp_amp", "deepspeed", "other"])
CACHE_ONCE = frozenset(["vllm", "sglang", "tgi", "tensorrt_llm", "lmdeploy", "llama_cpp", "exllama", "litgpt"])
ONE_PROCESS = frozenset(["transformers", "exllama", "llama_cpp", "litgpt"])
SERVERS = frozenset(["vllm", "sglang", "tgi", "tensorrt_llm", "lmdeploy"])
CHUNKED_PREFILL = frozenset(["vllm", "sglang", "tgi", "tensorrt_llm", "lmdeploy", "llama_cpp", "exllama", "mlx"])
CACHES = {"paged": 1.1, "static": 1.1, "growing": 1.1, "copied": 2.1}


@dataclass(slots=True)
class Estimate:
    """What a workload holds, whatever machine does it; None where no rule that holds derives it."""

    tokens: float
    embedding: float
    linear: float
    held: float
    expert_share: float
    weights: float
    gradients: float
    master_weights: float
    moments: float
    optimizer: float
    cast_weights: float
    base_weight_bytes: float
    adapter_parameters: float | None
    adapters: float
    dequantized: float
    gathered_weight_bytes: float
    host_need: float | None = None
    layer_bytes: float = 0.0
    further_norms: float | None = None
    capped: float | None = None
    replicated_bytes: float | None = None
    expert_copies: float | None = None
    scores: float | None = None
    layer_activations: float | None = None
    checkpoints: float | None = None
    kept: float = 0.0
    recomputed: float = 0.0
    backward_work: float | None = None
    loss_work: float | None = None
    loss_held: float | None = None
    vision: float | None = None
    linear_weights: float | None = None
    embedding_weights: float | None = None
    cache_per_sequence: float | None = None
    cache: float | None = None
    prefill_tokens: float | None = None
    prefill_work: float | None = None
    working_measured: float | None = None
    working_ratio: float | None = None


@dataclass(slots=True)
class Share:
    """What one card of a machine holds."""

    model_shards: float
    data_ranks: float
    weight_shards: float
    gradient_shards: float
    optimizer_shards: float
    largest_stage: float
    expert_division: float
    weights: float
    gradients: float = 0.0
    optimizer: float = 0.0
    adapters: float = 0.0
    gathered: float = 0.0
    buffers: float = 0.0
    early_gradients: float = 0.0
    step_work: float = 0.0
    activations: float = 0.0
    layer_work: float = 0.0
    logits: float = 0.0
    logits_held: float = 0.0
    kv_cache: float | None = None
    prefill: float | None = None
    forward_phase: float = 0.0
    backward_phase: float = 0.0
    step_phase: float = 0.0
    working: float = 0.0
    allocated: float = 0.0
    reserved: float = 0.0
    device: float = 0.0
    seen: float = 0.0
    states: float = 0.0
    states_share: float = 0.0


def workload(f: Facts, fired: list[str]) -> Estimate:
    """What a workload holds; the rules that hold are added to `fired`."""
    say = fired.append
    task, framework, size = f.workload_task, f.training_framework, f.model_parameters
    matrix = f.model_vocabulary_size * f.model_hidden_size
    full, tuning = task in FULL, task in TUNING
    embedding = min(size, (1.0 if f.model_tied_embeddings else 2.0) * matrix)
    linear = max(0.0, size - embedding)
    held = size
    fired += ("STA-001", "STA-002", "STA-003", "STA-004", "STA-015", "STA-096")
    if framework == "litgpt" and (full or tuning):
        held = size + (matrix if f.model_tied_embeddings else 0.0)
        say("STA-005")
    share = 0.0
    if f.model_experts > 0:
        heads = f.model_head_size * (f.model_attention_heads + f.model_kv_heads)
        share = max(0.0, 1 - (embedding + 2 * f.model_layers * f.model_hidden_size * heads) / size)
        say("STA-095")
    say("STA-021" if task == "qlora" else "STA-020")
    tokens = f.training_micro_batch * f.training_sequence_length
    if full:
        found = _full(f, fired, Estimate(tokens, embedding, linear, held, share, 0, 0, 0, 0, 0, 0, 2.0, None, 0, 0, 0))
    elif tuning:
        found = _tuned(f, fired, Estimate(tokens, embedding, linear, held, share, 0, 0, 0, 0, 0, 0, FORMATS[f.training_base_format], 0, 0, 0, 0))
    else:
        fired += ("STA-017", "STA-042", "STA-045", "STA-046", "ACT-018")
        width = 4.0 if f.training_precision in WIDE else 2.0
        found = Estimate(tokens, embedding, linear, held, share, f.inference_weight_bits * size, 0, 0, 0, 0, 0, 2.0, None, 0, 0, width)
        _served(f, fired, found)
        return found
    if found.host_need is not None and f.host_memory < found.host_need:
        say("STA-093")
    _activations(f, fired, found)
    _measured(f, fired, found)
    return found


def _full(f: Facts, fired: list[str], e: Estimate) -> Estimate:
    """States of full training."""
    say = fired.append
    framework, precision, optimizer, held = f.training_framework, f.training_precision, f.training_optimizer, e.held
    wide, pure = precision in WIDE, precision == "bf16_pure"
    matrix = min(f.model_parameters, f.model_vocabulary_size * f.model_hidden_size)
    fired += ("STA-010", "STA-011", "STA-016", "STA-042", "STA-045", "STA-046")
    if wide:
        weight, gradient, master = 4.0, 4.0, 0.0
    elif pure:
        weight, gradient, master = 2.0, 2.0, 0.0
    elif framework == "deepspeed":
        weight, gradient, master = 2.0, 2.0, 4.0
    elif framework == "megatron":
        weight, gradient, master = (2.0, 2.0, 8.0) if precision == "fp16_mixed" else (2.0, 4.0, 4.0)
    elif framework in ("ddp_amp", "transformers", "fsdp", "litgpt") and precision != "fp8_mixed":
        weight, gradient, master = 4.0, 4.0, 0.0
    else:
        weight, gradient, master = 4.0, 4.0, 4.0
    e.weights, e.gradients, e.master_weights = weight * held, gradient * held, master * held
    if f.training_optimizer_in_backward:
        e.gradients = (2.0 if pure else 4.0) * matrix
        say("STA-014")
    if optimizer == "lomo":
        own = 4.0 if wide else 2.0
        e.weights, e.gradients, e.master_weights = own * held, own * matrix, 0.0
        say("STA-013")
    moment = MOMENTS[optimizer]
    e.moments = (moment / 2 if pure and optimizer not in SAME_WHEN_PURE else moment) * held
    if optimizer == "adam_8bit" and framework in ("transformers", "fsdp", "deepspeed"):
        e.moments = 2.04 * held + 6.0 * matrix
        say("STA-012")
    e.optimizer = e.master_weights + e.moments
    if not (wide or pure) and framework not in ("fsdp", "deepspeed", "megatron", "torchtune"):
        e.cast_weights = 2.0 * held
    e.gathered_weight_bytes = 4.0 if wide else 2.0
    if f.training_offload in ("optimizer", "optimizer_and_weights"):
        fired += ("STA-090", "STA-091")
        e.host_need = (18.0 if f.training_offload == "optimizer_and_weights" else 16.0) * 1.5 * f.model_parameters / f.network_nodes
    return e


def _tuned(f: Facts, fired: list[str], e: Estimate) -> Estimate:
    """States of LoRA and QLoRA."""
    say = fired.append
    framework, precision, targets, base = f.training_framework, f.training_precision, f.training_adapter_targets, e.base_weight_bytes
    wide, pure, hidden, deepspeed = precision in WIDE, precision == "bf16_pure", f.model_hidden_size, framework == "deepspeed"
    matrix = f.model_vocabulary_size * hidden
    fired += ("STA-017", "STA-022", "STA-023", "STA-027", "STA-028", "STA-040", "STA-047")
    if base >= 2.0:
        e.weights = base * e.held
        fired += ("STA-024", "STA-045")
    else:
        fired += ("STA-025", "STA-043")
        if framework == "litgpt":
            e.weights = base * (e.linear + matrix) + 2.0 * (2.0 if f.model_tied_embeddings else 1.0) * matrix
            e.dequantized = 4.0 * matrix
            fired += ("STA-026", "STA-044")
        else:
            half = f.training_base_format in GPTQ or framework in ("torchtune", "unsloth", "mlx", "fsdp")
            e.weights = base * e.linear + (2.0 if half else 4.0) * e.embedding
            e.dequantized = 2.0 * hidden * f.model_intermediate_size
    heads = f.model_head_size * (f.model_attention_heads + f.model_kv_heads)
    if targets == "attention_qv":
        each = 2.0 * hidden + heads
    elif targets == "attention_all":
        each = 4.0 * hidden + 2.0 * heads
    else:
        experts = 1.0
        if f.model_experts > 1:
            experts = f.model_experts
            say("STA-029")
        each = 4.0 * hidden + 2.0 * heads + experts * (3.0 if f.model_gated_mlp else 2.0) * (hidden + f.model_intermediate_size)
    adapters = e.adapter_parameters = min(f.model_parameters, f.training_adapter_rank * f.model_layers * each)
    if wide:
        held, state = 8.0, 4.0
    elif pure:
        held, state = (4.0, 2.0) if framework in ("litgpt", "torchtune", "mlx", "fsdp") else (12.0 if deepspeed else 8.0, 4.0)
    else:
        held, state = 8.0, 4.0
    e.adapters = (held + ADAPTER_MOMENTS[f.training_optimizer] * state) * adapters
    if targets == "all_linear_and_embeddings":
        say("STA-041")
        lora = f.workload_task == "lora"
        if wide:
            copy, gradient = 12.0, 4.0
        elif lora:
            copy, gradient = (12.0, 4.0) if precision == "fp16_mixed" else (6.0, 2.0)
        else:
            copy, gradient = 12.0, 4.0
        if deepspeed and not (wide or pure):
            copy = 14.0
        e.adapters = 16.0 * adapters + copy * e.embedding
        e.gradients = gradient * e.embedding
    e.gathered_weight_bytes = base
    if f.training_offload in ("optimizer", "optimizer_and_weights"):
        say("STA-092")
        e.host_need = 1.5 * ((e.weights if f.training_offload == "optimizer_and_weights" else 0.0) + 16.0 * adapters)
    return e


def _layer(f: Facts, fired: list[str]) -> float:
    """Bytes that one layer keeps of one token."""
    say = fired.append
    framework, precision, targets = f.training_framework, f.training_precision, f.training_adapter_targets
    wide, full, gated, dropout = precision in WIDE, f.workload_task in FULL, f.model_gated_mlp, f.training_adapter_dropout
    kind = "wide" if wide else "pure" if precision == "bf16_pure" else "mixed"
    hidden, width = f.model_hidden_size, f.model_intermediate_size
    query, key = f.model_attention_heads * f.model_head_size, f.model_kv_heads * f.model_head_size
    twice, qv, attention = 2.0 if wide else 1.0, targets == "attention_qv", targets in ("attention_qv", "attention_all")
    shared = f.model_kv_heads < f.model_attention_heads
    inputs = 2.0 * width + 4.0 * hidden + 2.0 * query
    saved = inputs if f.workload_task == "qlora" and f.training_base_format not in GPTQ and framework not in ("torchtune", "fsdp") else 0.0
    found = 0.0
    if framework == "litgpt":
        if full:
            say("ACT-001")
            per_hidden, each = ((26.0 if kind == "mixed" else 20.0) if gated else (16.0 if kind == "mixed" else 6.0)), 14.0
            if shared:
                each = 10.0 if gated else 14.0
                say("ACT-002")
            found = twice * ((8.0 if gated else 4.0) * width + per_hidden * hidden + each * query)
        else:
            say("ACT-003")
            if attention:
                per_width, per_hidden = (6.0, 10.0) if gated else (2.0, 4.0)
                per_hidden += dropout
            elif dropout:
                per_width, per_hidden = (9.0, 17.0) if gated else (5.0, 8.0)
            else:
                per_width, per_hidden = (8.0, 12.0) if gated else (4.0, 6.0)
            each, keys = 16.0 if qv else 15.0 if dropout else 14.0, 0.0
            if shared:
                each, keys = 10.0 if qv else 11.0 if dropout else 10.0, 2.0 if qv else 0.0
                say("ACT-004")
            found = twice * (per_width * width + per_hidden * hidden + each * query + keys * key)
            found += (1.0 if f.training_longest_sample else 2.0) * inputs if f.workload_task == "qlora" else 0.0
    elif framework in HOOKS:
        per_head = 8.0 if wide else 4.0
        if full:
            say("ACT-005")
            light = framework in ("deepspeed", "torchtune") and precision != "fp8_mixed"
            if wide:
                per_width, per_hidden = 16.0 if gated else 8.0, 24.0
            elif kind == "pure":
                per_width, per_hidden = (8.0, 16.0) if gated else (4.0, 12.0)
            elif gated:
                per_width, per_hidden = 8.0, 16.0 if light else 26.0
            else:
                per_width, per_hidden = 4.0, 12.0 if light else 16.0
            if f.model_name in GELU:
                per_width, per_hidden = 20.0 if wide else 10.0, 24.0 if wide else 12.0 if kind == "pure" else 16.0
                say("ACT-006")
            found = per_width * width + per_hidden * hidden + per_head * (query + key)
        else:
            say("ACT-007")
            if attention:
                per_width = (12.0 if gated else 4.0) if wide else (6.0 if gated else 2.0)
            else:
                per_width = ADAPTED_WIDTH[kind][dropout] - (0.0 if gated else 8.0 if wide else 4.0)
            each = per_head if qv else ADAPTED_QUERY[kind][dropout]
            kept = INPUTS[targets if attention else "all_linear"][kind][dropout]
            found = per_width * width + (8.0 + kept) * hidden + each * query + per_head * key + saved
    elif framework == "unsloth":
        say("ACT-009")
        found = twice * ((8.0 if gated else 4.0) * width + 16.0 * hidden + 4.0 * (query + key)) + saved
    elif framework == "megatron":
        say("ACT-010")
        per_width = 8.0 if gated else 4.0 if full else 5.0
        found = twice * (per_width * width + (10.0 if full else 12.0) * hidden + 4.0 * (query + key)) + saved
    elif full:
        say("ACT-011")
        found = twice * ((8.0 if gated else 4.0) * width + 26.0 * hidden + 14.0 * query + 4.0 * key)
    else:
        say("ACT-012")
        per_width = (6.0 if gated else 2.0) if attention else 11.0 if gated else 7.0
        found = twice * (per_width * width + (18.0 if qv else 23.0 if attention else 33.0) * hidden + 16.0 * query + 4.0 * key) + saved
    if f.training_compiled and framework not in ("unsloth", "megatron", "mlx"):
        say("ACT-008")
        if full:
            per_width, per_hidden, each = 6.0 if gated else 4.0, 8.0, 4.0
        elif attention:
            per_width, per_hidden, each = 4.0 if gated else 2.0, 6.0, 4.0
            if dropout:
                per_hidden, each = (10.0, 4.0) if qv else (19.0, 7.0)
        else:
            per_width, per_hidden, each = (6.0 if gated else 4.0) + dropout, 8.0, 4.0
            if dropout:
                per_hidden, each = 19.0 if gated else 16.0, 7.0
        found = twice * (per_width * width + per_hidden * hidden + each * query + 4.0 * max(query, key))
    return found


def _activations(f: Facts, fired: list[str], e: Estimate) -> None:
    """What training keeps of the forward pass, computes again, and needs for the loss."""
    say = fired.append
    framework, precision, checkpointing, tokens = f.training_framework, f.training_precision, f.training_checkpointing, e.tokens
    wide, full, gemma_2, hidden = precision in WIDE, f.workload_task in FULL, f.model_name in GEMMA_2, f.model_hidden_size
    twice, megatron = 2.0 if wide else 1.0, framework == "megatron"
    fired += ("ACT-013", "ACT-015", "ACT-016", "ACT-020", "ACT-030", "ACT-031", "ACT-040", "ACT-050", "ACT-051", "ACT-052", "ACT-053", "ACT-060")
    e.layer_bytes = _layer(f, fired)
    e.further_norms = e.capped = e.expert_copies = e.scores = e.vision = 0.0
    if f.model_name in GEMMA:
        e.further_norms = (24.0 if full else 8.0) * hidden
        say("ACT-014")
    if gemma_2:
        e.capped = 4.0
        say("ACT-019")
    e.replicated_bytes = 0.0 if f.parallel_sequence else twice * (10.0 if megatron else 26.0) * hidden
    if f.model_experts > 0:
        e.expert_copies = twice * 32.0 * hidden
        say("ACT-017")
    per_score = 0.0
    if f.training_attention == "eager":
        per_score = 5.0 if megatron and not wide else 9.0
        say("ACT-021")
        if gemma_2:
            per_score = 10.0
            say("ACT-022")
    else:
        say("ACT-023")
    if gemma_2 and framework == "litgpt":
        per_score = 10.0
        say("ACT-024")
    e.scores = per_score * f.model_attention_heads * f.training_sequence_length * f.training_sequence_length * f.training_micro_batch
    unscored = tokens * (e.layer_bytes + e.expert_copies + e.further_norms)
    e.layer_activations = unscored + e.scores
    raised = not wide and f.workload_task == "qlora" and framework in PREPARED and f.training_base_format not in GPTQ
    e.checkpoints = (2.0 if raised else twice) * 2.0 * hidden * tokens
    if checkpointing == "none":
        e.kept = e.layer_activations
        fired += ("ACT-032", "ACT-037")
    elif checkpointing == "selective" and framework not in WHOLE_BLOCKS:
        if megatron:
            e.kept, e.recomputed = unscored, e.scores
            fired += ("ACT-033", "ACT-038")
        else:
            e.kept, e.recomputed = max(e.checkpoints, unscored), e.layer_activations
            fired += ("ACT-034", "ACT-039")
    else:
        e.kept, e.recomputed = 0.0 if checkpointing == "full_offloaded" else e.checkpoints, e.layer_activations
        fired += ("ACT-035", "ACT-036")
    e.backward_work = twice * 6.0 * tokens * (f.model_intermediate_size + hidden)
    loss, logits = f.training_loss, f.model_vocabulary_size * tokens
    mixed = not wide and precision != "bf16_pure"
    if megatron and loss != "chunked":
        per_logit = 12.0
    elif loss == "upcast":
        per_logit = 16.0
    elif loss == "fused":
        if wide:
            per_logit = 16.0
        elif not mixed or framework in ("deepspeed", "torchtune", "unsloth"):
            per_logit = 8.0
        else:
            per_logit = 14.0
    elif framework == "litgpt":
        per_logit = 12.0 if full else 10.0
    elif framework == "torchtune":
        per_logit = 7.0
    else:
        per_logit = 8.0 if wide else 4.0
    e.loss_work = (per_logit + e.capped) * logits
    if loss == "chunked" and f.training_compiled and framework == "torchtune":
        e.loss_work = twice * (2.25 * logits + (4.0 if full else 0.0) * f.model_vocabulary_size * hidden)
        say("ACT-054")
    in_place = {"litgpt": 8.0, "torchtune": 0.0}.get(framework, 2.0 * twice)
    held = in_place if loss == "chunked" else 6.0 if loss == "upcast" else 4.0
    e.loss_held = held * logits
    if f.workload_modality in ("image", "video", "multimodal"):
        e.vision = VISION[checkpointing] * f.training_micro_batch * min(f.workload_visual_tokens, f.training_sequence_length)
        say("ACT-061")


def _measured(f: Facts, fired: list[str], e: Estimate) -> None:
    """What a run held beside its states, and how much longer the sequences of what is planned are."""
    gradients, states = e.gradients, e.weights + e.optimizer
    stage = f.parallel_sharding_stage
    fired += ("MSR-005", "MSR-006")
    if f.gpu_count <= 1:
        fired.append("MSR-001")
    elif stage in FULL_STAGES:
        gradients, states = gradients / f.gpu_count, states / f.gpu_count
        fired.append("MSR-002")
    elif stage == "none":
        fired.append("MSR-003")
    else:
        states = e.weights + e.optimizer / f.gpu_count
        fired.append("MSR-004")
    e.working_measured = max(0.0, f.measured_memory_peak - states - gradients - e.adapters)
    e.working_ratio = e.tokens / (f.measured_micro_batch * f.measured_sequence_length)


def _served(f: Facts, fired: list[str], e: Estimate) -> None:
    """What inference holds: weights, cache, and the work of the prompt."""
    say = fired.append
    engine, kind, hidden, width = f.inference_engine, f.inference_weight_format, f.model_hidden_size, f.model_intermediate_size
    matrix = f.model_vocabulary_size * hidden
    fired += ("SRM-001", "SRM-003", "SRM-011", "SRM-012", "SRM-030", "SRM-031", "SRM-032", "SRM-033", "SRM-040", "SRM-041", "SRM-042")
    if f.inference_weight_bits < 2.0:
        say("SRM-002")
    if f.inference_weight_bits <= 2.0:
        say("SRM-010")
    if engine in CHUNKED_PREFILL:
        say("SRM-045")
    e.linear_weights = FORMATS[kind] * e.linear
    e.embedding_weights = (4.0 if kind in ("single", "other") else 2.0) * e.embedding
    length, several = f.inference_context_length, f.inference_concurrency
    beyond = f.model_kv_elements_beyond_window
    elements = beyond * length + (f.model_kv_elements_per_token - beyond) * min(length, f.model_sliding_window)
    e.cache_per_sequence = f.inference_kv_bits * elements
    e.cache = CACHES[f.inference_cache] * e.cache_per_sequence * several
    prefilled = e.prefill_tokens = min(length * several, f.inference_prefill_chunk)
    per_hidden = 8.0 if engine in ("transformers", "other") else 4.0 if engine in SERVERS else 3.0
    per_width = (6.0 if f.model_gated_mlp or engine != "transformers" else 4.0) if per_hidden > 3.0 else 3.0
    e.prefill_work = prefilled * (per_hidden * hidden + per_width * width) + 6.0 * f.model_vocabulary_size * several
    if engine == "litgpt":
        e.embedding_weights = (2.0 + FORMATS[kind]) * matrix
        say("SRM-013")
    elif engine == "exllama":
        e.embedding_weights = 2.0 * matrix
        e.prefill_work = 2.0 * (2048.0 + hidden) * width + 3.0 * 2.0 * f.model_attention_heads * 2048.0 * 2048.0 + 6.0 * 2048.0 * (hidden + width)
        fired += ("SRM-014", "SRM-043")


# ---------------------------------------------------------------- one machine


def machine(f: Facts, e: Estimate, m: Machine, fired: list[str]) -> Share:
    """What one card of a machine holds; the rules that hold are added to `fired`."""
    say = fired.append
    task, framework, stage, count = f.workload_task, f.training_framework, m.sharding_stage, m.count
    inference, accumulated = task == "inference", f.training_gradient_accumulation > 1
    shards = min(count, m.tensor * m.pipeline)
    ranks = max(1.0, count / (m.tensor * m.pipeline))
    fired += ("STA-030", "STA-038", "STA-097", "STA-098", "LIM-001", "LIM-002")
    of_weights = of_gradients = of_optimizer = shards
    if stage == "none":
        say("STA-031")
    elif stage == "optimizer":
        of_optimizer = count
        say("STA-032")
    elif stage == "optimizer_gradients":
        of_gradients = of_optimizer = count
        say("STA-033")
        if framework in FSDP and not inference:
            of_weights = count
            say("STA-037")
    elif stage == "full":
        of_weights = of_gradients = of_optimizer = count
        say("STA-034")
    else:
        of_weights = of_gradients = of_optimizer = shards * min(count / f.network_nodes, ranks)
        fired += ("STA-035", "STA-036")
    largest = max(1.0, 1 + (m.pipeline - 1) * min(1.0, e.embedding / f.model_parameters))
    division = 1 - e.expert_share * (1 - 1 / min(f.parallel_expert, ranks))
    s = Share(shards, ranks, of_weights, of_gradients, of_optimizer, largest, division, 0.0)
    if inference:
        _serving(f, e, m, s, fired)
        held, unnamed = s.weights + s.forward_phase, 1e8
    else:
        _states(f, e, m, s, fired)
        _kept(f, e, m, s, fired)
        fired += ("PEA-001", "PEA-003", "PEA-005", "PEA-007", "PEA-010", "STA-050", "STA-052", "STA-056")
        if accumulated or framework in ("deepspeed", "megatron"):
            s.early_gradients = s.gradients
            say("STA-074")
        else:
            say("STA-075")
        if f.training_optimizer_in_backward:
            s.early_gradients = 0.0
            say("STA-076")
        s.forward_phase = s.early_gradients + s.gathered + s.activations + s.logits
        s.backward_phase = s.gathered + s.buffers + s.layer_work + max(s.gradients, s.early_gradients + s.activations + s.logits_held)
        reentrant = task in TUNING and framework == "fsdp" and f.training_checkpointing == "full" and f.training_reentrant_checkpoints
        if reentrant and count > 1 and stage not in ("none", "optimizer"):
            kept = max(s.gradients, s.early_gradients + s.activations + max(s.logits_held, s.activations))
            s.backward_phase = s.gathered + s.buffers + s.layer_work + kept
            say("PEA-024")
        s.step_phase = s.gradients + s.buffers + s.step_work
        s.working = max(
            s.gathered + s.activations + s.logits,
            s.gathered + s.buffers + s.activations + s.layer_work + s.logits_held,
            s.buffers + s.step_work,
        )
        held = s.weights + s.optimizer + s.adapters + max(s.forward_phase, s.backward_phase, s.step_phase)
        unnamed = 1e8 + 0.1 * s.working
    s.allocated = 1.05 * (held + unnamed)
    if count > 1 and m.plan == "layer_split" and inference and f.inference_engine in ONE_PROCESS:
        s.reserved = 1.05 * (held + 0.25 * s.working + GIB)
        s.device = 1.05 * (held + 0.25 * s.working + GIB + GIB)
        fired += ("PEA-013", "PEA-015", "PEA-028")
    elif count <= 1:
        s.reserved = 1.05 * (held + 0.25 * s.working + GIB)
        s.device = 1.05 * (held + 0.25 * s.working + GIB + GIB)
        fired += ("PEA-012", "PEA-014")
    else:
        s.reserved = 1.05 * (held + 0.35 * s.working + GIB)
        s.device = 1.05 * (held + 0.35 * s.working + GIB + GIB + GIB)
        fired += ("PEA-013", "PEA-015")
    grown = s.activations + max(s.logits, s.layer_work + s.logits_held)
    if f.measured_memory_kind == "allocated":
        s.seen = s.allocated
        say("PEA-020")
    elif f.measured_memory_kind == "reserved":
        s.seen = s.reserved
        say("PEA-021")
        if f.training_longest_sample and not inference:
            s.seen = min(s.reserved + 3.1 * grown, max(s.reserved, m.memory_usable))
            say("PEA-025")
    elif f.measured_memory_kind == "nvidia_smi":
        s.seen = s.device
        say("PEA-022")
        if f.training_longest_sample and not inference:
            s.seen = min(s.device + 3.1 * grown, max(s.device, m.memory_usable))
            say("PEA-026")
    else:
        s.seen = max(s.device, m.memory_usable)
        say("PEA-023")
    s.states = s.weights + s.gradients + s.optimizer + s.adapters
    s.states_share = s.states / m.memory_usable
    return s


UNSEEN = {"allocated": 4 * GIB, "reserved": 2 * GIB, "nvidia_smi": 0.0}
"""What each way of measuring does not see of the memory that the device has taken."""


def needed(f: Facts, e: Estimate, s: Share, fired: list[str]) -> float:
    """The memory that a card needs: as estimated, or as the measured run shows where that fits the machine."""
    if f.workload_task == "inference":
        fired.append("FIT-021")
        return s.device
    fired.append("FIT-020")
    found = s.device
    if s.model_shards <= 1 and f.measured_memory_kind in UNSEEN:
        assert e.working_measured is not None and e.working_ratio is not None
        found = s.states + max(e.working_measured, e.working_measured * e.working_ratio) + UNSEEN[f.measured_memory_kind]
        fired.append("FIT-030")
    if f.measured_out_of_memory != "none":
        found = s.device
        fired.append("FIT-031")
    return found


def _states(f: Facts, e: Estimate, m: Machine, s: Share, fired: list[str]) -> None:
    """Weights, gradients and optimizer states of training on one card, and what is gathered and buffered."""
    say = fired.append
    task, framework, stage, count, offload = f.workload_task, f.training_framework, m.sharding_stage, m.count, f.training_offload
    full, precision, optimizer = task in FULL, f.training_precision, f.training_optimizer
    mixed = precision not in WIDE and precision != "bf16_pure"
    fully, matrix = stage in FULL_STAGES, f.model_vocabulary_size * f.model_hidden_size
    s.weights = e.weights / s.weight_shards * s.largest_stage * s.expert_division
    s.gradients = e.gradients / s.gradient_shards * s.largest_stage * s.expert_division
    if task != "qlora" and f.training_gradient_accumulation > 1 and (fully or stage == "optimizer_gradients"):
        if framework == "litgpt":
            s.gradients = 2.0 * e.held / s.model_shards
            say("STA-053")
        elif framework == "fsdp":
            s.gradients = max(e.gradients / s.gradient_shards, 2.0 * e.held / s.model_shards)
            say("STA-054")
    s.optimizer = e.optimizer / s.optimizer_shards * s.largest_stage
    if full:
        say("STA-058")
    else:
        parameters = e.adapter_parameters or 0.0
        share, whole = e.adapters / s.optimizer_shards, e.adapters / s.model_shards
        s.adapters = max(share, min(whole, share + 8.0 * parameters / s.model_shards))
        fired += ("STA-057", "STA-087")
        each = 6.0 if framework == "deepspeed" else 0.0 if framework == "megatron" else ADAPTER_STEP.get(optimizer, 8.0)
        if optimizer == "adamw" and f.training_optimizer_fused and framework != "deepspeed":
            each = 0.0
        s.step_work = each * parameters / s.optimizer_shards
        if f.training_adapter_targets == "all_linear_and_embeddings":
            s.adapters = max(share, whole)
            s.step_work = each * (parameters + e.embedding) / s.optimizer_shards
            fired += ("STA-048", "STA-088")
        if framework in FSDP:
            s.adapters = share
            say("STA-049")

    # what full sharding gathers
    base, half = e.gathered_weight_bytes, max(2.0, e.gathered_weight_bytes)
    blocks = 2.0 * e.linear / f.model_layers
    if fully:
        twice = framework == "litgpt" or (framework != "torchtune" and not f.model_tied_embeddings)
        s.gathered = min(half * e.held, base * blocks + half * (2.0 if twice else 1.0) * matrix) / m.tensor
        say("STA-061")
        if framework == "deepspeed":
            one = f.model_hidden_size * f.model_intermediate_size
            s.gathered = min(half * e.held, base * max(one, min(blocks, one + 1e9)) + half * max(matrix, 1e9, e.embedding)) / m.tensor
            say("STA-062")
    else:
        s.gathered = e.cast_weights / s.model_shards
        say("STA-060")
        if framework in FSDP and stage == "optimizer_gradients":
            s.gathered = (base * e.linear + half * e.embedding) / s.model_shards
            say("STA-063")

    # the optimizer's step
    if full:
        one = min(f.model_parameters, matrix)
        moment = 2.0 if precision == "bf16_pure" else 4.0
        temporary = 0.0 if optimizer == "adamw" and f.training_optimizer_fused else TEMPORARY.get(optimizer, 0.0)
        raised = 16.0 if optimizer == "adam_8bit" and framework in ("torchtune", "other") else 0.0
        if framework == "megatron":
            say("STA-082")
        elif framework == "deepspeed" and mixed:
            if fully:
                s.step_work = 6.0 * min(1e9, e.held / s.optimizer_shards)
                say("STA-084")
            else:
                s.step_work = 6.0 * e.held / s.optimizer_shards * s.largest_stage
                say("STA-083")
        else:
            s.step_work = temporary * moment * e.held / s.optimizer_shards * s.largest_stage + raised * one / s.optimizer_shards
            say("STA-080")
            if optimizer == "adafactor":
                s.step_work = 16.0 * one / s.optimizer_shards
                say("STA-081")
        if f.training_optimizer_in_backward:
            s.step_work = ((2.0 if optimizer == "adafactor" else temporary) * moment + raised) * one / s.optimizer_shards
            say("STA-085")
        if optimizer == "lomo":
            s.step_work = 0.0
            say("STA-089")

    # offloading
    if offload != "none":
        s.optimizer = s.step_work = 0.0
        s.gradients = e.gradients / s.gradient_shards
        fired += ("STA-055", "STA-086")
        if not full:
            s.adapters = e.adapters / s.model_shards
        if offload != "optimizer":
            s.weights = 0.0
            s.gathered = min(half * e.held, base * blocks + half * max(matrix, 1e9, e.embedding)) / m.tensor
            fired += ("STA-051", "STA-064")

    # buffers
    if framework == "deepspeed":
        fired += ("STA-070", "STA-094")
        if f.parallel_overlap_communication:
            say("STA-071")
        s.buffers = 4.0 * f.parallel_reduce_bucket
        if fully:
            fired += ("STA-099", "STA-100")
    elif framework not in ("fsdp", "megatron") and stage == "none" and count > 1:
        s.buffers = s.gradients
        say("STA-072")
    else:
        say("STA-073")


def _kept(f: Facts, e: Estimate, m: Machine, s: Share, fired: list[str]) -> None:
    """Activations, the layer at work and the loss on one card."""
    assert e.replicated_bytes is not None and e.backward_work is not None and e.vision is not None
    assert e.loss_work is not None and e.loss_held is not None
    framework, tensor = f.training_framework, m.tensor
    rest = 1 - 1 / tensor
    layers = f.model_layers / m.pipeline
    if framework in ("megatron", "deepspeed", "ddp_amp", "fsdp", "other"):
        layers *= 1 + (min(f.training_gradient_accumulation, m.pipeline) - 1)
    replicated = e.tokens * e.replicated_bytes * rest
    backward = e.backward_work * (1 / tensor + rest / (1 + f.model_intermediate_size / f.model_hidden_size))
    checkpointing = f.training_checkpointing
    if checkpointing == "none" or (checkpointing == "selective" and framework not in WHOLE_BLOCKS):
        s.activations = ((e.kept / tensor + replicated) * layers + e.vision) / m.context
        s.layer_work = (e.recomputed / tensor + backward) / m.context + e.dequantized / tensor
        fired += ("ACT-070", "ACT-073")
    else:
        s.activations = (e.kept * (1 - (rest if f.parallel_sequence else 0.0)) * layers + e.vision) / m.context
        s.layer_work = (e.recomputed / tensor + replicated + backward) / m.context + e.dequantized / tensor
        fired += ("ACT-071", "ACT-072")
    divided = 1 - (rest if framework in ("megatron", "fsdp", "other") else 0.0)
    micro_batches = layers / (f.model_layers / m.pipeline)
    others = s.activations * (1 - 1 / micro_batches)
    s.logits = max(0.0, e.loss_work * divided / m.context - others)
    s.logits_held = max(0.0, e.loss_held * divided / m.context - others)
    fired += ("ACT-074", "ACT-075")


def _serving(f: Facts, e: Estimate, m: Machine, s: Share, fired: list[str]) -> None:
    """Weights, cache and prompt of inference on one card."""
    assert e.linear_weights is not None and e.embedding_weights is not None and e.cache is not None and e.prefill_work is not None
    engine, kind = f.inference_engine, f.inference_weight_format
    fired += ("STA-059", "ACT-076", "PEA-002", "PEA-004", "PEA-006", "PEA-008", "PEA-009", "PEA-011", "SRM-020", "SRM-035", "SRM-044")
    s.weights = (e.linear_weights + e.embedding_weights) / s.model_shards
    if engine == "litgpt":
        s.weights = e.linear_weights / s.model_shards + e.embedding_weights
        fired.append("SRM-021")
    s.kv_cache = e.cache / m.pipeline / s.data_ranks
    if not f.model_latent_attention:
        s.kv_cache = e.cache * max(1 / m.tensor, 1 / f.model_kv_heads) / m.pipeline / s.data_ranks
        fired.append("SRM-034")
    s.prefill = e.prefill_work
    if engine in ("transformers", "other") and (kind in GPTQ or kind in ("nf4", "nf4_double", "int8")):
        s.prefill = e.prefill_work + 2.0 * f.model_hidden_size * f.model_intermediate_size / m.tensor
        fired.append("SRM-046")
    elif engine == "litgpt" and kind in ("nf4", "nf4_double", "int8"):
        s.prefill = e.prefill_work + 4.0 * f.model_vocabulary_size * f.model_hidden_size
        fired.append("SRM-047")
    s.forward_phase = s.working = s.kv_cache + s.prefill
    if f.inference_cache == "growing":
        s.working = 4 * s.kv_cache + s.prefill
        fired.append("PEA-029")
    if engine in CACHE_ONCE:
        s.working = s.prefill
        fired.append("PEA-027")
