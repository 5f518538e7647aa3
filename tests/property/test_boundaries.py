"""Boundaries on random rulebooks: every stretch has one decision at all of its places, and neighbours have two, a step apart."""

from __future__ import annotations

import json
from unittest import mock

import pytest
import worlds
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from test_flips import FACTS, trial

from gpurules.engine.decisions import change
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries import plane, what_if
from gpurules.engine.inquiries.axis import CHANGE, SETTLE, Axis
from gpurules.engine.inquiries.boundary import Decided, Sweep
from gpurules.engine.inquiries.branching import Budget
from gpurules.engine.inquiries.lookup import looks_up
from gpurules.engine.inquiries.plane_report import PlaneReport
from gpurules.engine.knowledge import document
from gpurules.engine.reports.blocks import Words
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError

NUMBERS = ("load.share", "load.count", "load.delta", "load.size", "gpu.count")


ADVICE = [{"advise": {"topic": "memory", "level": "avoid", "action": "add"}}]


def rule(id_, when, then=ADVICE, /, **figures):
    """A rule with its parameters."""
    parameters = {name: {"value": value, "cites": ["T03"], "since": "2025-01-01"} for name, value in figures.items()}
    return {
        "id": id_, "version": "1.0.0", "status": "active", "title": {"en": "a rule", "zh": "a rule"}, "when": when, "parameters": parameters,
        "then": then, "because": {"en": "x", "zh": "x"}, "cites": ["T01"], "cases": [{"name": "none", "fires": "depends"}],
    }  # fmt: skip


def hump(limit):
    """A rule that holds in the middle of a range alone: s * (1 - s) above a limit."""
    return rule("AAA-001", "load.share * (1 - load.share) > limit", limit=limit)


def costs():
    """Two lines that cross, both of the same fact: what renting costs and what owning does; renting is dearer beyond the crossing."""
    rent = rule("AAA-001", "load.flag", [{"derive": {"made.need": "rate * load.count"}}], rate="3 GB")
    own = rule("AAA-002", "load.flag", [{"derive": {"made.peak": "price + power * load.count"}}], price="40 GB", power="1 GB")
    return [rent, own, rule("AAA-003", "made.need > made.peak")]


def swept(engine, content, path, machines=False, budget=10**7):
    made = trial(engine, content)
    definition = engine.rulebook.vocabulary.facts[path]
    sweep = Sweep(made, machines)
    axis = Axis(definition, definition.range, SETTLE, looks_up(path, made.rulebook))
    return sweep, axis, sweep.along(axis, Budget(budget))


def signature(sweep, axis, place):
    """The decision at one place as a person asks for it: from text, by the whole engine. None where the facts contradict each other."""
    facts = sweep.trial.read_again({axis: axis.text(axis.value((place, place)))})
    try:
        return None if facts is None else change.signature(sweep.trial.engine.evaluate(facts, "2026-01-01"))
    except GpurulesError:
        return None


def test_a_hump_has_two_boundaries():
    """s * (1 - s) > 0.2 holds between 0.2764 and 0.7236, and at neither end."""
    engine = Engine(worlds.load(worlds.written([hump("0.2")])))
    _, axis, found = swept(engine, {}, "load.share")
    ends = [(axis.value(s.cell).low, axis.value(s.cell).high, len(s.label.signature[1])) for s in found]
    assert ends == [(0.0, 0.276, 0), (0.277, 0.723, 1), (0.724, 1.0, 0)]


@pytest.mark.parametrize(("low", "high"), [("0", "60 %"), ("10 %", "30 %"), ("0.1 %", "70 %")])
def test_a_range_is_told_to_both_of_its_ends(low, high):
    """Tenths are no floats of two: their ends belong to the range all the same."""
    engine = Engine(worlds.load(worlds.written([hump("0.2")])))
    varied_ = what_if.read(f"load.share={low}..{high}", engine.rulebook)
    definition = engine.rulebook.vocabulary.facts["load.share"]
    assert varied_.axis.value((varied_.axis.cells[0][0], varied_.axis.cells[-1][1])) == varied_.axis.now
    for now in (varied_.axis.now.low, varied_.axis.now.high):
        places = [p for cell in Axis(definition, Interval(now, now), CHANGE).cells for p in range(cell[0], cell[1] + 1)]
        assert len(places) == 1000 and all(float(p) / 1000 != now for p in places)


def test_lines_of_costs_cross_once():
    """3 n > 40 + n from n = 21 on: at 20 both cost the same."""
    engine = Engine(worlds.load(worlds.written(costs())))
    _, axis, found = swept(engine, {"load.flag": "yes"}, "load.count")
    assert [(axis.value(s.cell).low, axis.value(s.cell).high, len(s.label.signature[1])) for s in found] == [(1, 20, 0), (21, 64, 1)]


