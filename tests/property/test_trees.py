"""Explanations of random decisions: they end in facts, parameters and claims, and hold all that a conclusion's text speaks of."""

from __future__ import annotations

import worlds
from hypothesis import event, given, settings
from test_flips import trial

from gpurules.engine.decisions import decision as decisions
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inquiries.derivation_tree import Derivation
from gpurules.engine.language import syntax

ENDS = {"stated", "catalogue", "taken", "unknown", "figure", "parameter", "document", "source", "obtain", "because", "row", "note", "set_aside", "open"}


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
            settled = branch.kind in ("condition", "requirement", "expression", "derived")  # of constants alone, or combined of nothing
            assert branch.children or branch.kind in ENDS or branch.data.get("again") or always or settled, branch
        event(f"{min(len(tree) // 20, 5) * 20}+ branches")
        rule = engine.rulebook.rules[entry["rule"]]
        named = {b.data.get("fact") or b.data.get("name") for b in tree}
        for template in rule.because.values():
            for figure in template.figures:
                assert set(syntax.names(figure.tree)) <= named
