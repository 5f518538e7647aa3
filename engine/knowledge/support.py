"""What rules rest on: which running rules cite a claim, and figures of rules that none of their claims holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpurules.engine.knowledge.claims import Claim
from gpurules.engine.knowledge.rule import Parameter, Rule
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values import interval, quantity
from gpurules.engine.values.problem import Problem
from gpurules.engine.values.unit import Dimension


def cited(rule: Rule) -> frozenset[str]:
    """The claims that a rule, its parameters, and the rows of their tables cite."""
    rows = (row.cites for parameter in rule.parameters.values() for row in parameter.rows)
    return frozenset(rule.cites).union(*(p.cites for p in rule.parameters.values()), *rows)


def citations(rulebook: Rulebook) -> Mapping[str, tuple[str, ...]]:
    """Every claim of the register with the running rules that cite it, in id order; none where the claim is not covered."""
    found: dict[str, list[str]] = {claim: [] for claim in rulebook.register.claims}
    for rule in rulebook.running:
        for claim in cited(rule):
            found[claim].append(rule.id)
    return {claim: tuple(sorted(rules)) for claim, rules in found.items()}


def unsupported(rulebook: Rulebook) -> tuple[Problem, ...]:
    """Figures of parameters that are in no claim that they cite (GR421).

    An end of a figure must be an end of one of the claims' figures, in the same dimension. A figure that is computed or
    read into a claim says so in the parameter's `note`, and is then left to the reader.
    """
    ends = {claim.id: tuple(_ends(claim)) for claim in rulebook.register.claims.values()}
    return tuple(p for rule in rulebook.running for parameter in rule.parameters.values() for p in _unsupported(parameter, ends, rulebook.register.claims))


def _unsupported(parameter: Parameter, ends: Mapping[str, tuple[tuple[float, Dimension], ...]], claims: Mapping[str, Claim]) -> Iterator[Problem]:
    if parameter.note:
        return
    figures = [(v.value, v.text, parameter.cites, parameter.place) for v in parameter.values]
    figures += [(row.value, row.text, row.cites, row.place) for row in parameter.rows]
    for value, text, cites, place in figures:
        known = [end for claim in cites for end, dimension in ends[claim] if dimension == parameter.dimension]
        if not all(any(_same(end, other) for other in known) for end in value):
            said = [written for claim in cites for written, _ in claims[claim].figures]
            mend = f"figures there: {', '.join(dict.fromkeys(said)) or 'none'}; correct it, or say in the parameter's note how it follows"
            yield Problem(place, "GR421", f"'{parameter.name}' is {text}, which is no figure of {', '.join(cites)}", mend)


def _ends(claim: Claim) -> Iterable[tuple[float, Dimension]]:
    """Both ends of each figure of a claim, an open one left out."""
    for text, _ in claim.figures:
        found = quantity.read(text, share=True)
        for end in (found.low, found.high):
            if end is not None:
                yield end, found.dimension


def _same(one: float, other: float) -> bool:
    return not interval.exceeds(one, other) and not interval.exceeds(other, one)
