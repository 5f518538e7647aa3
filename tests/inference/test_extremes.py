"""Facts at the ends of their ranges are facts: what rules derive from them must be a value, not an error."""

from __future__ import annotations

import pytest

import gpurules


@pytest.mark.parametrize(
    "facts",
    [
        {"workload.task": "pretrain", "model.size_class": "405B", "gpu.name": "H100 SXM", "gpu.count": 16384},
        {"workload.task": "pretrain", "model.size_class": "20000B", "gpu.name": "H100 SXM", "gpu.count": 200000, "site.rack_power": "500 W"},
        {"workload.task": "inference", "model.size_class": "0.0001B", "gpu.name": "MI350X", "gpu.count": 1, "inference.weight_bits": "1 bit"},
        {"workload.task": "inference", "memory.rule_of_thumb": "1 byte"},
    ],
)
def test_the_ends_of_ranges(facts: dict[str, object]) -> None:
    assert gpurules.evaluate(facts).status in ("keep", "provisional", "recommended", "none_fits")
