"""The whole server in decision and report: parts of the stated machine and of each recommended, from derived facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources

import jsonschema
import pytest

import gpurules
from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.parts import PARTS, TELLING
from gpurules.engine.reports.report import report

FULL = {"workload.task": "full_finetune", "training.precision": "bf16_mixed", "model.size_class": "7B"}
OURS = {"gpu.name": "H100 SXM5 80GB", "gpu.count": 8}


def decision(*parts: Mapping[str, object]) -> Document:
    facts: dict[str, object] = {}
    for part in parts:
        facts |= part
    return gpurules.evaluate(facts).document


def bill(document: Document, machine: str) -> dict[str, Document]:
    return next({p["fact"]: p for p in b["parts"]} for b in document["server"] if b["machine"] == machine)


def test_the_stated_machine_with_what_there_is_of_each_part() -> None:
    parts = bill(decision(FULL, OURS, {"host.cpu_cores": 16, "host.other_power": "2.4 kW"}), "stated")
    assert parts["host.cpu_cores_wanted"]["value"] == {"low": 48, "high": 48}
    assert parts["host.cpu_cores_wanted"]["stated"]["en"] == "16"
    assert parts["host.memory_wanted"]["shown"]["en"] == "1,280 GB"
    assert parts["power.expected"]["value"] == {"low": 8000, "high": 8000}
    assert parts["power.supply_wanted"]["value"] == {"low": 10000, "high": 10000}
    assert "network.bandwidth_wanted" not in parts


def test_what_all_nodes_write_together_is_set_against_what_all_want() -> None:
    parts = bill(decision(FULL, OURS, {"gpu.count": 16, "network.nodes": 2, "storage.write_bandwidth": "5 GB/s"}), "stated")
    assert parts["storage.write_bandwidth_wanted"]["stated"]["en"] == "10 GB/s"
    assert parts["host.gpus"]["value"] == {"low": 8, "high": 8}


def test_each_recommended_machine_has_its_own_parts() -> None:
    document = decision(FULL, {"model.size_class": "1B", "host.cpu_cores": 16})
    chosen = document["choice"]["chosen"]
    assert chosen
    assert [b["machine"] for b in document["server"]] == [m["id"] for m in chosen]
    for machine in chosen:
        parts = bill(document, machine["id"])
        assert parts["host.cpu_cores_wanted"]["value"]["low"] == 6 * machine["count"]
        assert "stated" not in parts["host.cpu_cores_wanted"]
        assert parts["power.cards"]["value"] == machine["figures"]["candidate.power"]["value"]


def test_figures_that_tell_nothing_are_left_out() -> None:
    for document in (decision(FULL, OURS), decision({"workload.task": "inference", "model.size_class": "7B"}, OURS)):
        for one in document["server"]:
            assert all(p["value"]["low"] > 0 and p["value"]["high"] <= TELLING * p["value"]["low"] for p in one["parts"])
            assert {p["fact"] for p in one["parts"]} <= set(PARTS)


def test_nothing_sized_has_no_server() -> None:
    assert "server" not in decision({"gpu.name": "H100 SXM5 80GB", "gpu.count": 8})


def test_claims_behind_the_parts_are_listed() -> None:
    document = decision(FULL, OURS)
    cited = {c for b in document["server"] for p in b["parts"] for c in p["cites"]}
    assert cited <= set(document["claims"])


@pytest.mark.parametrize(("language", "title"), [("en", "The whole server"), ("zh", "整机配置")])
def test_the_report_shows_it(language: str, title: str) -> None:
    sections = {s.title: repr(s.blocks) for s in report(decision(FULL, OURS, {"host.cpu_cores": 16}), language)}
    assert "HST-004" in sections[title] and "48" in sections[title] and "16" in sections[title]


def test_the_document_keeps_to_its_schema() -> None:
    schema = json.loads((resources.files("gpurules.schemas") / "decision.schema.json").read_text())
    jsonschema.validate(decision(FULL, {"model.size_class": "1B"}), schema)
