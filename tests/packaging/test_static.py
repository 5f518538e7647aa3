"""The checks that read the code without running it, and the files that are written by a command, as part of the one test command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
CHECKS = {
    "ruff check": ["-m", "ruff", "check", "."],
    "ruff format": ["-m", "ruff", "format", "--check", "."],
    "mypy of the packages": ["-m", "mypy"],
    "mypy of the tools": ["-m", "mypy", "--strict", "tools", ".ci/check_wheel.py"],
    "mypy of the benchmarks": ["-m", "mypy", "--strict", "benchmarks"],
    "imports go down only": ["-c", IMPORTS, "--no-cache"],
    "generated files": ["tools/generate.py", "--check"],
    "picture of the report": ["tools/picture.py", "--check"],
    "picture of the HTML report": ["tools/page_picture.py", "--check"],
}


@pytest.mark.skipif(not (ROOT / "src/gpurules/engine").is_dir(), reason="the links from src/ into the packages are part of a checkout only")
@pytest.mark.parametrize("check", CHECKS)
def test_nothing_to_complain_of(check: str) -> None:
    done = subprocess.run([sys.executable, *CHECKS[check]], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        shown = " ".join(["python", *CHECKS[check]]).replace(IMPORTS, "'…'") if check != "imports go down only" else "lint-imports"
        pytest.fail(f"`{shown}` says:\n{done.stdout}{done.stderr}", pytrace=False)
