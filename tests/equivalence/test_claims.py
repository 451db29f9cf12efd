"""What is claimed of built-in functions, operators, casts and types, beside what a server makes of nasty
values.

The claims are the code's own answers for every built-in of `tests.equivalence.claims`: that it raises no
error (or none but overflow), gives NULL for NULL only, gives NULL for NULL, that equal values of a type are
one, that its values have a total order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, LiteralString, cast

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.prover.aggregates import KNOWN, ORDER_SENSITIVE
from rewright.equivalence.prover.bags import DUPLICATE_FREE, NULL_ON_EMPTY
from rewright.equivalence.prover.symbols import ORDERED, domain, identity, one_representation
from rewright.sql.algebra import output_columns
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts.looks import is_whole_field
from rewright.sql.types import SqlType
from tests.equivalence.claims import Claims, Expression, claims, expressions, schema, table
from tests.equivalence.values import VALUES

pytestmark = pytest.mark.server

_PROBE = """
create function probe(exprs text[]) returns text[] language plpgsql as $$
declare found text[]; e text; missing bool;
begin
  foreach e in array exprs loop
    begin
      execute 'select (' || e || ') is not distinct from null' into missing;
      found := found || case when missing then 'null' else '' end;
    exception when others then found := found || sqlstate::text;
    end;
  end loop;
  return found;
