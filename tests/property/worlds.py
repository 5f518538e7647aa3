"""Random rulebooks and facts over one fixed vocabulary, loaded through the real loader from files that exist in memory only."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field
from importlib import resources

from hypothesis import strategies as st

from gpurules.engine.decisions import selection
from gpurules.engine.inference import candidates
from gpurules.engine.knowledge import document, rulebook
from gpurules.engine.knowledge.rulebook import Files, Rulebook

# ---------------------------------------------------------------- files in memory


class Memory:
    """A folder (a dict) or a file (text) with as much of importlib's Traversable as the loader uses."""

    def __init__(self, name: str, content: dict | str | None) -> None:
        self.name, self.content = name, content

    def is_dir(self) -> bool:
        return isinstance(self.content, dict)

    def is_file(self) -> bool:
        return isinstance(self.content, str)

    def iterdir(self):
        return [Memory(name, content) for name, content in self.content.items()]

    def joinpath(self, *names: str):
        node = self
        for name in "/".join(names).split("/"):
            node = Memory(name, node.content.get(name))  # a file that is not there is none, until it is read
        return node

    __truediv__ = joinpath

    def open(self, mode: str = "r", **_):
        return io.BytesIO(self.content.encode()) if "b" in mode else io.StringIO(self.content)

    def read_bytes(self) -> bytes:
        return self.content.encode()

    def read_text(self, encoding: str = "utf-8", errors: str | None = None) -> str:
        return self.content


# ---------------------------------------------------------------- the vocabulary


def _number(path, unit, low, high, kind="observed", **more):
    return {"path": path, "title": _both(path), "type": "number", "unit": unit, "range": [low, high], "step": more.pop("step", "0.001"), "kind": kind, **more}


def _enum(path, members, kind="observed", **more):
    return {"path": path, "title": _both(path), "type": "enum", "members": {m: _both(m) for m in members}, "kind": kind, **more}


def _both(text):
    return {"en": text, "zh": text}


KINDS, MODES, CLASSES = ("a", "b", "c"), ("x", "y"), ("low", "mid", "high")
TASKS = ("pretrain", "lora", "inference")
STAGES = ("none", "optimizer", "full")
TIERS, LINKS = ("consumer", "data_center"), ("single_gpu", "pcie", "nvlink_switch")
PLANS = ("single", "replicated", "partly_sharded", "sharded", "layer_split", "tensor")
_CARD = (
    ("memory_nominal", "byte", "1e9", "1e12"), ("memory_usable", "byte", "1e9", "1e12"), ("memory_bandwidth", "byte/s", "1e10", "1e14"),
    ("half_tensor_rate", "FLOP/s", "1e12", "1e17"), ("power_limit", "W", "10", "3000"), ("compute_capability", "1", "3", "20"),
)  # fmt: skip
FACTS = [
    _enum("workload.task", TASKS, cost="free"),
    _number("model.size_class", "parameter", "1e5", "2e13", integer="yes"),
    _number("model.parameters", "parameter", "1e5", "2e13", integer="yes"),
    _number("load.share", "1", "0", "1", share="yes", cost="hours"),
    _number("load.count", "1", "1", "64", integer="yes", step="1"),
    _number("load.delta", "1", "-10", "10"),
    _number("load.size", "byte", "0", "1e12", step="1e6", applies_when="load.flag"),
    _number("load.rate", "byte/s", "1e9", "1e13", step="1e6"),
    _enum("load.kind", KINDS, cost="minutes", obtain={"command": "ask", **_both("ask somebody")}),
    _enum("load.mode", MODES),
    {"path": "load.flag", "title": _both("flag"), "type": "bool", "kind": "observed"},
    {"path": "gpu.name", "title": _both("card"), "type": "card", "kind": "observed"},
    _number("gpu.count", "1", "1", "1024", integer="yes", step="1"),
    *(_number(f"gpu.{name}", unit, low, high) for name, unit, low, high in _CARD),
    _enum("gpu.tier", TIERS),
    _enum("interconnect.kind", LINKS),
    _number("interconnect.bandwidth", "byte/s", "1e9", "1e14"),
    _enum("parallel.sharding_stage", STAGES),
    _number("parallel.tensor", "1", "1", "64", integer="yes", step="1"),
    _number("parallel.pipeline", "1", "1", "64", integer="yes", step="1"),
    _number("parallel.context", "1", "1", "64", integer="yes", step="1"),
    _enum("made.sort", CLASSES, "derived"),
    {"path": "made.flag", "title": _both("made flag"), "type": "bool", "kind": "derived"},
    _number("made.ratio", "1", "-1e6", "1e6", "derived"),
    _number("made.need", "byte", "0", "1e15", "derived"),
    _number("made.total", "byte", "0", "1e16", "derived", combine="sum"),
    _number("made.peak", "byte", "0", "1e16", "derived", combine="max"),
    _number("made.least", "1", "-1e6", "1e6", "derived", combine="min"),
    _number("made.after", "1", "0", "1e6", "derived"),  # of all machines together; no random rule derives it
    {"path": "candidate.card", "title": _both("card"), "type": "card", "kind": "choice"},
    _number("candidate.count", "1", "1", "1024", "choice", integer="yes", step="1"),
    *(_number(f"candidate.{name}", unit, low, high, "choice") for name, unit, low, high in _CARD),
    _enum("candidate.tier", TIERS, "choice"),
    _enum("candidate.interconnect", LINKS, "choice"),
    _number("candidate.interconnect_bandwidth", "byte/s", "1e9", "1e14", "choice"),
    _enum("candidate.plan", PLANS, "choice"),
    _enum("candidate.sharding_stage", STAGES, "choice"),
    *(_number(f"candidate.{name}", "1", "1", "1024", "choice", integer="yes", step="1") for name in ("tensor", "pipeline", "context")),
    _number("candidate.power", "W", "0", "1e6", "derived"),
    _number("candidate.headroom", "1", "-1e6", "1e6", "derived"),
    _number("candidate.memory_need", "byte", "0", "1e15", "derived"),
    _enum("candidate.fit", ("fits", "tight", "none"), "derived"),
]


