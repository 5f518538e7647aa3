"""What may differ from place to place of a cell in which a parameter has every value at once: followed along the agenda."""

from __future__ import annotations

from collections.abc import Iterable

from gpurules.engine.inference.agenda import Derived, Run, wide
from gpurules.engine.language.compile import Condition
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.truth import DEPENDS, NO, YES, Truth

Step = tuple[str, str]
Bounds = tuple[Truth, Truth]
"""The least and the most that a truth is over a cell; both the same where it is one at every place."""


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

    def along(self, run: Run, steps: Iterable[Step]) -> None:
        """Follow steps that were taken."""
        if not self.values and not self.rules:
            return
        procedures = run.program.procedures
        for kind, name in steps:
            if kind == "rule":
                condition, needs = procedures[name].condition, procedures[name].rule.needs
                open_ = condition is not None and run.truths[name] is DEPENDS and self.reaches(run, condition)
                if open_ or not self.values.isdisjoint(needs):
                    self.rules.add(name)
            else:
                self._fact(run, run.found[name])

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

    # ------------------------------------------------------------ truths over the cell

    def stands(self, run: Run, rule: str) -> Bounds:
        return self._bounds(run.stands(rule), self._shaken(run, rule))

    def accepts(self, run: Run, rule: str) -> Bounds:
        truth = run.accepts(rule)
        if truth is not DEPENDS:
            return truth, truth
        shaken = self._shaken(run, rule) or any(self.reaches(run, c) for c in run.program.procedures[rule].requires)
        return self._bounds(truth, shaken)

    def accepted(self, run: Run, rules: Iterable[str]) -> Bounds:
        """Whether every requirement is met."""
        return least(self.accepts(run, rule) for rule in rules)

    def _shaken(self, run: Run, rule: str) -> bool:
        return rule in self.rules or not self.rules.isdisjoint(run.overriders(rule))

    @staticmethod
    def _bounds(truth: Truth, shaken: bool) -> Bounds:
        return (NO, YES) if truth is DEPENDS and shaken else (truth, truth)


def least(bounds: Iterable[Bounds]) -> Bounds:
    """The bounds of the least of several truths; yes of none."""
    low, high = YES, YES
    for one in bounds:
        low, high = min(low, one[0]), min(high, one[1])
    return low, high


def tightened(bounds: Bounds, inside: Iterable[Bounds]) -> Bounds:
    """Bounds of a truth, given those of the same with what else is open at one of its values: what is there no is nowhere surely yes,
    and the reverse."""
    low, high = bounds
    for least_there, most_there in inside if low is not high else ():
        if most_there is NO:
            high = min(high, DEPENDS)
        if least_there is YES:
            low = max(low, DEPENDS)
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
    derived, whole = run.found.get(fact), run.program.whole(fact)
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
