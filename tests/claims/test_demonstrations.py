"""The demonstrations that the project promised, each on what a user gets: the command's report, or its faults."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import gpurules
from gpurules.cli.main import cli
from gpurules.engine import GpurulesError, load
from gpurules.engine.values.problem import Problem

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/7b-full-4x4090.yaml"
RULES = sorted((ROOT / "rules").rglob("*-*.yaml"))
Document = dict[str, Any]


def evaluated(*options: str) -> Document:
    result = CliRunner().invoke(cli, ["evaluate", str(EXAMPLE), "--format", "json", *options], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    document: Document = json.loads(result.stdout)
    return document


def report(*options: str) -> str:
    """The report in English, its lines joined, so that wrapping does not matter."""
    result = CliRunner().invoke(cli, ["evaluate", str(EXAMPLE), "--lang", "en", *options], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    return " ".join(result.stdout.split())


def decide(**facts: object) -> Document:
    document: Document = gpurules.evaluate({name.replace("__", "."): value for name, value in facts.items()}).document
    return document


def speaking(document: Document) -> set[str]:
    return {c["rule"] for c in document["conclusions"] if c["state"] in ("certain", "assuming")}


def requirement(document: Document, rule: str) -> str | None:
    """Whether candidate 0 meets a requirement; None where the rule says nothing of it."""
    return next((r["met"] for r in document["candidates"][0]["requirements"] if r["rule"] == rule), None)


# ---------------------------------------------------------------- the first example


def test_mixed_precision_of_7b_needs_112_to_140_gb_and_says_who_says_so() -> None:
    verdict = report().split(" WHAT TO DO ")[0]
    assert re.search(r"112–140 GB \[MEM-001, A01\b", verdict)
    assert "96 GB by name" in verdict and "103.0 GB usable" in verdict
    assert "16 to 20 bytes" in report().split(" SOURCES ")[1]


def test_bare_bf16_shows_both_meanings_and_asks_which() -> None:
    text = report("--set", "training.precision=bf16")
    assert re.search(r"Memory needed in all: 112–140 GB or 56 GB", text)
    document = evaluated("--set", "training.precision=bf16")
    (memory,) = (d for d in document["derived"] if d["fact"] == "memory.rule_of_thumb")
    shown = {a["rule"]: a["shown"]["en"] for a in memory["alternatives"]}
    assert shown == {"MEM-001": "112–140 GB", "MEM-002": "56 GB"}
    assert "training.precision" in [q["fact"] for q in document["measure_next"]]


def test_what_is_stated_plainly_is_not_asked() -> None:
    assert "training.precision" not in [q["fact"] for q in evaluated()["measure_next"]]


@pytest.mark.parametrize(("share", "finding"), [("31%", True), ("30%", False)])
def test_the_share_of_communication_turns_a_finding_on(share: str, finding: bool) -> None:
    document = evaluated("--set", f"measured.communication_share={share}")
    assert ("COM-001" in speaking(document)) == finding
    found = [c for c in document["conclusions"] if c["rule"] == "COM-001"]
    assert all(c["cites"] == ["A04"] and (c["level"], c["action"]) == ("avoid", "add_cards") for c in found)


# ---------------------------------------------------------------- cooling

AIR = {"site__cooling": "ordinary_air", "gpu__count": 8, "workload__task": "full_finetune", "model__size_class": "13B"}


def test_700_w_in_ordinary_air_requires_no_liquid() -> None:
    document = decide(gpu__name="H100 SXM", **AIR)
    assert "PWR-002" not in speaking(document)
    assert requirement(document, "PWR-003") != "no"


def test_1000_w_requires_liquid() -> None:
    document = decide(gpu__name="B200", **AIR)
    assert "PWR-002" in speaking(document)
    assert requirement(document, "PWR-003") == "no"


def test_the_vendors_statement_silences_it() -> None:
    document = decide(gpu__name="B200", gpu__air_cooled_by_vendor="yes", **AIR)
    assert "PWR-002" not in speaking(document)
    assert requirement(document, "PWR-003") != "no"
    assert "PWR-004" in speaking(document)


def test_a_plain_h100_is_asked_about() -> None:
    document = decide(gpu__name="H100", **AIR)
    assert "gpu.name" in [q["fact"] for q in document["measure_next"]]
    (several,) = (a for a in document["ambiguities"] if a["fact"] == "gpu.name")
    assert len(several["entries"]) > 1 and all("H100" in name for name in several["entries"])
    assert "PWR-003" not in speaking(document), "none of them is above 700 W"


# ---------------------------------------------------------------- a slip in any rule

FACT = re.compile(r"(?<![\w.'\"])[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+")


@dataclass(frozen=True)
class Slip:
    """A fact's name that lost a letter: where it stands, what it was and what it is now."""

    line: int
    column: int
    name: str

    @property
    def written(self) -> str:
        return self.name[:-2] + self.name[-1]

    def made(self, text: str) -> str:
        lines = text.split("\n")
        line, at = lines[self.line - 1], self.column - 1
        lines[self.line - 1] = line[:at] + self.written + line[at + len(self.name) :]
        return "\n".join(lines)


