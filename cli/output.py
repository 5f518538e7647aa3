"""What commands print besides reports: plain lines, fields and JSON, in which nothing that users wrote steers a terminal."""

from __future__ import annotations

import click

from gpurules.engine.values import canonical
from gpurules.engine.values.problem import printable

LONGEST = 10_000
"""Characters of the longest field that is printed."""


def line(*fields: str) -> None:
    """Print one line: a text, or several with a tab between them."""
    click.echo("\t".join(printable(field, LONGEST) for field in fields))


def json(content: object) -> None:
    """Print canonical JSON, on one line."""
    json_text(canonical.dumps(content))


def json_text(text: str) -> None:
    """Print what is canonical JSON already."""
    click.echo(canonical.printed(text))
