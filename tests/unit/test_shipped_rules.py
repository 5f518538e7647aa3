"""Every rule that ships is complete: both languages, citations, and cases for each outcome that it can have."""

from __future__ import annotations

import pytest

import gpurules
from gpurules.engine.knowledge.rule import Rule

RULEBOOK = gpurules.load()
SETTLED_BY_NEEDS = {"TIE-001", "SRV-013", "PWR-040"}
"""Rules whose one condition is the yes/no fact that they need: once it is known, nothing is left to depend on."""


@pytest.mark.parametrize("rule", RULEBOOK.running, ids=lambda r: r.id)
def test_complete(rule: Rule) -> None:
    assert rule.title.en.strip() and rule.title.zh.strip() and rule.title.en != rule.title.zh
    for language in ("en", "zh"):
        assert rule.because[language].pieces
    assert any("\u4e00" <= c <= "\u9fff" for p in rule.because["zh"].pieces if isinstance(p, str) for c in p), "the Chinese text is Chinese"
    assert rule.cites
    outcomes = {case.fires for case in rule.cases}
    assert "yes" in outcomes
    if rule.when is not None or rule.needs:
        assert "no" in outcomes
    if rule.when is not None and rule.id not in SETTLED_BY_NEEDS:
        assert "depends" in outcomes
    for parameter in rule.parameters.values():
        assert parameter.cites and (parameter.since or all(v.since for v in parameter.values))
