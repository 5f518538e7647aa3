"""Malformed and well-formed inputs by the thousand, each made from a seed and its number: `SEED=7 COUNT=500 pytest tests/fuzz`."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest
from grammar import Grammar
from laws import Laws, Outcome
from mutations import Mutations

from gpurules.engine import load

ROOT = Path(__file__).parents[2]
SEED, COUNT = int(os.environ.get("SEED", "1")), int(os.environ.get("COUNT", "160"))
LONG, SHARDS = 50_000, 8
"""Inputs of each kind in the long run, and into how many tests they are divided."""
MOST = 5
"""Faults of one test that are told."""


@lru_cache(maxsize=1)
def made_ready() -> tuple[Laws, Grammar, Mutations, Mutations]:
    rulebook = load()
    words = [*rulebook.vocabulary.facts, *(m for d in rulebook.vocabulary.facts.values() if len(d.members) < 40 for m in d.members)]
    words += [entry.name for catalog in rulebook.catalogs.values() for entry in catalog.entries.values()]
    facts = [path.read_bytes() for path in sorted((ROOT / "examples").glob("*.yaml"))]
    rules = [path.read_bytes() for path in sorted((ROOT / "rules").rglob("*-*.yaml"))]
    return Laws(rulebook), Grammar(rulebook), Mutations(facts, words), Mutations(rules, words)


def facts_input(number: int) -> bytes:
    """Facts input `number` of the seed: a mutation, or written from the grammar."""
    _, grammar, mutations, _ = made_ready()
    random = Random(f"facts {SEED} {number}")
    return grammar.facts_file(random) if number % 3 == 0 else mutations.mutated(random)


def rule_input(number: int) -> bytes:
    _, grammar, _, mutations = made_ready()
    random = Random(f"rules {SEED} {number}")
    content = grammar.rule_file(random) if number % 3 == 0 else mutations.mutated(random)
    return content if number % 10 == 1 else re.sub(rb"(?m)^overrides: .*\n", b"", content)  # the rules that it names are not there


def facts_law(number: int, every: int) -> Outcome:
    """`every`: one in so many that are accepted is evaluated, of a few the decision is held against its schema."""
    return made_ready()[0].facts(facts_input(number), number % 5 == 0, number // 3 % every == 0, number // 3 % (every * 3) == 0)


def rule_law(number: int, every: int) -> Outcome:
    return made_ready()[0].rule(rule_input(number), number % 5 == 0, number // 3 % every == 0)


def ran(law: Callable[[int, int], Outcome], content: Callable[[int], bytes], numbers: range, every: int) -> str:
    """Hold every input of `numbers` against a law. Fails with the first few that break it; says how many there were otherwise."""
    laws, start = made_ready()[0], time.monotonic()
    laws.accepted = laws.evaluated = 0
    broken: list[str] = []
    for number in numbers:
        try:
            law(number, every)
        except Exception as error:  # every kind of exception is a fault here
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {str(error)[:600]} ({Path(last.filename).name}:{last.lineno})"
            broken.append(f"input {number} of seed {SEED}: {said}\n{content(number)[:1500]!r}")
            if len(broken) == MOST:
                break
    if broken:
        pytest.fail("\n\n".join(broken), pytrace=False)
    seconds = time.monotonic() - start
    return f"seed {SEED}: {len(numbers):,} inputs, {laws.accepted:,} accepted, {laws.evaluated:,} of them evaluated, {seconds:.0f} s"


@pytest.mark.parametrize("half", [0, 1])
def test_facts(half: int) -> None:
    ran(facts_law, facts_input, range(half, COUNT, 2), 4)


@pytest.mark.parametrize("half", [0, 1])
def test_rules(half: int) -> None:
    ran(rule_law, rule_input, range(half, COUNT, 2), 4)


def outcomes(count: int) -> str:
    """A digest of what is said of the first inputs."""
    found = [law(number, 10**9) for number in range(1, count) for law in (facts_law, rule_law)]
    return hashlib.sha256(repr(found).encode()).hexdigest()


def test_no_answer_hangs_on_the_order_of_a_set() -> None:
    here = [f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_fuzz; print(test_fuzz.outcomes(200))"]
    said = [subprocess.run([sys.executable, "-c", *here], capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": salt}) for salt in "12"]
    assert said[0].stdout == said[1].stdout and said[0].stdout, said[0].stderr


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("kind", ["facts", "rules"])
def test_many(kind: str, shard: int, capfd: pytest.CaptureFixture[str]) -> None:
    law, content = (facts_law, facts_input) if kind == "facts" else (rule_law, rule_input)
    said = ran(law, content, range(shard, LONG, SHARDS), 10)
    with capfd.disabled():
        print(f"\n{kind} {shard + 1}/{SHARDS}: {said}", file=sys.stderr, flush=True)
