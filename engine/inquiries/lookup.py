"""Lookups: the facts by which others are looked up, a card's or a model's name among them, and those of their members that differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property

from gpurules.engine.inference.facts import PAIRS, Facts
from gpurules.engine.knowledge.catalog import Sourced
from gpurules.engine.knowledge.rulebook import Rulebook

LOOKED_AT = ("gpu.", "model.", "network.nodes", "interconnect.")
"""Facts by which others are looked up, or which are held against a catalogue."""
PRICE_AGE = "budget.price_age"
"""How old looked-up prices are."""
_LEADING = frozenset(["gpu.name", "gpu.count", "gpu.memory_nominal", "gpu.memory_usable", "network.nodes", "interconnect.kind", "site.region"])
_LINKS = frozenset(["interconnect.kind", "interconnect.bandwidth"])
"""What is looked up by a card and by how many there are."""
_KINDS = {"gpu.name": "card", "model.name": "model", "gpu.current_name": "card"}


class Lookups:
    """What the catalogues of a rulebook would fill in beside the facts as they are."""

    def __init__(self, facts: Facts, rulebook: Rulebook) -> None:
        self.facts, self.rulebook, self.vocabulary = facts, rulebook, rulebook.vocabulary.facts
        self.filled: dict[str, Mapping[str, Mapping[str, Sourced]]] = {"site.region": rulebook.prices.regions}
        for name, kind in _KINDS.items():
            entries = {id_: {_own(path, name): v for path, v in e.values.items()} for id_, e in rulebook.catalogs[kind].entries.items()}
            prices = rulebook.prices.cards if name == "gpu.name" else {}
            self.filled[name] = {id_: {**values, **prices.get(id_, {})} for id_, values in entries.items()}
        self.by = {name: frozenset(path for values in entries.values() for path in values) for name, entries in self.filled.items()}

    def behind(self, paths: Iterable[str]) -> frozenset[str]:
        """The facts beside `paths` by which what is known of these is looked up, or would be once they were stated."""
        asked = frozenset(paths)
        reached, pending = set(asked), list(asked)
        while pending:
            new = self._sources(pending.pop()) - reached
            reached |= new
            pending += new
        return frozenset(p for p in reached - asked if p in self.vocabulary)

    def reads_anew(self, path: str, beside: Collection[str] = ()) -> bool:
        """Whether facts have to be read anew where this one, and those `beside` it, are others: something may be looked up by it, or it
        is held against what is. A fact of a model, or of the card used today, has nothing to do with others where nobody names one."""
        name = "model.name" if path.startswith("model.") else "gpu.current_name" if path.startswith("gpu.current_") else path
        idle = name != path and name not in self.facts.given and name not in beside and not any(path in pair for pair in PAIRS)
        return not idle and looks_up(path, self.rulebook)

    def _sources(self, path: str) -> set[str]:
        given = self.facts.given.get(path)
        if given is not None and not given.via:
            return set()
        found = {given.via} if given is not None else set()
        found |= {name for name, filled in self.by.items() if path in filled}
        return found | ({"gpu.name", "gpu.count"} if path in _LINKS else set())

    def differing(self, name: str, members: Iterable[str], paths: Collection[str]) -> tuple[str, ...]:
        """Of the members of a name the first of each kind: those of one kind fill in the same for `paths` and what is stated."""
        wanted = {*paths, *self.facts.given}
        linked = not _LINKS.isdisjoint(wanted)
        found: dict[object, str] = {}
        for member in members:
            values = self.filled[name].get(member, {})
            kind = frozenset((p, v.text) for p, v in values.items() if p in wanted or (linked and p.startswith(("link.", "pcie."))))
            found.setdefault(kind, member)
        return tuple(found.values())

    def fills(self, path: str, names: Collection[str]) -> frozenset[str]:
        """The facts that may be looked up otherwise where one that is looked up by has another value. `names` are those of a card or
        a model that may mean several: whatever is stated of these may tell them apart."""
        if path in ("gpu.name", "model.name") or (path == "gpu.current_name"):
            return self._fillable[path]
        if _prices(path, self.rulebook):
            return self._fillable["site.region"]
        name = "model.name" if path.startswith("model.") else "gpu.name"
        if path.startswith(("gpu.", "model.", "network.", "interconnect.")) and name in names and not path.startswith("gpu.current_"):
            return self._fillable[name]
        pair = [two for one in PAIRS for two in one if path in one and two != path]
        linked = _LINKS if path in ("gpu.count", "interconnect.kind") else ()
        return frozenset((*pair, *linked))

    @cached_property
    def _fillable(self) -> Mapping[str, frozenset[str]]:
        """The facts that may be looked up by a name, or by a region."""
        rulebook = self.rulebook
        known = rulebook.vocabulary.facts
        of = {kind: {p for e in rulebook.catalogs[kind].entries.values() for p in e.values if p in known} for kind in ("card", "model")}
        prices = {p for group in (rulebook.prices.cards, rulebook.prices.regions) for e in group.values() for p in e if p in known}
        prices |= {PRICE_AGE} & known.keys()
        current = {p for p in known if p.startswith("gpu.current_")}
        cards = of["card"] | prices | {p for p in known if p.startswith(("gpu.", "interconnect."))} - current
        models = of["model"] | {p for p in known if p.startswith("model.")}
        found = {"gpu.name": cards, "model.name": models, "gpu.current_name": current, "site.region": prices}
        return {name: frozenset(paths) for name, paths in found.items()}


def looks_up(path: str, rulebook: Rulebook) -> bool:
    """Whether other facts may be looked up by this one, or checked against a catalogue with it, while facts are read."""
    return path.startswith(LOOKED_AT) or _prices(path, rulebook)


def leads(path: str, facts: Facts) -> bool:
    """Whether what is looked up may be another, once a fact has another value; any fact of a name that stands for several entries may tell them apart."""
    return path in _LEADING or path.startswith(("model.", "gpu.current_")) or (bool(facts.ambiguities) and path.startswith(LOOKED_AT))


def _prices(path: str, rulebook: Rulebook) -> bool:
    """Whether prices are looked up by a fact."""
    return path in rulebook.prices.asked_by or path == "site.region"


def _own(path: str, name: str) -> str:
    return path.replace("gpu.", "gpu.current_", 1) if name == "gpu.current_name" else path
