"""The sources of a decision, document by document, each with the claims that were taken from it."""

from __future__ import annotations

from dataclasses import dataclass

from gpurules.engine.reports.trace_section import TraceReader


@dataclass(frozen=True, slots=True)
class Claim:
    """`spoken`: whether it stands behind something that the report says, and not only behind a figure."""

    name: str
    text: str
    place: str
    spoken: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A document. `url` is empty unless it is one of the web."""

    name: str
    title: str
    url: str
    interest: str
    claims: tuple[Claim, ...]


class SourcesReader(TraceReader):
    """Reads the documents behind a decision."""

    def by_document(self) -> tuple[Source, ...]:
        """Every document cited, in the order of its letter."""
        spoken = self._spoken()
        found: dict[str, list[Claim]] = {source: [] for source in self.decision["sources"]}
        for name, claim in self.decision["claims"].items():
            found.setdefault(claim["source"], []).append(Claim(name, self.said(claim["says"]), claim["place"], name in spoken))
        return tuple(self._source(name, tuple(claims)) for name, claims in sorted(found.items()))

    def _source(self, name: str, claims: tuple[Claim, ...]) -> Source:
        entry = self.decision["sources"].get(name, {"title": {"en": name, "zh": name}, "url": "", "interest": ""})
        url = entry["url"] if entry["url"].startswith(("https://", "http://")) else ""
        return Source(name, self.said(entry["title"]), url, self.word("interest") if entry["interest"] else "", claims)
