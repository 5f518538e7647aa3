"""Boundaries on random rulebooks: every stretch has one decision at all of its places, and neighbours have two, a step apart."""

from __future__ import annotations

from unittest import mock

import worlds
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from test_flips import FACTS, trial

from gpurules.engine.decisions import change
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries.axis import SETTLE, Axis
from gpurules.engine.inquiries.boundary import Decided, Sweep
from gpurules.engine.inquiries.branching import Budget

NUMBERS = ("load.share", "load.count", "load.delta", "load.size", "gpu.count")


def hump(limit):
    """A rule that holds in the middle of a range alone: s * (1 - s) above a limit."""
    return {
        "id": "AAA-001", "version": "1.0.0", "status": "active", "title": {"en": "a hump", "zh": "a hump"}, "when": "load.share * (1 - load.share) > limit",
        "parameters": {"limit": {"value": limit, "cites": ["T03"], "since": "2025-01-01"}},
        "then": [{"advise": {"topic": "memory", "level": "avoid", "action": "add"}}], "because": {"en": "x", "zh": "x"}, "cites": ["T01"],
        "cases": [{"name": "none", "fires": "depends"}],
    }  # fmt: skip


def swept(engine, content, path, machines=False):
    made = trial(engine, content)
    definition = engine.rulebook.vocabulary.facts[path]
    sweep = Sweep(made, machines)
    axis = Axis(definition, definition.range, SETTLE, made.reads(path))
    return sweep, axis, sweep.along(axis, Budget(10**7))


def test_a_hump_has_two_boundaries():
    """s * (1 - s) > 0.2 holds between 0.2764 and 0.7236, and at neither end."""
    engine = Engine(worlds.load(worlds.written([hump("0.2")])))
    _, axis, found = swept(engine, {}, "load.share")
    ends = [(axis.value(s.cell).low, axis.value(s.cell).high, len(s.label.signature[1])) for s in found]
    assert ends == [(0.0, 0.276, 0), (0.277, 0.723, 1), (0.724, 1.0, 0)]


@settings(max_examples=40, deadline=None)
@given(worlds.rulebooks(), worlds.facts(), st.sampled_from(NUMBERS), st.data())
def test_every_stretch_has_one_decision_and_neighbours_have_two(rules, content, path, data):
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
