"""Waivers: what a person accepts although a rule advises against it or rejects the machine. They change no verdict and hide nothing:
a conclusion that is waived says by whom, why and until when, and a waiver that no longer counts is a finding of its own."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.knowledge import document, structure
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

USED, EXPIRED, UNUSED = "used", "expired", "unused"
STALE_LEVEL = "caution"
"""How grave the finding is that a waiver has expired or that nothing is left to waive."""
_DAY = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_SCHEMA: structure.Schema = {
    "type": "object",
    "required": ["waivers"],
    "additionalProperties": False,
    "properties": {
        "waivers": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["rule", "who", "why", "until"],
                "properties": {
                    "rule": {"type": "string", "pattern": "^[A-Z]{2,5}-[0-9]{3}$", "examples": ["COM-001"]},
                    "who": {"type": "string", "minLength": 1, "maxLength": 200, "examples": ["head of platform"]},
                    "why": {"type": "string", "minLength": 1, "maxLength": 2000, "examples": ["the cards are on loan until spring"]},
                    "until": {"type": "string", "pattern": _DAY, "examples": ["2027-03-31"]},
                },
            },
        }
    },
}


@dataclass(frozen=True, slots=True)
class Waiver:
    """One waiver: the rule, who accepts what it says, why, and the last day on which that counts, as ISO writes it."""

    rule: str
    who: str
    why: str
    until: str
    place: Place


def read(content: bytes, file: str, rules: Iterable[str] | None) -> tuple[Waiver, ...]:
    """The waivers in a file; `rules` are the ids that there are, None where they may be of another rulebook. Raises GpurulesError
    with every fault."""
    node = document.parse(content, file)
    problems = structure.check(node, structure.validator(_SCHEMA), "GR851")
    if problems:
        raise GpurulesError(problems)
    known, found = None if rules is None else frozenset(rules), []
    listed = document.plain(node)
    assert isinstance(listed, dict)
    for number, entry in enumerate(listed["waivers"]):
        place = document.located(node, ["waivers", number, "rule"])
        if known is not None and entry["rule"] not in known:
            mend = did_you_mean(entry["rule"], known, "`gpurules rules` lists what there is")
            problems.append(Problem(place, "GR852", f"there is no rule {printable(entry['rule'])} to waive", mend))
        try:
            datetime.date.fromisoformat(entry["until"])
        except ValueError:
            problems.append(Problem(document.located(node, ["waivers", number, "until"]), "GR851", "is not a day", "write it as 2027-03-31"))
        found.append(Waiver(entry["rule"], entry["who"], entry["why"], entry["until"], place))
    if problems:
        raise GpurulesError(problems)
    return tuple(found)


def counting(waivers: Sequence[Waiver], as_of: str) -> dict[str, Document]:
    """Who accepts what a rule says on the day `as_of`, why and until when, by rule. Of two that count, the first is named."""
    found: dict[str, Document] = {}
    for waiver in waivers:
        if waiver.until >= as_of:
            found.setdefault(waiver.rule, {"who": waiver.who, "why": waiver.why, "until": waiver.until})
    return found


def applied(decision: Document, waivers: Sequence[Waiver], as_of: str) -> Document:
    """The decision with what is waived on the day `as_of` marked, and with all waivers listed."""
    speaking = {c["rule"] for c in decision["conclusions"]}
    accepted, listed = counting(waivers, as_of), []
    for waiver in waivers:
        state = standing(waiver, speaking, as_of)
        said = {"rule": waiver.rule, "who": waiver.who, "why": waiver.why, "until": waiver.until}
        listed.append({**said, "state": state, "place": {"line": waiver.place.line, "column": waiver.place.column}})
    conclusions = [{**c, "waived": accepted[c["rule"]]} if c["rule"] in accepted else c for c in decision["conclusions"]]
    return {**decision, "conclusions": conclusions, "waivers": {"as_of": as_of, "entries": listed}}


def standing(waiver: Waiver, speaking: Collection[str], as_of: str) -> str:
    """What becomes of a waiver on the day `as_of`, where the rules `speaking` have conclusions: used, expired or unused."""
    return EXPIRED if waiver.until < as_of else USED if waiver.rule in speaking else UNUSED


def of(decision: Document) -> tuple[tuple[Waiver, ...], str] | None:
    """The waivers that a decision lists, and the day by which they were judged; None where it has none."""
    listed = decision.get("waivers")
    if listed is None:
        return None
    places = [Place("waivers", w["place"]["line"], w["place"]["column"]) for w in listed["entries"]]
    return tuple(Waiver(w["rule"], w["who"], w["why"], w["until"], p) for w, p in zip(listed["entries"], places, strict=True)), listed["as_of"]


def stale(decision: Document) -> list[Document]:
    """The waivers of a decision that are findings: expired, or with nothing to waive."""
    return [w for w in decision.get("waivers", {"entries": []})["entries"] if w["state"] != USED]
