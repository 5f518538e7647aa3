"""Facts of a public case from its own fields, whatever fields it has: one case may be several runs, where it lists cards, counts, methods or lengths.

A field is `name -> value` as its collector wrote it (params_b, gpu_memory_gb, measured: {...}). What has no fact of the vocabulary is left, and told.
Outcome, fix and expectation of a case are never read.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import case_machine
import case_measured
import case_names
import words
from words import Facts, has

RUNS = 8
"""Runs of one case at most: further combinations of its lists add nothing that the others do not show."""

BITS = {"half": "16 bit", "single": "32 bit", "fp8": "8 bit", "int8": "8 bit"}
"""What a format of whole weights has of bits a weight."""

SERVES = r"inference|serv|generat|deploy|decode_bench"
TRAINS_ALL = ["pretrain", "continued_pretrain", "full_finetune"]
VARIED = ("model", "params_b", "gpu", "gpu_memory_gb", "gpu_count", "method", "nodes", "micro_batch", "seq_len", "context", "dataloader_workers", "options")


@dataclass(slots=True)
class Run:
    """What one run of a case states: `facts` as a facts file has them, `name` what tells it from the case's other runs, `left` the fields without a fact."""

    name: str
    facts: Facts = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


def runs(case: Mapping[str, Any]) -> list[Run]:
    """The runs that a case's fields state; the first is the one that its first words describe."""
    stated = {**case.get("facts", {})}
    raw = stated.pop("raw", None)
    if isinstance(raw, Mapping):
        stated |= {k: v for k, v in raw.items() if k not in stated}
    stated = case_names.canonical(stated)
    if has(SERVES, str(stated.get("task", ""))):
        stated = case_names.serving(stated)
    found: list[Run] = []
    for name, fields in itertools.islice(_variants(stated), RUNS):
        run = Run(name)
        _state(run, fields)
        if run.facts not in [r.facts for r in found]:
            found.append(run)
    return found


# ---------------------------------------------------------------- lists


