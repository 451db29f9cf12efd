"""What a client writes means what PostgreSQL says, also where the names in it have to be found: the same rows
as a server gives for the same text by the real names, or 0A000.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import duckdb
import psycopg
import pytest

from rewright.engines.duckdb.dialect.special import SPECIAL
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.postgres.scratch import ScratchServer
from rewright.lake.api import Lake, open_lake
from rewright.proxy.duckdb_backend.values import to_text
from rewright.wiring.lake_answers import answered, served

pytestmark = [pytest.mark.server, pytest.mark.long]

_COLUMNS = (
    ("name", "product_name", "text", "VARCHAR"),
    ("price", "unit_price", "numeric(12,4)", "DECIMAL(12,4)"),
    ("quantity", "stock_quantity", "integer", "INTEGER"),
    ("weight", "weight_kg", "double precision", "DOUBLE"),
    ("date_added", "added_date", "date", "DATE"),
    ("shipped", "shipped_at", "timestamp", "TIMESTAMP"),
    ("seen", "seen_at", "timestamptz", "TIMESTAMPTZ"),
    ("open_time", "opening_time", "time", "TIME"),
    ("active", "is_active", "boolean", "BOOLEAN"),
    ("tags", "product_tags", "text[]", "VARCHAR[]"),
)
"""Imagined name, real name, PostgreSQL's type, DuckDB's."""
_ROWS = (
    "('Saw blade','12.3456',7,1.5,'2024-01-05','2024-01-05 10:11:12.7','2024-01-05 10:11:12.7+00','08:30:15.6',true,'{a,b}')",
    "('axe','-7.5',-3,2.25,'2023-02-28','2023-12-31 23:59:59.9','2023-12-31 23:59:59.9+00','23:59:59.5',false,'{}')",
    "('Pen','0.1235',10,0.1,'2020-02-29','2020-02-29 00:00:00','2020-02-29 12:00:00+00','00:00:00',null,'{z}')",
    "('INK 99',null,null,null,'1999-07-04','1999-07-04 05:06:07','1999-07-04 05:06:07+00','12:00:00',true,null)",
)
_CASTS = (
    *(
        f"price::{t}"
        for t in ("numeric", "numeric(8,2)", "float", "float4", "real", "double precision", "int")
    ),
    *(f"price::{t}" for t in ("bigint", "smallint", "text", "varchar(3)", "decimal(10,1)")),
    *(f"cast(quantity as {t})" for t in ("numeric(5,1)", "float8", "text", "bool", "int8", "char(2)")),
    *(f"weight::{t}" for t in ("numeric", "numeric(6,3)", "int", "real", "text")),
    *(f"shipped::{t}" for t in ("timestamp(0)", "date", "time", "time(0)", "timestamp(1)", "text")),
    *(f"seen::{t}" for t in ("timestamptz(0)", "timestamptz(2)", "text", "date", "time(0)")),
    *(f"open_time::{t}" for t in ("time(0)", "interval", "text")),
    *(f"name::{t}" for t in ("varchar(2)", "char(3)", "text", "bpchar")),
    *("active::int", "active::text", "date_added::timestamp", "date_added::text", "tags::text"),
    *("timestamptz(0) '2024-01-01 00:00:00.7+00' > seen", "interval '1.25 second' * quantity"),
    *("interval(1) '1.27 second' + shipped", "interval '3' day + date_added", "'12:30'::time + date_added"),
    *("bit '101'", "b'101'::int + quantity", "x'1F'::int", "quantity::bit(4)"),
)
_CALLS = (
    *("round(price, 2)", "round(price::numeric, 3)", "round(weight)", "trunc(price, 1)", "abs(price)"),
    *("ceil(price)", "floor(weight)", "sign(price)", "mod(quantity, 3)", "quantity % 3", "quantity / 2"),
    *("price / 3", "quantity ^ 2", "|/ abs(weight)", "@ quantity", "power(weight, 2)", "sqrt(weight)"),
    *("exp(weight)", "ln(weight)", "log(abs(price) + 1)", "greatest(quantity, 5)", "least(price, 1)"),
    *("width_bucket(weight, 0, 3, 4)", "div(price, 2)", "gcd(quantity, 4)", "quantity & 3", "quantity # 5"),
    *("quantity << 2", "~ quantity", "price + 1.25", "price - 0.5", "price * 1.5", "-price", "+quantity"),
    *("lower(name)", "upper(name)", "initcap(name)", "length(name)", "left(name, 2)", "right(name, -1)"),
    *("lpad(name, 5, '*')", "rpad(name, 4)", "repeat(name, 2)", "reverse(name)", "substr(name, 2, 3)"),
    *("substring(name from 2 for 2)", "substring(name from '[a-z]+')", "position('a' in name)"),
    *("overlay(name placing '__' from 2 for 1)", "trim(both 'S' from name)", "btrim(name, 'aS')"),
    *("ltrim(name)", "split_part(name, ' ', 1)", "strpos(name, 'e')", "translate(name, 'abc', 'xy')"),
    *("replace(name, 'a', 'b')", "concat(name, '-', quantity)", "concat_ws('/', name, price)"),
    *("name || '!'", "name || quantity", "format('%s is %s', name, quantity)", "quote_literal(name)"),
    *("md5(name)", "ascii(name)", "chr(65 + abs(quantity))", "encode(name::bytea, 'hex')", "name ^@ 'S'"),
    *("starts_with(name, 'a')", "regexp_replace(name, '[ae]', '_', 'g')", "regexp_count(name, 'a')"),
    *("regexp_match(name, '([a-z])e')", "regexp_split_to_array(name, ' ')", "regexp_like(name, '^s', 'i')"),
    *("regexp_substr(name, '[0-9]+')", "string_to_array(name, 'e')", "name ~ '^S'", "name ~* '^s'"),
    *("name !~ 'a'", "name !~* 'A'", "name like '%e'", "name not like 'S%'", "name ilike 'S%'"),
    *(
        "name not ilike '%E'",
        "name like 'S~%' escape '~'",
        "name similar to '(S|a)%'",
        "name collate \"C\" < 'a'",
    ),
    *("to_char(shipped, 'YYYY-MM-DD HH24:MI:SS')", "to_char(price, 'FM990.00')", "to_char(quantity, '000')"),
    *("to_char(seen, 'Mon Dy')", "to_char(date_added, 'IYYY-IW')", "to_char(weight, '9.99EEEE')"),
    *("to_number(price::text, '99.99')", "to_date(date_added::text, 'YYYY-MM-DD')", "to_hex(abs(quantity))"),
    *("to_timestamp(quantity)", "extract(dow from date_added)", "extract(isodow from shipped)"),
    *("extract(epoch from shipped)", "extract(second from shipped)", "extract(week from date_added)"),
    *("extract(isoyear from date_added)", "extract(hour from open_time)", "extract(quarter from seen)"),
    *("extract(milliseconds from shipped)", "extract(century from date_added)", "extract(doy from seen)"),
    *("date_part('dow', date_added)", "date_part('year', shipped)", "date_part('hour', seen)"),
    *("date_trunc('month', shipped)", "date_trunc('day', seen)", "date_trunc('week', date_added)"),
    *("date_trunc('hour', seen, 'America/New_York')", "seen at time zone 'America/New_York'"),
    *(
        "shipped at time zone 'UTC'",
        "age(shipped, timestamp '2020-01-01')",
        "date_added + 1",
        "date_added - 10",
    ),
    *("date_added - date '2020-01-01'", "shipped - interval '1 month'", "shipped - timestamp '2024-01-01'"),
    *("date_bin('15 minutes', shipped, timestamp '2020-01-01')", "make_date(quantity + 2000, 1, 2)"),
    *(
        "make_interval(days => quantity)",
        "justify_hours(interval '30 hours' * quantity)",
        "isfinite(date_added)",
    ),
    *(
        "(date_added, date_added + 3) overlaps (date '2024-01-01', date '2024-02-01')",
        "date_added between '2020-01-01' and '2023-12-31'",
    ),
    *("quantity between symmetric 10 and 0", "quantity in (7, 10)", "quantity not in (7, 10)"),
    *(
        "quantity is distinct from 7",
        "price is null",
        "active is not true",
        "active is unknown",
        "not active",
    ),
    *(
        "case when quantity > 5 then 'many' else 'few' end",
        "case name when 'axe' then 1 end",
        "coalesce(price, 0)",
    ),
    *("nullif(quantity, 7)", "tags[1]", "array_length(tags, 1)", "cardinality(tags)", "tags || 'c'::text"),
    *("'a' = any(tags)", "tags @> array['a']", "array_to_string(tags, '+')", "array_position(tags, 'b')"),
    *(
        "array[quantity, 1]",
        "row(quantity, name)",
        "to_json(quantity)",
        "to_jsonb(name)",
        "json_build_object('n', name)",
    ),
    *(
        "jsonb_build_array(quantity, price)",
        "('{\"a\": 1}'::json)->>'a'",
        "('{\"a\": [1,2]}'::jsonb)#>'{a,1}'",
    ),
    *("('{\"a\": 1}'::jsonb) ? 'a'", "num_nulls(price, quantity)", "pg_typeof(price)", "hashtext(name)"),
    *("price = any(array[0.1235, 2])", "quantity > all(array[1, 2])", "(quantity, name) = (7, 'Saw blade')"),
    *(
        "row_number() over (order by name)",
        "rank() over (order by active, name)",
        "ntile(2) over (order by name)",
    ),
    *("lag(price, 1, 0) over (order by name)", "sum(quantity) over (order by name rows 1 preceding)"),
    *("first_value(name) over (partition by active order by name)", "cume_dist() over (order by name)"),
    *("avg(price) over (order by name groups between 1 preceding and current row exclude ties)",),
    *("count(*) filter (where active) over ()", "sum(price::numeric(8,1)) over ()"),
)
_AGGREGATES = (
    *("count(*)", "count(price)", "count(distinct active)", "sum(price)", "sum(quantity)", "avg(quantity)"),
    *("avg(price)", "round(avg(price)::numeric, 4)", "round(avg(weight)::numeric, 5)", "sum(price)::float"),
    *(
        "min(name)",
        "max(date_added)",
        "stddev(quantity)",
        "var_pop(weight)",
        "variance(price)",
        "corr(quantity, weight)",
    ),
    *(
        "string_agg(name, ', ' order by name desc)",
        "array_agg(quantity order by quantity)",
        "bool_and(active)",
    ),
    *(
        "every(quantity > 0)",
        "bit_or(quantity)",
        "json_agg(quantity order by name)",
        "mode() within group (order by active)",
    ),
    *(
        "percentile_cont(0.3) within group (order by weight)",
        "percentile_disc(0.5) within group (order by quantity)",
    ),
    *("sum(price) filter (where quantity > 0)", "sum(distinct abs(quantity))", "max(price)::numeric(5,1)"),
    *(
        "regr_slope(weight, quantity)",
        "rank(5) within group (order by quantity)",
        "jsonb_object_agg(name, quantity)",
    ),
    *(
        "avg(extract(dow from date_added))",
        "count(distinct date_trunc('year', shipped))",
        "sum(quantity) / count(*)",
    ),
)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder = tmp_path_factory.mktemp("products")
    columns = ", ".join(f"{real} {type_}" for _, real, _, type_ in _COLUMNS)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"CREATE TABLE p ({columns})")
        for row in _ROWS:
            lists = re.sub(r"'{(.*?)}'", r"'[\1]'", row)
            connection.execute(f"INSERT INTO p VALUES {lists}")
        connection.execute(f"COPY p TO '{folder / 'products.parquet'}' (FORMAT parquet)")
    with open_lake(folder, catalog=folder.parent / "products.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def dsn(lake: Lake) -> Iterator[str]:
    with served(lake) as address:
        yield address


@pytest.fixture(scope="module")
def server() -> Iterator[psycopg.Connection[Any]]:
    """PostgreSQL with the same table."""
    with (
        ScratchServer() as scratch,
        psycopg.connect(scratch.dsn(), autocommit=True, options="-c timezone=UTC") as connection,
    ):
        columns = ", ".join(f"{real} {type_}" for _, real, type_, _ in _COLUMNS)
        connection.execute(f"create table products ({columns})".encode())
        connection.execute(f"insert into products values {', '.join(_ROWS)}".encode())
        yield connection


def _real(expression: str) -> str:
    """The expression by the real names."""
    parts = re.split(r"('(?:[^']|'')*')", expression)
    for name, real, _, _ in _COLUMNS:
        parts[::2] = [re.sub(rf"(?<!\.)\b{name}\b(?!\()", real, part) for part in parts[::2]]
    return "".join(parts).replace("from goods", "from products")


def _told(server: psycopg.Connection[Any], query: str) -> list[tuple[str | None, ...]] | str:
    found = server.pgconn.exec_(query.encode())
    if found.ntuples == 0:
        return (found.error_field(ord("C")) or b"").decode()
    return [
        tuple(None if (v := found.get_value(row, i)) is None else v.decode() for i in range(found.nfields))
        for row in range(found.ntuples)
    ]


def _answer(lake: Lake, dsn: str, query: str) -> list[tuple[str | None, ...]] | str:
    try:
        rows = answered(lake, dsn, query, "bind", 0.0).rows
    except LakeError as error:
        return error.sqlstate
    assert rows is not None
    oids = [int(one) for one in rows.types]
    return [
        tuple(
            v if v is None or isinstance(v, str) else to_text(v, oid)
            for v, oid in zip(row, oids, strict=True)
        )
        for row in rows.rows
    ]


def _compared(
    lake: Lake, dsn: str, server: psycopg.Connection[Any], expressions: Sequence[str], asked: str
) -> list[str]:
    """Those that are 0A000; any other difference fails. Several are asked at once, each alone where that is
    refused.
    """
    refused, wrong = [], []
    portions = [list(expressions[i : i + 5]) for i in range(0, len(expressions), 5)]
    while portions:
        portion = portions.pop(0)
        query = asked.format(", ".join(f"{one} as v{i}" for i, one in enumerate(portion)))
        expected, answer = _told(server, _real(query)), _answer(lake, dsn, query)
        if answer == expected:
            continue
        if len(portion) > 1:
            portions += [[one] for one in portion]
        elif answer == "0A000":
            refused += portion
        else:
            wrong.append((query, answer, expected))
    assert not wrong, "\n".join(map(str, wrong))
    return refused


def test_expressions_by_imagined_names(lake: Lake, dsn: str, server: psycopg.Connection[Any]) -> None:
    scalars = (*_CASTS, *_CALLS)
    refused = _compared(lake, dsn, server, scalars, "select name, {} from goods order by name")
    assert len(refused) <= len(scalars) * 0.02, refused
    refused = _compared(lake, dsn, server, _AGGREGATES, "select {} from goods")
    assert len(refused) <= len(_AGGREGATES) * 0.05, refused


_SUBSCRIPTS = (
    *(
        "tags[1]",
        "tags[2]",
        "tags[0]",
        "tags[-1]",
        "tags[9]",
        "tags[null]",
        "tags[quantity - 6]",
        "(tags)[1]",
    ),
    *(
        "tags[1:1]",
        "tags[2:]",
        "tags[:1]",
        "tags[:]",
        "tags[2:1]",
        "tags[0:9]",
        "tags[1:2][1:1]",
        "tags[1][1]",
    ),
    *("tags[1] || name", "cardinality(tags[1:1])", "'b' = any(tags[2:])", "(string_to_array(name, 'e'))[1]"),
    *("(array[quantity, 4])[2]", "array_position(tags[1:2], tags[2])", "upper(tags[1])"),
)


def test_subscripts_by_imagined_names(lake: Lake, dsn: str, server: psycopg.Connection[Any]) -> None:
    query = "select name, {} from goods order by name"
    assert not _compared(lake, dsn, server, _SUBSCRIPTS, query)
    assert not _compared(lake, dsn, server, ["count(*)"], "select {} from goods where tags[1] = 'a'")
    assert not _compared(
        lake, dsn, server, ["count(*)"], "select tags[1], {} from goods group by tags[1] order by 1"
    )


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("round(weight, 1)", "round(weight::numeric, 1)"),
        ("trunc(weight, 1)", "trunc(weight::numeric, 1)"),
        ("mod(weight, 2)", "mod(weight::numeric, 2)"),
        ("weight % 2", "weight::numeric % 2"),
        ("round(weight, 1) + trunc(weight, 0)", "round(weight::numeric, 1) + trunc(weight::numeric, 0)"),
        ("round(weight * quantity / 7, 3)", "round((weight * quantity / 7)::numeric, 3)"),
    ],
)
def test_a_number_that_was_found_may_be_numeric(
    lake: Lake, dsn: str, server: psycopg.Connection[Any], asked: str, meant: str
) -> None:
    query = "select name, {} as v from goods order by name"
    assert _answer(lake, dsn, query.format(asked)) == _told(server, _real(query.format(meant)))


def test_averages_that_were_found_may_be_rounded(
    lake: Lake, dsn: str, server: psycopg.Connection[Any]
) -> None:
    query = "select active, round(avg({}), 2) as mean from goods group by active having round(max({}), 1) > 0"
    told = _told(server, _real(query.format("weight)::numeric(20,9", "weight)::numeric(20,9")))
    assert sorted(map(str, _answer(lake, dsn, query.format("weight", "weight")))) == sorted(map(str, told))


def test_a_number_that_was_named_has_its_own_type(lake: Lake, dsn: str) -> None:
    # as PostgreSQL answers: who names the column knows that it is double precision
    assert _answer(lake, dsn, "select round(weight_kg, 1) from products") == "42883"


def test_each_special_call_is_asked() -> None:
    told = " ".join((*_CASTS, *_CALLS, *_AGGREGATES))
    written = {"textregexeq": "~ ", "textregexne": "!~ ", "texticregexeq": "~* ", "texticregexne": "!~* "}
    written |= {
        "textlike": "like ",
        "textnlike": "not like ",
        "texticlike": "ilike ",
        "texticnlike": "not ilike ",
    }
    written |= {
        "numeric": "::numeric(",
        "varchar": "::varchar(",
        "numeric_add": "price + ",
        "numeric_sub": "price - ",
    }
    written["numeric_mul"] = "price * "
    for signature in SPECIAL:
        name = signature.split("(")[0]
        assert written.get(name, f"{name}(") in told, signature
