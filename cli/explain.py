"""`gpurules explain`: the derivation of a decision, down to facts, parameters, claims and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from gpurules.cli import asking, cache, stated
from gpurules.cli import waivers as waiving
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.cli.waivers import waivers_option
from gpurules.engine.decisions import decision as decisions
from gpurules.engine.decisions import kept, waiver
from gpurules.engine.decisions.decision import Document
from gpurules.engine.inference.evaluation import Engine
from gpurules.engine.inference.facts import Setting
from gpurules.engine.inquiries import explanation, restatement, subject
from gpurules.engine.inquiries.subject import STATED, Subject
from gpurules.engine.inquiries.trial import Trial
from gpurules.engine.public import VERSION
from gpurules.engine.reports.branch import Branch
from gpurules.engine.reports.derivation_tree import DEEPEST
from gpurules.engine.values.problem import GpurulesError

OVERVIEW = 3
"""Levels shown where everything is asked for at once."""


@click.command("explain")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml|DECISION.json")
@click.argument("about", default="", metavar="[RULE|RULE#N|FACT|ACTION|TOPIC|MACHINE]")
@click.option("--depth", type=click.IntRange(0, DEEPEST), help=f"Levels below each root; all of them, or {OVERVIEW} where nothing is named, by default.")
@stated.stated_options
@waivers_option
@asking.format_options
@language_option
@rules_option
def command(
    source: Path,
    about: str,
    depth: int | None,
    settings: tuple[str, ...],
    date: str | None,
    waivers: Path | None,
    format_: str,
    width: int | None,
    language: str,
    rules: Path | None,
) -> None:
    """Show how a conclusion came about, as a tree: its rule, the conditions with the values on both sides, derived facts, what was
    stated and where, catalogue entries, parameters, and the claims and documents behind them.

    A decision that `gpurules evaluate --format json` wrote is explained from itself; the rulebook adds what a decision does not
    hold, where it is the one that decided. --set and --date make another decision of it first, for which that rulebook must be at
    hand. Without a name, every conclusion and chosen machine is shown. Exit codes: 0 done; 2 the input is wrong.
    """
    further, day = stated.read(settings, date)
    content, name = asking.content_of(source)
    levels = depth if depth is not None else DEEPEST if about else OVERVIEW
    if not restatement.is_decision(content):
        engine = cache.engine(located(rules))
        trial = Trial(engine, asking.node_of(content, name), further, day, name)
        accepted = waiving.given(source, waivers)
        branches = _of_facts(trial, about, levels, lambda made: waiving.marked(made, accepted, day, engine.rulebook.rules))
    else:
        document, accepted = kept.read(content, name), waiving.given(Path("-"), waivers)
        branches = kept.made(document, name, lambda read: _of_decision(read, name, about, levels, rules, further, day, accepted))
    asking.print_trees(branches, format_, language, width)


def _of_decision(
    read: Document, name: str, about: str, depth: int, rules: Path | None, further: Sequence[Setting], day: str, accepted: tuple[bytes, str] | None
) -> tuple[Branch, ...]:
    """Of a kept decision: as it stands, or with `further` facts and another `day` made anew. What it waives, it waives still."""
    if further or day:
        engine = cache.engine(located(rules))
        waived = waiver.of(read)

        def mark(made: Document) -> Document:
            if accepted is None:
                return made if waived is None else waiver.applied(made, *waived)
            return waiving.marked(made, accepted, day, engine.rulebook.rules)

        return _of_facts(restatement.trial(read, engine, name, further, day), about, depth, mark)
    read = waiving.marked(read, accepted, day, [r["id"] for r in read["rules"]])
    at_hand = _at_hand(read, rules)
    asked = subject.in_decision(about, read, at_hand) if about else None
    evaluation = None
    if at_hand is not None and read["choice"] and (asked is None or (asked.kind == "machine" and asked.name != STATED)):
        try:
            evaluation = restatement.trial(read, at_hand, name).base
        except GpurulesError:
            evaluation = None  # the figures that the decision holds are shown, and why no more
    return explanation.explain(asked, read, at_hand.rulebook if at_hand is not None else None, evaluation, restatement.FILE, depth)


def _at_hand(read: Document, rules: Path | None) -> Engine | None:
    """The rulebook that decided, where it is the one at hand."""
    try:
        engine = cache.engine(located(rules))
    except GpurulesError:
        if rules is not None:
            raise  # those that were asked for must be whole; the packaged ones are a help
        return None
    return engine if engine.rulebook.digest == read["rulebook"]["digest"] else None


def _of_facts(trial: Trial, about: str, depth: int, mark: Callable[[Document], Document]) -> tuple[Branch, ...]:
    evaluation = trial.base
    document = mark(decisions.trace(evaluation))
    asked: Subject | None = None
    try:
        asked = subject.in_decision(about, document) if about else None
    except GpurulesError:
        asked = None
    if asked is None or asked.kind == "machine":
        document = {**mark(decisions.document(evaluation, VERSION)), "rules": document["rules"]}
        asked = subject.in_decision(about, document, trial.engine) if about else None
    return explanation.explain(asked, document, trial.rulebook, evaluation, trial.file, depth)
