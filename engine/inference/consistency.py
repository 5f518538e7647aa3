"""Consistency: stated facts held against the contradictions that the rulebook declares, each fault with the places of all facts in it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from typing import Protocol

from gpurules.engine.knowledge.contradiction import Contradiction
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.statement import Value
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.language.compile import Compiler, Function
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import Place, Problem
from gpurules.engine.values.truth import NO, YES


class Given(Protocol):
    """What is asked of a given fact: its value, where it was stated, and the fact that it was looked up by otherwise."""

    @property
    def value(self) -> Value: ...
    @property
    def place(self) -> Place | None: ...
    @property
    def via(self) -> str: ...


def problems(given: Mapping[str, Given], rulebook: Rulebook, about: Container[str] | None = None) -> Iterator[Problem]:
    """A problem for each contradiction that surely holds of `given`, of those that read a fact of `about` if that is given. Facts that
    are not given may have any value."""
    for contradiction in _holding(given, rulebook, about):
        yield _problem(contradiction, {path: given[path] for path in contradiction.facts if path in given}, given, rulebook)


def agree(given: Mapping[str, Given], rulebook: Rulebook, about: Container[str] | None = None) -> bool:
    """Whether there is no such problem."""
    return next(_holding(given, rulebook, about), None) is None


def _holding(given: Mapping[str, Given], rulebook: Rulebook, about: Container[str] | None) -> Iterator[Contradiction]:
    for contradiction in rulebook.contradictions:
        if about is not None and not any(path in about for path in contradiction.facts):
            continue
        if any(path in given and given[path].place is not None for path in contradiction.facts) and _holds(contradiction, given, rulebook):
            yield contradiction


def everywhere(given: Mapping[str, Given], rulebook: Rulebook, varied: Container[str]) -> bool:
    """Whether no contradiction holds at any value that the facts of `varied` may have of those given; open facts besides are so at every one."""
    return not any(_somewhere(c, given, rulebook, varied) for c in rulebook.contradictions if any(path in varied for path in c.facts))


def _somewhere(contradiction: Contradiction, given: Mapping[str, Given], rulebook: Rulebook, varied: Container[str]) -> bool:
    """Whether it may hold at one of the values. It does at none where others, at one of their values, keep it from that at all of them."""
    values, condition = _values(contradiction, given, rulebook), _compiled(contradiction)
    if condition(values) is NO:
        return False
    ends = (
        [v if p in varied or not isinstance(v, Interval) else Interval(v[end], v[end]) for p, v in zip(contradiction.facts, values, strict=True)]
        for end in (0, 1)
    )
    return not any(condition(at_end) is NO for at_end in ends)


def _holds(contradiction: Contradiction, given: Mapping[str, Given], rulebook: Rulebook) -> bool:
    return _compiled(contradiction)(_values(contradiction, given, rulebook)) is YES


def _values(contradiction: Contradiction, given: Mapping[str, Given], rulebook: Rulebook) -> list[Value]:
    facts = rulebook.vocabulary.facts
    return [_widened(given[p].value, contradiction.slack) if p in given else facts[p].whole for p in contradiction.facts]


def _widened(value: Value, slack: float) -> Value:
    if not slack or not isinstance(value, Interval):
        return value
    return Interval(value.low - slack * abs(value.low), value.high + slack * abs(value.high))


@lru_cache(maxsize=256)
def _compiled(contradiction: Contradiction) -> Function:
    """The truth of its condition over a list of the values of its facts, in their order. Without ranges, every sign is possible."""
    compiler = Compiler()
    found = compiler.scope({path: (path, slot) for slot, path in enumerate(contradiction.facts)}, {}).condition(contradiction.when)
    compiler.finish()
    return found.truth


def _problem(contradiction: Contradiction, named: Mapping[str, Given], given: Mapping[str, Given], rulebook: Rulebook) -> Problem:
    """At the fact that was stated last; the message names the others, where each stands, and why they cannot be together."""
    facts = rulebook.vocabulary.facts
    placed = {path: place for path in named if (place := named[path].place) is not None}
    last = max(placed, key=lambda path: placed[path])
    *most, others = [_mention(path, named[path], given, facts[path]) for path in named if path != last] or [""]
    others = f"{', '.join(most)} and {others}" if most else others
    shown = f"{last} {facts[last].show(named[last].value)}"
    message = f"{shown} contradicts {others}: {contradiction.says.en}" if others else f"{shown} cannot be: {contradiction.says.en}"
    return Problem(placed[last], "GR313", message, contradiction.mend.en)


def _mention(path: str, fact: Given, given: Mapping[str, Given], definition: Definition) -> str:
    where = fact.place
    via = given.get(fact.via)
    if where is None and via is not None and via.place is not None:
        return f"{path} {definition.show(fact.value)} (by {fact.via}, {via.place})"
    return f"{path} {definition.show(fact.value)}" + (f" ({where})" if where is not None else "")
