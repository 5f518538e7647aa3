"""What the sources claim of money, checked on decisions as a user gets them: totals, sides, bounds and who is asked for what.

Figures are worked out by hand here: 8 cards, 10 kW, 26,280 hours in three years.
"""

from typing import Any

import pytest
from claim_decisions import PRICED, Document, decide

YEAR = 8760 * 3600.0
OWN_YEAR, RENT_YEAR, DEPRECIATION = 24000 + 13140 + 20000, 8 * 2 * 8760, 300000 * 0.7


def value(document: Document, fact: str) -> Any:
    """Both ends of a derived value, with the assumptions made."""
    (entry,) = (entry for entry in document["derived"] if entry["fact"] == fact)
    found = entry.get("assuming", entry)["value"]
    return pytest.approx([found["low"], found["high"]], rel=1e-9)


def advised(document: Document, *states: str) -> set[tuple[str, str]]:
    """(level, action) of all advice about cost and purchase that stands in one of the states."""
    states = states or ("certain", "assuming")
    found = (c for c in document["conclusions"] if c["kind"] == "advise" and c["topic"] in ("cost", "purchase") and c["state"] in states)
    return {(c["level"], c["action"]) for c in found}


def conclusion(document: Document, rule: str) -> Document:
    found: Document
    found, *_ = (c for c in document["conclusions"] if c["rule"] == rule)
    return found


def exactly(amount: float) -> list[float]:
    return [amount, amount]


# ---------------------------------------------------------------- A43, A35: three years of both sides


def test_a43_with_all_prices_both_totals_year_by_year_and_break_even() -> None:
    document = decide(PRICED)
    assert value(document, "cost.own_total") == exactly(DEPRECIATION + 3 * OWN_YEAR)
    assert value(document, "cost.rent_total") == exactly(3 * RENT_YEAR)
    assert value(document, "cost.difference") == exactly(DEPRECIATION + 3 * (OWN_YEAR - RENT_YEAR))
    spent = [(y["year"], y["own"]["value"]["low"], y["rent"]["value"]["high"], y["difference"]["value"]["low"]) for y in document["cost"]["years"]]
    expected = [(n, 300000 + n * OWN_YEAR, n * RENT_YEAR, 300000 + n * (OWN_YEAR - RENT_YEAR)) for n in (1, 2, 3)]
    assert spent == [pytest.approx(row) for row in expected]
    fixed = DEPRECIATION / 3 + 24000 + 20000
    switched_off, left_running = fixed / (RENT_YEAR - 13140), (fixed + 13140) / RENT_YEAR
    found = next(e for e in document["derived"] if e["fact"] == "cost.break_even_utilization")["value"]
    assert found["low"] <= switched_off < left_running <= found["high"]
    assert value(document, "cost.break_even_time") == exactly(DEPRECIATION / (RENT_YEAR - OWN_YEAR) * YEAR)
    assert ("recommend", "buy") in advised(document)
    assert document["cost"]["cheaper"] == "own"


def test_a43_the_residual_value_is_counted_once() -> None:
    document = decide(PRICED)
    assert value(document, "cost.depreciation") == exactly(DEPRECIATION)
    without = decide(PRICED, {"budget.residual_share": "0 %"})
    (more,) = {e["value"]["low"] for e in without["derived"] if e["fact"] == "cost.own_total"}
    assert more - (DEPRECIATION + 3 * OWN_YEAR) == pytest.approx(90000)


def test_a43_three_years_are_assumed_where_no_time_is_stated() -> None:
    document = decide({k: v for k, v in PRICED.items() if k != "period.horizon"})
    assert [a["rule"] for a in document["assumptions"] if a["fact"] == "period.horizon"] == ["RNT-010"]
    assert value(document, "cost.own_total") == exactly(DEPRECIATION + 3 * OWN_YEAR)


def test_a43_half_of_the_hours_are_rented() -> None:
    document = decide(PRICED, {"period.utilization": "50 %"})
    assert ("recommend", "rent") in advised(document)
    assert ("recommend", "buy") not in advised(document, "certain", "assuming", "depends")


def test_a43_frequent_change_favours_renting_whatever_the_totals() -> None:
    document = decide(PRICED, workload__stability="changing_type")
    assert ("recommend", "rent") in advised(document)
    assert ("recommend", "buy") not in advised(document)


