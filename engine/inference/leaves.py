"""The leaves of a facts document: every fact that it or the command line states, with its place, before anything is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

MAX_UNKNOWN = 100
"""Unknown names that are looked into; a file with more is none of facts."""


@dataclass(frozen=True, slots=True)
class Setting:
    """`path=value` from the command line; it replaces what the file says of that fact."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Leaves:
    """The value of each stated fact as written. `replaced` names those that a setting states."""

    nodes: dict[str, Node]
    replaced: frozenset[str]
    problems: tuple[Problem, ...]


def gather(node: Node | None, rulebook: Rulebook, settings: Sequence[Setting] = ()) -> Leaves:
    """All leaves of a document (None: nothing stated) with `settings` applied, and what is wrong with the names of facts."""
    problems: list[Problem] = []
    nodes: dict[str, Node] = {}
    groups = _groups(tuple(rulebook.vocabulary.facts))
    for path, place, value in _leaves(node, "", rulebook, groups, problems) if node is not None else ():
        if path in nodes:
            first = nodes[path].place
            problems.append(Problem(place, "GR308", f"'{path}' is stated twice; first at {first}", "keep one of the two"))
        else:
            nodes[path] = value
    replaced: set[str] = set()
    for setting in settings:
        try:
            one = _one(setting, Place(f"--set {printable(setting.path)}"))
        except GpurulesError as error:
            problems.extend(error.problems)
            continue
        for path, _, value in _leaves(one, "", rulebook, groups, problems):
            nodes[path] = value
            replaced.add(path)
    return Leaves(nodes, frozenset(replaced), tuple(problems))


@lru_cache(maxsize=8)
def _groups(facts: tuple[str, ...]) -> frozenset[str]:
    """The names of groups of facts: what stands before a dot."""
    return frozenset(fact[:end] for fact in facts for end, c in enumerate(fact) if c == ".")


def _one(setting: Setting, place: Place) -> Node:
    content = document.parse(setting.text.encode("utf-8", "replace"), place.file) if setting.text.strip()[:1] in ("[", "{") else None
    value = content if content is not None else Scalar(setting.text, "text", place)
    return document.Mapping((document.Entry(setting.path, place, value),), place)


def _leaves(node: Node, prefix: str, rulebook: Rulebook, groups: frozenset[str], problems: list[Problem]) -> Iterable[tuple[str, Place, Node]]:
    """(path, place of its key, value) of every fact in a document, groups and dotted names alike."""
    known = rulebook.vocabulary.facts
    if not isinstance(node, document.Mapping):
        problems.append(Problem(node.place, "GR302", "the facts are a list or a single value, not a group of keys", "write e.g. workload.task: inference"))
        return
    for entry in node.entries:
        path = f"{prefix}{entry.key}"
        if path in known:
            yield path, entry.place, entry.value
        elif path in groups and isinstance(entry.value, document.Mapping):
            yield from _leaves(entry.value, f"{path}.", rulebook, groups, problems)
        elif path in groups:
            members = ", ".join(sorted(f for f in known if f.startswith(f"{path}."))[:4])
            problems.append(Problem(entry.place, "GR301", f"'{printable(path)}' is a group of facts", f"write one of its facts: {members} …"))
        elif len(problems) >= MAX_UNKNOWN:
            problems.append(Problem(entry.place, "GR301", "and what follows it holds more unknown names", "is this a file of facts?"))
            return
        else:
            grouped = isinstance(entry.value, document.Mapping)
            names = {fact[: fact.rindex(".")] for fact in known} if grouped else known
            mend = did_you_mean(path, names, "`gpurules facts` lists what may be stated")
            problems.append(Problem(entry.place, "GR301", f"unknown {'group of facts' if grouped else 'fact'} '{printable(path)}'", mend))
