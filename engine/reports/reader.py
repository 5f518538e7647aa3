"""A decision document read in one language: what the sections of a report have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.phrases import word

MEMORY = "memory.rule_of_thumb"
CHECKLIST = ("decision", "migration")
"""Topics of advice that stand on the checklist, in its order, and not among the findings."""
QUESTIONS = 10
"""Questions that a report lists; the decision holds them all."""

FEW = 3
"""Facts assumed by one rule that are named one by one."""


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

    def questions(self) -> list[Document]:
        """The questions that a report lists, the one that decides the verdict always among them."""
        every: list[Document] = self.decision["measure_next"]
        at = self._deciding()
        return every[:QUESTIONS] if at < QUESTIONS else [*every[: QUESTIONS - 1], every[at]]

    def deciding_question(self) -> int:
        """The number, in the report's list, of the question that decides the verdict."""
        return min(self._deciding(), QUESTIONS - 1) + 1

    def _deciding(self) -> int:
        """Where rules name different machines, a question that they ask; where the stated machine is out or none is stated,
        what most of the undecided candidates wait for; else what the stated machine waits for."""
        choice = self.choice or {"scenarios": (), "contradicting": False, "unsettled": ()}
        naming = {s["rule"] for s in choice["scenarios"]} if choice["contradicting"] else set()
        elsewhere = self.candidate is None or "rejected" in (self.candidate["verdict"], self.candidate["verdict_assuming"])
        waited = choice["unsettled"][0]["fact"] if choice["unsettled"] and elsewhere else ""
        for number, question in enumerate(self.decision["measure_next"]):
            if naming & set(question["asked_by"]) if naming else question["fact"] == waited:
                return number
        settling = (n for n, q in enumerate(self.decision["measure_next"]) if q["settles_verdict"])
        return next(settling, 0)

    def named(self, machine: Document) -> str:
        """A candidate: `2 × NVIDIA A100 PCIe 80GB, NVLink bridge, fully sharded`."""
        parts = [f"{machine['count']} × {machine['card']['name']}"]
        if machine.get("at_hand"):
            parts = [self.word("at_hand", machine=parts[0])]
        if "nodes" in machine:
            parts.append(self.word("several_machines", nodes=machine["nodes"]))
        if machine["count"] > 1:
            parts += [self.said(machine["interconnect"]), self.said(machine["plan"]["shown"])]
        if machine.get("tensor", 1) > 1:
            parts.append(self.word("tensor_within", cards=machine["tensor"]))
        return ("，" if self.language == "zh" else ", ").join(parts)

    def plan(self) -> list[Document]:
        """The steps that save memory, in order."""
        return sorted((step for step in self.decision["steps"] if step["place"]), key=lambda step: int(step["place"]))

    def steps_suffice(self) -> bool:
        """Whether the stated machine meets every requirement once all steps are taken."""
        plan = self.plan()
        return bool(plan) and self.candidate is not None and plan[-1]["status"] in ("keep", "provisional") and self._fits(plan[-1])

    @staticmethod
    def _fits(step: Document) -> bool:
        return bool(step["after"].get("candidate.fit", {"value": {}})["value"].get("members") == ["fits"])

    def _fit(self, members: list[str]) -> str:
        """How it fits, as far as that is settled."""
        return self.word(".".join(["fit", *sorted(members)]) if members else "fit.")

    def names(self, needs: Iterable[str]) -> list[str]:
        """Facts to state; the parts of a model's shape come with its name."""
        named = any(f["path"] == "model.name" for f in self.decision["facts"])
        return list(dict.fromkeys(fact if named or not fact.startswith("model.") else "model.name" for fact in needs))

    def assumptions(self, facts: Sequence[str]) -> list[str]:
        """Assumed facts by name; where one rule assumes many of a group, such as the shape of a model, the group and the rule; where
        they are more than a few, the rules that assume them, whose facts stand beside the verdict."""
        rules = {a["fact"]: a["rule"] for a in self.decision["assumptions"]}
        counts = Counter(rules.values())
        names = (fact if counts[rules.get(fact, "")] <= FEW else self._group(fact, rules[fact]) for fact in facts)
        named = list(dict.fromkeys(names))
        if len(named) <= FEW:
            return named
        return [self.word("assumed_by", rules=", ".join(sorted({rules[fact] for fact in facts if fact in rules})))]

    def _group(self, fact: str, rule: str) -> str:
        return self.word("assumed_group", group=f"{fact.partition('.')[0]}.*", rule=rule)

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


def brief(shown: str) -> str:
    """A figure without what it needs to be known better: `unknown: needs a, b` is `unknown`."""
    return re.split(r": needs | \(needs |：需要 |（需要 |; the rest|；其余", shown)[0]


def equal(name: str, shown: str) -> str:
    """A name and its value: `a = 3 GB`, `a ≤ 3 GB`."""
    return f"{name} {shown}" if shown.startswith(("≤", "≥")) else f"{name} = {shown}"
