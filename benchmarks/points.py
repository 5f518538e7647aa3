"""Published measurements as facts: every point of a file becomes the facts of its run, never of its result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import notes
import observed
import recipes
import words
from observed import Measured
from recipes import Recipe
from words import Facts, has

from gpurules.engine.inference import facts as reading
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.problem import GpurulesError

TASKS = {"train_full": "full_finetune", "pretrain": "pretrain", "train_lora": "lora", "train_qlora": "qlora", "inference": "inference"}
GROUPS = {**{t: t for t in TASKS}, "pretrain": "train_full"}
"""Tasks of points with the group that they are counted in."""
KINDS = ["allocated", "reserved", "nvidia_smi"]
"""What a peak may count where nobody says what it does."""
TAKES_IN_ADVANCE = tuple(str([e]) for e in ("vllm", "sglang", "tgi", "tensorrt_llm", "lmdeploy"))
ON_ONE_CARD = ("parallel.reduce_bucket", "parallel.overlap_communication")
"""What DeepSpeed holds on one card too."""
SETTINGS_OFF: Facts = {"training.optimizer_in_backward": ["no"], "training.compiled": ["no"], "training.offload": ["none"]}
"""What every trainer leaves off unless it is asked for, and every report names where it is on."""


@dataclass(frozen=True)
class Point:
    """One published run. `data` is the entry of the file with every leaf as text."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def group(self) -> str:
        return GROUPS[self.data["task"]]

    @property
    def trains(self) -> bool:
        return self.group != "inference"

    @property
    def source(self) -> str:
        """The project or paper that printed the figure."""
        source = self.data.get("source", {})
        address = str(source.get("url") or source.get("title", ""))
        parts = address.removeprefix("https://").removeprefix("github.com/").split()[0].split("/")
        return "/".join(parts[:2])

    @property
    def page(self) -> str:
        """Where the figure stands: figures of one page have one unit."""
        source = self.data.get("source", {})
        return f"{source.get('title', '')} {source.get('url', '')}"

    @property
    def note(self) -> str:
        return str(self.data.get("note", ""))

    @property
    def text(self) -> Mapping[str, str]:
        return {k: str(v) for k, v in self.data.items() if isinstance(v, str)}

    @cached_property
    def count(self) -> int | None:
        """Cards of the run: as stated, or as the source documents, or what tensor and pipeline parallel make where nothing else is told."""
        stated = self.data.get("gpus", {}).get("count")
        if stated:
            return int(stated)
        documented = recipes.recipe(self.data, None).facts.get("gpu.count")
        return int(documented) if isinstance(documented, str) and documented.isdigit() else None

    @cached_property
    def recipe(self) -> Recipe:
        return recipes.recipe(self.data, self.count)

    @cached_property
    def measured(self) -> Measured:
        return observed.measured(self.data.get("measured", {}), self.count)

    @property
    def kinds(self) -> list[str]:
        """What the peak may count, of measured.memory_kind; empty where nobody says."""
        return [self.measured.kind] if self.measured.kind else list(self.recipe.kind)

    @cached_property
    def facts(self) -> Facts:
        """The facts of the run: its own words first, then what the source documents."""
        found = self._training() if self.trains else self._inference()
        found = {"workload.task": [TASKS[self.data["task"]]], "workload.modality": ["text"], **found}
        recipes.narrow(found, {p: v for p, v in self.recipe.facts.items() if self.trains or not p.startswith("training.")})
        for path, value in self._prose().items():
            found.setdefault(path, value)
        if found.get("inference.engine") == ["transformers"] and (cache := notes.cache(self.text.get("model", ""))):
            found.setdefault("inference.cache", cache)
        if self.trains:
            found |= {p: v for p, v in SETTINGS_OFF.items() if p not in found}
        if self.group == "train_lora" and (base := words.formats(self.text.get("precision", ""))):
            found.setdefault("training.base_format", base)  # "bf16" of LoRA is what the base is loaded in, unless the source documents otherwise
        if str(found.get("parallel.tensor", "1")) != "1" and found.get("training.framework") == ["megatron"]:
            found.setdefault("parallel.sequence", ["no"])  # a switch of Megatron's, off unless asked for, and named by every report where it is on
        if self.count:
            found["gpu.count"] = str(self.count)
        if self.count == 1:
            found = {p: v for p, v in found.items() if p in ON_ONE_CARD or not p.startswith(("parallel.", "interconnect."))}
        takes_all = str(found.get("inference.engine", "")) in TAKES_IN_ADVANCE
        found["measured.memory_kind"] = self.kinds or KINDS + ["engine_preallocated"] * takes_all
        if self.group not in ("train_lora", "train_qlora"):
            found = {p: v for p, v in found.items() if not p.startswith(("training.adapter", "training.base"))}
        return found

    def _prose(self) -> Facts:
        """What note, table, title and address say where neither a field of the point nor a recipe does."""
        source = self.data.get("source", {})
        said = f"{self.note}; {source.get('table', '')}"
        origin = f"{source.get('title', '')} {source.get('url', '')}"
        if self.trains:
            own, whole = notes.training(said, self.count), notes.training(f"{said} {origin}", self.count)
            return {"training.framework": whole["training.framework"], **own} if "training.framework" in whole else own
        own, whole = notes.inference(said, self.text.get("seq_len", "")), notes.inference(f"{said}; {origin}", "")
        return {"inference.engine": whole["inference.engine"], **own} if "inference.engine" in whole else own

    def _parallel(self) -> Facts:
        text = self.text.get("parallelism", "")
        found = words.parallelism(text, self.count, self.trains)
        if self.recipe.tensor_of_model_parallel and (size := words.degree("MP", "model", text)):
            tensor = min(self.recipe.tensor_of_model_parallel, size)
            found |= {"parallel.tensor": str(tensor), "parallel.pipeline": str(size // tensor), "parallel.context": "1"}
        if self.recipe.layer_split and not found and self.count and self.count > 1:
            found = {"parallel.tensor": "1", "parallel.pipeline": str(self.count), "parallel.context": "1"}
        return found

    def _training(self) -> Facts:
        text, found = self.text, self._parallel()
        precision = text.get("precision", "")
        if members := words.precision(precision):
            found["training.precision"] = members
        lora = self.data.get("lora", {})
        if self.group in ("train_lora", "train_qlora"):
            base = words.formats(precision)
            if base and (base not in (["half"], ["single"]) or has(r"true|pure|no amp", precision)):
                found["training.base_format"] = base
            found |= words.adapters(str(lora.get("r", "")), str(lora.get("targets", "")))
        recipes.narrow(found, words.optimizer(text.get("optimizer", "")))
        if has("offload", text.get("optimizer", "")) and "training.offload" not in found:
            found["training.offload"] = ["optimizer", "optimizer_and_weights"]
        found |= words.checkpointing(text.get("grad_checkpointing", ""))
        for key, path in (("micro_batch", "training.micro_batch"), ("seq_len", "training.sequence_length")):
            if key in text:
                found[path] = text[key]
        batch, ranks = self.global_batch, self.data_ranks(found)
        if batch and ranks and "micro_batch" in text:
            found["training.gradient_accumulation"] = str(max(1, batch // (int(text["micro_batch"]) * ranks)))
        elif batch and ranks:
            found["training.micro_batch"] = f"1..{max(1, batch // ranks)}"  # what a rank gets of a step at the most
        if has(r"longest sample", self.note):
            found["training.longest_sample"] = ["yes"]
        if "training.framework" in found or self.count == 1:
            found.setdefault("parallel.tensor", "1")
            found.setdefault("parallel.pipeline", "1")
        return found

    def data_ranks(self, found: Facts) -> int | None:
        if not self.count:
            return None
        ways = [int(str(found.get(f"parallel.{p}", "1"))) for p in ("tensor", "pipeline", "context")]
        return max(1, self.count // (ways[0] * ways[1] * ways[2]))

    def _inference(self) -> Facts:
        text, found = self.text, {p: v for p, v in self._parallel().items() if not p.startswith("training.")}
        members = words.formats(text.get("precision", ""))
        if members == ["other"]:
            if bits := words.bits(text["precision"]):
                found["inference.weight_bits"] = bits
        elif members:
            found["inference.weight_format"] = members
        found["inference.kv_bits"] = words.cache_bits(text.get("precision", "")) or ("32 bit" if members == ["single"] else "16 bit")
        for key, path in (("micro_batch", "inference.concurrency"), ("seq_len", "inference.context_length")):
            if key in text:
                found[path] = text[key]
        return found

    def named(self, rulebook: Rulebook) -> tuple[dict[str, object], tuple[str, ...]]:
        """Facts of the model and the card by their names, as far as the catalogues hold them, and the names that they do not hold."""
        found: dict[str, object] = {}
        unknown: list[str] = []
        model, gpus = self.text.get("model", ""), self.data.get("gpus", {})
        if name := next((n for n in _spellings(model) if self._accepted({"model.name": n}, rulebook)), ""):
            found["model.name"] = name
        else:
            unknown.append(model)
            arch = self.data.get("arch", {})
            shape = {"layers": "layers", "hidden": "hidden_size", "heads": "attention_heads", "kv_heads": "kv_heads", "vocab": "vocabulary_size"}
            found |= {f"model.{path}": str(arch[key]) for key, path in shape.items() if key in arch}
            if "heads" in arch:
                found.setdefault("model.kv_heads", str(arch["heads"]))
            if size := self.text.get("params_b"):
                found["model.size_class"] = f"{size}B"
        if size := gpus.get("mem_gb"):
            found["gpu.memory_nominal"] = f"{size} GB"
        if name := gpus.get("name"):
            names = [n.strip() for n in str(name).split(" + ")]
            known = {p: v for p, v in found.items() if p.startswith("gpu.")}
            values: list[object] = [names] if len(names) > 1 else list(_spellings(names[0]))
            if value := next((v for v in values if self._accepted({**known, "gpu.name": v}, rulebook)), None):
                found["gpu.name"] = value
            else:
                unknown.append(str(name))
        return found, tuple(unknown)

    @property
    def global_batch(self) -> int | None:
        """Samples of a step over all cards, where the point or its source says."""
        return words.global_batch(self.text.get("parallelism", "")) or self.recipe.batch

    @staticmethod
    def _accepted(facts: Mapping[str, object], rulebook: Rulebook) -> bool:
        try:
            return not reading.read(node(facts), rulebook).unrecognized
        except GpurulesError:
            return False


def _spellings(name: str) -> tuple[str, ...]:
    """A name, and what of it a catalogue may hold: without remarks in brackets, without whose it is or where it is rented."""
    bare = re.sub(r"\s*\([^)]*\)", "", name).strip()
    return tuple(dict.fromkeys(n for n in (name, bare, bare.rsplit("/", 1)[-1], re.sub(r"^(Google )?Colab( Pro)?\s+|^\d+\s*x\s*", "", bare)) if n))


def node(facts: Mapping[str, object], file: str = "facts.yaml") -> document.Node:
    return document.parse(written(facts).encode(), file)


def written(facts: Mapping[str, object]) -> str:
    """A facts file: one flat name a line."""
    lines = []
    for path, value in facts.items():
        lines.append(f"{path}: {_flow(value)}\n")
    return "".join(lines)


def _flow(value: object) -> str:
    if isinstance(value, list):
        items = [_flow(v) for v in value]
        return items[0] if len(items) == 1 else f"[{', '.join(items)}]"
    text = str(value)
    return text if text.replace(".", "").replace(" ", "").replace("_", "").isalnum() and not text.endswith(".") else "'" + text.replace("'", "''") + "'"


def read(path: Path) -> list[Point]:
    """The points of a file, in its order. Raises GpurulesError where it cannot be read."""
    return [Point(entry) for entry in recipes.texts(document.read(path))]
