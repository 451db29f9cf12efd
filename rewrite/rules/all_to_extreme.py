"""A comparison with ALL or ANY rows of a subquery to one with its greatest or least value.

    SELECT * FROM ord o WHERE o.total >= ALL (SELECT s.amount FROM sale s WHERE s.amount IS NOT NULL)
    -->
    SELECT * FROM ord o, (SELECT max(amount) AS m, count(*) AS n, count(amount) AS k FROM sale WHERE …) x
     WHERE x.n = 0 OR (x.n = x.k AND o.total >= x.m)

ANY: ``o.total > ANY (…)`` is ``o.total > min``. ALL is true over no rows and never true when a row is NULL.
Conjuncts of WHERE only, uncorrelated subqueries. SOUNDNESS 2a, M3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewrite.rules.base import Context, Rewrite, Rule
from rewrite.rules.build import aggregate, compare, function, int8
from rewrite.rules.canonical import is_closed
from rewrite.rules.shape import is_volatile
from rewrite.rules.tree import as_product, conjoin, is_plain
from sql import algebra as a
from sql.types import INT8

EXTREMES = {(">", True): "max", (">=", True): "max", ("<", True): "min", ("<=", True): "min"}
EXTREMES |= {
    (name, False): "min" if extreme == "max" else "max" for (name, _), extreme in list(EXTREMES.items())
}


def apply(block: a.Query, ctx: Context) -> Iterator[Rewrite]:
    if not isinstance(block, a.Select):
        return
    items, preds = as_product(block)
    for pred in preds:
        if not isinstance(pred, a.Quantified) or len(pred.left) != 1 or (pred.kind, pred.all) not in EXTREMES:
            continue
        query = pred.query
        if (
            not isinstance(query, a.Select)
            or not is_plain(query)
            or not is_closed(query)
            or is_volatile(query)
        ):
            continue
        made = _extreme(pred, query, ctx)
        if made is not None:
            item, test = made
            rest = [test if p == pred else p for p in preds]
            yield Rewrite(
                replace(block, from_=(*items, item), where=conjoin(rest)),
                "only the greatest or least value of the subquery matters",
            )


def _extreme(pred: a.Quantified, query: a.Select, ctx: Context) -> tuple[a.Derived, a.Expr] | None:
    value = query.targets[0].expr
    best = aggregate(EXTREMES[pred.kind, pred.all], value)
    every, some = function("count"), function("count", "any")
    if best is None or every is None or some is None or pred.ops[0].right != pred.ops[0].left:
        return None
    rel = ctx.fresh()
    targets = [a.Target("best", best)]
    if pred.all:
        targets.append(a.Target("n", a.Aggregate(every, (), INT8, star=True)))
        targets.append(a.Target("k", a.Aggregate(some, (value,), INT8)))
    item = a.Derived(
        rel,
        replace(query, targets=tuple(targets), group_by=((),), order_by=()),
        "extreme",
        tuple(t.name for t in targets),
    )
    test: a.Expr = a.Op(pred.ops[0], (pred.left[0], a.Column(rel, 0, best.type, "best")), pred.type)
    if not pred.all:
        return item, test
    rows, filled = a.Column(rel, 1, INT8, "n"), a.Column(rel, 2, INT8, "k")
    none, whole = compare("=", rows, int8(0)), compare("=", rows, filled)
    if none is None or whole is None:
        return None
    return item, a.Or((none, a.And((whole, test))))


RULE = Rule("all_to_extreme", apply, (), priority=72, category="join")
