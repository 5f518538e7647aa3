"""The waivers of a report: every one of them, what became of it, and which of them are findings themselves."""

from __future__ import annotations

from gpurules.engine.decisions import waiver
from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Item, Items, Words
from gpurules.engine.reports.phrases import LEVELS
from gpurules.engine.reports.reader import Reader


class WaiverReader(Reader):
    """Reads what persons accept although rules speak against it."""

    def waivers(self) -> list[Block]:
        listed = self.decision.get("waivers")
        if not listed:
            return []
        titles = {r["id"]: self.said(r["title"]) for r in self.decision["rules"]}
        items = []
        for entry in listed["entries"]:
            tone = "quiet" if entry["state"] == waiver.USED else waiver.STALE_LEVEL
            details = (self.word("waived_by", **entry), self.word(f"waiver.{entry['state']}"))
            items.append(Item(entry["rule"], titles.get(entry["rule"], ""), (), tone, details))
        return [Words(self.word("waivers_as_of", day=listed["as_of"]), "quiet"), Items(tuple(items))]

    def stale_waivers(self) -> list[Item]:
        """Waivers that have expired, or that waive nothing, as findings."""
        label = LEVELS[waiver.STALE_LEVEL].get(self.language)
        stale = waiver.stale(self.decision)
        return [Item(label, self.word(f"waiver_found.{w['state']}", **w), (w["rule"],), waiver.STALE_LEVEL) for w in stale]

    def waived(self, conclusion: Document) -> tuple[str, ...]:
        """That a conclusion is waived, by whom, why and until when."""
        return (self.word("waived", **conclusion["waived"]),) if "waived" in conclusion else ()

    def waived_rules(self) -> str:
        """One sentence that names the rules whose findings are waived; "" where none is."""
        rules = dict.fromkeys(c["rule"] for c in self.decision["conclusions"] if "waived" in c)
        return self.word("waived_rules", rules=", ".join(rules)) if rules else ""
