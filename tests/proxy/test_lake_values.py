"""Our forms of values against PostgreSQL's own, text and binary, both ways."""

from __future__ import annotations

import math
import struct
import time as clock
import uuid
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.pq import Format

from rewright.proxy.duckdb_backend import values
from rewright.proxy.duckdb_backend.values import BadValue, decode, encode

CASES = [
    ("bool", True), ("bool", False), ("int2", -7), ("int4", 2**31 - 1), ("int8", -(2**63)),
    *[("float8", f) for f in (0.0, -0.0, 1.0, -1.5, 0.1, 1e15, 123456789012345.0, 1e-5, 0.0001, 1e300, 2.5e-320, float("inf"), float("nan"))],
    *[("float4", f) for f in (1.0, 0.1, 1e6, 123456.0, 1e-5, 3.4028235e38)],
    *[("numeric", Decimal(d)) for d in ("0", "-1.50", "12345678901234567890.123456", "0.00001", "10000", "-0.0001", "1e10", "NaN", "-12345678901234567890123456789012345678", "1234567890123456789012345678.0123456789", "1e60")],
    ("text", "a'\"\\ü\n"), ("varchar", ""), ("bytea", b"\0\xff"), ("date", date(1999, 12, 31)), ("date", date(2024, 2, 29)),
    ("time", time(1, 2, 3, 450000)), ("timestamp", datetime(1970, 1, 1, 12, 0, 0, 1)),
    ("timestamptz", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
    ("uuid", uuid.UUID(int=5)), ("interval", timedelta(days=3, seconds=7)), ("interval", timedelta(seconds=-90)),
    ("int4[]", [1, None, -3]), ("int4[]", []), ("text[]", ["a", 'q"', "b,c", "NULL", None, "", "{}", "\\", "x y"]),
    ("float8[]", [1.5, 2.0]), ("date[]", [date(2024, 1, 1)]), ("numeric[]", [Decimal("1.10")]), ("bool[]", [True, None]),
]  # fmt: skip


@pytest.fixture(scope="module")
def connection(scratch_server):
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as opened:
        opened.execute("set timezone = 'UTC'")
        yield opened


@pytest.mark.server
@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize(("type_", "value"), CASES)
def test_the_server_would_send_the_same_bytes(connection, type_, value, form):
    result = connection.pgconn.exec_params(
        f"select $1::{type_}".encode(),
        [values.to_text(value, oid_of(connection, type_)).encode()],
        result_format=Format(form),
    )
    assert not result.error_message, result.error_message
    assert encode(value, result.ftype(0), form) == result.get_value(0, 0)


@pytest.mark.server
@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize(
    ("type_", "value"), [c for c in CASES if c[0] != "interval" and str(c[1]) not in {"nan", "NaN"}]
)
def test_parameters_read_back(connection, type_, value, form):
    oid = oid_of(connection, type_)
    data = encode(value, oid, form)
    assert decode(data, oid, form) == (pytest.approx(value, rel=1e-6) if type_ == "float4" else value)


def oid_of(connection, type_):
    return connection.execute("select %s::regtype::oid::int", [type_]).fetchone()[0]


@given(
    st.binary(max_size=40),
    st.sampled_from([16, 20, 23, 701, 1700, 1082, 1114, 2950, 1007, 1009, 25]),
    st.sampled_from([0, 1]),
)
def test_hostile_parameters_are_bad_values(data, oid, form):
    try:
        decode(data, oid, form)
    except BadValue as error:
        assert error.sqlstate.startswith(("22", "0A"))  # noqa: PT017 - most inputs are good values


@pytest.mark.parametrize("micros", [-1, 86_400_000_000, 2**62])
def test_a_time_that_no_day_has_is_not_read_as_another(micros):
    with pytest.raises(BadValue, match="time out of range") as raised:
        decode(struct.pack("!q", micros), 1083, 1)
    assert raised.value.sqlstate == "22008"


def test_the_last_time_of_a_day_is_read():
    assert decode(struct.pack("!q", 86_399_999_999), 1083, 1) == time.max


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_numbers_of_any_length_are_read_exactly(value):
    found = decode(encode(value, 1700, 1), 1700, 1)
    assert found == value
    assert -found.as_tuple().exponent == max(0, -value.as_tuple().exponent), "the scale is a part of it"


@pytest.mark.parametrize(
    ("groups", "weight", "sign", "scale", "read"),
    [
        ((5,), -10, 0, 2, "0.00"),
        ((1,) * 10, -12, 0x4000, 45, "-0.000000000000000000000000000000000000000000000"),
        ((1234, 5678), 0, 0, 2, "1234.56"),
        ((10_000,), 0, 0, 0, None),
        ((1,), 0, 7, 0, None),
    ],
)
def test_numbers_as_no_server_sends_them(groups, weight, sign, scale, read):
    data = struct.pack(f"!hhHh{len(groups)}h", len(groups), weight, sign, scale, *groups)
    if read is not None:
        assert str(decode(data, 1700, 1)) in {read, str(Decimal(read))}
        return
    with pytest.raises(BadValue) as raised:
        decode(data, 1700, 1)
    assert raised.value.sqlstate == "22P03"


@pytest.mark.parametrize(
    ("months", "days", "micros"), [(14, -3, 3_723_000_001), (0, 0, 0), (-1, 2, -90_000_000), (0, 0, -1)]
)
def test_an_interval_is_read_whole(months, days, micros):
    read = decode(struct.pack("!qii", micros, days, months), 1186, 1)
    assert values.interval_parts(read) == (months, days, micros)


@pytest.mark.parametrize("text", ["-1 mons +2 days -03:00:00", "3 days", "infinity", "-infinity"])
def test_an_interval_of_postgresql_stays_as_it_is(text):
    assert encode(text, 1186, 0) == text.encode()
    assert values.interval_told(decode(encode(text, 1186, 1), 1186, 1)) == text


def test_a_finite_interval_is_not_endless():
    nearly = struct.pack("!qii", 2**63 - 1, 2**31 - 1, 2**31 - 2)
    assert "infinity" not in decode(nearly, 1186, 1)


@pytest.mark.parametrize("oid", [790, 869, 1266, 1270, 1560, 3904])
def test_bytes_that_are_no_text_are_not_read_as_one(oid):
    """Money, addresses, times with zones and their arrays, bits, ranges."""
    with pytest.raises(BadValue, match="no binary form") as raised:
        decode(b"abcdefgh", oid, 1)
    assert raised.value.sqlstate == "0A000"
    assert decode(b"abc", 20_000, 1) == "abc"


@pytest.mark.server
@pytest.mark.parametrize("text", ["\\x00ff", "a\\001b\\\\c", "plain", "", "\\377"])
def test_bytes_in_either_form_are_what_the_server_reads(connection, text):
    expected = connection.execute("select %s::text::bytea", [text]).fetchone()[0]
    assert decode(text.encode(), 17, 0) == expected


@pytest.mark.parametrize("text", ["a\\b", "a\\", "\\400", "\\xabc"])
def test_escapes_that_are_none(text):
    with pytest.raises(BadValue):
        decode(text.encode(), 17, 0)


def test_long_arrays_take_linear_time():
    began = clock.perf_counter()
    with pytest.raises(BadValue):
        decode(("{" + " " * 100_000 + "{}").encode(), 1007, 0)
    assert decode(("{" + " " * 100_000 + "1}").encode(), 1007, 0) == [1]
    assert len(encode(list(range(300_000)), 1007, 1)) == 20 + 8 * 300_000
    # joined piece by piece, or tried with each blank, it took minutes
    assert clock.perf_counter() - began < 15


@given(st.floats(allow_nan=False))
def test_floats_read_back(value):
    assert float(values.float_text(value)) == value


def test_numbers_in_json_keep_their_digits_as_postgresql_writes_them():
    """What to_json() of PostgreSQL gives for these numeric and float8 values; NaN is none of json's numbers."""
    exact = {"a": Decimal("12345678901234567890.10"), "b": [Decimal("5.00"), 1.0, 1e300, math.nan]}
    told = '{"a": 12345678901234567890.10, "b": [5.00, 1, 1e+300, "NaN"]}'
    assert values.to_text(exact, values.JSON) == told


def test_nested_values_are_json():
    fields = {"key": [1, 2], "value": [3]}
    assert values.to_text(fields, values.JSON) == '{"key": [1, 2], "value": [3]}', "a struct, not a map"
    assert values.to_text({"a": [1, None, date(2024, 1, 1)]}, values.JSON) == '{"a": [1, null, "2024-01-01"]}'
