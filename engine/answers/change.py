"""What would change a decision. First version: which facts, once measured, would settle the most advice for their cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.knowledge.rule import Advise, Ask
from gpurules.engine.knowledge.vocabulary import COSTS
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

TASK_AND_SIZE = frozenset(["workload.task", "model.size_class", "model.parameters", "model.name"])


@dataclass(frozen=True, slots=True)
class Question:
    """A fact worth obtaining: the rules that ask for it, and those whose advice or verdict it can settle."""

    fact: str
    asked_by: tuple[str, ...]
    settles: tuple[str, ...]
    verdict: bool


def status(evaluation: Evaluation) -> str:
    """keep, provisional, ask, none_fits: what becomes of the stated machine; not_sized where task or size is missing."""
    if not sized(evaluation):
        return "not_sized"
    if not evaluation.has_candidate:
        return "ask"
    before, after = evaluation.accepted(evaluation.first), evaluation.accepted(evaluation.second)
    if before is YES:
        return "keep"
    return "provisional" if after is YES else "none_fits" if NO in (before, after) else "ask"


def verdict(evaluation: Evaluation) -> tuple[str, ...]:
    """The part of the signature that a buyer acts on: the status."""
    return (status(evaluation),)


Signature = tuple[tuple[str, ...], frozenset[tuple[str, str, str, str, str]]]


def signature(evaluation: Evaluation) -> Signature:
    """What two decisions are compared by: the verdict, and every advice with how surely it stands. No numbers, no texts."""
    advice = set()
    for procedure in evaluation.program.procedures.values():
        rule = procedure.rule
        if evaluation.looked_at(rule.id):
            state = standing(evaluation.first.stands(rule.id), evaluation.second.stands(rule.id))
            advice |= {(rule.id, c.topic, c.action, c.level, state) for c in rule.then if isinstance(c, Advise) and state}
    return verdict(evaluation), frozenset(advice)


def standing(before: Truth, after: Truth) -> str:
    """How surely a conclusion stands, from its truth without and with assumptions; "" where it does not."""
    if before is YES:
        return "certain" if after is YES else "without_assumptions"
    return "assuming" if after is YES else "depends" if after is DEPENDS else ""


def askable(evaluation: Evaluation, run: Run, names: Iterable[str]) -> tuple[str, ...]:
    """The given facts to ask for behind causes: figures of candidate 0 become those of gpu.*, looked-up figures the name they
    came from. Parameters, choices, derived and inapplicable facts are left out."""
    vocabulary, given = evaluation.program.rulebook.vocabulary.facts, evaluation.facts.given
    found: dict[str, None] = {}
    for name in names:
        for path in candidates.cause(name):
            if path in given and given[path].via in ("gpu.name", "model.name"):
                path = given[path].via
            if path not in vocabulary or vocabulary[path].kind != "observed" or not wide(run.value(path)):
                continue
            applies = evaluation.program.applies.get(path)
            if applies is None or Truth(applies.truth(run.values)) is not NO:
                found[path] = None
    return tuple(found)


def sized(evaluation: Evaluation) -> bool:
    """Whether both what is done and how large the model is are given."""
    known = evaluation.facts.known
    return "workload.task" in known and bool({"model.size_class", "model.parameters"} & known or "memory.rule_of_thumb" in known)


def questions(evaluation: Evaluation) -> tuple[tuple[Question, ...], int]:
    """What to measure next, most settled for its cost first, and how many rules wait for nothing but task and size.

    What rules ask for comes first, in rule order; then facts by the number of advices, and of verdicts on candidate 0, that
    they can settle, divided by what they cost to obtain.
    """
    run = evaluation.first
    settles: dict[str, list[str]] = {}
    waiting: set[str] = set()
    for procedure in evaluation.program.procedures.values():
        rule = procedure.rule
        if not evaluation.looked_at(rule.id) or not any(isinstance(c, Advise) for c in rule.then) or run.stands(rule.id) is not DEPENDS:
            continue
        causes = askable(evaluation, run, run.stand_causes(rule.id))
        if causes and set(causes) <= TASK_AND_SIZE:
            waiting.add(rule.id)
            continue
        for fact in causes:
            settles.setdefault(fact, []).append(rule.id)
    verdicts: set[str] = set()
    if evaluation.has_candidate and evaluation.accepted(run) is DEPENDS:
        for rule_id in evaluation.requirements:
            verdicts.update(askable(evaluation, run, run.accept_causes(rule_id)))
    asked = _asked(evaluation)
    vocabulary = evaluation.program.rulebook.vocabulary.facts
    order = {path: i for i, path in enumerate(vocabulary)}

    def rank(fact: str) -> tuple[float, int]:
        return -(len(settles.get(fact, ())) + (fact in verdicts)) / COSTS[vocabulary[fact].cost], order[fact]

    rest = sorted({*settles, *verdicts} - set(asked), key=rank)
    facts = [*asked, *rest]
    return tuple(Question(f, asked.get(f, ()), tuple(settles.get(f, ())), f in verdicts) for f in facts), len(waiting)


def _asked(evaluation: Evaluation) -> dict[str, tuple[str, ...]]:
    """Facts that must be asked for whatever follows: task and size, names that stand for several entries, and what rules ask."""
    run = evaluation.first
    asked: dict[str, tuple[str, ...]] = {}
    if not sized(evaluation):
        for fact in ("workload.task", "model.size_class"):
            if wide(run.value(fact)):
                asked[fact] = ()
    for ambiguity in evaluation.facts.ambiguities:
        asked[ambiguity.path] = ()
    for procedure in evaluation.program.procedures.values():
        rule = procedure.rule
        if not evaluation.looked_at(rule.id) or run.stands(rule.id) is NO:
            continue
        for conclusion in rule.then:
            if isinstance(conclusion, Ask) and wide(run.value(conclusion.fact)):
                asked[conclusion.fact] = (*asked.get(conclusion.fact, ()), rule.id)
    return asked
