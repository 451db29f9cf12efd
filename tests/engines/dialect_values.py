"""Values on which engines disagree, for each type: as texts that PostgreSQL reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NASTY: Mapping[str, Sequence[str | None]] = {
    "smallint": [None, "0", "1", "-1", "7", "-7", "2", "32767", "-32768"],
    "integer": [None, "0", "1", "-1", "7", "-7", "2", "3", "-2", "10", "1000", "2147483647", "-2147483648"],
    "bigint": [None, "0", "1", "-1", "7", "-7", "2", "9007199254740993", "9223372036854775807", "-9223372036854775808"],
    "real": [None, "0", "-0", "1", "-1.5", "2.5", "0.1", "3.4e38", "1e-40", "NaN", "Infinity", "-Infinity", "16777217"],
    "double precision": [
        None, "0", "-0", "1", "-1", "0.5", "1.5", "2.5", "-2.5", "0.1", "1e20", "1e15", "1e-5", "123456.789", "1.7976931348623157e308",
        "5e-324", "NaN", "Infinity", "-Infinity", "9007199254740993", "2147483647.5", "-32768.5", "1e100",
    ],
    "numeric": [None, "0.00", "1.00", "-1.50", "2.50", "7.00", "0.05", "-0.05", "99999999.99", "-12345678.99", "0.01"],
    "text": [
        None, "", " ", "a", "A", "abc", "ABC", "aBc", " abc ", "abcabc", "a\nb", "a%b", "a_b", "a\\b", "ä", "Ä", "ß", "éa", "日本", "😀x", "0", "-1", "12", " 12 ",
        "1.5", "1e3", "x1", "İ", "ı", "ǅ", "Σς", "\t12", "+5", "99999999999", "1_000", "0x1F", "NaN", "e\u0301", "ﬁ", "K", "1.", ".5", "1e400", "inf", "tt",
    ],
    "boolean": [None, "t", "f"],
    "date": [
        None, "2000-01-01", "1999-12-31", "2024-02-29", "2023-02-28", "1970-01-01", "1900-03-01", "0001-01-01", "9999-12-31", "2020-12-31", "2021-01-03",
        "0044-03-15 BC", "infinity", "-infinity", "2100-02-28",
    ],
    "timestamp without time zone": [
        None, "2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "2024-02-29 12:30:00.5", "1969-12-31 23:59:59.25", "0001-01-01 00:00:00", "9999-12-31 23:59:59",
        "2020-12-31 13:05:09", "2021-01-03 00:00:00.000001", "infinity", "-infinity", "0044-03-15 10:00:00 BC",
    ],
    "timestamp with time zone": [
        None, "2000-01-01 00:00:00+00", "1999-12-31 23:59:59.999999+05", "2024-02-29 12:30:00.5-08", "1969-12-31 23:59:59.25+00", "2020-12-31 13:05:09+00", "infinity", "-infinity",
    ],
    "time without time zone": [None, "00:00:00", "23:59:59.999999", "12:30:00.5", "01:02:03"],
    "interval": [
        None, "00:00:00", "1 day", "-1 day", "1 month", "30 days", "1 year 2 months 3 days 04:05:06.5", "-1 month 1 day", "00:00:01", "-00:00:01.25", "1 day -01:00:00", "24 hours", "-1 year -2 days -03:00:00",
    ],
    "uuid": [None, "00000000-0000-0000-0000-000000000000", "A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff", "7fffffff-ffff-ffff-ffff-ffffffffffff"],
    "bytea": [None, "\\x", "\\x00", "\\xff", "\\x6162", "\\x61", "\\x80ff00"],
}  # fmt: skip
DECLARED: Mapping[str, str] = {"numeric": "numeric(10,2)"}
"""How the column that holds them is declared, where that is not the type alone."""
