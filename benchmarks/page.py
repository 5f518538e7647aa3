"""docs/accuracy.md and its picture, made from the rows of benchmarks/accuracy.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import accuracy
import estimators
import scatter
import tables
from accuracy import TASKS, Row

ROOT = Path(__file__).parents[1]
DOCUMENT, PICTURE = ROOT / "docs" / "accuracy.md", ROOT / "docs" / "accuracy.svg"
FAULTS = Path(__file__).with_name("faults.md")
GOALS = {
    "train_full": (0.05, 0.15, 0.9, 0.30), "train_lora": (0.04, 0.12, 0.9, 0.30), "train_qlora": (0.04, 0.12, 0.9, 0.40), "inference": (0.03, 0.10, 0.9, 0.25),
}  # fmt: skip
"""Of each task: median and 90th percentile of the error, share inside, median width."""
DEPENDS, SPEED_MEDIAN, SPEED_INSIDE, UNKNOWN_MEDIAN, UNKNOWN_INSIDE = 0.15, 0.12, 0.95, 0.12, 0.95
PEERS = re.compile(r"<!-- peers -->\n(.*?)\n<!-- /peers -->", re.DOTALL)


def write(rows: Sequence[Row], unknown: Sequence[Row]) -> None:
    DOCUMENT.write_text(text(rows, unknown), "utf-8")
    PICTURE.write_text(scatter.svg(rows), "utf-8")


def text(rows: Sequence[Row], unknown: Sequence[Row]) -> str:
    """The document. Where no other estimator is installed, its part stays as it stands in the document."""
    counted, timed = sum(r.counts for r in rows), sum(r.timed for r in rows)
    sources, judged = len({r.point.source for r in rows if r.counts}), sum(r.judged for r in rows)
    return f"""# Accuracy

<!-- written by `python benchmarks/accuracy.py --write`; do not edit -->

How far the estimates of memory and speed are from {len(rows)} measurements that others published: {counted} peaks of {sources} sources,
{judged} runs that fitted or ran out of memory, {timed} speeds. The rules are told what the report of a run says and what the scripts and
pages of its source document ([benchmarks/recipes.yaml](../benchmarks/recipes.yaml), each with its address), never a result. No coefficient
of a rule was fitted to any of them: each is counted, read in the source of a framework, or derived, and names where.

`python benchmarks/accuracy.py --points FILE` does the same with other points; `--facts DIR` writes the facts of every run for
`gpurules evaluate`, which shows each term.

## Memory

The error is that of the interval's middle, relative to what was measured; *inside* is the share of measurements within the interval;
the width is relative to the middle. A figure that its source added up of parts, and did not measure as a peak, is held against the same parts.

{tables.tasks(rows)}

![Estimated against measured peaks of a card, on logarithmic axes; most marks lie on the diagonal, and most bars cross it.](accuracy.svg)

### With the framework unknown

The same runs without what nobody tells who does not say with what they are made:
{_dropped()}.
Precision, optimizer, batch, length, checkpointing, adapters, attention kernel and sharding stage stay.

{tables.tasks(unknown)}

## Fits or not

What is short of headroom counts as fitting: it runs.

{tables.fit(rows)}

With the framework unknown:

{tables.fit(unknown)}

## Speed

Tokens a second of a card, from tokens, samples, steps or operations a second as the report has them.

{tables.speed(rows)}

## Without each source

Nothing is fitted, so that leaving a source out moves no coefficient; it shows whether one source carries a figure.

{tables.every_source_left_out(rows)}

## By source

{tables.by_source(rows)}

## The worst ten

{tables.worst(rows)}

## Beside other estimators

Told the same facts, on the points that they answer. `pip install canifinetune` is light; hf-vram-calc wants torch and transformers
(`pip install hf-vram-calc torch --extra-index-url https://download.pytorch.org/whl/cpu`).

<!-- peers -->
{_peers(rows)}
<!-- /peers -->

## What falls short of the goals

{_short(rows, unknown)}

## What is known to be wrong, and why

{FAULTS.read_text("utf-8").strip()}

## Left out of the peaks

{tables.left_out(rows)}
"""


def _dropped() -> str:
    return ", ".join(f"`{path}`" for path in accuracy.TOLD_BY_FRAMEWORK)


def _peers(rows: Sequence[Row]) -> str:
    if installed := estimators.installed():
        return tables.peers(rows, installed)
    before = PEERS.search(DOCUMENT.read_text("utf-8")) if DOCUMENT.exists() else None
    return before.group(1) if before else "None is installed."


def _short(rows: Sequence[Row], unknown: Sequence[Row]) -> str:
    """A line for every goal that is not met."""
    lines = []
    for task, found in accuracy.by_task(rows).items():
        goal, have = GOALS[task], (found.median, found.p90, found.inside, found.width)
        for name, wanted, value, more in zip(("median error", "90th percentile", "inside", "median width"), goal, have, (0, 0, 1, 0), strict=True):
            if value is not None and (value < wanted if more else value > wanted):
                lines.append(f"- {TASKS[task]}: {name} {100 * value:.1f} %, {'at least' if more else 'at most'} {100 * wanted:.0f} % wanted.")
    table = accuracy.confusion(rows)
    undecided, judged = table["fits"]["depends"] + table["oom"]["depends"], sum(r.judged for r in rows)
    for count, what in ((table["oom"]["fits"], "out of memory called fitting"), (table["fits"]["oom"], "fitting called out of memory")):
        if count:
            lines.append(f"- {what}: {count}, none wanted.")
    if judged and undecided / judged > DEPENDS:
        lines.append(f"- Verdicts that depend: {100 * undecided / judged:.1f} %, at most {100 * DEPENDS:.0f} % wanted.")
    speed = accuracy.throughput(rows)
    if speed["median"] and speed["median"] > SPEED_MEDIAN:
        lines.append(f"- Speed: median error {100 * speed['median']:.1f} %, at most {100 * SPEED_MEDIAN:.0f} % wanted.")
    if speed["inside"] is not None and speed["inside"] < SPEED_INSIDE:
        lines.append(f"- Speed: {100 * speed['inside']:.1f} % inside, {100 * SPEED_INSIDE:.0f} % wanted.")
    whole = accuracy.summary([r for r in unknown if r.counts])
    if whole.median and whole.median > UNKNOWN_MEDIAN:
        lines.append(f"- With the framework unknown: median error {100 * whole.median:.1f} %, at most {100 * UNKNOWN_MEDIAN:.0f} % wanted.")
    if whole.inside is not None and whole.inside < UNKNOWN_INSIDE:
        lines.append(f"- With the framework unknown: {100 * whole.inside:.1f} % inside, {100 * UNKNOWN_INSIDE:.0f} % wanted.")
    return "\n".join(lines) or "Nothing."
