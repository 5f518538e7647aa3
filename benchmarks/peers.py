"""The conditions of workload rules on other rule engines, beside ours: `python benchmarks/peers.py`. Needs the extra `bench`.

Every fact that can be stated is known exactly, so that two truth values are enough; its value is one that some rule's cases state,
often right at a limit. What reads derived facts is left out of clipspy and zen-engine (their chains would need our order of
derivations); durable-rules is our own back end, and has every rule of the workload. Each
engine is used as its documentation has it quickest: compiled once, one fact or one context an evaluation, all rules in one answer.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any as Anything

import exact
import measure
from measure import Row

import gpurules
from gpurules.engine.inference.agenda import Stratum
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.kernel import Kernel
from gpurules.engine.language import syntax
from gpurules.engine.language.compile import Value
from gpurules.engine.language.syntax import All, Any, Arithmetic, Call, Comparison, Membership, Name, Negative, Node, Not, Number, Text
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError
from gpurules.engine.values.truth import YES

World = Mapping[str, object]
"""Facts by path: floats and words."""
Given = Sequence[Mapping[str, Value]]


class Beyond(Exception):
    """A condition that an engine cannot express."""


def main(quick: bool = False) -> str:
    rules, pairs, count = gpurules.load(), 3 if quick else 31, 5 if quick else 40
    engine = Engine(exact.rulebook())  # ranges at their upper ends: no parameter is an interval
    given = _worlds(engine, count)
    worlds: list[World] = [{path: _plain(value) for path, value in values.items()} for values in given]
    workload = [name for kind, name in engine.workload.steps if kind == "rule"]
    wanted = [_fired(engine, values, workload) for values in given]
    ours = _kernel(engine, given, engine.workload)
    rows, notes = (
        [],
        [f"All {len(workload)} rules of the workload, {count} workloads. A rule that reads derived values is none that clipspy and zen-engine are given."],
    )
    for name, make in (("clipspy", clips), ("zen-engine", zen)):
        try:
            evaluate, expressed = make(engine)
        except ImportError:
            notes.append(f"{name} is not installed.")
            continue
        differing = sum(sorted(evaluate(w)) != sorted(set(f) & set(expressed)) for w, f in zip(worlds, wanted, strict=True))
        notes.append(f"{name} expresses {len(expressed)} of them, and finds {'the same ones' if not differing else f'others in {differing} workloads'}.")
        alone = _kernel(engine, given, Stratum(tuple(("rule", rule) for rule in expressed)))
        rows += _rows(name, evaluate, worlds, alone, ours, engine, given, pairs)
    rows += _durable(engine, given, wanted, workload, notes, pairs)
    per = [Row(r.what, r.ours / count, r.theirs / count, r.ratio, r.goal).cells for r in rows]
    return f"{measure.surroundings(rules)}\n\n" + "\n".join(notes) + "\n\n" + measure.table(measure.HEADS, per)


def _worlds(engine: Engine, count: int) -> list[Mapping[str, Value]]:
    """Random facts, every one known exactly, from which no rule derives what cannot be."""
    draw, values, found = random.Random(5), exact.pool(engine.rulebook), list[Mapping[str, Value]]()
    while len(found) < count:
        given = exact.anything(draw, values)
        try:
            engine._run(given, {}, engine.rulebook.released, "facts", engine.rulebook.orders)
        except GpurulesError:
            continue
        found.append(given)
    return found


def _rows(
    name: str,
    evaluate: Callable[[World], object],
    worlds: Sequence[World],
    alone: Callable[[], None],
    ours: Callable[[], None],
    engine: Engine,
    given: Sequence[Mapping[str, Value]],
    pairs: int,
) -> list[Row]:
    def theirs() -> None:
        for world in worlds:
            evaluate(world)

    def traced() -> None:
        for values in given:
            engine._run(values, {}, engine.rulebook.released, "facts", engine.rulebook.orders)

    return [
        measure.paired(f"the same rules alone (kernel), beside {name}", alone, theirs, pairs, 1),
        measure.paired(f"all rules and derived values (kernel), beside {name} with its part", ours, theirs, pairs, 1),
        measure.paired(f"a run with every alternative kept (scalar back end), beside {name} with its part", traced, theirs, pairs),
    ]


def _durable(
    engine: Engine, given: Sequence[Mapping[str, Value]], wanted: Sequence[Sequence[str]], workload: Sequence[str], notes: list[str], pairs: int
) -> list[Row]:
    try:
        other = engine.durable()
    except GpurulesError as error:
        notes.append(f"durable-rules: {error.problems[0].message}.")
        return []

    def along(one: Engine) -> Callable[[], None]:
        def run() -> None:
            for values in given:
                one._run(values, {}, one.rulebook.released, "facts", one.rulebook.orders)

        return run

    same = all(_fired(other, values, workload) == fired for values, fired in zip(given, wanted, strict=True))
    notes.append(f"durable-rules (our back end) expresses all {len(workload)}, and finds {'the same ones' if same else 'others'}.")
    return [measure.paired("a run with every alternative kept (scalar back end), beside durable-rules", along(engine), along(other), pairs, 1)]


def _kernel(engine: Engine, given: Given, stratum: Stratum) -> Callable[[], None]:
    kernel = Kernel(engine.program, engine.rulebook.orders, stratum)
    slots, speaking = engine.program.slots, [True] * len(kernel.rules)  # every fact that a rule needs is known

    def run() -> None:
        for stated in given:
            values = engine.program.values(engine.rulebook.released)
            for path, value in stated.items():
                values[slots[path]] = value
            kernel(values, speaking, {})

    return run


def _fired(engine: Engine, given: Mapping[str, Value], rules: Sequence[str]) -> list[str]:
    run = engine._run(given, {}, engine.rulebook.released, "facts", engine.rulebook.orders)
    return [rule for rule in rules if run.truths[rule] is YES]


def _plain(value: Value) -> object:
    return value.low if isinstance(value, Interval) else next(iter(value))


def _conditions(engine: Engine) -> dict[str, tuple[Node | None, dict[str, float]]]:
    """The rules of the workload whose conditions read given facts alone, with their parameters as numbers."""
    found: dict[str, tuple[Node | None, dict[str, float]]] = {}
    for kind, name in engine.workload.steps:
        if kind == "rule":
            rule = engine.program.procedures[name].rule
            if rule.when is None or not any(n in engine.rulebook.derivations for n in syntax.names(rule.when)):
                found[name] = None if rule.when is None else _spelled(rule.when), {p: v.values[0].value.low for p, v in rule.parameters.items() if v.values}
    return found


def _spelled(node: Node) -> Node:
    """The condition with a flag that stands alone as a comparison with 'yes'."""
    match node:
        case All(parts):
            return All(tuple(map(_spelled, parts)))
        case Any(parts):
            return Any(tuple(map(_spelled, parts)))
        case Not(operand):
            return Not(_spelled(operand))
        case Name():
            return Comparison("==", node, Text("yes"))
    return node


# ---------------------------------------------------------------- CLIPS


def clips(engine: Engine) -> tuple[Callable[[World], Sequence[str]], list[str]]:
    """One fact with a slot for every fact of ours; a rule's words and simple comparisons are constraints of its pattern."""
    import clips as library

    environment, written = library.Environment(), dict[str, str]()
    for rule, (when, figures) in _conditions(engine).items():
        try:
            written[rule] = _defrule(rule, when, figures)
        except Beyond:
            continue
    paths = sorted({n for when, _ in _conditions(engine).values() if when is not None for n in syntax.names(when) if "." in n})
    environment.build("(defglobal ?*fired* = (create$))")
    environment.build(f"(deftemplate w {' '.join(f'(slot {_slot(p)})' for p in paths)})")
    for text in written.values():
        environment.build(text)
    template, fired = environment.find_template("w"), environment.find_global("fired")
    names = [(path, _slot(path)) for path in paths]
    symbol = library.Symbol

    def evaluate(world: World) -> Sequence[str]:
        fired.value = ()
        fact = template.assert_fact(**{slot: v if type(v := world[path]) is float else symbol(v) for path, slot in names})
        environment.run()
        fact.retract()
        return tuple(fired.value)

    return evaluate, list(written)


