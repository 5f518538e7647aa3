"""Hostile text in rules, facts, waivers and names of files through every command and format, as processes: it stays text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import hostile
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).parents[2]
NAME = "f\x1b[31m\u202e\n# <b>x [l](evil) `c` {{ 7 * 191 }}\u200b"
"""The name of a facts file: everything that a file system takes."""
TABS = ("rules", "facts", "catalog", "audit")
"""Commands whose text has a tab between the fields of a line."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rulebook `evil`, a second one with a rule changed and one gone, facts and waivers, a decision, and a record of it."""
    folder = tmp_path_factory.mktemp("hostile")
    hostile.written(folder / "evil")
    other = hostile.written(folder / "other")
    (path,) = other.glob("rules/*/COM-001-*.yaml")
    path.write_text(path.read_text("utf-8").replace('"30 %"', '"90 %"'), "utf-8")
    (path,) = other.glob("rules/*/COM-003-*.yaml")
    path.write_text(path.read_text("utf-8").replace('"active"', '"draft"'), "utf-8")
    facts = {"workload.task": "full_finetune", "model.name": f"Llama-2-7b{hostile.TEXT}", "model.size_class": "7B", "training.precision": "bf16_mixed"}
    facts |= {"gpu.name": "2x RTX 4090", "measured.communication_share": "34 %"}
    (folder / "facts").mkdir()
    for name in (f"facts/{NAME}", "plain"):
        (folder / f"{name}.yaml").write_text(json.dumps(facts), "utf-8")
        waivers = [{"rule": rule, "who": hostile.TEXT[:150], "why": hostile.TEXT, "until": "2999-12-31"} for rule in ("COM-001", "MIG-001")]
        waivers.append({**waivers[0], "until": "2020-01-01", "who": hostile.TEXT[150:300]})
        (folder / f"{name}.waivers.yaml").write_text(json.dumps({"waivers": waivers}), "utf-8")
    return folder


@pytest.fixture(scope="module")
def decided(world: Path) -> Path:
    """The world with decision.json, which is also entry 1 of its record."""
    command = [sys.executable, "-m", "gpurules.cli", "evaluate", f"facts/{NAME}.yaml", "--rules", "evil", "--record", "--format", "json"]
    environment = {**os.environ, "GPURULES_STORE": str(world / "record")}
    done = subprocess.run(command, cwd=world, env=environment, capture_output=True, encoding="utf-8", timeout=600, check=True)
    assert json.loads(done.stdout)["waivers"]["entries"][0]["why"] == hostile.TEXT, "JSON says what was written"
    assert not hostile.steers(done.stdout + done.stderr)
    (world / "decision.json").write_text(done.stdout, "utf-8")
    return world


def asked(words: str) -> tuple[str, ...]:
    return tuple(f"facts/{NAME}.yaml" if word == "FACTS" else word for word in words.split(" "))


COMMANDS = [
    "evaluate FACTS --rules evil --fail-on note",
    "evaluate FACTS --rules evil --lang zh --width 60",
    "evaluate FACTS --rules evil --format markdown",
    "evaluate FACTS --rules evil --format html --lang zh",
    "report decision.json",
    "report decision.json --format markdown --lang zh",
    "report decision.json --format html",
    "explain FACTS --rules evil",
    "explain FACTS COM-001 --rules evil --format markdown",
    "explain FACTS model.name --rules evil --set gpu.count=4 --format json",
    "explain decision.json 1x\u00a0AMD\u00a0Instinct\u00a0MI300X --rules evil --format markdown",
    "explain decision.json stated",
    "why-not FACTS COM-001 --rules evil --budget 3",
    "why-not FACTS 1x\u00a0H200\u00a0SXM --rules evil --budget 3 --format markdown",
    "why-not decision.json stated --rules evil --budget 3 --format json",
    "what-if FACTS --rules evil --vary gpu.count=1,2 --no-machines",
    "what-if FACTS --rules evil --vary gpu.count=1,2 --no-machines --format markdown",
    "sensitivity FACTS --rules evil --budget 10",
    "sensitivity FACTS --rules evil --budget 10 --format markdown --lang zh",
    "sensitivity decision.json --rules evil --budget 10 --format json",
    "sensitivity FACTS --rules evil --budget 10 --format html",
    "rules --rules evil",
    "rules --rules evil --coverage",
    "facts --rules evil",
    "catalog gpus --rules evil",
    "catalog gpus RTX\u00a04090 --rules evil",
    "catalog models --rules evil",
    "show COM-001 --rules evil",
    "show gpu.tier --rules evil",
    "show A04 --rules evil --lang zh",
    "show K01 --rules evil",
    "audit list",
    "audit show 1",
    "audit show 1 --format markdown",
    "audit show 1 --format json",
    "audit show 1 --part head",
    "audit verify",
    "audit export",
    "replay 1",
    "replay decision.json --with-current --rules evil",
    "replay 1 --with-current --rules other --format json",
    "diff evil other --facts facts",
    "diff evil other --facts facts --format markdown",
    "diff evil other --format json",
]


