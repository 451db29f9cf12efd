"""Rows and groups that a query drops when they have been made: what raises in them raises all the same, and a
query that leaves them out before does not.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.equivalence.prover import prove
from rewright.equivalence.records import Proof
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.directions import TURNED
from tests.equivalence.text_pairs import prover

pytestmark = pytest.mark.long

SCHEMA = """
create table t (id int primary key, g int not null, x int not null, h int not null, d date);
create table u (id int primary key, g int not null, h int not null);
"""
ROWS = """
insert into t values (1, 1, 0, 1, '2020-01-01'), (2, 2, 5, 30, '2020-01-02'), (3, 2, 1, 3, null);
insert into u values (1, 2, 3), (2, 3, 4);
"""
CATALOG = catalog_from_ddl(SCHEMA)
# of the first groups one raises
RAISING = (
    "sum(10/x)",
    "count(10/x) >= 0",
    "count(distinct 10/x)",
    "count(*) filter (where 10/x > 0)",
    "sum((select max(10/t.x + u.h) from u))",
    "max(h) filter (where exists (select from u where u.h = 10/t.x))",
    "string_agg((10/x)::text, ',' order by id)",
    "array_agg(10/x order by id)",
)
# conditions that the server asks of groups, and the same of rows
LATE = (
    ("g in (select u.g from u)", "g in (select u.g from u)"),
    ("exists (select from u where u.g = t.g)", "exists (select from u where u.g = t.g)"),
    ("(select count(*) from u where u.g = t.g) > 0", "(select count(*) from u where u.g = t.g) > 0"),
    ("max(h) > 20", "exists (select from t y where y.g = t.g and y.h > 20)"),
    ("max(h) > 20", "g in (select g from t where h > 20)"),
)
GROUPS = tuple(
    (
        f"select g, {value} from t group by g having {late}",
        f"select g, {value} from t where {early} group by g",
    )
    for value in RAISING
    for late, early in LATE
)
OTHERS = (
    ("select g, sum(10/x) from t group by g having g = (select max(u.g) - 1 from u)", "select g, sum(10/x) from t group by g having exists (select from (select max(u.g) - 1 as m from u) q where m = t.g)"),
    ("select g, sum(10/x) from t group by g having g = (select max(u.g) - 1 from u)", "select g, sum(10/x) from t group by g having g in (select max(u.g) - 1 from u)"),
    ("select g, sum(y) from (select g, 10/x y from t) q group by g having g in (select u.g from u)", "select g, sum(y) from (select g, 10/x y from t where g in (select u.g from u)) q group by g"),
    ("select g, count(*) from t group by g, 10/x having g in (select u.g from u)", "select g, count(*) from t where g in (select u.g from u) group by g, 10/x"),
    ("select distinct g from t group by g, 10/x having g in (select u.g from u)", "select distinct g from t where g in (select u.g from u) group by g, 10/x"),
    ("select g from t group by g having g in (select u.g from u) and count(10/x) >= 0", "select g from t where g in (select u.g from u) group by g having count(10/x) >= 0"),
    ("select g, sum(10/x) from t group by rollup (g) having g > 1", "select g, sum(10/x) from t where g > 1 group by g"),
    ("select g, sum(10/x) from t group by g having g > 1 or count(*) = 0", "select g, sum(10/x) from t where g > 1 group by g"),
    ("select g, sum(10/x) from t group by g having case when count(*) > 0 then g > 1 end", "select g, sum(10/x) from t where g > 1 group by g"),
    ("select g, sum(10/x) from t group by g having g = max(g) and g > 1 + count(*) * 0", "select g, sum(10/x) from t where g > 1 group by g"),
    ("select g, sum(10/x) from t group by g having min(g) > 1", "select g, sum(10/x) from t where g > 1 group by g"),
    ("select g, sum(10/x) from t group by g having count(*) filter (where g > 1) > 0", "select g, sum(10/x) from t where g > 1 group by g"),
    ("select g, sum(10/x) from t group by g having g in (select u.g from u)", "select g, sum(10/x) from t where g in (select u.g from u) group by g having g in (select u.g from u)"),
    ("select g, sum(10/x) from t group by g having max(h) > 20", "select g, sum(10/x) from t where exists (select from t y where y.g = t.g and y.h > 20) group by g having max(h) > 20"),
    ("select id from u where g in (select g from t group by g having sum(10/x) > 3 and max(h) > 20)", "select id from u where g in (select g from t where exists (select from t y where y.g = t.g and y.h > 20) group by g having sum(10/x) > 3)"),
    ("select g, sum(y) from t, lateral (select 10/t.x y) l group by g having max(h) > 20", "select g, sum(y) from t, lateral (select 10/t.x y) l where exists (select from t y where y.g = t.g and y.h > 20) group by g"),
    ("with q as materialized (select g, x, 10/x y, h from t) select g, sum(y) from q group by g having max(h) > 20", "with q as materialized (select g, x, 10/x y, h from t where g in (select g from t where h > 20)) select g, sum(y) from q group by g"),
    ("select distinct on (g) g, h from t order by g, id, 10/x", "select distinct on (g) g, h from t order by g, id"),
    ("select g, h from t order by id, 10/x", "select g, h from t order by id"),
    ("select g, h from t order by id limit 1", "select g, h from t order by id, 10/x limit 1"),
    ("select g, s from (select g, sum(10/x) s from t group by g) q where g in (select g from u)", "select g, sum(10/x) s from t where g in (select g from u) group by g"),
    ("select g, s from (select g, sum(10/x) s from t group by g) q join u using (g)", "select t.g, (select sum(10/x) from t y where y.g = u.g) from u join (select distinct g from t) t using (g)"),
    ("select u.id, (select sum(10/x) from t where t.g = u.g) from u", "select u.id, s from u left join (select g, sum(10/x) s from t group by g) q using (g)"),
    ("select u.id, s from u, lateral (select sum(10/x) s from t where t.g = u.g) l", "select u.id, s from u left join (select g, sum(10/x) s from t group by g) q using (g)"),
    ("select g, y from (select g, 10/x y from t except select g, h from u) q where g = 2", "select g, 10/x from t where g = 2 except select g, h from u where g = 2"),
    ("select g, max(h) filter (where 10/x > 0) from t group by g having g in (select g from u)", "select g, max(h) filter (where 10/x > 0) from t where g in (select g from u) group by g"),
    ("select id, (select count(10/x) from t) from u where id > 5", "select id, c from u, (select count(10/x) c from t) q where id > 5"),
    ("select g, sum(10/x) from t group by g order by g desc limit 1", "select g, sum(10/x) from t where g = (select max(g) from t) group by g"),
    ("select g, sum(10/x) from t group by g order by g desc limit 1", "select g, (select sum(10/x) from t y where y.g = q.g) from (select distinct g from t order by g desc limit 1) q"),
    ("select u.id, s from u join (select g, sum(10/x) s from t group by g) q on q.g = u.g where u.id = 1", "select u.id, s from u join (select g, sum(10/x) s from t where g in (select g from u where id = 1) group by g) q on q.g = u.g where u.id = 1"),
    ("select max(y) over (), g from (select 10/x y, g from t) q where g > 1", "select * from (select max(10/x) over (partition by g > 1), g from t) q where g > 1"),
    ("select h, 10/x from t order by h desc, id desc limit 1", "select h, 10/x from (select * from t order by h desc, id desc limit 1) q"),
    ("select h, sum(10/x) from t group by h order by h desc limit 1", "select h, sum(10/x) from t where h = (select max(h) from t) group by h"),
    ("select h, sum(10/x) from t group by h order by h desc limit 1", "select h, sum(10/x) from t group by h having h = (select max(h) from t)"),
    ("select h, sum(10/x) from t group by h order by h desc fetch first 1 rows with ties", "select h, sum(10/x) from t where h = (select max(h) from t) group by h"),
    ("select distinct g, 10/x from t order by g desc limit 1", "select distinct g, 10/x from t where g = (select max(g) from t) order by g desc limit 1"),
    ("select h, 10/x from t order by h desc limit 1", "select h, 10/x from t where h = (select max(h) from t) limit 1"),
    ("select h, 10/x from t order by h desc fetch first 1 rows with ties", "select h, 10/x from t where h = (select max(h) from t)"),
    ("select h, 10/x from t order by h offset 2", "select h, 10/x from (select * from t order by h offset 2) q"),
    ("select h, 10/x from t order by h desc limit 1", "select h, 10/x from (select * from t order by h desc limit 1) q"),
    ("select g, max(10/x) over (partition by g) from t where id < 9 order by id desc limit 1", "select g, max(10/x) over (partition by g) from t where g = (select g from t where id < 9 order by id desc limit 1) and id < 9 order by id desc limit 1"),
    ("select id, h from t order by h desc, 10/x limit 1", "select id, h from (select * from t order by h desc limit 1) q"),
)  # fmt: skip
APART = (*GROUPS, *OTHERS)
# the same is dropped when the same has been made
ALIKE = (
    ("select g, sum(10/x) from t group by g having g > 1 and max(h) > 20", "select g, sum(10/x) from t where g > 1 group by g having max(h) > 20"),
    ("select g, sum(10/x) from t group by g having count(*) >= 2", "select g, sum(10/x) from t group by g having count(x) > 1"),
    ("select g, 10/g from t group by g having g in (select u.g from u)", "select g, 10/g from t where g in (select u.g from u) group by g"),
    ("select t.g, sum(10/t.x) from t join t y on y.id = t.id group by t.g having max(t.h) > 20", "select g, sum(10/x) from t group by g having max(h) > 20"),
    ("select id, d - h from t where exists (select from u where u.id = t.g) and d > current_date - 7 order by id limit 10", "select t.id, d - t.h from t join u on u.id = t.g where d > current_date - 7 order by t.id limit 10"),
    ("select g, sum(x * h) from t where g in (select id from u) group by g order by 2 desc, 1 limit 10", "select t.g, sum(t.x * t.h) from t join u on u.id = t.g group by t.g order by 2 desc, 1 limit 10"),
)  # fmt: skip


@pytest.mark.parametrize("pair", APART)
@pytest.mark.parametrize("turned", TURNED)
def test_what_raises_in_dropped_rows_is_a_reservation(pair: tuple[str, str], turned: bool) -> None:
    texts = pair[::-1] if turned else pair
    found = prove(*(bind(text, CATALOG) for text in texts), CATALOG, deadline_seconds=60)
    assert not isinstance(found, Proof) or "errors" in found.modulo
    by_parts = prover(CATALOG, 1.0)(*texts)
    assert by_parts is None or "errors" in by_parts.modulo


@pytest.mark.parametrize("pair", ALIKE)
def test_what_drops_the_same_needs_none(pair: tuple[str, str]) -> None:
    found = prover(CATALOG, 60)(*pair)
    assert found is not None
    assert found.modulo == ()


@pytest.mark.server
@pytest.mark.parametrize("pair", APART)
def test_a_server_tells_them_apart(
    pair: tuple[str, str], rows_on_server: psycopg.Connection[tuple[object, ...]]
) -> None:
    first, second = (_outcome(rows_on_server, text) for text in pair)
    assert first != second


def _outcome(rows_on_server: psycopg.Connection[tuple[object, ...]], text: str) -> str:
    try:
        rows_on_server.execute(text.encode()).fetchall()
    except psycopg.errors.DivisionByZero as error:
        return str(error.sqlstate)
    return "rows"
