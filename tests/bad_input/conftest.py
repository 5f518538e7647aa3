"""What every malformed input must meet: refused with 2, each fault at its place, nothing on standard output, no traceback."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from refusals import SECONDS, Fault, faults_in, order, ran, ran_alone

from gpurules.cli.cache import engine as cached
from gpurules.engine import load
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import rulebook

Refused = Callable[[Sequence[str], Sequence[Fault], bool], None]


@pytest.fixture(scope="session")
def packaged() -> Engine:
    """The packaged rules, compiled once."""
    return Engine(load())


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the packaged rulebook in it, so that seconds are those of the input."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPURULES_CACHE", str(folder))
        cached(rulebook.packaged())
    return folder


@pytest.fixture(scope="session")
def read_once() -> Callable[[Any, str], object]:
    """Reading a catalogue of a rulebook, each content once: two megabytes for every malformed rule would take a minute."""
    reading, seen = rulebook._Loader._data, dict[bytes, tuple[object, object]]()

    def data(loader: Any, name: str) -> object:
        file = loader.files.catalogs.joinpath(name)
        content = file.read_bytes() if file.is_file() else b""
        if not content or content not in seen:
            seen[content] = reading(loader, name), loader.data[name]
        loader.plain[f"catalogs/{name}"], loader.data[name] = seen[content]
        return seen[content][0]

    return data


@pytest.fixture(scope="session")
def parsed_once() -> Callable[[Any, Any, str, bool], object]:
    """The same for the files of the vocabulary."""
    reading, seen = rulebook._Loader._read, dict[tuple[str, bytes], object]()

    def read(loader: Any, file: Any, shown: str, large: bool) -> object:
        if not shown.startswith("schemas/") or loader.problems:
            return reading(loader, file, shown, large)
        key = shown, file.read_bytes()
        found = seen.get(key) or reading(loader, file, shown, large)
        if not loader.problems:
            seen[key] = found
        return found

    return read


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, packaged: Engine, read_once: Any, parsed_once: Any) -> Refused:
    """Asserts that a command, run in the test's folder, refuses its input with exactly the faults given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rulebook._Loader, "_data", read_once)
    monkeypatch.setattr(rulebook._Loader, "_read", parsed_once)
    monkeypatch.setattr("gpurules.cli.cache.engine", lambda files: packaged)
    monkeypatch.setenv("GPURULES_CACHE", "off")

    def check(arguments: Sequence[str], faults: Sequence[Fault], alone: bool) -> None:
        code, output, errors, seconds = ran_alone(arguments, request.getfixturevalue("warm")) if alone else ran(arguments)
        assert "Traceback" not in errors and "internal fault" not in errors, errors
        assert (code, output) == (2, ""), errors
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", errors), "characters that steer a terminal"
        found = faults_in(errors)
        assert [f[:2] for f in found] == [f[:2] for f in faults], errors
        for (_, _, says, mend), (_, _, message, advice) in zip(faults, found, strict=True):
            assert says in message
            assert mend in advice and advice, "no line on how to mend it"
        assert [order(f[0]) for f in found] == sorted(order(f[0]) for f in found)
        if seconds >= SECONDS:  # once more: the first may have collected the garbage of the tests before it
            seconds = (ran_alone(arguments, request.getfixturevalue("warm")) if alone else ran(arguments))[3]
        assert seconds < SECONDS

    return check
