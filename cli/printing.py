"""Reports on a terminal: the blocks of a report through rich, in colour where the terminal has it."""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gpurules.engine.decisions.decision import Document
from gpurules.engine.reports.blocks import Bar, Bars, Block, Grid, Item, Items, Section, Words
from gpurules.engine.reports.report import report
from gpurules.engine.values.problem import printable

TONES = {
    "stop": "bold red", "require": "bold red", "avoid": "red", "caution": "yellow", "recommend": "green", "note": "cyan",
    "strong": "bold", "quiet": "bright_black", "": "",
}  # fmt: skip
BAR_CELLS = 34
GLUE = "\ue000"
"""Stands for the space between a figure and its unit while lines are broken, so that both stay on one."""
SEAM = "\x1f"
"""Stands where a line of Chinese may be broken: white space to whoever breaks lines, and of no width."""
_CLOSING = frozenset("，。、；：！？…—·％‰,.;:!?%)]}/")
UNIT = re.compile(r"(?<=\d) (?=(?:[kKMGTP]?i?B|[kM]?W|[kMGTP]?FLOP|bytes?|bit|[kMG]b|h|min|s|ms|years?|days?|tokens|token/s|USD|CNY|EUR)\b|[%×])")


def report_text(decision: Document, format_: str, language: str, width: int | None) -> str:
    """A decision's report as text for this terminal, as Markdown or as HTML, as it goes to standard output."""
    if format_ == "markdown":
        from gpurules.engine.reports.markdown import markdown

        return markdown(decision, language)
    if format_ == "html":
        from gpurules.engine.reports.html import html

        return html(decision, language)
    columns = columns_of(width)
    return on_terminal((rendered(section, columns) for section in report(decision, language)), columns)


def columns_of(width: int | None) -> int:
    """Columns to print in: those asked for, the terminal's, or 120."""
    return min(width or (shutil.get_terminal_size((120, 24)).columns if sys.stdout.isatty() else 120), 200)


def on_terminal(parts: Iterable[RenderableType], columns: int) -> str:
    """What is printed on a terminal of so many columns, no line with white space at its end."""
    console = console_for(columns)
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in as_printed(capture.get()).splitlines())


def as_printed(text: str) -> str:
    """Text without the marks that told where lines may be broken and where not."""
    return text.replace(GLUE, " ").replace(SEAM, "")


def console_for(width: int, record: bool = False) -> Console:
    """A console that wraps at `width` and never guesses at markup, emoji or links. `record` keeps what it prints, for export."""
    return Console(width=width, record=record, highlight=False, markup=False, emoji=False, legacy_windows=False, soft_wrap=False)


def rendered(section: Section, width: int) -> RenderableType:
    """One section: its title, and its blocks set in by two columns."""
    body = Group(*(_block(b, width - 2) for b in section.blocks))
    return Group(Text(section.title.upper(), style="bold blue"), Padding(body, (0, 0, 1, 2)))


def _block(block: Block, width: int) -> RenderableType:
    match block:
        case Words(text, tone):
            return Text(_clean(text), style=TONES[tone])
        case Items(items):
            return _items(items)
        case Bars(bars):
            return _bars(bars, width)
        case Grid(heads, rows):
            return _grid(heads, rows)


def _clean(text: str) -> str:
    return seamed(UNIT.sub(GLUE, printable(text, 4000)))


def seamed(text: str) -> str:
    """Text with a seam beside every Chinese character, but none before closing and after opening punctuation."""
    if text.isascii():
        return text
    found = [text[:1]]
    for before, after in zip(text, text[1:], strict=False):
        if (_wide(before) or _wide(after)) and not (_opens(before) or closes(after) or GLUE in (before, after) or before.isspace() or after.isspace()):
            found.append(SEAM)
        found.append(after)
    return "".join(found)


def _wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


@cache
def _opens(character: str) -> bool:
    """Whether nothing is cut off after it: a bracket or quotation mark that opens, other than those of Latin-1."""
    return character == "/" or (character >= "\u2000" and unicodedata.category(character) in ("Ps", "Pi"))


@cache
def closes(character: str) -> bool:
    """Whether nothing is cut off before it."""
    return character in _CLOSING or (character >= "\u2000" and unicodedata.category(character) in ("Pe", "Pf"))


def _items(items: tuple[Item, ...]) -> RenderableType:
    table = Table.grid(padding=(0, 1), expand=False)
    labelled = any(i.label for i in items)
    if labelled:
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for item in items:
        text = Text(_clean(item.text), style="bright_black" if item.tone == "quiet" else "")
        if item.references:
            text.append(f" [{', '.join(_clean(r) for r in item.references)}]", style="bright_black")
        for detail in item.details:
            text.append("\n" + _clean(detail), style="bright_black")
        if item.command:
            text.append("\n$ " + _clean(item.command), style="cyan")
        table.add_row(*([Text(_clean(item.label), style=TONES.get(item.tone, ""))] if labelled else []), text)
    return table


def _bars(bars: tuple[Bar, ...], width: int) -> RenderableType:
    scale = max(b.high for b in bars) or 1.0
    cells = BAR_CELLS if width >= 110 else 20
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for bar in bars:
        low, high = round(cells * bar.low / scale), round(cells * bar.high / scale)
        drawn = Text("█" * low, style="green" if bar.have else "")
        drawn.append("░" * max(0, high - low))
        table.add_row(Text(printable(bar.label)), Text(printable(bar.shown, 200)), drawn, Text(_clean(bar.note), style="bright_black"))
    return table


def _grid(heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> RenderableType:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bright_black", show_edge=False)
    for index, head in enumerate(heads):
        table.add_column(_clean(head), overflow="fold", no_wrap=index == 0 and not any(" " in row[0] for row in rows))  # names stay whole
    for row in rows:
        table.add_row(*(Text(_clean(cell)) for cell in row))
    return table
