"""The figures of docs/decisions/0002-durable-backend.md: `python benchmarks/durable_backend.py`. Needs the extra `durable`.

Times are CPU time of this process, so that other work on the machine counts little; each is the least of many.
"""

from __future__ import annotations

import json
import platform
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROCESSES, RULES, FACTS = 40, 50, 60
OPERATORS: dict[str, Callable[[int, int], bool]] = {"$gt": int.__gt__, "$lt": int.__lt__, "$gte": int.__ge__, "$lte": int.__le__}


def joins(seed: int) -> None:
    """The library's own pattern: rules that compare a field of one fact with a field of another. Prints whether as many fire as should."""
    import durable_rules_engine as library

    draw = random.Random(seed)
    wanted = [(draw.randrange(FACTS), draw.randrange(FACTS), draw.choice(list(OPERATORS))) for _ in range(RULES)]
    bodies = {f"r{i}": {"all": [{"m_0": {"f": a}}, {"m_1": {"$and": [{"f": b}, {op: {"v": {"m_0": "v"}}}]}}]} for i, (a, b, op) in enumerate(wanted)}
    values, found = [draw.randrange(100) for _ in range(FACTS)], 0
    handle = library.create_ruleset("joins", json.dumps(bodies))
    for number, value in enumerate(values):
        _, state = library.assert_fact(handle, json.dumps({"f": number, "v": value}))
        started = library.start_action_for_state(handle, state)
        firing = started and started[1]
        while firing:
            found += 1
            firing = library.complete_and_start_action(handle, state)
    print("right" if found == sum(a != b and OPERATORS[op](values[b], values[a]) for a, b, op in wanted) else "wrong")


Bodies = dict[str, dict[str, list[dict[str, object]]]]
LIMITS: dict[str, tuple[Callable[[int], Bodies], Callable[[int], int], tuple[int, ...]]] = {
    "rules under one identical condition": (lambda n: {f"r{i}": {"all": [{"m_0": {"n": 0}}]} for i in range(n)}, lambda n: 1, (60, 255, 256, 257)),
    "tests that one fact passes": (lambda n: {f"r{i}": {"all": [{"m_0": {"$gt": {"n": -i - 1}}}]} for i in range(n)}, lambda n: 1, (60, 64, 65)),
    "distinct integers": (lambda n: {f"r{i}": {"all": [{"m_0": {"n": i}}]} for i in range(n)}, lambda n: n, (500, 511, 512)),
    "facts that one rule joins": (lambda n: {"r0": {"all": [{f"m_{i}": {"n": i}} for i in range(n)]}}, lambda n: n, (16, 17)),
}
"""What is counted: the rules, how many facts are asserted, and the counts to try."""


def limit(what: str, count: int) -> None:
    import durable_rules_engine as library

    bodies, facts, _ = LIMITS[what]
    handle = library.create_ruleset("limit", json.dumps(bodies(count)))
    for number in range(facts(count)):
        _, state = library.assert_fact(handle, f'{{"n":{number}}}')
    print("fired" if library.start_action_for_state(handle, state) else "silent")


def ending(*arguments: object) -> str:
    """How a process of its own ends."""
    try:
        done = subprocess.run([sys.executable, __file__, *map(str, arguments)], capture_output=True, text=True, timeout=10)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode < 0:
        return f"dies of signal {-done.returncode}"
    return done.stdout.strip() if done.returncode == 0 else f"raises: {done.stderr.strip().splitlines()[-1].rpartition(', ')[2]}"


def least(function: Callable[[], object], count: int) -> float:
    """Milliseconds of CPU time."""
    times = []
    for _ in range(count):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def speed() -> None:
    import gpurules
    from gpurules.engine import public
    from gpurules.engine.inference import facts as reading
    from gpurules.engine.knowledge import document

    scalar = public.engine(gpurules.load())
    print(f"compiling the networks: {least(scalar.durable, 9):.1f} ms")
    durable = scalar.durable()
    rules = [name for kind, name in scalar.workload.steps if kind == "rule"]
    print(f"{len(rules)} workload rules; examples, median over all of them:")
    given = []
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        facts = reading.read(document.read(path), scalar.rulebook)
        pins = [p for p in facts.given if scalar.rulebook.vocabulary.facts[p].kind == "derived"]
        given.append(({p: f.value for p, f in facts.given.items() if p not in pins}, {p: facts.given[p].value for p in pins}))
    for name, engine in (("scalar", scalar), ("durable", durable)):
        times = [least(partial(engine._run, g, p, "2026-01-01", "facts", engine.rulebook.orders), 31) for g, p in given]
        print(f"  one pass over the workload, {name}: {statistics.median(times):.2f} ms")


def main() -> None:
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, durable-rules {metadata.version('durable_rules')}")
    endings = Counter(ending("joins", seed) for seed in range(PROCESSES))
    print(f"{RULES} rules that join two facts by a comparison, {FACTS} facts, in {PROCESSES} processes:")
    print("  " + ", ".join(f"{count} {what}" for what, count in endings.most_common()))
    for what, (_, _, counts) in LIMITS.items():
        print(f"{what}:", "; ".join(f"{count} {ending('limit', what, count)}" for count in counts))
    speed()


if __name__ == "__main__":
    if sys.argv[1:2] == ["joins"]:
        joins(int(sys.argv[2]))
    elif sys.argv[1:2] == ["limit"]:
        limit(sys.argv[2], int(sys.argv[3]))
    else:
        main()
