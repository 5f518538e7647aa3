"""Sensitivity on random rulebooks: every boundary is where a rulebook with that figure decides otherwise, one step before it does not,
and no figure between changes anything."""

from __future__ import annotations

import copy
import json

import pytest
import worlds
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gpurules.engine.decisions import change
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge import document
from gpurules.engine.sensitivity import search as sensitivity
from gpurules.engine.sensitivity.lever import _scaled as scaled
from gpurules.engine.sensitivity.outlook import CONFLICTING, IMPOSSIBLE
from gpurules.engine.sensitivity.search import CHANGE, CONSTANT, LIMIT, OPEN, Searcher
from gpurules.engine.values import quantity
from gpurules.engine.values.problem import GpurulesError

DATE = "2026-01-01"
LEVERS = 4


def node_of(content):
    return document.parse(json.dumps(content).encode(), "facts") if content else None


def searcher(rules, content):
    engine = Engine(worlds.load(worlds.written(rules)))
    try:
        made = Trial(engine, node_of(content), (), DATE)
        assert made.base
    except GpurulesError:
        assume(False)
    return Searcher(made, 10**9)


def rewritten(rules, lever, text):
    """The rules with the figure of a lever as `text`, in their files."""
    rules = copy.deepcopy(rules)
    for held, name in lever.held:
        [rule] = [r for r in rules if r["id"] == held.id]
        parameter = rule["parameters"][name]
        if lever.row >= 0:
            parameter["rows"][lever.row]["value"] = text
        elif isinstance(parameter["value"], list):
            now = held.parameters[name].on(DATE)
            for item in parameter["value"]:
                if item["since"] == now.since:
                    item["value"] = text
        else:
            parameter["value"] = text
    return rules


def decided(rules, content):
    """The verdict of a rulebook written so; None where it cannot be loaded, IMPOSSIBLE where there is no decision."""
    try:
        engine = Engine(worlds.load(worlds.written(rules)))
    except GpurulesError:
        return None
    try:
        return change.verdict(Trial(engine, node_of(content), (), DATE).base)
    except GpurulesError:
        return IMPOSSIBLE


def written_at(rules, lever, place, content):
    return decided(rewritten(rules, lever, lever.text_at(place)), content)


@settings(max_examples=12, deadline=None)
@given(worlds.rulebooks(), worlds.facts(), st.data())
def test_every_boundary_is_one_of_rulebooks_so_written(rules, content, data):
    found = searcher(rules, content)
    assume(found.levers)
    found.levers = tuple(data.draw(st.lists(st.sampled_from(found.levers), min_size=1, max_size=LEVERS, unique=True)))
    answer = found.answer()
    assert not answer.budget_reached
    event(f"{min(3, len(sensitivity.changing(answer.swings)))} changing of {min(9, len(answer.swings))}")
    for swing in answer.swings:
        lever = swing.lever
        for side, way in ((swing.down, -1), (swing.up, 1)):
            event(side.kind)
            if side.kind == CHANGE:
                assert written_at(rules, lever, side.place, content) in (side.verdict, None) and side.verdict != answer.now
            if side.kind == LIMIT:
                beyond = written_at(rules, lever, side.place + way, content)
                assert beyond is None if side.verdict == CONFLICTING else beyond in (IMPOSSIBLE, None)
            last = side.place - (way if side.kind == CHANGE else 0)
            if last:
                assert written_at(rules, lever, last, content) in (answer.now, None)
                between = data.draw(st.integers(min(way, last), max(way, last)))
                assert written_at(rules, lever, between, content) in (answer.now, None), (lever.key, between)


