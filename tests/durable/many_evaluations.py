"""Memory of a process that evaluates the examples over and over: `python many_evaluations.py COUNT`. Prints MB early, late, and at most."""

from __future__ import annotations

import gc
import json
import resource
import sys
from pathlib import Path

import gpurules
from gpurules.engine import public
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.durable import Network
from gpurules.engine.knowledge import document

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def resident() -> float:
    """MB in use, or at most in use so far where the system does not tell more."""
    gc.collect()
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e3 if sys.platform == "linux" else 1e6)


count = int(sys.argv[1])
scalar = public.engine(gpurules.load())
durable = scalar.durable()
asked = [reading.read(document.read(path), scalar.rulebook) for path in EXAMPLES]
expected = [scalar.evaluate(facts) for facts in asked]
early = 0.0
for number in range(count):
    if number == count // 10:
        early = resident()
    found, wanted = durable.evaluate(asked[number % len(asked)]), expected[number % len(asked)]
    assert found.first.truths == wanted.first.truths and found.second.truths == wanted.second.truths
late = resident()
for _ in range(count // 20):
    Network(scalar.program, scalar.workload)  # made and dropped: its rulesets are deleted
print(json.dumps({"early": early, "late": late, "after_networks": resident()}))
