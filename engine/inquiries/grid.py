"""A grid: the decisions over all combinations of listed values, each the one that evaluating that combination alone gives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpurules.engine.decisions.change import Signature
from gpurules.engine.inference import consistency
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.advance import Advance
from gpurules.engine.inference.choice import Choice
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import STATED, Fact, Facts, Setting
from gpurules.engine.inquiries.boundary import signature
from gpurules.engine.inquiries.lookup import looks_up
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.values.problem import GpurulesError, Place


@dataclass(frozen=True, slots=True)
class Row:
    """One combination: the values as they were written, and the number of its decision; -1 where the facts contradict each other,
    with what is wrong."""

    texts: tuple[str, ...]
    decision: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """The facts that are varied, a row for each combination of their values, and the distinct decisions, in the order in which they come."""

    paths: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    rows: tuple[Row, ...]
    decisions: tuple[Signature, ...]


class Gridded:
    """Makes a grid's rows. The facts are read anew only for values by which others are looked up; an evaluation goes on from the one
    before it; machines are chosen among once for all rows that tell them the same."""

    def __init__(self, engine: Engine, node: Node | None, file: str, machines: bool, stated: Sequence[Setting] = (), date: str = "") -> None:
        self.engine, self.node, self.file, self.machines, self.stated, self.date = engine, node, file, machines, tuple(stated), date
        self.advance = Advance(engine)
        self.looked_for: dict[Hashable, Choice] = {}
        self.memory: reading.Memory = {}
        self.decisions: dict[Signature, int] = {}

    def grid(self, lists: Mapping[str, Sequence[str]], tick: Callable[[float], None] = lambda share: None) -> Grid:
        """The decisions over `lists`, of each fact the values as they are written. Raises GpurulesError where the facts that stay are wrong."""
        reading.read(self.node, self.engine.rulebook, self.stated, memory=self.memory)
        paths = tuple(lists)
        leading = tuple(path for path in paths if looks_up(path, self.engine.rulebook))
        others = {path: {text: self._fact(path, text) for text in lists[path]} for path in paths if path not in leading}
        begun: dict[tuple[str, ...], Facts | str] = {}
        rows, every = [], math.prod(map(len, lists.values()))
        for texts in itertools.product(*lists.values()):
            values = dict(zip(paths, texts, strict=True))
            key = tuple(values[path] for path in leading)
            if key not in begun:
                begun[key] = self._read([Setting(path, values[path]) for path in leading])
            rows.append(self._row(texts, begun[key], [others[path][values[path]] for path in others]))
            tick(len(rows) / every)
        return Grid(paths, tuple(map(tuple, lists.values())), tuple(rows), tuple(self.decisions))

    def _fact(self, path: str, text: str) -> Fact:
        place = Place(f"--set {path}")
        definition = self.engine.rulebook.vocabulary.facts[path]
        return Fact(path, statement.read(definition, Scalar(text, "text", place), self.engine.rulebook.catalogs), STATED, text, place)

    def _read(self, settings: Sequence[Setting]) -> Facts | str:
        try:
            return reading.read(self.node, self.engine.rulebook, (*self.stated, *settings), memory=self.memory)
        except GpurulesError as error:
            return error.problems[0].message

    def _row(self, texts: tuple[str, ...], begun: Facts | str, further: Sequence[Fact]) -> Row:
        if isinstance(begun, str):
            return Row(texts, -1, begun)
        facts = begun
        if further:
            given = {**begun.given, **{fact.path: fact for fact in further}}
            wrong = next(consistency.problems(given, self.engine.rulebook, {fact.path for fact in further}), None)
            if wrong is not None:
                return Row(texts, -1, wrong.message)
            facts = replace(begun, given={path: given[path] for path in self.engine.rulebook.vocabulary.facts if path in given})
        try:
            found = self._signature(facts)
        except GpurulesError as error:
            return Row(texts, -1, error.problems[0].message)
        return Row(texts, self.decisions.setdefault(found, len(self.decisions)))

    def _signature(self, facts: Facts) -> Signature:
        evaluation = self.advance.evaluate(facts, self.date, self.file, looked_for=self.looked_for)
        return signature(evaluation, self.machines)
