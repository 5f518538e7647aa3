"""What a name as people write it says: the entries of a catalogue that it may mean, a number of cards, a size of memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gpurules.engine.knowledge import spelling
from gpurules.engine.knowledge.catalog import Catalog, Entry
from gpurules.engine.knowledge.spelling import Memory
from gpurules.engine.values import quantity
from gpurules.engine.values.problem import printable

NOMINAL, USABLE = "gpu.memory_nominal", "gpu.memory_usable"
_LONGEST = 200
"""Characters of the longest text that is taken for a name."""
_OR = re.compile(r"\s+or\s+|\s*[|或]\s*")
_OR_OF_CARDS = re.compile(rf"{_OR.pattern}|\s*/\s*")


@dataclass(frozen=True, slots=True)
class Named:
    """Ids of the entries that a name may mean, never none. `settled`: it means no other version than these. `count` and
    `memory` are what else the name states; memory only where the entry itself comes in several sizes."""

    ids: tuple[str, ...]
    settled: bool = True
    count: int | None = None
    memory: str = ""


class UnknownName(ValueError):
    """A name that stands for nothing in the catalogue; `mend` says what to write instead, which is looked for when somebody asks."""

    def __init__(self, message: str, mend: str | Callable[[], str]) -> None:
        self.message, self._mend = message, mend
        super().__init__(message)

    @property
    def mend(self) -> str:
        return self._mend if isinstance(self._mend, str) else self._mend()

    def __str__(self) -> str:
        return f"{self.message}; {self.mend}"


def named(text: str, catalog: Catalog) -> Named:
    """What `text` says; `A100/H800` and `A100 or H800` are either. Raises UnknownName."""
    if len(text) > _LONGEST:
        raise unknown(text, catalog)
    try:
        return _card(text, catalog) if catalog.kind == "card" else _model(text, catalog)
    except UnknownName:
        parts = _OR_OF_CARDS.split(text) if catalog.kind == "card" else _OR.split(text)
        if len(parts) == 1:
            raise
        either = _either(parts, catalog)
        if either is None:
            raise
        return either


def _either(parts: list[str], catalog: Catalog) -> Named | None:
    """One of several names, if all of them are known and state the same beside."""
    try:
        read = [named(part, catalog) for part in parts]
    except UnknownName:
        return None
    if len({(one.count, one.memory) for one in read}) > 1:
        return None
    return Named(tuple(dict.fromkeys(id_ for one in read for id_ in one.ids)), all(one.settled for one in read), read[0].count, read[0].memory)


def _model(text: str, catalog: Catalog) -> Named:
    found = catalog.find(text)
    if not found:
        raise unknown(text, catalog)
    return Named(found, catalog.settled(text))


def _card(text: str, catalog: Catalog) -> Named:
    if not text.strip():
        raise unknown(text, catalog)
    wrong: UnknownName | None = None
    for reading in spelling.card_names(text):
        if not reading.name:
            raise UnknownName(f"'{printable(text, 60)}' says how many cards, but not which", f"name the card, and write the number as a count: {reading.count}")
        full = spelling.in_full(reading.name)
        name = full if not _cards(reading.name, reading.count, catalog) else reading.name
        found = _cards(name, reading.count, catalog)
        if found and reading.lanes:
            mend = f"write '{reading.count} x {reading.name}' for {reading.count} cards, or leave it out"
            raise UnknownName(f"'{printable(text, 60)}' may count cards or PCIe lanes", mend)
        if found:
            return Named(found, catalog.settled(name), reading.count)
        for memory in spelling.memories(reading.name):
            cards = [catalog.entries[id_] for id_ in _cards(memory.rest, reading.count, catalog)]
            fitting = _of_size(cards, memory)
            if fitting:
                shared = any(card.shared_memory for card in fitting)
                return Named(tuple(card.id for card in fitting), catalog.settled(memory.rest), reading.count, memory.text if shared else "")
            if cards:
                wrong = wrong or _no_such_size(text, memory, cards)
    raise wrong or unknown(text, catalog)


def _cards(name: str, count: int | None, catalog: Catalog) -> tuple[str, ...]:
    """The cards of a name; several cards in a plural may be read either way where both are cards: `8 L40s`."""
    found = catalog.find(name)
    if name.endswith("s") and (not found or (count or 1) > 1 and name != name.casefold()):
        found = tuple(dict.fromkeys((*found, *catalog.find(name[:-1]))))
    return found


def unknown(text: str, catalog: Catalog) -> UnknownName:
    """What to say of a name that the catalogue does not hold."""
    text = text[: _LONGEST + 1]
    if catalog.kind == "card" and re.search(r"\bmig\b|\d+g\.\d+gb", text, re.IGNORECASE):
        return UnknownName(f"'{printable(text, 60)}' is a slice of a card", "leave the name out and state the slice's gpu.memory_usable, gpu.memory_bandwidth")

    def mend() -> str:
        near = catalog.nearest(text) or next((n for r in spelling.card_names(text) if (n := catalog.nearest(r.name))), ())
        if near:
            return "did you mean " + ", ".join(f"'{n}'" for n in near) + "?"
        return f"`gpurules catalog {catalog.kind.replace('card', 'gpu')}s` lists the names"

    return UnknownName(f"'{printable(text, 60)}' matches no {catalog.kind} of the catalogue", mend)


# ---------------------------------------------------------------- memory in a name


def _of_size(cards: Iterable[Entry], memory: Memory) -> list[Entry]:
    """The cards that have the memory that their name states: exactly by the data sheet's figure, else nearly by any figure in use."""
    known = [card for card in cards if NOMINAL in card.values]
    exact = [card for card in known if _gigabytes(card) == memory.size]
    return exact or [card for card in known if _may_have(card, memory.size)]


def _may_have(card: Entry, said: float) -> bool:
    return any(_near(said, size) for size in _sizes(card)) or (card.shared_memory and said < _gigabytes(card))


def _near(said: float, size: float) -> bool:
    return abs(said - size) <= max(1.0, 0.02 * size)


def _sizes(card: Entry) -> tuple[float, ...]:
    """A card's memory as people say it: the nominal figure, and the usable one in GiB and in GB."""
    usable = quantity.read(card.values[USABLE].text).low if USABLE in card.values else None
    return (_gigabytes(card), *((usable / 2**30, usable / 1e9) if usable else ()))


def _gigabytes(card: Entry) -> float:
    return (quantity.read(card.values[NOMINAL].text).low or 0.0) / 1e9


def _no_such_size(text: str, memory: Memory, cards: list[Entry]) -> UnknownName:
    sizes = " or ".join(shown for _, shown in sorted({(_gigabytes(card), card.values[NOMINAL].text) for card in cards}))
    most = "up to " if any(card.shared_memory for card in cards) else ""
    names = " or ".join(f"'{card.name}'" for card in cards[:3])
    return UnknownName(
        f"'{printable(text, 60)}' says {memory.text}, but {printable(memory.rest, 40)} has {most}{sizes} in the catalogue",
        f"write {names} if meant; for a modified card leave the name out and state gpu.memory_usable, gpu.memory_bandwidth and so on",
    )
