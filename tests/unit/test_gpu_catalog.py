"""The catalogue of cards as its users meet it: names, figures, and where each figure comes from."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpurules.engine.knowledge import catalog

CATALOGS = Path(__file__).parents[2] / "catalogs"
LINK_KINDS = {"pcie", "nvlink_bridge", "nvlink_switch", "infinity_fabric", "hccs", "roce", "unified_memory"}
CONFIDENCES = {"checked", "datasheet", "table", "capture", "weak"}
UNITS = {
    "gpu.memory_nominal": "GB",
    "gpu.memory_usable": "MiB",
    "gpu.memory_bandwidth": "GB/s",
    "gpu.half_tensor_rate": "TFLOP/s",
    "gpu.power_limit": "W",
    "link.bandwidth": "GB/s",
    "pcie.bandwidth": "GB/s",
}

Card = dict[str, Any]


@pytest.fixture(scope="module")
def catalogue() -> dict[str, Any]:
    return yaml.safe_load((CATALOGS / "gpus.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cards(catalogue: dict[str, Any]) -> list[Card]:
    return catalogue["cards"]


def folded(name: str) -> str:
    return re.sub(r"[\s\-_()\[\]]", "", str(name).lower())


def value(cards: list[Card], card: str, fact: str) -> str:
    return next(entry for entry in cards if entry["id"] == card)["values"][fact]["value"]


def named(cards: list[Card], name: str) -> set[str]:
    """The cards that a name may mean."""
    return {c["id"] for c in cards if folded(name) in {folded(n) for n in (c["id"], c["name"], *c["aliases"], *c["ambiguous_aliases"])}}


def test_every_card_can_be_sized_and_linked(cards: list[Card]) -> None:
    for card in cards:
        assert "gpu.memory_nominal" in card["values"], card["id"]
        assert card["values"]["link.kind"]["value"] in LINK_KINDS, card["id"]


def test_every_card_that_is_not_part_of_a_processor_has_a_slot(cards: list[Card]) -> None:
    missing = [c["id"] for c in cards if "pcie.bandwidth" not in c["values"]]
    assert all(value(cards, card, "gpu.tier") == "integrated" for card in missing)


def test_figures_carry_the_unit_of_their_fact(cards: list[Card]) -> None:
    for card in cards:
        for fact, unit in UNITS.items():
            if fact in card["values"]:
                assert re.fullmatch(rf"\d+(\.\d+)? {unit}", card["values"][fact]["value"]), (card["id"], fact)


def test_usable_memory_is_about_the_nominal(cards: list[Card]) -> None:
    """A usable figure in another unit, or of a card's half, would show here."""
    for card in cards:
        if usable := card["values"].get("gpu.memory_usable"):
            nominal = float(card["values"]["gpu.memory_nominal"]["value"].split()[0])
            ratio = float(usable["value"].split()[0]) * 2**20 / (nominal * 1e9)
            assert 0.95 < ratio < 1.08, card["id"]


def test_ids_are_unique(cards: list[Card]) -> None:
    ids = [card["id"] for card in cards]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", i) for i in ids)


def test_no_name_is_exact_for_two_cards(cards: list[Card]) -> None:
    exact: dict[str, set[str]] = defaultdict(set)
    shared = {folded(name) for card in cards for name in card["ambiguous_aliases"]}
    for card in cards:
        for name in (card["id"], card["name"], *card["aliases"]):
            exact[folded(name)].add(card["id"])
    assert {name: ids for name, ids in exact.items() if len(ids) > 1} == {}
    assert set(exact) & shared == set()


def test_every_value_names_its_sources(catalogue: dict[str, Any]) -> None:
    sources = catalogue["sources"]
    for card in catalogue["cards"]:
        for fact, stated in card["values"].items():
            assert stated["from"], (card["id"], fact)
            assert set(stated["from"]) <= set(sources), (card["id"], fact)
            assert stated["confidence"] in CONFIDENCES, (card["id"], fact)
        for name, keys in card["data"]["from"].items():
            assert set(keys) <= set(sources), (card["id"], name)


def test_checked_means_two_documents_with_an_address(catalogue: dict[str, Any]) -> None:
    sources = catalogue["sources"]

    def known(key: str) -> bool:
        return sources[key]["confidence"] != "memory_only" and "address is not known" not in sources[key]["where"]

    for card in catalogue["cards"]:
        for fact, stated in card["values"].items():
            documents = {re.split(r" \(|;", sources[key]["where"])[0] for key in stated["from"] if known(key)}
            assert (stated["confidence"] == "weak") == (not documents) or fact == "pcie.bandwidth", (card["id"], fact)
            if stated["confidence"] == "checked":
                assert len(documents) > 1, (card["id"], fact)


