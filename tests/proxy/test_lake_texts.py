"""Values of a lake that come in their text form: what a client sees, and their binary form."""

from __future__ import annotations

import struct

import pytest

from rewright.proxy.duckdb_backend.values import DATE, FLOAT4, INT4, INTERVAL, TIMESTAMP, encode, float_text
from rewright.proxy.ports import SqlError


@pytest.mark.parametrize(
    ("duckdb", "postgresql"),
    [
        ("00:00:00", "00:00:00"),
        ("1 year 2 months 3 days 04:05:06.5", "1 year 2 mons 3 days 04:05:06.5"),
        ("-1 day", "-1 days"),
        ("-1 month 1 day", "-1 mons +1 day"),
        ("-1 days 00:00:01", "-1 days +00:00:01"),
        ("14 months", "1 year 2 mons"),
        ("-00:00:01.25", "-00:00:01.25"),
    ],
)
def test_intervals_are_told_as_postgresql_tells_them(duckdb: str, postgresql: str) -> None:
    assert encode(duckdb, INTERVAL, 0) == postgresql.encode()


def test_months_of_an_interval_reach_its_binary_form() -> None:
    assert encode("1 year 2 mons -3 days 00:00:01", INTERVAL, 1) == struct.pack("!qii", 1_000_000, -3, 14)


def test_binary_forms_of_values_told_as_texts() -> None:
    assert encode("2000-01-02", DATE, 1) == struct.pack("!i", 1)
    assert encode("infinity", TIMESTAMP, 1) == struct.pack("!q", 2**63 - 1)
    assert encode("-infinity", DATE, 1) == struct.pack("!i", -(2**31))
    assert encode("7", INT4, 1) == struct.pack("!i", 7)


@pytest.mark.parametrize(("value", "oid"), [("0044-03-15 BC", DATE), ("[1,2)", 3904)])
def test_what_has_no_binary_form_is_refused(value: str, oid: int) -> None:
    with pytest.raises(SqlError, match="binary form"):
        encode(value, oid, 1)


def test_doubles_whose_shortest_digits_lie_half_way() -> None:
    """Python takes the midpoint between two doubles for one of them, PostgreSQL does not."""
    assert float_text(2147483647.5 * 2147483647.5) == "4.6116860162799043e+18"
    assert float_text(2.0**60) == "1.152921504606847e+18"
    assert float_text(1e-40, single=True) == "1e-40"
    assert encode(0.1, FLOAT4, 0) == b"0.1"
