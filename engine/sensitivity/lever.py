"""A lever: one parameter of the rulebook that may be moved, or one row of a table, and the places that it may be moved to."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from gpurules.engine.inference.scalar import qualified
from gpurules.engine.inquiries.axis import Cell
from gpurules.engine.knowledge.rule import Derive, Parameter, Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import Comparison, Name
from gpurules.engine.values import quantity
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.unit import NUMBER

FACTOR = 4
"""How far a figure may plausibly be off, both ways; a share may be anything from 0 to 1."""
STEP = Fraction(1, 1000)
"""The smallest move, relative to the figure."""
SHARE, WHOLE, SCALED = "share", "whole", "scaled"
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_DIGITS, _FEW = 6, 1000


@dataclass(frozen=True, eq=False)
class Lever:
    """The parameter `name` of `rule`, or of a table its row `row`. `held` are the rules in which the figure moves, with its name
    there: the rule, and those that share the figure with it, since they cut the range of a fact between them.

    A place is a number of steps away from the present value: 0 is where it is. Both ends of an interval move alike.
    """

    rule: Rule
    name: str
    row: int
    held: tuple[tuple[Rule, str], ...]
    now: Interval
    text: str
    whole: bool

    @property
    def parameter(self) -> Parameter:
        return self.rule.parameters[self.name]

    @property
    def cites(self) -> tuple[str, ...]:
        return self.parameter.cites if self.row < 0 else self.parameter.rows[self.row].cites

    @property
    def key(self) -> str:
        """How it is told apart: `COM-001:limit`, of a table `MEM-002:bytes[3]`, counted from 1."""
        return qualified(self.rule.id, self.name) + (f"[{self.row + 1}]" if self.row >= 0 else "")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The figure's names outside of rules."""
        return tuple(qualified(rule.id, name) for rule, name in self.held)

    @cached_property
    def carriers(self) -> tuple[Rule, ...]:
        return tuple({rule.id: rule for rule, _ in self.held}.values())

    @cached_property
    def kind(self) -> str:
        """How it moves: a share from 0 to 1 by steps of itself, a whole number by 1, all else by a factor."""
        if self.whole:
            return WHOLE
        per_cent = self.parameter.dimension == NUMBER and "%" in self.text
        return SHARE if per_cent and self.now.low >= 0 and 0 < self.now.high <= 1 else SCALED

    @cached_property
    def ends(self) -> Cell:
        """The lowest and the highest place; both 0 where it cannot be moved."""
        if self.now.low == self.now.high == 0:
            return 0, 0
        if self.kind == WHOLE:
            count = int(self.now.low)
            return -(count - math.ceil(count / FACTOR)), (FACTOR - 1) * count
        if self.kind == SHARE:
            return -int(1 / STEP), math.ceil((1 / Fraction(repr(self.now.high)) - 1) / STEP)
        last = math.ceil(math.log(FACTOR) / math.log1p(float(STEP)))
        return -last, last

    def text_at(self, place: int) -> str:
        """The figure at a place, as a rule's file has it."""
        if place == 0:
            return self.text
        if self.kind == WHOLE:
            count = int(self.now.low) + place
            return _NUMBER.sub(lambda found: str(count), self.text, count=1)
        return _scaled(self.text, self._factor(place))

    def value(self, cell: Cell, end: int | None = None) -> Interval:
        """All that the figure is from one place to another; or all that its lower `end` (0) is there, or its higher one (1)."""
        first, last = self._at(cell[0]), self._at(cell[1])
        if end is not None:
            return Interval(min(first[end], last[end]), max(first[end], last[end]))
        return Interval(min(first.low, last.low), max(first.high, last.high))

    def distance(self, place: int) -> float:
        """How far a place is off: |difference| / max(|present value|, step), of the end that moves farther."""
        found = self._at(place)
        step = 1.0 if self.kind == WHOLE else 0.0
        moves = [(abs(new - old), max(abs(old), step)) for old, new in zip(self.now, found, strict=True)]
        return max((move / old for move, old in moves if old), default=0.0)

    def _factor(self, place: int) -> Fraction:
        if self.kind == SHARE:
            most = 1 / Fraction(repr(self.now.high))
            return min(max(1 + place * STEP, Fraction(0)), most)
        exact = Fraction(math.exp(place * math.log1p(float(STEP))))
        return min(max(exact, Fraction(1, FACTOR)), Fraction(FACTOR))

    def _at(self, place: int) -> Interval:
        if place == 0:
            return self.now
        found = quantity.read(self.text_at(place), share=True)
        assert found.low is not None and found.high is not None
        return Interval(found.low, found.high)

    def rules(self, found: Mapping[str, Rule], text: str, value: Interval, date: str) -> Mapping[str, Rule]:
        """The carriers, as they are `found` already, with the figure at `value`."""
        found = dict(found)
        for rule, name in self.held:
            rule = found.get(rule.id, rule)
            found[rule.id] = replace(rule, parameters={**rule.parameters, name: self._moved(rule.parameters[name], text, value, date)})
        return found

    def _moved(self, parameter: Parameter, text: str, value: Interval, date: str) -> Parameter:
        if self.row >= 0:
            rows = [replace(row, value=value, text=text) if number == self.row else row for number, row in enumerate(parameter.rows)]
            return replace(parameter, rows=tuple(rows))
        current = parameter.on(date)
        return replace(parameter, values=tuple(replace(v, value=value, text=text) if v is current else v for v in parameter.values))


