"""What would change a decision. First version: which facts, once measured, would settle the most advice for their cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.choice import FINALISTS, contradict
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
    """What the decision comes to.

    not_sized: task or size is missing, no machine is looked for. keep: the stated machine meets every requirement.
    provisional: it, or where it fails another, does so on assumptions. recommended: a candidate does so on what is given.
    ask: none does and some are open, or rules name different machines. none_fits: every candidate is rejected.
    A stated machine that is accepted on assumptions comes before any purchase: nobody should buy to avoid a question.
    """
    if not evaluation.sized:
        return "not_sized"
    if evaluation.has_candidate and evaluation.accepted(evaluation.first) is YES:
        return "keep"
    if evaluation.has_candidate and evaluation.accepted(evaluation.second) is YES:
        return "provisional"
    if contradict(evaluation.scenarios):
        return "ask"
    if evaluation.given_at_hand.accepted or evaluation.given_prospect is YES:
        return "recommended"
    if evaluation.assuming_at_hand.accepted or evaluation.assuming_prospect is YES:
        return "provisional"
    return "ask" if DEPENDS in (evaluation.given_prospect, evaluation.assuming_prospect) else "none_fits"


def chosen(evaluation: Evaluation) -> tuple[str, ...]:
    """The at most two candidates that the decision names, by card, count, link and plan; "stated" for the stated machine."""
    found = status(evaluation)
    if evaluation.has_candidate and evaluation.accepted(evaluation.second) is YES and found in ("keep", "provisional"):
        return ("stated",)
    if found not in ("recommended", "provisional"):
        return ()
    given = found == "recommended"
    at_hand, bought = (evaluation.given_at_hand, evaluation.given_choice) if given else (evaluation.assuming_at_hand, evaluation.assuming_choice)
    return tuple(j.candidate.id for j in (*at_hand.chosen, *bought.chosen)[:FINALISTS])


def verdict(evaluation: Evaluation) -> tuple[str, ...]:
    """The part of the signature that a buyer acts on: the status, and the candidates chosen."""
    return (status(evaluation), *chosen(evaluation))


Signature = tuple[tuple[str, ...], frozenset[tuple[str, str, str, str, str]]]


def signature(evaluation: Evaluation) -> Signature:
    """What two decisions are compared by: the verdict, and every advice with how surely it stands. No numbers, no texts."""
    return verdict(evaluation), standing_advice(evaluation)


def standing_advice(evaluation: Evaluation) -> frozenset[tuple[str, str, str, str, str]]:
    """The part of the signature that is found without looking for machines: (rule, topic, action, level, state) of each advice."""
    advice = set()
    for procedure in evaluation.program.procedures.values():
        rule = procedure.rule
        said = [c for c in rule.then if isinstance(c, Advise)]
        if said and evaluation.looked_at(rule.id):
            state = standing(evaluation.first.stands(rule.id), evaluation.second.stands(rule.id))
            advice |= {(rule.id, c.topic, c.action, c.level, state) for c in said if state}
    return frozenset(advice)


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
            if path in given and given[path].via in ("gpu.name", "gpu.current_name", "model.name") and wide(run.value(given[path].via)):
                path = given[path].via
            if path not in vocabulary or vocabulary[path].kind != "observed" or not wide(run.value(path)):
                continue
            applies = evaluation.program.applies.get(path)
            if applies is None or Truth(applies.truth(run.values)) is not NO:
                found[path] = None
    return tuple(found)


def questions(evaluation: Evaluation) -> tuple[tuple[Question, ...], int]:
    """What to measure next, most settled for its cost first, and how many rules wait for nothing but task and size.

    Names, task and size come first, then what tells apart the machines that rules name, and what the verdict on candidate 0
    hangs on; then what rules ask for, in rule order; then facts by the number of advices that they can settle, divided by
    what they cost to obtain.
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
    if evaluation.has_candidate and evaluation.accepted(evaluation.second) is DEPENDS:
        for rule_id in evaluation.requirements:
            verdicts.update(askable(evaluation, evaluation.second, evaluation.second.accept_causes(rule_id)))
    asked = _asked(evaluation)
    vocabulary = evaluation.program.rulebook.vocabulary.facts
    order = {path: i for i, path in enumerate(vocabulary)}

    def rank(fact: str) -> tuple[float, int]:
        return -(len(settles.get(fact, ())) + (fact in verdicts)) / COSTS[vocabulary[fact].cost], order[fact]

    unrecognized = {name.path for name in evaluation.facts.unrecognized}
    names = [fact for fact, rules in asked.items() if not rules and fact not in unrecognized]
    naming = _naming(evaluation)
    between = [fact for fact, rules in asked.items() if naming & set(rules)]
    hangs = sorted(verdicts, key=lambda fact: (fact not in TASK_AND_SIZE, rank(fact)))
    rest = sorted({*settles, *verdicts} - set(asked), key=rank)
    facts = tuple(dict.fromkeys([*names, *between, *hangs, *asked, *rest]))
    return tuple(Question(f, asked.get(f, ()), tuple(settles.get(f, ())), f in verdicts) for f in facts), len(waiting)


def _naming(evaluation: Evaluation) -> frozenset[str]:
    """The rules that name different machines outright, where the choice waits for what tells them apart."""
    return frozenset(s.rule for s in evaluation.scenarios) if status(evaluation) == "ask" and contradict(evaluation.scenarios) else frozenset()


def _asked(evaluation: Evaluation) -> dict[str, tuple[str, ...]]:
    """Facts that must be asked for whatever follows: task and size, names that stand for several entries, and what rules ask."""
    run = evaluation.first
    asked: dict[str, tuple[str, ...]] = {}
    if not evaluation.sized:
        for fact in ("workload.task", "model.size_class"):
            if wide(run.value(fact)):
                asked[fact] = ()
    for ambiguity in evaluation.facts.ambiguities:
        asked[ambiguity.path] = ()
    for truth in (YES, DEPENDS):
        for procedure in evaluation.program.procedures.values():
            rule = procedure.rule
            if not evaluation.looked_at(rule.id) or run.stands(rule.id) is not truth:
                continue
            for conclusion in rule.then:
                if isinstance(conclusion, Ask) and askable(evaluation, run, [conclusion.fact]):
                    asked[conclusion.fact] = (*asked.get(conclusion.fact, ()), rule.id)
    return asked | {name.path: () for name in evaluation.facts.unrecognized if name.path not in asked}
