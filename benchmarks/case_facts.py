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

import words
from words import Facts, has

RUNS = 8
"""Runs of one case at most: further combinations of its lists add nothing that the others do not show."""

BITS = {"half": "16 bit", "single": "32 bit", "fp8": "8 bit", "int8": "8 bit"}
"""What a format of whole weights has of bits a weight."""

NUMBER = r"\d[\d,]*\.?\d*"
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
        yield ", ".join(names), fields


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
    measured(facts, {**{k: v for k, v in fields.items() if k.startswith(("gpu_util", "gpu_idle"))}, **_map(fields.get("measured"))})
    _numeric(facts, fields, trains, serves)
    if fields.get("method") is not None:
        count = fields.get("gpu_count")
        for path, value in words.parallelism(str(fields["method"]).replace("_", " "), count if isinstance(count, int) else None, trains).items():
            facts.setdefault(path, value)
        if has("unsloth", text):
            facts["training.framework"] = "unsloth"
    for name, series in _series(fields):
        _scaling(facts, name, series)
    for path in [p for p in facts if p.startswith("training." if serves else "inference.") and (trains or serves)]:
        facts.pop(path)


def _task(facts: Facts, task: str, fields: Mapping[str, Any]) -> None:
    kinds = (
        ("qlora", "qlora"), ("lora", "lora"), (r"inference|serv|generat", "inference"), ("continued", "continued_pretrain"), ("pretrain", "pretrain"),
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
        elif bpw := re.search(rf"({NUMBER})\s*bpw", base):
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
        facts["training.precision"] = members
    elif not trains and not adapters and not words.formats(base):
        facts["training.precision"] = base


def _put(path: str, unit: str = "") -> Callable[[Facts, Any, Mapping[str, Any]], None]:
    def put(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
        written = _amount(value, unit)
        if written:
            facts[path] = re.sub(r",[^%]*(?= %)", "", written)

    return put


def _amount(value: Any, unit: str = "") -> str:
    """A number, a list of its ends, or a text with a range or bound, with the unit that its field's name has."""
    if isinstance(value, list):
        numbers = [v for v in value if isinstance(v, int | float)]
        return _amount(f"{min(numbers)}..{max(numbers)}" if numbers and min(numbers) != max(numbers) else numbers[0], unit) if numbers else ""
    if isinstance(value, Mapping):
        return _amount(next((v for k, v in value.items() if k in ("usable", "wanted", "limit")), next(iter(value.values()))), unit)
    text = str(value).strip()
    if match := re.fullmatch(rf"({NUMBER})\s*(?:-|\.\.)\s*({NUMBER})", text):
        text = f"{match.group(1)}..{match.group(2)}"
    bound = re.match(r"(>=?|<=?)\s*", text)
    if bound:
        text = f"{bound.group(1)[0]}= {text[bound.end() :]}"
    return f"{text} {unit}".strip()


def _gpu(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["gpu.name"] = str(value)


def _memory(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    """Memory of a card without a name of its unit: a bare number of thousands is what nvidia-smi prints, MiB."""
    text = str(value)
    bare = re.fullmatch(r"\d{4,6}", text)
    facts["gpu.memory_usable" if bare else "gpu.memory_nominal"] = f"{text} MiB" if bare else re.sub(r"(?<=\d)G$", " GB", text)


def _count(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["gpu.count"] = str(value)


def _nodes(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["network.nodes"] = str(value)
    each = fields.get("gpus_per_node")
    if isinstance(each, int) and "gpu_count" not in fields:
        facts["gpu.count"] = str(each * int(value))


def _interconnect(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    text = " ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)
    several = int(fields.get("nodes") or 1) > 1
    without = re.sub(r"\b(no|without)\s+\w+", " ", text, flags=re.IGNORECASE)
    if several or has(r"infiniband|\bib\b|roce|ethernet|tcp", text):
        if has(r"tcp|ethernet", without) or has(r"no infiniband|no ib\b|no rdma", text):
            facts["network.kind"] = "ethernet_tcp"
        elif has(r"roce", without):
            facts["network.kind"] = "roce"
        elif has(r"infiniband|\bib\b", without):
            facts["network.kind"] = "infiniband"
    if has(r"pcie|\bphb\b|\bsys\b|\bpix\b|no nvlink", text) and not has(r"nvlink(?!.*no)", without):
        facts["interconnect.kind"] = "pcie"
    elif has(r"nvswitch", without):
        facts["interconnect.kind"] = "nvlink_switch"
    if has(r"p2p\D{0,12}(disabled|off|no\b)|no p2p", text):
        facts["interconnect.peer_to_peer"] = "no"
    if (match := re.search(rf"(?:(\d+) x )?\D{{0,12}}({NUMBER})\s*gb/s", text, re.IGNORECASE)) and several:
        facts["network.bandwidth"] = f"{int(match.group(1) or 1) * float(match.group(2)):g} Gb/s"


def _environment(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    if isinstance(value, Mapping) and value.get("p2p_disabled"):
        facts["interconnect.peer_to_peer"] = "no"


def _offload(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    text = str(value)
    both = isinstance(value, Mapping) and {"params", "optimizer"} <= set(value)
    facts["training.offload"] = "none" if has(r"none|false", text) and not isinstance(value, Mapping) else "optimizer_and_weights" if both else (
        "nvme" if has("nvme", text) else "optimizer" if has("optim", text) else ["optimizer", "optimizer_and_weights"]
    )  # fmt: skip


def _power(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    for key, amount in value.items() if isinstance(value, Mapping) else ():
        if key in ("psu_w", "psu_max_w_at_100v"):
            facts["host.psu_power"] = f"{amount} W"
        elif key in ("outlet_w", "circuit_w"):
            facts["site.circuit_power"] = f"{amount} W"
        elif key in ("tdp_w", "gpu_w"):
            facts["gpu.power_limit"] = _amount(amount, "W")
        elif key in ("rack_w", "rack_kw"):
            facts["site.rack_power"] = f"{amount} {'kW' if key.endswith('kw') else 'W'}"
        elif key == "line" and (match := re.search(rf"({NUMBER})\s*V\D*({NUMBER})\s*A", str(amount))):
            facts["site.circuit_power"] = f"{float(match.group(1)) * float(match.group(2)):g} W"
        elif key == "shutdown" and amount:
            facts["measured.power_cut"] = "yes"
    rest = [v for k, v in value.items() if k in ("cpu_w", "rest_w", "host_w", "system_w")] if isinstance(value, Mapping) else []
    if rest:
        facts["host.other_power"] = f"{sum(rest)} W"


def _settings(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    share = value.get("gpu_memory_utilization") if isinstance(value, Mapping) else None
    if share is not None:
        facts["inference.memory_utilization"] = str(share)


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


def _storage(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    kinds = (
        ("nfs|network", "nfs"), ("nvme", "nvme"), ("ssd", "sata_ssd"), ("hdd|disk", "disk"), ("s3|object|gcs", "object_store"), ("lustre|gpfs", "parallel_fs"),
    )  # fmt: skip
    for pattern, member in kinds:
        if has(pattern, str(value)):
            facts["storage.kind"] = member
            return


def _kv_precision(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["inference.kv_bits"] = str(value)


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


def _power_mean(facts: Facts, value: Any, fields: Mapping[str, Any]) -> None:
    facts["gpu.power_limit"] = _amount(value, "W")


FIELDS: dict[str, Callable[[Facts, Any, Mapping[str, Any]], None]] = {
    "task": _ignored, "method": _ignored, "precision": _ignored, "measured": _ignored, "gpus_per_node": _ignored, "note": _ignored, "caution": _ignored,
    "model": _put("model.name"), "model_path": _put("model.name"), "title": _title,
    "params_b": _put("model.size_class", "B"), "params_m": _put("model.size_class", "M"),
    "active_params_b": _put("model.active_parameters", "B"), "params": _put("model.parameters"), "attention_heads": _put("model.attention_heads"),
    "gpu": _gpu, "gpu_memory_gb": _put("gpu.memory_nominal", "GB"), "unified_memory_gb": _put("gpu.memory_nominal", "GB"), "gpu_memory": _memory,
    "gpu_memory_mib": _put("gpu.memory_usable", "MiB"), "gpu_count": _count, "nodes": _nodes, "power_w": _power_mean,
    "host_ram_gb": _put("host.memory", "GB"), "cpu_cores": _put("host.cpu_cores"), "dataloader_workers": _put("host.loader_workers"), "storage": _storage,
    "optimizer": _optimizer, "micro_batch": _put("training.micro_batch"), "batch": _put("training.micro_batch"),
    "grad_accum": _put("training.gradient_accumulation"),
    "seq_len": _put("training.sequence_length"), "completion_len": _put("training.sequence_length"), "gradient_checkpointing": _checkpointing,
    "attention": lambda f, v, _: f.update({"training.attention": "fused" if has(r"flash|fa2|fa3|sdpa|xformers", str(v)) else str(v)}),
    "offload": _offload, "lora_rank": _put("training.adapter_rank"), "engine": lambda f, v, _: f.update({"inference.engine": _engine(str(v))}),
    "context": _put("inference.context_length"), "max_batch": _put("inference.concurrency"), "concurrency": _put("inference.concurrency"),
    "tensor_parallel": _put("parallel.tensor"), "pipeline_parallel": _put("parallel.pipeline"), "data_parallel": _data_parallel, "expert_parallel": _expert,
    "kv_precision": _kv_precision, "offload_layers": _layers, "settings": _settings, "gpu_memory_utilization": _utilization,
    "interconnect": _interconnect, "env": _environment, "power": _power, "memory_need_gb": _put("memory.rule_of_thumb", "GB"),
    "buy_usd": lambda f, v, c: f.update(_price(v, c, "USD")), "rent_usd_h": _put("budget.rent_price", "USD/h"), "peak_memory": _put("measured.memory_peak"),
    "residual_fraction_24_months": lambda f, v, _: f.update({"budget.residual_share": str(v), "period.horizon": "2 years"}),
    "samples_s": _put("measured.throughput", "sample/s"), "eur_h": _put("budget.rent_price", "USD/h"), "blocks_to_swap": _ignored,
    "gpu_util_pct": _put("measured.gpu_utilization", "%"), "max_pixels": _ignored,
}  # fmt: skip


def _engine(text: str) -> str:
    kinds = ((r"ascend|vllm", "vllm"), (r"llama\.?cpp|lm studio|ollama", "llama_cpp"), ("exllama|tabby", "exllama"), (r"tensorrt", "tensorrt_llm"))
    for pattern, member in kinds:
        if has(pattern, text):
            return member
    return text


def _price(value: Any, fields: Mapping[str, Any], currency: str) -> Facts:
    count = fields.get("gpu_count")
    path = "budget.purchase_price" if isinstance(count, int) and count > 1 else "budget.card_price"
    return {path: _amount(value, currency)}


# ---------------------------------------------------------------- measurements


def _series(fields: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from ((k, v) for k, v in {**fields, **_map(fields.get("measured"))}.items() if isinstance(v, Mapping))


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _scaling(facts: Facts, name: str, series: Mapping[str, Any]) -> None:
    """Rates by the number of cards: samples a second of all, or iterations, of which each card does one batch."""
    counted = {n: float(v) for k, v in series.items() if (n := _cards(str(k))) and isinstance(v, int | float)}
    if 1 not in counted or len(counted) < 2:
        return
    have = str(facts.get("gpu.count", ""))
    most = int(have) if have.isdigit() and int(have) in counted and int(have) > 1 else max(counted)
    rates: dict[int, float] = {}
    for n in (1, most):
        value = counted[n]
        if has(r"samples|images|examples", name):
            rates[n] = value
        elif has(r"^s_per_|s_per_it|s_it$", name):
            rates[n] = n / value
        elif has(r"it_?s|its|steps_per_s|it_per_s", name):
            rates[n] = n * value
    if rates:
        facts |= {"gpu.count": str(most), "measured.throughput_one_gpu": f"{rates[1]:g}", "measured.throughput": f"{rates[most]:g}"}


def _cards(key: str) -> int:
    match = re.fullmatch(r"(\d+)|one|.*_(\d+)", key)
    return 0 if match is None else int(match.group(1) or match.group(2) or 1)


def _seconds(measured: Mapping[str, Any], *names: str) -> float | None:
    for name in names:
        for suffix, scale in (("s", 1.0), ("ms", 0.001)):
            for key in (f"{name}_{suffix}", name.replace("*", suffix)):
                value = measured.get(key)
                if isinstance(value, int | float):
                    return float(value) * scale
    return None


def measured(facts: Facts, given: Mapping[str, Any]) -> None:
    """What a case measured: memory, where it failed, idling, waiting, swings, drift, clocks, the cache."""
    for key, value in given.items():
        if match := re.fullmatch(r"(allocated|reserved|memory|gpu_memory|peak|gb_per_gpu|mem)(?:_per_gpu)?_?(gib|gb|mib|mb)?(?:_per_gpu)?", key):
            unit = {"gib": "GiB", "gb": "GB", "mib": "MiB", "mb": "MB"}[match.group(2) or "gb"]
            kind = {"allocated": "allocated", "reserved": "reserved"}.get(match.group(1))
            facts["measured.memory_peak"] = _amount(max(value) if isinstance(value, list) else value, unit)
            if kind:
                facts["measured.memory_kind"] = kind
        elif key == "capacity_gib":
            facts["gpu.memory_usable"] = f"{value} GiB"
        elif key == "failed_alloc_gib":
            facts.setdefault("measured.out_of_memory", ["load", "forward", "backward", "optimizer_step", "prefill", "cache_allocation"])
        elif key == "where":
            facts["measured.out_of_memory"] = str(value)
        elif key == "exit_code" and str(value) in ("-9", "137"):
            facts["measured.out_of_memory"] = "host"
        elif key == "kv_cache_tokens" or key.startswith("kv_cache_tokens"):
            facts["measured.kv_cache_tokens"] = str(value)
        elif key == "gpu_idle_pct":
            low, high = (float(n) for n in str(value).split("-")) if "-" in str(value) else (float(value), float(value))
            facts["measured.gpu_utilization"] = f"{100 - high:g}..{100 - low:g} %" if low != high else f"{100 - low:g} %"
        elif key == "gpu_util_pct_series":
            facts["measured.gpu_utilization"] = f"{sum(value) / len(value):g} %"
        elif key == "gpu_util_pct":
            facts["measured.gpu_utilization"] = _amount(value, "%")
        elif key == "power_w_series":
            facts["measured.power"] = f"{sum(value) / len(value):g} W"
    wait, step = _seconds(given, "data", "data_s_per_batch", "data_wait"), _seconds(given, "iter", "step", "gpu_step")
    wait = float(given["data_s_per_batch"]) if wait is None and "data_s_per_batch" in given else wait
    if wait is not None and step is not None:
        whole = step if "iter_s" in given or wait < step and "gpu_step_ms" not in given else step + wait
        facts["measured.data_wait_share"] = f"{min(100.0, 100 * wait / whole):.4g} %"
    spikes, median, mean = given.get("step_s_spikes"), given.get("step_s_median"), given.get("mean_step_s")
    if isinstance(spikes, list) and isinstance(median, int | float):
        facts["measured.throughput_fluctuation"] = "500 %"
        waits = given.get("data_s_spikes")
        if isinstance(waits, list) and isinstance(mean, int | float):
            facts["measured.data_wait_share"] = f"{100 * (mean - median) / mean:.3g} %"
    cold, hot = given.get("step_s_cold"), given.get("step_s_hot")
    if isinstance(cold, int | float) and hot is not None:
        slow = hot if isinstance(hot, list) else [hot]
        facts["measured.throughput_drift"] = f"{100 * (cold / max(slow) - 1):.3g}..{100 * (cold / min(slow) - 1):.3g} %"
    if "clock_mhz" in given and "clock_default_mhz" in given:
        facts["measured.clock_share"] = f"{100 * given['clock_mhz'] / given['clock_default_mhz']:.3g} %"
    if (before := _seconds(given, "step")) and (after := _seconds({k.removesuffix("_after"): v for k, v in given.items() if k.endswith("_after")}, "step")):
        facts.setdefault("measured.data_wait_share", f"{100 * (1 - after / before):.3g} %")
