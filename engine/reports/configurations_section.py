"""The stated machine and the recommended ones side by side, figure by figure."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Grid, Words
from gpurules.engine.reports.machine_section import MachineReader
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.reports.reader import brief

_FIGURES = (
    "candidate.memory_need", "candidate.memory_usable", "candidate.headroom", "candidate.interconnect_bandwidth",
    "candidate.half_tensor_rate", "candidate.memory_bandwidth", "candidate.power",
)  # fmt: skip


class ConfigurationsReader(MachineReader):
    """Reads every machine that a decision speaks of into one table."""

    def side_by_side(self) -> list[Block]:
        """A column a machine, the stated one first; then the criteria in which recommended ones differ. Empty with fewer than two."""
        chosen = self.choice["chosen"] if self.choice is not None else ()
        machines: list[Document] = [*([self.candidate] if self.candidate is not None else []), *chosen]
        if len(machines) < 2:
            return []
        named = [f"{m['count']} × {m['card']['name']}" for m in chosen]
        heads = [self.word("figure"), *([f"{self.machine()} ({self._phrase('stated')})"] if self.candidate is not None else []), *named]
        rows = [(self._phrase("verdict"), *(self._verdict(m) for m in machines)), (self._phrase("plan"), *(self._plan(m) for m in machines))]
        rows += [(self.word(path), *(self._value(m, path) for m in machines)) for path in _FIGURES]
        return [Grid(tuple(heads), tuple(rows)), *self._criteria()]

    def _criteria(self) -> list[Block]:
        """The comparison of the recommended ones alone, without the figures that stand above."""
        blocks = self.compared()
        if not blocks or not isinstance(blocks[0], Grid):
            return []
        figures = {self.word(path) for path in _FIGURES}
        rows = tuple(row for row in blocks[0].rows if row[0] not in figures)
        return [Grid(blocks[0].heads, rows), *blocks[1:]] if rows else [b for b in blocks[1:] if isinstance(b, Words)]

    def _verdict(self, machine: Document) -> str:
        if "verdict" not in machine:
            return self._phrase("recommended")
        before, after = machine["verdict"], machine["verdict_assuming"]
        said = self._phrase(after)
        return said if before == after else self._phrase("assumed", verdict=said)

    def _plan(self, machine: Document) -> str:
        if "plan" in machine:
            return self.said(machine["plan"]["shown"]) if machine["count"] > 1 else "–"
        found = machine["figures"].get("candidate.plan")
        return self.said(found["shown"]) if found is not None else "–"

    def _value(self, machine: Document, path: str) -> str:
        if path in machine["figures"]:
            if machine is self.candidate:
                alone = machine["figures"]["candidate.count"]["value"] == {"low": 1, "high": 1}
                return "–" if alone and path == "candidate.interconnect_bandwidth" else brief(self.said(machine["figures"][path]["shown"]))
            return self._figure(machine, path)
        if machine is self.candidate and path in self.derived:
            return brief(self.said(self.current(path)["shown"]))
        return "–"

    def _phrase(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)
