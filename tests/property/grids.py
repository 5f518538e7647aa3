"""Random rulebooks over facts of a few values each, with conditions that take two and three facts, so that every point can be asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import worlds
from hypothesis import strategies as st

RULES, FACTS_READ = 12, 6
_both = worlds._both
POOL = {
    "grid.count": worlds._number("grid.count", "1", "0", "4", integer="yes", step="1", movable="yes"),
    "grid.share": worlds._number("grid.share", "1", "0", "1", share="yes", step="0.2", movable="yes"),
    "grid.shift": worlds._number("grid.shift", "1", "-2", "2", step="1", movable="yes"),
    "grid.size": worlds._number("grid.size", "byte", "1e9", "4e9", step="1e9", movable="yes"),
    "grid.kind": worlds._enum("grid.kind", ("a", "b", "c"), movable="yes"),
    "grid.mode": worlds._enum("grid.mode", ("x", "y", "z"), movable="no"),  # may be settled, never changed
    "grid.flag": {"path": "grid.flag", "title": _both("flag"), "type": "bool", "kind": "observed", "movable": "yes"},
    "gpu.count": worlds._number("gpu.count", "1", "1", "4", integer="yes", step="1", movable="yes"),
    "gpu.name": {"path": "gpu.name", "title": _both("card"), "type": "card", "kind": "observed", "movable": "yes"},
    "gpu.memory_usable": worlds._number("gpu.memory_usable", "byte", "0", "80e9", step="20e9", movable="no"),
}
"""What rules may read; a number's whole range is at most six places."""
VOTES = worlds._number("made.votes", "1", "0", "12", "derived", combine="sum")
FACTS = [*(f for f in worlds.FACTS if f["path"] not in POOL), *POOL.values(), VOTES]
FIGURES = {
    "grid.count": ("0", "1", "2", "3", "4"), "grid.share": ("0 %", "20 %", "30 %", "60 %", "0.8", "1"), "grid.shift": ("-2", "-1", "0", "1", "2"),
    "grid.size": ("1 GB", "2 GB", "3 GB", "4 GB"), "gpu.count": ("1", "2", "3", "4"), "gpu.memory_usable": ("20 GB", "22.8 GB", "40 GB", "60 GB", "79 GB"),
}  # fmt: skip
MEMBERS = {"grid.kind": ("a", "b", "c"), "grid.mode": ("x", "y", "z"), "gpu.name": ("small", "large"), "grid.flag": ("yes", "no")}
PLAIN = ("grid.count", "grid.share", "grid.shift", "gpu.count")
"""Numbers without a dimension."""
DERIVED = ("made.sort", "made.flag", "made.ratio", "made.votes")


@dataclass
class _Draft:
    """A rule being drawn over `facts`, and what it may read of what rules before it derive."""

    draw: object
    facts: tuple[str, ...]
    derived: tuple[str, ...] = ()
    parameters: dict = field(default_factory=dict)

    def pick(self, options):
        return self.draw(st.sampled_from(tuple(options)))

    def chance(self, percent):
        return self.draw(st.integers(0, 99)) < percent

    def parameter(self, value):
        name = f"p{len(self.parameters)}"
        self.parameters[name] = {"value": value, "cites": ["T03"], "since": "2025-01-01"}
        return name

    def atom(self, fact):
        """A condition that few values of a fact meet."""
        if fact == "made.sort":
            return f"made.sort == '{self.pick(worlds.CLASSES)}'"
        if fact in ("made.flag", "grid.flag"):
            return self.pick((fact, f"not {fact}"))
        if fact == "made.votes":
            return f"made.votes >= {self.parameter(self.pick(('1', '2', '3')))}"
        if fact == "made.ratio":
            return f"made.ratio {self.pick(('>', '<='))} {self.parameter(self.pick(('0', '0.5', '1', '3')))}"
        if fact in MEMBERS:
            one, other = self.draw(st.lists(st.sampled_from(MEMBERS[fact]), min_size=2, max_size=2, unique=True))
            if fact != "gpu.name" and self.chance(20):
                return f"{fact} {self.pick(('in', 'not in'))} ('{one}', '{other}')"
            return f"{fact} {'!=' if self.chance(15) else '=='} '{one}'"
        figures = FIGURES[fact]
        if self.chance(30):
            return f"{fact} == {self.parameter(self.pick(figures))}"
        high = self.chance(50)
        return f"{fact} {self.pick(('>', '>=') if high else ('<', '<='))} {self.parameter(self.pick(figures[-3:] if high else figures[:3]))}"

    def numbers(self):
        return [f for f in self.facts if f in PLAIN]

    def joined(self):
        """A comparison that several facts take part in: sums, products, humps, tables."""
        names = self.numbers()
        if not names:
            return self.atom(self.pick(self.facts))
        one, two, three = (self.pick(names) for _ in range(3))
        weight = self.parameter(self.pick(("2", "3", "-1", "0.5")))
        tables = [f for f in self.facts if f in ("grid.kind", "grid.mode")]
        forms = [
            f"{one} + {weight} * {two}", f"{one} * {two}", f"{one} + {two} + {three}", f"{one} * {two} - {three}", f"max({one}, {two}) * {three}",
            f"{one} * (1 - {two})", f"min({one}, {two}) - {three}",
        ]  # fmt: skip
        if tables:
            table, key = f"p{len(self.parameters)}", self.pick(tables)
            rows = [{"key": [m], "value": self.pick(("0", "1", "2", "4"))} for m in MEMBERS[key]]
            self.parameters[table] = {"keys": [key], "rows": rows, "cites": ["T03"], "since": "2025-01-01"}
            forms += [f"lookup({table}, {key}) * {one}", f"lookup({table}, {key}) * {one} + {two}"] * 2
        form = self.pick(forms)
        if "grid.size" in self.facts and self.chance(20):
            return f"grid.size * {one} {self.pick(('>', '<'))} {self.parameter(self.pick(('2 GB', '5 GB', '9 GB')))}"
        return f"{form} {self.pick(('>', '>=', '<'))} {self.parameter(self.pick(('0.2', '0.5', '1', '2', '3', '5', '7')))}"

    def condition(self):
        """All of two or three, now and then a choice of them."""
        count = self.draw(st.sampled_from((1, 2, 3, 3, 3)))
        facts = self.draw(st.lists(st.sampled_from(self.facts), min_size=min(count, len(self.facts)), max_size=count, unique=True))
        chosen = [*self.draw(st.lists(st.sampled_from(self.derived), max_size=1)), *facts][:3] if self.derived else facts
        parts = [self.joined() if self.chance(20) else self.atom(f) for f in chosen]
        shape = self.draw(st.integers(0, 15))
        if shape == 0:
            return {"any": parts}
        if shape == 1:
            return {"all": [{"any": parts}, self.joined()]}
        if shape == 2:
            return {"not": {"all": parts}}
        return {"all": parts}


