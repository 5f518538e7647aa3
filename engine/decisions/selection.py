"""The choice among candidates as a document: what is recommended, how it compares, and what ruled the others out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gpurules.engine.decisions import change, estimate, finalists, wording
from gpurules.engine.inference import choice as choices
from gpurules.engine.inference.agenda import Impossible, Run
from gpurules.engine.inference.choice import Choice, Criterion, Judged
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.knowledge.rule import Advise
from gpurules.engine.values.truth import YES

Document = dict[str, Any]
SHOWN = (
    "candidate.memory_need", "candidate.memory_usable", "candidate.headroom", "candidate.fit", "candidate.power",
    "candidate.interconnect_bandwidth", "candidate.half_tensor_rate", "candidate.memory_bandwidth", "candidate.power_limit", "candidate.tier",
)  # fmt: skip
"""Figures by which a report describes and compares machines."""


def document(evaluation: Evaluation) -> Document | None:
    """The choice that a decision reports; None where no machine was looked for, or the stated one is kept."""
    status = change.status(evaluation)
    if status == "not_sized" or change.chosen(evaluation) == ("stated",):
        return None
    settled = status == "ask" and not evaluation.assuming_choice.undecided  # every machine fails as assumed: what is open, is so on what is given
    basis = "given" if status == "recommended" or settled else "assuming"
    found, workload = (evaluation.given_choice, evaluation.workloads[0]) if basis == "given" else (evaluation.assuming_choice, evaluation.workloads[1])
    at_hand = evaluation.given_at_hand if basis == "given" else evaluation.assuming_at_hand
    return _Writer(evaluation, found, at_hand, workload).document(basis, change.chosen(evaluation))


def cites(choice: Document | None) -> list[str]:
    """The claims behind what is said of chosen machines, and behind what rejects the nearest others."""
    if choice is None:
        return []
    said = [*(a for m in choice["chosen"] for a in m["advice"]), *(r for m in choice["nearest_rejected"] for r in m["reasons"]), *choice["scenarios"]]
    return [claim for entry in said for claim in entry["cites"]]


class _Writer:
    def __init__(self, evaluation: Evaluation, found: Choice, at_hand: Choice, workload: Run) -> None:
        self.evaluation, self.found, self.at_hand, self.workload = evaluation, found, at_hand, workload
        self.vocabulary = evaluation.program.rulebook.vocabulary

    def document(self, basis: str, chosen: Sequence[str]) -> Document:
        found = self.found
        named = [j for j in (*self.at_hand.accepted, *found.accepted) if j.candidate.id in chosen]
        return {
            "basis": basis,
            "considered": len(found.accepted) + len(found.undecided) + len(found.rejected),
            "accepted": len(found.accepted),
            "undecided": len(found.undecided),
            "rejected": len(found.rejected),
            "criteria": [self._criterion(c) for c in found.criteria],
            "chosen": [self._machine(j, named) for j in named],
            "nearest_rejected": [self._rejected(j) for j in found.nearest],
            "rejected_by": dict(sorted(found.rejections.items())),
            "unsettled": self._unsettled(),
            "scenarios": [self._scenario(s) for s in self.evaluation.scenarios],
            "contradicting": choices.contradict(self.evaluation.scenarios),
            "rejections": {j.candidate.id: list(j.against) for j in found.rejected},
            "open": {j.candidate.id: list(j.open) for j in found.undecided},
            **self._impossible(),
            **self._at_hand(),
        }

    def _at_hand(self) -> Document:
        """Fewer of the cards that the facts state, where there are any to speak of: which suffice, and what rejects the others."""
        own = self.at_hand
        if not (own.accepted or own.undecided or own.rejected):
            return {}
        verdicts = {**{j.candidate.id: list(j.open) for j in own.undecided}, **{j.candidate.id: list(j.against) for j in own.rejected}}
        return {"at_hand": {"accepted": [j.candidate.id for j in own.accepted], "rules": verdicts}}

    def _impossible(self) -> Document:
        """Machines of which rules say what cannot be, where there are any: the figure, its value, and the rules."""
        found = {}
        for one in self.found.rejected:
            if one.impossible:
                shown = dict(zip(wording.LANGUAGES, one.shown, strict=True))
                found[one.candidate.id] = {"fact": one.impossible, "shown": shown, "rules": list(one.against)}
        return {"impossible": found} if found else {}

    def _criterion(self, criterion: Criterion) -> Document:
        title = self.vocabulary.facts[criterion.fact].title
        return {
            "fact": criterion.fact,
            "title": {"en": title.en, "zh": title.zh},
            "direction": criterion.direction,
            "rank": criterion.rank,
            "rule": criterion.rule,
        }

    def _run(self, judged: Judged, rivals: Sequence[Judged] | None = None) -> Run:
        """The run of one machine; with `rivals`, of one that was chosen beside them."""
        candidate = judged.candidate
        if rivals is not None:
            wholes = {path: d.range for path, d in self.vocabulary.facts.items() if d.number}
            others = [r.candidate for r in rivals if r is not judged]
            seen = {path: value for path, value in finalists.beside(candidate, others, wholes).items() if path in wholes}
            candidate = replace(candidate, figures={**candidate.figures, **seen})
        return self.evaluation.engine.judged(self.workload, candidate)

    def _named(self, judged: Judged) -> Document:
        candidate = judged.candidate
        card = self.evaluation.program.rulebook.catalogs["card"].entries.get(candidate.card)
        facts = self.vocabulary.facts
        several: Document = {"nodes": candidate.nodes, "tensor": candidate.tensor} if candidate.nodes > 1 else {}
        return {
            "id": candidate.id,
            "card": {"id": card.id, "name": card.name} if card else {"id": candidate.card, "name": "GPU"},
            "count": candidate.count,
            **several,
            **({"at_hand": True} if candidate.at_hand else {}),
            "interconnect": wording.fact(self.vocabulary, "candidate.interconnect", candidate.figures["candidate.interconnect"]),
            "plan": {"id": candidate.plan, "shown": {la: facts["candidate.plan"].members[candidate.plan].get(la) for la in wording.LANGUAGES}},
        }

    def _figures(self, run: Run) -> Document:
        return {path: self._figure(run, path) for path in SHOWN}

    def _figure(self, run: Run, path: str) -> Document:
        value = run.value(path)
        shown = wording.derived(run, path, value) if path in run.derived else wording.fact(self.vocabulary, path, value)
        return {"value": wording.encoded(value), "shown": shown}

    def _machine(self, judged: Judged, rivals: Sequence[Judged]) -> Document:
        """A chosen machine in full: its figures, its score on each criterion and whether it surely leads, its advice, its trace."""
        run = self._run(judged, rivals)
        scores = []
        for index, (criterion, score) in enumerate(zip(self.found.criteria, judged.scores, strict=True)):
            others = [r.scores[index] for r in rivals if r is not judged]
            shown = wording.fact(self.vocabulary, criterion.fact, score)
            leads = choices.leads(criterion, score, others) if others else True
            scores.append({"fact": criterion.fact, "value": wording.encoded(score), "shown": shown, "leads": leads})
        assuming = self._assuming(judged, run)
        estimated = estimate.document(self.evaluation, assuming or run)
        found = {"figures": self._figures(run), "estimate": estimated, "scores": scores}
        if assuming is not None:
            found["assuming"] = {path: self._figure(assuming, path) for path in (estimate.NEED, estimate.FIT)}
        return {**self._named(judged), **found, "advice": self._advice(run), "truths": self._truths(run)}

    def _assuming(self, judged: Judged, run: Run) -> Run | None:
        """A machine that was chosen on what is given, judged with the assumptions, where its memory is added up by shape and batch
        only with these; None otherwise."""
        later = self.evaluation.workloads[1]
        if self.workload is later or not self.evaluation.assumptions or estimate.structured(run):
            return None
        try:
            found = self.evaluation.engine.judged(later, judged.candidate)
        except Impossible:
            return None
        return found if estimate.structured(found) else None

    def _advice(self, run: Run) -> list[Document]:
        found = []
        for procedure in run.program.procedures.values():
            rule = procedure.rule
            if not rule.for_each or run.stands(rule.id) is not YES:
                continue
            for item in rule.then:
                if isinstance(item, Advise):
                    text = {la: wording.text(rule.because[la], rule, run, la) for la in wording.LANGUAGES}
                    action = {la: self.vocabulary.actions[item.action].get(la) for la in wording.LANGUAGES}
                    said: Document = {"rule": rule.id, "topic": item.topic, "level": item.level, "action": item.action, "action_title": action}
                    found.append({**said, "text": text, "cites": list(rule.cites)})
        return found

    def _truths(self, run: Run) -> Document:
        """The truth of every candidate rule, for the trace."""
        return {rule: str(truth) for rule, truth in run.truths.items() if run.program.procedures[rule].rule.for_each}

    def _rejected(self, judged: Judged) -> Document:
        run = self._run(judged)
        reasons = []
        for rule_id in judged.against:
            rule = run.program.procedures[rule_id].rule
            text = {la: wording.text(rule.because[la], rule, run, la) for la in wording.LANGUAGES}
            title = {la: rule.title.get(la) for la in wording.LANGUAGES}
            reasons.append({"rule": rule_id, "title": title, "text": text, "cites": list(rule.cites)})
        return {**self._named(judged), "figures": self._figures(run), "reasons": reasons, "truths": self._truths(run)}

    def _unsettled(self) -> list[Document]:
        """Facts to obtain, by how many undecided candidates each can settle."""
        counts: Counter[str] = Counter()
        for one in self.found.undecided:
            names = [c for c in self.found.causes(one) if not c.startswith("candidate.")]
            counts.update(change.askable(self.evaluation, self.workload, names))
        return [{"fact": fact, "candidates": n} for fact, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]

    def _scenario(self, scenario: choices.Scenario) -> Document:
        rule = self.evaluation.program.rulebook.rules[scenario.rule]
        return {
            "rule": scenario.rule,
            "title": {la: rule.title.get(la) for la in wording.LANGUAGES},
            "count": scenario.count,
            "memory_nominal": scenario.memory_nominal,
            "plan": list(scenario.plan),
            "cites": list(rule.cites),
        }
