"""The report: a decision document laid out for people, as sections of plain blocks that any printer can show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from gpurules.engine.decisions.decision import Document
from gpurules.engine.decisions.estimate import NEED, STRUCTURED
from gpurules.engine.knowledge.rule import LEVELS as ORDER
from gpurules.engine.reports.blocks import Block, Item, Items, Section, Words
from gpurules.engine.reports.checklist_section import ChecklistReader
from gpurules.engine.reports.cost_section import CostReader
from gpurules.engine.reports.machine_section import MachineReader
from gpurules.engine.reports.memory_section import MemoryReader
from gpurules.engine.reports.phrases import DOING, LEVELS, SECTIONS, STATUS
from gpurules.engine.reports.reader import CHECKLIST, FEW, MEMORY, equal
from gpurules.engine.reports.server_section import ServerReader
from gpurules.engine.reports.speed_section import SpeedReader
from gpurules.engine.reports.steps_section import StepsReader
from gpurules.engine.reports.trace_section import TraceReader
from gpurules.engine.reports.waiver_section import WaiverReader

UNSETTLED = 10
"""Open findings that a report lists, gravest first; the decision holds them all."""
DOUBTS = 2
"""Doubts about what was measured that the verdict names."""


def report(decision: Document, language: str = "en") -> tuple[Section, ...]:
    """The sections of a decision's report, empty ones left out."""
    advice, memory = AdviceReader(decision, language), MemoryReader(decision, language)
    machines, trace = MachineReader(decision, language), TraceReader(decision, language)
    checklist = ChecklistReader(decision, language)
    made = {
        "verdict": advice.verdict(),
        "do": advice.what_to_do(),
        "machines": machines.recommended(),
        "compare": machines.compared(),
        "memory": memory.memory(),
        "speed": SpeedReader(decision, language).speed(),
        "server": ServerReader(decision, language).server(),
        "cost": CostReader(decision, language).cost(),
        "findings": advice.findings(),
        "waivers": advice.waivers(),
        "checklist": checklist.checklist(),
        "why_not": machines.rejected(),
        "depends": advice.depends(),
        "silent": advice.silent(),
        "conflicts": trace.conflicts(),
        "unread": trace.unread(),
        "not_covered": checklist.not_covered(),
        "next": trace.ask_next(),
        "facts": trace.facts(),
        "sources": trace.sources(),
        "trace": trace.trace(),
    }
    return tuple(Section(key, SECTIONS[key].get(language), tuple(blocks)) for key, blocks in made.items() if blocks)


