"""Trees of reasons as lines, as Markdown and as data."""

from __future__ import annotations

from typing import Any

from gpurules.engine.reports.branch import Branch
from gpurules.engine.reports.markdown import escaped
from gpurules.engine.values.problem import printable

LONGEST = 600
"""Characters of a branch's text that are shown."""


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
