"""Two rulebooks, or two decisions, held side by side: what was added, removed and changed, and because of which rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gpurules.engine.decisions import change
from gpurules.engine.decisions.change import Signature
from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.rule import Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.problem import Place

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
DATA = "catalogues and vocabulary"
"""What stands for everything of a rulebook beside its rules, where causes are named."""
_SILENT = frozenset(["cases", "title", "because", "version", "cites", "confidence"])
"""Keys of a rule that alter no decision's signature."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that differs: a key of a rule or the name of a parameter, and how it reads on both sides (None: it is not there)."""

    name: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that was added, removed or changed; `versions` on both sides ("" where it is not there)."""

    id: str
    kind: str
    title: Mapping[str, str]
    versions: tuple[str, str]
    parameters: tuple[Part, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def deciding(self) -> bool:
        """Whether it can alter a decision: texts, citations and cases cannot."""
        return self.kind != CHANGED or bool(self.parameters) or any(p.name not in _SILENT for p in self.parts)


@dataclass(frozen=True, slots=True)
class DataChange:
    """An entry of a catalogue, fact, claim or conflict that was added, removed or changed."""

    kind: str
    id: str
    change: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two rulebooks."""

    rules: tuple[RuleChange, ...]
    data: tuple[DataChange, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """What became of a decision: its verdict on both sides, and the advice that stands on one side only, as (rule, topic, action, level, state)."""

    verdicts: tuple[tuple[str, ...], tuple[str, ...]]
    gone: tuple[tuple[str, str, str, str, str], ...]
    new: tuple[tuple[str, str, str, str, str], ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules whose advice differs."""
        return tuple(sorted({a[0] for a in (*self.gone, *self.new)}))


# ---------------------------------------------------------------- rulebooks


def rulebooks(before: Rulebook, after: Rulebook) -> Difference:
    """What differs; of rules as they are written, not how their files are laid out."""
    return Difference(tuple(_rules(before.rules, after.rules)), tuple(_data(before, after)))


def _rules(before: Mapping[str, Rule], after: Mapping[str, Rule]) -> Iterator[RuleChange]:
    for id_ in sorted({*before, *after}):
        old, new = before.get(id_), after.get(id_)
        one = new or old
        assert one is not None
        title = {"en": one.title.en, "zh": one.title.zh}
        versions = (old.version if old else "", new.version if new else "")
        if old is None or new is None:
            yield RuleChange(id_, REMOVED if new is None else ADDED, title, versions)
            continue
        parts = list(_parts(document.plain(old.root), document.plain(new.root)))
        if parts:
            figures = [p for part in parts if part.name == "parameters" for p in _parts(part.before or {}, part.after or {})]
            yield RuleChange(id_, CHANGED, title, versions, tuple(figures), tuple(p for p in parts if p.name != "parameters"))


def _parts(before: Any, after: Any) -> Iterator[Part]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield Part(name, before.get(name), after.get(name))


def _data(before: Rulebook, after: Rulebook) -> Iterator[DataChange]:
    groups: list[tuple[str, Mapping[str, Any], Mapping[str, Any]]] = [
        *((kind, before.catalogs[kind].entries, after.catalogs[kind].entries) for kind in sorted({*before.catalogs} & {*after.catalogs})),
        ("fact", _facts(before), _facts(after)),
        ("claim", before.register.claims, after.register.claims),
        ("conflict", before.register.conflicts, after.register.conflicts),
        ("prices", {"all": before.prices}, {"all": after.prices}),
    ]
    for kind, old, new in groups:
        for id_ in sorted({*old, *new}):
            if id_ not in old or id_ not in new or old[id_] != new[id_]:
                yield DataChange(kind, id_, ADDED if id_ not in old else REMOVED if id_ not in new else CHANGED)


def _facts(rulebook: Rulebook) -> Mapping[str, Any]:
    return {path: replace(d, place=Place("")) for path, d in rulebook.vocabulary.facts.items()}


# ---------------------------------------------------------------- decisions


def moved(before: Signature, after: Signature) -> Moved | None:
    """What became of a decision; None where both come to the same, whatever their figures and texts."""
    if before == after:
        return None
    return Moved((before[0], after[0]), tuple(sorted(before[1] - after[1])), tuple(sorted(after[1] - before[1])))


def suspects(found: Moved, engines: Iterable[Engine], changed: Iterable[str]) -> tuple[str, ...]:
    """Of the rules that were changed, those that a decision's difference can come from: whatever the advice that differs rests on, and where
    the verdict differs, whatever requirements, criteria and machines named outright rest on."""
    reached = set[str]()
    for engine in engines:
        targets = [r for r in found.rules if r in engine.program.procedures]
        if found.verdicts[0] != found.verdicts[1]:
            targets += [r.id for r in engine.rulebook.running if r.for_each or any(_decides(c) for c in r.then)]
        reached |= Cone(engine, targets).rules if targets else set()
    return tuple(r for r in changed if r in reached)


def _decides(conclusion: object) -> bool:
    return type(conclusion).__name__ in ("Require", "Prefer") or bool(getattr(conclusion, "machine", None))


def signature(evaluation: Evaluation) -> Signature:
    return change.signature(evaluation)


# ---------------------------------------------------------------- documents


MISSING = "(nothing)"
_NAMES = ("kind", "rule", "fact", "path", "id", "topic", "action", "claim", "index")


def documents(before: Any, after: Any, path: str = "") -> Iterator[Part]:
    """Every place where two documents differ, as a path of keys; items of lists are matched by what names them."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            step = f"{path}/{key}"
            if key not in before or key not in after:
                yield Part(step, before.get(key, MISSING), after.get(key, MISSING))
            else:
                yield from documents(before[key], after[key], step)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _lists(before, after, path)
    elif before != after or type(before) is not type(after):
        yield Part(path, before, after)


def _lists(before: list[Any], after: list[Any], path: str) -> Iterator[Part]:
    old, new = _named(before), _named(after)
    if old is None or new is None:
        for number in range(max(len(before), len(after))):
            step = f"{path}/{number}"
            if number >= len(before) or number >= len(after):
                yield Part(step, *(side[number] if number < len(side) else MISSING for side in (before, after)))
            else:
                yield from documents(before[number], after[number], step)
        return
    for name in dict.fromkeys((*old, *new)):
        step = f"{path}/{name}"
        if name not in old or name not in new:
            yield Part(step, old.get(name, MISSING), new.get(name, MISSING))
        else:
            yield from documents(old[name], new[name], step)
    if [n for n in old if n in new] != [n for n in new if n in old]:
        yield Part(f"{path} (order)", list(old), list(new))


def _named(items: list[Any]) -> dict[str, Document] | None:
    """Items by what names them; None where they have no names, or not each its own."""
    found: dict[str, Document] = {}
    for item in items:
        name = " ".join(str(item[k]) for k in _NAMES if isinstance(item.get(k), str | int)) if isinstance(item, dict) else ""
        if not name or name in found:
            return None
        found[name] = item
    return found
