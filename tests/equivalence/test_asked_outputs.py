"""Outputs of plain subqueries that a condition asks are computed of all rows that it meets, not of those alone that
are shown, and conditions above a fence only of the rows that are left below it: what leaves its type there is
told apart.
"""

from __future__ import annotations

import psycopg
import pytest

from bench.mutant_proofs import Shown
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.failing_pairs import failing_with, shown

SCHEMA = """
create table t (id int primary key, a int not null, k int not null check (k between 0 and 100));
create table u (id int primary key, t int not null references t, v int not null);
"""
# the row that is too large has no partner, and joins hash
ROWS = """
insert into t values (1, 1, 1), (2, 2, 2), (3, 2147483647, 3);
insert into u values (1, 1, 9), (2, 2, 9);
set enable_nestloop = off;
set enable_mergejoin = off;
"""
CATALOG = catalog_from_ddl(SCHEMA)
SUM = "(select id, a + 1 as x from t)"
KEPT = "(select id, k + 1 as x from t)"
GROUPED = "(select k, a + 1 as x from t)"
# the row that is too large has k = 3
DECIDED = (
    "select d.id, d.x from (select id, k, a + 1 as x from t) d join u on u.t = d.id where u.v > 5 and {c}"
)
OR, CASE = "(d.k & 3 = 3 or d.x > 0)", "case when d.k & 3 <> 3 then d.x > 0 else true end"
OTHER_ROWS = "d.id in (select id from t where k & 3 <> 3 and a + 1 > 0)"
# planned by themselves, and asked of rows with partners alone
OF_EACH = "(select z.a + 1 from t z where z.id = u.t) > 0"
COUNTED = "(select count(*) from t z where z.id = u.t and z.a + 1 > 0) > 0"
GUARDED = (
    "select d.id, d.x from (select id, a + 1 as x from t) d join u on u.t = d.id"
    " join t z on z.id = u.t and z.k < 3 and z.a + 1 > 0"
)
SHOWN = "select d.id, d.x from {q} d join u on u.t = d.id where u.v > 5"
# rows of t that have a partner, and a condition on these
PARTNERS = "select id, a from t where id in (select t from u)"
OTHERS = "select id, a from t where id & 8 = 0"
ABOVE = "select q.id from {q} q where q.a + 1 > 0"
BARE = "select t.id from t where t.id in (select t from u) and t.a + 1 > 0"
# the server answers the first, and not the second
SEEN = {
    "is not null": (SHOWN.format(q=SUM), f"{SHOWN.format(q=SUM)} and d.x is not null"),
    "as a group": (
        f"select x, count(*) from {GROUPED} d where k < 3 group by x",
        f"select x, count(*) from {GROUPED} d where x is not null and k < 3 group by x",
    ),
    "beside a subquery that asks one row after another": (
        f"{SHOWN.format(q=SUM)} and {OF_EACH}",
        f"{SHOWN.format(q=SUM)} and {OF_EACH} and d.x is not null",
    ),
    "beside another use that asks something first": (
        f"{GUARDED} where u.v > 5",
        f"{GUARDED} where u.v > 5 and d.x is not null",
    ),
    "beside a count of one row after another": (
        f"{SHOWN.format(q=SUM)} and {COUNTED}",
        f"{SHOWN.format(q=SUM)} and {COUNTED} and d.x is not null",
    ),
    "equals itself": (SHOWN.format(q=SUM), f"{SHOWN.format(q=SUM)} and d.x = d.x"),
    "either way": (SHOWN.format(q=SUM), f"{SHOWN.format(q=SUM)} and (d.x > 5 or d.x <= 5)"),
    "in ON": (
        SHOWN.format(q=SUM),
        SHOWN.format(q=SUM).replace("where", "and coalesce(d.x, 1) is not null where"),
    ),
    **{
        words: (DECIDED.format(c=c), DECIDED.format(c=f"{c} and d.x is not null"))
        for words, c in {
            "beside what an OR decides before it": OR,
            "beside a CASE": CASE,
            "beside a list that its first element decides": "d.k in (3, d.x)",
            "beside rows that their first columns decide": "(d.k, d.x) < (2, 9)",
            "beside a condition of joined rows": "u.v <> d.x",
            "beside other rows, which are asked something before": OTHER_ROWS,
        }.items()
    },
    "above OFFSET": (ABOVE.format(q=f"({PARTNERS} offset 0)"), ABOVE.format(q=f"({PARTNERS})")),
    "above OFFSET, and in one block": (ABOVE.format(q=f"({PARTNERS} offset 0)"), BARE),
    "above OFFSET, of rows that another condition leaves": (
        f"{ABOVE.format(q=f'({PARTNERS} offset 0)')} and q.id & 8 = 0",
        f"{ABOVE.format(q=f'({OTHERS} offset 0)')} and q.id in (select t from u)",
    ),
    "above a computed CTE of other rows": (
        f"with q as materialized ({PARTNERS}) {ABOVE.format(q='q')} and q.id & 8 = 0",
        f"with q as materialized ({OTHERS}) {ABOVE.format(q='q')} and q.id in (select t from u)",
    ),
    "above a window that nothing reads": (
        ABOVE.format(q=f"({PARTNERS.replace('id, a', 'id, a, row_number() over (order by id) as n')})"),
        BARE,
    ),
    "above a computed CTE": (f"with q as materialized ({PARTNERS}) {ABOVE.format(q='q')}", BARE),
    "in an arm of UNION ALL": (
        f"select d.id, d.x from {SUM} d join u on u.t = d.id",
        f"select d.id, d.x from {SUM[:-1]} union all select id, v from u where v = 1 and false) d join u on u.t = d.id",
    ),
    "of a CTE": (
        f"with d as {SUM} select d.id, d.x from d join u on u.t = d.id",
        f"with d as {SUM} select d.id, d.x from d join u on u.t = d.id where d.x is not null",
    ),
}
SAME = {
    "asked in both": (f"{SHOWN.format(q=SUM)} and d.x > 2", f"{SHOWN.format(q=SUM)} and 2 < d.x"),
    "behind what an OR decides, in both": (
        DECIDED.format(c=OR),
        DECIDED.format(c=OR.replace("d.x > 0", "0 < d.x")),
    ),
    "in a CASE of both": (DECIDED.format(c=CASE), DECIDED.format(c=CASE.replace("d.x > 0", "0 < d.x"))),
    "in a CASE that is shown": (
        "select id, case when k = 1 then a + 1 end from t where case when k = 1 then a + 1 end > 4",
        "select d.id, d.x from (select id, case when k = 1 then a + 1 end as x from t) d where d.x > 4",
    ),
    "of joined rows in both": (
        DECIDED.format(c="u.v <> d.x"),
        "select t.id, t.a + 1 from u join t on t.id = u.t and t.a + 1 <> u.v where u.v > 5",
    ),
    "asked of the table": (
        f"select d.id, d.x from {SUM} d where d.x > 2",
        "select id, a + 1 from t where a + 1 > 2",
    ),
    "asked of the subquery": (
        "select id, a + 1 from t where a + 1 > 2",
        f"select d.id, d.x from {SUM} d where d.x > 2",
    ),
    "asked in the second no more": (f"{SHOWN.format(q=SUM)} and d.x is not null", SHOWN.format(q=SUM)),
    "above OFFSET in both": (
        ABOVE.format(q=f"({PARTNERS} offset 0)"),
        ABOVE.format(q=f"({PARTNERS} offset 0)").replace("q.a + 1 > 0", "0 < q.a + 1"),
    ),
    "above OFFSET, of the same rows": (
        ABOVE.format(q=f"({PARTNERS} and id & 8 = 0 offset 0)"),
        ABOVE.format(q=f"({OTHERS} and id in (select t from u) offset 0)"),
    ),
    "of groups whose keys are asked behind": (
        "select k, max(a) from t where k > 5 group by k having max(a) + 1 > 0",
        "select k, max(a) from t group by k having max(a) + 1 > 0 and k > 5",
    ),
    "in arms of both": (
        f"select d.id, d.x from {SUM[:-1]} union all select id, v from u) d join u on u.t = d.id",
        f"select d.id, d.x from {SUM[:-1]} union all select id, v from u) d join u on d.id = u.t",
    ),
    "of groups": (
        "select q.t, q.s from (select t, sum(v) as s from u where id > 5 group by t) q where q.s * 2 > 10",
        "select t, sum(v) from u where id > 5 group by t having sum(v) * 2 > 10",
    ),
    "what leaves no type, above OFFSET": (
        ABOVE.format(q=f"({PARTNERS} offset 0)").replace("q.a + 1", "q.a"),
        BARE.replace("t.a + 1", "t.a"),
    ),
    "what a CHECK keeps in its type": (SHOWN.format(q=KEPT), f"{SHOWN.format(q=KEPT)} and d.x is not null"),
}


@pytest.mark.parametrize("words", SEEN)
def test_what_only_the_second_asks_may_overflow(words: str) -> None:
    """By the kernel, by parts, and by the recheck's forms."""
    for name, found in shown(CATALOG, *SEEN[words]).items():
        assert isinstance(found, str) or "overflow" in found.modulo, name


@pytest.mark.parametrize("words", SAME)
def test_what_is_asked_in_both_is_the_same(words: str) -> None:
    found = [x for x in shown(CATALOG, *SAME[words]).values() if isinstance(x, Shown)]
    assert any(x.modulo == () for x in found)


@pytest.mark.server
def test_the_server_fails_in_the_second_of_each_pair(scratch_server: ScratchServer, database: str) -> None:
    with failing_with(
        psycopg.errors.NumericValueOutOfRange, scratch_server, database, SCHEMA + ROWS
    ) as fails:
        assert [words for words, (first, _) in SEEN.items() if fails(first)] == []
        assert [words for words, (_, second) in SEEN.items() if not fails(second)] == []
