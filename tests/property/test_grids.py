"""What-if over lists: each combination has the decision that evaluating it alone gives, on random rulebooks and on the packaged one."""

from __future__ import annotations

import json
import random
from pathlib import Path

import worlds
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gpurules.engine.decisions import change
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import grid_report
from gpurules.engine.inquiries.grid import Gridded
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge import rulebook as rulebooks
from gpurules.engine.values.problem import GpurulesError

EXAMPLES = Path(__file__).parents[2] / "examples"


def held(grid, engine, node, rows, date=""):
    """Evaluates combinations one by one, as a person would who states them."""
    for row in rows:
        try:
            facts = reading.read(node, engine.rulebook, [Setting(path, text) for path, text in zip(grid.paths, row.texts, strict=True)])
            alone = change.signature(engine.evaluate(facts, date))
        except GpurulesError:
            alone = None
        assert alone == (grid.decisions[row.decision] if row.decision >= 0 else None), row


@settings(max_examples=25, deadline=None)
@given(worlds.rulebooks(), worlds.facts(), st.lists(worlds.facts(), min_size=2, max_size=4))
def test_each_combination_has_its_own_decision(rules, content, others):
    engine = Engine(worlds.load(worlds.written(rules)))
    node = document.parse(json.dumps(content).encode(), "facts") if content else None
    plain = [{path: value for path, value in other.items() if isinstance(value, str)} for other in others]
    lists = {path: tuple(dict.fromkeys(o[path] for o in plain if path in o)) for path in sorted({p for o in plain for p in o})[:3]}
    assume(lists)
    try:
        grid = Gridded(engine, node, "facts", True, (), "2026-01-01").grid(lists)
    except GpurulesError:
        assume(False)
    held(grid, engine, node, grid.rows, "2026-01-01")


LISTS = {
    "gpu.count": ("1", "2", "4", "8"), "training.sequence_length": ("1024", "4096", "16384"), "training.precision": ("bf16_mixed", "fp32"),
    "measured.communication_share": ("5 %", "20 %", "35 %"), "gpu.name": ("RTX 4090", "A100 80GB SXM", "H100"),
}  # fmt: skip


def test_the_packaged_rules_over_five_facts():
    """216 combinations, of which some are evaluated alone; the table tells of each decision how often it comes."""
    engine = Engine(rulebooks.load())
    node = document.parse((EXAMPLES / "7b-full-4x4090.yaml").read_bytes(), "facts")
    grid = Gridded(engine, node, "facts", True).grid(LISTS)
    held(grid, engine, node, random.Random(7).sample(grid.rows, 12))
    written = grid_report.document(grid, engine.rulebook)
    assert sum(one["rows"] for one in written["decisions"].values()) == sum("decision" in row for row in written["rows"])
    for language in ("en", "zh"):
        [head, *_] = grid_report.sections(grid, engine.rulebook, language)
        assert "216" in head.blocks[0].text
