"""DDL text to a catalog: what counts as a fact, what is skipped, what is refused."""

from __future__ import annotations

import pytest

from rewright.sql.algebra import TableRef
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog, Table
from rewright.sql.ddl import DdlError, catalog_from_ddl
from rewright.sql.dumps import without_commands


def table(catalog: Catalog, name: str, schema: str = "public") -> Table:
    return catalog.table(TableRef(schema, name))


def one(text: str) -> Table:
    return catalog_from_ddl(text).relations[-1]


def test_columns_types_and_not_null() -> None:
    made = one(
        "create table t (a int primary key, b varchar(10) not null, c numeric(8,2), d serial, e text[])"
    )
    assert [(c.name, c.type.name, c.type.typmod, c.not_null) for c in made.columns] == [
        ("a", "int4", -1, True),
        ("b", "varchar", 14, True),
        ("c", "numeric", (8 << 16 | 2) + 4, False),
        ("d", "int4", -1, True),
        ("e", "_text", -1, False),
    ]


def test_keys_and_their_usability() -> None:
    made = one(
        "create table t (a int, b int, c int unique deferrable, d int, unique nulls not distinct (a, b));"
        "create unique index part on t (d) where a > 1; create unique index ex on t (lower(d::text));"
        "create unique index plain on t (d); create index nothing on t (a);"
        "alter table t add constraint pk primary key (a)"
    )
    usable = {k.name: k.usable for k in made.keys}
    assert usable == {
        "t_c_key": False,
        "t_a_b_key": True,
        "part": False,
        "ex": False,
        "plain": True,
        "pk": True,
    }
    assert not next(k for k in made.keys if k.name == "t_a_b_key").nulls_distinct
    assert made.columns[0].not_null
    primary = made.primary_key
    assert primary is not None
    assert primary.name == "pk"


@pytest.mark.parametrize(
    ("clause", "usable"),
    [
        ("", True),
        ("not valid", False),
        ("deferrable initially deferred", False),
        ("not enforced", False),
        ("match full", True),
    ],
)
def test_foreign_keys(clause: str, usable: bool) -> None:
    made = one(
        "create table p (id int primary key); create table c (p_id int);"
        f"alter table c add constraint fk foreign key (p_id) references p {clause}"
    )
    assert made.foreign_keys[0].target_columns == ("id",)
    assert made.foreign_keys[0].usable is usable


def test_not_null_not_valid_is_no_fact() -> None:
    made = one("create table t (a int); alter table t add constraint nn not null a not valid")
    assert not made.columns[0].not_null


def test_checks_keep_their_text() -> None:
    made = one("create table t (a int check (a > 1), b int, constraint two check (a < b) not enforced)")
    assert [(c.name, c.usable) for c in made.checks] == [("t_a_check", True), ("two", False)]
    assert made.checks[0].text == "a > 1"


def test_inheritance_marks_the_parent_and_partitions_keep_its_keys() -> None:
    catalog = catalog_from_ddl(
        "create table p (id int primary key); create table c (x int) inherits (p);"
        "create table q (id int primary key, v int) partition by list (id);"
        "create table q1 partition of q for values in (1)"
    )
    assert table(catalog, "p").has_children
    assert [c.name for c in table(catalog, "c").columns] == ["id", "x"]
    assert not table(catalog, "c").keys
    assert table(catalog, "q").kind == "partitioned"
    assert table(catalog, "q1").keys
    assert table(catalog, "q1").partition_of == TableRef("public", "q")


def test_views_types_and_search_path() -> None:
    catalog = catalog_from_ddl(
        "create schema s; set search_path to s; create type mood as enum ('a', 'b');"
        "create domain pos as int not null check (value > 0); create table t (m mood, p pos);"
        "create view v (one) as select m from t where p > 1; alter table t enable row level security"
    )
    assert table(catalog, "v", "s").columns[0].name == "one"
    assert table(catalog, "t", "s").row_security
    assert catalog.type("s.pos").not_null
    query = bind("select one from v where one = 'a'", catalog, search_path=("s",))
    assert query.targets[0].expr.type.name == "mood"  # type: ignore[union-attr]


