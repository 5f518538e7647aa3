"""Laws over all names of the catalogues: decorations change nothing, and another size is another model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import gpurules
from gpurules.engine.knowledge import naming
from gpurules.engine.knowledge.catalog import Catalog, Entry
from gpurules.engine.knowledge.naming import UnknownName

RULEBOOK = gpurules.load()
CARDS, MODELS = RULEBOOK.catalogs["card"], RULEBOOK.catalogs["model"]
SIZE = re.compile(r"(?<![\dxXaA.])(?P<number>\d+(?:\.\d+)?)(?P<unit>[bBmM])(?![A-Za-z0-9])")
SCALE = {"M": 1e6, "B": 1e9, "T": 1e12}


def names(catalog: Catalog) -> Iterator[tuple[Entry, str]]:
    for entry in catalog.entries.values():
        yield from ((entry, name) for name in dict.fromkeys((entry.id, entry.name, *entry.aliases)))


def size(text: str) -> float:
    return float(text[:-1]) * SCALE[text[-1].upper()]


@pytest.mark.parametrize("catalog", [CARDS, MODELS], ids=lambda c: c.kind)
def test_an_entry_is_found_by_each_of_its_own_names(catalog: Catalog) -> None:
    assert [(name, found) for entry, name in names(catalog) if (found := naming.named(name, catalog).ids) != (entry.id,)] == []


@pytest.mark.parametrize("form", ["8x{}", "8 x {}", "8*{}", "{} *8", "{} × 8 ", "{}*8", "8张{}", "{} 8卡", "8 {}", "{} (8 GPUs)"])
def test_a_count_changes_no_name(form: str) -> None:
    read = {name: naming.named(form.format(name).strip(), CARDS) for _, name in names(CARDS) if not (form.endswith("× 8 ") and name.lower().endswith("pcie"))}
    assert {name: (one.ids, one.count) for name, one in read.items()} == {name: (naming.named(name, CARDS).ids, 8) for name in read}


@pytest.mark.parametrize("form", ["{}-GPTQ", "{}-AWQ-INT4", "{}-FP8", "{}-bnb-4bit", "someone/{}-GGUF", "{}:q4_K_M", "/models/{}"])
def test_how_weights_are_stored_changes_no_model(form: str) -> None:
    plain = {name: entry.id for entry, name in names(MODELS) if "/" not in name}
    assert {name: naming.named(form.format(name), MODELS).ids for name in plain} == {name: (id_,) for name, id_ in plain.items()}


def test_another_size_is_another_model() -> None:
    """opt-1.3b is not opt-13b, whatever is done to the point, the digits or the gap before them."""
    wrong = []
    for _, name in names(MODELS):
        match = SIZE.search(name)
        if match is None:
            continue
        number, unit = match["number"], match["unit"]
        for other in {number.replace(".", ""), number + "0", "1" + number, number[1:], f"0.{number}", f"{number}.5", f".{number}"} - {number}:
            changed = name[: match.start()] + other + unit + name[match.end() :]
            if not re.fullmatch(r"\d*\.?\d+", other):
                continue
            said = float(other) * SCALE[unit.upper()]
            for id_ in MODELS.find(changed):
                known = size(MODELS.entries[id_].values["model.size_class"].text)
                if not 0.7 <= known / said <= 1.35:
                    wrong.append((name, changed, id_))
    assert wrong == []


def test_long_text_is_no_name() -> None:
    for text in ("A100 80G " * 2000, "8x" * 5000, "1_1" * 400, "(" * 5000, "/" * 5000):
        with pytest.raises(UnknownName):
            naming.named(text, CARDS)
