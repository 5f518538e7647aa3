"""A small evaluator written straight from docs/semantics.md, slow and plain: what the engine is held against.

Values are tuples (low, high) or frozen sets of members; truth is 0 (no), 1 (depends), 2 (yes). It walks the rules' syntax
trees afresh for every question and shares nothing with the engine's back ends but those trees and the vocabulary.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gpurules.engine.knowledge import rule as rules
from gpurules.engine.language import syntax

NO, DEPENDS, YES = 0, 1, 2
INFINITY = math.inf


class Impossible(Exception):
    """A derived fact came out with no value that it may have."""


# ---------------------------------------------------------------- numbers


def above(x, y):
    """x > y beyond the tolerance; infinite ends tested first."""
    if INFINITY in (abs(x), abs(y)):
        return x > y
    return x - y > 1e-12 * max(abs(x), abs(y))


def truth_above(a, b):
    if above(a[0], b[1]):
        return YES
    if not above(a[1], b[0]):
        return NO
    return DEPENDS


def truth_of(operator, a, b):
    match operator:
        case ">":
            return truth_above(a, b)
        case "<":
            return truth_above(b, a)
        case ">=":
            return 2 - truth_above(b, a)
        case "<=":
            return 2 - truth_above(a, b)
        case "==":  # neither is above the other
            return min(2 - truth_above(a, b), 2 - truth_above(b, a))
        case "!=":
            return 2 - truth_of("==", a, b)
    raise AssertionError(operator)


def plus(x, y, undefined):
    return undefined if {x, y} == {INFINITY, -INFINITY} else x + y


def times(x, y):
    return 0.0 if 0 in (x, y) else x * y


def over(x, y):
    return 0.0 if x == 0 or abs(y) == INFINITY else x / y


def add(a, b):
    return plus(a[0], b[0], -INFINITY), plus(a[1], b[1], INFINITY)


def minus(a):
    return 0.0 - a[1], 0.0 - a[0]


def multiply(a, b):
    corners = [times(x, y) for x in a for y in b]
    return min(corners), max(corners)


def divide(a, b):
    low, high = b
    if low < 0 < high or (low, high) == (0, 0):
        return -INFINITY, INFINITY
    if low == 0:
        return multiply(a, (1 / high, INFINITY))
    if high == 0:
        return multiply(a, (-INFINITY, 1 / low))
    corners = [over(x, y) for x in a for y in b]
    return min(corners), max(corners)


def whole(x, side):
    if abs(x) == INFINITY:
        return x
    near = float(round(x))
    if abs(x - near) <= 1e-12 * max(abs(x), abs(near)):
        return near
    return float(math.ceil(x) if side == "ceil" else math.floor(x))


def binary_logarithm(x):
    return -INFINITY if x <= 0 else math.log2(x)


def nearest(x):
    return x if abs(x) == INFINITY else float(math.floor(x + 0.5))


EACH_END = {
    "ceil": lambda x: whole(x, "ceil"),
    "floor": lambda x: whole(x, "floor"),
    "round": nearest,
    "log2": binary_logarithm,
}


def divides(a, b):
    if a == (1, 1):
        return YES
    if a[0] == a[1] and b[0] == b[1]:
        return YES if a[0] and b[0] % a[0] == 0 else NO
    return NO if b[0] > 0 and a[0] > b[1] and a[0] > 1 else DEPENDS


def union(values):
    values = list(values)
    if isinstance(values[0], frozenset):
        return frozenset().union(*values)
    return min(v[0] for v in values), max(v[1] for v in values)


OPERATORS = {"+": add, "-": lambda a, b: add(a, (-b[1], -b[0])), "*": multiply, "/": divide}
TOGETHER = {
    "min": lambda parts: (min(p[0] for p in parts), min(p[1] for p in parts)),
    "max": lambda parts: (max(p[0] for p in parts), max(p[1] for p in parts)),
    "hull": union,
}


# ---------------------------------------------------------------- one pass


@dataclass
class World:
    """Facts and parameters by name, which facts are known, and what came out of one pass."""

    book: object
    facts: dict
    known: frozenset
    pins: dict
    date: str
    truths: dict = field(default_factory=dict)
    computed: dict = field(default_factory=dict)

    # -------------------------------- expressions

    def leaf(self, rule, name):
        if name in rule.parameters:
            low, high = rule.parameters[name].on(self.date).value
            return low, high
        return self.facts[name]

    def range_of(self, rule, name):
        if name in rule.parameters:
            return union(tuple(v.value) for v in rule.parameters[name].values)
        return tuple(self.book.vocabulary.facts[name].range)

    def number(self, rule, node):
        """An expression; where every leaf has one direction and one stands twice, from the matching ends."""
        leaves = [n.path for n in syntax.walk(node) if isinstance(n, syntax.Name)]
        if len(set(leaves)) < len(leaves):
            ways = {name: self.direction(rule, node, name) for name in leaves}
            if all(ways.values()):
                ends = {name: self.leaf(rule, name)[:: ways[name]] for name in ways}
                low = self.arithmetic(rule, node, {name: (e[0], e[0]) for name, e in ends.items()})[0]
                high = self.arithmetic(rule, node, {name: (e[1], e[1]) for name, e in ends.items()})[1]
                return low, high
        return self.arithmetic(rule, node, {})

    def arithmetic(self, rule, node, fixed):
        match node:
            case syntax.Name(path):
                return fixed[path] if path in fixed else self.leaf(rule, path)
            case syntax.Number(value):
                return value, value
            case syntax.Negative(operand):
                return minus(self.arithmetic(rule, operand, fixed))
            case syntax.Arithmetic(operator, left, right):
                a, b = self.arithmetic(rule, left, fixed), self.arithmetic(rule, right, fixed)
                return OPERATORS[operator](a, b)
            case syntax.Call("min" | "max" | "hull" as name, arguments):
                return TOGETHER[name]([self.arithmetic(rule, a, fixed) for a in arguments])
            case syntax.Call("lookup", (syntax.Name(table), *keys)):
                allowed = [self.facts[k.path] for k in keys]
                rows = rule.parameters[table].rows
                return union(tuple(row.value) for row in rows if all(part == ("any",) or set(part) & may for part, may in zip(row.key, allowed, strict=True)))
            case syntax.Call(name, (operand,)):
                low, high = self.arithmetic(rule, operand, fixed)
                return EACH_END[name](low), EACH_END[name](high)
        raise AssertionError(node)

    def direction(self, rule, node, name):
        """1 if `node` never falls while `name` rises over the ranges, -1 if it never rises, 2 if `name` does not matter, 0 if unproved."""
        match node:
            case syntax.Name(path):
                return 1 if path == name else 2
            case syntax.Number():
                return 2
            case syntax.Negative(operand):
                return self.turned(self.direction(rule, operand, name), -1)
            case syntax.Arithmetic(operator, left, right):
                a, b = self.direction(rule, left, name), self.direction(rule, right, name)
                if operator in "+-":
                    return self.agreed(a, self.turned(b, 1 if operator == "+" else -1))
                left_sign, right_sign = self.sign(self.bounds(rule, left)), self.sign(self.bounds(rule, right))
                if operator == "/":
                    low, high = self.bounds(rule, right)
                    if low <= 0 <= high:
                        left_sign = right_sign = 0
                    left_sign = -left_sign
                return self.agreed(self.turned(a, right_sign), self.turned(b, left_sign))
            case syntax.Call("lookup" | "log2" | "divides"):
                return 0 if name in syntax.names(node) else 2
            case syntax.Call(_, arguments):
                found = 2
                for argument in arguments:
                    found = self.agreed(found, self.direction(rule, argument, name))
                return found
        raise AssertionError(node)

    @staticmethod
    def turned(way, sign):
        return way if way in (0, 2) else way * sign

    @staticmethod
    def agreed(a, b):
        if 2 in (a, b):
            return min(a, b)
        return a if a == b else 0

    @staticmethod
    def sign(bounds):
        return 1 if bounds[0] >= 0 else -1 if bounds[1] <= 0 else 0

    def bounds(self, rule, node):
        """What `node` may be over the whole ranges; functions that round are not looked into."""
        match node:
            case syntax.Name(path):
                return self.range_of(rule, path)
            case syntax.Number(value):
                return value, value
            case syntax.Negative(operand):
                return minus(self.bounds(rule, operand))
            case syntax.Arithmetic(operator, left, right):
                return OPERATORS[operator](self.bounds(rule, left), self.bounds(rule, right))
            case syntax.Call("min" | "max" | "hull" as name, arguments):
                return TOGETHER[name]([self.bounds(rule, a) for a in arguments])
        return -INFINITY, INFINITY

    # -------------------------------- truth

    def truth(self, rule, node):
        match node:
            case syntax.All(parts):
                return min(self.truth(rule, p) for p in parts)
            case syntax.Any(parts):
                return max(self.truth(rule, p) for p in parts)
            case syntax.Not(operand):
                return 2 - self.truth(rule, operand)
            case syntax.Name(path):
                return self.member(path, {"yes"})
            case syntax.Membership(syntax.Name(path), members, negated):
                found = self.member(path, set(members))
                return 2 - found if negated else found
            case syntax.Comparison(operator, syntax.Name(path), syntax.Text(word)) | syntax.Comparison(operator, syntax.Text(word), syntax.Name(path)):
                found = self.member(path, {word})
                return found if operator == "==" else 2 - found
            case syntax.Comparison(operator, left, right):
                return truth_of(operator, self.number(rule, left), self.number(rule, right))
            case syntax.Call("divides", (a, b)):
                return divides(self.number(rule, a), self.number(rule, b))
        raise AssertionError(node)

    def member(self, path, members):
        value = self.facts[path]
        return YES if value <= members else DEPENDS if value & members else NO

    # -------------------------------- rules

    def knows(self, names):
        return all(n in self.known and self.facts[n] != as_plain(self.book.vocabulary.facts[n].whole) for n in names)

    def judge(self, rule):
        """known(needs) and `when`."""
        if not self.knows(rule.needs):
            return NO
        return YES if rule.when is None else self.truth(rule, rule.when)

    def given(self, rule, fact):
        """What a rule gives for a fact."""
        conclusion = next(c for c in rule.then if isinstance(c, rules.Derive | rules.Assume) and c.fact == fact)
        if self.book.vocabulary.facts[fact].number:
            return self.number(rule, conclusion.expression.tree)
        return frozenset(n.text for n in getattr(conclusion.node, "items", (conclusion.node,)))

    def derive(self, fact):
        definition, derivation = self.book.vocabulary.facts[fact], self.book.derivations[fact]
        everything = as_plain(definition.whole)
        givers = [self.book.rules[r] for r in derivation.rules]
        if definition.combine:
            value = self.combined(definition.combine, sorted(givers, key=lambda r: r.id), fact, everything)
        else:
            deciding = [r for r in strength(givers, self.book) if r.id not in derivation.shadowed]
            value = self.strongest(deciding, fact, everything, derivation.exhaustive)
        value = self.cut(value, everything)
        self.computed[fact] = value
        self.facts[fact] = self.pins.get(fact, value)

    def strongest(self, givers, fact, everything, exhaustive):
        """v(i), from the weakest rule up; None stands for the range where the loader proved that some rule holds."""
        value = None if exhaustive else everything
        for rule in reversed(givers):
            truth = self.truths[rule.id]
            if truth == YES or (truth == DEPENDS and value is None):
                value = self.given(rule, fact)
            elif truth == DEPENDS:
                value = union([self.given(rule, fact), value])
        return everything if value is None else value

    def combined(self, how, givers, fact, everything):
        nothing = {"sum": 0.0, "max": everything[0], "min": everything[1]}[how]
        total = (nothing, nothing)
        for rule in givers:
            truth = self.truths[rule.id]
            if truth == NO:
                continue
            part = self.given(rule, fact)
            if truth == DEPENDS:
                part = union([part, (nothing, nothing)])
            pick = max if how == "max" else min
            total = add(total, part) if how == "sum" else (pick(total[0], part[0]), pick(total[1], part[1]))
        return total

    @staticmethod
    def cut(value, everything):
        if isinstance(value, frozenset):
            return value & everything
        low, high = max(value[0], everything[0]), min(value[1], everything[1])
        if above(low, high):
            raise Impossible
        return min(low, high), high

    def along(self, candidate, after=False):
        """Judge every rule of a stratum and derive its facts, each as soon as what it reads is there."""
        derivations = self.book.derivations
        later, derived_later = together(self.book)
        waiting = [r for r in self.book.running if bool(r.for_each) == candidate and (r.id in later) == after]
        facts = [f for f in derivations if f.startswith("candidate.") == candidate and (f in derived_later) == after]
        while waiting or facts:
            done = False
            for rule in list(waiting):
                if not set(syntax.names(rule.when) if rule.when else ()) & set(facts):
                    self.truths[rule.id] = self.judge(rule)
                    waiting.remove(rule)
                    done = True
            for fact in list(facts):
                givers = derivations[fact].rules
                trees = [c.expression.tree for g in givers for c in self.book.rules[g].then if isinstance(c, rules.Derive) and c.fact == fact and c.expression]
                if all(g in self.truths for g in givers) and not {n for t in trees for n in syntax.names(t)} & set(facts):
                    self.derive(fact)
                    facts.remove(fact)
                    done = True
            assert done, "the rules go round in a circle"

    def stands(self, rule):
        against = [self.truths.get(r.id, NO) for r in self.book.running if rule.id in r.overrides]
        return min([self.truths[rule.id], *(2 - t for t in against)])

    def accepts(self, rule):
        """not stands, or every condition."""
        conditions = [self.truth(rule, c.condition.tree) for c in rule.then if isinstance(c, rules.Require)]
        return max(2 - self.stands(rule), min(conditions, default=YES))


def reads(book, rule, fact=None):
    trees = [] if rule.when is None else [rule.when]
    trees += [c.expression.tree for c in rule.then if isinstance(c, rules.Derive) and c.fact == fact and c.expression]
    return {n for t in trees for n in syntax.names(t)}


def together(book):
    """Ids of rules, and facts, that come after all machines: those that read an aggregate, or a fact which comes after."""
    ids, facts = set(), set()
    while True:
        more = {r.id for r in book.running if any("(" in n or n in facts for n in reads(book, r))} - ids
        new = {f for f, d in book.derivations.items() if any(r in ids for r in d.rules)} - facts
        new |= {f for f, d in book.derivations.items() if any("(" in n or n in facts for r in d.rules for n in reads(book, book.rules[r], f))} - facts
        if not more and not new:
            return ids, facts
        ids, facts = ids | more, facts | new


def machine(workload, figures):
    """One machine of the catalogue: the world in which it was judged, and whether it meets every requirement."""
    world = World(workload.book, {**workload.facts, **{p: as_plain(v) for p, v in figures.items()}}, workload.known, workload.pins, workload.date)
    world.truths = dict(workload.truths)
    try:
        world.along(candidate=True)
    except Impossible:
        return world, NO
    required = [r for r in workload.book.running if any(isinstance(c, rules.Require) for c in r.then)]
    return world, min((world.accepts(r) for r in required), default=YES)


def over_all(name, machines, best, whole):
    """An aggregate over (world, verdict) of every machine; `best` is the world of the one ranked first, None where none is accepted."""
    function, figure = name.removesuffix(")").split("(")
    accepted = [w for w, verdict in machines if verdict == YES]
    if function == "any_accepted":
        return frozenset(["yes"]) if accepted else whole if any(v == DEPENDS for _, v in machines) else frozenset(["no"])
    if not accepted:
        return whole
    if function == "best":
        return best.facts[figure]
    return min(w.facts[figure][0] for w, v in machines if v != NO), min(w.facts[figure][1] for w in accepted)


def as_plain(value):
    return value if isinstance(value, frozenset) else tuple(value)


def strength(givers, book):
    """Rules strongest first: what another one overrides, directly or not, comes after it; ties by id."""

    def beaten(rule, by):
        pending, seen = list(by.overrides), set()
        while pending:
            name = pending.pop()
            if name in seen or name not in book.rules or not book.rules[name].running:
                continue
            seen.add(name)
            pending += book.rules[name].overrides
        return rule.id in seen

    left, ordered = sorted(givers, key=lambda r: r.id), []
    while left:
        first = next(r for r in left if not any(beaten(r, other) for other in left if other is not r))
        ordered.append(first)
        left.remove(first)
    return ordered


# ---------------------------------------------------------------- both passes

CANDIDATE_0 = {
    "card": "gpu.name", "count": "gpu.count", "memory_nominal": "gpu.memory_nominal", "memory_usable": "gpu.memory_usable",
    "memory_bandwidth": "gpu.memory_bandwidth", "half_tensor_rate": "gpu.half_tensor_rate", "power_limit": "gpu.power_limit",
    "interconnect": "interconnect.kind", "interconnect_bandwidth": "interconnect.bandwidth", "tier": "gpu.tier",
    "compute_capability": "gpu.compute_capability",
}  # fmt: skip


def plans(facts):
    """One card has no plan; split by tensors or layers where those sizes may exceed 1; else as the data parallel ranks hold the model."""
    found, count = set(), facts["gpu.count"]
    if count[0] <= 1:
        found.add("single")
    if count[1] <= 1:
        return frozenset(found)
    if facts["parallel.tensor"][1] > 1:
        found.add("tensor")
    if facts["parallel.pipeline"][1] > 1:
        found.add("layer_split")
    if facts["parallel.tensor"][0] <= 1 and facts["parallel.pipeline"][0] <= 1:
        for task in facts["workload.task"]:
            if task == "inference":
                found.add("replicated")
                continue
            for stage in facts["parallel.sharding_stage"]:
                found.add("replicated" if stage == "none" else "sharded" if stage.startswith("full") else "partly_sharded")
    return frozenset(found)


def one_pass(book, given, pins, date):
    facts = {path: as_plain(d.whole) for path, d in book.vocabulary.facts.items()}
    world = World(book, {**facts, **given, **pins}, frozenset((*given, *pins)), pins, date)
    world.along(candidate=False)
    return world


def candidate_0(world):
    for figure, fact in CANDIDATE_0.items():
        world.facts[f"candidate.{figure}"] = world.facts[fact]
    if "gpu.vendor" in world.facts:
        world.facts["candidate.vendor"] = world.facts["gpu.vendor"]
    world.facts["candidate.plan"] = plans(world.facts)
    for figure in ("finalists", "finalist_compute_lead", "finalist_bandwidth_lead"):
        if f"candidate.{figure}" in world.book.vocabulary.facts:
            world.facts[f"candidate.{figure}"] = (0.0, 0.0)
    world.along(candidate=True)


def evaluate(book, stated, date):
    """Both passes over the given facts (path -> value): (in F, in F with what is assumed, {assumed fact: value})."""
    derived = {path for path, d in book.vocabulary.facts.items() if d.kind == "derived"}
    pins = {path: value for path, value in stated.items() if path in derived}
    given = {path: value for path, value in stated.items() if path not in derived}
    machine = any(path.startswith("gpu.") and not path.startswith("gpu.current_") for path in stated)
    first = one_pass(book, given, pins, date)
    assumed = {}
    for fact in book.vocabulary.facts:
        if fact in stated:
            continue
        assuming = [r for r in book.running if not r.for_each and any(isinstance(c, rules.Assume) and c.fact == fact for c in r.then)]
        saying = [r for r in assuming if first.truths[r.id] == YES]
        if saying:
            assumed[fact] = World.cut(first.given(strength(saying, book)[0], fact), as_plain(book.vocabulary.facts[fact].whole))
    second = one_pass(book, {**given, **assumed}, pins, date) if assumed else one_pass(book, given, pins, date)
    if machine:
        candidate_0(first)
        candidate_0(second)
    return first, second, assumed