def test_a_boundary_names_the_requirement_behind_it():
    """Where the verdict changes and no advice does, the requirement that the stated machine no longer meets is told."""
    needs = {**rule("AAA-001", "load.count > least", [{"require": "candidate.count > least"}], least="7"), "for_each": "candidate"}
    engine = Engine(worlds.load(worlds.written([needs])))
    node = document.parse(json.dumps({"workload.task": "lora", "model.size_class": "7B", "gpu.count": "2", "gpu.name": "large"}).encode(), "facts")
    (tree,) = what_if.answer(what_if.Asked(engine, node, "facts", [what_if.read("load.count=1..64", engine.rulebook)], budget=10**6))
    one, other = tree.children
    assert (one.data["to"], other.data["from"]) == ("7", "8")
    told = {(b.data["rule"], b.data["machine"], b.data["before"], b.data["after"]) for b in other.children}
    assert ("AAA-001", "stated", "certain", "") in told
    assert "AAA-001, the stated machine: met → not met" in {b.text["en"] for b in other.children}


@st.composite
def varied(draw):
    """A rulebook with further rules whose answer turns along one fact, now and then twice, and the fact."""
    rules, path = draw(worlds.rulebooks()), draw(st.sampled_from(NUMBERS))
    figures = worlds.NUMBERS[path][1]
    for number in range(draw(st.integers(1, 3))):
        low, high = draw(st.lists(st.sampled_from(figures), min_size=2, max_size=2))
        condition = draw(st.sampled_from((f"{path} > low", f"low < {path} and {path} < high", f"({path} - low) * ({path} - high) > none", f"{path} != low")))
        other = draw(st.sampled_from(("load.kind == 'a'", "load.mode == 'x'", "load.flag", "")))
        made = rule(f"ZZZ-{number + 1:03}", {"all": [condition, other] if other else [condition]}, low=low, high=high, none="0")
        made["parameters"] = {name: p for name, p in made["parameters"].items() if name in condition}
        if "none" not in condition or path != "load.size":
            rules.append(made)
    return rules, path


@settings(max_examples=40, deadline=None)
@given(varied(), worlds.facts(), st.integers(3, 120), st.data())
def test_what_is_told_of_a_range_holds_and_what_is_not_settled_is_a_band(book, content, budget, data):
    """Whole decisions, machines of the catalogue included, with a budget that ends before all is settled."""
    rules, path = book
    with mock.patch.object(worlds, "FACTS", FACTS):
        engine = Engine(worlds.load(worlds.written(rules)))
    content.pop(path, None)
    sweep, axis, found = swept(engine, content, path, machines=True, budget=budget)
    assume(found)
    bands = [s for s in found if s.label is None]
    event(f"{min(len(found), 5)} stretches, {min(len(bands), 3)} bands")
    for stretch in found:
        inside = data.draw(st.integers(*stretch.cell))
        for place in {stretch.cell[0], inside, stretch.cell[1]} if stretch.label is not None else ():
            assert signature(sweep, axis, place) == stretch.label.signature, (stretch, place)
    for one, other in zip(found, found[1:], strict=False):
        assert one.cell[1] + 1 == other.cell[0] and one.label != other.label
    if not bands:
        assert found[0].cell[0] == axis.cells[0][0] and found[-1].cell[1] == axis.cells[-1][1]


@settings(max_examples=40, deadline=None)
@given(varied(), worlds.facts(), st.data())
def test_every_stretch_has_one_decision_and_neighbours_have_two(book, content, data):
    rules, path = book
    with mock.patch.object(worlds, "FACTS", FACTS):
        engine = Engine(worlds.load(worlds.written(rules)))
    content.pop(path, None)
    sweep, axis, found = swept(engine, content, path)
    assume(found)
    assert found[0].cell[0] == axis.cells[0][0] and found[-1].cell[1] == axis.cells[-1][1]
    event(f"{min(len(found), 5)} stretches")
    for stretch in found:
        assert isinstance(stretch.label, Decided)
        inside = data.draw(st.integers(*stretch.cell))
        for place in {stretch.cell[0], inside, stretch.cell[1]}:
            evaluation = sweep.trial.evaluate({axis: axis.value((place, place))})
            if stretch.label.signature is None:
                assert evaluation is None
            elif evaluation is not None:
                assert change.standing_advice(evaluation) == stretch.label.signature[1], (stretch, place)
    for one, other in zip(found, found[1:], strict=False):
        assert one.cell[1] + 1 == other.cell[0] and one.label != other.label


