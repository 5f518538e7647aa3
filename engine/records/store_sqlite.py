"""The store of decisions in one file of SQLite."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gpurules.engine.records.store import FORMAT, START, Store
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

PATIENCE = 120.0
"""Seconds to wait for other writers."""
_FROZEN = ("gpurules_entries", "gpurules_rulebooks")
TABLES = (
    "CREATE TABLE gpurules_rulebooks (digest TEXT PRIMARY KEY, files TEXT NOT NULL, content BLOB NOT NULL)",
    "CREATE TABLE gpurules_entries (number INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, decided TEXT NOT NULL, head TEXT NOT NULL,"
    " facts BLOB NOT NULL, waivers BLOB, decision BLOB NOT NULL)",
    "CREATE INDEX gpurules_decided ON gpurules_entries (decided, number)",
    "CREATE TABLE gpurules_last (number INTEGER NOT NULL, hash TEXT NOT NULL, format TEXT NOT NULL)",
    *(
        f"CREATE TRIGGER {table}_{act.lower()} BEFORE {act} ON {table} BEGIN SELECT RAISE(ABORT, 'a record is added to, never changed'); END"
        for table in _FROZEN
        for act in ("UPDATE", "DELETE")
    ),
    f"INSERT INTO gpurules_last VALUES (0, '{START}', '{FORMAT}')",
)


class SqliteStore(Store):
    """Opens the file, for writing with the folders above it made. Raises GpurulesError where that fails or it is no record.

    The journal is the plain one with synchronous=EXTRA: a transaction that has ended is on the disk, and a store at rest is one file,
    which may also lie where it cannot be written.
    """

    tables = TABLES

    def __init__(self, path: Path, write: bool) -> None:
        self.shown, self.path = printable(str(path), 300), path
        if not write and not path.is_file():
            raise self.problem("there is no record of decisions here", "`gpurules evaluate FACTS.yaml --record` begins one; GPURULES_STORE names another place")
        with self.reading():
            if write:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                path.touch(mode=0o600)  # facts may be confidential
            # a reader, too, takes back what a writer that was killed left half done, where it may write
            uri = f"{path.resolve().as_uri()}?mode={'rw' if write or os.access(path, os.W_OK) else 'ro'}"
            self.connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
            self.connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")  # what is no text is read too, and found to be changed
        try:
            self._check(write)
        except GpurulesError:
            self.connection.close()
            raise

    def _check(self, write: bool) -> None:
        with self.reading():
            self.run("PRAGMA synchronous = EXTRA")
            self.run(f"PRAGMA query_only = {'OFF' if write else 'ON'}")
            names = {n for (n,) in self.run("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if write and not names:
            with self.writing():
                if not self.run("SELECT name FROM sqlite_master WHERE type = 'table'"):  # another writer may have been first
                    for statement in self.tables:
                        self.run(statement)
        elif "gpurules_last" not in names:
            raise GpurulesError([Problem(Place(self.shown), "GR803", "holds no record of decisions", "name another place in GPURULES_STORE")])
        self.check_form()

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self.reading():
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self.run("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):  # the rest tells where
                raise self._damaged(printable(str(error))) from None
            raise self.problem(f"the record cannot be used: {error}", "check the disk, the permissions, and GPURULES_STORE") from None
        except UnicodeDecodeError:  # of what SQLite would say of a damaged file
            raise self._damaged("its tables cannot be read") from None
        except OSError as error:
            raise self.problem(f"the record cannot be used: {error.strerror or error}", "check the disk, the permissions, and GPURULES_STORE") from None

    def _damaged(self, how: str) -> GpurulesError:
        return GpurulesError([Problem(Place(self.shown), "GR803", f"is damaged, or no record: {how}", "restore it from a copy")])

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        return self.connection.execute(statement, values).fetchall()

    def close(self) -> None:
        self.connection.close()
