"""Claims of the sources, the sources themselves, and the register of conflicts between claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpurules.engine.knowledge.vocabulary import Localized


@dataclass(frozen=True, slots=True)
class Source:
    """A document that claims come from; `interest` names what its author sells, where that is known."""

    id: str
    title: Localized
    url: str
    interest: str


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of one source; `derived` marks what follows from it by arithmetic. `figures` are its numbers as written,
    each with what it is a figure of."""

    id: str
    source: str
    place: str
    says: Localized
    derived: bool
    figures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Claims that contradict each other: `supersedes` (`wins` names the side that holds), `scoped`, or `both`."""

    id: str
    between: tuple[str, ...]
    kind: str
    wins: str
    about: Localized
    holds: Localized


@dataclass(frozen=True, slots=True)
class Register:
    """All claims, sources and conflicts by id."""

    sources: Mapping[str, Source]
    claims: Mapping[str, Claim]
    conflicts: Mapping[str, Conflict]


def load(claims: object, conflicts: object) -> Register:
    """The register from the two documents as plain data."""
    assert isinstance(claims, dict) and isinstance(conflicts, dict)
    sources = {
        key: Source(key, _text(raw["title"]), str(raw.get("url", "")), str(raw.get("interest", "")))
        for key, raw in claims["sources"].items()
    }  # fmt: skip
    found = {
        raw["id"]: Claim(
            raw["id"],
            raw["source"],
            str(raw.get("place", "")),
            _text(raw["says"]),
            str(raw.get("derived", "no")) in ("yes", "True"),
            tuple((str(f["value"]), str(f["of"])) for f in raw.get("figures", ())),
        )
        for raw in claims["claims"]
    }
    met = {
        raw["id"]: Conflict(raw["id"], tuple(raw["between"]), raw["kind"], str(raw.get("wins", "")), _text(raw["about"]), _text(raw["holds"]))
        for raw in conflicts["conflicts"]
    }
    return Register(sources, found, met)


def _text(raw: object) -> Localized:
    return Localized(raw["en"], raw["zh"]) if isinstance(raw, dict) else Localized(str(raw), str(raw))
