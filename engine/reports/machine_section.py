"""The sections about machines: those recommended, how they compare, and why others were ruled out."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import FIT, NEED
from gpurules.engine.reports.blocks import Block, Grid, Item, Items, Words
from gpurules.engine.reports.phrases import LEVELS
from gpurules.engine.reports.reader import CHECKLIST, Reader, brief

_COMPARED = (
    "candidate.memory_need", "candidate.memory_usable", "candidate.headroom", "candidate.interconnect_bandwidth",
    "candidate.half_tensor_rate", "candidate.memory_bandwidth", "candidate.power",
)  # fmt: skip


class MachineReader(Reader):
    """Reads the choice among candidates."""

    def recommended(self) -> list[Block]:
        """The machines chosen, each with memory a card, headroom, power and what rules say of it; or the scenarios."""
        if self.choice is None:
            return []
        blocks: list[Block] = []
        if self.choice["chosen"]:
            if self.steps_suffice():
                blocks.append(Words(self.word("unless_steps"), "quiet"))
            blocks.append(Items(tuple(self._machine(i, m) for i, m in enumerate(self.choice["chosen"], 1))))
        scenarios = self.choice["scenarios"]
        if scenarios:
            key = "scenarios_contradict" if self.choice["contradicting"] else "scenarios_agree"
            blocks.append(Words(self.word(key), "caution" if self.choice["contradicting"] else ""))
            blocks.append(Items(tuple(self._scenario(s) for s in scenarios)))
        counts = {k: self.choice[k] for k in ("considered", "accepted", "undecided", "rejected")}
        blocks.append(Words(self.word("considered", **counts), "quiet"))
        if self.choice["unsettled"]:
            most = self.choice["unsettled"][0]
            blocks.append(Words(self.word("unsettled", fact=most["fact"], count=most["candidates"]), "quiet"))
        return blocks

    def _machine(self, number: int, machine: Document) -> Item:
        figures = {path: brief(self.said(f["shown"])) for path, f in machine["figures"].items()}
        details = [
            self.word(
                "machine_memory",
                need=figures["candidate.memory_need"],
                usable=figures["candidate.memory_usable"],
                headroom=figures["candidate.headroom"],
                fit=figures["candidate.fit"],
            ),
            *self._on_assumptions(machine),
            self.word("machine_power", power=figures["candidate.power"], each=figures["candidate.power_limit"], tier=figures["candidate.tier"]),
        ]
        ahead = self._ahead(machine)
        if ahead:
            details.append(self.word("leads", criteria=ahead))
        for advice in {a["rule"]: a for a in machine["advice"] if a["topic"] not in CHECKLIST}.values():  # one rule, one text
            colon = "：" if self.language == "zh" else ": "
            details.append(f"{LEVELS[advice['level']].get(self.language)}{colon}{self.said(advice['text'])} [{', '.join((advice['rule'], *advice['cites']))}]")
        return Item(str(number), self.named(machine), (), "recommend", tuple(details))

    def _on_assumptions(self, machine: Document) -> list[str]:
        """What it needs by shape and batch, where these had to be assumed."""
        if "assuming" not in machine:
            return []
        need, fit = (brief(self.said(machine["assuming"][path]["shown"])) for path in (NEED, FIT))
        return [self.word("machine_assuming", need=need, fit=fit)]

    def _ahead(self, machine: Document) -> str:
        """The criteria on which no other finalist is better and some is worse, each once, with the rules that give them."""
        assert self.choice is not None
        found: dict[str, list[str]] = {}
        for index, criterion in enumerate(self.choice["criteria"]):
            own = machine["scores"][index]
            if own["leads"] and any(m["scores"][index]["value"] != own["value"] for m in self.choice["chosen"]):
                found.setdefault(self.said(criterion["title"]), []).append(criterion["rule"])
        return self.join(f"{title} [{', '.join(dict.fromkeys(rules))}]" for title, rules in found.items())

    def _scenario(self, scenario: Document) -> Item:
        text = self.word("scenario", count=scenario["count"], memory=scenario["memory_nominal"], title=self.said(scenario["title"]))
        return Item("·", text, (scenario["rule"], *scenario["cites"]))

    def compared(self) -> list[Block]:
        """Finalists side by side, criterion by criterion, then figure by figure."""
        if self.choice is None or len(self.choice["chosen"]) < 2:
            return []
        machines = self.choice["chosen"]
        rows: list[tuple[str, ...]] = []
        equal: list[str] = []
        for index, criterion in enumerate(self.choice["criteria"]):
            title = f"{self.said(criterion['title'])} [{criterion['rule']}]"
            if len({self.said(m["scores"][index]["shown"]) for m in machines}) == 1:
                equal.append(title)
                continue
            cells = [self.said(m["scores"][index]["shown"]) + (" *" if m["scores"][index]["leads"] else "") for m in machines]
            rows.append((title, *cells))
        titles = {c["fact"] for c in self.choice["criteria"]}
        for path in _COMPARED:
            if path not in titles:
                rows.append((self.word(path), *(self._figure(m, path) for m in machines)))
        heads = (self.word("criterion"), *(f"{m['count']} × {m['card']['name']}" for m in machines))
        blocks: list[Block] = [Grid(heads, tuple(rows))]
        if len(equal) < len(self.choice["criteria"]):
            blocks.append(Words(self.word("leads_mark"), "quiet"))
        return [*blocks, Words(self.word("equal_on", criteria=self.join(equal)), "quiet")] if equal else blocks

    def _figure(self, machine: Document, path: str) -> str:
        """A figure of a machine; one card has no link to speak of."""
        return "–" if path == "candidate.interconnect_bandwidth" and machine["count"] == 1 else brief(self.said(machine["figures"][path]["shown"]))

    def rejected(self) -> list[Block]:
        """The nearest rejected alternatives, each with the one reason that rules it out, and how often each rule rejects."""
        if self.choice is None:
            return []
        items = []
        for machine in self.choice["nearest_rejected"]:
            reason = machine["reasons"][0]
            items.append(Item("✗", f"{self.named(machine)} — {self.said(reason['text'])}", (reason["rule"], *reason["cites"])))
        counted = ", ".join(f"{rule} {n}" for rule, n in sorted(self.choice["rejected_by"].items(), key=lambda i: (-i[1], i[0])))
        for (fact, rules), found in self._impossible().items():
            items.append(Item("✗", self.word("impossible", count=len(found), fact=fact, shown=self.said(found[0]["shown"])), rules))
        blocks: list[Block] = [Items(tuple(items))] if items else []
        return [*blocks, Words(self.word("rejected_by", rules=counted), "quiet")] if counted else blocks

    def _impossible(self) -> dict[tuple[str, tuple[str, ...]], list[Document]]:
        """Machines that cannot be, by the figure and the rules that give it."""
        assert self.choice is not None
        found: dict[tuple[str, tuple[str, ...]], list[Document]] = {}
        for one in self.choice.get("impossible", {}).values():
            found.setdefault((one["fact"], tuple(one["rules"])), []).append(one)
        return found
