"""The catalogue of example prices: of cards and of regions, each value with its sources and the month that they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gpurules.engine.knowledge.catalog import Sourced

Values = Mapping[str, Sourced]
"""Prices of one entry, keyed by the fact that each fills."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by card and by region. They are looked up where one of the facts `asked_by` is stated; `dates` holds the month of
    each source, `sources` where it is to be found."""

    asked_by: frozenset[str] = frozenset()
    cards: Mapping[str, Values] = field(default_factory=dict)
    regions: Mapping[str, Values] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, str] = field(default_factory=dict)


def load(plain: object) -> Prices:
    """The prices of a document as plain data: `asked_by`, `sources`, and lists under `cards` and `regions`."""
    assert isinstance(plain, dict)
    raw = plain["sources"]
    dates = {id_: str(source["date"]) for id_, source in raw.items()}
    where = {id_: f"{source['where']}, {source['date']}" for id_, source in raw.items()}
    cards, regions = ({str(e["id"]): _values(e["values"], dates) for e in plain[kind]} for kind in ("cards", "regions"))
    return Prices(frozenset(map(str, plain["asked_by"])), cards, regions, where, dates)


def _values(raw: Mapping[str, Mapping[str, object]], dates: Mapping[str, str]) -> Values:
    found = {}
    for path, value in raw.items():
        given = value["from"]
        assert isinstance(given, list)
        found[path] = Sourced(str(value["value"]), tuple(str(s) for s in given if dates[str(s)]), str(value["confidence"]))
    return found
