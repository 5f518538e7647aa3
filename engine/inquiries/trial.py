"""Trials: the same facts with some of them changed, evaluated again. Each is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from gpurules.engine.inference import consistency
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import STATED, Fact, Facts, Setting
from gpurules.engine.inquiries.axis import Axis, Value
from gpurules.engine.inquiries.lookup import Lookups
from gpurules.engine.knowledge.document import Node
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place

LOOKED_AT = ("gpu.", "model.", "network.nodes", "interconnect.")
"""Facts by which others are looked up, or which are held against a catalogue."""
_LEADING = frozenset(["gpu.name", "gpu.count", "gpu.memory_nominal", "gpu.memory_usable", "network.nodes", "interconnect.kind", "site.region"])


class Trial:
    """Facts as somebody stated them, ready to be evaluated with some of them changed.

    Changed facts stand as if they had been stated so: whatever a catalogue says of them, and whatever they contradict, counts.
    """

    def __init__(self, engine: Engine, node: Node | None, settings: Sequence[Setting] = (), date: str = "", file: str = "facts") -> None:
        self.engine, self.node, self.settings, self.date, self.file = engine, node, tuple(settings), date, file
        self.memory: reading.Memory = {}
        self.facts = reading.read(node, engine.rulebook, self.settings, memory=self.memory)
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

    def changed(self, changes: Mapping[Axis, Value]) -> Facts | None:
        facts = self.facts
        if any(self.reads(axis.path) for axis in changes):
            read = self.read_again({axis: axis.text(_within(value, axis.definition)) for axis, value in changes.items()})
            changes = {axis: value for axis, value in changes.items() if value != _within(value, axis.definition)}
            if read is None or not changes:
                return read
            facts = read
        given = dict(facts.given)
        for axis, value in changes.items():
            given[axis.path] = Fact(axis.path, value, STATED, axis.text(value), Place(f"--set {axis.path}"))
        if next(consistency.problems(given, self.rulebook, {axis.path for axis in changes}), None) is not None:
            return None
        if facts.given.keys() != given.keys():
            given = {path: given[path] for path in self.rulebook.vocabulary.facts if path in given}
        return replace(facts, given=given)

    def read_again(self, texts: Mapping[Axis, str]) -> Facts | None:
        """The facts read anew with each change written as a person writes it; None where they contradict each other."""
        settings = [Setting(axis.path, text) for axis, text in texts.items()]
        try:
            return reading.read(self.node, self.rulebook, (*self.settings, *settings), memory=self.memory)
        except GpurulesError:
            return None

    def corners(self, cone: Cone) -> tuple[Cone, ...]:
        """A cone with what nobody stated at one of its ends: all low, all high, and both ways by turns."""
        vocabulary, known = self.rulebook.vocabulary.facts, self.base.facts.known
        whole = [(path, vocabulary[path]) for path in cone.facts if path not in known]
        patterns = ((0, 0), (1, 1), (0, 1), (1, 0)) if len(whole) > 1 else ((0, 0), (1, 1)) if whole else ()
        return tuple(cone.at({path: _end(d, ends[at % 2]) for at, (path, d) in enumerate(whole)}, self.date) for ends in patterns)

    def reads(self, path: str) -> bool:
        """Whether other facts may be looked up by this one, or checked against a catalogue with it, while facts are read."""
        return self.looks_up(path, self.rulebook)

    @staticmethod
    def looks_up(path: str, rulebook: Rulebook) -> bool:
        return path.startswith(LOOKED_AT) or path in rulebook.prices.asked_by or path == "site.region"


def leads(path: str, facts: Facts) -> bool:
    """Whether what is looked up may be another, once a fact has another value; any fact of a name that stands for several entries may tell them apart."""
    return path in _LEADING or path.startswith(("model.", "gpu.current_")) or (bool(facts.ambiguities) and path.startswith(LOOKED_AT))


def _within(value: Value, definition: Definition) -> Value:
    """As much of a value as the fact may be; a search also asks after values that are wider, which no facts file can state."""
    if isinstance(value, frozenset):
        return value & frozenset(definition.members)
    return Interval(max(value.low, definition.range.low), min(value.high, definition.range.high))


def _end(definition: Definition, which: int) -> Value:
    whole = definition.whole
    return Interval(whole[which], whole[which]) if isinstance(whole, Interval) else frozenset([list(definition.members)[-which]])
