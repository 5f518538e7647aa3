"""Values and texts of rules as people read them, in both languages."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache, reduce

from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.knowledge.rule import Rule
from gpurules.engine.knowledge.scope import rule_scope
from gpurules.engine.knowledge.template import Figure, Template
from gpurules.engine.knowledge.vocabulary import Vocabulary, in_chinese, spaced
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Table, Value
from gpurules.engine.language.syntax import Name, Node
from gpurules.engine.language.typecheck import NumberType, check
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import LINE, Interval
from gpurules.engine.values.truth import NO, Truth
from gpurules.engine.values.unit import NUMBER, Dimension, Unit

LANGUAGES = ("en", "zh")
UNKNOWN = {"en": "unknown", "zh": "未知"}
TELLING = 1000
"""A range whose ends are further apart than this factor tells nothing by its lower end."""
_UNITS = ("byte", "byte/s", "W", "s", "FLOP/s", "FLOP", "USD", "USD/h", "CNY")


def encoded(value: Value) -> dict[str, object]:
    """A value as JSON: ends in base units (None where there is no bound, since JSON has no infinity), or members."""
    if isinstance(value, Interval):
        low, high = (None if math.isinf(end) else end for end in value)
        return {"low": low, "high": high}
    return {"members": sorted(value)}


def open_ended(run: Run, path: str) -> tuple[str, ...]:
    """The numeric facts that nobody stated and that a derived value stretches over: they, not knowledge, set its ends."""
    facts = run.program.rulebook.vocabulary.facts
    causes = run.value_causes(path) if path in run.derived else ()
    return tuple(c for c in causes if c in facts and facts[c].number and run.value(c) == facts[c].whole)


def _given(run: Run, path: str) -> tuple[str, ...]:
    """The stated facts behind an unsettled value, those of candidate 0 by their own names."""
    facts = run.program.rulebook.vocabulary.facts
    names = (c for cause in run.value_causes(path) for c in candidates.cause(cause))
    return tuple(dict.fromkeys(n for n in names if n in facts and wide(run.value(n)) and _applies(run, n)))[:4]


def _applies(run: Run, path: str) -> bool:
    condition = run.program.applies.get(path)
    return condition is None or Truth(condition.truth(run.values)) is not NO


def derived(run: Run, path: str, value: Value, brief: bool = False) -> dict[str, str]:
    """A derived value: as it is; where unstated facts set its ends, as a bound, or as unknown with what it needs.

    `brief` leaves out what a bound needs, and puts what an unknown value needs in brackets, for use inside a sentence.
    """
    definition = run.program.rulebook.vocabulary.facts[path]
    needs = open_ended(run, path)
    wholly = value == definition.whole
    if not needs and not wholly and extent(value, definition.range if definition.number else LINE) != "unknown":
        return fact(run.program.rulebook.vocabulary, path, value)
    named = ", ".join(needs or _given(run, path))
    bounded = isinstance(value, Interval) and not wholly and value.low > 0 and value.high < TELLING * value.low
    if isinstance(value, Interval) and bounded:
        least = {language: f"≥ {definition.show(Interval(value.low, value.low), language)}" for language in LANGUAGES}
        return least if brief or not named else {"en": f"{least['en']}; the rest needs {named}", "zh": f"{least['zh']}；其余需要 {named}"}
    if not named:
        return dict(UNKNOWN)
    if brief:
        return {"en": f"unknown (needs {named})", "zh": f"未知（需要 {named}）"}
    return {"en": f"unknown: needs {named}", "zh": f"未知：需要 {named}"}


def told(run: Run, path: str, value: Interval) -> bool:
    """Whether a derived number says anything: it is neither the whole range nor one whose ends tell nothing."""
    definition = run.program.rulebook.vocabulary.facts[path]
    if value == definition.whole or extent(value, definition.range) == "unknown":
        return False
    return not open_ended(run, path) or 0 < value.high < TELLING * value.low


def extent(value: Value, bounds: Interval) -> str:
    """What two ends that are further apart than TELLING say: "most", the upper one, where it is no bound of the fact itself, or
    nothing, "unknown". "" for any other value."""
    if not isinstance(value, Interval) or value.low <= 0 or value.high <= TELLING * value.low:
        return ""
    return "most" if value.high < bounds.high else "unknown"


def fact(vocabulary: Vocabulary, path: str, value: Value) -> dict[str, str]:
    """A fact's value in both languages. A derived one with ends further apart than TELLING is told by its upper end, or as unknown."""
    definition = vocabulary.facts[path]
    told = extent(value, definition.range) if definition.number and definition.kind == "derived" else ""
    if told == "unknown":
        return dict(UNKNOWN)
    if told == "most" and isinstance(value, Interval):
        return {language: f"≤ {definition.show(Interval(value.high, value.high), language)}" for language in LANGUAGES}
    return {language: definition.show(value, language) for language in LANGUAGES}


