"""By which constraints an aggregate has one value, whatever order the rows come in: lists, texts, documents,
percentiles.

Owns the aggregate's own ORDER BY, and rows that are numbered. Must not know where the subquery stands.
"""

from __future__ import annotations

from collections.abc import Collection

from rewright.equivalence.laws.correlation import Inner
from rewright.rewrite.rules.base import Context
from rewright.sql import algebra as a
from rewright.sql.constants import NUMBERS
from rewright.sql.facts import order_sensitive, ordered_by_value
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import from_rels, has_subquery, used_rels

# aggregates of an ordered set that pick its values
_RANKED = frozenset({"percentile_cont", "percentile_disc", "mode"})


def ordered(call: a.Aggregate, inner: Inner, ctx: Context) -> frozenset[str] | None:
    """By which constraints an aggregate's value does not depend on the order of the rows: it never does, or
    its own ORDER BY leaves no rows free that its value could tell apart, since their values, or a key of each
    table, are among the sort keys. Columns that are tied are the same in all rows.
    """
    if ordered_by_value(call) or not order_sensitive(call) or _by_rank(call):
        return frozenset()
    if not call.order_by and _numbered(inner):
        return frozenset()
    if not call.order_by or not call.func.is_builtin:
        return None
    same = (*(k.expr for k in call.order_by), *(t.key for t in inner.ties))
    known = {(x.rel, x.pos) for x in same if isinstance(x, a.Column)}
    names: frozenset[str] = frozenset()
    for item in inner.items:
        found = None if isinstance(item, a.Join) else _key_among(item, known, ctx)
        if found is None:
            return None
        names |= found
    return names


def _numbered(inner: Inner) -> bool:
    """Whether the rows are numbered within what ties them: a server collects them in the order in which the
    window has sorted them, as it does those of a sorted subquery that the numbers stand for.
    """
    item = inner.items[0]
    if len(inner.items) != 1 or not isinstance(item, a.Derived) or not isinstance(item.query, a.Select):
        return False
    tied = {t.key.pos for t in inner.ties if isinstance(t.key, a.Column)}
    keys = {t.expr for pos, t in enumerate(item.query.targets) if pos in tied}
    numbers = (t.expr for t in item.query.targets if isinstance(t.expr, a.WindowCall))
    return any(n.func.name == "row_number" and set(n.window.partition_by) == keys for n in numbers)


def _by_rank(call: a.Aggregate) -> bool:
    """Whether it picks values by their rank (a percentile, the mode): rows that sort alike are alike."""
    picks = call.func.is_builtin and call.func.name in _RANKED and not call.distinct
    constant = not any(used_rels(x) or has_subquery(x) for x in call.direct)
    return (
        picks
        and constant
        and all(look_of_type(k.expr.type) is not None or _as_float(k.expr) for k in call.order_by)
    )


def _as_float(expr: a.Expr) -> bool:
    """A number made a float, in which numerics that are equal look alike."""
    return isinstance(expr, a.Cast) and expr.type.name == "float8" and expr.arg.type.name in NUMBERS


def _key_among(item: a.FromItem, columns: Collection[tuple[int, int]], ctx: Context) -> frozenset[str] | None:
    """The constraints of a key of the item's rows that is among the columns and has no NULL."""
    rel = next(iter(from_rels((item,))))
    whole = (
        names
        for key, names in ctx.keys(item)
        if all((rel, pos) in columns and ctx.column_filled(item, pos) for pos in key)
    )
    return next(whole, None)
