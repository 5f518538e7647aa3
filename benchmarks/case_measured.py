"""What a case measured, as facts: memory, where it failed, idling and waiting, swings and drift, clocks and heat, the cache, rates by cards.

A field is named by what it counts and its unit (`allocated_gib`, `data_wait_ms`, `clock_mhz_sustained`); the patterns read the parts of such names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import case_names
from words import Facts, has

UNITS = {"gib": "GiB", "gb": "GB", "mib": "MiB", "mb": "MB"}
ON_CARD = ["load", "forward", "backward", "optimizer_step", "prefill", "cache_allocation"]
"""Where memory of the card may have run out, if the case does not say."""
PLACES = (
    (r"host|cpu|ram\b", "host"), (r"optim|adam|\bstep", "optimizer_step"), (r"backward", "backward"), (r"prefill|warm-?up|profil", "prefill"),
    (r"cache|kv", "cache_allocation"), (r"load|init", "load"), (r"forward|attention|loss|cross_?entropy|logit|softmax|mlp", "forward"),
)  # fmt: skip
WORDS = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "six": 6, "eight": 8, "sixteen": 16}
PULSE_LOW, PULSE_HIGH = 10.0, 60.0
"""Utilization that falls to PULSE_LOW per cent and rises to PULSE_HIGH again comes in pulses."""


def measured(facts: Facts, given: Mapping[str, Any], context: Any = None) -> None:
    """Adds the facts that the measurements `given` state; `context` is the length asked of a serving engine."""
    given = case_names.canonical(given)
    for key, value in given.items():
        _memory(facts, key, value)
    _overflow(facts, given)
    _cache(facts, given, context)
    _busy(facts, given)
    _waiting(facts, given)
    _drift(facts, given)
    _heat(facts, given)


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


# ---------------------------------------------------------------- memory


def _memory(facts: Facts, key: str, value: Any) -> None:
    part = r"(?:_(?:per_(?:gpu|card)|peak|max|used|in_use|total))*"
    key = {"gib": "memory_gib", "gb": "memory_gb", "mib": "memory_mib"}.get(key, key)
    name = rf"(?:peak_|max_|gpu_|used_)*(allocated|reserved|memory|mem|vram|peak|used|gb_per_gpu|peak_gb_per_gpu){part}_?(gib|gb|mib|mb)?{part}"
    if match := re.fullmatch(name, key):
        ends = case_names.numbers(value)
        unit = UNITS[match.group(2) or "gb"]
        bound = re.match(r"\s*(>=?|<=?)", str(value))
        if ends:
            facts["measured.memory_peak"] = f"{(bound.group(1)[0] + '= ') if bound else ''}{max(ends):g} {unit}"
        if match.group(1) in ("allocated", "reserved"):
            facts["measured.memory_kind"] = match.group(1)
    elif (match := re.fullmatch(r"(?:total_)?capacity_(gib|gb|mib|mb)", key)) and _number(value) is not None:
        facts["gpu.memory_usable"] = f"{value} {UNITS[match.group(1)]}"


def _overflow(facts: Facts, given: Mapping[str, Any]) -> None:
    """Where memory ran out: an allocation that failed, a place that is named, or a process that the kernel killed."""
    if any(re.fullmatch(r"(failed_alloc|tried_to_allocate|failed_allocation|alloc_failed)_?(gib|gb|mib|mb)?", k) for k in given):
        facts.setdefault("measured.out_of_memory", ON_CARD)
    where = str(given.get("where", given.get("oom_at", given.get("failed_in", ""))))
    if place := next((member for pattern, member in PLACES if has(pattern, where)), ""):
        facts["measured.out_of_memory"] = ["forward", "backward"] if place == "forward" else place
    elif given.get("oom") is True or has(r"^(yes|oom|true)$", str(given.get("oom", ""))):
        facts.setdefault("measured.out_of_memory", ON_CARD)
    killed = str(given.get("exit_code", "")) in ("-9", "137") or has(r"oom|killed|kernel", str(given.get("killed_by", "")))
    if killed:
        facts["measured.out_of_memory"] = "host"


def _cache(facts: Facts, given: Mapping[str, Any], context: Any) -> None:
    """Tokens or bytes that the engine finds for its cache; less than nothing means that it found none."""
    for key, value in given.items():
        if key.startswith(("kv_cache_tokens", "cache_tokens", "kv_tokens")) and _number(value) is not None:
            facts["measured.kv_cache_tokens"] = str(value)
    found = next(((k, v) for k, v in given.items() if re.fullmatch(r"(kv|kv_cache|cache)_(available|free|left|memory)_?(gib|gb)", k)), None)
    free = _number(found[1]) if found else None
    if found is None or free is None:
        return
    if free <= 0:
        facts["measured.out_of_memory"] = "cache_allocation"
        return
    facts["measured.cache_memory"] = f"{free:g} {UNITS[found[0].rpartition('_')[2]]}"
    needed = next((_number(v) for k, v in given.items() if re.fullmatch(r"(kv|kv_cache|cache)_(needed|required|need)_?(gib|gb)", k)), None)
    if needed and isinstance(context, int):
        facts.setdefault("measured.kv_cache_tokens", str(int(context * free / needed)))


# ---------------------------------------------------------------- busy, waiting, swinging


def _busy(facts: Facts, given: Mapping[str, Any]) -> None:
    """Utilization as a mean or a range; one that falls to nothing and rises again comes in pulses."""
    series = given.get("gpu_util_pct_series")
    if isinstance(series, list):
        facts["measured.gpu_utilization"] = f"{sum(series) / len(series):g} %"
        _pulses(facts, [float(v) for v in series])
    elif "gpu_util_pct" in given:
        text, ends = str(given["gpu_util_pct"]), case_names.numbers(given["gpu_util_pct"])
        if ends:
            low, high = min(ends), max(ends)
            _pulses(facts, [low, high])
            high = high / 2 if has(r"mostly 0|mostly idle|usually 0", text) else high
            facts["measured.gpu_utilization"] = f"{low:g}..{high:g} %" if low != high else f"{low:g} %"
        elif has(r"low|idle", text):
            facts["measured.gpu_utilization"] = "0..50 %"
    if idle := case_names.numbers(str(given.get("gpu_idle_pct", "")).replace("-", " ")):
        facts["measured.gpu_utilization"] = f"{100 - max(idle):g}..{100 - min(idle):g} %" if max(idle) != min(idle) else f"{100 - idle[0]:g} %"
    cpu = case_names.numbers(given.get("cpu_util_pct", ""))
    if cpu:
        facts["measured.cpu_utilization"] = f"{min(cpu):g}..{max(cpu):g} %" if min(cpu) != max(cpu) else f"{cpu[0]:g} %"
    achieved = case_names.numbers(given.get("mfu_pct", "")) or case_names.numbers(list(_map(given.get("mfu_pct")).values()))
    if achieved:
        facts["measured.flop_utilization"] = f"{min(achieved):g} %"
    drawn = given.get("power_w_series")
    if isinstance(drawn, list):
        facts["measured.power"] = f"{sum(drawn) / len(drawn):g} W"


def _pulses(facts: Facts, seen: list[float]) -> None:
    if min(seen) <= PULSE_LOW and max(seen) >= PULSE_HIGH:
        facts["measured.utilization_pulses"] = "yes"


def _seconds(given: Mapping[str, Any], *names: str) -> float | None:
    for name in names:
        for suffix, scale in (("s", 1.0), ("ms", 0.001), ("s_per_batch", 1.0), ("s_per_iter", 1.0), ("time_s", 1.0), ("time_ms", 0.001), ("time", 1.0)):
            value = _number(given.get(f"{name}_{suffix}"))
            if value is not None:
                return value * scale
    return None


WHOLE = ("iter", "iteration", "batch", "total", "step", "train_step")
COMPUTE = ("gpu_step", "compute", "gpu", "forward_backward", "model")
WAIT = ("data", "data_wait", "loader", "dataloader", "load", "data_load", "loading", "fetch", "io", "wait")


def _waiting(facts: Facts, given: Mapping[str, Any]) -> None:
    """The share of a step that waits for data, or for other cards: stated, or a time beside that of the whole step."""
    for key, value in given.items():
        if re.fullmatch(r"(data|dataloader|loader|loading|data_loading|io|data_wait|data_time|input)_?(share|wait|time|stall)?_?pct", key):
            facts["measured.data_wait_share"] = f"{'..'.join(f'{n:g}' for n in case_names.numbers(value)[:2])} %"
        elif re.fullmatch(r"(comm|communication|allreduce|all_reduce|nccl|sync)_?(share|time)?_?pct", key):
            facts["measured.communication_share"] = f"{'..'.join(f'{n:g}' for n in case_names.numbers(value)[:2])} %"
    wait, whole, compute = _seconds(given, *WAIT), _seconds(given, *WHOLE), _seconds(given, *COMPUTE)
    if wait is not None and (whole or compute):
        total = whole if whole and wait < whole and not compute else wait + (compute or whole or 0.0)
        facts["measured.data_wait_share"] = f"{min(100.0, 100 * wait / total):.4g} %"
    median, mean = _number(given.get("step_s_median")), _number(given.get("mean_step_s"))
    if isinstance(given.get("step_s_spikes"), list) and median is not None:
        facts["measured.throughput_fluctuation"] = "500 %"
        if isinstance(given.get("data_s_spikes"), list) and mean is not None:
            facts["measured.data_wait_share"] = f"{100 * (mean - median) / mean:.3g} %"
    before, after = _seconds(given, "step"), _seconds({k.removesuffix("_after"): v for k, v in given.items() if k.endswith("_after")}, "step")
    if before and after:
        facts.setdefault("measured.data_wait_share", f"{100 * (1 - after / before):.3g} %")


# ---------------------------------------------------------------- slower as it runs, clocks, heat

FIRST, LAST = r"_(cold|start|first|begin|beginning|initial)$", r"_(hot|end|last|later|final|sustained|after_.*)$"


def _drift(facts: Facts, given: Mapping[str, Any]) -> None:
    """Change of speed over the run: the same figure early and late, of steps in time or steps by time."""
    for key, value in given.items():
        early, name = _number(value), re.sub(FIRST, "", key)
        late = next((v for k, v in given.items() if re.search(LAST, k) and re.sub(LAST, "", k) == name and k != key), None)
        ends = case_names.numbers(late) if late is not None else []
        if early and ends and name != key and re.search(r"_?s$|_ms$|per_s|it_s|tok_s", name) and not has(r"clock|temp|_gb|_gib", name):
            by_time = has(r"(^|_)(s|ms|step_s|iter_s|s_per_\w+|epoch_s|step_ms)$", name) and not has(r"it_s|tok_s|per_s$|samples_s", name)
            slow, fast = (early / max(ends), early / min(ends)) if by_time else (min(ends) / early, max(ends) / early)
            facts["measured.throughput_drift"] = f"{100 * (slow - 1):.3g}..{100 * (fast - 1):.3g} %" if slow != fast else f"{100 * (slow - 1):.3g} %"
    for key, value in given.items():
        if re.fullmatch(r"(speed|throughput|performance)_(drop|loss|decline)_pct|slows_down_pct", key) and case_names.numbers(value):
            facts["measured.throughput_drift"] = f"-{max(case_names.numbers(value)):g} %"


def _heat(facts: Facts, given: Mapping[str, Any]) -> None:
    full = r"clock_(default|boost|max|rated|base|normal)_mhz|(default|boost|max)_clock_mhz"
    rated = next((_number(v) for k, v in given.items() if re.fullmatch(full, k)), None)
    held = [_number(v) for k, v in given.items() if re.fullmatch(r"clock_mhz(_(min|sustained|now|hot|load))?|sm_clock_mhz", k)]
    clocks = [c for c in held if c is not None]
    if rated and clocks:
        low, high = 100 * min(clocks) / rated, 100 * max(clocks) / rated
        facts["measured.clock_share"] = f"{low:.3g}..{high:.3g} %" if low != high else f"{low:.3g} %"
    if hot := case_names.numbers(given.get("temp_c", "")):
        facts["measured.temperature"] = f"{max(hot):g} °C"
    reason = str(given.get("throttle", given.get("throttle_reason", given.get("throttling", ""))))
    kinds = ((r"thermal|heat|temp", "thermal"), (r"brake", "power_brake"), (r"power|cap", "power"), (r"^(yes|true)$", "yes"), (r"^(no|none|false)$", "none"))
    if member := next((m for pattern, m in kinds if has(pattern, reason)), ""):
        facts["measured.throttle"] = member


# ---------------------------------------------------------------- rates by the number of cards


def series(fields: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The mappings among a case's fields and measurements, by name."""
    yield from ((k, v) for k, v in {**fields, **_map(fields.get("measured"))}.items() if isinstance(v, Mapping))


