"""What the words of a published run mean: precision, optimizer, checkpointing, adapters, parallelism, as facts of the vocabulary.

A word that leaves something open becomes the set of what it may mean. Facts are `path -> value`; a value is a set of members, or a number as text.
"""

from __future__ import annotations

import re

Facts = dict[str, object]
"""Fact paths with a list of members, or text as a facts file has it."""


def has(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


# ---------------------------------------------------------------- numbers


CACHE = r"\b(?:int|fp|q)?(\d+)(?:[- ]?bit)?[\s-]*(?:KV|cache)[^,;+]*"
"""How keys and values are kept: `int8 KV cache`."""


def cache_bits(text: str) -> str:
    match = re.search(CACHE, text, re.IGNORECASE)
    return f"{match.group(1)} bit" if match else ""


def formats(text: str) -> list[str]:
    """Members of training.base_format that a precision may mean: `gptq-4bit-32g`, `bf16-true + bnb.nf4-dq`, `fp16`."""
    if has(r"fp8|float8|w8a8_fp8", text):
        return ["fp8"]
    text = re.sub(CACHE, "", text, flags=re.IGNORECASE)
    if has(r"gptq", text) and has(r"int8|(?<!\d)8-?\s?bit", text):
        return ["int8"]
    if has(r"(?<!\w)awq", text) and not has(r"\d+\s*g\b|\bg(?:roup)?\s*[-_=]?\s*\d", text):
        return ["gptq_128"]  # AWQ has groups of 128 unless another size is named
    if has(r"bnb|bitsandbytes", text) and has(r"int4", text):
        text = text.replace("int4", "4-bit")
    if has(r"gptq|int4|awq|w4a16", text):
        group = re.search(r"(\d+)\s*g\b|\bg(?:roup)?\s*[-_=]?\s*(\d+)", text, re.IGNORECASE)
        size = next((g for g in group.groups() if g), "") if group else ""
        named = {"128": ["gptq_128"], "32": ["gptq_32"]}.get(size)
        if named:
            return named
        if has(r"gptq-?\s*4-?bit$", text.strip()):
            return ["gptq_column"]  # without a group: one scale a column
        return ["gptq_128", "gptq_32", "gptq_column"] if has("gptq", text) else ["gptq_128", "gptq_32", "gptq_column", "other"]
    if has(r"nf4|fp4|(?<!\d)4-?\s?bit|qlora", text):
        if has(r"-?\bdq\b|double|nested", text):
            return ["nf4_double"]
        return ["nf4"] if has(r"nf4|fp4", text) else ["nf4", "nf4_double"]
    if has(r"int8|(?<!\d)8-?\s?bit|w8a", text):
        return ["int8"]
    if has(r"hqq|\bq[2-8]_|gguf|(?<!\d)[2356]-?bit|mxfp4", text):
        return ["other"]
    if has(r"fp32|float32|32-true|tf32|single", text):
        return ["single"]
    if has(r"bf16|fp16|float16|16-?bit|half|16-true", text):
        return ["half"]
    return []


def bits(text: str) -> str:
    """Bits a weight of a format that only its width describes: `Q4_K_M`, `3-bit`, `mxfp4`."""
    if name := re.search(r"\b(i?q\d_[a-z0-9_]+|mxfp4|nvfp4)\b", text, re.IGNORECASE):
        return name.group(1).lower()
    width = re.search(r"(\d)-?\s?bit", text)
    return f"{width.group(1)}..{int(width.group(1)) + 0.75} bit" if width else ""


def precision(text: str) -> list[str]:
    """Members of training.precision that a precision may mean; what only names the format of a frozen base says nothing of it."""
    brain, half, mixed = has(r"bf16|bfloat16", text), has(r"fp16|(?<!b)float16|\bf16\b", text), has(r"mixed|amp(?!.*no amp)|autocast", text)
    if has(r"fp8|float8", text):
        return ["fp8_mixed"]
    if has(r"no amp|pure|-true|full[_ ]bf16", text) and (brain or half or has(r"16-true", text)):
        return ["bf16_pure"]
    if has(r"no amp|pure|-true|fp32|float32|32-bit", text) and not (brain or half):
        return ["fp32"] if has("fp32|float32|32", text) else []
    if brain or half:
        found = ["bf16_mixed"] * brain + ["fp16_mixed"] * half
        return found if mixed else [*found, "bf16_pure"] if brain else found
    if has(r"tf32", text):
        return ["tf32"]
    if has(r"16-?bit|half|mixed|amp", text):
        return ["bf16_mixed", "fp16_mixed"] if mixed else ["bf16_mixed", "fp16_mixed", "bf16_pure"]
    return []


# ---------------------------------------------------------------- training


def optimizer(text: str) -> Facts:
    """`PagedAdamW8bit + optimizer_in_bwd`, `Adam (distributed optimizer)`, `AdamW fused, CPU offload`."""
    found: Facts = {}
    kinds = (
        (r"adalomo", "other"), (r"lomo", "lomo"), (r"adafactor", "adafactor"), (r"lion", "lion"), (r"muon", "muon"), (r"prodigy", "prodigy"),
        (r"paged.*(8-?_?bit)", "paged_adam_8bit"), (r"adam.*(8-?_?bit)|(8-?_?bit).*adam", "adam_8bit"), (r"paged.*adam.*32", "other"),
        (r"sgd.*momentum|momentum.*sgd|nesterov", "sgd_momentum"), (r"\bsgd\b", "sgd"),
        (r"galore|apollo|lamb|sophia|shampoo|soap", "other"), (r"adam", "adamw"),
    )  # fmt: skip
    for pattern, member in kinds:
        if has(pattern, text):
            found["training.optimizer"] = [member]
            break
    if has(r"in[_ -]?(bwd|backward)|fused? (optimizer )?(step )?into backward", text):
        found["training.optimizer_in_backward"] = ["yes"]
    if has(r"(?<!not )\bfused|_fused|fusedadam", text):
        found["training.optimizer_fused"] = ["yes"]
    if has(r"distributed optimizer", text):
        found["parallel.sharding_stage"] = ["optimizer"]
    return found


def checkpointing(text: str) -> Facts:
    """`true`, `full`, `selective + sequence parallel`, `recompute full layer`, `false`."""
    found: Facts = {}
    if has(r"sequence parallel|\bSP\b", text):
        found["parallel.sequence"] = ["yes"]
    if has(r"unsloth|offload", text):
        found["training.checkpointing"] = ["full_offloaded"]
    elif has(r"selective|partial", text):
        found["training.checkpointing"] = ["selective"]
    elif has(r"^(false|no|off|none|0)$|disabled", text.strip()):
        found["training.checkpointing"] = ["none"]
    elif text.strip():
        found["training.checkpointing"] = ["full"]  # "true" is every block in every framework but Megatron, where it was so until 2022
    return found


def adapters(rank: str, targets: str) -> Facts:
    """Rank and targets of LoRA: `q,v`, `q,k,v,o,mlp,head`, `all-linear`, `c_attn c_proj w1 w2`."""
    found: Facts = {"training.adapter_rank": rank} if rank else {}
    if not targets:
        return found
    if has(r"emb(?!ed.*no)", targets):
        member = ["all_linear_and_embeddings"]
    elif has(r"all[-_ ]linear|mlp|\bw1\b|gate|up_proj|fc|dense_h|\bff", targets) or targets.strip() == "all":
        member = ["all_linear"]
    elif has(r"\b(k|o|k_proj|o_proj|c_proj|dense|out_proj|wo|wk)\b|attention", targets):
        member = ["attention_all"]
    elif has(r"q|v|query|qkv|c_attn", targets):
        member = ["attention_qv"] if not has(r"qkv|query_key_value|c_attn", targets) else ["attention_qv", "attention_all"]
    else:
        return found
    return {**found, "training.adapter_targets": member}


# ---------------------------------------------------------------- several cards


def degree(letters: str, words: str, text: str) -> int | None:
    """A degree of parallelism: `TP8`, `TP=8`, `tensor parallel 8`, `8-way tensor`."""
    named = rf"(?:{words})[\s_-]*(?:parallel(?:ism)?)?(?:[\s_-]*size)?\s*[=:]?\s*(\d+)"
    for pattern in (rf"\b(?:{letters})\s*[=:]?\s*(\d+)", named, rf"(\d+)-way (?:{words})"):
        if match := re.search(pattern, text, re.IGNORECASE):
            return int(match.group(1))
    return None


STAGES = {"0": "none", "1": "optimizer", "2": "optimizer_gradients", "3": "full"}


def parallelism(text: str, count: int | None, trains: bool) -> Facts:
    """How the cards divide the work. `count` is the number of cards, where stated.

    `ZeRO-3, optimizer+params offloaded to CPU`, `FSDP full shard + CPU offload`, `TP8 PP35 DP9 SP`, `DDP`, `pipeline`, `accelerate`.
    """
    found: Facts = {}
    tensor, pipeline = degree("TP", "tensor", text), degree("PP", "pipeline", text)
    context, expert = degree("CP|SP", "context|ulysses", text), degree("EP", "expert", text)
    if stage := re.search(r"(?:zero[-_\s]*(?:stage)?[-_\s]*|\bds[-_\s]*z|\bz)([0-3])\b", text, re.IGNORECASE):
        denied = has(r"\b(no|without)\s+zero", text)
        found["parallel.sharding_stage"] = [s for n, s in STAGES.items() if (n == stage.group(1)) != denied]
        found["training.framework"] = ["deepspeed"]
    elif has(r"deepspeed|ds-zero", text):
        found["training.framework"] = ["deepspeed"]
        if has("ds-zero", text):
            found["parallel.sharding_stage"] = ["full"]
    elif has(r"fsdp|fully sharded", text):
        found["training.framework"] = ["fsdp"]
        member = "optimizer_gradients" if has(r"grad_op", text) else "full_within_node" if has("hybrid", text) else "none" if has("no_shard", text) else "full"
        found["parallel.sharding_stage"] = [member]
    elif has(r"\b(ddp|dp)\b|data parallel|replicat", text) and not (tensor or pipeline):
        found["parallel.sharding_stage"] = ["none"]
    if has(r"offload", text):
        weights = has(r"param|weight|optimizer\s*\+|all", text) or has("fsdp", text)
        found["training.offload"] = ["optimizer_and_weights"] if weights else ["optimizer", "optimizer_and_weights"]
        if has(r"optimizer (states? )?offload|offload(ed|ing)? optimizer", text) and not weights:
            found["training.offload"] = ["optimizer"]
    if has(r"nvme|infinity", text):
        found["training.offload"] = ["nvme"]
    if has(r"\bSP\b|sequence parallel", text):
        found["parallel.sequence"] = ["yes"]
    megatron = tensor is not None or pipeline is not None
    if not megatron and not trains and count and count > 1:
        if has(r"tensor|\btp\b|generate_tp|ds-inference", text):
            tensor, megatron = count, True
        elif has(r"pipeline|\bpp\b|sequential|accelerate|device_map|layer|auto", text):
            pipeline, megatron = count, True
    if not megatron and trains and count and count > 1 and has(r"device_map|layers? (are )?split|naive (pipeline|model)", text):
        pipeline, megatron = count, True
        found.setdefault("parallel.sharding_stage", ["none"])
    if megatron or "parallel.sharding_stage" in found or "training.framework" in found:
        found |= {"parallel.tensor": str(tensor or 1), "parallel.pipeline": str(pipeline or 1), "parallel.context": str(context or 1)}
    if expert:
        found["parallel.expert"] = str(expert)
    return found


def global_batch(text: str) -> int | None:
    match = re.search(r"global batch(?: size)?\s*[=:]?\s*(\d+)", text, re.IGNORECASE)
    return int(match.group(1)) if match else None


# ---------------------------------------------------------------- what a sentence supposes

COUNTED = {"one": 1, "a single": 1, "two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "sixteen": 16}
CARDS = r"(?:\d+ ?g(?:i?b)? )?(?:gpus?|cards?|v100s?|a100s?|h100s?|a800s?|rtx \d+s?|\d{4}s?|npus?)"


def supposed(text: str) -> Facts:
    """Settings that a sentence speaks of as if they held: `TP=4 fits`, `int4 fits 8 x 80 GB`, `ZeRO-2 does not fit`."""
    found: Facts = {}
    if match := re.search(r"\b(?:tp|tensor[- ]parallel)(?: size)?\s*[=:]?\s*(\d+)", text, re.IGNORECASE):
        found |= {"parallel.tensor": match.group(1), "parallel.pipeline": "1", "gpu.count": match.group(1)}
    numbers = "|".join(COUNTED)
    if match := re.search(rf"\b(\d{{1,3}}|{numbers})\s*(?:x\s*)?{CARDS}\b|\b(\d{{1,3}}) ?x \d+ ?g", text, re.IGNORECASE):
        word = (match.group(1) or match.group(2)).lower()
        found.setdefault("gpu.count", str(COUNTED.get(word, word)))
    if match := re.search(r"zero[- ]?([0-3])(?!/)", text, re.IGNORECASE):
        found |= {"parallel.sharding_stage": STAGES[match.group(1)]}
    elif has(r"sharded states|full sharding|fully sharded|if sharded", text):
        found["parallel.sharding_stage"] = "full"
    if has(r"without (any )?offload|no offload", text):
        found["training.offload"] = "none"
    if has(r"\b(int4|4-bit)\b.{0,40}\bfits?\b", text):
        found["inference.weight_bits"] = "4 bit"
    if match := re.search(r"\bfits? (?:on |in )?(?:a |one )?(\d+) ?gb\b", text, re.IGNORECASE):
        found["gpu.memory_nominal"] = f"{match.group(1)} GB"
    return found
