"""Decisions and rulebooks of a few bytes, as the record takes them, and a process that adds them; it runs as `written.py STORE NAME COUNT`."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from gpurules.engine.records import record
from gpurules.engine.records.record import Asked
from gpurules.engine.values import canonical


def files(book: int) -> Mapping[str, bytes]:
    return {"rules/rulebook.yaml": f"version: 1.0.{book}\n".encode(), "catalogs/gpus.yaml": b"cards: []\n" * 50}


def decided(number: int, book: int = 0, writer: str = "") -> bytes:
    document = {
        "engine": {"version": "0.1.0", "semantics": 1},
        "rulebook": {"version": f"1.0.{book}", "released": "2026-11-30", "digest": f"sha256:{book:064d}"},
        "status": "keep",
        "says": f"decision {number} of {writer}" * 20,
    }
    return canonical.dumps(document).encode()


def asked(number: int, writer: str = "") -> Asked:
    facts = f"gpu.count: {number + 1}  # {writer}\n".encode()
    return Asked(facts, "facts.yaml", [("gpu.count", "8")] if number % 3 == 0 else [], by="somebody", recorded=f"2026-12-01T00:00:{number % 60:02d}Z")


def main(where: str, writer: str, count: str) -> None:
    """Adds entries one by one, each through a store opened anew, and says so of each once it is kept."""
    for number in range(int(count)):
        store = record.opened(where, write=True)
        added, hash_ = record.add(store, asked(number, writer), decided(number, number % 2, writer), lambda book=number % 2: files(book))  # type: ignore[misc]
        store.close()
        print(added, hash_, writer, number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
