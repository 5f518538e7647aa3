"""Trials: the same facts with some of them changed, evaluated again. Each is counted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from gpurules.engine.inference import consistency
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.agenda import wide
from gpurules.engine.inference.choice import Choice
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import STATED, Fact, Facts, Setting
from gpurules.engine.inference.leaves import gather
from gpurules.engine.inquiries.axis import SETTLE, Axis, Value
from gpurules.engine.inquiries.lookup import PRICE_AGE, Lookups, leads
from gpurules.engine.knowledge.document import Node
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place

REMEMBERED = 1000
"""Facts that are kept of those read anew."""


class Trial:
    """Facts as somebody stated them, ready to be evaluated with some of them changed.

    Changed facts stand as if they had been stated so: whatever a catalogue says of them, and whatever they contradict, counts.
    """

    def __init__(self, engine: Engine, node: Node | None, settings: Sequence[Setting] = (), date: str = "", file: str = "facts") -> None:
        self.engine, self.node, self.settings, self.date, self.file = engine, node, tuple(settings), date, file
        self.memory: reading.Memory = {}
        self.facts = reading.read(node, engine.rulebook, self.settings, memory=self.memory)
        self._read: dict[frozenset[tuple[str, Value]], Facts | None] = {}
        self.count = 0

    @cached_property
    def base(self) -> Evaluation:
        """The evaluation of the facts as they are."""
        return self.engine.evaluate(self.facts, self.date, self.file)

    @cached_property
    def lookups(self) -> Lookups:
        """What is looked up beside the facts as they are."""
        return Lookups(self.facts, self.rulebook)

    @property
    def rulebook(self) -> Rulebook:
        return self.engine.rulebook

    def evaluate(self, changes: Mapping[Axis, Value], engine: Engine | None = None) -> Evaluation | None:
        """The evaluation with `changes`, by the whole engine or a part of it; None where the facts then contradict each other
        or rules give a figure that nothing can have."""
        self.count += 1
        facts = self.changed(changes)
        if facts is None:
            return None
        try:
            return (engine or self.engine).evaluate(facts, self.date, self.file)
        except GpurulesError:
            return None

    def loosely(self, changes: Mapping[Axis, Value], free: Iterable[Axis], cone: Cone) -> tuple[Facts, frozenset[str]] | None:
        """The facts with `changes`, each a cell of values, and with the facts of `free` left as they are or at any of their places; and
        those of them that may as well not be known. None where no such facts can be.

        What is looked up by a fact that has several values may be known at some of them only: it is then as open as it can be.
        """
        free, vocabulary = tuple(free), self.rulebook.vocabulary.facts
        facts = self.changed(changes)
        if facts is None and not free:
            return None
        given = dict((facts or self.facts).given)
        stated = self.stated | {axis.path for axis in changes}
        wanted = {*cone.facts, *cone.needed, PRICE_AGE}
        opened: set[str] = set()
        names = {axis.path for axis in (*changes, *free)} | {path for path in ("gpu.name", "model.name") if path in given and wide(given[path].value)}
        for axis, value in changes.items():
            if facts is None:  # what contradicts may be among what is free
                opened |= self.lookups.fills(axis.path, names) - stated
            elif wide(value) and leads(axis.path, facts):
                opened |= self.lookups.fills(axis.path, names) - given.keys()
            if facts is None or isinstance(value, Interval):
                given[axis.path] = _fact(axis.path, value)
        for axis in free:
            opened |= self.lookups.fills(axis.path, names) - stated
        opened &= wanted
        changing = {axis.path for axis in free if axis.kind != SETTLE}
        for axis in free:
            path = axis.path
            if path in changing or path not in given or path in opened:
                opened.add(path)
            else:
                given[path] = _fact(path, axis.now)
        opened -= {axis.path for axis in changes}
        given |= {path: _fact(path, vocabulary[path].whole) for path in opened}
        unsure = {path for path in opened if path not in changing or path not in stated}
        unsure |= {path for path in cone.needed & given.keys() if given[path].value == vocabulary[path].whole}
        ordered = {path: given[path] for path in vocabulary if path in given}
        return replace(facts or self.facts, given=ordered), frozenset(unsure)

    @cached_property
    def stated(self) -> frozenset[str]:
        """The facts that are stated each on its own, not by a name that says more."""
        return frozenset(gather(self.node, self.rulebook, self.settings).nodes)

    def judged(
        self,
        facts: Facts,
        advance: Advance,
        maybe: frozenset[str] = frozenset(),
        whole: Mapping[str, Value] | None = None,
        looked_for: dict[Hashable, Choice] | None = None,
        together: bool = True,
    ) -> Evaluation | None:
        """The evaluation of facts of which some may as well not be known, and what nobody stated has the values in `whole`; None where
        rules give a figure that nothing can have."""
        self.count += 1
        try:
            return advance.evaluate(facts, self.date, self.file, maybe, whole, looked_for, together)
        except GpurulesError:
            return None

    def changed(self, changes: Mapping[Axis, Value]) -> Facts | None:
        facts, paths = self.facts, [axis.path for axis in changes]
        anew = {axis: value for axis, value in changes.items() if self.lookups.reads_anew(axis.path, paths)}
        if anew:
            read = self._looked_up(anew)
            changes = {axis: value for axis, value in changes.items() if axis not in anew or value != _within(value, axis.definition)}
            if read is None or not changes:
                return read
            facts = read
        given = dict(facts.given)
        for axis, value in changes.items():
            given[axis.path] = _fact(axis.path, value)
        if not consistency.agree(given, self.rulebook, {axis.path for axis in changes}):
            return None
        if facts.given.keys() != given.keys():
            given = {path: given[path] for path in self.rulebook.vocabulary.facts if path in given}
        return replace(facts, given=given)

    def _looked_up(self, changes: Mapping[Axis, Value]) -> Facts | None:
        """The facts with changes by which others may be looked up; None where they contradict each other."""
        key = frozenset((axis.path, value) for axis, value in changes.items())
        if key not in self._read:
            texts = {axis: axis.text(_within(value, axis.definition)) for axis, value in changes.items()}
            several = [(axis, value) for axis, value in changes.items() if axis.definition.type in ("card", "model") and wide(value)]
            self.memory |= {(axis.path, texts[axis]): value for axis, value in several}  # several names at once are no name
            if len(self._read) >= REMEMBERED:
                self._read.clear()
            self._read[key] = self.read_again(texts)
        return self._read[key]

    def read_again(self, texts: Mapping[Axis, str]) -> Facts | None:
        """The facts read anew with each change written as a person writes it; None where they contradict each other."""
        settings = [Setting(axis.path, text) for axis, text in texts.items()]
        try:
            return reading.read(self.node, self.rulebook, (*self.settings, *settings), memory=self.memory)
        except GpurulesError:
            return None

    def contradiction(self, changes: Mapping[Axis, Value]) -> str:
        """Why there is no decision with `changes`; empty where there is one."""
        settings = [Setting(axis.path, axis.text(value)) for axis, value in changes.items()]
        try:
            self.engine.evaluate(reading.read(self.node, self.rulebook, (*self.settings, *settings), memory=self.memory), self.date, self.file)
        except GpurulesError as error:
            return error.problems[0].message
        return ""

    def corners(self, cone: Cone) -> tuple[Mapping[str, Value], ...]:
        """What nobody stated, at one of its ends: all low, all high, and both ways by turns."""
        vocabulary, known = self.rulebook.vocabulary.facts, self.base.facts.known
        whole = [(path, vocabulary[path]) for path in cone.facts if path not in known]
        patterns = ((0, 0), (1, 1), (0, 1), (1, 0)) if len(whole) > 1 else ((0, 0), (1, 1)) if whole else ()
        return tuple({path: _end(d, ends[at % 2]) for at, (path, d) in enumerate(whole)} for ends in patterns)


def _within(value: Value, definition: Definition) -> Value:
    """As much of a value as the fact may be; a search also asks after values that are wider, which no facts file can state."""
    if isinstance(value, frozenset):
        return value & frozenset(definition.members)
    return Interval(max(value.low, definition.range.low), min(value.high, definition.range.high))


def _fact(path: str, value: Value) -> Fact:
    return Fact(path, value, STATED, "", Place(f"--set {path}"))


def _end(definition: Definition, which: int) -> Value:
    whole = definition.whole
    return Interval(whole[which], whole[which]) if isinstance(whole, Interval) else frozenset([list(definition.members)[-which]])