def test_a43_an_open_price_gives_open_totals_and_is_named() -> None:
    document = decide(PRICED, {"budget.rent_price": "1.5..2 USD/h"})
    assert value(document, "cost.rent_total") == [26280 * 8 * 1.5, 26280 * 8 * 2]
    finding = conclusion(document, "RNT-040")
    assert (finding["state"], finding["needs"]) == ("depends", ["budget.rent_price"])
    first, *others = document["cost"]["decides"]
    assert (first["fact"], first["share"], first["low"]["cheaper"], first["high"]["cheaper"]) == ("budget.rent_price", 1.0, "rent", "own")
    assert not others


def test_a43_of_two_open_prices_the_one_that_decides_comes_first() -> None:
    document = decide(PRICED, {"budget.rent_price": "1.95..2 USD/h", "budget.staff_cost": "0..90000 USD/year"})
    assert [d["fact"] for d in document["cost"]["decides"]] == ["budget.staff_cost", "budget.rent_price"]


def test_a43_without_any_price_for_renting_nothing_is_totalled() -> None:
    document = decide({"gpu.count": 8, "period.utilization": "50 %"})
    assert "cost" not in document
    assert not {a["rule"] for a in document["assumptions"]} & {"RNT-010", "RNT-016", "RNT-019"}


# ---------------------------------------------------------------- the catalogue of prices


def looked_up(document: Document) -> dict[str, Document]:
    return {f["path"]: f for f in document["facts"] if f["origin"] == "looked_up" and f["path"].startswith(("budget.", "site."))}


def test_prices_are_looked_up_with_their_pages_once_money_is_spoken_of() -> None:
    silent = decide({"gpu.name": "L40S", "gpu.count": 8})
    assert not looked_up(silent)
    found = looked_up(decide({"gpu.name": "L40S", "gpu.count": 8, "period.utilization": "50 %", "site.region": "europe"}))
    assert {"budget.card_price", "budget.rent_price", "budget.reserved_price", "site.electricity_price", "site.colocation_price"} <= set(found)
    assert all(f["via"] in ("gpu.name", "site.region") and f["sources"] and f["confidence"] for f in found.values())
    assert all("https://" in source and source[-7:-3].isdigit() for f in found.values() for source in f["sources"])


def test_a_users_own_prices_are_used_instead() -> None:
    stated = {"budget.rent_price": "1.2 USD/h", "site.electricity_price": "0.3 USD/kWh", "budget.purchase_price": "90000 USD"}
    document = decide({"gpu.name": "L40S", "gpu.count": 8, "site.region": "europe"}, stated)
    assert {f["path"] for f in document["facts"] if f["origin"] == "stated"} >= set(stated)
    assert not {"budget.card_price", "budget.reserved_price"} & set(looked_up(document))
    assert value(document, "cost.purchase") == exactly(90000)


def test_a_price_past_its_review_is_a_finding() -> None:
    assert ("caution", "refresh_prices") in advised(decide({"gpu.name": "L40S", "gpu.count": 8, "period.utilization": "50 %"}))
    assert ("caution", "refresh_prices") not in advised(decide(PRICED))


# ---------------------------------------------------------------- A36: by region


def test_a36_north_america_leans_to_rent() -> None:
    assert ("note", "rent") in advised(decide(site__region="north_america"))
    assert ("note", "rent") not in advised(decide(site__region="europe"), "certain", "assuming", "depends")


def test_a36_prices_for_both_sides_replace_the_leaning() -> None:
    assert ("note", "rent") not in advised(decide(PRICED, site__region="north_america"))


def test_a36_in_a_first_tier_chinese_city_colocation_is_shown_in_the_comparison() -> None:
    document = decide(PRICED, {"site.region": "china_first_tier", "site.colocation_price": "400 USD/kW/month"})
    assert ("caution", "count_colocation") in advised(document)
    (shown,) = (p for p in document["cost"]["parts"] if p["fact"] == "cost.colocation_year")
    assert shown["value"]["low"] * YEAR == pytest.approx(48000)
    assert shown["shown"]["en"] in conclusion(document, "RNT-031")["text"]["en"]


def test_a36_a_colocation_price_that_is_not_known_is_asked_for() -> None:
    document = decide({k: v for k, v in PRICED.items() if k != "site.colocation_price"}, {"site.region": "上海"})
    assert "site.colocation_price" in [q["fact"] for q in document["measure_next"] if "RNT-031" in q["asked_by"]]


