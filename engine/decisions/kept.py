"""A decision kept as JSON, read again: reports are made from it, and explanations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from gpurules.engine.decisions.decision import FORMAT, Document
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MAX_BYTES = 50_000_000
"""The largest file that is read as a decision; those of the packaged rulebook have about one million."""
_MEND = "give a file that `gpurules evaluate FACTS.yaml --format json` wrote"
_LISTED = 10
"""Faults of one file that are told."""
_Made = TypeVar("_Made")


def read(content: bytes, name: str) -> Document:
    """The decision in `content`, a file called `name`. Its form is told by its first key alone; `made` sees to the rest. Raises GpurulesError."""
    if len(content) > MAX_BYTES:
        _refuse(name, f"is larger than {MAX_BYTES // 1_000_000} MB, and hence no decision")
    try:
        found = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):  # also UnicodeDecodeError and JSONDecodeError
        _refuse(name, "is not JSON")
    if not isinstance(found, dict) or "format" not in found:
        _refuse(name, "is JSON, but no decision")
    if found["format"] != FORMAT:
        _refuse(name, f"is of the form {printable(str(found['format']), 40)}; this version of gpurules reads {FORMAT}")
    return found


def made(decision: Document, name: str, make: Callable[[Document], _Made]) -> _Made:
    """What `make` makes of a decision that was read. One that somebody cut short or wrote by hand may lack anything: what keeps
    `make` from its work is then told, fault by fault, with its place in the document. Raises GpurulesError."""
    try:
        return make(decision)
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration, AssertionError, ArithmeticError, RecursionError) as error:
        problems = list(_faults(decision, name))
        message = f"is no whole decision: {type(error).__name__} {printable(str(error), 80)}"
        raise GpurulesError(problems or [Problem(Place(printable(name, 300)), "GR831", message, _MEND)]) from error


def _faults(decision: Document, name: str) -> Iterator[Problem]:
    """Where a document departs from schemas/decision.schema.json."""
    from jsonschema import Draft202012Validator

    schema = json.loads(resources.files("gpurules.schemas").joinpath("decision.schema.json").read_text("utf-8"))
    errors: Iterator[ValidationError] = Draft202012Validator(schema).iter_errors(decision)
    for number, error in enumerate(errors):
        if number == _LISTED:
            return
        where = "/".join(printable(str(step), 60) for step in error.absolute_path) or "the document"
        yield Problem(Place(printable(name, 300)), "GR831", f"is no whole decision: {where}: {printable(error.message, 120)}", _MEND)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _refuse(name: str, message: str) -> NoReturn:
    raise GpurulesError([Problem(Place(printable(name, 300)), "GR831", message, _MEND)])
