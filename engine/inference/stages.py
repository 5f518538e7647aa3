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


def parts(program: Program, orders: Orders, stratum: Stratum, division: Iterable[str], wanted: Iterable[str]) -> tuple[Stratum, Stratum, Stratum]:
    """What a choice rests on: steps that read no choice but `division`; of the others those that requirements rest on; and those
    that only the criteria and the facts `wanted` do."""
    reads = _reads(program, stratum)
    required = _closure(_required(program, orders, stratum), reads)
    ranking = _closure({("fact", path) for path in wanted} & set(stratum.steps) | _preferred(program, stratum), reads)
    chosen = {path for path, d in program.rulebook.vocabulary.facts.items() if d.kind == "choice"} - set(division)
    carded: set[Step] = set()
    for step in stratum.steps:
        if not chosen.isdisjoint(_names(program, *step)) or not carded.isdisjoint(reads[step]):
            carded.add(step)
    groups = ((required | ranking) - carded, required & carded, (ranking - required) & carded)
    divided, card, ranked = (Stratum(tuple(s for s in stratum.steps if s in group)) for group in groups)
    return divided, card, ranked


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


def _required(program: Program, orders: Orders, stratum: Stratum) -> set[Step]:
    """Rules that require something, those that override them, and the figures of what they require."""
    found: set[Step] = set()
    for kind, name in stratum.steps:
        for conclusion in program.procedures[name].rule.then if kind == "rule" else ():
            if isinstance(conclusion, Require):
                found |= {("rule", name), *(("rule", o) for o in orders.overriders.get(name, ()))}
                found |= {("fact", n) for n in names(conclusion.condition.tree)}
    return found & set(stratum.steps)


def _preferred(program: Program, stratum: Stratum) -> set[Step]:
    """The figures that machines may be ranked by."""
    rules = [program.procedures[name].rule for kind, name in stratum.steps if kind == "rule"]
    figures = (names(c.figure.tree) for rule in rules for c in rule.then if isinstance(c, Prefer))
    return {("fact", n) for found in figures for n in found} & set(stratum.steps)


def _closure(start: Iterable[Step], reads: Mapping[Step, frozenset[Step]]) -> set[Step]:
    found: set[Step] = set()
    pending = list(start)
    while pending:
        step = pending.pop()
        if step not in found:
            found.add(step)
            pending += reads[step]
    return found
