"""A rule's file -> the rule: its texts parsed, its figures read, every fault at its place."""

from __future__ import annotations

import datetime

from gpurules.engine.knowledge import document, template
from gpurules.engine.knowledge.document import Listing, Mapping, Node, Scalar
from gpurules.engine.knowledge.rule import Advise, Ask, Assume, Case, Conclusion, Dated, Derive, Expression, Parameter, Prefer, Require, Row, Rule, Step
from gpurules.engine.knowledge.template import Template
from gpurules.engine.knowledge.vocabulary import Localized
from gpurules.engine.language import syntax
from gpurules.engine.language.syntax import All, Any, Not, SyntaxFault
from gpurules.engine.values import quantity
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import Place, Problem, printable
from gpurules.engine.values.quantity import QuantityError
from gpurules.engine.values.unit import Dimension

UNRANKED = 500
"""Place of a step that names none."""


def read(root: Node) -> tuple[Rule | None, list[Problem]]:
    """The rule of a document that has the structure of the rule schema, and the faults inside its texts."""
    assert isinstance(root, Mapping)
    reader = _Reader()
    rule = reader.rule(root)
    return (None if reader.problems else rule), reader.problems


class _Reader:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.conditions: list[Expression] = []

    def rule(self, root: Mapping) -> Rule:
        plain = document.plain(root)
        assert isinstance(plain, dict)
        when = root.get("when")
        tree = None if when is None else self._condition(when)
        texts = root.get("because")
        assert isinstance(texts, Mapping)
        return Rule(
            id=plain["id"],
            version=plain["version"],
            status=plain["status"],
            title=Localized(plain["title"]["en"], plain["title"]["zh"]),
            when=tree,
            conditions=tuple(self.conditions),
            needs=tuple(plain.get("needs", ())),
            parameters={e.key: self._parameter(e.key, e.value) for e in _entries(root.get("parameters"))},
            then=tuple(c for item in _items(root.get("then")) for c in self._conclusions(item)),
            because={e.key: self._template(e.value) for e in texts.entries},
            confidence=plain.get("confidence", "medium"),
            cites=tuple(plain["cites"]),
            overrides=tuple(plain.get("overrides", ())),
            for_each=plain.get("for_each", ""),
            cases=tuple(self._case(item) for item in _items(root.get("cases"))),
            place=root.place,
            root=root,
        )

    def _expression(self, node: Node) -> Expression | None:
        assert isinstance(node, Scalar)
        try:
            return Expression(syntax.parse(node.text), node)
        except SyntaxFault as fault:
            self.problems.append(Problem(node.at(fault.offset), "GR100", fault.message, fault.mend))
            return None

    def _condition(self, node: Node) -> syntax.Node | None:
        if isinstance(node, Scalar):
            expression = self._expression(node)
            if expression is None:
                return None
            self.conditions.append(expression)
            return expression.tree
        assert isinstance(node, Mapping)
        entry = node.entries[0]
        if entry.key == "not":
            inner = self._condition(entry.value)
            return None if inner is None else Not(inner)
        parts = [self._condition(item) for item in _items(entry.value)]
        trees = tuple(p for p in parts if p is not None)
        if len(trees) == 1:
            return trees[0]
        return All(trees) if entry.key == "all" else Any(trees)

    def _template(self, node: Node) -> Template:
        assert isinstance(node, Scalar)
        try:
            return template.parse(node)
        except SyntaxFault as fault:
            self.problems.append(Problem(node.at(fault.offset), "GR120", fault.message, fault.mend))
            return Template((), node)

    # ------------------------------------------------------------ parameters

    def _parameter(self, name: str, node: Node) -> Parameter:
        plain = document.plain(node)
        assert isinstance(plain, dict) and isinstance(node, Mapping)
        dimensions: list[tuple[Dimension, Place]] = []
        since, cites = self._day(node.get("since")), tuple(plain["cites"])
        values: list[Dated] = []
        value = node.get("value")
        if isinstance(value, Scalar):
            values = [Dated(since, *self._figure(value, dimensions))]
        for item in _items(value):
            assert isinstance(item, Mapping)
            start, figure = item.get("since"), item.get("value")
            assert isinstance(start, Scalar) and isinstance(figure, Scalar)
            values.append(Dated(self._day(start), *self._figure(figure, dimensions)))
        days = [v.since for v in values]
        if len(set(days)) < len(days):
            self.problems.append(Problem(node.place, "GR413", f"two values of '{name}' hold from the same day", "keep one of the two"))
        rows = tuple(self._row(item, cites, dimensions) for item in _items(node.get("rows")))
        for dimension, place in dimensions[1:]:
            if dimension != dimensions[0][0]:
                self.problems.append(Problem(place, "GR105", f"the values of '{name}' have different units", "give every value in one unit"))
        return Parameter(
            name,
            tuple(sorted(values, key=lambda v: v.since)),
            tuple(plain.get("keys", ())),
            rows,
            dimensions[0][0] if dimensions else (),
            cites,
            since,
            node.place,
            str(plain.get("note", "")),
        )

    def _day(self, node: Node | None) -> str:
        if not isinstance(node, Scalar):
            return ""
        try:
            datetime.date.fromisoformat(node.text)
        except ValueError:
            self.problems.append(Problem(node.place, "GR413", f"'{printable(node.text, 40)}' is not a day", "write it as 2026-11-30"))
        return node.text

    def _figure(self, node: Scalar, dimensions: list[tuple[Dimension, Place]]) -> tuple[Interval, str]:
        try:
            found = quantity.read(node.text, share=True)
            if found.low is None or found.high is None:
                raise QuantityError(f"'{node.text}' has an open end", "give both ends: a parameter is a figure with a source")
        except QuantityError as error:
            self.problems.append(Problem(node.place, "GR303", error.message, error.mend))
            return Interval(0.0, 0.0), node.text
        dimensions.append((found.dimension, node.place))
        return Interval(found.low, found.high), node.text

    def _row(self, item: Node, cites: tuple[str, ...], dimensions: list[tuple[Dimension, Place]]) -> Row:
        assert isinstance(item, Mapping)
        value = item.get("value")
        assert isinstance(value, Scalar)
        plain = document.plain(item)
        assert isinstance(plain, dict)
        key = tuple(tuple(k) if isinstance(k, list) else (k,) for k in plain["key"])
        return Row(key, *self._figure(value, dimensions), tuple(plain.get("cites", cites)), item.place)

    # ------------------------------------------------------------ conclusions

    def _conclusions(self, item: Node) -> list[Conclusion]:
        assert isinstance(item, Mapping)
        entry = item.entries[0]
        node, place = entry.value, entry.place
        plain = document.plain(node)
        match entry.key:
            case "derive" | "assume":
                kind = Derive if entry.key == "derive" else Assume
                return [kind(e.key, e.value, self._maybe(e.value), e.place) for e in _entries(node)]
            case "advise":
                assert isinstance(node, Mapping) and isinstance(plain, dict)
                places = {e.key: e.value.place for e in node.entries}
                places |= {f"machine.{e.key}": e.value.place for e in _entries(node.get("machine"))}
                return [Advise(plain["topic"], plain["level"], plain["action"], plain.get("machine", {}), place, places)]
            case "ask":
                return [Ask(n.text, n.place) for n in (_items(node) or [node]) if isinstance(n, Scalar)]
            case "require":
                condition = self._expression(node)
                return [] if condition is None else [Require(condition, place)]
            case "prefer":
                assert isinstance(node, Mapping) and isinstance(plain, dict)
                figure = self._expression(node.get("figure") or node)
                return [] if figure is None else [Prefer(figure, plain["direction"], plain.get("rank", 1), place)]
        settings = node.get("set") if isinstance(node, Mapping) else None
        assert isinstance(plain, dict)
        places = {e.key: e.place for e in _entries(settings)}
        return [Step({e.key: e.value for e in _entries(settings)}, plain.get("rank", UNRANKED), tuple(plain.get("costs", ())), place, places)]

    def _maybe(self, node: Node) -> Expression | None:
        """A value that may be an expression (for a number) or members (for an enumeration); lint decides by the fact."""
        if not isinstance(node, Scalar):
            return None
        try:
            return Expression(syntax.parse(node.text), node)
        except SyntaxFault:
            return None

    def _case(self, item: Node) -> Case:
        assert isinstance(item, Mapping)
        plain = document.plain(item)
        assert isinstance(plain, dict)
        facts, candidate = item.get("facts"), item.get("candidate")
        return Case(
            plain["name"],
            facts if isinstance(facts, Mapping) else None,
            candidate if isinstance(candidate, Mapping) else None,
            plain.get("fires", ""),
            tuple(plain["causes"]) if "causes" in plain else None,
            {e.key: e.value for e in _entries(item.get("derives")) if isinstance(e.value, Scalar)},
            plain.get("accepts", ""),
            item.place,
        )


def _entries(node: Node | None) -> tuple[document.Entry, ...]:
    return node.entries if isinstance(node, Mapping) else ()


def _items(node: Node | None) -> tuple[Node, ...]:
    return node.items if isinstance(node, Listing) else ()
