"""The order of a rulebook: what must be known before a rule can be judged, and who comes first where several apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

Edges = Mapping[str, frozenset[str]]
"""For each key, the keys that must come before it (or that it overrides)."""


def sorted_by(edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """A topological order, predecessors first, ties by name. Raises CycleError."""
    sorter = TopologicalSorter({key: set(before) for key, before in edges.items()})
    sorter.prepare()
    done: list[str] = []
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()])
        done.append(ready[0])
        sorter.done(ready.pop(0))
    return tuple(done)


def cycle(edges: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """One cycle of `edges`, starting at its smallest name; empty where there is none."""
    try:
        sorted_by(edges)
    except CycleError as error:
        ring = list(error.args[1][:-1])
        start = ring.index(min(ring))
        return (*ring[start:], *ring[:start])
    return ()


def reach(edges: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Everything that each key comes to by following edges (acyclic)."""
    found: dict[str, frozenset[str]] = {}
    for key in sorted_by(edges):
        steps = list(edges.get(key, ()))
        found[key] = frozenset(steps).union(*(found.get(s, frozenset()) for s in steps))
    return found


def chain(rules: Iterable[str], overrides: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Rules that derive one fact, strongest first: those that override before those overridden, ties by id."""
    chosen = sorted(rules)
    above = {rule: {other for other in chosen if rule in overrides.get(other, ())} for rule in chosen}
    return sorted_by(above)
