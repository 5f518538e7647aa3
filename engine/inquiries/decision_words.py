"""Decisions that are compared, in words: what each comes to, its machines, and the rules that make two differ."""

from __future__ import annotations

from gpurules.engine.decisions.change import Signature
from gpurules.engine.inquiries.boundary import differing
from gpurules.engine.inquiries.machine_name import machine_name
from gpurules.engine.inquiries.tree_phrases import phrase
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.reports.phrases import word

NAMED = 5
"""Rules that are named of two decisions that differ."""


class DecisionWords:
    """The words for decisions under a rulebook, in one language."""

    def __init__(self, rulebook: Rulebook, language: str) -> None:
        self.rulebook, self.language = rulebook, language

    def status(self, decision: Signature) -> str:
        status = decision[0][0]
        return phrase(f"status_{status}", self.language) if status in ("open", "other") else word(f"status_{status}", self.language)

    def machine(self, machine: str) -> str:
        return machine_name(machine, self.rulebook, self.language)

    def machines(self, decision: Signature) -> str:
        joint = "；" if self.language == "zh" else "; "
        return joint.join(self.machine(one) for one in decision[0][1:]) or "–"

    def verdict(self, decision: Signature) -> str:
        """Both in one line; the stated machine is not named, since the status speaks of it."""
        named = decision[0][1:] not in ((), ("stated",))
        return f"{self.status(decision)}{'：' if self.language == 'zh' else ': '}{self.machines(decision)}" if named else self.status(decision)

    def changes(self, before: Signature | None, after: Signature | None) -> str:
        """The rules that make two decisions differ, new ones first."""
        marks: dict[str, list[str]] = {"+": [], "−": [], "~": []}
        for rule, (old, new) in differing(before, after).items() if before is not None and after is not None else ():
            marks["+" if not old else "−" if not new else "~"].append(rule)
        found = [f"{mark}{rule}" for mark, rules in marks.items() for rule in rules]
        left = len(found) - NAMED
        return " ".join(found[:NAMED]) + (f" {phrase('grid_more', self.language, count=left)}" if left > 0 else "")
