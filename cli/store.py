"""Where decisions are recorded: GPURULES_STORE (a path, or a postgresql:// URL), else where programs of this platform keep their data."""

from __future__ import annotations

import datetime
import getpass
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpurules.engine import GpurulesError
from gpurules.engine.records import record
from gpurules.engine.records.store import Store
from gpurules.engine.values.problem import Place, Problem

NAME = "record.sqlite"


def location() -> str:
    """The path or URL of the store. Raises GpurulesError where there is neither GPURULES_STORE nor a home."""
    named = os.environ.get("GPURULES_STORE")
    if named:
        return named
    home = os.environ.get("USERPROFILE" if os.name == "nt" else "HOME")
    if os.environ.get("LOCALAPPDATA") and os.name == "nt":
        base: Path | None = Path(os.environ["LOCALAPPDATA"])
    elif sys.platform == "darwin":
        base = Path(home) / "Library" / "Application Support" if home else None
    elif os.environ.get("XDG_DATA_HOME"):
        base = Path(os.environ["XDG_DATA_HOME"])
    else:
        base = Path(home) / ".local" / "share" if home else None
    if base is None:
        raise GpurulesError([Problem(Place("GPURULES_STORE"), "GR801", "is not set, and there is no home to keep a record in", "set it to a path")])
    return str(base / "gpurules" / NAME)


@contextmanager
def opened(write: bool = False) -> Iterator[Store]:
    """The store, closed at the end. Raises GpurulesError."""
    store = record.opened(location(), write)
    try:
        yield store
    finally:
        store.close()


def user() -> str:
    """Who is at work, as the system knows them; "" where it does not."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def moment() -> str:
    """Now, in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
