"""gpurules as a process of its own, as people run it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def example() -> Path:
    return ROOT / "examples/7b-full-4x4090.yaml"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Processes keep compiled rules in a folder of the session, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPURULES_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command in an empty folder, in English unless told otherwise."""

    def run(*arguments: str | Path, stdin: str = "", cwd: Path = tmp_path, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))} | {"LANG": "C.UTF-8"} | variables
        command = [sys.executable, "-m", "gpurules.cli", *map(str, arguments)]
        done = subprocess.run(command, input=stdin, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=600)
        assert "Traceback" not in done.stderr and "internal fault" not in done.stderr, done.stderr
        return done

    return run
