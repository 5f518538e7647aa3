"""What a decision leaves aside: facts that were stated and that no rule reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from gpurules.engine.inference import candidates
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import STATED
from gpurules.engine.knowledge.rule import Assume, Derive, Prefer, Require, Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import Node

_LOOKED_UP = frozenset(["gpu.name", "model.name"])
_STAND_IN = (("model.size_class", "model.parameters"), ("gpu.memory_nominal", "gpu.memory_usable"))


def unread(evaluation: Evaluation) -> tuple[str, ...]:
    """The stated facts that change nothing, since no running rule reads them, in the order of the vocabulary."""
    read = _read(evaluation.program.rulebook)
    return tuple(path for path, fact in evaluation.facts.given.items() if fact.origin == STATED and path not in read)


@lru_cache(maxsize=4)
def _read(rulebook: Rulebook) -> frozenset[str]:
    """The facts that running rules read: themselves, as figures of the stated machine, or by standing in for another."""
    found = set(_LOOKED_UP)
    for rule in rulebook.running:
        found.update(rule.needs)
        for tree in _trees(rule):
            for name in syntax.names(tree):
                found.update((name, *candidates.cause(name)))
    for pair in _STAND_IN:
        if found.intersection(pair):
            found.update(pair)
    return frozenset(found)


def _trees(rule: Rule) -> Iterator[Node]:
    if rule.when is not None:
        yield rule.when
    for conclusion in rule.then:
        match conclusion:
            case Derive() | Assume() if conclusion.expression is not None:
                yield conclusion.expression.tree
            case Require():
                yield conclusion.condition.tree
            case Prefer():
                yield conclusion.figure.tree
    for template in rule.because.values():
        yield from (figure.tree for figure in template.figures)
