"""The picture of estimated against measured peaks: docs/accuracy.svg. Both axes are logarithmic; a bar is the interval, a mark its middle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from accuracy import TASKS, Row

WIDTH, HEIGHT = 764, 720
LEFT, RIGHT, TOP, BOTTOM = 82, 736, 92, 644
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
STYLE = """
text { font: 20px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.paper { fill: #ffffff }
.frame { fill: none; stroke: #818b98; stroke-width: 1.5 }
.grid { stroke: #d8dee4; stroke-width: 1 }
.diagonal { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 7 5 }
.bar { stroke-width: 2; opacity: .4 }
.mark { fill-opacity: .85; stroke: none }
.train_full { fill: #0969da; stroke: #0969da }
.train_lora { fill: #bf3989; stroke: #bf3989 }
.train_qlora { fill: #1a7f37; stroke: #1a7f37 }
.inference { fill: #bc4c00; stroke: #bc4c00 }
.mark { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .paper { fill: #0d1117 }
  .frame { stroke: #656c76 }
  .grid { stroke: #262c36 }
  .diagonal { stroke: #9aa4af }
  .bar { opacity: .5 }
  .train_full { fill: #58a6ff; stroke: #58a6ff }
  .train_lora { fill: #ff8fc8; stroke: #ff8fc8 }
  .train_qlora { fill: #56d364; stroke: #56d364 }
  .inference { fill: #f0a04b; stroke: #f0a04b }
  .mark { stroke: none }
}
"""
SIZE = 5.5


def _circle(x: float, y: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{SIZE}"'


def _polygon(*corners: tuple[float, float]) -> Callable[[float, float], str]:
    def draw(x: float, y: float) -> str:
        return f'<polygon points="{" ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)}"'

    return draw


MARKS: dict[str, Callable[[float, float], str]] = {
    "train_full": _circle,
    "train_lora": _polygon((-5, -5), (5, -5), (5, 5), (-5, 5)),
    "train_qlora": _polygon((0, -6.5), (6, 5), (-6, 5)),
    "inference": _polygon((0, -7), (6, 0), (0, 7), (-6, 0)),
}
"""A shape for every task, for those who cannot tell the colors."""


def svg(rows: Sequence[Row]) -> str:
    """The picture of the rows whose peaks count."""
    counted = [r for r in rows if r.counts]
    reached = [v / 1e9 for r in counted if r.need for v in (r.peak, max(r.need.low, r.peak / 10), min(r.need.high, r.peak * 10))]
    low, high = (min(reached), max(reached)) if reached else (1, 100)
    first, last = max((t for t in TICKS if t <= low), default=TICKS[0]), min((t for t in TICKS if t >= high), default=TICKS[-1])

    def along(value: float, start: float, end: float) -> float:
        share = (math.log(min(max(value, first), last)) - math.log(first)) / (math.log(last) - math.log(first))
        return start + share * (end - start)

    def x(value: float) -> float:
        return along(value, LEFT, RIGHT)

    def y(value: float) -> float:
        return along(value, BOTTOM, TOP)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>Estimated against measured peak memory of a card, {len(counted)} published runs</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
    ]
    for tick in (t for t in TICKS if first <= t <= last):
        lines.append(f'<line class="grid" x1="{x(tick):.1f}" y1="{TOP}" x2="{x(tick):.1f}" y2="{BOTTOM}"/>')
        lines.append(f'<line class="grid" x1="{LEFT}" y1="{y(tick):.1f}" x2="{RIGHT}" y2="{y(tick):.1f}"/>')
        lines.append(f'<text x="{x(tick):.1f}" y="{BOTTOM + 27}" text-anchor="middle">{tick}</text>')
        lines.append(f'<text x="{LEFT - 10}" y="{y(tick) + 7:.1f}" text-anchor="end">{tick}</text>')
    lines.append(f'<line class="diagonal" x1="{LEFT}" y1="{BOTTOM}" x2="{RIGHT}" y2="{TOP}"/>')
    for task in TASKS:
        own = [r for r in counted if r.point.group == task]
        for r in own:
            assert r.need is not None
            place, ends = f"{x(r.peak / 1e9):.1f}", (f"{y(r.need.low / 1e9):.1f}", f"{y(r.need.high / 1e9):.1f}")
            lines.append(f'<line class="bar {task}" x1="{place}" y1="{ends[0]}" x2="{place}" y2="{ends[1]}"/>')
        lines += [f'{MARKS[task](x(r.peak / 1e9), y(r.middle / 1e9))} class="mark {task}"/>' for r in own]
    lines.append(f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{RIGHT - LEFT}" height="{BOTTOM - TOP}"/>')
    lines += _legend(counted)
    lines.append(f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{HEIGHT - 16}" text-anchor="middle">measured peak of a card, GB</text>')
    middle = (TOP + BOTTOM) / 2
    lines.append(f'<text x="26" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 26 {middle:.0f})">estimated, GB (bar: interval)</text>')
    return "\n".join([*lines, "</svg>\n"])


def _legend(counted: Sequence[Row]) -> list[str]:
    """Two rows of two tasks above the picture."""
    lines = []
    for place, (task, title) in enumerate(TASKS.items()):
        left, top = LEFT + 10 + 330 * (place % 2), 32 + 32 * (place // 2)
        lines.append(f'{MARKS[task](left, top)} class="mark {task}"/>')
        lines.append(f'<text x="{left + 18}" y="{top + 7}">{title} ({sum(r.point.group == task for r in counted)})</text>')
    return lines
