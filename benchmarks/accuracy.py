"""How far the memory and speed estimates are from published measurements.

python benchmarks/accuracy.py [--points FILE] [--json] [--facts DIR] [--sources] [--write]

Every point of FILE becomes the facts of its run (points.py, words.py, recipes.yaml; never its result), is evaluated with the shipped rulebook, and the
interval is held against what was measured. No coefficient of any rule was fitted to these points.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import exclusion
import points
from observed import GB, GIB, tokens_per_second
from observed import Run as Speed
from points import Point

import gpurules
from gpurules.engine import public
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.agenda import Run
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Facts
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError

POINTS = Path(__file__).parents[2] / "shared" / "reference" / "points.yaml"
TASKS = {"train_full": "full training", "train_lora": "LoRA", "train_qlora": "QLoRA", "inference": "inference"}
STRUCTURED = "candidate.memory_structured"
SEEN = ("candidate.memory_seen", STRUCTURED, "candidate.memory_need")
"""What is held against a measured peak: the first of these that the rulebook derives and that is not open upwards. The first stands for
the structured estimate, and only where that is given: without length or batch, its terms reach from nothing to all that the model could take."""
PARTS = {
    "params": ("candidate.weights",), "grads": ("candidate.gradients",), "optimizer": ("candidate.optimizer", "candidate.adapters"),
    "activations": ("candidate.activations", "candidate.logits"),
}  # fmt: skip
"""Parts of a breakdown with the terms that they are held against: their sum leaves out what comes and goes besides."""
SPEED = "candidate.tokens_per_second"
"""Tokens a second of all cards together."""
TOLD_BY_FRAMEWORK = (
    "training.framework", "training.loss", "training.optimizer_fused", "training.adapter_dropout", "parallel.overlap_communication", "parallel.reduce_bucket",
    "parallel.sub_group", "parallel.live_parameters",
)  # fmt: skip
"""What nobody tells who does not say with what a run is made. Precision, optimizer, batch, length, checkpointing, adapters, attention and stage stay."""
SHAPE = ("parameters", "layers", "hidden_size", "intermediate_size", "attention_heads", "kv_heads", "vocabulary_size", "experts")
"""Facts of the model that other estimators ask for."""
PEAK_SHARE = 0.8
"""No training reaches this share of a card's dense half-precision rate: matrix products alone hardly do."""
KNOWN = (0.95, 1.05)
"""The whole is known to 5 % either way (claim S79), a sum of its parts too."""
UNBOUNDED = 0.99
"""An interval whose end reaches this share of its fact's range says nothing."""


@dataclass(frozen=True)
class Row:
    """One point with what was estimated of it. Bytes and tokens a second of one card."""

    point: Point
    facts: Mapping[str, object]
    need: Interval | None = None
    fit: frozenset[str] = frozenset()
    speed: Interval | None = None
    measured_speed: float | None = None
    unusable: str = ""
    no_peak: str = ""
    no_speed: str = ""
    weights: float = 0.0
    unit: float = 1.0
    """GiB over GB where its page says GB and means GiB."""
    shape: Mapping[str, float] = field(default_factory=dict)

    @property
    def peak(self) -> float:
        assert self.point.measured.peak is not None
        return self.point.measured.peak * self.unit

    @property
    def too_small(self) -> bool:
        """Whether the figure, read in GB, is less than the weights alone, and in GiB is not."""
        peak = self.point.measured.peak
        stated = self.point.data.get("measured", {})
        plain = stated.get("unit", "GB") == "GB" and "unit_inferred" not in stated
        return plain and peak is not None and peak < self.weights <= peak * GIB / GB

    @property
    def counts(self) -> bool:
        """Whether its peak is held against an interval."""
        return not self.unusable and not self.no_peak and self.need is not None

    @cached_property
    def middle(self) -> float:
        assert self.need is not None
        return (self.need.low + self.need.high) / 2

    @property
    def error(self) -> float:
        """Signed, relative to what was measured."""
        return self.middle / self.peak - 1

    @property
    def inside(self) -> bool:
        return self.need is not None and self.need.low <= self.peak <= self.need.high

    @property
    def width(self) -> float:
        assert self.need is not None
        return (self.need.high - self.need.low) / self.middle

    @property
    def verdict(self) -> str:
        """fits, oom or depends: what is short of headroom fits all the same, for it runs."""
        if not self.fit or self.fit >= {"does_not_fit", "no_headroom"} or self.fit >= {"does_not_fit", "fits"}:
            return "depends"
        return "oom" if self.fit == {"does_not_fit"} else "fits"

    @property
    def judged(self) -> bool:
        """Whether its verdict is held against an outcome."""
        known = bool({"gpu.memory_nominal", "gpu.name"} & set(self.facts))
        return not self.unusable and known and bool(self.point.measured.outcome)

    @property
    def timed(self) -> bool:
        return not self.unusable and self.measured_speed is not None and self.speed is not None

    @property
    def speed_error(self) -> float:
        assert self.speed is not None and self.measured_speed is not None
        return (self.speed.low + self.speed.high) / 2 / self.measured_speed - 1

    @property
    def reason(self) -> str:
        """Why its peak does not count."""
        return self.unusable or self.no_peak or ("" if self.need is not None else "the rules give no upper end")


