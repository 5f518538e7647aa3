"""The same bytes on every Python that gpurules supports and that is installed beside this one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import test_laws
import worlds

import gpurules

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13")
SCRIPT = """
import json, sys, gpurules
found = []
for folder, facts in json.load(open(sys.argv[1])):
    try:
        found.append(gpurules.evaluate(facts, gpurules.load(folder)).to_json())
    except gpurules.GpurulesError as error:
        found.append([p.code for p in error.problems])
print(json.dumps(found))
"""


def interpreter(version: str) -> str | None:
    """A Python of that version: this one, one on the path that runs, or one of pyenv."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(pyenv.glob(f"{version}.*/bin/python")) if pyenv.is_dir() else []
    for candidate in (*map(str, kept), shutil.which(f"python{version}")):
        if candidate and subprocess.run([candidate, "-c", "import venv"], capture_output=True).returncode == 0:
            return candidate
    return None


def written(tree: dict, folder: Path) -> None:
    for name, content in tree.items():
        if isinstance(content, dict):
            (folder / name).mkdir(parents=True)
            written(content, folder / name)
        else:
            (folder / name).write_text(content, "utf-8")


@pytest.fixture(scope="module")
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (request.config.getoption("--long") or os.environ.get("GPURULES_VERSIONS") == "1"):
        pytest.skip("installs environments: run with --long or GPURULES_VERSIONS=1")
    source = tmp_path_factory.mktemp("source") / "gpurules"
    left_out = shutil.ignore_patterns(".git", "build", "dist", "*.egg-info", "__pycache__", "tests")
    shutil.copytree(ROOT, source, ignore=left_out)
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(source)], check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str | None, object]]:
    """Two examples against the packaged rulebook, and random rulebooks with facts."""
    examples = sorted((ROOT / "examples").glob("*.yaml"))
    asked: list[tuple[str | None, object]] = [(None, worlds.document.plain(worlds.document.read(file))) for file in (examples[0], examples[-1])]
    for index, (files, content) in enumerate(test_laws.remembered(6)):
        folder = tmp_path_factory.mktemp("rulebook") / str(index)
        written(worlds.tree(files), folder)
        asked.append((str(folder), content))
    return asked


@pytest.mark.versions
@pytest.mark.parametrize("version", VERSIONS)
def test_decisions_are_the_same_bytes(version: str, wheel: Path, questions: list[tuple[str | None, object]], tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    subprocess.run([python, "-m", "venv", str(tmp_path / "venv")], check=True)
    own = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([own, "-m", "pip", "install", "-q", str(wheel)], check=True)
    file = tmp_path / "questions.json"
    file.write_text(json.dumps(questions), "utf-8")
    done = subprocess.run([own, "-c", SCRIPT, str(file)], capture_output=True, text=True, check=True, cwd=tmp_path)
    expected = []
    for folder, facts in questions:
        try:
            expected.append(gpurules.evaluate(facts, gpurules.load(folder)).to_json())
        except gpurules.GpurulesError as error:
            expected.append([p.code for p in error.problems])
    assert json.loads(done.stdout) == expected
    assert any(isinstance(e, str) for e in expected)