def _expected() -> list[dict]:
    """What else the engine expects of every vocabulary, as the packaged one defines it: figures of candidate 0, and those shown."""
    mine = {f["path"] for f in FACTS}
    wanted = {*candidates.STATED, *candidates.STATED.values(), *selection.SHOWN} - mine
    entries = []
    for file in resources.files("gpurules.schemas").joinpath("vocabulary").iterdir():
        if file.name.endswith(".yaml"):
            entries += document.plain(document.parse(file.read_bytes(), file.name)).get("facts", [])
    return sorted((e for e in entries if e["path"] in wanted), key=lambda e: e["path"])


FACTS += _expected()
ADVICE = {"topics": {"memory": _both("memory"), "cost": _both("cost")}, "actions": {"add": _both("add cards"), "keep": _both("keep the machine")}}
ENUMS = {f["path"]: tuple(f["members"]) for f in FACTS if f["type"] == "enum"}
FLAGS = ("load.flag", "made.flag")

SHARES = ("0", "10 %", "0.3", "30 %", "50 %", "1")
COUNTS = ("1", "2", "4", "7", "8", "64")
DELTAS = ("-10", "-1", "-0.5", "0", "0.5", "2", "10")
SIZES = ("0 byte", "1 GB", "22.8 GB", "24 GB", "24 GiB", "72 GB", "80 GB", "1 TB")
MEMORIES = ("1 GB", "22.8 GB", "24 GB", "24564 MiB", "72 GB", "80 GB", "1 TB")
RATES = ("1 GB/s", "64 GB/s", "900 GB/s", "10 TB/s")
RATIOS = ("-3", "-0.5", "0", "0.5", "0.9", "2", "100")
NUMBERS = {  # fact -> (dimension, figures of everyday size inside its range)
    "load.share": ("1", SHARES), "load.count": ("1", COUNTS), "load.delta": ("1", DELTAS), "load.size": ("byte", SIZES), "load.rate": ("byte/s", RATES),
    "gpu.count": ("1", COUNTS), "gpu.memory_usable": ("byte", MEMORIES), "gpu.memory_nominal": ("byte", MEMORIES),
    "made.ratio": ("1", RATIOS), "made.need": ("byte", SIZES), "made.total": ("byte", SIZES), "made.peak": ("byte", SIZES), "made.least": ("1", RATIOS),
    "candidate.count": ("1", COUNTS), "candidate.memory_usable": ("byte", MEMORIES), "candidate.memory_need": ("byte", SIZES),
    "candidate.headroom": ("1", RATIOS),
}  # fmt: skip
ANY_FIGURE = {"1": ("30 %", "0.9", "1.2", "2", "-3", "0", "16"), "byte": ("16 byte", "1 GB", "22.8 GB", "80 GB"), "byte/s": RATES}
RANK = (
    "made.sort", "made.flag", "made.ratio", "made.need", "made.total", "made.peak", "made.least",
    "candidate.memory_need", "candidate.headroom", "candidate.fit",
)  # fmt: skip
"""Derived facts in the order in which each may read those before it."""
GIVEN = (
    "workload.task", "model.size_class", "load.share", "load.count", "load.delta", "load.size", "load.rate", "load.kind", "load.mode", "load.flag",
    "gpu.name", "gpu.count", "gpu.memory_usable", "gpu.tier",
)  # fmt: skip

