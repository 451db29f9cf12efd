"""What may fail and is not written where it is evaluated: outputs of subqueries that are pulled up into conditions
and guards, scalar subqueries of several rows, and subqueries of which EXISTS reads one row and IN all. Told apart
by a server, and never proved the same; where the planner does the same with both, they are.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table t (id int primary key, g int not null, x int not null, h int);
create table u (id int primary key, k int not null unique, w int not null);
"""
# the row of t that can't be divided by, and that more than one row of u is above, has the least h and no partner
ROWS = """
insert into t values (1, 1, 0, 1), (2, 2, 5, 2), (3, 2, 6, 3);
insert into u values (1, 2, 5), (2, 3, 1), (3, 4, 7);
"""
CATALOG = catalog_from_ddl(SCHEMA)
DIVIDED = "(select id, g, h, 10 / x y from t)"
SEVERAL = "(select id, g, h, (select w from u where u.w > t.x and t.x < 7) y from t)"
VALUES = (DIVIDED, SEVERAL)
FENCED = "(with c as (select id, g, h, 10 / x y from t) select * from c)"
# conditions beside each other, of which the server asks the cheaper first, however they are written
BY_COST = (
    ("select id from {q} q where h > 1 and y > 0", "select id from {q} q where y > 0 and h > 1"),
    (
        "select id from {q} q where case when h > 1 then y > 0 end",
        "select id from {q} q where y > 0 and h > 1",
    ),
)
BY_PLACE = (
    (
        "select id, case when h > 1 then y end from {q} q",
        "select id, case when y is not null and h > 1 then y end from {q} q",
    ),
    ("select id, h > 1 and y > 0 from {q} q", "select id, y > 0 and h > 1 from {q} q"),
)
FILTERED = (
    "select id, coalesce(h, y) from {q} q",
    "select g, sum(y) filter (where h > 1) from {q} q group by g",
    "select count(case when h > 1 then y end) from {q} q",
)
ORDERED = "(select id, g, h, 10 / x y from t order by id)"
EITHER = [(a.format(q=q), b.format(q=q)) for q in VALUES for a, b in BY_COST]
PAIRS = [(a.format(q=q), b.format(q=q)) for q in VALUES for a, b in BY_PLACE]
PAIRS += [
    (
        f"select id from {DIVIDED} q where h > 1 and y > 0",
        f"select id from {DIVIDED} q where y is not null and h > 1 and y > 0",
    ),
    (
        f"select id from {DIVIDED} q where case when g in (select k from u) then y > 0 end",
        f"select id from {FENCED} q where case when g in (select k from u) then y > 0 end",
    ),
    (
        f"select g, sum(y) filter (where h > 1) from {DIVIDED} q group by g",
        f"select g, sum(y) filter (where y is not null and h > 1) from {DIVIDED} q group by g",
    ),
    (
        f"select id from {ORDERED} q where h > 1 and y in (select w from u)",
        f"select id from {ORDERED} q where case when h > 1 then y in (select w from u) end",
    ),
    *((f.format(q=DIVIDED), f.format(q=ORDERED)) for f in FILTERED),
    (
        "select id, (select w from u where u.w > t.x) > 0 and h > 1 from t",
        "select id, h > 1 and (select w from u where u.w > t.x) > 0 from t",
    ),
]
# of which the server may read the row that fails last, or not at all
READ = [
    (
        "select id from u where exists (select 1 from t where 10 / x > 0)",
        "select id from u where 1 in (select 1 from t where 10 / x > 0)",
    ),
    (
        "select id, exists (select from (select g, 10 / x y from t) z where z.g = u.k and y > 0) from u",
        "select id, u.k in (select g from (select g, 10 / x y from t) z where y > 0) from u",
    ),
]
SAME = [
    (f"select id from {DIVIDED} q where y > 0", "select id from t where 10 / x > 0"),
    (f"select id from {DIVIDED} q where h > 1 and y > 0", "select id from t where h > 1 and 10 / x > 0"),
    (
        f"select id, case when h > 1 then y end from {DIVIDED} q",
        "select id, case when h > 1 then 10 / x end from t",
    ),
    (
        "select id from u where (select x from t where t.id = u.id) > 0 and w > 1",
        "select id from u where w > 1 and (select x from t where t.id = u.id) > 0",
    ),
    (
        "select id from u where exists (select 1 from t where x > 0)",
        "select id from u where 1 in (select 1 from t where x > 0)",
    ),
]

proved = prover(CATALOG, 3.0)


@pytest.mark.parametrize(("first", "second"), PAIRS + EITHER + READ)
def test_what_is_evaluated_of_other_rows_is_not_the_same(first: str, second: str) -> None:
    for pair in ((first, second), (second, first)):
        found = proved(*pair)
        assert found is None or "errors" in found.modulo


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_the_planner_pulls_up_is_the_same(first: str, second: str) -> None:
    found = proved(first, second)
    assert found is not None
    assert "errors" not in found.modulo


@pytest.mark.server
def test_the_server_raises_in_one_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    errors = (psycopg.errors.DivisionByZero, psycopg.errors.CardinalityViolation)
    with failing_with(errors, scratch_server, database, SCHEMA + ROWS) as fails:
        alike = [(a, b) for a, b in PAIRS if fails(a) == fails(b)]
    assert alike == []
