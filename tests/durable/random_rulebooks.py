"""Both back ends on random rulebooks and facts, in a process of its own: `python random_rulebooks.py COUNT`. Prints how many it compared."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "property"))
import worlds

from gpurules.engine.decisions import decision as decisions
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import document
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import GpurulesError

DATES = ("2024-06-01", "2026-01-01", "2027-06-01")
found = {"rulebooks": 0, "truths": 0, "documents": 0, "impossible": 0}


def evaluated(engine: Engine, content: dict[str, object], date: str):
    """The evaluation; None where rules give a fact a value that nothing can have, which of several is told first may differ."""
    node = document.parse(json.dumps(content).encode(), "facts") if content else None
    try:
        return engine.evaluate(reading.read(node, engine.rulebook), date)
    except GpurulesError as error:
        assert {p.code for p in error.problems} == {"GR501"}, error
        return None


@given(worlds.rulebooks(), st.lists(worlds.facts(), min_size=1, max_size=3), st.sampled_from(DATES))
def compare(rules, asked, date) -> None:
    scalar = Engine(worlds.load(worlds.written(rules)))
    durable = scalar.durable()
    found["rulebooks"] += 1
    for number, content in enumerate(asked):
        one, other = evaluated(scalar, content, date), evaluated(durable, content, date)
        assert (one is None) == (other is None), content
        if one is None or other is None:
            found["impossible"] += 1
            continue
        for a, b in ((one.first, other.first), (one.second, other.second)):
            assert a.truths == b.truths
            assert a.derived == b.derived
            found["truths"] += len(a.truths)
        if number == 0:
            assert canonical.dumps(decisions.document(one, "")) == canonical.dumps(decisions.document(other, ""))
            found["documents"] += 1


quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]
settings(derandomize=True, database=None, deadline=None, max_examples=int(sys.argv[1]), suppress_health_check=quiet)(compare)()
print(json.dumps(found))
