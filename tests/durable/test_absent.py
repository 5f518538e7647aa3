"""Where durable-rules cannot be had, a message says so, and what to do; bounds are checked whether it can be had or not."""

from __future__ import annotations

import re
import sys

import pytest
import worlds
from click.testing import CliRunner

import gpurules
from gpurules.cli.main import cli
from gpurules.engine import public
from gpurules.engine.inference import durable, horn
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge.rulebook import Rulebook

FACTS = "workload.task: inference\nmodel.size_class: 7B\n"


@pytest.fixture(autouse=True)
def afresh() -> None:
    public._durable.cache_clear()


def said() -> str:
    result = CliRunner().invoke(cli, ["evaluate", "-", "--backend", "durable"], input=FACTS)
    assert result.exit_code == 2 and "Traceback" not in result.output
    assert not result.stdout
    return result.stderr


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "UNSUPPORTED", (4, 0))
    monkeypatch.setitem(sys.modules, "durable_rules_engine", None)
    text = said()
    assert "GR701 durable-rules is not installed" in text and "pip install 'gpurules[durable]'" in text


def test_too_new_a_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "UNSUPPORTED", (3, 11))
    text = said()
    assert "GR701 durable-rules 2.0.28 cannot be imported on Python 3.11 and newer" in text and "scalar" in text


def test_unknown_back_end() -> None:
    with pytest.raises(gpurules.GpurulesError, match="GR701 is unknown\n    there are: scalar, durable"):
        gpurules.evaluate(FACTS.encode(), backend="rete")


# ---------------------------------------------------------------- bounds


def book(*whens: object) -> Rulebook:
    """One rule for each condition, with the parameters that it names."""

    def figures(when: object) -> dict[str, object]:
        return {name: {"value": str(int(name[1:]) + 2), "cites": ["T01"], "since": "2025-01-01"} for name in re.findall(r"\bp\d+", str(when))}

    rules = [
        {
            "id": f"AAA-{i:03}", "version": "1.0.0", "status": "active", "title": {"en": "a", "zh": "a"}, "cites": ["T01"],
            "because": {"en": "a", "zh": "a"}, "cases": [{"name": "none", "fires": "depends"}], "when": when, "parameters": figures(when),
            "then": [{"advise": {"topic": "cost", "level": "note", "action": "keep"}}],
        }
        for i, when in enumerate(whens, 1)
    ]  # fmt: skip
    return worlds.load(worlds.written(rules))


def over(count: int) -> list[str]:
    return [f"load.count + load.delta > p{n}" for n in range(count)]


def refused(rulebook: Rulebook) -> str:
    with pytest.raises(gpurules.GpurulesError) as raised:
        Engine(rulebook).durable()
    return str(raised.value)


def test_conditions_joined() -> None:
    assert refused(book({"all": over(17)})).startswith("AAA-001: GR702 has 17 conditions joined by `all`")
    assert refused(book({"not": {"any": over(17)}})).startswith("AAA-001: GR702 has 17 conditions joined by `all`")
    procedures = Engine(book({"all": over(16)}, {"any": over(17)})).program.procedures
    assert [len(r.rules) for r in horn.rulesets(procedures.values())] == [2]


def test_all_rules_beyond_a_bound_are_named() -> None:
    text = refused(book({"any": over(300)}, {"all": over(17)}, {"all": over(3)}))
    assert "AAA-001: GR702 has 606 distinct conditions" in text and "takes 500" in text
    assert "AAA-002: GR702 has 17" in text and "AAA-003" not in text


def test_every_ruleset_is_within_the_bounds() -> None:
    several = ({"all": ["load.flag", f"load.count + load.delta > p{n % 400}", {"any": over(n % 5 + 1)}]} for n in range(100))
    rulebook = book(*({"all": ["load.flag", condition]} for condition in over(200)), *several)
    rulesets = horn.rulesets(Engine(rulebook).program.procedures.values())
    assert len(rulesets) > 1
    assert sorted(rule for ruleset in rulesets for rule in ruleset.rules) == sorted(rulebook.rules)
    for ruleset in rulesets:
        assert sorted(ruleset.numbers.values()) == list(range(len(ruleset.numbers))) and len(ruleset.numbers) <= horn.INTEGERS
        assert max(len(c.body) for c in ruleset.clauses) <= horn.JOINED
        assert len(ruleset.clauses) <= horn.CLAUSES
        waiting = [symbol for clause in ruleset.clauses for symbol in clause.body]
        assert max(waiting.count(symbol) for symbol in ruleset.numbers) <= horn.SIBLINGS
    assert any(symbol.kind == "alias" for ruleset in rulesets for symbol in ruleset.numbers)