# ---------------------------------------------------------------- C20: the total, not the price of the card

DESK = {
    "gpu.count": 4,
    "site.hosting": "own_room",
    "site.pue": 1.5,
    "site.electricity_price": "0.3 USD/kWh",
    "period.horizon": "3 years",
    "period.utilization": "100 %",
    "budget.rent_price": "1 USD/h",
    "budget.residual_share": "20 %",
    "budget.staff_cost": "0 USD/year",
    "budget.downtime_cost": "50 USD/h",
}
CHEAP = {"budget.purchase_price": "12000 USD", "gpu.power_limit": "450 W", "host.other_power": "800 W", "period.downtime": "3 %"}
DEAR = {"budget.purchase_price": "36000 USD", "gpu.power_limit": "300 W", "host.other_power": "800 W", "period.downtime": "0.5 %"}


def total(document: Document) -> float:
    (entry,) = (e for e in document["derived"] if e["fact"] == "cost.own_total")
    return float(entry["value"]["low"])


def test_c20_total_cost_reverses_the_order_of_a_cheap_card_that_draws_much() -> None:
    cheap, dear = decide(DESK, CHEAP), decide(DESK, DEAR)
    assert value(cheap, "cost.purchase") == exactly(12000) and value(dear, "cost.purchase") == exactly(36000)
    assert total(cheap) == pytest.approx(9600 + 3 * 8760 * (2.6 * 1.5 * 0.3 + 50 * 0.03))
    assert total(dear) == pytest.approx(28800 + 3 * 8760 * (2.0 * 1.5 * 0.3 + 50 * 0.005))
    assert total(cheap) > total(dear)
    assert ("note", "count_total_cost") in advised(cheap)


# ---------------------------------------------------------------- C21: class of card by budget, size and time


def test_c21_a_low_budget_and_short_small_work_take_consumer_cards() -> None:
    document = decide(workload__task="full_finetune", model__size_class="1B", budget__limited="yes", period__horizon="2 months")
    assert ("recommend", "consumer_card") in advised(document)
    assert ("recommend", "data_center_card") not in advised(document)


def test_c21_70b_for_months_on_eight_cards_takes_data_center_cards() -> None:
    document = decide(workload__task="full_finetune", model__size_class="70B", gpu__count=8, period__horizon="6 months")
    assert ("recommend", "data_center_card") in advised(document)
    assert ("recommend", "consumer_card") not in advised(document)


# ---------------------------------------------------------------- A44: bounds of load and budget

LOAD = {
    "workload.task": "full_finetune",
    "model.size_class": "7B",
    "training.precision": "bf16_mixed",
    "memory.rule_of_thumb": "112 GB",
    "gpu.count": 4,
    "gpu.memory_nominal": "24 GB",
    "gpu.memory_usable": "24 GB",
    "budget.purchase_price": "12000 USD",
}
"""112 GB: 134.4 with the minimum headroom, six cards; 145.6 with the recommended, seven. A card costs 3,000."""


def test_a44_what_the_peak_justifies_what_the_budget_allows_and_where_they_meet() -> None:
    document = decide(LOAD, budget__total="19000 USD")
    assert [value(document, f"cost.cards_{name}") for name in ("needed", "justified", "affordable")] == [exactly(6), exactly(7), exactly(6)]
    assert ("note", "bound_by_budget") in advised(document)
    assert "from 6 to 6 cards" in conclusion(document, "BUD-003")["text"]["en"]


def test_a44_a_budget_below_the_load_says_by_how_much_each_bound_is_missed() -> None:
    document = decide(LOAD, budget__total="15000 USD")
    assert {("stop", "buy_card"), ("recommend", "raise_budget")} <= advised(document)
    text = conclusion(document, "BUD-004")["text"]["en"]
    assert "1 card(s), or 3,000 USD" in text and "14.4 GB" in text


def test_a44_a_machine_beyond_the_budget_is_rejected() -> None:
    document = decide({"gpu.name": "L40S", "gpu.count": 8, "workload.task": "lora", "model.size_class": "7B", "budget.total": "5000 USD"})
    (met,) = (r["met"] for r in document["candidates"][0]["requirements"] if r["rule"] == "BUD-005")
    assert met == "no"
