"""Groups in which there are two different values: asked as groups, by their least and greatest value.

    SELECT DISTINCT l.ord FROM line l
     WHERE EXISTS (SELECT 1 FROM line o WHERE o.ord = l.ord AND o.supp <> l.supp)
    -->
    SELECT ord FROM line GROUP BY ord HAVING min(supp) <> max(supp)

Owns when two readings of the same rows ask for nothing else: in a block that shows groups, each once or as
often as it likes, and in an EXISTS that pairs rows of one group. Must not know where they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rewright.equivalence.laws.correlation import Inner, Tie, take_apart
from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.build import ONE, aggregate, compare, derived, numbered
from rewright.sql.facts import may_differ
from rewright.sql.facts.dependencies import is_equality
from rewright.sql.walk import (
    as_product,
    conjoin,
    free_rels,
    group_keys,
    has_aggregate,
    has_window,
    renumber,
    same_source,
    used_rels,
    walk_block,
)


def two_values(value: a.Expr) -> a.Op | None:
    """Whether a group has two different ones; NULLs are none."""
    low, high = aggregate("min", value), aggregate("max", value)
    return None if low is None or high is None else compare("<>", low, high)


# --------------------------------------------------------------------------- a block that shows groups


def groups_asked(
    block: a.Select,
    conjunct: a.Expr,
    inner: Inner,
    pair: tuple[a.Expr, a.Expr],
    ctx: Context,
    *,
    often: bool = False,
) -> a.Select | None:
    """The groups in which there are two different values, where the block shows which groups those are of the
    same rows, each once; ``often``: it makes no difference how often. ``conjunct`` is the EXISTS with the
    parts ``inner``, ``pair`` what differs inside and outside.
    """
    items, preds = as_product(block)
    # any other table would multiply rows or leave some out
    if len(items) != 1 or len(inner.items) != 1 or not same_source(items[0], inner.items[0]):
        return None
    (source,) = items
    twins = dict.fromkeys(inner.rels, source.rel)  # type: ignore[union-attr] # only leaves are the same source
    rest = [p for p in preds if p != conjunct]
    value, outer = pair
    alike = all(t.symmetric and renumber(t.inner, twins) == t.outer for t in inner.ties)
    # exactly the same rows inside and outside: the EXISTS pairs rows of this very block
    if not alike or renumber(value, twins) != outer or {renumber(p, twins) for p in inner.local} != {*rest}:
        return None
    keys = tuple(dict.fromkeys(renumber(t.key, twins) for t in inner.ties))
    shown = {t.expr for t in block.targets} | {k.expr for k in block.order_by}
    each = _shown_once(block)
    # each group once, and nothing shown but its keys
    if (each is None and not often) or block.having is not None or not shown <= {*keys} or has_window(block):
        return None
    differ = two_values(outer)
    if differ is None:
        return None
    return replace(
        block,
        # rows without a key equal none, but are a group
        where=conjoin((*rest, *_filled(keys, items, ctx))),
        group_by=(keys,),
        having=differ,
        # DISTINCT over the keys is what the groups are; over some of them it has to stay
        distinct=None if often or each == {*keys} else (),
    )


def _shown_once(block: a.Select) -> set[a.Expr] | None:
    """What a block shows once each, by DISTINCT or by GROUP BY of just that; None where it does not."""
    shown = {t.expr for t in block.targets}
    if block.group_by is None:
        return shown if block.distinct == () else None
    # an aggregate shows more than which groups there are
    plain = len(block.group_by) == 1 and block.distinct is None and not any(map(has_aggregate, shown))
    return shown if plain and shown == {*group_keys(block)} else None


def _filled(keys: Sequence[a.Expr], items: Sequence[a.FromItem], ctx: Context) -> list[a.Expr]:
    """Rows without a key equal none, but are a group."""
    return [a.IsNull(k, negated=True) for k in keys if ctx.filled(k, items) is None]


# --------------------------------------------------------------------------- pairs of rows in EXISTS


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Two rows of one source: what both equal in, what they differ in, what is asked of each."""

    source: a.FromItem
    keys: tuple[a.Expr, ...]
    value: a.Expr
    local: tuple[a.Expr, ...]
    ties: tuple[Tie, ...]