@pytest.mark.parametrize("words", [pytest.param(w, marks=() if at % 2 == 0 else pytest.mark.long, id=w) for at, w in enumerate(COMMANDS)])
def test_hostile_text_stays_text(run: Run, decided: Path, words: str) -> None:
    done = run(*(word.replace("\u00a0", " ") for word in asked(words)), cwd=decided, GPURULES_STORE=str(decided / "record"))
    assert done.returncode in (0, 1) and len(done.stdout) > 40, done.stderr
    assert not hostile.steers(done.stdout, words.startswith(TABS)), hostile.steers(done.stdout, words.startswith(TABS))
    assert not hostile.steers(done.stderr)
    assert "1337" not in re.sub(r"[0-9a-f]{12,}", "", done.stdout)
    if "json" in words.split() or words == "audit export":
        assert all(json.loads(line) for line in done.stdout.splitlines())
    elif "markdown" in words.split():
        assert hostile.marked_up(done.stdout) == []
    elif "html" in words.split():
        page = Elements(done.stdout)
        assert page.found["script"] == page.found["style"] == 1 and not {"img", "b", "h4", "iframe", "em"} & set(page.found)
        assert not [a for a in page.attributes if a.startswith("on")] and not [h for h in page.links if "evil" in h]


class Elements(HTMLParser):
    """The elements of a page, counted, its attributes and links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, int] = {}
        self.attributes: set[str] = set()
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[tag] = self.found.get(tag, 0) + 1
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]


REFUSED: list[tuple[str, ...]] = [
    ("evaluate", hostile.TEXT.replace("/", "")),
    ("evaluate", "plain.yaml", "--set", f"gpu.count={hostile.TEXT}", "--set", f"{hostile.TEXT}=1"),
    ("evaluate", "plain.yaml", "--date", hostile.TEXT),
    ("evaluate", "plain.yaml", "--format", hostile.TEXT),
    ("evaluate", "plain.yaml", hostile.TEXT),
    ("evaluate", "plain.yaml", f"--{hostile.TEXT}"),
    ("evaluate", "plain.yaml", "--waivers", NAME),
    ("evaluate", "plain.yaml", "--rules", NAME),
    ("evaluate", "-"),
    ("report", "-"),
    ("explain", "plain.yaml", hostile.TEXT),
    ("why-not", "plain.yaml", hostile.TEXT),
    ("why-not", "plain.yaml", "COM-001", "--fixed", hostile.TEXT),
    ("what-if", "plain.yaml", "--vary", f"gpu.count={hostile.TEXT}"),
    ("what-if", "plain.yaml", "--vary", hostile.TEXT),
    ("show", hostile.TEXT),
    ("facts", hostile.TEXT),
    ("rules", "--cites", hostile.TEXT),
    ("catalog", "gpus", hostile.TEXT),
    ("audit", "show", hostile.TEXT),
    ("audit", "verify", "--expect", hostile.TEXT),
    ("replay", hostile.TEXT),
    ("diff", hostile.TEXT, hostile.TEXT),
    (hostile.TEXT,),
]


@pytest.mark.parametrize("arguments", REFUSED, ids=lambda a: " ".join(w for w in a if w.isascii() and w.isprintable())[:40])
def test_what_is_refused_is_told_as_text(run: Run, decided: Path, arguments: tuple[str, ...]) -> None:
    stated = json.dumps({name: hostile.TEXT for name in (hostile.TEXT, "model.name", "gpu.count", "workload.task")})
    done = run(*arguments, stdin=stated, cwd=decided, GPURULES_STORE=str(decided / "record"))
    assert done.returncode == 2 and done.stdout == "" and done.stderr
    assert not hostile.steers(done.stderr), hostile.steers(done.stderr)


def test_faults_of_hostile_files_are_told_as_text(run: Run, tmp_path: Path) -> None:
    """Rules with hostile names, ids, expressions and YAML; waivers; and a folder named so."""
    rules = tmp_path / NAME
    rules.mkdir()
    text = json.dumps(hostile.TEXT)
    (rules / f"EXA-001-{NAME}.yaml").write_text(f"id: {text}\nversion: {text}\nwhen: {text}\n{text}: 1\nthen: [{text}]\n", "utf-8")
    (rules / "EXA-002-a.yaml").write_text('a: "\n', "utf-8")
    (rules / "EXA-003-a.yaml").write_text("a: \x1b[31m\n", "utf-8")
    (rules / f"COM-900-{NAME}.yaml").write_text(next(ROOT.glob("rules/*/COM-001-*.yaml")).read_text("utf-8").replace("gpu.count > 1", "gpu.cuont > 1"), "utf-8")
    (tmp_path / "w.yaml").write_text(f"waivers:\n- {{rule: {text}, who: {text}, why: {text}, until: {text}}}\n- {text}\n", "utf-8")
    (tmp_path / "facts.yaml").write_text("gpu.count: 2\n", "utf-8")
    for arguments in (("check", "--rules", NAME), ("evaluate", "facts.yaml", "--waivers", "w.yaml"), ("diff", NAME, NAME), ("rules", "--rules", NAME)):
        done = run(*arguments, cwd=tmp_path)
        assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) > 3
        assert not hostile.steers(done.stderr), hostile.steers(done.stderr)


@pytest.mark.parametrize("text", [*hostile.STARTS, hostile.TEXT])
def test_no_text_is_markdown_wherever_it_stands(text: str) -> None:
    from gpurules.engine.reports.markdown import code, escaped

    written = f"{escaped(text)}\n\n- {escaped(text)}\n  - {escaped(text)}\n\n**{escaped(text)}**\n\n| a |\n| --- |\n| {escaped(text)} |\n\n- {code(text)}\n"
    assert hostile.marked_up(written) == []
    from markdown_it import MarkdownIt

    shown = next(t for t in MarkdownIt("commonmark").parse(escaped(text)) if t.type == "inline")
    assert all(child.type == "text" for child in shown.children or ())
