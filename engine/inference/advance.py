"""Going on from an evaluation: of facts that differ in a few, only what hangs on these is looked at again."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

from gpurules.engine.inference import candidates, judging
from gpurules.engine.inference.agenda import Derived, Impossible, Run
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.choice import Choice
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Facts
from gpurules.engine.inference.kernel import Kernel, OutOfRange
from gpurules.engine.knowledge.derivation import reads_of
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Value
from gpurules.engine.values.truth import Truth

MANY, OFTEN = 30, 12
"""Steps of which so many are looked at again that a kernel looks at all of them in less time; and beyond how many times it is worth being made."""
Changes = tuple[set[str], set[str]] | None
"""Facts that have other values, and rules that have other truths; None where any may."""


class Dependents:
    """What of a stratum comes after a name: the places of steps that read a fact, need it, or derive it by a rule. `place` tells the
    stratum: 0 is the workload, 1 a machine."""

    def __init__(self, engine: Engine, place: int) -> None:
        stratum = engine.candidate if place else engine.workload
        self.place, self.steps = place, stratum.steps
        found: dict[str, list[int]] = {}
        rules: dict[str, list[int]] = {}
        program = engine.program
        for place, (kind, name) in enumerate(self.steps):
            if kind == "rule":
                rule = program.procedures[name].rule
                reads: Iterable[str] = (*rule.needs, *(syntax.names(rule.when) if rule.when is not None else ()))
            else:
                deriving = engine.rulebook.derivations[name].rules
                reads = [read for r in deriving for read in reads_of(program.procedures[r].rule, name)]
                for r in deriving:
                    rules.setdefault(r, []).append(place)
            for read in dict.fromkeys(reads):
                found.setdefault(read, []).append(place)
        self.engine, self.stratum, self.large = engine, stratum, 0
        self.of_facts = {name: tuple(places) for name, places in found.items()}
        self.of_rules = {name: tuple(places) for name, places in rules.items()}

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel that the engine has, though it may look at more; else one of this stratum."""
        ready = self.engine.kernels[self.place]
        return ready if ready is not None else Kernel(self.engine.program, self.engine.rulebook.orders, self.stratum, ())

    def again(self, run: Run, changes: Changes = None) -> Changes:
        """Look at everything again. What comes out otherwise, `changes` included, where these are told. Raises Impossible."""
        kernel, slots = self.kernel, self.engine.program.slots
        values, truths = run.values.copy(), run.truths.copy()
        for fact in kernel.facts:
            run.found.pop(fact, None)
        try:
            kernel.along(run)
        except OutOfRange:
            run.along(self.stratum)  # says which rules gave the value
        if changes is None or self.place:  # nothing comes after a machine
            return None
        changed = {fact for fact in kernel.facts if run.values[slots[fact]] != values[slots[fact]]}
        turned = {rule for rule in kernel.rules if run.truths[rule] is not truths.get(rule)}
        return changes[0] | changed, changes[1] | turned

    def follow(self, run: Run, changes: Changes) -> Changes:
        """Look again, in `run`, at what hangs on facts whose values are others now, and on rules whose truths are. The facts and
        rules that come out otherwise, those included; None where everything was looked at and nothing comes after. Raises Impossible."""
        if changes is None:
            return self.again(run)
        changed, turned = changes
        looked = 0
        due = bytearray(len(self.steps))
        for places in (*(self.of_facts.get(f, ()) for f in changed), *(self.of_rules.get(r, ()) for r in turned)):
            for place in places:
                due[place] = 1
        if due.count(1) > MANY // 2 and self._worth_a_kernel(run):  # others hang on these
            return self.again(run, changes)
        place = due.find(1)
        while place >= 0:
            looked += 1
            if looked > MANY and self._worth_a_kernel(run):
                return self.again(run, changes)
            kind, name = self.steps[place]
            if kind == "rule":
                truth = run.judge(name)
                if truth is not run.truths[name]:
                    run.truths[name] = truth
                    turned.add(name)
                    for after in self.of_rules.get(name, ()):
                        due[after] = 1
            else:
                before = run.value(name)
                run.derive(name)
                if run.value(name) != before:
                    changed.add(name)
                    for after in self.of_facts.get(name, ()):
                        due[after] = 1
            place = due.find(1, place + 1)
        return changed, turned

    def _worth_a_kernel(self, run: Run) -> bool:
        """Whether a kernel may look at everything, of which much is to be looked at; one is made once that has been so often."""
        if run.pins:
            return False
        self.large += 1
        return self.large > OFTEN or self.engine.kernels[self.place] is not None


