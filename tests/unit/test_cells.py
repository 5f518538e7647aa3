"""Proofs by cells: which conditions exclude each other, which leave no case open; never more than is true."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpurules.engine.knowledge.cells import Cells, Premise
from gpurules.engine.language.compile import Compiler
from gpurules.engine.language.syntax import names, parse
from gpurules.engine.language.typecheck import EnumType, NumberType
from gpurules.engine.values.interval import Interval, point
from gpurules.engine.values.truth import YES

SCOPE = {
    "k": EnumType(("a", "b", "c")),
    "m": EnumType(("x", "y")),
    "f": EnumType(("no", "yes"), True),
    "s": NumberType((), Interval(0.0, 1.0)),
    "t": NumberType((), Interval(0.0, 1.0)),
    "d": NumberType((), Interval(-5.0, 5.0)),
}
FIGURES = {"p": point(0.3), "q": point(0.5), "r": point(0.5 + 1e-14), "w": Interval(0.3, 0.5), "n": point(-1.0)}


def cells(*conditions):
    return Cells([Premise(parse(c) if c else None, FIGURES) for c in conditions], SCOPE)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("k == 'a'", "k == 'b'", True), ("k in ('a', 'b')", "k in ('b', 'c')", False), ("k != 'a'", "k == 'a'", True),
        ("k in ('a', 'b')", "k not in ('a', 'b')", True),
        ("f", "not f", True), ("f", "f", False), ("f == 'yes'", "not f", True), ("s > p", "s <= p", True), ("s >= p", "s <= p", False),
        ("s > p", "s < p", True),
        ("s > q", "s < p", True), ("s > p", "s < q", False), ("s == p", "s == q", True), ("s == q", "s == r", False), ("s != p", "s == p", True),
        ("p < s", "s < p", True),
        ("p < s < q", "s >= q", True), ("p < s < q", "s <= p or s > q", True), ("p <= s", "s > p and m == 'x'", False), ("s > t", "s < t", False),
        ("s > w", "s < w", False),
        ("s > p * q", "s <= p * q", True), ("s > -n * p", "s <= p", True), ("not (s > p and f)", "s > p and f", True),
        ("k == 'a' and s > t", "k == 'b' or f", False),
        ("k == 'a' and s > t", "k == 'b'", True), (None, "f", False), ("s > p", "t <= p", False), ("d > n", "d <= n", True), ("s >= 0", "s < 0", True),
    ],
)  # fmt: skip
def test_disjoint(one, other, apart):
    assert cells(one, other).disjoint(0, 1) is apart
    assert cells(one, other).disjoint(1, 0) is apart


@pytest.mark.parametrize(
    ("conditions", "all_"),
    [
        (("k == 'a'", "k in ('b', 'c')"), True), (("k == 'a'", "k == 'b'"), False), (("s > p", "s <= p"), True), (("s > p", "s < p"), False),
        (("s > p", "s < q"), True),
        (("s >= q", "s < p"), False), (("f", "not f"), True), (("f", "not f and s > p", "not f and s <= p"), True), (("f", "s > p", "k == 'a'"), False),
        ((None,), True),
        (("s > t", "s <= t"), False), (("s > w", "s <= w"), False), (("k == 'a' and s > t", "k == 'a'", "k != 'a'"), True), (("s >= 0",), True),
        (("s > 0",), False),
        (("s <= 1",), True), (("s < 1",), False), (("f or s >= 0",), True), (("not (f and m == 'x')", "f"), True),
        (("k not in ('a')", "k == 'a' and f", "k == 'a' and not f"), True),
    ],
)  # fmt: skip
def test_exhaustive(conditions, all_):
    assert cells(*conditions).exhaustive() is all_


def test_covered():
    group = cells("s > q", "s > p", "s <= q and f", None)
    assert group.covered(0, [1])
    assert not group.covered(1, [0])
    assert group.covered(1, [0, 3])
    assert not group.covered(2, [0])
    assert not group.covered(0, [])
    assert not cells("s > q or f", "s > p").covered(0, [1]), "a part that is covered is not the whole"


def test_too_many_cases_prove_nothing():
    many = " and ".join(f"({a} or {b})" for a, b in itertools.combinations(("f", "k == 'a'", "s > p", "m == 'x'", "d > n"), 2))
    group = cells(many, f"not ({many})")
    assert group.disjoint(0, 1) in (True, False)


POINTS = {
    "k": ("a", "b", "c"),
    "m": ("x", "y"),
    "f": ("no", "yes"),
    "s": (0.0, 0.1, 0.3, 0.4, 0.5, 0.9, 1.0),
    "t": (0.0, 0.3, 1.0),
    "d": (-5.0, -1.0, 0.0, 5.0),
}
ATOMS = st.sampled_from(
    (
        "k == 'a'",
        "k in ('a', 'b')",
        "k != 'c'",
        "f",
        "m == 'x'",
        "s > p",
        "s >= p",
        "s < q",
        "s <= q",
        "s == p",
        "s != q",
        "p < s <= q",
        "s > t",
        "d > n",
        "d <= 0",
        "s >= w",
    )
)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map(lambda p: f"({p[0]}) and ({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]}) or ({p[1]})"),
    ),
    max_leaves=4,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=150)
@given(st.lists(CONDITIONS, min_size=2, max_size=3))
def test_no_proof_is_refuted_by_a_point(conditions):
    """At every point of a grid with all thresholds on it: what is proved apart never meets, what is proved to cover does."""
    group = cells(*conditions)
    trees = [parse(c) for c in conditions]
    used = sorted({n for t in trees for n in names(t) if n in SCOPE})
    compiler = Compiler()
    slots = {name: (name, i) for i, name in enumerate((*used, *FIGURES))}
    compiled = [compiler.scope(slots, {}).condition(t) for t in trees]
    compiler.finish()
    apart = {(i, j): group.disjoint(i, j) for i, j in itertools.combinations(range(len(trees)), 2)}
    everywhere, covered = group.exhaustive(), group.covered(0, range(1, len(trees)))
    for world in itertools.product(*(POINTS[n] for n in used)):
        values = [point(v) if isinstance(v, float) else frozenset([v]) for v in world]
        holds = [c.truth([*values, *({**FIGURES, "w": point(0.3)}).values()]) is YES for c in compiled]
        assert not any(proved and holds[i] and holds[j] for (i, j), proved in apart.items())
        assert not everywhere or any(holds)
        assert not covered or not holds[0] or any(holds[1:])
