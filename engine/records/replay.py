"""A decision made again: from what was recorded, or from the decision alone, and how the two differ."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gpurules.engine.decisions import decision as decisions
from gpurules.engine.decisions import waiver
from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import restatement
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.rulebook import SEMANTICS
from gpurules.engine.records import comparison
from gpurules.engine.records.comparison import Part
from gpurules.engine.records.record import Asked
from gpurules.engine.values import canonical

IDENTICAL, ENGINE, DIFFERENT = "identical", "engine", "different"
"""Outcomes: byte for byte the same; the same but for the numbers of the engine; not the same."""
_OF_THE_ENGINE = ("/engine/version", "/engine/semantics", "/rulebook/digest")


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of running a decision again. `semantics` are the numbers then and now; where these differ, so may anything."""

    outcome: str
    differences: tuple[Part, ...]
    semantics: tuple[int, int]
    engines: tuple[str, str]
    evaluation: Evaluation
    document: Document


def of_record(asked: Asked, engine: Engine, version: str, then: bytes) -> Replay:
    """The decision on what was asked, made by `engine`, held against the bytes recorded `then`. Raises GpurulesError."""
    evaluation, made = again(asked, engine, version)
    return _held(json.loads(then), evaluation, made, then)


def again(asked: Asked, engine: Engine, version: str) -> tuple[Evaluation, Document]:
    """The decision on what was asked, made anew by an engine of any rulebook. Raises GpurulesError."""
    settings = [Setting(path, text) for path, text in asked.settings]
    given = facts_module.read(document.parse(asked.facts, asked.file), engine.rulebook, settings)
    evaluation = engine.evaluate(given, asked.date, asked.file)
    made = decisions.document(evaluation, version)
    if asked.waivers is not None:
        made = waiver.applied(made, waiver.read(asked.waivers, "waivers", None), asked.as_of)
    return evaluation, made


def of_document(then: Document, engine: Engine, version: str) -> Replay:
    """The same from a decision alone: its facts are stated again as they were written, each at its place. Raises GpurulesError."""
    evaluation, made = restated(then, engine, version)
    return _held(then, evaluation, made, canonical.dumps(then).encode())


def restated(then: Document, engine: Engine, version: str) -> tuple[Evaluation, Document]:
    """The decision on the stated facts of another, by an engine of any rulebook, for the same day. Raises GpurulesError."""
    node, settings = restatement.stated(then, engine.rulebook)
    evaluation = engine.evaluate(facts_module.read(node, engine.rulebook, settings), str(then["date"]))
    made = decisions.document(evaluation, version)
    waived = waiver.of(then)
    if waived is not None:
        made = waiver.applied(made, *waived)
    return evaluation, made


def _held(then: Document, evaluation: Evaluation, made: Document, content: bytes) -> Replay:
    now = canonical.dumps(made).encode()
    semantics, engines = (then["engine"]["semantics"], SEMANTICS), (then["engine"]["version"], made["engine"]["version"])
    if now == content:
        return Replay(IDENTICAL, (), semantics, engines, evaluation, made)
    found = tuple(comparison.documents(then, json.loads(now)))
    mere = all(p.name in _OF_THE_ENGINE for p in found) and ("/rulebook/digest" not in {p.name for p in found} or semantics[0] != semantics[1])
    return Replay(ENGINE if found and mere else DIFFERENT, found, semantics, engines, evaluation, made)
