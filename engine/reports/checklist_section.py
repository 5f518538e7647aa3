"""The checklist of a report: what to do before the decision and on the move, apart from what decides; and what no rule covers."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Item, Items, Words
from gpurules.engine.reports.phrases import DOING
from gpurules.engine.reports.reader import CHECKLIST, Reader


class ChecklistReader(Reader):
    """Reads the advice that belongs on a checklist: of the workload, and of the machine that is kept or of those recommended."""

    def checklist(self) -> list[Block]:
        """One item a rule and action, in the order of topics, then rules; where machines differ, what holds of each."""
        found: dict[tuple[int, str, str], list[tuple[str, Document]]] = {}
        for machine, advice in (*self._stated(), *self._chosen()):
            key = CHECKLIST.index(advice["topic"]), advice["rule"], advice["action"]
            found.setdefault(key, []).append((machine, advice))
        items = tuple(self._item(entries) for _, entries in sorted(found.items()))
        return [Items(items)] if items else []

    def _stated(self) -> list[tuple[str, Document]]:
        """Of the workload, and of the stated machine where it is kept: nobody moves to a machine that was turned down."""
        of_machines = {r["id"] for r in self.decision["rules"] if r["stratum"] == "candidate"} if self.choice is not None else set()
        said = (c for c in self.decision["conclusions"] if c["kind"] == "advise" and c["state"] != "depends")
        return [("", c) for c in said if c["topic"] in CHECKLIST and c["rule"] not in of_machines]

    def _chosen(self) -> list[tuple[str, Document]]:
        machines = self.choice["chosen"] if self.choice is not None else ()
        return [(self.named(m), advice) for m in machines for advice in m["advice"] if advice["topic"] in CHECKLIST]

    def _item(self, entries: list[tuple[str, Document]]) -> Item:
        """The step, and why: once where all machines have it for the same reason, else machine by machine."""
        first = entries[0][1]
        everywhere = len(entries) == max(1, len(self.choice["chosen"]) if self.choice is not None else 1) or not entries[0][0]
        texts = dict.fromkeys(self.said(advice["text"]) for _, advice in entries)
        if everywhere and len(texts) == 1:
            details = tuple(texts)
        else:
            details = tuple(self.word("for_machine", machine=machine, text=self.said(advice["text"])) for machine, advice in entries)
        action = self.said(first["action_title"])
        step = DOING[first["level"]].get(self.language).format(action=action) if first["level"] in ("stop", "avoid") else action
        return Item("☐", step, (first["rule"], *first["cites"]), first["level"], details)

    def not_covered(self) -> list[Block]:
        texts = tuple(Item("·", self.said(text)) for text in self.decision["not_covered"])
        return [Words(self.word("settle_in_writing"), "quiet"), Items(texts)] if texts else []
