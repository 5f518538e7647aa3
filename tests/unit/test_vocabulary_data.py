"""The vocabulary files themselves, read by a plain YAML 1.1 loader so that no code of ours can hide a fault in them.

That loader turns unquoted `yes`, `no`, `on` and `off` into booleans; names of members and aliases are therefore quoted
where they could be taken for one, and the checks below insist on text.
"""

import math
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
import yaml

FOLDER = files("gpurules.schemas") / "vocabulary"
Entry = dict[str, Any]

LANGUAGES = {"en", "zh"}
COMMON = {"path", "title", "type", "kind", "movable", "applies_when", "agreement", "obtain", "cost"}
KEYS = {
    "number": COMMON | {"unit", "range", "step", "integer", "share", "combine", "aliases"},
    "enum": COMMON | {"members", "aliases", "open"},
    "bool": COMMON,
    "card": COMMON,
    "model": COMMON | {"open"},
}
UNITS = {
    *("1", "byte", "byte/s", "bit", "bit/s", "W", "°C", "s", "year", "1/s", "FLOP", "FLOP/s", "TFLOP/s/W", "GB/s/W"),
    *("parameter", "token", "token/s", "sequence", "sample/s"),
    *("USD", "USD/h", "USD/kWh", "USD/kW/month", "USD/year", "USD/EFLOP", "months"),
}


