"""Whether a decision holds what somebody expects of it: a small vocabulary of predicates over ids, actions, levels, values and states, never over texts.

An expectation is a mapping; all of its keys must hold, of one run at least unless `runs: all`:

    fit            members that may remain of candidate.fit of the stated machine
    tight          yes: the stated machine does not surely fit
    verdict        accepted, rejected, undecided: of the stated machine, in the first pass or with what is assumed
    status         of the decision
    rule           ids of rules, one of which gives advice that stands
    advice         `level action`, `action` or `topic action`, one of which stands (certain, or with what is assumed)
    no_advice      the same; none stands
    may            as advice, where *depends* is enough
    step           settings, `path` or `path=value`, one of which the plan of steps proposes
    asks           facts, one of which is asked for
    given          path: value, as a facts file would have it, of a fact that was stated or looked up
    named          path: pattern, in every member that a fact stated by name may be
    all_experts    yes: the weights counted are those of all parameters, at two bits each at least, where fewer are active
    value          path: range; the derived value lies within it, up to `slack` of each end (half as much again)
    chosen         least number of cards of every machine that is chosen, or largest as `<= n`
    refused        codes of problems, or paths of facts, one of which the input was refused for
    accepted       yes: nothing of the input was refused
    any, all, none expectations in turn
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import document
from gpurules.engine.values.interval import Interval

Expectation = Mapping[str, Any]
SLACK = 1.5


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one run: the decision on all facts that could be read, and what was refused before (`code path`)."""

    name: str
    decision: Mapping[str, Any]
    refused: Sequence[str] = field(default=())


def holds(wanted: Expectation, outcomes: Sequence[Outcome], engine: Engine) -> bool:
    """Whether the outcomes of a case's runs are as expected. Raises KeyError for a predicate that is not one."""
    rest = {k: v for k, v in wanted.items() if k not in ("runs", "run")}
    among = [o for o in outcomes if str(wanted["run"]) in o.name] if "run" in wanted else outcomes
    every = all if wanted.get("runs") == "all" else any
    return bool(among) and every(all(_one(key, value, o, engine) for key, value in rest.items()) for o in among)


def _one(key: str, value: Any, outcome: Outcome, engine: Engine) -> bool:
    if key in ("any", "all", "none"):
        found = [holds(w, [outcome], engine) for w in value]
        return any(found) if key == "any" else all(found) if key == "all" else not any(found)
    return bool(PREDICATES[key](value, outcome, engine))


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _derived(outcome: Outcome, path: str) -> Mapping[str, Any] | None:
    return next((d for d in outcome.decision["derived"] if d["fact"] == path), None)


def _fit(value: Any, outcome: Outcome, engine: Engine) -> bool:
    found = _derived(outcome, "candidate.fit")
    return found is not None and set(found["value"].get("members", ())) <= set(_list(value))


def _tight(value: Any, outcome: Outcome, engine: Engine) -> bool:
    found = _derived(outcome, "candidate.fit")
    open_or_short = bool(found is not None and found["value"].get("members") != ["fits"])
    return open_or_short is (value == "yes")


def _stated(outcome: Outcome) -> Mapping[str, Any] | None:
    return next((c for c in outcome.decision["candidates"] if c["stated"]), None)


def _verdict(value: Any, outcome: Outcome, engine: Engine) -> bool:
    machine = _stated(outcome)
    return machine is not None and bool({machine["verdict"], machine["verdict_assuming"]} & set(_list(value)))


def _advice(states: tuple[str, ...]) -> Callable[[Any, Outcome, Engine], bool]:
    def advised(value: Any, outcome: Outcome, engine: Engine) -> bool:
        standing = [c for c in outcome.decision["conclusions"] if c["kind"] == "advise" and c["state"] in states]
        words = [{c["level"], c["action"], c["topic"], c["rule"]} for c in standing]
        return any(set(str(w).split()) <= have for w in _list(value) for have in words)

    return advised


STANDS = ("certain", "assuming")


def _rule(value: Any, outcome: Outcome, engine: Engine) -> bool:
    return any(c["rule"] in _list(value) and c["state"] in STANDS for c in outcome.decision["conclusions"])


def _step(value: Any, outcome: Outcome, engine: Engine) -> bool:
    proposed = [(p, str(v)) for s in outcome.decision["steps"] for p, v in s["set"].items()]
    return any(p == w.partition("=")[0] and (not w.partition("=")[2] or v == w.partition("=")[2]) for w in map(str, _list(value)) for p, v in proposed)


