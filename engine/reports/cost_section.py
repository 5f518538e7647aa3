"""The section on renting or buying: both sides year by year, where they break even, and which open figure decides."""

from __future__ import annotations

from collections.abc import Iterable

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Block, Grid, Words
from gpurules.engine.reports.reader import Reader, brief

_NEXT = 4
"""Further open figures that the section names."""
_SIDES = ("own", "rent", "difference")


class CostReader(Reader):
    """Reads the comparison of renting with owning."""

    def cost(self) -> list[Block]:
        found = self.decision.get("cost")
        if not found:
            return []
        heads = (self.word("after"), self.word("own"), self.word("rent"), self.word("own_less_rent"))
        rows = [self._row(self.word("years", count=year["year"]), year) for year in found["years"]]
        total = self.word("less_residual", horizon=self.said(found["horizon"]["shown"]))
        blocks: list[Block] = [
            Words(self.word(f"cheaper_{found['cheaper']}"), "strong" if found["cheaper"] != "depends" else "caution"),
            Grid(heads, (*rows, self._row(total, found["totals"]))),
            Words(self.word("made_of", parts=self._figures(found["parts"])), "quiet"),
            Words(self.word("break_even", parts=self._figures(found["break_even"]))),
        ]
        return [*blocks, *self._moving(found["decides"] if found["cheaper"] == "depends" else ())]

    def cost_line(self) -> str:
        """Both totals and which is less, as the verdict says it; "" where one is not known."""
        found = self.decision.get("cost")
        if not found:
            return ""
        own, rent = (self.said(found["totals"][side]["shown"]) for side in ("own", "rent"))
        if brief(own) != own or brief(rent) != rent:
            return ""
        said = {"horizon": self.said(found["horizon"]["shown"]), "own": own, "rent": rent, "cheaper": self.word(f"cheaper_{found['cheaper']}")}
        deciding = next((d["fact"] for d in found["decides"] if d["share"]), None) if found["cheaper"] == "depends" else None
        return self.word("cost_line", **said) if deciding is None else self.word("cost_line_open", **said, fact=deciding)

    def _row(self, label: str, values: Document) -> tuple[str, ...]:
        """One row; what an unknown figure needs is said below, and not in a narrow column."""
        return (label, *(brief(self.said(values[side]["shown"])) for side in _SIDES))

    def _figures(self, figures: Iterable[Document]) -> str:
        colon = "：" if self.language == "zh" else ": "
        return self.join(f"{self.said(figure['title'])}{colon}{self.said(figure['shown'])}" for figure in figures)

    def _moving(self, figures: Iterable[Document]) -> list[Block]:
        """What to get a quote for first: the figure that moves the difference most, then the others."""
        found = [figure for figure in figures if figure["share"]]
        if not found:
            return []
        first = found[0]
        ends = {end: self.word(f"cheaper_{first[end]['cheaper']}") for end in ("low", "high")}
        text = self.word("cost_decides", fact=first["fact"], now=self.said(first["now"]["shown"]), share=f"{first['share'] * 100:.0f} %", **ends)
        others = self.join(f"{figure['fact']} {figure['share'] * 100:.0f} %" for figure in found[1 : _NEXT + 1])
        return [Words(text), *([Words(self.word("cost_also", facts=others), "quiet")] if others else [])]
