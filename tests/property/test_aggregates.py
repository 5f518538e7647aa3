"""What rules say of all machines together: as the page says when read word for word, narrower as facts are, and refused where machines hang on it."""

from __future__ import annotations

import naive
import pytest
import worlds
from hypothesis import event, given
from hypothesis import strategies as st
from test_laws import evaluated, inside, stated, within

from gpurules.engine.inference import aggregates
from gpurules.engine.inference import choice as choices
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.language import aggregate, syntax
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import NO

SOME, LEAST, BEST = "any_accepted()", "min_over(candidate.power_limit)", "best(candidate.count)"
TOLD = (
    {"id": "ZZZ-001", "when": SOME, "then": [{"advise": {"topic": "memory", "level": "note", "action": "keep"}}]},
    {"id": "ZZZ-002", "when": f"{LEAST} > gpu.power_limit", "then": [{"derive": {"made.after": f"{LEAST} / gpu.power_limit"}}]},
    {"id": "ZZZ-003", "when": "made.after > 1", "then": [{"advise": {"topic": "cost", "level": "note", "action": "add"}}]},
    {"id": "ZZZ-004", "when": f"{BEST} > 1", "then": [{"advise": {"topic": "cost", "level": "note", "action": "add"}}]},
)  # fmt: skip
REQUIRED = {"id": "ZZZ-000", "for_each": "candidate", "then": [{"require": "candidate.memory_usable * candidate.count > load.size"}]}
SIZED = {"workload.task": "lora", "model.size_class": "7B"}


def whole(rule):
    both = {"en": "a rule", "zh": "a rule"}
    base = {"version": "1.0.0", "status": "active", "title": both, "because": both, "cites": ["T01"], "cases": [{"name": "none", "fires": "depends"}]}
    return {**base, **rule}


def engine_of(rules):
    """An engine over some rules and those that look at all machines."""
    return Engine(worlds.load(worlds.written([*rules, *map(whole, (*TOLD, REQUIRED))])))


@given(worlds.rulebooks(), st.lists(worlds.facts(), min_size=1, max_size=2))
def test_all_machines_together_are_what_the_page_says(rules, asked):
    engine = engine_of(rules)
    for content in asked:
        content = {**SIZED, **content}
        evaluation = evaluated(engine, content)
        if evaluation is None:
            event("impossible")
            continue
        choices = evaluation.given_choice, evaluation.assuming_choice
        for run, workload, choice in zip((evaluation.first, evaluation.second), evaluation.workloads, choices, strict=True):
            values = {n: naive.as_plain(workload.value(n)) for n in engine.program.rulebook.vocabulary.facts}
            plain = naive.World(engine.rulebook, values, run.known, {p: naive.as_plain(v) for p, v in run.pins.items()}, evaluation.date)
            plain.truths = {r: int(t) for r, t in workload.truths.items()}
            machines = {c.id: naive.machine(plain, c.figures) for c in engine.catalogued}
            best = machines[choice.accepted[0].candidate.id][0] if choice.accepted else None
            found = aggregates.values(workload, choice, engine.stages)
            for name in (SOME, LEAST, BEST):
                expected = naive.over_all(name, list(machines.values()), best, naive.as_plain(engine.program.whole(name)))
                assert naive.as_plain(found[name]) == expected, name
                plain.facts[name] = expected
                event(f"{name} {'open' if expected == naive.as_plain(engine.program.whole(name)) else 'known'}")
            plain.facts |= {n: naive.as_plain(run.value(n)) for n in values}
            plain.along(candidate=False, after=True)
            told = [rule["id"] for rule in TOLD]
            assert [plain.truths[r] for r in told] == [int(run.truths[r]) for r in told]
            assert plain.computed["made.after"] == naive.as_plain(run.derived["made.after"].value)


@given(st.data(), worlds.rulebooks(), worlds.facts())
def test_what_was_settled_of_all_machines_stays_so_as_facts_narrow(data, rules, content):
    """`best` follows the ranking, which narrower facts may turn, and is not promised."""
    engine = engine_of(rules)
    evaluation = evaluated(engine, {**SIZED, **content})
    if evaluation is None:
        return
    found = inside(engine, evaluation.first, data.draw, exact=False)
    if found is None:
        return
    judge = choices.judge_of(found[1], engine.stages)
    narrow = choices.choose(engine.catalogued, judge, choices.measured(engine.catalogued, judge))
    before = aggregates.values(evaluation.workloads[0], evaluation.given_choice, engine.stages)
    after = aggregates.values(found[1], narrow, engine.stages)
    assert within(after[SOME], before[SOME]) and within(after[LEAST], before[LEAST])


@given(worlds.facts())
def test_without_task_and_size_nothing_is_said_of_machines(content):
    engine = engine_of([])
    content = {path: value for path, value in content.items() if path not in ("workload.task", "model.size_class", "model.parameters")}
    evaluation = evaluated(engine, content)
    assert evaluation is not None
    assert evaluation.first.value(SOME) == frozenset(["no", "yes"])


@pytest.mark.parametrize(
    "rule",
    [
        {"id": "AAA-001", "for_each": "candidate", "when": SOME, "then": [{"advise": {"topic": "memory", "level": "note", "action": "keep"}}]},
        {"id": "AAA-001", "for_each": "candidate", "when": "made.after > 1", "then": [{"require": "candidate.count > 1"}]},
        {"id": "AAA-001", "for_each": "candidate", "then": [{"require": "candidate.count > made.after"}]},
        {"id": "AAA-001", "when": SOME, "then": [{"assume": {"workload.task": "lora"}}]},
        {"id": "AAA-001", "when": "made.after > 1", "then": [{"step": {"set": {"workload.task": "lora"}, "rank": 1}}]},
    ],
)
def test_machines_assumptions_and_steps_never_hang_on_all_machines(rule):
    with pytest.raises(GpurulesError) as caught:
        engine_of([whole(rule)])
    assert "GR423" in {p.code for p in caught.value.problems}


@pytest.mark.parametrize(
    ("text", "code"), [("min_over(candidate.tier) > 1", "GR101"), ("min_over(candidate.nothing) > 1", "GR101"), ("any_accepted() > 1", "GR103")]
)
def test_an_aggregate_has_the_type_of_its_figure(text, code):
    with pytest.raises(GpurulesError) as caught:
        engine_of([whole({"id": "AAA-001", "when": text, "then": [{"advise": {"topic": "memory", "level": "note", "action": "keep"}}]})])
    assert code in {p.code for p in caught.value.problems}


@pytest.mark.parametrize("text", ["any_accepted(candidate.power)", "min_over()", "min_over(gpu.count)", "best(1)", "best(candidate.a, candidate.b)"])
def test_an_aggregate_takes_one_figure_of_a_machine_or_none(text):
    with pytest.raises(syntax.SyntaxFault):
        syntax.parse(text)


@pytest.mark.parametrize("text", [SOME, LEAST, f"not {SOME}", f"{BEST} + {LEAST} > 1"])
def test_an_aggregate_is_one_name_and_is_printed_as_written(text):
    tree = syntax.parse(text)
    assert syntax.show(tree) == text
    assert all(aggregate.is_one(n) for n in syntax.names(tree))


def test_it_is_looked_for_only_where_a_rule_may_hold():
    engine = engine_of([])
    quiet = engine.evaluate(stated(engine, SIZED))
    assert "given_choice" in vars(quiet)  # some rule may hold
    assert quiet.first.truths["ZZZ-001"] is not NO
