"""Given facts: what a user stated and what the catalogues say of it, each with its origin; contradictions are errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpurules.engine.inference import consistency, names, pricing
from gpurules.engine.inference.leaves import Leaves, gather
from gpurules.engine.inference.leaves import Setting as Setting
from gpurules.engine.inference.names import Aside
from gpurules.engine.knowledge import document, statement
from gpurules.engine.knowledge.catalog import Entry, Sourced
from gpurules.engine.knowledge.document import Node, Scalar
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.statement import Value
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

STATED, LOOKED_UP, ASSUMED = "stated", "looked_up", "assumed"
PAIRS = (("model.size_class", "model.parameters"), ("gpu.memory_nominal", "gpu.memory_usable"))
"""A size by name and the exact size: each stands in for the other where only one is known."""
_CURRENT = "gpu.current_name"


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
    """A name that stands for several entries of a catalogue; an entry … is a version that the catalogue lacks."""

    path: str
    text: str
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unrecognized:
    """A name that the catalogue does not hold, kept as a name; `nearest` are the catalogue's names most like it."""

    path: str
    text: str
    nearest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """All given facts by path, in vocabulary order, and the names that need settling. `oldest` is the month of the oldest price
    that was looked up, as `2026-03`."""

    given: Mapping[str, Fact]
    ambiguities: tuple[Ambiguity, ...]
    unrecognized: tuple[Unrecognized, ...] = ()
    oldest: str = ""

    @property
    def known(self) -> frozenset[str]:
        return frozenset(self.given)

    @property
    def settled(self) -> frozenset[str]:
        """The known facts that nothing is assumed over: all but an exact size that a size by name stands in for."""
        stood_for = [path for _, path in PAIRS if path in self.given and (self.given[path].via, path) in PAIRS]
        return frozenset(self.given).difference(stood_for)


Memory = dict[tuple[str, str], Value]
"""What texts were found to say of facts, for whoever reads much the same facts again."""


def read(node: Node | None, rulebook: Rulebook, settings: Sequence[Setting] = (), allow_choices: bool = False, memory: Memory | None = None) -> Facts:
    """The facts of a document (None: nothing stated) with `settings` applied. `memory` is of the same rulebook. Raises GpurulesError
    with every fault."""
    return _Reader(rulebook, allow_choices, gather(node, rulebook, settings), {} if memory is None else memory).facts()


