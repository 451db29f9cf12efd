"""Reading what a statement imagines: which SELECT and which clause each column is in."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from rewright.lake.resolve.imagined import _Places, sites_of

QUERIES = (
    "SELECT a, sum(b) AS total FROM t WHERE c > (SELECT avg(c) FROM u WHERE u.k = t.k) GROUP BY a HAVING max(d) > 1 ORDER BY total",
    "WITH w AS (SELECT x FROM v WHERE y IN (SELECT z FROM s)) SELECT x FROM w JOIN t ON t.id = w.x ORDER BY x",
    "SELECT a FROM t UNION ALL SELECT b FROM u WHERE b = 1 OR b = 2",
)  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_places_are_those_found_by_walking_up(query: str) -> None:
    tree = sqlglot.parse_one(query, read="duckdb")
    places = _Places()
    for column in [*tree.find_all(exp.Column), *tree.find_all(exp.Column)]:
        select, child = column.parent_select, column
        while child.parent is not select:
            child = child.parent
        assert places.of(column) == (select, child.arg_key)
        assert places.of(column)[0] is select


class _Counted(_Places):
    """Counts the nodes it remembers one by one."""

    steps = 0

    def of(self, node: exp.Expression) -> tuple[exp.Select | None, str]:
        before = len(self._known)
        found = super().of(node)
        self.steps += len(self._known) - before
        return found


def test_a_long_condition_is_read_in_steps_that_grow_with_its_length() -> None:
    parts = 700
    condition = " AND ".join(["a > 0"] * parts)
    tree = sqlglot.parse_one(f"SELECT count(*) FROM t WHERE {condition}", read="duckdb")
    counted = _Counted()
    for column in tree.find_all(exp.Column):
        counted.of(column)
    assert counted.steps <= 4 * parts
    (site,) = sites_of(tree)
    assert len(site.columns()[0].tests) == parts
