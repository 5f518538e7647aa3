"""The scalar back end: a rulebook compiled to Python functions over one list of values."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.derivation import reads_of
from gpurules.engine.knowledge.rule import Assume, Derive, Parameter, Prefer, Require, Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.scope import parameter_type, table_rows
from gpurules.engine.knowledge.template import Figure
from gpurules.engine.knowledge.vocabulary import Vocabulary
from gpurules.engine.language import aggregate, syntax
from gpurules.engine.language.compile import Compiler, Condition, Function, Scope, Table, Value
from gpurules.engine.language.typecheck import NumberType
from gpurules.engine.values.interval import Interval


@dataclass(frozen=True, slots=True)
class Procedure:
    """One rule, compiled. Numbers are functions of the values list, enumerations are constant sets."""

    rule: Rule
    condition: Condition | None
    derives: Mapping[str, Function | frozenset[str]]
    assumes: Mapping[str, Function | frozenset[str]]
    requires: tuple[Condition, ...]
    prefers: tuple[Function, ...]
    figures: Mapping[Figure, Function]
    scope: Scope
    """Where its local names stand."""
    leaves: Mapping[str, tuple[str, ...]]
    """For each derived or assumed fact, the names that its expression reads."""


@dataclass(frozen=True)
class Program:
    """A compiled rulebook: a slot for every fact and parameter, and a procedure for every running rule."""

    rulebook: Rulebook
    slots: Mapping[str, int]
    procedures: Mapping[str, Procedure]
    parameters: Mapping[str, Parameter] = field(repr=False)
    applies: Mapping[str, Condition] = field(repr=False)
    """When a fact means anything, for those that say so."""
    aggregates: tuple[str, ...] = ()
    """What rules say of all machines together; each has a slot like a fact."""
    _named: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    _fresh: dict[str, list[Value]] = field(default_factory=dict, repr=False, compare=False)

    def whole(self, name: str) -> Value:
        """A fact or an aggregate at its widest."""
        if not aggregate.is_one(name):
            return self.rulebook.vocabulary.facts[name].whole
        _, figure = aggregate.split(name)
        return self.rulebook.vocabulary.facts[figure].whole if figure else frozenset(aggregate.YES_OR_NO.members)

    def named(self, rule: str, fact: str = "") -> tuple[str, ...]:
        """The names that a rule reads, in what it needs, requires, derives and assumes; of a derived `fact`, those of its derivation."""
        key = rule, fact
        if key not in self._named:
            said = self.procedures[rule].rule
            names = reads_of(said, fact) if fact else (*said.needs, *(name for tree in _judged(said) for name in syntax.names(tree)))
            self._named[key] = tuple(dict.fromkeys(names))
        return self._named[key]

    def values(self, date: str) -> list[Value]:
        """A fresh list: every fact as wide as its definition allows, every parameter at its value on `date`."""
        if date not in self._fresh:
            facts: list[Value] = [d.whole for d in self.rulebook.vocabulary.facts.values()]
            facts += [self.whole(name) for name in self.aggregates]
            self._fresh.clear()  # one date is enough: a service decides for today
            self._fresh[date] = facts + [parameter_value(p, date, self.rulebook.vocabulary) for p in self.parameters.values()]
        return list(self._fresh[date])


def _judged(rule: Rule) -> list[syntax.Node]:
    """The trees that a rule's truth, requirements and values come from."""
    trees = [rule.when] if rule.when is not None else []
    trees += [c.condition.tree for c in rule.then if isinstance(c, Require)]
    return trees + [c.expression.tree for c in rule.then if isinstance(c, Derive | Assume) and c.expression is not None]


def qualified(rule: str, parameter: str) -> str:
    """A parameter's name outside its rule: `COM-001:communication_limit`."""
    return f"{rule}:{parameter}"


