"""What explain, why-not, what-if and sensitivity share: a facts file or a kept decision as input, and trees on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text
from rich.tree import Tree

from gpurules.cli import output
from gpurules.cli.printing import TONES, columns_of, on_terminal, rendered, seamed
from gpurules.engine.decisions import kept
from gpurules.engine.decisions.decision import Document as Decision
from gpurules.engine.decisions.kept import MAX_BYTES
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import restatement, tree
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Node
from gpurules.engine.reports import markdown
from gpurules.engine.reports.blocks import Section
from gpurules.engine.reports.branch import Branch
from gpurules.engine.values.problem import GpurulesError, Place, Problem

FORMATS = ("text", "markdown", "json")


def format_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--format` and `--width`, given to the command as `format_` and `width`."""
    function = click.option("--width", type=click.IntRange(60, 200), help="Columns of the text; the terminal's, or 120, by default.")(function)
    option = click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="What to print.")
    return option(function)


def content_of(path: Path) -> tuple[bytes, str]:
    """The bytes of a file ("-" for standard input), and the name under which it is told. Raises GpurulesError where an entry of the record is named."""
    if str(path) == "-":
        return (sys.stdin.buffer.read(MAX_BYTES + 1) if sys.stdin else b""), "standard input"
    if str(path).isdecimal() and not path.exists():
        mend = f"of a recorded decision: `gpurules audit show {path} --format json > decision.json`, and name that file"
        raise GpurulesError([Problem(Place(str(path)), "GR001", "there is no such file", mend)])
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1), str(path)


def node_of(content: bytes, name: str) -> Node | None:
    """The facts document in `content`. Raises GpurulesError."""
    return document.parse(content, name)


def trial_of(content: bytes, name: str, engine: Engine, further: Sequence[Setting], day: str) -> tuple[Trial, Decision | None]:
    """What a facts file states, or a kept decision did, with `further` facts and another `day`, ready to be evaluated with changes;
    and the decision where it is one. Raises GpurulesError."""
    if not restatement.is_decision(content):
        return Trial(engine, node_of(content, name), further, day, name), None
    document = kept.read(content, name)
    return kept.made(document, name, lambda read: restatement.trial(read, engine, name, further, day)), document


def print_trees(branches: Sequence[Branch], format_: str, language: str, width: int | None) -> None:
    """Print trees to standard output: drawn, as nested lists of Markdown, or as canonical JSON (a list)."""
    if format_ == "json":
        output.json([tree.document(b) for b in branches])
        return
    if format_ == "markdown":
        sys.stdout.write(tree.markdown(tuple(branches), language))
        return
    sys.stdout.write(on_terminal((_drawn(branch, language) for branch in branches), columns_of(width)))


def print_sections(sections: Sequence[Section], document: object, format_: str, width: int | None) -> None:
    """Print sections to standard output: as a report on a terminal, as Markdown; or the document as canonical JSON."""
    if format_ == "json":
        output.json(document)
        return
    if format_ == "markdown":
        sys.stdout.write(markdown.written(sections))
        return
    columns = columns_of(width)
    sys.stdout.write(on_terminal((rendered(section, columns) for section in sections), columns))


def _drawn(branch: Branch, language: str) -> Tree:
    drawn = Tree(_label(branch, language), guide_style="bright_black")
    pending = [(drawn, child) for child in reversed(branch.children)]
    while pending:
        above, one = pending.pop()
        below = above.add(_label(one, language))
        pending.extend((below, child) for child in reversed(one.children))
    return drawn


def _label(branch: Branch, language: str) -> Text:
    return Text(seamed(tree.line(branch, language)), style=TONES.get(branch.tone, ""))
