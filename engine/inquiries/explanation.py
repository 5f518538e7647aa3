"""Explanations: the trees that answer what somebody asks of a decision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gpurules.engine.decisions import decision as decisions
from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.selection import SHOWN
from gpurules.engine.inference.agenda import Impossible
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries import subject as subjects
from gpurules.engine.inquiries.subject import STATED, Subject
from gpurules.engine.inquiries.tree_phrases import said
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.reports.branch import Branch, both, cut
from gpurules.engine.reports.derivation_tree import DEEPEST, Derivation
from gpurules.engine.values.truth import DEPENDS, NO

TOLD = 8
"""Other machines of a name that are told."""


def explain(
    subject: Subject | None, decision: Document, rulebook: Rulebook | None = None, evaluation: Evaluation | None = None, file: str = "", depth: int = DEEPEST
) -> tuple[Branch, ...]:
    """The derivation of `subject`, or of every conclusion and machine of the decision.

    `rulebook` is the one that decided, where it is at hand; with the evaluation as well, the figures of a machine of the
    catalogue are derived too. `file` is the name of the facts file, `depth` the levels below each root.
    """
    derivation = Derivation(decision, rulebook, file, depth)
    roots = _roots(subject, decision, derivation, evaluation, depth)
    return (*(cut(root, depth) for root in roots), *_notice(decision, rulebook))


def _roots(subject: Subject | None, decision: Document, derivation: Derivation, evaluation: Evaluation | None, depth: int) -> Iterable[Branch]:
    conclusions = decision["conclusions"]
    if subject is None:
        return [*map(derivation.conclusion, conclusions), *_machines(decision, derivation, evaluation, "", depth)]
    match subject.kind:
        case "conclusion":
            return [derivation.conclusion([c for c in conclusions if c["rule"] == subject.name][subject.number - 1])]
        case "rule":
            return [derivation.conclusion(c) for c in conclusions if c["rule"] == subject.name] or [derivation.rule(subject.name)]
        case "advice":
            return [derivation.conclusion(c) for c in conclusions if subject.name in (c.get("action"), c.get("topic"))]
        case "fact":
            return [derivation.fact(subject.name)]
        case _:
            return _machines(decision, derivation, evaluation, subject.name, depth)


def _notice(decision: Document, rulebook: Rulebook | None) -> tuple[Branch, ...]:
    if rulebook is not None:
        return ()
    return (Branch("notice", said("without_rulebook", digest=decision["rulebook"]["digest"][:23]), {}, (), "quiet"),)


def _machines(decision: Document, derivation: Derivation, evaluation: Evaluation | None, name: str, depth: int) -> Iterator[Branch]:
    """The chosen machines, or those named: of the ones that the decision tells of, else the one of the catalogue that comes nearest."""
    chosen = decision["choice"]["chosen"] if decision.get("choice") else []
    if name == STATED or (not name and not chosen and decision["candidates"]):
        yield _stated(decision, derivation)
        return
    told = subjects.told_of(name, decision) if name else chosen
    for machine in told:
        yield _machine(machine, decision, derivation, evaluation, depth)
    if not told and name and evaluation is not None:
        yield _untold(subjects.machines(name, evaluation.engine), evaluation, derivation.file, depth)


def _stated(decision: Document, derivation: Derivation) -> Branch:
    machine = decision["candidates"][0]
    verdict = said(f"verdict_{machine['verdict_assuming']}")
    below = tuple(derivation.rule(r["rule"], 1) for r in machine["requirements"])
    return Branch("machine", said("stated_machine", verdict=verdict), {"machine": STATED, "verdict": machine["verdict_assuming"]}, below, "strong")


def _machine(machine: Document, decision: Document, derivation: Derivation, evaluation: Evaluation | None, depth: int) -> Branch:
    name = {la: _named(machine, la) for la in ("en", "zh")}
    root = Branch("machine", said("chosen", machine=name) if "scores" in machine else said("question_machine", machine=name, verdict=said("verdict_rejected")))
    root = replace(root, data={"machine": machine["id"]}, tone="strong")
    candidate = next((c for c in evaluation.engine.catalogued if c.id == machine["id"]), None) if evaluation is not None else None
    if evaluation is None or candidate is None:
        key = "figures_alone" if derivation.rulebook is None else "figures_not_restated"
        notice = Branch("notice", said(key, digest=decision["rulebook"]["digest"][:23]), {}, (), "caution")
        return replace(root, children=(*_from_document(machine, derivation), notice))
    own = traced(evaluation, candidate, decision["choice"]["basis"], derivation.file, depth)
    rules = {c["fact"]: c["rule"] for c in decision["choice"]["criteria"]}
    scores = [_score(s, rules, (own.fact(s["fact"], 2), derivation.rule(rules[s["fact"]], 2))) for s in machine.get("scores", ())]
    return replace(root, children=(*_reckoned(own, evaluation.requirements), *scores))


def _untold(named: Sequence[Candidate], evaluation: Evaluation, file: str, depth: int) -> Branch:
    """Of machines that the decision does not tell of the one that fails the fewest requirements, assumptions made, with the ids of the others."""

    def failed(candidate: Candidate) -> tuple[object, ...]:
        try:
            run = evaluation.engine.judged(evaluation.workloads[1], candidate)
        except Impossible:
            return len(evaluation.requirements) + 1, 0, candidate.count, candidate.preference, candidate.id
        truths = [run.accepts(rule) for rule in evaluation.requirements]
        return truths.count(NO), truths.count(DEPENDS), candidate.count, candidate.preference, candidate.id

    ranked = sorted((failed(one), one) for one in named)
    (failing, open_, *_), nearest = ranked[0]
    verdict = said("verdict_rejected" if failing else "verdict_undecided" if open_ else "verdict_accepted")
    text, data = said("question_machine", machine=both(nearest.id), verdict=verdict), {"machine": nearest.id}
    try:
        below = tuple(_reckoned(traced(evaluation, nearest, "assuming", file, depth), evaluation.requirements))
    except Impossible as fault:
        shown = {la: evaluation.program.rulebook.vocabulary.facts[fault.fact].show(fault.value, la) for la in ("en", "zh")}
        below = (Branch("impossible", said("impossible", rules=", ".join(fault.rules), fact=fault.fact, value=shown), {"fact": fault.fact}, (), "require"),)
    if len(ranked) > 1:
        others = tuple(Branch("machine", both(one.id), {"machine": one.id}) for _, one in ranked[1 : 1 + TOLD])
        below = (*below, Branch("siblings", said("siblings"), {}, others, "quiet", max(0, len(ranked) - 1 - TOLD)))
    return Branch("machine", text, data, below, "strong")


def _reckoned(own: Derivation, requirements: Iterable[str]) -> Iterator[Branch]:
    """The requirements that speak of a machine, and how each of its figures came about."""
    yield from (own.rule(rule, 1) for rule in requirements if own.rules[rule]["truth_assuming"] != "no")
    yield Branch("figures", said("machine_figures"), {}, tuple(own.fact(path, 2) for path in SHOWN))


def traced(
    evaluation: Evaluation, candidate: Candidate, basis: str, file: str, depth: int, deciding: Iterable[str] = (), rules: Iterable[str] | None = None
) -> Derivation:
    """A derivation in which the figures of one machine of the catalogue stand. `basis`: given or assuming; `rules` as for a trace."""
    workload = evaluation.workloads[0 if basis == "given" else 1]
    fork = evaluation.engine.judged(workload, candidate)
    seen = replace(evaluation, first=fork, second=fork, has_candidate=True)
    return Derivation(decisions.trace(seen, rules), evaluation.program.rulebook, file, depth, candidate.card, deciding)


def _from_document(machine: Document, derivation: Derivation) -> Iterator[Branch]:
    """What the decision alone tells of a machine: figures, advice, and what rejects it."""
    for path, figure in machine["figures"].items():
        yield Branch("figure", {la: f"{path} = {figure['shown'][la]}" for la in ("en", "zh")}, {"fact": path, "value": figure["value"]})
    for reason in machine.get("reasons", ()):
        below = (derivation.because(reason["rule"], reason["text"]), *(derivation.claim(c) for c in reason["cites"]))
        yield Branch("rejected", said("rejected_by", rule=reason["rule"], title=reason["title"]), {"rule": reason["rule"]}, below, "require")
    rules = {c["fact"]: c["rule"] for c in derivation.decision["choice"]["criteria"]}
    for score in machine.get("scores", ()):
        yield _score(score, rules, (derivation.rule(rules[score["fact"]], 2),))


def _score(score: Document, rules: dict[str, str], below: tuple[Branch, ...]) -> Branch:
    leads = said("leads") if score["leads"] else both("")
    text = said("score", fact=score["fact"], value=score["shown"], rule=rules[score["fact"]], leads=leads)
    return Branch("score", text, {"fact": score["fact"], "rule": rules[score["fact"]], "leads": score["leads"]}, below)


def _named(machine: Document, language: str) -> str:
    parts = [f"{machine['count']} × {machine['card']['name']}"]
    if machine["count"] > 1:
        parts += [machine["interconnect"][language], machine["plan"]["shown"][language]]
    return ("，" if language == "zh" else ", ").join(parts)
