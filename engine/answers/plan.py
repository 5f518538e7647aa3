"""Steps: changes of settings that rules propose, each with what follows from it in an evaluation of its own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from gpurules.engine.answers import change
from gpurules.engine.inference.agenda import Impossible
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import STATED, Fact, Facts
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.rule import Step
from gpurules.engine.language.compile import Value

WATCHED = ("memory.rule_of_thumb", "candidate.memory_need", "candidate.headroom", "candidate.fit")
"""Derived facts that a report compares before and after a step."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One step that a rule proposes: its settings as written, how surely the rule stands, and the watched facts after it."""

    rule: str
    settings: Mapping[str, str]
    state: str
    after: Mapping[str, Value]
    evaluation: Evaluation


def proposals(evaluation: Evaluation) -> tuple[Proposal, ...]:
    """Every step whose rule stands, surely or under assumptions, in rule order; evaluated one at a time."""
    found: list[Proposal] = []
    for procedure in evaluation.program.procedures.values():
        rule = procedure.rule
        steps = [c for c in rule.then if isinstance(c, Step)]
        if not steps or not evaluation.looked_at(rule.id):
            continue
        state = change.standing(evaluation.first.stands(rule.id), evaluation.second.stands(rule.id))
        if state in ("certain", "assuming"):
            for step in steps:
                with suppress(Impossible):  # settings under which a figure cannot be are none to propose
                    found.append(_evaluated(evaluation, rule.id, step, state))
    return tuple(found)


def _evaluated(evaluation: Evaluation, rule: str, step: Step, state: str) -> Proposal:
    rulebook = evaluation.program.rulebook
    given = dict(evaluation.facts.given)
    texts: dict[str, str] = {}
    for path, node in step.settings.items():
        value = statement.read(rulebook.vocabulary.facts[path], node, rulebook.catalogs)
        texts[path] = node.text if isinstance(node, Scalar) else ", ".join(getattr(i, "text", "") for i in getattr(node, "items", ()))
        given[path] = Fact(path, value, STATED, texts[path])
    ordered = {path: given[path] for path in rulebook.vocabulary.facts if path in given}
    facts: Facts = replace(evaluation.facts, given=ordered)
    after = evaluation.engine.evaluate(facts, evaluation.date, evaluation.first.file, evaluation.choices)
    watched = {path: after.second.derived[path].used for path in WATCHED if path in after.second.derived}
    return Proposal(rule, texts, state, watched, after)
