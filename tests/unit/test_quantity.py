"""Texts to numbers: exactly through decimal, scaled exactly, rounded once; every spelling that people use."""

from __future__ import annotations

from fractions import Fraction

import pytest

from gpurules.engine.knowledge.vocabulary import in_chinese
from gpurules.engine.values import quantity, unit
from gpurules.engine.values.interval import Interval
from gpurules.engine.values.quantity import QuantityError


def read(text, name="1", share=False):
    found = quantity.read(text, unit.parse(name), share)
    return found.low, found.high


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("22.8 GB", "byte", 22.8e9), ("24564 MiB", "byte", 24564 * 2**20), ("80G", "byte", 80e9), ("80 GB", "byte", 80e9), ("80 GiB", "byte", 80 * 2**30),
        ("1 MiB", "byte", 2**20), ("1 KiB", "byte", 1024), ("16 byte", "byte", 16), ("8 bit", "byte", 1), ("16", "byte", 16), ("24GB", "byte", 24e9),
        ("7B", "parameter", 7e9), ("6.7e9", "parameter", 6.7e9), ("1242.560M", "parameter", 1242560000), ("6738415616", "parameter", 6738415616),
        ("1,242", "1", 1242), ("350 W", "W", 350), ("6 kW", "W", 6000), ("900 GB/s", "byte/s", 900e9), ("100 Gb/s", "byte/s", 12.5e9),
        ("100 Gb/s", "bit/s", 12.5e9),
        ("3 years", "year", 3 * 8760 * 3600), ("1 year", "s", 8760 * 3600), ("1 month", "s", 730 * 3600), ("1 h", "s", 3600),
        ("12 months", "year", 8760 * 3600),
        ("12000 USD", "USD", 12000), ("$12000", "USD", 12000), ("165.2 TFLOP/s", "FLOP/s", 165.2e12), ("1 kWh", "J", 3.6e6), ("5 µs", "s", 5e-6),
        ("5 μs", "s", 5e-6), ("３２ ＧＢ", "byte", 32e9),
    ],
)  # fmt: skip
def test_spellings_of_exact_quantities(text, name, value):
    assert read(text, name) == (value, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("34 %", (0.34, 0.34)),
        ("0.34", (0.34, 0.34)),
        ("34%", (0.34, 0.34)),
        ("25..35 %", (0.25, 0.35)),
        ("25-35 %", (0.25, 0.35)),
        ("25 % to 35 %", (0.25, 0.35)),
    ],
)
def test_spellings_of_shares(text, value):
    assert read(text, share=True) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (">= 72 GB", (72e9, None)),
        ("≥72 GB", (72e9, None)),
        ("at least 72 GB", (72e9, None)),
        ("<= 72 GB", (None, 72e9)),
        ("16..20 byte", (16, 20)),
        ("1 MB .. 2 GB", (1e6, 2e9)),
    ],
)
def test_one_sided_and_wide_quantities(text, value):
    assert read(text, "byte") == value


def test_an_open_end_is_closed_by_the_range_of_the_fact():
    assert quantity.read(">= 72 GB", unit.parse("byte")).within(Interval(0, 1e12)) == Interval(72e9, 1e12)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1_000", "1"), ("٣", "1"), ("1_000 GB", "byte"), ("٣ GB", "byte"), ("10⁹", "parameter"), ("10² GB", "byte"), ("", "1"), ("GB", "byte"),
        ("nan", "1"), ("inf", "1"),
        ("1e999", "1"), ("0x10", "1"), ("24 Gb", "byte"), ("24 W", "byte"), ("24 GB", "W"), ("35..25", "1"), ("34 %", "1"), (">= 1..2", "1"),
        ("about 24 GB", "byte"),
        ("1" * 100, "1"), ("1 GB..2 W", "byte"), ("24 GB 7", "byte"), ("1,5 GB", "byte"), ("--5", "1"), ("5 GB/h/h/h/h/h/h/h/h", "byte/s"),
    ],
)  # fmt: skip
def test_what_is_no_quantity_is_refused(text, name):
    with pytest.raises(QuantityError) as caught:
        quantity.read(text, unit.parse(name))
    assert caught.value.message and caught.value.mend


def test_bytes_or_billions_is_asked_back_where_no_fact_says():
    with pytest.raises(QuantityError, match="bytes or billions"):
        quantity.read("10B")


def test_all_shares_of_one_decimal_are_read_exactly():
    wrong = 0
    for tenths in range(1001):
        text = f"{tenths // 10}.{tenths % 10}"
        assert read(f"{text} %", share=True)[0] == float(Fraction(tenths, 1000))
        wrong += float(text) * 0.01 != float(Fraction(tenths, 1000))
    assert wrong > 250, "the careless way is wrong often enough to matter"


