"""A grid on paper: a table of what is decided for which values, what each decision is, and which rules make it another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gpurules.engine.decisions.change import Signature
from gpurules.engine.inquiries.decision_words import NAMED, DecisionWords
from gpurules.engine.inquiries.grid import Grid, Row
from gpurules.engine.inquiries.tree_phrases import phrase
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.reports import blocks
from gpurules.engine.reports.blocks import Block, Item, Items, Section, Words

ONE_BY_ONE, ACROSS, EXPLAINED = 60, 8, 24
"""Combinations that are shown one by one; values that stand beside each other; rules that are explained."""


class Decisions(DecisionWords):
    """The decisions of a grid by name: a letter for each verdict, with a number where it comes with different advice."""

    def __init__(self, grid: Grid, rulebook: Rulebook, language: str) -> None:
        super().__init__(rulebook, language)
        verdicts = list(dict.fromkeys(verdict for verdict, _ in grid.decisions))
        several = Counter(verdict for verdict, _ in grid.decisions)
        seen: Counter[tuple[str, ...]] = Counter()
        names = []
        for verdict, _ in grid.decisions:
            seen[verdict] += 1
            names.append(_letters(verdicts.index(verdict)) + (str(seen[verdict]) if several[verdict] > 1 else ""))
        self.names = tuple(names)

    def name(self, row: Row) -> str:
        return self.names[row.decision] if row.decision >= 0 else "–"


def _letters(number: int) -> str:
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def document(grid: Grid, rulebook: Rulebook) -> dict[str, Any]:
    """A grid as plain data: each combination with the name of its decision, and what each decision is."""
    decisions, counts = Decisions(grid, rulebook, "en"), Counter(row.decision for row in grid.rows)
    rows: list[dict[str, Any]] = []
    for row in grid.rows:
        given: dict[str, Any] = {"set": dict(zip(grid.paths, row.texts, strict=True))}
        if row.decision < 0:
            rows.append({**given, "contradiction": row.problem})
        else:
            status, *machines = grid.decisions[row.decision][0]
            rows.append({**given, "decision": decisions.name(row), "status": status, "machines": machines})
    found = {
        name: {"status": verdict[0], "machines": list(verdict[1:]), "advice": [list(one) for one in sorted(advice)], "rows": counts[number]}
        for number, (name, (verdict, advice)) in enumerate(zip(decisions.names, grid.decisions, strict=True))
    }
    return {"kind": "grid", "vary": list(grid.paths), "rows": rows, "decisions": found}


def sections(grid: Grid, rulebook: Rulebook, language: str) -> tuple[Section, ...]:
    """A grid as sections of a report."""
    return tuple(_Writer(grid, rulebook, language).sections())


class _Writer:
    def __init__(self, grid: Grid, rulebook: Rulebook, language: str) -> None:
        self.grid, self.rulebook, self.language = grid, rulebook, language
        self.decisions = Decisions(grid, rulebook, language)

    def say(self, key: str, **values: object) -> str:
        return phrase(f"grid_{key}", self.language, **values)

    def sections(self) -> Iterator[Section]:
        grid = self.grid
        across = len(grid.paths) == 2 and min(len(v) for v in grid.values) <= ACROSS
        alone, placed = len(grid.paths) == 1, across or len(grid.rows) <= ONE_BY_ONE
        table = (self._column(), *self._notes()) if alone else (self._crossed(),) if across else (self._one_by_one(),) if placed else ()
        head = Words(self.say("head", facts=" × ".join(grid.paths), rows=len(grid.rows), decisions=len(grid.decisions)))
        yield Section("grid", self.say("title"), (head, *table))
        if not alone:
            yield Section("decisions", self.say("decisions"), (*self._apart(placed), *self._notes()))
        rules = [rule for rule in self._rules() if rule in self.rulebook.rules]
        if rules:
            items = tuple(Item(rule, self.rulebook.rules[rule].title.get(self.language)) for rule in rules[:EXPLAINED])
            left: tuple[Block, ...] = (Words(self.say("left", count=len(rules) - EXPLAINED), "quiet"),) if len(rules) > EXPLAINED else ()
            yield Section("rules", self.say("rules"), (Items(items), *left))

    def _column(self) -> blocks.Grid:
        """One fact: a row for each value, with what changes from the row above."""
        rows: list[tuple[str, ...]] = []
        before: Signature | None = None
        for row in self.grid.rows:
            name = self.decisions.name(row)
            if row.decision < 0:
                rows.append((row.texts[0], name, self.say("contradiction"), "", ""))
                continue
            decision = self.grid.decisions[row.decision]
            again = before is not None and before[0] == decision[0]
            said = ("″", "″") if again else (self.decisions.status(decision), self.decisions.machines(decision))
            rows.append((row.texts[0], name, *said, self._step(before, decision)))
            before = decision
        return blocks.Grid((self.grid.paths[0], "", self.say("decision"), self.say("machines"), self.say("above")), tuple(rows))

    def _step(self, before: Signature | None, decision: Signature) -> str:
        return "" if before is None else self.say("same") if before == decision else self.decisions.changes(before, decision)

    def _crossed(self) -> blocks.Grid:
        """Two facts: the values of one down, of the other across."""
        (down, across), names = self.grid.values, {row.texts: self.decisions.name(row) for row in self.grid.rows}
        if len(across) > ACROSS:
            rows = tuple((two, *(names[one, two] for one in down)) for two in across)
            return blocks.Grid((f"{self.grid.paths[1]} ↓  {self.grid.paths[0]} →", *down), rows)
        rows = tuple((one, *(names[one, two] for two in across)) for one in down)
        return blocks.Grid((f"{self.grid.paths[0]} ↓  {self.grid.paths[1]} →", *across), rows)

    def _one_by_one(self) -> blocks.Grid:
        return blocks.Grid((*self.grid.paths, ""), tuple((*row.texts, self.decisions.name(row)) for row in self.grid.rows))

    def _apart(self, placed: bool) -> Iterator[blocks.Grid]:
        """The verdicts: what each is, how often, and unless they are `placed` elsewhere at which values; then the advice that comes with
        each, where it comes with several."""
        verdicts: dict[tuple[str, ...], list[int]] = {}
        for number, (verdict, _) in enumerate(self.grid.decisions):
            verdicts.setdefault(verdict, []).append(number)
        heads = ("", self.say("rows"), self.say("decision"), self.say("machines"), *(() if placed else (self.say("where"),)))
        rows, advice = [], []
        for numbers in verdicts.values():
            own, decision = [row for row in self.grid.rows if row.decision in numbers], self.grid.decisions[numbers[0]]
            where = () if placed else (self._where(own),)
            name = self.decisions.names[numbers[0]].rstrip("0123456789")
            rows.append((name, f"{len(own):,}", self.decisions.status(decision), self.decisions.machines(decision), *where))
            for number in numbers if len(numbers) > 1 else ():
                these = [row for row in self.grid.rows if row.decision == number]
                against = self.decisions.changes(decision, self.grid.decisions[number]) if number != numbers[0] else "–"
                advice.append((self.decisions.names[number], f"{len(these):,}", *(() if placed else (self._where(these),)), against))
        yield blocks.Grid(heads, tuple(rows))
        if advice:
            yield blocks.Grid(("", self.say("rows"), *(() if placed else (self.say("where"),)), self.say("against")), tuple(advice[:ONE_BY_ONE]))

    def _where(self, rows: Sequence[Row]) -> str:
        """The values that the combinations of a decision have in common, of each fact that does not have all of its values among them."""
        found = []
        for place, (path, values) in enumerate(zip(self.grid.paths, self.grid.values, strict=True)):
            held = [v for v in values if any(row.texts[place] == v for row in rows)]
            if len(held) == len(values):
                continue
            run = values.index(held[-1]) - values.index(held[0]) + 1 == len(held) > 2
            shown = f"{held[0]} … {held[-1]}" if run else ", ".join(held[:NAMED]) + (" …" if len(held) > NAMED else "")
            found.append(f"{path}: {shown}")
        return "; ".join(found)

    def _notes(self) -> Iterator[Block]:
        yield Words(self.say("legend"), "quiet")
        wrong = dict.fromkeys(row.problem for row in self.grid.rows if row.decision < 0)
        if wrong:
            yield Words(self.say("wrong", count=sum(row.decision < 0 for row in self.grid.rows), problem=next(iter(wrong))), "caution")

    def _rules(self) -> Mapping[str, None]:
        """The rules that the tables name."""
        found: dict[str, None] = {}
        if len(self.grid.paths) == 1:
            met = [self.grid.decisions[row.decision] for row in self.grid.rows if row.decision >= 0]
            pairs = list(zip(met, met[1:], strict=False))
        else:
            first: dict[tuple[str, ...], Signature] = {}
            pairs = [(first.setdefault(one[0], one), one) for one in self.grid.decisions]
        for before, after in pairs:
            for part in self.decisions.changes(before, after).split():
                if part[0] in "+−~":
                    found[part[1:]] = None
        return dict.fromkeys(sorted(found))