# ---------------------------------------------------------------- evaluation


class Evaluator:
    """The shipped rulebook over points."""

    def __init__(self, rulebook: Rulebook) -> None:
        self.rulebook = rulebook
        self.engine: Engine = public.engine(rulebook)

    def rows(self, given: Sequence[Point], drop: Iterable[str] = ()) -> list[Row]:
        """A row for every point, with the facts `drop` kept from the rules."""
        repeated = exclusion.repeats(given)
        found = [self.row(p, repeated, frozenset(drop)) for p in given]
        pages = {r.point.page for r in found if r.too_small}
        return [replace(r, unit=GIB / GB) if r.point.page in pages and r.point.measured.peak is not None else r for r in found]

    def row(self, point: Point, repeated: Mapping[str, str], drop: frozenset[str] = frozenset()) -> Row:
        named, _ = point.named(self.rulebook)
        stated = {**named, **{p: v for p, v in point.facts.items() if p not in drop}}
        if point.count:
            stated.setdefault("gpu.count", str(point.count))
        try:
            facts = reading.read(points.node(stated), self.rulebook)
            run = self.engine.evaluate(facts).first
        except GpurulesError as error:
            return Row(point, stated, unusable=f"the facts do not agree: {error.problems[0].message}")
        unusable = exclusion.unusable(point, facts, self.rulebook)
        parameters = run.value("model.parameters")
        assert isinstance(parameters, Interval)
        no_peak = (
            f"repeats {repeated[point.id]}" if point.id in repeated
            else exclusion.unmeasured(point, point.facts) or exclusion.impossible(point, point.facts, parameters)
        )  # fmt: skip
        values = {name: run.value(f"model.{name}") for name in SHAPE}
        shape = {name: value.low for name, value in values.items() if isinstance(value, Interval) and value.exact}
        weights = run.value("candidate.weights")
        least = weights.low if isinstance(weights, Interval) and point.count == 1 and point.group == "inference" else 0.0
        found = Row(point, stated, self.need(run, point.measured.parts), self.fit(run), None, None, unusable, no_peak, weights=least, shape=shape)
        return self._timed(found, facts, run)

    def need(self, run: Run, parts: frozenset[str] = frozenset()) -> Interval | None:
        """The estimate to hold against the peak: the sum of `parts` alone where the figure was added up of these."""
        if parts and parts <= set(PARTS):
            terms = [run.value(path) for part in sorted(parts) for path in PARTS[part]]
            known = [term for term in terms if isinstance(term, Interval)]
            return Interval(sum(t.low for t in known) * KNOWN[0], sum(t.high for t in known) * KNOWN[1])
        sized = self._known(run, STRUCTURED) is not None
        found = (self._known(run, path) for path in SEEN if sized or path != SEEN[0])
        return next((value for value in found if value is not None), None)

    def _known(self, run: Run, path: str) -> Interval | None:
        return self._bounded(run, path) if path in self.rulebook.derivations else None

    def _bounded(self, run: Run, path: str) -> Interval | None:
        value, whole = run.value(path), self.rulebook.vocabulary.facts[path].whole
        assert isinstance(value, Interval) and isinstance(whole, Interval)
        return value if value.high < UNBOUNDED * whole.high and value.high > 0 else None

    def fit(self, run: Run) -> frozenset[str]:
        value = run.value("candidate.fit")
        return value if isinstance(value, frozenset) else frozenset()

    def _timed(self, row: Row, facts: Facts, run: Run) -> Row:
        text = row.point.measured.speed
        if not text:
            return row
        value, missing = tokens_per_second(text, self._speed(row.point, run))
        if value and (share := self._share(row.point, run, value)) > PEAK_SHARE:
            return replace(row, no_speed=f"impossible: {share:.0%} of the card's rate")
        speed = self._known(run, SPEED)
        speed = interval.divide(speed, interval.point(row.point.count)) if speed and row.point.count else None
        return replace(row, speed=speed, measured_speed=value, no_speed=missing)

    def _share(self, point: Point, run: Run, tokens: float) -> float:
        """The share of the card's rate that the operations of full training alone would take; 0 where it cannot be told."""
        rate, active = run.value("candidate.half_tensor_rate"), run.value("model.active_parameters")
        if point.group != "train_full" or not isinstance(rate, Interval) or not isinstance(active, Interval) or not rate.high:
            return 0
        return 6 * active.low * tokens / rate.high

    def _speed(self, point: Point, run: Run) -> Speed:
        def exact(path: str) -> float | None:
            value = run.value(path)
            return value.low if isinstance(value, Interval) and value.exact else None

        sequence = point.text.get("seq_len")
        parameters, layers, hidden = (exact(f"model.{n}") for n in ("active_parameters", "layers", "hidden_size"))
        flop = None
        if parameters and layers and hidden and sequence:
            times, attention = (8, 16) if point.recipe.recomputed else (6, 12)
            flop = times * parameters + attention * layers * hidden * float(sequence)
        batch: float | None = point.global_batch
        if not batch and (ranks := point.data_ranks(point.facts)) and point.facts.get("training.gradient_accumulation") == "1":
            batch = ranks * float(point.text.get("micro_batch", "nan"))
        return Speed(point.count, float(sequence) if sequence else None, batch, flop)


