"""The section on speed: how fast each machine trains or generates, how long the run takes and what it costs."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import RATES, SPEED
from gpurules.engine.reports.blocks import Block, Grid, Words
from gpurules.engine.reports.reader import Reader


class SpeedReader(Reader):
    """Reads the speed of the stated machine and of each recommended one."""

    def speed(self) -> list[Block]:
        """Figures side by side; one that no machine has is named below with what it needs. Where no rate is known, what it needs."""
        if self.decision["status"] == "not_sized":
            return []
        machines = self._machines()
        columns = [{entry["fact"]: entry for entry in estimate} for _, estimate in machines]
        found = {fact: [column.get(fact) for column in columns] for fact in SPEED}
        known = {fact: [e for e in entries if e is not None and "needs" not in e] for fact, entries in found.items()}
        if not any(known[rate] for rate in RATES):
            return [block for rate in RATES for block in self._unknown(rate, found[rate])]
        rows: list[tuple[str, ...]] = []
        below: list[Block] = []
        for fact, entries in found.items():
            if known[fact]:
                rules = dict.fromkeys(rule for entry in known[fact] for rule in entry["rules"])
                rows.append((f"{self.word(fact)} [{', '.join(rules)}]", *(self._cell(entry) for entry in entries)))
            below += [*self._overruled(fact, entries), *(() if known[fact] else self._unknown(fact, entries))]
        heads = (self.word("figure"), *(name for name, _ in machines))
        return [Grid(heads, tuple(rows)), *below, Words(self.word("speed_lead"), "quiet")]

    def _machines(self) -> list[tuple[str, list[Document]]]:
        stated = [(self.machine(), self.candidate["estimate"])] if self.candidate is not None else []
        chosen = self.choice["chosen"] if self.choice is not None else ()
        return [*stated, *((f"{m['count']} × {m['card']['name']}", m["estimate"]) for m in chosen)]

    def _cell(self, entry: Document | None) -> str:
        return self.said(entry["shown"]) if entry is not None else "–"

    def _overruled(self, fact: str, entries: list[Document | None]) -> list[Block]:
        """An estimate that a measurement replaces."""
        found = [aside for entry in entries if entry is not None for aside in entry.get("set_aside", ())]
        texts = [self.word("measured_not_estimated", figure=self.word(fact), estimate=self.said(aside["shown"]), rule=aside["rule"]) for aside in found]
        return [Words(text) for text in dict.fromkeys(texts)]

    def _unknown(self, fact: str, entries: list[Document | None]) -> list[Block]:
        needs = dict.fromkeys(need for entry in entries if entry is not None for need in entry["needs"])
        return [Words(self.word("speed_unknown", figure=self.word(fact), needs=", ".join(self.names(needs))), "quiet")] if needs else []
