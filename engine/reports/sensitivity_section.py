"""The section on sensitivity: how far each figure of the rulebook can move before the verdict is another, nearest first.

It reads the answer to `gpurules sensitivity` as plain data, as `--format json` prints it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Grid, Item, Items, Section, Words
from gpurules.engine.reports.sensitivity_phrases import phrase

KEY = "sensitivity"
SHOWN = 20
"""Figures that the picture shows at most; the table has all."""
_EDGE = math.log(4)


@dataclass(frozen=True, slots=True)
class Room:
    """One bar: where the verdict stays, left end and width in per cent, the present figure in the middle; and what is said beside it."""

    rule: str
    name: str
    text: str
    left: float
    width: float
    down: str
    up: str
    label: str


@dataclass(frozen=True, slots=True)
class Rooms:
    """The picture: a bar a figure, and all of it as a table. `constant` are the figures that change nothing."""

    rooms: tuple[Room, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    constant_heads: tuple[str, ...]
    constant: tuple[tuple[str, ...], ...]


class SensitivityReader:
    """Reads a sensitivity answer in one language."""

    def __init__(self, found: Document, language: str) -> None:
        self.found, self.language = found, language

    # ------------------------------------------------------------ blocks

    def section(self, cells: int = 0, everything: bool = False) -> Section:
        """All of it; with `cells`, each figure has a bar of as many characters; `everything` lists what changes nothing, too."""
        found = self.found
        blocks: list[Block] = [Words(self._say("now", verdict=self.verdict(found["now"])), "strong"), *self.lead()]
        if found["figures"]:
            blocks.append(Items(tuple(self._item(f, cells) for f in found["figures"])))
        blocks += self.rest(everything)
        return Section(KEY, self._say("title"), tuple(blocks))

    def conflicts(self) -> Section:
        """The verdict under the other side of each conflict that was met."""
        turned = [c for c in self.found["conflicts"] if "verdict" in c]
        items = tuple(Item(c["id"], self._said(c["about"]), tuple(c["rules"]), "caution" if c["verdict_changes"] else "", (self._turned(c),)) for c in turned)
        rest = len(self.found["conflicts"]) - len(turned)
        blocks: list[Block] = [Items(items)] if items else [Words(self._say("no_conflicts"))]
        if rest:
            blocks.append(Words(self._say("conflict_none", count=rest), "quiet"))
        return Section("other_sides", self._say("conflicts"), tuple(blocks))

    def lead(self) -> list[Block]:
        changing = sum(f["nearest"] is not None for f in self.found["figures"])
        text = self._say("lead_some", count=changing) if changing else self._say("lead_none")
        if not self.found["budget_reached"]:
            return [Words(text)]
        return [Words(text), Words(self._say("budget", count=f"{self.found['evaluations']:,}", figures=len(self.found["unsettled"])), "caution")]

    def rest(self, everything: bool = False, fold: bool = False) -> list[Block]:
        """What changes nothing: counted, or listed."""
        found, blocks = self.found, list[Block]()
        told = [self._say("constant", count=len(found["constant"]))] if found["constant"] else []
        if told and not everything and not fold:
            told.append(self._say("all"))
        told += [self._say("unused", count=found["unused"])] if found["unused"] else []
        told += [self._say("zero", count=len(found["zero"]))] if found["zero"] else []
        told.append(self._say("counted", count=f"{found['evaluations']:,}"))
        blocks.append(Words(("" if self.language == "zh" else " ").join(told), "quiet"))
        if everything and found["constant"]:
            blocks.append(Grid(*self._constant()))
        return blocks

    def _item(self, figure: Document, cells: int) -> Item:
        details = [self.bar(figure, cells)] if cells else []
        details += [f"{arrow} {self.side(figure, way)}" for arrow, way in (("▼", "down"), ("▲", "up"))]
        details += [" · ".join(self._about(figure)), *self._cited(figure)]
        text = self._say("named", name=self.name(figure), text=figure["text"], title=self._said(figure["title"]))
        return Item(figure["rule"], text, (), "strong", tuple(details))

    def bar(self, figure: Document, cells: int) -> str:
        """The room as characters: a line where the verdict stays, the figure as it is in the middle, dots where it is another."""
        half = cells // 2
        left, right = (round(half * abs(self._at(figure, way))) for way in ("down", "up"))
        ends = [figure[way]["kind"] in ("constant",) for way in ("down", "up")]
        below = "·" * (half - left) + ("━" if ends[0] else "┣") * (left > 0) + "━" * max(0, left - 1)
        above = "━" * max(0, right - 1) + ("━" if ends[1] else "┫") * (right > 0) + "·" * (half - right)
        return f"{below}╋{above}"

    def rooms(self) -> Rooms:
        """The picture of the page."""
        drawn = []
        for figure in self.found["figures"][:SHOWN]:
            left, right = (50 + 50 * self._at(figure, way) for way in ("down", "up"))
            down, up = self.side(figure, "down"), self.side(figure, "up")
            name = self.name(figure)
            label = self._say("picture_bar", figure=f"{figure['rule']} {name}", text=figure["text"], down=down, up=up)
            text = self._say("named", name=name, text=figure["text"], title=self._said(figure["title"]))
            drawn.append(Room(figure["rule"], name, text, round(left, 3), round(max(right - left, 0.4), 3), down, up, label))
        heads = tuple(self._say(key) for key in ("figure", "value", "down", "up", "source"))
        rows = tuple(
            (
                f"{figure['rule']} {self.name(figure)}",
                figure["text"],
                self.side(figure, "down"),
                self.side(figure, "up"),
                " ".join([*self._about(figure), *self._cited(figure)]),
            )
            for figure in self.found["figures"]
        )
        return Rooms(tuple(drawn), heads, rows, *self._constant())

    def _constant(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        heads = tuple(self._say(key) for key in ("figure", "value", "range"))
        rows = []
        for figure in self.found["constant"]:
            between = self._say("between", down=figure["down"]["text"], up=figure["up"]["text"])
            rows.append((f"{figure['rule']} {self.name(figure)}", figure["text"], between))
        return heads, tuple(rows)

    # ------------------------------------------------------------ pieces

    def name(self, figure: Document) -> str:
        """A parameter's name, of a row of a table with what it holds for."""
        if "row" not in figure:
            return str(figure["name"])
        keys = (f"{fact} {'|'.join(self._say('any') if m == 'any' else m for m in members)}" for fact, members in figure["row"]["keys"].items())
        colon, comma = ("（", "，") if self.language == "zh" else (" (", ", ")
        return f"{figure['name']}{colon}{self._say('row', number=figure['row']['number'], keys=comma.join(keys))}{'）' if self.language == 'zh' else ')'}"

    def side(self, figure: Document, way: str) -> str:
        """What moving a figure one way comes to."""
        side = figure[way]
        if side["kind"] == "change":
            return self._say("side_change", text=side["text"], change=_percent(side["factor"]), verdict=self.verdict(side["verdict"]))
        key = f"side_limit_{side['because']}" if side["kind"] == "limit" else f"side_constant_{way}" if side["kind"] == "constant" else "side_open"
        return self._say(key, text=side["text"])

    def verdict(self, verdict: Document) -> str:
        status = self._say(f"status_{verdict['status']}")
        machines = ("；" if self.language == "zh" else "; ").join(self._said(m["name"]) for m in verdict["machines"])
        return self._say("verdict", status=status, machines=machines) if machines else status

    def _turned(self, conflict: Document) -> str:
        key = "conflict_other" if conflict["verdict_changes"] else "conflict_advice" if conflict["advice_changes"] else "conflict_same"
        return self._say(key, verdict=self.verdict(conflict["verdict"]))

    def _about(self, figure: Document) -> Iterable[str]:
        if figure["also"]:
            yield self._say("also", figures=", ".join(figure["also"]))
        if figure["since"]:
            yield self._say("since", date=figure["since"])

    def _cited(self, figure: Document) -> Iterable[str]:
        for one in figure["cites"]:
            yield self._say("cited", claim=one["claim"], says=self._said(one["says"]), source=self._said(one["source"]))

    @staticmethod
    def _at(figure: Document, way: str) -> float:
        """How far the verdict stays, from -1 (a quarter) over 0 (as it is) to 1 (four times)."""
        factor = figure[way]["factor"]
        if figure[way]["kind"] == "constant":
            return -1.0 if way == "down" else 1.0
        return max(-1.0, min(1.0, math.log(factor) / _EDGE)) if factor > 0 else -1.0

    def _said(self, text: dict[str, str]) -> str:
        return text[self.language]

    def _say(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)


def _percent(factor: float) -> str:
    """A relative move with its sign: `−0.1 %`, `+13 %`."""
    change = 100 * (factor - 1)
    size = f"{abs(change):.1f}" if abs(change) < 10 else f"{abs(change):.0f}"
    return f"{'−' if change < 0 else '+'}{size} %"
