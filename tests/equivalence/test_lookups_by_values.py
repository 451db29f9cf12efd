"""Groupings that are joined by what is computed of the kept rows, as lookups, and pairs that only look so."""

from __future__ import annotations

import pytest

from tests.equivalence.directions import TURNED
from tests.equivalence.text_pairs import parts_prover
from tests.rewrite.sqlfixtures import catalog

by_parts = parts_prover(catalog())

ASKED = "SELECT d.id, (SELECT {value} FROM visit v WHERE {inner} = {outer}) AS n FROM visit d ORDER BY d.id"
JOINED = (
    "SELECT d.id, {shown} AS n FROM visit d LEFT JOIN (SELECT {inner} AS k, {value} AS n FROM visit v GROUP BY 1) g"
    " ON g.k = {outer} ORDER BY d.id"
)
SERIES = "generate_series(timestamp '2024-07-01', timestamp '2024-08-31', interval '1 day') d(day)"


def counted(
    inner: str, outer: str, theirs: str | None = None, shown: str = "coalesce(g.n, 0)"
) -> tuple[str, str]:
    parts = {"value": "count(*)", "inner": inner, "outer": outer, "shown": shown}
    return ASKED.format(**parts), JOINED.format(**{**parts, "outer": theirs or outer})


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("v.at::date", "d.at::date"),
        ("v.day", "d.at::date"),
        ("lower(v.page)", "lower(d.page)"),
        ("v.store", "d.store::bigint"),
    ],
)
def test_counts_by_what_is_computed_of_the_kept_row(inner: str, outer: str) -> None:
    assert by_parts(*counted(inner, outer), 60) == set()


def test_counts_for_each_day_of_a_calendar() -> None:
    days = tuple(
        t.replace("visit d ", f"{SERIES} ").replace("d.id", "d.day")
        for t in counted("v.at::date", "d.day::date")
    )
    assert by_parts(*days, 60) == set()


def test_greatest_values_are_looked_up_too() -> None:
    parts = {"value": "max(v.id)", "inner": "v.at::date", "outer": "d.at::date", "shown": "g.n"}
    assert by_parts(ASKED.format(**parts), JOINED.format(**parts), 60) == set()


@pytest.mark.parametrize(
    ("inner", "outer"),
    [("v.store", "d.store / d.cust"), ("date_trunc('month', v.at)", "date_trunc('month', d.at)")],
)
def test_what_the_value_may_raise_is_left_open(inner: str, outer: str) -> None:
    found = by_parts(*counted(inner, outer), 60)
    assert found is None or found & {"errors", "overflow"}


NESTED = "SELECT c.id, {} AS n FROM cust c LEFT JOIN {} ON d.cust = c.id AND d.id > 3 ORDER BY c.id"
INNER = "(visit d LEFT JOIN (SELECT v.store AS k, count(*) AS n FROM visit v GROUP BY 1) g ON g.k = {})"


def nested(outer: str) -> tuple[str, str]:
    """The join is itself padded: the value is then of a row of NULLs."""
    asked = NESTED.format(f"(SELECT count(*) FROM visit v WHERE v.store = {outer})", "visit d")
    return asked, NESTED.format("coalesce(g.n, 0)", INNER.format(outer))


def test_a_value_that_is_null_where_its_row_is_padded() -> None:
    assert by_parts(*nested("d.store::bigint"), 60) == set()


@pytest.mark.parametrize(
    "pair",
    [
        # not NULL where its row is padded
        nested("coalesce(d.store, 1)"),
        nested("CASE WHEN d.store IS NULL THEN 1 ELSE 2 END"),
        nested("1"),
        # counts that are NULL where there is nothing to count
        counted("v.at::date", "d.at::date", shown="g.n"),
        # other days, and other rows
        counted("v.at::date", "d.at::date", "d.day"),
        counted("v.at::date", "d.at::date", "(d.at + interval '1 hour')::date"),
        counted("lower(v.page)", "lower(d.page)", "upper(d.page)"),
        counted("v.store", "d.store::bigint", "(d.store + 1)::bigint"),
        # a value that differs each time, or is of the row's moment
        counted("v.store", "(d.store + random() * 3)::int"),
        # NULL as a value
        counted("coalesce(v.store, 0)", "coalesce(d.store, 0)", "d.store"),
        tuple(
            t.replace("g.k = d.at::date", "g.k IS NOT DISTINCT FROM d.at::date")
            for t in counted("v.day", "d.at::date")
        ),
        # rows without a group go, or rows of several groups come
        tuple(t.replace("LEFT JOIN", "JOIN") for t in counted("v.at::date", "d.at::date")),
        tuple(t.replace("GROUP BY 1", "GROUP BY 1, v.cust") for t in counted("v.at::date", "d.at::date")),
    ],
)
@pytest.mark.parametrize("turned", TURNED)
def test_what_only_looks_like_a_lookup_is_not_proved(pair: tuple[str, str], turned: bool) -> None:
    assert by_parts(*(reversed(pair) if turned else pair), 0.5) is None