@dataclass(frozen=True, slots=True)
class _Followed:
    """The workload of one pass, and what came out otherwise than in the one that it went on from."""

    run: Run
    changes: Changes


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass that others go on from: the workload alone, the values given to it, and what was found of the stated machine."""

    run: Run
    given: Mapping[str, Value]
    values: Mapping[int, Value]
    truths: Mapping[str, Truth]
    derived: Mapping[str, Derived]
    pending: frozenset[str]
    assuming: bool


class Advance:
    """Evaluations by one engine, each of which goes on from the first: they come out as the engine's own do. With `instead`, that machine
    of the catalogue is judged in place of the stated one: its figures are the evaluation's choices, unless it cannot be."""

    def __init__(self, engine: Engine, instead: Candidate | None = None) -> None:
        self.engine, self.instead = engine, instead
        self.workload, self.candidate = Dependents(engine, 0), Dependents(engine, 1)
        self._begun: dict[tuple[str, bool], tuple[_Pass, _Pass]] = {}
        self._elsewhere: set[tuple[str, bool]] = set()
        """What was begun where the facts of another stand."""

    def evaluate(
        self,
        facts: Facts,
        date: str = "",
        file: str = "facts",
        maybe: frozenset[str] = frozenset(),
        whole: Mapping[str, Value] | None = None,
        looked_for: dict[Hashable, Choice] | None = None,
        together: bool = True,
    ) -> Evaluation:
        """As `Engine.evaluate`. Of the facts in `maybe` it is open whether they are known; facts that nobody stated have the values in
        `whole`, where it has them, as if that were all they could be. Raises GpurulesError."""
        engine, date = self.engine, date or self.engine.rulebook.released
        stated = self.instead is not None or candidates.stated(facts.known)
        given, pins = engine.given(facts, date)
        values = {**(whole or {}), **given}
        begun = self._begun.get((date, stated))
        afresh = begun is None or begun[0].run.pins != pins
        first_of_all = afresh or (date, stated) in self._elsewhere
        if begun is None or afresh:
            plain = self._first(engine.evaluate(facts, date, file, together=False))
            begun = self._pass(plain, 0, given), self._pass(plain, 1, given)
        first = self._workload(begun[0], values, frozenset((*given, *pins)), maybe, (date, file))
        assumptions = engine.assume(first.run, facts.settled)
        assumed = {a.fact: a.value for a in assumptions}
        second = first
        if assumed or begun[1].assuming:
            second = self._workload(begun[1], {**values, **assumed}, frozenset((*given, *assumed, *pins)), maybe, (date, file))
        figures = self.instead.figures if self.instead is not None else None
        try:
            runs = [self._judged(first, begun[0]) if stated else first.run.copy()]
            runs.append(runs[0].copy() if second is first else self._judged(second, begun[1]) if stated else second.run.copy())
        except Impossible:
            if figures is None:
                raise
            figures, runs = None, [first.run.copy(), second.run.copy()]
        workloads = first.run, second.run if second is not first else first.run.copy()
        made = {} if looked_for is None else looked_for
        found = Evaluation(engine, facts, figures, date, runs[0], runs[1], assumptions, stated, workloads, made)
        if first_of_all and (self.instead is None or figures is not None):
            self._begun[date, stated] = self._pass(found, 0, values), self._pass(found, 1, values)
            self._elsewhere.discard((date, stated))
        if together and maybe:  # what is said of all machines stays as open as it may be
            for run in runs:
                run.along(engine.together)
        elif together:
            engine.look_together(found)
        return found

    def assuming(self, evaluation: Evaluation, whole: Mapping[str, Value]) -> Run:
        """The pass with the assumptions of an evaluation, whatever else would be assumed, where facts that nobody stated have the values in
        `whole`. Raises GpurulesError, also where the machine judged instead cannot be."""
        facts, date, (first, second) = evaluation.facts, evaluation.date, evaluation.workloads
        key = date, evaluation.has_candidate
        begun = self._begun.get(key)
        if begun is None or key in self._elsewhere or begun[1].run.pins != second.pins:
            plain = self.evaluate(facts, date, first.file, first.maybe, whole, together=False)
            return plain.second if self.instead is None or plain.choices is not None else self.engine.judged(plain.second, self.instead)
        given, _ = self.engine.given(facts, date)
        assumed = {a.fact: a.value for a in evaluation.assumptions}
        followed = self._workload(begun[1], {**whole, **given, **assumed}, second.known, second.maybe, (date, first.file))
        return self._judged(followed, begun[1]) if evaluation.has_candidate else followed.run

    def _first(self, plain: Evaluation) -> Evaluation:
        """An evaluation in which the machine stands that is judged instead."""
        if self.instead is None:
            return plain
        try:
            first, second = (judging.judged(run, self.engine.candidate, self.instead) for run in plain.workloads)
        except Impossible:
            first, second = (judging.begun(run, self.instead) for run in plain.workloads)
        return replace(plain, first=first, second=second)

    def another(self) -> Advance:
        """One for facts that stand elsewhere: it goes on from its own first, and that from the first of this."""
        other = copy(self)
        other._begun, other._elsewhere = dict(self._begun), set(self._begun)
        return other

    def _pass(self, plain: Evaluation, number: int, given: Mapping[str, Value]) -> _Pass:
        alone, judged = plain.workloads[number].copy(), (plain.first, plain.second)[number]
        slots = {slot for slot, (one, other) in enumerate(zip(alone.values, judged.values, strict=True)) if one is not other}
        truths = {rule: judged.truths[rule] for rule in judged.truths.keys() - alone.truths.keys()}
        derived = {fact: judged.found[fact] for fact in judged.found.keys() - alone.found.keys()}
        assumed = {a.fact: a.value for a in plain.assumptions} if number else {}
        return _Pass(alone, {**given, **assumed}, {slot: judged.values[slot] for slot in slots}, truths, derived, judged.pending - alone.pending, bool(assumed))

    def _workload(self, base: _Pass, given: Mapping[str, Value], known: frozenset[str], maybe: frozenset[str], of: tuple[str, str]) -> _Followed:
        run, (date, file) = base.run.copy(), of
        slots = self.engine.program.slots
        changed = {*(run.known ^ known), *(run.maybe ^ maybe)}
        run.known, run.maybe, run.file = known, maybe, file
        run.forget()
        others = [(path, value) for path, value in given.items() if base.given.get(path) is not value]
        if len(base.given) + len(others) > len(given):
            plain = self.engine.program.values(date)
            others += [(path, plain[slots[path]]) for path in base.given.keys() - given.keys()]
        for path, value in others:
            if run.values[slots[path]] != value:
                run.values[slots[path]] = value
                changed.add(path)
        return _Followed(run, self.workload.follow(run, (changed, set())))

    def _judged(self, followed: _Followed, base: _Pass) -> Run:
        """The same with the stated machine."""
        run = followed.run.copy()
        for slot, value in base.values.items():
            run.values[slot] = value
        run.truths |= base.truths
        run.found |= base.derived
        run.pending |= base.pending
        changes = followed.changes if base.truths else None
        if changes is None or (self.instead is None and not self._behind_figures.isdisjoint(changes[0])):
            for path, value in (self.instead.figures if self.instead is not None else candidates.figures(run)).items():
                slot = self.engine.program.slots[path]
                if run.values[slot] != value:
                    run.values[slot] = value
                    if changes is not None:
                        changes[0].add(path)
        self.candidate.follow(run, changes)
        return run

    @cached_property
    def _behind_figures(self) -> frozenset[str]:
        """The facts that figures of the stated machine follow from."""
        return frozenset(cause for path in self.engine.program.slots if path.startswith("candidate.") for cause in candidates.cause(path))
