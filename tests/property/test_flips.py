"""Flips on random rulebooks: each is proved, and none smaller exists, which every point of small worlds is asked for."""

from __future__ import annotations

import itertools
import json
from unittest import mock

import worlds
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.flip import MOST, Searcher
from gpurules.engine.inquiries.goal import MachineGoal, RuleGoal
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge import document
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import NO, YES

COARSE = {"load.share": "0.1", "load.delta": "2.5", "load.size": "1e11", "gpu.count": "1"}
FACTS = [{**f, "step": COARSE.get(f["path"], f.get("step", "1"))} if f["type"] == "number" else f for f in worlds.FACTS]
RULES, AXES, POINTS = 12, 6, 4000


def trial(engine, content):
    node = document.parse(json.dumps(content).encode(), "facts") if content else None
    try:
        made = Trial(engine, node, (), "2026-01-01")
        assert made.base
    except GpurulesError:
        assume(False)
    return made


def goals(engine):
    """All that may be asked: a rule, or whether a machine meets the requirements."""
    requiring = tuple(r.id for r in engine.rulebook.running if any(type(c).__name__ == "Require" for c in r.then))
    found = [RuleGoal(r) for r in engine.rulebook.running]
    found += [MachineGoal(requiring, c) for c in (None, *engine.catalogued[:2])] if requiring else []
    return found


def nearest(searcher, axes):
    """(number of facts, cost) of the nearest point at which the answer is turned, by asking every point; None where there is none."""
    for size in range(1, MOST + 1):
        best = None
        for chosen in itertools.combinations(axes, size):
            if len({a.path for a in chosen}) < size:
                continue
            places = [tuple(a.places()) for a in chosen]
            assume(all(len(p) <= 100 for p in places))
            for cells in itertools.product(*places):
                box = dict(zip(chosen, cells, strict=True))
                cost = branching.cost(box)
                if best is None or cost < best:
                    evaluation = searcher.trial.evaluate({a: a.value(c) for a, c in box.items()})
                    if goal.reached(searcher.goal, searcher.wanted, evaluation):
                        best = cost
        if best is not None:
            return size, best
    return None


def small(axes):
    """Some of the axes, few enough that every point can be asked."""
    axes = [a for a in axes if sum(last - first + 1 for first, last in a.cells) <= 70]
    while axes and _points(axes) > POINTS:
        axes.pop()
    return axes[:AXES]


def _points(axes):
    sizes = [sum(last - first + 1 for first, last in a.cells) for a in axes[:AXES]]
    return sum(a * b * c for a, b, c in itertools.combinations(sizes, 3)) + sum(a * b for a, b in itertools.combinations(sizes, 2)) + sum(sizes)


@settings(max_examples=60, deadline=None)
@given(worlds.rulebooks(), worlds.facts(), st.data())
def test_every_flip_is_proved_and_none_is_smaller(rules, content, data):
    assume(len(rules) <= RULES)
    with mock.patch.object(worlds, "FACTS", FACTS):
        engine = Engine(worlds.load(worlds.written(rules)))
    made = trial(engine, content)
    asked = data.draw(st.sampled_from(goals(engine)))
    wanted = not goal.reached(asked, True, made.base)
    searcher = Searcher(made, asked, wanted, (), (), 10**7)
    axes = small(list(searcher.axes))
    assume(axes)
    search = searcher._search(axes)
    expected = nearest(searcher, axes)
    if search.flip is None:
        assert search.exhausted and expected is None, expected
        event("no flip")
        return
    flip = search.flip
    proof = engine.evaluate(made.read_again({m.axis: m.text for m in flip.moves}), "2026-01-01")
    assert goal.reached(asked, wanted, proof)
    assert expected == (len(flip.moves), flip.distance)
    event(f"{len(flip.moves)} facts, {'settled' if not flip.distance else 'changed'}")


@settings(max_examples=60, deadline=None)
@given(worlds.rulebooks(), worlds.facts(), st.data())
def test_a_cell_says_nothing_that_one_of_its_points_denies(rules, content, data):
    with mock.patch.object(worlds, "FACTS", FACTS):
        engine = Engine(worlds.load(worlds.written(rules)))
    made = trial(engine, content)
    searcher = Searcher(made, data.draw(st.sampled_from(goals(engine))), True, (), (), 10**7)
    assume(searcher.axes)
    axes = data.draw(st.lists(st.sampled_from(searcher.axes), min_size=1, max_size=3, unique_by=lambda a: a.path))
    box = {}
    for axis in axes:
        first, last = data.draw(st.sampled_from(axis.cells))
        one, other = sorted(data.draw(st.tuples(st.integers(first, last), st.integers(first, last))))
        box[axis] = (one, other)
    cell = searcher.cell({a: a.value(c) for a, c in box.items()})
    truth, _ = searcher.decide(box)
    for _ in range(4):
        point = {a: (p, p) for a, (first, last) in box.items() for p in [data.draw(st.integers(first, last))]}
        evaluation = made.evaluate({a: a.value(c) for a, c in point.items()})
        state = goal.IMPOSSIBLE if evaluation is None else goal.state(searcher.goal, evaluation)
        event(f"{len(cell.states)} states")
        assert state in cell.states or state == goal.IMPOSSIBLE, (state, cell, point)
        if truth is NO:
            assert not goal.reached(searcher.goal, True, evaluation)
        if truth is YES and evaluation is not None:
            assert goal.reached(searcher.goal, True, evaluation)