class UniqueKeys(yaml.SafeLoader):
    """The safe loader, except that a key given twice is an error instead of the last one winning."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            problem = f"given twice: {sorted(map(str, twice))}"
            raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
        return super().construct_mapping(node, deep)


def read(name: str) -> Any:
    return yaml.load((FOLDER / name).read_text(encoding="utf-8"), Loader=UniqueKeys)  # a SafeLoader


def entries() -> Iterator[tuple[str, Entry]]:
    for file in sorted(FOLDER.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".yaml") and file.name not in ("advice.yaml", "contradictions.yaml"):
            for entry in read(file.name)["facts"]:
                yield file.name, entry


FACTS = [entry for _, entry in entries()]
BY_PATH = {fact["path"]: fact for fact in FACTS}


def each(facts: list[Entry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("fact", facts, ids=[fact["path"] for fact in facts])


def names_in(expression: str) -> set[str]:
    return set(re.findall(r"[a-z_]+\.[a-z_]+", re.sub(r"'[^']*'", "", expression)))


def folded(word: str) -> str:
    """A spelling as it is compared: spaces, dashes and underscores are one."""
    return re.sub(r"[\s_-]+", "_", word)


def is_bilingual(text: Any) -> bool:
    return isinstance(text, dict) and set(text) == LANGUAGES and all(isinstance(value, str) and value.strip() for value in text.values())


def test_every_path_is_defined_once() -> None:
    assert len(BY_PATH) == len(FACTS)


def test_a_fact_stands_in_a_file_of_its_group() -> None:
    homes = {"time": "cost"}
    for file, fact in entries():
        group = fact["path"].split(".")[0]
        assert file.removesuffix(".yaml").split("-")[0] == homes.get(group, group), fact["path"]


@each(FACTS)
def test_entry_has_its_keys_and_both_titles(fact: Entry) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*", fact["path"])
    assert set(fact) <= KEYS[fact["type"]]
    assert {"path", "title", "type", "kind", "movable"} <= set(fact)
    assert is_bilingual(fact["title"])
    assert fact["kind"] in {"observed", "choice", "derived"}
    assert fact["movable"] in {True, False}
    assert fact["kind"] != "choice" or fact["path"].startswith("candidate.")


@each([fact for fact in FACTS if fact["type"] == "number"])
def test_number_has_unit_finite_range_and_step(fact: Entry) -> None:
    low, high = (float(end) for end in fact["range"])
    assert math.isfinite(low) and math.isfinite(high) and low < high
    assert 0 < float(fact["step"]) <= high - low
    assert fact["unit"] in UNITS
    if fact.get("integer"):
        assert low.is_integer() and high.is_integer() and float(fact["step"]).is_integer()
    if fact.get("share"):
        assert fact["unit"] == "1"


@each([fact for fact in FACTS if fact["type"] == "number" and "aliases" in fact])
def test_words_for_numbers_are_quantities_in_range(fact: Entry) -> None:
    low, high = fact["range"]
    for word, quantity in fact["aliases"].items():
        assert isinstance(word, str) and word == word.lower().strip()
        value, unit = quantity.rsplit(" ", 1)
        ends = [float(end) for end in value.split("..")]
        assert unit == fact["unit"] and low <= ends[0] <= ends[-1] <= high, word
    spellings = [folded(word) for word in fact["aliases"]]
    assert not {word for word in spellings if spellings.count(word) > 1}


@each([fact for fact in FACTS if fact["type"] == "enum"])
def test_enum_aliases_lead_to_members(fact: Entry) -> None:
    members = fact["members"]
    assert all(isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in members)
    assert all(is_bilingual(title) for title in members.values())
    assert bool(fact.get("open")) == ("other" in members)
    for spelling, targets in fact.get("aliases", {}).items():
        assert isinstance(spelling, str), f"{spelling!r} must be quoted"
        assert spelling == spelling.lower().strip()
        assert spelling not in members
        assert targets and set(targets) <= set(members) and len(set(targets)) == len(targets)
    spellings = [folded(word) for word in (*members, *fact.get("aliases", {}))]
    assert not {word for word in spellings if spellings.count(word) > 1}
    for member, title in members.items():
        for word in title.values():
            assert set(fact.get("aliases", {}).get(word.lower(), [member])) == {member}


@each([fact for fact in FACTS if "applies_when" in fact])
def test_condition_names_other_facts_and_their_members(fact: Entry) -> None:
    expression = fact["applies_when"]
    names = names_in(expression)
    assert names and names <= set(BY_PATH) - {fact["path"]}
    assert set(re.findall(r"(?<![\w.])\d[\w.]*", re.sub(r"'[^']*'", "", expression))) <= {"0", "1"}
    members = {member for name in names for member in BY_PATH[name].get("members", {})}
    assert set(re.findall(r"'([^']*)'", expression)) <= members


def test_conditions_do_not_run_in_a_circle() -> None:
    reached: dict[str, set[str]] = {path: names_in(fact.get("applies_when", "")) for path, fact in BY_PATH.items()}
    for _ in range(len(reached)):
        wider = {path: names.union(*(reached[name] for name in names)) for path, names in reached.items()}
        if wider == reached:
            break
        reached = wider
    assert not [path for path, names in reached.items() if path in names]


@each(FACTS)
def test_stated_fact_tells_how_to_obtain_it(fact: Entry) -> None:
    if fact["kind"] != "observed":
        assert not {"obtain", "cost"} & set(fact)
        return
    assert is_bilingual({key: text for key, text in fact["obtain"].items() if key != "command"})
    assert set(fact["obtain"]) <= LANGUAGES | {"command"}
    assert fact["cost"] in {"free", "minutes", "hours", "money"}


@pytest.mark.parametrize(("copy", "original"), [("candidate.interconnect", "interconnect.kind"), ("candidate.tier", "gpu.tier")])
def test_candidate_shares_the_members_of_what_it_mirrors(copy: str, original: str) -> None:
    assert BY_PATH[copy]["members"] == BY_PATH[original]["members"]


@pytest.mark.parametrize(
    ("path", "spelling", "members"),
    [
        ("training.precision", "bf16", {"bf16_mixed", "bf16_pure"}),
        ("training.precision", "fp16", {"fp16_mixed"}),
        ("training.checkpointing", "on", {"selective", "full"}),
        ("workload.task", "微调", {"full_finetune", "lora", "qlora"}),
        ("site.cooling", "风冷", {"office", "ordinary_air", "high_density_air"}),
        ("interconnect.kind", "nvlink", {"nvlink_bridge", "nvlink_switch"}),
    ],
)
def test_a_word_that_leaves_something_open_is_a_set(path: str, spelling: str, members: set[str]) -> None:
    assert set(BY_PATH[path]["aliases"][spelling]) == members


def test_topics_and_actions_have_both_titles() -> None:
    advice = read("advice.yaml")
    assert set(advice) == {"topics", "actions"}
    for registry in advice.values():
        assert all(isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in registry)
        assert all(is_bilingual(title) for title in registry.values())
