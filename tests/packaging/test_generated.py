"""The generated JSON Schema of facts files, against what the reader of facts files accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gpurules.engine import GpurulesError, evaluate
from gpurules.engine.knowledge import document

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "schemas/facts.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
GOOD = {
    "dotted": "gpu.count: 4\nworkload.task: lora",
    "in groups": "gpu: {count: 4}\nworkload: {task: lora}",
    "an alias": "training.precision: bf16 or fp16",
    "an alias of digits": "training.precision: 32",
    "a list": "training.precision: [bf16_mixed, fp32]",
    "a share": "measured.communication_share: 34 %",
    "a bound": "measured.memory_peak: '>= 23 GB'",
    "a size by name": "model.size_class: 7B",
    "yes": "budget.limited: yes",
    "true": "budget.limited: true",
    "Chinese": "workload.task: 推理",
}
BAD = {
    "an unknown fact": "gpu.cuont: 4",
    "an unknown fact in a group": "gpu: {cuont: 4}",
    "a list of numbers": "gpu.count: [2, 4]",
    "a group in a group": "gpu: {count: {low: 2}}",
    "a fact of candidates": "candidate.count: 4",
    "nothing": "gpu.count:",
}


def plain(text: str) -> Any:
    return document.plain(document.parse(text.encode(), "facts.yaml"))


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", GOOD)
def test_both_take_it(name: str) -> None:
    assert list(VALIDATOR.iter_errors(plain(GOOD[name]))) == []
    evaluate(GOOD[name].encode())


@pytest.mark.parametrize("name", BAD)
def test_both_refuse_it(name: str) -> None:
    assert list(VALIDATOR.iter_errors(plain(BAD[name])))
    with pytest.raises(GpurulesError):
        evaluate(BAD[name].encode())


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda p: p.stem)
def test_every_example_has_its_form(path: Path) -> None:
    assert list(VALIDATOR.iter_errors(plain(path.read_text("utf-8")))) == []
