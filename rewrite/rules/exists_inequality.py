"""[NOT] EXISTS another row of the group with a different value, to the group's least and greatest value.

    SELECT … FROM line l WHERE EXISTS (SELECT 1 FROM line o WHERE o.ord = l.ord AND o.supp <> l.supp)
    -->
    SELECT … FROM line l, (SELECT ord, min(supp) lo, max(supp) hi FROM line WHERE ord IN (…) GROUP BY ord) g
     WHERE g.ord = l.ord AND (g.lo <> l.supp OR g.hi <> l.supp)

NOT EXISTS: LEFT JOIN and ``g.lo IS NULL OR l.supp IS NULL OR (g.lo = l.supp AND g.hi = l.supp)``. Where
nothing but which groups there are is asked of the same rows, the groups are asked themselves:

    SELECT DISTINCT l.ord FROM line l WHERE EXISTS (… AS above …)
    -->
    SELECT ord FROM line GROUP BY ord HAVING min(supp) <> max(supp)

Hazards 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.correlation import once_a_key, reduction
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, compare, left_join
from rewright.sql.facts import may_differ
from rewright.sql.walk import as_product, conjoin, has_window, renumber, same_source, used_rels

_SAID = "a different value exists when the group's least or greatest value differs"


@rule(SELECT, priority=60, category="join")
def exists_inequality(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for conjunct in as_product(block)[1]:
        negated = isinstance(conjunct, a.Not)
        node = conjunct.arg if isinstance(conjunct, a.Not) else conjunct
        if not isinstance(node, a.Exists) or not isinstance(node.query, a.Select):
            continue
        inner = _inner(node.query)
        pair = _different(inner) if inner is not None else None
        if inner is None or pair is None:
            continue
        asked = None if negated else _groups_asked(block, conjunct, inner, pair, ctx)
        if asked is not None:
            yield Rewrite(asked, _SAID)
        for whole in (False, True):
            limit = reduction(block, inner.ties, conjunct, ctx, whole=whole)
            if limit is not None:
                made = _grouped(block, conjunct, inner, pair, (limit,), negated, ctx)
                if made is not None:
                    yield Rewrite(made, _SAID)
        made = _grouped(block, conjunct, inner, pair, (), negated, ctx)
        if made is not None:
            yield Rewrite(made, _SAID)


def _inner(query: a.Select) -> Inner | None:
    if query.group_by is not None or query.having is not None or query.limit is not None or query.ctes:
        return None
    if query.offset is not None or may_differ(query):
        return None
    parts = take_apart(replace(query, targets=(), distinct=None, order_by=()))
    return parts if parts is not None and parts.ties and len(parts.others) == 1 else None


def _different(inner: Inner) -> tuple[a.Expr, a.Expr] | None:
    """(inner, outer) of the one conjunct ``inner <> outer``."""
    pred = inner.others[0]
    if not isinstance(pred, a.Op) or pred.op.name != "<>" or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    left, right = pred.args
    if pred.op.left != pred.op.right:
        return None
    if used_rels(left) <= inner.rels and not used_rels(right) & inner.rels:
        return left, right
    if used_rels(right) <= inner.rels and not used_rels(left) & inner.rels:
        return right, left
    return None


def _groups_asked(
    block: a.Select, conjunct: a.Expr, inner: Inner, pair: tuple[a.Expr, a.Expr], ctx: Context
) -> a.Select | None:
    """The groups in which there are two different values, where the block shows which groups those are of
    the same rows, each once.
    """
    items, preds = as_product(block)
    if len(items) != 1 or len(inner.items) != 1 or not same_source(items[0], inner.items[0]):
        return None
    (source,) = items
    twins = dict.fromkeys(inner.rels, source.rel)  # type: ignore[union-attr] # only leaves are the same source
    rest = [p for p in preds if p != conjunct]
    value, outer = pair
    alike = all(t.symmetric and renumber(t.inner, twins) == t.outer for t in inner.ties)
    if not alike or renumber(value, twins) != outer or {renumber(p, twins) for p in inner.local} != {*rest}:
        return None
    keys = tuple(dict.fromkeys(renumber(t.key, twins) for t in inner.ties))
    shown = {t.expr for t in block.targets} | {k.expr for k in block.order_by}
    if block.distinct != () or block.group_by is not None or not shown <= {*keys} or has_window(block):
        return None
    low, high = aggregate("min", outer), aggregate("max", outer)
    differ = None if low is None or high is None else compare("<>", low, high)
    if differ is None:
        return None
    filled = [a.IsNull(k, negated=True) for k in keys if ctx.filled(k, items) is None]
    return replace(
        block,
        where=conjoin((*rest, *filled)),
        group_by=(keys,),
        having=differ,
        distinct=None if {t.expr for t in block.targets} == {*keys} else (),
    )


def _grouped(
    block: a.Select,
    conjunct: a.Expr,
    inner: Inner,
    pair: tuple[a.Expr, a.Expr],
    limits: tuple[a.Expr, ...],
    negated: bool,
    ctx: Context,
) -> a.Select | None:
    value, outer = pair
    low, high = aggregate("min", value), aggregate("max", value)
    if low is None or high is None:
        return None
    known = once_a_key(inner, (a.Target("low", low), a.Target("high", high)), "grp", ctx, limits)
    items, preds = as_product(block)
    rest = [p for p in preds if p != conjunct]
    tests = [compare("=" if negated else "<>", column, outer) for column in known.values]
    compared = tuple(x for x in tests if x is not None)
    if len(compared) < len(tests):
        return None
    if not negated:
        where = conjoin((*rest, *known.on, a.Or(compared)))
        return replace(block, from_=(*items, known.item), where=where)
    # there is no other value in the group, or no group; a NULL outside differs from none
    unknown: tuple[a.Expr, ...] = (a.IsNull(outer),) if ctx.holds("outer-null-kept", True) else ()
    test = a.Or((a.IsNull(known.values[0]), *unknown, a.And(compared)))
    from_ = left_join(items, known.item, conjoin(known.on))
    return replace(block, from_=from_, where=conjoin((*rest, test)))
