"""Partial facts: whatever is left out, the answer goes as far as it can, and names what is missing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from gpurules.engine import evaluate, load
from gpurules.engine.decisions.change import TASK_AND_SIZE
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Mapping, Node
from gpurules.engine.public import engine
from gpurules.engine.reports.report import report

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
STATUSES = {"keep", "recommended", "provisional", "ask", "none_fits", "not_sized"}
SIZES = {"model.size_class", "model.parameters", "model.name", "memory.rule_of_thumb"}
Facts = dict[str, object]


@lru_cache(maxsize=1)
def ready() -> Engine:
    return engine(load())


@lru_cache(maxsize=64)
def stated(example: Path) -> Facts:
    """The facts of an example by dotted name."""
    node = document.read(example)
    assert isinstance(node, Mapping)
    return dict(_leaves(node, ""))


def _leaves(node: Mapping, prefix: str) -> Iterator[tuple[str, object]]:
    for entry in node.entries:
        value: Node = entry.value
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{prefix}{entry.key}.")
        else:
            yield f"{prefix}{entry.key}", document.plain(value)


def answered(facts: Facts) -> dict[str, Any]:
    """The decision on `facts`, held against what every answer owes its user."""
    decision = evaluate(facts, ready()).document
    asked = [q["fact"] for q in decision["measure_next"]]
    assert decision["status"] in STATUSES
    assert len(asked) == len(set(asked))
    known = {f["path"] for f in decision["facts"]}
    unknown = {n["fact"] for n in (*decision["ambiguities"], *decision.get("unrecognized", ()))}
    exact = {f["path"] for f in decision["facts"] if f["origin"] == "stated" and _exact(f["value"])} - unknown
    assert exact.isdisjoint(asked), "asked for what was stated exactly"
    if "workload.task" not in known or not SIZES & known:
        assert decision["status"] == "not_sized" and decision["choice"] is None
        assert "workload.task" in known or "workload.task" in asked[:3]
        assert SIZES & known or SIZES & set(asked[:3])
    if decision["status"] in ("ask", "not_sized", "provisional"):
        assert asked or decision["assumptions"], "nothing is missing, and nothing is decided"
    waiting = 0
    for conclusion in decision["conclusions"]:
        if conclusion["state"] == "depends" and conclusion["kind"] == "advise" and not conclusion["tight"]:
            missing = set(conclusion["needs"]) - TASK_AND_SIZE
            waiting += not missing
            assert missing <= set(asked) or _later(decision, conclusion["rule"]), conclusion["rule"]
    assert not waiting or decision["waiting_for_task_and_size"] or TASK_AND_SIZE & set(asked)
    assert {a["fact"] for a in decision["assumptions"]}.isdisjoint(f["path"] for f in decision["facts"] if f["origin"] != "assumed")
    return decision


def _later(decision: dict[str, Any], rule: str) -> bool:
    """Whether a rule is open only once the assumptions are made: what it hangs on is then assumed, and asked for as such."""
    return next(r for r in decision["rules"] if r["id"] == rule)["stands"] == "no"


def _exact(value: dict[str, Any]) -> bool:
    return len(value["members"]) == 1 if "members" in value else bool(value["low"] == value["high"])


def some(example: Path, count: int = 2) -> list[str]:
    """A few facts of an example, always the same."""
    return random.Random(example.stem).sample(sorted(stated(example)), count)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_a_fact_left_out(example: Path) -> None:
    _left_out(example, some(example))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_a_fact_alone(example: Path) -> None:
    _alone(example, some(example))


@pytest.mark.parametrize("seed", range(3))
def test_random_parts(seed: int) -> None:
    _random_parts(seed, 8)


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_each_fact_left_out_and_alone(example: Path) -> None:
    answered(stated(example))
    _left_out(example, list(stated(example)))
    _alone(example, list(stated(example)))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 140))
def test_many_random_parts(seed: int) -> None:
    _random_parts(seed, 25)


def _left_out(example: Path, paths: list[str]) -> None:
    facts = stated(example)
    for path in paths:
        now = {f["path"]: f for f in answered({p: v for p, v in facts.items() if p != path})["facts"]}
        assert path not in now or now[path]["origin"] != "stated" or "gpu.name" in now  # a card's name may count cards


def _alone(example: Path, paths: list[str]) -> None:
    for path in paths:
        decision = answered({path: stated(example)[path]})
        assert decision["status"] in ("not_sized", "ask", "provisional")
        assert decision["measure_next"][0]["fact"] in str(report(decision, "en"))


def _random_parts(seed: int, count: int) -> None:
    draw = random.Random(seed)
    for _ in range(count):
        facts = stated(draw.choice(EXAMPLES))
        answered({p: facts[p] for p in draw.sample(sorted(facts), draw.randint(0, len(facts)))})


def test_nothing_at_all() -> None:
    decision = answered({})
    assert decision["status"] == "not_sized" and decision["facts"] == []


@pytest.mark.parametrize("keep", ["nothing", "one fact", "all but one"])
def test_as_a_process(keep: str, tmp_path: Path) -> None:
    facts = stated(next(e for e in EXAMPLES if e.stem == "7b-full-4x4090"))
    paths = sorted(facts)
    left = {"nothing": [], "one fact": paths[:1], "all but one": paths[1:]}[keep]
    (tmp_path / "facts.yaml").write_text(json.dumps({p: facts[p] for p in left}), "utf-8")
    command = [sys.executable, "-m", "gpurules.cli", "evaluate", "facts.yaml", "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    decision = json.loads(done.stdout)
    assert decision["status"] in STATUSES and decision["measure_next"]
