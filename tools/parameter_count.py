"""The number of parameters of a decoder from its shape: exact, because every matrix, bias and norm is counted.

Covers decoders of attention and feed-forward layers, dense or with experts, with latent attention too. It does not cover encoders,
linear attention, vision towers, diffusion models; multi-token-prediction layers are not counted, as frameworks drop them.
What a shape leaves open (which layers have biases, how many norms) is a habit of the model type: `HABITS`. A type that is
not in there is refused, never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Experts:
    """Routed experts of a layer: their number, how many one token uses, the width of one; `shared` is the width of the shared
    ones together. The first `dense_first` layers, and all but each `step`-th, have a dense feed-forward instead."""

    count: int
    active: int
    width: int
    shared: int = 0
    dense_first: int = 0
    step: int = 1


@dataclass(frozen=True, slots=True)
class Latent:
    """Multi-head latent attention: ranks of the compressed queries (0: not compressed) and keys, sizes of the parts of a head."""

    query_rank: int
    kv_rank: int
    nope_size: int
    rope_size: int
    value_size: int


@dataclass(frozen=True, slots=True)
class Shape:
    """What a configuration says of a decoder. `intermediate` is the width of a dense feed-forward; `positions` are learned ones."""

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_size: int
    vocabulary: int
    gated: bool
    tied: bool
    positions: int = 0
    experts: Experts | None = None
    latent: Latent | None = None


@dataclass(frozen=True, slots=True)
class Habits:
    """What a model type does that its shape does not say. `qk_norm` normalizes queries and keys: each head alike ("head"), or
    all of them with their own weights ("all"). `router_bias` is a number an expert, `expert_gate` one for the shared experts."""

    qkv_bias: bool = False
    out_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    norms: int = 2
    norm_bias: bool = False
    final_norm: bool = True
    embedding_norm: bool = False
    qk_norm: str = ""
    sinks: bool = False
    router_bias: bool = False
    expert_gate: bool = False
    extra_positions: int = 0


LLAMA = Habits()
BIASED = Habits(qkv_bias=True, out_bias=True, mlp_bias=True, norm_bias=True)
"""As GPT-2 has it: biases everywhere but in the head."""

HABITS = MappingProxyType(
    {
        "llama": LLAMA,
        "llama4_text": LLAMA,
        "mistral": LLAMA,
        "mixtral": LLAMA,
        "baichuan": LLAMA,
        "internlm2": LLAMA,
        "phi3": LLAMA,
        "gemma": LLAMA,
        "granite": LLAMA,
        "granitemoe": LLAMA,
        "mpt": LLAMA,
        "dbrx": LLAMA,
        "deepseek": LLAMA,
        "deepseek_v2": LLAMA,
        "deepseek_v3": Habits(router_bias=True),
        "kimi_k2": Habits(router_bias=True),
        "internlm": Habits(qkv_bias=True, out_bias=True),
        "qwen": Habits(qkv_bias=True),
        "qwen2": Habits(qkv_bias=True),
        "qwen2_moe": Habits(qkv_bias=True, expert_gate=True),
        "chatglm": Habits(qkv_bias=True),
        "glm": Habits(qkv_bias=True),
        "glm4": Habits(norms=4),
        "glm4_moe": Habits(qkv_bias=True, router_bias=True),
        "glm4_moe_lite": Habits(router_bias=True),
        "qwen3": Habits(qk_norm="head"),
        "qwen3_moe": Habits(qk_norm="head"),
        "gemma2": Habits(norms=4),
        "gemma3_text": Habits(norms=4, qk_norm="head"),
        "olmo": Habits(norms=0, final_norm=False),
        "olmo2": Habits(qk_norm="all"),
        "minimax_m2": Habits(qk_norm="all", router_bias=True),
        "gpt_oss": Habits(qkv_bias=True, out_bias=True, mlp_bias=True, router_bias=True, sinks=True),
        "cohere": Habits(norms=1),
        "cohere2": Habits(norms=1),
        "seed_oss": Habits(qkv_bias=True),
        "stablelm": Habits(norm_bias=True),
        "nemotron": Habits(norm_bias=True),
        "falcon": Habits(norm_bias=True),
        "gptj": Habits(mlp_bias=True, head_bias=True, norms=1, norm_bias=True),
        "phi": replace(BIASED, head_bias=True, norms=1),
        "gpt_neo": replace(BIASED, qkv_bias=False),
        "gpt2": BIASED,
        "gpt_bigcode": BIASED,
        "gpt_neox": BIASED,
        "starcoder2": BIASED,
        "opt": replace(BIASED, extra_positions=2),
        "bloom": replace(BIASED, embedding_norm=True),
    }
)
"""By the `model_type` of a configuration. Flags of the configuration itself (`attention_bias`, `use_qk_norm`) come on top."""


def habits(model_type: str) -> Habits:
    """What models of this type do. Raises KeyError for a type that nobody has counted."""
    return HABITS[model_type]


def total(shape: Shape, habits: Habits) -> int:
    """All parameters, every expert included."""
    return _count(shape, habits, shape.experts.count if shape.experts else 0)


def active(shape: Shape, habits: Habits) -> int:
    """The parameters that one token meets: of the routed experts only those chosen for it; embeddings count in full."""
    return _count(shape, habits, shape.experts.active if shape.experts else 0)


def _count(shape: Shape, habits: Habits, used: int) -> int:
    norm = shape.hidden * (2 if habits.norm_bias else 1)
    each = _attention(shape, habits) + habits.norms * norm
    return (
        shape.layers * each
        + sum(_after_attention(shape, habits, layer, used) for layer in range(shape.layers))
        + shape.vocabulary * shape.hidden * (1 if shape.tied else 2)
        + shape.vocabulary * habits.head_bias
        + (shape.positions + habits.extra_positions) * shape.hidden
        + norm * (habits.final_norm + habits.embedding_norm)
    )


def _attention(shape: Shape, habits: Habits) -> int:
    if shape.latent:
        return _latent_attention(shape, shape.latent)
    queries, keys = shape.heads * shape.head_size, shape.kv_heads * shape.head_size
    matrices = 2 * shape.hidden * queries + 2 * shape.hidden * keys
    biases = (queries + 2 * keys) * habits.qkv_bias + shape.hidden * habits.out_bias
    norms = {"": 0, "head": 2 * shape.head_size, "all": queries + keys}[habits.qk_norm]
    return matrices + biases + norms + shape.heads * habits.sinks


def _latent_attention(shape: Shape, latent: Latent) -> int:
    heads, head = shape.heads, latent.nope_size + latent.rope_size
    if latent.query_rank:
        queries = shape.hidden * latent.query_rank + latent.query_rank + latent.query_rank * heads * head
    else:
        queries = shape.hidden * heads * head
    keys = shape.hidden * (latent.kv_rank + latent.rope_size) + latent.kv_rank + latent.kv_rank * heads * (latent.nope_size + latent.value_size)
    return queries + keys + heads * latent.value_size * shape.hidden


def _after_attention(shape: Shape, habits: Habits, layer: int, used: int) -> int:
    """The feed-forward of a layer, or its router and `used` of its experts."""
    experts = shape.experts
    if experts is None or layer < experts.dense_first or (layer + 1) % experts.step:
        return _feed_forward(shape, habits, shape.intermediate)
    router = experts.count * (shape.hidden + habits.router_bias)
    shared = _feed_forward(shape, habits, experts.shared) if experts.shared else 0
    return router + used * _feed_forward(shape, habits, experts.width) + shared + shape.hidden * habits.expert_gate


def _feed_forward(shape: Shape, habits: Habits, width: int) -> int:
    wide = 2 if shape.gated else 1
    return (wide + 1) * shape.hidden * width + (wide * width + shape.hidden) * habits.mlp_bias
