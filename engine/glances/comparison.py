"""A comparison over a cell: the least and the most that its truth is, at places where what else is open stays so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from gpurules.engine.inference.agenda import Run
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Atom, Function
from gpurules.engine.language.syntax import Comparison
from gpurules.engine.values.interval import Interval, exceeds
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

Bounds = tuple[Truth, Truth]
"""The least and the most that a truth is over a cell; both the same where it is one at every place."""
Reach = tuple[float, float]
"""What a number reaches at every place at least: its low end is nowhere above the first, its high end nowhere below the second."""


def tightened(bounds: Bounds, inside: Iterable[Bounds]) -> Bounds:
    """Bounds of a truth, given those of the same with what else is open at one of its values: what is there no is nowhere surely yes,
    and the reverse."""
    low, high = bounds
    for least_there, most_there in inside if low is not high else ():
        if low is high:
            break
        if most_there is NO:
            high = min(high, DEPENDS)
        if least_there is YES:
            low = max(low, DEPENDS)
    return low, high


def bounds(atom: Atom, run: Run, inside: Sequence[Run], varying: Set[str]) -> Bounds:
    """The bounds of a comparison that is open over the cell. `inside` are runs of the same cell with what else is open at one of its values."""
    found = tightened((NO, YES), ((truth, truth) for truth in (Truth(atom.truth(one.values)) for one in inside)))
    if found == (DEPENDS, DEPENDS) or not inside or not isinstance(atom.tree, Comparison) or atom.tree.operator not in ("<", "<=", ">", ">="):
        return found
    names = dict(zip(syntax.names(atom.tree), (name for name, _ in atom.reads), strict=True))
    sides = ((atom.left, atom.tree.left), (atom.right, atom.tree.right))
    (left, right) = (_reach(side, {names[n] for n in syntax.names(tree)}, run, inside, varying) for side, tree in sides if side is not None)
    more, less = (left, right) if atom.tree.operator in (">", "<=") else (right, left)
    low, high = exceeds(more[1], less[0]), exceeds(more[0], less[1])  # may exceed; surely exceeds
    if atom.tree.operator in ("<", ">"):
        return (max(found[0], DEPENDS) if low else found[0]), (found[1] if high else min(found[1], DEPENDS))
    return (found[0] if high else max(found[0], DEPENDS)), (min(found[1], DEPENDS) if low else found[1])


def _reach(side: Function, names: Set[str], run: Run, inside: Sequence[Run], varying: Set[str]) -> Reach:
    if varying.isdisjoint(names):
        here = Interval._make(side(run.values))
        return here.low, here.high
    there = [Interval._make(side(one.values)) for one in inside]
    return min(one.high for one in there), max(one.low for one in there)
