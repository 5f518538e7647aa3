"""Inputs that are meant to cost much: each is refused within two seconds of processor time and 500 MB, by a process that has no more."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from refusals import faults_in, ran_within_limits
from test_rules import RULE, WHEN

from gpurules.engine import GpurulesError, load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded so on Linux only")
N = 900_000


def bomb(levels: str = "abcdefghijklmnop") -> str:
    """Each level names the one before ten times."""
    return "a: &a [" + ",".join("x" * 10) + "]\n" + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip(levels, levels[1:], strict=False))


FACTS: dict[str, tuple[str | int, str, int]] = {
    # name: content (or so many bytes of a file with nothing in it), code, most faults told
    "100 MB": (100_000_000, "GR001", 1),
    "10 GB": (10_000_000_000, "GR001", 1),
    "alias bomb": (bomb(), "GR004", 1),
    "unknown facts": ("".join(f"key{i:05}: 1\n" for i in range(24_000)), "GR301", 101),
    "unknown facts of a group": ("gpu:\n" + "".join(f"  key{i:05}: 1\n" for i in range(24_000)), "GR301", 101),
    "keys that stand twice": ("a: 1\n" * 24_000, "GR004", 101),
    "tags": ("[" + "!x 1," * 49_000 + "]", "GR004", 101),
    "members": ("workload.task: [" + ",".join(f"x{i}" for i in range(49_000)) + "]", "GR302", 1),
    "models": ("model.name: [" + ",".join(f"x{i}" for i in range(49_000)) + "]", "GR302", 1),
    "spaces in a member": ('workload.task: "lora' + " " * N + 'x"', "GR004", 1),
    "spaces in a number": ('gpu.count: "4' + " " * N + 'x"', "GR004", 1),
    "spaces in 90 members": ("".join(f'k{i}: "a{" " * 9_990}b"\n' for i in range(90)), "GR301", 101),
    "digits": ("gpu.count: " + "4" * N, "GR004", 1),
    "digits of a card": ("gpu.name: " + "4" * 9_999, "GR307", 1),
    "letters": ("model.name: " + "x-" * (N // 2), "GR004", 1),
    "directives": ("".join(f"%TAG !a{i}! x\n" for i in range(60_000)) + "---\na: 1\n", "GR004", 1),
    "brackets": ("[" * N, "GR003", 1),
    "braces": ("{" * N, "GR003", 1),
    "dashes": ("- " * (N // 2), "GR004", 1),
    "question marks": ("? " * (N // 2), "GR004", 1),
    "escapes": ('gpu.name: "' + "\\u0041" * 150_000 + '"', "GR004", 1),
    "anchors": ("".join(f"a{i}: &a{i} 1\n" for i in range(24_000)), "GR301", 101),
    "a key": ("? " + "x" * N + "\n: 1", "GR004", 1),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts(name: str, tmp_path: Path, warm: Path) -> None:
    content, code, most = FACTS[name]
    path = tmp_path / "facts.yaml"
    if isinstance(content, int):
        with path.open("wb") as file:
            file.truncate(content)  # takes no room on the disk
    else:
        path.write_text(content, "utf-8")
    exit_code, output, errors, seconds = ran_within_limits(["evaluate", "facts.yaml"], tmp_path, warm)
    found = faults_in(errors)
    assert (exit_code, output) == (2, "") and found[0][1] == code and 1 <= len(found) <= most, errors[:2000]
    assert seconds < 2


def rule(old: str, new: str) -> str:
    assert old in RULE
    return RULE.replace(old, new, 1)


def table(keys: str, row: str) -> str:
    return rule("parameters:\n", f"parameters:\n  t: {{keys: [{keys}], cites: [A04], since: 2026-01-01, rows: [{row}]}}\n")


RULES: dict[str, tuple[str | int, str]] = {
    "100 MB": (100_000_000, "GR001"),
    "alias bomb": (bomb(), "GR004"),
    "unknown keys": (RULE + "".join(f"key{i:05}: 1\n" for i in range(23_000)), "GR401"),
    "citations that are no text": (rule("cites: [A04]\ncases", f"cites: [{','.join(map(str, range(40_000)))}]\ncases"), "GR401"),
    "citations of two kinds": (rule("cites: [A04]\ncases", f"cites: [{','.join(f'{i},[{i}]' for i in range(15_000))}]\ncases"), "GR401"),
    "unknown citations": (rule("cites: [A04]\ncases", f"cites: [{','.join(f'Q{i}' for i in range(40_000))}]\ncases"), "GR404"),
    "conditions": (rule(WHEN, "\n".join([WHEN] * 20_000)), "GR401"),
    "thresholds": (rule(WHEN, f"    - any: [{','.join(f'gpu.count > {i}' for i in range(20_000))}]"), "GR102"),
    "wrong conditions": (rule(WHEN, "\n".join(["    - gpu.cont > lmit"] * 10_000)), "GR101"),
    "conclusions": (rule("then:\n", "then:\n" + "  - advise: {topic: x, level: avoid, action: y}\n" * 4_900), "GR405"),
    "parameters": (rule("parameters:\n", "parameters:\n" + "".join(f"  p{i}: {{value: 1, cites: [A04], since: 2026-01-01}}\n" for i in range(4_900))), "GR414"),
    "table of every pair of cards and models": (table("gpu.name, model.name, gpu.name, model.name", "{key: [any, any, any, any], value: 1}"), "GR418"),
    "rows": (table("workload.task, training.precision", ",".join(["{key: [any, any], value: 1}"] * 6_000)), "GR418"),
    "braces": (rule('"Communication takes', '"' + "{{" * 900 + "Communication takes"), "GR120"),
    "text": (RULE + f"notes: {'x' * N}\n", "GR004"),
    "version": (rule("1.0.0", "0x" + "f" * 9_000), "GR401"),
}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory, warm: Path) -> float:
    """Seconds that it takes to read the packaged catalogues and vocabulary, and one rule that is well."""
    folder = tmp_path_factory.mktemp("well")
    (folder / "r").mkdir()
    (folder / "r/COM-901-x.yaml").write_text(RULE, "utf-8")
    exit_code, _, errors, seconds = ran_within_limits(["check", "--rules", "r"], folder, warm)
    assert exit_code == 0, errors
    return seconds


@pytest.mark.parametrize("name", RULES)
def test_rules(name: str, tmp_path: Path, warm: Path, usual: float) -> None:
    content, code = RULES[name]
    path = tmp_path / "r/COM-901-x.yaml"
    path.parent.mkdir()
    if isinstance(content, int):
        with path.open("wb") as file:
            file.truncate(content)
    else:
        path.write_text(content, "utf-8")
    exit_code, output, errors, seconds = ran_within_limits(["check", "--rules", "r"], tmp_path, warm)
    found = faults_in(errors)
    assert (exit_code, output) == (2, "") and code in {f[1] for f in found} and len(found) <= 102, errors[:2000]
    assert seconds - usual < 2


def test_a_conclusion_said_hundreds_of_times_is_told_once(tmp_path: Path) -> None:
    said = "- derive: {power.rest: share * host.gpus * gpu.power_limit}\n" * 480
    head = "id: EXA-001\nversion: 1.0.0\nstatus: active\ntitle: {en: An example, zh: 示例}\n"
    rest = "parameters:\n  share: {value: 45 %, cites: [H15], since: 2026-01-01}\nbecause: {en: An example., zh: 示例。}\ncites: [H15]\n"
    cases = "cases:\n- {name: one, facts: {gpu.count: 1}, fires: yes}\n"
    (tmp_path / "EXA-001-an-example.yaml").write_text(f"{head}then:\n{said}{rest}{cases}", "utf-8")
    start = time.process_time()
    with pytest.raises(GpurulesError) as caught:
        load(tmp_path)
    assert [p.code for p in caught.value.problems].count("GR408") == 1
    assert time.process_time() - start < 4, "reading the catalogues takes two"