def _slot(path: str) -> str:
    return path.replace(".", "_")


def _defrule(rule: str, when: Node | None, figures: Mapping[str, float]) -> str:
    constraints: dict[str, list[str]] = {}
    tests: list[str] = []
    read = [n for n in (() if when is None else syntax.names(when)) if "." in n]
    for part in when.parts if isinstance(when, All) else () if when is None else (when,):
        match part:
            case Membership(Name(path), members, False):
                constraints.setdefault(path, []).append("|".join(members))
            case Comparison("==", Name(path), Text(member)):
                constraints.setdefault(path, []).append(member)
            case Comparison(_, Name(path), _) if [n for n in syntax.names(part) if "." in n] == [path]:
                constraints.setdefault(path, []).append(f":{_clips(part, figures)}")
            case _:
                tests.append(f"(test {_clips(part, figures)})")
    slots = " ".join(f"({_slot(p)} {'&'.join([f'?{_slot(p)}', *constraints.get(p, ())])})" for p in dict.fromkeys(read))
    return f"(defrule {rule} (w {slots}) {' '.join(tests)} => (bind ?*fired* (create$ ?*fired* {rule})))"


def _clips(node: Node, figures: Mapping[str, float]) -> str:
    def inner(part: Node) -> str:
        return _clips(part, figures)

    match node:
        case All(parts) | Any(parts):
            return f"({'and' if isinstance(node, All) else 'or'} {' '.join(map(inner, parts))})"
        case Not(operand):
            return f"(not {inner(operand)})"
        case Membership(subject, members, negated):
            found = f"(or {' '.join(f'(eq {inner(subject)} {m})' for m in members)} FALSE)"
            return f"(not {found})" if negated else found
        case Comparison(operator, Text() as a, b) | Comparison(operator, a, Text() as b):
            return f"({'eq' if operator == '==' else 'neq'} {inner(a)} {inner(b)})"
        case Comparison(operator, a, b):
            return f"({ {'==': '=', '!=': '<>'}.get(operator, operator) } {inner(a)} {inner(b)})"
        case Arithmetic(operator, a, b):
            return f"({operator} {inner(a)} {inner(b)})"
        case Call("divides", (a, b)):
            return f"(= (mod (integer {inner(b)}) (integer {inner(a)})) 0)"
        case Name(path) if path in figures:
            return repr(figures[path])
        case Name(path):
            return f"?{_slot(path)}"
        case Number(value):
            return repr(value)
        case Text(value):
            return value
    raise Beyond(node)


