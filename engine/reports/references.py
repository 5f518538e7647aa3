"""References of a page: ids of rules and claims become links to the place where the page tells them, with their words on hover."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from markupsafe import Markup, escape

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.values.problem import printable

_ID = r"[A-Z]{1,3}-?\d{2,3}"
_LIST = re.compile(rf"\[({_ID}(?:(?:, |; |、){_ID})*)\]")
_LONGEST = 20_000


class References:
    """Knows the rules and claims that a page tells. `opened`: anchors of rules that its derivation has."""

    def __init__(self, decision: Document, language: str, opened: Collection[str]) -> None:
        self.language = language
        self.rules = {rule["id"]: rule for rule in decision["rules"]}
        self.claims, self.sources = decision["claims"], decision["sources"]
        self.opened = opened

    def cited(self, text: str) -> Markup:
        """A text as markup, in which lists of ids in brackets are links; everything else is text."""
        pieces, at = [], 0
        for found in _LIST.finditer(text):
            pieces += [_safe(text[at : found.start()]), self.listed(re.findall(_ID, found[1]))]
            at = found.end()
        return Markup("").join([*pieces, _safe(text[at:])])

    def listed(self, ids: Iterable[str]) -> Markup:
        """Ids in brackets, each a link where the page tells it; empty where there are none."""
        links = [self._link(one) for one in ids]
        return Markup('<span class="refs">[{}]</span>').format(Markup(", ").join(links)) if links else Markup("")

    def _link(self, name: str) -> Markup:
        target, title = "", ""
        if name in self.rules:
            target = f"rule-{name}" if f"rule-{name}" in self.opened else ""
            title = self.rules[name]["title"][self.language]
        elif name in self.claims:
            target, title = f"claim-{name}", self.claim(name)
        if not target:
            return _safe(name)
        return Markup('<a href="#{}" title="{}">{}</a>').format(target, printable(title, _LONGEST), printable(name, _LONGEST))

    def claim(self, name: str) -> str:
        """A claim with the document that makes it."""
        claim = self.claims[name]
        source = self.sources[claim["source"]]["title"][self.language] if claim["source"] in self.sources else claim["source"]
        place = f", {claim['place']}" if claim["place"] else ""
        return phrase("cited_from", self.language, claim=name, says=claim["says"][self.language], source=source, place=place)


def _safe(text: str) -> Markup:
    return escape(printable(text, _LONGEST))
