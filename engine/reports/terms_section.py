"""Of what the memory of a card is made up: terms with their rules, the phase that decides, and how a peak is counted."""

from __future__ import annotations

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import HELD, NEED, PHASES, STRUCTURED, TERMS
from gpurules.engine.reports.blocks import Bar, Bars, Block, Item, Items, Words
from gpurules.engine.reports.reader import Reader

USABLE = "candidate.memory_usable"
_COUNTED = ("candidate.memory_allocated", "candidate.memory_reserved", "candidate.memory_device")


class TermsReader(Reader):
    """Reads the estimate of a machine. `terms` are its entries by fact."""

    def made_of(self, terms: dict[str, Document]) -> list[Block]:
        """Of what the structured estimate is made up: what is always held, what each phase adds, and how peaks are counted."""
        known = {fact: entry for fact, entry in terms.items() if "needs" not in entry}
        bars = [self.term_bar(known[fact], fact, self._held_in(fact, known)) for fact in TERMS if fact in known]
        phases = [known[fact] for fact in PHASES if fact in known]
        deciding = self._deciding_phases(phases)
        if len(phases) > 1:
            decides = {True: self.word("decides"), False: self.word("may_decide")}[len(deciding) == 1]
            bars += [self.term_bar(entry, entry["fact"], decides if entry in deciding else "") for entry in phases]
        bars += [self.term_bar(known[fact], fact, "") for fact in _COUNTED if fact in known]
        blocks: list[Block] = [Words(self.word("made_up"), "quiet"), Bars(tuple(bars))]
        unknown = [f"{self.word(fact)} ({', '.join(self.names(terms[fact]['needs']))})" for fact in TERMS if fact in terms and fact not in known]
        return [*blocks, Words(self.word("terms_unknown", terms=self.join(unknown)), "caution")] if unknown else blocks

    def _held_in(self, fact: str, known: dict[str, Document]) -> str:
        """In which phases a term is held."""
        if fact in HELD:
            return self.word("always")
        phases = [phase for phase in PHASES if phase in known]
        found = [self.word(f"in.{phase}") for phase in phases if fact in PHASES[phase]]
        return (" + " if self.language == "en" else "、").join(found) if len(phases) > 1 else ""

    @staticmethod
    def _deciding_phases(phases: list[Document]) -> list[Document]:
        """The phases that may be the largest."""
        most = max((entry["value"]["low"] for entry in phases), default=0.0)
        return [entry for entry in phases if entry["value"]["high"] >= most]

    def recommended_cards(self) -> list[Block]:
        """A card of each recommended machine in short: what it always holds, and what the phases add that may decide."""
        machines = self.choice["chosen"] if self.choice is not None else ()
        items = []
        for number, machine in enumerate(machines, 1):
            terms = {entry["fact"]: entry for entry in machine["estimate"] if "needs" not in entry}
            if STRUCTURED not in terms or NEED not in terms:
                continue
            held = [self._inline(terms[fact]) for fact in HELD if fact in terms]
            every = [terms[fact] for fact in PHASES if fact in terms]
            phases = self._deciding_phases(every)
            details = [self.word("always_held", terms=self.join(held))] if held else []
            for phase in phases:
                added = self.join(self._inline(terms[fact]) for fact in PHASES[phase["fact"]] if fact in terms)
                name = self.word(phase["fact"] if len(every) > 1 else "above")
                details.append(self.word("phase_adds", phase=name, total=self.said(phase["shown"]), rules=self.rules_of(phase), terms=added))
            usable = self.said(machine["figures"][USABLE]["shown"])
            text = self.word("of_a_card", machine=self.named(machine), need=self.said(terms[NEED]["shown"]), usable=usable)
            items.append(Item(str(number), text, tuple(terms[NEED]["rules"]), "recommend", tuple(details)))
        return [Words(self.word("recommended_cards"), "quiet"), Items(tuple(items))] if items else []

    def _inline(self, entry: Document) -> str:
        return f"{self.word(entry['fact'])} {self.said(entry['shown'])} [{self.rules_of(entry)}]"

    @staticmethod
    def rules_of(entry: Document) -> str:
        """The rules behind a figure: `PEA-001, PEA-002`."""
        return ", ".join(entry["rules"])

    def term_bar(self, entry: Document, key: str, note: str) -> Bar:
        """A figure as a bar, with a note and its rules behind it."""
        parts = [note] if note else []
        return self.bar(key, entry["value"], self.said(entry["shown"]), " ".join([*parts, f"[{self.rules_of(entry)}]"]))

    def bar(self, key: str, value: Document, shown: str, note: str, have: bool = False) -> Bar:
        low, high = value["low"] or 0.0, value["high"]
        return Bar(self.word(key), low, low if high is None else high, shown, note, have)
