"""The --rules option, shared by every command that reads a rulebook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gpurules.engine import Rulebook, load
from gpurules.engine.knowledge.rulebook import Files, folder, packaged

FOLDER = click.Path(path_type=Path, exists=False)


def rules_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--rules DIR`, given to the command as `rules`."""
    text = "Folder of rules to use instead of the packaged ones; with rules/ inside, also its catalogs/ and schemas/."
    return click.option("--rules", "rules", type=FOLDER, metavar="DIR", help=text)(function)


def located(rules: Path | None) -> Files:
    """The files that --rules names, or the packaged ones."""
    return packaged() if rules is None else folder(rules)


def opened(rules: Path | None) -> Rulebook:
    return load(rules)
