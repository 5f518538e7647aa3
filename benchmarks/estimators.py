"""Other memory estimators over the same points, where they are installed: each is asked as its documentation has it, with what our rules are told too.

`pip install canifinetune` is light. hf-vram-calc wants torch, transformers and accelerate: `pip install hf-vram-calc torch --extra-index-url
https://download.pytorch.org/whl/cpu`. Neither knows the length of a peak's interval, so only errors are held against each other.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

from observed import GIB

Estimator = Callable[["Known"], float | None]
Shape = Mapping[str, float]


class Known:
    """What both sides are told of a point. `shape` has facts of model.* without the group; `facts` those of the run; bytes out."""

    def __init__(self, name: str, group: str, shape: Shape, facts: Mapping[str, object], memory: float | None) -> None:
        self.name, self.group, self.shape, self.facts, self.memory = name, group, shape, facts, memory

    def member(self, path: str) -> str:
        """The one member of a fact, or ''."""
        value = self.facts.get(path)
        return value[0] if isinstance(value, list) and len(value) == 1 else ""

    def number(self, path: str) -> int | None:
        text = str(self.facts.get(path, ""))
        return int(text) if text.isdigit() else None


def installed() -> dict[str, tuple[str, Estimator]]:
    """Version and function of each estimator that can be imported."""
    found: dict[str, tuple[str, Estimator]] = {}
    for name, make in (("canifinetune", canifinetune), ("hf-vram-calc", vram_calc)):
        try:
            found[name] = (metadata.version(name), make())
        except (ImportError, metadata.PackageNotFoundError):
            continue
    return found


# ---------------------------------------------------------------- canifinetune


def canifinetune() -> Estimator:
    """One card, dense decoders, training: everything else it refuses. Its total without the safety margin that it adds."""
    library: Any = importlib.import_module("canifinetune.estimator")
    optimizers = {"adamw": "adamw_torch", "adam_8bit": "adamw_8bit", "paged_adam_8bit": "paged_adamw_8bit", "sgd": "sgd"}
    targets = {"attention_qv": "conservative", "attention_all": "attention", "all_linear": "all_linear"}

    def estimate(known: Known) -> float | None:
        length, batch = known.number("training.sequence_length"), known.number("training.micro_batch")
        if known.group == "inference" or not (length and batch) or known.number("gpu.count") not in (None, 1) or known.shape.get("experts", 0) > 1:
            return None
        shape = {k: int(known.shape[v]) for k, v in _SHAPE.items() if v in known.shape}
        if len(shape) < len(_SHAPE):
            return None
        base, method = known.member("training.base_format"), known.group.removeprefix("train_")
        request = {
            "model_id": known.name, "override": {**shape, "family": _family(known.name)}, "use_network": False,
            "method": method, "seq_len": length, "micro_batch_size": batch, "gpu_vram_gb": known.memory or 80,
            "base_dtype": "fp32" if "fp32" in str(known.facts.get("training.precision")) or base == "single" else "bf16",
            "quantization": "nf4" if base == "nf4" else "nf4_double_quant" if method == "qlora" else "none",
            "lora_rank": known.number("training.adapter_rank") or 16, "lora_target_scope": targets.get(known.member("training.adapter_targets"), "all_linear"),
            "optimizer": optimizers.get(known.member("training.optimizer"), "adamw_torch"),
            "gradient_checkpointing": known.member("training.checkpointing") != "none",
            "attention_implementation": "eager" if known.member("training.attention") == "eager" else "sdpa",
        }  # fmt: skip
        try:
            memory = library.estimate(library.EstimateRequest(**request)).memory
        except ValueError:
            return None
        return float(memory.total_estimated_gb - memory.safety_margin_gb) * GIB

    return estimate


_SHAPE = {
    "hidden_size": "hidden_size", "num_hidden_layers": "layers", "num_attention_heads": "attention_heads", "num_key_value_heads": "kv_heads",
    "intermediate_size": "intermediate_size", "vocab_size": "vocabulary_size", "total_params": "parameters",
}  # fmt: skip


def _family(name: str) -> str:
    families = ("qwen", "mistral", "gemma", "phi", "falcon", "gpt2", "bloom", "opt")
    return next((f for f in families if f in name.lower()), "llama")


# ---------------------------------------------------------------- hf-vram-calc


def vram_calc() -> Estimator:
    """Its columns for inference, training and LoRA, over the parameters of the model; a card's part of several where tensors are split."""
    calculator: Any = importlib.import_module("hf_vram_calc.calculator")
    config: Any = importlib.import_module("hf_vram_calc.config")
    made = calculator.VRAMCalculator(config.ConfigManager())
    types = {"half": "bf16", "single": "fp32", "int8": "int8"}

    def estimate(known: Known) -> float | None:
        parameters, count = known.shape.get("parameters"), known.number("gpu.count") or 1
        if not parameters:
            return None
        path = "inference.weight_format" if known.group == "inference" else "training.base_format"
        held = types.get(known.member(path), "int4" if known.member(path) else "bf16")
        base = made.calculate_model_memory(int(parameters), "bf16" if known.group == "train_full" else held)
        whole = {
            "inference": lambda: made.calculate_inference_memory(base), "train_full": lambda: made.calculate_training_memory(base),
        }.get(known.group, lambda: made.calculate_lora_memory(base, int(parameters), known.number("training.adapter_rank") or 64))()  # fmt: skip
        return float(whole) * GIB / count

    return estimate
