"""The example queries of QUITE's introduction: rewritten to something that gives the
same rows, or refused.
"""

from __future__ import annotations

import time
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker, Options
from rewright.equivalence.verdicts import Refuted
from rewright.rewrite.search import propose
from rewright.sql.binder import bind
from rewright.sql.printing import to_sql
from tests.rewrite.sqlfixtures import DATABASES, SCHEMA, answer, cases, catalog, fill

EXAMPLES = {case.words.partition(",")[0]: case.sql for case in cases("quite")}
# Figure 1 (b): the average is taken per product over all days, where (a) takes it per product and day
FIGURE_1B = (
    "WITH avgd AS (SELECT s.part, 1.3 * avg(s.amount) AS disc FROM sale s JOIN day d ON s.day = d.id GROUP BY s.part)"
    " SELECT sum(s.amount) AS total FROM sale s JOIN part p ON s.part = p.id JOIN day d ON s.day = d.id"
    " WHERE s.amount > (SELECT disc FROM avgd av WHERE av.part = s.part) LIMIT 100"
)


def reached(sql: str) -> list[Any]:
    """All that the search reaches when nothing is known of costs."""
    query = bind(sql, catalog())
    return list(propose(query, catalog(), cost=lambda _: 1.0, deadline=time.monotonic() + 10.0, limit=40))


@pytest.mark.server
@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_are_rewritten_to_the_same_rows(
    name: str, scratch_server: ScratchServer, module_database: str
) -> None:
    found = reached(EXAMPLES[name])
    assert found
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute("drop schema public cascade; create schema public")
        connection.execute(SCHEMA)
        for rows, seed in DATABASES:
            fill(connection, rows, seed)
            expected = answer(connection, EXAMPLES[name])
            for candidate in found:
                assert answer(connection, candidate.sql) == expected, candidate.sql


def test_the_average_of_figure_1_is_computed_once_a_group() -> None:
    rules = {step[0] for c in reached(EXAMPLES["Figure 1 (a)"]) for step in c.steps}
    assert {"unnest", "decorrelate_window"} <= rules


def test_figure_2_becomes_one_sum_over_the_table() -> None:
    wanted = to_sql(bind("SELECT sum(emp.sal) AS s FROM emp WHERE emp.sal IS NOT NULL", catalog()))
    assert wanted in {c.sql for c in reached(EXAMPLES["Figure 2 (a)"])}


@pytest.mark.server
def test_the_published_rewrite_of_figure_1_is_refuted(scratch_server: ScratchServer) -> None:
    with Checker(scratch=scratch_server, options=Options(seconds=30.0), schema_sql=SCHEMA) as checker:
        assert isinstance(checker.check(EXAMPLES["Figure 1 (a)"], FIGURE_1B), Refuted)
