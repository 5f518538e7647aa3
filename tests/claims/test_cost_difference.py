"""Owning less renting is one difference: what both sides share does not widen it."""

from __future__ import annotations

from typing import Any

import pytest
from claim_decisions import PRICED

import gpurules


def ends(facts: dict[str, object], fact: str) -> tuple[float, float]:
    document: Any = gpurules.evaluate(facts).document
    (entry,) = (e for e in document["derived"] if e["fact"] == fact)
    return entry["value"]["low"], entry["value"]["high"]


@pytest.mark.parametrize(("fact", "low", "high"), [("period.horizon", "3 years", "5 years"), ("period.utilization", "95 %", "100 %")])
def test_the_ends_are_those_of_the_exact_figures(fact: str, low: str, high: str) -> None:
    """The difference over a range runs between its values at the range's ends, as it moves one way between them."""
    at_ends = [ends(PRICED | {fact: one}, "cost.difference") for one in (low, high)]
    exact = sorted(end for pair in at_ends for end in pair)
    between = ends(PRICED | {fact: f"{low}..{high}"}, "cost.difference")
    assert between[1] - between[0] == pytest.approx(exact[-1] - exact[0], rel=0.06)  # what is drawn without work is open too


def test_totals_that_overlap_do_not_hide_a_sure_difference() -> None:
    facts = PRICED | {"period.horizon": "3..5 years"}
    own, rent, difference = (ends(facts, fact) for fact in ("cost.own_total", "cost.rent_total", "cost.difference"))
    assert own[1] > rent[0]
    assert difference[1] < 0
    assert difference[1] - difference[0] < (own[1] - rent[0]) - (own[0] - rent[1])


def test_the_horizon_costs_no_width_at_all() -> None:
    facts = PRICED | {"period.horizon": "3..5 years"}
    low, high = ends(facts, "cost.difference")
    assert (low, high) == pytest.approx((-205100, -39060))


def test_each_year_of_the_table_is_one_difference_too() -> None:
    document: Any = gpurules.evaluate(PRICED | {"period.utilization": "95..100 %", "site.electricity_price": "0.1..0.2 USD/kWh"}).document
    for year in document["cost"]["years"]:
        own, rent, difference = (year[side]["value"] for side in ("own", "rent", "difference"))
        assert difference["high"] - difference["low"] < (own["high"] - rent["low"]) - (own["low"] - rent["high"])
