"""How the benchmarks measure: both sides in turn, in one process, and the median of the ratios of neighbours.

Other work on the machine slows both sides of a pair alike; a ratio is therefore worth more than a time, and a time is only shown beside it.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata

from gpurules.engine.knowledge.rulebook import Rulebook

PACKAGES = ("gpurules", "click", "pyyaml", "jsonschema", "rich", "durable-rules", "clipspy", "zen-engine")


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison: seconds of both sides, the median of their ratios, and what it should at most be (None: no goal)."""

    what: str
    ours: float
    theirs: float
    ratio: float
    goal: float | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        wanted = "" if self.goal is None else f"≤ {self.goal:g}: {'met' if self.ratio <= self.goal else 'missed'}"
        return self.what, shown(self.ours), shown(self.theirs), f"{self.ratio:.3g}", wanted


def paired(what: str, ours: Callable[[], object], theirs: Callable[[], object], pairs: int, goal: float | None = None, least: float = 0.02) -> Row:
    """Times both in turn, `pairs` times, each side as often as `least` seconds need; every other pair begins with the other side."""
    loops = [_loops(ours, least), _loops(theirs, least)]
    times: list[tuple[float, float]] = []
    for number in range(pairs):
        found = [0.0, 0.0]
        for side in (0, 1) if number % 2 else (1, 0):
            found[side] = _timed((ours, theirs)[side], loops[side])
        times.append((found[0], found[1]))
    return Row(what, statistics.median(a for a, _ in times), statistics.median(b for _, b in times), statistics.median(a / b for a, b in times), goal)


def _loops(function: Callable[[], object], least: float) -> int:
    function()
    return max(1, round(least / max(_timed(function, 1), 1e-7)))


def _timed(function: Callable[[], object], loops: int) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        function()
    return (time.perf_counter() - start) / loops


def shown(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def surroundings(rules: Rulebook) -> str:
    """What was measured with what, in one line."""
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            versions.append(f"{package} not installed")
    python = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{python}; {', '.join(versions)}; rulebook {rules.version}, {len(rules.running)} rules, {rules.digest[:19]}…"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows as a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


HEADS = ("what", "gpurules", "the other", "ratio", "goal")
