"""Branches: the lines of trees of reasons, as plain data, from which text, Markdown, JSON and pages are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Said = Mapping[str, str]
"""One text in both languages, by `en` and `zh`."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of a tree and what it rests on. `kind` says what it is, `data` holds its parts for programs; `tone` is a level of
    advice, "strong", "quiet" or "". `left_out` counts the branches below that a depth cut away."""

    kind: str
    text: Said
    data: Mapping[str, Any] = field(default_factory=dict)
    children: tuple[Branch, ...] = ()
    tone: str = ""
    left_out: int = 0


def both(text: str) -> Said:
    """A text that is the same in both languages."""
    return {"en": text, "zh": text}


def cut(branch: Branch, depth: int) -> Branch:
    """The branch with at most `depth` levels below it."""
    if depth <= 0:
        return replace(branch, children=(), left_out=max(branch.left_out, len(branch.children)))
    return replace(branch, children=tuple(cut(child, depth - 1) for child in branch.children))
