"""Public cases: what must come of the facts of each report, as ids, actions and values, never as text."""

from __future__ import annotations

import cases
import pytest


@pytest.mark.parametrize("case", cases.own(), ids=lambda case: str(case["id"]))
def test_case(case: cases.Case) -> None:
    """Each expectation holds, but for those whose file says why they do not; and those fail indeed."""
    asserted = {str(a["expect"]): a for a in cases.own_file(str(case["id"]))["assert"]}
    for number, verdict in enumerate(cases.judge(case, cases.own_file(str(case["id"]))), 1):
        assert bool(verdict.reason) == ("fails" in asserted[str(number)]), f"{verdict.says}: {verdict.reason or 'holds by now; take `fails` out'}"
