"""The record: decisions kept so that a person who was not there can check them. Entries are added and never changed.

Each entry has a head, a small document with the digests of everything it stands for and the hash of the entry before; its own hash
is that of its head. A change, a removal or another order anywhere breaks the chain. The one module that opens the store.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpurules.engine.decisions.decision import Document
from gpurules.engine.knowledge import bundle
from gpurules.engine.knowledge.bundle import Bundle, digest
from gpurules.engine.records.store import START, Damaged, Row, Store
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

ENTRY = "gpurules.entry/1"
_DIGITS = re.compile(r"[0-9]{1,18}")
_TEXTS = ("recorded", "by", "file", "date", "as_of", "facts", "decision", "status", "previous")
_HASH = re.compile(r"(sha256:)?[0-9a-f]{6,64}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked, by whom and when. `recorded` is a moment in UTC, `date` the day decided for as given ("" for the rulebook's),
    `as_of` the day by which waivers were judged; `waivers` is the file as given."""

    facts: bytes
    file: str
    settings: Sequence[tuple[str, str]] = ()
    date: str = ""
    waivers: bytes | None = None
    as_of: str = ""
    by: str = ""
    recorded: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as it was read back: its head as data, and the contents that the head names."""

    number: int
    hash: str
    head: Mapping[str, Any]
    asked: Asked
    decision: bytes

    @property
    def document(self) -> Document:
        found: Document = json.loads(self.decision)
        return found


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verifying found: how many entries are sound, the hash of the last of these, and what is wrong with the next, if anything."""

    sound: int
    hash: str
    bad: int | None = None
    fault: str = ""


def opened(where: str, write: bool = False) -> Store:
    """The store at a path or a postgresql:// URL. Reading never makes one. Raises GpurulesError."""
    if re.match(r"postgres(ql)?://", where):
        from gpurules.engine.records.store_postgres import PostgresStore

        return PostgresStore(where, write)
    if re.match(r"[a-z]{2,}[a-z0-9+.-]*://", where):
        mend = "give a path, or a URL postgresql://user@host/database"
        raise GpurulesError([Problem(Place("GPURULES_STORE"), "GR801", f"no store is known by {where.partition(':')[0]}://", mend)])
    from gpurules.engine.records.store_sqlite import SqliteStore

    return SqliteStore(Path(where), write)


# ---------------------------------------------------------------- adding


def add(store: Store, asked: Asked, decision: bytes, files: Callable[[], Bundle]) -> tuple[int, str]:
    """Number and hash of the new entry for a decision (canonical JSON); it is kept once this returns. `files` gives the rulebook's."""
    document = json.loads(decision)
    rulebook = document["rulebook"]["digest"]
    about: Document = {
        "format": ENTRY,
        "recorded": asked.recorded,
        "by": asked.by,
        "file": asked.file,
        "settings": [list(s) for s in asked.settings],
        "date": asked.date,
        "as_of": asked.as_of,
        "facts": digest(asked.facts),
        "waivers": digest(asked.waivers) if asked.waivers is not None else None,
        "decision": digest(decision),
        "status": document["status"],
        "engine": document["engine"],
    }

    def make(number: int, before: str, name: str) -> Row:
        head = canonical.dumps({**about, "number": number, "previous": before, "rulebook": {**document["rulebook"], "files": name}})
        return Row(number, digest(head.encode()), about["decision"], head, asked.facts, asked.waivers, decision)

    row = store.append(make, rulebook, lambda: bundle.pack(files()), digest)
    return row.number, row.hash


# ---------------------------------------------------------------- reading


def entry(store: Store, name: str) -> Entry:
    """The entry with this number, or whose hash begins so (six digits at least). Raises GpurulesError."""
    if _DIGITS.fullmatch(name):
        numbers = [int(name)]
    elif _HASH.fullmatch(name):
        numbers = store.hashed("sha256:" + name.removeprefix("sha256:"))
    else:
        mend = "give an entry's number, or the first digits of its hash; `gpurules audit list` shows both"
        raise GpurulesError([Problem(Place(printable(name)), "GR804", "names no entry", mend)])
    if len(numbers) > 1:
        raise GpurulesError(
            [Problem(Place(printable(name)), "GR804", f"stands for several entries, {numbers[0]} and {numbers[1]} among them", "give more digits")]
        )
    found = _read(store, numbers[0]) if numbers else None
    if found is None:
        raise GpurulesError([Problem(Place(printable(name)), "GR804", "there is no such entry", "`gpurules audit list` shows what there is")])
    return found


def deciding(store: Store, decision: bytes) -> Entry | None:
    """The newest entry with exactly this decision."""
    number = store.deciding(digest(decision))
    return _read(store, number) if number is not None else None


def entries(store: Store) -> Iterator[Entry]:
    """Every entry by number, read a few at a time; none is verified. Raises GpurulesError at one that cannot be read."""
    try:
        for row in store.rows():
            yield _entry(row)
    except Damaged as damaged:
        raise _unsound(damaged.number) from None


