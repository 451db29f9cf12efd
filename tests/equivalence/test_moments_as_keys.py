"""Local times and days are no keys by the moments that they are: where clocks are put forward two of them are one
moment. The other way round each is one moment.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import equal_columns, fixed_column, is_equality
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table o (id int primary key, at timestamptz not null, local timestamp not null, day date not null);
create table t (id int primary key, ts timestamp not null unique, d date not null, x int not null);
create table m (at timestamptz primary key, x int not null);
"""
CATALOG = catalog_from_ddl(SCHEMA)
proved = prover(CATALOG, 5.0)
ROWS = """
insert into o values (1, '2024-03-31 01:30+00', '2024-03-31 03:30', '2024-03-31');
insert into t values (1, '2024-03-31 02:30', '2011-12-30', 5), (2, '2024-03-31 03:30', '2011-12-31', 7);
insert into m values ('2024-03-31 01:30+00', 5);
"""
DIFFERENT = (
    ("select o.id, t.x from o left join t on t.ts = o.at", "select o.id, (select t.x from t where t.ts = o.at) from o"),
    (
        "select o.id, g.v from o left join (select ts, max(x) as v from t group by ts) g on g.ts = o.at",
        "select o.id, (select max(x) from t where t.ts = o.at) from o",
    ),
    (
        "select o.id, g.n from o left join (select ts, count(*) as n from t group by ts) g on o.at = g.ts",
        "select o.id, nullif(count(t.id), 0) from o left join t on t.ts = o.at group by o.id",
    ),
    ("select o.id from o, t where t.ts = o.at limit 1", "select o.id from o, t where t.ts = o.at"),
)  # fmt: skip
# the server, too, takes a key for one here, and looks for no second row
UNSURE = (
    (
        "select o.id from o where exists (select from t where t.ts = o.at)",
        "select o.id from o join t on t.ts = o.at",
    ),
)
# the same by what the equations mean: an index that nobody told of makes the server answer otherwise
ALIKE = (
    ("select o.id, m.x from o left join m on m.at = o.local", "select o.id, (select m.x from m where m.at = o.local) from o"),
    ("select o.id from o where exists (select from m where o.day = m.at)", "select o.id from o join m on o.day = m.at"),
)  # fmt: skip
# a cast makes the local time a moment: the planner knows nothing of it then
SAME = (
    (
        "select o.id, m.x from o left join m on m.at = o.local::timestamptz",
        "select o.id, (select m.x from m where m.at = o.local::timestamptz) from o",
    ),
)


@pytest.mark.parametrize(("first", "second"), DIFFERENT + UNSURE + ALIKE)
def test_a_moment_fixes_no_local_time(first: str, second: str) -> None:
    assert proved(first, second) is None


@pytest.mark.parametrize(("first", "second"), SAME)
def test_a_local_time_as_a_moment_fixes_one(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is not None
    assert found.modulo == ()


@pytest.mark.parametrize(("other", "said"), [("at", False), ("local", True), ("day", True)])
def test_equality_is_one_that_no_zone_decides(other: str, said: bool) -> None:
    query = bind(f"select from o join t on t.ts = o.{other}", CATALOG)
    condition = query.from_[0].on  # type: ignore[union-attr]
    assert is_equality(condition) is said
    assert (equal_columns(condition) is not None) is said
    rels = frozenset({query.from_[0].right.rel})  # type: ignore[union-attr]
    assert (fixed_column(condition, rels) is not None) is said


@pytest.mark.server
def test_a_server_tells_the_different_ones_apart(scratch_server: ScratchServer, module_database: str) -> None:
    def answer(connection: psycopg.Connection[tuple[object, ...]], text: str) -> object:
        try:
            return sorted(connection.execute(text.encode()).fetchall(), key=repr)
        except psycopg.Error as error:
            return error.sqlstate

    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute("set timezone = 'Europe/Berlin'")
        connection.execute(f"{SCHEMA}{ROWS}".encode())
        same = [answer(connection, a) == answer(connection, b) for a, b in DIFFERENT]
        assert not any(same)
        assert all(answer(connection, a) == answer(connection, b) for a, b in SAME)
