"""Lookups: the facts by which others are looked up, a card's or a model's name among them, and those of their members that differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from gpurules.engine.inference.facts import Facts
from gpurules.engine.knowledge.catalog import Sourced
from gpurules.engine.knowledge.rulebook import Rulebook

_LINKS = frozenset(["interconnect.kind", "interconnect.bandwidth"])
"""What is looked up by a card and by how many there are."""
_KINDS = {"gpu.name": "card", "model.name": "model", "gpu.current_name": "card"}


class Lookups:
    """What the catalogues of a rulebook would fill in beside the facts as they are."""

    def __init__(self, facts: Facts, rulebook: Rulebook) -> None:
        self.facts, self.vocabulary = facts, rulebook.vocabulary.facts
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


def _own(path: str, name: str) -> str:
    return path.replace("gpu.", "gpu.current_", 1) if name == "gpu.current_name" else path
