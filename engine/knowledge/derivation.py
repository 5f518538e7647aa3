"""How the rules of a rulebook stand to one another: who derives what, who comes first, and what is proven of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpurules.engine.knowledge import order
from gpurules.engine.knowledge.cells import Cells, Premise
from gpurules.engine.knowledge.order import Derivation, Orders
from gpurules.engine.knowledge.rule import Assume, Derive, Prefer, Require, Rule, Step
from gpurules.engine.knowledge.vocabulary import Vocabulary
from gpurules.engine.language import aggregate, syntax
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import Place, Problem, did_you_mean


def check(rules: Mapping[str, Rule], vocabulary: Vocabulary) -> tuple[Orders, list[Problem]]:
    """The orders among the running rules, and every fault of the rules taken together."""
    checker = _Checker(rules, vocabulary)
    return checker.order(), checker.problems


@dataclass(frozen=True, slots=True)
class Regrouping:
    """What is proven of some derived facts with other figures in the rules' conditions. `agree` is False where two rules would then
    derive a fact with nothing to say which holds."""

    orders: Orders
    agree: bool


class Groups:
    """The rules that derive or assume some facts, for making the proofs about them again with other figures."""

    def __init__(self, rules: Mapping[str, Rule], vocabulary: Vocabulary, orders: Orders, facts: Iterable[str]) -> None:
        self.vocabulary, self.orders, wanted = vocabulary, orders, frozenset(facts)
        self.groups: dict[tuple[type[Derive | Assume], str], list[tuple[str, Derive | Assume]]] = {}
        for rule in rules.values():
            for conclusion in rule.then if rule.running else ():
                if isinstance(conclusion, Derive | Assume) and conclusion.fact in wanted:
                    self.groups.setdefault((type(conclusion), conclusion.fact), []).append((rule.id, conclusion))

    def shape(self, rules: Mapping[str, Rule]) -> tuple[object, ...]:
        """How the thresholds of the rules' conditions lie to one another: while that stays as it is, so do the proofs."""
        return tuple(Cells([Premise(rules[r].when, _figures(rules[r])) for r, _ in group], self.vocabulary.scope).shape for group in self.groups.values())

    def regrouped(self, rules: Mapping[str, Rule]) -> Regrouping:
        """The orders with the proofs made again."""
        checker, derivations = _Checker(rules, self.vocabulary), dict(self.orders.derivations)
        for (kind, fact), group in self.groups.items():
            found = checker.group(fact, [(rules[r], c) for r, c in group], self.orders.above, kind is Assume)
            if kind is Derive:
                derivations[fact] = found
        return Regrouping(replace(self.orders, derivations=derivations), not checker.problems)


