"""The facts of a kept decision as they were stated, each at its place, so that they can be evaluated again."""

from __future__ import annotations

from collections.abc import Sequence

from gpurules.engine.decisions import wording
from gpurules.engine.decisions.decision import FORMAT, Document
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import ASSUMED, STATED, Facts, Setting
from gpurules.engine.inference.names import COUNTS
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.knowledge import naming
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.document import Entry, Listing, Mapping, Node, Scalar
from gpurules.engine.knowledge.naming import UnknownName
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values import canonical
from gpurules.engine.values.problem import GpurulesError, Place, Problem

FILE = "facts"
"""How the facts file of a kept decision is called, whose name it does not tell."""
_JOINT = ", "
"""What stands between the members of a list where a decision tells it as one text."""


def is_decision(content: bytes) -> bool:
    """Whether bytes are meant as a decision rather than as a facts file."""
    return content.lstrip()[:1] == b"{" and FORMAT.encode() in content


def trial(document: Document, engine: Engine, file: str, further: Sequence[Setting] = (), date: str = "") -> Trial:
    """The facts of the decision in `file` as they were stated, ready to be evaluated again by the rulebook that decided.

    `further` facts, and a `date` other than its own, make another decision of it. Raises GpurulesError (GR841) where the rulebook
    is another, or the facts cannot be made again from what the decision tells of them.
    """
    rulebook = engine.rulebook
    if document["rulebook"]["digest"] != rulebook.digest:
        decided = f"{document['rulebook']['version']} {document['rulebook']['digest'][:23]}…"
        message = f"was decided by rulebook {decided}, not by this one ({rulebook.version} {rulebook.digest[:23]}…)"
        mend = "name the rules that decided with --rules; `gpurules explain` reads the decision alone"
        raise GpurulesError([Problem(Place(file), "GR841", message, mend)])
    node, settings = stated(document, rulebook)
    found = Trial(engine, node, settings, document["date"], FILE)
    if digest(found.facts) != document["facts_digest"]:
        raise GpurulesError([Problem(Place(file), "GR841", "does not tell its facts as they were stated", "give the facts file instead")])
    return Trial(engine, node, (*settings, *further), date or document["date"], FILE) if further or date else found


def stated(document: Document, rulebook: Rulebook) -> tuple[Node | None, tuple[Setting, ...]]:
    """What was stated: in a file, where there is a place, else as settings. What a card's name stated besides comes with the name."""
    given = [f for f in document["facts"] if f["origin"] == STATED]
    names = {part for f in given if f["path"] in COUNTS for part in (f["text"], f["text"].split(_JOINT)[0])}
    entries, settings = [], []
    for fact in given:
        if fact["text"] in names and fact["path"] not in COUNTS:
            continue
        if "place" in fact:
            place = Place(FILE, fact["place"]["line"], fact["place"]["column"])
            entries.append(Entry(fact["path"], place, _written(fact, place, rulebook)))
        else:
            settings.append(Setting(fact["path"], fact["text"]))
    return (Mapping(tuple(entries), Place(FILE)) if entries else None), tuple(settings)


def _written(fact: Document, place: Place, rulebook: Rulebook) -> Node:
    """The text of a fact as it stood in its file: of several names of cards or models, told as one text, the list."""
    definition = rulebook.vocabulary.facts.get(fact["path"])
    parts = fact["text"].split(_JOINT)
    if definition is not None and definition.type in ("card", "model") and len(parts) > 1:
        catalog = rulebook.catalogs[definition.type]
        if not _known(fact["text"], catalog) and all(_known(part, catalog) for part in parts):
            return Listing(tuple(Scalar(part, "text", place) for part in parts), place)
    return Scalar(fact["text"], "text", place)


def _known(name: str, catalog: Catalog) -> bool:
    try:
        naming.named(name, catalog)
    except UnknownName:
        return False
    return True


def digest(facts: Facts) -> str:
    """The digest of facts, as a decision has it."""
    return canonical.digest([[f.path, wording.encoded(f.value), f.origin] for f in facts.given.values() if f.origin != ASSUMED])
