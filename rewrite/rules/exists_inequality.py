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

So are they in the subquery of IN, and where EXISTS pairs the rows of a group. A HAVING that asks whether
there is more than one different value asks that too, without sorting them (`several_values`). Hazards 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.laws.correlation import Inner, take_apart
from rewright.rewrite.rules.base import SELECT, Context, Rewrite, aggregated, rule
from rewright.rewrite.rules.conditions import in_conditions, turned
from rewright.rewrite.rules.correlation import once_a_key, reduction
from rewright.rewrite.rules.two_values import compared_with_one, counts_values, groups_asked, pairs_asked
from rewright.sql import algebra as a
from rewright.sql.build import aggregate, compare, left_join
from rewright.sql.facts import may_differ
from rewright.sql.walk import as_product, conjoin, used_rels

_SAID = "a different value exists when the group's least or greatest value differs"


@rule(SELECT, priority=60, category="join")
def exists_inequality(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for conjunct in as_product(block)[1]:
        negated = isinstance(conjunct, a.Not)
        node = conjunct.arg if isinstance(conjunct, a.Not) else conjunct
        # EXISTS of pairs and IN a list are asked without the outer row: the limits below do not apply
        other = _by_groups(node, ctx)
        if other is not None:
            items, preds = as_product(block)
            asked = a.Not(other) if negated else other
            where = conjoin(tuple(asked if p == conjunct else p for p in preds))
            yield Rewrite(replace(block, from_=tuple(items), where=where), _SAID)
        if not isinstance(node, a.Exists):
            continue
        inner = _inner(node.query)
        pair = _different(inner) if inner is not None else None
        if inner is None or pair is None:
            continue
        # NOT EXISTS keeps groups with one value and rows without a group: not the groups with several
        shown = None if negated else groups_asked(block, conjunct, inner, pair, ctx)
        if shown is not None:
            yield Rewrite(shown, _SAID)
        # with keys of the few outer rows, of all of FROM, and without: EXPLAIN chooses
        for whole in (False, True):
            limit = reduction(block, inner.ties, conjunct, ctx, whole=whole)
            if limit is not None:
                made = _grouped(block, conjunct, inner, pair, (limit,), negated, ctx)
                if made is not None:
                    yield Rewrite(made, _SAID)
        made = _grouped(block, conjunct, inner, pair, (), negated, ctx)
        if made is not None:
            yield Rewrite(made, _SAID)


def _inner(query: a.Query) -> Inner | None:
    if not isinstance(query, a.Select):
        return None
    if query.group_by is not None or query.having is not None or query.limit is not None or query.ctes:
        return None
    # OFFSET asks for more than one other row
    if query.offset is not None or may_differ(query):
        return None
    parts = take_apart(replace(query, targets=(), distinct=None, order_by=()))
    # exactly one condition besides the ties: the `<>`
    return parts if parts is not None and parts.ties and len(parts.others) == 1 else None


def _different(inner: Inner) -> tuple[a.Expr, a.Expr] | None:
    """(inner, outer) of the one conjunct ``inner <> outer``."""
    pred = inner.others[0]
    if not isinstance(pred, a.Op) or pred.op.name != "<>" or not pred.op.is_builtin or len(pred.args) != 2:
        return None
    left, right = pred.args
    # `int4 <> int8` compares another type than min gives
    if pred.op.left != pred.op.right:
        return None
    # `o.supp <> o.part` reads no outer value: it filters
    if used_rels(left) <= inner.rels and not used_rels(right) & inner.rels:
        return left, right
    if used_rels(right) <= inner.rels and not used_rels(left) & inner.rels:
        return right, left
    return None


def _by_groups(node: a.Expr, ctx: Context) -> a.Expr | None:
    """EXISTS of pairs of rows, or IN a list of rows with another one beside them, asked of groups."""
    if isinstance(node, a.Exists):
        return pairs_asked(node, ctx)
    if (
        not isinstance(node, a.Quantified)
        or node.kind != "="
        or node.all
        or not isinstance(node.query, a.Select)
    ):
        return None
    query = replace(node.query, order_by=(), distinct=None)
    # LIMIT chooses rows, which the groups do not have
    if node.query.limit is not None or node.query.offset is not None or query.group_by is not None:
        return None
    for conjunct in as_product(query)[1]:
        inner = _inner(conjunct.query) if isinstance(conjunct, a.Exists) else None
        pair = _different(inner) if inner is not None else None
        if inner is None or pair is None:
            continue
        made = groups_asked(query, conjunct, inner, pair, ctx, often=True)
        if made is not None:
            return replace(node, query=made)
    return None


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
    # a type without `=` and `<>` of its own for what min gives
    if len(compared) < len(tests):
        return None
    # at least one of the two ends differs: if neither does, all values are the outer one
    if not negated:
        where = conjoin((*rest, *known.on, a.Or(compared)))
        return replace(block, from_=(*items, known.item), where=where)
    # there is no other value in the group, or no group; a NULL outside differs from none
    unknown: tuple[a.Expr, ...] = (a.IsNull(outer),) if ctx.holds("outer-null-kept", True) else ()
    test = a.Or((a.IsNull(known.values[0]), *unknown, a.And(compared)))
    from_ = left_join(items, known.item, conjoin(known.on))
    return replace(block, from_=from_, where=conjoin((*rest, test)))


@rule(SELECT.where(aggregated, counts_values), priority=60, category="predicate")
def several_values(block: a.Select, ctx: Context) -> Iterator[Rewrite]:  # noqa: ARG001 - a rule's arguments
    """A count of different values that is compared with one is a comparison of the least with the greatest.

        SELECT l.ord FROM line l GROUP BY l.ord HAVING count(DISTINCT l.supp) > 1
        -->
        SELECT l.ord FROM line l GROUP BY l.ord HAVING min(l.supp) <> max(l.supp)

    DISTINCT sorts each group's values; extremes are kept in a hash table.
    """
    made = in_conditions(block, _with_one)
    if made is not None:
        yield Rewrite(made, "more than one value: the least differs from the greatest", literal=True)


def _with_one(condition: a.Expr) -> a.Expr | None:
    found = turned(condition)
    return None if found is None else compared_with_one(found[0], found[1], found[2].value)
