"""What a sensitivity search came to, as plain data that any report can show."""

from __future__ import annotations

from typing import Any

from gpurules.engine.glances.glance import Verdict
from gpurules.engine.inquiries.machine_name import machine_name
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.knowledge.vocabulary import Localized
from gpurules.engine.sensitivity.lever import Lever
from gpurules.engine.sensitivity.search import CHANGE, LIMIT, Searcher, Sensitivity, Side, Swing, Turned

FORMAT = "gpurules-sensitivity/1"
Document = dict[str, Any]


def document(searcher: Searcher, found: Sensitivity) -> Document:
    """The answer: the verdict as it is, each figure that may change it with both ways to move it, those that may not, the conflicts
    met with the verdict under their other side, and how much of this was settled."""
    return _Writer(searcher).document(found)


class _Writer:
    def __init__(self, searcher: Searcher) -> None:
        self.rulebook: Rulebook = searcher.trial.rulebook
        self.date = searcher.outlook.date

    def document(self, found: Sensitivity) -> Document:
        return {
            "format": FORMAT,
            "date": self.date,
            "rulebook": {"version": self.rulebook.version, "digest": self.rulebook.digest},
            "now": self._verdict(found.now),
            "figures": [self._swing(s) for s in found.swings if not s.constant and not s.unsettled],
            "constant": [self._swing(s) for s in found.swings if s.constant],
            "zero": [self._lever(lever) for lever in found.fixed],
            "unsettled": [s.lever.key for s in found.swings if s.unsettled],
            "unused": found.unused,
            "conflicts": [self._turned(t, found.now) for t in found.conflicts],
            "evaluations": found.evaluations,
            "budget_reached": found.budget_reached,
        }

    def _lever(self, lever: Lever) -> Document:
        rule, register = lever.rule, self.rulebook.register
        entry: Document = {
            "figure": lever.key,
            "rule": rule.id,
            "version": rule.version,
            "title": _texts(rule.title),
            "name": lever.name,
            "text": lever.text,
            "kind": lever.kind,
            "since": lever.parameter.since,
            "also": [f"{other.id}:{name}" for other, name in lever.held[1:]],
            "cites": [
                {
                    "claim": claim,
                    "says": _texts(register.claims[claim].says),
                    "source": _texts(register.sources[register.claims[claim].source].title),
                    "place": register.claims[claim].place,
                    "url": register.sources[register.claims[claim].source].url,
                }
                for claim in lever.cites
                if claim in register.claims
            ],
        }
        if lever.row >= 0:
            keys = zip(lever.parameter.keys, lever.parameter.rows[lever.row].key, strict=True)
            entry["row"] = {"number": lever.row + 1, "keys": {fact: list(members) for fact, members in keys}}
        if lever.parameter.values:
            entry["since"] = lever.parameter.on(self.date).since or lever.parameter.since
        return entry

    def _swing(self, swing: Swing) -> Document:
        lever = swing.lever
        sides = {"down": self._side(lever, swing.down), "up": self._side(lever, swing.up)}
        return {**self._lever(lever), **sides, "nearest": None if swing.nearest == float("inf") else round(swing.nearest, 6)}

    def _side(self, lever: Lever, side: Side) -> Document:
        """`text` is the figure at which the verdict is another, or as far as it is known to stay; `factor` tells it relative to now."""
        value, now = lever.value((side.place, side.place)), lever.now
        end = 1 if now.high else 0
        entry: Document = {"kind": side.kind, "text": lever.text_at(side.place), "factor": round(value[end] / now[end], 6) if now[end] else 1.0}
        entry["distance"] = round(lever.distance(side.place), 6)
        if side.kind == CHANGE:
            near = side.place + (1 if side.place < 0 else -1)
            entry |= {"last": lever.text_at(near), "verdict": self._verdict(side.verdict)}
        if side.kind == LIMIT:
            entry["because"] = side.verdict[0]
        return entry

    def _turned(self, turned: Turned, now: Verdict) -> Document:
        meeting, entry = turned.meeting, turned.meeting.conflict
        found: Document = {
            "id": entry.id,
            "between": list(entry.between),
            "rules": sorted({rule for _, rule in meeting.rules}),
            "about": _texts(entry.about),
            "holds": _texts(entry.holds),
        }
        if turned.verdict is not None:
            found |= {"verdict": self._verdict(turned.verdict), "verdict_changes": turned.verdict != now, "advice_changes": turned.advice_changes}
        return found

    def _verdict(self, verdict: Verdict) -> Document:
        return {
            "status": verdict[0],
            "machines": [{"id": name, "name": {la: machine_name(name, self.rulebook, la) for la in ("en", "zh")}} for name in verdict[1:]],
        }


def _texts(text: Localized) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}