def scaling(facts: Facts, name: str, given: Mapping[str, Any]) -> None:
    """Rates by the number of cards: samples a second of all, iterations, of which each card does one batch, or the time of the same work."""
    counted = {n: float(v) for k, v in given.items() if (n := _cards(str(k))) and isinstance(v, int | float)}
    if 1 not in counted or len(counted) < 2:
        return
    have = str(facts.get("gpu.count", ""))
    most = int(have) if have.isdigit() and int(have) in counted and int(have) > 1 else max(counted)
    rates: dict[int, float] = {}
    for n in (1, most):
        value = counted[n]
        if has(r"samples|images|examples|img|tok|fps|throughput", name):
            rates[n] = value
        elif has(r"epoch|total|wall|train_time|minutes|hours|duration|time_min|time_h|time_s", name):
            rates[n] = 1 / value
        elif has(r"^s_per_|s_per_it|s_per_step|s_it$|step_(s|ms|time)|iter_(s|ms)|ms_per_", name):
            rates[n] = n / value
        elif has(r"it_?s|its|steps_per_s|it_per_s", name):
            rates[n] = n * value
    if rates:
        facts |= {"gpu.count": str(most), "measured.throughput_one_gpu": f"{rates[1]:g}", "measured.throughput": f"{rates[most]:g}"}


def _cards(key: str) -> int:
    """How many cards a key of a series speaks of: `4`, `one`, `ddp_4`, `4gpu`, `x2`; a number of nodes is none of cards."""
    if has("node", key):
        return 0
    if match := re.fullmatch(r"(?:\w*?_)?x?(\d+)(?:_?(?:x|gpus?|cards?))?", key):
        return int(match.group(1))
    words = re.split(r"_", key.lower())
    return next((WORDS[w] for w in words if w in WORDS), 0)
