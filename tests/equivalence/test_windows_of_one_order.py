"""Fuller orders of windows that saw one order of rows: all of them in the same keys, or none."""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.laws.fuller import fuller
from rewright.equivalence.recheck.views.orders import orders
from rewright.equivalence.recheck.views.stating import View
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover

SCHEMA = "create table t (id int primary key, g int not null, a int not null, b int not null, c int not null)"
CATALOG = catalog_from_ddl(SCHEMA)
ROWS = "insert into t values (1, 0, 1, 1, 2), (2, 0, 1, 2, 1), (3, 0, 2, 1, 1)"
proved = prover(CATALOG, 5.0)


def blocks(one: str, other: str, where: str) -> tuple[str, str]:
    """The original, whose windows are over the same keys, and the candidate with those given."""
    text = f"select id from (select id, {{}} as x, {{}} as y from t) s where {where}"
    calls = [call.split(" over ")[0] for call in (one, other)]
    return text.format(*(f"{call} over (order by a)" for call in calls)), text.format(one, other)


NUMBER, BEFORE, THIRDS = (
    f"{call} over (order by a, {{}})" for call in ("row_number()", "lag(id)", "ntile(3)")
)
TOGETHER = (
    blocks(NUMBER.format("b"), BEFORE.format("b"), "x = 1 and y is null"),
    blocks(NUMBER.format("b, id"), THIRDS.format("b, id"), "x = y"),
    # of peers all get one number, in whatever order they are
    blocks(NUMBER.format("b"), "rank() over (order by a)", "x = y"),
    (
        "select id, row_number() over (partition by g order by a) from t",
        "select id, row_number() over (partition by g order by a, b) from t order by id",
    ),
    (
        "select id, row_number() over (order by a) from t order by a",
        "select id, row_number() over (order by a, b) from t order by a, b",
    ),
)
APART = (
    blocks(NUMBER.format("b"), BEFORE.format("c"), "x = 1 and y is null"),
    blocks(NUMBER.format("b"), THIRDS.format("c"), "x = y"),
    blocks(BEFORE.format("b"), "lead(id) over (order by a, c)", "x = y"),
    # one of them alone
    blocks(NUMBER.format("c"), "lag(id) over (order by a)", "x = 1 and y is null"),
    # whatever their frames
    (
        "select id from (select id, row_number() over (order by a) as x, first_value(id) over (order by a rows 1 preceding) as y from t) s where x = 1 and y = 1",
        "select id from (select id, row_number() over (order by a, id desc) as x, first_value(id) over (order by a rows 1 preceding) as y from t) s where x = 1 and y = 1",
    ),
    # and the result, which the server does not sort again
    (
        "select id, row_number() over (order by a) from t order by a",
        "select id, row_number() over (order by a, b) from t order by a, c",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("original", "candidate"), TOGETHER)
def test_all_of_them_may_be_fuller(original: str, candidate: str) -> None:
    found = proved(original, candidate)
    assert found is not None
    assert found.modulo == ("refinement",)


@pytest.mark.parametrize(("original", "candidate"), APART)
def test_none_may_be_fuller_alone(original: str, candidate: str) -> None:
    first, second = bind(original, CATALOG), bind(candidate, CATALOG)
    assert fuller(first, second, CATALOG) is None
    view = View(((first, second),), CATALOG)
    assert orders(view) == view
    assert proved(original, candidate) is None


@pytest.mark.server
def test_a_server_sees_one_order(scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(f"{SCHEMA};{ROWS}".encode())
        answers = [[connection.execute(text.encode()).fetchall() for text in pair] for pair in APART]
    assert all(one != other for one, other in answers)
