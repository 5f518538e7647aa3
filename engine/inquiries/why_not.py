"""Why-not: why a rule, an advice or a machine is not among the answers, what is open, and the nearest change that makes it one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpurules.engine.decisions import change
from gpurules.engine.decisions import decision as decisions
from gpurules.engine.inference.agenda import Impossible, Run
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inquiries import branching, goal
from gpurules.engine.inquiries.axis import CHANGE, SETTLE, Axis, Cell
from gpurules.engine.inquiries.branching import Budget
from gpurules.engine.inquiries.explanation import traced
from gpurules.engine.inquiries.flip import MOST, Flip, Search, Searcher
from gpurules.engine.inquiries.goal import Goal, MachineGoal, RuleGoal
from gpurules.engine.inquiries.subject import STATED, Subject, advising, machines
from gpurules.engine.inquiries.tree_phrases import said
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Condition
from gpurules.engine.reports.branch import Branch, Said, both
from gpurules.engine.reports.derivation_tree import Derivation
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

DETAILED = 3
"""Rules of one advice for which the nearest change is searched."""
OPEN = 4
"""Open facts that are looked at one by one."""
TOLD = 8
"""Other configurations of a card that are told."""
_STRETCHES = 400
"""Evaluations spent on one open fact."""


class WhyNot:
    """Answers about one trial. `fixed` and `movable` are facts that may not, or may, be changed whatever the vocabulary says; `waived`
    says of rules who accepts what they say, why and until when."""

    def __init__(
        self,
        trial: Trial,
        fixed: Iterable[str] = (),
        movable: Iterable[str] = (),
        budget: int = 0,
        depth: int = 2,
        waived: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.trial, self.fixed, self.movable, self.budget, self.depth = trial, frozenset(fixed), frozenset(movable), budget, depth
        self.base, self.engine = trial.base, trial.engine
        self.rulebook = trial.rulebook
        self.waived = waived or {}
        self._judged: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def answer(self, subject: Subject) -> tuple[Branch, ...]:
        """The trees that answer why `subject` is not among the answers; where it is, what would take it back."""
        if subject.kind == "rule":
            return (self.rule(subject.name),)
        if subject.kind == "advice":
            rules = advising(subject.name, self.rulebook)
            head = (Branch("notice", said("several_rules", count=len(rules), first=DETAILED), {}, (), "quiet"),) if len(rules) > DETAILED else ()
            return (*head, *(self.rule(rule, at < DETAILED) for at, rule in enumerate(self._nearest_first(rules))))
        if subject.name == STATED:
            return (self.machine(None),)
        named = machines(subject.name, self.engine)
        cards = {one.card for one in named}
        return tuple(self._card(named, [one for one in self.engine.catalogued if one.card in cards and one not in named]))

    # ------------------------------------------------------------ rules

    def rule(self, id_: str, search: bool = True) -> Branch:
        """One rule: its state, each condition with the one that decides marked, what is open, and the nearest change."""
        asked = RuleGoal(self.rulebook.rules[id_])
        found = goal.state(asked, self.base)
        run = self.base.second
        searcher = Searcher(self.trial, asked, found in ("", "depends"), self.fixed, self.movable, self.budget)
        open_facts = change.askable(self.base, run, run.stand_causes(id_)) if self.base.looked_at(id_) else ()
        document = decisions.trace(self.base, searcher.cone.rules)
        derivation = Derivation(document, self.rulebook, self.trial.file, self.depth + 2, "", deciding(run, id_) if self.base.looked_at(id_) else ())
        facts = ", ".join(open_facts)
        title = {la: self.rulebook.rules[id_].title.get(la) for la in ("en", "zh")}
        text = said("question_rule", rule=id_, title=title, state=said(f"state_{found}", facts=facts or self._assumed()))
        below: list[Branch] = list(self._accepted(id_)) if found else []
        if self.base.looked_at(id_):
            below += [b for b in derivation.rule(id_).children if b.kind not in ("claim", "figures")]
        else:
            below.append(Branch("unjudged", said("no_machine"), {}, (), "caution"))
        if facts:
            below.append(Branch("open", said("open_facts", facts=facts), {"facts": list(open_facts)}, (), "caution"))
        if search:
            below += self._nearest(searcher, asked, found, open_facts)
        return Branch("why_not", text, {"rule": id_, "state": found}, tuple(below), "strong")

    def _assumed(self) -> str:
        return ", ".join(a.fact for a in self.base.assumptions)

    def _nearest_first(self, rules: Sequence[str]) -> list[str]:
        """Rules that stand before those that may, and these before the others."""
        order = {"certain": 0, "assuming": 0, "without_assumptions": 1, "depends": 1, "": 2}
        return sorted(rules, key=lambda r: (order[goal.state(RuleGoal(self.rulebook.rules[r]), self.base)], r))

    # ------------------------------------------------------------ the nearest change

    def _nearest(self, searcher: Searcher, asked: Goal, state: str, open_facts: Sequence[str]) -> Iterator[Branch]:
        wanted = searcher.wanted
        aim = said(("to_stand" if wanted else "to_silence") if isinstance(asked, RuleGoal) else ("to_meet" if wanted else "to_fail"))
        settling = searcher.settle()
        alone = list(self._alone(searcher, asked, state, open_facts, settling.flip))
        yield self._found("nearest_settling", aim, settling, asked, alone)
        changing = searcher.change()
        yield self._found("nearest_change", aim, changing, asked)
        if settling.flip is None and changing.flip is None and any(a.kind == SETTLE for a in searcher.axes) and any(a.kind == CHANGE for a in searcher.axes):
            yield self._found("nearest_both", aim, searcher.both(), asked)

    def _alone(self, searcher: Searcher, asked: Goal, state: str, open_facts: Sequence[str], flip: Flip | None) -> Iterator[Branch]:
        """What each open fact settles on its own, stretch by stretch."""
        first = [m.axis.path for m in flip.moves] if flip is not None and len(flip.moves) == 1 else []
        axes = {a.path: a for a in searcher.axes if a.kind == SETTLE}
        for path in [p for p in dict.fromkeys([*first, *open_facts]) if p in axes][:OPEN]:
            axis = axes[path]

            def label(cell: Cell, axis: Axis = axis) -> str | None:
                states = searcher.cell({axis: axis.value(cell)}, cell[0] == cell[1]).states
                return next(iter(states)) if len(states) == 1 else None

            searcher.sight.budget = Budget(_STRETCHES)
            found = branching.stretches(axis, label, searcher.sight.budget)
            if {s.label for s in found} <= {state}:
                continue
            now = self._shown(axis.path, axis.now)
            below = tuple(self._stretch(axis, s, asked) for s in found)
            yield Branch("alone", said("alone", fact=path, now=now), {"fact": path}, below)

    def _stretch(self, axis: Axis, stretch: branching.Stretch, asked: Goal) -> Branch:
        value = axis.value(stretch.cell)
        shown = self._shown(axis.path, value)
        data: dict[str, Any] = {"value": axis.text(value), "state": stretch.label}
        if stretch.label is None:
            return Branch("band", said("band", value=shown), data, (), "caution")
        word = said("contradiction") if stretch.label == goal.IMPOSSIBLE else _state(asked, str(stretch.label), "…")
        return Branch("stretch", said("stretch", value=shown, state=word), data)

    def _found(self, key: str, aim: Said, search: Search, asked: Goal, more: Sequence[Branch] = ()) -> Branch:
        title = {la: f"{said(key)[la]}, {aim[la]}" if la == "en" else f"{said(key)[la]}，{aim[la]}" for la in ("en", "zh")}
        data: dict[str, Any] = {"search": key, "exhausted": search.exhausted, "evaluations": search.evaluations}
        if search.flip is None:
            return Branch("search", title, data, (*more, Branch("none", self._none(key, search), {}, (), "quiet")), "note")
        return Branch("search", title, data, (*self._flip(search.flip, asked), *more), "note")

    @staticmethod
    def _none(key: str, search: Search) -> Said:
        if not search.exhausted:
            return said("budget" if search.size > 1 else "budget_at_one", evaluations=search.evaluations, size=search.size)
        if not search.facts:
            return said("no_open" if key == "nearest_settling" else "no_facts")
        if len(search.facts) <= MOST:
            return said("none_of_few", facts=", ".join(search.facts))
        return said("none", count=len(search.facts))

    def _flip(self, flip: Flip, asked: Goal) -> Iterator[Branch]:
        for move in flip.moves:
            now, value = self._shown(move.axis.path, move.axis.now), self._shown(move.axis.path, move.value)
            data = {"fact": move.axis.path, "to": move.text, "how": move.axis.kind}
            yield Branch("move", said(f"move_{move.axis.kind}", fact=move.axis.path, now=now, value=value), data, (), "recommend")
        if any(m.axis.kind == CHANGE and m.axis.definition.number for m in flip.moves):
            yield Branch("distance", said("distance", distance=f"{flip.distance:.3g}"), {"distance": flip.distance}, (), "quiet")
        yield Branch("proof", said("proved", state=_state(asked, flip.state, ", ".join(a.fact for a in flip.proof.assumptions))), {"state": flip.state})
        before, after = (change.standing_advice(e) for e in (self.base, flip.proof))
        others = sorted({rule for rule, *_ in before ^ after})
        if others:
            yield Branch("also", said("also", rules=", ".join(others)), {"rules": others}, (), "quiet")

    def _shown(self, path: str, value: Any) -> Said:
        definition = self.rulebook.vocabulary.facts[path]
        return {la: definition.show(value, la) for la in ("en", "zh")}

    # ------------------------------------------------------------ machines

    def _card(self, named: Sequence[Candidate], further: Sequence[Candidate]) -> Iterator[Branch]:
        """Of the machines named the one that comes nearest to being accepted, and the card's other configurations."""
        nearest, *others = sorted(named, key=self._distance)
        branch = self.machine(nearest)
        told = []
        others = sorted([*others, *further], key=self._distance)
        for one in others[:TOLD]:
            against, open_ = self._against(one)
            verdict = said("verdict_rejected" if against else "verdict_undecided" if open_ else "verdict_accepted")
            rules = ", ".join((*against, *open_))
            told.append(Branch("machine", said("sibling", machine=one.id, verdict=verdict, rules=f": {rules}" if rules else ""), {"machine": one.id}))
        if told:
            below = (*branch.children, Branch("siblings", said("siblings"), {}, tuple(told), "quiet", len(others) - len(told)))
            branch = replace(branch, children=below)
        yield branch

    def _distance(self, candidate: Candidate) -> tuple[object, ...]:
        against, open_ = self._against(candidate)
        return bool(against), len(against), len(open_), candidate.count, candidate.preference, candidate.id

    def _against(self, candidate: Candidate | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The rules that reject a machine, assumptions made, and those that leave it open."""
        name = candidate.id if candidate is not None else STATED
        if name not in self._judged:
            run = self._run(candidate)
            truths = {rule: run.accepts(rule) for rule in self.base.requirements} if run is not None else {"": NO}
            self._judged[name] = tuple(r for r, t in truths.items() if t is NO), tuple(r for r, t in truths.items() if t is DEPENDS)
        return self._judged[name]

    def _run(self, candidate: Candidate | None) -> Run | None:
        if candidate is None:
            return self.base.second if self.base.has_candidate else None
        try:
            return self.engine.judged(self.base.workloads[1], candidate)
        except Impossible:
            return None

    def machine(self, candidate: Candidate | None) -> Branch:
        """One machine: every requirement that rejects it or leaves it open, and what would be needed for each, and for all."""
        name = both(candidate.id) if candidate is not None else said("machine_stated")
        data = {"machine": candidate.id if candidate is not None else STATED}
        run = self._run(candidate)
        if run is None:
            fault = self._fault(candidate)
            return Branch("why_not", said("question_machine", machine=name, verdict=said("verdict_rejected")), data, (fault,), "strong")
        against, open_ = self._against(candidate)
        verdict = said("verdict_rejected" if against else "verdict_undecided" if open_ else "verdict_accepted")
        below: list[Branch] = []
        for rule, word in (*((r, "rejected_by") for r in against), *((r, "open_by") for r in open_)):
            below.append(self._requirement(rule, word, run, candidate))
        if len(against) + len(open_) != 1:
            asked = MachineGoal(self.base.requirements, candidate)
            wanted = bool(against or open_)
            searcher = Searcher(self.trial, asked, wanted, self.fixed, self.movable, self.budget)
            below += self._nearest(searcher, asked, goal.state(asked, self.base), ())
        if not against and not open_:
            below.insert(0, Branch("accepted", said("meets"), {}, tuple(self._ranked(candidate))))
        return Branch("why_not", said("question_machine", machine=name, verdict=verdict), data, tuple(below), "strong")

    def _requirement(self, rule: str, word: str, run: Run, candidate: Candidate | None) -> Branch:
        """A requirement that is not met, with its conditions in the figures of the machine."""
        asked = MachineGoal((rule,), candidate)
        searcher = Searcher(self.trial, asked, True, self.fixed, self.movable, self.budget)
        marks = deciding(run, rule) | requirement_deciding(run, rule)
        if candidate is None:
            derivation = Derivation(decisions.trace(self.base, searcher.cone.rules), self.rulebook, self.trial.file, self.depth + 2, "", marks)
        else:
            derivation = traced(self.base, candidate, "assuming", self.trial.file, self.depth + 2, marks, searcher.cone.rules)
        conditions = [b for b in derivation.rule(rule).children if b.kind not in ("claim", "figures")]
        open_facts = change.askable(self.base, run, run.accept_causes(rule)) if word == "open_by" else ()
        waived = self._accepted(rule) if candidate is None else ()
        below = [*waived, *conditions, *self._nearest(searcher, asked, goal.state(asked, self.base), open_facts)]
        title = {la: self.rulebook.rules[rule].title.get(la) for la in ("en", "zh")}
        return Branch("rejection", said(word, rule=rule, title=title), {"rule": rule}, tuple(below), "require")

    def _accepted(self, rule: str) -> Iterator[Branch]:
        """That a person accepts what a rule says."""
        if rule in self.waived:
            yield Branch("waived", said("waived", **self.waived[rule]), dict(self.waived[rule]), (), "caution")

    def _fault(self, candidate: Candidate | None) -> Branch:
        if candidate is None:
            return Branch("unjudged", said("no_machine"), {}, (), "caution")
        try:
            self.engine.judged(self.base.workloads[1], candidate)
        except Impossible as fault:
            shown = self._shown(fault.fact, fault.value)
            return Branch("impossible", said("impossible", rules=", ".join(fault.rules), fact=fault.fact, value=shown), {"fact": fault.fact}, (), "require")
        return Branch("accepted", said("meets"))

    def _ranked(self, candidate: Candidate | None) -> Iterator[Branch]:
        """Where an accepted machine of the catalogue stands among the others: chosen, or which comes first and by which criterion."""
        if candidate is None or not self.base.sized:
            return
        names = change.chosen(self.base)
        if candidate.id in names:
            yield Branch("chosen", said("is_chosen"))
            return
        found = self.base.assuming_choice if change.status(self.base) == "provisional" else self.base.given_choice
        own = next((j for j in found.accepted if j.candidate.id == candidate.id), None)
        best = found.chosen[-1] if found.chosen else None
        if own is None or best is None:
            return
        for criterion, mine, theirs, a, b in zip(found.criteria, own.scores, best.scores, own.order, best.order, strict=False):
            if a != b:
                shown = [self._shown(criterion.fact, v) for v in (theirs, mine)]
                text = said("outranked", other=best.candidate.id, fact=criterion.fact, theirs=shown[0], own=shown[1], rule=criterion.rule)
                yield Branch("outranked", text, {"by": best.candidate.id, "rule": criterion.rule})
                return
        yield Branch("outranked", said("outranked_level", other=best.candidate.id), {"by": best.candidate.id})


def _state(asked: Goal, state: str, facts: str) -> Said:
    return said(f"{'state' if isinstance(asked, RuleGoal) else 'met'}_{state}", facts=facts)


def deciding(run: Run, rule: str) -> frozenset[str]:
    """The comparisons of a rule's condition that make its truth what it is, as written."""
    condition = run.program.procedures[rule].condition
    return frozenset(_deciding(condition, run)) if condition is not None and run.knows(run.program.procedures[rule].rule.needs) else frozenset()


def requirement_deciding(run: Run, rule: str) -> frozenset[str]:
    """The same of its requirements that are not met."""
    conditions = [c for c in run.program.procedures[rule].requires if Truth(c.truth(run.values)) is not YES]
    return frozenset(text for c in conditions for text in _deciding(c, run))


def _deciding(condition: Condition, run: Run) -> Iterator[str]:
    """Of what is joined by "and" and is no, the parts that are no; of what is yes, all; of what depends, those that do; and so on."""
    if condition.atom is not None:
        yield syntax.show(condition.atom.tree)
        return
    truth = Truth(condition.truth(run.values))
    for part in condition.parts:
        if isinstance(condition.tree, syntax.Not) or Truth(part.truth(run.values)) is truth:
            yield from _deciding(part, run)
