"""Reach: how far facts that are open make themselves felt along the agenda, as values that may differ and truths that may."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpurules.engine.inference import candidates
from gpurules.engine.inference.agenda import Run, wide
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Evaluation
from gpurules.engine.inquiries.lookup import leads, looks_up
from gpurules.engine.language.compile import Atom, Condition
from gpurules.engine.values.truth import DEPENDS, NO, YES

Facts = int
"""A set of facts, a bit for each."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The facts behind each value that may differ over a cell, and behind each rule whose truth may."""

    paths: tuple[str, ...]
    values: Mapping[str, Facts]
    rules: Mapping[str, Facts]

    def behind(self, rules: Iterable[str]) -> frozenset[str]:
        """The facts behind some rules."""
        found = 0
        for rule in rules:
            found |= self.rules.get(rule, 0)
        return frozenset(path for at, path in enumerate(self.paths) if found >> at & 1)


@dataclass(frozen=True, slots=True)
class _Open:
    """A condition, and its comparisons with the names that each reads; only such as may differ."""

    condition: Condition | None
    atoms: tuple[tuple[Atom, tuple[str, ...]], ...]

    def behind(self, run: Run, reach: Mapping[str, Facts], open_: bool = False) -> Facts:
        """What is behind the condition where it is open, which may be known."""
        felt = []
        for atom, names in self.atoms:
            facts = 0
            for name in names:
                if name in reach:
                    facts |= reach[name]
            if facts:
                felt.append((atom, facts))
        found = 0
        if felt and self.condition is not None and (open_ or self.condition.truth(run.values) is DEPENDS):
            for atom, facts in felt:
                if facts | found != found and atom.truth(run.values) is DEPENDS:
                    found |= facts
        return found


