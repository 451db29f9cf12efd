"""Dates that are cut or written in the session's zone lie within the bounds that the law states, asked of a
server in zones that skip days, midnights, and as much as POSIX zones may.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.laws.zones import around, span
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql
from rewright.sql.walk import conjoin, conjuncts

DDL = "create table t (d date)"
CATALOG = catalog_from_ddl(DDL)
ZONES = (
    "UTC",
    "Pacific/Apia",
    "Asia/Manila",
    "America/Sao_Paulo",
    "Pacific/Kiritimati",
    "<a>+167:59",
    "<a>-167:59",
    "<a>+167<b>-167,M2.1.0,M9.1.0",
    "<a>-167<b>+167,M12.5.0,M6.1.0",
)
CONDITIONS = (
    "to_char(d, 'YYYY-MM') = '1845-01'",
    "to_char(d, 'DD.MM.YYYY') = '31.12.2011'",
    "to_char(d, 'YYYY') = '2000'",
    "date_trunc('month', d) = '2000-02-01'",
    "date_trunc('day', d) = '2011-12-31'",
    "date_trunc('month', d::timestamp) = timestamp '2000-02-01'",
)
ROWS = """
insert into t select * from generate_series(timestamp '1844-11-20', '1845-02-20', interval '1 day');
insert into t select * from generate_series(timestamp '1999-11-20', '2001-02-20', interval '1 day');
insert into t select * from generate_series(timestamp '2011-11-20', '2012-02-20', interval '1 day');
insert into t values ('2000-02-03 BC'), ('1845-01-03 BC'), ('0001-01-01'), ('infinity'), ('-infinity'), (null);
"""


def bounds(condition: str) -> str:
    """What the law says of the column, as text."""
    query = bind(f"select d from t where {condition}", CATALOG)
    assert isinstance(query, a.Select)
    found = span(conjuncts(query.where)[0])
    assert found is not None
    text = to_sql(a.Select(query.targets, query.from_, conjoin(around(found))), catalog=CATALOG)
    return text.partition(" WHERE ")[2]


@pytest.mark.server
def test_no_date_that_meets_a_condition_is_out_of_its_bounds(
    scratch_server: ScratchServer, module_database: str
) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(f"{DDL}; {ROWS}".encode())
        met = 0
        for zone in ZONES:
            connection.execute("select set_config('timezone', %s, false)", [zone])
            for condition in CONDITIONS:
                counts = f"count(*), count(*) filter (where not coalesce({bounds(condition)}, false))"
                row = connection.execute(f"select {counts} from t where {condition}".encode()).fetchone()
                assert row is not None
                assert row[1] == 0, (zone, condition)
                met += row[0]
        assert met > 1000
