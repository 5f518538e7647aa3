"""Aggregates: what a rule about the workload may say of all machines together, once they were judged.

`any_accepted()`, `min_over(candidate.x)` and `best(candidate.x)` are written like calls and read like facts: each is one name, its
whole text, that has a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import AGGREGATES, Name, Node
from gpurules.engine.language.typecheck import EnumType, NumberType, Type

YES_OR_NO = EnumType(("no", "yes"), boolean=True)


def names(trees: Iterable[Node]) -> tuple[str, ...]:
    """The aggregates that expressions read, each once, in reading order."""
    found = (n.path for tree in trees for n in syntax.walk(tree) if isinstance(n, Name))
    return tuple(dict.fromkeys(path for path in found if is_one(path)))


def is_one(path: str) -> bool:
    return path.endswith(")") and path.partition("(")[0] in AGGREGATES


def split(path: str) -> tuple[str, str]:
    """(function, figure) of an aggregate: ("min_over", "candidate.power"); the figure is "" where it takes none.

    >>> split("min_over(candidate.power)")
    ('min_over', 'candidate.power')
    """
    function, _, rest = path.partition("(")
    return function, rest.removesuffix(")")


def type_of(path: str, figures: Mapping[str, Type]) -> Type | None:
    """What an aggregate is, by the figure of machines that it is taken over; None where there is no such figure."""
    function, figure = split(path)
    if not AGGREGATES[function]:
        return YES_OR_NO
    found = figures.get(figure)
    return found if function == "best" or isinstance(found, NumberType) else None