_SMALL = {"gpu.memory_nominal": "24 GB", "gpu.memory_usable": "22.8 GB", "gpu.tier": "consumer", "gpu.power_limit": "450 W", "link.kind": "pcie"}
_LARGE = {"gpu.memory_nominal": "80 GB", "gpu.memory_usable": "79 GB", "gpu.tier": "data_center", "gpu.power_limit": "700 W", "link.kind": "nvlink_switch"}


def _card(id_, values):
    given = {k: {"value": v, "from": ["s1"], "confidence": "datasheet"} for k, v in values.items()}
    return {"id": id_, "name": id_.title(), "aliases": [], "ambiguous_aliases": ["Card"], "values": given, "data": {}, "notes": []}


CATALOGS = {
    "gpus.yaml": {"sources": {"s1": {"where": "a data sheet", "confidence": "datasheet"}}, "cards": [_card("small", _SMALL), _card("large", _LARGE)]},
    "models.yaml": {"sources": {}, "models": []},
    "claims.yaml": {
        "sources": {"T": {"title": _both("a text"), "url": "https://example.org"}},
        "claims": [{"id": c, "source": "T", "place": "p. 1", "says": _both(f"says {c}")} for c in ("T01", "T02", "T03")],
    },
    "conflicts.yaml": {"conflicts": [{"id": "K01", "between": ["T01", "T02"], "kind": "both", "about": _both("about"), "holds": _both("holds")}]},
}


def tree(rules: dict[str, str]) -> dict:
    """The files of a rulebook: `rules` (path below rules/ -> text) with the fixed vocabulary and catalogues."""
    schema = resources.files("gpurules.schemas").joinpath("rule.schema.json").read_text("utf-8")
    about = {"rulebook.yaml": json.dumps({"version": "1.0.0", "released": "2026-01-01"})}
    folder: dict = dict(about)
    for path, text in rules.items():
        *parents, name = path.split("/")
        place = folder
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = text
    vocabulary = {"facts.yaml": json.dumps({"facts": FACTS}), "advice.yaml": json.dumps(ADVICE)}
    return {
        "rules": folder,
        "catalogs": {name: json.dumps(content) for name, content in CATALOGS.items()},
        "schemas": {"rule.schema.json": schema, "vocabulary": vocabulary},
    }


def load(rules: dict[str, str]) -> Rulebook:
    files = tree(rules)
    return rulebook.load(Files(*(Memory(part, files[part]) for part in ("rules", "catalogs", "schemas"))))


def written(rules: list[dict]) -> dict[str, str]:
    """Rules as files, one a rule."""
    return {f"{r['id'][:3].lower()}/{r['id']}-rule.yaml": json.dumps(r) for r in rules}


# ---------------------------------------------------------------- random rules