# ---------------------------------------------------------------- ZEN


def zen(engine: Engine) -> tuple[Callable[[World], Sequence[str]], list[str]]:
    """One compiled expression that gives the truth of every rule as a list."""
    import zen as library

    written: dict[str, str] = {}
    for rule, (when, figures) in _conditions(engine).items():
        try:
            written[rule] = "true" if when is None else _zen(when, figures)
        except Beyond:
            continue
    rules = list(written)
    expression = library.compile_expression(f"[{', '.join(written.values())}]")
    used = sorted({n for when, _ in _conditions(engine).values() if when is not None for n in syntax.names(when) if "." in n})
    names = [(path, _slot(path)) for path in used]

    def evaluate(world: World) -> Sequence[str]:
        found: Sequence[Anything] = expression.evaluate({slot: world[path] for path, slot in names})
        return [rule for rule, holds in zip(rules, found, strict=True) if holds]

    return evaluate, rules


def _decimal(value: float) -> str:
    """A number as ZEN reads it: it computes with decimals, and takes a fact of 0.3 for 0.3, not for what the float holds."""
    return format(Decimal(repr(value)), "f")


def _zen(node: Node, figures: Mapping[str, float]) -> str:
    def inner(part: Node) -> str:
        return _zen(part, figures)

    match node:
        case All(parts) | Any(parts):
            return f"({(' and ' if isinstance(node, All) else ' or ').join(map(inner, parts))})"
        case Not(operand):
            return f"(not ({inner(operand)}))"
        case Membership(subject, members, negated):
            return f"({inner(subject)} {'not in' if negated else 'in'} [{', '.join(map(repr, members))}])"
        case Comparison(operator, a, b):
            return f"({inner(a)} {operator} {inner(b)})"
        case Arithmetic(operator, a, b):
            return f"({inner(a)} {operator} {inner(b)})"
        case Call("divides", (a, b)):
            return f"(({inner(b)} % {inner(a)}) == 0)"
        case Negative(operand):
            return f"(-({inner(operand)}))"
        case Name(path) if path in figures:
            return _decimal(figures[path])
        case Name(path):
            return _slot(path)
        case Number(value):
            return _decimal(value)
        case Text(value):
            return repr(value)
    raise Beyond(node)


if __name__ == "__main__":
    print(main("--quick" in sys.argv))
