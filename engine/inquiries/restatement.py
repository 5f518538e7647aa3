"""The facts of a kept decision as they were stated, so that they can be evaluated again."""

from __future__ import annotations

from gpurules.engine.decisions import wording
from gpurules.engine.decisions.decision import FORMAT, Document
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import ASSUMED, STATED, Facts, Setting
from gpurules.engine.inference.names import COUNTS
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import GpurulesError, Place, Problem

_NAMES = tuple(COUNTS)


def is_decision(content: bytes) -> bool:
    """Whether bytes are meant as a decision rather than as a facts file."""
    return content.lstrip()[:1] == b"{" and FORMAT.encode() in content


def trial(document: Document, engine: Engine, file: str) -> Trial:
    """The facts of a decision as they were stated, ready to be evaluated again by the rulebook that decided.

    Raises GpurulesError (GR841) where the rulebook is another, or the facts cannot be made again from what the decision tells of them.
    """
    rulebook = engine.rulebook
    if document["rulebook"]["digest"] != rulebook.digest:
        decided = f"{document['rulebook']['version']} {document['rulebook']['digest'][:23]}…"
        message = f"was decided by rulebook {decided}, not by this one ({rulebook.version} {rulebook.digest[:23]}…)"
        mend = "name the rules that decided with --rules; `gpurules explain` reads the decision alone"
        raise GpurulesError([Problem(Place(file), "GR841", message, mend)])
    found = Trial(engine, None, settings(document), document["date"], file)
    if digest(found.facts) != document["facts_digest"]:
        raise GpurulesError([Problem(Place(file), "GR841", "does not tell its facts as they were stated", "give the facts file instead")])
    return found


def settings(document: Document) -> tuple[Setting, ...]:
    """What was stated, fact by fact; what a card's name stated besides comes with the name."""
    stated = [f for f in document["facts"] if f["origin"] == STATED]
    names = {f["text"] for f in stated if f["path"] in _NAMES}
    return tuple(Setting(f["path"], f["text"]) for f in stated if f["text"] not in names or f["path"] in _NAMES)


def digest(facts: Facts) -> str:
    """The digest of facts, as a decision has it."""
    return canonical.digest([[f.path, wording.encoded(f.value), f.origin] for f in facts.given.values() if f.origin != ASSUMED])
