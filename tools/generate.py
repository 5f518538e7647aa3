"""Write every file that is made from other files of the repository; `--check` writes nothing and names those that are stale.

python tools/generate.py [--check]
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import floors
import yaml
from click.testing import CliRunner

from gpurules.cli.main import cli
from gpurules.engine.knowledge import catalog as catalogs
from gpurules.engine.knowledge import document, rulebook, vocabulary
from gpurules.engine.knowledge.vocabulary import Definition, Vocabulary
from gpurules.engine.language import syntax
from gpurules.engine.values import quantity

ROOT = Path(__file__).resolve().parents[1]
NOTICE = "written by tools/generate.py; do not edit"
COSTS = {"free": "at once", "minutes": "minutes", "hours": "hours", "money": "money"}
Json = dict[str, Any]


def words() -> Vocabulary:
    """The vocabulary of this checkout."""
    files = rulebook.folder(ROOT)
    loaded = {}
    for kind, name in (("card", "gpus.yaml"), ("model", "models.yaml")):
        content = files.catalogs.joinpath(name).read_bytes()
        plain = document.plain(document.parse(content, name, document.CATALOG_BYTES, document.CATALOG_NODES))
        loaded[kind] = catalogs.load(plain, kind).members
    parts = sorted((ROOT / "schemas/vocabulary").glob("*.yaml"))
    return vocabulary.load({p.name: document.parse(p.read_bytes(), f"schemas/vocabulary/{p.name}") for p in parts}, loaded)


def stated(facts: Vocabulary) -> dict[str, list[Definition]]:
    """The facts that a facts file may state, by group."""
    groups: dict[str, list[Definition]] = {}
    for definition in facts.facts.values():
        if definition.kind != "choice" and not definition.path.startswith("candidate."):
            groups.setdefault(definition.path.partition(".")[0], []).append(definition)
    return groups


# ---------------------------------------------------------------- schemas/facts.schema.json


def facts_schema() -> str:
    """JSON Schema of a facts file. It helps an editor along; what a value means is checked by gpurules itself."""
    groups = stated(words())
    defs = {d.path: _schema(d) for group in groups.values() for d in group}
    dotted = {path: {"$ref": f"#/$defs/{path}"} for path in defs}
    nested = {name: _group(name, group) for name, group in groups.items()}
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": NOTICE,
        "title": "Facts about a workload, for gpurules",
        "description": "Every fact by its dotted name (gpu.count: 4), or in groups (gpu: {count: 4}). What is not known is left out.",
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": nested | dotted,
        "$defs": defs,
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _group(name: str, group: list[Definition]) -> Json:
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": {d.path.removeprefix(f"{name}."): {"$ref": f"#/$defs/{d.path}"} for d in group},
    }


def _schema(definition: Definition) -> Json:
    how = [definition.title.zh]
    if definition.number:
        bare = "a share, 0.34 or 34 %" if definition.share else f"a bare number is in {definition.unit.text}" if definition.unit.text != "1" else "a number"
        how.append(f"{_range(definition)}; {bare}; a range is written 20..30, a bound >= 20")
        types: list[str] = ["number", "string"]
        examples: list[object] = list(definition.words)
    elif definition.type == "bool":
        how.append("yes or no")
        types, examples = ["boolean", "string"], ["yes", "no"]
    elif definition.type in ("card", "model"):
        how.append(f"the name of a {definition.type}, as `gpurules catalog {'gpus' if definition.type == 'card' else 'models'}` lists them; several in a list")
        types, examples = ["string", "array"], []
    else:
        how.append("; ".join(f"{name}: {text.en}" for name, text in definition.members.items()) + "; several in a list, or joined by 'or'")
        types, examples = ["string", "number", "array"], [*definition.members, *definition.aliases]
    if definition.obtain:
        how.append(definition.obtain.en)
    schema: Json = {"title": definition.title.en, "description": ". ".join(how), "type": types}
    if "array" in types:
        schema |= {"minItems": 1, "items": {"type": ["string", "number"]}}
    return schema | ({"examples": examples} if examples else {})


def _range(definition: Definition) -> str:
    """`1–200,000`; how far the fact may go, in the unit people use for it."""
    return quantity.show(definition.range, definition.unit, definition.share)


# ---------------------------------------------------------------- docs/facts.md


def facts_page() -> str:
    lines = [
        f"<!-- {NOTICE} -->",
        "# Facts",
        "",
        "Everything that a facts file may state. A fact that is left out may have any value of its range. A size may be written as a",
        "range (`20..30 GB`) or a bound (`>= 72 GB`); a member as a list or joined by `or`. *Cost* is what it takes to find out.",
        "Derived facts come from rules; one that is stated is used instead, and the derived value is shown beside it.",
    ]
    for name, group in stated(words()).items():
        lines += ["", f"## {name}", "", "| fact | meaning | values | how to obtain it | cost |", "| --- | --- | --- | --- | --- |"]
        lines += [_row(d) for d in group]
    return "\n".join(lines) + "\n"


def _row(definition: Definition) -> str:
    obtain = "derived" if definition.kind == "derived" else definition.obtain.en if definition.obtain else ""
    if definition.command:
        obtain = f"`{definition.command}`. {obtain}"
    if definition.applies_when:
        obtain += f" Means nothing unless {_code(syntax.show(definition.applies_when))}."
    cost = "" if definition.kind == "derived" else COSTS[definition.cost]
    return (
        "| "
        + " | ".join(_cell(c) for c in (f"`{definition.path}`", f"{definition.title.en}<br>{definition.title.zh}", _values(definition), obtain, cost))
        + " |"
    )


def _values(definition: Definition) -> str:
    if definition.number:
        whole = ", whole" if definition.integer and not definition.share else ""
        unit = "" if definition.unit.text == "1" else f"; bare numbers in {definition.unit.text}"
        return f"{_range(definition)}{whole}{unit}"
    if definition.type == "bool":
        return "yes, no"
    if definition.type in ("card", "model"):
        return f"a {definition.type} of the catalogue" + (", or any other name" if definition.open else "")
    return ", ".join(f"`{m}`" for m in definition.members)


def _code(text: str) -> str:
    return f"`{text}`"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("|", "\\|")).strip()


# ---------------------------------------------------------------- docs/problems.md

_CLAIMS = """\
sources: {X: {title: {en: An example, zh: 示例}, url: "", interest: ""}}
claims: [{id: X01, source: X, place: "", says: {en: An example, zh: 示例}}]
"""


def codes_in_source() -> set[str]:
    """Every problem code that the engine or the command line can give."""
    files = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]
    return {code for file in files for code in re.findall(r'"(GR\d{3})"', file.read_text("utf-8"))}


def problems_page() -> str:
    told = yaml.load((ROOT / "docs/problems.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)
    entries = {e["code"]: e for e in told["codes"]}
    missing, idle = sorted(codes_in_source() - set(entries)), sorted(set(entries) - codes_in_source())
    if missing or idle:
        raise click.ClickException(f"docs/problems.yaml lacks {', '.join(missing) or 'none'}; explains without need {', '.join(idle) or 'none'}")
    lines = [
        f"<!-- {NOTICE} -->",
        "# Problems",
        "",
        "What gpurules says about input that it cannot use: `file:line:column: CODE what is wrong`, and below it how to mend it.",
        "All problems are reported at once, and the exit code is 2 (1 for GR421 and GR601, which only `check` looks for). Codes keep their meaning.",
        "0xx files, 1xx expressions, 2xx vocabulary, 3xx facts, 4xx rules, 5xx evaluation, 6xx cases, 7xx back ends, 8xx decisions kept, compared and waived.",
        "",
        "| code | meaning |",
        "| --- | --- |",
        *(f"| [{code}](#{code.lower()}) | {entry['means']} |" for code, entry in sorted(entries.items())),
        "",
        "Where an example shows a few keys of a rule, the rest of the rule is:",
        "",
        *_fence(told["rule"], "yaml"),
    ]
    for code, entry in sorted(entries.items()):
        said = _provoked(code, entry, told["rule"])
        shown = [text for key in ("vocabulary", "claims", "facts", "rule", "second") if (text := entry.get(key, ""))]
        lines += [
            "",
            f"## {code}",
            "",
            entry["means"],
            "",
            *(_fence("\n# and\n".join(t.rstrip() for t in shown), "yaml") if shown else ()),
            *_fence(said, "text"),
        ]
    return "\n".join(lines) + "\n"


def _fence(text: str, language: str) -> list[str]:
    return [f"```{language}", text.rstrip("\n"), "```"]


def _provoked(code: str, entry: dict[str, str], rule: str) -> str:
    """What the command line says to an example; as the entry has it where that hangs on what is installed."""
    if "says" in entry:
        return entry["says"]
    with _folder(entry, rule):
        command = entry.get("command") or ("check --rules ." if {"rule", "vocabulary", "claims"} & set(entry) else "evaluate facts.yaml --rules .")
        takes_rules = command.split()[0] in ("evaluate", "check")
        arguments = command.split() + (["--rules", "."] if takes_rules and "--rules" not in command else [])
        result = CliRunner().invoke(cli, arguments, env={"COLUMNS": "200"})
    if code not in result.output:
        raise click.ClickException(f"the example of {code} in docs/problems.yaml leads to:\n{result.output or result.exception}")
    said = [line for line in result.output.splitlines() if not line.startswith("0 rules") and "cases passed" not in line]
    return "\n".join([f"$ gpurules {command.replace(' --rules .', '') if 'facts' in command else command}", *said])


@contextlib.contextmanager
def _folder(entry: dict[str, str], rule: str) -> Iterator[None]:
    """A small rulebook with the example in it, as the current folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("rules", "catalogs"):
            (folder / part).mkdir()
        (folder / "rules/rulebook.yaml").write_text("version: 1.0.0\nreleased: 2026-01-01\n", "utf-8")
        (folder / "catalogs/claims.yaml").write_text(entry.get("claims", _CLAIMS), "utf-8")
        (folder / "catalogs/conflicts.yaml").write_text("conflicts: []\n", "utf-8")
        (folder / "catalogs/models.yaml").write_text("sources: {}\nmodels: []\n", "utf-8")
        shutil.copy(ROOT / "catalogs/gpus.yaml", folder / "catalogs")
        shutil.copytree(ROOT / "schemas", folder / "schemas")
        if "vocabulary" in entry:
            (folder / "schemas/vocabulary/example.yaml").write_text(entry["vocabulary"], "utf-8")
        if "facts" in entry:
            (folder / "facts.yaml").write_text(entry["facts"], "latin-1" if entry.get("latin") == "yes" else "utf-8")
        for number, key in ((1, "rule"), (2, "second")):
            if key in entry or number == 1:
                own = rule.replace("EXA-001", f"EXA-00{number}")
                (folder / f"rules/EXA-00{number}-example.yaml").write_text(_merged(own, entry.get(key, "")), "utf-8")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _merged(rule: str, changes: str) -> str:
    """The rule with the top-level keys of `changes` in place of its own; new ones before `then`."""
    blocks = {block.partition(":")[0]: block for block in re.split(r"(?m)^(?=[a-z_]+:)", rule) if block}
    for block in re.split(r"(?m)^(?=[a-z_]+:)", changes):
        if block:
            blocks[block.partition(":")[0]] = block
    return "".join(blocks.values())


# ---------------------------------------------------------------- all of them

FILES: dict[str, Callable[[], str]] = {
    "schemas/facts.schema.json": facts_schema,
    "docs/facts.md": facts_page,
    "docs/problems.md": problems_page,
    "docs/floors.svg": floors.drawn,
}


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file is stale.")
def main(check: bool) -> None:
    """Write every generated file of the repository."""
    stale: list[str] = []
    for name, content in FILES.items():
        path, text = ROOT / name, content()
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, "utf-8")
    for name in stale:
        click.echo(f"{name} is stale; run python tools/generate.py" if check else f"wrote {name}", err=check)
    if check and stale:
        sys.exit(1)


if __name__ == "__main__":
    main()
