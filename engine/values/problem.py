"""Problems: what is wrong, where, and what to write instead. They are collected, sorted and raised once, at the boundary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

CONTROL = {c: f"\\x{c:02x}" for c in (*range(32), *range(127, 160))}
_UNSEEN = (0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC))
CONTROL |= {c: f"\\u{c:04x}" for c in _UNSEEN}
CONTROL |= {c: f"\\U{c:08x}" for c in range(0xE0000, 0xE0080)}
"""Characters that could steer a terminal, end or reverse a line, or stand in a text unseen; they are shown as escapes."""

MAX_LINE = 1000
"""Characters of the longest message."""


def printable(text: str, limit: int = 80) -> str:
    """`text` made safe for one line of a terminal: control, bidirectional, invisible and surrogate characters escaped, cut to `limit`."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return text.translate(CONTROL).encode("utf-8", "backslashreplace").decode("utf-8")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A point in a file; line and column count from 1, in characters. Line 0 means the file as a whole."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        file = printable(self.file, MAX_LINE)
        return f"{file}:{self.line}:{self.column}" if self.line else file

    def shifted(self, columns: int) -> Place:
        """The same line, `columns` further right."""
        return Place(self.file, self.line, self.column + columns)


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault: its place, its stable code, what is wrong, and one line on how to mend it. Whatever the input held, both are safe to print."""

    place: Place
    code: str
    message: str
    mend: str = ""

    def __post_init__(self) -> None:
        for name in ("message", "mend"):
            object.__setattr__(self, name, printable(getattr(self, name), MAX_LINE))

    def __str__(self) -> str:
        line = f"{self.place}: {self.code} {self.message}"
        return f"{line}\n    {self.mend}" if self.mend else line


class GpurulesError(Exception):
    """Input that cannot be used. Carries every problem found, sorted by place and code, without repeats."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(p) for p in self.problems))


def nearest(word: str, known: Iterable[str], count: int = 1) -> tuple[str, ...]:
    """The names in `known` most like `word`, best first; empty when nothing is near. Compares without case."""
    folded: dict[str, str] = {}
    for name in sorted(known):
        folded.setdefault(name.casefold(), name)
    hits = get_close_matches(word.casefold()[:200], list(folded), n=count, cutoff=0.6)
    return tuple(folded[hit] for hit in hits)


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """A mending line that names the nearest known word, or `otherwise`."""
    hits = nearest(word, known)
    return f"did you mean '{hits[0]}'?" if hits else otherwise
