"""`gpurules show`: one rule, fact, claim or conflict, with everything that is known of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from gpurules.cli import output
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import opened, rules_option
from gpurules.engine import GpurulesError, Rulebook
from gpurules.engine.knowledge.rule import Advise, Ask, Assume, Conclusion, Derive, Parameter, Prefer, Require, Rule
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.language import syntax
from gpurules.engine.values import quantity
from gpurules.engine.values.problem import Place, Problem, did_you_mean, printable


@click.command("show")
@click.argument("name", metavar="ID")
@language_option
@rules_option
def command(name: str, language: str, rules: Path | None) -> None:
    """Show a rule (COM-001), a fact (gpu.count), a claim (A04) or a conflict (K01)."""
    rulebook = opened(rules)
    register, facts = rulebook.register, rulebook.vocabulary.facts
    if name in rulebook.rules:
        told = _rule(rulebook, rulebook.rules[name], language)
    elif name in facts:
        told = _fact(rulebook, facts[name], language)
    elif name in register.claims:
        claim = register.claims[name]
        told = iter(
            [f"{name}  {claim.says.get(language)}", f"source  {register.sources[claim.source].title.get(language)}, {claim.place}", *_citing(rulebook, name)]
        )
    elif name in register.conflicts:
        conflict = register.conflicts[name]
        told = iter(
            [f"{name}  {conflict.about.get(language)}", f"between {', '.join(conflict.between)} ({conflict.kind})", f"holds   {conflict.holds.get(language)}"]
        )
    else:
        known = (*rulebook.rules, *facts, *register.claims, *register.conflicts)
        mend = did_you_mean(name, known, "`gpurules rules` and `gpurules facts` list the names")
        raise GpurulesError([Problem(Place("show"), "GR312", f"nothing is called '{printable(name)}'", mend)])
    for text in told:
        output.line(text)


def _citing(rulebook: Rulebook, claim: str) -> Iterator[str]:
    for rule in rulebook.rules.values():
        if claim in rule.cites:
            yield f"cited by {rule.id}  {rule.title.en}"


def _rule(rulebook: Rulebook, rule: Rule, language: str) -> Iterator[str]:
    yield f"{rule.id}  {rule.title.get(language)}"
    yield f"version {rule.version}, {rule.status}, confidence {rule.confidence}, {rule.place.file}"
    if rule.for_each:
        yield f"for each {rule.for_each}"
    if rule.needs:
        yield f"needs   {', '.join(rule.needs)}"
    if rule.when is not None:
        parts = syntax.children(rule.when) if isinstance(rule.when, syntax.All) else (rule.when,)
        for number, part in enumerate(parts):
            yield f"{'when   ' if number == 0 else '   and '} {syntax.show(part)}"
    for parameter in rule.parameters.values():
        yield from _parameter(parameter)
    for conclusion in rule.then:
        yield f"then    {_conclusion(conclusion)}"
    if rule.overrides:
        yield f"over    {', '.join(rule.overrides)}"
    pieces = rule.because[language].pieces
    yield "because " + "".join(p if isinstance(p, str) else "{{ " + syntax.show(p.tree) + " }}" for p in pieces)
    for claim_id in rule.cites:
        claim = rulebook.register.claims[claim_id]
        yield f"cites   {claim_id}  {claim.says.get(language)}  ({rulebook.register.sources[claim.source].title.get(language)}, {claim.place})"
    yield f"cases   {len(rule.cases)}: {'; '.join(c.name for c in rule.cases)}"


def _parameter(parameter: Parameter) -> Iterator[str]:
    for dated in parameter.values:
        yield f"with    {parameter.name} = {dated.text}  (from {dated.since}; {', '.join(parameter.cites)})"
    for row in parameter.rows:
        key = " × ".join("|".join(part) for part in row.key)
        yield f"with    {parameter.name}[{key}] = {row.text}  ({', '.join(row.cites)})"


def _conclusion(conclusion: Conclusion) -> str:
    match conclusion:
        case Derive(fact, node, expression) | Assume(fact, node, expression):
            verb = "derive" if isinstance(conclusion, Derive) else "assume"
            members = getattr(node, "text", "") or ", ".join(getattr(item, "text", "") for item in getattr(node, "items", ()))
            return f"{verb} {fact} = {syntax.show(expression.tree) if expression else members}"
        case Advise(topic, level, action):
            return f"advise {level}: {action} ({topic})"
        case Ask(fact):
            return f"ask {fact}"
        case Require(condition):
            return f"require {syntax.show(condition.tree)}"
        case Prefer(figure, direction):
            return f"prefer {direction} {syntax.show(figure.tree)}"
    return f"step {', '.join(conclusion.settings)}"


def _fact(rulebook: Rulebook, definition: Definition, language: str) -> Iterator[str]:
    yield f"{definition.path}  {definition.title.get(language)}"
    yield f"kind    {definition.kind}, {definition.type}"
    if definition.number:
        yield f"unit    {definition.unit.text}; range {quantity.show(definition.range, definition.unit, definition.share)}"
        for word, text in definition.words.items():
            yield f"word    {word} = {text}"
    elif definition.type in ("card", "model"):
        yield f"members the catalogue's: gpurules catalog {'gpus' if definition.type == 'card' else 'models'}"
    else:
        for member, title in definition.members.items():
            also = [alias for alias, targets in definition.aliases.items() if member in targets]
            yield f"member  {member}  {title.get(language)}" + (f"  (also: {', '.join(also)})" if also else "")
    if definition.obtain:
        yield f"obtain  {definition.obtain.get(language)}  ({definition.cost})"
    if definition.command:
        yield f"        $ {definition.command}"
    for rule in rulebook.rules.values():
        if any(definition.path in syntax.names(e.tree) for e in rule.conditions) or definition.path in rule.needs:
            yield f"read by {rule.id}  {rule.title.get(language)}"
