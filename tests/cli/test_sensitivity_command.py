"""`gpurules sensitivity` as a process: from facts and from a kept decision, in all formats, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import gpurules

Run = Callable[..., "CompletedProcess[str]"]
RULE = """\
id: AAA-001
version: 1.0.0
status: active
title: {en: Enough memory, zh: 显存足够}
for_each: candidate
parameters:
  least: {value: 20 GB, cites: [C17], since: 2026-01-01}
then:
  - require: candidate.memory_usable >= least
because: {en: "at least {{ least }}", zh: "至少 {{ least }}"}
cites: [C17]
cases:
  - {name: enough, candidate: {candidate.memory_usable: 24 GB}, fires: yes, accepts: yes}
"""
FACTS = "workload.task: lora\nmodel.size_class: 7B\ngpu.count: 1\ngpu.memory_usable: 24 GB\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One rule about memory, facts that meet it, and their decision."""
    folder = tmp_path_factory.mktemp("sensitivity")
    (folder / "rules").mkdir()
    (folder / "rules" / "AAA-001-memory.yaml").write_text(RULE, "utf-8")
    (folder / "rules" / "rulebook.yaml").write_text("version: 1.0.0\nreleased: 2026-11-30\n", "utf-8")
    (folder / "facts.yaml").write_text(FACTS, "utf-8")
    decision = gpurules.evaluate(folder / "facts.yaml", gpurules.load(folder / "rules"))
    (folder / "decision.json").write_text(decision.to_json(), "utf-8")
    return folder


def asked(run: Run, folder: Path, *arguments: str) -> str:
    done = run("sensitivity", *arguments, "--rules", "rules", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_boundary_is_told_with_what_it_becomes_and_who_says_so(run: Run, folder: Path) -> None:
    text = asked(run, folder, "facts.yaml")
    assert "AAA-001 least = 20 GB: Enough memory" in text and "keep the machine: the stated machine" in text
    for words in ("the verdict stays, down to 5 GB", "▲ 24.0", "(+20 %)", "C17: ", "╋"):
        assert words in text, words
    assert all(len(line) <= 80 for line in asked(run, folder, "facts.yaml", "--width", "80").splitlines())
    assert "显存足够" in asked(run, folder, "facts.yaml", "--lang", "zh")


def test_json_markdown_and_the_page(run: Run, folder: Path) -> None:
    found = json.loads(asked(run, folder, "facts.yaml", "--format", "json"))
    assert found["format"] == "gpurules-sensitivity/1" and found["now"]["status"] == "keep" and not found["budget_reached"]
    [figure] = found["figures"]
    assert figure["figure"] == "AAA-001:least" and figure["up"]["kind"] == "change" and figure["nearest"] == pytest.approx(0.2, abs=0.0013)
    assert asked(run, folder, "facts.yaml", "--format", "markdown").startswith("## How far each figure can move")
    assert '<section id="sensitivity"' in asked(run, folder, "facts.yaml", "--format", "html")


def test_a_kept_decision_and_set_are_answered_alike(run: Run, folder: Path) -> None:
    one, other = (asked(run, folder, source, "--format", "json") for source in ("facts.yaml", "decision.json"))
    assert one == other
    moved = json.loads(asked(run, folder, "facts.yaml", "--format", "json", "--set", "gpu.memory_usable=40 GB"))
    assert moved["figures"][0]["nearest"] == pytest.approx(1.0, abs=0.003)


def test_a_budget_that_ends_is_said(run: Run, folder: Path) -> None:
    assert "Not everything was settled" in asked(run, folder, "facts.yaml", "--budget", "2")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("facts.yaml", "--set", "gpu.count"), "GR311"), (("facts.yaml", "--date", "tomorrow"), "GR311"), (("facts.yaml", "--set", "gpu.cuont=2"), "GR301")],
)
def test_wrong_input_is_refused(run: Run, folder: Path, arguments: tuple[str, ...], code: str) -> None:
    done = run("sensitivity", *arguments, "--rules", "rules", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "") and code in done.stderr
