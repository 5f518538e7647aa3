"""`gpurules why-not`: why a rule, an advice or a machine is not among the answers, and the nearest change that makes it one."""

from __future__ import annotations

from pathlib import Path

import click

from gpurules.cli import asking, cache, stated
from gpurules.cli import waivers as waiving
from gpurules.cli.language import language_option
from gpurules.cli.rulebook import located, rules_option
from gpurules.cli.waivers import waivers_option
from gpurules.engine.decisions import waiver
from gpurules.engine.inquiries import subject
from gpurules.engine.inquiries.why_not import WhyNot
from gpurules.engine.values.problem import GpurulesError, Place, Problem, did_you_mean, printable


@click.command("why-not")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True), metavar="FACTS.yaml|DECISION.json")
@click.argument("about", metavar="RULE|ACTION|TOPIC|MACHINE")
@click.option("--fixed", multiple=True, metavar="PATH", help="A fact that may not be changed; may be given several times.")
@click.option("--movable", multiple=True, metavar="PATH", help="A fact that may be changed although it is measured or given.")
@click.option("--budget", type=click.IntRange(1, 10_000_000), help="Evaluations that each search may make; up to 2,000 by default.")
@click.option("--depth", type=click.IntRange(0, 20), default=2, show_default=True, help="Levels shown below a condition.")
@stated.stated_options
@waivers_option
@asking.format_options
@language_option
@rules_option
def command(
    source: Path,
    about: str,
    fixed: tuple[str, ...],
    movable: tuple[str, ...],
    budget: int | None,
    depth: int,
    settings: tuple[str, ...],
    date: str | None,
    waivers: Path | None,
    format_: str,
    width: int | None,
    language: str,
    rules: Path | None,
) -> None:
    """Show why RULE does not speak, why nothing advises ACTION or TOPIC, or why MACHINE ("stated", "2x L40S", or an id of the
    catalogue) is not accepted: each condition with its values, the one that decides, what is unknown, and the smallest change
    of up to three facts that turns the answer round. Settling what is unknown and changing what is known are told apart; each
    change was proved by evaluating again.

    Exit codes: 0 done; 2 the input is wrong.
    """
    further, day = stated.read(settings, date)
    content, name = asking.content_of(source)
    engine = cache.engine(located(rules))
    facts = engine.rulebook.vocabulary.facts
    unknown = [path for path in (*fixed, *movable) if path not in facts]
    if unknown:
        mend = "`gpurules facts` lists what may be stated"
        raise GpurulesError(Problem(Place("why-not"), "GR312", f"no fact is called '{printable(p)}'", did_you_mean(p, facts, mend)) for p in unknown)
    trial, decision = asking.trial_of(content, name, engine, further, day)
    accepted = waiving.given(source if decision is None else Path("-"), waivers)
    waived = {} if decision is None else {c["rule"]: c["waived"] for c in decision["conclusions"] if "waived" in c}
    if accepted is not None:
        waived = waiver.counting(waiver.read(*accepted, engine.rulebook.rules), day or stated.today())
    branches = WhyNot(trial, fixed, movable, budget or 0, depth, waived).answer(subject.in_rulebook(about, engine))
    asking.print_trees(branches, format_, language, width)
