"""The tables of benchmarks/accuracy.py as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import accuracy
from accuracy import TASKS, Row
from estimators import Estimator, Known
from measure import table

HEADS = ("task", "n", "median error", "90th percentile", "inside", "median width")


def text(rows: Sequence[Row], unknown: Sequence[Row], sources: bool = False) -> str:
    parts = [
        tasks(rows), "With the framework unknown:", tasks(unknown), fit(rows), speed(rows), without(rows), "Left out of the peaks:", left_out(rows),
        "The worst ten:", worst(rows),
    ]  # fmt: skip
    if sources:
        parts.append(by_source(rows))
    return "\n\n".join(parts)


def tasks(rows: Sequence[Row]) -> str:
    counted = [r for r in rows if r.counts]
    trained = accuracy.summary([r for r in counted if r.point.trains])
    found = [(TASKS[t], *s.shown) for t, s in accuracy.by_task(rows).items()]
    return table(HEADS, [*found, ("all training", *trained.shown), ("all", *accuracy.summary(counted).shown)])


def fit(rows: Sequence[Row]) -> str:
    found = accuracy.confusion(rows)
    lines = [(outcome, *(str(v[k]) for k in ("fits", "oom", "depends"))) for outcome, v in found.items()]
    return table(("measured", "called fits", "called does not fit", "depends"), lines)


def speed(rows: Sequence[Row]) -> str:
    found = accuracy.throughput(rows)
    shown = ["–" if v is None else f"{100 * v:.1f} %" for v in (found["median"], found["inside"])]
    stated, unclear = sum(r.measured_speed is not None for r in rows), sum(bool(r.no_speed) for r in rows)
    return table(("throughput: n", "median error", "inside", "measured", "not comparable"), [(str(found["n"]), *shown, str(stated), str(unclear))])


def without(rows: Sequence[Row]) -> str:
    lines = []
    whole = accuracy.by_task(rows)
    for task, found in accuracy.without_each_source(rows).items():
        left = [(s, v) for s, v in found.items() if v.median is not None and whole[task].median is not None]
        if left:
            source, changed = max(left, key=lambda pair: abs((pair[1].median or 0) - (whole[task].median or 0)))
            lines.append((TASKS[task], source, *changed.shown))
    return table(("task", "without the source that changes the median most", *HEADS[1:]), lines)


def every_source_left_out(rows: Sequence[Row]) -> str:
    """Statistics of a task without each of its sources in turn."""
    lines = [
        (TASKS[task], source, *found.shown)
        for task, sources in accuracy.without_each_source(rows).items()
        for source, found in sources.items()
    ]  # fmt: skip
    return table(("task", "without", *HEADS[1:]), lines)


def peers(rows: Sequence[Row], installed: Mapping[str, tuple[str, Estimator]]) -> str:
    """Errors of other estimators on the points that they answer, and ours on the same ones."""
    lines = []
    counted = [r for r in rows if r.counts]
    for name, (version, estimate) in installed.items():
        for task, title in TASKS.items():
            pairs = [(r, value) for r in counted if r.point.group == task and (value := estimate(known(r)))]
            if pairs:
                theirs, ours = [abs(value / r.peak - 1) for r, value in pairs], [abs(r.error) for r, _ in pairs]
                cells = (f"{100 * statistics.median(e):.1f} / {100 * accuracy.percentile(e, 0.9):.0f} %" for e in (theirs, ours))
                lines.append((f"{name} {version}", title, str(len(pairs)), *cells))
    return table(("estimator", "task", "n", "its median / 90th percentile", "gpurules, same points"), lines)


def known(row: Row) -> Known:
    """What another estimator is told of a point."""
    memory = row.point.data.get("gpus", {}).get("mem_gb")
    return Known(row.point.text.get("model", ""), row.point.group, row.shape, row.facts, float(memory) if memory else None)


def left_out(rows: Sequence[Row]) -> str:
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            reasons.setdefault(row.reason.split(":")[0] if row.reason.startswith("impossible") else row.reason, []).append(row.point.id)
    ordered = sorted(reasons.items(), key=lambda r: (-len(r[1]), r[0]))
    return table(("reason", "points", "which"), [(r, str(len(ids)), ", ".join(ids[:6]) + (" …" if len(ids) > 6 else "")) for r, ids in ordered])


def worst(rows: Sequence[Row], number: int = 10) -> str:
    counted = sorted((r for r in rows if r.counts), key=lambda r: -abs(r.error))[:number]
    cells = []
    for r in counted:
        assert r.need is not None
        estimate = f"{r.need.low / 1e9:.2f}–{r.need.high / 1e9:.2f}"
        cells.append((r.point.id, f"{r.peak / 1e9:.2f}", estimate, f"{100 * r.error:+.0f} %", f"`gpurules evaluate DIR/{r.point.id}.yaml`"))
    return table(("point", "measured GB", "estimated GB", "error", "derive it (facts by --facts DIR)"), cells)


def by_source(rows: Sequence[Row]) -> str:
    cells = []
    for source, task in sorted({(r.point.source, r.point.group) for r in rows if r.counts}):
        own = [r for r in rows if r.counts and (r.point.source, r.point.group) == (source, task)]
        found = accuracy.summary(own)
        cells.append((source, TASKS[task], str(len(own)), f"{100 * statistics.median(r.error for r in own):+.1f} %", *found.shown[1:]))
    return table(("source", "task", "n", "median signed", *HEADS[2:]), cells)
