"""The report: a decision document laid out for people, as sections of plain blocks that any printer can show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpurules.engine.answers.decision import Document
from gpurules.engine.answers.phrases import LEVELS, SECTIONS, STATUS, word
from gpurules.engine.knowledge.rule import LEVELS as ORDER
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import Interval

MEMORY, NEED, USABLE = "memory.rule_of_thumb", "candidate.memory_need", "candidate.memory_usable"


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph. `tone` is a level of advice, "strong", "quiet" or ""."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a list: a label in front, the text, references behind it, quieter lines below."""

    label: str
    text: str
    references: tuple[str, ...] = ()
    tone: str = ""
    details: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """An amount on a common scale, in bytes: certain up to `low`, possible up to `high`."""

    label: str
    low: float
    high: float
    shown: str
    note: str
    have: bool


@dataclass(frozen=True, slots=True)
class Bars:
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Items:
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: the heads of its columns, and its rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Words | Items | Bars | Grid


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    title: str
    blocks: tuple[Block, ...]


def report(decision: Document, language: str = "en") -> tuple[Section, ...]:
    """The sections of a decision's report, empty ones left out."""
    writer = _Writer(decision, language)
    made = {
        "verdict": writer.verdict(),
        "do": writer.what_to_do(),
        "memory": writer.memory(),
        "findings": writer.findings(),
        "depends": writer.depends(),
        "silent": writer.silent(),
        "conflicts": writer.conflicts(),
        "next": writer.ask_next(),
        "facts": writer.facts(),
        "sources": writer.sources(),
        "trace": writer.trace(),
    }
    return tuple(Section(key, SECTIONS[key].get(language), tuple(blocks)) for key, blocks in made.items() if blocks)


