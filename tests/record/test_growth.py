"""A long record is as quick as a short one; the benchmark that says so runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import record as growth  # benchmarks/record.py


def test_the_benchmark_runs(tmp_path: Path) -> None:
    found = growth.measure(str(tmp_path / "record.sqlite"), 210, 420)
    assert len(found) == 6 and all(one > 0 and two > 0 for one, two in found.values())


@pytest.mark.long
def test_a_hundred_thousand_entries_against_a_thousand(tmp_path: Path) -> None:
    """Times vary with whatever else the machine does; what grew with the record would be a hundred times as slow."""
    found = growth.measure(str(tmp_path / "record.sqlite"), 1_000, 100_000)
    for name, (one, two) in found.items():
        print(f"{name}: {one * 1e3:.3f} ms, {two * 1e3:.3f} ms, ratio {two / one:.2f}")
        assert two / one < 4, name
