"""Checks across a rulebook: names, types and units of every expression, citations, orders and proofs. All faults at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpurules.engine.knowledge import order, statement
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.cells import Cells, Premise
from gpurules.engine.knowledge.claims import Register
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.rule import Advise, Ask, Assume, Derive, Expression, Parameter, Prefer, Require, Rule, Step
from gpurules.engine.knowledge.vocabulary import Definition, Vocabulary
from gpurules.engine.language import syntax, typecheck
from gpurules.engine.language.syntax import SyntaxFault
from gpurules.engine.language.typecheck import NumberType, Scope, TableType, TruthType, Type
from gpurules.engine.values import interval, unit
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean

ANY = "any"
"""In a table's key: every member."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one fact is derived: its rules strongest first, and whether some rule holds in every case.

    A `shadowed` rule never decides: wherever it holds, a stronger one does. It is kept to be shown beside the others.
    """

    fact: str
    rules: tuple[str, ...]
    exhaustive: bool
    combine: str
    shadowed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Orders:
    """How each derived fact comes about, and for each running rule the rules that it overrides, directly or through others."""

    derivations: Mapping[str, Derivation]
    overrides: Mapping[str, frozenset[str]]
    above: Mapping[str, frozenset[str]]
    overriders: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, derivations: Mapping[str, Derivation], overrides: Mapping[str, frozenset[str]]) -> Orders:
        overriders: dict[str, list[str]] = {}
        for rule, over in overrides.items():
            for other in sorted(over):
                overriders.setdefault(other, []).append(rule)
        return cls(derivations, overrides, order.reach(overrides), {k: tuple(v) for k, v in overriders.items()})

    def reversed(self, winners: frozenset[str], losers: frozenset[str]) -> Orders:
        """The same orders with every edge from a winner to a loser turned round, as the other side of a conflict has it."""
        overrides = {rule: over - losers if rule in winners else over for rule, over in self.overrides.items()}
        for loser in losers & overrides.keys():
            overrides[loser] |= {w for w in winners if loser in self.overrides.get(w, ())}
        derivations = {}
        for fact, derivation in self.derivations.items():
            moved = losers & set(derivation.rules) if winners & set(derivation.rules) else frozenset[str]()
            rest = [r for r in derivation.rules if r not in moved]
            at = min((i for i, r in enumerate(rest) if r in winners), default=0)
            rules = (*rest[:at], *(r for r in derivation.rules if r in moved), *rest[at:]) if moved else derivation.rules
            derivations[fact] = replace(derivation, rules=rules, shadowed=derivation.shadowed - moved)
        return Orders.of(derivations, overrides if not order.cycle(overrides) else self.overrides)


def check(rules: Mapping[str, Rule], vocabulary: Vocabulary, register: Register, catalogs: Mapping[str, Catalog]) -> tuple[Orders, list[Problem]]:
    """The orders among the rules, and every fault of the rules taken together."""
    linter = _Linter(rules, vocabulary, register, catalogs)
    for rule in rules.values():
        linter.rule(rule)
    return linter.order(), linter.problems


def rule_scope(rule: Rule, vocabulary: Vocabulary) -> dict[str, Type]:
    """Every name a rule may use: facts (candidate.* only where it runs for each candidate) and its own parameters."""
    scope = dict(vocabulary.scope)
    scope.update({name: parameter_type(p, vocabulary) for name, p in rule.parameters.items()})
    return scope


def parameter_type(parameter: Parameter, vocabulary: Vocabulary) -> Type:
    if parameter.rows:
        keys = tuple(tuple(vocabulary.facts[k].members) for k in parameter.keys if k in vocabulary.facts)
        return TableType(keys, NumberType(parameter.dimension, interval.hull(*(r.value for r in parameter.rows))))
    return NumberType(parameter.dimension, interval.hull(*(v.value for v in parameter.values)) if parameter.values else Interval(0.0, 0.0))


def table_rows(parameter: Parameter, vocabulary: Vocabulary) -> Iterable[tuple[tuple[str, ...], int]]:
    """Every combination of members that each row of a table stands for, with the row's number."""
    for number, row in enumerate(parameter.rows):
        members = [tuple(vocabulary.facts[k].members) if part == (ANY,) else part for k, part in zip(parameter.keys, row.key, strict=True)]
        for combination in itertools.product(*members):
            yield combination, number