class _Checker:
    def __init__(self, rules: Mapping[str, Rule], vocabulary: Vocabulary) -> None:
        self.rules, self.vocabulary = rules, vocabulary
        self.problems: list[Problem] = []

    def problem(self, place: Place, code: str, message: str, mend: str) -> None:
        self.problems.append(Problem(place, code, message, mend))

    def order(self) -> Orders:
        running = {r.id: r for r in self.rules.values() if r.running}
        overrides = {r.id: frozenset(o for o in r.overrides if o in running) for r in running.values()}
        for rule in self.rules.values():
            for index, other in enumerate(rule.overrides):
                if other not in self.rules:
                    mend = did_you_mean(other, self.rules, "name the id of a rule")
                    self.problem(rule.where("overrides", index), "GR406", f"overrides unknown rule '{other}'", mend)
                elif other in running and rule.for_each and not running[other].for_each:
                    mend = "a workload rule is settled before candidates are looked at"
                    self.problem(rule.where("overrides", index), "GR406", f"a candidate rule overrides workload rule {other}", mend)
        ring = order.cycle(overrides)
        if ring:
            place = self.rules[ring[0]].where("overrides")
            self.problem(place, "GR406", f"rules override each other in a ring: {' → '.join((*ring, ring[0]))}", "remove one of the overrides")
            return Orders.of({}, {})
        above = order.reach({k: overrides.get(k, frozenset()) for k in running})
        derivations: dict[str, Derivation] = {}
        for kind in (Derive, Assume):
            groups: dict[str, list[tuple[Rule, Derive | Assume]]] = {}
            for rule in running.values():
                for conclusion in self._once(rule, kind):
                    groups.setdefault(conclusion.fact, []).append((rule, conclusion))
            for fact, group in sorted(groups.items()):
                found = self.group(fact, group, above, kind is Assume)
                if kind is Derive:
                    derivations[fact] = found
        self._cycles(running, derivations)
        self._requirements(running, derivations)
        self._together(running, derivations)
        return Orders.of(derivations, overrides)

    def _once(self, rule: Rule, kind: type[Derive] | type[Assume]) -> Iterable[Derive | Assume]:
        """What a rule derives or assumes, fact by fact; that it does so twice of one is told once of each."""
        found: dict[str, Derive | Assume] = {}
        repeated: dict[str, Derive | Assume] = {}
        for conclusion in rule.then:
            if not isinstance(conclusion, kind) or conclusion.fact not in self.vocabulary.facts:
                continue
            if found.setdefault(conclusion.fact, conclusion) is not conclusion:
                repeated.setdefault(conclusion.fact, conclusion)
        code, verb = ("GR409", "assumes") if kind is Assume else ("GR408", "derives")
        for fact, again in repeated.items():
            self.problem(again.place, code, f"{rule.id} {verb} '{fact}' more than once", "keep one of them, and put what holds otherwise in a rule of its own")
        return found.values()

    def group(self, fact: str, group: list[tuple[Rule, Derive | Assume]], above: Mapping[str, frozenset[str]], assume: bool) -> Derivation:
        rules = [rule for rule, _ in group]
        combine = self.vocabulary.facts[fact].combine
        cells = Cells([Premise(r.when, _figures(r)) for r in rules], self.vocabulary.scope)
        for i, j in itertools.combinations(range(len(rules)), 2):
            a, b = rules[i], rules[j]
            ordered = b.id in above[a.id] or a.id in above[b.id]
            if not ordered and not combine and not cells.disjoint(i, j):
                code, verb = ("GR409", "assume") if assume else ("GR408", "derive")
                self.problem(
                    group[j][1].place,
                    code,
                    f"{a.id} and {b.id} both {verb} '{fact}', and nothing says which holds where both apply",
                    f"add overrides: [{a.id}] to {b.id} (or the reverse), or make their conditions exclude each other",
                )
        unconditional = Cells([Premise(r.when, _figures(r)) for r in rules if not r.needs], self.vocabulary.scope)
        shadowed = frozenset() if combine else self._shadowed(rules, cells, above)
        return Derivation(fact, order.chain((r.id for r in rules), above), not combine and unconditional.exhaustive(), combine, shadowed)

    def _shadowed(self, rules: Sequence[Rule], cells: Cells, above: Mapping[str, frozenset[str]]) -> frozenset[str]:
        found: set[str] = set()
        for index, rule in enumerate(rules):
            stronger = [i for i, other in enumerate(rules) if rule.id in above[other.id] and not other.needs]
            if cells.covered(index, stronger):
                found.add(rule.id)
        return frozenset(found)

    def _cycles(self, running: Mapping[str, Rule], derivations: Mapping[str, Derivation]) -> None:
        edges: dict[str, set[str]] = {}
        for derivation in derivations.values():
            reads = edges.setdefault(derivation.fact, set())
            for rule_id in derivation.rules:
                rule = running[rule_id]
                reads |= {n for n in reads_of(rule, derivation.fact) if n in derivations}
        ring = order.cycle(edges)
        if ring:
            rule = running[derivations[ring[0]].rules[0]]
            self.problem(
                next(c.place for c in rule.then if isinstance(c, Derive) and c.fact == ring[0]),
                "GR407",
                f"derived facts go round in a circle: {' ← '.join((*ring, ring[0]))}",
                "derive one of them from given facts",
            )

    def _together(self, running: Mapping[str, Rule], derivations: Mapping[str, Derivation]) -> None:
        """What is said of all machines together comes after them: it may be told and derived from, and no machine hangs on it."""
        after = self._after(running, derivations)
        mend = "derive it in a rule about the workload that looks at no machine"
        for rule in running.values():
            own = aggregate.names(rule.trees)
            when = () if rule.when is None else syntax.names(rule.when)
            if rule.for_each and own:
                place = rule.where("then" if rule.when is None else "when")
                self.problem(place, "GR423", f"'{own[0]}' looks at all machines, in a rule about one", "leave out for_each:, and advise")
            derived = dict.fromkeys(c.fact for c in rule.then if isinstance(c, Derive))
            read = {n for fact in derived for n in reads_of(rule, fact)} | {*when}
            if rule.for_each:
                required = [c.condition.tree if isinstance(c, Require) else c.figure.tree for c in rule.then if isinstance(c, Require | Prefer)]
                hanging = sorted((read | {n for tree in required for n in syntax.names(tree)}) & after)
                if hanging:
                    self.problem(rule.where("when"), "GR423", f"'{hanging[0]}' hangs on all machines together, and this machine on it", mend)
            elif any(aggregate.is_one(n) or n in after for n in when):
                for index, conclusion in enumerate(rule.then):
                    if isinstance(conclusion, Assume | Step):
                        hangs = "machines are judged on what is assumed and set, and this hangs on them"
                        self.problem(rule.where("then", index), "GR423", hangs, "advise only")
                for index, other in enumerate(rule.overrides):
                    if other in running and running[other].for_each:
                        self.problem(rule.where("overrides", index), "GR423", f"rule {other} is about one machine, and this looks at all", mend)

    def _after(self, running: Mapping[str, Rule], derivations: Mapping[str, Derivation]) -> frozenset[str]:
        """The derived facts that hang on what is said of all machines together."""
        reads = {fact: {n for rule in d.rules for n in reads_of(running[rule], fact)} for fact, d in derivations.items()}
        found: set[str] = set()
        while True:
            more = {fact for fact, names in reads.items() if fact not in found and (names & found or any(aggregate.is_one(n) for n in names))}
            if not more:
                return frozenset(found)
            found |= more

    def _requirements(self, running: Mapping[str, Rule], derivations: Mapping[str, Derivation]) -> None:
        for rule in running.values():
            for conclusion in rule.then:
                if not isinstance(conclusion, Require):
                    continue
                for name in syntax.names(conclusion.condition.tree):
                    derivation = derivations.get(name)
                    if derivation is not None and not derivation.exhaustive:
                        mend = "let its rules cover every case, or a candidate may stay undecided for no reason"
                        self.problem(conclusion.place, "GR416", f"requires '{name}', whose rules ({', '.join(derivation.rules)}) leave cases open", mend)


def reads_of(rule: Rule, fact: str) -> tuple[str, ...]:
    """The names that a rule's derivation of `fact` reads, its condition included."""
    trees = [rule.when] if rule.when is not None else []
    trees += [c.expression.tree for c in rule.then if isinstance(c, Derive | Assume) and c.fact == fact and c.expression is not None]
    return tuple(dict.fromkeys(name for tree in trees for name in syntax.names(tree)))


def _figures(rule: Rule) -> dict[str, Interval]:
    """Parameters that have one value for all time, as the proofs may use them."""
    return {name: p.values[0].value for name, p in rule.parameters.items() if len(p.values) == 1} | {
        name: Interval(0.0, 1.0) for name, p in rule.parameters.items() if len(p.values) != 1
    }
