"""What every malformed input must meet: refused with 2, each fault at its place, nothing on standard output, no traceback."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpurules.cli.main import cli
from gpurules.engine import load
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import rulebook

sys.path.insert(0, str(Path(__file__).parent))  # the families import the rule and its helpers from test_rules

Fault = tuple[str, str, str, str]
"""Place as printed, code, words of the message, words of the line on how to mend it."""
Refused = Callable[[Sequence[str], Sequence[Fault], bool], None]
LINE = re.compile(r"(.*?): (GR\d{3}) (.*)")
SECONDS = 2.0


def ran(arguments: Sequence[str]) -> tuple[int, str, str, float]:
    """Exit code, standard output and error, and seconds of one run inside this process."""
    start = time.process_time()
    result = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr, time.process_time() - start


def ran_alone(arguments: Sequence[str]) -> tuple[int, str, str, float]:
    """The same of a process of its own; seconds are its processor time, so that a busy machine does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, "-m", "gpurules.cli", *arguments], capture_output=True, text=True, encoding="utf-8", timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stdout, done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


MEMORY = 500_000_000


def ran_within_limits(arguments: Sequence[str], folder: Path, cache: Path) -> tuple[int, str, str, float]:
    """The same in at most MEMORY bytes of address space, with the packaged rulebook compiled beforehand in `cache`."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "gpurules.cli", *arguments], cwd=folder, env={**os.environ, "GPURULES_CACHE": str(cache)},
        capture_output=True, text=True, encoding="utf-8", timeout=60, preexec_fn=limit,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, done.stdout, done.stderr, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def faults_in(text: str) -> list[Fault]:
    """The faults that were printed: one line each, and one line on how to mend it."""
    found: list[Fault] = []
    for line in text.splitlines():
        match = LINE.fullmatch(line)
        if match:
            found.append((match.group(1), match.group(2), match.group(3), ""))
        else:
            assert found and line.startswith("    "), f"neither a fault nor its mend: {line!r}"
            found[-1] = (*found[-1][:3], found[-1][3] + line.strip())
    return found


def order(place: str) -> tuple[str, int, int]:
    file, *numbers = re.split(r":(?=\d+)", place)
    line, column = (*map(int, numbers), 0, 0)[:2]
    return file, line, column


@pytest.fixture(scope="session")
def packaged() -> Engine:
    """The packaged rules, compiled once."""
    return Engine(load())


@pytest.fixture(scope="session")
def read_once() -> Callable[[Any, str], object]:
    """Reading a catalogue of a rulebook, each content once: two megabytes for every malformed rule would take a minute."""
    reading, seen = rulebook._Loader._data, dict[bytes, object]()

    def data(loader: Any, name: str) -> object:
        file = loader.files.catalogs.joinpath(name)
        content = file.read_bytes() if file.is_file() else b""
        if not content or content not in seen:
            seen[content] = reading(loader, name)
        loader.plain[f"catalogs/{name}"] = seen[content]
        return seen[content]

    return data


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packaged: Engine, read_once: Callable[[Any, str], object]) -> Refused:
    """Asserts that a command, run in the test's folder, refuses its input with exactly the faults given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rulebook._Loader, "_data", read_once)
    monkeypatch.setattr("gpurules.cli.cache.engine", lambda files: packaged)
    monkeypatch.setenv("GPURULES_CACHE", "off")

    def check(arguments: Sequence[str], faults: Sequence[Fault], alone: bool) -> None:
        code, output, errors, seconds = ran_alone(arguments) if alone else ran(arguments)
        assert "Traceback" not in errors and "internal fault" not in errors, errors
        assert (code, output) == (2, ""), errors
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", errors), "characters that steer a terminal"
        found = faults_in(errors)
        assert [f[:2] for f in found] == [f[:2] for f in faults], errors
        for (_, _, says, mend), (_, _, message, advice) in zip(faults, found, strict=True):
            assert says in message
            assert mend in advice and advice, "no line on how to mend it"
        assert [order(f[0]) for f in found] == sorted(order(f[0]) for f in found)
        assert seconds < SECONDS

    return check
