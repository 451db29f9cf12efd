"""What migrations change: the facts that a server would keep are kept, those it would drop are gone, and what is
not followed is refused.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.catalog import Catalog, Table
from rewright.sql.ddl import DdlError, catalog_from_ddl

_BASE = (
    "create type mood as enum ('low', 'high'); create domain small as int check (value < 9);"
    "create table p (id int primary key, code text not null unique, n int check (n > 0), k small);"
    "create table c (id int primary key, p_id int not null references p, a varchar(9), b int, unique (a, b),"
    " check (b > 1), constraint both_ check (a <> 'x' or b = 2), m mood);"
)
# changes that a server carries out and that are followed
_FOLLOWED = (
    "alter table c drop column b",
    "alter table c drop column if exists nothing",
    "alter table c drop column p_id",
    "alter table p drop column id cascade",
    "alter table c alter column a type varchar(20)",
    "alter table p alter column code type varchar(40)",
    "alter table c alter p_id type bigint using p_id + 0",
    "alter table c rename column p_id to parent",
    "alter table p rename column id to key",
    "alter table p rename to parents",
    "alter table c rename constraint both_ to other",
    "alter index c_a_b_key rename to c_unique",
    "alter table c add check (b < 99) not valid; alter table c validate constraint c_b_check1",
    "alter table c add foreign key (b) references p not valid; alter table c validate constraint c_b_fkey",
    "alter type mood add value 'middle' before 'high'",
    "alter type mood add value 'top'; alter type mood add value if not exists 'low' after 'top'",
    "alter domain small add constraint more check (value > 0)",
    "alter domain small set not null",
    "alter domain small drop constraint small_check",
    "alter table c drop column b; alter table c add column b text; alter table c rename b to d",
)


def _facts(table: Table) -> object:
    return (
        [(c.name, c.type, c.not_null) for c in table.columns],
        sorted((k.name, k.columns, k.primary) for k in table.keys),
        sorted((f.name, f.columns, f.target, f.target_columns, f.validated) for f in table.foreign_keys),
        sorted((c.name, c.validated) for c in table.checks),
    )


def _told(catalog: Catalog) -> object:
    own = [t for t in catalog.relations if t.ref.schema == "public"]
    types = [t for t in catalog.types if t.kind in {"e", "d"}]
    return (
        {t.ref.name: _facts(t) for t in own},
        {t.name: (t.labels, t.not_null, sorted(c.name for c in t.checks)) for t in types},
    )


def test_what_is_followed_is_what_a_server_makes_of_it(scratch_server: ScratchServer, database: str) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        for change in _FOLLOWED:
            connection.execute("drop schema public cascade; create schema public")
            connection.execute(_BASE + change)
            assert _told(catalog_from_ddl(_BASE + change)) == _told(snapshot(connection)), change


@pytest.mark.parametrize(
    "change",
    [
        "alter table p drop column id",  # others reference it
        "alter table p drop column nothing",
        "create unique index on c (p_id) include (m); alter table c drop column m",
        "alter table c add constraint u unique (p_id) include (m); alter table c drop column m",
        (
            "create table l (like c including all); create unique index on c (p_id) include (m);"
            "create table d (like c including all); alter table d drop column m"
        ),
        "create table h () inherits (c); alter table c drop column m",
        "create table h () inherits (c); alter table h drop column m",
        "create view v as select m from c; alter table c rename m to o",
        "create view v as select * from c; alter table c alter m type text",
        "create table g (a int, b int generated always as (a + 1) stored); alter table g drop column a",
        "alter table c alter column b type numeric",  # a CHECK reads it
        "create unique index on c (m) where b > 2; alter table c alter b type bigint",
        "create unique index on c ((b + 1)); alter table c rename b to d",
        "alter table c rename b to d",
        "alter table c rename m to id",
        (
            "create collation loose (provider = icu, locale = 'und', deterministic = false);"
            "alter table p alter code type text collate loose"
        ),
        # NOT NULL would stay, by a name of before
        "alter table p rename to q; alter table q drop constraint if exists p_code_not_null",
        "alter table p rename code to word; alter table p drop constraint if exists p_code_not_null",
        "alter table p rename to q; alter table q drop constraint if exists p_code_key",
        "create unique index on c (m); alter table c rename to d; drop index if exists c_m_idx",
        "create unique index u on c (m); alter index u rename to w; drop index if exists w",
        "create table r (x p); alter table p rename to q",
        "create function f(p) returns int language sql as 'select 1'; alter table p rename to q",
        "create table q (a int check (q.a > 1)); alter table q rename to s",
        "alter type mood rename value 'low' to 'down'",
        "alter type mood add value 'low'",
        "alter type mood add value 'new' before 'nothing'",
        "alter domain small add constraint more check (value > 0) not valid",
        "alter domain small set not null; alter domain small drop constraint small_not_null",
        "alter type mood rename to feeling",
        "alter table c rename constraint c_b_check to both_",
    ],
)
def test_what_is_not_followed_is_refused(change: str) -> None:
    catalog_from_ddl(_BASE)
    with pytest.raises(DdlError):
        catalog_from_ddl(_BASE + change)


def test_what_may_undo_references_goes_with_a_renamed_table() -> None:
    schema = (
        "create table p (id int primary key); create table c (p int constraint r references p on delete cascade);"
        "create function f() returns trigger language plpgsql as 'begin return null; end';"
    )
    undone = "create trigger x before delete on {} for each row execute function f();"
    for text, usable in (
        ("alter table c rename to d;", True),
        (undone.format("c") + "alter table c rename to d;", False),
        ("alter table c rename to d;" + undone.format("d"), False),
        (undone.format("c") + "alter table c rename constraint r to s;", False),
    ):
        found = [f for t in catalog_from_ddl(schema + text).relations for f in t.foreign_keys]
        assert [f.usable for f in found] == [usable], text


def test_an_index_is_not_made_for_certain_where_its_name_may_be_taken_by_a_renamed_one() -> None:
    text = "alter index c_a_b_key rename to u; create unique index if not exists c_a_b_key on c (m)"
    (found,) = (t for t in catalog_from_ddl(_BASE + text).relations if t.ref.name == "c")
    assert ("m",) not in {k.columns for k in found.keys}
