"""The sections that let a reader check a report: conflicts met, questions, facts with origin, sources, trace."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Grid, Item, Items, Words
from gpurules.engine.reports.phrases import confidence
from gpurules.engine.reports.reader import MEMORY, Reader

LONGEST = 80
"""Characters told of a value that the vocabulary has no word for."""


class TraceReader(Reader):
    """Reads what a decision rests on."""

    def conflicts(self) -> list[Block]:
        items = []
        for conflict in self.decision["conflicts"]:
            if conflict["kind"] == "both" and conflict["met"] != "yes":
                continue
            rules = tuple(dict.fromkeys(r["rule"] for r in conflict["rules"]))
            label = "/".join(conflict["between"]) + ("" if conflict["met"] == "yes" else f" ({self.word('possible')})")
            details = [self.word("holds_when", text=self.said(conflict["holds"]))]
            if "other_side" in conflict:
                details.append(self._other_side(conflict["other_side"]))
            items.append(Item(label, self.said(conflict["about"]), (conflict["id"], *rules), "", tuple(details)))
        return [Items(tuple(items))] if items else []

    def _other_side(self, other: Document) -> str:
        changes = self.word("changes" if other["verdict_changes"] else "same", status=self.word("status_" + other["status"]))
        figures = [self.said(other[f]) for f in (MEMORY, "candidate.fit") if f in other]
        return self.word("other_side", claims=", ".join(other["claims"]), text=self.join([*figures, changes]))

    def unread(self) -> list[Block]:
        without = {one["fact"] for one in self.decision.get("not_applicable", ())}
        facts = ", ".join(fact for fact in self.decision["unread"] if fact not in without)
        idle = [Words(self.word("not_applicable", **one), "caution") for one in self.decision.get("not_applicable", ())]
        return [*([Words(self.word("unread", facts=facts), "caution")] if facts else []), *idle]

    def ask_next(self) -> list[Block]:
        several = {a["fact"]: a for a in self.decision["ambiguities"]}
        items = []
        for number, question in enumerate(self.questions(), 1):
            details = [self.said(question["obtain"])] if self.said(question["obtain"]) else []
            if question["fact"] in several:
                named = several[question["fact"]]
                details.insert(0, self.word("names_several", text=named["text"], entries=", ".join(named["entries"])))
            for name in self.decision.get("unrecognized", ()):
                if name["fact"] == question["fact"]:
                    like = self.word("like", names=", ".join(name["nearest"])) if name["nearest"] else ""
                    details.insert(0, self.word("not_in_catalogue", text=name["text"]) + like)
            why = [self.word("cost_" + question["cost"])]
            if question["asked_by"]:
                why.append(self.word("asked", rules=", ".join(question["asked_by"])))
            if question["settles_verdict"]:
                why.append(self.word("settles_verdict"))
            if question["settles"]:
                why.append(self.word("settles", count=len(question["settles"])) + f" ({', '.join(question['settles'])})")
            text = f"{question['fact']}  {self.said(question['title'])}"
            items.append(Item(str(number), text, (), "", (self.join(why), *details), question["command"]))
        blocks: list[Block] = [Items(tuple(items))] if items else []
        more = len(self.decision["measure_next"]) - len(items)
        return [*blocks, Words(self.word("more_questions", count=more), "quiet")] if more > 0 else blocks

    def facts(self) -> list[Block]:
        assumed = {a["fact"] for a in self.decision["assumptions"]}  # in place of what a catalogue said by default
        rows = [(f["path"], self._known_as(f), self._origin(f)) for f in self.decision["facts"] if f["path"] not in assumed]
        rows += [(a["fact"], self.said(a["shown"]), self.word("origin_assumed", rule=a["rule"])) for a in self.decision["assumptions"]]
        return [Grid((self.word("fact"), self.word("value"), self.word("origin")), tuple(rows))] if rows else []

    def _known_as(self, fact: Document) -> str:
        """The value; with what was written, where the vocabulary has no word for it."""
        shown, written = self.said(fact["shown"]), fact.get("text", "")
        if fact["value"] != {"members": ["other"]} or written in ("", "other", shown):
            return shown
        return f"{shown} ({written if len(written) <= LONGEST else written[: LONGEST - 1] + '…'})"

    def _origin(self, fact: Document) -> str:
        if fact["origin"] == "stated":
            return self.word("origin_stated", line=fact["place"]["line"]) if "place" in fact else self.word("origin_set")
        if fact.get("confidence"):
            return self.word("origin_looked_up", via=fact["via"], confidence=confidence(fact["confidence"], self.language))
        return self.word("origin_default", via=fact.get("via", ""))

    def sources(self) -> list[Block]:
        items = []
        spoken = self._spoken()
        for claim_id, claim in self.decision["claims"].items():
            if claim_id not in spoken:
                continue
            items.append(Item(claim_id, self.said(claim["says"]), (f"{claim['source']}: {claim['place']}" if claim["place"] else claim["source"],)))
        for source_id, source in sorted(self.decision["sources"].items()):  # a decision read from JSON has its keys in order
            interest = f" ({self.word('interest')})" if source["interest"] else ""
            items.append(Item(source_id, self.said(source["title"]) + interest, (source["url"],) if source["url"] else ()))
        return [Items(tuple(items))] if items else []

    def _spoken(self) -> set[str]:
        """The claims behind what the report says: its advice, its figures of memory, its assumptions and conflicts."""
        rules = {c["rule"] for c in self.decision["conclusions"]} | {a["rule"] for a in self.decision["assumptions"]}
        if MEMORY in self.derived:
            entry = self.current(MEMORY)
            rules |= {a["rule"] for a in (*entry["alternatives"], *entry.get("set_aside", ()))}
        cited = {c for r in self.decision["rules"] if r["id"] in rules for c in r["cites"]}
        if self.choice is not None:
            cited |= {c for machine in self.choice["chosen"] for advice in machine["advice"] for c in advice["cites"]}
        return cited | {c for conflict in self.decision["conflicts"] for c in conflict["between"]}

    def trace(self) -> list[Block]:
        rulebook = self.decision["rulebook"]
        parts = [
            f"{self.word('facts')} {self.decision['facts_digest'][:23]}…",
            f"{self.word('rulebook')} {rulebook['version']} {rulebook['digest'][:23]}…",
            f"{self.word('as_of')} {self.decision['date']}",
            self.word("rules_looked_at", count=len(self.decision["rules"])),
            self.word("claims_cited", count=len(self.decision["claims"])),
            f"gpurules {self.decision['engine']['version']}",
        ]
        return [Words(self.join(parts), "quiet")]
