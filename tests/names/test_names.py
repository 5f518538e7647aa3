"""Names as people and tools write them: each is read right, asked about, or refused with what to write instead."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpurules
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.facts import Facts, Setting
from gpurules.engine.inference.names import COUNTS
from gpurules.engine.knowledge import document
from gpurules.engine.values.interval import Interval

DATA = yaml.safe_load((Path(__file__).parent / "names.yaml").read_text(encoding="utf-8"))
NAMES = [(fact, row) for fact, rows in DATA["names"].items() for row in rows]
WANTED = {"is", "nearest", "members", "value", "error"}

Row = dict[str, Any]


@cache
def rulebook() -> gpurules.Rulebook:
    return gpurules.load()


def read(facts: dict[str, object], *settings: Setting) -> Facts:
    node = document.parse(json.dumps(facts, ensure_ascii=False).encode(), "facts")
    return facts_module.read(node, rulebook(), settings)


def faults(facts: dict[str, object]) -> list[tuple[str, str]]:
    """Code, and message with mend, of every fault."""
    with pytest.raises(gpurules.GpurulesError) as caught:
        read(facts)
    return [(problem.code, f"{problem.message}; {problem.mend}") for problem in caught.value.problems]


def numbers(facts: Facts, path: str) -> list[float]:
    """Both ends of a number in the fact's own unit."""
    value = facts.given[path].value
    assert isinstance(value, Interval)
    return [end / float(rulebook().vocabulary.facts[path].unit.scale) for end in value]


def listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def entries(row: Row) -> set[str]:
    return set(DATA["sets"].get(row["is"], [row["is"]]) if isinstance(row["is"], str) else row["is"])


@pytest.mark.parametrize(("fact", "row"), NAMES, ids=[f"{fact}-{row['text']}" for fact, row in NAMES])
def test_name(fact: str, row: Row) -> None:
    stated: dict[str, object] = {fact: row["text"]}
    if "error" in row:
        ((_, said),) = faults(stated)
        assert row["error"] in said
        return
    facts = read(stated)
    given = facts.given[fact]
    assert given.origin == "stated"
    if "members" in row:
        assert given.value == set(row["members"])
    elif "value" in row:
        low, *rest = listed(row["value"])
        assert numbers(facts, fact) == pytest.approx([low, rest[0] if rest else low])
    elif "nearest" in row:
        assert given.value == {"other"}
        (unrecognized,) = facts.unrecognized
        assert (unrecognized.path, unrecognized.text) == (fact, row["text"])
        assert row["nearest"] is None or row["nearest"] in unrecognized.nearest
    else:
        assert given.value == entries(row)
        asked = fact in ("gpu.name", "model.name") and (len(entries(row)) > 1 or row.get("open", False))
        assert [a.path for a in facts.ambiguities] == [fact] * asked
        assert facts.unrecognized == ()


@pytest.mark.parametrize(("fact", "row"), [(f, r) for f, r in NAMES if f in COUNTS and "is" in r], ids=lambda v: v["text"] if isinstance(v, dict) else v)
def test_what_else_a_name_of_a_card_says(fact: str, row: Row) -> None:
    facts = read({fact: row["text"]})
    count = facts.given.get(COUNTS[fact])
    assert (count is None) == ("count" not in row)
    if count is not None:
        assert numbers(facts, COUNTS[fact]) == [row["count"]] * 2
        assert (count.origin, count.text, count.place) == ("stated", row["text"], facts.given[fact].place)
    if "memory" in row:
        assert numbers(facts, "gpu.memory_nominal") == [float(row["memory"].split()[0]) * 1e9] * 2
        assert facts.given["gpu.memory_nominal"].origin == "stated"


def test_the_list_is_long_and_says_one_thing_of_each_name() -> None:
    assert len(NAMES) >= 300
    for fact, row in NAMES:
        assert len(WANTED & set(row)) == 1, (fact, row)
        assert row["from"]
        assert not ({"is"} & set(row)) or entries(row) <= {id_ for catalog in rulebook().catalogs.values() for id_ in catalog.entries}, row


