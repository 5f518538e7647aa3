"""A decision document read in one language: what the sections of a report have in common."""

from __future__ import annotations

from collections.abc import Iterable

from gpurules.engine.answers.decision import Document
from gpurules.engine.answers.phrases import word

MEMORY = "memory.rule_of_thumb"


class Reader:
    """Access to a decision's parts, and to phrases and texts in the chosen language."""

    def __init__(self, decision: Document, language: str) -> None:
        self.decision, self.language = decision, language
        self.derived = {d["fact"]: d for d in decision["derived"]}
        self.candidate = decision["candidates"][0] if decision["candidates"] else None
        self.choice: Document | None = decision["choice"]

    def word(self, key: str, **values: object) -> str:
        return word(key, self.language, **values)

    def said(self, text: dict[str, str]) -> str:
        return text[self.language]

    def join(self, parts: Iterable[str]) -> str:
        return ("；" if self.language == "zh" else "; ").join(parts)

    def named(self, machine: Document) -> str:
        """A candidate: `2 × NVIDIA A100 PCIe 80GB, NVLink bridge, fully sharded`."""
        parts = [f"{machine['count']} × {machine['card']['name']}"]
        if machine["count"] > 1:
            parts += [self.said(machine["interconnect"]), self.said(machine["plan"]["shown"])]
        return ("，" if self.language == "zh" else ", ").join(parts)

    def current(self, fact: str) -> Document:
        """A derived value with the assumptions made, where they change it."""
        entry: Document = self.derived[fact].get("assuming", self.derived[fact])
        return entry

    def machine(self) -> str:
        """The stated machine: `4 × GeForce RTX 4090`, or as far as it was named."""
        if self.candidate is None:
            return self.word("machine")
        figures = self.candidate["figures"]
        count = self.said(figures["candidate.count"]["shown"])
        cards = figures["candidate.card"]["value"]["members"]
        named = next((f["text"] for f in self.decision["facts"] if f["path"] == "gpu.name"), "")
        card = self.said(figures["candidate.card"]["shown"]) if len(cards) == 1 else named
        if not card:
            return self.word("machine")
        known = figures["candidate.count"]["value"]["low"] == figures["candidate.count"]["value"]["high"]
        return f"{count} × {card}" if known else card
