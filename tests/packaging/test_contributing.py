"""The walk through a change in CONTRIBUTING.md, run as it stands: each shell block, and the lines that the page says come of it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def steps() -> list[tuple[str, list[str]]]:
    """Shell blocks of the first section, each with the output lines promised right after it."""
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## ")[1]
    found: list[tuple[str, list[str]]] = []
    for language, body in re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL):
        if language == "sh":
            found.append((body, []))
        else:
            found[-1][1].extend(body.splitlines())
    return found


def test_the_first_section_is_that_walk() -> None:
    assert (ROOT / "CONTRIBUTING.md").read_text("utf-8").startswith("# Contributing\n\n## Change a threshold in five minutes\n")
    assert len(steps()) >= 5


def test_the_walk(tmp_path: Path) -> None:
    for folder in ("rules", "catalogs", "schemas", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    for commands, promised in steps():
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True)
        assert done.returncode == 0, f"{commands}\n{done.stdout}{done.stderr}"
        for line in promised:
            assert line in done.stdout, f"after\n{commands}\nthere is no line\n{line}\nin\n{done.stdout}"
