"""Flips of several facts, held against every point within three facts: whether there is one, how small, and by which facts."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from unittest import mock

import grids
import worlds
from hypothesis import event, given, note, settings
from hypothesis import strategies as st
from test_flips import goals, trial

from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import goal
from gpurules.engine.inquiries.axis import CHANGE, SETTLE
from gpurules.engine.inquiries.flip import MOST, Searcher
from gpurules.engine.knowledge import document
from gpurules.engine.values.problem import GpurulesError

TOLERANCE = 1e-9


class Points:
    """Every way to state up to three facts anew, evaluated once each as a person would: read from text."""

    def __init__(self, engine, content, base, read):
        self.engine, self.node = engine, document.parse(json.dumps(content).encode(), "facts") if content else None
        self.moves = [m for path in read for m in moves(engine.rulebook.vocabulary.facts[path], base, path)]
        self.found = {}

    def evaluation(self, chosen):
        if chosen not in self.found:
            try:
                facts = reading.read(self.node, self.engine.rulebook, [Setting(path, text) for path, text, *_ in chosen])
                self.found[chosen] = self.engine.evaluate(facts, "2026-01-01")
            except GpurulesError:
                self.found[chosen] = None
        return self.found[chosen]

    def nearest(self, asked, wanted, kinds, fixed, memory):
        """(number of facts, cost, their names) of the smallest set of moves that turns the answer; None where there is none.
        Where no machine is stated, any fact of one states it: `memory` says whether that of its memory is among them."""
        moves_ = [m for m in self.moves if m[2] in kinds and not (m[2] == CHANGE and m[0] in fixed) and (memory or m[0] != "gpu.memory_usable")]
        for size in range(1, MOST + 1):
            best = None
            for chosen in itertools.combinations(moves_, size):
                if len({path for path, *_ in chosen}) == size:
                    key = max(cost for *_, cost in chosen), tuple(sorted(path for path, *_ in chosen))
                    if (best is None or key < best) and goal.reached(asked, wanted, self.evaluation(chosen)):
                        best = key
            if best is not None:
                return size, *best
        return None


def moves(definition, base, path):
    """(path, text, SETTLE or CHANGE, cost) of every value that a fact may have instead of what is known of it."""
    now = base.first.value(path)
    if isinstance(now, frozenset):
        for member in definition.members:
            if member != "other" and member in now and len(now) > 1:
                yield path, member, SETTLE, 0.0
            elif member not in now and definition.movable:
                yield path, member, CHANGE, 1.0
        return
    step, whole = Fraction(repr(definition.step)), definition.range
    for count in range(round(Fraction(whole.low) / step), round(Fraction(whole.high) / step) + 1):
        value = float(count * step)
        if now.low <= value <= now.high:
            if now.low < now.high:
                yield path, repr(value), SETTLE, 0.0
        elif definition.movable:
            old = now.low if value < now.low else now.high
            yield path, repr(value), CHANGE, abs(value - old) / max(abs(old), float(step))


def said(flip):
    return None if flip is None else (len(flip.moves), flip.distance, tuple(m.axis.path for m in flip.moves))


def held(search, expected):
    """A flip that was found is the smallest; that there is none is said only where there is none."""
    found = said(search.flip)
    if found is None:
        assert expected is None or not search.exhausted, (found, expected)
        return
    assert expected is not None, (found, expected)
    assert (found[0], found[2]) == (expected[0], expected[2]) and abs(found[1] - expected[1]) < TOLERANCE, (found, expected)


def written(rules):
    """Rules on a line each, for whoever reads a failure."""
    kept = ("id", "when", "then", "needs", "overrides")
    figures = lambda r: {name: p.get("value", p.get("rows")) for name, p in r.get("parameters", {}).items()}  # noqa: E731
    return "\n".join(json.dumps({**{k: r[k] for k in kept if k in r}, **figures(r)}) for r in rules)


@settings(max_examples=80, deadline=None)
@given(grids.rulebooks(), st.data())
def test_flips_of_several_facts_are_the_smallest(book, data):
    rules, read = book
    with mock.patch.object(worlds, "FACTS", grids.FACTS):
        engine = Engine(worlds.load(worlds.written(rules)))
    content = data.draw(grids.facts(read))
    made = trial(engine, content)
    note(f"{written(rules)}\n{content}")
    points = Points(engine, content, made.base, sorted({*read, "gpu.count", "gpu.name"}))
    asks = goals(engine)
    for _ in range(3):
        asked = data.draw(st.sampled_from(asks))
        wanted = not goal.reached(asked, True, made.base)
        fixed = frozenset(data.draw(st.lists(st.sampled_from(read), max_size=1)))
        for name, kinds in (("settle", (SETTLE,)), ("change", (CHANGE,)), ("both", (SETTLE, CHANGE))):
            searcher = Searcher(made, asked, wanted, fixed, (), 10**7)
            note(f"{name} {[*asked.targets, asked.candidate and asked.candidate.id]} wanted={wanted} fixed={set(fixed)}")
            search = getattr(searcher, name)()
            expected = points.nearest(asked, wanted, kinds, fixed, "gpu.memory_usable" in searcher.cone.facts or made.base.has_candidate)
            assert search.flip is not None or search.exhausted
            held(search, expected)
            event(f"{name}: {expected[0] if expected else 'no'} facts")
            for move in search.flip.moves if search.flip is not None else ():
                now = made.base.first.value(move.axis.path)
                inside = move.value <= now if isinstance(now, frozenset) else now.low <= move.value.low and move.value.high <= now.high
                assert inside == (move.axis.kind == SETTLE) and move.axis.kind in kinds
                assert move.axis.kind == SETTLE or move.axis.path not in fixed
            hurried = getattr(Searcher(made, asked, wanted, fixed, (), data.draw(st.integers(1, 60))), name)()
            held(hurried, expected)
