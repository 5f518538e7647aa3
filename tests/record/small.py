"""A rulebook of three rules, with the packaged vocabulary and cards, and facts for it: loaded in a moment, and easily changed."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULE = """\
id: {id}
version: {version}
status: active
title: {{en: "{title}", zh: "{title}"}}
when: {when}
parameters:
  limit: {{value: "{limit}", cites: [X01], since: 2026-01-01}}
then:
{then}
because: {{en: "{title}", zh: "{title}"}}
confidence: high
cites: [X01]
cases:
- {{name: none, facts: {{}}, fires: depends}}
"""
CLAIMS = """\
sources: {X: {title: {en: An example, zh: 示例}, url: "", interest: ""}}
claims: [{id: X01, source: X, place: "", says: {en: An example, zh: 示例}}]
"""
ADVICE = "- advise: {topic: scaling, level: avoid, action: add_cards}"
FACTS = "workload.task: lora\nmodel.size_class: 7B\ngpu.count: 2\nmeasured.communication_share: 40 %  # measured\n"


def rule(folder: Path, id_: str, when: str = "measured.communication_share > limit", limit: str = "30 %", then: str = ADVICE, version: str = "1.0.0") -> Path:
    """Writes one rule; the file is named by its id."""
    path = folder / f"rules/{id_}-example.yaml"
    path.write_text(RULE.format(id=id_, when=when, limit=limit, then=then, version=version, title=f"Rule {id_}"), "utf-8")
    return path


def rulebook(folder: Path, version: str = "1.0.0") -> Path:
    """A folder with rules/, catalogs/ and schemas/."""
    (folder / "rules").mkdir(parents=True)
    (folder / "catalogs").mkdir()
    (folder / "rules/rulebook.yaml").write_text(f"version: {version}\nreleased: 2026-01-01\n", "utf-8")
    (folder / "catalogs/claims.yaml").write_text(CLAIMS, "utf-8")
    (folder / "catalogs/conflicts.yaml").write_text("conflicts: []\n", "utf-8")
    (folder / "catalogs/models.yaml").write_text("sources: {}\nmodels: []\n", "utf-8")
    shutil.copy(ROOT / "catalogs/gpus.yaml", folder / "catalogs")
    shutil.copytree(ROOT / "schemas", folder / "schemas")
    rule(folder, "EXA-001")
    rule(folder, "EXA-002", limit="50 %", then="- advise: {topic: scaling, level: caution, action: add_cards}")
    rule(folder, "EXA-003", when="measured.communication_share <= limit", then="- advise: {topic: scaling, level: note, action: add_cards}")
    return folder
