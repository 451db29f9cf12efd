"""Which groupings the law of fans takes apart, and which look like them."""

from __future__ import annotations

import pytest

from rewright.equivalence.laws.fans import without_fans
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.walk import Fresh, highest_number

CATALOG = catalog_from_ddl("""
create table p (id int primary key, u int);
create table c (id int primary key, p int not null references p, v int, n numeric, unique (id, v));
create table q (id int primary key, p int, v int);
""")
FAN = (
    "select p.u, count(distinct c.id), count(distinct q.id) from p left join c on c.p = p.id "
    "left join q on q.p = p.id group by p.u"
)


def taken_apart(sql: str) -> bool:
    query = bind(sql, CATALOG)
    return without_fans(query, CATALOG, Fresh(highest_number(query))).query != query


@pytest.mark.parametrize(
    "sql",
    [
        FAN,
        FAN.replace("p.u,", "p.u, max(p.id), min(c.v),"),
        FAN.replace("count(distinct c.id)", "count(distinct c.id) filter (where c.v > 1)"),
        FAN.replace("count(distinct c.id)", "count(distinct p.id) filter (where c.v > 1)"),
        FAN.replace("count(distinct c.id)", "count(distinct case when c.v > 1 then c.id end)"),
        FAN.replace("count(distinct c.id)", "count(distinct case when c.v is null then c.id else null end)"),
        "select p.u, count(distinct q.id) from p left join c on c.p = p.id left join q on q.p = c.id group by p.u",
    ],
)
def test_keys_of_leaves_are_counted_for_themselves(sql: str) -> None:
    assert taken_apart(sql)


@pytest.mark.parametrize(
    "sql",
    [
        FAN.replace("count(distinct c.id)", "count(c.id)"),
        FAN.replace("count(distinct c.id)", "count(distinct c.v)"),
        FAN.replace("count(distinct c.id)", "count(distinct (c.id, c.v))"),
        FAN.replace("count(distinct c.id)", "count(distinct c.id) filter (where c.v > p.u)"),
        FAN.replace("count(distinct c.id)", "count(distinct c.id) filter (where q.v > 1)"),
        FAN.replace("count(distinct c.id)", "count(distinct p.id) filter (where c.v is null)"),
        FAN.replace("count(distinct c.id)", "count(distinct p.id) filter (where coalesce(c.v, 2) > 1)"),
        FAN.replace("count(distinct c.id)", "max(p.id) filter (where c.v = 1 or c.id is null)"),
        FAN.replace("count(distinct c.id)", "count(distinct case when c.v > p.u then c.id end)"),
        FAN.replace("count(distinct c.id)", "count(distinct case when c.v > 1 then c.v end)"),
        FAN.replace("count(distinct c.id)", "count(distinct case when c.v > 1 then c.id else 0 end)"),
        FAN.replace("count(distinct c.id)", "count(distinct case when c.v > 1 then p.id end)"),
        FAN.replace(
            "count(distinct c.id)", "count(distinct case when c.v > 1 then c.id when c.v < 0 then 7 end)"
        ),
        FAN.replace("p.u,", "p.u, sum(p.id),"),
        FAN.replace("p.u,", "p.u, max(c.n),"),
        FAN.replace("c.p = p.id", "c.p = p.u"),
        FAN.replace("c.p = p.id", "c.p < p.id"),
        FAN.replace("left join c", "join c"),
        FAN.replace("group by", "where c.v is null group by"),
        FAN.replace("p.u", "c.v"),
        "select count(distinct c.id) from p left join c on c.p = p.id",
        "select p.u, count(distinct c.id) from q join p on p.u = q.p left join c on c.p = p.id group by p.u",
    ],
)
def test_what_may_be_counted_twice_is_left_alone(sql: str) -> None:
    assert not taken_apart(sql)
