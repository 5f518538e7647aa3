"""A model known by its size alone: the shape that rules assume is that of a model in the catalogue, and what is stated stays."""

from __future__ import annotations

import re
from functools import cache

import pytest

import gpurules
from gpurules.engine import public
from gpurules.engine.inference import facts as reading
from gpurules.engine.inference.evaluation import Engine, Evaluation
from gpurules.engine.knowledge import document, statement
from gpurules.engine.knowledge.document import Scalar
from gpurules.engine.knowledge.rule import Assume
from gpurules.engine.values.interval import point
from gpurules.engine.values.problem import Place

RUN = {"workload.task": "lora", "training.micro_batch": "1", "training.sequence_length": "2048"}


@cache
def engine() -> Engine:
    return public.engine(gpurules.load())


def evaluated(**facts: str) -> Evaluation:
    text = "".join(f"{path}: {value}\n" for path, value in {**RUN, **{k.replace("__", "."): v for k, v in facts.items()}}.items())
    return engine().evaluate(reading.read(document.parse(text.encode(), "facts.yaml"), engine().rulebook))


def shape_rules() -> list[str]:
    rules = engine().rulebook.running
    return [r.id for r in rules if any(isinstance(c, Assume) and c.fact == "model.layers" for c in r.then)]


@pytest.mark.parametrize("rule", shape_rules())
def test_an_assumed_shape_is_that_of_the_model_it_names(rule: str) -> None:
    book = engine().rulebook
    procedure, values = engine().program.procedures[rule], engine().program.values(book.released)
    named = re.search(r"shaped like (\S+)", procedure.rule.title.en)
    assert named is not None
    found = statement.read(book.vocabulary.facts["model.name"], Scalar(named[1], "text", Place("test")), book.catalogs)
    assert isinstance(found, frozenset) and len(found) >= 1
    entries = [book.catalogs["model"].entries[one] for one in found]
    for fact, assumed in procedure.assumes.items():
        if fact == "model.active_parameters":
            continue
        value = assumed if isinstance(assumed, frozenset) else assumed(values)
        known = [statement.read(book.vocabulary.facts[fact], Scalar(e.values[fact].text, "text", Place("test")), book.catalogs) for e in entries]
        assert value in known, fact


def test_an_exact_size_that_a_name_of_size_stands_in_for_gives_way_and_a_stated_one_stays() -> None:
    named = evaluated(model__size_class="1B")
    assert named.first.value("model.parameters") == point(1e9)
    assert named.second.value("model.parameters") == named.second.value("model.active_parameters") == point(1235814400.0)
    assert named.second.value("model.size_class") == point(1e9)
    counted = evaluated(model__size_class="1B", model__parameters="1.1B")
    assert counted.second.value("model.parameters") == point(1.1e9)
    assert evaluated(model__size_class="7B").second.value("model.parameters") == point(7e9)


def test_what_is_stated_of_a_shape_stays_beside_what_is_assumed() -> None:
    found = evaluated(model__size_class="13B", model__vocabulary_size="151936")
    assert found.second.value("model.vocabulary_size") == point(151936.0)
    assert found.second.value("model.layers") == point(40.0)
    assert not any(a.fact == "model.vocabulary_size" for a in found.assumptions)


OTHERS = [{"model__name": "Mistral-7B-v0.1"}, {"model__experts": "8"}, {"workload__modality": "video"}, {"model__size_class": "7B..9B"}]


@pytest.mark.parametrize("facts", OTHERS)
def test_no_shape_is_assumed_of_what_is_something_else(facts: dict[str, str]) -> None:
    assert not any(a.fact == "model.layers" for a in evaluated(**{"model__size_class": "7B", **facts}).assumptions)
