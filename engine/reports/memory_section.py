"""The memory section: what is needed against what there is, for all cards and for one, and of what a card's need is made up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import NEED, STRUCTURED
from gpurules.engine.decisions.wording import TELLING
from gpurules.engine.reports.blocks import Bar, Bars, Block, Words
from gpurules.engine.reports.reader import MEMORY
from gpurules.engine.reports.terms_section import USABLE, TermsReader
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import Interval

_NOTHING = 0.0005
"""A share of memory below which a peak has no lower end to speak of."""


class MemoryReader(TermsReader):
    """Reads the memory figures of a decision."""

    def memory(self) -> list[Block]:
        if self.decision["status"] == "not_sized" or MEMORY not in self.derived:
            return []
        bars = tuple(self._all_cards())
        blocks: list[Block] = [Bars(bars)] if bars else []
        for a in self.current(MEMORY).get("set_aside", ()):
            blocks.append(Words(self.word("aside", value=self.said(a["shown"]), title=self.said(a["title"]), rule=a["rule"]), "quiet"))
        return [*blocks, *self._one_card(), *self.recommended_cards()]

    # ------------------------------------------------------------ all cards

    def _all_cards(self) -> Iterator[Bar]:
        need = self.current(MEMORY)
        for alternative in need["alternatives"]:
            note = f"{self.said(alternative['title'])} [{alternative['rule']}]"
            if alternative["confidence"] == "low":
                note += f" ({self.word('confidence_low')})"
            yield self.bar("need_all", alternative["value"], self.said(alternative["shown"]), note)
        if len(need["alternatives"]) == 1 and "memory.minimum" in self.derived and "memory.recommended" in self.derived:
            least, wanted = self.current("memory.minimum"), self.current("memory.recommended")
            low, high = least["value"]["low"], wanted["value"]["high"]
            sources = self._sources((*least["alternatives"], *wanted["alternatives"]))
            yield self.bar("with_headroom", {"low": low, "high": high}, _bytes(low, high), sources)
        for key, fact in (("have_nominal", "memory.total_nominal"), ("have_usable", "memory.total_usable")):
            entry = self.derived.get(fact)
            if entry is not None and self.candidate is not None and "causes" not in entry:
                yield self.bar(key, entry["value"], self.said(entry["shown"]), self.gap(need, entry) if key == "have_usable" else "", have=True)

    # ------------------------------------------------------------ one card of the stated machine

    def _one_card(self) -> list[Block]:
        if self.candidate is None:
            return []
        terms = {entry["fact"]: entry for entry in self.candidate["estimate"]}
        bars = tuple(self._card(terms))
        blocks: list[Block] = [Words(self.word("one_card", machine=self.machine()), "strong"), Bars(bars)] if bars else []
        if NEED not in terms:
            return blocks
        if STRUCTURED in terms:
            return [*blocks, Words(self._why(terms)), *self.made_of(terms)]
        wanting = terms[NEED].get("wanting")
        if wanting:
            key = "only_weights" if "candidate.kv_cache" in terms else "only_rule_of_thumb"
            needs = ", ".join(self.names(wanting["needs"]))
            blocks.append(Words(self.word(key, rules=self.rules_of(terms[NEED]), rule=wanting["rule"], needs=needs)))
        return blocks

    def _card(self, terms: dict[str, Document]) -> Iterator[Bar]:
        """The figures for one card: the rule of thumb, the estimate, and what a measurement makes of it, against what can be used."""
        assert self.candidate is not None
        usable = self.candidate["figures"][USABLE]
        need = terms.get(NEED)
        if need is not None and not need.get("needs"):
            for aside in need.get("set_aside", ()) if STRUCTURED in terms else ():
                if _narrow(aside["value"]) and aside["value"] != terms[STRUCTURED]["value"]:
                    yield self.bar("rule_of_thumb", aside["value"], self.said(aside["shown"]), f"{self.word('by_size')} [{aside['rule']}]")
            measured = _calibrated(terms)
            if measured:
                yield self.bar("structured", terms[STRUCTURED]["value"], self.said(terms[STRUCTURED]["shown"]), f"[{self._estimated_by(terms)}]")
            fit = self._fit(self.current("candidate.fit")["value"]["members"]) if "candidate.fit" in self.derived else ""
            yield self.term_bar(need, "calibrated" if measured else "structured" if STRUCTURED in terms else "rule_of_thumb", fit)
        if _narrow(usable["value"]):
            yield self.bar("have_card", usable["value"], self.said(usable["shown"]), "", have=True)
        peak = next((f for f in self.decision["facts"] if f["path"] == "measured.memory_peak"), None)
        if peak is not None:
            value = dict(peak["value"])
            if value["low"] < usable["value"]["high"]:  # a peak known by its lower end alone is at most what the card holds
                value["high"] = min(value["high"], usable["value"]["high"])
            yield self.bar("measured", value, self.said(peak["shown"]), self.word("of_usable", share=self.share(value, usable["value"])))

    def _why(self, terms: dict[str, Document]) -> str:
        """Why two figures stand there, and which of them counts."""
        serving = "candidate.kv_cache" in terms
        text = self.word("why_serving" if serving else "why_training", rules=self._estimated_by(terms))
        if _calibrated(terms):
            text += ("" if self.language == "zh" else " ") + self.word("why_calibrated", rules=self.rules_of(terms[NEED]))
        return text

    def _estimated_by(self, terms: dict[str, Document]) -> str:
        """The rules by which the structured estimate would size a card, where a measurement calibrates it those that it sets aside."""
        value = terms[STRUCTURED]["value"]
        aside = [a["rule"] for a in terms[NEED].get("set_aside", ()) if a["value"] == value]
        return ", ".join(aside) if _calibrated(terms) and aside else self.rules_of(terms[STRUCTURED])

    # ------------------------------------------------------------ pieces

    def _sources(self, alternatives: Iterable[Document]) -> str:
        """The rules behind some values and the claims that they cite: `[MEM-040, C17]`."""
        rules = list(dict.fromkeys(a["rule"] for a in alternatives))
        cites = [c for r in self.decision["rules"] if r["id"] in rules for c in r["cites"]]
        return f"[{', '.join(dict.fromkeys((*rules, *cites)))}]"

    def gap(self, need: Document, have: Document) -> str:
        low, high = need["value"]["low"] - have["value"]["high"], need["value"]["high"] - have["value"]["low"]
        return self.word("short", gap=_bytes(low, high)) if low > 0 else ""

    def share(self, part: Document, whole: Document) -> str:
        plain = unit.parse("1")
        assert plain is not None
        if not whole["low"]:
            return ""
        found = Interval(part["low"] / whole["high"], part["high"] / whole["low"])
        return quantity.show(found, plain, share=True, bounds=Interval(_NOTHING, math.inf))


def _calibrated(terms: dict[str, Document]) -> bool:
    """Whether a measured run makes of the structured estimate another need."""
    return STRUCTURED in terms and bool(terms[NEED]["value"] != terms[STRUCTURED]["value"])


def _narrow(value: Document) -> bool:
    return bool(value["high"] <= TELLING * max(value["low"], 1.0))


def _bytes(low: float, high: float) -> str:
    found = unit.parse("byte")
    assert found is not None
    return quantity.show(Interval(low, high), found)
