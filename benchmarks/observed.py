"""What a published point says was measured: the peak in bytes and what it counts, the outcome, the speed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from words import has

GB, GIB, MIB = 1e9, 2.0**30, 2.0**20
KINDS = (
    (r"pre-?allocat|utilization", "engine_preallocated"),
    (r"reserved|cached", "reserved"),
    (r"allocated|active|reported by pytorch", "allocated"),
    (r"nvidia-smi|nvml|device memory|per GPU \(\d+", "nvidia_smi"),
)
"""Words of a metric with the kind that they mean; a share of the card in brackets is what a monitor of the device shows."""


@dataclass(frozen=True, slots=True)
class Measured:
    """`peak` in bytes of one card (None: not printed), `limit`: the figure at its highest, in GB or GiB as it is printed,
    `kind` of measured.memory_kind ('' not said), `outcome` fits, oom or ''."""

    peak: float | None
    limit: float
    kind: str
    outcome: str
    metric: str
    speed: str
    parts: frozenset[str] = frozenset()
    """What a total was added up of (params, grads, optimizer, activations), where it is such a sum and no peak."""


def measured(data: Mapping[str, object], count: int | None) -> Measured:
    """Reads `measured` of a point. Totals over several cards are divided by their number."""
    text = {k: str(v) for k, v in data.items() if isinstance(v, str)}
    metric, unit = text.get("metric", ""), scale(text)
    outcome = text.get("outcome", "")
    outcome = "oom" if has(r"\boom\b|out of memory", outcome) and not has("fits", outcome) else "fits" if has("^fits", outcome) else ""
    peak, limit = None, 0.0
    if exact := re.search(r"bytes (\d{8,})", metric):
        peak = float(exact.group(1))
    elif "peak_gb_per_gpu" in text:
        peak = float(text["peak_gb_per_gpu"]) * unit
        # "5194 MB as reported by PyTorch", where PyTorch counts bytes and the program divides by 1024 twice
        if mib := re.search(r"(\d+(?:\.\d+)?) M(?:i?B) as reported by pytorch", metric, re.IGNORECASE):
            peak = float(mib.group(1)) * MIB / (count if count and has("total over", metric) else 1)
    elif isinstance(ends := data.get("peak_gb_per_gpu_range"), list):
        low, high = (float(e) * unit for e in ends)
        peak, limit = (low + high) / 2, high / unit
    elif "total_gb" in text and not has("requires about|statement", metric):
        total = float(text["total_gb"]) * unit
        peak = total / (count or 1)
    if not limit and peak is not None:
        limit = peak / unit / {"MiB": 1024, "MB": 1000}.get(text.get("unit", ""), 1)
    kind = next((member for pattern, member in KINDS if has(pattern, metric)), "")
    parts = data.get("components_gb")
    return Measured(peak, limit, kind, outcome, metric, text.get("throughput", ""), frozenset(parts) if isinstance(parts, Mapping) else frozenset())


def scale(text: Mapping[str, str]) -> float:
    """Bytes of the unit of a figure: GB is 1e9 unless the point says that it must be GiB."""
    inferred = text.get("unit_inferred", "")
    if inferred and not has(r"^not GiB", inferred):
        return GIB if has(r"^GiB", inferred) else GB
    return {"GiB": GIB, "MiB": MIB, "MB": 1e6}.get(text.get("unit", "GB"), GB)


# ---------------------------------------------------------------- speed


@dataclass(frozen=True, slots=True)
class Run:
    """What is needed to turn a speed into tokens: cards, tokens of a sample, samples of a step over all cards (None: not said)."""

    count: int | None
    sequence: float | None
    batch: float | None
    flop_per_token: float | None = None


def tokens_per_second(text: str, run: Run) -> tuple[float | None, str]:
    """Tokens a second and card, or None and what is missing to tell."""
    number = r"([\d.,]+)"
    if not text or re.search(r"\d+ GPU.*;", text):
        return None, "the speed is a comparison" if text else ""
    if m := re.search(number + r"\s*(?:k)?\s*tok(?:ens)?\s*(?:/|per )\s*(?:s|sec|GPU)[^,;]*", text):
        value = float(m.group(1).replace(",", ""))
        per_card = has(r"GPU|card|device", m.group(0))
        return (value, "") if per_card else (value / run.count, "") if run.count else (None, "the number of cards is not stated")
    if m := re.search(number + r"\s*s(?:econds)? per " + number + r" samples", text):
        if not (run.count and run.sequence):
            return None, "cards or tokens of a sample are not stated"
        return float(m.group(2).replace(",", "")) * run.sequence / float(m.group(1).replace(",", "")) / run.count, ""
    if m := re.search(number + r"\s*TFLOP", text):
        return (float(m.group(1)) * 1e12 / run.flop_per_token, "") if run.flop_per_token else (None, "the operations of a token are not known")
    seconds = re.search(r"(?:iteration time|step time)\s*" + number + r"\s*s|" + number + r"\s*s/(?:it|iter|iteration|step)", text)
    rate = re.search(number + r"\s*(?:it|iter|steps?)/s", text)
    if seconds or rate:
        step = float(next(g for g in seconds.groups() if g)) if seconds else 1 / float(rate.group(1)) if rate else 0.0
        if not (run.count and run.sequence and run.batch):
            return None, "cards or the batch of a step are not stated"
        return run.batch * run.sequence / step / run.count, ""
    return None, f"a speed that is not one of a model's tokens: {text}"
