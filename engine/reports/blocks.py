"""The blocks that reports are made of: plain data that any printer can show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph. `tone` is a level of advice, "strong", "quiet" or ""."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a list: a label in front, the text, references behind it, quieter lines below."""

    label: str
    text: str
    references: tuple[str, ...] = ()
    tone: str = ""
    details: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """An amount on a common scale, in bytes: certain up to `low`, possible up to `high`."""

    label: str
    low: float
    high: float
    shown: str
    note: str
    have: bool


@dataclass(frozen=True, slots=True)
class Bars:
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the heads of its columns, and its rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Words | Items | Bars | Grid


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    title: str
    blocks: tuple[Block, ...]
