"""Reports of the examples, word for word: in English at 80 and 120 columns, in Chinese at 120, and one as Markdown and as JSON.

`pytest tests/golden --update-golden` writes the expected files anew. Digests of the rulebook and the facts are left out of
the comparison, since they change with any figure anywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from gpurules.cli.main import cli
from gpurules.engine import load
from gpurules.engine.inference.evaluation import Engine

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE.parents[1] / "examples").glob("*.yaml"))
FORMS = {
    "80.en.txt": ["--lang", "en", "--width", "80"],
    "120.en.txt": ["--lang", "en", "--width", "120"],
    "120.zh.txt": ["--lang", "zh", "--width", "120"],
}
OTHER_FORMS = {"en.md": ["--lang", "en", "--format", "markdown"], "json": ["--format", "json"]}
IN_EVERY_FORM = "7b-full-4x4090"
DIGEST = re.compile(r"(sha256:)\s*[0-9a-f]{6,64}…?")


def cases() -> Iterator[tuple[Path, str, list[str]]]:
    for example in EXAMPLES:
        for form, options in (FORMS | OTHER_FORMS if example.stem == IN_EVERY_FORM else FORMS).items():
            yield example, form, options


def as_kept(text: str) -> str:
    """The output without its digests; the lines of the trace that they stand in are filled in one line, whatever their length."""
    text = DIGEST.sub(r"\1…", text.replace("\r\n", "\n"))
    for title in ("TRACE", "留痕"):
        head, found, trace = text.partition(f"\n{title}\n")
        if found:
            text = f"{head}{found}  {' '.join(trace.split())}\n"
    return text


def compared(name: str, output: str, update: bool) -> None:
    path, kept = HERE / name, as_kept(output)
    if update:
        path.write_text(kept, encoding="utf-8", newline="\n")
    assert path.is_file(), "run pytest tests/golden --update-golden, and read what it writes"
    assert kept == path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def packaged() -> Engine:
    """The packaged rules, compiled once and not for every report."""
    return Engine(load())


@pytest.mark.parametrize(("example", "form", "options"), list(cases()), ids=lambda v: v.stem if isinstance(v, Path) else v if isinstance(v, str) else "")
def test_report(example: Path, form: str, options: list[str], update_golden: bool, packaged: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpurules.cli.cache.engine", lambda _: packaged)
    result = CliRunner().invoke(cli, ["evaluate", str(example), *options], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    compared(f"{example.stem}.{form}", result.stdout, update_golden)


SETTINGS = [
    {"LC_ALL": "C", "COLUMNS": "61", "TERM": "dumb"},
    {"LC_ALL": "zh_CN.UTF-8", "COLUMNS": "199", "TERM": "xterm-256color"},
]


SOME = [pytest.param(at, marks=() if at % 3 == 0 else pytest.mark.long, id=path.stem) for at, path in enumerate(EXAMPLES)]


@pytest.mark.parametrize("number", SOME)
def test_a_process_of_its_own_prints_the_same_wherever_it_runs(number: int, tmp_path: Path, update_golden: bool) -> None:
    """Terminal, locale, working folder and hash seed leave no trace in a report."""
    example, variables = EXAMPLES[number], SETTINGS[number % 2]
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))} | variables
    environment |= {"PYTHONHASHSEED": str(number), "PYTHONIOENCODING": "utf-8", "GPURULES_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "gpurules.cli", "evaluate", str(example), *FORMS["120.en.txt"]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    compared(f"{example.stem}.120.en.txt", done.stdout, update_golden)


def test_no_golden_file_is_left_over() -> None:
    wanted = {f"{example.stem}.{form}" for example, form, _ in cases()}
    assert {p.name for p in HERE.iterdir() if p.suffix in (".txt", ".md", ".json")} == wanted


def test_no_line_is_wider_than_asked() -> None:
    """Chinese characters count two columns."""
    for path in HERE.glob("*.txt"):
        width = int(path.name.split(".")[-3])
        body = re.split(r"\n(?:TRACE|留痕)\n", path.read_text("utf-8"))[0]
        for line in body.splitlines():
            columns = sum(2 if ord(c) >= 0x2E80 else 1 for c in line)
            assert columns <= width, f"{path.name}: {line}"