@dataclass(frozen=True, slots=True)
class _Fact:
    """A derived fact of the agenda, its slot, and its rules in order, those that never give it left out, with the names that each gives it from."""

    name: str
    slot: int
    combined: bool
    rules: tuple[tuple[str, tuple[str, ...]], ...]

    def behind(self, run: Run, reach: Mapping[str, Facts], rules: Mapping[str, Facts]) -> Facts:
        """What is behind the alternatives that it is the hull of."""
        found = 0
        for rule, leaves in self.rules:
            truth = run.truths.get(rule, NO)
            if truth is NO:
                continue
            if rule in rules:
                found |= rules[rule]
            for leaf in leaves:
                if leaf in reach:
                    found |= reach[leaf]
            if truth is YES and not self.combined:
                break
        return found


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule of the agenda."""

    name: str
    needs: tuple[str, ...]
    when: _Open


class Reach:
    """What facts reach within a cone, by the runs of evaluations; `stated` where these are of the stated machine."""

    def __init__(self, cone: Cone, stated: bool) -> None:
        self.cone, self.stated = cone, stated

    def over(self, evaluation: Evaluation, runs: tuple[Run, Run], varied: Collection[str], unknown: Collection[str] = ()) -> tuple[Reached, Reached]:
        """How far varied facts reach in the two runs of an evaluation, and `unknown` ones besides, by which nothing is looked up.

        With assumptions, what is assumed differs where the rules that assume it do without.
        """
        paths = tuple(dict.fromkeys((*varied, *unknown)))
        bits = {path: 1 << at for at, path in enumerate(paths)}
        every = (1 << len(paths)) - 1
        before = self._given(evaluation, runs[0], bits, frozenset(varied))
        after = before.copy()
        given = self._along(runs[0], before, every)
        open_ = [rule for rule in self.cone.assumed_by if rule in given]
        settled = evaluation.facts.settled if open_ else ()
        for rule in open_:
            for path in self.cone.assumed_by[rule].difference(settled):
                after[path] = after.get(path, 0) | given[rule]
        for one in evaluation.assumptions:
            if wide(one.value):
                after[one.fact] = every
        assuming = self._along(runs[1], after, every)
        return Reached(paths, before, given), Reached(paths, after, assuming)

    @staticmethod
    def _given(evaluation: Evaluation, run: Run, bits: Mapping[str, Facts], varied: frozenset[str]) -> dict[str, Facts]:
        """What the facts reach by themselves and by what is looked up by them, before any rule."""
        reach, rulebook = dict(bits), run.program.rulebook
        leading = sum(bits[path] for path in varied if leads(path, evaluation.facts))
        reading = sum(bits[path] for path in varied if looks_up(path, rulebook)) or sum(bits[path] for path in varied)
        for path, fact in evaluation.facts.given.items():
            if path not in bits and (fact.via or path in run.maybe):
                felt = leading if fact.via else reading
                if felt:
                    reach[path] = felt
        return reach

    def _along(self, run: Run, reach: dict[str, Facts], every: Facts) -> dict[str, Facts]:
        """What the facts in `reach` reach along the agenda of one run: the rules; values are added to `reach`."""
        for figure, causes in self._figures:
            found = 0
            for path in causes:
                found |= reach.get(path, 0)
            if found:
                reach[figure] = found
        for name in self.cone.aggregates:
            if wide(run.value(name)):
                reach[name] = every
        rules: dict[str, Facts] = {}
        truths, values = run.truths, run.values
        for step in self._steps:
            if isinstance(step, _Fact):
                if wide(values[step.slot]):
                    found = step.behind(run, reach, rules)
                    if found:
                        reach[step.name] = found
            elif step.name in truths:
                maybe = [need for need in step.needs if need in run.maybe] if step.needs else ()
                found = step.when.behind(run, reach, not maybe) if truths[step.name] is DEPENDS else 0
                for need in maybe:
                    found |= reach.get(need, 0)
                if found:
                    rules[step.name] = found
        for rule, conditions in self._requires:  # what they require comes after them
            if truths.get(rule, NO) is not NO:
                found = 0
                for condition in conditions:
                    found |= condition.behind(run, reach)
                if found:
                    rules[rule] = rules.get(rule, 0) | found
        return rules

    @cached_property
    def _figures(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The figures of the stated machine, and the facts behind each."""
        return tuple((figure, candidates.cause(figure)) for figure in self.cone.figures) if self.stated else ()

    @cached_property
    def _steps(self) -> tuple[_Fact | _Rule, ...]:
        """The agenda of the cone, without what rules read of parameters, which differ nowhere."""
        cone, procedures = self.cone, self.cone.program.procedures
        found: list[_Fact | _Rule] = []
        for kind, name in (*cone.workload.steps, *cone.candidate.steps, *cone.together.steps):
            if kind == "rule":
                found.append(_Rule(name, procedures[name].rule.needs, self._open(procedures[name].condition)))
                continue
            derivation = cone.rulebook.derivations[name]
            giving = [r for r in derivation.rules if derivation.combine or r not in derivation.shadowed]
            leaves = tuple((rule, tuple(filter(self._differs, procedures[rule].leaves[name]))) for rule in giving)
            found.append(_Fact(name, cone.program.slots[name], bool(derivation.combine), leaves))
        return tuple(found)

    @cached_property
    def _requires(self) -> tuple[tuple[str, tuple[_Open, ...]], ...]:
        requires = {name: self.cone.program.procedures[name].requires for kind, name in self.cone.candidate.steps if kind == "rule"}
        return tuple((name, tuple(self._open(c) for c in conditions)) for name, conditions in requires.items() if conditions)

    def _open(self, condition: Condition | None) -> _Open:
        atoms = condition.atoms() if condition is not None else ()
        read = ((atom, tuple(name for name, _ in atom.reads if self._differs(name))) for atom in atoms)
        return _Open(condition, tuple((atom, names) for atom, names in read if names))

    def _differs(self, name: str) -> bool:
        return name not in self.cone.program.parameters