def over(sweep, paths, budget):
    facts = sweep.trial.rulebook.vocabulary.facts
    axes = [Axis(facts[path], facts[path].range, SETTLE, looks_up(path, sweep.trial.rulebook)) for path in paths]
    return plane.over(sweep, *axes, Budget(budget))


def there(sweep, made, across, down):
    """The decision at one place of a plane, as a person asks for it."""
    values = {made.across: made.across.value((across, across)), made.down: made.down.value((down, down))}
    facts = sweep.trial.read_again({axis: axis.text(value) for axis, value in values.items()})
    try:
        return None if facts is None else change.signature(sweep.trial.engine.evaluate(facts, "2026-01-01"))
    except GpurulesError:
        return None


def test_a_value_that_cannot_be_leaves_nothing_decided_though_no_advice_rests_on_it():
    need = rule("AAA-001", "load.flag", [{"derive": {"made.total": "most - each * load.count"}}], most="40 GB", each="1 GB")
    engine = Engine(worlds.load(worlds.written([need])))
    _, axis, found = swept(engine, {"load.flag": "yes"}, "load.count")
    assert [(axis.value(s.cell).high, s.label.signature is None) for s in found] == [(40.0, False), (axis.definition.range.high, True)]


def test_a_plane_of_which_nothing_is_settled_says_so():
    rent = rule("AAA-001", "load.count * load.share > limit", limit="13")
    sweep = Sweep(trial(Engine(worlds.load(worlds.written([rent]))), {}), False)
    told = PlaneReport(over(sweep, ("load.share", "load.count"), 1), sweep, "en").sections()[0].blocks[0]
    assert isinstance(told, Words) and " 0 % of the plane" in told.text


def test_a_plane_has_straight_borders_exactly():
    """Two rules that each hang on one fact divide a plane into quarters, whatever the budget leaves beside."""
    share, count = rule("AAA-001", "load.share > limit", limit="0.3"), rule("AAA-002", "load.count > limit", limit="21")
    sweep = Sweep(trial(Engine(worlds.load(worlds.written([share, count]))), {}), False)
    made = over(sweep, ("load.share", "load.count"), 1000)
    assert made.decided == 1 and len(made.shares) == 4
    assert {(b.axis.path, b.between) for b in made.borders} == {("load.share", (300, 301)), ("load.count", (21, 22))}


def test_a_plane_has_a_crossing_line_as_narrow_as_the_budget_allows():
    """What renting costs and what owning does, over months and over a share of them: the border is a curve, the rest of it a narrow band."""
    rent = rule("AAA-001", "load.flag", [{"derive": {"made.need": "rate * load.count * load.share"}}], rate="3 GB")
    engine = Engine(worlds.load(worlds.written([rent, rule("AAA-003", "made.need > price", price="40 GB")])))
    sweep = Sweep(trial(engine, {"load.flag": "yes"}), False)
    shares = []
    for budget in (100, 1000, 4000):
        made = over(sweep, ("load.share", "load.count"), budget)
        shares.append(made.decided)
        for region in made.regions:
            for across, down in {(region.across[0], region.down[0]), (region.across[1], region.down[1])} if region.label is not None else ():
                dear = 3 * down * across / 1000 > 40 + 1e-9
                assert len(region.label.signature[1]) == dear, region
    assert shares[0] < shares[1] < shares[2] and shares[2] > 0.97


@settings(max_examples=25, deadline=None)
@given(varied(), st.sampled_from(NUMBERS), worlds.facts(), st.integers(30, 300), st.booleans(), st.data())
def test_what_is_told_of_a_plane_holds_inside_its_rectangles(book, second, content, budget, machines, data):
    rules, path = book
    assume(second != path)
    with mock.patch.object(worlds, "FACTS", FACTS):
        engine = Engine(worlds.load(worlds.written(rules)))
    content.pop(path, None)
    content.pop(second, None)
    sweep = Sweep(trial(engine, content), machines)
    made = over(sweep, (path, second), budget)
    wholes = [sum(last - first + 1 for first, last in axis.cells) for axis in (made.across, made.down)]
    assert made.places == wholes[0] * wholes[1]
    for region in data.draw(st.lists(st.sampled_from(made.regions), min_size=1, max_size=4)):
        if region.label is None:
            continue
        across, down = data.draw(st.integers(*region.across)), data.draw(st.integers(*region.down))
        assert made.at(across, down) == region
        found = there(sweep, made, across, down)
        if machines or found is None:
            assert found == region.label.signature, (region, across, down)
        else:
            assert found[1] == region.label.signature[1], (region, across, down)
    for border in made.borders:
        assert border.first != border.second and border.between[1] == border.between[0] + 1
