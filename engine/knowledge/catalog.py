"""Catalogues of cards and models: what a name as people write it may mean, and the sourced values of each entry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpurules.engine.knowledge.vocabulary import Localized
from gpurules.engine.values.problem import nearest

CONFIDENCES = ("checked", "datasheet", "table", "capture", "config_file", "framework_table", "weak", "memory_only")
_MAKERS = ("nvidia", "geforce", "tesla", "amd", "instinct", "huawei", "intel", "apple")


@dataclass(frozen=True, slots=True)
class Sourced:
    """One value of an entry as written, the ids of its sources, and how far to trust it."""

    text: str
    sources: tuple[str, ...]
    confidence: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One card or model: its values keyed by the fact they fill; `data` and `notes` are for people."""

    id: str
    name: str
    values: Mapping[str, Sourced]
    aliases: tuple[str, ...]
    data: Mapping[str, object]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Catalog:
    """Entries by id, their sources, and the index from spellings to the entries they may mean."""

    kind: str
    entries: Mapping[str, Entry]
    sources: Mapping[str, Mapping[str, object]]
    index: Mapping[str, tuple[str, ...]]

    def find(self, name: str) -> tuple[str, ...]:
        """Ids of the entries that `name` may mean: none, exactly one, or several where it is ambiguous."""
        for key in spellings(name):
            if key in self.index:
                return self.index[key]
        return ()

    def nearest(self, name: str, count: int = 3) -> tuple[str, ...]:
        """Names of the entries most like `name`."""
        by_spelling = {spelling: entry.name for entry in self.entries.values() for spelling in (entry.name, *entry.aliases)}
        hits = nearest(name, by_spelling, count * 4)
        return tuple(dict.fromkeys(by_spelling[h] for h in hits))[:count]

    @property
    def members(self) -> dict[str, Localized]:
        return {id_: Localized(e.name, e.name) for id_, e in self.entries.items()}


def spellings(name: str) -> tuple[str, ...]:
    """The keys under which a name is looked up: case, spaces, dashes, underscores and brackets ignored; with and without
    the maker's name; a model's name also without its organisation."""
    text = unicodedata.normalize("NFKC", name).strip().casefold()
    keys = [_squeezed(text)]
    if re.match(r"[a-z][a-z0-9_.-]{2,}/(?!\d+$)", text):
        keys.append(_squeezed(text.rsplit("/", 1)[1]))
    words = re.split(r"[\s_-]+", text)
    while len(words) > 1 and words[0] in _MAKERS:
        words = words[1:]
        keys.append(_squeezed(" ".join(words)))
    return tuple(dict.fromkeys(k for k in keys if k))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s_()\[\]（）-]+", "", text)


def load(plain: object, kind: str) -> Catalog:
    """A catalogue from its document as plain data: `sources:` and a list under `cards:` or `models:`."""
    assert isinstance(plain, dict)
    entries: dict[str, Entry] = {}
    index: dict[str, set[str]] = {}
    shared: dict[str, set[str]] = {}
    for raw in plain["cards" if kind == "card" else "models"]:
        entry = _entry(raw)
        entries[entry.id] = entry
        for spelling in (entry.id, entry.name, *raw.get("aliases", ())):
            for key in spellings(str(spelling)):
                index.setdefault(key, set()).add(entry.id)
        for spelling in raw.get("ambiguous_aliases", ()):
            for key in spellings(str(spelling)):
                shared.setdefault(key, set()).add(entry.id)
    for key, ids in shared.items():
        index.setdefault(key, set()).update(ids)
    order = {id_: i for i, id_ in enumerate(entries)}
    return Catalog(kind, entries, plain.get("sources", {}), {k: tuple(sorted(v, key=order.__getitem__)) for k, v in sorted(index.items())})


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
    return Entry(str(raw["id"]), str(raw["name"]), values, tuple(_list(raw.get("aliases"))), data, tuple(_list(raw.get("notes"))))


def _list(value: object) -> Iterable[str]:
    return [str(v) for v in value] if isinstance(value, list) else []


def _text(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
