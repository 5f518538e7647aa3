"""Options of the test suite: `--long` adds what takes minutes, `--update-golden` writes expected outputs anew."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run tests marked long, which take minutes")
    parser.addoption("--update-golden", action="store_true", help="write the expected outputs anew instead of comparing with them")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave tests marked long out unless they are asked for."""
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written rather than compared with."""
    return bool(request.config.getoption("--update-golden"))
