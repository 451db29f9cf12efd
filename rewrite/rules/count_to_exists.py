"""A count compared with zero is an EXISTS, which stops at the first row.

    SELECT * FROM cust c WHERE (SELECT count(*) FROM ord o WHERE o.cust = c.id) > 0
    -->
    SELECT * FROM cust c WHERE EXISTS (SELECT 1 FROM ord o WHERE o.cust = c.id)

``> 0``, ``<> 0``, ``>= 1`` and, negated, ``= 0``, ``< 1``, ``<= 0``. count(x) counts rows where x is not
NULL. Hazards 15.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.sql import algebra as a
from rewright.sql.build import ONE
from rewright.sql.comparisons import FLIPPED
from rewright.sql.facts import may_differ
from rewright.sql.walk import conjoin, conjuncts, replace_node, walk_block

SOME = frozenset({(">", "0"), ("<>", "0"), (">=", "1")})
NONE = frozenset({("=", "0"), ("<", "1"), ("<=", "0")})


@rule(SELECT, guards=("no-grouping",), priority=76, category="predicate")
def count_to_exists(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    where = block.where
    if where is None:
        return
    # anywhere in WHERE, under NOT and OR too: neither a count's comparison nor EXISTS is ever NULL
    for node in walk_block(where):
        compared = _comparison(node) if isinstance(node, a.Op) and len(node.args) == 2 else None
        if compared is None:
            continue
        operator, constant, query = compared
        exists = _exists(query, ctx)
        wanted = (operator, constant)
        # `> 1` needs to count further than the first row
        if exists is None or wanted not in SOME | NONE:
            continue
        made: a.Expr = exists if wanted in SOME else a.Not(exists)
        yield Rewrite(
            replace(block, where=replace_node(where, node, made)),
            "a count compared with zero is an EXISTS",
        )


def _comparison(op: a.Op) -> tuple[str, str, a.Query] | None:
    left, right = (_bare(x) for x in op.args)
    if not op.op.is_builtin or op.op.name not in FLIPPED:
        return None
    if isinstance(left, a.ScalarSubquery) and isinstance(right, a.Const) and right.value is not None:
        return op.op.name, right.value, left.query
    if isinstance(right, a.ScalarSubquery) and isinstance(left, a.Const) and left.value is not None:
        return FLIPPED[op.op.name], left.value, right.query
    return None


def _bare(expr: a.Expr) -> a.Expr:
    return expr.arg if isinstance(expr, a.Cast) and expr.implicit else expr


def _exists(query: a.Query, ctx: Context) -> a.Exists | None:
    if not isinstance(query, a.Select) or query.having is not None or query.ctes or len(query.targets) != 1:
        return None
    if (
        # GROUP BY of a key may give no row: the count is then NULL, not 0
        not ctx.holds("no-grouping", query.group_by == ((),))
        # LIMIT 0 or OFFSET 1 leave no row, so the comparison is NULL
        or query.limit is not None
        or query.offset is not None
    ):
        return None
    count = query.targets[0].expr
    if not isinstance(count, a.Aggregate) or count.func.name != "count" or may_differ(query):
        return None
    tests = [count.filter] if count.filter is not None else []
    # count(x) passes over NULLs
    tests += [a.IsNull(x, negated=True) for x in count.args]
    where = conjoin((*conjuncts(query.where), *tests))
    # DISTINCT and order say nothing about whether there is a row
    return a.Exists(replace(query, targets=ONE, where=where, group_by=None, order_by=(), distinct=None))
