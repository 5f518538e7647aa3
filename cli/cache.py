"""The cache of compiled rulebooks: one file a rulebook, in a folder that only the user can write.

It never gets in the way: a folder that is missing, read-only or writable by others, a file that was cut or changed, and
several commands at once all end in compiling afresh. GPURULES_CACHE names another folder; "off" turns the cache off.
"""

from __future__ import annotations

import gc
import os
import stat
from pathlib import Path

from gpurules.engine.inference import stored
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import rulebook
from gpurules.engine.knowledge.rulebook import Files
from gpurules.engine.public import VERSION
from gpurules.engine.values.heap import growing

KEPT = 8
"""Files kept; the oldest beyond are removed."""


def folder() -> Path | None:
    """Where compiled rulebooks lie, or None where the cache is off."""
    named = os.environ.get("GPURULES_CACHE")
    if named:
        return None if named == "off" else Path(named)
    base = os.environ.get("LOCALAPPDATA") if os.name == "nt" else os.environ.get("XDG_CACHE_HOME")
    if base:
        return Path(base) / "gpurules"
    home = os.environ.get("HOME")
    return Path(home) / ".cache" / "gpurules" if home else None


def engine(files: Files) -> Engine:
    """The compiled engine of a rulebook, from the cache where it is sound, else compiled and stored. Raises GpurulesError."""
    where = folder()
    if where is None:
        return Engine(rulebook.load(files))
    path = where / f"{stored.key(files, VERSION)}.engine"
    content = _read(path)
    with growing():
        found = stored.load(content) if content is not None else None
        gc.freeze()  # it stays until the end: looking for garbage in it would take longer than deciding
    if found is not None:
        return found
    made, content = stored.dump(rulebook.load(files))
    _write(path, content)
    return made


def _private(path: Path) -> bool:
    """Whether nobody but this user (or root, for the folders above) can change what lies here, all the way up."""
    if os.name == "nt":
        return True  # profile folders are the user's own there, and modes say nothing
    own = os.getuid()
    try:
        for place in (path, *path.resolve().parents):
            status = place.lstat()
            loose = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (place != path and status.st_mode & stat.S_ISVTX)
            if stat.S_ISLNK(status.st_mode) or loose or status.st_uid not in ((own,) if place == path else (own, 0)):
                return False
    except OSError:
        return False
    return True


def _read(path: Path) -> bytes | None:
    """The bytes of a stored engine; None where there is none, or where others could have written it."""
    if not _private(path.parent):
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if os.name != "nt" and (status.st_uid != os.getuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            return None
        return file.read()


def _write(path: Path, content: bytes) -> bool:
    """Store bytes under `path` in one step, so that no reader sees half a file. False where the folder does not let us."""
    import tempfile

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _private(path.parent):
            return False
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
        _prune(path.parent)
    except OSError:
        return False
    return True


def _prune(where: Path) -> None:
    found = sorted(where.glob("*.engine"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in found[KEPT:]:
        old.unlink(missing_ok=True)
