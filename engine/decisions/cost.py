"""Renting against owning as a document: what both sides have cost after each year, and which open figure moves the difference most."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gpurules.engine.decisions import wording
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import STATED, Fact
from gpurules.engine.language.compile import Value
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval, point

Document = dict[str, Any]
OWN, RENT, DIFFERENCE = "cost.own_total", "cost.rent_total", "cost.difference"
PARTS = ("cost.purchase", "cost.depreciation", "cost.colocation_year", "cost.electricity_year", "budget.staff_cost", "cost.downtime_year", "cost.rent_year")
"""What the totals are made of."""
BREAK_EVEN = ("cost.break_even_utilization", "cost.break_even_time", "cost.break_even_rent")
_HORIZON, _YEAR, _MOST = "period.horizon", 8760 * 3600.0, 10
_ESTIMATED = {"cost.residual_share": "budget.residual_share", "cost.power": "host.other_power"}
"""Figures that rules estimate, with the fact that would replace the estimate."""


def document(evaluation: Evaluation) -> Document | None:
    """The comparison with the assumptions made; None where the facts ask for none, or a side is not known at all."""
    run = evaluation.second
    if not {"budget.rent_price", "budget.reserved_price"} & run.known or DIFFERENCE not in run.derived:
        return None
    if wide(run.value(_HORIZON)) and run.value(_HORIZON) == evaluation.program.rulebook.vocabulary.facts[_HORIZON].whole:
        return None
    return {
        "horizon": _shown(run, _HORIZON, run.value(_HORIZON)),
        "parts": [_figure(run, path) for path in PARTS],
        "years": list(_years(run)),
        "totals": {side: _shown(run, path, run.value(path)) for side, path in (("own", OWN), ("rent", RENT), ("difference", DIFFERENCE))},
        "break_even": [_figure(run, path) for path in BREAK_EVEN],
        "cheaper": _cheaper(_number(run, DIFFERENCE)),
        "decides": _deciding(evaluation),
    }


def _years(run: Run) -> Iterator[Document]:
    """What has been spent when each whole year is over, the residual value not yet counted; the difference is not made of the
    two sums, but of one expression in which what they share has been taken out."""
    purchase, own, rent, apart = (_number(run, f"cost.{name}") for name in ("purchase", "own_year", "rent_year", "year_difference"))
    for year in range(1, min(_MOST, math.floor(_number(run, _HORIZON).low / _YEAR + 1e-9)) + 1):
        seconds = point(year * _YEAR)
        yield {
            "year": year,
            "own": _shown(run, OWN, interval.add(purchase, interval.multiply(seconds, own))),
            "rent": _shown(run, RENT, interval.multiply(seconds, rent)),
            "difference": _shown(run, DIFFERENCE, interval.add(purchase, interval.multiply(seconds, apart))),
        }


def _deciding(evaluation: Evaluation) -> list[Document]:
    """Open figures by how much of the difference's width goes when each is known at its middle; with what would then be cheaper
    at its low and at its high end."""
    run = evaluation.second
    whole = _width(_number(run, DIFFERENCE))
    cone = Cone(evaluation.engine, (), wanted=[DIFFERENCE])
    found = []
    for path in _open(run):
        low, high = _number(run, path)
        middle, at_low, at_high = (_difference(evaluation, cone, path, Interval(x, x)) for x in ((low + high) / 2, low, high))
        if middle is None or at_low is None or at_high is None:
            continue  # it has an end that cannot be
        share = 0.0 if math.isinf(whole) or not whole else 1 - _width(middle) / whole
        found.append(
            {
                "fact": _ESTIMATED.get(path, path),
                "title": _title(run, path),
                "now": _shown(run, path, run.value(path)),
                "share": round(max(share, 0.0), 6),
                "low": {**_shown(run, DIFFERENCE, at_low), "cheaper": _cheaper(at_low)},
                "high": {**_shown(run, DIFFERENCE, at_high), "cheaper": _cheaper(at_high)},
            }
        )
    return sorted(found, key=lambda entry: (-entry["share"], entry["fact"]))


def _open(run: Run) -> list[str]:
    """The wide figures behind the difference that somebody could state, estimates included."""
    facts = run.program.rulebook.vocabulary.facts
    behind = [c for c in run.value_causes(DIFFERENCE) if c in facts and facts[c].number and facts[c].kind == "observed"]
    estimated = [path for path in _ESTIMATED if path in run.derived and wide(run.value(path))]
    return [path for path in dict.fromkeys([*behind, *estimated]) if not any(math.isinf(end) for end in _number(run, path))]


def _difference(evaluation: Evaluation, cone: Cone, path: str, value: Interval) -> Interval | None:
    """The difference if one figure were `value`, all else being as it is; None where that cannot be."""
    other = evaluation.otherwise({path: Fact(path, value, STATED, "")}, cone)
    return None if other is None else _number(other.second, DIFFERENCE)


def _cheaper(difference: Interval) -> str:
    nothing = point(0.0)
    return "own" if interval.exceeds(nothing.low, difference.high) else "rent" if interval.exceeds(difference.low, nothing.high) else "depends"


def _width(value: Interval) -> float:
    return value.high - value.low


def _number(run: Run, path: str) -> Interval:
    value = run.value(path)
    assert isinstance(value, Interval)
    return value


def _figure(run: Run, path: str) -> Document:
    return {"fact": path, "title": _title(run, path), **_shown(run, path, run.value(path))}


def _title(run: Run, path: str) -> dict[str, str]:
    title = run.program.rulebook.vocabulary.facts[path].title
    return {"en": title.en, "zh": title.zh}


def _shown(run: Run, path: str, value: Value) -> Document:
    own = path in run.derived and value == run.value(path)
    vocabulary = run.program.rulebook.vocabulary
    return {"value": wording.encoded(value), "shown": wording.derived(run, path, value) if own else wording.fact(vocabulary, path, value)}
