"""`gpurules evaluate` as a process: where facts come from, what replaces them, languages, formats and exit codes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[2]
Run = Callable[..., "CompletedProcess[str]"]
FACTS = "workload.task: full_finetune\nmodel.size_class: 7B\ntraining.precision: bf16_mixed\n"


def decision(done: CompletedProcess[str]) -> dict[str, Any]:
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def stated(document: dict[str, Any]) -> dict[str, Any]:
    return {f["path"]: f["value"] for f in document["facts"] if f["origin"] == "stated"}


def test_facts_from_standard_input(run: Run) -> None:
    done = run("evaluate", "-", stdin=FACTS)
    assert (done.returncode, done.stderr) == (0, "")
    assert "112–140 GB" in done.stdout


def test_faults_of_standard_input_have_a_line(run: Run) -> None:
    done = run("evaluate", "-", stdin="gpu.count: 4\nmodel.size_class: many\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(r"\S+:2:19: GR303 ", done.stderr)


def test_set_adds_and_replaces(run: Run, example: Path) -> None:
    document = decision(run("evaluate", example, "--format", "json", "--set", "gpu.count=8", "--set", "site.rack_power=6 kW", "--set", "gpu.count=2"))
    facts = stated(document)
    assert facts["gpu.count"] == {"low": 2, "high": 2}, "the last one counts"
    assert facts["site.rack_power"] == {"low": 6000, "high": 6000}


def test_set_takes_a_group(run: Run) -> None:
    document = decision(run("evaluate", "-", "--format", "json", "--set", "gpu={name: L40S, count: 2}", stdin=FACTS))
    assert stated(document)["gpu.count"] == {"low": 2, "high": 2}
    assert stated(document)["gpu.name"] == {"members": ["l40s"]}


@pytest.mark.parametrize("text", ["bf16_mixed or fp16_mixed", "[bf16_mixed, fp16_mixed]", "bf16_mixed|fp16_mixed"])
def test_set_takes_a_choice(run: Run, text: str) -> None:
    document = decision(run("evaluate", "-", "--format", "json", "--set", f"training.precision={text}", stdin=FACTS))
    assert stated(document)["training.precision"] == {"members": ["bf16_mixed", "fp16_mixed"]}


def test_set_takes_a_range(run: Run) -> None:
    document = decision(run("evaluate", "-", "--format", "json", "--set", "measured.communication_share=25..35 %", stdin=FACTS))
    assert stated(document)["measured.communication_share"] == {"low": 0.25, "high": 0.35}


@pytest.mark.parametrize(
    ("options", "variables", "title"),
    [
        ([], {}, "VERDICT"),
        ([], {"LANG": "zh_CN.UTF-8"}, "结论"),
        ([], {"LANG": "en_US.UTF-8", "LC_ALL": "zh_TW.UTF-8"}, "结论"),
        (["--lang", "en"], {"LANG": "zh_CN.UTF-8"}, "VERDICT"),
        (["--lang", "zh"], {"LANG": "de_DE.UTF-8"}, "结论"),
        ([], {"LANG": "de_DE.UTF-8"}, "VERDICT"),
    ],
)
def test_the_language_is_asked_for_or_that_of_the_locale(run: Run, options: list[str], variables: dict[str, str], title: str) -> None:
    done = run("evaluate", "-", *options, stdin=FACTS, **variables)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0] == title


def test_json_is_what_the_schema_says(run: Run, example: Path) -> None:
    schema = json.loads((ROOT / "schemas/decision.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(decision(run("evaluate", example, "--format", "json")))


def test_json_is_the_same_from_everywhere(run: Run, example: Path, tmp_path: Path) -> None:
    """Bytes of a decision hold no folder, no language and no terminal."""
    shutil.copy(example, tmp_path / "facts.yaml")
    here = run("evaluate", "facts.yaml", "--format", "json", "--lang", "en").stdout
    there = run("evaluate", "facts.yaml", "--format", "json", "--lang", "zh", LANG="zh_CN.UTF-8", PYTHONHASHSEED="7", COLUMNS="61").stdout
    assert here == there
    assert str(tmp_path) not in here


def test_markdown(run: Run, example: Path) -> None:
    done = run("evaluate", example, "--format", "markdown")
    assert done.returncode == 0
    assert re.search(r"^#+ ", done.stdout, re.MULTILINE)
    assert "112–140 GB" in done.stdout


def test_a_folder_of_rules(run: Run, tmp_path: Path) -> None:
    """A copy of the rules with one threshold changed decides by it."""
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    path = next((tmp_path / "rules").rglob("COM-001-*.yaml"))
    path.write_text(path.read_text("utf-8").replace("value: 30 %", "value: 60 %"), encoding="utf-8")
    facts = FACTS + "gpu.count: 4\nmeasured.communication_share: 50 %\n"
    speaking = {c["rule"] for c in decision(run("evaluate", "-", "--format", "json", stdin=facts))["conclusions"]}
    silent = {c["rule"] for c in decision(run("evaluate", "-", "--format", "json", "--rules", "rules", stdin=facts))["conclusions"]}
    assert "COM-001" in speaking and "COM-001" not in silent


@pytest.mark.parametrize(
    ("facts", "level", "code"),
    [
        ("gpu.count: 4\nmeasured.communication_share: 31 %", "avoid", 1),
        ("gpu.count: 4\nmeasured.communication_share: 31 %", "note", 1),
        ("gpu.count: 4\nmeasured.communication_share: 29 %", "avoid", 0),
        ("gpu.count: 4", "stop", 0),
        ("gpu.name: RTX 4090\ngpu.count: 1", "stop", 1),
    ],
)
def test_fail_on(run: Run, facts: str, level: str, code: int) -> None:
    done = run("evaluate", "-", "--fail-on", level, stdin=f"{FACTS}{facts}\n")
    assert done.returncode == code
    said = done.stderr.splitlines()
    assert bool(said) == bool(code) and all(line.startswith(f"--fail-on {level}: ") for line in said), "what fails it, and nothing else"
    assert done.stdout, "the report is printed all the same"


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1", "TERM": "xterm-256color"}, {"TERM": "xterm-256color", "COLORTERM": "truecolor"}])
def test_a_pipe_gets_no_escape_codes(run: Run, example: Path, variables: dict[str, str]) -> None:
    assert "\x1b" not in run("evaluate", example, **variables).stdout


@pytest.mark.parametrize("width", [60, 80, 200])
def test_width(run: Run, width: int) -> None:
    done = run("evaluate", "-", "--width", str(width), stdin=FACTS)
    assert max(map(len, done.stdout.splitlines())) <= width


def test_a_hostile_name_reaches_no_terminal(run: Run) -> None:
    done = run("evaluate", "-", stdin=FACTS + 'model.name: "\\e[31mLlama\\u202e{{ 7 * 7 }}[bold]x[/bold]"\n')
    assert done.returncode in (0, 2)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", done.stdout + done.stderr)
    named = [line for line in done.stdout.splitlines() + done.stderr.splitlines() if "Llama" in line]
    assert named and all("49" not in line for line in named), "a template in a name stays text"
