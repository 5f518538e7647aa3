"""Truth in three values, after Kleene: no < depends < yes."""

from __future__ import annotations

from enum import IntEnum


class Truth(IntEnum):
    """`NO` and `YES` hold whatever the unknowns turn out to be; `DEPENDS` is settled by narrowing them."""

    NO = 0
    DEPENDS = 1
    YES = 2

    def __str__(self) -> str:
        return self.name.lower()


NO, DEPENDS, YES = Truth.NO, Truth.DEPENDS, Truth.YES


_NEGATIONS = YES, DEPENDS, NO


def negation(truth: Truth) -> Truth:
    return _NEGATIONS[truth]
