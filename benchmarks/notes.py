"""What the prose of a published run says of it: its note, its source's title, table and address, as facts of the vocabulary.

Nobody need have documented the source: these are the words that reports of every kind use. What a recipe documents stands before them.
"""

from __future__ import annotations

import re

from words import Facts, has

TRAINERS = (
    (r"unsloth", ["unsloth"]),
    (r"lit-?(gpt|llama|parrot)", ["litgpt"]),
    (r"torchtune", ["torchtune"]),
    (r"torchtitan|llm-foundry|mosaicml|composer|\bfsdp", ["fsdp"]),
    (r"megatron|\bnemo\b", ["megatron"]),
    (r"deepspeed|zero[- ]?[123]\b", ["deepspeed"]),
    (r"mlx", ["mlx"]),
    (r"trainer\b|\btrl\b|\bpeft\b|transformers|hugging ?face|axolotl|llama-?factory|swift|xtuner|fastchat|accelerate", ["transformers"]),
)
"""Words with the framework that they name; of one card, what builds on Transformers is Transformers itself."""
ENGINES = (
    (r"vllm", "vllm"), (r"sglang", "sglang"), (r"text-generation-inference|\btgi\b", "tgi"), (r"tensorrt-?llm|trt-?llm", "tensorrt_llm"),
    (r"lmdeploy|turbomind", "lmdeploy"), (r"llama\.?cpp|gguf|ollama|koboldcpp", "llama_cpp"), (r"exllama|exl2", "exllama"), (r"lit-?gpt", "litgpt"),
    (r"\bmlx", "mlx"),
    (r"transformers|hugging ?face|bitsandbytes|auto-?gptq|optimum|device_map", "transformers"),
)  # fmt: skip
NUMBER = r"(\d[\d,]*)"
ACCUMULATION = rf"(?:gradient[- ])?accumulation(?: steps?)?(?: of)?\s*[:=]?\s*{NUMBER}|{NUMBER} (?:steps of )?(?:gradient )?accumulation"
PROMPT = rf"(?:input|prompt|prefill)(?:s|ting)?(?: length)?(?: is)?(?: of| with)?\s*[:=]?\s*{NUMBER}(?: tokens?)?|{NUMBER}[- ]tokens? (?:input|prompt)"
ANSWER = rf"max_new_tokens\s*[:=]?\s*{NUMBER}|(?:generat(?:es?|ing)|decod(?:es?|ing)|output(?: length)?(?: of)?)\s*[:=]?\s*{NUMBER}"
SHORT = "1..64"
"""Tokens of a prompt that is called short, or not described."""


def training(text: str, cards: int | None) -> Facts:
    """Framework, attention kernel, loss, compiling and accumulation, as far as the words tell."""
    found: Facts = {}
    for pattern, members in TRAINERS:
        if has(pattern, text):
            sharded = ["fsdp", "deepspeed"] if members == ["transformers"] and cards != 1 else []
            found["training.framework"] = [*members, *sharded]
            break
    if has(r"(without|no|not|disabled?) (use of )?(flash|fused|sdpa|xformers)|eager attention|attn_implementation=.?eager", text):
        found["training.attention"] = ["eager"]
    elif has(r"flash[- _]?att|\bfa-?[23]\b|sdpa|scaled[_ ]dot|xformers|memory[- ]efficient attention", text):
        found["training.attention"] = ["fused"]
    if has(r"liger|cut[- ]cross|fused linear cross|chunked (cross|loss|output)", text) and not has(r"(without|no) (liger|chunked)", text):
        found["training.loss"] = ["chunked"]
    if has(r"var(ied|ying|iable)[- ]lengths?|lengths? var|many lengths|cut (off )?(at|to)|truncated? (at|to)|not packed|unpacked|dynamic padding", text):
        found["training.longest_sample"] = ["yes"]
    if has(r"torch\.compile|compiled?\b", text) and not has(r"(without|no|not) (torch\.)?compil", text):
        found["training.compiled"] = ["yes"]
    if steps := _first(ACCUMULATION, text):
        found["training.gradient_accumulation"] = steps
    return found


YOUNG = r"mixtral|qwen[-_ ]?(1[._]5|2|3)|gemma[-_ ]?[27]b|phi[-_ ]?[34]|llama[-_ ]?3(?![\d.]*b)|starcoder-?2|command-?r"
"""Names of models whose code in Transformers came with 4.36 or later."""


def cache(model: str) -> list[str]:
    """How Transformers keeps the cache of `model`, where its code there is younger than DynamicCache (4.36) and never knew another; else nothing."""
    return ["growing"] if has(YOUNG, model) else []


def inference(text: str, length: str) -> Facts:
    """Engine, prompt and context, as far as the words tell. `length` is the stated length, '' where there is none."""
    found: Facts = {}
    for pattern, engine in ENGINES:
        if has(pattern, text):
            found["inference.engine"] = [engine]
            break
    if (release := re.search(r"transformers\s*(?:==|v)?\s*4\.(\d+)", text, re.IGNORECASE)) and found.get("inference.engine") == ["transformers"]:
        found["inference.cache"] = ["growing"] if int(release.group(1)) >= 36 else ["copied"]  # DynamicCache since 4.36
    prompt, answer = _first(PROMPT, text), _first(ANSWER, text)
    if not prompt and length and has(r"length (is )?(that )?of the (input|prompt)|prefill only", text):
        prompt = length
    if prompt:
        found["inference.prefill_chunk"] = prompt
    elif has(r"max_new_tokens|decoding|generat|short prompt", text):
        found["inference.prefill_chunk"] = SHORT
    if not length and (prompt or answer):
        low = int(prompt or 1) + int(answer or 0)
        found["inference.context_length"] = str(low) if prompt and answer else f"{low}..{low + (64 if answer else 2048)}"
    return found


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.IGNORECASE)
    return next(g for g in match.groups() if g).replace(",", "") if match else ""
