"""Why a published point does not count: each reason is a mechanism, none names a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from observed import GIB
from points import Point
from words import has

from gpurules.engine.inference.facts import Facts
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.interval import Interval

FLOOR = 0.97
"""A peak below this share of what the states alone take is impossible; figures are rounded."""
SHAPE = ("model.layers", "model.hidden_size", "model.attention_heads", "model.vocabulary_size", "model.parameters")


UNSTATED = r"optimizer not stated in the table|settings? differ|(count|stage)[^;]* not stated"


def unusable(point: Point, facts: Facts, rulebook: Rulebook) -> str:
    """Why nothing of the point counts, or ''."""
    measured = point.data.get("measured", {})
    if has(r"SECOND-HAND", point.note):
        return "second-hand"
    if has(r"SUSPECT", point.note):
        return "its own note doubts it"
    if has(r"RLHF", " ".join(str(v) for v in measured.values())):
        return "several models at once (reinforcement learning with actor, critic, reward and reference)"
    if any(k.startswith(("max_context", "max_batch", "first_batch")) for k in measured):
        return "a search for the largest context or batch, not one run"
    if has(r"(oom|out of memory) (while|during|at|on) (wrapping|loading|load|init)", point.note):
        return "memory ran out while the model was loaded, before any step"
    if has(r"one layer", point.text.get("model", "")):
        return "one layer alone"
    return _shapeless(facts, rulebook)


def _shapeless(facts: Facts, rulebook: Rulebook) -> str:
    if missing := [path for path in SHAPE if path not in facts.known]:
        return f"the architecture is not known ({', '.join(missing)})"
    name = facts.given.get("model.name")
    for entry in name.value if name and isinstance(name.value, frozenset) else ():
        data = rulebook.catalogs["model"].entries[entry].data if entry in rulebook.catalogs["model"].entries else {}
        if data.get("family") in ("t5", "mt5", "flan_t5") or "t5" in entry or entry.startswith("mt0"):
            return "an encoder and a decoder"
        if data.get("modality", "text") != "text":
            return "not a model of text alone"
    return ""


def unmeasured(point: Point, stated: Mapping[str, object]) -> str:
    """Why the peak does not count, or ''. `stated` are the facts of the run."""
    found = point.measured
    if found.peak is None:
        return "no peak was printed"
    if point.recipe.leave_out:
        return point.recipe.leave_out
    if has(r"\(weights\)|model size", found.metric):
        return "the weights alone were counted"
    if has(UNSTATED, point.note):
        return "a decisive setting is not stated"
    if not point.count and ("total_gb" in point.data.get("measured", {}) or _divided(stated)):
        return "the number of cards is not stated"
    if point.group == "train_full" and "training.optimizer" not in stated:
        return "the optimizer is not stated"
    if stated.get("training.offload", ["none"]) != ["none"]:
        return "offloaded: the rest on the card is buffers that nobody states"
    memory = point.data.get("gpus", {}).get("mem_gb")
    if memory and found.limit >= float(memory) and found.kind != "allocated":
        return "as large as the card: it says what the card holds, not what the run needs"
    return ""


def _divided(stated: Mapping[str, object]) -> bool:
    return any(has("deepspeed|fsdp|megatron", str(stated.get(p, ""))) for p in ("training.framework",)) or str(stated.get("parallel.tensor", "1")) != "1"


def impossible(point: Point, stated: Mapping[str, object], parameters: Interval) -> str:
    """Whether the peak is below what weights, gradients and optimizer alone take at the least, by plain arithmetic."""
    if point.measured.peak is None or not point.trains or point.group != "train_full":
        return ""
    optimizer, backward = str(stated.get("training.optimizer", "")), stated.get("training.optimizer_in_backward") == ["yes"]
    gradients = 0 if backward or "lomo" in optimizer else 2
    states = 2 if "8bit" in optimizer and "paged" not in optimizer else 4 if "adamw" in optimizer else 0
    floor = (2 + gradients + states) * parameters.low / (point.count or 1)
    if point.measured.peak < FLOOR * floor:
        return f"impossible: {point.measured.peak / GIB:.1f} GiB, but weights, gradients and optimizer take {floor / GIB:.1f} GiB at least"
    return ""


def repeats(points: Sequence[Point]) -> Mapping[str, str]:
    """Points whose run and peak stand in the file before, on another card, with the point that they repeat."""
    seen: dict[tuple[object, ...], str] = {}
    found: dict[str, str] = {}
    for point in points:
        if point.measured.peak is None:
            continue
        settings = {k: v for k, v in point.data.items() if k not in ("id", "gpus", "measured", "note")}
        key = (repr(settings), point.count, point.measured.peak)
        if key in seen:
            found[point.id] = seen[key]
        else:
            seen[key] = point.id
    return found
