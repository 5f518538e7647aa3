"""What a decision leaves aside: facts that were stated and that no rule reads, or that mean nothing here; and where facts stand."""

from __future__ import annotations

from math import isfinite

from gpurules.engine.inference.agenda import Alternative, Run
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import STATED
from gpurules.engine.knowledge.rule import Derive, Rule
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import Arithmetic
from gpurules.engine.values.interval import LINE, Interval
from gpurules.engine.values.problem import Place
from gpurules.engine.values.truth import NO


def unread(evaluation: Evaluation) -> tuple[str, ...]:
    """The stated facts that change nothing, since no running rule reads them, in the order of the vocabulary."""
    read = evaluation.engine.read
    return tuple(path for path, fact in evaluation.facts.given.items() if fact.origin == STATED and path not in read)


def not_applicable(evaluation: Evaluation) -> tuple[tuple[str, str], ...]:
    """The stated facts that mean nothing here, each with the condition under which it would, in the order of the vocabulary.
    One that says no more than that (a size of 1, none, no) is passed over."""
    facts, run = evaluation.program.rulebook.vocabulary.facts, evaluation.first
    found = []
    for path, fact in evaluation.facts.given.items():
        condition = evaluation.program.applies.get(path)
        if fact.origin == STATED and condition is not None and condition.truth(run.values) is NO and not _nothing(facts[path], fact.value):
            found.append((path, syntax.show(condition.tree)))
    return tuple(found)


def _nothing(definition: Definition, value: object) -> bool:
    if isinstance(value, Interval):
        return value.high <= max(definition.range.low, 0.0)
    return value in (frozenset(["none"]), frozenset(["no"]))


def undefined(run: Run, fact: str, alternative: Alternative) -> bool:
    """Whether what a rule gives is without meaning: the whole line, or without a bound because something in it is divided by exactly 0."""
    value, procedure = alternative.value, run.program.procedures[alternative.rule]
    if not isinstance(value, Interval) or isfinite(value.low) and isfinite(value.high):
        return False
    given = (c.expression for c in procedure.rule.then if isinstance(c, Derive) and c.fact == fact)
    divisors = [n.right for e in given if e is not None for n in syntax.walk(e.tree) if isinstance(n, Arithmetic) and n.operator == "/"]
    return value == LINE or any(procedure.scope.late(divisor)(run.values) == (0, 0) for divisor in divisors)


def places(evaluation: Evaluation, rule: Rule) -> tuple[tuple[str, str, Place], ...]:
    """Where the facts of a rule's condition were stated: (fact, what it was looked up by or "", place), in the order of the condition."""
    given = evaluation.facts.given
    found = []
    for name in dict.fromkeys((*(syntax.names(rule.when) if rule.when is not None else ()), *rule.needs)):
        fact = given.get(name)
        source = given.get(fact.via) if fact is not None and fact.place is None else fact
        if fact is not None and source is not None and source.place is not None and source.place.line:
            found.append((name, fact.via if source is not fact else "", source.place))
    return tuple(found)
