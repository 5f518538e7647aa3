"""Documents: YAML files with a place for every value, under the YAML 1.2 core schema. The one door to files.

Stricter than YAML where YAML loses things silently: a key that stands twice, tags, several documents and merge keys are
refused; depth, size and what aliases expand to are bounded. Scalars keep their text, so that `0.30` stays exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from gpurules.engine.values.problem import GpurulesError, Place, Problem, printable

MAX_BYTES, MAX_DEPTH, MAX_NODES = 1_000_000, 24, 50_000
MAX_TEXT, MAX_FAULTS, MAX_DIRECTIVES = 10_000, 100, 10
CATALOG_BYTES, CATALOG_NODES = 20_000_000, 5_000_000
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_HALVES = re.compile("[\ud800-\udfff]")
_KINDS = (
    ("null", re.compile(r"~|null|Null|NULL|")),
    ("bool", re.compile(r"true|True|TRUE|false|False|FALSE")),
    ("int", re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")),
    ("float", re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")),
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value as written: its text, and its kind under the core schema (text, int, float, bool, null)."""

    text: str
    kind: str
    place: Place
    lead: int | None = 0

    def at(self, offset: int) -> Place:
        """Where the character at `offset` of the text stands; the start of the value where the text was folded."""
        return self.place if self.lead is None else self.place.shifted(self.lead + offset)


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a mapping, where it stands, and its value."""

    key: str
    place: Place
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries in the order of the file, no key twice."""

    entries: tuple[Entry, ...]
    place: Place

    def get(self, key: str) -> Node | None:
        return next((e.value for e in self.entries if e.key == key), None)


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Node, ...]
    place: Place


Node = Scalar | Mapping | Listing


def read(path: Path) -> Node:
    """The document in a file given by a user. Raises GpurulesError naming every fault found."""
    return parse(content(path), printable(str(path), 300))


def content(path: Path) -> bytes:
    """The bytes of a file given by a user, at most one more than a document may have. Raises GpurulesError."""
    shown = printable(str(path), 300)
    try:
        if path.is_dir():
            raise _unreadable(shown, "is a directory", "name a file, e.g. facts.yaml")
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _unreadable(shown, "there is no such file", "check the path") from None
    except (OSError, ValueError) as error:
        raise _unreadable(shown, f"cannot be read: {getattr(error, 'strerror', None) or error}", "check the path and its permissions") from None


def _unreadable(shown: str, message: str, mend: str) -> GpurulesError:
    return GpurulesError([Problem(Place(shown), "GR001", message, mend)])


