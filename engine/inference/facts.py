"""Given facts: what a user stated and what the catalogues say of it, each with its origin; contradictions are errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpurules.engine.knowledge import document, statement
from gpurules.engine.knowledge.catalog import Entry, Sourced
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.statement import Value
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

STATED, LOOKED_UP, ASSUMED, DERIVED = "stated", "looked_up", "assumed", "derived"
_PAIRS = (("model.size_class", "model.parameters"), ("gpu.memory_nominal", "gpu.memory_usable"))
"""A size by name and the exact size: each stands in for the other where only one is known."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One given fact. `text` is what was written; `via` names the fact that a value was looked up or defaulted from."""

    path: str
    value: Value
    origin: str
    text: str
    place: Place | None = None
    via: str = ""
    sources: tuple[str, ...] = ()
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A name that stands for several entries of a catalogue."""

    path: str
    text: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """All given facts by path, in vocabulary order, and the names that need settling."""

    given: Mapping[str, Fact]
    ambiguities: tuple[Ambiguity, ...]

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self.given)


@dataclass(frozen=True, slots=True)
class Setting:
    """`path=value` from the command line; it replaces what the file says of that fact."""

    path: str
    text: str


def read(node: Node | None, rulebook: Rulebook, settings: Sequence[Setting] = (), allow_choices: bool = False) -> Facts:
    """The facts of a document (None: nothing stated) with `settings` applied. Raises GpurulesError with every fault."""
    reader = _Reader(rulebook, allow_choices)
    leaves: dict[str, Scalar | Node] = {}
    for path, place, value in _leaves(node, "", rulebook, reader.problems) if node is not None else ():
        if path in leaves:
            first = leaves[path].place
            reader.problems.append(Problem(place, "GR308", f"'{path}' is stated twice; first at line {first.line}", "keep one of the two"))
        else:
            leaves[path] = value
    for setting in settings:
        try:
            one = _one(setting, Place(f"--set {printable(setting.path)}"))
        except GpurulesError as error:
            reader.problems.extend(error.problems)
            continue
        for path, _, value in _leaves(one, "", rulebook, reader.problems):
            leaves[path] = value
    return reader.facts(leaves)


def _one(setting: Setting, place: Place) -> Node:
    content = document.parse(setting.text.encode("utf-8", "replace"), place.file) if setting.text.strip()[:1] in ("[", "{") else None
    value = content if content is not None else Scalar(setting.text, "text", place)
    return document.Mapping((document.Entry(setting.path, place, value),), place)


def _leaves(node: Node, prefix: str, rulebook: Rulebook, problems: list[Problem]) -> Iterable[tuple[str, Place, Node]]:
    """(path, place of its key, value) of every fact in a document, groups and dotted names alike."""
    known = rulebook.vocabulary.facts
    if not isinstance(node, document.Mapping):
        problems.append(Problem(node.place, "GR302", "the facts are a list or a single value, not a group of keys", "write e.g. workload.task: inference"))
        return
    for entry in node.entries:
        path = f"{prefix}{entry.key}"
        if path in known:
            yield path, entry.place, entry.value
        elif any(fact.startswith(f"{path}.") for fact in known) and isinstance(entry.value, document.Mapping):
            yield from _leaves(entry.value, f"{path}.", rulebook, problems)
        elif any(fact.startswith(f"{path}.") for fact in known):
            members = ", ".join(sorted(f for f in known if f.startswith(f"{path}."))[:4])
            problems.append(Problem(entry.place, "GR301", f"'{printable(path)}' is a group of facts", f"write one of its facts: {members} …"))
        else:
            grouped = isinstance(entry.value, document.Mapping)
            names = {fact[: fact.rindex(".")] for fact in known} if grouped else known
            mend = did_you_mean(path, names, "`gpurules facts` lists what may be stated")
            problems.append(Problem(entry.place, "GR301", f"unknown {'group of facts' if grouped else 'fact'} '{printable(path)}'", mend))


class _Reader:
    def __init__(self, rulebook: Rulebook, allow_choices: bool) -> None:
        self.rulebook, self.allow_choices = rulebook, allow_choices
        self.vocabulary = rulebook.vocabulary.facts
        self.problems: list[Problem] = []
        self.found: dict[str, Fact] = {}
        self.ambiguities: list[Ambiguity] = []

    def facts(self, leaves: Mapping[str, Node]) -> Facts:
        for path, node in leaves.items():
            self._state(path, node)
        if not self.problems:
            self._look_up("model.name", "model")
            self._look_up("gpu.name", "card")
            self._default()
            self._sizes()
        if self.problems:
            raise GpurulesError(self.problems)
        return Facts({path: self.found[path] for path in self.vocabulary if path in self.found}, tuple(self.ambiguities))

    def _state(self, path: str, node: Node) -> None:
        definition = self.vocabulary[path]
        if path.startswith("candidate.") and not self.allow_choices:
            self.problems.append(
                Problem(node.place, "GR309", f"'{path}' is found by gpurules for each machine", "describe a machine with gpu.*, interconnect.*, parallel.*")
            )
            return
        try:
            value = statement.read(definition, node, self.rulebook.catalogs)
        except GpurulesError as error:
            self.problems.extend(error.problems)
            return
        text = node.text if isinstance(node, Scalar) else ", ".join(str(document.plain(i)) for i in getattr(node, "items", ()))
        self.found[path] = Fact(path, value, STATED, text, node.place)

    # ------------------------------------------------------------ catalogues

    def _look_up(self, name_path: str, kind: str) -> None:
        named = self.found.get(name_path)
        if named is None or not isinstance(named.value, frozenset) or named.value == frozenset(["other"]):
            return
        catalog = self.rulebook.catalogs[kind]
        entries = [e for id_, e in catalog.entries.items() if id_ in named.value]
        fitting = [e for e in entries if all(self._agrees(e, path) for path in e.values)]
        if not fitting:
            self._contradiction(named, entries)
            return
        self.found[name_path] = Fact(name_path, frozenset(e.id for e in fitting), STATED, named.text, named.place)
        if len(fitting) > 1:
            self.ambiguities.append(Ambiguity(name_path, named.text, tuple(e.name for e in fitting)))
        for path in {p: None for e in fitting for p in e.values}:
            if path in self.vocabulary and path not in self.found and all(path in e.values for e in fitting):
                self._fill(path, [e.values[path] for e in fitting], name_path)
        if kind == "card":
            self._link(fitting)

    def _read_text(self, path: str, text: str) -> Value:
        return statement.read(self.vocabulary[path], Scalar(text, "text", Place("catalogs")), self.rulebook.catalogs)

    def _agrees(self, entry: Entry, path: str) -> bool:
        """Whether what the user stated may be true of this entry."""
        stated, definition = self.found.get(path), self.vocabulary.get(path)
        if stated is None or definition is None or definition.agreement is None:
            return True
        return _near(stated.value, self._read_text(path, entry.values[path].text), definition)

    def _contradiction(self, named: Fact, entries: Sequence[Entry]) -> None:
        for path in sorted({p for e in entries for p in e.values if not self._agrees(e, p)}):
            stated, definition = self.found[path], self.vocabulary[path]
            said = " or ".join(dict.fromkeys(definition.show(self._read_text(path, e.values[path].text)) for e in entries))
            where = f" at line {named.place.line}" if named.place and named.place.line else ""
            self.problems.append(
                Problem(
                    stated.place or Place("facts"),
                    "GR310",
                    f"{path} is stated as {definition.show(stated.value)}, but {named.path} '{printable(named.text, 60)}'{where} has {said}",
                    f"correct one of the two, or leave {path} out and let the catalogue answer",
                )
            )

    def _fill(self, path: str, values: Sequence[Sourced], via: str) -> None:
        read = [self._read_text(path, v.text) for v in values]
        value = _joined(read)
        sources = tuple(dict.fromkeys(s for v in values for s in v.sources))
        weakest = next((v.confidence for v in values if v.confidence in ("weak", "memory_only")), values[0].confidence)
        self.found[path] = Fact(path, value, LOOKED_UP, " | ".join(dict.fromkeys(v.text for v in values)), None, via, sources, weakest)

    def _link(self, cards: Sequence[Entry]) -> None:
        """The link among the cards where it was not stated: the card's own, or PCIe where its own needs a bridge; none for one card."""
        count = self.found["gpu.count"].value if "gpu.count" in self.found else self.vocabulary["gpu.count"].range
        assert isinstance(count, Interval)
        own = [c.values["link.kind"] for c in cards if "link.kind" in c.values]
        if "interconnect.kind" not in self.found and len(own) == len(cards):
            kinds = {"single_gpu"} if count.low <= 1 else set[str]()
            if count.high > 1:
                kinds |= {v.text for v in own} | ({"pcie"} if any(v.text == "nvlink_bridge" for v in own) else set())
            sources = tuple(dict.fromkeys(s for v in own for s in v.sources))
            shown = " | ".join(sorted(kinds))
            self.found["interconnect.kind"] = Fact("interconnect.kind", frozenset(kinds), LOOKED_UP, shown, None, "gpu.name", sources, own[0].confidence)
        if "interconnect.bandwidth" in self.found or "interconnect.kind" not in self.found or count.high <= 1:
            return
        kind = self.found["interconnect.kind"].value
        assert isinstance(kind, frozenset)
        chosen: list[Sourced] = []
        for card in cards:
            for key in ("link.bandwidth", "pcie.bandwidth"):
                wanted = card.values["link.kind"].text in kind if key == "link.bandwidth" and "link.kind" in card.values else "pcie" in kind
                if wanted and key in card.values:
                    chosen.append(card.values[key])
        if chosen:
            self._fill("interconnect.bandwidth", chosen, "gpu.name")

    # ------------------------------------------------------------ defaults

    def _default(self) -> None:
        for one, other in _PAIRS:
            for path, source in ((one, other), (other, one)):
                if path not in self.found and source in self.found:
                    value = self.found[source].value
                    assert isinstance(value, Interval)
                    within = interval.intersection(value, self.vocabulary[path].range)
                    if within is not None:
                        self.found[path] = Fact(path, within, LOOKED_UP, self.found[source].text, None, source)

    def _sizes(self) -> None:
        """A size by name and an exact size, both stated, must be of one model or card."""
        for one, other in _PAIRS:
            a, b = self.found.get(one), self.found.get(other)
            definition = self.vocabulary[one]
            if a and b and a.origin == b.origin == STATED and not _near(a.value, b.value, definition):
                where = f" (line {b.place.line})" if b.place and b.place.line else ""
                message = f"{one} is stated as {definition.show(a.value)}, but {other}{where} as {self.vocabulary[other].show(b.value)}"
                self.problems.append(Problem(a.place or Place("facts"), "GR310", message, "correct one of the two"))


def _joined(values: Sequence[Value]) -> Value:
    if isinstance(values[0], Interval):
        return interval.hull(*(v for v in values if isinstance(v, Interval)))
    return frozenset[str]().union(*(v for v in values if isinstance(v, frozenset)))


def _near(stated: Value, known: Value, definition: Definition) -> bool:
    """Whether two statements may be of one thing, within the fact's agreement."""
    if isinstance(stated, frozenset) and isinstance(known, frozenset):
        return bool(stated & known)
    assert isinstance(stated, Interval) and isinstance(known, Interval)
    slack = (definition.agreement or 0.0) * max(abs(end) for end in known)
    return interval.intersection(Interval(stated.low - slack, stated.high + slack), known) is not None