def test_no_source_is_a_path_of_some_machine(catalogue: dict[str, Any]) -> None:
    for key, source in catalogue["sources"].items():
        assert not re.search(r"(^|\s)(/\w|\.\./|~/)", source["where"]), key


@pytest.mark.parametrize(
    ("card", "fact", "expected"),
    [
        ("geforce-rtx-4090", "gpu.memory_usable", "24564 MiB"),
        ("geforce-rtx-4090", "gpu.power_limit", "450 W"),
        ("geforce-rtx-4090", "link.kind", "pcie"),
        ("geforce-rtx-3090", "link.kind", "nvlink_bridge"),
        ("geforce-rtx-4060-ti-16gb", "pcie.bandwidth", "32 GB/s"),
        ("h100-sxm5-80gb", "gpu.memory_usable", "81559 MiB"),
        ("h100-sxm5-80gb", "gpu.power_limit", "700 W"),
        ("h100-sxm5-80gb", "link.bandwidth", "900 GB/s"),
        ("h100-sxm5-80gb", "pcie.bandwidth", "128 GB/s"),
        ("a100-sxm4-80gb", "link.bandwidth", "600 GB/s"),
        ("a800-sxm4-80gb", "link.bandwidth", "400 GB/s"),
        ("b200-sxm", "gpu.memory_usable", "183359 MiB"),
        ("l40s", "gpu.power_limit", "350 W"),
        ("gh200-96gb", "gpu.memory_nominal", "96 GB"),
        ("ascend-910b3", "link.kind", "hccs"),
    ],
)
def test_known_figures(cards: list[Card], card: str, fact: str, expected: str) -> None:
    assert value(cards, card, fact) == expected


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("H100", {"h100-pcie-80gb", "h100-sxm5-80gb", "h100-nvl-94gb"}),
        ("H200", {"h200-sxm-141gb", "h200-nvl-141gb"}),
        ("H20", {"h20-96gb", "h20-3e-141gb"}),
        ("A100", {"a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm4-40gb", "a100-sxm4-80gb"}),
        ("a-100 (80gb)", {"a100-pcie-80gb", "a100-sxm4-80gb"}),
        ("A100 SXM", {"a100-sxm4-40gb", "a100-sxm4-80gb"}),
        ("32G V100", {"tesla-v100-pcie-32gb", "tesla-v100-sxm2-32gb"}),
        ("NVIDIA H200", {"h200-sxm-141gb"}),
        ("NVIDIA H100 80GB HBM3", {"h100-sxm5-80gb"}),
        ("A6000(48G)", {"rtx-a6000"}),
        ("rtx_4090", {"geforce-rtx-4090"}),
        ("V100S", {"tesla-v100s-pcie-32gb"}),
        ("MI300x", {"instinct-mi300x"}),
        ("RTX 4090D 48GB", set()),
    ],
)
def test_names_as_people_and_tools_write_them(cards: list[Card], name: str, meant: set[str]) -> None:
    assert named(cards, name) == meant


def test_links_have_sources_and_the_figures_of_claim_b07() -> None:
    document = yaml.safe_load((CATALOGS / "interconnects.yaml").read_text(encoding="utf-8"))
    links = {link["id"]: link for link in document["links"]}
    assert len(links) == len(document["links"])
    for link in links.values():
        assert link["kind"] in LINK_KINDS
        assert set(link["from"]) <= set(document["sources"])
        assert re.fullmatch(r"\d+(\.\d+)? GB/s", link["bandwidth"])
    assert {key for link in links.values() for key in link["from"]} == set(document["sources"])
    assert [links[i]["bandwidth"] for i in ("pcie-4", "nvlink-3", "nvlink-4")] == ["64 GB/s", "600 GB/s", "900 GB/s"]


@pytest.mark.parametrize("written", ["no", False])
def test_a_card_that_is_not_offered_however_it_is_written(written: object) -> None:
    """YAML's core schema keeps `no` as text; a catalogue made by a program may hold JSON's false."""
    card = {"id": "one", "name": "One", "values": {}, "offered": written}
    assert not catalog.load({"cards": [card]}, "card").entries["one"].offered
    assert catalog.load({"cards": [{**card, "offered": "yes"}]}, "card").entries["one"].offered
