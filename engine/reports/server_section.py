"""The section on the whole server: what each machine wants of cores, memory, storage, network and power, side by side."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Grid, Words
from gpurules.engine.reports.reader import Reader


class ServerReader(Reader):
    """Reads the parts of the machines that a decision speaks of."""

    def server(self) -> list[Block]:
        bills: list[Document] = self.decision.get("server", [])
        if not bills:
            return []
        parts = [{part["fact"]: part for part in bill["parts"]} for bill in bills]
        rows = []
        for fact, first in {part["fact"]: part for bill in bills for part in bill["parts"]}.items():
            title = f"{self.said(first['title'])} [{', '.join(first['rules'])}]"
            rows.append((title, *(self._cell(found.get(fact)) for found in parts)))
        heads = (self.word("part"), *(self._machine(bill["machine"]) for bill in bills))
        return [Grid(heads, tuple(rows)), Words(self.word("per_node"), "quiet")]

    def _cell(self, part: Document | None) -> str:
        if part is None:
            return "–"
        shown = self.said(part["shown"])
        return shown + self.word("there_is", amount=self.said(part["stated"])) if "stated" in part else shown

    def _machine(self, name: str) -> str:
        if name == "stated":
            return self.machine()
        assert self.choice is not None
        machine = next(m for m in self.choice["chosen"] if m["id"] == name)
        return f"{machine['count']} × {machine['card']['name']}"
