"""The part of the rules about machines that a choice needs, cut where the card comes in.

Most of these rules add up memory, which hangs on how the work is divided over how many cards and not on which card it is.
They are looked at once for each division; what hangs on the card (fit, power, price, link) once for each machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpurules.engine.inference.agenda import Stratum
from gpurules.engine.inference.scalar import Program
from gpurules.engine.knowledge.derivation import reads_of
from gpurules.engine.knowledge.order import Orders
from gpurules.engine.knowledge.rule import Prefer, Require
from gpurules.engine.language.syntax import names

Step = tuple[str, str]
"""("rule", id) or ("fact", path)."""


def parts(program: Program, orders: Orders, stratum: Stratum, division: Iterable[str], wanted: Iterable[str]) -> tuple[Stratum, Stratum]:
    """What the requirements, the criteria and the facts `wanted` rest on: steps that read no choice but `division`, and the others."""
    reads = _reads(program, stratum)
    needed = _closure(_wanted(program, orders, stratum, wanted), reads)
    chosen = {path for path, d in program.rulebook.vocabulary.facts.items() if d.kind == "choice"} - set(division)
    carded: set[Step] = set()
    for step in stratum.steps:
        if not chosen.isdisjoint(_names(program, *step)) or not carded.isdisjoint(reads[step]):
            carded.add(step)
    found = [s for s in stratum.steps if s in needed]
    return Stratum(tuple(s for s in found if s not in carded)), Stratum(tuple(s for s in found if s in carded))


def _names(program: Program, kind: str, name: str) -> set[str]:
    """The names that a step reads itself."""
    if kind == "rule":
        when = program.procedures[name].rule.when
        return set(names(when)) if when is not None else set()
    derivation = program.rulebook.derivations[name]
    return {n for rule in derivation.rules for n in reads_of(program.procedures[rule].rule, name)}


def _reads(program: Program, stratum: Stratum) -> Mapping[Step, frozenset[Step]]:
    """The steps of the stratum that each of them comes after."""
    inside = set(stratum.steps)
    found: dict[Step, frozenset[Step]] = {}
    for kind, name in stratum.steps:
        before = {("fact", n) for n in _names(program, kind, name)}
        if kind == "fact":
            before |= {("rule", r) for r in program.rulebook.derivations[name].rules}
        found[kind, name] = frozenset(before & inside)
    return found


def _wanted(program: Program, orders: Orders, stratum: Stratum, wanted: Iterable[str]) -> set[Step]:
    """Where the choice itself looks: rules that require something with those that override them, and the figures it reads."""
    found = {("fact", path) for path in wanted}
    for kind, name in stratum.steps:
        if kind == "fact":
            continue
        for conclusion in program.procedures[name].rule.then:
            if isinstance(conclusion, Require):
                found |= {("rule", name), *(("rule", o) for o in orders.overriders.get(name, ()))}
                found |= {("fact", n) for n in names(conclusion.condition.tree)}
            elif isinstance(conclusion, Prefer):
                found |= {("fact", n) for n in names(conclusion.figure.tree)}
    return found & set(stratum.steps)


def _closure(start: Iterable[Step], reads: Mapping[Step, frozenset[Step]]) -> set[Step]:
    found: set[Step] = set()
    pending = list(start)
    while pending:
        step = pending.pop()
        if step not in found:
            found.add(step)
            pending += reads[step]
    return found