class AdviceReader(StepsReader, WaiverReader):
    """Reads the verdict and the advice."""

    def verdict(self) -> list[Block]:
        lines: list[Block] = [Words(self.headline(), "strong")]
        against = self.standing_against()
        if against:
            lines.append(Words(against, "stop"))
        memory = self.memory_line()
        if memory:
            lines.append(Words(memory))
        cost = CostReader(self.decision, self.language).cost_line()
        if cost:
            lines.append(Words(cost))
        doubted = self.doubted_measurements()
        if doubted:
            lines.append(Words(doubted, "caution"))
        waived = self.waived_rules()
        if waived:
            lines.append(Words(waived, "caution"))
        lines.append(Words(self.word("certainty", text=self.certainty()), "quiet"))
        return lines

    def standing_against(self) -> str:
        """What stops a stated machine that no requirement rejects, as a run that was tried and failed; "" where nothing does."""
        if self.candidate is None or "rejected" in (self.candidate["verdict"], self.candidate["verdict_assuming"]):
            return ""  # the first sentence names its reasons
        stops = (c for c in self._advice(("certain", "assuming")) if c["kind"] == "advise" and c["level"] == "stop" and "waived" not in c)
        titles = self._titles(stops)
        return self.word("against", titles=self.join(titles)) if titles else ""

    def doubted_measurements(self) -> str:
        """What is odd about the measured run and comes before any purchase; "" where nothing is."""
        standing = (c for c in self._advice(("certain", "assuming")) if c.get("topic") == "measurement" and c["level"] in ("stop", "avoid", "caution"))
        titles = self._titles(c for c in standing if "waived" not in c)[:DOUBTS]
        return self.word("doubted", titles=self.join(titles)) if titles else ""

    def _titles(self, conclusions: Iterable[Document]) -> list[str]:
        """The titles of their rules, each once, with the rules' ids."""
        return list(dict.fromkeys(f"{self.said(c['title'])} [{c['rule']}]" for c in conclusions))

    def headline(self) -> str:
        """One or two sentences: what becomes of the stated machine, and which machine is recommended instead."""
        status = self.decision["status"]
        if status == "keep" and self.candidate is not None and self.candidate["verdict_assuming"] != "accepted":
            return self.word(f"keep_{self.candidate['verdict_assuming']}", machine=self.machine())
        if status in ("keep", "not_sized") or (status == "provisional" and self.choice is None):
            return STATUS[status].get(self.language).format(machine=self.machine())
        rejected = self.candidate is not None and "rejected" in (self.candidate["verdict"], self.candidate["verdict_assuming"])
        parts = [self.word("do_not", machine=self.machine(), reasons=self.reasons())] if rejected else []
        assert self.choice is not None
        if rejected and self.steps_suffice():
            count = len(self.plan())
            parts = [self.word("with_step" if count == 1 else "with_steps", machine=self.machine(), reasons=self.reasons(), count=count)]
            if self.plan()[-1]["status"] == "provisional":
                parts.append(self.word("on_assumptions"))
            if self.choice["chosen"]:
                joined = ("；或 " if self.language == "zh" else "; or ").join(self.named(m) for m in self.choice["chosen"])
                parts.append(self.word("else_machines", machines=joined))
            return ("" if self.language == "zh" else " ").join(parts)
        if self.choice["chosen"] and self.candidate is not None and not rejected:
            parts.append(self.undecided())
        if self.choice["chosen"]:
            joined = ("；或 " if self.language == "zh" else "; or ").join(self.named(m) for m in self.choice["chosen"])
            parts.append(STATUS[status + "_machines"].get(self.language).format(machines=joined))
        elif self.choice["contradicting"]:
            parts.append(self.word("sources_differ", question=self.deciding_question()))
        elif status == "none_fits":
            parts.append(STATUS["none_fits"].get(self.language))
        elif rejected:
            parts.append(self.word("others_open", question=self.deciding_question()))
        else:
            key = "ask" if self.candidate is not None else "ask_machine"
            parts.append(STATUS[key].get(self.language).format(machine=self.machine(), question=self.deciding_question()))
        return ("" if self.language == "zh" else " ").join(parts)

    def undecided(self) -> str:
        """What to say of a stated machine that is neither accepted nor rejected: which question settles it, if any can."""
        if any(q["settles_verdict"] for q in self.decision["measure_next"]):
            return STATUS["ask"].get(self.language).format(machine=self.machine(), question=self.deciding_question())
        return self.word("on_the_edge", machine=self.machine())

    def reasons(self) -> str:
        """What rejects the stated machine: the advice that says so plainly, or else the requirements that fail."""
        failing = [c for c in self.decision["conclusions"] if c["state"] in ("certain", "assuming")]
        plain = [c for c in failing if c["kind"] == "advise" and c["level"] == "stop"]
        chosen = plain or [c for c in failing if c["kind"] == "require"]
        return self.join(self._titles(chosen)) or self.word("none")

    def memory_line(self) -> str:
        if self.decision["status"] == "not_sized" or MEMORY not in self.derived:
            return ""
        entry = self.current(MEMORY)
        rules = sorted({a["rule"] for a in entry["alternatives"]})
        cites = sorted({c for r in self.decision["rules"] if r["id"] in rules for c in r["cites"]})
        shown = self.said(entry["shown"])
        if len(entry["alternatives"]) > 1:
            shown = (" 或 " if self.language == "zh" else " or ").join(dict.fromkeys(self.said(a["shown"]) for a in entry["alternatives"]))
        text = self.word("needs_in_all", need=shown, rules=f" [{', '.join((*rules, *cites))}]")
        nominal, usable = self.derived.get("memory.total_nominal"), self.derived.get("memory.total_usable")
        if nominal and usable and "causes" not in nominal and "causes" not in usable:
            count = self.said(self.candidate["figures"]["candidate.count"]["shown"]) if self.candidate else ""
            key = "holds_one" if count == "1" else "holds"
            text += ("" if self.language == "zh" else " ") + self.word(key, count=count, nominal=self.said(nominal["shown"]), usable=self.said(usable["shown"]))
        return text + self._of_a_card()

    def _of_a_card(self) -> str:
        """What one card needs, where that is not the need in all divided, but added up by shape and batch."""
        figures = {entry["fact"]: entry for entry in self.candidate["estimate"]} if self.candidate is not None else {}
        if self.candidate is None or STRUCTURED not in figures or "needs" in figures[NEED]:
            return ""
        usable = self.said(self.candidate["figures"]["candidate.memory_usable"]["shown"])
        said = self.word("card_needs", need=self.said(figures[NEED]["shown"]), usable=usable, rules=", ".join(figures[NEED]["rules"]))
        return ("" if self.language == "zh" else " ") + said

    def certainty(self) -> str:
        parts = self._assumed() or [self.word("no_assumption")]
        unsettled = len({c["rule"] for c in self.decision["conclusions"] if c["state"] == "depends"})
        if unsettled:
            parts.append(self.word("open", count=unsettled))
        if self.decision["waiting_for_task_and_size"]:
            parts.append(self.word("waiting", count=self.decision["waiting_for_task_and_size"]))
        return self.join(parts)

    def _assumed(self) -> list[str]:
        """What each rule says that assumes many facts; then the facts that others assume, those of one value together."""
        counts = Counter(a["rule"] for a in self.decision["assumptions"])
        many = [f"{self.said(r['title'])} [{r['id']}]" for r in self.decision["rules"] if counts[r["id"]] > FEW]
        alike: dict[tuple[str, str], list[str]] = {}
        for a in self.decision["assumptions"]:
            if counts[a["rule"]] <= FEW:
                alike.setdefault((a["rule"], self.said(a["shown"])), []).append(a["fact"])
        comma = "、" if self.language == "zh" else ", "
        few = [f"{equal(comma.join(facts), shown)} [{rule}]" for (rule, shown), facts in alike.items()]
        return [*many, *([self.word("assumes", what=("，" if self.language == "zh" else ", ").join(few))] if few else [])]

    def _advice(self, states: tuple[str, ...]) -> list[Document]:
        chosen = [c for c in self.decision["conclusions"] if c["state"] in states and ("depends" in states or c.get("topic") not in CHECKLIST)]
        return sorted(chosen, key=lambda c: (ORDER.index(c["level"]) if c["kind"] == "advise" else -1, c["rule"]))

    def what_to_do(self) -> list[Block]:
        """What to settle first, settings to change, then what rules advise; numbered through."""
        first = self._to_settle()
        steps = self.steps(len(first))
        advised = self._advised(len(first) + len(self.plan()))
        if not (first or steps or advised) and self.choice and self.choice["chosen"]:
            first = [Item("1", self.word("take_recommended"), tone="recommend")]
        lead = [Words(self.word("as_set_now"), "quiet")] if steps and advised else []
        if not steps:
            first, advised = [*first, *advised], []
        listed: list[Block] = [Items(tuple(items)) for items in (first, advised) if items]
        blocks = [*listed[: bool(first)], *steps, *lead, *listed[bool(first) :]]
        return blocks or [Words(self.word("nothing_to_do"), "quiet")]

    def _to_settle(self) -> list[Item]:
        """The question that comes before everything else, where there is one."""
        questions = self.questions()
        undecided = self.candidate is not None and self.candidate["verdict_assuming"] == "undecided"
        unsettled = self.decision["status"] != "not_sized" and undecided and any(q["settles_verdict"] for q in questions)
        if not questions or not (unsettled or self.decision["status"] in ("ask", "not_sized")):
            return []
        first = questions[0 if self.decision["status"] == "not_sized" else self.deciding_question() - 1]
        return [Item("1", self.word("measure_first", title=self.said(first["title"]), fact=first["fact"]), tone="recommend")]

    def _advised(self, after: int) -> list[Item]:
        """What rules advise to do or to leave, each action once, numbered from `after` on."""
        items: list[Item] = []
        named = self._named_outright()
        differing = set(named) if self.choice and self.choice["contradicting"] else set()
        said: dict[tuple[str, bool], int] = {}
        for advice in self._advice(("certain", "assuming", "without_assumptions")):
            if advice["kind"] == "advise" and advice["level"] != "note" and advice["rule"] not in differing:
                action = named.get(advice["rule"]) or self.said(advice["action_title"])
                text = DOING[advice["level"]].get(self.language).format(action=action, title=self.said(advice["title"]))
                key, state = (text, "waived" in advice), self._state(advice)
                known = items[said[key]] if key in said else None
                if known is not None and (known.details == state or not known.details or not state):  # as sure as the surest of the rules that say it
                    references = tuple(dict.fromkeys((*known.references, advice["rule"])))
                    items[said[key]] = replace(known, references=references, details=min(known.details, state, key=len))
                    continue
                said[key] = len(items)
                items.append(Item(str(after + len(items) + 1), text, (advice["rule"],), advice["level"], state))
        return items

    def _named_outright(self) -> dict[str, str]:
        """What rules that name machines advise, where the stated machine is not kept: to take one of those named, not "this" one."""
        machines: dict[str, dict[str, None]] = {}
        for scenario in self.choice["scenarios"] if self.choice else ():
            machines.setdefault(scenario["rule"], {})[f"{scenario['count']} × {scenario['memory_nominal']}"] = None
        joint = " 或 " if self.language == "zh" else " or "
        return {rule: self.word("take_named", machines=joint.join(found)) for rule, found in machines.items()}

    def _places(self, advice: Document) -> tuple[str, ...]:
        """Where the facts stand that advice about the input speaks of."""
        found = [self.word("place_by" if "via" in p else "place", **p) for p in advice.get("places", ())]
        return (self.word("stated_at", places=self.join(found)),) if found else ()

    def findings(self) -> list[Block]:
        seen: set[str] = set()
        items: list[Item] = []
        for advice in self._advice(("certain", "assuming", "without_assumptions")):
            level = advice["level"] if advice["kind"] == "advise" else "require"
            if advice["rule"] in seen:
                continue
            seen.add(advice["rule"])
            low = (self.word("confidence_low"),) if advice["confidence"] == "low" else ()
            text = self.said(advice["text"])
            details = (*self._state(advice), *self._places(advice), *low)
            items.append(Item(LEVELS[level].get(self.language), text, (advice["rule"], *advice["cites"]), level, details))
        items += [*self._pinned(), *self.stale_waivers()]
        return [Items(tuple(items))] if items else []

    def _pinned(self) -> list[Item]:
        """Stated values that rules would derive otherwise, and derivations that divide by nothing."""
        items = []
        for entry in self.decision["derived"]:
            if entry.get("disagrees"):
                rules = tuple(a["rule"] for a in entry["alternatives"])
                stated, computed = self.said(entry["shown"]), self.said(entry["computed"]["shown"])
                text = self.word("disagrees", fact=entry["fact"], stated=stated, computed=computed)
                items.append(Item(LEVELS["caution"].get(self.language), text, rules, "caution"))
            if "undefined" in entry:
                text = self.word("undefined", fact=entry["fact"])
                items.append(Item(LEVELS["caution"].get(self.language), text, tuple(entry["undefined"]), "caution"))
        return items

    def _state(self, advice: Document) -> tuple[str, ...]:
        """How surely it stands, and who accepts it all the same."""
        return (*self._certainty(advice), *self.waived(advice))

    def _certainty(self, advice: Document) -> tuple[str, ...]:
        if advice["state"] == "assuming":
            return (self.word("assuming", facts=", ".join(self.assumptions(advice["assuming"]))),)
        if advice.get("figures_assume"):
            return (self.word("figures_assume", facts=", ".join(self.assumptions(advice["figures_assume"]))),)
        return (self.word("without_assumptions"),) if advice["state"] == "without_assumptions" else ()

    def depends(self) -> list[Block]:
        if self.decision["status"] == "not_sized":
            return []  # almost everything waits then; the verdict counts it
        items: dict[str, Item] = {}
        for advice in self._advice(("depends",)):
            level = advice["level"] if advice["kind"] == "advise" else "require"
            waits = self.word("tight") if advice["tight"] else self.word("waits", facts=", ".join(advice["needs"]))
            label = LEVELS[level].get(self.language) + "?"
            details = (waits, *self.waived(advice))
            items.setdefault(advice["rule"], Item(label, self.said(advice["title"]), (advice["rule"],), "quiet", details))
        shown, more = list(items.values())[:UNSETTLED], len(items) - UNSETTLED
        blocks: list[Block] = [Items(tuple(shown))] if shown else []
        return [*blocks, Words(self.word("more", count=more), "quiet")] if more > 0 else blocks

    def silent(self) -> list[Block]:
        """Rules of advice and requirement that a figure keeps from applying, each with that figure and its threshold."""
        parts = []
        speaking = {c["rule"] for c in self.decision["conclusions"]}
        for rule in self.decision["rules"]:
            if rule["id"] in speaking or rule["truth"] != "no" or not rule["advises"]:
                continue
            failed = next((a for a in rule["conditions"] if a["truth"] == "no"), None)
            if failed is not None and "right" in failed and all(n["known"] for n in rule["needs"]):
                parts.append(f"{rule['id']}: {self._failed(failed)}")
        return [Words(" | ".join(parts), "quiet")] if parts else []

    def _failed(self, atom: Document) -> str:
        """Why a condition is not met: `7B, not >= 10B`."""
        left = equal(atom["left"]["text"], self.said(atom["left"]["shown"]))
        if "right" not in atom:
            return left
        operator = atom["text"][len(atom["left"]["text"]) :].split()[0]
        return self.word("not", left=left, right=f"{operator} {self.said(atom['right']['shown'])}")
