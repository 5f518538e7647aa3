"""Conditions as propositional Horn clauses: what surely holds, and what possibly holds, as symbols that follow from symbols.

Truth in three values becomes two truths of two values. A comparison that is *yes* holds surely and possibly, one that *depends*
only possibly. `all` is one clause, `any` a clause for each way; a negation moves inwards to the comparisons, where it swaps
surely and possibly: `not x` holds surely where x does not hold possibly. So no clause has a negation of its own.

The bounds are those within which durable-rules 2.0.28 was found to make no fault; docs/decisions/0002-durable-backend.md has the figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpurules.engine.inference.scalar import Procedure
from gpurules.engine.knowledge.rule import Rule
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Condition, Function
from gpurules.engine.language.syntax import All, Node, Not
from gpurules.engine.values.problem import GpurulesError, Place, Problem
from gpurules.engine.values.truth import NO, YES, Truth

INTEGERS = 500
"""Distinct symbols of one ruleset; more are spread over several."""
SIBLINGS = 60
"""Clauses that wait directly for one symbol; more wait for aliases of it."""
JOINED = 16
"""Symbols that one clause joins."""
CLAUSES = 4096
"""Clauses of one ruleset."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One thing that holds or does not. `of` is the number of an atom, the facts of `needs`, the id of a rule, …"""

    kind: str  # always | sentinel | atom | needs | part | rule | alias
    of: Hashable = None
    surely: bool = True
    negated: bool = False

    def holds(self, truth: Truth) -> bool:
        """Whether it is given, for an atom of this truth."""
        own = Truth(2 - truth) if self.negated else truth
        return own is YES if self.surely else own is not NO


ALWAYS = Symbol("always")
"""Given in every pass: rules without a condition follow from it."""


@dataclass(frozen=True, slots=True)
class Clause:
    """`head` holds if everything in `body` does."""

    head: Symbol
    body: tuple[Symbol, ...]


_SENTINEL = Clause(Symbol("sentinel"), (ALWAYS,))
"""Fires in every pass, whatever else does."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Rules whose clauses stand together. `numbers` gives every symbol its integer, `ALWAYS` 0; `atoms` are the tests of its atoms."""

    rules: tuple[str, ...]
    clauses: tuple[Clause, ...]
    numbers: Mapping[Symbol, int]
    atoms: Mapping[int, Function]

    @property
    def awaited(self) -> frozenset[int]:
        """Integers that some clause waits for."""
        return frozenset(self.numbers[s] for c in self.clauses for s in c.body)


def rulesets(procedures: Iterable[Procedure]) -> tuple[Ruleset, ...]:
    """The clauses of some rules in as few rulesets as the bounds allow, in order.

    Raises GpurulesError (GR702) with every rule that no ruleset can hold.
    """
    writer = _Writer()
    written = [(p.rule, writer.clauses(p)) for p in procedures]
    problems = [problem for rule, clauses in written for problem in _beyond(rule, clauses)]
    if problems:
        raise GpurulesError(problems)
    return tuple(_ruleset(group, writer.tests) for group in _groups(written))


