"""The subject of a question: what a word on the command line names in a decision."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference.candidates import Candidate
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.knowledge import naming
from gpurules.engine.knowledge.naming import UnknownName
from gpurules.engine.knowledge.rule import Advise
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable

STATED = "stated"
"""How the stated machine is called."""


@dataclass(frozen=True, slots=True)
class Subject:
    """`kind`: rule, conclusion (the `number`th of rule `name`), fact, advice (an action or topic), or machine."""

    kind: str
    name: str
    number: int = 0


def in_decision(word: str, decision: Document, engine: Engine | None = None) -> Subject:
    """What `word` names in a decision: a rule, RULE#n, a fact, an action or topic of its advice, a machine that it tells of; with
    the engine that decided, any machine of the catalogue.

    Raises GpurulesError (GR312) with the nearest names.
    """
    rules = [r["id"] for r in decision["rules"]]
    facts = [*(f["path"] for f in decision["facts"]), *(d["fact"] for d in decision["derived"]), *(a["fact"] for a in decision["assumptions"])]
    facts += [path for machine in decision["candidates"] for path in machine["figures"]]
    facts += [q["fact"] for q in decision.get("measure_next", ())]
    advice = [c[key] for c in decision["conclusions"] if c["kind"] == "advise" for key in ("action", "topic")]
    choice = decision.get("choice")
    of_machines = [m["id"] for m in (*choice["chosen"], *choice["nearest_rejected"])] if choice else []
    if decision["candidates"]:
        of_machines.append(STATED)
    numbered = re.fullmatch(r"(.+)#(\d{1,4})", word)
    if numbered and numbered[1] in rules:
        said = sum(c["rule"] == numbered[1] for c in decision["conclusions"])
        if 1 <= int(numbered[2]) <= said:
            return Subject("conclusion", numbered[1], int(numbered[2]))
        raise _unknown(word, [f"{numbered[1]}#{n}" for n in range(1, said + 1)], f"{numbered[1]} has {said} conclusions in this decision")
    for kind, names in (("rule", rules), ("fact", facts), ("advice", advice), ("machine", of_machines)):
        if word in names:
            return Subject(kind, word)
    otherwise = "name a rule, RULE#1, a fact, an action or topic of advice, or a machine"
    if engine is None:
        otherwise += "; one that the decision does not tell of needs the rulebook that decided, which is not at hand (--rules)"
    if told_of(word, decision) or (engine is not None and machines(word, engine)):
        return Subject("machine", word)
    raise _unknown(word, [*rules, *facts, *advice, *of_machines], otherwise)


def told_of(word: str, decision: Document) -> list[Document]:
    """The machines of the catalogue, chosen or nearly, that a decision tells of and `word` names: by id, or by the card's name with
    a count before it or without."""
    choice = decision.get("choice")
    every: list[Document] = [*choice["chosen"], *choice["nearest_rejected"]] if choice else []
    exact = [m for m in every if m["id"] == word]
    return exact or [m for m in every if _folded(word) in (_folded(m["card"]["name"]), _folded(f"{m['count']}x{m['card']['name']}"))]


def in_rulebook(word: str, engine: Engine) -> Subject:
    """What `word` names in a rulebook: a running rule, an action or topic of advice, the stated machine, a machine of the
    catalogue by its id, or by a card's name, with a count or without. Raises GpurulesError (GR312)."""
    rulebook = engine.rulebook
    if word in engine.program.procedures:
        return Subject("rule", word)
    if word in rulebook.rules:
        status = rulebook.rules[word].status
        raise GpurulesError([Problem(Place("question"), "GR312", f"rule {word} does not run; its status is {status}", "ask after a rule that is active")])
    if advising(word, rulebook):
        return Subject("advice", word)
    if word == STATED or machines(word, engine):
        return Subject("machine", word)
    known = [*engine.program.procedures, *rulebook.vocabulary.actions, *rulebook.vocabulary.topics]
    raise _unknown(word, known, "name a rule, an action or topic of advice, stated, or a machine such as '2x L40S'")


def advising(word: str, rulebook: Rulebook) -> tuple[str, ...]:
    """The running rules that give advice of an action or topic."""
    return tuple(r.id for r in rulebook.running if any(isinstance(c, Advise) and word in (c.action, c.topic) for c in r.then))


def machines(word: str, engine: Engine) -> tuple[Candidate, ...]:
    """The machines of the catalogue that a word names: one by its id, or those of a card, with the count that stands before it."""
    exact = [c for c in engine.catalogued if c.id == word]
    if exact:
        return tuple(exact)
    try:
        named = naming.named(word, engine.rulebook.catalogs["card"])
    except UnknownName:
        return ()
    return tuple(c for c in engine.catalogued if c.card in named.ids and named.count in (None, 0, c.count))


def _folded(name: str) -> str:
    return re.sub(r"\s+", "", name.casefold().replace("×", "x"))


def _unknown(word: str, known: Iterable[str], otherwise: str) -> GpurulesError:
    return GpurulesError([Problem(Place("question"), "GR312", f"nothing is called '{printable(word)}' here", did_you_mean(word, known, otherwise))])