def side(tree: Node, value: Value, rule: Rule, run: Run, language: str) -> str:
    """One side of a condition: a fact in its unit, a parameter as written, anything else in the unit of its dimension."""
    vocabulary = run.program.rulebook.vocabulary
    if isinstance(tree, Name) and tree.path in run.derived:
        return derived(run, tree.path, value, brief=True)[language]
    if isinstance(tree, Name) and tree.path in vocabulary.facts:
        return vocabulary.facts[tree.path].show(value, language)
    if isinstance(tree, Name) and tree.path in rule.parameters and not isinstance(value, Table):
        written = next((v.text for v in rule.parameters[tree.path].values if v.value == value), "")
        if written:
            return parameter(written, language)
    if not isinstance(value, Interval):
        return " | ".join(sorted(value)) if isinstance(value, frozenset) else syntax.show(tree)
    found = check(tree, rule_scope(rule, vocabulary), NumberType)[0]
    shown_in = _unit(found.dimension if isinstance(found, NumberType) else NUMBER)
    told = extent(value, LINE)
    if told == "unknown":
        return UNKNOWN[language]
    shown = f"≤ {quantity.show(Interval(value.high, value.high), shown_in)}" if told else quantity.show(value, shown_in)
    return in_chinese(shown) if language == "zh" else shown


def parameter(text: str, language: str) -> str:
    """A parameter as its rule writes it, in the words of a report: `16..20 byte` as `16–20 bytes`, in Chinese `16–20 字节`."""
    text = re.sub(r"(?<=[KMBT]) ?parameters?$", "", text)
    text = re.sub(r"\s*\.\.\s*", quantity.TO if text.startswith("-") else "–", text)
    text = re.sub(r"(?<![\d.,])\d{4,}(?![\d.])", lambda found: f"{int(found.group()):,}", text)
    if language == "zh":
        return in_chinese(text)
    return text if text.startswith("1 ") else re.sub(r" (byte|bit|token|sequence|sample|year|month)$", r" \1s", text)


@cache
def _unit(dimension: Dimension) -> Unit:
    for text in _UNITS:
        found = unit.parse(text)
        if found is not None and found.dimension == dimension:
            return found
    return Unit("1", Fraction(1), NUMBER)


def text(template: Template, rule: Rule, run: Run, language: str) -> str:
    """A rule's text with its figures filled in from one run."""
    pieces = [piece if isinstance(piece, str) else _figure(piece, rule, run, language) for piece in template.pieces]
    return reduce(spaced, pieces, "") if language == "zh" else "".join(pieces)


def _figure(figure: Figure, rule: Rule, run: Run, language: str) -> str:
    value = run.program.procedures[rule.id].figures[figure](run.values)
    if isinstance(value, Interval):
        if "low" in figure.formats:
            value = Interval(value.low, value.low)
        if "high" in figure.formats:
            value = Interval(value.high, value.high)
        if "percent" in figure.formats:
            return quantity.show(value, Unit("1", Fraction(1), NUMBER), share=True)
    return side(figure.tree, value, rule, run, language)
