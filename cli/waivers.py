"""The --waivers option: the file of what persons accept, named or lying beside the facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from gpurules.cli import stated
from gpurules.engine.decisions import waiver
from gpurules.engine.decisions.decision import Document
from gpurules.engine.knowledge import document
from gpurules.engine.values.problem import printable

ENDING = ".waivers.yaml"


def waivers_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--waivers FILE`, given to the command as `waivers`."""
    text = "What persons accept although rules speak against it; FACTS.waivers.yaml beside the facts by default."
    return click.option("--waivers", "waivers", type=click.Path(path_type=Path), metavar="FILE", help=text)(function)


def given(facts: Path, waivers: Path | None) -> tuple[bytes, str] | None:
    """Content and shown name of the waivers named, or else of those beside the facts file; None where there are none. Raises GpurulesError."""
    if waivers is None:
        beside = facts.with_name(facts.stem + ENDING) if facts.name and str(facts) != "-" else None
        if beside is None or not beside.is_file():
            return None
        waivers = beside
    return document.content(waivers), printable(str(waivers), 300)


def waiver_line(entry: Mapping[str, str]) -> str:
    """One waiver on one line: the rule, who, why and until when. Not yet safe to print."""
    return f"waiver of {entry['rule']} by {entry['who']} until {entry['until']} ({entry['why']})"


def waiver_lines(decision: Document) -> list[str]:
    """The waivers that a decision lists, a line each, with what became of them."""
    return [f"{waiver_line(w)}: {w['state']}" for w in decision.get("waivers", {"entries": ()})["entries"]]


def marked(decision: Document, waivers: tuple[bytes, str] | None, day: str, rules: Iterable[str]) -> Document:
    """The decision, or a trace of it, with what `waivers` (content and name) accept marked; as it is where there are none. Raises GpurulesError."""
    if waivers is None:
        return decision
    content, name = waivers
    return waiver.applied(decision, waiver.read(content, name, rules), day or stated.today())
