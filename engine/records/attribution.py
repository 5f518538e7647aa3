"""Because of which rule decisions change between two rulebooks: each changed rule is put into the first rulebook
alone, and the decision made again; what several do together shows when each is left out of the second."""

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

TRIED = 16
"""Rulebooks of some of the changes that are tried, at most; every one is loaded and compiled."""


@dataclass(frozen=True, slots=True)
class Side:
    """A rulebook as files, and made ready."""

    files: Bundle
    engine: Engine


@dataclass(frozen=True, slots=True)
class Causes:
    """What a decision changes because of. `alone`: changes each of which alone changes the decision. `possible`: where these do not
    explain all that differs, changes that do the rest together: of those that it rests on, all but the ones without which the
    second rulebook decides the same. What is no sound rulebook without the others cannot be tried, and stays among them."""

    alone: tuple[str, ...]
    possible: tuple[str, ...]


class Attribution:
    """Finds causes; what was tried for one decision is kept for the next."""

    def __init__(self, before: Side, after: Side, difference: Difference, told: Callable[[str], None] = lambda name: None) -> None:
        self.before, self.after, self.told = before, after, told
        self.deciding = [c.id for c in difference.rules if c.deciding]
        self.data = any(d.kind not in ("claim",) for d in difference.data)
        self.tried: dict[tuple[str, ...], Engine | None] = {}

    def causes(self, found: Moved, start: Signature, decide: Callable[[Engine], Evaluation]) -> Causes:
        """Why a decision moved from the signature `start`; `decide` makes it with an engine, or raises GpurulesError."""
        suspects = self._suspects(found)
        if len(suspects) == 1 and (len(self.deciding) + self.data) == 1:
            return Causes(suspects, ())
        alone = tuple(name for name in suspects if self._signature([name], decide) not in (None, start))
        end = comparison.signature(decide(self.after.engine))
        reached = self._signature(alone, decide) if alone else start
        if reached == end:
            return Causes(alone, ())
        left = comparison.moved(reached, end) if reached is not None else found
        rest = tuple(name for name in (self._suspects(left) if left is not None else ()) if name not in alone)
        changes = (*self.deciding, *((DATA,) if self.data else ()))
        needed = tuple(n for n in rest if self._signature([c for c in changes if c != n], decide) != end) if len(rest) > 1 else ()
        return Causes(alone, needed or rest)

    def _suspects(self, found: Moved) -> tuple[str, ...]:
        suspects = comparison.suspects(found, (self.before.engine, self.after.engine), self.deciding)
        return (*suspects, DATA) if self.data else suspects

    def _signature(self, names: Sequence[str], decide: Callable[[Engine], Evaluation]) -> Signature | None:
        """What the first rulebook with some changes of the second decides; None where it cannot be made or does not take the facts."""
        engine = self._with(tuple(names))
        try:
            return comparison.signature(decide(engine)) if engine is not None else None
        except GpurulesError:
            return None

    def _with(self, names: tuple[str, ...]) -> Engine | None:
        """The first rulebook with some changes of the second; None where that is no sound rulebook, or too many were tried."""
        if names not in self.tried:
            if len(self.tried) >= TRIED:
                return None
            self.told(", ".join(names))
            try:
                self.tried[names] = Engine(rulebook.load(bundle.files(self._changed(names))))
            except (GpurulesError, ValueError):
                self.tried[names] = None
        return self.tried[names]

    def _changed(self, names: Sequence[str]) -> Mapping[str, bytes]:
        kept = dict(self.before.files)
        if DATA in names:
            kept = {path: content for path, content in kept.items() if path.startswith("rules/")}
            kept |= {path: content for path, content in self.after.files.items() if not path.startswith("rules/")}
        rules = [(self.before.engine.rulebook.rules.get(name), self.after.engine.rulebook.rules.get(name)) for name in names if name != DATA]
        for old, _ in rules:
            if old is not None:
                kept.pop(old.place.file, None)
        return {**kept, **{new.place.file: self.after.files[new.place.file] for _, new in rules if new is not None}}
