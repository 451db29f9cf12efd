"""A long list of constants is joined as a table of values; a table of constants is asked for as a list.

    SELECT s.id FROM sale s WHERE s.part IN (1, 2, 3, 4, 5, 6, 7, 8)
    -->
    SELECT s.id FROM sale s WHERE s.part IN (VALUES (1), (2), (3), (4), (5), (6), (7), (8))

As a table the list can be hashed once or drive look-ups by index; as a list it can be an index condition
itself. Only where TRUE is all that counts, without NULLs. InClauseRewriter of DuckDB is the first of the two.
Hazards 2a.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import in_conditions
from rewright.sql import algebra as a
from rewright.sql.walk import has_subquery

# below that the server's own list is as quick
FEWEST = 8


@rule(SELECT, known_as="InClauseRewriter of DuckDB", priority=25, category="constant")
def in_values(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    made = in_conditions(block, _as_table)
    if made is not None:
        yield Rewrite(made, "a list of constants is joined as a table")
    made = in_conditions(block, _as_list)
    if made is not None:
        yield Rewrite(made, "a table of constants is asked for as a list")


def _as_table(expr: a.Expr) -> a.Expr | None:
    if not isinstance(expr, a.InList) or expr.all or not expr.op.is_builtin or expr.op.name != "=":
        return None
    items = list(dict.fromkeys(expr.items))
    # Params may be NULL no less than constants: both make `x IN (…)` not TRUE
    plain = all(isinstance(i, a.Const | a.Param) and i.type == items[0].type for i in items)
    # a subquery on the left would be joined, not looked up
    if len(items) < FEWEST or not plain or has_subquery(expr.left):
        return None
    column = a.OutputColumn("column1", items[0].type)
    return a.Quantified("=", (expr.op,), (expr.left,), a.Values(tuple((i,) for i in items), (column,)))


def _as_list(expr: a.Expr) -> a.Expr | None:
    if not isinstance(expr, a.Quantified) or expr.kind != "=" or expr.all or len(expr.left) != 1:
        return None
    query = expr.query
    if not isinstance(query, a.Values) or query.limit is not None or query.offset is not None or query.ctes:
        return None
    items = tuple(row[0] for row in query.rows)
    if not all(isinstance(i, a.Const | a.Param) for i in items):
        return None
    return a.InList(expr.ops[0], expr.left[0], items)