def test_a_dump_reads() -> None:
    catalog = catalog_from_ddl(
        "SET statement_timeout = 0; SELECT pg_catalog.set_config('search_path', '', false);\n"
        "CREATE TABLE public.t (id integer NOT NULL); ALTER TABLE public.t OWNER TO joe;\n"
        "CREATE SEQUENCE public.s; ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);\n"
        "COMMENT ON TABLE public.t IS 'x'; GRANT SELECT ON public.t TO joe; INSERT INTO public.t VALUES (1);"
    )
    assert table(catalog, "t").primary_key is not None


@pytest.mark.parametrize(
    "text",
    [
        "create table t (",
        "create function f() returns int language plpython3u as 'x'",
        "create function f() returns int language c as 'x', 'y'",
        "copy t from program 'id'",
        "do $$ begin end $$",
        "create event trigger e on ddl_command_start execute function f()",
        "create extension dblink",
        "drop database x",
        "select pg_sleep(100)",
        "create table t (a nosuch)",
        "create table t (a int); create table t (a int)",
        "create table c (a int references nowhere)",
        "create temporary table t (a int)",
        "create view v as select * from nowhere",
        "create server s foreign data wrapper w",
        "create rule r as on insert to t do instead nothing",
        "alter system set x = 1",
        "create table t (a int); create table c (a int references t)",
    ],
)
def test_what_is_not_plain_schema_is_refused(text: str) -> None:
    with pytest.raises(DdlError):
        catalog_from_ddl(text)


def test_ten_thousand_tables_are_refused() -> None:
    with pytest.raises(DdlError, match="tables"):
        catalog_from_ddl(";".join(f"create table t{i} (a int)" for i in range(10_000)))


def test_the_digest_moves_with_facts_and_not_with_their_order() -> None:
    a, b = "create table a (x int);", "create table b (x int);"
    assert catalog_from_ddl(a + b).digest() == catalog_from_ddl(b + a).digest()
    changed = "create table a (x int not null);"
    assert catalog_from_ddl(changed + b).digest() != catalog_from_ddl(a + b).digest()


def test_a_dropped_not_null_constraint_is_no_fact() -> None:
    named = one(
        "create table t (a int constraint n not null, b int not null); alter table t drop constraint n"
    )
    assert [c.not_null for c in named.columns] == [False, True]
    automatic = one(
        "create table t (a int not null, b int not null); alter table t drop constraint t_b_not_null"
    )
    assert [c.not_null for c in automatic.columns] == [True, False]


def test_references_go_with_the_table_they_point_to() -> None:
    catalog = catalog_from_ddl(
        "create table t (a int primary key); create table u (b int references t); drop table t cascade;"
        "create table t (a int)"
    )
    assert not table(catalog, "u").foreign_keys


@pytest.mark.parametrize("change", ["drop constraint n", "alter a drop not null"])
def test_what_is_dropped_from_a_parent_is_not_followed(change: str) -> None:
    with pytest.raises(DdlError):
        catalog_from_ddl(
            f"create table p (a int constraint n not null); create table c () inherits (p); alter table p {change}"
        )


def test_psql_commands_around_a_dump_are_passed_over() -> None:
    dump = "-- a dump\n\\restrict aB3\n\nSET client_encoding = 'UTF8';\nCREATE TABLE t (a int);\n\n\\unrestrict aB3\n"
    assert [t.ref.name for t in catalog_from_ddl(dump).relations] == ["t"]
    for other in (
        "\\restrict aB3\nCREATE TABLE t (a int);",
        dump.replace("\\unrestrict", "\\!"),
        "\\i other.sql",
    ):
        with pytest.raises(DdlError):
            catalog_from_ddl(other)


ROWS = "COPY public.t (a, b) FROM stdin;\n1\t'\n2\tcreate table no (x int);\n\\.\n"


def test_rows_in_a_dump_are_passed_over() -> None:
    dump = f"CREATE TABLE t (a int, b text);\n-- Data\n{ROWS}\nCOPY public.u FROM stdin;\n\\.\nCREATE TABLE u (a int);\n"
    assert [t.ref.name for t in catalog_from_ddl(dump).relations] == ["t", "u"]
    assert without_commands(dump).count("\n") == dump.count("\n")


