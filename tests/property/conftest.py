"""Examples are the same on every run; `--long` draws twenty times as many."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings

QUICK = 60


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "versions: installs other Pythons' environments; runs with --long or GPURULES_VERSIONS=1")
    examples = QUICK * (20 if config.getoption("--long") else 1)
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example]
    once = {"derandomize": True, "database": None, "deadline": None, "suppress_health_check": quiet, "phases": [Phase.generate]}
    settings.register_profile("fixed", max_examples=examples, **once)
    settings.load_profile("fixed")
