"""The agenda: rules and derived facts in the order in which each is looked at once, and the run along it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gpurules.engine.inference.scalar import Procedure, Program
from gpurules.engine.knowledge import order
from gpurules.engine.knowledge.derivation import reads_of
from gpurules.engine.knowledge.order import Derivation, Orders
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.language import aggregate
from gpurules.engine.language.compile import Value, Values
from gpurules.engine.language.compile import wide as wide
from gpurules.engine.language.syntax import names
from gpurules.engine.values import interval, quantity
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth, negation


class Impossible(GpurulesError):
    """Rules give a fact a value that nothing can have: `fact`, `rules` that may hold, `value`."""

    def __init__(self, place: Place, fact: str, rules: tuple[str, ...], value: Value, message: str) -> None:
        super().__init__([Problem(place, "GR501", message, "check the facts that the rules read; `gpurules show RULE` prints them")])
        self.fact, self.rules, self.value = fact, rules, value


@dataclass(frozen=True, slots=True)
class Alternative:
    """What one rule gives for a derived fact, with the truth of that rule."""

    rule: str
    truth: Truth
    value: Value


@dataclass(frozen=True, slots=True)
class Derived:
    """A derived fact: its value, the alternatives that it is the hull of, and whether none of the rules may hold.
    `aside` are alternatives that a stronger rule replaces. `pinned` is a stated value that was used instead."""

    fact: str
    value: Value
    alternatives: tuple[Alternative, ...]
    aside: tuple[Alternative, ...]
    open: bool
    pinned: Value | None = None

    @property
    def used(self) -> Value:
        return self.value if self.pinned is None else self.pinned


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rules and derived facts of one stratum in dependency order: ("rule", id) and ("fact", path)."""

    steps: tuple[tuple[str, str], ...]


def strata(program: Program) -> tuple[Stratum, Stratum, Stratum]:
    """The agenda of the workload, of a candidate, and of the workload's rules that look at all machines together."""
    edges: dict[str, set[str]] = {}
    derivations = program.rulebook.derivations
    for derivation in derivations.values():
        before = edges.setdefault(f"fact {derivation.fact}", set())
        for rule_id in derivation.rules:
            before.add(f"rule {rule_id}")
            reads = reads_of(program.procedures[rule_id].rule, derivation.fact)
            before |= {f"fact {n}" for n in reads if n in derivations}
    for procedure in program.procedures.values():
        rule = procedure.rule
        reads = names(rule.when) if rule.when is not None else ()
        edges[f"rule {rule.id}"] = {f"fact {n}" for n in reads if n in derivations}
    steps = [(kind, name) for kind, name in (key.split(" ", 1) for key in order.sorted_by(edges))]
    candidate = {(k, n) for k, n in steps if (n.startswith("candidate.") if k == "fact" else program.procedures[n].rule.for_each)}
    after = {s for s in steps if s not in candidate and aggregated(program.rulebook, program.procedures, *s)}
    for step in steps:
        if step not in candidate and any((kind, name) in after for kind, name in (key.split(" ", 1) for key in edges[" ".join(step)])):
            after.add(step)
    parts = (set(steps) - candidate - after, candidate, after)
    workload, machine, machines = (Stratum(tuple(s for s in steps if s in part)) for part in parts)
    return workload, machine, machines


def aggregated(rulebook: Rulebook, procedures: Mapping[str, Procedure], kind: str, name: str) -> bool:
    """Whether a step reads what is said of all machines itself."""
    if kind == "rule":
        when = procedures[name].rule.when
        return when is not None and bool(aggregate.names([when]))
    reads = (n for rule in rulebook.derivations[name].rules for n in reads_of(procedures[rule].rule, name))
    return any(aggregate.is_one(n) for n in reads)


