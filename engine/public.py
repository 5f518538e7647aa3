"""The small public surface: load a rulebook, evaluate facts, get a decision."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from gpurules.engine.decisions import decision as decisions
from gpurules.engine.decisions import waiver
from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Facts, Setting
from gpurules.engine.knowledge import document, rulebook
from gpurules.engine.knowledge.document import Node
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

VERSION = "0.1.0"
"""Version of the engine, as in pyproject.toml; a test holds the two together."""

BACKENDS = ("scalar", "durable")
"""What may judge the rules about a workload: compiled conditions (the default), or the Rete network of durable-rules (extra `durable`)."""


@dataclass(frozen=True)
class Decision:
    """The result of one evaluation. `document` is plain data in the shape of schemas/decision.schema.json."""

    document: Document
    evaluation: Evaluation

    @property
    def status(self) -> str:
        """keep, recommended, provisional, ask, none_fits or not_sized."""
        return str(self.document["status"])

    def to_json(self) -> str:
        """Canonical JSON: same facts, rulebook and date give the same bytes."""
        return canonical.dumps(self.document)


def load(folder: Path | str | None = None) -> Rulebook:
    """The packaged rulebook, or the one in `folder` (rules alone, or a tree with rules/, catalogs/, schemas/). Raises GpurulesError."""
    return rulebook.load(None if folder is None else rulebook.folder(Path(folder)))


def evaluate(
    facts: Mapping[str, object] | Path | str | bytes,
    rules: Rulebook | Engine | None = None,
    settings: Sequence[Setting] = (),
    date: str = "",
    backend: str = "scalar",
    file: str = "facts",
) -> Decision:
    """Evaluate facts: a mapping from fact names to values as people write them, a path, or the content of a facts file.

    `rules` is a rulebook, or one made ready by `engine`. `settings` replace facts one by one;
    `date` is the day to decide for, the rulebook's release by default; `backend` is one of BACKENDS, which decide alike.
    `file` names the content of a facts file in what is said of its faults. Raises GpurulesError.
    """
    ready = _on(backend, rules if isinstance(rules, Engine) else engine(rules or _packaged()))
    node, file = _node(facts, file)
    given: Facts = facts_module.read(node, ready.rulebook, settings)
    evaluation = ready.evaluate(given, date, file)
    return Decision(decisions.document(evaluation, VERSION), evaluation)


def waive(decision: Decision, waivers: bytes, as_of: str, file: str = "waivers") -> Decision:
    """The decision with what the content of a waivers file accepts on the day `as_of` marked as waived. Raises GpurulesError."""
    read = waiver.read(waivers, file, decision.evaluation.program.rulebook.rules)
    return replace(decision, document=waiver.applied(decision.document, read, as_of))


def _node(facts: Mapping[str, object] | Path | str | bytes, file: str) -> tuple[Node | None, str]:
    if isinstance(facts, Mapping):
        return (document.parse(json.dumps(facts, ensure_ascii=False).encode("utf-8", "surrogatepass"), "facts") if facts else None), "facts"
    if isinstance(facts, bytes):
        return document.parse(facts, file), file
    return document.read(Path(facts)), str(facts)


@lru_cache(maxsize=1)
def _packaged() -> Rulebook:
    return load()


@lru_cache(maxsize=4)
def engine(rules: Rulebook) -> Engine:
    """The compiled form of a rulebook, made once for each."""
    return Engine(rules)


def _on(backend: str, ready: Engine) -> Engine:
    if backend not in BACKENDS:
        raise GpurulesError([Problem(Place(f"back end {printable(backend)}"), "GR701", "is unknown", f"there are: {', '.join(BACKENDS)}")])
    return _durable(ready) if backend == "durable" else ready


@lru_cache(maxsize=4)
def _durable(ready: Engine) -> Engine:
    return ready.durable()
