"""What is told of sensitivity: as blocks, as bars, on the page, and hostile text as text."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pages
import pytest

from gpurules.engine import evaluate
from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.html import html
from gpurules.engine.reports.markdown import written
from gpurules.engine.reports.sensitivity_section import SensitivityReader

EXAMPLE = Path(__file__).parents[2] / "examples/7b-full-4x4090.yaml"
HOSTILE = "<script>alert(1)</script>{{ 7 * 7 }}\u202e|*x*"


def side(kind: str, text: str, factor: float, **more: Any) -> Document:
    return {"kind": kind, "text": text, "factor": factor, "distance": abs(factor - 1), **more}


def figure(**more: Any) -> Document:
    verdict = {"status": "recommended", "machines": [{"id": "2xa/pcie/sharded", "name": {"en": "2 × A, PCIe", "zh": "2 × A，PCIe"}}]}
    entry: Document = {
        "figure": "PWR-001:air_limit", "rule": "PWR-001", "version": "1.0.0", "title": {"en": "Hot cards", "zh": "高功耗卡"}, "name": "air_limit",
        "text": "350 W", "kind": "scaled", "since": "2026-01-01", "also": [], "nearest": 0.001,
        "cites": [{"claim": "A39", "says": {"en": "hot", "zh": "热"}, "source": {"en": "a text", "zh": "一文"}, "place": "", "url": ""}],
        "down": side("change", "349.65 W", 0.999, last="350 W", verdict=verdict), "up": side("constant", "1400 W", 4.0),
    }  # fmt: skip
    return {**entry, **more}


def answer(*figures: Document) -> Document:
    return {
        "format": "gpurules-sensitivity/1", "date": "2026-11-30", "rulebook": {"version": "1.0.0", "digest": "sha256:0"},
        "now": {"status": "keep", "machines": [{"id": "stated", "name": {"en": "the stated machine", "zh": "所述机器"}}]},
        "figures": list(figures), "zero": [], "unsettled": [], "unused": 3,
        "constant": [{**figure(nearest=None), "name": "liquid_limit", "down": side("constant", "175 W", 0.25)}],
        "conflicts": [
            {"id": "K01", "between": ["A01", "C03"], "rules": ["MEM-001"], "about": {"en": "memory", "zh": "显存"}, "holds": {"en": "a", "zh": "a"},
             "verdict": {"status": "ask", "machines": []}, "verdict_changes": True, "advice_changes": True},
            {"id": "K02", "between": ["A02"], "rules": [], "about": {"en": "b", "zh": "b"}, "holds": {"en": "b", "zh": "b"}},
        ],
        "evaluations": 1234, "budget_reached": False,
    }  # fmt: skip


@pytest.fixture(scope="module")
def decision() -> Document:
    return evaluate(EXAMPLE).document


@pytest.mark.parametrize(
    ("down", "up", "drawn"),
    [
        (side("constant", "1", 0.25), side("constant", "16", 4.0), "━━━━━━━━━━╋━━━━━━━━━━"),
        (side("change", "2", 0.5), side("open", "5", 4**0.3), "·····┣━━━━╋━━┫·······"),
        (side("constant", "0 %", 0.0), side("change", "4", 1.001), "━━━━━━━━━━╋··········"),
    ],
)
def test_a_bar_is_as_long_as_the_verdict_stays(down: Document, up: Document, drawn: str) -> None:
    assert SensitivityReader.bar(SensitivityReader(answer(), "en"), figure(down=down, up=up), 21) == drawn


def test_both_sides_the_source_and_what_is_not_listed_are_told() -> None:
    text = written([SensitivityReader(answer(figure()), "en").section(), SensitivityReader(answer(figure()), "en").conflicts()])
    for words in ("349.65 W (−0.1 %): recommended: 2 × A, PCIe", "up to 1400 W", "A39: hot (a text)", "since 2026-01-01", "1,234", "--all"):
        assert words in text.replace("\\", ""), words
    assert "The verdict would be another: cannot be judged yet" in text and "1 further conflicts" in text
    chinese = written([SensitivityReader(answer(figure()), "zh").section(0, True)])
    assert "降" in chinese or "升到 1400 W 结论都不变" in chinese
    assert "175 W 至 1400 W" in chinese and "--all" not in chinese


def test_limits_open_ends_and_a_budget_are_told() -> None:
    limited = figure(down=side("limit", "300 W", 0.9, because="conflicting"), up=side("open", "360 W", 1.02), nearest=None)
    found = {**answer(limited), "budget_reached": True}
    text = written([SensitivityReader(found, "en").section()])
    assert "two rules would contradict each other" in text and "beyond that was not settled" in text and "Not everything was settled" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_has_the_picture_its_table_and_the_conflicts(decision: Document, language: str) -> None:
    plain, page = html(decision, language), pages.Page(html(decision, language, answer(figure())))
    assert 'id="sensitivity"' not in plain
    assert page.faults == [] and {"sensitivity", "other_sides"} <= set(page.values("id"))
    assert {"#sensitivity", "#other_sides", "#rule-PWR-001"} <= set(page.values("href"))
    [label] = [v for v in page.values("aria-label") if "air_limit" in v]
    assert "349.65 W" in label and "1400 W" in label
    assert "A39" in page.text


def test_hostile_text_stays_text(decision: Document) -> None:
    def spoiled(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: v + HOSTILE if k in ("en", "zh", "text", "name", "since") and isinstance(v, str) else spoiled(v) for k, v in value.items()}
        return [spoiled(v) for v in value] if isinstance(value, list) else value

    found = spoiled(copy.deepcopy(answer(figure(also=[HOSTILE], row={"number": 1, "keys": {HOSTILE: [HOSTILE]}}))))
    page = html(decision, "en", found)
    assert pages.Page(page).faults == [] and "<script>alert" not in page and "\u202e" not in page and "49" not in page.split("{{ 7 * 7 }}")[1][:4]
    text = written([SensitivityReader(found, "en").section(21, True), SensitivityReader(found, "en").conflicts()])
    assert "<script>" not in text and "*x*" not in text.replace("\\*x\\*", "")
    assert json.loads(json.dumps(found)) == found
