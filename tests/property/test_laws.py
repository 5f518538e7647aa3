"""The laws of docs/semantics.md on random rulebooks and facts, and agreement with the naive evaluator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import naive
import worlds
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from gpurules.engine.decisions import decision as decisions
from gpurules.engine.inference import choice
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.agenda import Run
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.rule import Ask, Assume
from gpurules.engine.language import compile as compiled
from gpurules.engine.values import canonical, interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import DEPENDS, NO, YES

DATES = st.sampled_from(("2024-06-01", "2026-01-01", "2027-06-01"))


def stated(engine, content):
    node = document.parse(json.dumps(content).encode(), "facts") if content else None
    return reading.read(node, engine.rulebook)


def evaluated(engine, content, date="2026-01-01"):
    """The evaluation, or None where rules give a fact a value that nothing can have."""
    try:
        return engine.evaluate(stated(engine, content), date)
    except GpurulesError as error:
        assert {p.code for p in error.problems} == {"GR501"}, error
        return None


# ---------------------------------------------------------------- agreement


@given(worlds.rulebooks(), st.lists(worlds.facts(), min_size=1, max_size=3), DATES)
def test_engine_agrees_with_naive_evaluator(rules, asked, date):
    """Every truth, derived value, stand and acceptance, in both passes, is what the page says when it is read word for word."""
    engine = Engine(worlds.load(worlds.written(rules)))
    for content in asked:
        facts = stated(engine, content)
        plain = {path: naive.as_plain(f.value) for path, f in facts.given.items()}
        try:
            expected = naive.evaluate(engine.rulebook, plain, date)
        except naive.Impossible:
            expected = None
        found = evaluated(engine, content, date)
        assert (found is None) == (expected is None), content
        if found is None or expected is None:
            event("impossible")
            continue
        assert {a.fact: naive.as_plain(a.value) for a in found.assumptions} == expected[2]
        for run, world in ((found.first, expected[0]), (found.second, expected[1])):
            assert {r: int(t) for r, t in run.truths.items()} == world.truths
            assert {f: naive.as_plain(d.value) for f, d in run.derived.items()} == world.computed
            assert {f: naive.as_plain(d.used) for f, d in run.derived.items()} == {f: world.facts[f] for f in world.computed}
            for rule_id in run.truths:
                rule = engine.rulebook.rules[rule_id]
                assert int(run.stands(rule_id)) == world.stands(rule), rule_id
                assert int(run.accepts(rule_id)) == world.accepts(rule), rule_id
                event(f"truth {run.truths[rule_id]}")


# ---------------------------------------------------------------- soundness and monotony


def narrower(draw, path, value, definition, exact):
    """A value inside `value`: a point of it, or any part."""
    if isinstance(value, frozenset):
        members = sorted(value)
        return frozenset(draw(st.lists(st.sampled_from(members), min_size=1, max_size=1 if exact else len(members), unique=True)))
    low, high = value
    if definition.integer:
        numbers = st.integers(int(low), int(high)).map(float) | st.sampled_from((low, high))
    else:
        numbers = st.floats(low, high) | st.sampled_from((low, high, low + (high - low) / 2))
    one, other = draw(numbers), draw(numbers)
    return Interval(one, one) if exact else Interval(min(one, other), max(one, other))


def inside(engine, run, draw, exact):
    """The run of a narrower world, in which the same facts are known; None where no such world exists.

    A fact that was stated as wide as its definition allows counts as not known, since `needs` takes it so.
    """
    program, vocabulary = engine.program, engine.rulebook.vocabulary.facts
    values = list(run.values)
    for path, definition in vocabulary.items():
        if definition.kind == "observed":
            values[program.slots[path]] = narrower(draw, path, run.value(path), definition, exact)
    for name in program.parameters:
        figure = run.value(name)
        if isinstance(figure, Interval) and figure.low < figure.high and draw(st.booleans()):
            values[program.slots[name]] = Interval(*(draw(st.sampled_from(figure)),) * 2)
    pins = {path: narrower(draw, path, value, vocabulary[path], exact) for path, value in run.pins.items()}
    for path, value in pins.items():
        values[program.slots[path]] = value
    known = frozenset(p for p in run.known if run.value(p) != vocabulary[p].whole)
    world = Run(program, run.orders, values, known, pins, run.file)
    try:
        world.along(engine.workload)
        workload = world.copy()
        if any(r in run.truths for r in program.procedures if program.procedures[r].rule.for_each):
            engine.along_the_agenda()._judge_candidate(world, {})  # kernels have parameters at their written values
    except GpurulesError:
        return None
    return world, workload


def within(value, outer):
    """Containment up to the tolerance."""
    if isinstance(value, frozenset):
        return value <= outer
    slack = 1e-11 * max(abs(end) for end in (*value, *outer) if abs(end) < float("inf"))
    return outer.low - slack <= value.low and value.high <= outer.high + slack


def kept(narrow, wide):
    return wide is DEPENDS or narrow is wide


def compare(narrow, wide, engine):
    for rule, truth in wide.truths.items():
        assert kept(narrow.truths[rule], truth), f"{rule} was {truth}, is {narrow.truths[rule]}"
        assert kept(narrow.stands(rule), wide.stands(rule)), f"advice of {rule}"
        assert kept(narrow.accepts(rule), wide.accepts(rule)), f"requirement of {rule}"
        event(f"truth {truth} to {narrow.truths[rule]}")
    for fact, found in wide.derived.items():
        assert within(narrow.derived[fact].value, found.value), (fact, narrow.derived[fact], found)
        assert within(narrow.derived[fact].used, found.used), fact


def catalogued(run, engine, kernels=False):
    """The verdict on every machine of the catalogue by id, and the figure for which it is rejected where that cannot be."""
    judge = choice.judge_of(run, engine.stages, kernels)
    found = choice.choose(engine.catalogued, judge, choice.measured(engine.catalogued, judge))
    return {j.candidate.id: (j.verdict, j.impossible) for group in (found.accepted, found.undecided, found.rejected) for j in group}


def watching(rules):
    """An engine, and the list that it adds to whenever it divides by exactly 0."""
    nothing = []

    def divide(a, b):
        if b == (0, 0):
            nothing.append(b)
        return interval.divide(a, b)

    with mock.patch.dict(compiled._GLOBALS, divide=divide):
        return Engine(worlds.load(worlds.written(rules))), nothing


def narrowing(data, rules, content, date, exact):
    """Nothing may change that was settled. A world that divides by exactly 0 has no result there, and is left out."""
    engine, nothing = watching(rules)
    evaluation = evaluated(engine, content, date)
    assume(evaluation is not None)
    for run, workload in zip((evaluation.first, evaluation.second), evaluation.workloads, strict=True):
        machines = catalogued(workload, engine)
        assert machines == catalogued(workload, engine, kernels=True)
        for _ in range(3):
            nothing.clear()
            found = inside(engine, run, data.draw, exact)
            if found is None or nothing:
                event("no such world" if found is None else "divides by 0")
                continue
            compare(found[0], run, engine)
            after = catalogued(found[1], engine)
            assert all(kept(after[m][0], verdict) for m, (verdict, _) in machines.items() if not after[m][1])
            assert all(after[m][0] is NO for m, (_, impossible) in machines.items() if impossible)


@given(st.data(), worlds.rulebooks(), worlds.facts(), DATES)
def test_soundness(data, rules, content, date):
    """At every exact world inside the facts, with the same facts known, each outcome lies within the outcome at the facts."""
    narrowing(data, rules, content, date, exact=True)


@given(st.data(), worlds.rulebooks(), worlds.facts(), DATES)
def test_narrowing_keeps_what_was_settled(data, rules, content, date):
    """Narrower facts, the same ones known: yes stays yes, no stays no, values shrink, verdicts stay."""
    narrowing(data, rules, content, date, exact=False)


def mentioned(rulebook):
    """Facts that a needs, ask or assume names."""
    found = {f for rule in rulebook.running for f in rule.needs}
    return found | {c.fact for rule in rulebook.running for c in rule.then if isinstance(c, Ask | Assume)}


@given(worlds.rulebooks(), worlds.facts(), worlds.facts())
def test_stating_more_keeps_what_was_settled(rules, content, more):
    """A further fact that no needs, ask or assume mentions settles more and takes nothing back."""
    engine, nothing = watching(rules)
    loose = {p: v for p, v in more.items() if p not in content and p not in mentioned(engine.rulebook) and not p.startswith(("gpu.", "made.", "model."))}
    assume(loose)
    before, after = evaluated(engine, content), evaluated(engine, {**content, **loose})
    assume(before is not None and after is not None and not nothing)
    compare(after.first, before.first, engine)
    if before.has_candidate and before.accepted(before.first) is not DEPENDS:
        assert after.accepted(after.first) is before.accepted(before.first)
    assert {a.fact for a in before.assumptions} <= {a.fact for a in after.assumptions}


# ---------------------------------------------------------------- the same bytes


def bytes_of(files, content):
    """The decision, or the error of rules that give a fact a value that nothing can have."""
    engine = Engine(worlds.load(files))
    try:
        return canonical.dumps(decisions.document(engine.evaluate(stated(engine, content)), "0"))
    except GpurulesError as error:
        assert {p.code for p in error.problems} == {"GR501"}, error
        return json.dumps({"facts": [], "error": str(error)})


def shuffled(mapping, draw):
    return {k: shuffled(mapping[k], draw) if isinstance(mapping[k], dict) else mapping[k] for k in draw(st.permutations(list(mapping)))}


@given(st.data(), worlds.rulebooks(), worlds.facts())
def test_order_of_rules_files_and_keys_changes_no_byte(data, rules, content):
    text = bytes_of(worlds.written(rules), content)
    moved = {}
    for rule in data.draw(st.permutations(rules)):
        folder = data.draw(st.sampled_from(("", "z/", "a/b/")))
        keys = shuffled({k: v for k, v in rule.items() if k != "parameters"}, data.draw)
        if "parameters" in rule:
            keys = {"parameters": dict(reversed(rule["parameters"].items())), **keys}
        moved[f"{folder}{rule['id']}-{data.draw(st.sampled_from('xyz'))}.yaml"] = json.dumps(keys, indent=2)
    again = bytes_of(moved, dict(reversed(content.items())))
    assert places_left_out(again) == places_left_out(text)


def places_left_out(text):
    """The document without the lines and columns of stated facts, which move with the facts file."""
    plain = json.loads(text)
    for fact in plain["facts"]:
        fact.pop("place", None)
    return json.dumps(plain)


def remembered(count):
    """A handful of rulebooks with facts, the same ones on every run."""
    kept_ = []

    @settings(max_examples=count, derandomize=True, database=None)
    @given(worlds.rulebooks(), worlds.facts())
    def collect(rules, content):
        kept_.append((worlds.written(rules), content))

    collect()
    return kept_[-count:]


def test_processes_with_other_hash_seeds_write_the_same_bytes(tmp_path: Path):
    """Sets iterate in another order in another process; no byte may tell."""
    questions = remembered(8)
    here = [bytes_of(files, content) for files, content in questions]
    assert any(here)
    file = tmp_path / "questions.json"
    file.write_text(json.dumps(questions), "utf-8")
    code = (
        f"import sys, json; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_laws\n"
        f"print(json.dumps([test_laws.bytes_of(f, c) for f, c in json.load(open({str(file)!r}))]))"
    )
    for seed in ("0", "1", "4242"):
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout) == here


def test_random_rulebooks_reach_every_outcome():
    """The strategies are worth their name: truths, passes, passes with assumptions, machines and errors all occur."""
    seen = set()
    for files, content in remembered(100):
        engine = Engine(worlds.load(files))
        evaluation = evaluated(engine, content)
        if evaluation is None:
            continue
        seen |= set(evaluation.first.truths.values())
        seen |= {("machine", evaluation.accepted(evaluation.first))} if evaluation.has_candidate else set()
        seen |= {"assumed"} if evaluation.assumptions else set()
        seen |= {"pinned" for d in evaluation.first.derived.values() if d.pinned is not None}
        seen |= {"aside" for d in evaluation.first.derived.values() if d.aside}
        seen |= {"wide" for d in evaluation.first.derived.values() if len(d.alternatives) > 1}
        seen |= {"exhaustive" for d in engine.rulebook.derivations.values() if d.exhaustive and len(d.rules) > 1}
        seen |= {"shadowed" for d in engine.rulebook.derivations.values() if d.shadowed}
    machines = {("machine", t) for t in (YES, NO, DEPENDS)}
    wanted = {"assumed", "pinned", "aside", "wide", "exhaustive", YES, NO, DEPENDS, *machines}
    assert wanted <= seen, wanted - seen