def compile_rulebook(rulebook: Rulebook) -> Program:
    """Compile every running rule of a checked rulebook."""
    facts = rulebook.vocabulary.facts
    parameters = {qualified(r.id, name): p for r in rulebook.running for name, p in r.parameters.items()}
    aggregates = tuple(sorted({name for rule in rulebook.running for name in aggregate.names(rule.trees)}))
    slots = {name: i for i, name in enumerate((*facts, *aggregates, *parameters))}
    ranges = {path: d.range for path, d in facts.items() if d.number}
    figures = {name: aggregate.split(name)[1] for name in aggregates}
    ranges |= {name: ranges[figure] for name, figure in figures.items() if figure in ranges}
    compiler, everything = Compiler(), {path: (path, slots[path]) for path in (*facts, *aggregates)}
    procedures = {r.id: _procedure(r, rulebook, compiler, slots, everything, ranges) for r in rulebook.running}
    everywhere = compiler.scope(everything, ranges)
    applies = {path: everywhere.condition(d.applies_when) for path, d in facts.items() if d.applies_when is not None}
    compiler.finish()
    return Program(rulebook, slots, procedures, parameters, applies, aggregates)


def recompiled(program: Program, rulebook: Rulebook, rules: Iterable[str]) -> Program:
    """The program of `rulebook`, which differs from the program's own in what parameters of `rules` are, or how rules are ordered."""
    facts = rulebook.vocabulary.facts
    ranges = {path: d.range for path, d in facts.items() if d.number}
    figures = {name: aggregate.split(name)[1] for name in program.aggregates}
    ranges |= {name: ranges[figure] for name, figure in figures.items() if figure in ranges}
    compiler, everything = Compiler(), {path: (path, program.slots[path]) for path in (*facts, *program.aggregates)}
    changed = {r: _procedure(rulebook.rules[r], rulebook, compiler, program.slots, everything, ranges) for r in rules}
    compiler.finish()
    parameters = {qualified(r, name): p for r in changed for name, p in rulebook.rules[r].parameters.items()}
    procedures = {**program.procedures, **changed}
    return replace(program, rulebook=rulebook, procedures=procedures, parameters={**program.parameters, **parameters}, _fresh={})


def _procedure(
    rule: Rule,
    rulebook: Rulebook,
    compiler: Compiler,
    slots: Mapping[str, int],
    everything: dict[str, tuple[str, int]],
    ranges: dict[str, Interval],
) -> Procedure:
    """`everything` and `ranges` are of the facts, one for all rules; a rule's own names stand before them."""
    own = {name: (qualified(rule.id, name), slots[qualified(rule.id, name)]) for name in rule.parameters}
    kinds = {name: parameter_type(parameter, rulebook.vocabulary) for name, parameter in rule.parameters.items()}
    own_ranges = {name: kind.range for name, kind in kinds.items() if isinstance(kind, NumberType)}
    local_names = ChainMap(own, everything)
    scope = compiler.scope(local_names, ChainMap(own_ranges, ranges))
    leaves: dict[str, tuple[str, ...]] = {}

    def given(conclusion: Derive | Assume) -> Function | frozenset[str]:
        if rulebook.vocabulary.facts[conclusion.fact].number and conclusion.expression is not None:
            leaves[conclusion.fact] = tuple(local_names[n][0] for n in syntax.names(conclusion.expression.tree))
            return scope.number(conclusion.expression.tree)
        leaves[conclusion.fact] = ()
        members = statement.read(rulebook.vocabulary.facts[conclusion.fact], conclusion.node, rulebook.catalogs)
        assert isinstance(members, frozenset)
        return members

    figures = {f: scope.value(f.tree) for template in rule.because.values() for f in template.figures}
    return Procedure(
        rule,
        None if rule.when is None else scope.condition(rule.when),
        {c.fact: given(c) for c in rule.then if isinstance(c, Derive)},
        {c.fact: given(c) for c in rule.then if isinstance(c, Assume)},
        tuple(scope.condition(c.condition.tree) for c in rule.then if isinstance(c, Require)),
        tuple(scope.number(c.figure.tree) for c in rule.then if isinstance(c, Prefer)),
        figures,
        scope,
        leaves,
    )


def parameter_value(parameter: Parameter, date: str, vocabulary: Vocabulary) -> Value:
    """What a parameter is on a day: a number, or a table."""
    if not parameter.rows:
        return parameter.on(date).value
    return Table((key, parameter.rows[number].value) for key, number in table_rows(parameter, vocabulary))
