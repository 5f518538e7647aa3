"""Every decision has the form that schemas/decision.schema.json promises."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gpurules.engine import Decision, evaluate

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "schemas/decision.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
FACTS: dict[str, dict[str, object]] = {
    "nothing": {},
    "a task": {"workload.task": "inference"},
    "a size": {"model.size_class": "7B"},
    "an ambiguous card": {"workload.task": "lora", "model.size_class": "13B", "gpu.name": "H100", "gpu.count": 2},
    "a model by name": {"workload.task": "full_finetune", "model.name": "Llama-2-13b-hf", "training.precision": "bf16"},
    "assumptions": {"workload.task": "full_finetune", "model.size_class": "7B", "gpu.name": "A100 80GB PCIe", "gpu.count": 4},
    "a pinned fact": {"workload.task": "full_finetune", "model.size_class": "7B", "memory.rule_of_thumb": "60 GB", "gpu.memory_usable": "80 GB"},
    "ranges and bounds": {"workload.task": "pretrain", "model.size_class": "60B..80B", "measured.memory_peak": ">= 70 GB", "gpu.count": "4..16"},
    "a machine to be found": {"workload.task": "inference", "model.size_class": "7B", "inference.weight_bits": 16},
    "a stated machine that is too small": {"workload.task": "inference", "model.size_class": "70B", "gpu.name": "RTX 4090", "gpu.count": 1},
    "several tasks": {"workload.task": ["lora", "qlora"], "model.size_class": "10B", "measured.communication_share": "25..35 %"},
}


def complaints(decision: Decision) -> list[str]:
    content = json.loads(decision.to_json())
    return [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in VALIDATOR.iter_errors(content)]


def described(schema: object, path: str = "") -> list[str]:
    """Paths of objects that admit keys nobody described."""
    if not isinstance(schema, dict):
        return []
    found: list[str] = []
    if "properties" in schema and schema.get("type") == "object" and "additionalProperties" not in schema and not path.endswith(("/derivation", "/machine")):
        found.append(path)
    for key, value in schema.items():
        inner = value if isinstance(value, list) else [value]
        for item in inner:
            found += described(item, f"{path}/{key}")
    return found


def test_the_schema_is_one_and_strict() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert described(SCHEMA) == []


EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", [pytest.param(p, marks=() if at % 2 == 0 else pytest.mark.long, id=p.stem) for at, p in enumerate(EXAMPLES)])
def test_examples(path: Path) -> None:
    assert complaints(evaluate(path)) == []


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str) -> None:
    facts: Mapping[str, object] = FACTS[name]
    assert complaints(evaluate(facts)) == []
