"""Catalogues of cards and models: what a name as people write it may mean, and the sourced values of each entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gpurules.engine.knowledge import spelling
from gpurules.engine.knowledge.vocabulary import Localized
from gpurules.engine.values.problem import nearest

_CUT = 9
"""Letters of a name that a table cut off (`Tesla V100-SXM2...`) from which it may be completed."""


@dataclass(frozen=True, slots=True)
class Sourced:
    """One value of an entry as written, the ids of its sources, and how far to trust it."""

    text: str
    sources: tuple[str, ...]
    confidence: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One card or model: its values keyed by the fact they fill; `data` and `notes` are for people. A card that is not `offered` is
    known where it is stated, and no machine is proposed with it."""

    id: str
    name: str
    values: Mapping[str, Sourced]
    aliases: tuple[str, ...]
    data: Mapping[str, object]
    notes: tuple[str, ...]
    offered: bool = True

    @property
    def shared_memory(self) -> bool:
        """Whether a card's memory is the machine's: the catalogue holds its largest configuration, a machine may have less."""
        return "gpu.tier" in self.values and self.values["gpu.tier"].text == "integrated"


@dataclass(frozen=True)
class Catalog:
    """Entries by id, their sources, and the index from keys of spellings to the entries they may mean. `shapes` is the index
    of models' names without the words that leave a shape alone; `open` holds keys that also mean what the catalogue lacks."""

    kind: str
    entries: Mapping[str, Entry]
    sources: Mapping[str, Mapping[str, object]]
    index: Mapping[str, tuple[str, ...]]
    shapes: Mapping[str, tuple[str, ...]]
    open: frozenset[str]

    def slim(self) -> Catalog:
        """The catalogue without what is kept for people alone."""
        entries = {id_: replace(e, data={k: v for k, v in e.data.items() if k == "link"}, notes=()) for id_, e in self.entries.items()}
        return replace(self, entries=entries, sources={id_: {"where": s.get("where", id_)} for id_, s in self.sources.items()})

    def find(self, name: str) -> tuple[str, ...]:
        """Ids of the entries that `name` may mean: none, exactly one, or several where it is ambiguous."""
        found = self._find(name, self.index)
        if self.kind == "model":
            found = found or self._find(spelling.shapeless(name), self.shapes)
            for part in spelling.folders(name)[:-1] if found else ():
                other = self._find(part, self.index)
                if other and not set(found) <= set(other):  # no folder: `llama-2-7b/llama-2-13b`
                    found = tuple(id_ for id_ in self.entries if id_ in {*found, *other})
        cut = name.rstrip()
        if not found and self.kind == "card" and cut.endswith(("...", "…")):
            start = next(iter(spelling.keys(cut.rstrip(".… "), self.kind)), "")
            met = {id_ for key, ids in self.index.items() if len(start) >= _CUT and key.startswith(start) for id_ in ids}
            found = tuple(id_ for id_ in self.entries if id_ in met)
        return found

    def _find(self, name: str, index: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        for key in spelling.keys(name, self.kind):
            if key in index:
                return index[key]
        for key in spelling.keys(name, self.kind):
            met = {id_ for variant in spelling.variants(key, self.kind) for id_ in index.get(variant, ())}
            if met:
                return tuple(id_ for id_ in self.entries if id_ in met)
        return ()

    def settled(self, name: str) -> bool:
        """Whether `name` means nothing but entries of the catalogue: not so for the name of a series of which it holds one version."""
        return next((key for key in spelling.keys(name, self.kind) if key in self.index), "") not in self.open

    def nearest(self, name: str, count: int = 3) -> tuple[str, ...]:
        """Names of the entries most like `name`."""
        by_spelling = {spelling: entry.name for entry in self.entries.values() for spelling in (entry.name, *entry.aliases)}
        hits = nearest(name, by_spelling, count * 4)
        return tuple(dict.fromkeys(by_spelling[h] for h in hits))[:count]

    @property
    def members(self) -> dict[str, Localized]:
        return {id_: Localized(e.name, e.name) for id_, e in self.entries.items()}


def load(plain: object, kind: str) -> Catalog:
    """A catalogue from its document as plain data: `sources:` and a list under `cards:` or `models:`."""
    assert isinstance(plain, dict)
    entries: dict[str, Entry] = {}
    index: dict[str, set[str]] = {}
    shapes: dict[str, set[str]] = {}
    shared: dict[str, set[str]] = {}
    for raw in plain["cards" if kind == "card" else "models"]:
        entry = _entry(raw)
        entries[entry.id] = entry
        for name in (entry.id, entry.name, *raw.get("aliases", ())):
            for key in spelling.keys(str(name), kind):
                index.setdefault(key, set()).add(entry.id)
            for key in spelling.keys(spelling.shapeless(str(name)), kind) if kind == "model" else ():
                shapes.setdefault(key, set()).add(entry.id)
        for name in raw.get("ambiguous_aliases", ()):
            for key in spelling.keys(str(name), kind):
                shared.setdefault(key, set()).add(entry.id)
    for key, ids in shared.items():
        index.setdefault(key, set()).update(ids)
    order = {id_: i for i, id_ in enumerate(entries)}
    one_version = frozenset(key for key in shared if len(index[key]) == 1)
    return Catalog(kind, entries, plain.get("sources", {}), _sorted(index, order), _sorted(shapes, order), one_version)


def _sorted(index: Mapping[str, set[str]], order: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(sorted(ids, key=order.__getitem__)) for key, ids in sorted(index.items())}


def _entry(raw: Mapping[str, object]) -> Entry:
    default, confidence, weak = tuple(_list(raw.get("from"))), str(raw.get("confidence", "")), set(_list(raw.get("weak")))
    values: dict[str, Sourced] = {}
    given = raw["values"]
    assert isinstance(given, dict)
    for path, value in given.items():
        if isinstance(value, dict):
            values[path] = Sourced(str(value["value"]), tuple(_list(value["from"])), str(value["confidence"]))
        else:
            values[path] = Sourced(_text(value), default, "weak" if path in weak else confidence)
    data = raw.get("data", {})
    assert isinstance(data, dict)
    if "vendor" in raw and values:  # known by the name itself; it stands with the entry's first source
        values["gpu.vendor"] = replace(next(iter(values.values())), text=str(raw["vendor"]).lower())
    offered = raw.get("offered", "yes") not in ("no", False)
    return Entry(str(raw["id"]), str(raw["name"]), values, tuple(_list(raw.get("aliases"))), data, tuple(_list(raw.get("notes"))), offered)


def _list(value: object) -> Iterable[str]:
    return [str(v) for v in value] if isinstance(value, list) else []


def _text(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
