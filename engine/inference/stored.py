"""A compiled engine as bytes and back, so that a command need not parse, check and compile a rulebook that has not changed."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import pickle
import sys
from functools import cache
from pathlib import Path
from typing import Any

from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import rulebook as rulebooks
from gpurules.engine.knowledge.rulebook import SEMANTICS, Files, Rulebook
from gpurules.engine.values.heap import growing

_MARK = b"gpurules engine 1\n"


def key(files: Files, version: str) -> str:
    """Names what is stored: the bytes of the rulebook's files, this engine's version and sources, the semantics, and this Python."""
    code = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        status = path.stat()
        code.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    python = f"{sys.implementation.cache_tag} {sys.hexversion:x}"
    whole = f"{rulebooks.fingerprint(files)} {version} {SEMANTICS} {python} {code.hexdigest()}"
    return hashlib.sha256(whole.encode()).hexdigest()


def dump(rulebook: Rulebook) -> tuple[Engine, bytes]:
    """The engine of a rulebook without what evaluation never reads, and its bytes, led by their own digest."""
    engine = Engine(rulebooks.slim(rulebook)).ready()
    Cone(engine, engine.requirements)  # has the kernels made by which questions about machines are answered
    written = io.BytesIO()
    _Pickler(written, protocol=5).dump(engine)
    content = written.getvalue()
    return engine, _MARK + hashlib.sha256(content).digest() + content


class _Pickler(pickle.Pickler):
    """Stores a frozen object as the call that makes it, which is read more quickly than its state. Where a part of an expression
    stood in its text is left out."""

    def reducer_override(self, value: object) -> Any:
        named = _arguments(type(value))  # type: ignore[arg-type]  # a class can be hashed
        return (type(value), tuple(getattr(value, name) for name in named)) if named else NotImplemented


@cache
def _arguments(kind: type) -> tuple[str, ...]:
    """What a frozen object with slots is made of, in order; nothing for any other."""
    if not dataclasses.is_dataclass(kind) or "__slots__" not in kind.__dict__:
        return ()
    return tuple(f.name for f in dataclasses.fields(kind) if f.init and not f.kw_only)


def load(stored: bytes) -> Engine | None:
    """The engine that `dump` stored; None where the bytes were cut or changed.

    The bytes are unpickled, which runs what they say: give only bytes that nobody else could have written.
    """
    head = len(_MARK) + 32
    if not stored.startswith(_MARK) or hashlib.sha256(stored[head:]).digest() != stored[len(_MARK) : head]:
        return None
    with growing():
        found = pickle.loads(stored[head:])
    return found if isinstance(found, Engine) else None
