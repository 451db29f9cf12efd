"""What the page of a rewrite says a NOT NULL is needed for: by what both texts do with the column."""

from __future__ import annotations

import pytest

from rewright.console.null_uses import uses
from rewright.console.words import facts

# name: (original, replacement, the uses of t.x)
PAIRS = {
    "a count": ("select count(x) from t", "select count(*) from t", ["count"]),
    "a test that is left out": ("select 1 from t where x is not null", "select 1 from t", ["null test"]),
    "a join that finds nothing": (
        "select 1 from u left join t on t.k = u.k where t.x is null",
        "select 1 from u where not exists (select from t where t.k = u.k)",
        ["null test"],
    ),
    "not in": (
        "select 1 from u where k not in (select x from t)",
        "select 1 from u where not exists (select from t where t.x = u.k)",
        ["not in", "compared"],
    ),
    "not in of values": ("select 1 from t where x not in (1, 2)", "select 1 from t where true", ["not in"]),
    "all": ("select 1 from t where x <> all (select k from u)", "select 1 from t", ["not in"]),
    "a group": ("select x from t group by x", "select x from t", ["grouped"]),
    "distinct": ("select distinct x from t", "select x from t", ["grouped"]),
    "a comparison": ("select 1 from t where x = x", "select 1 from t", ["compared"]),
    "a join on it": ("select 1 from t join u using (x)", "select 1 from u", ["compared"]),
    "the same in both": (
        "select 1 from t where x > 1 and y in (select y from u)",
        "select 1 from t where x > 1 and exists (select from u where u.y = t.y)",
        ["compared"],
    ),
    "another table's column": ("select count(u.x) from t, u", "select count(*) from t, u", []),
    "by an alias": ("select count(a.x) from t a", "select count(*) from t a", ["count"]),
    "both tables under one name": (
        "select (select count(a.x) from t a) from u a",
        "select (select count(*) from t a) from u a",
        ["count"],
    ),
    "nowhere": ("select 1 from t", "select 1 from t", []),
    "no SQL": ("select from where", "select 1", []),
}


@pytest.mark.parametrize("name", PAIRS)
def test_uses(name: str) -> None:
    original, replacement, expected = PAIRS[name]
    assert list(uses("t", "x", (original, replacement))) == expected


def told(original: str, replacement: str, *assumptions: str) -> str:
    return facts(["not null public.t(x)", *assumptions], (original, replacement))[0].if_dropped


def test_the_sentence_says_what_it_is_used_for() -> None:
    counted = told("select count(x) from t", "select count(*) from t")
    assert "count(x) leaves that row out, and count(*) counts it" in counted
    assert "comparison" not in counted
    nothing = told("select 1 from t", "select 1 from t")
    assert nothing == (
        "If it is dropped, x may be NULL in a row of public.t, and the two queries may treat that row differently."
    )


def test_a_unique_key_takes_nulls_in() -> None:
    pair = ("select distinct x, y from t", "select x, y from t")
    told_ = told(*pair, "unique public.t(x, y) (t_key)")
    assert "t_key lets in any number of rows that are NULL there" in told_
    assert "lets in any number" not in told(*pair, "unique public.t(y) (t_key)")
    assert "lets in any number" not in told(*pair, "unique public.other(x) (t_key)")
