"""The cache of compiled rulebooks: same bytes with and without it, and never in the way."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "70b-int4-48gb.yaml"


RULES = Path("rules")
"""A rulebook of two rules in the folder where each test runs: the packaged one takes five seconds to compile, and is stored no other way."""


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / RULES).mkdir()
    for name in ("COM-004", "DAT-001"):
        path = next((ROOT / "rules").rglob(f"{name}-*.yaml"))
        text = re.sub(r"^overrides: .*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
        (tmp_path / RULES / path.name).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)


def command(rules: Path | None = RULES) -> list[str]:
    return [sys.executable, "-m", "gpurules.cli", "evaluate", str(EXAMPLE), "--format", "json", *(["--rules", str(rules)] if rules else [])]


def run(cache: str | Path, rules: Path | None = RULES) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "GPURULES_CACHE": str(cache)}
    return subprocess.run(command(rules), capture_output=True, env=environment, check=False, timeout=600)


@pytest.fixture
def plain() -> bytes:
    found = run("off")
    assert found.returncode == 0, found.stderr.decode()
    return found.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    return tmp_path / "cache"


def stored(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.engine"))


@pytest.mark.parametrize("rules", [RULES, None], ids=["small", "packaged"])
def test_same_bytes_cold_and_warm(folder: Path, rules: Path | None) -> None:
    plain = run("off", rules).stdout
    assert plain and run(folder, rules).stdout == plain
    assert len(stored(folder)) == 1
    assert stat.S_IMODE(stored(folder)[0].stat().st_mode) == 0o600
    before = stored(folder)[0].stat().st_mtime_ns
    assert run(folder, rules).stdout == plain
    assert stored(folder)[0].stat().st_mtime_ns == before, "a warm run does not write"


@pytest.mark.parametrize("damage", [b"", b"gpurules engine 1\n", b"\x80\x05."], ids=["empty", "cut", "other pickle"])
def test_damaged_file_is_made_again(folder: Path, plain: bytes, damage: bytes) -> None:
    run(folder)
    path = stored(folder)[0]
    path.write_bytes(damage)
    assert run(folder).stdout == plain
    assert path.stat().st_size > 10_000


def test_flipped_bit_is_noticed(folder: Path, plain: bytes) -> None:
    run(folder)
    path = stored(folder)[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    assert run(folder).stdout == plain


def test_folder_that_others_can_write_is_not_used(folder: Path, plain: bytes) -> None:
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    assert run(folder).stdout == plain
    assert stored(folder) == []


def test_file_that_others_can_write_is_not_read(folder: Path, plain: bytes) -> None:
    run(folder)
    path = stored(folder)[0]
    path.write_bytes(b"not ours")
    path.chmod(0o666)
    assert run(folder).stdout == plain


def test_link_is_not_followed(folder: Path, tmp_path: Path, plain: bytes) -> None:
    real = tmp_path / "elsewhere"
    real.mkdir(mode=0o700)
    folder.symlink_to(real)
    assert run(folder).stdout == plain
    assert stored(real) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere; the next test covers a folder that cannot be made")
def test_read_only_folder(folder: Path, plain: bytes) -> None:
    folder.mkdir(mode=0o500)
    assert run(folder).stdout == plain


def test_folder_that_cannot_be_made(tmp_path: Path, plain: bytes) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file, no folder")
    assert run(blocked / "cache").stdout == plain


def test_many_commands_at_once(folder: Path, plain: bytes) -> None:
    environment = {**os.environ, "GPURULES_CACHE": str(folder)}
    running = [subprocess.Popen(command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) for _ in range(6)]
    for process in running:
        out, error = process.communicate(timeout=600)
        assert process.returncode == 0, error.decode()
        assert out == plain
    assert len(stored(folder)) == 1
    assert list(folder.glob(".new-*")) == []


def test_changed_rule_is_another_entry(folder: Path) -> None:
    run(folder)
    changed = next(RULES.glob("DAT-001*.yaml"))
    changed.write_text(changed.read_text("utf-8").replace("version: 1.0.0", "version: 1.0.1"), "utf-8")
    found = run(folder)
    assert found.returncode == 0, found.stderr.decode()
    assert b'"1.0.1"' in found.stdout
    assert len(stored(folder)) == 2


def test_old_entries_go(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for number in range(12):
        old = folder / f"{number}.engine"
        old.write_bytes(b"old")
        os.utime(old, (number, number))
    run(folder)
    assert len(stored(folder)) == 8
