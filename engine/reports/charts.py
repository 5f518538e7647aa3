"""The pictures of the HTML report as plain data: places and widths in per cent of the drawing, and what each mark says."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import HELD, NEED, PHASES, STRUCTURED, TERMS
from gpurules.engine.reports.memory_section import MemoryReader
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.reports.terms_section import USABLE
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import Interval

_MOST = 2.2
"""How often the largest capacity fits into the picture; what goes beyond is cut, and said to be."""
_BYTE = unit.parse("byte")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a stacked bar. `tone` names its colour: the number of its term, "thumb", "rest" or "open"."""

    tone: str
    text: str
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Stack:
    """One card: its parts one after another, against the memory it can use."""

    name: str
    summary: str
    gap: str
    fits: str
    segments: tuple[Segment, ...]
    capacity: float
    beyond: bool


@dataclass(frozen=True, slots=True)
class Stacks:
    """`legend`: tone and name of each part that occurs. `rows`: the figures as a table, a row a term."""

    stacks: tuple[Stack, ...]
    legend: tuple[tuple[str, str], ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Card:
    name: str
    terms: dict[str, Document]
    usable: Document
    need: Document


class StackReader(MemoryReader):
    """Reads the memory of a card of each machine, part by part."""

    def stacks(self) -> Stacks | None:
        """A bar for each machine whose need and capacity are known; None where there is none."""
        cards = list(self._cards())
        if not cards:
            return None
        most = max(card.usable["value"]["high"] for card in cards)
        scale = 1.05 * max(most, min(_MOST * most, max(card.need["value"]["high"] for card in cards)))
        drawn = tuple(self._stack(card, scale) for card in cards)
        names = {str(number): self.word(fact) for number, fact in enumerate(TERMS)}
        names |= {"rest": self.phrase("stack_rest"), "thumb": self.phrase("stack_thumb"), "open": self.phrase("stack_open")}
        occurring = {segment.tone for stack in drawn for segment in stack.segments}
        legend = tuple((tone, name) for tone, name in names.items() if tone in occurring)
        facts = [fact for fact in (*TERMS, *PHASES, NEED) if any(fact in card.terms for card in cards)]
        rows = [(self.word(fact), *(self._cell(card.terms.get(fact)) for card in cards)) for fact in facts]
        rows.append((self.word(USABLE), *(self.said(card.usable["shown"]) for card in cards)))
        return Stacks(drawn, legend, (self.phrase("term"), *(card.name for card in cards)), tuple(rows))

    def _cell(self, entry: Document | None) -> str:
        return f"{self.said(entry['shown'])} [{self.rules_of(entry)}]" if entry is not None else "–"

    def _cards(self) -> Iterable[_Card]:
        machines = [(self.machine(), self.candidate)] if self.candidate is not None else []
        machines += [(self.named(machine), machine) for machine in (self.choice["chosen"] if self.choice is not None else ())]
        for name, machine in machines:
            terms = {entry["fact"]: entry for entry in machine["estimate"]}
            usable, need = machine["figures"][USABLE], terms.get(NEED)
            if need is None or "needs" in need or not usable["value"]["low"] or usable["value"]["high"] > _MOST * usable["value"]["low"]:
                continue
            yield _Card(name, terms, usable, need)

    def _stack(self, card: _Card, scale: float) -> Stack:
        need, usable = card.need["value"], card.usable["value"]
        phase = self._fullest(card.terms) if STRUCTURED in card.terms else ""
        parts = list(self._parts(card, phase))
        segments, at = [], 0.0
        for tone, name, low, shown in parts:
            segments.append(_segment(tone, f"{name}: {shown}", at, low, scale))
            at += low
        high = need["high"]
        if high > at:
            segments.append(_segment("open", f"{self.phrase('stack_open')}: {_bytes(high - at, high - at)}", at, high - at, scale))
        summary = self.phrase(
            "stack_summary",
            machine=card.name,
            need=self.said(card.need["shown"]),
            usable=self.said(card.usable["shown"]),
            phase=self.phrase("stack_phase", phase=self.phrase(f"phase.{phase}")) if phase else "",
        )
        gap, fits = self._gap(need, usable)
        return Stack(card.name, summary, gap, fits, tuple(s for s in segments if s.width > 0), _percent(usable["low"], scale), high > scale)

    def _fullest(self, terms: dict[str, Document]) -> str:
        known = [fact for fact in PHASES if fact in terms and "needs" not in terms[fact]]
        return max(known, key=lambda fact: (terms[fact]["value"]["high"], terms[fact]["value"]["low"]), default="")

    def _parts(self, card: _Card, phase: str) -> Iterable[tuple[str, str, float, str]]:
        """Tone, name, least bytes and text of each part, largest certainty first: always held, then the phase's, then the allocator's."""
        least, at = card.need["value"]["low"], 0.0
        if not phase:
            yield "thumb", self.phrase("stack_thumb"), least, self.said(card.need["shown"])
            return
        for fact in dict.fromkeys((*HELD, *PHASES[phase])):
            entry = card.terms.get(fact)
            low = entry["value"]["low"] if entry is not None and "needs" not in entry else 0.0
            if entry is not None and low > 0:
                low = min(low, max(least - at, 0.0))
                yield str(TERMS.index(fact)), self.word(fact), low, self.said(entry["shown"])
                at += low
        if least > at:
            yield "rest", self.phrase("stack_rest"), least - at, _bytes(least - at, least - at)

    def _gap(self, need: Document, usable: Document) -> tuple[str, str]:
        """What is left or missing, and whether it fits: yes, no or open."""
        low, high = usable["low"] - need["high"], usable["high"] - need["low"]
        if low >= 0:
            return self.phrase("headroom_left", gap=_bytes(low, high)), "yes"
        if high <= 0:
            return self.phrase("headroom_short", gap=_bytes(-high, -low)), "no"
        return self.phrase("headroom_open", least=_bytes(-low, -low), most=_bytes(high, high)), "open"

    def phrase(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)


def _segment(tone: str, text: str, at: float, size: float, scale: float) -> Segment:
    left = _percent(at, scale)
    return Segment(tone, text, left, round(_percent(at + size, scale) - left, 3))


def _percent(value: float, scale: float) -> float:
    """A place in the drawing, at its edge at most."""
    return round(100.0 * min(max(value / scale, 0.0), 1.0), 3)


def _bytes(low: float, high: float) -> str:
    assert _BYTE is not None
    return quantity.show(Interval(low, high), _BYTE)


def rounded_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5 times a power of ten."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1.0, 2.0, 2.5, 5.0, 10.0) if step * power >= value * (1 - 1e-9))
