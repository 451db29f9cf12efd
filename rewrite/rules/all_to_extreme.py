"""A comparison with ALL or ANY rows of a subquery to one with its greatest or least value.

    SELECT * FROM ord o WHERE o.total >= ALL (SELECT s.amount FROM sale s WHERE s.amount IS NOT NULL)
    -->
    SELECT * FROM ord o, (SELECT max(amount) AS m, count(*) AS n, count(amount) AS k FROM sale WHERE …) x
     WHERE x.n = 0 OR (x.n = x.k AND o.total >= x.m)

ANY: ``o.total > ANY (…)`` is ``o.total > min``. ALL is true over no rows and never true when a row is NULL. A
subquery that is tied to the outer row by equalities:

    SELECT * FROM ord o WHERE o.total >= ALL (SELECT s.amount FROM sale s WHERE s.cust = o.cust)
    -->
    SELECT * FROM ord o LEFT JOIN (SELECT cust, max(amount) AS m, count(*) AS n, count(amount) AS k FROM sale
    GROUP BY cust) x ON x.cust = o.cust
     WHERE coalesce(x.n, 0) = coalesce(x.k, 0) AND (x.m IS NULL OR o.total >= x.m)

and with ANY a comparison with the subquery's least or greatest value, which other rules decorrelate.
Conjuncts of WHERE only. Hazards 2a, M3.

Calcite: SubQueryRemoveRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.correlation import OnceAKey, once_a_key
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, compare, function, int8, left_join
from rewright.sql.facts import may_differ
from rewright.sql.types import INT8
from rewright.sql.walk import as_product, conjoin, is_closed, is_plain

# by operator and ALL: whatever is greater than the greatest is greater than all; for ANY, the other end
EXTREMES = {(">", True): "max", (">=", True): "max", ("<", True): "min", ("<=", True): "min"}
EXTREMES |= {
    (name, False): "min" if extreme == "max" else "max" for (name, _), extreme in list(EXTREMES.items())
}


@rule(
    SELECT,
    guards=("elements-filled", "empty-is-true"),
    known_as="SubQueryRemoveRule",
    priority=72,
    category="join",
)
def all_to_extreme(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for pred in preds:
        # = ALL, <> ANY and row comparisons have no single value that decides them
        if not isinstance(pred, a.Quantified) or len(pred.left) != 1 or (pred.kind, pred.all) not in EXTREMES:
            continue
        query = pred.query
        if not isinstance(query, a.Select) or not is_plain(query) or may_differ(query):
            continue
        if not _compares_alike(pred, query.targets[0].expr):
            continue
        # only WHERE's conjuncts are looked at, where FALSE and NULL are alike: over no rows ANY is FALSE, its
        # extreme's comparison NULL
        if not is_closed(query):
            if (found := _correlated(block, pred, query, ctx)) is not None:
                yield Rewrite(found, "of each row's group only the greatest or least value matters")
            continue
        made = _extreme(pred, query, ctx)
        if made is not None:
            item, test = made
            rest = [test if p == pred else p for p in preds]
            yield Rewrite(
                replace(block, from_=(*items, item), where=conjoin(rest)),
                "only the greatest or least value of the subquery matters",
            )


def _compares_alike(pred: a.Quantified, value: a.Expr) -> bool:
    """Whether the comparison's order is the one in which a minimum or maximum of the values is taken."""
    op, left = pred.ops[0], pred.left[0]
    # max(name COLLATE "C") is not the greatest by the collation in which `o.name > ALL (…)` compares
    return op.left == op.right and op.is_builtin and left.type.collation == value.type.collation