@dataclass
class _Draft:
    """A rule being drawn: what it may read, and the parameters that its expressions have asked for."""

    draw: object
    readable: tuple[str, ...]
    parameters: dict = field(default_factory=dict)

    def pick(self, options):
        return self.draw(st.sampled_from(tuple(options)))

    def chance(self, percent):
        return self.draw(st.integers(0, 99)) < percent

    def parameter(self, figures, wide=True):
        name = f"p{len(self.parameters)}"
        text = self.pick(figures)
        if wide and self.chance(20):
            text = _between(text, self.pick(figures))
        value = text
        if self.chance(10):
            value = [{"since": "2025-01-01", "value": text}, {"since": "2027-01-01", "value": self.pick(figures)}]
        self.parameters[name] = {"value": value, "cites": ["T03"], "since": "2025-01-01"}
        return name

    def table(self, figures):
        name = f"p{len(self.parameters)}"
        keys = ["load.kind"] if self.chance(60) else ["load.kind", "load.mode"]
        rows = [{"key": [[m] if self.chance(50) else m, *(["any"] * (len(keys) - 1))], "value": self.pick(figures)} for m in KINDS]
        if self.chance(30):
            rows[1:] = [{"key": [["b", "c"], *(["any"] * (len(keys) - 1))], "value": _between(self.pick(figures), self.pick(figures))}]
        self.parameters[name] = {"keys": keys, "rows": rows, "cites": ["T03"], "since": "2025-01-01"}
        return f"lookup({name}, {', '.join(keys)})"

    def names(self, dimension):
        return [f for f in self.readable if NUMBERS.get(f, ("",))[0] == dimension]

    # -------------------------------- arithmetic

    def number(self, dimension, depth):
        """The text of an expression, every compound in brackets."""
        names = self.names(dimension)
        shape = self.draw(st.integers(0, 11)) if depth else self.draw(st.integers(0, 2))
        if shape <= 1 and names:
            return self.pick(names)
        if shape <= 2:
            return self.parameter(ANY_FIGURE[dimension])
        one = self.number(dimension, depth - 1)
        match shape:
            case 3 | 4:
                return f"({one} {self.pick('+-')} {self.number(dimension, depth - 1)})"
            case 5:
                return f"({self.number('1', depth - 1)} * {one})"
            case 6:
                return f"({one} / {self.number('1', depth - 1)})"
            case 7:
                return f"{self.pick(('min', 'max', 'hull'))}({one}, {self.number(dimension, depth - 1)})"
            case 8:
                return self.table(ANY_FIGURE[dimension])
            case 9 if names:  # one leaf twice, in one direction or both
                leaf, other = self.pick(names), self.number("1", depth - 1)
                return self.pick((f"({leaf} * {other} + {leaf})", f"({leaf} - {leaf} * {other})", f"({leaf} + {one} + {leaf})", f"max({leaf}, {leaf} + {one})"))
            case 10 if dimension == "1":
                return f"{self.pick(('ceil', 'floor', 'round', 'log2'))}({one})"
            case 11 if dimension == "1":
                return f"({self.number('byte', depth - 1)} / {self.number('byte', depth - 1)})"
        return f"-({one})" if self.chance(30) else f"max(0, {one})"

    # -------------------------------- conditions

    def atom(self):
        shape = self.draw(st.integers(0, 9))
        enums = [f for f in self.readable if f in ENUMS]
        flags = [f for f in self.readable if f in FLAGS]
        if shape <= 2 and enums:
            fact = self.pick(enums)
            members = self.draw(st.lists(st.sampled_from(ENUMS[fact]), min_size=1, max_size=2, unique=True))
            if len(members) == 1 and self.chance(60):
                return f"{fact} {self.pick(('==', '!='))} '{members[0]}'"
            return f"{fact} {self.pick(('in', 'not in'))} ({', '.join(repr(m) for m in members)})"
        if shape == 3 and flags:
            return self.pick(flags)
        operator = self.pick((">", "<", ">=", "<=", ">", ">=", "==", "!="))
        fact = self.pick([f for f in self.readable if f in NUMBERS])
        dimension, figures = NUMBERS[fact]
        if shape <= 6:
            return f"{fact} {operator} {self.parameter(figures)}"
        if shape == 7:
            return f"{self.parameter(figures)} {self.pick(('<', '<='))} {fact} {self.pick(('<', '<='))} {self.parameter(figures)}"
        if shape == 8 and dimension == "1":
            return f"divides({fact}, {self.pick(self.names('1'))})"
        return f"{self.number(dimension, 2)} {operator} {self.number(dimension, 1)} * {self.parameter(('0.9', '1', '2'))}"

    def text(self, depth=1):
        shape = self.draw(st.integers(0, 5)) if depth else 0
        if shape <= 2:
            return self.atom()
        if shape == 3:
            return f"not ({self.text(depth - 1)})"
        return self.pick((" and ", " or ")).join(f"({self.text(depth - 1)})" for _ in range(2))

    def when(self):
        """A condition as the rule file has it: text, or groups under all, any and not."""
        shape = self.draw(st.integers(0, 4))
        if shape <= 1:
            return self.text()
        if shape == 2:
            return {"not": self.text()}
        return {self.pick(("all", "any")): [self.text() for _ in range(self.draw(st.integers(1, 3)))]}


def _between(a, b):
    """The interval from one figure to the other, smaller first."""
    from gpurules.engine.values import quantity

    first, second = quantity.read(a, share=True), quantity.read(b, share=True)
    return a if first == second else f"{a} .. {b}" if first.low < second.low else f"{b} .. {a}"


