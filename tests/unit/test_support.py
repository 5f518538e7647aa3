"""What rules rest on: claims that are cited, and figures that their claims hold."""

from __future__ import annotations

import dataclasses

import pytest

import gpurules
from gpurules.engine.knowledge import support
from gpurules.engine.knowledge.claims import Claim
from gpurules.engine.knowledge.rule import Dated, Parameter
from gpurules.engine.knowledge.rulebook import Rulebook
from gpurules.engine.values import quantity
from gpurules.engine.values.interval import Interval

RULEBOOK = gpurules.load()


def with_figure(text: str, note: str = "", claims: tuple[tuple[str, str], ...] = ()) -> Rulebook:
    """The shipped rulebook with COM-001 alone, its limit `text`, and the figures of the claim that it cites."""
    rule, claim = RULEBOOK.rules["COM-001"], RULEBOOK.register.claims["A04"]
    read = quantity.read(text, share=True)
    assert read.low is not None and read.high is not None
    limit = dataclasses.replace(
        rule.parameters["communication_limit"], values=(Dated("2026-01-01", Interval(read.low, read.high), text),), dimension=read.dimension, note=note
    )
    changed: Claim = dataclasses.replace(claim, figures=claims) if claims else claim
    parameters: dict[str, Parameter] = {limit.name: limit}
    register = dataclasses.replace(RULEBOOK.register, claims={**RULEBOOK.register.claims, claim.id: changed})
    return dataclasses.replace(RULEBOOK, rules={rule.id: dataclasses.replace(rule, parameters=parameters)}, register=register)


def test_every_figure_of_a_shipped_rule_is_one_of_its_claims_or_says_how_it_follows() -> None:
    assert [str(p) for p in support.unsupported(RULEBOOK)] == []


@pytest.mark.parametrize("text", ["30 %", "0.3", "30..30 %"])
def test_a_figure_of_the_claim_however_it_is_written(text: str) -> None:
    assert support.unsupported(with_figure(text)) == ()


@pytest.mark.parametrize("text", ["35 %", "30.1 %", "20..30 %", "30", "30 GB"])
def test_another_figure_is_told_with_those_of_the_claim(text: str) -> None:
    (problem,) = support.unsupported(with_figure(text))
    assert problem.code == "GR421"
    assert problem.message == f"'communication_limit' is {text}, which is no figure of A04"
    assert problem.mend.startswith("figures there: 30 %;")
    assert problem.place.line == RULEBOOK.rules["COM-001"].parameters["communication_limit"].place.line


def test_a_note_says_how_a_figure_follows() -> None:
    assert support.unsupported(with_figure("35 %", note="measured by the team")) == ()


@pytest.mark.parametrize(("text", "supported"), [("7B", True), ("13B", True), ("7..13B parameters", True), ("10B", False)])
def test_an_end_of_a_range_is_a_figure(text: str, supported: bool) -> None:
    found = support.unsupported(with_figure(text if "parameters" in text else f"{text} parameters", claims=(("7..13B parameters", "size"),)))
    assert (found == ()) is supported


def test_citations_are_those_of_running_rules_parameters_and_rows() -> None:
    found = support.citations(RULEBOOK)
    assert list(found) == list(RULEBOOK.register.claims)
    assert "COM-001" in found["A04"]
    assert "MEM-005" in found["M11"]
    assert "UTL-002" in found["A02"], "a parameter cites it"
    retired = dataclasses.replace(RULEBOOK.rules["COM-001"], status="retired")
    assert "COM-001" not in support.citations(dataclasses.replace(RULEBOOK, rules={**RULEBOOK.rules, "COM-001": retired}))["A04"]
