"""The vocabulary: what every fact means, its unit and range, how people spell its members, and how to obtain it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce

from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import Mapping, Node
from gpurules.engine.language import syntax
from gpurules.engine.language.typecheck import EnumType, NumberType, Type
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Place, Problem
from gpurules.engine.values.unit import Unit

KINDS = ("observed", "choice", "derived")
TYPES = ("number", "enum", "bool", "card", "model")
COSTS = {"free": 1, "minutes": 5, "hours": 60, "money": 600}
"""What obtaining a fact costs, for ordering what to measure next."""
PLAIN = Unit("1", Fraction(1), ())
YES_NO = {"yes": ("yes",), "no": ("no",), "true": ("yes",), "false": ("no",), "是": ("yes",), "否": ("no",)}


@dataclass(frozen=True, slots=True)
class Localized:
    """One text in both languages."""

    en: str
    zh: str

    def get(self, language: str) -> str:
        return self.zh if language == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Definition:
    """One fact: see `schemas/vocabulary`. Ranges and steps are in base units. An enumeration has `members`, and `aliases`
    that stand for sets of them; a number may have `words` that stand for quantities (int8: 8 bit)."""

    path: str
    title: Localized
    type: str
    kind: str
    place: Place
    unit: Unit = PLAIN
    range: Interval = Interval(0.0, 0.0)
    step: float = 0.0
    integer: bool = False
    share: bool = False
    members: MappingABC[str, Localized] = field(default_factory=dict)
    aliases: MappingABC[str, tuple[str, ...]] = field(default_factory=dict)
    words: MappingABC[str, str] = field(default_factory=dict)
    open: bool = False
    movable: bool = True
    applies_when: syntax.Node | None = None
    agreement: float | None = None
    command: str = ""
    obtain: Localized | None = None
    cost: str = "free"
    combine: str = ""

    @property
    def number(self) -> bool:
        return self.type == "number"

    @property
    def whole(self) -> Interval | frozenset[str]:
        """The widest value: of a fact that nobody stated."""
        return self.range if self.number else frozenset(self.members)

    @property
    def language_type(self) -> Type:
        if self.number:
            return NumberType(self.unit.dimension, self.range)
        return EnumType(tuple(self.members), self.type == "bool")

    def show(self, value: object, language: str = "en") -> str:
        """A value as people write it; several members joined by "or"; the whole range as "unknown"."""
        if isinstance(value, Interval):
            if value == self.range and not value.exact:
                return "未知" if language == "zh" else "unknown"
            shown = quantity.show(value, self.unit, self.share, self.range)
            return in_chinese(shown) if language == "zh" else shown
        assert isinstance(value, frozenset)
        if len(value) == len(self.members) and len(value) > 1:
            return "未知" if language == "zh" else "unknown"
        words = [self.members[m].get(language) for m in self.members if m in value]
        if len(words) > 6:
            words = [*words[:5], f"… ({len(words)})"]
        if language == "zh":
            if not words or any("或" in word for word in words):  # beside an "or" inside a member the one between members needs room
                return " 或 ".join(words)
            return reduce(lambda left, right: spaced(spaced(left, "或"), right), words)
        return " or ".join(words)


@dataclass(frozen=True)
class Vocabulary:
    """All definitions by path, and the topics and actions that advice may name."""

    facts: MappingABC[str, Definition]
    topics: MappingABC[str, Localized]
    actions: MappingABC[str, Localized]

    @cached_property
    def scope(self) -> dict[str, Type]:
        return {path: d.language_type for path, d in self.facts.items()}


_PATH = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


def load(documents: MappingABC[str, Node], catalogs: MappingABC[str, MappingABC[str, Localized]]) -> Vocabulary:
    """The vocabulary of several documents. `catalogs` gives the members of `card` and `model` facts. Raises GpurulesError."""
    reader = _Reader(catalogs)
    for node in documents.values():
        reader.document(node)
    reader.finish()
    if reader.problems:
        raise GpurulesError(reader.problems)
    return Vocabulary(reader.facts, reader.topics, reader.actions)


class _Reader:
    def __init__(self, catalogs: MappingABC[str, MappingABC[str, Localized]]) -> None:
        self.catalogs = catalogs
        self.problems: list[Problem] = []
        self.facts: dict[str, Definition] = {}
        self.topics: dict[str, Localized] = {}
        self.actions: dict[str, Localized] = {}

    def problem(self, place: Place, message: str, mend: str) -> None:
        self.problems.append(Problem(place, "GR201", message, mend))

    def document(self, node: Node) -> None:
        plain = document.plain(node)
        if not isinstance(node, Mapping) or not isinstance(plain, dict):
            return self.problem(node.place, "a vocabulary file is a mapping", "write facts: and a list")
        for name in ("topics", "actions"):
            target = self.topics if name == "topics" else self.actions
            target.update({key: Localized(text["en"], text["zh"]) for key, text in plain.get(name, {}).items()})
        for index, entry in enumerate(plain.get("facts", ())):
            place = document.located(node, ["facts", index])
            try:
                self._fact(entry, place)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                named = entry.get("path") if isinstance(entry, dict) else entry
                self.problem(
                    place,
                    f"fact '{named}' lacks {error}" if isinstance(error, KeyError) else f"fact '{named}': {error}",
                    "see docs on the vocabulary's keys",
                )

    def _fact(self, entry: dict[str, object], place: Place) -> None:
        path, kind, type_ = str(entry["path"]), str(entry["kind"]), str(entry["type"])
        if not _PATH.fullmatch(path) or any(keyword.iskeyword(word) for word in path.split(".")):
            return self.problem(place, f"'{path}' cannot be the name of a fact", "use lower-case words joined by dots, none of Python's keywords")
        if path in self.facts:
            return self.problem(place, f"'{path}' is defined twice", "keep one definition")
        if kind not in KINDS or type_ not in TYPES:
            return self.problem(place, f"'{path}' has kind '{kind}' and type '{type_}'", f"kinds: {', '.join(KINDS)}; types: {', '.join(TYPES)}")
        obtain = entry.get("obtain")
        common = {
            "path": path, "title": localized(entry["title"]), "type": type_, "kind": kind, "place": place,
            "movable": _yes(entry.get("movable", "yes")), "agreement": _float(entry.get("agreement")),
            "applies_when": syntax.parse(str(entry["applies_when"])) if "applies_when" in entry else None,
            "command": str(obtain.get("command", "")) if isinstance(obtain, dict) else "",
            "obtain": localized(obtain) if isinstance(obtain, dict) else None,
            "cost": str(entry.get("cost", "free")), "combine": str(entry.get("combine", "")),
        }  # fmt: skip
        if common["cost"] not in COSTS or common["combine"] not in ("", "max", "min", "sum"):
            return self.problem(place, f"'{path}' has an unknown cost or combine", f"costs: {', '.join(COSTS)}; combine: max, min, sum")
        found = Definition(**common, **(self._numeric(entry) if type_ == "number" else self._enumerated(entry)))  # type: ignore[arg-type]
        if found.combine and not found.number:
            return self.problem(place, f"'{path}' is no number, and cannot combine", "leave combine out")
        if found.combine == "sum" and not found.range.low <= 0 <= found.range.high:
            return self.problem(place, f"'{path}' is a sum, but its range leaves out 0, the sum of nothing", "widen its range to 0, or combine otherwise")
        self.facts[path] = found

    def _numeric(self, entry: dict[str, object]) -> dict[str, object]:
        text = str(entry.get("unit", "1"))
        found = unit.parse(text)
        if found is None:
            raise ValueError(f"unknown unit '{text}'")
        ends, step = entry["range"], entry.get("step", 0)
        if not isinstance(ends, list) or len(ends) != 2:
            raise ValueError("range must be [low, high]")
        low, high = (quantity.read(str(end), found).low for end in ends)
        size = quantity.read(str(step), found).low
        if low is None or high is None or size is None or low > high:
            raise ValueError("range must be two numbers, the smaller first")
        words = entry.get("aliases", {})
        assert isinstance(words, dict)
        for text in words.values():
            quantity.read(str(text), found, _yes(entry.get("share", "no")))
        return {
            "words": {folded(str(word)): str(text) for word, text in words.items()},
            "unit": found, "range": Interval(low, high), "step": size, "members": {}, "aliases": {},
            "integer": _yes(entry.get("integer", "no")), "share": _yes(entry.get("share", "no")),
        }  # fmt: skip

    def _enumerated(self, entry: dict[str, object]) -> dict[str, object]:
        is_open = _yes(entry.get("open", "no"))
        members: dict[str, Localized] = {}
        match entry["type"]:
            case "bool":
                members = {"no": Localized("no", "否"), "yes": Localized("yes", "是")}
                return {"members": members, "aliases": YES_NO}
            case "card" | "model":
                members = dict(self.catalogs[str(entry["type"])])
            case _:
                given = entry["members"]
                assert isinstance(given, dict)
                members = {name: localized(text) for name, text in given.items()}
        if is_open:
            members.setdefault("other", Localized("other", "其他"))
        aliases: dict[str, tuple[str, ...]] = {}
        given_aliases = entry.get("aliases", {})
        assert isinstance(given_aliases, dict)
        for word, targets in given_aliases.items():
            unknown = [t for t in targets if t not in members]
            if unknown:
                raise ValueError(f"alias '{word}' names unknown members {unknown}")
            aliases[folded(str(word))] = tuple(targets)
        return {"members": members, "aliases": aliases, "open": is_open}

    def finish(self) -> None:
        for definition in self.facts.values():
            for name in syntax.names(definition.applies_when) if definition.applies_when else ():
                if name not in self.facts:
                    self.problem(definition.place, f"'{definition.path}' applies_when reads unknown fact '{name}'", "name a fact of the vocabulary")


_HAN, _LATIN, _WIDE = re.compile("[\u4e00-\u9fff]"), re.compile(r"[A-Za-z0-9%≤≥−.]"), re.compile("[\u3001-\u3011\uff01-\uff1f]")
_WORDS = {"years": "年", "year": "年", "months": "个月", "days": "天", "h": "小时", "min": "分钟", "s": "秒", "USD/year": "USD/年"}
_WORDS |= {"byte": "字节", "bytes": "字节", "bit": "位", "bits": "位", "sequence": "条", "sequences": "条", "token": "令牌", "tokens": "令牌"}
_WORDS |= {"token/s": "令牌/秒", "tokens/s": "令牌/秒", "sample/s": "样本/秒", "samples/s": "样本/秒", "samples": "个样本"}


def in_chinese(shown: str) -> str:
    """A quantity with the words among its units in Chinese; symbols such as GB stay."""
    number, space, unit_name = shown.replace(quantity.TO, " 至 ").rpartition(" ")
    return f"{number}{space}{_WORDS.get(unit_name, unit_name)}"


def spaced(left: str, right: str) -> str:
    """Two pieces of a Chinese text. Who writes a rule cannot know what a gap will hold: a space parts Chinese from Latin, none
    parts Chinese from Chinese, or stands at a wide mark of punctuation."""
    before, after = left.rstrip(" "), right.lstrip(" ")
    if not before or not after:
        return left + right
    here, there = bool(_HAN.match(before[-1])), bool(_HAN.match(after[0]))
    if here and there or _WIDE.match(before[-1]) or _WIDE.match(after[0]):
        return before + after
    latin = here and _LATIN.match(after[0]) or there and _LATIN.match(before[-1])
    return f"{before} {after}" if latin else left + right


def folded(word: str) -> str:
    """A member or alias as it is compared: without case, spaces, dashes and underscores told apart."""
    return re.sub(r"[\s_-]+", "_", word.strip().casefold())


def localized(node: object) -> Localized:
    """A text in both languages, from plain data. Raises TypeError or KeyError."""
    if not isinstance(node, dict):
        raise TypeError("a text needs en: and zh:")
    return Localized(str(node["en"]), str(node["zh"]))


def _yes(value: object) -> bool:
    if str(value) not in ("yes", "no", "True", "False"):
        raise ValueError(f"'{value}' is neither yes nor no")
    return str(value) in ("yes", "True")


def _float(value: object) -> float | None:
    return None if value is None else float(str(value))
