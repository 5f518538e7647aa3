"""Orders: topological with ties by name, cycles from their smallest name, strongest rules first."""

from __future__ import annotations

import graphlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.knowledge import order


def test_predecessors_come_first_and_ties_go_by_name():
    assert order.sorted_by({"c": ["a"], "b": ["a"], "a": [], "d": []}) == ("a", "b", "c", "d")
    assert order.sorted_by({"a": ["z"]}) == ("z", "a")


def test_a_cycle_is_named_from_its_smallest_name():
    ring = order.cycle({"c": ["a"], "a": ["b"], "b": ["c"], "d": ["a"]})
    assert ring[0] == "a" and sorted(ring) == ["a", "b", "c"]
    assert order.cycle({"a": ["a"]}) == ("a",)
    assert order.cycle({"a": ["b"], "b": []}) == ()
    with pytest.raises(graphlib.CycleError):
        order.sorted_by({"a": ["b"], "b": ["a"]})


def test_reach_follows_edges_to_their_ends():
    assert order.reach({"a": ["b"], "b": ["c"], "c": []}) == {"a": {"b", "c"}, "b": {"c"}, "c": frozenset()}


def test_the_strongest_rule_comes_first():
    above = order.reach({"C": ["A"], "B": ["C"], "A": [], "D": []})
    assert order.chain(["A", "B", "C", "D"], above) == ("B", "C", "A", "D")


@settings(derandomize=True, database=None)
@given(st.permutations("abcdefg"), st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_the_order_does_not_hang_on_how_edges_are_listed(names, pairs):
    edges = {n: [] for n in names}
    for i, j in pairs:
        if i < j:
            edges["abcdefg"[j]].append("abcdefg"[i])
    found = order.sorted_by(edges)
    assert found == order.sorted_by({n: list(reversed(edges[n])) for n in reversed(names)})
    assert all(found.index(before) < found.index(after) for after, list_ in edges.items() for before in list_)
