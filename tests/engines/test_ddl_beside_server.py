"""A catalog read from DDL has what a server says after running it: types with their collations, keys,
references, checks, parents.
"""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.ddl_types import DdlError
from rewright.sql.records import Table

pytestmark = pytest.mark.server
ALIKE = (
    'create table t (a text collate "C", b varchar(9) collate "POSIX", c char(3) collate ucs_basic, d text[] collate "C")',
    'create domain d as text collate "C"; create domain e as d; create domain f as d collate "POSIX"; create table t (a d, b e, c f, g d[], h e collate "default")',
    'create type c as (a text collate "C", b numeric(5, 2), d varchar(3)[]); create table t (a c, b c[])',
    'create collation x from "C"; create domain d as text collate x; create type c as (a text collate x); create table t (a text collate x, b d, c c)',
    'create schema s; create collation s.x from "C"; create table t (a text collate s.x)',
    'create table p (a text collate "C", b numeric(8, 3)); create table t (like p including all, x int)',
    'create table p (a text collate "C" primary key, b int check (b > 0)); create table t (z int) inherits (p)',
    "create table p (a text collate \"C\", b int) partition by list (a); create table t partition of p for values in ('x')",
    "create table t as select 1 as a, 'x'::text collate \"C\" as b, 1.5::numeric(5, 2) as c",
    "create view v as select 1 as a, 'x'::varchar(3) as b, 'x' collate \"C\" as c",
    "create table t (a int unique nulls not distinct, b int, unique (a, b) include (b))",
    "create table t (a int, b int, primary key (a, b) deferrable)",
    "create table t (a int constraint nn not null no inherit, b int not null)",
    "create table t (a int); alter table t add constraint nn not null a not valid",
    "create table t (a int, b int); create unique index on t (a) where b > 0; create unique index on t ((a + b)); create unique index on t (b) nulls not distinct",
    'create table t (a text, b text); create unique index on t (a collate "C"); create unique index on t (lower(b)); create unique index on t (b text_pattern_ops)',
    "create table p (a int primary key, b int unique); create table t (a int references p, b int references p (b) match full, c int references p deferrable, foreign key (a) references p not enforced)",
    "create table t (a int check (a > 0), b int check (b > 0) not enforced, c int, check (c > 0) no inherit); alter table t add check (a < 9) not valid",
    'create table t (a bit(3), b varbit(5), c interval(2), d time(1), e timestamptz(0), f numeric(3, -2), g interval day to second(1), h "char", i name)',
    "create table t (a int, constraint x check (a > 0), constraint y unique (a)); alter table t drop constraint x, drop constraint y",
)
# what a server would do to other relations as well is refused, not read in part
REFUSED = (
    "create table p (a int); create table t () inherits (p); alter table p add column c int not null default 3",
    "create table p (a int) partition by range (a); create table t partition of p default; alter table p add column c int",
    "create table p (a int not null); create table t () inherits (p); alter table p alter a drop not null",
)


def _table(table: Table) -> dict[str, Any]:
    return {
        "kind": table.kind,
        "columns": [(c.name, c.type, c.not_null, bool(c.generated)) for c in table.columns],
        "keys": sorted((k.columns, k.usable, bool(k.partial)) for k in table.keys),
        "references": sorted(
            (f.columns, f.target.name, f.target_columns, f.match, f.usable) for f in table.foreign_keys
        ),
        "checks": sorted((c.usable, c.no_inherit) for c in table.checks),
        "parents": (table.parents, table.has_children, table.partition_of),
    }


def _shown(catalog: Catalog) -> dict[str, Any]:
    fields = {t.key: (t.collation, t.base, t.base_typmod, t.fields) for t in catalog.types if t.kind in "cd"}
    return {"types": fields, **{f"{t.ref.schema}.{t.ref.name}": _table(t) for t in catalog.relations}}


@pytest.mark.parametrize("ddl", ALIKE)
def test_ddl_reads_as_the_server_runs_it(ddl: str, scratch_server: ScratchServer) -> None:
    database = scratch_server.create_database()
    try:
        dsn = scratch_server.unprivileged_dsn(database, unix=True)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(ddl.encode())
            live = snapshot(connection)
    finally:
        scratch_server.drop_database(database)
    assert _shown(catalog_from_ddl(ddl)) == _shown(live)


@pytest.mark.parametrize("ddl", REFUSED)
def test_what_is_done_to_children_too_is_refused(ddl: str) -> None:
    with pytest.raises(DdlError, match="of a parent"):
        catalog_from_ddl(ddl)