class _Writer:
    def __init__(self, decision: Document, language: str) -> None:
        self.decision, self.language = decision, language
        self.derived = {d["fact"]: d for d in decision["derived"]}
        self.candidate = decision["candidates"][0] if decision["candidates"] else None

    def word(self, key: str, **values: object) -> str:
        return word(key, self.language, **values)

    def said(self, text: dict[str, str]) -> str:
        return text[self.language]

    def join(self, parts: Iterable[str]) -> str:
        return ("；" if self.language == "zh" else "; ").join(parts)

    # ------------------------------------------------------------ verdict

    def verdict(self) -> list[Block]:
        status = self.decision["status"]
        key = "ask_machine" if status == "ask" and self.candidate is None else status
        lines: list[Block] = [Words(STATUS[key].get(self.language).format(machine=self.machine(), assumed=self.assumed(), reasons=self.reasons()), "strong")]
        memory = self.memory_line()
        if memory:
            lines.append(Words(memory))
        lines.append(Words(self.word("certainty", text=self.certainty()), "quiet"))
        return lines

    def machine(self) -> str:
        if self.candidate is None:
            return self.word("machine")
        figures = self.candidate["figures"]
        count = self.said(figures["candidate.count"]["shown"])
        cards = figures["candidate.card"]["value"]["members"]
        named = next((f["text"] for f in self.decision["facts"] if f["path"] == "gpu.name"), "")
        card = self.said(figures["candidate.card"]["shown"]) if len(cards) == 1 else named
        if not card:
            return self.word("machine")
        known = figures["candidate.count"]["value"]["low"] == figures["candidate.count"]["value"]["high"]
        return f"{count} × {card}" if known else card

    def assumed(self) -> str:
        names = [f"{a['fact']}: {self.said(a['shown'])}" for a in self.decision["assumptions"]]
        return ", ".join(names) or self.word("none")

    def reasons(self) -> str:
        """What rejects the stated machine: the advice that says so plainly, or else the requirements that fail."""
        failing = [c for c in self.decision["conclusions"] if c["state"] in ("certain", "assuming")]
        plain = [c for c in failing if c["kind"] == "advise" and c["level"] == "stop"]
        chosen = plain or [c for c in failing if c["kind"] == "require"]
        return self.join(f"{self.said(c['title'])} [{c['rule']}]" for c in chosen) or self.word("none")

    def memory_line(self) -> str:
        if self.decision["status"] == "not_sized" or MEMORY not in self.derived:
            return ""
        entry = self.current(MEMORY)
        rules = sorted({a["rule"] for a in entry["alternatives"]})
        cites = sorted({c for r in self.decision["rules"] if r["id"] in rules for c in r["cites"]})
        shown = self.said(entry["shown"])
        if len(entry["alternatives"]) > 1:
            shown = (" 或 " if self.language == "zh" else " or ").join(self.said(a["shown"]) for a in entry["alternatives"])
        text = self.word("needs_in_all", need=shown, rules=f" [{', '.join((*rules, *cites))}]")
        nominal, usable = self.derived.get("memory.total_nominal"), self.derived.get("memory.total_usable")
        if nominal and usable and "causes" not in nominal and "causes" not in usable:
            count = self.said(self.candidate["figures"]["candidate.count"]["shown"]) if self.candidate else ""
            key = "holds_one" if count == "1" else "holds"
            text += ("" if self.language == "zh" else " ") + self.word(key, count=count, nominal=self.said(nominal["shown"]), usable=self.said(usable["shown"]))
        return text

    def current(self, fact: str) -> Document:
        """A derived value with the assumptions made, where they change it."""
        entry: Document = self.derived[fact].get("assuming", self.derived[fact])
        return entry

    def certainty(self) -> str:
        parts = [self.word("assumes", what=f"{a['fact']} = {self.said(a['shown'])}", rules=a["rule"]) for a in self.decision["assumptions"]]
        parts = parts or [self.word("no_assumption")]
        unsettled = sum(c["state"] == "depends" for c in self.decision["conclusions"])
        if unsettled:
            parts.append(self.word("open", count=unsettled))
        if self.decision["waiting_for_task_and_size"]:
            parts.append(self.word("waiting", count=self.decision["waiting_for_task_and_size"]))
        return self.join(parts)

    # ------------------------------------------------------------ advice

    def _advice(self, states: tuple[str, ...]) -> list[Document]:
        chosen = [c for c in self.decision["conclusions"] if c["state"] in states]
        return sorted(chosen, key=lambda c: (ORDER.index(c["level"]) if c["kind"] == "advise" else -1, c["rule"]))

    def what_to_do(self) -> list[Block]:
        items: list[Item] = []
        questions = self.decision["measure_next"]
        if questions and self.decision["status"] in ("ask", "not_sized"):
            first = questions[0]
            items.append(Item("1", self.word("measure_first", title=self.said(first["title"]), fact=first["fact"]), tone="recommend"))
        for advice in self._advice(("certain", "assuming", "without_assumptions")):
            if advice["kind"] == "advise" and advice["level"] != "note":
                label = LEVELS[advice["level"]].get(self.language)
                action = self.said(advice["action_title"])
                items.append(
                    Item(
                        str(len(items) + 1),
                        f"{label}{'：' if self.language == 'zh' else ': '}{action}",
                        (advice["rule"],),
                        advice["level"],
                        self._state(advice),
                    )
                )
        return [Items(tuple(items))] if items else [Words(self.word("nothing_to_do"), "quiet")]

    def findings(self) -> list[Block]:
        seen: set[tuple[str, str]] = set()
        items: list[Item] = []
        for advice in self._advice(("certain", "assuming", "without_assumptions")):
            level = advice["level"] if advice["kind"] == "advise" else "require"
            if (advice["rule"], level) in seen:
                continue
            seen.add((advice["rule"], level))
            low = (self.word("confidence_low"),) if advice["confidence"] == "low" else ()
            text = self.said(advice["text"])
            items.append(Item(LEVELS[level].get(self.language), text, (advice["rule"], *advice["cites"]), level, (*self._state(advice), *low)))
        return [Items(tuple(items))] if items else []

    def _state(self, advice: Document) -> tuple[str, ...]:
        if advice["state"] == "assuming":
            return (self.word("assuming", facts=", ".join(advice["assuming"])),)
        if advice.get("figures_assume"):
            return (self.word("figures_assume", facts=", ".join(advice["figures_assume"])),)
        return (self.word("without_assumptions"),) if advice["state"] == "without_assumptions" else ()

    def depends(self) -> list[Block]:
        items: dict[str, Item] = {}
        for advice in self._advice(("depends",)):
            level = advice["level"] if advice["kind"] == "advise" else "require"
            waits = self.word("tight") if advice["tight"] else self.word("waits", facts=", ".join(advice["needs"]))
            label = LEVELS[level].get(self.language) + "?"
            items.setdefault(advice["rule"], Item(label, self.said(advice["title"]), (advice["rule"],), "quiet", (waits,)))
        return [Items(tuple(items.values()))] if items else []

    def silent(self) -> list[Block]:
        """Rules of advice and requirement that surely do not apply, each with the condition that decides."""
        parts = []
        speaking = {c["rule"] for c in self.decision["conclusions"]}
        for rule in self.decision["rules"]:
            if rule["id"] in speaking or rule["truth"] != "no" or not rule["advises"]:
                continue
            failed = next((a for a in rule["conditions"] if a["truth"] == "no"), None)
            missing = ", ".join(n["fact"] for n in rule["needs"] if not n["known"])
            if missing:
                parts.append(f"{rule['id']}: {self.word('waits', facts=missing)}")
            elif failed is not None:
                parts.append(f"{rule['id']}: {self._failed(failed)}")
        return [Words(" | ".join(parts), "quiet")] if parts else []

    def _failed(self, atom: Document) -> str:
        """Why a condition is not met: `7B, not >= 10B`."""
        left = f"{atom['left']['text']} = {self.said(atom['left']['shown'])}"
        if "right" not in atom:
            return left
        operator = atom["text"][len(atom["left"]["text"]) :].split()[0]
        return self.word("not", left=left, right=f"{operator} {self.said(atom['right']['shown'])}")

    # ------------------------------------------------------------ memory

    def memory(self) -> list[Block]:
        if self.decision["status"] == "not_sized" or MEMORY not in self.derived:
            return []
        bars = tuple(self._bars())
        blocks: list[Block] = [Bars(bars)] if bars else []
        aside = [a for a in self.current(MEMORY).get("set_aside", ())]
        for a in aside:
            blocks.append(Words(self.word("aside", value=self.said(a["shown"]), title=self.said(a["title"]), rule=a["rule"]), "quiet"))
        return blocks

    def _bars(self) -> Iterator[Bar]:
        need = self.current(MEMORY)
        for alternative in need["alternatives"]:
            note = f"{self.said(alternative['title'])} [{alternative['rule']}]"
            if alternative["confidence"] == "low":
                note += f" ({self.word('confidence_low')})"
            yield self._bar("need_all", alternative["value"], self.said(alternative["shown"]), note, False)
        if len(need["alternatives"]) == 1 and "memory.minimum" in self.derived and "memory.recommended" in self.derived:
            low, high = self.current("memory.minimum")["value"], self.current("memory.recommended")["value"]
            yield self._bar("with_headroom", {"low": low["low"], "high": high["high"]}, _bytes(low["low"], high["high"]), "[MEM-040, C17]", False)
        for key, fact in (("have_nominal", "memory.total_nominal"), ("have_usable", "memory.total_usable")):
            entry = self.derived.get(fact)
            if entry is not None and self.candidate is not None and "causes" not in entry:
                yield self._bar(key, entry["value"], self.said(entry["shown"]), self.gap(need, entry) if key == "have_usable" else "", True)
        if self.candidate is None or NEED not in self.derived:
            return
        usable, wanted = self.candidate["figures"][USABLE], self.current(NEED)
        if _narrow(wanted["value"]) and _narrow(usable["value"]):
            fit = self.current("candidate.fit")
            yield self._bar("need_card", wanted["value"], self.said(wanted["shown"]), self.said(fit["shown"]), False)
            yield self._bar("have_card", usable["value"], self.said(usable["shown"]), "", True)
        peak = next((f for f in self.decision["facts"] if f["path"] == "measured.memory_peak"), None)
        if peak is not None:
            share = self.word("of_usable", share=self.share(peak["value"], usable["value"]))
            yield self._bar("measured", peak["value"], self.said(peak["shown"]), share, False)

    def _bar(self, key: str, value: Document, shown: str, note: str, have: bool) -> Bar:
        return Bar(self.word(key), value["low"], value["high"], shown, note, have)

    def gap(self, need: Document, have: Document) -> str:
        low, high = need["value"]["low"] - have["value"]["high"], need["value"]["high"] - have["value"]["low"]
        return self.word("short", gap=_bytes(low, high)) if low > 0 else ""

    def share(self, part: Document, whole: Document) -> str:
        plain = unit.parse("1")
        assert plain is not None
        if not whole["low"]:
            return ""
        return quantity.show(Interval(part["low"] / whole["high"], part["high"] / whole["low"]), plain, share=True)

    # ------------------------------------------------------------ conflicts, questions, trace

    def conflicts(self) -> list[Block]:
        items = []
        for conflict in self.decision["conflicts"]:
            rules = tuple(dict.fromkeys(r["rule"] for r in conflict["rules"]))
            label = "/".join(conflict["between"]) + ("" if conflict["met"] == "yes" else f" ({self.word('possible')})")
            details = [self.word("holds_when", text=self.said(conflict["holds"]))]
            if "other_side" in conflict:
                details.append(self._other_side(conflict["other_side"]))
            items.append(Item(label, self.said(conflict["about"]), (conflict["id"], *rules), "", tuple(details)))
        return [Items(tuple(items))] if items else []

    def _other_side(self, other: Document) -> str:
        changes = self.word("changes" if other["verdict_changes"] else "same", status=self.word("status_" + other["status"]))
        figures = [self.said(other[f]) for f in (MEMORY, "candidate.fit") if f in other]
        return self.word("other_side", claims=", ".join(other["claims"]), text=self.join([*figures, changes]))

    def ask_next(self) -> list[Block]:
        several = {a["fact"]: a for a in self.decision["ambiguities"]}
        items = []
        for number, question in enumerate(self.decision["measure_next"], 1):
            details = [self.said(question["obtain"])] if self.said(question["obtain"]) else []
            if question["fact"] in several:
                named = several[question["fact"]]
                details.insert(0, self.word("names_several", text=named["text"], entries=", ".join(named["entries"])))
            why = [self.word("cost_" + question["cost"])]
            if question["asked_by"]:
                why.append(self.word("asked", rules=", ".join(question["asked_by"])))
            if question["settles_verdict"]:
                why.append(self.word("settles_verdict"))
            if question["settles"]:
                why.append(self.word("settles", count=len(question["settles"])) + f" ({', '.join(question['settles'])})")
            text = f"{question['fact']}  {self.said(question['title'])}"
            items.append(Item(str(number), text, (), "", (self.join(why), *details), question["command"]))
        return [Items(tuple(items))] if items else []

    def facts(self) -> list[Block]:
        rows = [(f["path"], self.said(f["shown"]), self._origin(f)) for f in self.decision["facts"]]
        rows += [(a["fact"], self.said(a["shown"]), self.word("origin_assumed", rule=a["rule"])) for a in self.decision["assumptions"]]
        return [Grid((self.word("fact"), self.word("value"), self.word("origin")), tuple(rows))] if rows else []

    def _origin(self, fact: Document) -> str:
        if fact["origin"] == "stated":
            return self.word("origin_stated", line=fact["place"]["line"]) if "place" in fact else self.word("origin_set")
        if fact.get("confidence"):
            return self.word("origin_looked_up", via=fact["via"], confidence=fact["confidence"])
        return self.word("origin_default", via=fact.get("via", ""))

    def sources(self) -> list[Block]:
        items = []
        spoken = self._spoken()
        for claim_id, claim in self.decision["claims"].items():
            if claim_id not in spoken:
                continue
            items.append(Item(claim_id, self.said(claim["says"]), (f"{claim['source']}: {claim['place']}" if claim["place"] else claim["source"],)))
        for source_id, source in self.decision["sources"].items():
            interest = f" ({self.word('interest')})" if source["interest"] else ""
            items.append(Item(source_id, self.said(source["title"]) + interest, (source["url"],) if source["url"] else ()))
        return [Items(tuple(items))] if items else []

    def _spoken(self) -> set[str]:
        """The claims behind what the report says: its advice, its figures of memory, its assumptions and conflicts."""
        rules = {c["rule"] for c in self.decision["conclusions"]} | {a["rule"] for a in self.decision["assumptions"]}
        if MEMORY in self.derived:
            entry = self.current(MEMORY)
            rules |= {a["rule"] for a in (*entry["alternatives"], *entry.get("set_aside", ()))}
        cited = {c for r in self.decision["rules"] if r["id"] in rules for c in r["cites"]}
        return cited | {c for conflict in self.decision["conflicts"] for c in conflict["between"]}

    def trace(self) -> list[Block]:
        rulebook = self.decision["rulebook"]
        parts = [
            f"{self.word('facts')} {self.decision['facts_digest'][:23]}…",
            f"{self.word('rulebook')} {rulebook['version']} {rulebook['digest'][:23]}…",
            f"{self.word('as_of')} {self.decision['date']}",
            self.word("rules_looked_at", count=len(self.decision["rules"])),
            self.word("claims_cited", count=len(self.decision["claims"])),
            f"gpurules {self.decision['engine']['version']}",
        ]
        return [Words(self.join(parts), "quiet")]


def _narrow(value: Document) -> bool:
    return bool(value["high"] <= 1000 * max(value["low"], 1.0))


def _bytes(low: float, high: float) -> str:
    found = unit.parse("byte")
    assert found is not None
    return quantity.show(Interval(low, high), found)