@settings(max_examples=25, deadline=None)
@given(worlds.rulebooks(), worlds.facts(), st.data())
def test_a_cell_that_is_certified_has_its_verdict_at_every_place(rules, content, data):
    """Whatever cell, not only those that a search comes to; and a single place is always settled, as the whole engine does."""
    found = searcher(rules, content)
    levers = [lever for lever in found.levers if lever.ends != (0, 0)]
    assume(levers)
    lever = data.draw(st.sampled_from(levers))
    mover = found.outlook.mover(lever)
    first, last = sorted(data.draw(st.tuples(*[st.integers(*lever.ends)] * 2)))
    verdict = found.outlook.over(mover, (first, last))
    event("certified" if verdict is not None else "not settled")
    inside = data.draw(st.integers(first, last))
    exact = found.outlook.exactly(mover, inside)
    assert found.outlook.over(mover, (inside, inside)) == exact
    assert exact in (written_at(rules, lever, inside, content), CONFLICTING) or written_at(rules, lever, inside, content) is None
    if verdict is not None:
        assert exact == verdict


def limits(*values, combine="all"):
    """A requirement that a machine's memory lies on one side of a figure for each value."""
    parameters = {f"p{n}": {"value": text, "cites": ["T03"], "since": "2025-01-01"} for n, text in enumerate(values)}
    return {
        "id": "AAA-001", "version": "1.0.0", "status": "active", "title": {"en": "a limit", "zh": "a limit"}, "for_each": "candidate",
        "parameters": parameters, "because": {"en": "x", "zh": "x"}, "cites": ["T01"], "then": [],
        "cases": [{"name": "none", "fires": "yes"}],
    }  # fmt: skip


FACTS = {"workload.task": "lora", "model.size_class": "7B", "gpu.count": 4, "gpu.memory_usable": "24 GB", "load.share": "0.5"}


def test_a_limit_is_found_to_a_thousandth_on_both_sides():
    """The stated machine has 24 GB: with 20 GB required it is kept, up to 24 GB."""
    rule = limits("20 GB")
    rule["then"] = [{"require": "candidate.memory_usable >= p0"}]
    found = searcher([rule], FACTS)
    answer = found.answer()
    assert answer.now == ("keep", "stated")
    [swing] = answer.swings
    assert swing.down.kind == CONSTANT and swing.up.kind == CHANGE
    here, before = (quantity.read(swing.lever.text_at(p)).low for p in (swing.up.place, swing.up.place - 1))
    assert before <= 24e9 < here < 24e9 * 1.0011
    assert swing.nearest == pytest.approx(0.2, abs=0.0013)


def test_a_hump_in_between_is_found():
    """Kept unless a figure lies between 0.3 and 0.7, where s * (1 - s) is above 0.21: neither end of its range shows it."""
    rule = limits("10 %", "0.21")
    rule["then"] = [{"require": "p0 * (1 - p0) <= p1"}]
    try:
        found = searcher([rule], FACTS)
    except GpurulesError:
        pytest.skip("the loader refuses conditions over figures alone")
    [swing] = [s for s in found.answer().swings if s.lever.name == "p0"]
    at = quantity.read(swing.lever.text_at(swing.up.place), share=True).low
    assert swing.up.kind == CHANGE and at == pytest.approx(0.3, abs=0.002)


def test_a_budget_that_ends_is_told_and_claims_nothing_beyond():
    rule = limits("20 GB")
    rule["then"] = [{"require": "candidate.memory_usable >= p0"}]
    made = searcher([rule], FACTS)
    few = Searcher(made.trial, 3)
    answer = few.answer()
    assert answer.budget_reached
    [swing] = answer.swings
    assert OPEN in (swing.down.kind, swing.up.kind)
    for side in (swing.down, swing.up):
        if side.kind == OPEN and side.place:
            assert few.outlook.exactly(few.outlook.mover(swing.lever), side.place) == answer.now


def test_figures_are_written_as_people_write_them():
    from fractions import Fraction

    assert scaled("16..20 byte", Fraction(5, 4)) == "20..25 byte"
    assert scaled("7B parameters", Fraction(1, 2)) == "3.5B parameters"
    assert scaled("1,500,000", Fraction(2)) == "3000000"
    assert scaled("0.1..0.4 GiB", Fraction(1, 4)) == "0.025..0.1 GiB"
