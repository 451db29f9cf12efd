"""UNION of arms that cannot share a row and have none twice is UNION ALL.

    SELECT c.id FROM cust c WHERE c.id < 5 UNION SELECT c.id FROM cust c WHERE c.id > 8
    -->
    SELECT c.id FROM cust c WHERE c.id < 5 UNION ALL SELECT c.id FROM cust c WHERE c.id > 8

Each arm shows a key of its rows; some column has constants or ranges that exclude each other. Calcite:
UnionToDistinctRule read backwards. Hazards 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SET_OPERATION, Context, Rewrite, rule
from rewright.rewrite.rules.ranges import Allowed, allowed, column_of
from rewright.sql import algebra as a
from rewright.sql.constants import value
from rewright.sql.walk import as_product


@rule(
    SET_OPERATION, guards=("arms-are-disjoint", "arms-have-keys"), known_as="UnionToDistinctRule", priority=79
)
def union_to_all(block: a.SetOp, ctx: Context) -> Iterator[Rewrite]:
    if block.op != "union" or block.all:
        return
    left, right = _outputs(block.left), _outputs(block.right)
    # one column is enough: rows that differ there are no duplicates of each other
    apart = any(
        p is not None and q is not None and p.met(q).nothing for p, q in zip(left, right, strict=True)
    )
    if not ctx.holds("arms-are-disjoint", apart):
        return
    facts = ctx.facts
    first, second = facts.is_unique(block.left), facts.is_unique(block.right)
    # by keys no row is twice in its own arm
    if ctx.holds("arms-have-keys", first is not None and second is not None):
        names = frozenset(x.name for x in (*(first or ()), *(second or ())))
        yield Rewrite(
            replace(block, all=True), "no row of one arm is in the other or twice", names, literal=True
        )


def _outputs(query: a.Query) -> list[Allowed | None]:
    """What each output column may be."""
    if not isinstance(query, a.Select):
        return [None] * len(a.output_columns(query))
    # grouping sets put NULLs where the conditions saw values
    if query.group_by is not None and len(query.group_by) > 1:
        return [None] * len(query.targets)
    known = allowed(as_product(query)[1])
    return [_output(t.expr, known) for t in query.targets]


def _output(expr: a.Expr, known: dict[tuple[int, int], Allowed]) -> Allowed | None:
    column = column_of(expr)
    if column is not None:
        return known.get((column.rel, column.pos))
    # the type that the UNION gave an untyped literal
    if isinstance(expr, a.Cast) and isinstance(expr.arg, a.Const) and expr.method == "binary":
        expr = expr.arg
    found = value(expr) if isinstance(expr, a.Const) else None
    if found is None:
        return None
    made = Allowed()
    made.only({found})
    return made
