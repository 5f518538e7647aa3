"""Families of malformed facts: one fault at every kind of fact, in every way to write a file, at the line and column where it stands."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from gpurules.engine import Rulebook, load
from gpurules.engine.knowledge.vocabulary import Definition
from gpurules.engine.values import quantity

Fault = tuple[str, str, str, str]
Refused = Callable[[list[str], list[Fault], bool], None]


@lru_cache(maxsize=1)
def rulebook() -> Rulebook:
    return load()


def stated() -> list[Definition]:
    return [d for d in rulebook().vocabulary.facts.values() if not d.path.startswith("candidate.")]


# ---------------------------------------------------------------- places

Place = Callable[[str, str], tuple[str, int, int]]
"""A way to state a fact in a file: the path and the value as YAML -> the file, and line and column of the value."""


def dotted(path: str, value: str) -> tuple[str, int, int]:
    return f"{path}: {value}\n", 1, len(path) + 3


def grouped(path: str, value: str) -> tuple[str, int, int]:
    group, _, name = path.partition(".")
    return f"# a group\n{group}:\n    {name}: {value}\n", 3, len(name) + 7


def in_brackets(path: str, value: str) -> tuple[str, int, int]:
    return f"{{{path}: {value}}}\n", 1, len(path) + 4


def quoted_key(path: str, value: str) -> tuple[str, int, int]:
    return f'"{path}": {value}\n', 1, len(path) + 5


def after_chinese(path: str, value: str) -> tuple[str, int, int]:
    return f"# 显卡与训练任务 😀\n{{训练: 1, {path}: {value}}}\n".replace("训练: 1, ", ""), 2, len(path) + 4


def after_crlf(path: str, value: str) -> tuple[str, int, int]:
    return f"# one\r\n\r\n{path}: {value}\r\n", 3, len(path) + 3


def after_carriage_returns(path: str, value: str) -> tuple[str, int, int]:
    return f"# one\r# two\r{path}: {value}\r", 3, len(path) + 3


def after_mark(path: str, value: str) -> tuple[str, int, int]:
    return f"\ufeff{path}: {value}\n", 1, len(path) + 3


def after_tabs(path: str, value: str) -> tuple[str, int, int]:
    return f"{path}:\t\t{value}\t# tab\n", 1, len(path) + 4


def without_end(path: str, value: str) -> tuple[str, int, int]:
    return f"---\n{path}: {value}", 2, len(path) + 3


def on_the_next_line(path: str, value: str) -> tuple[str, int, int]:
    return f"{path}:\n  {value}\n", 2, 3


PLACES: dict[str, Place] = {
    p.__name__: p
    for p in (
        dotted, grouped, in_brackets, quoted_key, after_chinese, after_crlf, after_carriage_returns, after_mark, after_tabs, without_end, on_the_next_line,
    )
}  # fmt: skip

FAMILIES: dict[str, tuple[str, str, str, str, str]] = {
    # name: fact, value, code, words of the message, words of the mend
    "text for a count": ("gpu.count", "many", "GR303", "'many' is not a quantity", "write a plain number such as 4"),
    "text for memory": ("gpu.memory_nominal", "plenty", "GR303", "'plenty' is not a quantity", "write it like '24 GB'"),
    "text for a share": ("measured.communication_share", "high", "GR303", "'high' is not a quantity", "write it like '34 %'"),
    "group for a number": ("gpu.count", "{value: 4}", "GR302", "needs a value, not a group of keys", "write a number"),
    "group for a member": ("workload.task", "{lora: yes}", "GR302", "needs a value, not a group of keys", "write one of pretrain"),
    "group for a card": ("gpu.name", "{name: L40S}", "GR302", "needs a value, not a group of keys", "write one of"),
    "list for a number": ("gpu.count", "[2, 4]", "GR302", "takes one value or a range, not a list", "write a range"),
    "list in a list": ("workload.task", "[[lora]]", "", "", ""),  # its place is that of the inner list, see below
    "empty list of members": ("workload.task", "[]", "GR302", "has an empty list", "name at least one member"),
    "empty list of cards": ("gpu.name", "[]", "GR302", "has an empty list", "name at least one member"),
    "null for a number": ("gpu.count", "~", "GR302", "needs a value, not nothing", "write a number"),
    "null for a member": ("workload.task", "null", "GR302", "needs a value, not nothing", "write one of pretrain"),
    "yes for a number": ("gpu.count", "yes", "GR303", "'yes' is not a quantity", "write a plain number"),
    "number for a member": ("workload.task", "4", "GR306", "has no member '4'", "it may be pretrain"),
    "true for a member": ("workload.task", "true", "GR306", "has no member 'true'", "it may be pretrain"),
    "number for yes or no": ("gpu.air_cooled_by_vendor", "2", "GR306", "has no member '2'", "it may be no, yes"),
    "unknown card": ("gpu.name", "xyzzy", "GR307", "'xyzzy' matches no card", "`gpurules catalog gpus` lists the names"),
    "not a number": ("gpu.power_limit", ".nan", "GR303", "'.nan' is not a quantity", "write it like '350 W'"),
    "infinite": ("gpu.power_limit", "-.INF", "GR303", "'-.INF' is not a quantity", "write it like '350 W'"),
    "10^400": ("gpu.power_limit", "1e400 W", "GR303", "is too large", "write a number of ordinary size"),
    "1e999999999": ("gpu.power_limit", "1e999999999", "GR303", "is too long or too large", "write a number of ordinary size"),
    "ten thousand digits": ("gpu.count", "9" * 9999, "GR303", "is too long to be a quantity", "write a number of ordinary size"),
    "more than ten thousand digits": ("gpu.count", "9" * 10001, "GR004", "is longer than 10,000 characters", "no value and no key is that long"),
    "hexadecimal beyond any number": ("gpu.count", "0x" + "f" * 9000, "GR303", "is too long to be a quantity", "write a number of ordinary size"),
    "tag": ("gpu.count", "!!int 4", "GR004", "carries the tag", "write plain values without tags"),
    "tag of code": ("gpu.count", "!!python/name:os.system 4", "GR004", "carries the tag", "write plain values without tags"),
    "alias of nothing": ("gpu.count", "*gone", "GR004", "alias '*gone' refers to nothing before it", "write the value out"),
    "template": ("gpu.count", "'{{ ().__class__ }}'", "GR303", "'{{ ().__class__ }}' is not a quantity", "write a plain number"),
    "statement": ("workload.task", "'{% raw %}'", "GR306", "has no member '{% raw %}'", "it may be pretrain"),
    "right-to-left mark": ("workload.task", '"\\u202elora"', "GR306", "has no member '\\u202elora'", "did you mean 'lora'?"),
    "bell": ("gpu.name", '"\\aL40S"', "GR307", "'\\x07L40S' matches no card", "did you mean"),
    "half a character": ("workload.task", '"lora\\0"', "GR306", "has no member 'lora\\x00'", "did you mean 'lora'?"),
    "twenty-five brackets": ("gpu.count", "[" * 25 + "]" * 25, "", "", ""),
    "spaces without end": ("workload.task", "'lora" + " " * 9000 + "x'", "GR306", "has no member 'lora", "it may be pretrain"),
    "brackets in a number": ("gpu.count", "'" + "(" * 299 + "'", "GR303", "is not a quantity", "write a plain number"),
    "words without end": ("workload.task", "'" + "lora or " * 1000 + "x'", "GR306", "has no member 'lora or", "it may be pretrain"),
    "name without end": ("gpu.name", "'4 x" + " " * 9000 + "y'", "GR307", "matches no card", ""),
}  # fmt: skip
INNER = {"list in a list": (1, "GR302", "has a list or group inside a list"), "twenty-five brackets": (24, "GR004", "is nested too deeply")}
"""Faults whose place is so many characters into the value."""


def placed_families() -> Iterator[pytest.ParameterSet]:
    for family in FAMILIES:
        for place in PLACES:
            yield pytest.param(family, place, id=f"{family}, {place}")


@pytest.mark.parametrize(("family", "place"), list(placed_families()))
def test_a_fault_at_every_place(family: str, place: str, tmp_path: Path, refused: Refused) -> None:
    path, value, code, message, mend = FAMILIES[family]
    text, line, column = PLACES[place](path, value)
    if family in INNER:
        further, code, message = INNER[family]
        if code == "GR004" and place == "grouped":
            further -= 1  # one level deeper already
        column += further
    (tmp_path / "facts.yaml").write_bytes(text.encode())
    refused(["evaluate", "facts.yaml"], [(f"facts.yaml:{line}:{column}", code, message, mend)], False)


# ---------------------------------------------------------------- every fact of the vocabulary

AMOUNTS = {
    "memory": "24 GB", "power": "350 W", "bytes a second": "64 GB/s", "time": "2 h", "operations a second": "100 TFLOP/s", "dollars": "100 USD",
    "dollars an hour": "2 USD/h", "dollars a kilowatt-hour": "0.1 USD/kWh", "energy": "3 kWh", "plain number": "7 parameters",
}  # fmt: skip


def of_each_unit() -> dict[str, Definition]:
    """One fact of every unit."""
    found: dict[str, Definition] = {}
    for definition in stated():
        if definition.number:
            found.setdefault(definition.unit.text + (" share" if definition.share else ""), definition)
    return found


def wrong_units() -> Iterator[pytest.ParameterSet]:
    for unit, definition in of_each_unit().items():
        for kind, text in AMOUNTS.items():
            if quantity.read(text).dimension != definition.unit.dimension:
                yield pytest.param(definition.path, text, id=f"{kind} for {unit}")


@pytest.mark.parametrize(("path", "text"), list(wrong_units()))
def test_a_unit_of_another_dimension(path: str, text: str, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text(f"{path}: {text}\n")
    refused(["evaluate", "facts.yaml"], [(f"facts.yaml:1:{len(path) + 3}", "GR303", f"{path} '{text}' is ", "write ")], False)


def beyond() -> Iterator[pytest.ParameterSet]:
    for definition in stated():
        if definition.number:
            scale = float(definition.unit.scale)
            low, high = definition.range.low / scale, definition.range.high / scale
            if high < 1e300:
                yield pytest.param(definition.path, f"{math.ceil(high * 2 + 1)}", id=f"{definition.path} too large")
            yield pytest.param(definition.path, f"{low / 2:.12g}" if low > 0 else f"{min(low * 2, 0.0) - 1:.12g}", id=f"{definition.path} too small")


@pytest.mark.parametrize(("path", "text"), list(beyond()))
def test_a_figure_beyond_its_range(path: str, text: str, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text(f"{path}: {text}\n")
    refused(["evaluate", "facts.yaml"], [(f"facts.yaml:1:{len(path) + 3}", "GR304", f"{path} '{text}' is outside its plausible range", "")], False)


@pytest.mark.parametrize(
    ("path", "text", "meant"),
    [
        ("gpu.memory_nominal", "24", "24 GB"), ("gpu.memory_usable", "80", "80 GB"), ("model.size_class", "7", "7B"), ("model.parameters", "70", "70B"),
        ("measured.communication_share", "31", "31 %"), ("measured.gpu_utilization", "45", "45 %"), ("gpu.memory_bandwidth", "900", "900 GB/s"),
        ("gpu.half_tensor_rate", "165", "165 TFLOP/s"),
    ],
)  # fmt: skip
def test_a_figure_without_its_unit_is_guessed(path: str, text: str, meant: str, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text(f"{path}: {text}\n")
    refused(["evaluate", "facts.yaml"], [(f"facts.yaml:1:{len(path) + 3}", "GR304", f"{path} '{text}'", f"did you mean '{meant}'?")], False)


def misspelt() -> Iterator[pytest.ParameterSet]:
    for definition in stated():
        path = definition.path
        at = len(path) // 2
        yield pytest.param(f"{path[:at]}{path[at]}{path[at:]}", path, id=path)


@pytest.mark.parametrize(("wrong", "path"), list(misspelt()))
def test_a_misspelt_fact(wrong: str, path: str, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text(f"# first\n{wrong}: 1\n")
    refused(["evaluate", "facts.yaml"], [("facts.yaml:2:1", "GR301", f"unknown fact '{wrong}'", f"did you mean '{path}'?")], False)


def misspelt_members() -> Iterator[pytest.ParameterSet]:
    for definition in stated():
        if definition.type == "enum":
            member = max(definition.members, key=len)
            if len(member) > 4:
                yield pytest.param(definition.path, f"{member[:3]}q{member[3:]}", member, id=f"{definition.path} {member}")


@pytest.mark.parametrize(("path", "wrong", "member"), list(misspelt_members()))
def test_a_misspelt_member(path: str, wrong: str, member: str, tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "facts.yaml").write_text(f"{path}: {wrong}\n")
    refused(["evaluate", "facts.yaml"], [(f"facts.yaml:1:{len(path) + 3}", "GR306", f"has no member '{wrong}'", "did you mean '")], False)


# ---------------------------------------------------------------- hostile names

NAMES = {
    "class": "__class__", "call": "__import__('os')", "path": "../../etc/passwd", "shell": "$(reboot)", "backquote": "`id`", "format": "{0.__class__}",
    "per cent": "%s%n", "template": "{{ config }}", "statement": "{% include '/etc/passwd' %}", "markup": "[bold red]x[/]", "link": "<script>",
    "escape": "\x1b[2J", "bell": "\x07", "NUL": "\x00", "newline": "a\nb", "return": "a\rb", "right-to-left": "\u202eabc", "isolate": "\u2066abc",
    "mark": "\ufeffabc", "zero width": "gpu\u200b.count", "full width": "ｇｐｕ.count", "Cyrillic": "gрu.count", "combining": "gpu.coun\u0301t", "emoji": "😀",
    "surrogate": "\ud800", "dots": "....", "dot": ".", "space": " ", "long": "k" * 1000, "merge": "<<", "dictionary": "keys", "number": "1e999", "null": "null",
}  # fmt: skip


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_name(name: str, nested: bool, tmp_path: Path, refused: Refused) -> None:
    key = json.dumps(NAMES[name], ensure_ascii=name == "surrogate")
    place = "facts.yaml:2:3" if nested else "facts.yaml:2:1"
    (tmp_path / "facts.yaml").write_text(f"gpu:\n  {key}: 4\n" if nested else f"# first\n{key}: 4\n", "utf-8")
    expected: Fault = (place, "GR301", "unknown fact '" + ("gpu." if nested else ""), "")
    if name == "surrogate":
        expected = (f"facts.yaml:2:{6 if nested else 4}", "GR003", "is not YAML: found invalid Unicode character escape code", "")
    refused(["evaluate", "facts.yaml"], [expected], False)