class _Reader:
    def __init__(self, rulebook: Rulebook, allow_choices: bool, leaves: Leaves, memory: Memory) -> None:
        self.rulebook, self.allow_choices, self.leaves, self.memory = rulebook, allow_choices, leaves, memory
        self.vocabulary = rulebook.vocabulary.facts
        self.problems: list[Problem] = list(leaves.problems)
        self.found: dict[str, Fact] = {}
        self.ambiguities: list[Ambiguity] = []
        self.unrecognized: list[Unrecognized] = []
        self.oldest = ""

    def facts(self) -> Facts:
        for path, node in self.leaves.nodes.items():
            self._state(path, node)
        for path, node in self.leaves.nodes.items():
            for aside in names.asides(path, node, self.rulebook.catalogs["card"]) if path in self.found else ():
                self._state_aside(aside)
        if not self.problems:
            self._look_up("model.name", "model")
            self._look_up("gpu.name", "card")
            self._look_up_current()
            self._default()
            self._sizes()
            self._price()
        self.problems.extend(consistency.problems(self.found, self.rulebook))
        if self.problems:
            raise GpurulesError(self.problems)
        given = {path: self.found[path] for path in self.vocabulary if path in self.found}
        return Facts(given, tuple(self.ambiguities), tuple(self.unrecognized), self.oldest)

    def _state(self, path: str, node: Node) -> None:
        definition = self.vocabulary[path]
        if path.startswith("candidate.") and not self.allow_choices:
            self.problems.append(
                Problem(node.place, "GR309", f"'{path}' is found by gpurules for each machine", "describe a machine with gpu.*, interconnect.*, parallel.*")
            )
            return
        try:
            value = self._said(definition, names.counted(path, node))
        except GpurulesError as error:
            self.problems.extend(error.problems)
            return
        text = node.text if isinstance(node, Scalar) else ", ".join(str(document.plain(i)) for i in getattr(node, "items", ()))
        self.found[path] = Fact(path, value, STATED, text, node.place)

    def _state_aside(self, aside: Aside) -> None:
        """A fact that a card's name states too, unless a setting replaces it. What is stated of it elsewhere must agree."""
        definition, place, first = self.vocabulary[aside.path], aside.value.place, self.found.get(aside.path)
        if (aside.path in self.leaves.replaced and aside.via not in self.leaves.replaced) or (first is None and aside.path in self.leaves.nodes):
            return
        try:
            said = statement.read(definition, aside.value, self.rulebook.catalogs)
        except GpurulesError as error:
            self.problems.extend(error.problems)
            return
        assert isinstance(said, Interval)
        nodes = self.found["network.nodes"].value if "network.nodes" in self.found and aside.path == "gpu.count" else Interval(1.0, 1.0)
        assert isinstance(nodes, Interval)
        name = f"{aside.via} '{printable(aside.text, 60)}'"
        if first is None and nodes.low > 1:
            message = f"{name} may count the cards of one node or of all {nodes.low:g}"
            self.problems.append(Problem(place, "GR310", message, f"state {aside.path}: the cards of all nodes together"))
        elif first is None:
            self.found[aside.path] = Fact(aside.path, said, STATED, aside.text, place)
        elif not _near(first.value, said, definition) and not _near(first.value, Interval(said.low * nodes.low, said.high * nodes.high), definition):
            message = f"{aside.path} is stated as {definition.show(first.value)}, but {name} ({place}) says {definition.show(said)}"
            self.problems.append(Problem(first.place or place, "GR310", message, "correct one of the two, or say it once"))
        elif isinstance(first.value, Interval):
            self.found[aside.path] = replace(first, value=interval.intersection(first.value, said) or first.value)

    # ------------------------------------------------------------ catalogues

    def _look_up(self, name_path: str, kind: str) -> None:
        named = self.found.get(name_path)
        catalog = self.rulebook.catalogs[kind]
        if named is None or not isinstance(named.value, frozenset):
            return
        if "other" in named.value:
            self.unrecognized.append(Unrecognized(name_path, named.text, catalog.nearest(named.text)))
            return
        entries = [e for id_, e in catalog.entries.items() if id_ in named.value]
        held = [path for path in self.found if self.vocabulary[path].agreement is not None]
        fitting = [e for e in entries if all(self._agrees(e, path) for path in held if path in e.values)]
        if not fitting:
            self._contradiction(named, entries)
            return
        self.found[name_path] = Fact(name_path, frozenset(e.id for e in fitting), STATED, named.text, named.place)
        if len(fitting) > 1:
            self.ambiguities.append(Ambiguity(name_path, named.text, tuple(e.name for e in fitting)))
        elif not names.settled(self.leaves.nodes[name_path], catalog):
            self.ambiguities.append(Ambiguity(name_path, named.text, (fitting[0].name, "…")))
        for path in {p: None for e in fitting for p in e.values}:
            if path in self.vocabulary and path not in self.found and all(path in e.values for e in fitting):
                self._fill(path, [e.values[path] for e in fitting], name_path)
                if any(e.shared_memory for e in fitting):
                    self.found[path] = replace(self.found[path], value=_joined([self._known(e, path) for e in fitting]))
        if kind == "card":
            self._link(fitting)

    def _look_up_current(self) -> None:
        """What facts gpu.current_* tell of the card used today: the catalogue's, where its name says it and nobody stated it."""
        named = self.found.get(_CURRENT)
        if named is None or not isinstance(named.value, frozenset):
            return
        catalog = self.rulebook.catalogs["card"]
        if "other" in named.value:
            self.unrecognized.append(Unrecognized(_CURRENT, named.text, catalog.nearest(named.text)))
            return
        entries = [e for id_, e in catalog.entries.items() if id_ in named.value]
        for path in self.vocabulary:
            own = path.replace("gpu.current_", "gpu.")
            if path.startswith("gpu.current_") and path not in self.found and all(own in e.values for e in entries):
                self._fill(path, [e.values[own] for e in entries], _CURRENT)

    def _read_text(self, path: str, text: str) -> Value:
        return self._said(self.vocabulary[path], Scalar(text, "text", Place("catalogs")))

    def _said(self, definition: Definition, node: Node) -> Value:
        """What a node says of a fact; a text that was read before says the same."""
        if not isinstance(node, Scalar) or node.kind == "null":
            return statement.read(definition, node, self.rulebook.catalogs)
        key = definition.path, node.text
        if key not in self.memory:
            self.memory[key] = statement.read(definition, node, self.rulebook.catalogs)
        return self.memory[key]

    def _known(self, entry: Entry, path: str) -> Value:
        """The entry's value; of memory that is the machine's the catalogue holds the largest configuration only."""
        value = self._read_text(path, entry.values[path].text)
        if path == "gpu.memory_nominal" and entry.shared_memory and isinstance(value, Interval):
            return Interval(self.vocabulary[path].range.low, value.high)
        return value

    def _agrees(self, entry: Entry, path: str) -> bool:
        """Whether what the user stated may be true of this entry."""
        stated, definition = self.found.get(path), self.vocabulary.get(path)
        if stated is None or definition is None or definition.agreement is None:
            return True
        return _near(stated.value, self._known(entry, path), definition)

    def _contradiction(self, named: Fact, entries: Sequence[Entry]) -> None:
        for path in sorted({p for e in entries for p in e.values if not self._agrees(e, p)}):
            stated, definition = self.found[path], self.vocabulary[path]
            known = [e.values[path] for e in entries if path in e.values]
            said = " or ".join(dict.fromkeys(definition.show(self._read_text(path, v.text)) for v in known))
            where = f" ({named.place})" if named.place else ""
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

    def _price(self) -> None:
        """Prices that nobody stated, from the catalogue of prices; the month of the oldest tells how old they are."""
        prices = self.rulebook.prices
        for quote in list(pricing.quotes({path: fact.value for path, fact in self.found.items()}, self.leaves, prices)):
            if quote.path in self.vocabulary:
                self._fill(quote.path, quote.values, quote.via)
                months = [prices.dates[s] for v in quote.values for s in v.sources]
                self.oldest = min([*months, self.oldest] if self.oldest else months)

    # ------------------------------------------------------------ defaults

    def _default(self) -> None:
        for one, other in PAIRS:
            for path, source in ((one, other), (other, one)):
                if path not in self.found and source in self.found:
                    value = self.found[source].value
                    assert isinstance(value, Interval)
                    within = interval.intersection(value, self.vocabulary[path].range)
                    if within is not None:
                        self.found[path] = Fact(path, within, LOOKED_UP, self.found[source].text, None, source)

    def _sizes(self) -> None:
        """A size by name and an exact size, both stated, must be of one model or card."""
        for one, other in PAIRS:
            a, b = self.found.get(one), self.found.get(other)
            definition = self.vocabulary[one]
            if a and b and a.origin == b.origin == STATED and not _near(a.value, b.value, definition):
                where = f" ({b.place})" if b.place else ""
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
