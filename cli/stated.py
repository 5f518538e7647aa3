"""The options --set and --date: what is stated beside the facts file, and the day to decide for."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any

import click

from gpurules.engine.inference.facts import Setting
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable


def stated_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--set` and `--date`, given to the command as `settings` and `date`; `read` says what they mean."""
    function = click.option("--date", metavar="YYYY-MM-DD", help="Decide as of this day; the rulebook's release by default.")(function)
    text = "State or replace one fact; may be given several times."
    return click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help=text)(function)


def read(texts: Sequence[str], date: str | None) -> tuple[list[Setting], str]:
    """The facts that `--set` states, and the day as ISO writes it, "" where none was given. Raises GpurulesError with every fault."""
    found, problems = [], []
    for text in texts:
        path, equals, value = text.partition("=")
        if equals and path.strip():
            found.append(Setting(path.strip(), value.strip()))
        else:
            problems.append(Problem(Place(f"--set {printable(text)}"), "GR311", "is not PATH=VALUE", "write e.g. --set gpu.count=4"))
    day = ""
    if date is not None:
        try:
            day = datetime.date.fromisoformat(date).isoformat()
        except ValueError:
            problems.append(Problem(Place(f"--date {printable(date)}"), "GR311", "is not a day", "write it as 2026-11-30"))
    if problems:
        raise GpurulesError(problems)
    return found, day


def today() -> str:
    """The day by which waivers are judged where no `--date` was given."""
    return datetime.date.today().isoformat()
