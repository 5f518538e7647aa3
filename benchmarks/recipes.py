"""What a source documents of its runs, beside what a published point says of itself: benchmarks/recipes.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from words import Facts, has

from gpurules.engine.knowledge import document

FILE = Path(__file__).with_name("recipes.yaml")
Data = Mapping[str, Any]
"""A node of a points or recipes file as plain data: every leaf is text."""


@dataclass(slots=True)
class Recipe:
    """All that the recipes that apply to one point say. `citations` are pairs of an address and a sentence."""

    facts: Facts = field(default_factory=dict)
    citations: list[tuple[str, str]] = field(default_factory=list)
    kind: tuple[str, ...] = ()
    batch: int | None = None
    tensor_of_model_parallel: int | None = None
    recomputed: bool = False
    layer_split: bool = False
    leave_out: str = ""


@cache
def entries() -> tuple[Data, ...]:
    return tuple(texts(document.read(FILE))["recipes"])


def texts(node: document.Node) -> Any:
    """A document as dict, list and text: numbers keep the text that they were written with, and what is null is not there."""
    if isinstance(node, document.Mapping):
        return {e.key: texts(e.value) for e in node.entries if not (isinstance(e.value, document.Scalar) and e.value.kind == "null")}
    if isinstance(node, document.Listing):
        return [texts(item) for item in node.items]
    return node.text


def recipe(point: Data, count: int | None) -> Recipe:
    """What applies to `point`, run on `count` cards; later entries narrow earlier ones."""
    source = point.get("source", {})
    where = " ".join(str(source.get(k, "")) for k in ("title", "url", "table", "title"))
    found = Recipe()
    for entry in entries():
        if not has(entry["where"], where) or not _when(entry.get("when", {}), point, count):
            continue
        found.citations.append((entry["cites"], entry["says"]))
        narrow(found.facts, entry.get("facts", {}))
        if "kind" in entry:
            found.kind = tuple(entry["kind"]) if isinstance(entry["kind"], list) else (entry["kind"],)
        found.batch = int(entry["batch"]) if "batch" in entry else found.batch
        found.tensor_of_model_parallel = int(entry["model_parallel"]) if "model_parallel" in entry else found.tensor_of_model_parallel
        found.recomputed |= entry.get("flop") == "recomputed"
        found.layer_split |= entry.get("split") == "layers"
        found.leave_out = entry.get("leave_out", found.leave_out)
        for step in _climbed(entry.get("ladder", ()), str(point.get("note", ""))):
            found.facts |= step.get("facts", {})
            found.leave_out = step.get("leave_out", "")
    return found


def _when(when: Data, point: Data, count: int | None) -> bool:
    gpus = point.get("gpus", {})
    texts = {
        "note": str(point.get("note", "")), "precision": str(point.get("precision", "")), "parallelism": str(point.get("parallelism", "")),
        "targets": str(point.get("lora", {}).get("targets", "")), "model": str(point.get("model", "")),
        "optimizer": str(point.get("optimizer", "")),
        "card": f"{gpus.get('name', '')} {gpus.get('mem_gb', '')}",
    }  # fmt: skip
    return all(
        point["task"] in value if key == "task"
        else (count == 1) == (value == "one") if key == "cards"
        else not has(value, texts[key.removeprefix("not_")]) if key.startswith("not_")
        else has(value, texts[key])
        for key, value in when.items()
    )  # fmt: skip


def _climbed(ladder: tuple[Data, ...], note: str) -> list[Data]:
    """The steps of a table whose rows add to one another, up to the row that the note names."""
    words = note.split(";")[0].strip().lstrip("+ ")
    rows = [n for n, step in enumerate(ladder) if has(step["words"], words)]
    return list(ladder[: rows[0] + 1]) if rows else []


def narrow(facts: Facts, other: Mapping[str, Any]) -> None:
    """Adds `other` to `facts`: what is open is filled, a set is narrowed; what contradicts is left, but for the framework."""
    for path, value in other.items():
        have = facts.get(path)
        if have is None or path == "training.framework":
            facts[path] = [m for m in value if m in have] or value if isinstance(have, list) else value
        elif isinstance(have, list) and isinstance(value, list):
            both = [m for m in have if m in value]
            # checkpoints in host memory are checkpoints of every layer, of a finer kind
            facts[path] = both or (value if have == ["full"] and value == ["full_offloaded"] else have)
