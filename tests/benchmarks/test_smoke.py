"""Every benchmark runs, in a tiny setting; what it measures is nobody's business here."""

from __future__ import annotations

import importlib
import re

import exact
import measure
import pytest

import gpurules
from gpurules.engine import public


def rows(text: str) -> list[list[str]]:
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ") and not line.startswith("| ---")]


def test_verdicts_and_decisions() -> None:
    evaluate = importlib.import_module("evaluate")
    engine = public.engine(exact.part())
    whole = public.engine(gpurules.load())
    found = [*evaluate.verdicts(engine, 2, 3), *evaluate.decisions(engine, 2), *evaluate.beside_the_whole(engine, whole, 1)]
    assert len(found) == 7
    assert all(row.ratio > 0 and row.ours > 0 for row in found)


def test_facts_of_the_decisions_decide_what_they_say() -> None:
    evaluate = importlib.import_module("evaluate")
    for rules in (gpurules.load(), exact.part()):
        engine = public.engine(rules)
        status = {name: public.evaluate((evaluate.HERE / "facts" / f"{name}.yaml").read_bytes(), engine).status for name in ("kept", "chosen")}
        assert status["kept"] == "keep"
        assert status["chosen"] != "keep"


def test_other_engines_agree() -> None:
    text = importlib.import_module("peers").main(quick=True)
    assert not re.search(r"finds others", text), text
    assert text.count("finds the same ones") == text.count("expresses ")


@pytest.mark.long
def test_command() -> None:
    assert len(importlib.import_module("evaluate").commands(1)) == 2


def test_inquiries() -> None:
    inquiries = importlib.import_module("inquiries")
    engine = public.engine(gpurules.load())
    assert [row.ratio > 0 for row in inquiries.questions(engine, inquiries.QUESTIONS[:2])] == [True, True]
    rows_, grid = inquiries.combinations(engine, {path: values[:2] for path, values in inquiries.LISTS.items()}, 1)
    assert len(rows_) == 2 and len(grid.rows) == 16


def test_record() -> None:
    assert len(rows(importlib.import_module("record").report(210, 420))) == 7


@pytest.mark.long
def test_growth() -> None:
    growth = importlib.import_module("growth")
    text = growth.main(quick=True)
    assert len(rows(text)) == 2 * (1 + 2 + 1)
    assert growth._exponent([(10, 1.0), (100, 10.0), (1000, 100.0)]) == pytest.approx(1.0)


def test_shown_times() -> None:
    assert [measure.shown(s) for s in (2.0, 0.0151, 3e-6, 4e-8)] == ["2 s", "15.1 ms", "3 µs", "40 ns"]
