"""Looked-up prices: what the catalogue of prices says of the stated card and region, where a facts file speaks of money."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpurules.engine.inference.leaves import Leaves
from gpurules.engine.knowledge.catalog import Sourced
from gpurules.engine.knowledge.prices import Prices, Values
from gpurules.engine.knowledge.statement import Value
from gpurules.engine.values.interval import Interval

_INSTEAD = {"budget.card_price": "budget.purchase_price", "budget.host_price": "budget.purchase_price", "budget.reserved_price": "budget.rent_price"}
"""Prices that are not looked up where the user states the other: a quote is not to be mixed with the catalogue's figures."""
_DAY, _YEAR = 24 * 3600.0, 8760 * 3600.0


@dataclass(frozen=True, slots=True)
class Quote:
    """Prices of one fact: of each entry that a name may stand for."""

    path: str
    values: tuple[Sourced, ...]
    via: str


def quotes(found: Mapping[str, Value], leaves: Leaves, prices: Prices) -> Iterator[Quote]:
    """The prices to be taken from the catalogue, given the facts `found` so far."""
    if not prices.asked_by & leaves.nodes.keys():
        return
    for name, entries in (("gpu.name", prices.cards), ("site.region", prices.regions)):
        members = found.get(name)
        if isinstance(members, frozenset) and members and members <= entries.keys():
            priced = [entries[m] for m in sorted(members)]
            for path in _common(priced):
                if path not in found and _INSTEAD.get(path, "") not in leaves.nodes:
                    yield Quote(path, tuple(p[path] for p in priced), name)


def age(oldest: str, date: str) -> Interval | None:
    """How old a price of the month `oldest` is on a day, in seconds; a price of a later month is new. None without a price."""
    if not oldest:
        return None
    year, month = (int(part) for part in oldest.split("-")[:2])
    on_year, on_month, on_day = (int(part) for part in date.split("-"))
    years = on_year - year + (on_month - month) / 12
    seconds = max(0.0, years * _YEAR + (on_day - 1) * _DAY)
    return Interval(seconds, seconds)


def _common(priced: list[Values]) -> list[str]:
    return [path for path in priced[0] if all(path in values for values in priced)]