def pairs_asked(exists: a.Exists, ctx: Context) -> a.Exists | None:
    """EXISTS two rows of one group with different values, tied by the group: EXISTS the group."""
    found = _pairs(exists.query)
    differ = None if found is None else two_values(found.value)
    if found is None or differ is None:
        return None
    keys = tuple(dict.fromkeys((*(t.key for t in found.ties), *found.keys)))
    tied = {t.key for t in found.ties}
    # a key that ties outside meets no NULL anyway
    filled = _filled([k for k in keys if k not in tied], (found.source,), ctx)
    shown = numbered("key", keys)
    query = a.Select(shown, (found.source,), conjoin((*found.local, *filled)), (keys,), differ)
    item, columns = derived(ctx.fresh(), "grp", query)
    on = (t.on_key(columns[keys.index(t.key)]) for t in found.ties)
    return a.Exists(a.Select(ONE, (item,), conjoin(tuple(on))))


def _pairs(query: a.Query) -> _Pairs | None:
    if (
        # LIMIT and grouping make other rows of the pairs
        not isinstance(query, a.Select)
        or query.group_by is not None
        or query.having is not None
        or query.ctes
    ):
        return None
    if query.limit is not None or query.offset is not None or may_differ(query):
        return None
    parts = take_apart(replace(query, targets=(), distinct=None, order_by=()))
    # exactly two rows, tied outside by equalities alone
    if parts is None or parts.others or not parts.ties or len(parts.items) != 2:
        return None
    first, second = parts.items
    if not same_source(first, second):
        return None
    twins = {second.rel: first.rel}  # type: ignore[union-attr] # only leaves are the same source
    return _sorted_out(parts, first, twins)


def _sorted_out(parts: Inner, first: a.FromItem, twins: Mapping[int, int]) -> _Pairs | None:
    keys: list[a.Expr] = []
    values: list[a.Expr] = []
    asked: dict[int, set[a.Expr]] = {rel: set() for pair in twins.items() for rel in pair}
    for pred in parts.local:
        rels = free_rels(pred)
        # asked of one of the two: it has to be asked of the other as well
        if len(rels) == 1:
            asked[next(iter(rels))].add(renumber(pred, twins))
        # the same expression equal in both: they are of one group
        elif isinstance(pred, a.Op) and _of_both(pred, twins) and is_equality(pred):
            keys.append(renumber(pred.args[0], twins))
        # the same expression different in both
        elif isinstance(pred, a.Op) and _of_both(pred, twins) and pred.op.name == "<>" and pred.op.is_builtin:
            values.append(renumber(pred.args[0], twins))
        else:
            # anything else compares two rows in a way that groups do not show
            return None
    tied: dict[Tie, set[int]] = {}
    for tie in parts.ties:
        moved = replace(tie, inner=renumber(tie.inner, twins), op=renumber(tie.op, twins))
        tied.setdefault(moved, set()).update(used_rels(tie.inner))
    one, other = asked.values()
    # what ties one of the two ties the other, too
    both = all(tie.key in keys or rels == {*asked} for tie, rels in tied.items())
    # two `<>` may be met by different pairs of rows
    if len(values) != 1 or one != other or not both or not all(tie.symmetric for tie in tied):
        return None
    return _Pairs(first, tuple(keys), values[0], tuple(one), tuple(tied))


def _of_both(op: a.Op, twins: Mapping[int, int]) -> bool:
    """Whether a comparison is of the same expression of both rows."""
    # of two types the comparison would not be that of one expression
    if len(op.args) != 2 or op.op.left != op.op.right:
        return False
    left, right = op.args
    # `a.x + b.x` on one side is of both rows
    apart = not used_rels(left) & used_rels(right)
    return apart and renumber(left, twins) == renumber(right, twins)


# --------------------------------------------------------------------------- counts of values


def compared_with_one(name: str, count: a.Expr, constant: str | None) -> a.Expr | None:
    """``count(DISTINCT x)`` compared with one, by the least and the greatest x; it may be NULL for FALSE."""
    if not isinstance(count, a.Aggregate) or count.func.name != "count" or not count.func.is_builtin:
        return None
    # count(x) counts rows, not values
    if not count.distinct or len(count.args) != 1 or count.order_by:
        return None
    found = [aggregate(extreme, count.args[0]) for extreme in ("min", "max")]
    low, high = (None if g is None else replace(g, filter=count.filter) for g in found)
    if low is None or high is None:
        return None
    same = compare("=", low, high)
    # two values or more: the least is not the greatest
    if (name, constant) in {(">", "1"), (">=", "2")}:
        return compare("<>", low, high)
    # one value and no other
    if (name, constant) == ("=", "1"):
        return same
    # no value at all counts as none: both extremes are NULL
    if (name, constant) in {("<", "2"), ("<=", "1")} and same is not None:
        return a.Or((a.IsNull(low), same))
    return None


def counts_values(block: a.Select) -> bool:
    """Whether HAVING counts different values."""
    asked = () if block.having is None else walk_block(block.having)
    return any(isinstance(n, a.Aggregate) and n.distinct for n in asked)
