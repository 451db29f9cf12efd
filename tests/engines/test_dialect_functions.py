"""Every built-in of PostgreSQL has a fate on a lake, and what is said in DuckDB's words gives what a server
gives.

``DIALECT_ROWS`` sets how many combinations of nasty values each function is compared on (``make dialect``:
all).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.engines.duckdb.dialect.aggregates import AGGREGATES, SPLIT, WINDOWS
from rewright.engines.duckdb.dialect.fates import WORDS, Fate, fate_of
from rewright.engines.duckdb.dialect.special import SPECIAL
from rewright.engines.postgres.scratch import ScratchServer
from tests.engines.dialect_compare import Both

pytestmark = pytest.mark.server
ROWS = int(os.environ.get("DIALECT_ROWS", "150"))
LISTED = Path(__file__).with_name("builtins.tsv")
_CLOCKS = frozenset({"now()"})
"""What gives another value each time cannot be compared."""
SPECIAL_CALLS = (
    *(
        (f"a.v {operator} '{pattern}'", ["text"])
        for operator in ("~", "!~", "~*", "!~*")
        for pattern in (
            "01", "^a", "c$", "a.c", "^[abc]+$", "(ab|c)+", "a|b", "x?1", "^a{1,2}b", r"\d+", r"\.", "[^a-z]", "^.$", "B", "k", r"^\d{1,2}$", "^$|a", "[A-C]b",
        )
    ),
    *(
        (f"a.v {operator} '{pattern}'", ["text"])
        for operator in ("like", "not like", "ilike", "not ilike")
        for pattern in ("a%", "%b_", "", "%", "_", r"a\%b", r"a\_b", "ABC", "%k%", r"a\\b", "%1%")
    ),
    *((f"a.v similar to '{pattern}'", ["text"]) for pattern in ("a(b|x)c", "%b%", "_", "[a-c]+")),
    *(
        (f"to_char(a.v, '{form}')", [type_])
        for type_ in ("timestamp without time zone", "timestamp with time zone", "date")
        for form in ("YYYY-MM-DD", "HH24:MI:SS", "DD.MM.YYYY HH12", "Month", "Mon Dy", "Day", "YYYY-Q", "DDD/YYYY")
    ),
    *(
        (f"date_trunc('{unit}', a.v)", [type_])
        for type_ in ("timestamp without time zone", "timestamp with time zone", "date")
        for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
    ),
    *(
        (f"{call}", [type_])
        for type_ in ("timestamp without time zone", "timestamp with time zone", "date")
        for field in ("year", "quarter", "month", "week", "day", "dow", "doy", "isodow", "isoyear")
        for call in (f"extract({field} from a.v)", f"date_part('{field}', a.v)")
    ),
    *(
        (f"extract({field} from a.v)", [type_])
        for type_ in ("timestamp without time zone", "timestamp with time zone")
        for field in ("hour", "minute", "second", "epoch")
    ),
    *((f"a.v::numeric({p},{s})", ["numeric"]) for p, s in ((10, 1), (12, 0), (20, 5), (3, 1))),
    *((f"round(a.v, {scale})", ["numeric"]) for scale in (0, 1, 2, 5)),
    *((f"a.v {symbol} b.v", ["numeric", "numeric"]) for symbol in "+-*"),
    *((f"a.v {symbol} b.v", ["numeric", "integer"]) for symbol in "+-*"),
    ("a.v * 1.25", ["integer"]),
    ("a.v::varchar(2)", ["text"]),
    ("array_length(array[a.v, 1], 1)", ["integer"]),
    *((f"a.v::{type_}", ["text"]) for type_ in ("int2", "int4", "int8", "float8")),
    *(("a.v::text", [type_]) for type_ in ("integer", "bigint", "smallint", "numeric", "uuid", "boolean")),
    ("a.v in ('a', 'ABC', '')", ["text"]),
    ("a.v in (1, 2, null)", ["integer"]),
    ("a.v not in (1, 2)", ["integer"]),
    ("a.v = any(array[1, b.v])", ["integer", "integer"]),
    ("a.v > all(array[1, b.v])", ["integer", "integer"]),
    ("a.v between b.v and 10", ["integer", "integer"]),
    ("a.v is distinct from b.v", ["text", "text"]),
    ("nullif(a.v, b.v)", ["double precision", "double precision"]),
    ("coalesce(a.v, b.v, 0)", ["double precision", "double precision"]),
    ("greatest(a.v, b.v)", ["double precision", "double precision"]),
    ("least(a.v, b.v)", ["text", "text"]),
    ("case when a.v > 1 then 'x' when a.v is null then 'n' else b.v end", ["integer", "text"]),
    ("case a.v when 1 then 2 else 3 end", ["integer"]),
    ("(a.v and b.v) or not a.v", ["boolean", "boolean"]),
    ("a.v is not true", ["boolean"]),
    ("(array[a.v, 7])[b.v]", ["integer", "integer"]),
    ("a.v + interval '1 month 1 day'", ["timestamp without time zone"]),
    ("a.v - interval '1 month'", ["date"]),
    ("a.v || b.v || 'x'", ["text", "text"]),
    ("a.v / b.v", ["integer", "integer"]),
    ("a.v % b.v", ["bigint", "bigint"]),
    ("a.v / b.v", ["double precision", "double precision"]),
    ("upper(trim(a.v))", ["text"]),
    ("md5(upper('a')) || a.v", ["text"]),
    ("interval '1 month' + a.v", ["interval"]),
)  # fmt: skip


@pytest.fixture(scope="module")
def both(scratch_server: ScratchServer, module_database: str) -> Iterator[Both]:
    made = Both(scratch_server.dsn(module_database, unix=True))
    yield made
    made.close()


def test_every_builtin_is_listed_with_its_fate(both: Both) -> None:
    """What another version of the server adds is looked at by a person first; meanwhile the rule decides."""
    found = sorted(
        f"{kind}\t{signature}\t{fate}"
        for signature, kind, fate in {
            (f.signature, f.kind, str(fate_of(f))) for f in both.analyser.catalog.functions.values()
        }
    )
    if os.environ.get("DIALECT_WRITE"):
        LISTED.write_text("\n".join(found) + "\n")
    assert found == LISTED.read_text().splitlines()


def test_what_is_translated_exists(both: Both) -> None:
    there = {one.signature for one in both.analyser.catalog.functions.values()}
    assert not {*WORDS, *SPECIAL, *AGGREGATES, *WINDOWS, *SPLIT} - there


def test_nothing_runs_that_shows_or_changes_the_server(both: Both) -> None:
    refused = {f.name for f in both.analyser.catalog.functions.values() if fate_of(f) is Fate.REFUSED}
    assert {
        "pg_read_file",
        "set_config",
        "current_setting",
        "pg_sleep",
        "lo_from_bytea",
        "pg_terminate_backend",
    } <= refused
    assert {"nextval", "query_to_xml", "dblink_connect", "pg_ls_dir", "pg_stat_get_activity"} - refused <= {
        "dblink_connect"
    }


@pytest.mark.long
def test_functions_give_what_postgresql_gives(both: Both) -> None:
    """Each listed function, operator and cast over combinations of nasty values, errors included."""
    types = both.analyser.catalog.types
    wrong: list[str] = []
    compared = 0
    for function in sorted(both.analyser.catalog.functions.values(), key=lambda one: one.signature):
        if function.signature not in WORDS or function.signature in _CLOCKS:
            continue
        arguments = [types[oid] for oid in function.arguments]
        call = ", ".join(f"{name}.v" for name in "abc"[: len(arguments)])
        outcome = both.compare(f'pg_catalog."{function.name}"({call})', arguments, most=ROWS)
        compared += 1
        wrong += outcome.differences[:2] or (
            [f"{function.signature}: {outcome.untranslated}"] if outcome.untranslated else []
        )
    assert not wrong
    assert compared == len(WORDS) - len(_CLOCKS)


def test_what_depends_on_constants_gives_what_postgresql_gives(both: Both) -> None:
    wrong: list[str] = []
    for expression, types in SPECIAL_CALLS:
        outcome = both.compare(expression, types, most=ROWS)
        wrong += outcome.differences[:2] or (
            [f"{expression}: {outcome.untranslated}"] if outcome.untranslated else []
        )
    assert not wrong


@pytest.mark.parametrize("signature", sorted(AGGREGATES))
def test_aggregates_give_what_postgresql_gives(both: Both, signature: str) -> None:
    assert not both.compare_aggregate(signature)
