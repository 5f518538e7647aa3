"""The picture of the engine's floors, drawn from what its modules import: docs/floors.svg. Written by tools/generate.py."""

from __future__ import annotations

import ast
from collections import Counter
from html import escape
from pathlib import Path
from textwrap import wrap

ENGINE = Path(__file__).resolve().parents[1] / "engine"
FLOORS = {
    "records": "decisions kept, made again, compared",
    "sensitivity": "how far a figure can move",
    "inquiries": "why, why not, what would change it",
    "reports": "a decision laid out for people",
    "glances": "many places looked at as one",
    "decisions": "what came of it, as plain data",
    "inference": "from given facts to outcomes",
    "knowledge": "what is written in files",
    "language": "expressions of rules",
    "values": "numbers, units, truths",
}
"""From the top: a floor imports only those below it."""
WIDTH, LEFT = 380, 6
ROW, LETTER, GAP = 22, 6.7, 22
STYLE = """
text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
.name { font-size: 14px; font-weight: bold }
.quiet { fill: #59636e }
.floor { fill: #f3f5f7; stroke: #b7bfc8 }
.module { fill: #ffffff; stroke: #b7bfc8 }
.line { fill: none; stroke: #0969da; stroke-width: 1.3 }
.head { fill: #0969da }
.paper { fill: #ffffff }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .quiet { fill: #9aa4af }
  .floor { fill: #1b2129; stroke: #4a535e }
  .module { fill: #0d1117; stroke: #4a535e }
  .line { stroke: #58a6ff }
  .head { fill: #58a6ff }
  .paper { fill: #0d1117 }
}
"""


def modules(floor: str) -> list[str]:
    """The modules of a floor, by name."""
    return sorted(path.stem for path in (ENGINE / floor).glob("*.py") if path.stem != "__init__")


def imports() -> Counter[tuple[str, str]]:
    """How often a module of one floor imports one of another, by (floor, other floor)."""
    found: Counter[tuple[str, str]] = Counter()
    for floor in FLOORS:
        for module in modules(floor):
            tree = ast.parse((ENGINE / floor / f"{module}.py").read_text("utf-8"))
            names: set[tuple[str, str]] = set()
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gpurules.engine."):
                    other, _, inner = (node.module or "").removeprefix("gpurules.engine.").partition(".")
                    names |= {(other, inner)} if inner else {(other, alias.name) for alias in node.names}
            found.update((floor, other) for other, _ in names if other in FLOORS and other != floor)
    return found


def drawn() -> str:
    """The picture, as SVG that any browser shows; text stays text, and dark where the reader's system is."""
    counted = imports()
    parts: list[str] = []
    tops: dict[str, tuple[float, float]] = {}
    y = 6.0
    for floor, about in FLOORS.items():
        boxes, height = _boxes(modules(floor), y + 34)
        below = [f"{lower} {counted[floor, lower]}" for lower in FLOORS if counted[floor, lower]]
        boxes += [
            f'<text class="quiet" x="{LEFT + 10}" y="{y + 46 + height + 15 * row:g}">{line}</text>'
            for row, line in enumerate(wrap("imports " + ", ".join(below), 52) if below else ())
        ]
        height += 15 * sum('class="quiet"' in part for part in boxes) + (4 if below else 0)
        tops[floor] = (y, y + 34 + height)
        parts.append(f'<rect class="floor" x="{LEFT}" y="{y:g}" width="{WIDTH - 2 * LEFT}" height="{34 + height:g}" rx="5"/>')
        parts.append(f'<text class="name" x="{LEFT + 10}" y="{y + 21:g}">{floor}</text>')
        parts.append(f'<text class="quiet" x="{LEFT + 104}" y="{y + 20:g}">{escape(about)}</text>')
        parts += boxes
        y += 34 + height + GAP
    bottom = y - GAP + 6
    parts += _to_the_next(tops)
    said = "; ".join(f"{a} imports {n} times from {b}" for (a, b), n in sorted(counted.items(), key=lambda item: _rank(item[0])))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * 1.1:g}" height="{bottom * 1.1:g}" viewBox="0 0 {WIDTH} {bottom:g}" role="img">',
            "<!-- written by tools/generate.py; do not edit -->",
            f"<title>The ten floors of the engine</title>\n<desc>{escape(said)}.</desc>",
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{bottom:g}"/>',
            *parts,
            "</svg>\n",
        ]
    )


def _rank(edge: tuple[str, str]) -> tuple[int, int]:
    order = list(FLOORS)
    return order.index(edge[0]), order.index(edge[1])


def _boxes(names: list[str], top: float) -> tuple[list[str], float]:
    """Modules in rows, and the height that they take."""
    parts: list[str] = []
    x, y = LEFT + 8.0, top
    for name in names:
        wide = len(name) * LETTER + 10
        if x + wide > WIDTH - LEFT - 8:
            x, y = LEFT + 8.0, y + ROW
        parts.append(f'<rect class="module" x="{x:g}" y="{y:g}" width="{wide:.1f}" height="{ROW - 4}" rx="3"/>')
        parts.append(f'<text x="{x + 5:g}" y="{y + 12.5:g}">{name}</text>')
        x = round(x + wide + 5, 1)
    return parts, y - top + ROW + 6


def _to_the_next(tops: dict[str, tuple[float, float]]) -> list[str]:
    """Arrows from each floor to the one below it."""
    parts: list[str] = []
    order = list(FLOORS)
    for upper, lower in zip(order, order[1:], strict=False):
        start, end, x = tops[upper][1], tops[lower][0], WIDTH / 2
        parts.append(f'<path class="line" d="M{x:g} {start:g}V{end - 6:g}"/><path class="head" d="M{x - 4:g} {end - 7:g}h8l-4 7z"/>')
    return parts
