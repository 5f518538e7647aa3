"""The same bytes on every Python that gpurules supports and that is installed beside this one: of decisions, and of every recorded example."""

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
from gpurules.engine import public
from gpurules.engine.inference.facts import Setting
from gpurules.engine.knowledge import bundle, rulebook
from gpurules.engine.records import record

ROOT = Path(__file__).parents[2]
VERSIONS = ("3.11", "3.12", "3.13")
SETTINGS = (("gpu.count", "2"), ("site.rack_power", "20 kW"))
"""What every fourth example is recorded with beside its facts."""
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
REPLAY = ROOT / "tests/record/replaying.py"


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


def differing(found: object, wanted: object) -> str:
    """Where two decisions part, with what stands around it."""
    if not isinstance(found, str) or not isinstance(wanted, str):
        return f"{found!r:.300} is not {wanted!r:.300}"
    at = next((n for n, (a, b) in enumerate(zip(found, wanted, strict=False)) if a != b), min(len(found), len(wanted)))
    return f"{found[max(0, at - 100) : at + 100]} is not {wanted[max(0, at - 100) : at + 100]}"


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


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of every example, made by this Python."""
    where = tmp_path_factory.mktemp("record") / "record.sqlite"
    held, ready = bundle.gather(rulebook.packaged()), public.engine(gpurules.load())
    store = record.opened(str(where), write=True)
    for number, path in enumerate(sorted((ROOT / "examples").glob("*.yaml"))):
        settings = SETTINGS if number % 4 == 1 else ()
        decision = public.evaluate(path.read_bytes(), ready, [Setting(*s) for s in settings], file=path.name)
        record.add(store, record.Asked(path.read_bytes(), path.name, settings), decision.to_json().encode(), lambda: held)
    store.close()
    return where


@pytest.fixture(scope="module", params=VERSIONS)
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python of each version, with nothing but the wheel and what it needs."""
    python = interpreter(request.param)
    if python is None:
        pytest.skip(f"no Python {request.param} here")
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([python, "-m", "venv", str(folder)], check=True)
    own = str(folder / "bin" / "python")
    done = subprocess.run([own, "-m", "pip", "install", "-q", str(wheel)], capture_output=True, text=True)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip(f"what gpurules needs cannot be installed for Python {request.param} here")
    assert done.returncode == 0, done.stderr
    return own


@pytest.mark.versions
def test_decisions_are_the_same_bytes(installed: str, questions: list[tuple[str | None, object]], tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    file.write_text(json.dumps(questions), "utf-8")
    done = subprocess.run([installed, "-c", SCRIPT, str(file)], capture_output=True, text=True, check=True, cwd=tmp_path)
    expected = []
    for folder, facts in questions:
        try:
            expected.append(gpurules.evaluate(facts, gpurules.load(folder)).to_json())
        except gpurules.GpurulesError as error:
            expected.append([p.code for p in error.problems])
    for found, wanted in zip(json.loads(done.stdout), expected, strict=True):
        assert found == wanted, differing(found, wanted)
    assert any(isinstance(e, str) for e in expected)


@pytest.mark.versions
def test_every_recorded_example_is_made_again(installed: str, kept: Path, tmp_path: Path) -> None:
    done = subprocess.run([installed, str(REPLAY), str(kept)], capture_output=True, text=True, cwd=tmp_path, env={"PYTHONHASHSEED": "11"})
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{path.name} identical identical" for path in sorted((ROOT / "examples").glob("*.yaml"))]
