"""The decision: one document that holds everything needed to check it, explain it and run it again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gpurules.engine.decisions import change, conflict, cost, coverage, estimate, parts, plan, selection, wording
from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Alternative, Derived, Run, wide
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inference.facts import ASSUMED
from gpurules.engine.knowledge.rule import Advise, Assume, Derive, Require, Rule
from gpurules.engine.knowledge.rulebook import SEMANTICS
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Atom, Condition, Value
from gpurules.engine.values import canonical
from gpurules.engine.values.interval import Interval, intersection
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

FORMAT = "gpurules.decision/1"
DOUBTED = ("check_facts", "measure_again")
"""Actions of advice about facts that would hardly be of one run; it names the place of each of them."""
Document = dict[str, Any]


def document(evaluation: Evaluation, engine_version: str) -> Document:
    """The decision as plain data, in the shape of schemas/decision.schema.json. Same facts, rulebook and date: same content."""
    return _Writer(evaluation).document(engine_version)


def trace(evaluation: Evaluation, rules: Iterable[str] | None = None) -> Document:
    """The part of a decision that derivations are read from, all of it or what `rules` rest on, without looking for machines."""
    return _Writer(evaluation).trace(None if rules is None else frozenset(rules))


class _Writer:
    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.first, self.second = evaluation.first, evaluation.second
        self.rulebook = evaluation.program.rulebook
        self.vocabulary = self.rulebook.vocabulary
        self.rules = [p.rule for p in evaluation.program.procedures.values() if evaluation.looked_at(p.rule.id)]
        self.cited: dict[str, None] = {}
        self.written: dict[syntax.Node, Document] = {}

    def document(self, engine_version: str) -> Document:
        facts = self._facts()
        questions, waiting = change.questions(self.evaluation)
        conclusions = self._conclusions()
        conflicts = self._conflicts()
        for rule in self.rules:
            if self.first.truths[rule.id] is not NO or self.second.truths[rule.id] is not NO:
                self.cited.update(dict.fromkeys(rule.cites))
        costs = cost.document(self.evaluation)
        choice = selection.document(self.evaluation)
        self.cited.update(dict.fromkeys(selection.cites(choice)))
        server = parts.document(self.evaluation, choice)
        self.cited.update(dict.fromkeys(c for bill in server for part in bill["parts"] for c in part["cites"]))
        return {
            "format": FORMAT,
            "engine": {"version": engine_version, "semantics": SEMANTICS},
            "rulebook": {"version": self.rulebook.version, "released": self.rulebook.released, "digest": self.rulebook.digest},
            "date": self.evaluation.date,
            "facts_digest": canonical.digest([[f["path"], f["value"], f["origin"]] for f in facts if f["origin"] != ASSUMED]),
            "status": change.status(self.evaluation),
            "facts": facts,
            "assumptions": self._assumptions(),
            "ambiguities": [{"fact": a.path, "text": a.text, "entries": list(a.entries)} for a in self.evaluation.facts.ambiguities],
            **self._unrecognized(),
            "unread": list(coverage.unread(self.evaluation)),
            **self._not_applicable(),
            "not_covered": [_both(text) for text in self.rulebook.not_covered],
            "derived": [self._derived(path) for path in self.vocabulary.facts if path in self.second.derived],
            "conclusions": conclusions,
            "candidates": [self._candidate()] if self.evaluation.has_candidate else [],
            "steps": [plan.document(p, self.evaluation.sized) for p in plan.proposals(self.evaluation)],
            "choice": choice,
            **({"server": server} if server else {}),
            **({"cost": costs} if costs else {}),
            "measure_next": [self._question(q) for q in questions],
            "waiting_for_task_and_size": waiting,
            "conflicts": conflicts,
            "rules": [self._rule(r) | self._requires(r) for r in self.rules],
            **self._register(),
        }

    def trace(self, only: frozenset[str] | None) -> Document:
        rules = [rule for rule in self.rules if only is None or rule.id in only]
        for rule in rules:
            self.cited.update(dict.fromkeys(rule.cites))
        told = {fact for fact, d in self.rulebook.derivations.items() if only is None or only.intersection(d.rules)}
        return {
            "rulebook": {"version": self.rulebook.version, "released": self.rulebook.released, "digest": self.rulebook.digest},
            "date": self.evaluation.date,
            "facts": self._facts(),
            "assumptions": self._assumptions(),
            "derived": [self._derived(path) for path in self.vocabulary.facts if path in self.second.derived and path in told],
            "conclusions": self._conclusions(only),
            "candidates": [self._figures()] if self.evaluation.has_candidate else [],
            "rules": [self._rule(rule) | self._requires(rule) for rule in rules],
            **self._register(),
        }

    def _register(self) -> Document:
        """The claims that were cited, and the sources that they stand in."""
        register = self.rulebook.register
        claims = {c: register.claims[c] for c in sorted(self.cited)}
        return {
            "claims": {c.id: {"source": c.source, "place": c.place, "says": {"en": c.says.en, "zh": c.says.zh}, "derived": c.derived} for c in claims.values()},
            "sources": {
                s: {"title": {"en": x.title.en, "zh": x.title.zh}, "url": x.url, "interest": x.interest}
                for s, x in register.sources.items()
                if s in {c.source for c in claims.values()}
            },
        }

    # ------------------------------------------------------------ facts

    def _facts(self) -> list[Document]:
        found: list[Document] = []
        for fact in self.evaluation.facts.given.values():
            catalog = self.rulebook.catalogs["model" if fact.path.startswith("model.") or fact.via == "model.name" else "card"]
            entry: Document = {
                "path": fact.path,
                "title": _both(self.vocabulary.facts[fact.path].title),
                "value": wording.encoded(fact.value),
                "shown": wording.fact(self.vocabulary, fact.path, fact.value),
                "origin": fact.origin,
                "text": fact.text,
            }
            if fact.place is not None and fact.place.line:
                entry["place"] = {"line": fact.place.line, "column": fact.place.column}
            if fact.via:
                entry |= {"via": fact.via, "confidence": fact.confidence}
                priced = self.rulebook.prices.sources
                entry["sources"] = [priced.get(s) or str(catalog.sources.get(s, {}).get("where", s)) for s in fact.sources]
            found.append(entry)
        return found

    def _assumptions(self) -> list[Document]:
        return [
            {"fact": a.fact, "value": wording.encoded(a.value), "shown": wording.fact(self.vocabulary, a.fact, a.value), "rule": a.rule}
            for a in self.evaluation.assumptions
        ]

    def _unrecognized(self) -> Document:
        """Names that the catalogue lacks, where there are any."""
        names = [{"fact": n.path, "text": n.text, "nearest": list(n.nearest)} for n in self.evaluation.facts.unrecognized]
        return {"unrecognized": names} if names else {}

    def _not_applicable(self) -> Document:
        """Stated facts that mean nothing here, where there are any."""
        facts = [{"fact": fact, "unless": unless} for fact, unless in coverage.not_applicable(self.evaluation)]
        return {"not_applicable": facts} if facts else {}

    def _derived(self, path: str) -> Document:
        given, assuming = self.first.derived.get(path), self.second.derived[path]
        assert given is not None
        entry: Document = {"fact": path, "title": _both(self.vocabulary.facts[path].title), **self._value(given, self.first)}
        if given != assuming:
            entry["assuming"] = self._value(assuming, self.second)
        return entry

    def _value(self, derived: Derived, run: Run) -> Document:
        entry: Document = {
            "value": wording.encoded(derived.used),
            "shown": wording.derived(run, derived.fact, derived.used),
            "alternatives": [self._alternative(derived.fact, a) for a in derived.alternatives],
            "open": derived.open,
        }
        if derived.aside:
            entry["set_aside"] = [self._alternative(derived.fact, a) for a in derived.aside]
        if derived.pinned is not None:
            entry["computed"] = {"value": wording.encoded(derived.value), "shown": wording.fact(self.vocabulary, derived.fact, derived.value)}
            entry["disagrees"] = _apart(derived.value, derived.pinned)
        undefined = [a.rule for a in derived.alternatives if coverage.undefined(run, derived.fact, a)]
        if undefined:
            entry["undefined"] = undefined
        if wide(derived.used):
            entry["causes"] = list(run.value_causes(derived.fact))
            entry["needs"] = list(change.askable(self.evaluation, run, run.value_causes(derived.fact)))
        return entry

    def _alternative(self, fact: str, alternative: Alternative) -> Document:
        rule = self.rulebook.rules[alternative.rule]
        return {
            "rule": rule.id,
            "title": _both(rule.title),
            "truth": str(alternative.truth),
            "confidence": rule.confidence,
            "value": wording.encoded(alternative.value),
            "shown": wording.fact(self.vocabulary, fact, alternative.value),
            **_expression(rule, fact, alternative.value),
        }

    # ------------------------------------------------------------ conclusions

    def _conclusions(self, only: frozenset[str] | None = None) -> list[Document]:
        """Advice that stands or may stand, and requirements that candidate 0 fails or may fail; gravest first."""
        found: list[Document] = []
        for rule in (rule for rule in self.rules if only is None or rule.id in only):
            before, after = self.first.stands(rule.id), self.second.stands(rule.id)
            for item in rule.then:
                if isinstance(item, Advise) and change.standing(before, after):
                    advice: Document = {"kind": "advise", "topic": item.topic, "level": item.level, "action": item.action}
                    advice |= {"topic_title": _both(self.vocabulary.topics[item.topic]), "action_title": _both(self.vocabulary.actions[item.action])}
                    if item.action in DOUBTED:
                        advice["places"] = [
                            {"fact": fact, "line": place.line, "column": place.column, **({"via": via} if via else {})}
                            for fact, via, place in coverage.places(self.evaluation, rule)
                        ]
                    causes = self.first.stand_causes(rule.id)
                    found.append({**advice, **self._said(rule, before, after, causes, self.second.stand_causes(rule.id))})
            if any(isinstance(item, Require) for item in rule.then):
                fails = Truth(2 - self.first.accepts(rule.id)), Truth(2 - self.second.accepts(rule.id))
                if change.standing(*fails):
                    causes = self.first.accept_causes(rule.id)
                    found.append({"kind": "require", **self._said(rule, *fails, causes, self.second.accept_causes(rule.id))})
        return found

    def _said(self, rule: Rule, before: Truth, after: Truth, causes: Iterable[str], later: Iterable[str]) -> Document:
        """Who says it, how surely, and in which words. `causes` settle it, `later` those left once the assumptions are made."""
        state = change.standing(before, after)
        run = self.first if state == "without_assumptions" else self.second
        assumed = [a.fact for a in self.evaluation.assumptions]
        behind = set(causes) | {c for name in causes for c in candidates.cause(name)}
        texts = {language: wording.text(rule.because[language], rule, run, language) for language in wording.LANGUAGES}
        entry: Document = {
            "rule": rule.id,
            "version": rule.version,
            "title": _both(rule.title),
            "state": state,
            "confidence": rule.confidence,
            "text": texts,
            "cites": list(rule.cites),
            "causes": list(causes),
            "needs": list(change.askable(self.evaluation, self.first, causes)),
        }
        if state in ("assuming", "without_assumptions"):
            entry["assuming"] = [f for f in assumed if f in behind] or assumed
        if state == "certain" and texts["en"] != wording.text(rule.because["en"], rule, self.first, "en"):
            entry["figures_assume"] = assumed
        if state == "depends":
            needs = change.askable(self.evaluation, self.second, later)
            entry["needs"] = list(needs)
            entry["tight"] = not entry["needs"]
        return entry

    # ------------------------------------------------------------ candidate, questions, conflicts, rules

    def _figures(self) -> Document:
        """The figures of the machine at hand that are no results of rules."""
        figures = [p for p in self.vocabulary.facts if p.startswith("candidate.") and self.vocabulary.facts[p].kind == "choice"]
        shown = {p: wording.fact(self.vocabulary, p, self.second.value(p)) for p in figures}
        return {"figures": {p: {"value": wording.encoded(self.second.value(p)), "shown": shown[p]} for p in figures}}

    def _candidate(self) -> Document:
        requirements = []
        for rule_id in self.evaluation.requirements:
            before, after = self.first.accepts(rule_id), self.second.accepts(rule_id)
            causes = change.askable(self.evaluation, self.first, self.first.accept_causes(rule_id))
            requirements.append({"rule": rule_id, "met": str(before), "met_assuming": str(after), "needs": list(causes)})
        return {
            "index": 0,
            "stated": True,
            **self._figures(),
            "verdict": _VERDICTS[self.evaluation.accepted(self.first)],
            "verdict_assuming": _VERDICTS[self.evaluation.accepted(self.second)],
            "requirements": requirements,
            "estimate": estimate.document(self.evaluation, self.second) if self.evaluation.sized else [],
        }

    def _question(self, question: change.Question) -> Document:
        definition = self.vocabulary.facts[question.fact]
        obtain = definition.obtain
        return {
            "fact": question.fact,
            "title": _both(definition.title),
            "command": definition.command,
            "obtain": _both(obtain) if obtain else {"en": "", "zh": ""},
            "cost": definition.cost,
            "asked_by": list(question.asked_by),
            "settles": list(question.settles),
            "settles_verdict": question.verdict,
            "now": wording.fact(self.vocabulary, question.fact, self.first.value(question.fact)),
        }

    def _conflicts(self) -> list[Document]:
        found = []
        for meeting in conflict.met(self.evaluation):
            registered = meeting.conflict
            self.cited.update(dict.fromkeys(c for c in registered.between if c in self.rulebook.register.claims))
            other = conflict.other_side(self.evaluation, meeting)
            found.append(
                {
                    **({"other_side": other} if other is not None else {}),
                    "id": registered.id,
                    "kind": registered.kind,
                    "between": list(registered.between),
                    "met": str(meeting.truth),
                    "rules": [{"claim": c, "rule": r} for c, r in meeting.rules],
                    "about": _both(registered.about),
                    "holds": _both(registered.holds),
                }
            )
        return found

    def _rule(self, rule: Rule) -> Document:
        before, after = self.first.truths[rule.id], self.second.truths[rule.id]
        entry: Document = {
            "id": rule.id,
            "version": rule.version,
            "title": _both(rule.title),
            "stratum": rule.for_each or "workload",
            "advises": any(isinstance(c, Advise | Require) for c in rule.then),
            "truth": str(before),
            "truth_assuming": str(after),
            "stands": str(self.first.stands(rule.id)),
            "stands_assuming": str(self.second.stands(rule.id)),
            "needs": [{"fact": f, "known": self.first.knows([f])} for f in rule.needs],
            "conditions": self._atoms(rule, self.evaluation.program.procedures[rule.id].condition),
            "cites": list(rule.cites),
        }
        if DEPENDS in (before, after):
            entry["causes"] = list(self.first.causes(rule.id))
        overriders = [o for o in self.second.overriders(rule.id) if self.second.truths.get(o, NO) is not NO]
        if overriders:
            entry["overridden_by"] = overriders
        return entry

    def _requires(self, rule: Rule) -> Document:
        """What a rule requires, each with the comparisons in it; nothing where it requires nothing."""
        conditions = self.evaluation.program.procedures[rule.id].requires
        found = [{"text": syntax.show(condition.tree), "conditions": self._atoms(rule, condition)} for condition in conditions]
        return {"requires": found} if found else {}

    def _atoms(self, rule: Rule, condition: Condition | None) -> list[Document]:
        return [] if condition is None else [self._atom(rule, atom) for atom in condition.atoms()]

    def _atom(self, rule: Rule, atom: Atom) -> Document:
        """One comparison. Where it reads facts alone it is the same in every rule, and written once."""
        if any(name not in self.vocabulary.facts for name, _ in atom.reads):
            return self._compared(rule, atom)
        if atom.tree not in self.written:
            self.written[atom.tree] = self._compared(rule, atom)
        return dict(self.written[atom.tree])

    def _compared(self, rule: Rule, atom: Atom) -> Document:
        left, right = _sides(atom.tree)
        entry: Document = {"text": syntax.show(atom.tree), "truth": str(Truth(atom.truth(self.first.values)))}
        for name, tree, function in (("left", left, atom.left), ("right", right, atom.right)):
            if function is not None and tree is not None:
                value = function(self.first.values)
                shown = {language: wording.side(tree, value, rule, self.first, language) for language in wording.LANGUAGES}
                entry[name] = {"text": syntax.show(tree), "value": wording.encoded(value), "shown": shown}
        after = str(Truth(atom.truth(self.second.values)))
        if after != entry["truth"]:
            entry["truth_assuming"] = after
        return entry


def _expression(rule: Rule, fact: str, value: Value) -> Document:
    """What a rule computes a number from, as written; nothing where it names a value."""
    if isinstance(value, Interval):
        for item in rule.then:
            if isinstance(item, Derive | Assume) and item.fact == fact and item.expression is not None:
                return {"expression": syntax.show(item.expression.tree)}
    return {}


def _apart(a: Value, b: Value) -> bool:
    """Whether a stated value and a computed one have nothing in common."""
    if isinstance(a, Interval) and isinstance(b, Interval):
        return intersection(a, b) is None
    return isinstance(a, frozenset) and isinstance(b, frozenset) and not a & b


_VERDICTS: Mapping[Truth, str] = {YES: "accepted", NO: "rejected", DEPENDS: "undecided"}


def _sides(tree: syntax.Node) -> tuple[syntax.Node, syntax.Node | None]:
    match tree:
        case syntax.Comparison(_, left, right):
            if isinstance(left, syntax.Text):
                return right, None
            return left, None if isinstance(right, syntax.Text) else right
        case syntax.Membership(subject, _, _):
            return subject, None
        case syntax.Call(_, (a, b)):
            return a, b
    return tree, None


def _both(text: Any) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}
