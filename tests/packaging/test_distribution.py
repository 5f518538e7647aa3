"""The source distribution: whoever packages gpurules from it can build it and run its tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    done = subprocess.run([sys.executable, *map(str, command)], cwd=folder, env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        pytest.fail(f"python {' '.join(map(str, command))}\n{done.stdout[-6000:]}{done.stderr[-2000:]}", pytrace=False)
    return done.stdout


@pytest.mark.long
def test_it_can_be_built_and_tested(tmp_path: Path) -> None:
    run("-m", "build", "--sdist", "--outdir", tmp_path, ROOT, folder=tmp_path)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path, filter="data")
    source = next(p for p in tmp_path.iterdir() if p.is_dir())
    run("-m", "build", "--wheel", "--outdir", tmp_path, source, folder=tmp_path)
    installed = tmp_path / "installed"
    run("-m", "pip", "install", "--no-deps", "--target", installed, next(tmp_path.glob("*.whl")), folder=tmp_path)
    where = run("-c", "import gpurules.engine as e; print(e.__file__)", folder=tmp_path, PYTHONPATH=str(installed))
    assert where.startswith(str(installed))
    said = run(
        "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests/unit", "tests/packaging/test_package.py", folder=source, PYTHONPATH=str(installed)
    )
    assert " passed" in said
