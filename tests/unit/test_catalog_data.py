"""The catalogues of models, claims and conflicts agree with themselves."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from importlib.resources import files
from typing import Any

import pytest
import yaml

from gpurules.engine.knowledge.catalog import load as load_catalog
from gpurules.engine.values import quantity

# Counted by building each model, or published with its weights.
EXACT_PARAMETERS = {
    "llama-7b": 6_738_415_616,
    "llama-13b": 13_015_864_320,
    "llama-30b": 32_528_943_616,
    "llama-65b": 65_285_660_672,
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "meta-llama-3-8b": 8_030_261_248,
    "llama-3.1-8b": 8_030_261_248,
    "llama-3.1-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "mistral-7b-v0.1": 7_241_732_096,
    "mixtral-8x7b-v0.1": 46_702_792_704,
    "qwen2.5-7b": 7_615_616_512,
    "qwen2.5-72b": 72_706_203_648,
    "deepseek-v3": 671_026_419_200,
    "gpt2": 124_439_808,
    "phi-2": 2_779_683_840,
}


def catalogue(name: str) -> Any:
    """One catalogue with every scalar as the text that stands in the file."""
    text = files("gpurules.catalogs").joinpath(name).read_text(encoding="utf-8")
    return yaml.load(text, yaml.BaseLoader)


MODELS = catalogue("models.yaml")
CLAIMS = catalogue("claims.yaml")
CONFLICTS = catalogue("conflicts.yaml")["conflicts"]
BY_ID = {model["id"]: model for model in MODELS["models"]}
CLAIM_IDS = [claim["id"] for claim in CLAIMS["claims"]]


def repeated(items: list[str]) -> list[str]:
    return [item for item, count in Counter(items).items() if count > 1]


def matching_form(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.lower())


# ---------------------------------------------------------------- claims


def test_every_statement_of_the_three_documents_is_there() -> None:
    expected = [f"A{n:02d}" for n in range(1, 55)]
    expected += [f"B{n:02d}" for n in range(1, 26)]
    expected += [f"C{n:02d}" for n in range(1, 34)]
    assert [key for key in CLAIM_IDS if key[0] in "ABC"] == expected
    assert len(expected) == 112


def test_counts_of_framework_memory_are_claims_too() -> None:
    assert {f"M{n:02d}" for n in range(1, 9)} <= set(CLAIM_IDS)


def test_claim_ids_are_unique() -> None:
    assert repeated(CLAIM_IDS) == []


@pytest.mark.parametrize("claim", CLAIMS["claims"], ids=CLAIM_IDS)
def test_claim(claim: dict[str, Any]) -> None:
    assert claim["source"] in CLAIMS["sources"]
    assert claim["id"].startswith(claim["source"])
    assert claim["place"]
    assert set(claim["says"]) == {"en", "zh"} and all(claim["says"].values())
    assert re.search(r"[\u4e00-\u9fff]", claim["says"]["zh"])
    assert not re.search(r"[\u4e00-\u9fff]", claim["says"]["en"])
    for figure in claim["figures"]:
        quantity.read(figure["value"])  # refuses what is no quantity
        assert figure["of"]


@pytest.mark.parametrize("claim", CLAIMS["claims"], ids=CLAIM_IDS)
def test_both_languages_hold_every_figure(claim: dict[str, Any]) -> None:
    """What a source says holds its figures; what follows by arithmetic may show the terms and leave the results to the data."""
    for figure in claim["figures"] if claim["source"] in "ABC" else ():
        for number in re.findall(r"\d+(?:\.\d+)?", figure["value"]):
            if float(number) <= 4 or figure["of"] == "activation memory that remains":
                continue  # may be written as a word, or in another form
            assert number in claim["says"]["en"], figure
            assert number in claim["says"]["zh"], figure


def test_sellers_are_named_as_sellers() -> None:
    interests = {key: CLAIMS["sources"][key].get("interest") for key in "AB"}
    assert set(interests.values()) == {"seller of servers and rentals"}


# ---------------------------------------------------------------- conflicts


def test_conflict_ids_are_unique() -> None:
    assert repeated([conflict["id"] for conflict in CONFLICTS]) == []


@pytest.mark.parametrize("conflict", CONFLICTS, ids=lambda conflict: conflict["id"])
def test_conflict(conflict: dict[str, Any]) -> None:
    sides = conflict["between"]
    assert set(sides) <= set(CLAIM_IDS)
    assert repeated(sides) == []
    assert len(sides) + ("with" in conflict) >= 2
    assert conflict["kind"] in {"supersedes", "scoped", "both"}
    for key in ("about", "holds", *(["with"] if "with" in conflict else [])):
        assert set(conflict[key]) == {"en", "zh"} and all(conflict[key].values())


@pytest.mark.parametrize("conflict", CONFLICTS, ids=lambda conflict: conflict["id"])
def test_one_side_wins_only_where_one_supersedes(conflict: dict[str, Any]) -> None:
    if conflict["kind"] == "supersedes":
        sides = {*conflict["between"], *(["with"] if "with" in conflict else [])}
        assert len(sides) == 2 and conflict["wins"] in sides
    else:
        assert "wins" not in conflict


def test_texts_name_only_claims_that_exist() -> None:
    for conflict in CONFLICTS:
        text = str(conflict["about"]) + str(conflict["holds"])
        assert set(re.findall(r"\b[ABCM]\d\d\b", text)) <= set(CLAIM_IDS)


# ---------------------------------------------------------------- models


def test_model_ids_are_unique() -> None:
    assert repeated([model["id"] for model in MODELS["models"]]) == []


def test_no_exact_name_stands_for_two_models() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for model in MODELS["models"]:
        for name in (model["id"], model["name"], *model["aliases"]):
            owners[matching_form(name)].add(model["id"])
    assert {name: ids for name, ids in owners.items() if len(ids) > 1} == {}


def test_an_ambiguous_name_stands_for_several_models() -> None:
    owners: Counter[str] = Counter(matching_form(name) for model in MODELS["models"] for name in model.get("ambiguous_aliases", []))
    assert owners and all(count > 1 for count in owners.values())


def test_a_family_is_no_exact_name() -> None:
    catalog = load_catalog(MODELS, "model")
    assert catalog.find("Mixtral") == ("mixtral-8x7b-v0.1", "mixtral-8x22b-v0.1")
    assert catalog.find("mixtral 8x7b") == ("mixtral-8x7b-v0.1",)


def test_dots_keep_sizes_apart() -> None:
    names = {matching_form(name): model["id"] for model in MODELS["models"] for name in (model["id"], model["name"], *model["aliases"])}
    assert names["opt1.3b"] == "opt-1.3b"
    assert names["opt13b"] == "opt-13b"


@pytest.mark.parametrize(("model", "parameters"), EXACT_PARAMETERS.items())
def test_exact_counts_are_kept(model: str, parameters: int) -> None:
    assert int(BY_ID[model]["values"]["model.parameters"]) == parameters


@pytest.mark.parametrize("model", MODELS["models"], ids=BY_ID)
def test_model(model: dict[str, Any]) -> None:
    values = model["values"]
    assert model["from"] and set(model["from"]) <= set(MODELS["sources"])
    assert re.fullmatch(r"\d+(\.\d+)?[MBT]", values["model.size_class"])
    for path in model.get("weak", []):
        assert path in values or path.removeprefix("data.") in model["data"], path

    numbers = {path.removeprefix("model."): int(value) for path, value in values.items() if value.isdigit()}
    if "parameters" in numbers:
        assert numbers["active_parameters"] <= numbers["parameters"]
        scale = {"M": 1e6, "B": 1e9, "T": 1e12}[values["model.size_class"][-1]]
        nominal = float(values["model.size_class"][:-1]) * scale
        # names round freely: gemma-7b has 8.5 B, DeepSeek-R1-Distill-Qwen-1.5B 1.78 B
        assert 0.7 <= numbers["parameters"] / nominal <= 1.35
    if "attention_heads" in numbers:
        heads, width = numbers["attention_heads"], numbers["head_size"]
        assert heads % numbers["kv_heads"] == 0
        # some families widen the projections, none narrows them below three quarters
        assert 0.75 <= heads * width / numbers["hidden_size"] <= 16
    if "kv_elements_per_token" in numbers and "mla" not in model["data"]:
        one_layer = 2 * numbers["kv_heads"] * numbers["head_size"]
        assert numbers["kv_elements_per_token"] % one_layer == 0
        assert numbers["kv_elements_per_token"] <= one_layer * numbers["layers"]
