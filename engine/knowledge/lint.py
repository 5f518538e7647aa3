"""Checks across a rulebook: names, types and units of every expression, citations, orders and proofs. All faults at once."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

from gpurules.engine.knowledge import derivation, statement
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.claims import Register
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Advise, Ask, Assume, Derive, Expression, Parameter, Prefer, Require, Rule, Step
from gpurules.engine.knowledge.scope import ANY, rule_scope, table_rows
from gpurules.engine.knowledge.vocabulary import Definition, Vocabulary
from gpurules.engine.language import syntax, typecheck
from gpurules.engine.language.monotony import range_of
from gpurules.engine.language.syntax import SyntaxFault
from gpurules.engine.language.typecheck import NumberType, Scope, TruthType
from gpurules.engine.values import interval, quantity, unit
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean

MAX_FAULTS, MAX_ATOMS, MAX_ROWS = 100, 500, 20_000
"""Faults of one rule that are listed, comparisons of one rule, and cases of one table: more are a slip, or meant to take long."""


FINALIST = "candidate.finalist"
"""How facts about machines that were chosen begin."""


class _Enough(Exception):
    """The rule has as many faults as are listed."""


def check(rules: Mapping[str, Rule], vocabulary: Vocabulary, register: Register, catalogs: Mapping[str, Catalog]) -> tuple[Orders, list[Problem]]:
    """The orders among the rules, and every fault of the rules taken together."""
    linter = _Linter(rules, vocabulary, register, catalogs)
    for rule in rules.values():
        linter.rule(rule)
    if linter.excessive:  # the proofs over it would take long
        return Orders.of({}, {}), linter.problems
    orders, problems = derivation.check(rules, vocabulary)
    return orders, [*linter.problems, *problems]


class _Linter:
    def __init__(self, rules: Mapping[str, Rule], vocabulary: Vocabulary, register: Register, catalogs: Mapping[str, Catalog]) -> None:
        self.rules, self.vocabulary, self.register, self.catalogs = rules, vocabulary, register, catalogs
        self.problems: list[Problem] = []
        self.most = MAX_FAULTS
        self.excessive = False

    def problem(self, place: Place, code: str, message: str, mend: str) -> None:
        self.problems.append(Problem(place, code, message, mend))
        if len(self.problems) >= self.most:
            raise _Enough

    # ------------------------------------------------------------ one rule

    def rule(self, rule: Rule) -> None:
        self.most = len(self.problems) + MAX_FAULTS
        try:
            self._rule(rule)
        except _Enough:
            place = max(self.problems[self.most - MAX_FAULTS :]).place
            self.problems.append(Problem(place, "GR401", "the rule has more faults than are worth a list", "mend these, and check again"))

    def _rule(self, rule: Rule) -> None:
        if not rule.place.file.rsplit("/", 1)[-1].startswith(f"{rule.id}-"):
            self.problem(rule.where("id"), "GR403", f"rule {rule.id} stands in a file of another name", f"call the file {rule.id}-<slug>.yaml")
        self._citations(rule)
        scope = rule_scope(rule, self.vocabulary)
        used: set[str] = set()
        for parameter in rule.parameters.values():
            self._parameter(parameter)
        atoms = sum(not syntax.connective(node) for expression in rule.conditions for node in _parts(expression.tree))
        if atoms > MAX_ATOMS:
            self.excessive = True
            self.problem(rule.where("when"), "GR401", f"when has {atoms:,} comparisons", f"at most {MAX_ATOMS}; divide the rule, or derive a figure first")
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
                    self._criterion(rule, figure, place)
                case Step():
                    self._step(conclusion)
        self._texts(rule, scope, used)
        self._needs(rule)
        self._finalists(rule)
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

    def _finalists(self, rule: Rule) -> None:
        """What is known of finalists is known once machines were chosen: it may be spoken of, and decides nothing."""
        deciding = [c for c in rule.then if not isinstance(c, Advise | Ask)]
        trees = [e.tree for e in rule.conditions]
        trees += [c.expression.tree for c in deciding if isinstance(c, Derive | Assume) and c.expression is not None]
        trees += [c.condition.tree if isinstance(c, Require) else c.figure.tree for c in deciding if isinstance(c, Require | Prefer)]
        if deciding and any(name.startswith(FINALIST) for tree in trees for name in syntax.names(tree)):
            self.problem(rule.where("then"), "GR422", f"what follows hangs on {FINALIST}…, which is known only of machines already chosen", "advise only")

    def _fact(self, fact: str, place: Place) -> Definition | None:
        found = self.vocabulary.facts.get(fact)
        if found is None:
            self.problem(place, "GR101", f"unknown fact '{fact}'", did_you_mean(fact, self.vocabulary.facts, "facts are listed in schemas/vocabulary"))
        return found

    def _candidate_only(self, rule: Rule, place: Place, what: str) -> None:
        if rule.for_each != "candidate":
            self.problem(place, "GR415", f"'{what}' stands in a rule about the workload", "add for_each: candidate")

    def _criterion(self, rule: Rule, figure: Expression, place: Place) -> None:
        """Candidates are compared by one named figure each, in an order that the load gives and no candidate changes."""
        if rule.for_each != "candidate":
            return
        if not isinstance(figure.tree, syntax.Name) or figure.tree.path in rule.parameters:
            mend = "derive it as a fact candidate.* of its own, with title and step, and prefer that"
            self.problem(figure.source.place, "GR420", "a criterion is no single figure of a candidate", mend)
        if rule.when is not None and any(name.startswith("candidate.") for name in syntax.names(rule.when)):
            self.problem(place, "GR420", "the order of criteria hangs on a candidate", "let when: speak of the workload alone")

    def _expression(
        self,
        rule: Rule,
        expression: Expression,
        scope: Scope,
        wanted: type[TruthType] | type[NumberType],
        used: set[str],
        dimension: unit.Dimension | None = None,
    ) -> bool:
        """Checks one expression; whether it has the wanted type and dimension."""
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
            return False
        return found is not None

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
                sound = self._expression(rule, conclusion.expression, scope, NumberType, used, definition.unit.dimension)
                if sound and isinstance(conclusion, Assume):
                    self._assumed(definition, conclusion.expression, scope)
            return
        self._stated(definition, conclusion.node)

    def _assumed(self, definition: Definition, expression: Expression, scope: Scope) -> None:
        """An assumed number must be one that the fact may have, at least for some facts."""
        ranges = {name: kind.range for name, kind in scope.items() if isinstance(kind, NumberType)}
        found = range_of(expression.tree, ranges)
        if interval.intersection(found, definition.range) is None:
            shown, bounds = (quantity.show(r, definition.unit, definition.share) for r in (found, definition.range))
            self.problem(
                expression.source.place, "GR419", f"assumes {shown} for '{definition.path}', which is within {bounds}", "correct the figure and its unit"
            )

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
            if definition is not None and not self._same_kind(definition, node):
                self._stated(definition, node)

    def _same_kind(self, definition: Definition, node: Node) -> bool:
        """Whether a setting names a fact of the same type and unit, for whose value it stands."""
        other = self.vocabulary.facts.get(node.text) if isinstance(node, Scalar) else None
        return other is not None and (other.type, other.unit.dimension) == (definition.type, definition.unit.dimension)

    def _advice(self, advice: Advise) -> None:
        for kind, word, known in (("topic", advice.topic, self.vocabulary.topics), ("action", advice.action, self.vocabulary.actions)):
            if word not in known:
                mend = did_you_mean(word, known, f"{kind}s are listed in schemas/vocabulary/advice.yaml")
                self.problem(advice.places[kind], "GR405", f"unknown {kind} '{word}'", mend)
        for figure, said in advice.machine.items():
            place, definition = advice.places[f"machine.{figure}"], self._fact(f"candidate.{figure}", advice.places[f"machine.{figure}"])
            for one in said if isinstance(said, list) else [said]:
                if definition is not None:
                    self._stated(definition, Scalar(str(one), "text", place))

    def _stated(self, definition: Definition, node: Node) -> None:
        try:
            statement.read(definition, node, self.catalogs)
        except GpurulesError as error:
            self.problems.extend(error.problems)

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
        size = math.prod(len(self.vocabulary.facts[fact].members) for fact in parameter.keys)
        if size > MAX_ROWS:
            self.problem(parameter.place, "GR418", f"table '{parameter.name}' has {size:,} cases", f"at most {MAX_ROWS:,}; use fewer or shorter keys")
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


def _parts(tree: syntax.Node) -> Iterator[syntax.Node]:
    """A condition and what its connectives join, down to the comparisons."""
    yield tree
    for part in syntax.children(tree) if syntax.connective(tree) else ():
        yield from _parts(part)