# ---------------------------------------------------------------- statistics


@dataclass(frozen=True, slots=True)
class Summary:
    """Errors of one group: number of points, median and 90th percentile of the relative error, share inside, median width. None where n is 0."""

    n: int
    median: float | None
    p90: float | None
    inside: float | None
    width: float | None

    @property
    def shown(self) -> tuple[str, ...]:
        return (str(self.n), *(("–" if v is None else f"{100 * v:.1f} %") for v in (self.median, self.p90, self.inside, self.width)))


def summary(rows: Sequence[Row]) -> Summary:
    if not rows:
        return Summary(0, None, None, None, None)
    errors = [abs(r.error) for r in rows]
    inside, width = sum(r.inside for r in rows) / len(rows), statistics.median(r.width for r in rows)
    return Summary(len(rows), statistics.median(errors), percentile(errors, 0.9), inside, width)


def percentile(values: Sequence[float], share: float) -> float:
    """With linear interpolation between neighbours."""
    ordered, place = sorted(values), share * (len(values) - 1)
    low = int(place)
    return ordered[low] + (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]) * (place - low)


def by_task(rows: Iterable[Row]) -> dict[str, Summary]:
    counted = [r for r in rows if r.counts]
    return {task: summary([r for r in counted if r.point.group == task]) for task in TASKS}


