"""What a card's name states beside the card: how many there are, and how much memory, each at the name's own place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpurules.engine.knowledge import naming, spelling
from gpurules.engine.knowledge.catalog import Catalog
from gpurules.engine.knowledge.document import Listing, Node, Scalar
from gpurules.engine.knowledge.naming import Named, UnknownName

COUNTS = {"gpu.name": "gpu.count", "gpu.current_name": "gpu.current_count", "candidate.card": "candidate.count"}
"""The fact that a number in a card's name states."""
_MEMORIES = {"gpu.name": "gpu.memory_nominal"}
"""The fact that a size in the name states where the card itself is sold with several."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A fact that the name under `via` states too. `value` is plain; `text` is the whole name as written."""

    path: str
    value: Scalar
    via: str
    text: str


def asides(path: str, node: Node, cards: Catalog) -> Iterator[Aside]:
    """The further facts in a card's name; of a list of names, only what all of them say."""
    if path not in COUNTS:
        return
    items = [item for item in (node.items if isinstance(node, Listing) else (node,)) if isinstance(item, Scalar)]
    read = [_named(item.text.strip(), cards) for item in items]
    for fact, said in ((COUNTS.get(path), [n and n.count for n in read]), (_MEMORIES.get(path), [n and n.memory for n in read])):
        if fact and said and said[0] not in (None, "") and said == said[:1] * len(said):
            yield Aside(fact, Scalar(str(said[0]), "text", items[0].place), path, items[0].text)


def settled(node: Node, catalog: Catalog) -> bool:
    """Whether the names mean nothing beside entries of the catalogue."""
    items = node.items if isinstance(node, Listing) else (node,)
    return all(named is None or named.settled for named in (_named(item.text.strip(), catalog) for item in items if isinstance(item, Scalar)))


def counted(path: str, node: Node) -> Node:
    """A count of cards as a job queue or a person writes it, as a plain number; any other node as it is."""
    number = spelling.count(node.text) if path in COUNTS.values() and isinstance(node, Scalar) else None
    return node if number is None else Scalar(str(number), "text", node.place)


def _named(text: str, catalog: Catalog) -> Named | None:
    try:
        return naming.named(text, catalog)
    except UnknownName:
        return None