# ---------------------------------------------------------------- a name and other facts


def test_a_count_stated_twice_must_agree() -> None:
    assert faults({"gpu.name": "8*A100", "gpu.count": 4}) == [
        ("GR310", "gpu.count is stated as 4, but gpu.name '8*A100' (facts:1:14) says 8; correct one of the two, or say it once")
    ]
    assert numbers(read({"gpu.name": "8*A100", "gpu.count": 8}), "gpu.count") == [8, 8]
    assert numbers(read({"gpu.name": "8*A100", "gpu.count": ">= 4"}), "gpu.count") == [8, 8]


def test_a_setting_goes_before_the_count_in_a_name() -> None:
    assert numbers(read({"gpu.name": "8*A100"}, Setting("gpu.count", "2")), "gpu.count") == [2, 2]


def test_a_count_beside_several_nodes_is_asked_back() -> None:
    ((code, said),) = faults({"gpu.name": "8xH100", "network.nodes": 4})
    assert code == "GR310" and "one node or of all 4" in said and "state gpu.count" in said
    assert numbers(read({"gpu.name": "8xH100", "network.nodes": 4, "gpu.count": 32}), "gpu.count") == [32, 32]
    assert numbers(read({"gpu.name": "8xH100", "network.nodes": 4, "gpu.count": 8}), "gpu.count") == [8, 8]


def test_a_size_in_the_name_and_a_stated_one_must_agree() -> None:
    assert [code for code, _ in faults({"gpu.name": "A100 80G", "gpu.memory_nominal": "40 GB"})] == ["GR310"]
    assert [code for code, _ in faults({"gpu.name": "M2 Ultra 64GB", "gpu.memory_nominal": "128 GB"})] == ["GR310"]


def test_a_card_sold_with_several_sizes_has_at_most_the_largest() -> None:
    assert numbers(read({"gpu.name": "M2 Ultra"}), "gpu.memory_nominal") == [1e9, 192e9]
    assert numbers(read({"gpu.name": "M2 Ultra", "gpu.memory_nominal": "64 GB"}), "gpu.memory_nominal") == [64e9, 64e9]
    assert [code for code, _ in faults({"gpu.name": "M2 Ultra", "gpu.memory_nominal": "512 GB"})] == ["GR310"]


def test_a_list_of_names_says_what_all_of_them_say() -> None:
    assert numbers(read({"gpu.name": ["8xH100", "8xH20"]}), "gpu.count") == [8, 8]
    assert "gpu.count" not in read({"gpu.name": ["8xH100", "4xH20"]}).given


def test_an_unknown_model_beside_known_ones_keeps_the_shape_open() -> None:
    facts = read({"model.name": ["Qwen2-7B", "our own 7B"]})
    assert facts.given["model.name"].value == {"qwen2-7b", "other"}
    assert "model.layers" not in facts.given and len(facts.unrecognized) == 1


# ---------------------------------------------------------------- the decision


def test_a_decision_asks_about_names_that_leave_something_open() -> None:
    document = gpurules.evaluate({"workload.task": "inference", "model.name": "Qwen2-27B-A3B", "gpu.name": "2x RTX 4060 Ti"}, rulebook()).document
    (unrecognized,) = document["unrecognized"]
    assert (unrecognized["fact"], unrecognized["text"]) == ("model.name", "Qwen2-27B-A3B") and "Qwen2-7B" in unrecognized["nearest"]
    assert document["ambiguities"] == [{"fact": "gpu.name", "text": "2x RTX 4060 Ti", "entries": ["GeForce RTX 4060 Ti 16GB", "GeForce RTX 4060 Ti 8GB"]}]
    assert {"model.name", "gpu.name"} <= {question["fact"] for question in document["measure_next"]}


def test_a_decision_on_known_names_asks_about_none() -> None:
    document = gpurules.evaluate({"workload.task": "inference", "model.name": "qwen2 7b", "gpu.name": "2x4090"}, rulebook()).document
    assert "unrecognized" not in document and document["ambiguities"] == []
    assert not {"model.name", "gpu.name"} & {question["fact"] for question in document["measure_next"]}
