"""A plane on paper: a map of its decisions, what each of them is, where two of them meet and because of which rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import rejection
from gpurules.engine.inquiries.axis import Axis, Cell
from gpurules.engine.inquiries.boundary import Decided, Sweep, differing
from gpurules.engine.inquiries.decision_words import DecisionWords
from gpurules.engine.inquiries.plane import Border, Plane
from gpurules.engine.inquiries.tree_phrases import phrase
from gpurules.engine.reports import blocks
from gpurules.engine.reports.blocks import Block, Item, Items, Section, Words

COLUMNS, ROWS = 60, 17
"""Marks of a map across and down."""
MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
OPEN, CONTRADICTION, MANY = "·", "–", "#"
PAIRS = 16
"""Pairs of decisions of which is told what makes them differ."""


@dataclass(frozen=True, slots=True)
class NoPlane:
    """Listed values with which the facts contradict each other, and why."""

    settings: Sequence[Setting]
    problem: str
    language: str

    def sections(self) -> tuple[Section, ...]:
        named = ", ".join(f"{s.path} = {s.text}" for s in self.settings)
        return (Section("plane", phrase("plane_title", self.language), (Words(f"{named}: {self.problem}", "caution"),)),)

    def document(self) -> dict[str, Any]:
        return {"kind": "plane", "set": {s.path: s.text for s in self.settings}, "contradiction": self.problem}


class PlaneReport:
    """A plane of one sweep in one language; `settings` are those of its facts that are varied through lists."""

    def __init__(self, plane: Plane, sweep: Sweep, language: str, settings: Sequence[Setting] = ()) -> None:
        self.plane, self.sweep, self.language, self.settings = plane, sweep, language, settings
        self.words = DecisionWords(sweep.trial.rulebook, language)

    def say(self, key: str, **values: object) -> str:
        return phrase(f"plane_{key}", self.language, **values)

    @cached_property
    def marks(self) -> dict[Decided, str]:
        """One for each decision, the one that holds at most places first."""
        marks = iter(MARKS)
        return {one: CONTRADICTION if one.signature is None else next(marks, MANY) for one in self.plane.shares}

    # ------------------------------------------------------------ as a report

    def sections(self) -> tuple[Section, ...]:
        plane = self.plane
        facts = f"{plane.across.path} × {plane.down.path}"
        named = "".join(f"{s.path} = {s.text}, " for s in self.settings)
        head = Words(self.say("head", facts=facts, name=named, decisions=len(plane.shares), decided=self._share(plane.decided)))
        found = [
            Section("plane", self.say("title"), (head, self._map(), *self._certainty())),
            Section("decisions", self.say("decisions"), (self._legend(),)),
        ]
        if self._pairs:
            found.append(Section("borders", self.say("borders"), (self._borders(), Words(phrase("grid_legend", self.language), "quiet"))))
            rules = sorted({rule for one, other in self._pairs for rule in self._reasons(one, other) if rule in self.words.rulebook.rules})
            found.append(
                Section(
                    "rules", phrase("grid_rules", self.language), (Items(tuple(Item(r, self.words.rulebook.rules[r].title.get(self.language)) for r in rules)),)
                )
            )
        return tuple(found)

    def _share(self, share: Fraction) -> str:
        """Of an unsettled or rare rest no more is said than is so: neither all of the plane nor none of it."""
        return f"{int(share) * 100} %" if share in (0, 1) else f"{min(float(share) * 100, 99.9):.1f} %" if share >= Fraction(1, 2000) else "< 0.1 %"

    def _map(self) -> blocks.Grid:
        across, down = self.plane.across, self.plane.down
        columns = _sampled(across, COLUMNS)
        rows = []
        for place in reversed(_sampled(down, ROWS)):
            labels = (self.plane.at(column, place).label for column in columns)
            rows.append((self._at(down, place), "".join(OPEN if label is None else self.marks[label] for label in labels)))
        return blocks.Grid((f"{down.path} ↑", f"{across.path} → {self._at(across, columns[0])} … {self._at(across, columns[-1])}"), tuple(rows))

    def _at(self, axis: Axis, place: int) -> str:
        return axis.definition.show(axis.value((place, place)), self.language)

    def _between(self, axis: Axis, cell: Cell) -> str:
        return axis.definition.show(axis.value(cell), self.language)

    def _certainty(self) -> Iterator[Block]:
        open_ = self.plane.open
        if not open_:
            yield Words(self.say("settled"), "quiet")
            return
        steps = {axis: max(last - first + 1 for first, last in cells) for axis, cells in self._open_cells().items()}
        yield Words(
            self.say(
                "open", share=self._share(1 - self.plane.decided), across=self.plane.across.path, down=self.plane.down.path,
                wide=f"{steps[self.plane.across]:,}", high=f"{steps[self.plane.down]:,}",
            ),
            "quiet",
        )  # fmt: skip

    def _open_cells(self) -> dict[Axis, list[Cell]]:
        return {self.plane.across: [r.across for r in self.plane.open], self.plane.down: [r.down for r in self.plane.open]}

    def _legend(self) -> blocks.Grid:
        rows = []
        for one, share in self.plane.shares.items():
            said = (
                (phrase("grid_contradiction", self.language), "–")
                if one.signature is None
                else (self.words.status(one.signature), self.words.machines(one.signature))
            )
            rows.append((self.marks[one], self._share(share), *said))
        if self.plane.open:
            rows.append((OPEN, self._share(1 - self.plane.decided), self.say("unsettled"), ""))
        return blocks.Grid(("", self.say("share"), phrase("grid_decision", self.language), phrase("grid_machines", self.language)), tuple(rows))

    def _borders(self) -> blocks.Grid:
        rows = []
        for (one, other), borders in list(self._pairs.items())[:PAIRS]:
            where = [
                self._where(axis, [b for b in borders if b.axis is axis])
                for axis in (self.plane.across, self.plane.down)
                if any(b.axis is axis for b in borders)
            ]
            rules = " ".join(self._reasons(one, other, True)) or (self.say("ranking") if one.signature and other.signature else "")
            rows.append((f"{self.marks[one]} → {self.marks[other]}", "; ".join(where), rules))
        return blocks.Grid(("", self.say("where"), self.say("rules")), tuple(rows))

    def _where(self, axis: Axis, borders: list[Border]) -> str:
        """Between which two values of a fact decisions meet, a step apart; where that moves, the first such value and the last."""
        first, last = min(b.between for b in borders), max(b.between for b in borders)
        shown = [f"{self._at(axis, one)} | {self._at(axis, other)}" for one, other in dict.fromkeys((first, last))]
        return f"{axis.path} {' … '.join(shown)}"

    @cached_property
    def _pairs(self) -> dict[tuple[Decided, Decided], list[Border]]:
        """Decisions that meet, those that do so along most first."""
        found: dict[tuple[Decided, Decided], list[Border]] = {}
        for border in self.plane.borders:
            found.setdefault((border.first, border.second), []).append(border)
        return found

    def _reasons(self, one: Decided, other: Decided, marked: bool = False) -> list[str]:
        """The rules that make two decisions differ: those whose advice does, and the requirements that their machines meet otherwise."""
        if one.signature is None or other.signature is None:
            return []
        changes = self.words.changes(one.signature, other.signature).split()
        found = changes if marked else [c[1:] for c in changes if c[0] in "+−~"]
        return [*found, *(f"≠{rule}" if marked else rule for rule in self._requirements(one, other))]

    def _requirements(self, one: Decided, other: Decided) -> list[str]:
        key = one, other
        if key not in self._known:
            border = self._pairs[key][0]
            other_axis = self.plane.down if border.axis is self.plane.across else self.plane.across
            beside = other_axis.value((border.along[0],) * 2)
            sides = [self.sweep.trial.evaluate({border.axis: border.axis.value((place, place)), other_axis: beside}) for place in border.between]
            first, second = sides
            made = first is not None and second is not None and one.signature is not None and other.signature is not None and self.sweep.machines
            found = rejection.between((one.signature, first), (other.signature, second)) if made else ()  # type: ignore[arg-type]
            self._known[key] = list(dict.fromkeys(r.rule for r in found))[:PAIRS]
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[Decided, Decided], list[str]]:
        return {}

    # ------------------------------------------------------------ as data

    def document(self) -> dict[str, Any]:
        """The plane as plain data: its rectangles, what each decision is, and where two of them are a step apart."""
        plane = self.plane
        decisions: dict[str, Any] = {}
        for one, share in plane.shares.items():
            if one.signature is not None:
                (status, *machines), advice = one.signature
                decisions[self._name(one)] = {"status": status, "machines": machines, "advice": [list(a) for a in sorted(advice)], "share": float(share)}
        regions = [{"from": self._ends(r.across, r.down, 0), "to": self._ends(r.across, r.down, 1), **self._told(r.label)} for r in plane.regions]
        borders = [
            {
                "decisions": [self._name(b.first), self._name(b.second)], "fact": b.axis.path,
                "from": b.axis.text(b.axis.value((b.between[0],) * 2)), "to": b.axis.text(b.axis.value((b.between[1],) * 2)),
                "rules": sorted(differing(b.first.signature, b.second.signature)) if b.first.signature and b.second.signature else [],
            }
            for b in plane.borders
        ]  # fmt: skip
        return {
            "kind": "plane", "set": {s.path: s.text for s in self.settings}, "vary": [plane.across.path, plane.down.path], "decided": float(plane.decided),
            "decisions": decisions, "regions": regions, "borders": borders,
        }  # fmt: skip

    def _name(self, one: Decided) -> str:
        """A mark where there are enough, else a number."""
        place = list(self.plane.shares).index(one)
        return "contradiction" if one.signature is None else self.marks[one] if self.marks[one] != MANY else str(place + 1)

    def _told(self, label: Decided | None) -> dict[str, object]:
        return {"undecided": True} if label is None else {"contradiction": True} if label.signature is None else {"decision": self._name(label)}

    def _ends(self, across: Cell, down: Cell, end: int) -> dict[str, str]:
        pairs = ((self.plane.across, across[end]), (self.plane.down, down[end]))
        return {axis.path: axis.text(axis.value((place, place))) for axis, place in pairs}


def _sampled(axis: Axis, most: int) -> list[int]:
    """Places of an axis at even distances, its ends among them: all of them where they are few."""
    first, last = axis.cells[0][0], axis.cells[-1][1]
    count = min(most, last - first + 1)
    return [first + round((last - first) * number / max(count - 1, 1)) for number in range(count)]
