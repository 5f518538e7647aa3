"""Checks on catalogues, prices and the register of claims: their structure, what they refer to, and whether each value is one of its fact."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from collections.abc import Mapping as MappingABC
from functools import cache
from importlib import resources

from gpurules.engine.knowledge import statement, structure
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.document import Entry, Listing, Mapping, Node, Scalar
from gpurules.engine.knowledge.vocabulary import Vocabulary
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

ENTRIES = {
    "gpus.yaml": ("cards",), "models.yaml": ("models",), "prices.yaml": ("cards", "regions"), "claims.yaml": ("claims",), "conflicts.yaml": ("conflicts",),
}  # fmt: skip
"""The lists of entries with an id that each file holds."""
_LIKE = {"link.kind": "interconnect.kind", "link.bandwidth": "interconnect.bandwidth", "pcie.bandwidth": "interconnect.bandwidth"}
"""Values of a card that no fact is called by: the fact that each is read like."""
_SOLD = {"cards": "gpu.name", "regions": "site.region"}
"""The fact whose members have prices."""
_FACTS = "`gpurules facts` lists them"


@cache
def _schema(name: str) -> structure.Schema:
    """The JSON Schema of a catalogue: of the engine that reads it, whichever rulebook it belongs to."""
    text = resources.files("gpurules.schemas").joinpath("catalogs", name.replace(".yaml", ".schema.json")).read_text("utf-8")
    found: structure.Schema = json.loads(text)
    return found


def structural(name: str, node: Node) -> list[Problem]:
    """Faults of the file catalogs/`name` alone: its structure, ids that stand in it twice, and sources that it does not hold."""
    return structure.check(node, structure.validator(_schema(name)), "GR202") or [*_twice(name, node), *_unsourced(name, node)][: structure.MAX_FAULTS]


def _twice(name: str, node: Node) -> Iterator[Problem]:
    for kind in ENTRIES[name]:
        first: dict[str, Place] = {}
        for entry in _items(node, kind):
            id_ = _scalar(entry, "id")
            if id_.text in first:
                said = f"'{printable(id_.text)}' also stands in line {first[id_.text].line}"
                yield Problem(id_.place, "GR204", said, "keep one of the two, or give it another id")
            first.setdefault(id_.text, id_.place)


def _unsourced(name: str, node: Node) -> Iterator[Problem]:
    sources = _keys(node, "sources")
    for kind in ENTRIES[name]:
        for entry in _items(node, kind):
            for part in (entry, *(item.value for item in _values(entry))):
                named = (_scalar(part, "source"),) if name == "claims.yaml" else _items(part, "from")
                yield from (found for one in named for found in _unknown(one, sources, "source", "sources stand at the head of the file"))


def referring(nodes: MappingABC[str, Node], words: Vocabulary, catalogs: MappingABC[str, Catalog]) -> list[Problem]:
    """Facts, claims, cards and regions that are named and are none, and values that their facts cannot have. `nodes` are the files by name."""
    found = [problem for name, node in nodes.items() for problem in _valued(name, node, words, catalogs)]
    return [*found, *_conflicting(nodes["claims.yaml"], nodes["conflicts.yaml"])][: structure.MAX_FAULTS]


def _valued(name: str, node: Node, words: Vocabulary, catalogs: MappingABC[str, Catalog]) -> Iterator[Problem]:
    """The facts that values of a file fill, each value, and what prices are of."""
    read: set[tuple[str, str]] = set()
    for asked in _items(node, "asked_by"):
        yield from _unknown(asked, words.facts, "fact", _FACTS)
    for kind in ENTRIES[name]:
        sold = words.facts.get(_SOLD[kind]) if name == "prices.yaml" else None
        for entry in _items(node, kind):
            if sold is not None:
                yield from _unknown(_scalar(entry, "id"), sold.members, f"entry of {sold.path} called", "give it an id that has one")
            for item in _values(entry):
                path = _LIKE.get(item.key, item.key)
                yield from _unknown(Scalar(path, "text", item.place), words.facts, "fact", _FACTS)
                written = _scalar(item.value, "value") if isinstance(item.value, Mapping) else item.value
                if path in words.facts and isinstance(written, Scalar) and (path, written.text) not in read:
                    read.add((path, written.text))
                    try:
                        statement.read(words.facts[path], written, catalogs)
                    except GpurulesError as error:
                        yield from error.problems


def _conflicting(claims: Node, conflicts: Node) -> Iterator[Problem]:
    """The claims of conflicts, and the side that wins."""
    known = frozenset(_scalar(claim, "id").text for claim in _items(claims, "claims"))
    for conflict in _items(conflicts, "conflicts"):
        between = [one for one in _items(conflict, "between") if isinstance(one, Scalar)]
        for one in between:
            yield from _unknown(one, known, "claim", "claims stand in catalogs/claims.yaml")
        sides = [*(one.text for one in between), *(["with"] if _part(conflict, "with") is not None else [])]
        if _part(conflict, "wins") is not None:
            yield from _unknown(_scalar(conflict, "wins"), sides, "side of this conflict called", f"name one of {', '.join(sides)}")


def _unknown(name: Node, among: Collection[str], kind: str, mend: str) -> Iterator[Problem]:
    if isinstance(name, Scalar) and name.text not in among:
        yield Problem(name.place, "GR203", f"there is no {kind} '{printable(name.text)}'", did_you_mean(name.text, among, mend))


def _values(entry: Node) -> tuple[Entry, ...]:
    found = _part(entry, "values")
    return found.entries if isinstance(found, Mapping) else ()


def _part(node: Node, key: str) -> Node | None:
    return node.get(key) if isinstance(node, Mapping) else None


def _items(node: Node, key: str) -> tuple[Node, ...]:
    found = _part(node, key)
    return tuple(found.items) if isinstance(found, Listing) else ()


def _keys(node: Node, key: str) -> frozenset[str]:
    found = _part(node, key)
    return frozenset(e.key for e in found.entries) if isinstance(found, Mapping) else frozenset()


def _scalar(node: Node, key: str) -> Scalar:
    """A scalar that the structure asks for."""
    found = _part(node, key)
    assert isinstance(found, Scalar), key
    return found
