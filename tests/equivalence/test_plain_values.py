"""Constants and the order of conditions: what reads no row may yet fail for some rows only, unless it surely has
a value, or is a pattern, field, zone or format that every server takes.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.equivalence.prover.taken import takes_pattern
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

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
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        for pattern in PATTERNS:
            connection.execute("select 'ab' ~ %s::text", (pattern,))


def test_what_the_server_refuses_is_no_known_pattern() -> None:
    assert not any(map(takes_pattern, NO_PATTERNS))
