"""What is left to chance, and what is not: orders by the number of a row, looks of running sums, rows that come
sorted to an aggregate. Each that leaves nothing open stands beside the nearest that does.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Proved

SCHEMA = """
create table r (id int primary key, k int not null, g int, s numeric(9, 1), day date not null);
create table d (id int primary key, yr int, mo int);
create table u (id int primary key, x numeric not null, k int not null);
"""
WANTED = "(yr = 2000 or yr = 1999 and mo = 12)"
GROUPS = "select k, yr, sum(s) as t, {number} over (partition by k order by {order}) as rn from r, {days} where r.g = {days}.id{also} group by k, yr"
BIDS = "select t.id, q.d from d t left join lateral (select {made} as d from (select id as v from {rows} where k = t.id{also} order by {order}{limit}) x) q on true"


def groups(reader: str, number: str = "rank()", order: str = "yr") -> tuple[str, str]:
    """A reader of numbered groups, and the same with the days chosen first."""
    made = {"number": number, "order": order}
    return (
        f"with m as ({GROUPS.format(days='d', also=' and ' + WANTED, **made)}) {reader}",
        (
            f"with j as materialized (select id, yr, mo from d where {WANTED}),"
            f" m as ({GROUPS.format(days='j', also='', **made)}) {reader}"
        ),
    )


def bids(made: str, order: str = "day, id", limit: str = " limit 3") -> tuple[str, str]:
    """Rows collected for each row of another table, and the same with the rows chosen first."""
    what = {"made": made, "order": order, "limit": limit}
    return (
        BIDS.format(rows="r", also=" and s > 1", **what),
        f"with j as materialized (select id, k, day from r where s > 1) {BIDS.format(rows='j', also='', **what)}",
    )


NEXT = "select a.t, b.t from m a join m b on a.k = b.k and b.rn {tie} order by a.k, a.yr limit 9"
NOTHING_OPEN = (
    groups("select t from m order by k, rn limit 9"),
    groups("select t from m order by k, rn limit 9", number="row_number()", order="yr desc"),
    groups(NEXT.format(tie="- 1 = a.rn")),
    groups(NEXT.format(tie="= a.rn + 1")),
    bids("jsonb_agg(v)"),
    bids("array_agg(v)"),
    (
        "select k, min(t) from (select k, (select sum(i.s) from r i where i.k = r.k and i.day <= r.day) as t from r) x group by k",
        "select k, min(t) from (select k, sum(s) over (partition by k order by day) as t from r) x group by k",
    ),
)
TIES = (
    # rank() over what is no key; without what partitions; a tie that is none
    groups("select t from m order by k, rn limit 9", order="sum(s)"),
    groups("select t from m order by rn limit 9"),
    groups(NEXT.format(tie="> a.rn")),
    groups(NEXT.format(tie="/ 2 = a.rn")),
    bids("array_agg(v)", order="day"),
    bids("array_agg(v)", limit=""),
    bids("array_agg(v)", order="1 + day - day"),
    (
        "select k, min(t) from (select k, (select sum(i.x) from u i where i.k = u.k and i.id <= u.id) as t from u) x group by k",
        "select k, min(t) from (select k, sum(x) over (partition by k order by id) as t from u) x group by k",
    ),
)


def judged(pair: tuple[str, str]) -> object:
    options = Options(seconds=60, prover_seconds=60, refuter=False)
    with Checker(options=options, schema_sql=SCHEMA) as checker:
        return checker.check(*pair)


@pytest.mark.parametrize("pair", NOTHING_OPEN)
def test_nothing_is_left_to_chance(pair: tuple[str, str]) -> None:
    found = judged(pair)
    assert isinstance(found, Proved)
    assert not found.modulo


@pytest.mark.parametrize("pair", TIES)
def test_ties_are_left_to_chance(pair: tuple[str, str]) -> None:
    found = judged(pair)
    assert not isinstance(found, Proved) or "tie-order" in found.modulo
