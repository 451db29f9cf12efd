"""Constants and the order of conditions: what reads no row may yet fail for some rows only, unless it surely has
a value, or is a pattern, field, zone or format that every server takes.
"""

from __future__ import annotations

import random

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts.taken import ZONES, takes_field, takes_format, takes_pattern
from rewright.sql.types import SqlType

CATALOG = catalog_from_ddl("""
create table t (id int primary key, a int, s text, d date, ts timestamp, tz timestamptz);
""")
NEVER_FAIL = (
    "a = extract(year from current_date)::int",
    "d >= to_date('2024-02-29', 'YYYY-MM-DD')",
    "d >= make_date(2024, 2, 29)",
    "d >= current_date - interval '3 months'",
    "ts >= date_trunc('month', now()) - interval '1 month'",
    "a > sqrt(2)",
    "a = $1 / 2",
    "s ~ '^[a-z]+(,[a-z]+)*$'",
    "s like 'a\\%'",
    "regexp_replace(s, '\\s+', ' ', 'g') = 'a'",
    "substring(s from '^([^-]*)-') = 'a'",
    "extract(isodow from d) = 7",
    "date_trunc('week', ts) = ts",
    "tz at time zone 'Europe/Berlin' = ts",
    "to_char(ts, 'YYYY-MM') = '2024-01'",
    "to_char(a, 'FM000') = '007'",
)
MAY_FAIL = (
    "a = extract(dow from current_date)::int / 0",
    "d >= to_date('2023-02-29', 'YYYY-MM-DD')",
    "d >= make_date(2023, 2, 29)",
    "ts >= date_trunc('dow', now())",
    "a > sqrt($1)",
    "a > log(1, 2)",
    "a = current_user::int",
    "a = 2 / $1",
    "s ~ '^[a-z]+(,[a-z]+)*+$'",
    "s like 'a\\'",
    "regexp_replace(s, '\\s+', ' ', 'q!') = 'a'",
    "substring(s from '^([^-]*-') = 'a'",
    "extract(minute from d) = 7",
    "date_trunc('epoch', ts) = ts",
    "tz at time zone 'Europe/Berlim' = ts",
    "to_char(a, '0.0.0') = '007'",
)
PATTERNS = (
    "", "^ab", "^[0-9]+$", "a.b", "^a|b$", r"^a\.(b|c)", r"^\d+$", "^[0-9]{1,9}$", "^(a|b)$", r"\\", "^([^-]*)-",
    r"(\.txt)+$", r"^\s+|\s+$", "^(..?).*$", "a||b", "()", "^.*?-", "[-a]", "[a-]", "[^a-z0-9]", "(?:a|b)+",
    "[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+", "a{2,}", "((a)b)*", "(^a|b$)", "[.]", r"[\d.]+", r"\(a\)", "x{0,99}",
    "[+*?]{2}", "a/b", "'\"~", "[~$]", "-", "[^-]*?x", "(a|)", "(|a)+",
)  # fmt: skip
_SIGNS = (*"ab()[]*+?{}|^$-1,2.\\", "\\d", "\\.", "a-z", "0-9", "(?:", "\\(", "\\|")
_FIELD_NAMES = (
    "microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter", "year",
    "decade", "century", "millennium", "doy", "dow", "isodow", "isoyear", "epoch", "julian", "timezone",
)  # fmt: skip
_FORMATS = (
    "YYYY-MM-DD", "FMMonth DD, YYYY", "Dy", "IYYY-IW", "HH24:MI:SS.MS", "D", "ID Q", "DDD", "000", "FM000",
    "999,999.00", "90.99", "0,000",
)  # fmt: skip
NO_PATTERNS = (
    "(", "a*+", "*a", "^*", "a**", "[z-a]", "[a", "a)", "a{3,2}", "a{300}", "(a)*+", r"\(a)", "(a", "+", "a|*",
    "[a-z-9]", "[+-a-z]", "(*a)", "()*+", "[]", "\\",
)  # fmt: skip


def _reserved(condition: str) -> frozenset[str] | None:
    pair = (f"select id from t where a > 5 or {condition}", f"select id from t where {condition} or a > 5")
    q1, q2 = (bind(text, CATALOG) for text in pair)
    found = prove(q1, q2, CATALOG, deadline_seconds=60)
    if not isinstance(found, Proof):
        return None
    assert check_proof(found, q1, q2, CATALOG) is None
    return found.modulo


@pytest.mark.parametrize("condition", NEVER_FAIL)
def test_what_can_not_fail_may_stand_anywhere(condition: str) -> None:
    assert _reserved(condition) == frozenset()


@pytest.mark.parametrize("condition", MAY_FAIL)
def test_what_may_fail_counts_what_is_asked_before(condition: str) -> None:
    reserved = _reserved(condition)
    assert reserved is None or "errors" in reserved


@pytest.mark.server
def test_known_patterns_are_the_servers(scratch_server: ScratchServer) -> None:
    assert [p for p in PATTERNS if not takes_pattern(p)] == []
    chance = random.Random(1700)
    made = ("".join(chance.choices(_SIGNS, k=chance.randint(1, 7))) for _ in range(10_000))
    known = [p for p in dict.fromkeys(made) if takes_pattern(p)]
    assert len(known) > 500
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        for pattern in (*PATTERNS, *known):
            connection.execute("select 'ab' ~ %s::text", (pattern,))


@pytest.mark.server
def test_known_fields_zones_and_formats_are_the_servers(scratch_server: ScratchServer) -> None:
    moments = {
        "date": ("2020-02-29", "infinity"),
        "timestamp": ("2020-02-29 10:11:12.5", "-infinity", "0001-01-01 BC"),
        "timestamptz": ("2020-02-29 10:11:12.5+00", "infinity"),
        "time": ("10:11:12.5",),
        "interval": ("-1 year 2 days 03:04:05.5",),
    }
    asked = [
        f"{function}('{field}', {of} '{value}')"
        for of, values in moments.items()
        for field in _FIELD_NAMES
        for function in ("pg_catalog.extract", "date_part", "date_trunc")
        if takes_field(function.removeprefix("pg_catalog."), field, of)
        for value in values
    ]
    asked += [f"now() at time zone '{zone}'" for zone in sorted(ZONES)]
    for of, values in (*moments.items(), ("numeric", ("NaN", "1e100")), ("int4", ("-2147483648",))):
        known = [x for x in _FORMATS if takes_format(x, SqlType(of))]
        asked += [f"to_char({of} '{value}', '{x}')" for x in known for value in values]
    assert len(asked) > 150
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        for expression in asked:
            connection.execute(f"select {expression}".encode())


def test_what_the_server_refuses_is_no_known_pattern() -> None:
    assert not any(map(takes_pattern, NO_PATTERNS))