def levers(rulebook: Rulebook, rules: Iterable[str], date: str) -> Iterator[Lever]:
    """The parameters of rules, each row of their tables alone. A figure that rules which derive one fact have in common, by name and
    value, in their conditions, is one lever, that of the first."""
    told: set[tuple[str, str]] = set()
    for rule_id in rules:
        rule = rulebook.rules[rule_id]
        for name, parameter in rule.parameters.items():
            if (rule_id, name) in told:
                continue
            held = ((rule, name), *_sharing(rulebook, rule, name, date))
            told |= {(other.id, own) for other, own in held}
            whole = all(_counts(rulebook, other, own) for other, own in held)
            for number, (now, text) in _figures(parameter, date):
                few = now.exact and 1 <= now.low <= _FEW and re.match(rf"{now.low:g}(?![\d.,eE])", text) is not None
                yield Lever(rule, name, number, held, now, text, whole and few)


def _figures(parameter: Parameter, date: str) -> Iterator[tuple[int, tuple[Interval, str]]]:
    if parameter.rows:
        for number, row in enumerate(parameter.rows):
            yield number, (row.value, row.text)
    else:
        current = parameter.on(date)
        yield -1, (current.value, current.text)


def _sharing(rulebook: Rulebook, rule: Rule, name: str, date: str) -> Iterator[tuple[Rule, str]]:
    """The figures of other rules that derive a fact together with `rule`, by which they cut the range of the same fact there."""
    parameter, against = rule.parameters[name], _compared(rule, name)
    if parameter.rows or not against:
        return
    facts = {c.fact for c in rule.then if isinstance(c, Derive)}
    for other in sorted({r for fact in facts for r in rulebook.derivations[fact].rules} - {rule.id}):
        twin = rulebook.rules[other]
        for own, held in twin.parameters.items():
            if not held.rows and held.on(date).value == parameter.on(date).value and against & _compared(twin, own):
                yield twin, own


def _compared(rule: Rule, name: str) -> frozenset[tuple[syntax.Node, ...]]:
    """What a rule's condition compares a parameter with."""
    nodes = () if rule.when is None else syntax.walk(rule.when)
    pairs = ((node.left, node.right) for node in nodes if isinstance(node, Comparison))
    sides = ((mine, other) for one, two in pairs for mine, other in ((one, two), (two, one)) if name in syntax.names(mine))
    return frozenset((other,) if mine == Name(name) else (mine, other) for mine, other in sides)


def conditioned(rule: Rule, name: str) -> bool:
    """Whether a rule's condition reads a parameter."""
    return rule.when is not None and name in syntax.names(rule.when)


def _counts(rulebook: Rulebook, rule: Rule, name: str) -> bool:
    """Whether a figure is a count: it is compared with whole numbers, and nothing else is made of it."""
    facts, compared, read = rulebook.vocabulary.facts, 0, 0
    for tree in rule.trees:
        if not _told(rule, tree):
            read += sum(node == Name(name) for node in syntax.walk(tree))
        for node in syntax.walk(tree):
            if isinstance(node, Comparison) and Name(name) in (node.left, node.right):
                other = node.right if node.left == Name(name) else node.left
                if not isinstance(other, Name) or other.path not in facts or not facts[other.path].integer:
                    return False
                compared += 1
    return 0 < compared == read


def _told(rule: Rule, tree: syntax.Node) -> bool:
    """Whether an expression only stands in the text of a rule."""
    return any(tree is figure.tree for template in rule.because.values() for figure in template.figures)


def _scaled(text: str, factor: Fraction) -> str:
    """A figure's text with each of its numbers multiplied, to six digits."""

    def times(found: re.Match[str]) -> str:
        number = float(Fraction(found.group().replace(",", "")) * factor)
        return _plain(number)

    return _NUMBER.sub(times, text)


def _plain(number: float) -> str:
    if number == 0:
        return "0"
    digits = max(0, _DIGITS - 1 - math.floor(math.log10(abs(number))))
    text = f"{number:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else str(int(float(f"{number:.{_DIGITS}g}")))
