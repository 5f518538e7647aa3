"""The store of decisions in PostgreSQL, through psycopg (extra `postgres`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpurules.engine.records.store import FORMAT, START, Store
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

_LOCK = 7_478_616
"""Number of the lock under which the tables are made; any that no other program takes."""
TABLES = (
    "CREATE TABLE gpurules_rulebooks (digest TEXT PRIMARY KEY, files TEXT NOT NULL, content BYTEA NOT NULL)",
    'CREATE TABLE gpurules_entries (number BIGINT PRIMARY KEY, hash TEXT COLLATE "C" NOT NULL UNIQUE, decided TEXT NOT NULL, head TEXT NOT NULL,'
    " facts BYTEA NOT NULL, waivers BYTEA, decision BYTEA NOT NULL)",
    "CREATE INDEX gpurules_decided ON gpurules_entries (decided, number)",
    "CREATE TABLE gpurules_last (number BIGINT NOT NULL, hash TEXT NOT NULL, format TEXT NOT NULL)",
    "CREATE FUNCTION gpurules_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a record is added to, never changed'; END $$",
    *(
        f"CREATE TRIGGER {table}_frozen BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION gpurules_refuse()"
        for table in ("gpurules_entries", "gpurules_rulebooks")
    ),
    f"INSERT INTO gpurules_last VALUES (0, '{START}', '{FORMAT}')",
)


class PostgresStore(Store):
    """Opens a database by its URL, for writing with the tables made. Raises GpurulesError where that fails or psycopg is missing."""

    tables = TABLES

    def __init__(self, url: str, write: bool) -> None:
        self.shown = printable(re.sub(r"//[^/@]*@", "//", url.partition("?")[0]), 300)  # no password is ever shown
        try:
            import psycopg
        except ImportError:
            mend = "install it: python -m pip install 'gpurules[postgres]'"
            raise GpurulesError([Problem(Place(self.shown), "GR802", "needs psycopg, which is not installed", mend)]) from None
        self.fault: type[Exception] = psycopg.Error
        with self.reading():
            self.connection = psycopg.connect(url, autocommit=True, connect_timeout=15)
            self.run("SET client_encoding TO 'UTF8'")
        try:
            self._check(write)
        except GpurulesError:
            self.connection.close()
            raise

    def _check(self, write: bool) -> None:
        present = "SELECT 1 FROM pg_tables WHERE tablename = 'gpurules_last' AND schemaname = ANY (current_schemas(false))"
        with self.reading():
            found = bool(self.run(present))
            if not found and write:
                with self.connection.transaction():
                    self.run("SELECT pg_advisory_xact_lock(?)", _LOCK)
                    if not self.run(present):  # another writer may have been first
                        for statement in self.tables:
                            self.run(statement)
            elif not found:
                raise self.problem("there is no record of decisions here", "`gpurules evaluate FACTS.yaml --record` begins one")
        self.check_form()

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self.reading(), self.connection.transaction():
            self.run("SET LOCAL synchronous_commit TO on")
            self.run("SELECT number FROM gpurules_last FOR UPDATE")
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except self.fault as error:
            said = str(error).strip().partition("\n")[0]
            raise self.problem(f"the record cannot be used: {said}", "check the server, the rights of its user, and GPURULES_STORE") from None

    def run(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        cursor = self.connection.execute(statement.replace("?", "%s"), values or None)
        return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self.connection.close()
