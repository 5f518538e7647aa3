"""Trials: the same facts with some of them changed, evaluated again. Each is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from gpurules.engine.answers.axis import Axis, Value
from gpurules.engine.inference import consistency
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import STATED, Fact, Facts, Setting
from gpurules.engine.knowledge.document import Node
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.problem import GpurulesError, Place

LOOKED_AT = ("gpu.", "model.", "network.nodes", "interconnect.")
"""Facts by which others are looked up, or which are held against a catalogue."""


class Trial:
    """Facts as somebody stated them, ready to be evaluated with some of them changed.

    Changed facts stand as if they had been stated so: whatever a catalogue says of them, and whatever they contradict, counts.
    """

    def __init__(self, engine: Engine, node: Node | None, settings: Sequence[Setting] = (), date: str = "", file: str = "facts") -> None:
        self.engine, self.node, self.settings, self.date, self.file = engine, node, tuple(settings), date, file
        self.facts = reading.read(node, engine.rulebook, self.settings)
        self.count = 0

    @cached_property
    def base(self) -> Evaluation:
        """The evaluation of the facts as they are."""
        return self.engine.evaluate(self.facts, self.date, self.file)

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
        if any(self.reads(axis.path) for axis in changes):
            return self.read_again({axis: axis.text(value) for axis, value in changes.items()})
        given = dict(self.facts.given)
        for axis, value in changes.items():
            given[axis.path] = Fact(axis.path, value, STATED, axis.text(value), Place(f"--set {axis.path}"))
        if next(consistency.problems(given, self.rulebook), None) is not None:
            return None
        if self.facts.given.keys() != given.keys():
            given = {path: given[path] for path in self.rulebook.vocabulary.facts if path in given}
        return replace(self.facts, given=given)

    def read_again(self, texts: Mapping[Axis, str]) -> Facts | None:
        """The facts read anew with each change written as a person writes it; None where they contradict each other."""
        settings = [Setting(axis.path, text) for axis, text in texts.items()]
        try:
            return reading.read(self.node, self.rulebook, (*self.settings, *settings))
        except GpurulesError:
            return None

    def reads(self, path: str) -> bool:
        """Whether other facts may be looked up by this one, or checked against a catalogue with it, while facts are read."""
        return path.startswith(LOOKED_AT) or path in self.rulebook.prices.asked_by or path == "site.region"