@dataclass
class _Book:
    draw: object
    rules: list = field(default_factory=list)
    settled: set = field(default_factory=set)
    """Derived facts of which some rule holds in every case, by construction."""

    def readable(self, rank, candidate):
        given = GIVEN + (("candidate.count", "candidate.memory_usable", "candidate.tier", "candidate.plan") if candidate else ())
        made = [f for f in RANK[:rank] if candidate or not f.startswith("candidate.")]
        return tuple(f for f in (*given, *made) if f in NUMBERS or f in ENUMS or f in FLAGS)

    def draft(self, rank, candidate=False):
        return _Draft(self.draw, self.readable(rank, candidate))

    def add(self, draft, then, when=None, candidate=False, overrides=(), needs=()):
        words = _words([when, then])
        draft.parameters = {name: p for name, p in draft.parameters.items() if name in words}
        rule = {
            "version": "1.0.0", "status": "active", "title": _both("a rule"), "then": then, "because": self.because(draft),
            "cites": [draft.pick(("T01", "T02", "T03"))], "cases": [{"name": "none", "fires": "depends"}], "parameters": draft.parameters,
            "overrides": list(overrides), "needs": list(needs), "candidate": candidate,
        }  # fmt: skip
        if when is not None:
            rule["when"] = when
        self.rules.append(rule)
        return rule

    @staticmethod
    def because(draft):
        figures = [n for n, p in draft.parameters.items() if "value" in p][:1] + list(draft.readable[:2])
        return _both("since " + " and ".join(f"{{{{ {f} }}}}" for f in figures))

    def needs(self, draft):
        return [draft.pick(("load.share", "load.size", "load.kind", "load.flag"))] if draft.chance(20) else []

    def derivations(self, rank):
        """Rules that derive one fact: in a chain, apart from each other by conditions, or combined."""
        fact, candidate = RANK[rank], RANK[rank].startswith("candidate.")
        group = self.draw(st.integers(0, 3))
        style = self.draw(st.sampled_from(("chain", "kinds", "share")))
        if fact in ("made.total", "made.peak", "made.least"):
            style = "combined"
        parts = self.draw(st.permutations([["a"], ["b"], ["c"]])) if style == "kinds" else []
        if style == "kinds" and self.draw(st.booleans()):
            parts = [parts[0] + parts[1], parts[2]]
        threshold = self.draw(st.sampled_from(SHARES[1:-1]))
        before, plain = [], []
        for index in range(min(group, 2 if style == "share" else len(parts) if style == "kinds" else 3)):
            draft = self.draft(rank, candidate)
            when, needs = (draft.when() if draft.chance(85) else None), self.needs(draft)
            if style == "chain" and index == 0 and draft.chance(50):
                when, needs = None, []
            if style in ("kinds", "share"):
                if style == "kinds":
                    apart = f"load.kind in ({', '.join(repr(m) for m in parts[index])})"
                else:
                    draft.parameters["edge"] = {"value": threshold, "cites": ["T03"], "since": "2025-01-01"}
                    apart = f"load.share {('>', '<=')[index]} edge"
                if draft.chance(60):
                    when, needs = apart, []
                else:
                    when = {"all": [apart, draft.text()]}
            plain.append(when is None and not needs)
            value = self.value(draft, fact)
            then = [{"derive": {fact: value}}]
            if draft.chance(10) and not candidate and rank < RANK.index("made.total"):
                then[0]["derive"]["made.total"] = draft.number("byte", 1)
            rule = self.add(draft, then, when, candidate, [before[-1]] if style == "chain" and before else (), needs)
            before.append(rule)
        if style == "chain" and any(plain):
            self.settled.add(fact)

    def value(self, draft, fact):
        if fact in ENUMS:
            members = self.draw(st.lists(st.sampled_from(ENUMS[fact]), min_size=1, max_size=2, unique=True))
            return members if len(members) > 1 or draft.chance(50) else members[0]
        if fact in FLAGS:
            return draft.pick(("yes", "no"))
        return draft.number(NUMBERS[fact][0], 2) if draft.chance(40) else f"max(0, {draft.number(NUMBERS[fact][0], 2)})"

    def assumptions(self):
        fact = self.draw(st.sampled_from(("load.kind", "load.mode", "load.share", "load.size", "gpu.count")))
        before = ()
        for _ in range(self.draw(st.integers(1, 2))):
            draft = self.draft(RANK.index("candidate.memory_need"))
            when = draft.when() if draft.chance(80) else None
            value = [ENUMS[fact][0], ENUMS[fact][1]] if fact in ENUMS else draft.parameter(NUMBERS[fact][1])
            rule = self.add(draft, [{"assume": {fact: value}}], when, overrides=before, needs=self.needs(draft))
            before = (rule,)

    def advice(self, candidate):
        draft = self.draft(len(RANK) if candidate else RANK.index("candidate.memory_need"), candidate)
        then, judge = [], draft
        if candidate:
            safe = _Draft(self.draw, tuple(f for f in draft.readable if f not in RANK or f in self.settled), draft.parameters)
            then.append({"require": safe.text()})
            if draft.chance(30):
                figure = draft.pick(("candidate.count", "candidate.memory_usable", "candidate.headroom"))
                then.append({"prefer": {"figure": figure, "direction": draft.pick(("high", "low"))}})
                judge = _Draft(self.draw, tuple(f for f in draft.readable if not f.startswith("candidate.")), draft.parameters)
        if draft.chance(80) or not then:
            level = draft.pick(("stop", "avoid", "recommend"))
            then.append({"advise": {"topic": draft.pick(ADVICE["topics"]), "level": level, "action": draft.pick(ADVICE["actions"])}})
        if draft.chance(20):
            then.append({"ask": draft.pick(GIVEN)})
        same = [r for r in self.rules if r["candidate"] == candidate]
        overrides = self.draw(st.lists(st.sampled_from(range(len(same))), max_size=2, unique=True)) if same else []
        when = judge.when() if draft.chance(90) else None
        self.add(draft, then, when, candidate, [same[i] for i in overrides], self.needs(draft))