def confusion(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Outcome -> verdict -> points."""
    found = {outcome: dict.fromkeys(("fits", "oom", "depends"), 0) for outcome in ("fits", "oom")}
    for row in rows:
        if row.judged:
            found[row.point.measured.outcome][row.verdict] += 1
    return found


def throughput(rows: Iterable[Row]) -> dict[str, float | int | None]:
    timed = [r for r in rows if r.timed]
    if not timed:
        return {"n": 0, "median": None, "inside": None}
    inside = sum(r.speed.low <= r.measured_speed <= r.speed.high for r in timed if r.speed and r.measured_speed) / len(timed)
    return {"n": len(timed), "median": statistics.median(abs(r.speed_error) for r in timed), "inside": inside}


def without_each_source(rows: Sequence[Row]) -> dict[str, dict[str, Summary]]:
    """Task -> source left out -> statistics of the others."""
    found: dict[str, dict[str, Summary]] = {}
    for task in TASKS:
        counted = [r for r in rows if r.counts and r.point.group == task]
        sources = sorted({r.point.source for r in counted})
        found[task] = {s: summary([r for r in counted if r.point.source != s]) for s in sources}
    return found


def as_json(rows: Sequence[Row]) -> dict[str, object]:
    """The result as data. Shares are fractions; `oom_called_fits` and `fit_called_oom` are counts, `depends` the share of n."""
    table = confusion(rows)
    n = sum(sum(v.values()) for v in table.values())
    undecided = table["fits"]["depends"] + table["oom"]["depends"]
    tasks = {t: {"n": s.n, "median": s.median, "p90": s.p90, "inside": s.inside, "width": s.width} for t, s in by_task(rows).items()}
    return {
        "tasks": tasks,
        "fit": {"n": n, "oom_called_fits": table["oom"]["fits"], "fit_called_oom": table["fits"]["oom"], "depends": undecided / n if n else None},
        "throughput": throughput(rows),
        "left_out": [{"id": r.point.id, "reason": r.reason} for r in rows if r.reason],
    }


# ---------------------------------------------------------------- command


def main(arguments: Sequence[str] | None = None, out: Callable[[str], object] = print) -> int:
    parser = argparse.ArgumentParser(description="How far the estimates are from published measurements.")
    parser.add_argument("--points", type=Path, default=POINTS, metavar="FILE", help="published points (default: the collection beside the repository)")
    parser.add_argument("--json", action="store_true", help="print the result as data")
    parser.add_argument("--facts", type=Path, metavar="DIR", help="write the facts of every point to DIR, for `gpurules evaluate`")
    parser.add_argument("--sources", action="store_true", help="print the errors of every source too")
    parser.add_argument("--write", action="store_true", help="write docs/accuracy.md and docs/accuracy.svg")
    chosen = parser.parse_args(arguments)
    if not chosen.points.exists():
        print(f"{chosen.points} is not there; name a file of points with --points", file=sys.stderr)
        return 2
    try:
        given = points.read(chosen.points)
    except GpurulesError as error:
        print("\n".join(str(p) for p in error.problems), file=sys.stderr)
        return 2
    evaluator = Evaluator(gpurules.load())
    rows = evaluator.rows(given)
    if chosen.facts:
        chosen.facts.mkdir(parents=True, exist_ok=True)
        for row in rows:
            (chosen.facts / f"{row.point.id}.yaml").write_text(facts_file(row), "utf-8")
    if chosen.json:
        out(json.dumps(as_json(rows), indent=2, ensure_ascii=False))
        return 0
    import page
    import tables

    unknown = evaluator.rows(given, drop=TOLD_BY_FRAMEWORK)
    if chosen.write:
        page.write(rows, unknown)
        return 0
    out(tables.text(rows, unknown, chosen.sources))
    return 0


def facts_file(row: Row) -> str:
    """The facts of a point as a facts file, with where each setting that the point does not state is documented."""
    about = [f"# {row.point.id}: {row.point.data.get('source', {}).get('url', '')}", *(f"# {says} {cites}" for cites, says in row.point.recipe.citations)]
    return "\n".join(about) + "\n" + points.written(row.facts)


if __name__ == "__main__":
    sys.exit(main())
