"""The --lang option: the language asked for, else that of the locale."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click


def of_locale() -> str:
    """`zh` where the locale is Chinese, else `en`."""
    named = next((os.environ[v] for v in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(v)), "")
    return "zh" if named.lower().startswith("zh") else "en"


def language_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--lang`, given to the command as `language`."""
    text = "Language of titles and texts; the locale's by default."
    return click.option("--lang", "language", type=click.Choice(["en", "zh"]), default=of_locale, help=text)(function)
