"""Rows that the checker made up are shown, but nothing in them that was made of a client's literal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewright.models.made_up import MadeUp
from rewright.models.prompts import ExampleText, render
from rewright.models.redact import Redactor


def made_up(query: str) -> MadeUp:
    redactor = Redactor()
    redactor.sql(query)
    return MadeUp(redactor)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1", "1"),
        ("a", "a"),
        ("NULL", "NULL"),
        ("4711", "$1"),
        ("4711.00", "$1"),
        ("4712", "$1 + 1"),
        ("4710.99", "$1 - 0.01"),
        ("smith", "$2"),
        ("SMITH", "<value_1>"),
        ("9422", "<value_1>"),
        ("2024-05-06", "$3"),
        ("2024-05-07", "$3 + 1 day"),
        ("2024-05-05 00:00:00", "$3 - 1 day"),
    ],
)
def test_a_value(value: str, shown: str) -> None:
    made = made_up("select 1 from t where a = 4711 and b = 'smith' and c > date '2024-05-06'")
    assert made.value(value) == shown


@given(st.integers(10, 10**9), st.integers(-3, 3), st.integers(2, 5))
def test_no_neighbour_sum_or_multiple_of_a_literal_is_shown(secret: int, off: int, times: int) -> None:
    made = made_up(f"select sum(v) from t where v = {secret}")
    rows = (f"INSERT INTO t (v) VALUES ('{secret + off}'), ({secret})",)
    shown = render(ExampleText(rows, str(secret * times + off), f"ERROR 22012: {secret}"), made.redactor)
    for known in (secret, secret + off, secret * times + off):
        assert str(known) not in shown.replace("$", "").split()
    assert str(secret) not in shown


def test_results_are_shown_where_nothing_is_of_the_client() -> None:
    made = made_up("select g, count(*) from t group by g")
    rows = ("INSERT INTO t (g) VALUES (1), (1), (2)",)
    shown = render(ExampleText(rows, "1 | 7\n2 | 9", "(no rows)"), made.redactor)
    assert "1 | 7" in shown
    # a constant of a CHECK is nobody's to tell
    shown = render(ExampleText(("INSERT INTO t (g) VALUES (41)",), "41 | 7", "(no rows)"), made.redactor)
    assert "41" not in shown
    assert "7" not in shown


def test_what_is_no_sql_is_withheld() -> None:
    assert "secret" not in made_up("select 5").statement("INSERT INTO t VALUES ('secret")
