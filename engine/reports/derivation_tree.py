"""The derivation of a decision as a tree: conclusion, rule, conditions with both sides, derived facts, stated facts, claims, documents.

Whatever shows how a decision came about is made of these trees: explanations as text, Markdown and JSON, and the page of a report.
They read the decision document alone. With the rulebook that decided they tell more: parameters with source and date, how a
condition is put together, and what a rule's text shows beside its conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gpurules.engine.decisions import wording
from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference import candidates
from gpurules.engine.knowledge.rule import Require, Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.template import Template
from gpurules.engine.language import syntax
from gpurules.engine.reports.branch import Branch, Said, both
from gpurules.engine.reports.derivation_phrases import phrase, said
from gpurules.engine.reports.phrases import LEVELS, confidence

DEEPEST = 60
"""Levels of a tree; what lies deeper is left out and counted."""


class Derivation:
    """Builds trees from one decision. A rule or derived fact is laid out once, and named where it comes again; with a `depth`, wherever
    more of it can be shown than before.

    `file` is the name under which the facts file is told; `rulebook` is given where it is the one that decided. `card` is the
    entry of the catalogue that the machine's figures are of, "" for the stated machine. `deciding` are comparisons to be marked.
    """

    def __init__(
        self, decision: Document, rulebook: Rulebook | None = None, file: str = "", depth: int = DEEPEST, card: str = "", deciding: Iterable[str] = ()
    ) -> None:
        self.decision, self.rulebook, self.file, self.depth = decision, rulebook, file, min(depth, DEEPEST)
        self.card, self.deciding = card, frozenset(deciding)
        self.rules: dict[str, Document] = {r["id"]: r for r in decision["rules"]}
        self.derived: dict[str, Document] = {d["fact"]: d for d in decision["derived"]}
        self.given: dict[str, Document] = {f["path"]: f for f in decision["facts"]}
        self.assumed: dict[str, Document] = {a["fact"]: a for a in decision["assumptions"]}
        self.figures: dict[str, Document] = decision["candidates"][0]["figures"] if decision["candidates"] else {}
        self.wanted: dict[str, Document] = {q["fact"]: q for q in decision.get("measure_next", ())}
        self.shown: dict[tuple[str, str], int] = {}

    # ------------------------------------------------------------ conclusions and rules

    def conclusion(self, entry: Document, level: int = 0) -> Branch:
        """One conclusion of the decision, with the rule behind it."""
        if entry["kind"] == "advise":
            action, topic = entry["action_title"], entry["topic_title"]
            level_ = {la: LEVELS[entry["level"]].get(la) for la in ("en", "zh")}
            text = said("advice", level=level_, action=action, topic=topic)
            tone, data = entry["level"], {key: entry[key] for key in ("topic", "level", "action")}
        else:
            text, tone, data = said("requirement_fails"), "require", {}
        state = said("state_" + entry["state"], facts=", ".join(entry["assuming"] if "assuming" in entry else entry["needs"]))
        text = {la: f"{text[la]} — {state[la]}" for la in text}
        because = self.because(entry["rule"], entry["text"])
        waived = (Branch("waived", said("waived", **entry["waived"]), dict(entry["waived"]), (), "caution"),) if "waived" in entry else ()
        below = (because, *waived, self.rule(entry["rule"], level + 1, requires=entry["kind"] == "require"), *self._causes(entry, level + 1))
        return Branch("conclusion", text, {"rule": entry["rule"], "title": entry["title"], "state": entry["state"], **data}, below, tone)

    def _causes(self, entry: Document, level: int) -> Iterator[Branch]:
        """The facts by which a requirement fails, where neither decision nor rulebook tells what it requires."""
        told = self.rulebook is not None or "requires" in self.rules.get(entry["rule"], ())
        if entry["kind"] == "require" and not told:
            yield from (self.fact(path, level) for path in entry["causes"] if "." in path)

    def because(self, id_: str, text: Said) -> Branch:
        """A rule's text as it was filled in, and what it works out beside the values that stand in the tree."""
        rule = self._rule_of(id_)
        values = {la: self._worked_out(rule.because[la], text[la]) for la in ("en", "zh")} if rule is not None else {}
        below = []
        for written in dict.fromkeys(w for found in values.values() for w in found):
            shown = {la: f"{written} = {found[written]}" for la, found in values.items() if written in found}
            below.append(Branch("worked_out", {la: shown.get(la, next(iter(shown.values()))) for la in ("en", "zh")}, {"expression": written}, (), "quiet"))
        return Branch("because", text, {}, tuple(below), "quiet")

    @staticmethod
    def _worked_out(template: Template, text: str) -> Mapping[str, str]:
        """The figures of a text that are no plain fact or parameter, as written, and what stands for each."""
        found = zip(template.figures, template.read(text) or (), strict=False)
        return {" | ".join((syntax.show(f.tree), *f.formats)): value for f, value in found if f.formats or not isinstance(f.tree, syntax.Name)}

    def rule(self, id_: str, level: int = 0, requires: bool = True, value: Said | None = None) -> Branch:
        """A rule with its truth, its conditions, what overrides it, and its claims. `value` is what it gives a derived fact."""
        entry = self.rules.get(id_)
        if entry is None:
            return Branch("rule", both(id_), {"id": id_}, (), "quiet")
        truth = entry["truth"] if entry["truth"] == entry["truth_assuming"] else f"{entry['truth']} → {entry['truth_assuming']}"
        data: dict[str, Any] = {"id": id_, "version": entry["version"], "truth": entry["truth"], "truth_assuming": entry["truth_assuming"]}
        data |= {"title": entry["title"], **({"gives": value} if value else {})}
        told = {la: phrase("truth", la, truth=_truth(truth, la)) for la in ("en", "zh")}
        told = said("then", first=value, second=told) if value else told
        text = {la: phrase("told", la, what=f"{id_} {entry['version']} {entry['title'][la]}", said=told[la]) for la in told}
        return self._once("rule", id_, text, data, level, lambda: self._below_rule(entry, level + 1, requires))

    def _below_rule(self, entry: Document, level: int, requires: bool) -> Iterator[Branch]:
        rule = self._rule_of(entry["id"])
        for need in entry["needs"]:
            known = {la: phrase("needs_known" if need["known"] else "needs_unknown", la, fact=need["fact"]) for la in ("en", "zh")}
            yield Branch("needs", known, {"fact": need["fact"], "known": need["known"]}, (self.fact(need["fact"], level + 1),))
        if rule is not None and rule.when is not None:
            yield from self._structure(rule.when, {atom["text"]: atom for atom in entry["conditions"]}, rule, level)
        else:
            for atom in entry["conditions"]:
                yield self.condition(atom, entry["id"], level)
        if not entry["conditions"]:
            yield Branch("condition", said("always"), {}, (), "quiet")
        read = {name for atom in entry["conditions"] for side in ("left", "right") if side in atom for name in names_in(atom[side]["text"])}
        if rule is not None:
            for requirement in (c for c in rule.then if isinstance(c, Require) and requires):
                names = syntax.names(requirement.condition.tree)
                written = syntax.show(requirement.condition.tree)
                atoms = {atom["text"]: atom for required in entry.get("requires", ()) for atom in required["conditions"]}
                below = tuple(self._structure(requirement.condition.tree, atoms, rule, level + 1) if atoms else self._named(names, rule.id, level + 1))
                yield Branch("requirement", said("requires", condition=written), {"expression": written}, below)
            told = dict.fromkeys(n for t in rule.because.values() for f in t.figures for n in syntax.names(f.tree) if n not in read)
            if told:
                yield Branch("figures", said("figures"), {}, tuple(self._named(told, rule.id, level + 1)), "quiet")
        elif requires:
            for required in entry.get("requires", ()):
                below = tuple(self.condition(atom, entry["id"], level + 1) for atom in required["conditions"])
                yield Branch("requirement", said("requires", condition=required["text"]), {"expression": required["text"]}, below)
        for other in entry.get("overridden_by", ()):
            yield Branch("overridden_by", said("overridden"), {"rule": other}, (self.rule(other, level + 1),))
        for claim in entry["cites"]:
            yield self.claim(claim)

    def _structure(self, tree: syntax.Node, atoms: Mapping[str, Document], rule: Rule, level: int) -> Iterator[Branch]:
        """A condition as it is put together; what is joined by "and" at the top stands side by side."""
        if isinstance(tree, syntax.All):
            for part in syntax.children(tree):
                yield from self._structure(part, atoms, rule, level)
        elif syntax.connective(tree):
            kind = "any" if isinstance(tree, syntax.Any) else "negation"
            below = tuple(
                Branch("all", _joint("all"), {}, parts) if isinstance(part, syntax.All) else parts[0]
                for part in syntax.children(tree)
                if (parts := tuple(self._structure(part, atoms, rule, level + 1)))
            )
            yield Branch(kind, _joint(kind), {}, below)
        elif syntax.show(tree) in atoms:
            yield self.condition(atoms[syntax.show(tree)], rule.id, level)

    def condition(self, atom: Document, rule: str, level: int) -> Branch:
        """One comparison: as written, the values on its sides, its truth, and where these come from."""
        values = {la: _compared(atom, la) for la in ("en", "zh")}
        truth = atom["truth"] if "truth_assuming" not in atom else f"{atom['truth']} → {atom['truth_assuming']}"
        mark = {la: phrase("decides", la) if atom["text"] in self.deciding else "" for la in values}
        text = {la: phrase("beside", la, what=atom["text"], values=values[la]) if values[la] else atom["text"] for la in values}
        text = {la: phrase("told", la, what=text[la], said=f"{_truth(truth, la)}{mark[la]}") for la in text}
        names = [name for side in ("left", "right") if side in atom for name in names_in(atom[side]["text"])]
        data: dict[str, Any] = {key: atom[key] for key in ("truth", "truth_assuming", "left", "right") if key in atom}
        shown = {atom[side]["text"]: atom[side] for side in ("left", "right") if side in atom}
        return Branch("condition", text, {"expression": atom["text"], **data}, tuple(self._named(dict.fromkeys(names), rule, level + 1, shown)))

    def _named(self, names: Iterable[str], rule: str, level: int, shown: Mapping[str, Document] | None = None) -> Iterator[Branch]:
        for name in names:
            if "." in name:
                yield self.fact(name, level)
            else:
                yield self.parameter(name, rule, (shown or {}).get(name))

    def parameter(self, name: str, of: str, side: Document | None) -> Branch:
        """A figure of a rule: its value, from when it holds, who says so; from the decision alone its value."""
        rule = self._rule_of(of)
        if rule is None or name not in rule.parameters:
            value = side["shown"] if side is not None else both("")
            cites = self.rules[of]["cites"] if of in self.rules else []
            return Branch("parameter", {la: f"{name} = {value[la]}" if value[la] else name for la in ("en", "zh")}, {"name": name, "rule": of, "cites": cites})
        parameter = rule.parameters[name]
        data: dict[str, Any] = {"name": name, "rule": of, "cites": list(parameter.cites)}
        claims = tuple(self.claim(c) for c in parameter.cites)
        if parameter.rows:
            text = {la: phrase("table", la, name=name, keys=", ".join(parameter.keys), since=parameter.since) for la in ("en", "zh")}
            rows = tuple(Branch("row", both(f"{' × '.join('|'.join(k) for k in row.key)}: {row.text}"), {}, ()) for row in parameter.rows)
            return Branch("parameter", text, data | {"since": parameter.since}, (*rows, *claims))
        dated = parameter.on(self.decision["date"])
        since = dated.since or parameter.since
        text = {la: phrase("parameter", la, name=name, value=wording.parameter(dated.text, la), since=since) for la in ("en", "zh")}
        note = (Branch("note", both(parameter.note), {}, (), "quiet"),) if parameter.note else ()
        return Branch("parameter", text, data | {"value": dated.text, "since": since}, (*note, *claims))

    # ------------------------------------------------------------ facts

    def fact(self, path: str, level: int = 0) -> Branch:
        """A fact: derived, a figure of the stated machine, stated, looked up, assumed, or unknown."""
        if path in self.derived:
            return self._derived(path, level)
        if path in self.given and path not in self.assumed:
            return self._given(self.given[path], level)
        if path in self.assumed:
            entry = self.assumed[path]
            text = {la: phrase("assumed", la, fact=path, value=entry["shown"][la]) for la in ("en", "zh")}
            data = {"fact": path, "value": entry["value"], "shown": entry["shown"], "rule": entry["rule"]}
            return self._once("assumption", path, text, data, level, lambda: iter([self.rule(entry["rule"], level + 1)]))
        if path in self.figures:
            entry = self.figures[path]
            if self.card:
                return self._catalogued(path, entry)
            text = {la: f"{path} = {entry['shown'][la]}" for la in ("en", "zh")}
            behind = [p for p in candidates.cause(path) if p != path]
            return self._once("figure", path, text, _shown(path, entry), level, lambda: (self.fact(p, level + 1) for p in behind))
        text = {la: phrase("unknown", la, fact=path) for la in ("en", "zh")}
        how = self._obtaining(path)
        return Branch("unknown", text, {"fact": path}, (Branch("obtain", how, {}, (), "quiet"),) if how else (), "caution")

    def _obtaining(self, path: str) -> Said | None:
        """How a fact is obtained, where that is known."""
        question = self.wanted.get(path)
        if question is not None:
            return {la: question["command"] or question["obtain"][la] for la in ("en", "zh")} if question["command"] or question["obtain"]["en"] else None
        definition = self.rulebook.vocabulary.facts.get(path) if self.rulebook is not None else None
        if definition is None or not (definition.command or definition.obtain):
            return None
        return {la: definition.command or (definition.obtain.get(la) if definition.obtain else "") for la in ("en", "zh")}

    def _catalogued(self, path: str, entry: Document) -> Branch:
        """A figure of a machine of the catalogue: the entry's value with its sources, or what the machine is put together of."""
        text = {la: f"{path} = {entry['shown'][la]}" for la in ("en", "zh")}
        found = None
        if self.rulebook is not None:
            card, key = self.rulebook.catalogs["card"], candidates.STATED.get(path, "")
            found = card.entries[self.card].values.get(key) or self.rulebook.prices.cards.get(self.card, {}).get(key)
        if found is None or self.rulebook is None:
            return Branch("figure", text, _shown(path, entry))
        via, trust = card.entries[self.card].name, {la: confidence(found.confidence, la) for la in text}
        text = said("catalogue", fact=path, value=entry["shown"], via=via, confidence=trust)
        where = [self.rulebook.prices.sources.get(s) or str(card.sources.get(s, {}).get("where", s)) for s in found.sources]
        sources = tuple(Branch("source", both(w), {}, (), "quiet") for w in where)
        return Branch("catalogue", text, _shown(path, entry) | {"confidence": found.confidence}, sources)

    def _given(self, entry: Document, level: int) -> Branch:
        data: dict[str, Any] = {key: entry[key] for key in ("title", "value", "shown", "origin", "place", "confidence", "via", "sources") if key in entry}
        if entry["origin"] == "stated":
            where = f"{self.file or 'facts'}:{entry['place']['line']}:{entry['place']['column']}" if "place" in entry else ""
            word = "stated" if where else "set"
            text = {la: phrase(word, la, fact=entry["path"], value=entry["shown"][la], text=entry["text"], where=where) for la in ("en", "zh")}
            return Branch("stated", text, {"fact": entry["path"], **data})
        via, kind = entry.get("via", ""), "catalogue" if entry.get("confidence") else "taken"
        trust = {la: confidence(entry.get("confidence", ""), la) for la in ("en", "zh")}
        text = said(kind, fact=entry["path"], value=entry["shown"], via=via, confidence=trust)
        sources = tuple(Branch("source", both(source), {}, (), "quiet") for source in entry.get("sources", ()))
        below = (*((self.fact(via, level + 1),) if via in self.given else ()), *sources)
        return Branch(kind, text, {"fact": entry["path"], **data}, below)

    def _derived(self, path: str, level: int) -> Branch:
        entry = self.derived[path]
        current = entry.get("assuming", entry)
        text = {la: f"{path} = {current['shown'][la]}" for la in ("en", "zh")}
        if "assuming" in entry:
            text = {la: phrase("with_assumptions", la, text=text[la], before=entry["shown"][la]) for la in text}
        rules = list(dict.fromkeys(a["rule"] for a in current["alternatives"]))
        data = {**_shown(path, current), "title": entry["title"], "rules": rules}
        return self._once("derived", path, text, data, level, lambda: self._below_derived(path, current, level + 1))

    def _below_derived(self, path: str, current: Document, level: int) -> Iterator[Branch]:
        if "computed" in current and path in self.given:
            yield self._given(self.given[path], level)
        for alternative in current["alternatives"]:
            if "expression" in alternative:
                written, names = alternative["expression"], names_in(alternative["expression"])
                below = tuple(self._named(names, alternative["rule"], level + 1))
                yield Branch("expression", both(f"{path} ← {written}"), {"expression": written, "rule": alternative["rule"]}, below)
            yield self.rule(alternative["rule"], level, requires=False, value=alternative["shown"])
        for aside in current.get("set_aside", ()):
            text = {la: phrase("set_aside", la, rule=aside["rule"], value=aside["shown"][la], title=aside["title"][la]) for la in ("en", "zh")}
            yield Branch("set_aside", text, {"rule": aside["rule"], "value": aside["value"]}, (), "quiet")
        if not current["alternatives"] and not current["open"] and path not in self.given:
            yield Branch("nothing", said("nothing_adds"), {}, (), "quiet")
        if current["open"]:
            yield Branch("open", said("open"), {}, (), "caution")

    # ------------------------------------------------------------ claims

    def claim(self, id_: str) -> Branch:
        """A claim and the document that it stands in."""
        entry = self.decision["claims"].get(id_)
        if entry is None and self.rulebook is not None and id_ in self.rulebook.register.claims:
            known = self.rulebook.register.claims[id_]
            entry = {"source": known.source, "place": known.place, "says": {"en": known.says.en, "zh": known.says.zh}, "derived": known.derived}
        if entry is None:
            return Branch("claim", both(id_), {"id": id_})
        source = self.decision["sources"].get(entry["source"])
        if source is None and self.rulebook is not None:
            known_source = self.rulebook.register.sources[entry["source"]]
            source = {"title": {"en": known_source.title.en, "zh": known_source.title.zh}, "url": known_source.url, "interest": known_source.interest}
        text = said("told", what=id_, said=entry["says"])
        if source is None:
            return Branch("claim", text, {"id": id_}, (Branch("document", both(entry["source"]), {"id": entry["source"]}, (), "quiet"),))
        place = f", {entry['place']}" if entry["place"] else ""
        url = f" {source['url']}" if source["url"] else ""
        title = {la: phrase("told", la, what=entry["source"], said=f"{source['title'][la]}{place}{url}") for la in ("en", "zh")}
        return Branch("claim", text, {"id": id_}, (Branch("document", title, {"id": entry["source"], "url": source["url"]}, (), "quiet"),))

    # ------------------------------------------------------------

    def _rule_of(self, id_: str) -> Rule | None:
        return self.rulebook.rules.get(id_) if self.rulebook is not None else None

    def _once(self, kind: str, name: str, text: Said, data: Mapping[str, Any], level: int, below: Any) -> Branch:
        """A branch laid out where it first comes, and wherever more of it can be shown than before."""
        room = self.depth - level if self.depth < DEEPEST else DEEPEST
        if self.shown.get((kind, name), 0) >= max(room, 1):
            return Branch(kind, {la: f"{text[la]} {phrase('again', la)}" for la in text}, {**data, "again": True}, (), "quiet")
        if room <= 0:
            return Branch(kind, text, dict(data), (), "", 1)
        self.shown[kind, name] = room
        return Branch(kind, text, dict(data), tuple(below()))


def _shown(path: str, entry: Document) -> dict[str, Any]:
    return {"fact": path, "value": entry["value"], "shown": entry["shown"]}


def _joint(kind: str) -> Said:
    return {la: phrase(kind, la, truth="").rstrip(":： ") for la in ("en", "zh")}


def _truth(truth: str, language: str) -> str:
    return " → ".join(phrase(f"truth_{part}", language) for part in truth.split(" → "))


def _compared(atom: Document, language: str) -> str:
    """The values on both sides: `34 % > 30 %`, or of one side alone."""
    left = str(atom["left"]["shown"][language]) if "left" in atom else ""
    if "right" not in atom:
        return left
    operator = atom["text"][len(atom["left"]["text"]) :].split()[:1]
    return f"{left} {operator[0] if operator else ''} {atom['right']['shown'][language]}"


def names_in(text: str) -> tuple[str, ...]:
    """The facts and parameters in the text of one side; of a text that cannot be read, none."""
    try:
        return tuple(syntax.names(syntax.parse(text)))
    except syntax.SyntaxFault:
        return ()
