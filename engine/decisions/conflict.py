"""Conflicts between sources that one evaluation met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpurules.engine.decisions import change, wording
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.knowledge.claims import Conflict
from gpurules.engine.values.truth import NO, Truth


@dataclass(frozen=True, slots=True)
class Meeting:
    """A registered conflict whose sides both speak: surely (*yes*), or possibly (*depends*); and the rules that speak."""

    conflict: Conflict
    truth: Truth
    rules: tuple[tuple[str, str], ...]


def settled_otherwise(evaluation: Evaluation, meeting: Meeting) -> Evaluation | None:
    """The evaluation with the conflict settled the other way: the edges from the winning claim's rules to the other side's turned
    round. None where no side supersedes the other, or a figure would then be what nothing can have."""
    conflict = meeting.conflict
    if conflict.kind != "supersedes" or conflict.wins not in conflict.between:
        return None
    winners = frozenset(rule for claim, rule in meeting.rules if claim == conflict.wins)
    losers = frozenset(rule for claim, rule in meeting.rules if claim != conflict.wins) - winners
    return evaluation.under(evaluation.engine.rulebook.orders.reversed(winners, losers))


def other_side(evaluation: Evaluation, meeting: Meeting) -> dict[str, Any] | None:
    """What the decision would be with the conflict settled the other way; None as for `settled_otherwise`."""
    other = settled_otherwise(evaluation, meeting)
    if other is None:
        return None
    conflict = meeting.conflict
    entry: dict[str, Any] = {
        "claims": [c for c in conflict.between if c != conflict.wins],
        "status": change.status(other),
        "verdict_changes": change.verdict(other) != change.verdict(evaluation),
        "advice_changes": change.signature(other) != change.signature(evaluation),
    }
    for fact in ("memory.rule_of_thumb", "candidate.fit"):
        before, after = evaluation.second.derived.get(fact), other.second.derived.get(fact)
        if after is not None and before is not None and after.used != before.used:
            entry[fact] = wording.derived(other.second, fact, after.used)
    return entry


def met(evaluation: Evaluation) -> tuple[Meeting, ...]:
    """Every conflict of which both sides are not *no*, whatever order the rules have.

    The first claim disagrees with each of the others. A side speaks through the rules that cite its claim; where the other
    side is no claim, through a rule that overrides one of them.
    """
    found: list[Meeting] = []
    rules = [p.rule for p in evaluation.program.procedures.values() if evaluation.looked_at(p.rule.id)]
    truths = evaluation.second.truths
    for conflict in evaluation.program.rulebook.register.conflicts.values():
        sides: dict[str, Truth] = {}
        speakers: list[tuple[str, str]] = []
        for claim in conflict.between:
            for rule in rules:
                if claim in rule.cites and truths[rule.id] is not NO:
                    sides[claim] = max(sides.get(claim, NO), truths[rule.id])
                    speakers.append((claim, rule.id))
        if len(conflict.between) == 1:
            for _, rule_id in list(speakers):
                for other in evaluation.second.overriders(rule_id):
                    if truths[other] is not NO and conflict.between[0] not in evaluation.program.procedures[other].rule.cites:
                        sides["with"] = max(sides.get("with", NO), truths[other])
                        speakers.append(("with", other))
        first = sides.pop(conflict.between[0], NO)
        others = max(sides.values(), default=NO)
        if min(first, others) is not NO and len({rule for _, rule in speakers}) > 1:
            found.append(Meeting(conflict, min(first, others), tuple(speakers)))
    return tuple(found)
