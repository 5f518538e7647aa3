"""Running a command on malformed input, in this process or in one of its own, and reading the faults that it prints."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from click.testing import CliRunner

from gpurules.cli.main import cli

Fault = tuple[str, str, str, str]
"""Place as printed, code, words of the message, words of the line on how to mend it."""
LINE = re.compile(r"(.*?): (GR\d{3}) (.*)")
SECONDS = 2.0


def ran(arguments: Sequence[str]) -> tuple[int, str, str, float]:
    """Exit code, standard output and error, and seconds of one run inside this process."""
    start = time.process_time()
    result = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr, time.process_time() - start


def ran_alone(arguments: Sequence[str], cache: Path) -> tuple[int, str, str, float]:
    """The same of a process of its own, with the packaged rulebook compiled beforehand in `cache`.

    Seconds are its processor time, so that a busy machine does not count.
    """
    environment = {**os.environ, "GPURULES_CACHE": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "gpurules.cli", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=600)
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
        capture_output=True, text=True, encoding="utf-8", timeout=600, preexec_fn=limit,
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
