"""A compiled engine as bytes and back, so that a command need not parse, check and compile a rulebook that has not changed."""

from __future__ import annotations

import gc
import hashlib
import pickle
import sys
from pathlib import Path

from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import rulebook as rulebooks
from gpurules.engine.knowledge.rulebook import SEMANTICS, Files, Rulebook

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
    engine = Engine(rulebooks.slim(rulebook))
    assert all(engine.kernels) and engine.read  # made now, so that they are stored
    content = pickle.dumps(engine, protocol=5)
    return engine, _MARK + hashlib.sha256(content).digest() + content


def load(stored: bytes) -> Engine | None:
    """The engine that `dump` stored; None where the bytes were cut or changed.

    The bytes are unpickled, which runs what they say: give only bytes that nobody else could have written.
    """
    head = len(_MARK) + 32
    if not stored.startswith(_MARK) or hashlib.sha256(stored[head:]).digest() != stored[len(_MARK) : head]:
        return None
    collecting = gc.isenabled()
    gc.disable()  # nothing of what is made here can be garbage, and looking for it would take as long again
    try:
        found = pickle.loads(stored[head:])
    finally:
        if collecting:
            gc.enable()
    return found if isinstance(found, Engine) else None
