"""The durable back end decides as the scalar one does; what crashes, crashes in a process of its own and is a failed test here."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import worlds

import gpurules
from gpurules.engine import public
from gpurules.engine.decisions import decision as decisions
from gpurules.engine.inference import durable
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Mapping
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import GpurulesError

if sys.version_info >= durable.UNSUPPORTED:
    pytest.skip("durable-rules cannot be imported on this Python", allow_module_level=True)
if importlib.util.find_spec("durable_rules_engine") is None:
    pytest.skip("durable-rules is not installed (extra `durable`)", allow_module_level=True)

HERE = Path(__file__).parent
EXAMPLES = sorted((HERE.parents[1] / "examples").glob("*.yaml"))
SCALAR = public.engine(gpurules.load())
DURABLE = SCALAR.durable()


def same(one: Evaluation, other: Evaluation) -> bool:
    runs = ((one.first, other.first), (one.second, other.second))
    return all(a.truths == b.truths and a.derived == b.derived for a, b in runs)


def outcome(engine: Engine, facts: Mapping | None) -> Evaluation | list[str]:
    try:
        return engine.evaluate(reading.read(facts, engine.rulebook, allow_choices=True))
    except GpurulesError as error:
        return [p.code for p in error.problems]


def in_a_process(script: str, count: int) -> dict[str, float]:
    done = subprocess.run([sys.executable, str(HERE / script), str(count)], capture_output=True, text=True)
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stderr[-3000:]}"
    found: dict[str, float] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("path", [pytest.param(p, marks=() if at % 3 == 0 else pytest.mark.long, id=p.stem) for at, p in enumerate(EXAMPLES)])
def test_examples_to_the_byte(path: Path) -> None:
    assert gpurules.evaluate(path, DURABLE.rulebook, backend="durable").to_json() == gpurules.evaluate(path, SCALAR.rulebook).to_json()


@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.long)])
def test_facts_of_cases(every: int) -> None:
    """All truths and derived values, of one case in eleven (neighbours differ little) or of all; of every fiftieth of these, the whole decision."""
    compared = 0
    for case in [case for rule in SCALAR.rulebook.running for case in rule.cases][::every]:
        one, other = outcome(SCALAR, case.facts), outcome(DURABLE, case.facts)
        if isinstance(one, list) or isinstance(other, list):
            assert one == other, case
            continue
        assert same(one, other), case
        if compared % 50 == 0:
            assert canonical.dumps(decisions.document(one, "")) == canonical.dumps(decisions.document(other, "")), case
        compared += 1
    assert compared > 2000 / every


def test_random_rulebooks() -> None:
    found = in_a_process("random_rulebooks.py", 40)
    assert found["rulebooks"] >= 40 and found["truths"] > 500 and found["documents"] > 20


@pytest.mark.long
def test_many_random_rulebooks() -> None:
    found = in_a_process("random_rulebooks.py", 300)
    assert found["rulebooks"] >= 300 and found["truths"] > 5000


def flat(count: int) -> None:
    found = in_a_process("many_evaluations.py", count)
    assert found["late"] - found["early"] < 3, found
    assert found["after_networks"] - found["late"] < 6, found


def test_memory_stays_flat() -> None:
    flat(500)


@pytest.mark.long
def test_memory_stays_flat_for_long() -> None:
    flat(20_000)


def test_threads_wait_for_each_other() -> None:
    facts = [reading.read(document.read(path), SCALAR.rulebook) for path in EXAMPLES]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(DURABLE.evaluate, facts * 3))
    expected = [SCALAR.evaluate(f) for f in facts]
    assert all(same(expected[i % len(facts)], evaluation) for i, evaluation in enumerate(found))


def test_a_crowd_under_one_condition() -> None:
    """More rules than a network may have under one fact, and more symbols than one may hold."""
    rules = [
        {
            "id": f"AAA-{i:03}", "version": "1.0.0", "status": "active", "title": {"en": "a", "zh": "a"}, "cites": ["T01"],
            "because": {"en": "a", "zh": "a"}, "cases": [{"name": "none", "fires": "depends"}],
            "when": {"all": ["load.flag", f"load.share {'>' if i % 2 else '<='} edge", {"not": {"any": ["load.kind == 'a'", f"load.count > edge_{i % 7}"]}}]},
            "parameters": {
                "edge": {"value": f"{i % 100} %", "cites": ["T01"], "since": "2025-01-01"},
                f"edge_{i % 7}": {"value": str(i % 60 + 2), "cites": ["T01"], "since": "2025-01-01"},
            },
            "then": [{"advise": {"topic": "cost", "level": "note", "action": "keep"}}],
        }
        for i in range(1, 331)
    ]  # fmt: skip
    scalar = Engine(worlds.load(worlds.written(rules)))
    engine = scalar.durable()
    for content in (
        "load.flag: yes",
        "load: {flag: yes, share: 42 %, kind: b}",
        "load: {flag: yes, share: 20..60 %, kind: [a, b], count: 30}",
        "load.flag: no",
    ):
        facts = document.parse(content.encode(), "facts")
        one, other = outcome(scalar, facts), outcome(engine, facts)
        assert isinstance(one, Evaluation) and isinstance(other, Evaluation)
        assert same(one, other), content


def test_what_the_library_takes_for_known_is_a_fault() -> None:
    """The library compares facts by hashes: were two integers taken for one, the result must not be used."""
    network = durable._Rete(durable.interface(), durable.horn.rulesets(SCALAR.program.procedures.values())[0])
    number = min(network._awaited - {0})
    with pytest.raises(RuntimeError, match=f"asserting {number} gave 2"):
        network._pass([number, number])
    assert network._pass([number])


def test_no_two_integers_share_a_hash() -> None:
    """Integers are numbered from 0 in every ruleset, so this holds for all rulebooks."""
    library = durable.interface()
    bodies = {f"r{n}": {"all": [{"m_0": {"n": n}}]} for n in range(durable.horn.INTEGERS)}
    handle = library.create_ruleset("every integer", json.dumps(bodies))
    assert [library.assert_fact(handle, f'{{"n":{n}}}')[0] for n in range(durable.horn.INTEGERS)] == [durable.HANDLED] * durable.horn.INTEGERS
    state = library.assert_fact(handle, '{"n":-1}')[1]
    assert library.start_action_for_state(handle, state)
    library.delete_state(handle, None)
    library.delete_ruleset(handle)