def names(text: str, key: str, vocabulary: Collection[str]) -> Iterator[Slip]:
    """Every fact that stands under a key of a rule, in its order."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\w", line):
            inside = line.startswith(f"{key}:")
        for match in FACT.finditer(line.split(" #")[0]) if inside else ():
            if match.group() in vocabulary:
                yield Slip(number, match.start() + 1, match.group())


def slip(text: str, vocabulary: Collection[str]) -> Slip | None:
    """The last fact of the condition; of a rule without one, the last that it needs or concludes from."""
    return next((found[-1] for key in ("when", "needs", "then") if (found := list(names(text, key, vocabulary)))), None)


@pytest.fixture(scope="module")
def vocabulary() -> frozenset[str]:
    return frozenset(load().vocabulary.facts)


@pytest.fixture(scope="module")
def faults(vocabulary: frozenset[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Problem]]:
    """What is said of the rules by file when each of them holds one slip: all of it at once."""
    folder = tmp_path_factory.mktemp("slips") / "rules"
    shutil.copytree(ROOT / "rules", folder)
    for path in RULES:
        text = path.read_text("utf-8")
        made = slip(text, vocabulary)
        if made is not None:
            (folder / path.relative_to(ROOT / "rules")).write_text(made.made(text), encoding="utf-8")
    with pytest.raises(GpurulesError) as raised:
        load(folder)
    assert list(raised.value.problems) == sorted(raised.value.problems)
    found: dict[str, list[Problem]] = {}
    for problem in raised.value.problems:
        found.setdefault(problem.place.file, []).append(problem)
    return found


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name[:7])
def test_a_slip_in_any_rule_is_found_at_its_place(path: Path, vocabulary: frozenset[str], faults: dict[str, list[Problem]]) -> None:
    """The fault names line, column, and the fact that was meant."""
    made = slip(path.read_text("utf-8"), vocabulary)
    if made is None:
        assert not re.search(r"^(when|needs):", path.read_text("utf-8"), re.M), "only advice to everybody names no fact"
        return
    shown = f"rules/{path.relative_to(ROOT / 'rules').as_posix()}"
    (fault,) = (p for p in faults[shown] if p.code == "GR101" and f"'{made.written}'" in p.message)
    assert str(fault.place) == f"{shown}:{made.line}:{made.column}"
    assert fault.message.startswith("unknown fact")
    assert fault.mend == f"did you mean '{made.name}'?"


def test_a_slip_alone_is_the_only_fault(vocabulary: frozenset[str], tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    path = next((tmp_path / "rules").rglob("COM-001-*.yaml"))
    path.write_text(path.read_text("utf-8").replace("measured.communication_share >", "measured.comunication_share >"), encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", "--rules", str(tmp_path / "rules")])
    assert (result.exit_code, result.stdout) == (2, "")
    found = re.match(r"(rules/\S+/COM-001-\S+\.yaml):(\d+):(\d+): GR101 unknown fact or parameter 'measured.comunication_share'\n(.*)\n$", result.stderr)
    assert found is not None, result.stderr
    line = path.read_text("utf-8").splitlines()[int(found.group(2)) - 1]
    assert line[int(found.group(3)) - 1 :].startswith("measured.comunication_share")
    assert found.group(4).strip() == "did you mean 'measured.communication_share'?"