def _asks(value: Any, outcome: Outcome, engine: Engine) -> bool:
    asked = {m["fact"] for m in outcome.decision["measure_next"]} | {a["fact"] for a in outcome.decision["ambiguities"]}
    return bool(asked & set(_list(value)))


def _read(path: str, value: Any, engine: Engine) -> Any:
    content = json.dumps({path: value if isinstance(value, list) else str(value)}).encode()
    return reading.read(document.parse(content, "expectation"), engine.rulebook).given[path].value


def _given(value: Any, outcome: Outcome, engine: Engine) -> bool:
    for path, wanted in value.items():
        found = next((f for f in outcome.decision["facts"] if f["path"] == path), None)
        if found is None or not _equal(found["value"], _read(path, wanted, engine)):
            return False
    return True


def _named(value: Any, outcome: Outcome, engine: Engine) -> bool:
    members = {f["path"]: f["value"].get("members", ()) for f in outcome.decision["facts"]}
    return all(bool(members.get(path)) and all(re.search(pattern, m) for m in members[path]) for path, pattern in value.items())


def _all_experts(value: Any, outcome: Outcome, engine: Engine) -> bool:
    stated = {f["path"]: f["value"] for f in outcome.decision["facts"]}
    weights, every, active = _derived(outcome, "memory.weights"), stated.get("model.parameters"), stated.get("model.active_parameters")
    if weights is None or every is None or active is None or not every.get("high") or weights["value"].get("low") is None:
        return False
    counted: bool = active["high"] < 0.9 * every["low"] and weights["value"]["low"] >= every["high"] / 4
    return counted is (value == "yes")


def _equal(found: Mapping[str, Any], wanted: Any) -> bool:
    if isinstance(wanted, Interval):
        return all(abs(found[end] - getattr(wanted, end)) <= 0.01 * abs(getattr(wanted, end)) for end in ("low", "high"))
    return set(found["members"]) == set(wanted)


def _value(value: Any, outcome: Outcome, engine: Engine) -> bool:
    slack = float(value.get("slack", SLACK))
    for path, wanted in value.items():
        found = None if path == "slack" else _derived(outcome, path)
        if path == "slack":
            continue
        if found is None:
            return False
        want = _number(str(wanted))
        low, high = found["value"].get("low"), found["value"].get("high")
        if low is None or high is None or low < want[0] / slack or high > want[1] * slack:
            return False
    return True


UNITS = {"": 1.0, "%": 0.01, "GB": 1e9, "TB": 1e12, "MB": 1e6, "GiB": 2.0**30, "MiB": 2.0**20, "W": 1.0, "USD": 1.0, "h": 3600.0, "B": 1e9}


def _number(text: str) -> tuple[float, float]:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))?\s*(\S*)", text)
    if match is None:
        raise KeyError(text)
    scale = UNITS[match.group(3)]
    return float(match.group(1)) * scale, float(match.group(2) or match.group(1)) * scale


def _chosen(value: Any, outcome: Outcome, engine: Engine) -> bool:
    choice = outcome.decision["choice"] or {}
    counts = [c["count"] for c in choice.get("chosen", ())]
    least = str(value).removeprefix(">=").strip()
    if least.startswith("<="):
        return bool(counts) and max(counts) <= int(least[2:])
    return bool(counts) and min(counts) >= int(least)


def _refused(value: Any, outcome: Outcome, engine: Engine) -> bool:
    return any(all(word in fault.split() for word in str(w).split()) for w in _list(value) for fault in outcome.refused)


PREDICATES: dict[str, Callable[[Any, Outcome, Engine], bool]] = {
    "fit": _fit, "tight": _tight, "verdict": _verdict, "status": lambda v, o, _: o.decision["status"] in _list(v), "rule": _rule,
    "advice": _advice(STANDS), "no_advice": lambda v, o, e: not _advice(STANDS)(v, o, e), "may": _advice((*STANDS, "depends")),
    "step": _step, "asks": _asks, "given": _given, "named": _named, "all_experts": _all_experts, "value": _value, "chosen": _chosen, "refused": _refused,
    "accepted": lambda v, o, _: (not o.refused) == (v == "yes"),
}  # fmt: skip