@pytest.mark.parametrize(
    "around",
    [
        "create table t (a text default '{}');",
        "create table t (a int) /* {} */;",
        'create table t ("{}" int);',
        "create function f() returns text language sql as $x$ {} $x$;",
        "create table t (a int)\n{};",
    ],
)
def test_what_looks_like_rows_inside_something_else_stays(around: str) -> None:
    text = around.format("\n" + ROWS)
    assert without_commands(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "drop index if exists t_b",
        "drop index if exists public.t_b",
        "drop schema if exists public cascade",
        "drop type if exists mood",
        "drop domain if exists d",
        "drop function if exists f(int)",
        "begin; alter table t add primary key (a); rollback",
        "begin; savepoint s; alter table t add primary key (a); rollback to s; commit",
        "begin; alter table t add primary key (a)",
        "begin; prepare transaction 'x'",
        "set session_replication_role = replica",
        "set transform_null_equals to on",
        "set standard_conforming_strings = off",
        "set array_nulls = off",
        "select pg_catalog.set_config('session_replication_role', 'replica', false)",
        "select set_config('search_path', 'other', false)",
        "select set_config(lower('X'), '', false)",
        "select set_config()",
        "select setval('s', 1), f()",
    ],
)
def test_what_takes_facts_back_or_lets_rows_past_them_is_refused(text: str) -> None:
    schema = (
        "create type mood as enum ('a'); create domain d as int; create table t (a int, b int);"
        "create function f(int) returns int language sql as 'select 1'; create unique index t_b on t (b);"
    )
    catalog_from_ddl(schema)
    with pytest.raises(DdlError):
        catalog_from_ddl(schema + text)


def test_what_dumps_and_scripts_begin_with_is_read() -> None:
    catalog_from_ddl(
        "drop index if exists i; drop schema if exists other cascade; drop type if exists mood; drop trigger if exists x on t;"
        "set statement_timeout = 0; set standard_conforming_strings = on; set session_replication_role = origin;"
        "select pg_catalog.set_config('search_path', '', false);"
        "begin; create table public.t (a int); savepoint s; release s; commit; select setval('s', 1);"
    )


_PARTITIONED = (
    "create table p (id int not null, y int not null) partition by range (y);"
    "create table p1 partition of p for values from (0) to (1); create table p2 partition of p for values from (1) to (2);"
)
_KEY = "alter table only p add constraint pk primary key (id, y);"
_PARTS = "alter table only p1 add constraint k1 primary key (id, y); alter table only p2 add constraint k2 primary key (id, y);"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        (_KEY, False),
        ("create unique index pk on only p (id, y);", False),
        (_KEY.replace("only ", ""), True),
        ("create unique index pk on p (id, y);", True),
        (f"{_KEY}{_PARTS}", False),
        (f"{_KEY}{_PARTS}alter index pk attach partition k1;", False),
        (
            f"{_KEY}{_PARTS}alter index pk attach partition k1; alter index public.pk attach partition public.k2;",
            True,
        ),
        (
            f"{_KEY}{_PARTS}alter index pk attach partition k1; alter index other.pk attach partition k2;",
            False,
        ),
    ],
)
def test_a_key_of_a_partitioned_table_alone_holds_once_its_partitions_have_it(text: str, holds: bool) -> None:
    table = catalog_from_ddl(_PARTITIONED + text).table(TableRef("public", "p"))
    assert [k.usable for k in table.keys if k.name == "pk"] == [holds]


def test_checks_are_named_by_the_one_column_that_they_read() -> None:
    made = one(
        "create table t (a int check (b > 1), b int, check (a > 2), check (t.a > 3), check (a < b), check (1 = 1))"
    )
    assert [c.name for c in made.checks] == ["t_b_check", "t_a_check", "t_a_check1", "t_check", "t_check1"]


def test_what_is_dropped_was_there() -> None:
    table = "create table t (a int not null, b int, check (a > 0));"
    assert not one(f"{table}alter table t drop constraint t_a_check").checks
    assert one(f"{table}alter table t drop constraint if exists other").checks
    assert not one(f"{table}alter table t drop constraint t_a_not_null").columns[0].not_null
    for name in ("t_check", "nothing", f"if exists {'t' * 60}"):
        with pytest.raises(DdlError):
            one(f"{table}alter table t drop constraint {name}")
