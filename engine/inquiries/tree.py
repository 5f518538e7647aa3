"""Trees of reasons: plain branches that any printer can show, as Markdown and as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gpurules.engine.reports.markdown import escaped
from gpurules.engine.values.problem import printable

Said = Mapping[str, str]
"""One text in both languages, by `en` and `zh`."""
LONGEST = 600
"""Characters of a branch's text that are shown."""


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


def document(branch: Branch) -> dict[str, Any]:
    """A tree as plain data."""
    found = {"kind": branch.kind, "text": dict(branch.text), **branch.data}
    if branch.left_out:
        found["left_out"] = branch.left_out
    if branch.children:
        found["children"] = [document(child) for child in branch.children]
    return found


def line(branch: Branch, language: str) -> str:
    """A branch's text, safe to print."""
    text = printable(branch.text[language], LONGEST)
    return f"{text}  …{branch.left_out}" if branch.left_out else text


def markdown(branches: tuple[Branch, ...], language: str) -> str:
    """Trees as nested lists; whatever users wrote stays text."""
    return "".join(_items(branches, language, 0))


def _items(branches: tuple[Branch, ...], language: str, depth: int) -> list[str]:
    found = []
    for branch in branches:
        text = escaped(line(branch, language))
        found.append(f"{'  ' * depth}- {f'**{text}**' if branch.tone == 'strong' else text}\n")
        found += _items(branch.children, language, depth + 1)
    return found
