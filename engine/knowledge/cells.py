"""Proofs about conditions by cases: which rules exclude each other, and which leave no case open.

A condition is split into cells: the members of an enumeration, or the stretches of a number between the thresholds that a
group of rules compares it with. What cannot be split so (comparisons of two facts, wide parameters) is left out, which can
only make a region larger for the one proof and not count for the other, so neither proof claims too much.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpurules.engine.language.syntax import All, Any, Arithmetic, Comparison, Membership, Name, Negative, Node, Not, Number, Text, walk
from gpurules.engine.language.typecheck import EnumType, NumberType, Scope
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval, exceeds

MAX_REGIONS, MAX_CELLS = 64, 20_000
Cell = str | int
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Region:
    """A conjunction: the cells each fact may lie in. `exact` is False where a part was left out."""

    cells: Mapping[str, frozenset[Cell]]
    exact: bool


@dataclass(frozen=True, slots=True)
class Premise:
    """The condition of one rule (None: always) with the figures of its parameters, by local name."""

    when: Node | None
    figures: Mapping[str, Interval]


class Cells:
    """The cells that a group of premises needs, over one scope of facts."""

    def __init__(self, premises: Iterable[Premise], scope: Scope) -> None:
        self.scope = scope
        self.thresholds: dict[str, list[float]] = {}
        self.premises = tuple(premises)
        for premise in self.premises:
            if premise.when is not None:
                self._collect(premise.when, premise.figures)
        for values in self.thresholds.values():
            values.sort()
        self.thresholds = {fact: _distinct(values) for fact, values in self.thresholds.items()}

    @cached_property
    def regions(self) -> list[list[Region]]:
        """Of each premise, the regions in which it may hold."""
        return [self._regions(p.when, p.figures, False) if p.when else [Region({}, True)] for p in self.premises]

    def disjoint(self, a: int, b: int) -> bool:
        """Whether premises `a` and `b` can never both hold."""
        return all(_apart(x, y) for x, y in itertools.product(self.regions[a], self.regions[b]))

    def exhaustive(self) -> bool:
        """Whether some premise holds in every case."""
        return self._covered(Region({}, True), range(len(self.premises)))

    def covered(self, one: int, others: Iterable[int]) -> bool:
        """Whether, wherever premise `one` may hold, one of `others` does."""
        chosen = list(others)
        return bool(chosen) and all(self._covered(region, chosen) for region in self.regions[one])

    @property
    def shape(self) -> tuple[object, ...]:
        """Where each comparison lies among the thresholds, and these to the ends of ranges: all of the figures that the proofs hang on."""
        nodes = ((node, p.figures) for p in self.premises if p.when is not None for node in walk(p.when) if isinstance(node, Comparison))
        splits = (self._split(node, figures) for node, figures in nodes)
        places = tuple((split[0], self._place(split[0], split[2])) if split is not None else None for split in splits)
        return places, tuple((fact, self._all(fact)) for fact in sorted(self.thresholds))

    def _covered(self, within: Region, others: Iterable[int]) -> bool:
        exact = [r for index in others for r in self.regions[index] if r.exact]
        if any(not r.cells for r in exact):
            return True
        facts = sorted({fact for region in exact for fact in region.cells})
        spans = [sorted(within.cells.get(f, self._all(f)), key=str) for f in facts]
        if math.prod(map(len, spans)) > MAX_CELLS:
            return False
        worlds = itertools.product(*spans)
        return bool(facts) and all(any(_covers(r, dict(zip(facts, world, strict=True))) for r in exact) for world in worlds)

    def _all(self, fact: str) -> frozenset[Cell]:
        kind = self.scope[fact]
        if isinstance(kind, EnumType):
            return frozenset(kind.members)
        assert isinstance(kind, NumberType)
        points = self.thresholds.get(fact, [])
        cells: set[Cell] = set(range(2 * len(points) + 1))
        if points and not exceeds(points[0], kind.range.low):
            cells.discard(0)
        if points and not exceeds(kind.range.high, points[-1]):
            cells.discard(2 * len(points))
        return frozenset(cells)

    def _collect(self, node: Node, figures: Mapping[str, Interval]) -> None:
        match node:
            case All(parts) | Any(parts):
                for part in parts:
                    self._collect(part, figures)
            case Not(operand):
                self._collect(operand, figures)
            case Comparison():
                split = self._split(node, figures)
                if split is not None:
                    self.thresholds.setdefault(split[0], []).append(split[2])

    def _split(self, node: Comparison, figures: Mapping[str, Interval]) -> tuple[str, str, float] | None:
        """(fact, operator, threshold) of a comparison between one numeric fact and exact figures."""
        for one, other, operator in ((node.left, node.right, node.operator), (node.right, node.left, _FLIPPED[node.operator])):
            if isinstance(one, Name) and one.path not in figures and isinstance(self.scope.get(one.path), NumberType):
                figure = _constant(other, figures)
                if figure is not None and figure.exact:
                    return one.path, operator, figure.low
        return None

    def _regions(self, node: Node, figures: Mapping[str, Interval], negated: bool) -> list[Region]:
        match node:
            case Not(operand):
                return self._regions(operand, figures, not negated)
            case All(parts) | Any(parts) if isinstance(node, All) != negated:
                joined = [Region({}, True)]
                for part in parts:
                    joined = [_meet(x, y) for x in joined for y in self._regions(part, figures, negated)]
                    joined = [r for r in joined if all(r.cells.values())]
                    if len(joined) > MAX_REGIONS:
                        return [Region({}, False)]
                return joined
            case All(parts) | Any(parts):
                either = [r for part in parts for r in self._regions(part, figures, negated)]
                return either if len(either) <= MAX_REGIONS else [Region({}, False)]
        found = self._atom(node, figures, negated)
        return [Region({}, False)] if found is None else [Region({found[0]: found[1]}, True)]

    def _atom(self, node: Node, figures: Mapping[str, Interval], negated: bool) -> tuple[str, frozenset[Cell]] | None:
        match node:
            case Name(path) if isinstance(self.scope.get(path), EnumType):
                return path, frozenset(["no" if negated else "yes"])
            case Membership(Name(path), members, inverted) if isinstance(self.scope.get(path), EnumType):
                return path, self._members(path, members, inverted != negated)
            case Comparison(operator, Name(path), Text(member)) | Comparison(operator, Text(member), Name(path)) if isinstance(self.scope.get(path), EnumType):
                return path, self._members(path, (member,), (operator == "!=") != negated)
            case Comparison():
                split = self._split(node, figures)
                if split is not None:
                    fact, operator, figure = split
                    return fact, self._stretch(fact, _NEGATED[operator] if negated else operator, figure)
        return None

    def _members(self, path: str, members: tuple[str, ...], outside: bool) -> frozenset[Cell]:
        everything, chosen = self._all(path), frozenset[Cell](members)
        return everything - chosen if outside else everything & chosen

    def _place(self, fact: str, figure: float) -> int:
        """The cell that is a threshold."""
        return next(2 * i + 1 for i, p in enumerate(self.thresholds[fact]) if not exceeds(p, figure) and not exceeds(figure, p))

    def _stretch(self, fact: str, operator: str, figure: float) -> frozenset[Cell]:
        """Cells are numbered from below: even ones lie between thresholds, odd ones on them."""
        at = self._place(fact, figure)
        tests = {
            "<": lambda c: c < at,
            "<=": lambda c: c <= at,
            ">": lambda c: c > at,
            ">=": lambda c: c >= at,
            "==": lambda c: c == at,
            "!=": lambda c: c != at,
        }
        return frozenset(c for c in self._all(fact) if tests[operator](c))


def _distinct(values: list[float]) -> list[float]:
    kept: list[float] = []
    for value in values:
        if not kept or exceeds(value, kept[-1]):
            kept.append(value)
    return kept


def _constant(node: Node, figures: Mapping[str, Interval]) -> Interval | None:
    """The value of an expression over parameters and numbers alone."""
    match node:
        case Number(value):
            return Interval(value, value)
        case Name(path):
            return figures.get(path)
        case Negative(operand):
            inner = _constant(operand, figures)
            return None if inner is None else interval.negative(inner)
        case Arithmetic(operator, left, right):
            a, b = _constant(left, figures), _constant(right, figures)
            function = {"+": interval.add, "-": interval.subtract, "*": interval.multiply, "/": interval.divide}[operator]
            return None if a is None or b is None else function(a, b)
    return None


def _meet(a: Region, b: Region) -> Region:
    cells = dict(a.cells)
    for fact, allowed in b.cells.items():
        cells[fact] = cells[fact] & allowed if fact in cells else allowed
    return Region(cells, a.exact and b.exact)


def _apart(a: Region, b: Region) -> bool:
    return any(fact in b.cells and not (cells & b.cells[fact]) for fact, cells in a.cells.items())


def _covers(region: Region, world: Mapping[str, Cell]) -> bool:
    return all(world[fact] in cells for fact, cells in region.cells.items())
