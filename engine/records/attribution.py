"""Because of which rule decisions change between two rulebooks: each changed rule is put into the first rulebook alone, and the decision made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpurules.engine.decisions.change import Signature
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import bundle, rulebook
from gpurules.engine.knowledge.bundle import Bundle
from gpurules.engine.records import comparison
from gpurules.engine.records.comparison import DATA, Difference, Moved
from gpurules.engine.values.problem import GpurulesError

TRIED = 12
"""Changes that are tried alone, at most; every one is a rulebook loaded and compiled."""


@dataclass(frozen=True, slots=True)
class Side:
    """A rulebook as files, and made ready."""

    files: Bundle
    engine: Engine


@dataclass(frozen=True, slots=True)
class Causes:
    """What a decision changes because of. `alone`: changes each of which alone changes the decision. `possible`: changes that
    what differs rests on, where none was found to do so alone: several together, or one that could not be tried without others."""

    alone: tuple[str, ...]
    possible: tuple[str, ...]


class Attribution:
    """Finds causes; what was tried for one decision is kept for the next."""

    def __init__(self, before: Side, after: Side, difference: Difference, told: Callable[[str], None] = lambda name: None) -> None:
        self.before, self.after, self.told = before, after, told
        self.deciding = [c.id for c in difference.rules if c.deciding]
        self.data = any(d.kind not in ("claim",) for d in difference.data)
        self.tried: dict[str, Engine | None] = {}

    def causes(self, found: Moved, start: Signature, decide: Callable[[Engine], Evaluation]) -> Causes:
        """Why a decision moved from the signature `start`; `decide` makes it with an engine, or raises GpurulesError."""
        engines = (self.before.engine, self.after.engine)
        suspects: Sequence[str] = comparison.suspects(found, engines, self.deciding)
        if self.data:
            suspects = (*suspects, DATA)
        if len(suspects) == 1 and (len(self.deciding) + self.data) == 1:
            return Causes(tuple(suspects), ())
        alone = []
        for name in suspects:
            engine = self._with(name)
            try:
                if engine is not None and comparison.signature(decide(engine)) != start:
                    alone.append(name)
            except GpurulesError:
                continue
        return Causes(tuple(alone), () if alone else tuple(suspects))

    def _with(self, name: str) -> Engine | None:
        """The first rulebook with one change of the second; None where that is no sound rulebook, or too many were tried."""
        if name not in self.tried:
            if len(self.tried) >= TRIED:
                return None
            self.told(name)
            try:
                self.tried[name] = Engine(rulebook.load(bundle.files(self._changed(name))))
            except (GpurulesError, ValueError):
                self.tried[name] = None
        return self.tried[name]

    def _changed(self, name: str) -> Mapping[str, bytes]:
        before, after = self.before, self.after
        if name == DATA:
            rules = {path: content for path, content in before.files.items() if path.startswith("rules/")}
            return {**rules, **{path: content for path, content in after.files.items() if not path.startswith("rules/")}}
        old, new = before.engine.rulebook.rules.get(name), after.engine.rulebook.rules.get(name)
        kept = {path: content for path, content in before.files.items() if old is None or path != old.place.file}
        return kept if new is None else {**kept, new.place.file: after.files[new.place.file]}
