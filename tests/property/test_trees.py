"""Explanations of random decisions: they end in facts, parameters and claims, and hold all that a conclusion's text speaks of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import worlds
from hypothesis import event, given, settings
from test_flips import trial

from gpurules.engine import load
from gpurules.engine.decisions import decision as decisions
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries import explanation
from gpurules.engine.inquiries.subject import Subject
from gpurules.engine.knowledge import document
from gpurules.engine.language import syntax
from gpurules.engine.public import engine
from gpurules.engine.reports.derivation_tree import Derivation

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
ENDS = {"stated", "catalogue", "taken", "unknown", "figure", "parameter", "document", "source", "obtain", "because", "row", "note", "set_aside"}
ENDS |= {"open", "nothing", "notice"}


def walked(branch):
    yield branch
    for child in branch.children:
        yield from walked(child)


@settings(max_examples=40, deadline=None)
@given(worlds.rulebooks(), worlds.facts())
def test_trees_end_in_what_was_given_and_hold_what_texts_show(rules, content):
    engine = Engine(worlds.load(worlds.written(rules)))
    document = decisions.trace(trial(engine, content).base)
    for entry in document["conclusions"]:
        tree = list(walked(Derivation(document, engine.rulebook, "facts").conclusion(entry)))
        for branch in tree:
            always = branch.kind == "condition" and "expression" not in branch.data
            settled = branch.kind in ("condition", "requirement", "expression", "worked_out")  # of constants alone
            assert branch.children or branch.kind in ENDS or branch.data.get("again") or always or settled, branch
        event(f"{min(len(tree) // 20, 5) * 20}+ branches")
        rule = engine.rulebook.rules[entry["rule"]]
        named = {b.data.get("fact") or b.data.get("name") for b in tree}
        for template in rule.because.values():
            for figure in template.figures:
                assert set(syntax.names(figure.tree)) <= named


# ---------------------------------------------------------------- the examples


@pytest.fixture(scope="module")
def ready():
    return engine(load())


def ends_in_what_was_given(tree):
    """Only facts, parameters, entries of catalogues, claims and constants have nothing below them."""
    for branch in tree:
        constant = branch.kind in ("condition", "expression", "worked_out")  # of constants, or all that its leaves beside it say
        assert branch.children or branch.kind in ENDS or branch.data.get("again") or constant, branch


def tight(text):
    return re.sub(r"[\s()（）:：]", "", text)


def unsaid(rule, texts, tree):
    """The figures in a rule's text that the tree below it does not hold."""
    for language, template in rule.because.items():
        told = [tight(b.text[language]) for b in tree if b.kind != "because"]
        names = {b.data.get("fact") for b in tree}
        values = template.read(texts[language])
        assert values is not None, texts
        for value in values:
            needs = re.findall(r"[a-z_]+\.[a-z_]+", value) if value.startswith(("unknown", "未知")) else []
            if not any(tight(value) in text for text in told) and not (needs and names.issuperset(needs)):
                yield language, value


@pytest.mark.parametrize("path", [pytest.param(p, marks=() if at % 5 == 0 else pytest.mark.long, id=p.stem) for at, p in enumerate(EXAMPLES)])
def test_every_answer_of_an_example_is_explained(path, ready):
    """Advice, rejections and derived facts that the report shows: what each rests on was given, and every value in its text is in its tree."""
    evaluation = ready.evaluate(reading.read(document.parse(path.read_bytes(), path.name), ready.rulebook), "", path.name)
    decision = decisions.document(evaluation, "0")
    for entry in decision["conclusions"]:
        tree = list(walked(Derivation(decision, ready.rulebook, path.name).conclusion(entry)))
        ends_in_what_was_given(tree)
        assert list(unsaid(ready.rulebook.rules[entry["rule"]], entry["text"], tree)) == [], entry["rule"]
    for entry in decision["derived"]:
        tree = list(walked(Derivation(decision, ready.rulebook, path.name).fact(entry["fact"])))
        ends_in_what_was_given(tree)
        assert entry["shown"]["en"] in tree[0].text["en"] and entry["shown"]["zh"] in tree[0].text["zh"]
    for machine in decision["choice"]["nearest_rejected"] if decision["choice"] else ():
        subject = Subject("machine", machine["id"])
        for told in (evaluation, None):
            tree = [b for root in explanation.explain(subject, decision, ready.rulebook, told, path.name) for b in walked(root)]
            ends_in_what_was_given(tree)
            for reason in machine["reasons"] if told is not None else ():
                assert list(unsaid(ready.rulebook.rules[reason["rule"]], reason["text"], tree)) == [], (machine["id"], reason["rule"])