def _correlated(block: a.Select, pred: a.Quantified, query: a.Select, ctx: Context) -> a.Select | None:
    value = query.targets[0].expr
    inner = take_apart(replace(query, order_by=()))
    best = aggregate(EXTREMES[pred.kind, pred.all], value)
    # a tie by other than equality gives no key to group by: `s.day < o.day` has other rows for each day
    if inner is None or not inner.ties or inner.others or best is None:
        return None
    items, preds = as_product(block)
    rest = [p for p in preds if p != pred]
    # as a scalar subquery first: the rules for correlated aggregates take it further
    if not pred.all:
        asked = replace(query, targets=(a.Target("best", best),), group_by=((),), order_by=())
        test: a.Expr = _test(pred, a.ScalarSubquery(asked, best.type))
        return replace(block, from_=tuple(items), where=conjoin((*rest, test)))
    joined = _grouped(pred, inner, best, ctx)
    if joined is None:
        return None
    known, tests = joined
    from_ = left_join(items, known.item, conjoin(known.on))
    return replace(block, from_=from_, where=conjoin((*rest, *tests)))


def _grouped(
    pred: a.Quantified, inner: Inner, best: a.Aggregate, ctx: Context
) -> tuple[OnceAKey, list[a.Expr]] | None:
    """The extreme of each group, and what is asked of it."""
    value = best.args[0]
    targets = [a.Target("best", best)]
    filled = ctx.filled(value, inner.items) is not None or a.IsNull(value, negated=True) in inner.local
    # max passes over NULL, ALL does not: `5 > ALL (VALUES (1), (NULL))` is unknown, 5 > max is TRUE
    counted = not filled and not ctx.holds("elements-filled", False)
    if counted:
        every, some = function("count"), function("count", "any")
        if every is None or some is None:
            return None
        targets.append(a.Target("n", a.Aggregate(every, (), INT8, star=True)))
        targets.append(a.Target("k", a.Aggregate(some, (value,), INT8)))
    known = once_a_key(inner, targets, "extreme", ctx)
    extreme, *counts = known.values
    met = _test(pred, extreme)
    # the LEFT JOIN pads an outer row whose group is empty, and ALL of no rows is TRUE, even for a NULL
    # outside
    tests: list[a.Expr] = [met if ctx.holds("empty-is-true", False) else a.Or((a.IsNull(extreme), met))]
    if counted:
        # with a NULL among its elements ALL is at most unknown
        rows, elements = (a.Coalesce((c, int8(0)), INT8) for c in counts)
        same = compare("=", rows, elements)
        tests = [same, *tests] if same is not None else tests
    return known, tests


def _test(pred: a.Quantified, value: a.Expr) -> a.Op:
    return a.Op(pred.ops[0], (pred.left[0], value), pred.type)


def _extreme(pred: a.Quantified, query: a.Select, ctx: Context) -> tuple[a.Derived, a.Expr] | None:
    value = query.targets[0].expr
    best = aggregate(EXTREMES[pred.kind, pred.all], value)
    every, some = function("count"), function("count", "any")
    # the extreme has the values' type: the same operator must fit it
    if best is None or every is None or some is None or pred.ops[0].right != pred.ops[0].left:
        return None
    rel = ctx.fresh()
    targets = [a.Target("best", best)]
    if pred.all:
        # min and max alone cannot tell no rows (TRUE) from rows that are all NULL (unknown)
        targets.append(a.Target("n", a.Aggregate(every, (), INT8, star=True)))
        targets.append(a.Target("k", a.Aggregate(some, (value,), INT8)))
    item = a.Derived(
        rel,
        replace(query, targets=tuple(targets), group_by=((),), order_by=()),
        "extreme",
        tuple(t.name for t in targets),
    )
    test = _test(pred, a.Column(rel, 0, best.type, "best"))
    if not pred.all:
        return item, test
    rows, filled = a.Column(rel, 1, INT8, "n"), a.Column(rel, 2, INT8, "k")
    none, whole = compare("=", rows, int8(0)), compare("=", rows, filled)
    # `whole` is needed beside the test: one NULL among the values keeps ALL from being TRUE
    if none is None or whole is None:
        return None
    return item, a.Or((none, a.And((whole, test))))