@st.composite
def rulebooks(draw):
    """(rules as plain data, the facts that they may read): at most twelve rules over six facts."""
    facts = tuple(sorted(draw(st.lists(st.sampled_from(sorted(POOL)), min_size=3, max_size=FACTS_READ, unique=True))))
    rules: list[dict] = []

    def add(draft, then, when=None, overrides=(), **more):
        words = worlds._words([when, then])
        rule = {
            "id": f"AAA-{len(rules) + 1:03}", "version": "1.0.0", "status": "active", "title": _both("a rule"), "then": then, "because": _both("since so"),
            "cites": ["T01"], "cases": [{"name": "none", "fires": "depends"}], **more,
        }  # fmt: skip
        parameters = {name: p for name, p in draft.parameters.items() if name in words}
        rule |= {key: value for key, value in (("when", when), ("parameters", parameters), ("overrides", list(overrides))) if value}
        if draft.chance(12):
            rule["needs"] = [draft.pick(f for f in facts if f != "gpu.memory_usable" or len(facts) == 1)]
        rules.append(rule)
        return rule["id"]

    made: list[str] = []
    for fact in draw(st.lists(st.sampled_from(DERIVED), max_size=3, unique=True)):
        before = ""
        for _ in range(draw(st.integers(1, 3 if fact == "made.votes" else 2))):
            draft = _Draft(draw, facts, tuple(made))
            when = draft.condition()
            if fact == "made.votes":
                value = draft.parameter(draft.pick(("1", "1", "2")))
            elif fact == "made.ratio":
                names = draft.numbers()
                value = f"{draft.pick(names)} * {draft.pick(names)} - {draft.parameter('1')}" if names else draft.parameter("1")
            else:
                value = draft.pick(worlds.CLASSES if fact == "made.sort" else ("yes", "no"))
            before = add(draft, [{"derive": {fact: value}}], when, [before] if before and fact != "made.votes" else ())
        made.append(fact)
    if draw(st.integers(0, 3)) == 0:
        fact = draw(st.sampled_from([f for f in facts if f not in ("gpu.name", "gpu.memory_usable")] or ["grid.kind"]))
        draft = _Draft(draw, tuple(f for f in facts if f != fact) or facts)
        value = draft.pick(MEMBERS[fact]) if fact in MEMBERS else draft.parameter(draft.pick(FIGURES[fact]))
        add(draft, [{"assume": {fact: value}}], draft.condition() if draft.chance(70) else None)
    advising: list[str] = []
    while len(rules) < RULES and (len(advising) < 1 or draw(st.integers(0, 2))):
        draft = _Draft(draw, facts, tuple(made))
        if draft.chance(20):
            stated = {"gpu.count", "gpu.memory_usable"} <= {*facts}
            then = [{"require": f"candidate.count * {draft.parameter('20 GB')} <= candidate.memory_usable" if stated else draft.joined()}]
            add(draft, then, draft.condition(), for_each="candidate")
            continue
        then = [{"advise": {"topic": "memory", "level": draft.pick(("stop", "recommend")), "action": "add"}}]
        overrides = [draft.pick(advising)] if advising and draft.chance(25) else ()
        advising.append(add(draft, then, draft.condition(), overrides))
    return rules, facts


@st.composite
def facts(draw, read):
    """Facts as stated: most exact, some ranges or sets, some left out."""
    stated: dict[str, object] = {}
    for path in read:
        shape = draw(st.integers(0, 9))
        if path == "gpu.memory_usable" and shape != 4 or shape <= 1:
            continue
        if path in MEMBERS:
            some = shape == 2 and path != "grid.flag"
            stated[path] = draw(st.lists(st.sampled_from(MEMBERS[path]), min_size=2, max_size=2, unique=True)) if some else draw(st.sampled_from(MEMBERS[path]))
            continue
        figures = FIGURES[path]
        one = draw(st.sampled_from(figures))
        stated[path] = worlds._between(one, draw(st.sampled_from(figures))) if shape == 2 else one
    return stated
