"""What may differ from place to place of a cell in which a fact or a figure has every value at once: followed along the agenda."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gpurules.engine.glances import comparison
from gpurules.engine.glances.comparison import Bounds
from gpurules.engine.inference.agenda import Derived, Run, wide
from gpurules.engine.language.compile import Condition
from gpurules.engine.language.syntax import All, Not
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, YES, Truth

Step = tuple[str, str]


class Varying:
    """`values` and `rules` whose value or truth may differ; all others are the same at every place, open as they may be.

    `beyond` are the facts that may somewhere have a value which nothing can have, above their range (1) or below it (-1).
    """

    def __init__(self, values: Iterable[str] = (), rules: Iterable[str] = (), beyond: Iterable[tuple[str, int]] = ()) -> None:
        self.values, self.rules, self.beyond = set(values), set(rules), set(beyond)

    def copy(self) -> Varying:
        return Varying(self.values, self.rules, self.beyond)

    def add(self, other: Varying) -> None:
        self.values |= other.values
        self.rules |= other.rules
        self.beyond |= other.beyond

    def along(self, run: Run, steps: Iterable[Step], inside: Callable[[], Sequence[Run]] = tuple) -> None:
        """Follow steps that were taken. `inside` gives runs of the same cell with what else is open at one of its values."""
        if not self.values and not self.rules:
            return
        procedures = run.program.procedures
        for kind, name in steps:
            if kind == "rule":
                condition, needs = procedures[name].condition, procedures[name].rule.needs
                open_ = condition is not None and run.truths[name] is DEPENDS and self.reaches(run, condition)
                if open_ and condition is not None and (runs := inside()):
                    low, high = self.condition(run, condition, runs)
                    open_ = low is not high
                if open_ or any(need in self.values and run.value(need) == run.program.whole(need) for need in needs):
                    self.rules.add(name)
            else:
                self._fact(run, run.derived[name])

    def reaches(self, run: Run, condition: Condition) -> bool:
        """Whether a comparison is open that reads what varies."""
        return any(not self.values.isdisjoint(leaf for leaf, _ in a.reads) and Truth(a.truth(run.values)) is DEPENDS for a in condition.atoms())

    def _fact(self, run: Run, derived: Derived) -> None:
        leaves = run.program.procedures
        moving = [a for a in derived.alternatives if a.rule in self.rules or not self.values.isdisjoint(leaves[a.rule].leaves[derived.fact])]
        if not moving:
            return
        whole = run.program.whole(derived.fact)
        if isinstance(whole, Interval):
            self.beyond |= self._clips(run, derived, whole)
        if wide(derived.used) and derived.pinned is None:
            self.values.add(derived.fact)

    def _clips(self, run: Run, derived: Derived, whole: Interval) -> set[tuple[str, int]]:
        """On which sides rules may give the fact a value that lies outside its range altogether."""
        if run.orders.derivations[derived.fact].combine == "sum":
            raw = _raw(run, derived)
            return {(derived.fact, side) for side, past in ((1, raw.high > whole.high), (-1, raw.low < whole.low)) if past}
        found = set()
        for alternative in derived.alternatives:
            value = alternative.value
            assert isinstance(value, Interval)
            moves = not self.values.isdisjoint(run.program.procedures[alternative.rule].leaves[derived.fact])
            low, high = value if moves else (value.high, value.low)  # a value that stays lies outside only where all of it does
            found |= {(derived.fact, side) for side, past in ((1, interval.exceeds(high, whole.high)), (-1, interval.exceeds(whole.low, low))) if past}
        return found

    def impossible(self, inside: Iterable[Run]) -> bool:
        """Whether a fact may somewhere have a value that nothing can have. `inside` are runs of the same cell with what else is open
        at one of its values: where a value is there inside the range at every place, part of what it may be always is."""
        runs = tuple(inside) if self.beyond else ()
        return not all(any(_inside(run, fact, side) for run in runs) for fact, side in self.beyond)

    # ------------------------------------------------------------ truths over the cell, given runs `inside` as for `impossible`

    def truth(self, run: Run, rule: str, inside: Sequence[Run] = ()) -> Bounds:
        truth, procedure = run.truths[rule], run.program.procedures[rule]
        if truth is not DEPENDS or rule not in self.rules or procedure.condition is None:
            return truth, truth
        return self.condition(run, procedure.condition, inside)

    def stands(self, run: Run, rule: str, inside: Sequence[Run] = ()) -> Bounds:
        low, high = self.truth(run, rule, inside)
        for overrider in run.overriders(rule):
            if overrider in run.truths:
                least_against, most_against = self.truth(run, overrider, inside)
                low, high = min(low, Truth(2 - most_against)), min(high, Truth(2 - least_against))
        return low, high

    def accepts(self, run: Run, rule: str, inside: Sequence[Run] = ()) -> Bounds:
        truth = run.accepts(rule)
        if truth is not DEPENDS:
            return truth, truth
        stands = self.stands(run, rule, inside)
        met = least(self.condition(run, c, inside) for c in run.program.procedures[rule].requires)
        return max(Truth(2 - stands[1]), met[0]), max(Truth(2 - stands[0]), met[1])

    def accepted(self, run: Run, rules: Iterable[str], inside: Sequence[Run] = ()) -> Bounds:
        """Whether every requirement is met."""
        return least(self.accepts(run, rule, inside) for rule in rules)

    def condition(self, run: Run, condition: Condition, inside: Sequence[Run]) -> Bounds:
        truth = Truth(condition.truth(run.values))
        if truth is not DEPENDS:
            return truth, truth
        if condition.atom is not None:
            varies = not self.values.isdisjoint(leaf for leaf, _ in condition.atom.reads)
            return comparison.bounds(condition.atom, run, inside, self.values) if varies else (truth, truth)
        parts = [self.condition(run, part, inside) for part in condition.parts]
        if isinstance(condition.tree, Not):
            return Truth(2 - parts[0][1]), Truth(2 - parts[0][0])
        end = min if isinstance(condition.tree, All) else max
        return end(low for low, _ in parts), end(high for _, high in parts)


def least(bounds: Iterable[Bounds]) -> Bounds:
    """The bounds of the least of several truths; yes of none."""
    low, high = YES, YES
    for one in bounds:
        low, high = min(low, one[0]), min(high, one[1])
    return low, high


def _raw(run: Run, derived: Derived) -> Interval:
    """All that rules give a number, before its range cuts it."""
    values = [a.value for a in derived.alternatives if isinstance(a.value, Interval)]
    if run.orders.derivations[derived.fact].combine == "sum":
        parts = [(a.value, a.truth is YES) for a in derived.alternatives if isinstance(a.value, Interval)]
        return Interval(sum(v.low if sure else min(v.low, 0.0) for v, sure in parts), sum(v.high if sure else max(v.high, 0.0) for v, sure in parts))
    return interval.hull(*values)


def _inside(run: Run, fact: str, side: int) -> bool:
    """Whether all that rules give a number lies below the high end of its range (above the low end)."""
    derived, whole = run.derived.get(fact), run.program.whole(fact)
    if not isinstance(whole, Interval):
        return False
    if derived is None:  # nothing of it differs here: what it is was cut to the range already
        value = run.value(fact)
        assert isinstance(value, tuple)
        return value[1] < whole.high if side > 0 else value[0] > whole.low
    if not derived.alternatives:
        return False
    raw = _raw(run, derived)
    return not interval.exceeds(raw.high, whole.high) if side > 0 else not interval.exceeds(whole.low, raw.low)
