"""Steps: changes of settings that rules propose, tried one after the other, cheapest first, until the work fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpurules.engine.decisions import change, wording
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import STATED, Fact
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.rule import Step
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Condition, Value
from gpurules.engine.values.interval import Interval, exceeds
from gpurules.engine.values.truth import DEPENDS, YES, Truth

WATCHED = ("memory.rule_of_thumb", "candidate.memory_need", "candidate.headroom", "candidate.fit", "candidate.tokens_per_second")
"""Derived facts that a report compares before and after a step."""
LONGEST = 12
"""Steps tried at most."""
_NEED, _FIT = "candidate.memory_need", "candidate.fit"
_SAVING = ("training.", "inference.", "parallel.", "workload.")
"""Groups of settings that are changed to save memory."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One step that a rule proposes: its settings, what it costs, how surely the rule stands, and the watched facts after it.

    `state` is "depends" where the steps before it may already suffice and nothing else is open.

    `place` is its number in the plan, in which each step comes on top of those before; 0 where it saves no memory by then.
    """

    rule: str
    settings: Mapping[str, str]
    costs: tuple[str, ...]
    state: str
    place: int
    after: Mapping[str, Value]
    evaluation: Evaluation


def proposals(evaluation: Evaluation) -> tuple[Proposal, ...]:
    """Steps whose rules stand, surely or under assumptions, by rank, then rule. Those that save memory end where the work surely fits:
    once a plan has begun, steps go on while it only may."""
    found: list[Proposal] = []
    current, place = evaluation, 0
    tried: set[tuple[str, int]] = set()
    idle: set[tuple[str, int]] = set()
    again = False
    while len(found) < LONGEST:
        standing = _standing(current, begun=place > 0)
        ready = sorted((step.rank, rule, at, state) for rule, at, step, state in standing if (rule, at) not in tried)
        steps = {(rule, at): step for rule, at, step, _ in standing}
        following = next(((rule, at, state) for _, rule, at, state in ready if not (_saves(steps[rule, at]) and _fits(current))), None)
        if following is None and idle and not again and not _fits(current):
            again, tried = True, tried - idle  # what did not help at first may, now that other settings have changed
            continue
        if following is None:
            break
        rule, at, state = following
        tried.add((rule, at))
        step = steps[rule, at]
        after, texts = _changed(current, step)
        if after is None:
            continue
        helps = not _saves(step) or _shrinks(current, after)
        if again:
            if not helps:
                continue
            found = [p for p in found if p.place or (p.rule, p.settings) != (rule, texts)]
        elif not helps:
            idle.add((rule, at))
        place += helps
        watched = {path: result.used for path in WATCHED if (result := after.second.derived.get(path)) is not None and result.alternatives}
        found.append(Proposal(rule, texts, step.costs, state, place if helps else 0, watched, after))
        if helps:
            current = after
    return tuple(found)


def document(proposal: Proposal, sized: bool) -> dict[str, Any]:
    """A step as plain data: its settings, what it costs, and what a decision that is `sized` would come to."""
    evaluation = proposal.evaluation
    after = evaluation.second
    requirements = evaluation.requirements if evaluation.has_candidate else ()
    return {
        "rule": proposal.rule,
        "set": dict(proposal.settings),
        "costs": list(proposal.costs),
        "state": proposal.state,
        "place": proposal.place,
        "after": {path: {"value": wording.encoded(v), "shown": wording.derived(after, path, v)} for path, v in proposal.after.items()},
        "status": change.status(evaluation) if sized else "not_sized",
        "unmet": {r: str(met) for r, met in ((r, after.accepts(r)) for r in requirements) if met is not YES},
    }


def _standing(evaluation: Evaluation, begun: bool) -> list[tuple[str, int, Step, str]]:
    """(rule, place among its conclusions, step, state) of each step whose rule stands; in a plan begun, also where it hangs on the fit alone."""
    found: list[tuple[str, int, Step, str]] = []
    for procedure in evaluation.program.procedures.values():
        rule = procedure.rule
        steps = [(at, c) for at, c in enumerate(rule.then) if isinstance(c, Step)]
        if not steps or not evaluation.looked_at(rule.id):
            continue
        state = change.standing(evaluation.first.stands(rule.id), evaluation.second.stands(rule.id))
        if state in ("certain", "assuming") or (state == "depends" and begun and _hangs_on_fit(evaluation, procedure.condition)):
            found += [(rule.id, at, step, state) for at, step in steps]
    ids = {rule for rule, *_ in found}
    return [entry for entry in found if ids.isdisjoint(evaluation.second.overriders(entry[0]))]


def _hangs_on_fit(evaluation: Evaluation, condition: Condition | None) -> bool:
    """Whether all that a rule compares holds, but for whether the work fits, which is open."""
    if condition is None:
        return False
    truths = [(_FIT in syntax.names(atom.tree), Truth(atom.truth(evaluation.second.values))) for atom in condition.atoms()]
    return all(truth is (DEPENDS if fit else YES) for fit, truth in truths)


def _changed(evaluation: Evaluation, step: Step) -> tuple[Evaluation | None, Mapping[str, str]]:
    """The evaluation with the settings of a step, and these as text; None where they are so already, or where a figure then cannot be.

    A setting that is the path of a fact stands for that fact's value before the step.
    """
    rulebook = evaluation.program.rulebook
    given: dict[str, Fact] = {}
    texts: dict[str, str] = {}
    for path, node in step.settings.items():
        definition = rulebook.vocabulary.facts[path]
        if isinstance(node, Scalar) and node.text in rulebook.vocabulary.facts:
            value = evaluation.second.value(node.text)
            assert isinstance(value, Interval | frozenset)
            texts[path] = definition.show(value)
        else:
            value = statement.read(definition, node, rulebook.catalogs)
            texts[path] = node.text if isinstance(node, Scalar) else ", ".join(getattr(i, "text", "") for i in getattr(node, "items", ()))
        given[path] = Fact(path, value, STATED, texts[path])
    if all(path in evaluation.facts.given and evaluation.facts.given[path].value == fact.value for path, fact in given.items()):
        return None, texts
    return evaluation.otherwise(given), texts


def _saves(step: Step) -> bool:
    return all(path.startswith(_SAVING) for path in step.settings)


def _fits(evaluation: Evaluation) -> bool:
    found = evaluation.second.derived.get(_FIT)
    return found is not None and found.used == frozenset(["fits"])


def _shrinks(before: Evaluation, after: Evaluation) -> bool:
    """Whether the need of a card is less, judged by both ends; where no need is derived, a step is taken at its word."""
    old, new = (run.second.derived.get(_NEED) for run in (before, after))
    if old is None or new is None or not isinstance(old.used, Interval) or not isinstance(new.used, Interval):
        return True
    return exceeds(old.used.high, new.used.high) or (not exceeds(new.used.high, old.used.high) and exceeds(old.used.low, new.used.low))
