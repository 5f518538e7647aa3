"""The estimate of one machine, term by term: what a card holds, which phase decides, and how fast and dear the run is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gpurules.engine.decisions import change, wording
from gpurules.engine.inference.agenda import Derived, Run
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.knowledge.rule import Derive
from gpurules.engine.values.interval import Interval, point
from gpurules.engine.values.truth import YES, Truth

Document = dict[str, Any]
HELD = ("candidate.weights", "candidate.optimizer", "candidate.adapters")
"""Terms that a card holds all the time."""
PHASES = {
    "candidate.forward_phase": (
        "candidate.early_gradients", "candidate.gathered", "candidate.activations", "candidate.logits", "candidate.kv_cache", "candidate.prefill",
    ),
    "candidate.backward_phase": (
        "candidate.gradients", "candidate.gathered", "candidate.buffers", "candidate.activations", "candidate.layer_work", "candidate.logits_held",
    ),
    "candidate.step_phase": ("candidate.gradients", "candidate.buffers", "candidate.step_work"),
}  # fmt: skip
"""The phases of a step, and the terms that come on top of the held ones in each."""
TERMS = tuple(dict.fromkeys((*HELD, "candidate.gradients", *(term for terms in PHASES.values() for term in terms))))
PEAKS = ("candidate.memory_allocated", "candidate.memory_reserved", "candidate.memory_device", "candidate.memory_structured", "candidate.memory_need")
"""What the terms add up to as tensors, allocator and device count it; the estimate; and the need that sizes the machine."""
SPEED = (
    "candidate.compute_time", "candidate.wire_time", "candidate.tokens_per_second", "candidate.time_to_train",
    "candidate.cost_to_train", "candidate.generation_rate", "candidate.cost_per_million_tokens",
)  # fmt: skip
NEED, STRUCTURED, _TRAINED = "candidate.memory_need", "candidate.memory_structured", "candidate.tokens_per_second"
FIT = "candidate.fit"
RATES = (_TRAINED, "candidate.generation_rate")
_OF_TRAINING = ("candidate.compute_time", "candidate.wire_time")
FIGURES = (*TERMS, *PHASES, *PEAKS, *SPEED)
"""Figures of a machine that its estimate is made of, in the order of a report."""


def document(evaluation: Evaluation, run: Run) -> list[Document]:
    """The figures of one machine that rules give and that are not zero, each with its rules. `run` is that machine's.

    Phases and peaks of which nothing is known are left out, since they want what their terms want.
    """
    return list(_figures(evaluation, run))


def structured(run: Run) -> bool:
    """Whether the memory of the machine of `run` is added up by shape and batch, and comes to a figure."""
    value = run.value(STRUCTURED) if STRUCTURED in run.program.slots else None
    return _given(run, STRUCTURED) and isinstance(value, Interval) and wording.told(run, STRUCTURED, value)


def _figures(evaluation: Evaluation, run: Run) -> Iterator[Document]:
    facts = evaluation.program.rulebook.vocabulary.facts
    for path in (figure for figure in FIGURES if figure in facts):
        value = run.value(path)  # figures of a machine are worked out when they are asked for
        derived = run.derived.get(path)
        if derived is None or not derived.alternatives or value == point(0.0) or (path in _OF_TRAINING and not _given(run, _TRAINED)):
            continue
        known = isinstance(value, Interval) and wording.told(run, path, value)
        if not known and path in (*PHASES, *PEAKS) and path != NEED:
            continue
        title = facts[path].title
        yield {
            "fact": path,
            "title": {"en": title.en, "zh": title.zh},
            "value": wording.encoded(value),
            "shown": wording.derived(run, path, value, brief=True) if known else dict(wording.UNKNOWN),
            "rules": [a.rule for a in derived.alternatives],
            **({} if known else {"needs": _needs(evaluation, run, path)}),
            **_aside(evaluation, derived),
            **(_wanting(evaluation, run) if path == NEED else {}),
        }


def _given(run: Run, path: str) -> bool:
    if path not in run.program.slots:
        return False
    run.value(path)
    return path in run.derived and bool(run.derived[path].alternatives)


def _needs(evaluation: Evaluation, run: Run, path: str) -> list[str]:
    """What to obtain where nothing is known of a figure: the facts that leave it without bounds, or else all that it hangs on."""
    unbounded = change.askable(evaluation, run, wording.open_ended(run, path))
    return list(unbounded or change.askable(evaluation, run, run.value_causes(path)))


def _aside(evaluation: Evaluation, derived: Derived) -> Document:
    """What rules that were overruled would give: the rule of thumb, or the estimate beside what was measured."""
    if derived.fact not in (NEED, _TRAINED) or not derived.aside:
        return {}
    vocabulary = evaluation.program.rulebook.vocabulary
    return {"set_aside": [{"rule": a.rule, "value": wording.encoded(a.value), "shown": wording.fact(vocabulary, derived.fact, a.value)} for a in derived.aside]}


def _wanting(evaluation: Evaluation, run: Run) -> Document:
    """Where the rule of thumb sizes a card: the rule that would have the structured estimate do so, and what it wants to know."""
    if _given(run, STRUCTURED):
        return {}
    found = []
    for procedure in run.program.procedures.values():
        rule, condition = procedure.rule, procedure.condition
        if any(isinstance(c, Derive) and c.fact == STRUCTURED for c in rule.then) and (condition is None or Truth(condition.truth(run.values)) is YES):
            needs = change.askable(evaluation, run, [fact for fact in rule.needs if not run.knows([fact])])
            found.append((len(needs), rule.id, list(needs)))
    _, rule_id, needs_of = min(found, default=(0, "", []))
    return {"wanting": {"rule": rule_id, "needs": needs_of}} if needs_of else {}