def parse(content: bytes, file: str, max_bytes: int = MAX_BYTES, max_nodes: int = MAX_NODES) -> Node:
    """The document in `content`; `file` names it in places. Raises GpurulesError."""
    if len(content) > max_bytes:
        raise _unreadable(file, f"is larger than {max_bytes:,} bytes", "give the facts of one workload, or one rule, a file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        raise GpurulesError([Problem(_place_in(before, len(before), file), "GR002", "is not UTF-8 text", "save the file as UTF-8")]) from None
    composer = _Composer(file, max_nodes)
    if text.count("\n%") > MAX_DIRECTIVES:
        raise GpurulesError([Problem(Place(file), "GR004", "holds many lines that begin with %", "remove them: YAML's directives have no use here")])
    try:
        node = composer.compose(text)
    except yaml.YAMLError as error:
        composer.problems.append(_yaml_problem(error, file, text))
    if composer.problems:
        raise GpurulesError(composer.problems)
    return node


def _yaml_problem(error: yaml.YAMLError, file: str, text: str) -> Problem:
    if isinstance(error, yaml.MarkedYAMLError) and (error.problem_mark or error.context_mark):
        mark = error.problem_mark or error.context_mark
        assert mark is not None
        end = _place_in(text, len(text), file)
        place = min(Place(file, mark.line + 1, mark.column + 1), end)  # an end awaited is marked on the line after the last
        what = printable(error.problem or error.context or "cannot be read", 200)
        if error.problem and error.context and error.context_mark and error.context_mark.line < mark.line:
            what += f" {printable(error.context, 200)} that starts at line {error.context_mark.line + 1}"
    else:
        position = getattr(error, "position", 0)
        if _LOADER is not yaml.SafeLoader:  # the one in C counts bytes
            position = len(text.encode()[:position].decode("utf-8", "ignore"))
        place = _place_in(text, position, file)
        what = "holds a character that YAML does not allow"
    mend = "use spaces, not tabs, for indentation" if "\t" in text else "check indentation, colons and quotes; put text with ': ' or ' #' in quotes"
    return Problem(place, "GR003", f"is not YAML: {what}", mend)


def _place_in(text: str, position: int, file: str) -> Place:
    """Where the character at `position` stands, with lines as YAML breaks them."""
    line, start = 1, 0
    for found in _BREAK.finditer(text, 0, position):
        line, start = line + 1, found.end()
    return Place(file, line, position - start + 1)


class _Composer:
    """Builds nodes from parser events, so that depth and aliases are bounded before anything recurses."""

    def __init__(self, file: str, max_nodes: int) -> None:
        self.file, self.max_nodes = file, max_nodes
        self.problems: list[Problem] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.nodes = 0

    def compose(self, text: str) -> Node:
        events: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=_LOADER))
        root: Node | None = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents == 2:
                    self._stop(event, "holds several documents", "keep one, and remove the '---' after it")
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, events, 0)
        if root is None or (isinstance(root, Scalar) and root.kind == "null"):
            raise _unreadable(self.file, "is empty", "write at least one key, e.g. workload.task: inference")
        return root

    def _place(self, event: yaml.Event) -> Place:
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1) if mark else Place(self.file)

    def _problem(self, event: yaml.Event, message: str, mend: str) -> None:
        self.problems.append(Problem(self._place(event), "GR004", message, mend))
        if len(self.problems) == MAX_FAULTS:
            self._stop(event, "and what follows it has more faults than are worth a list", "mend these, and try again")

    def _stop(self, event: yaml.Event, message: str, mend: str) -> None:
        self.problems.append(Problem(self._place(event), "GR004", message, mend))
        raise GpurulesError(self.problems)

    def _count(self, event: yaml.Event, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > self.max_nodes:
            self._stop(event, f"holds more than {self.max_nodes:,} values, aliases counted as often as used", "split the file")

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                self._stop(event, f"alias '*{printable(event.anchor or '')}' refers to nothing before it, or to what holds it", "write the value out")
            node, nodes = self.anchors[event.anchor or ""]
            self._count(event, nodes)
            return replace(node, place=self._place(event), lead=None) if isinstance(node, Scalar) else replace(node, place=self._place(event))
        before = self.nodes
        self._count(event, 1)
        if depth > MAX_DEPTH:
            self._stop(event, "is nested too deeply", f"at most {MAX_DEPTH} levels")
        tag = getattr(event, "tag", None)
        if tag is not None and tag != "!":
            self._problem(event, f"carries the tag '{printable(tag)}'", "write plain values without tags")
        if isinstance(event, yaml.ScalarEvent):
            node = self._scalar(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(event, events, depth)
        else:
            node = self._mapping(event, events, depth)
        anchor = getattr(event, "anchor", None)
        if anchor:
            self.anchors[anchor] = (node, self.nodes - before)
        return node

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        if _HALVES.search(event.value):
            self._problem(event, "holds half a character (a lone surrogate)", "write the character itself")
        if len(event.value) > MAX_TEXT:
            self._stop(event, f"is longer than {MAX_TEXT:,} characters", "no value and no key is that long")
        kind = "text"
        if event.implicit[0] and not event.style:
            kind = next((k for k, pattern in _KINDS if pattern.fullmatch(event.value)), "text")
        return Scalar(event.value, kind, self._place(event), _lead(event))

    def _sequence(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Listing:
        items: list[Node] = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(self._node(item, events, depth + 1))
        return Listing(tuple(items), self._place(event))

    def _mapping(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Mapping:
        entries: dict[str, Entry] = {}
        while not isinstance(key_event := next(events), yaml.MappingEndEvent):
            key = self._node(key_event, events, depth + 1)
            value = self._node(next(events), events, depth + 1)
            if not isinstance(key, Scalar):
                self._problem(key_event, "a key must be a single word", "write key: value")
            elif key.text in entries:
                first = entries[key.text].place
                self._problem(key_event, f"key '{printable(key.text)}' stands twice; first at {first}", "keep one of the two")
            else:
                entries[key.text] = Entry(key.text, key.place, value)
        return Mapping(tuple(entries.values()), self._place(event))


def _lead(event: yaml.ScalarEvent) -> int | None:
    """Characters between the mark of a scalar and its text: a quote, or None where lines were folded."""
    if event.start_mark is None or event.end_mark is None or event.start_mark.line != event.end_mark.line:
        return None
    return 1 if event.style in ("'", '"') else 0


# ---------------------------------------------------------------- as plain data


def plain(node: Node) -> object:
    """The document as dict, list, str, int, float, bool, None; for JSON Schema and digests."""
    if isinstance(node, Mapping):
        return {e.key: plain(e.value) for e in node.entries}
    if isinstance(node, Listing):
        return [plain(item) for item in node.items]
    match node.kind:
        case "null":
            return None
        case "bool":
            return node.text.lower() == "true"
        case "int":
            if len(node.text) >= 400:
                return node.text
            return int(node.text, 0) if node.text[:2] in ("0x", "0o") else int(node.text)
        case "float":
            number = float(node.text.lower().replace(".inf", "inf").replace(".nan", "nan"))
            return number if abs(number) < float("inf") else node.text
    return node.text


def located(node: Node, path: Sequence[str | int]) -> Place:
    """Where the value at `path` (keys and indexes) stands; the place of its nearest known parent otherwise."""
    place = node.place
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str):
            entry = next((e for e in node.entries if e.key == step), None)
            if entry is None:
                return place
            node, place = entry.value, entry.value.place
        elif isinstance(node, Listing) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            place = node.place
    return place