class _Writer:
    """Writes rules as clauses; the same comparison of the same facts is one atom, in whichever rules it stands."""

    def __init__(self) -> None:
        self.tests: list[Function] = []
        self._atoms: dict[tuple[Node, str], int] = {}

    def clauses(self, procedure: Procedure) -> tuple[Clause, ...]:
        rule, found = procedure.rule, list[Clause]()
        needs = (Symbol("needs", rule.needs),) if rule.needs else ()
        for surely in (True, False):
            body = () if procedure.condition is None else self._body(procedure.condition, rule, surely, False, found)
            found.append(Clause(Symbol("rule", rule.id, surely), _unique((*needs, *body)) or (ALWAYS,)))
        return tuple(found)

    def _body(self, condition: Condition, rule: Rule, surely: bool, negated: bool, found: list[Clause]) -> tuple[Symbol, ...]:
        """What must hold together for the condition; the clauses on the way are added to `found`."""
        if condition.atom is not None:
            return (Symbol("atom", self._number(condition, rule), surely, negated),)
        if isinstance(condition.tree, Not):
            return self._body(condition.parts[0], rule, surely, not negated, found)
        bodies = [self._body(part, rule, surely, negated, found) for part in condition.parts]
        if isinstance(condition.tree, All) is not negated:  # after De Morgan
            return _unique(symbol for body in bodies for symbol in body)
        head = Symbol("part", (rule.id, len(found)), surely)
        found += [Clause(head, body) for body in dict.fromkeys(bodies)]
        return (head,)

    def _number(self, condition: Condition, rule: Rule) -> int:
        assert condition.atom is not None
        own = not rule.parameters.keys().isdisjoint(syntax.names(condition.tree))
        key = condition.tree, rule.id if own else ""
        if key not in self._atoms:
            self._atoms[key] = len(self.tests)
            self.tests.append(condition.atom.truth)
        return self._atoms[key]


def _beyond(rule: Rule, clauses: Sequence[Clause]) -> Iterator[Problem]:
    """The bounds that a rule alone is beyond."""
    mend = "derive a fact from some of its conditions, or use the scalar back end, which has no such bound"
    for found, bound, what in (
        (max(len(c.body) for c in clauses), JOINED, "conditions joined by `all` (or under `not`, by `any`)"),
        (_size(clauses), INTEGERS, "distinct conditions, those that surely hold and those that possibly hold counted apart"),
        (len(clauses), CLAUSES, "ways to hold"),
    ):
        if found > bound:
            yield Problem(Place(rule.id), "GR702", f"has {found} {what}; the durable back end takes {bound}", mend)


def _groups(written: Iterable[tuple[Rule, tuple[Clause, ...]]]) -> Iterator[list[tuple[Rule, tuple[Clause, ...]]]]:
    """Neighbours together, as long as the bounds allow."""
    group: list[tuple[Rule, tuple[Clause, ...]]] = []
    for entry in written:
        together = [c for _, clauses in (*group, entry) for c in clauses]
        if group and (_size(together) > INTEGERS or len(together) > CLAUSES // 2):  # aliases bring clauses of their own
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _size(clauses: Iterable[Clause]) -> int:
    """Distinct symbols of a ruleset of these clauses, with the sentinel and the aliases that will be needed."""
    clauses = (_SENTINEL, *clauses)
    uses = Counter(symbol for clause in clauses for symbol in clause.body)
    heads = {clause.head for clause in clauses}
    return len({*uses, *heads}) + sum(-(-count // SIBLINGS) for count in uses.values() if count > SIBLINGS)


def _ruleset(group: Sequence[tuple[Rule, tuple[Clause, ...]]], tests: Sequence[Function]) -> Ruleset:
    clauses = _aliased([_SENTINEL, *(c for _, own in group for c in own)])
    symbols = dict.fromkeys((ALWAYS, *(s for c in clauses for s in (*c.body, c.head))))
    atoms = {s.of: tests[s.of] for s in symbols if s.kind == "atom" and isinstance(s.of, int)}
    return Ruleset(tuple(rule.id for rule, _ in group), clauses, {s: n for n, s in enumerate(symbols)}, atoms)


def _aliased(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The same clauses with at most SIBLINGS of them waiting for one symbol."""
    uses = Counter(symbol for clause in clauses for symbol in clause.body)
    crowded = {symbol for symbol, count in uses.items() if count > SIBLINGS}
    seen: Counter[Symbol] = Counter()
    found: dict[Clause, None] = {}
    for clause in clauses:
        body = []
        for symbol in clause.body:
            if symbol in crowded:
                alias = Symbol("alias", (symbol, seen[symbol] // SIBLINGS))
                seen[symbol] += 1
                found[Clause(alias, (symbol,))] = None
                symbol = alias
            body.append(symbol)
        found[Clause(clause.head, tuple(body))] = None
    return tuple(found)


def _unique(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    return tuple(dict.fromkeys(symbols))
