"""The pictures of renting against owning: spending year by year with the break-even point, and what moves the difference."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.wording import TELLING
from gpurules.engine.reports.charts import rounded_up
from gpurules.engine.reports.page_phrases import phrase
from gpurules.engine.reports.reader import Reader, brief

_YEAR = 8760 * 3600.0
_CURRENCY = re.compile(r"\b[A-Z]{3}\b")


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """Spending of one side: the corners of its band and of its middle, x and y in per cent, y downwards."""

    tone: str
    name: str
    band: str
    middle: str


@dataclass(frozen=True, slots=True)
class Lines:
    """`even`: left end and width of the break-even band, None where it lies beyond the picture."""

    lines: tuple[Line, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    even: tuple[float, float] | None
    even_text: str
    summary: str


@dataclass(frozen=True, slots=True)
class Swing:
    """What a result may be with one figure at either end: places of both bars in per cent."""

    name: str
    now: str
    low: tuple[float, float]
    high: tuple[float, float]
    low_text: str
    high_text: str


@dataclass(frozen=True, slots=True)
class Tornado:
    """`zero`: the place of the line that separates one answer from the other."""

    swings: tuple[Swing, ...]
    zero: float


class CostChartReader(Reader):
    """Reads the pictures from the comparison of costs."""

    def lines(self) -> Lines | None:
        """Both sides from now to the last whole year; None without at least one year, or where the sums tell nothing."""
        found = self.decision.get("cost")
        if not found or not found["years"] or not all(_telling(found["years"][-1][side]["value"]) for side in ("own", "rent")):
            return None
        start = next(part["value"] for part in found["parts"] if part["fact"] == "cost.purchase")
        spent = {"own": [start, *(y["own"]["value"] for y in found["years"])], "rent": [_NOTHING, *(y["rent"]["value"] for y in found["years"])]}
        most = max(value["high"] for side in spent.values() for value in side)
        step = rounded_up(most / 4)
        top, last = step * -(-most // step), len(found["years"])
        currency = next(iter(_CURRENCY.findall(found["totals"]["own"]["shown"]["en"])), "")
        lines = tuple(self._line(side, values, last, top) for side, values in spent.items())
        across = tuple(Tick(round(100.0 * n / last, 3), self._phrase("year", number=n) if n else self._phrase("now")) for n in range(last + 1))
        up = tuple(Tick(round(100 - 100 * n * step / top, 3), f"{_short(n * step)} {currency}".strip()) for n in range(1, round(top / step) + 1))
        time = next(figure for figure in found["break_even"] if figure["fact"] == "cost.break_even_time")
        even = self._even(time["value"], last)
        text = self._phrase("cost_break_even" if even else "cost_beyond", time=brief(self.said(time["shown"])))
        sides = (f"{self.word(side)}: {self.said(found['years'][-1][side]['shown'])}" for side in ("own", "rent"))
        return Lines(lines, across, up, even, text, self.join([f"{self.word('years', count=last)}: {self.join(sides)}", text]))

    def _line(self, side: str, values: list[Document], last: int, top: float) -> Line:
        def point(n: int, amount: float) -> str:
            return f"{100 * n / last:.3f},{100 - 100 * amount / top:.3f}"

        upper = [point(n, v["high"]) for n, v in enumerate(values)]
        lower = [point(n, v["low"] or 0.0) for n, v in enumerate(values)]
        middle = [point(n, ((v["low"] or 0.0) + v["high"]) / 2) for n, v in enumerate(values)]
        return Line(side, self.word(side), " ".join([*upper, *reversed(lower)]), " ".join(middle))

    def _even(self, value: Document, last: int) -> tuple[float, float] | None:
        if value["low"] is None or value["low"] >= last * _YEAR:
            return None
        left, right = (100 * min((last * _YEAR if end is None else end) / (last * _YEAR), 1.0) for end in (value["low"], value["high"]))
        return round(left, 3), round(max(right - left, 0.4), 3)

    def tornado(self) -> Tornado | None:
        """The difference with one open figure at either end, the widest first."""
        found = self.decision.get("cost")
        moving = [figure for figure in (found["decides"] if found else ()) if figure["share"] and None not in _ends(figure)]
        if not moving:
            return None
        ends = [end for figure in moving for end in _ends(figure)]
        least, most = min(0.0, *ends), max(0.0, *ends)

        def place(value: float) -> float:
            return round(100 * (value - least) / ((most - least) or 1.0), 3)

        def span(side: Document) -> tuple[float, float]:
            left, right = place(side["value"]["low"]), place(side["value"]["high"])
            return left, round(max(right - left, 0.5), 3)

        def swing(figure: Document) -> Swing:
            low, high = figure["low"], figure["high"]
            return Swing(
                self.said(figure["title"]), self.said(figure["now"]["shown"]), span(low), span(high), self.said(low["shown"]), self.said(high["shown"])
            )

        return Tornado(tuple(swing(figure) for figure in moving), place(0.0))

    def _phrase(self, key: str, **values: object) -> str:
        return phrase(key, self.language, **values)


_NOTHING = {"low": 0.0, "high": 0.0}


def _telling(value: Document) -> bool:
    """Whether a sum has an upper end, and a lower one that says something."""
    return value["high"] is not None and 0 < value["high"] <= TELLING * (value["low"] or 0.0)


def _ends(figure: Document) -> list[float]:
    return [figure[side]["value"][end] for side in ("low", "high") for end in ("low", "high")]


def _short(amount: float) -> str:
    """An amount on an axis: 250k, 1.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if amount >= size:
            return f"{amount / size:g}{letter}"
    return f"{amount:g}"