def test_all_sizes_of_one_decimal_in_billions_are_read_exactly():
    wrong = 0
    for tenths in range(1, 3000):
        text = f"{tenths // 10}.{tenths % 10}"
        exact = float(Fraction(tenths * 10**9, 10))
        for spelt, name in ((f"{text}B", "parameter"), (f"{text}e9", "parameter"), (f"{text} GB", "byte"), (f"{text} GB/s", "byte/s")):
            assert read(spelt, name)[0] == exact
        wrong += float(text) * 1e9 != exact
    assert wrong > 100


def test_a_number_is_rounded_once():
    for text, name in (("0.1 Gb/s", "byte/s"), ("1234567.89 Mbit", "byte"), ("0.7 h", "s"), ("1.1 kWh", "J"), ("3.3 month", "s")):
        found = unit.parse(text.split(" ")[1])
        assert read(text, name)[0] == float(Fraction(text.split(" ")[0]) * found.scale)


def test_zero_has_no_sign():
    assert str(read("-0")[0]) == "0.0"


def test_giga_and_gibi_differ():
    assert unit.parse("GB").scale == 10**9
    assert unit.parse("GiB").scale == 2**30
    assert unit.parse("Gb").scale * 8 == 10**9
    assert (unit.YEAR, unit.MONTH) == (8760 * 3600, 730 * 3600)
    assert unit.parse("W") == unit.Unit("W", Fraction(1), unit.parse("J/s").dimension)


@pytest.mark.parametrize(
    ("value", "name", "shown"),
    [
        (Interval(112e9, 140e9), "byte", "112–140 GB"),
        (Interval(72e9, 1e12), "byte", "≥ 72 GB"),
        (Interval(0, 72e9), "byte", "≤ 72 GB"),
        (Interval(7e9, 7e9), "parameter", "7B"),
    ],
)
def test_quantities_are_shown_as_people_write_them(value, name, shown):
    assert quantity.show(value, unit.parse(name), bounds=Interval(0, 1e12)) == shown


@pytest.mark.parametrize(("value", "shown"), [(1.12e13, "11.2 TB"), (9.8e12, "9,800 GB"), (1e13, "10 TB")])
def test_a_unit_used_from_ten_of_it_on_is_divided_by_itself(value, shown):
    assert quantity.show(Interval(value, value), unit.parse("byte")) == shown
    assert quantity.show(Interval(value, value), unit.parse("byte/s")) == f"{shown}/s"


@pytest.mark.parametrize(
    ("value", "name", "shown", "chinese"),
    [
        (Interval(-310389, -203824), "USD", "−310,389 to −203,824 USD", "−310,389 至 −203,824 USD"),
        (Interval(-1200, 300), "W", "−1,200 to 300 W", "−1,200 至 300 W"),
        (Interval(-0.05, 0.3), "%", "−5 to 30 %", "−5 至 30 %"),
        (Interval(-5, -5), "USD", "−5 USD", "−5 USD"),
        (Interval(0, 300), "USD", "0–300 USD", "0–300 USD"),
        (Interval(16, 20), "byte", "16–20 bytes", "16–20 字节"),
        (Interval(0.5, 0.5), "bit", "4 bits", "4 位"),
        (Interval(1, 1), "byte", "1 byte", "1 字节"),
        (Interval(3 * unit.YEAR, 3 * unit.YEAR), "year", "3 years", "3 年"),
        (Interval(4096, 4096), "token", "4,096 tokens", "4,096 令牌"),
        (Interval(21966, 27956), "token/s", "21,966–27,956 tokens/s", "21,966–27,956 令牌/秒"),
        (Interval(12, 12), "sample/s", "12 samples/s", "12 样本/秒"),
        (Interval(1.5, 1.5), "1/s", "1.5/s", "1.5/s"),
        (Interval(2e9, 2e9), "token", "2B tokens", "2B 令牌"),
        (Interval(4.4e10, 4.4e10), "FLOP", "44 GFLOP", "44 GFLOP"),
        (Interval(unit.YEAR / 6, unit.YEAR / 6), "year", "2 months", "2 个月"),
        (Interval(unit.YEAR / 2, 3 * unit.YEAR), "year", "0.5–3 years", "0.5–3 年"),
    ],
)
def test_what_is_shown_in_either_language_is_read_again(value, name, shown, chinese):
    parsed = unit.parse(name)
    share = name == "%"
    assert quantity.show(value, parsed, share) == shown
    assert in_chinese(shown) == chinese
    for text in (shown, chinese):
        found = quantity.read(text, unit.parse("1") if share else parsed, share)
        assert (found.low, found.high) == pytest.approx(tuple(value))


def test_no_bound_is_shown_as_a_sign():
    assert quantity.show(Interval(1e9, float("inf")), unit.parse("byte")) == "1–∞ GB"
