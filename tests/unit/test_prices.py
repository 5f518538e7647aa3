"""The catalogue of example prices: every price has a page and a month, and fills a fact of a card or region that exists."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import pytest

from gpurules.engine.inference import pricing
from gpurules.engine.knowledge import document, prices, rulebook, statement
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import Place

CATALOGS = resources.files("gpurules.catalogs")
PLAIN: Any = document.plain(document.parse(CATALOGS.joinpath("prices.yaml").read_bytes(), "prices.yaml"))
YEAR = 8760 * 3600.0


@pytest.fixture(scope="module")
def book() -> rulebook.Rulebook:
    return rulebook.load()


def test_the_header_says_that_the_prices_are_to_be_replaced() -> None:
    assert "TO BE REPLACED" in CATALOGS.joinpath("prices.yaml").read_text("utf-8")[:200]


def test_every_source_has_a_page_and_a_month() -> None:
    for source in PLAIN["sources"].values():
        assert re.search(r"https://\S+", source["where"])
        assert re.fullmatch(r"20[0-9]{2}-(0[1-9]|1[0-2])", source["date"])


def test_every_source_is_used() -> None:
    used = {s for kind in ("cards", "regions") for entry in PLAIN[kind] for v in entry["values"].values() for s in v["from"]}
    assert used == set(PLAIN["sources"])


def test_every_price_is_one_of_a_card_or_region_that_exists(book: rulebook.Rulebook) -> None:
    facts = book.vocabulary.facts
    assert set(book.prices.cards) <= set(book.catalogs["card"].entries)
    assert set(book.prices.regions) <= set(facts["site.region"].members)
    assert book.prices.asked_by <= set(facts)
    for values in (*book.prices.cards.values(), *book.prices.regions.values()):
        for path, sourced in values.items():
            read = statement.read(facts[path], Scalar(sourced.text, "text", Place("prices.yaml")), book.catalogs)
            assert isinstance(read, Interval) and facts[path].range.low <= read.low <= read.high <= facts[path].range.high
            assert sourced.sources and sourced.confidence in ("table", "weak")


def test_reserving_never_costs_more_than_renting_on_demand(book: rulebook.Rulebook) -> None:
    facts = book.vocabulary.facts
    for values in book.prices.cards.values():
        if {"budget.rent_price", "budget.reserved_price"} <= set(values):
            paths = ("budget.reserved_price", "budget.rent_price")
            reserved, demand = (statement.read(facts[p], Scalar(values[p].text, "text", Place("prices.yaml")), book.catalogs) for p in paths)
            assert isinstance(reserved, Interval) and isinstance(demand, Interval)
            assert reserved.low <= demand.low and reserved.high <= demand.high


@pytest.mark.parametrize(
    ("oldest", "date", "years"),
    [("2026-05", "2026-11-01", 0.5), ("2026-11", "2026-11-01", 0), ("2025-11", "2026-11-01", 1), ("2027-01", "2026-11-30", 0)],
)
def test_a_price_ages_from_the_first_of_its_month(oldest: str, date: str, years: float) -> None:
    age = pricing.age(oldest, date)
    assert age is not None and age.exact
    assert age.low == pytest.approx(years * YEAR)


def test_without_a_price_there_is_no_age() -> None:
    assert pricing.age("", "2026-11-30") is None


def test_a_price_names_only_sources_that_exist() -> None:
    price = {"value": "1 USD", "from": ["p99"], "confidence": "weak"}
    plain = {"asked_by": [], "sources": {}, "cards": [{"id": "x", "values": {"budget.card_price": price}}], "regions": []}
    with pytest.raises(KeyError):
        prices.load(plain)
