"""The grounds of a decision as trees: a finding rests on a rule, its conditions on facts, and facts on rules or on what was stated."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.knowledge.rule import LEVELS as ORDER
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.reports.phrases import LEVELS
from gpurules.engine.reports.reader import Reader

_NAME = re.compile(r"[a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)*")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Shown:
    """A value with the name it has in its place, where it comes from, and the anchor of the place that tells more."""

    name: str
    value: str
    source: str
    link: str


@dataclass(frozen=True, slots=True)
class Ground:
    """One step of a derivation. `kind`: finding, rule, condition or fact. `anchor`: its own id on the page, "" where it is told
    elsewhere, which `link` then names. `truth`: yes, no, depends or "". `refs`: rules and claims."""

    kind: str
    text: str
    name: str = ""
    label: str = ""
    tone: str = ""
    truth: str = ""
    shown: tuple[Shown, ...] = ()
    refs: tuple[str, ...] = ()
    anchor: str = ""
    link: str = ""
    under: tuple[Ground, ...] = ()


class GroundsReader(Reader):
    """Reads what findings and figures rest on. Each rule and each derived figure is opened once, where it first occurs."""

    def __init__(self, decision: Document, language: str) -> None:
        super().__init__(decision, language)
        self.rules = {rule["id"]: rule for rule in decision["rules"]}
        self.given = {fact["path"]: fact for fact in decision["facts"]}
        self.assumed = {fact["fact"]: fact for fact in decision["assumptions"]}
        self.figures: Document = self.candidate["figures"] if self.candidate is not None else {}
        self.opened: set[str] = set()

    def findings(self) -> tuple[Ground, ...]:
        """A tree for every finding that stands, surely or under assumptions; gravest first."""
        found: dict[str, Document] = {}
        for conclusion in sorted(self.decision["conclusions"], key=_gravity):
            if conclusion["state"] != "depends":
                found.setdefault(conclusion["rule"], conclusion)
        return tuple(self._finding(conclusion) for conclusion in found.values())

    def further_figures(self) -> tuple[Ground, ...]:
        """Derived figures that no finding rests on."""
        return tuple(self._fact(path) for path in self.derived if f"derived-{path}" not in self.opened)

    def further_rules(self, named: Iterable[str]) -> tuple[Ground, ...]:
        """Rules among those named that no tree before has opened."""
        return tuple(self._rule(rule) for rule in sorted(set(named) & set(self.rules)) if f"rule-{rule}" not in self.opened)

    # ------------------------------------------------------------ steps

    def _finding(self, conclusion: Document) -> Ground:
        level = conclusion["level"] if conclusion["kind"] == "advise" else "require"
        label = LEVELS[level].get(self.language)
        rule = self._rule(conclusion["rule"])
        causes = tuple(self._fact(path) for path in conclusion["causes"] if "." in path) if conclusion["kind"] == "require" else ()
        return Ground("finding", self.said(conclusion["title"]), label=label, tone=level, under=(Ground("text", self.said(conclusion["text"])), rule, *causes))

    def _rule(self, rule_id: str, aside: bool = False) -> Ground:
        rule, anchor = self.rules.get(rule_id), f"rule-{rule_id}"
        label = self.phrase("set_aside") if aside else ""
        if rule is None:
            return Ground("rule", "", rule_id, label)
        title, truth = self.said(rule["title"]), str(rule["truth_assuming"])
        if anchor in self.opened:
            return Ground("rule", title, rule_id, label, truth=truth, link=anchor)
        self.opened.add(anchor)
        conditions = tuple(self._condition(rule, atom) for atom in rule["conditions"])
        read = [name for atom in rule["conditions"] for name in self.names_in(atom["text"])] + [need["fact"] for need in rule["needs"]]
        sides = {shown.name for condition in conditions for shown in condition.shown}
        facts = tuple(self._fact(path) for path in dict.fromkeys(read) if path in self.derived or path not in sides)
        always = (Ground("condition", self.phrase("no_conditions")),) if not conditions else ()
        return Ground("rule", title, rule_id, label, truth=truth, refs=tuple(rule["cites"]), anchor=anchor, under=(*always, *conditions, *facts))

    def _condition(self, rule: Document, atom: Document) -> Ground:
        sides = [self._side(rule, atom[side]) for side in ("left", "right") if side in atom and _NAME.search(atom[side]["text"])]
        return Ground("condition", "", atom["text"], truth=str(atom.get("truth_assuming", atom["truth"])), shown=tuple(sides))

    def _side(self, rule: Document, side: Document) -> Shown:
        """One side of a comparison: a fact, a figure of the rule itself, or what is worked out from facts."""
        text, value = side["text"], self.said(side["shown"])
        names = self.names_in(text)
        if names == [text]:
            return Shown(text, value, *self.origin(text))
        anchor = f"rule-{rule['id']}"
        if names:
            return Shown(text, value, self.phrase("from_reckoned", facts=self.join(self.origin(name)[0] for name in names)), anchor)
        cites = self.phrase("by", cites=", ".join(rule["cites"])) if rule["cites"] else ""
        return Shown(text, value, self.phrase("from_parameter", name=text, rule=rule["id"], cites=cites), anchor)

    def _fact(self, path: str) -> Ground:
        source, link = self.origin(path)
        entry = self.derived.get(path)
        title, value = self._told(path)
        shown = (Shown("", value, source, link),)
        if entry is None:
            return Ground("fact", title, path, shown=shown, link=link)
        anchor = f"derived-{path}"
        if anchor in self.opened:
            return Ground("fact", title, path, shown=shown, link=anchor)
        self.opened.add(anchor)
        current = self.current(path)
        rules = [self._rule(rule) for rule in dict.fromkeys(a["rule"] for a in current["alternatives"])]
        aside = [self._rule(rule, aside=True) for rule in dict.fromkeys(a["rule"] for a in current.get("set_aside", ()))]
        return Ground("fact", title, path, shown=shown, anchor=anchor, under=(*rules, *aside))

    # ------------------------------------------------------------ facts

    def names_in(self, text: str) -> list[str]:
        """The facts that an expression reads, each once; words in quotes are members and no facts."""
        return list(dict.fromkeys(name for name in _NAME.findall(_QUOTED.sub("", text)) if "." in name))

    def _told(self, path: str) -> tuple[str, str]:
        """A fact's title and value."""
        if path in self.derived:
            return self.said(self.derived[path]["title"]), self.said(self.current(path)["shown"])
        if path in self.given:
            return self.said(self.given[path]["title"]), self.said(self.given[path]["shown"])
        entry = self.assumed.get(path) or self.figures.get(path)
        return "", self.said(entry["shown"]) if entry is not None else self.phrase("unknown")

    def origin(self, path: str) -> tuple[str, str]:
        """Where a fact's value comes from, in a sentence, and the anchor that tells more."""
        if path in self.derived:
            rules = ", ".join(dict.fromkeys(a["rule"] for a in self.current(path)["alternatives"]))
            return self.phrase("from_rules", fact=path, rules=rules or self.phrase("unknown")), f"derived-{path}"
        fact, link = self.given.get(path), f"fact-{path}"
        if fact is not None:
            if fact["origin"] == "stated":
                place = fact.get("place")
                return (self.phrase("from_stated", fact=path, **place) if place else self.phrase("from_set", fact=path)), link
            if fact.get("confidence"):
                sources = self.join(fact.get("sources", ()))
                return self.phrase("from_catalogue", fact=path, via=fact["via"], confidence=fact["confidence"], sources=sources), link
            return self.phrase("from_default", fact=path, via=fact.get("via", "")), link
        if path in self.assumed:
            return self.phrase("from_assumed", fact=path, rule=self.assumed[path]["rule"]), link
        return self.phrase("from_machine" if path in self.figures else "from_nothing", fact=path), ""

    def phrase(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)


def _gravity(conclusion: Document) -> tuple[int, str]:
    return (ORDER.index(conclusion["level"]) if conclusion["kind"] == "advise" else -1, conclusion["rule"])
