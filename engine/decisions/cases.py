"""Cases of rules: each rule's file says which facts lead to which outcome; here they are run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpurules.engine.decisions import change
from gpurules.engine.inference import facts as facts_module
from gpurules.engine.inference.candidates import completed
from gpurules.engine.inference.cone import Cone
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import statement
from gpurules.engine.knowledge.document import Node
from gpurules.engine.knowledge.rule import Case, Rule
from gpurules.engine.language.compile import Value
from gpurules.engine.values import interval
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.problem import GpurulesError, Problem, did_you_mean


@dataclass(frozen=True, slots=True)
class Result:
    """One case that was run, and what was wrong with its outcome."""

    rule: str
    case: Case
    problems: tuple[Problem, ...]


def run(engine: Engine) -> Iterator[Result]:
    """Run every case of every running rule, in id order."""
    for rule in engine.rulebook.running:
        for case in rule.cases:
            try:
                problems = tuple(_check(engine, rule, case))
            except GpurulesError as error:
                problems = error.problems
            yield Result(rule.id, case, problems)


def _check(engine: Engine, rule: Rule, case: Case) -> Iterator[Problem]:
    evaluation = _evaluate(engine, case, rule)
    outcome = evaluation.first

    def wrong(what: str, wanted: str, found: str) -> Problem:
        message = f"case '{case.name}' of {rule.id}: {what} should be {wanted}, is {found}"
        return Problem(case.place, "GR601", message, "mend the rule, or the case if the outcome is right")

    if case.fires and case.fires != str(outcome.truths[rule.id]):
        yield wrong("fires", case.fires, str(outcome.truths[rule.id]))
    if case.accepts and case.accepts != str(outcome.accepts(rule.id)):
        yield wrong("accepts", case.accepts, str(outcome.accepts(rule.id)))
    if case.causes is not None:
        found = set(change.askable(evaluation, outcome, (*outcome.causes(rule.id), *outcome.accept_causes(rule.id))))
        found |= set(outcome.causes(rule.id)) | set(outcome.accept_causes(rule.id))
        missing = sorted(set(case.causes) - found)
        if missing:
            yield wrong("causes", ", ".join(case.causes), ", ".join(sorted(found)) or "none")
    for fact, node in case.derives.items():
        definition = engine.rulebook.vocabulary.facts.get(fact)
        if definition is None or fact not in outcome.derived:
            yield Problem(node.place, "GR601", f"case '{case.name}': nothing derives '{fact}'", "name a derived fact")
            continue
        wanted, value = statement.read(definition, node, engine.rulebook.catalogs), outcome.derived[fact].used
        if not _same(wanted, value):
            yield wrong(fact, definition.show(wanted), definition.show(value))


def _evaluate(engine: Engine, case: Case, rule: Rule) -> Evaluation:
    given = facts_module.read(case.facts, engine.rulebook, allow_choices=True)
    choices: dict[str, Value] | None = {} if rule.for_each else None
    for entry in case.candidate.entries if case.candidate else ():
        choices = choices if choices is not None else {}
        choices.update(_choice(engine, entry.key, entry.value))
    if any(engine.rulebook.vocabulary.facts[path].kind == "derived" for path in given.known):
        engine = Cone(engine, [rule.id], wanted=[fact for fact in case.derives if fact in engine.rulebook.derivations])  # kernels derive what is stated
    return engine.evaluate(given, choices=completed(choices) if choices is not None else None, file=case.place.file)


def _choice(engine: Engine, name: str, node: Node) -> dict[str, Value]:
    """A figure of a candidate, `count` or `candidate.count`."""
    path = name if name.startswith("candidate.") else f"candidate.{name}"
    definition = engine.rulebook.vocabulary.facts.get(path)
    if definition is None or definition.kind != "choice":
        known = [p for p, d in engine.rulebook.vocabulary.facts.items() if d.kind == "choice"]
        raise GpurulesError([Problem(node.place, "GR301", f"unknown figure '{name}' of a candidate", did_you_mean(path, known, ", ".join(known)))])
    return {path: statement.read(definition, node, engine.rulebook.catalogs)}


def _same(wanted: Value, value: Value) -> bool:
    if isinstance(wanted, Interval) and isinstance(value, Interval):
        ends = zip(wanted, value, strict=True)
        return all(not interval.exceeds(a, b) and not interval.exceeds(b, a) for a, b in ends)
    return wanted == value
