"""`gpurules explain`: the derivation of a decision, down to facts, parameters, claims and documents."""

from __future__ import annotations

from pathlib import Path

import click

from gpurules.cli import asking, cache
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.engine.decisions import decision as decisions
from gpurules.engine.decisions import kept
from gpurules.engine.inference import facts as reading
from gpurules.engine.inquiries import explanation, restatement, subject
from gpurules.engine.inquiries.derivation_tree import DEEPEST
from gpurules.engine.inquiries.subject import Subject
from gpurules.engine.inquiries.tree import Branch
from gpurules.engine.public import VERSION
from gpurules.engine.values.problem import GpurulesError

OVERVIEW = 3
"""Levels shown where everything is asked for at once."""


@click.command("explain")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml|DECISION.json")
@click.argument("about", default="", metavar="[RULE|RULE#N|FACT|ACTION|TOPIC|MACHINE]")
@click.option("--depth", type=click.IntRange(0, DEEPEST), help=f"Levels below each root; all of them, or {OVERVIEW} where nothing is named, by default.")
@asking.format_options
@language_option
@rules_option
def command(source: Path, about: str, depth: int | None, format_: str, width: int | None, language: str, rules: Path | None) -> None:
    """Show how a conclusion came about, as a tree: its rule, the conditions with the values on both sides, derived facts, what was
    stated and where, catalogue entries, parameters, and the claims and documents behind them.

    A decision that `gpurules evaluate --format json` wrote is explained from itself; the rulebook adds what a decision does not
    hold, where it is the one that decided. Without a name, every conclusion and chosen machine is shown.
    Exit codes: 0 done; 2 the input is wrong.
    """
    content, name = asking.content_of(source)
    levels = depth if depth is not None else DEEPEST if about else OVERVIEW
    if restatement.is_decision(content):
        branches = _of_decision(content, name, about, levels, rules)
    else:
        branches = _of_facts(content, name, about, levels, rules)
    asking.print_trees(branches, format_, language, width)


def _of_decision(content: bytes, name: str, about: str, depth: int, rules: Path | None) -> tuple[Branch, ...]:
    document = kept.read(content, name)

    def made(read: decisions.Document) -> tuple[Branch, ...]:
        rulebook = None
        try:
            at_hand = cache.engine(located(rules)).rulebook
            rulebook = at_hand if at_hand.digest == read["rulebook"]["digest"] else None
        except GpurulesError:
            if rules is not None:
                raise  # those that were asked for must be whole; the packaged ones are a help
        asked = subject.in_decision(about, read) if about else None
        return explanation.explain(asked, read, rulebook, None, "", depth)

    return kept.made(document, name, made)


def _of_facts(content: bytes, name: str, about: str, depth: int, rules: Path | None) -> tuple[Branch, ...]:
    engine = cache.engine(located(rules))
    facts = reading.read(asking.node_of(content, name), engine.rulebook)
    evaluation = engine.evaluate(facts, "", name)
    document = decisions.trace(evaluation)
    asked: Subject | None = None
    try:
        asked = subject.in_decision(about, document) if about else None
    except GpurulesError:
        asked = None
    if asked is None or asked.kind == "machine":
        document = {**decisions.document(evaluation, VERSION), "rules": document["rules"]}
        asked = subject.in_decision(about, document) if about else None
    return explanation.explain(asked, document, engine.rulebook, evaluation, name, depth)
