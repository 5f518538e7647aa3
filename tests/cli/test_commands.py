"""The other commands as processes, and how every command ends: broken pipes, Ctrl-C, full disks, unknown options."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
COMMANDS = ("evaluate", "explain", "why-not", "what-if", "rules", "show", "check", "catalog", "facts", "completion")


def test_version(run: Run) -> None:
    done = run("--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"\b\d+\.\d+\.\d+$", done.stdout.strip())


def test_help_names_every_command(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^  {command} +\w", done.stdout, re.MULTILINE), command


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: ")


def test_check_runs_the_cases(run: Run) -> None:
    done = run("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"\d+ rules, \d+ cases passed, 0 failed", done.stdout)


def alone(rule: str, folder: Path, old: str, new: str) -> None:
    """A folder with a single rule, changed, and without what it overrides: a check of all the others takes much longer and says the same."""
    path = next((ROOT / "rules").rglob(f"{rule}-*.yaml"))
    text = re.sub(r"^overrides: .*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    assert old in text
    folder.mkdir()
    (folder / path.name).write_text(text.replace(old, new), encoding="utf-8")


def test_check_fails_with_1_where_a_case_does(run: Run, tmp_path: Path) -> None:
    alone("COM-001", tmp_path / "rules", "value: 30 %", "value: 60 %")
    done = run("check", "--rules", "rules")
    assert done.returncode == 1
    assert re.search(r"COM-001-\S+:\d+:\d+: GR601 case '.*' of COM-001: fires should be yes, is no", done.stderr)


def test_check_fails_with_1_where_no_claim_holds_a_figure(run: Run, tmp_path: Path) -> None:
    figure = "- gpu.count > few\nparameters:\n  few: {value: 1, cites: [A06], since: 2026-01-01}\n"
    alone("COM-005", tmp_path / "rules", "- gpu.count > 1\n", figure)
    done = run("check", "--rules", "rules")
    assert (done.returncode, done.stdout.split(", ")[-1].split(";")[0]) == (1, "0 failed")
    assert re.search(r"COM-005-\S+:\d+:\d+: GR421 'few' is 1, which is no figure of A06\n    figures there: none; correct it", done.stderr)


def test_coverage_names_the_rules_of_every_claim_and_fails_where_one_has_none(run: Run, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    next((tmp_path / "rules").rglob("CHO-001-*.yaml")).unlink()
    done = run("rules", "--coverage", "--rules", "rules")
    *lines, total = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (1, "")
    found = dict(line.split("\t", 1) for line in lines)
    assert "COM-001" in found["A04"].split()
    assert found["A10"].startswith("-\tOnce a load has been profiled"), "no rule but CHO-001 cites it; the claim is told in full"
    assert len(found) == len(lines)
    assert re.fullmatch(rf"{len(lines)} claims: \d+ cited by rules that run, [1-9]\d* by none", total)


def test_rules_are_listed(run: Run) -> None:
    lines = run("rules").stdout.splitlines()
    assert len(lines) == len(list((ROOT / "rules").rglob("*-*.yaml")))
    assert lines == sorted(lines)
    cited = run("rules", "--cites", "A04").stdout
    assert "COM-001\t" in cited and "MEM-001\t" not in cited


@pytest.mark.parametrize(
    ("name", "words"),
    [("COM-001", "measured.communication_share > "), ("gpu.count", "kind    observed"), ("A04", "cited by COM-001"), ("K01", "between A01, C03")],
)
def test_show(run: Run, name: str, words: str) -> None:
    done = run("show", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert words in done.stdout


def test_show_in_chinese(run: Run) -> None:
    assert "通信" in run("show", "COM-001", "--lang", "zh").stdout


def test_show_of_nothing_names_the_nearest(run: Run) -> None:
    done = run("show", "gpu.cuont")
    assert (done.returncode, done.stdout) == (2, "")
    assert "GR312 nothing is called 'gpu.cuont'" in done.stderr and "did you mean 'gpu.count'?" in done.stderr


def test_catalog(run: Run) -> None:
    assert len(run("catalog", "gpus").stdout.splitlines()) > 80
    assert len(run("catalog", "models").stdout.splitlines()) > 200
    card = run("catalog", "gpus", "RTX 4090").stdout
    assert "gpu.memory_nominal" in card and "24 GB" in card
    prices = run("catalog", "prices").stdout
    assert "GeForce RTX 4090" in prices and "budget.rent_price" in prices and "http" not in prices
    region, none = run("catalog", "prices", "中国"), run("catalog", "prices", "Tesla T4")
    assert "site.electricity_price" in region.stdout and "http" in region.stdout and "budget.card_price" not in region.stdout
    assert none.stdout == "Tesla T4: no price is known; state budget.card_price or budget.rent_price\n"
    wrong = run("catalog", "gpus", "RTX 4095")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean" in wrong.stderr


def test_facts_are_listed(run: Run) -> None:
    assert "measured.communication_share\t" in run("facts").stdout
    group = run("facts", "measured").stdout.splitlines()
    assert group and all(line.startswith("measured.") for line in group)
    assert "通信" in run("facts", "measured", "--lang", "zh").stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "_GPURULES_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [["evalute", "x"], ["evaluate"], ["evaluate", "-", "--nope"], ["evaluate", "-", "--lang", "fr"], ["evaluate", "-", "--width", "9"], ["completion", "csh"]],
)
def test_unknown_commands_and_options_exit_with_2(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error: " in done.stderr


def test_the_installed_command_is_the_same(example: Path, run: Run) -> None:
    command = Path(sys.executable).with_name("gpurules")
    if not command.exists():
        pytest.skip("the command is not installed beside this Python")
    done = subprocess.run([command, "evaluate", example, "--format", "json"], capture_output=True, encoding="utf-8", timeout=600)
    assert done.stdout == run("evaluate", example, "--format", "json").stdout


def test_it_runs_from_any_folder(run: Run, example: Path, tmp_path: Path) -> None:
    """Folders called engine or cli where it is run do not come in the way."""
    for name in ("engine", "cli", "rules", "gpurules"):
        (tmp_path / name).mkdir()
    for folder in (tmp_path, ROOT, Path("/")):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"LANG": "C.UTF-8"}
        command = [Path(sys.executable).with_name("gpurules"), "evaluate", example, "--width", "100"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=600)
        assert (done.returncode, done.stderr) == (0, ""), folder


# ---------------------------------------------------------------- endings


def started(*arguments: str | Path, **streams: int) -> subprocess.Popen[str]:
    """A command that runs on. It hears Ctrl-C, even where the tests were started in the background of a shell, which ignores it."""
    command = [sys.executable, "-m", "gpurules.cli", *map(str, arguments)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **streams)


@pytest.mark.parametrize("arguments", [["rules"], ["facts"], ["catalog", "models"], ["evaluate", "--help"], ["show", "A04"]], ids=" ".join)
def test_a_reader_that_has_gone(arguments: list[str]) -> None:
    """Nobody reads (`| true`): no traceback, no complaint, and an exit code that is neither of a gate nor of wrong input."""
    reading, writing = os.pipe()
    os.close(reading)
    process = started(*arguments, stdout=writing)
    os.close(writing)
    assert process.communicate(timeout=600)[1] == ""
    assert process.returncode == 141


def test_a_reader_of_one_line(example: Path) -> None:
    process = started("evaluate", example, "--lang", "en", stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    assert process.stdout.readline() == "VERDICT\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=600) in (0, 141)


def test_a_full_disk(example: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        process = started("rules", stdout=full.fileno())
        errors = process.communicate(timeout=600)[1]
    assert "Traceback" not in errors and "No space left" in errors
    assert process.returncode == 2


def test_ctrl_c() -> None:
    process = started("evaluate", "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    time.sleep(2.0)  # it waits for facts by then
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=600)
    assert (process.returncode, output, errors) == (130, "", "interrupted\n")


def test_a_terminal_without_the_characters(run: Run, example: Path) -> None:
    done = run("evaluate", example, "--lang", "zh", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_on_a_terminal(example: Path, variables: dict[str, str], coloured: bool) -> None:
    leader, follower = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")} | {"TERM": "xterm-256color"} | variables
    process = subprocess.Popen([sys.executable, "-m", "gpurules.cli", "evaluate", example, "--lang", "en"], stdout=follower, env=environment)
    os.close(follower)
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(leader)
    assert process.wait(timeout=600) == 0
    assert (re.search(rb"\x1b\[\d*;?3[0-9]", b"".join(chunks)) is not None) == coloured


@pytest.mark.parametrize(
    ("arguments", "mend"),
    [
        (("rules", "--cites", "A4"), "GR312 no claim is called 'A4'\n    did you mean 'A"),
        (("facts", "mesured"), "did you mean 'measured'?"),
        (("facts", "time"), "groups: "),
    ],
)
def test_a_list_of_nothing_says_so(run: Run, arguments: tuple[str, ...], mend: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert mend in done.stderr
