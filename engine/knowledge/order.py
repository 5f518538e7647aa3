"""The order of a rulebook: what must be known before a rule can be judged, and who comes first where several apply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter


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


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one fact is derived: its rules strongest first, and whether some rule holds in every case.

    A `shadowed` rule never decides: wherever it holds, a stronger one does. It is kept to be shown beside the others.
    """

    fact: str
    rules: tuple[str, ...]
    exhaustive: bool
    combine: str
    shadowed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Orders:
    """How each derived fact comes about, and for each running rule the rules that it overrides."""

    derivations: Mapping[str, Derivation]
    overrides: Mapping[str, frozenset[str]]
    overriders: Mapping[str, tuple[str, ...]]

    @cached_property
    def above(self) -> Mapping[str, frozenset[str]]:
        """For each rule those that it overrides, directly or through others. Raises CycleError."""
        return reach(self.overrides)

    @classmethod
    def of(cls, derivations: Mapping[str, Derivation], overrides: Mapping[str, frozenset[str]]) -> Orders:
        overriders: dict[str, list[str]] = {}
        for rule, over in overrides.items():
            for other in sorted(over):
                overriders.setdefault(other, []).append(rule)
        return cls(derivations, overrides, {k: tuple(v) for k, v in overriders.items()})

    def reversed(self, winners: frozenset[str], losers: frozenset[str]) -> Orders:
        """The same orders with every edge from a winner to a loser turned round, as the other side of a conflict has it."""
        overrides = {rule: over - losers if rule in winners else over for rule, over in self.overrides.items()}
        for loser in losers & overrides.keys():
            overrides[loser] |= {w for w in winners if loser in self.overrides.get(w, ())}
        derivations = {}
        for fact, derivation in self.derivations.items():
            derivations[fact] = derivation
            moved = losers.intersection(derivation.rules) if not winners.isdisjoint(derivation.rules) else frozenset[str]()
            if not moved:
                continue
            rest = [r for r in derivation.rules if r not in moved]
            at = min((i for i, r in enumerate(rest) if r in winners), default=0)
            rules = (*rest[:at], *(r for r in derivation.rules if r in moved), *rest[at:])
            derivations[fact] = replace(derivation, rules=rules, shadowed=derivation.shadowed - moved)
        return Orders.of(derivations, self.overrides if any(_returns(overrides, loser) for loser in losers) else overrides)  # a new cycle holds a turned edge


def _returns(edges: Mapping[str, Iterable[str]], start: str) -> bool:
    """Whether some edges lead back to where they start."""
    pending, seen = [start], set[str]()
    while pending:
        for step in edges.get(pending.pop(), ()):
            if step == start:
                return True
            if step not in seen:
                seen.add(step)
                pending.append(step)
    return False
