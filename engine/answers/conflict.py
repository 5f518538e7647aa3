"""Conflicts between sources that one evaluation met."""

from __future__ import annotations

from dataclasses import dataclass

from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.knowledge.claims import Conflict
from gpurules.engine.values.truth import NO, Truth


@dataclass(frozen=True, slots=True)
class Meeting:
    """A registered conflict whose sides both speak: surely (*yes*), or possibly (*depends*); and the rules that speak."""

    conflict: Conflict
    truth: Truth
    rules: tuple[tuple[str, str], ...]


def met(evaluation: Evaluation) -> tuple[Meeting, ...]:
    """Every conflict of which two sides are not *no*, whatever order the rules have.

    The sides are the rules that cite the claims; where the other side is no claim, a rule that overrides one of them.
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
        if len(sides) > 1 and len({rule for _, rule in speakers}) > 1:
            found.append(Meeting(conflict, sorted(sides.values())[-2], tuple(speakers)))
    return tuple(found)