end $$"""
_OVERFLOWS = {"22003", "22008", "22015"}
# not an error of evaluation: there is no such operator for the type, whatever its values
_MEANINGLESS = "42883"
Server = psycopg.Connection[Any]


def ask(server: Server, text: str, *values: object) -> list[tuple[Any, ...]]:
    return server.execute(cast("LiteralString", text), values or None).fetchall()


@pytest.fixture(scope="module")
def server(scratch_server: ScratchServer, module_database: str) -> Iterator[Server]:
    """A database with a table of values for each type."""
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(cast("LiteralString", schema()))
        connection.execute(_PROBE)
        for type_, values in VALUES.items():
            fill = f"insert into {table(type_)} select v::{type_} from unnest(%s::text[]) v"
            connection.execute(cast("LiteralString", fill), [list(values)])
        yield connection


@pytest.fixture(scope="module")
def claimed() -> list[tuple[Expression, Claims]]:
    return [(e, c) for e in expressions() if (c := claims(e)) is not None]


def test_there_is_something_to_check(claimed: list[tuple[Expression, Claims]]) -> None:
    for who in ("facts", "prover", "rules"):
        assert sum(who in c.safe for _, c in claimed) > 300
    for who in ("facts", "prover"):
        assert sum(who in c.tame for _, c in claimed) > 50
        assert sum(who in c.never_null for _, c in claimed) > 500
        assert sum(any(w == who for w, _ in c.strict) for _, c in claimed) > 2000


def test_no_error_and_no_null_where_none_is_claimed(
    server: Server, claimed: list[tuple[Expression, Claims]]
) -> None:
    wrong = [text for e, c in claimed for text in _refuted(server, e, c)]
    assert wrong == []


def _refuted(server: Server, e: Expression, c: Claims) -> Iterator[str]:
    if not (c.safe or c.tame or c.never_null):
        return
    try:
        ((nulls,),) = ask(
            server,
            f"select count(*) filter (where r is not distinct from null) from ({e.query()} offset 0) x",
        )
    except psycopg.Error as error:
        if error.sqlstate == _MEANINGLESS:
            return
        if c.safe:
            yield f"{c.safe}: {e} raises no error ({error.sqlstate})"
        yield from _refuted_one_by_one(server, e, c)
    else:
        if nulls and c.never_null:
            yield f"{c.never_null}: {e} is never NULL"


def _refuted_one_by_one(server: Server, e: Expression, c: Claims) -> Iterator[str]:
    """Where some values raise errors, each for itself."""
    if not (c.tame or c.never_null):
        return
    values = list(e.with_values())
    ((found,),) = ask(server, "select probe(%s)", values)
    for text, got in zip(values, found, strict=True):
        if c.never_null and got == "null":
            yield f"{c.never_null}: {text} is not NULL"
        if c.tame and got not in {"", "null", *_OVERFLOWS}:
            yield f"{c.tame}: {text} raises nothing but overflow ({got})"


@pytest.mark.long
def test_null_where_an_argument_is_null(server: Server, claimed: list[tuple[Expression, Claims]]) -> None:
    wrong = []
    for e, c in claimed:
        for at in sorted({i for _, i in c.strict}):
            kept = f"select count(*) from ({e.query([at])} offset 0) x where r is distinct from null"
            try:
                ((others,),) = ask(server, kept)
            except psycopg.Error:
                continue
            if others:
                wrong.append((c.strict, e, at))
    assert wrong == []


_FIELDS = ("century", "day", "decade", "dow", "doy", "epoch", "hour", "isodow", "isoyear", "millennium", "minute", "month",
    "quarter", "second", "week", "year")  # fmt: skip
_SHAPES = {
    "numeric(12,3)": "numeric",
    "numeric(2,-1)": "numeric",
    "char(3)": "bpchar",
    "varchar(4)": "varchar",
    "timestamp(0)": "timestamp",
    "time(1)": "time",
}


@pytest.mark.parametrize("type_", [*VALUES, *_SHAPES])
def test_equal_values_are_one_where_it_is_claimed(server: Server, type_: str) -> None:
    catalog = catalog_from_ddl(f"create table v (v {type_})")
    (column,) = output_columns(bind("select v from v", catalog))
    if not (identity(column.type) or one_representation(column.type)):
        return
    source = _SHAPES.get(type_, type_)
    small = " where v::text in ('0', 'NaN') or abs(v) between 1 and 2" if source == "numeric" else ""
    made = f"select v::{type_} as v from {table(source)}{small}"
    apart = ask(
        server, f"with x as ({made}) select a.v::text, b.v::text from x a, x b where a.v = b.v and not a *= b"
    )
    assert apart == []


def _orders() -> list[tuple[str, ...]]:
    """Types of one order."""
    found: dict[str, list[str]] = {}
    for type_ in VALUES:
        (column,) = output_columns(bind("select v from v", catalog_from_ddl(f"create table v (v {type_})")))
        if known := domain(column.type):
            found.setdefault(known, []).append(type_)
    assert len(found) >= len(ORDERED) - 8
    return [tuple(types) for types in found.values()]


@pytest.mark.parametrize("types", _orders(), ids=" ".join)
def test_values_that_are_compared_have_one_order(server: Server, types: tuple[str, ...]) -> None:
    """Exactly one of <, = and > holds, <= is one of the first two, and the smaller of a smaller one is
    smaller.
    """
    values = [f"'{v}'::{t}" for t in types for v in VALUES[t]]
    sides = range(len(values))
    less, equal = set(), set()
    for i, x in enumerate(values):
        tests = [f"select {j}, {x} < {y}, {x} = {y}, {x} > {y}, {x} <= {y}" for j, y in enumerate(values)]
        for j, lt, eq, gt, le in ask(server, " union all ".join(tests)):
            assert (lt + eq + gt, le) == (1, lt or eq), (x, values[j])
            less |= {(i, j)} if lt else set()
            equal |= {(i, j)} if eq else set()
    for i, j, k in product(sides, sides, sides):
        assert ((i, j) not in less or (j, k) not in less) or (i, k) in less
        assert ((i, j) not in equal or (j, k) not in equal) or (i, k) in equal


_LOOSE = {"float4", "float8"}  # a reservation says that the order of addition counts


def test_pairs_are_counted_where_neither_is_missing(server: Server) -> None:
    rows = "(values (1.5::float8, 2::float8), (null, 1), (3, null), (null, null), ('nan', 'infinity'), (1.5, 2)) x (a, b)"
    assert ask(
        server,
        f"select regr_count(a, b), count(*) filter (where a is not null and b is not null) from {rows}",
    ) == [(3, 3)]
    assert ask(server, f"select regr_count(a, b) from {rows} where false") == [(0,)]


@pytest.mark.parametrize("name", sorted(KNOWN - ORDER_SENSITIVE - {"regr_count"}))
def test_aggregates_are_functions_of_bags(server: Server, name: str) -> None:
    """No row, no value; the order of the rows does not count, nor how often one comes for some; of one row it
    is the value itself.
    """
    met = 0
    for type_ in VALUES:
        source = f"(select v from {table(type_)}"
        empty = (
            [] if name == "count" else ask_if_any(server, f"select {name}(v) from {source} where false) x")
        )
        if empty is None:
            continue
        assert empty in ([], [(None,)])
        # each value beside each other one, since all of them together are too much for a sum
        pairs = f"select array[i.v, j.v] as p from {table(type_)} i, {table(type_)} j"
        if "[]" in type_:
            continue
        for ((a, b),) in ask(server, f"select array[p[1]::text, p[2]::text] from ({pairs}) x"):
            one, two = (f"('{x}'::{type_})".replace("\\", "\\") for x in (a, b))
            rows = (
                f"values {one}, {two}",
                f"values {two}, {one}",
                f"values {one}, {two}, {two}",
                f"values {one}",
            )
            found = [
                ask_if_any(server, f"select {name}(v)::text, {name}(v) is null from ({r}) x (v)")
                for r in rows
            ]
            met += 1
            if name in {"min", "max"} and one_value(server, one, two):
                continue  # a reservation says that either may come out
            if type_ not in _LOOSE or name in {"min", "max"}:
                assert found[0] == found[1], (a, b)
            if name in DUPLICATE_FREE:
                assert found[0] == found[2], (a, b)
            if name in NULL_ON_EMPTY and not name.startswith(("stddev", "var")):
                assert all(f is None or f[0][1] is False for f in found), (a, b)
            if name in {"min", "max", "bool_and", "bool_or", "every"}:
                assert found[3] == ask(server, f"select {one}::text, false"), a
    assert met


def one_value(server: Server, x: str, y: str) -> bool:
    """Whether two values are equal and look different."""
    return ask(server, f"select {x} = {y} and {x}::text <> {y}::text") == [(True,)]


def ask_if_any(server: Server, text: str) -> list[tuple[Any, ...]] | None:
    """The rows; None for an error."""
    try:
        return ask(server, text)
    except psycopg.Error:
        return None


@pytest.mark.parametrize("type_", ["date", "timestamp", "timestamptz"])
def test_whole_fields_of_moments_show_no_decimals(server: Server, type_: str) -> None:
    fields = sorted(f for f in _FIELDS if is_whole_field(f, SqlType(type_)))
    assert len(fields) > 10
    for field in fields:
        shown = f"select extract({field} from v)::text from {table(type_)}"
        try:
            texts = [text for (text,) in ask(server, shown) if text is not None]
        except psycopg.errors.FeatureNotSupported:
            assert type_ == "date"  # hours are no field of a date
            continue
        assert texts, field
        assert not any("." in t for t in texts), field
