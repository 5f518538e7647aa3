"""YAML documents: the 1.2 core schema, and what is refused although YAML allows it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.knowledge import document
from gpurules.engine.knowledge.document import parse, plain
from gpurules.engine.values.problem import GpurulesError


def problems(text, **limits):
    with pytest.raises(GpurulesError) as caught:
        parse(text if isinstance(text, bytes) else text.encode(), "f.yaml", **limits)
    return [(p.place.line, p.place.column, p.code) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("Off", "Off"), ("true", True), ("FALSE", False), ("7e9", 7e9), ("1e3", 1000.0),
        ("12:30:45", "12:30:45"), ("0o17", 15), ("017", 17),
        ("0x1F", 31), ("1_000", "1_000"), ("٣", "٣"), ("~", None), ("null", None), ("'7'", "7"), ("0.30", 0.3), ("-.5", -0.5), ("+5", 5),
        ("2026-01-01", "2026-01-01"), (".inf", ".inf"),
        ("-.INF", "-.INF"), (".NAN", ".NAN"), (".nan", ".nan"), ("1e999", "1e999"), ("'<<'", "<<"), ("!", ""), ("=", "="), ("1.", 1.0),
    ],
)  # fmt: skip
def test_scalars_of_the_core_schema(written, value):
    found = plain(parse(f"a: {written}".encode(), "f"))["a"]
    assert found == value and type(found) is type(value)


def test_numbers_keep_their_text():
    node = parse(b"a: 0.30\nb: 7e9", "f")
    assert [e.value.text for e in node.entries] == ["0.30", "7e9"]


def test_keys_are_texts_whatever_they_look_like():
    assert plain(parse(b"on: 1\n1: 2\ntrue: 3\nno: 4", "f")) == {"on": 1, "1": 2, "true": 3, "no": 4}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n", [(4, 3, "GR004"), (5, 1, "GR004")]),
        ("a: !!str 1\nb: !x [1]\n", [(1, 4, "GR004"), (2, 4, "GR004")]),
        ("a: 1\n---\nb: 2\n", [(2, 1, "GR004")]),
        ("? [a]\n: 1\n", [(1, 3, "GR004")]),
        ("a: &x [*x]\n", [(1, 8, "GR004")]),
        ("a: *x\n", None),
        ("a: [1\n", None),
        ("a:\n\t- 1\n", None),
        ("显存: 1\n显存: 2\n", [(2, 1, "GR004")]),
        (b"a: 1\nb: \xff\n", [(2, 4, "GR002")]),
        ("", [(0, 0, "GR001")]),
        ("# nothing\n", [(0, 0, "GR001")]),
        ("~\n", [(0, 0, "GR001")]),
        ('a: "\\ud800"\n', None),
    ],
)
def test_what_is_refused_and_where(text, found):
    got = problems(text)
    assert found is None or got == found


def test_alias_bombs_are_counted_before_they_expand():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    assert problems("\n".join(lines))[0][2] == "GR004"


def test_depth_and_size_are_capped():
    deepest = "[" * document.MAX_DEPTH + "]" * document.MAX_DEPTH
    assert parse(deepest.encode(), "f")
    assert problems(f"[[{deepest}]]")[0][2] == "GR004"
    assert problems("[" * 100_000)[0][2] in ("GR003", "GR004")
    assert problems("{a: " * 5_000)[0][2] in ("GR003", "GR004")
    assert problems("a: " + "x" * 100, max_bytes=50)[0][2] == "GR001"
    assert problems("[1, 2, 3, 4]", max_nodes=3)[0][2] == "GR004"


def test_long_numbers_do_not_stop_the_loader():
    from gpurules.engine.values import canonical

    for written in ("9" * 5000, "0x" + "f" * 5000, "1." + "1" * 5000, "1e" + "9" * 5000):
        canonical.dumps(plain(parse(f"a: {written}".encode(), "f")))


def test_places_count_characters_and_quotes():
    node = parse("规则: '显存 > 1'\n".encode(), "f")
    value = node.entries[0].value
    assert (value.place.line, value.place.column) == (1, 5)
    assert value.at(5).column == 11


def test_a_byte_order_mark_is_no_part_of_the_first_key():
    assert plain(parse("\ufeffa: 1".encode(), "f")) == {"a": 1}


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(st.text(max_size=60) | st.text(":-[]{}&*!|>'\"%@`,?# \n\tab1.~<=", max_size=60) | st.binary(max_size=40))
def test_any_bytes_give_a_document_or_problems(content):
    try:
        node = parse(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"), "f")
    except GpurulesError as error:
        assert error.problems
    else:
        plain(node)


def test_half_a_character_in_facts_is_a_problem_with_a_place():
    import gpurules

    with pytest.raises(GpurulesError) as caught:
        gpurules.evaluate({"gpu.name": "\ud800"})
    assert [p.code for p in caught.value.problems] == ["GR002"]
