"""Families of malformed rules: the same fault wherever an expression, a figure or a text may stand, at the line and column where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from test_rules import RULE, THEN, WHEN

Fault = tuple[str, str, str, str]
Refused = Callable[[list[str], list[Fault], bool], None]
FILE = "COM-901-more.yaml"


def changed(old: str, new: str, mark: str = "«") -> tuple[str, str]:
    """RULE with `new` for `old`, and line and column of the mark in it, which is taken out."""
    assert old in RULE, f"{old!r} does not stand in the rule"
    text = RULE.replace(old, new, 1)
    before, _, after = text.partition(mark)
    return before + after, f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"


Place = Callable[[str], tuple[str, str]]
"""A way to write an expression into RULE: the expression with « before its fault -> the rule, and line:column of the fault."""
CANDIDATE = "then:\n  - advise: {topic: scaling, level: avoid, action: add_cards}\n"


def plain(expression: str) -> tuple[str, str]:
    return changed(WHEN, f"    - {expression}")


def quoted(expression: str) -> tuple[str, str]:
    return changed(WHEN, f'    - "{expression}"')


def after_another(expression: str) -> tuple[str, str]:
    return changed(WHEN, f"{WHEN}\n    - {expression}")


def under_any(expression: str) -> tuple[str, str]:
    return changed(WHEN, f'    - any: ["{expression}", measured.communication_share > limit]')


def under_not(expression: str) -> tuple[str, str]:
    return changed(WHEN, f"    - not: {expression}")


def deep(expression: str) -> tuple[str, str]:
    return changed(WHEN, f'    - any: [{{all: [{{not: {{any: ["{expression}"]}}}}]}}]')


def after_crlf(expression: str) -> tuple[str, str]:
    text, place = plain(expression)
    return text.replace("\n", "\r\n"), place


def after_mark(expression: str) -> tuple[str, str]:
    text, place = plain(expression)
    return "\ufeff" + text, place


PLACES: dict[str, Place] = {p.__name__: p for p in (plain, quoted, after_another, under_any, under_not, deep, after_crlf, after_mark)}

EXPRESSIONS: dict[str, tuple[str, str, str, str]] = {
    # name: expression with « before the fault, code, words of the message, words of the mend
    "unknown fact": ("gpu.count > 1 and «gpu.cuont > limit", "GR101", "unknown fact or parameter 'gpu.cuont'", "did you mean 'gpu.count'?"),
    "unknown parameter": ("measured.communication_share > «limmit", "GR101", "unknown fact or parameter 'limmit'", "did you mean 'limit'?"),
    "attribute of a class": ("«().__class__", "GR100", "only dotted names have parts", "write a fact such as gpu.count"),
    "call of an attribute": ("«gpu.count.bit_length() > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "import": ("«__import__('os') == limit", "GR107", "unknown function '__import__'", "functions are"),
    "evaluation": ("«eval('1') == limit", "GR107", "unknown function 'eval'", ""),
    "lambda": ("(«lambda:1) > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "comprehension": ("limit == «[x for x in limit]", "GR100", "is not part of the rule language", "allowed are names"),
    "walrus": ("(«a:=limit) > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "formatted string": ("workload.task == «f'lora'", "GR100", "is not part of the rule language", "allowed are names"),
    "bytes": ("workload.task == «b'lora'", "GR100", "is not part of the rule language", "allowed are names"),
    "conditional": ("(«limit if gpu.count > 1 else limit) > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "star": ("min(«*limit) > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "keyword": ("«min(x=limit) > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "floor division": ("«gpu.count // 2 > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "power": ("«gpu.count ** 9 > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "shift": ("«gpu.count << 9 > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "complement": ("«~gpu.count > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "ellipsis": ("«... == limit", "GR100", "is not part of the rule language", "allowed are names"),
    "None": ("workload.task == «None", "GR100", "is not part of the rule language", "allowed are names"),
    "True": ("gpu.count > limit and «True", "GR100", "True and False are not part of the language", "write the yes/no fact alone"),
    "unit glued to a number": ("gpu.memory_nominal > «24GB", "GR100", "not an expression of the rule language", "name the figure under parameters:"),
    "word glued to a number": ("gpu.count > «1and gpu.count > limit", "GR100", "not an expression of the rule language", "name the figure"),
    "hexadecimal": ("gpu.count > «0x10", "GR100", "not an expression of the rule language", "name the figure"),
    "number too large": ("gpu.count > «1e400", "GR100", "number is too large", "name it as a parameter"),
    "bare number": ("measured.communication_share > «0.31", "GR102", "bare number 0.31", "name it under parameters:"),
    "memory and power": ("«gpu.memory_nominal > gpu.power_limit", "GR105", "compares an amount of memory with a power", "bring both to one unit"),
    "unknown function": ("«sqrt(limit) > limit", "GR107", "unknown function 'sqrt'", "functions are"),
    "no arguments": ("«min() > limit", "GR107", "min takes 1 to 8 arguments, not 0", "see the functions"),
    "ten kilobytes": ("«" + "gpu.count > limit and " * 450 + "gpu.count > limit", "GR100", "expression of 9", "split it: at most 1000 characters"),
    "subscript": ("«gpu.count[limit] > limit", "GR100", "is not part of the rule language", "allowed are names"),
    "and mixed with or": ("«gpu.count > limit and gpu.count > 1 or gpu.count > 2", "GR100", "'and' mixed with 'or' without brackets", "put brackets"),
    "semicolon": ("gpu.count > limit«; import os", "GR100", "not an expression of the rule language", "allowed are names"),
    "Chinese comma": ("workload.task in ('lora'«，'qlora')", "GR100", "not an expression of the rule language", "write plain quotes, commas and brackets"),
    "member misspelt": ("«workload.task in ('lorra',)", "GR110", "'lorra' is not a member of 'workload.task'", "did you mean 'lora'?"),
    "zero width space": ("gpu.count«\u200b > limit", "GR100", "not an expression of the rule language", "allowed are names"),
    "right-to-left mark": ("«\u202egpu.count > limit", "GR100", "not an expression of the rule language", "allowed are names"),
}  # fmt: skip


def everywhere() -> Iterator[pytest.ParameterSet]:
    """Six expressions to a folder, since each check reads a rulebook; what is no expression hides what is wrong with one."""
    for place in PLACES:
        for broken in (True, False):
            names = [name for name, about in EXPRESSIONS.items() if (about[1] == "GR100") == broken]
            for start in range(0, len(names), 6):
                yield pytest.param(place, names[start : start + 6], id=f"{place}: {', '.join(names[start : start + 6])}")


@pytest.mark.parametrize(("place", "names"), list(everywhere()))
def test_a_fault_wherever_a_condition_stands(place: str, names: list[str], tmp_path: Path, refused: Refused) -> None:
    (tmp_path / "r").mkdir()
    expected: list[Fault] = []
    for number, name in enumerate(names, 901):
        expression, code, message, mend = EXPRESSIONS[name]
        text, where = PLACES[place](expression)
        file = f"COM-{number}-x.yaml"
        (tmp_path / "r" / file).write_bytes(text.replace("COM-901", f"COM-{number}").encode())
        expected.append((f"rules/{file}:{where}", code, message, mend))
    found = said(tmp_path, refused)
    for fault in expected:
        assert any(f[:2] == fault[:2] and fault[2] in f[2] and fault[3] in f[3] for f in found), (fault, found)
    assert {f[0].partition(":")[0] for f in found} == {f[0].partition(":")[0] for f in expected}


def said(folder: Path, refused: Refused) -> list[Fault]:
    """What `gpurules check` says of the folder r, by the same limits as any other malformed input."""
    from refusals import faults_in, ran

    code, output, errors, seconds = ran(["check", "--rules", "r"])
    assert (code, output) == (2, "") and "Traceback" not in errors and seconds < 2, errors
    return faults_in(errors)


# ---------------------------------------------------------------- texts

TEXTS: dict[str, tuple[str, str, str, str]] = {
    "class of an empty tuple": ("{{ «().__class__ }}", "GR120", "only dotted names have parts", "write a fact such as gpu.count"),
    "subclasses": ("{{ «limit.__class__.__mro__ }}", "GR101", "unknown fact or parameter 'limit.__class__.__mro__'", "facts are listed"),
    "call": ("{{ «limit.__init__() }}", "GR120", "is not part of the rule language", "allowed are names"),
    "globals": ("{{ «config['x'] }}", "GR120", "is not part of the rule language", "allowed are names"),
    "loop": ("«{% for x in range(10**9) %}", "GR120", "braces that hold no figure", "write {{ fact or parameter }}"),
    "include": ("«{% include '/etc/passwd' %}", "GR120", "braces that hold no figure", "write {{ fact or parameter }}"),
    "comment": ("«{# hidden #}", "GR120", "braces that hold no figure", "write {{ fact or parameter }}"),
    "filter": ("«{{ limit | attr('x') }}", "GR120", "unknown format in '{{ limit | attr('x') }}'", "formats are percent, low, high"),
    "two formats": ("«{{ limit | low | upper }}", "GR120", "unknown format", "formats are percent, low, high"),
    "nothing": ("{{« }}", "GR120", "empty expression", "write a condition"),
    "not closed": ("«{{ limit", "GR120", "braces that hold no figure", "write {{ fact or parameter }}"),
    "not opened": ("limit «}}", "GR120", "braces that hold no figure", "write {{ fact or parameter }}"),
    "unknown parameter": ("{{ «limmit }}", "GR101", "unknown fact or parameter 'limmit'", "did you mean 'limit'?"),
    "two units": ("{{ «gpu.memory_nominal + gpu.power_limit }}", "GR105", "adding an amount of memory and a power", "bring both to one unit"),
    "1,200 characters": ("{{« " + "limit + " * 150 + "limit }}", "GR120", "expression of 12", "split it"),
    "power": ("{{ «9 ** 9 ** 9 }}", "GR120", "is not part of the rule language", "allowed are names"),
}  # fmt: skip


@pytest.mark.parametrize("before", ["", "显卡 😀 ", "Text before, "])
@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text(name: str, before: str, tmp_path: Path, refused: Refused) -> None:
    text, code, message, mend = TEXTS[name]
    rule, place = changed('"Communication takes {{ measured.communication_share }}, above {{ limit }}."', f'"{before}{text}"')
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / FILE).write_text(rule, "utf-8")
    refused(["check", "--rules", "r"], [(f"rules/{FILE}:{place}", code, message, mend)], False)


# ---------------------------------------------------------------- figures

FIGURES: dict[str, tuple[str, str, str]] = {
    "word": ("many", "is not a quantity", "write a number with its unit"), "not a number": (".nan", "is not a quantity", "write a number with its unit"),
    "infinite": ("-.INF", "is not a quantity", "write a number with its unit"), "10^400": ("1e400", "is too large", "write a number of ordinary size"),
    "1e999999999": ("1e999999999", "is too long or too large", "write a number of ordinary size"), "digits": ("9" * 401, "is too long", "write a number"),
    "unknown unit": ("30 furlongs", "'furlongs' in '30 furlongs' is not a unit", ""), "upside down": ("40..30 %", "is upside down", "write the smaller end"),
    "open end": ('">= 30 %"', "has an open end", "give both ends"), "two units": ("1 GB..2 W", "have different units", "write both ends in one unit"),
    "billions or bytes": ("7B", "may mean bytes or billions", "write '10 byte'"), "true": ("true", "is not a quantity", "write a number with its unit"),
    "other digits": ("٣ %", "is not a quantity", "write a number with its unit"), "about": ("about 30 %", "is not a quantity", "write how far it may be off"),
    "right-to-left mark": ('"\\u202e30 %"', "is not a quantity", "write a number with its unit"), "empty": ('""', "is not a quantity", "write a number"),
}  # fmt: skip
FIGURE_PLACES = {
    "alone": "limit: {value: «%s, cites: [A04], since: 2026-01-01}",
    "dated": "limit: {value: [{since: 2025-01-01, value: 30 %%}, {since: 2026-01-01, value: «%s}], cites: [A04], since: 2026-01-01}",
    "on lines of its own": "limit:\n    value: «%s\n    cites: [A04]\n    since: 2026-01-01",
}


@pytest.mark.parametrize("place", FIGURE_PLACES)
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_that_is_none(name: str, place: str, tmp_path: Path, refused: Refused) -> None:
    text, message, mend = FIGURES[name]
    rule, where = changed("limit: {value: 30 %, cites: [A04], since: 2026-01-01}", FIGURE_PLACES[place] % text)
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / FILE).write_text(rule, "utf-8")
    refused(["check", "--rules", "r"], [(f"rules/{FILE}:{where}", "GR303", message, mend)], False)


# ---------------------------------------------------------------- structure

KINDS = {"a number": "7", "a list": "[7]", "a group": "{a: 7}", "nothing": "~", "yes or no": "true", "text": "'x'"}
KEYS = {
    "id": "COM-901", "version": "1.0.0", "status": "active", "title": "{en: More cards no longer speed training up, zh: 加卡不再提速}",
    "cites": "[A04]\ncases", "level": "avoid", "value": "30 %", "fires": "yes", "name": "above", "topic": "scaling", "since": "2026-01-01",
}  # fmt: skip
FITTING = {("id", "text"), ("version", "text"), ("status", "text"), ("level", "text"), ("since", "text"), ("fires", "text")}
"""Texts of the wrong form, and of names that are free, are met elsewhere."""
ALLOWED = {("name", "text"), ("topic", "text"), ("value", "a number"), ("value", "text"), ("value", "yes or no"), *FITTING}


def misplaced() -> Iterator[pytest.ParameterSet]:
    for key in KEYS:
        for kind in KINDS:
            if (key, kind) not in ALLOWED:
                yield pytest.param(key, kind, id=f"{kind} for {key}")


@pytest.mark.parametrize(("key", "kind"), list(misplaced()))
def test_a_value_of_another_kind(key: str, kind: str, tmp_path: Path, refused: Refused) -> None:
    old = f"{key}: {KEYS[key]}"
    rule, where = changed(old, f"{key}: «{KINDS[kind]}" + ("\ncases" if old.endswith("cases") else ""))
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / FILE).write_text(rule, "utf-8")
    found = said(tmp_path, refused)
    line, column = map(int, where.split(":"))
    inner = (line, column + 1)
    assert found and {f[1] for f in found} <= {"GR401"}
    places = [tuple(map(int, f[0].rsplit(":", 2)[1:])) for f in found]
    assert all(place in ((line, column), inner) for place in places), found


@pytest.mark.parametrize("key", [line.partition(":")[0] for line in RULE.splitlines() if line[:1].isalpha()])
def test_a_key_that_stands_twice(key: str, tmp_path: Path, refused: Refused) -> None:
    first = next(number for number, line in enumerate(RULE.splitlines(), 1) if line.startswith(f"{key}:"))
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / FILE).write_text(f"{RULE}{key}: x\n", "utf-8")
    place = f"rules/{FILE}:{RULE.count(chr(10)) + 1}:1"
    refused(["check", "--rules", "r"], [(place, "GR004", f"key '{key}' stands twice; first at rules/{FILE}:{first}:", "keep one of the two")], False)


def test_machines_of_advice(tmp_path: Path, refused: Refused) -> None:
    rule, where = changed(THEN, THEN.replace("add_cards}", "add_cards, machine: {count: «many, memory_nominal: 3 W, plan: [single, x]}}"))
    line, column = map(int, where.split(":"))
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / FILE).write_text(rule, "utf-8")
    faults: list[Fault] = [
        (f"rules/{FILE}:{line}:{column}", "GR303", "candidate.count 'many' is not a quantity", "write a plain number"),
        (f"rules/{FILE}:{line}:{column + 22}", "GR303", "candidate.memory_nominal '3 W' is a power", "write it like '24 GB'"),
        (f"rules/{FILE}:{line}:{column + 33}", "GR306", "candidate.plan has no member 'x'", "it may be"),
    ]
    refused(["check", "--rules", "r"], faults, False)
