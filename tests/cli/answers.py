"""What commands print, read by tests."""

from __future__ import annotations

from collections.abc import Iterator
from subprocess import CompletedProcess
from typing import Any


def answered(done: CompletedProcess[str]) -> str:
    """What a command that had nothing to complain of printed."""
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def branches(trees: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every branch of trees printed as JSON."""
    for tree in trees:
        yield tree
        yield from branches(tree.get("children", []))