@dataclass(slots=True)
class Run:
    """Working memory of one pass: the values, which facts are known, and what came out so far. Grows along the agenda."""

    program: Program
    orders: Orders
    values: list[Value]
    known: frozenset[str]
    pins: Mapping[str, Value]
    file: str
    truths: dict[str, Truth] = field(default_factory=dict)
    found: dict[str, Derived] = field(default_factory=dict)
    """Derived facts with their alternatives, as far as these were worked out; `derived` has all."""
    gathered: Callable[[], tuple[str, ...]] | None = None
    """Once machines were looked for: the given facts that can settle what is said of all of them."""
    pending: frozenset[str] = frozenset()
    """Derived facts whose values stand already, from a kernel; their alternatives are worked out when somebody asks for them."""
    _causes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    maybe: frozenset[str] = frozenset()
    """Given facts that may as well not be known: rules that need one of them hold at most possibly."""

    def copy(self) -> Run:
        return Run(
            self.program, self.orders, list(self.values), self.known, self.pins, self.file,
            dict(self.truths), dict(self.found), self.gathered, self.pending, dict(self._causes), self.maybe,
        )  # fmt: skip

    def forget(self) -> None:
        """Drop what was found out about causes, since values are about to change."""
        self._causes = {}

    def value(self, name: str) -> Value:
        return self.values[self.program.slots[name]]

    @property
    def derived(self) -> Mapping[str, Derived]:
        """What came of each derived fact, with its alternatives."""
        return _Results(self)

    def along(self, stratum: Stratum) -> None:
        for kind, name in stratum.steps:
            if kind == "rule":
                self.truths[name] = self.judge(name)
            else:
                self.derive(name)

    # ------------------------------------------------------------ judging and deriving

    def derive(self, fact: str) -> None:
        """Give a derived fact its value; the rules that derive it were judged before."""
        found = self._derive(self.orders.derivations[fact])
        self.found[fact] = found
        self.values[self.program.slots[fact]] = found.used

    def judge(self, rule: str) -> Truth:
        """known(needs) and `when`; a rule without `when` has yes."""
        procedure = self.program.procedures[rule]
        needs, most = procedure.rule.needs, YES
        if self.maybe and not self.maybe.isdisjoint(needs):
            needs, most = tuple(n for n in needs if n not in self.maybe), DEPENDS
        if needs and not self.knows(needs):
            return NO
        if procedure.condition is None:
            return most
        truth = Truth(procedure.condition.truth(self.values))
        return truth if most is YES else min(most, truth)

    def knows(self, needs: Iterable[str]) -> bool:
        """Whether every fact is stated and narrower than its range."""
        facts = self.program.rulebook.vocabulary.facts
        return all(fact in self.known and self.value(fact) != facts[fact].whole for fact in needs)

    def _given(self, rule: str, fact: str, values: Values) -> Value:
        given = self.program.procedures[rule].derives[fact]
        return given if isinstance(given, frozenset) else given(values)

    def _derive(self, derivation: Derivation) -> Derived:
        whole = self.program.rulebook.vocabulary.facts[derivation.fact].whole
        if derivation.combine:
            return self._pinned(self._combined(derivation, whole))
        taken: list[Alternative] = []
        aside: list[Alternative] = []
        settled = False
        for rule in derivation.rules:
            truth = self.truths[rule]
            if truth is NO:
                continue
            found = Alternative(rule, truth, self._given(rule, derivation.fact, self.values))
            if settled or rule in derivation.shadowed:
                aside.append(found)
                continue
            taken.append(found)
            settled = truth is YES
        is_open = not settled and not (derivation.exhaustive and taken)
        parts = [a.value for a in taken] + ([whole] if is_open else [])
        return self._pinned(Derived(derivation.fact, self.within(derivation.fact, derivation.rules, _hull(parts)), tuple(taken), tuple(aside), is_open))

    def within(self, fact: str, rules: Sequence[str], value: Value) -> Value:
        """What the fact's range leaves of a value that `rules` give it. Raises Impossible where that is nothing."""
        definition = self.program.rulebook.vocabulary.facts[fact]
        whole = definition.whole
        if isinstance(value, Interval) and isinstance(whole, Interval):
            common = interval.intersection(value, whole)
            if common is not None:
                return common
            holding = tuple(r for r in rules if self.truths[r] is not NO)
            bounds = quantity.show(whole, definition.unit, definition.share)
            message = f"{', '.join(holding)} give {fact} a value that nothing can have: {definition.show(value)}, outside {bounds}"
            raise Impossible(Place(self.file), fact, holding, value, message)
        return value

    def _pinned(self, derived: Derived) -> Derived:
        pin = self.pins.get(derived.fact)
        return derived if pin is None else Derived(derived.fact, derived.value, derived.alternatives, derived.aside, derived.open, pin)

    def _combined(self, derivation: Derivation, whole: Value) -> Derived:
        """`sum`, `max` or `min` over the rules in id order; a rule that depends counts from nothing to all it gives."""
        assert isinstance(whole, Interval)
        nothing = {"sum": 0.0, "max": whole.low, "min": whole.high}[derivation.combine]
        total = Interval(nothing, nothing)
        taken: list[Alternative] = []
        for rule in sorted(derivation.rules):
            truth = self.truths[rule]
            if truth is NO:
                continue
            value = self._given(rule, derivation.fact, self.values)
            assert isinstance(value, Interval)
            taken.append(Alternative(rule, truth, value))
            part = value if truth is YES else interval.hull(Interval(nothing, nothing), value)
            total = _combine(derivation.combine, total, part)
        return Derived(derivation.fact, self.within(derivation.fact, derivation.rules, total), tuple(taken), (), False)

    # ------------------------------------------------------------ advice, requirements, causes

    def overriders(self, rule: str) -> tuple[str, ...]:
        return self.orders.overriders.get(rule, ())

    def stands(self, rule: str) -> Truth:
        """Truth of a rule's advice: it holds, and no rule that overrides it does."""
        overriders = self.overriders(rule)
        if not overriders:
            return self.truths[rule]
        return min(self.truths[rule], negation(max([self.truths.get(o, NO) for o in overriders])))

    def accepts(self, rule: str) -> Truth:
        """Truth of a rule's requirements: it does not stand, or every condition holds."""
        idle = negation(self.stands(rule))
        if idle is YES:
            return YES
        return max(idle, min([Truth(c.truth(self.values)) for c in self.program.procedures[rule].requires], default=YES))

    def causes(self, rule: str) -> tuple[str, ...]:
        """Given facts and parameters whose narrowing can settle whether the rule holds."""
        condition = self.program.procedures[rule].condition
        if self.truths[rule] is not DEPENDS or condition is None:
            return ()
        return self._expanded(condition.causes(self.values))

    def stand_causes(self, rule: str) -> tuple[str, ...]:
        """The same for whether its advice stands."""
        if self.stands(rule) is not DEPENDS:
            return ()
        return _unique([*self.causes(rule), *(c for o in self.overriders(rule) for c in self.causes(o))])

    def accept_causes(self, rule: str) -> tuple[str, ...]:
        if self.accepts(rule) is not DEPENDS:
            return ()
        conditions = self.program.procedures[rule].requires
        return _unique([*self.stand_causes(rule), *(c for q in conditions for c in self._expanded(q.causes(self.values)))])

    def value_causes(self, name: str) -> tuple[str, ...]:
        """Given facts and parameters whose narrowing narrows a value; the name itself where it is given."""
        if not wide(self.value(name)):
            return ()
        if self.gathered is not None and aggregate.is_one(name):
            return self.gathered()
        if name not in self.derived or name in self.pins:
            return (name,)
        if name not in self._causes:
            found: list[str] = []
            for alternative in self.derived[name].alternatives:
                found.extend(self.causes(alternative.rule))
                leaves = self.program.procedures[alternative.rule].leaves[name]
                found.extend(c for leaf in leaves for c in self.value_causes(leaf))
            self._causes[name] = _unique(found)
        return self._causes[name]

    def _expanded(self, leaves: Iterable[str]) -> tuple[str, ...]:
        return _unique(c for leaf in leaves for c in self.value_causes(leaf))


class _Results(Mapping[str, Derived]):
    """What came of the derived facts of a run, worked out at the first look where it is pending."""

    __slots__ = ("_run",)

    def __init__(self, run: Run) -> None:
        self._run = run

    def __getitem__(self, fact: str) -> Derived:
        run = self._run
        if fact not in run.found and fact in run.pending:
            run.derive(fact)
        return run.found[fact]

    def __contains__(self, fact: object) -> bool:
        return fact in self._run.found or fact in self._run.pending

    def __iter__(self) -> Iterator[str]:
        return iter([*self._run.found, *sorted(self._run.pending - self._run.found.keys())])

    def __len__(self) -> int:
        return len(self._run.found.keys() | self._run.pending)


def _combine(how: str, a: Interval, b: Interval) -> Interval:
    return interval.add(a, b) if how == "sum" else interval.maximum((a, b)) if how == "max" else interval.minimum((a, b))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _hull(parts: list[Value]) -> Value:
    if isinstance(parts[0], Interval):
        return interval.hull(*(p for p in parts if isinstance(p, Interval)))
    return frozenset[str]().union(*(p for p in parts if isinstance(p, frozenset)))
