"""What each name means inside a rule: facts, its own parameters, and the rows of its tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from gpurules.engine.knowledge.rule import Parameter, Rule
from gpurules.engine.knowledge.vocabulary import Vocabulary
from gpurules.engine.language import aggregate
from gpurules.engine.language.typecheck import NumberType, TableType, Type
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval

ANY = "any"
"""In a table's key: every member."""


def rule_scope(rule: Rule, vocabulary: Vocabulary) -> dict[str, Type]:
    """Every name a rule may use: facts (candidate.* only where it runs for each candidate), what its own expressions say of all
    machines together, and its own parameters."""
    scope = dict(vocabulary.scope)
    found = ((name, aggregate.type_of(name, vocabulary.scope)) for name in aggregate.names(rule.trees))
    scope.update({name: kind for name, kind in found if kind is not None})
    scope.update({name: parameter_type(p, vocabulary) for name, p in rule.parameters.items()})
    return scope


def parameter_type(parameter: Parameter, vocabulary: Vocabulary) -> Type:
    if parameter.rows:
        keys = tuple(tuple(vocabulary.facts[k].members) for k in parameter.keys if k in vocabulary.facts)
        return TableType(keys, NumberType(parameter.dimension, interval.hull(*(r.value for r in parameter.rows))))
    return NumberType(parameter.dimension, interval.hull(*(v.value for v in parameter.values)) if parameter.values else Interval(0.0, 0.0))


def table_rows(parameter: Parameter, vocabulary: Vocabulary) -> Iterable[tuple[tuple[str, ...], int]]:
    """Every combination of members that each row of a table stands for, with the row's number."""
    for number, row in enumerate(parameter.rows):
        members = [tuple(vocabulary.facts[k].members) if part == (ANY,) else part for k, part in zip(parameter.keys, row.key, strict=True)]
        for combination in itertools.product(*members):
            yield combination, number
