"""What a store of decisions must do, in SQL that SQLite and PostgreSQL both read. Rows are added and never changed."""

from __future__ import annotations

import re
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

FORMAT = "gpurules.record/1"
START = "sha256:" + "0" * 64
"""What stands for the hash of the entry before the first."""
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
BATCH = 8
"""Rows read at a time: no reader holds up a writer for longer than they take."""
_COLUMNS = "number, hash, decided, head, facts, waivers, decision"


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as it lies in the store. `hash` is of `head`; `decided` is the digest of the decision; the contents are as given."""

    number: int
    hash: str
    decided: str
    head: str
    facts: bytes
    waivers: bytes | None
    decision: bytes


class Damaged(Exception):
    """What lies in the store under this number is nothing that was stored."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Store(ABC):
    """Entries under the numbers 1, 2, 3 …, and rulebooks by digest. Every method raises GpurulesError where the store fails."""

    tables: Sequence[str]
    """Statements that make the tables."""
    shown: str
    """Where the store is, as problems name it."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """A transaction that no other writer shares. What is done in it lasts once it ends, or is not there at all."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """A span in which faults of the store become problems."""

    @abstractmethod
    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of one statement; `?` stands for each of `values`."""

    @abstractmethod
    def close(self) -> None: ...

    # ------------------------------------------------------------ opening

    def check_form(self) -> None:
        """Raises GpurulesError where a version that this one does not know has written the store."""
        with self.reading():
            forms = [form for (form,) in self.run("SELECT format FROM gpurules_last")]
        if forms and forms != [FORMAT]:
            message = f"is a record of the form {printable(str(forms[0]))}; this version knows {FORMAT}"
            raise GpurulesError([Problem(Place(self.shown), "GR803", message, "use the version of gpurules that wrote it, or a newer one")])

    def problem(self, message: str, mend: str) -> GpurulesError:
        """A fault of the store itself."""
        return GpurulesError([Problem(Place(self.shown), "GR801", message, mend)])

    def _number(self, value: object) -> int:
        """The number of an entry as it was read. Raises GpurulesError where the store is so damaged that it is none."""
        if isinstance(value, int):
            return value
        raise GpurulesError([Problem(Place(self.shown), "GR803", "is damaged: it holds entries without numbers", "restore it from a copy")])

    # ------------------------------------------------------------ writing

    def append(self, make: Callable[[int, str, str], Row], digest: str, pack: Callable[[], bytes], name: Callable[[bytes], str]) -> Row:
        """Add the row that `make` gives for a number, the hash before it, and the name of the rulebook's files.

        `pack` gives the files of the rulebook `digest`, asked for only where the store does not hold them; `name` gives their digest.
        """
        with self.writing():
            last = self.run("SELECT number, hash FROM gpurules_last")
            if len(last) != 1 or not isinstance(last[0][0], int) or not _HASH.fullmatch(str(last[0][1])):
                message = "the note of the last entry was removed or changed, so that nothing can be added"
                raise GpurulesError([Problem(Place(self.shown), "GR803", message, "`gpurules audit verify` says more; begin a new record in another place")])
            number, before = last[0]
            held = self.run("SELECT files FROM gpurules_rulebooks WHERE digest = ?", digest)
            if held:
                files = str(held[0][0])
                if not _HASH.fullmatch(files):
                    message = f"the name of rulebook {digest[:19]}… was changed, so that nothing can be added under it"
                    raise GpurulesError([Problem(Place(self.shown), "GR803", message, "restore the record from a copy, or begin a new one")])
            else:
                content = pack()
                files = name(content)
                self.run("INSERT INTO gpurules_rulebooks (digest, files, content) VALUES (?, ?, ?)", digest, files, zlib.compress(content, 9))
            row = make(number + 1, str(before), files)
            contents = (row.facts, row.waivers, zlib.compress(row.decision))
            self.run(f"INSERT INTO gpurules_entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", row.number, row.hash, row.decided, row.head, *contents)
            self.run("UPDATE gpurules_last SET number = ?, hash = ?", row.number, row.hash)
        return row

    # ------------------------------------------------------------ reading

    def last(self) -> tuple[int, str]:
        """Number and hash of the last entry as the store keeps them; 0 and START where there is none."""
        with self.reading():
            found = self.run("SELECT number, hash FROM gpurules_last")
        return (found[0][0], str(found[0][1])) if len(found) == 1 and isinstance(found[0][0], int) else (0, "")

    def rows(self, after: int = -(2**63)) -> Iterator[Row]:
        """Every row by number, a few at a time. Raises Damaged at one that cannot be read."""
        while True:
            with self.reading():
                found = self.run(f"SELECT {_COLUMNS} FROM gpurules_entries WHERE number > ? ORDER BY number LIMIT {BATCH}", after)
            if not found:
                return
            for values in found:
                yield _row(values)
            after = self._number(found[-1][0])

    def row(self, number: int) -> Row | None:
        with self.reading():
            found = self.run(f"SELECT {_COLUMNS} FROM gpurules_entries WHERE number = ?", number)
        return _row(found[0]) if found else None

    def heads(self, limit: int, before: int | None = None) -> list[tuple[int, str, str]]:
        """(number, hash, head) of the newest entries, newest first."""
        with self.reading():
            where, values = ("WHERE number < ?", (before,)) if before is not None else ("", ())
            found = self.run(f"SELECT number, hash, head FROM gpurules_entries {where} ORDER BY number DESC LIMIT ?", *values, limit)
        return [(self._number(number), str(hash_), str(head)) for number, hash_, head in found]

    def hashed(self, prefix: str) -> list[int]:
        """Numbers of at most two entries whose hash begins so."""
        with self.reading():
            found = self.run("SELECT number FROM gpurules_entries WHERE hash >= ? AND hash < ? ORDER BY number LIMIT 2", prefix, prefix + "g")
        return [self._number(n) for (n,) in found]

    def deciding(self, decided: str) -> int | None:
        """Number of the newest entry with this decision."""
        with self.reading():
            found = self.run("SELECT number FROM gpurules_entries WHERE decided = ? ORDER BY number DESC LIMIT 1", decided)
        return self._number(found[0][0]) if found else None

    def rulebook(self, digest: str) -> tuple[str, bytes] | None:
        """The name and the packed files of a rulebook; b"" where what is stored is damaged."""
        with self.reading():
            found = self.run("SELECT files, content FROM gpurules_rulebooks WHERE digest = ?", digest)
        if not found:
            return None
        try:
            return str(found[0][0]), zlib.decompress(found[0][1])
        except (zlib.error, TypeError):
            return str(found[0][0]), b""


def _row(values: tuple[Any, ...]) -> Row:
    try:
        number, hash_, decided, head, facts, waivers, decision = values
        return Row(int(number), str(hash_), str(decided), str(head), bytes(facts), bytes(waivers) if waivers is not None else None, zlib.decompress(decision))
    except (zlib.error, TypeError, ValueError, OverflowError, MemoryError):
        raise Damaged(values[0] if isinstance(values[0], int) else 0) from None