def _variants(stated: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every combination of what the case lists; lists of one length belong together, item by item."""
    choices: dict[str, list[Any]] = {}
    for key in VARIED:
        value = stated.get(key)
        if key == "options" and isinstance(value, Mapping):
            choices[key] = [(k, v) for k, v in value.items()]
        elif isinstance(value, list):
            choices[key] = value
        elif isinstance(value, Mapping) and key in ("seq_len", "context"):
            choices[key] = [v for k, v in value.items() if isinstance(v, int) and not has(r"prefill|input", k)] or [None]
        elif key == "gpu_memory_mib" and isinstance(value, Mapping):
            choices[key] = list(value.items())
    sizes = _by_model(stated)
    if sizes:
        choices["model"] = list(sizes)
    if isinstance(stated.get("gpu_memory_mib"), Mapping):
        choices["gpu_memory_mib"] = list(stated["gpu_memory_mib"].items())
    groups: dict[tuple[str, int], list[str]] = {}
    for key, values in choices.items():
        family = "card" if key in ("gpu", "gpu_memory_gb") else "model" if key in ("model", "params_b") else key
        groups.setdefault((family, len(values)), []).append(key)
    for picked in itertools.product(*([(keys, n) for n in range(size)] for (_, size), keys in groups.items())):
        fields = dict(stated)
        names = []
        for keys, index in picked:
            for key in keys:
                value = choices[key][index]
                if key in ("options", "gpu_memory_mib") and isinstance(value, tuple):
                    names.append(str(value[0]))
                    fields.pop(key)
                    fields.setdefault("gpu", str(value[0]).replace("_", " "))
                    fields |= value[1] if isinstance(value[1], Mapping) else {"gpu_memory_mib": value[1]}
                else:
                    names.append(f"{key} {value}")
                    fields[key] = value
                    fields |= {"measured": sizes[value]} if key == "model" and value in sizes else {}
        yield ", ".join(names), fields


def _by_model(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Measurements that a case lists by model, where it names none: `measured: {qwen3-4b: {...}, qwen3-8b: {...}}`."""
    found = {k: v for k, v in _map(stated.get("measured")).items() if isinstance(v, Mapping) and re.search(r"[a-z].*\d+(\.\d+)?b\b", k, re.IGNORECASE)}
    return found if len(found) > 1 and not {"model", "params_b"} & set(stated) else {}


# ---------------------------------------------------------------- fields


def _state(run: Run, fields: Mapping[str, Any]) -> None:
    facts, text = run.facts, " ".join(str(fields.get(k, "")) for k in ("task", "method", "precision", "title"))
    _task(facts, str(fields.get("task", "")), fields)
    task = facts.get("workload.task")
    trains, serves = task is not None and task != "inference", task == "inference"
    for key, value in fields.items():
        reader = FIELDS.get(key)
        if reader is None:
            run.left.append(key)
        elif value is not None:
            reader(facts, value, fields)
    beside = ("gpu_util", "gpu_idle", "cpu_util", "temp_c", "throttl", "exit_code", "oom", "mfu_pct")
    stated = {**{k: v for k, v in fields.items() if k.startswith(beside)}, **_map(fields.get("measured"))}
    case_measured.measured(facts, stated, fields.get("context"))
    _numeric(facts, fields, trains, serves)
    if fields.get("method") is not None:
        count = fields.get("gpu_count")
        for path, value in words.parallelism(str(fields["method"]).replace("_", " "), count if isinstance(count, int) else None, trains).items():
            facts.setdefault(path, value)
        if has("unsloth", text):
            facts["training.framework"] = "unsloth"
    for name, series in case_measured.series(fields):
        case_measured.scaling(facts, name, series)
    for path in [p for p in facts if p.startswith("training." if serves else "inference.") and (trains or serves)]:
        facts.pop(path)


def _task(facts: Facts, task: str, fields: Mapping[str, Any]) -> None:
    kinds = (
        ("qlora", "qlora"), ("lora", "lora"), (SERVES, "inference"), ("continued", "continued_pretrain"), ("pretrain", "pretrain"),
        (r"full_?fine|sft|grpo|ppo|dpo|\brl", "full_finetune"), (r"fine_?tun", ["full_finetune", "lora", "qlora"]), ("train", TRAINS_ALL),
    )  # fmt: skip
    for pattern, value in kinds:
        if has(pattern, task):
            facts["workload.task"] = value
            break
    senses = (
        ("video", "video"), (r"tts|audio|speech|asr", "audio"), ("multimodal|vlm", "multimodal"),
        (r"vision|image|diffusion|segment|3d|detect|classif", "image"),
    )  # fmt: skip
    for pattern, member in senses:
        if has(pattern, task):
            facts["workload.modality"] = member
            return
    if has(r"-?vl-", str(fields.get("model", ""))):
        facts["workload.modality"] = "multimodal"


def _numeric(facts: Facts, fields: Mapping[str, Any], trains: bool, serves: bool) -> None:
    """Precision: of the arithmetic in training, of the weights in inference, and of the frozen base under adapters."""
    given = fields.get("precision")
    base = " ".join(str(v) for k, v in given.items() if k not in ("compute",)) if isinstance(given, Mapping) else str(given or "")
    compute = str(given.get("compute", given.get("base", ""))) if isinstance(given, Mapping) else base
    if not base:
        return
    if serves:
        if has(r"\(fp8 unsupported\)", base):
            base = re.sub(r"\(.*?\)", "", base)
        if width := words.bits(base):
            facts["inference.weight_bits"] = width
        elif bpw := re.search(rf"({case_machine.NUMBER})\s*bpw", base):
            facts["inference.weight_bits"] = f"{bpw.group(1)} bit"
        elif members := words.formats(base):
            facts["inference.weight_format"] = members
            facts |= {"inference.weight_bits": BITS[members[0]]} if len(members) == 1 and members[0] in BITS else {}
        if arithmetic := re.search(r"bf16|bfloat16|(?<!b)float16|(?<!b)fp16", base, re.IGNORECASE):
            facts["inference.precision"] = "bf16" if arithmetic.group(0).lower().startswith("b") else "fp16"
        return
    adapters = facts.get("workload.task") in ("lora", "qlora")
    if adapters and (members := words.formats(base)):
        facts |= {"training.base_format": ["other"], "training.base_weight_bits": "8 bit"} if members == ["fp8"] else {"training.base_format": members}
    if members := words.precision(re.sub(r"\d-?bit|8bit base|nf4|double_quant", " ", compute)):
        pure = has(r"torchtune|pure|adamw_bf16|lomo", f"{fields.get('method')} {fields.get('framework')} {fields.get('optimizer')}")
        flag = [m for m in members if m != "bf16_pure"] if not (adapters or pure or has("true|full_bf16|pure", compute)) else members
        facts["training.precision"] = flag or members  # the flag of a trainer, which keeps fp32 copies of what it trains
    elif not trains and not adapters and not words.formats(base):
        facts["training.precision"] = base


def _put(path: str, unit: str = "") -> Callable[[Facts, Any, Mapping[str, Any]], None]:
    def put(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
        written = case_machine.quantity(value, unit)
        if written:
            facts[path] = re.sub(r",[^%]*(?= %)", "", written)

    return put


def _offload(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    text = str(value)
    both = isinstance(value, Mapping) and {"params", "optimizer"} <= set(value)
    facts["training.offload"] = "none" if has(r"none|false", text) and not isinstance(value, Mapping) else "optimizer_and_weights" if both else (
        "nvme" if has("nvme", text) else "optimizer" if has("optim", text) else ["optimizer", "optimizer_and_weights"]
    )  # fmt: skip


def _settings(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """Options of a launch line; what has a field of its own is read by that field's reader."""
    for name, given in case_names.serving(case_names.canonical(_map(value))).items():
        if name in SET and name not in fields:
            FIELDS[name](facts, given, fields)


SET = ("gpu_memory_utilization", "concurrency", "prefill_tokens", "kv_precision", "context", "tensor_parallel", "pipeline_parallel", "gradient_checkpointing")


def _attention(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    fused = value is True or has(r"flash|fa2|fa3|sdpa|xformers|efficient|^(yes|true|auto)$", str(value))
    facts["training.attention"] = "fused" if fused else "eager" if value is False or has(r"eager|math|^no", str(value)) else str(value)


def _sequence(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """A degree is of context parallelism; yes or no is of what Megatron does beside tensor parallelism."""
    facts["parallel.sequence" if isinstance(value, bool) else "parallel.context"] = ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _monthly(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    if isinstance(value, int | float):
        facts["budget.rent_price"] = f"{value / 730:.4g} USD/h"


def _hours(of: int) -> Callable[[Facts, Any, Mapping[str, Any]], None]:
    def hours(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
        used = case_names.numbers(value)
        if used:
            low, high = 100 * min(used) / of, 100 * max(used) / of
            facts["period.utilization"] = f"{low:.4g}..{high:.4g} %" if low != high else f"{low:.4g} %"

    return hours


PATCH = 28 * 28
"""Pixels of one visual token of the Qwen-VL models: patches of 14, two by two."""


def _pixels(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    if isinstance(value, int) and has(r"qwen.*vl", str(fields.get("model", ""))):
        facts["workload.visual_tokens"] = str(max(1, value // PATCH))


def _framework(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    for pattern, member in (("unsloth", "unsloth"), ("torchtune", "torchtune"), ("megatron|nemo", "megatron"), (r"\bmlx", "mlx"), ("litgpt", "litgpt")):
        if has(pattern, str(value)):
            facts["training.framework"] = member


def _utilization(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """A fraction where 0 to 1 is expected; a case on the spelling itself has a mapping of what is written where."""
    if not isinstance(value, Mapping):
        facts["inference.memory_utilization"] = str(value)
    elif has("percent", str(value)):
        facts["inference.memory_utilization"] = "90"


def _layers(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    if match := re.fullmatch(r"(\d+) of (\d+)", str(value)):
        on, all_layers = int(match.group(1)), int(match.group(2))
        facts["parallel.host_layer_share"] = f"{100 * (all_layers - on) / all_layers:g} %"


def _checkpointing(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts |= words.checkpointing("false" if has(r"unsupported|false|no\b", str(value)) else str(value))


def _optimizer(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts |= words.optimizer(str(value))


def _kv_precision(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["inference.kv_bits"] = str(value)


def _parallel(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """Degrees together, `{tp: 8, pp: 2}`, or by the size of the model, of which the last is the larger."""
    inner = [v for v in _map(value).values() if isinstance(v, Mapping)]
    for name, degree in case_names.canonical(inner[-1] if inner else _map(value)).items():
        if name in FIELDS and name not in fields:
            FIELDS[name](facts, degree, fields)


def _expert(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    if value is True and isinstance(fields.get("gpu_count"), int):
        facts["parallel.expert"] = str(fields["gpu_count"])


def _data_parallel(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts |= {"parallel.tensor": "1", "parallel.pipeline": "1"}


def _ignored(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """Read together with another field."""


def _title(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """A size that a title names, set beside the model that the configuration loads."""
    if match := re.search(r"(?<![\w.])(\d+(?:\.\d+)?)b\b", str(value), re.IGNORECASE):
        facts["model.size_class"] = f"{match.group(1)}B"


FIELDS: dict[str, Callable[[Facts, Any, Mapping[str, Any]], None]] = {
    "task": _ignored, "method": _ignored, "precision": _ignored, "measured": _ignored, "gpus_per_node": _ignored, "note": _ignored,
    "caution": _ignored, "model": _put("model.name"), "model_path": _put("model.name"), "title": _title, "params_b": _put("model.size_class", "B"),
    "params_m": _put("model.size_class", "M"), "active_params_b": _put("model.active_parameters", "B"), "params": _put("model.parameters"),
    "attention_heads": _put("model.attention_heads"), "gpu": case_machine.gpu, "gpu_memory_gb": _put("gpu.memory_nominal", "GB"),
    "unified_memory_gb": _put("gpu.memory_nominal", "GB"), "gpu_memory": case_machine.memory, "gpu_memory_mib": _put("gpu.memory_usable", "MiB"),
    "gpu_count": case_machine.count, "nodes": case_machine.nodes, "power_w": case_machine.power_mean, "host_ram_gb": _put("host.memory", "GB"),
    "cpu_cores": _put("host.cpu_cores"), "dataloader_workers": _put("host.loader_workers"), "storage": case_machine.storage, "optimizer": _optimizer,
    "micro_batch": _put("training.micro_batch"), "batch": _put("training.micro_batch"), "grad_accum": _put("training.gradient_accumulation"),
    "seq_len": _put("training.sequence_length"), "completion_len": _put("training.sequence_length"), "gradient_checkpointing": _checkpointing,
    "attention": _attention, "sequence_parallel": _sequence, "prefill_tokens": _put("inference.prefill_chunk"), "offload": _offload,
    "lora_rank": _put("training.adapter_rank"), "engine": lambda f, v, _: f.update({"inference.engine": _engine(str(v))}),
    "context": _put("inference.context_length"), "max_batch": _put("inference.concurrency"), "concurrency": _put("inference.concurrency"),
    "tensor_parallel": _put("parallel.tensor"), "pipeline_parallel": _put("parallel.pipeline"), "data_parallel": _data_parallel,
    "expert_parallel": _expert, "kv_precision": _kv_precision, "offload_layers": _layers, "settings": _settings,
    "gpu_memory_utilization": _utilization, "interconnect": case_machine.interconnect, "env": case_machine.environment, "power": case_machine.power,
    "memory_need_gb": _put("memory.rule_of_thumb", "GB"), "buy_usd": lambda f, v, c: f.update(_price(v, c, "USD")),
    "rent_usd_h": _put("budget.rent_price", "USD/h"), "peak_memory": _put("measured.memory_peak"),
    "residual_fraction_24_months": lambda f, v, _: f.update({"budget.residual_share": str(v), "period.horizon": "2 years"}),
    "samples_s": _put("measured.throughput", "sample/s"), "blocks_to_swap": _ignored, "max_pixels": _pixels, "rent_usd_month": _monthly,
    "utilisation_pct": _put("period.utilization", "%"), "hours_per_day": _hours(24), "hours_per_month": _hours(730),
    "horizon_years": _put("period.horizon", "year"), "horizon_months": _put("period.horizon", "month"),
    "electricity_usd_kwh": _put("site.electricity_price", "USD/kWh"), "residual_fraction": _put("budget.residual_share"), "framework": _framework,
    "parallel": _parallel, "gpu_util_pct": _ignored, "mfu_pct": _ignored,
    "cpu_util_pct": _ignored, "temp_c": _ignored, "exit_code": _ignored, "oom": _ignored, "gpu_idle_pct": _ignored,
}  # fmt: skip


def _engine(text: str) -> str:
    kinds = (
        (r"ascend|vllm", "vllm"), (r"llama\.?cpp|lm studio|ollama|kobold|gguf", "llama_cpp"), ("exllama|tabby", "exllama"),
        (r"tensorrt|trt-?llm", "tensorrt_llm"),
        ("sglang", "sglang"), (r"\btgi\b|text-generation-inference", "tgi"), ("lmdeploy|turbomind", "lmdeploy"), ("litgpt|lit-gpt", "litgpt"),
        (r"\bmlx", "mlx"), (r"(?<!k)transformers|hugging ?face|accelerate|diffusers", "transformers"),
    )  # fmt: skip
    return next((member for pattern, member in kinds if has(pattern, text)), "other")


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _price(value: Any, fields: Mapping[str, Any], currency: str) -> Facts:
    count = fields.get("gpu_count")
    path = "budget.purchase_price" if isinstance(count, int) and count > 1 else "budget.card_price"
    return {path: case_machine.quantity(value, currency)}