class _Linter:
    def __init__(self, rules: Mapping[str, Rule], vocabulary: Vocabulary, register: Register, catalogs: Mapping[str, Catalog]) -> None:
        self.rules, self.vocabulary, self.register, self.catalogs = rules, vocabulary, register, catalogs
        self.problems: list[Problem] = []

    def problem(self, place: Place, code: str, message: str, mend: str) -> None:
        self.problems.append(Problem(place, code, message, mend))

    # ------------------------------------------------------------ one rule

    def rule(self, rule: Rule) -> None:
        if not rule.place.file.rsplit("/", 1)[-1].startswith(f"{rule.id}-"):
            self.problem(rule.where("id"), "GR403", f"rule {rule.id} stands in a file of another name", f"call the file {rule.id}-<slug>.yaml")
        self._citations(rule)
        scope = rule_scope(rule, self.vocabulary)
        used: set[str] = set()
        for parameter in rule.parameters.values():
            self._parameter(parameter)
        for expression in rule.conditions:
            self._expression(rule, expression, scope, TruthType, used)
        for conclusion in rule.then:
            match conclusion:
                case Derive() | Assume():
                    self._value(rule, conclusion, scope, used)
                case Advise():
                    self._advice(conclusion)
                case Ask(fact, place):
                    self._observed("asks for", self._fact(fact, place), place)
                case Require(condition, place):
                    self._candidate_only(rule, place, "require")
                    self._expression(rule, condition, scope, TruthType, used)
                case Prefer(figure, _, _, place):
                    self._candidate_only(rule, place, "prefer")
                    self._expression(rule, figure, scope, NumberType, used)
                case Step():
                    self._step(conclusion)
        self._texts(rule, scope, used)
        self._needs(rule)
        for name, parameter in rule.parameters.items():
            if name not in used:
                self.problem(parameter.place, "GR414", f"parameter '{name}' is used nowhere", "use it, or remove it")

    def _citations(self, rule: Rule) -> None:
        known = self.register.claims
        cited = [(c, rule.where("cites", i)) for i, c in enumerate(rule.cites)]
        for name, parameter in rule.parameters.items():
            cited += [(c, rule.where("parameters", name, "cites", i)) for i, c in enumerate(parameter.cites)]
            cited += [(c, row.place) for row in parameter.rows for c in row.cites]
        for claim, place in cited:
            if claim not in known:
                self.problem(place, "GR404", f"cites unknown claim '{claim}'", did_you_mean(claim, known, "claims stand in catalogs/claims.yaml"))

    def _fact(self, fact: str, place: Place) -> Definition | None:
        found = self.vocabulary.facts.get(fact)
        if found is None:
            self.problem(place, "GR101", f"unknown fact '{fact}'", did_you_mean(fact, self.vocabulary.facts, "facts are listed in schemas/vocabulary"))
        return found

    def _candidate_only(self, rule: Rule, place: Place, what: str) -> None:
        if rule.for_each != "candidate":
            self.problem(place, "GR415", f"'{what}' stands in a rule about the workload", "add for_each: candidate")

    def _expression(
        self,
        rule: Rule,
        expression: Expression,
        scope: Scope,
        wanted: type[TruthType] | type[NumberType],
        used: set[str],
        dimension: unit.Dimension | None = None,
    ) -> None:
        found, faults = typecheck.check(expression.tree, scope, wanted)
        for fault in faults:
            self.problem(expression.source.at(fault.span[0]), fault.code, fault.message, fault.mend)
        names = syntax.names(expression.tree)
        used.update(names)
        for node in syntax.walk(expression.tree):
            if isinstance(node, syntax.Name) and node.path.startswith("candidate.") and node.path in scope and rule.for_each != "candidate":
                place = expression.source.at(node.span[0])
                self.problem(place, "GR415", f"'{node.path}' stands in a rule about the workload", "add for_each: candidate, or use gpu.*")
        if dimension is not None and isinstance(found, NumberType) and found is not typecheck.ANY_ZERO and found.dimension != dimension:
            message = f"gives {unit.describe(found.dimension)}, where {unit.describe(dimension)} is wanted"
            self.problem(expression.source.place, "GR105", message, "bring it to the fact's unit")

    def _value(self, rule: Rule, conclusion: Derive | Assume, scope: Scope, used: set[str]) -> None:
        definition = self._fact(conclusion.fact, conclusion.place)
        if definition is None:
            return
        if isinstance(conclusion, Assume):
            self._observed("assumes", definition, conclusion.place)
        else:
            if definition.kind != "derived":
                self.problem(
                    conclusion.place, "GR410", f"'{conclusion.fact}' is {definition.kind}, not derived", "derive a fact of kind derived, or assume: it"
                )
            if conclusion.fact.startswith("candidate.") != (rule.for_each == "candidate"):
                mend = "candidate.* is derived by rules with for_each: candidate, everything else by rules without"
                self.problem(conclusion.place, "GR415", f"'{conclusion.fact}' is derived in the wrong stratum", mend)
        if definition.number:
            if conclusion.expression is None:
                self._no_expression(conclusion.node)
            else:
                self._expression(rule, conclusion.expression, scope, NumberType, used, definition.unit.dimension)
            return
        try:
            statement.read(definition, conclusion.node, self.catalogs)
        except GpurulesError as error:
            self.problems.extend(error.problems)

    def _observed(self, verb: str, definition: Definition | None, place: Place) -> None:
        if definition is not None and definition.kind != "observed":
            self.problem(place, "GR410", f"{verb} '{definition.path}', which nobody states", "name a fact of kind observed; `gpurules facts` lists them")

    def _no_expression(self, node: Node) -> None:
        try:
            syntax.parse(node.text if isinstance(node, Scalar) else "")
        except SyntaxFault as fault:
            place = node.at(fault.offset) if isinstance(node, Scalar) else node.place
            self.problem(place, "GR100", fault.message if isinstance(node, Scalar) else "not an expression", fault.mend)

    def _step(self, step: Step) -> None:
        for fact, node in step.settings.items():
            definition = self._fact(fact, step.places[fact])
            self._observed("sets", definition, step.places[fact])
            if definition is not None:
                try:
                    statement.read(definition, node, self.catalogs)
                except GpurulesError as error:
                    self.problems.extend(error.problems)

    def _advice(self, advice: Advise) -> None:
        for kind, word, known in (("topic", advice.topic, self.vocabulary.topics), ("action", advice.action, self.vocabulary.actions)):
            if word not in known:
                mend = did_you_mean(word, known, f"{kind}s are listed in schemas/vocabulary/advice.yaml")
                self.problem(advice.places[kind], "GR405", f"unknown {kind} '{word}'", mend)

    def _texts(self, rule: Rule, scope: Scope, used: set[str]) -> None:
        for template in rule.because.values():
            for figure in template.figures:
                names = syntax.names(figure.tree)
                used.update(names)
                if isinstance(figure.tree, syntax.Name):
                    if figure.tree.path not in scope:
                        mend = did_you_mean(figure.tree.path, scope, "facts are listed in schemas/vocabulary")
                        place = template.source.at(figure.offset + figure.tree.span[0])
                        self.problem(place, "GR101", f"unknown fact or parameter '{figure.tree.path}' in the text", mend)
                    continue
                for fault in typecheck.check(figure.tree, scope, NumberType)[1]:
                    self.problem(template.source.at(figure.offset + fault.span[0]), fault.code, fault.message, fault.mend)

    def _needs(self, rule: Rule) -> None:
        for index, fact in enumerate(rule.needs):
            definition = self._fact(fact, rule.where("needs", index))
            if definition is not None and definition.kind != "observed":
                mend = "name the given facts that it is derived from" if definition.kind == "derived" else "name gpu.*, interconnect.* or parallel.*"
                self.problem(rule.where("needs", index), "GR411", f"needs names '{fact}', which nobody states", mend)

    def _parameter(self, parameter: Parameter) -> None:
        if not parameter.since and not all(v.since for v in parameter.values):
            self.problem(parameter.place, "GR413", f"parameter '{parameter.name}' has no date", "add since: with the day from which it holds")
        for fact in parameter.keys:
            definition = self._fact(fact, parameter.place)
            if definition is not None and definition.number:
                self.problem(parameter.place, "GR418", f"key '{fact}' of table '{parameter.name}' is a number", "keys are facts of an enumeration")
                return
            if definition is None:
                return
        self._table(parameter)

    def _table(self, parameter: Parameter) -> None:
        seen: dict[tuple[str, ...], int] = {}
        for row in parameter.rows:
            if len(row.key) != len(parameter.keys):
                self.problem(
                    row.place, "GR418", f"a row of '{parameter.name}' has {len(row.key)} keys, not {len(parameter.keys)}", "give one part for each key"
                )
                return
            for fact, part in zip(parameter.keys, row.key, strict=True):
                members = self.vocabulary.facts[fact].members
                for member in part:
                    if member not in members and part != (ANY,):
                        self.problem(row.place, "GR110", f"'{member}' is not a member of '{fact}'", did_you_mean(member, members, "or write any"))
                        return
        for combination, number in table_rows(parameter, self.vocabulary):
            if combination in seen:
                other = parameter.rows[seen[combination]].place.line
                self.problem(parameter.rows[number].place, "GR418", f"{' × '.join(combination)} also stands at line {other}", "give each case one row")
                return
            seen[combination] = number
        if parameter.rows:
            for combination in itertools.product(*(self.vocabulary.facts[k].members for k in parameter.keys)):
                if combination not in seen:
                    self.problem(parameter.place, "GR418", f"table '{parameter.name}' has no row for {' × '.join(combination)}", "add the row, or one with any")
                    return

    # ------------------------------------------------------------ the rules together

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
                for conclusion in rule.then:
                    if isinstance(conclusion, kind) and conclusion.fact in self.vocabulary.facts:
                        groups.setdefault(conclusion.fact, []).append((rule, conclusion))
            for fact, group in sorted(groups.items()):
                found = self._group(fact, group, above, kind is Assume)
                if kind is Derive:
                    derivations[fact] = found
        self._cycles(running, derivations)
        self._requirements(running, derivations)
        return Orders.of(derivations, overrides)

    def _group(self, fact: str, group: list[tuple[Rule, Derive | Assume]], above: Mapping[str, frozenset[str]], assume: bool) -> Derivation:
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