def rulebook(store: Store, name: str) -> Bundle | None:
    """The files of the recorded rulebook with this digest, or None. Raises GpurulesError where they were changed."""
    found = store.rulebook(name)
    if found is None:
        return None
    try:
        if digest(found[1]) == found[0]:
            return bundle.unpack(found[1])
    except ValueError:
        pass
    raise GpurulesError([Problem(Place(f"rulebook {name[:19]}…"), "GR805", "was changed since it was recorded", "`gpurules audit verify` names the entry")])


def _read(store: Store, number: int) -> Entry | None:
    try:
        row = store.row(number)
    except Damaged:
        raise _unsound(number) from None
    return _entry(row) if row is not None else None


def _entry(row: Row) -> Entry:
    """The entry of a row, its contents held against its head."""
    fault = _fault(row)
    if fault:
        raise _unsound(row.number)
    head = json.loads(row.head)
    settings = [(str(path), str(text)) for path, text in head["settings"]]
    asked = Asked(row.facts, head["file"], settings, head["date"], row.waivers, head["as_of"], head["by"], head["recorded"])
    return Entry(row.number, row.hash, head, asked, row.decision)


def _unsound(number: int) -> GpurulesError:
    return GpurulesError([Problem(Place(f"entry {number}"), "GR805", "was changed since it was recorded", "`gpurules audit verify` says more")])


# ---------------------------------------------------------------- verifying


def verify(store: Store, expected: Mapping[int, str] | None = None, told: Callable[[int], None] = lambda number: None) -> Verdict:
    """Go through all entries in order, keeping none, up to the first bad one. `expected` holds hashes known from elsewhere, by number:
    they alone show a record that was written anew as a whole, or cut at its end together with the note of its last entry.
    `told` hears the number of each sound entry."""
    wanted = dict(expected or {})
    last, last_hash = store.last()
    before, number, books = START, 0, dict[str, str]()
    try:
        for row in store.rows():
            if row.number != number + 1:
                return Verdict(number, before, number + 1, f"is missing; entry {row.number} follows entry {number}")
            fault = _fault(row) or _link(row, before) or _book(store, row, books)
            if not fault and wanted.get(row.number, row.hash) != row.hash:
                fault = f"has the hash {row.hash}, not the expected {wanted[row.number]}"
            if fault:
                return Verdict(number, before, row.number, fault)
            before, number = row.hash, row.number
            told(number)
    except Damaged as damaged:
        return Verdict(number, before, damaged.number if damaged.number == number + 1 else number + 1, "was changed: its content cannot be read")
    if number < last:
        return Verdict(number, before, number + 1, f"is missing; the record had {last} entries")
    if number == last and before != last_hash:
        return Verdict(number, before, number, f"is not the last that was recorded, {last_hash}")
    if not last_hash:
        return Verdict(number, before, number, "is not known to be the last: the note of the last entry was removed")
    missing = min((n for n in wanted if n > number or n < 1), default=None)
    return Verdict(number, before, missing, "is missing" if missing is not None else "")


def _fault(row: Row) -> str:
    """What is wrong with an entry taken alone; "" where nothing is."""
    if digest(row.head.encode("utf-8", "surrogateescape")) != row.hash:
        return "was changed: its head does not have its hash"
    try:
        head = json.loads(row.head)
    except (ValueError, RecursionError):
        head = None
    if not _is_head(head):
        return "was changed: its head is none"
    named = (head["number"], head["facts"], head["waivers"], head["decision"], head["decision"])
    waived = digest(row.waivers) if row.waivers is not None else None
    found = (row.number, digest(row.facts), waived, digest(row.decision), row.decided)
    parts = ("number", "facts", "waivers", "decision", "digest of the decision")
    wrong = [part for part, a, b in zip(parts, named, found, strict=True) if a != b]
    if wrong == ["number"]:
        return f"was moved: it was recorded as entry {head['number']}"
    return f"was changed: {', '.join(wrong)}" if wrong else ""


def _is_head(head: object) -> bool:
    """Whether it has the form that `add` gives a head, so that whoever reads it may rely on that."""
    if not isinstance(head, dict) or head.get("format") != ENTRY or not isinstance(head.get("rulebook"), dict):
        return False
    texts = (*(head.get(key) for key in _TEXTS), *(head["rulebook"].get(key) for key in ("digest", "files")))
    settings, waivers = head.get("settings"), head.get("waivers", 0)
    pairs = isinstance(settings, list) and all(isinstance(s, list) and len(s) == 2 for s in settings)
    return all(isinstance(t, str) for t in texts) and pairs and isinstance(head.get("number"), int) and (waivers is None or isinstance(waivers, str))


def _link(row: Row, before: str) -> str:
    previous = json.loads(row.head)["previous"]
    return "" if previous == before else f"does not follow the entry before it: it was recorded after {previous}"


def _book(store: Store, row: Row, books: dict[str, str]) -> str:
    """What is wrong with the rulebook that an entry names; each is looked at once."""
    named = json.loads(row.head)["rulebook"]
    name = named["digest"]
    if name not in books:
        found = store.rulebook(name)
        books[name] = "" if found is None else digest(found[1])
    if not books[name]:
        return f"names the rulebook {name}, which is missing"
    return "" if books[name] == named["files"] else f"names the rulebook {name}, which was changed"
