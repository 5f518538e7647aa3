"""How the record grows: the time to add and to look up an entry at the end of a long record, against a short one.

python benchmarks/record.py [--entries 100000] [--base 1000] [--full DECISION.json]

Decisions are of about 4 kB, so that 100,000 of them fit anywhere; `--full` times entries of a whole decision as well. Each figure is the
median of what it took one by one, each write to the disk and all; ratios are of figures of one run.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import click
import measure as figures

from gpurules.engine.knowledge import bundle, rulebook
from gpurules.engine.records import record
from gpurules.engine.records.record import Asked
from gpurules.engine.records.store import Store
from gpurules.engine.values import canonical

PROBES = 200
"""Entries that are added, or looked up, for one figure."""


def decided(number: int) -> bytes:
    """A decision of about 4 kB, as no other."""
    noise = random.Random(number)
    document = {
        "engine": {"version": "0.1.0", "semantics": 1},
        "rulebook": {"version": "1.0.0", "released": "2026-11-30", "digest": "sha256:" + "0" * 64},
        "status": "keep",
        "facts": [{"path": f"measured.fact_{n}", "value": {"low": noise.random(), "high": 1 + noise.random()}} for n in range(50)],
    }
    return canonical.dumps(document).encode()


def median(action: Callable[[int], object], numbers: list[int]) -> float:
    """Seconds that the action takes, at the middle."""
    taken = []
    for number in numbers:
        start = time.perf_counter()
        action(number)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def add(store: Store, number: int, decision: bytes, files: Mapping[str, bytes]) -> tuple[int, str]:
    return record.add(store, Asked(b"gpu.count: 4\n" * 20, "facts.yaml", by="somebody", recorded="2026-12-01T00:00:00Z"), decision, lambda: files)


def measure(where: str, base: int, entries: int) -> dict[str, tuple[float, float]]:
    """Seconds at `base` entries and at `entries`, for each thing that is done with a record. Between the two nothing is forced to the disk."""
    files = bundle.gather(rulebook.packaged())
    store = record.opened(where, write=True)
    found: dict[str, list[float]] = {}
    for size in (base, entries):
        _fill(store, size - PROBES, files)
        last = store.last()[0]
        probes = random.Random(size).sample(range(1, last + 1), min(PROBES, last))
        hashes = {n: row.hash[:27] for n in probes if (row := store.row(n)) is not None}
        found.setdefault("add", []).append(median(lambda n: add(store, n, decided(n), files), list(range(last + 1, last + 1 + PROBES))))
        found.setdefault("look up by number", []).append(median(lambda n: record.entry(store, str(n)), probes))
        found.setdefault("look up by hash", []).append(median(partial(_by_hash, store, hashes), probes))
        found.setdefault("look up by decision", []).append(median(lambda n: record.deciding(store, decided(n)), probes))
        found.setdefault("list the newest 20", []).append(median(lambda n: store.heads(20), probes[:50]))
        start = time.perf_counter()
        verdict = record.verify(store)
        assert verdict.bad is None and verdict.sound == size, verdict
        found.setdefault("verify, for each entry", []).append((time.perf_counter() - start) / size)
    store.close()
    return {name: (one, two) for name, (one, two) in found.items()}


def report(base: int = 1_000, entries: int = 100_000) -> str:
    """The figures as a table, a row for each thing that is done with a record."""
    with tempfile.TemporaryDirectory() as folder:
        where = f"{folder}/record.sqlite"
        found = measure(where, base, entries)
        size = Path(where).stat().st_size / entries
    rows = [(name, figures.shown(one), figures.shown(two), f"{two / one:.2f}") for name, (one, two) in found.items()]
    heads = ("what", f"{base:,} entries", f"{entries:,} entries", "ratio")
    return f"{figures.surroundings(rulebook.load())}\n\n{figures.table(heads, rows)}\n\nThe file has {size / 1000:.1f} kB for each entry."


def _by_hash(store: Store, hashes: Mapping[int, str], number: int) -> object:
    return record.entry(store, hashes[number])


def _fill(store: Store, size: int, files: Mapping[str, bytes]) -> None:
    store.run("PRAGMA synchronous = OFF")
    for number in range(store.last()[0] + 1, size + 1):
        add(store, number, decided(number), files)
    store.run("PRAGMA synchronous = EXTRA")


@click.command()
@click.option("--entries", default=100_000, show_default=True)
@click.option("--base", default=1_000, show_default=True)
@click.option("--full", type=click.Path(path_type=Path, exists=True), help="A decision whose entries are timed as well.")
def main(entries: int, base: int, full: Path | None) -> None:
    """Print times and ratios."""
    with tempfile.TemporaryDirectory() as folder:
        where = f"{folder}/record.sqlite"
        click.echo(f"{'':28}{base:>12,}{entries:>12,}   ratio")
        for name, (one, two) in measure(where, base, entries).items():
            click.echo(f"{name:28}{one * 1e3:>9.3f} ms{two * 1e3:>9.3f} ms{two / one:>8.2f}")
        click.echo(f"the file: {Path(where).stat().st_size / entries / 1000:.1f} kB for each entry")
        if full is not None:
            decision, files = full.read_bytes().rstrip(b"\n"), bundle.gather(rulebook.packaged())
            store = record.opened(f"{folder}/full.sqlite", write=True)
            added = median(lambda n: add(store, n, decision, files), list(range(50)))
            store.close()
            size = Path(f"{folder}/full.sqlite").stat().st_size
            click.echo(
                f"a decision of {len(decision) / 1000:,.0f} kB: {added * 1e3:.1f} ms to add, {size / 50 / 1000:,.0f} kB in the file, the rulebook shared"
            )


if __name__ == "__main__":
    sys.exit(main())
