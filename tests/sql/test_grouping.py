"""Columns that stand ungrouped beside a primary key: PostgreSQL allows them of an inheritance parent too, whose
children may repeat the key with another value in the column.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.api import Checker
from rewright.equivalence.verdicts import Proved, Unknown
from rewright.sql.binder import BindError, Unsupported, bind
from rewright.sql.ddl import catalog_from_ddl

PARENT = "create table p (id int primary key, name text, n int); create table q (id int primary key, p int);"
CHILD = "create table c () inherits (p);"
# a column in each place where one may stand beside the key
QUERIES = [
    "select id, name from {} group by id",
    "select id, count(*) from {} group by id having max(n) > 1 and name > 'a'",
    "select id from {} group by id order by name",
    "select distinct on (name) id from {} group by id",
    "select x.name, count(q.id) from {} x left join q on q.p = x.id group by x.id",
    "select id, (select q.id from q where q.p = x.n) from {} x group by id",
    "select x from {} x group by id",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_parents_key_decides_no_group(query: str) -> None:
    for ddl, relation in ((PARENT, "p"), (PARENT + CHILD, "only p")):
        bind(query.format(relation), catalog_from_ddl(ddl))
    with pytest.raises(Unsupported, match="children"):
        bind(query.format("p"), catalog_from_ddl(PARENT + CHILD))


def test_what_is_grouped_by_or_determined_by_nothing_is_told_as_before() -> None:
    catalog = catalog_from_ddl(PARENT + CHILD)
    bind("select id, name from p group by id, name", catalog)
    bind("select id, max(name) from p group by id", catalog)
    with pytest.raises(BindError, match="GROUP BY"):
        bind("select id, name from p group by n", catalog)


@pytest.mark.parametrize("grouped", ["id, name", "name, id"])
def test_a_column_beside_a_key_is_a_key_as_well_without_children(grouped: str) -> None:
    pair = ("select id, name from p group by id", f"select id, name from p group by {grouped}")
    with Checker(schema_sql=PARENT) as checker:
        assert isinstance(checker.check(*pair), Proved)
        assert isinstance(checker.check(*reversed(pair)), Proved)
    with Checker(schema_sql=PARENT + CHILD) as checker:
        assert isinstance(checker.check(*pair), Unknown)
        assert isinstance(checker.check(*reversed(pair)), Unknown)
