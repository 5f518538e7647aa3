"""The derivation of a decision as the page shows it: each step of its trees with the values in it, and where every one of them comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.knowledge.rule import LEVELS as ORDER
from gpurules.engine.reports.branch import Branch
from gpurules.engine.reports.derivation_tree import Derivation, names_in
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.reports.phrases import LEVELS, confidence
from gpurules.engine.reports.reader import Reader

_LEAVES = ("stated", "catalogue", "taken", "unknown")
"""Facts that end a derivation: the page tells their sources beside their values, and all that is known of them among its facts."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A value with the name it has in its place, where it comes from, and the anchor of the place that tells more."""

    name: str
    value: str
    source: str
    link: str


@dataclass(frozen=True, slots=True)
class Ground:
    """One step of a derivation. `kind`: finding, rule, condition, fact or text. `anchor`: its own id on the page, "" where it is told
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
        self.derivation = Derivation(decision)
        self.opened: set[str] = set()

    def findings(self) -> tuple[Ground, ...]:
        """A tree for every finding that stands, surely or under assumptions; gravest first."""
        found: dict[str, Document] = {}
        for conclusion in sorted(self.decision["conclusions"], key=_gravity):
            if conclusion["state"] != "depends":
                found.setdefault(conclusion["rule"], conclusion)
        return tuple(self._ground(self.derivation.conclusion(conclusion)) for conclusion in found.values())

    def further_figures(self) -> tuple[Ground, ...]:
        """Derived figures that no finding rests on."""
        return tuple(self._ground(self.derivation.fact(path)) for path in self.derived if f"derived-{path}" not in self.opened)

    def further_rules(self, named: Iterable[str]) -> tuple[Ground, ...]:
        """Rules among those named that no tree before has opened."""
        known = sorted(set(named) & set(self.derivation.rules))
        return tuple(self._ground(self.derivation.rule(rule)) for rule in known if f"rule-{rule}" not in self.opened)

    # ------------------------------------------------------------ steps

    def _ground(self, branch: Branch) -> Ground:
        data = branch.data
        if branch.kind == "conclusion":
            tone = branch.tone
            return Ground("finding", self.said(data["title"]), label=LEVELS[tone].get(self.language), tone=tone, under=self._under(branch.children))
        if branch.kind == "rule":
            return self._rule(branch)
        if branch.kind == "condition" and "expression" in data:
            sides = tuple(self._sides(branch))
            below = [child for child in branch.children if _opens(child)]
            truth = str(data.get("truth_assuming", data["truth"]))
            return Ground("condition", "", data["expression"], truth=truth, shown=sides, under=self._under(below))
        if "fact" in data and "shown" in data:
            return self._fact(branch)
        below = [child for child in branch.children if _opens(child) or "fact" in child.data]
        return Ground("text", branch.text[self.language], under=self._under(below))

    def _under(self, branches: Iterable[Branch]) -> tuple[Ground, ...]:
        return tuple(self._ground(branch) for branch in branches)

    def _rule(self, branch: Branch) -> Ground:
        name, anchor = branch.data["id"], f"rule-{branch.data['id']}"
        if "title" not in branch.data:
            return Ground("rule", "", name)
        title, truth = self.said(branch.data["title"]), str(branch.data["truth_assuming"])
        shown: tuple[Shown, ...] = ()
        if "gives" in branch.data:
            shown = (Shown("", branch.data["gives"][self.language], self.phrase("from_rule", rule=name), anchor),)
        if branch.data.get("again"):
            return Ground("rule", title, name, truth=truth, shown=shown, link=anchor)
        self.opened.add(anchor)
        claims = tuple(child.data["id"] for child in branch.children if child.kind == "claim")
        below = self._under(child for child in branch.children if child.kind != "claim")
        return Ground("rule", title, name, truth=truth, shown=shown, refs=claims, anchor=anchor, under=below)

    def _fact(self, branch: Branch) -> Ground:
        path, (source, link) = branch.data["fact"], self._source(branch)
        title = self.said(branch.data["title"]) if "title" in branch.data else ""
        shown = (Shown("", branch.data["shown"][self.language], source, link),)
        if branch.kind != "derived":
            return Ground("fact", title, path, shown=shown, link=link, under=self._under(c for c in branch.children if _opens(c)))
        if branch.data.get("again"):
            return Ground("fact", title, path, shown=shown, link=link)
        self.opened.add(link)
        return Ground("fact", title, path, shown=shown, anchor=link, under=self._under(branch.children))

    # ------------------------------------------------------------ values and where they come from

    def _sides(self, branch: Branch) -> Iterator[Shown]:
        """The sides of a comparison: a fact, a figure of the rule itself, or what is worked out of several."""
        behind = {str(child.data.get("fact", child.data.get("name"))): child for child in branch.children}
        for side in (branch.data[key] for key in ("left", "right") if key in branch.data):
            text, value = side["text"], self.said(side["shown"])
            read = [name for name in names_in(text) if name in behind]
            if read == [text]:
                yield Shown(text, value, *self._source(behind[text]))
            elif read:
                yield Shown(text, value, self.phrase("from_reckoned", facts=self.join(self._source(behind[name])[0] for name in read)), "")

    def _source(self, branch: Branch) -> tuple[str, str]:
        """Where a fact or a figure of a rule comes from, in a sentence, and the anchor of the place that tells more."""
        data = branch.data
        if branch.kind == "parameter":
            cites = self.phrase("by", cites=", ".join(data["cites"])) if data["cites"] else ""
            return self.phrase("from_parameter", name=data["name"], rule=data["rule"], cites=cites), f"rule-{data['rule']}"
        fact, link = data["fact"], f"fact-{data['fact']}"
        match branch.kind:
            case "derived":
                return self.phrase("from_rules", fact=fact, rules=", ".join(data["rules"]) or self.phrase("unknown")), f"derived-{fact}"
            case "stated":
                place = data.get("place")
                return (self.phrase("from_stated", fact=fact, **place) if place else self.phrase("from_set", fact=fact)), link
            case "catalogue":
                trust, sources = confidence(data["confidence"], self.language), self.join(data.get("sources", ()))
                return self.phrase("from_catalogue", fact=fact, via=data["via"], confidence=trust, sources=sources), link
            case "taken":
                return self.phrase("from_default", fact=fact, via=data.get("via", "")), link
            case "assumption":
                return self.phrase("from_assumed", fact=fact, rule=data["rule"]), link
            case "figure":
                return self.phrase("from_machine", fact=fact), ""
        return self.phrase("from_nothing", fact=fact), ""

    def phrase(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)


def _opens(branch: Branch) -> bool:
    """Whether a branch opens a rule or a derived figure that no other place does, or says something of its own."""
    if branch.kind in _LEAVES or (branch.kind in ("figure", "assumption", "rule", "derived") and branch.data.get("again")):
        return False
    if branch.kind in ("parameter", "claim", "source", "obtain"):
        return False
    return branch.kind != "figure" or any(_opens(child) for child in branch.children)


def _gravity(conclusion: Document) -> tuple[int, str]:
    return (ORDER.index(conclusion["level"]) if conclusion["kind"] == "advise" else -1, conclusion["rule"])
