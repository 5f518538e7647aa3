"""Rules as data: one file, one rule, read into frozen objects that keep the place of everything they say."""

from __future__ import annotations

from collections.abc import Mapping as MappingABC
from dataclasses import dataclass

from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Mapping, Node, Scalar
from gpurules.engine.knowledge.template import Template
from gpurules.engine.knowledge.vocabulary import Localized
from gpurules.engine.language import syntax
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import Place
from gpurules.engine.values.unit import Dimension

LEVELS = ("stop", "avoid", "caution", "recommend", "note")
"""Levels of advice, gravest first."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression and the scalar it was written in."""

    tree: syntax.Node
    source: Scalar


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table parameter: the members that each key may have, its value, who said so."""

    key: tuple[tuple[str, ...], ...]
    value: Interval
    text: str
    cites: tuple[str, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Dated:
    """A parameter's value from a day on; `since` "" means always."""

    since: str
    value: Interval
    text: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A named figure of a rule: a value, dated values (oldest first), or a table with keys and rows. `note` tells how it
    follows from its claims, where these do not hold it as it is."""

    name: str
    values: tuple[Dated, ...]
    keys: tuple[str, ...]
    rows: tuple[Row, ...]
    dimension: Dimension
    cites: tuple[str, ...]
    since: str
    place: Place
    note: str = ""

    def on(self, date: str) -> Dated:
        """The value in force on a day (ISO date); the oldest one before all of them."""
        return next((v for v in reversed(self.values) if v.since <= date), self.values[0])


@dataclass(frozen=True, slots=True)
class Derive:
    """Gives a derived fact: a number by expression, an enumeration by members as written."""

    fact: str
    node: Node
    expression: Expression | None
    place: Place


@dataclass(frozen=True, slots=True)
class Assume:
    """Gives a fact a value while nobody stated it; as for Derive."""

    fact: str
    node: Node
    expression: Expression | None
    place: Place


@dataclass(frozen=True, slots=True)
class Advise:
    topic: str
    level: str
    action: str
    machine: MappingABC[str, object]
    place: Place
    places: MappingABC[str, Place]


@dataclass(frozen=True, slots=True)
class Ask:
    fact: str
    place: Place


@dataclass(frozen=True, slots=True)
class Require:
    condition: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Prefer:
    figure: Expression
    direction: str
    rank: int
    place: Place


@dataclass(frozen=True, slots=True)
class Step:
    """A change of settings, tried in the order of `rank`, lowest first; `costs` says what it is paid with."""

    settings: MappingABC[str, Node]
    rank: int
    costs: tuple[str, ...]
    place: Place
    places: MappingABC[str, Place]


Conclusion = Derive | Assume | Advise | Ask | Require | Prefer | Step


@dataclass(frozen=True, slots=True)
class Case:
    """Facts and the outcome this rule must have on them."""

    name: str
    facts: Mapping | None
    candidate: Mapping | None
    fires: str
    causes: tuple[str, ...] | None
    derives: MappingABC[str, Scalar]
    accepts: str
    place: Place


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as written. `when` is None for "always"; `conditions` are its expressions with their places."""

    id: str
    version: str
    status: str
    title: Localized
    when: syntax.Node | None
    conditions: tuple[Expression, ...]
    needs: tuple[str, ...]
    parameters: MappingABC[str, Parameter]
    then: tuple[Conclusion, ...]
    because: MappingABC[str, Template]
    confidence: str
    cites: tuple[str, ...]
    overrides: tuple[str, ...]
    for_each: str
    cases: tuple[Case, ...]
    place: Place
    root: Mapping

    @property
    def running(self) -> bool:
        return self.status in ("active", "deprecated")

    @property
    def trees(self) -> tuple[syntax.Node, ...]:
        """Every expression of the rule: its condition, what its conclusions say, the figures of its texts."""
        found = [] if self.when is None else [self.when]
        for conclusion in self.then:
            match conclusion:
                case Derive(expression=Expression(tree=tree)) | Assume(expression=Expression(tree=tree)):
                    found.append(tree)
                case Require(condition=Expression(tree=tree)) | Prefer(figure=Expression(tree=tree)):
                    found.append(tree)
        return (*found, *(figure.tree for template in self.because.values() for figure in template.figures))

    def where(self, *path: str | int) -> Place:
        """The place of a value inside the rule's file."""
        return document.located(self.root, path)
