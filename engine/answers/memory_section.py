"""The memory section: what is needed against what the stated machine has, on one scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from gpurules.engine.answers.blocks import Bar, Bars, Block, Words
from gpurules.engine.answers.decision import Document
from gpurules.engine.answers.reader import MEMORY, Reader
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import Interval

_NOTHING = 0.0005
"""A share of memory below which a peak has no lower end to speak of."""
NEED, USABLE = "candidate.memory_need", "candidate.memory_usable"


class MemoryReader(Reader):
    """Reads the memory figures of a decision."""

    def memory(self) -> list[Block]:
        if self.decision["status"] == "not_sized" or MEMORY not in self.derived:
            return []
        bars = tuple(self._bars())
        blocks: list[Block] = [Bars(bars)] if bars else []
        aside = [a for a in self.current(MEMORY).get("set_aside", ())]
        for a in aside:
            blocks.append(Words(self.word("aside", value=self.said(a["shown"]), title=self.said(a["title"]), rule=a["rule"]), "quiet"))
        return blocks

    def _bars(self) -> Iterator[Bar]:
        need = self.current(MEMORY)
        for alternative in need["alternatives"]:
            note = f"{self.said(alternative['title'])} [{alternative['rule']}]"
            if alternative["confidence"] == "low":
                note += f" ({self.word('confidence_low')})"
            yield self._bar("need_all", alternative["value"], self.said(alternative["shown"]), note, False)
        if len(need["alternatives"]) == 1 and "memory.minimum" in self.derived and "memory.recommended" in self.derived:
            least, wanted = self.current("memory.minimum"), self.current("memory.recommended")
            low, high = least["value"]["low"], wanted["value"]["high"]
            yield self._bar(
                "with_headroom", {"low": low, "high": high}, _bytes(low, high), self._sources((*least["alternatives"], *wanted["alternatives"])), False
            )
        for key, fact in (("have_nominal", "memory.total_nominal"), ("have_usable", "memory.total_usable")):
            entry = self.derived.get(fact)
            if entry is not None and self.candidate is not None and "causes" not in entry:
                yield self._bar(key, entry["value"], self.said(entry["shown"]), self.gap(need, entry) if key == "have_usable" else "", True)
        if self.candidate is None or NEED not in self.derived:
            return
        usable, wanted = self.candidate["figures"][USABLE], self.current(NEED)
        if _narrow(wanted["value"]) and _narrow(usable["value"]):
            fit = self.current("candidate.fit")
            yield self._bar("need_card", wanted["value"], self.said(wanted["shown"]), self.said(fit["shown"]), False)
            yield self._bar("have_card", usable["value"], self.said(usable["shown"]), "", True)
        peak = next((f for f in self.decision["facts"] if f["path"] == "measured.memory_peak"), None)
        if peak is not None:
            value = dict(peak["value"])
            if value["low"] < usable["value"]["high"]:  # a peak known by its lower end alone is at most what the card holds
                value["high"] = min(value["high"], usable["value"]["high"])
            yield self._bar("measured", value, self.said(peak["shown"]), self.word("of_usable", share=self.share(value, usable["value"])), False)

    def _bar(self, key: str, value: Document, shown: str, note: str, have: bool) -> Bar:
        return Bar(self.word(key), value["low"], value["high"], shown, note, have)

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


def _narrow(value: Document) -> bool:
    return bool(value["high"] <= 1000 * max(value["low"], 1.0))


def _bytes(low: float, high: float) -> str:
    found = unit.parse("byte")
    assert found is not None
    return quantity.show(Interval(low, high), found)
