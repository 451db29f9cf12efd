"""IN inside the subquery of EXISTS or IN is a join there: how often a row is found makes no difference.

    SELECT c.id FROM cust c WHERE c.city NOT IN (SELECT s.city FROM shop s WHERE s.id IN (SELECT o.shop FROM
    ord o WHERE o.cust = c.id)) -->
    SELECT c.id FROM cust c WHERE c.city NOT IN (SELECT s.city FROM shop s, ord o WHERE s.id = o.shop AND
    o.cust = c.id)

What the innermost subquery asks of the outermost row is then asked one level up, level by level, until the
server can hash the whole, or other rules find an anti-join. Hazards 2.

Calcite: SubQueryRemoveRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule, stable
from rewright.sql import algebra as a
from rewright.sql.types import BOOL
from rewright.sql.walk import (
    as_product,
    block_exprs,
    conjoin,
    free_rels,
    from_rels,
    is_plain,
    replace_node,
    walk_block,
)


@rule(SELECT.where(stable), known_as="SubQueryRemoveRule", priority=75, category="join")
def nested_in(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    del ctx
    asked = [n for e in block_exprs(block) for n in walk_block(e) if isinstance(n, a.Exists | a.Quantified)]
    for node in dict.fromkeys(asked):
        made = _flat(node.query)
        if made is not None:
            yield Rewrite(
                replace_node(block, node, replace(node, query=made)),
                "a semi-join below a semi-join is a join",
            )


def _flat(query: a.Query) -> a.Select | None:
    """The query with every IN and EXISTS among its conditions joined, those within them too; None where none
    refers to rows outside of the query.
    """
    # under LIMIT or a grouping each row counts
    if not isinstance(query, a.Select) or not is_plain(query):
        return None
    items, preds = as_product(query)
    done: list[a.Expr] = []
    deep = False
    for pred in preds:
        inner = _joined(pred)
        if inner is None:
            done.append(pred)
            continue
        # rows further out are what makes the server ask again: without them it finds the semi-join itself
        deep = deep or bool(free_rels(pred) - from_rels(items))
        items += inner[0].from_
        done += inner[1]
    if not deep:
        return None
    # joined rows come several times and in any order: EXISTS, IN and ALL see neither
    return replace(query, from_=tuple(items), where=conjoin(done), order_by=())


def _joined(pred: a.Expr) -> tuple[a.Select, list[a.Expr]] | None:
    """The subquery that a condition asks, and its conditions with what ties it."""
    if not isinstance(pred, a.Exists | a.Quantified) or not isinstance(pred.query, a.Select):
        return None
    # the innermost first: what it joins may be what refers further out
    inner = _flat(pred.query) or pred.query
    if not is_plain(inner) or not inner.from_:
        return None
    ties: list[a.Expr] = []
    if isinstance(pred, a.Quantified):
        # NOT IN and ALL hold of all rows: no partner is found for them
        if pred.all or pred.kind != "=":
            return None
        shown = [t.expr for t in inner.targets]
        ties = [a.Op(o, (x, t), BOOL) for o, x, t in zip(pred.ops, pred.left, shown, strict=True)]
    items, preds = as_product(inner)
    # beside other tables, what refers to them would have to be LATERAL
    if any(free_rels(i) for i in items):
        return None
    return replace(inner, from_=tuple(items), where=None), [*preds, *ties]