def _words(rule_parts):
    return set(re.split(r"[^\w.]+", json.dumps(rule_parts)))


@st.composite
def rulebooks(draw) -> list[dict]:
    """Rules as plain data, ready for `written`; ids are dealt out at random."""
    book = _Book(draw)
    for rank in range(len(RANK)):
        book.derivations(rank)
    if draw(st.booleans()):
        book.assumptions()
    for _ in range(draw(st.integers(1, 3))):
        book.advice(False)
    for _ in range(draw(st.integers(0, 3))):
        book.advice(True)
    ids = draw(st.permutations([f"{'ABC'[i % 3] * 3}-{i + 1:03}" for i in range(len(book.rules))]))
    for rule, id_ in zip(book.rules, ids, strict=True):
        rule["id"] = id_
    for rule in book.rules:
        if rule.pop("candidate"):
            rule["for_each"] = "candidate"
        rule["overrides"] = [other["id"] for other in rule["overrides"]]
        for key in ("overrides", "needs", "parameters"):
            if not rule[key]:
                del rule[key]
    return book.rules


# ---------------------------------------------------------------- random facts


@st.composite
def _figure(draw, figures):
    shape = draw(st.integers(0, 7))
    one, other = draw(st.sampled_from(figures)), draw(st.sampled_from(figures))
    return one if shape <= 3 else f">= {one}" if shape == 4 else f"<= {one}" if shape == 5 else _between(one, other)


@st.composite
def facts(draw) -> dict[str, object]:
    """Facts as somebody may write them: exact, ranges, one-sided, sets of members, left out, and now and then a derived one."""
    stated: dict[str, object] = {}
    for path in GIVEN:
        often = {"load": 60, "workload": 70, "model": 40}.get(path.split(".")[0], 30)
        if draw(st.integers(0, 99)) >= often:
            continue
        if path == "gpu.name":
            stated[path] = draw(st.sampled_from(("small", "large", "Card")))
        elif path == "model.size_class":
            stated[path] = draw(st.sampled_from(("7B", "70B", "6..8B")))
        elif path in NUMBERS:
            stated[path] = draw(_figure(NUMBERS[path][1]))
        elif path in ENUMS:
            stated[path] = draw(st.lists(st.sampled_from(ENUMS[path]), min_size=1, max_size=2, unique=True))
        elif path in FLAGS:
            stated[path] = draw(st.sampled_from(("yes", "no")))
    if draw(st.integers(0, 9)) == 0:
        stated["parallel.tensor"] = draw(st.sampled_from(("1", "2", "1..4")))
    if draw(st.integers(0, 9)) <= 2:
        fact = draw(st.sampled_from(("made.sort", "made.ratio", "made.need", "made.peak", "made.flag")))
        stated[fact] = draw(_figure(NUMBERS[fact][1])) if fact in NUMBERS else (ENUMS[fact][1] if fact in ENUMS else "yes")
    return stated


QUESTIONS = st.tuples(rulebooks(), facts())
"""A rulebook and facts to ask it about."""
