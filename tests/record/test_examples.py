"""Every example is recorded and made again, byte by byte, by a new process that has nothing but the record."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpurules.engine import load
from gpurules.engine.inference.facts import Setting
from gpurules.engine.knowledge import bundle, rulebook
from gpurules.engine.public import engine, evaluate
from gpurules.engine.records import record

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("replaying.py")


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_examples_in_a_new_process(every: int, tmp_path: Path) -> None:
    where = str(tmp_path / "record.sqlite")
    held = bundle.gather(rulebook.packaged())
    ready = engine(load())
    examples = sorted((ROOT / "examples").glob("*.yaml"))[::every]
    store = record.opened(where, write=True)
    for number, path in enumerate(examples):
        settings = [("gpu.count", "2"), ("site.rack_power", "20 kW")] if number % 4 == 1 else []
        content = path.read_bytes()
        decision = evaluate(content, ready, [Setting(*s) for s in settings], file=path.name)
        record.add(store, record.Asked(content, path.name, settings), decision.to_json().encode(), lambda: held)
    store.close()
    done = subprocess.run([sys.executable, str(PROGRAM), where], capture_output=True, text=True, timeout=600, env={"PYTHONHASHSEED": "7"})
    assert done.stderr == "" and done.stdout.splitlines() == [f"{p.name} identical identical" for p in examples]
