"""A LEFT JOIN whose right side is always there, or always asked for above the grouping, is an inner join.

    SELECT l.ord, p.brand FROM line l LEFT JOIN part p ON p.id = l.part
    -->
    SELECT l.ord, p.brand FROM line l JOIN part p ON p.id = l.part

By a foreign key whose columns hold no NULL, with ON asking for the key only; because HAVING is not true of a
group without a match, where each group is one row of the kept side; or because WHERE is not true of a row
without one. The last the server sees itself: it is done below DISTINCT and groups, so that rules which look
for inner joins there see it too. Hazards 4a-4c.

Calcite: FilterJoinRule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, rule
from rewright.rewrite.rules.conditions import compares, turned
from rewright.sql import algebra as a
from rewright.sql.constants import value
from rewright.sql.facts import (
    is_equality,
    is_strict_in,
    labels,
    rejected_columns,
    stored_table,
    usable_foreign_keys,
)
from rewright.sql.walk import conjoin, conjuncts, free_rels, from_rels, unpadded_tree, walk


@rule(
    SELECT,
    guards=("nothing-but-the-key", "key-is-filled", "group-is-one-row", "null-is-refused"),
    known_as="FilterJoinRule",
    priority=84,
    category="join",
)
def inner_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    for number, item in enumerate(block.from_):
        made, basis = _present(item, ctx)
        if made is not item:
            from_ = (*block.from_[:number], made, *block.from_[number + 1 :])
            yield Rewrite(replace(block, from_=from_), "every row has its partner by a foreign key", basis)
    yield from _by_having(block, ctx)
    yield from _by_where(block, ctx)


# --------------------------------------------------------------------------- foreign keys


def _present(item: a.FromItem, ctx: Context) -> tuple[a.FromItem, frozenset[str]]:
    """``item`` with each LEFT JOIN along its left spine that always finds a partner made inner."""
    # FULL and RIGHT pad the left side: what is below them is not always there
    if not isinstance(item, a.Join) or item.kind not in {"left", "inner"}:
        return item, frozenset()
    left, basis = _present(item.left, ctx)
    made = item if left is item.left else replace(item, left=left)
    found = _always(made, ctx) if item.kind == "left" else None
    if found is None:
        return made, basis
    return replace(made, kind="inner"), basis | found


def _always(join: a.Join, ctx: Context) -> frozenset[str] | None:
    parent = join.right
    # a view or a foreign table is not what the constraint is on; ONLY leaves out children
    if not isinstance(parent, a.Scan) or stored_table(ctx.catalog, parent) is None or parent.only:
        return None
    # a table that a join below pads has NULL keys there, whatever its columns say
    for child in unpadded_tree(join.left):
        if not isinstance(child, a.Scan) or stored_table(ctx.catalog, child) is None:
            continue
        for fk, basis in usable_foreign_keys(ctx.catalog, child):
            if fk.target == parent.table and _matches(
                join, child, parent, (fk.columns, fk.target_columns), ctx
            ):
                return frozenset({basis.name})
    return None


def _matches(
    join: a.Join,
    child: a.Scan,
    parent: a.Scan,
    columns: tuple[tuple[str, ...], tuple[str, ...]],
    ctx: Context,
) -> bool:
    source, target = ctx.catalog.table(child.table), ctx.catalog.table(parent.table)
    wanted = [
        ((child.rel, source.position(c)), (parent.rel, target.position(k)))
        for c, k in zip(*columns, strict=True)
    ]
    on = conjuncts(join.on)
    ties = [{(x.rel, x.pos) for x in p.args if isinstance(x, a.Column)} for p in on if _plain(p)]  # type: ignore[union-attr] # _plain asks for an operator
    # all columns of a composite key
    if any({mine, theirs} not in ties for mine, theirs in wanted):
        return False
    # a further condition of ON (`AND p.active`) may refuse the one partner
    if not ctx.holds("nothing-but-the-key", len(on) == len(wanted)):
        return False
    filled = all(ctx.column_filled(child, pos) for (_, pos), _ in wanted)
    return ctx.holds("key-is-filled", filled)


def _plain(pred: a.Expr) -> bool:
    return is_equality(pred) and isinstance(pred, a.Op) and all(isinstance(x, a.Column) for x in pred.args)


# --------------------------------------------------------------------------- HAVING


def _by_having(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # several grouping sets hold rows that are no group of one kept row
    if block.group_by is None or len(block.group_by) != 1 or len(block.from_) != 1:
        return
    (join,) = block.from_
    if not isinstance(join, a.Join) or join.kind != "left":
        return
    padded = from_rels((join.right,))
    # below joins of the kept side nothing of this matters; conditions on the padded side are the server's to
    # see
    if not any(_rejects_nobody(c, padded) for c in conjuncts(block.having)):
        return
    # a condition on the padded side in WHERE the server uses itself
    if any(free_rels(c) & padded for c in conjuncts(block.where)):
        return
    start = [(k.rel, k.pos) for k in block.group_by[0] if isinstance(k, a.Column)]
    kept = a.Select((), (join.left,), block.where)
    # with two kept rows in a group one may have a match and the other none, whose row counts too
    basis = ctx.facts.determines_rows(kept, [c for c in start if c[0] not in padded])
    if ctx.holds("group-is-one-row", basis is not None):
        names = labels(basis or ())
        made = replace(block, from_=(replace(join, kind="inner"),))
        yield Rewrite(made, "HAVING asks for a match", names)


def _rejects_nobody(pred: a.Expr, padded: frozenset[int]) -> bool:
    """Whether a condition on one aggregate of the padded side is not true when nothing matched."""
    compared = turned(pred)
    if compared is None:
        return False
    name, agg, const = compared
    # count's bigint is widened for a numeric constant
    if isinstance(agg, a.Cast) and agg.implicit:
        agg = agg.arg
    if (
        not isinstance(agg, a.Aggregate)
        or not agg.func.is_builtin
        or len(agg.args) != 1
        # FILTER chooses rows, among which the padded one may not be
        or agg.filter is not None
    ):
        return False
    if not _null_there(agg.args[0], padded):
        return False
    # count of nothing is 0: refused where `0 > 2` is false
    if agg.func.name == "count":
        bound = value(const)
        return isinstance(bound, Decimal) and compares(name, Decimal(0), bound) is False
    # these are NULL of nothing, and no comparison with NULL is TRUE
    return agg.func.name in {"sum", "avg", "min", "max"}


def _null_there(arg: a.Expr, padded: frozenset[int]) -> bool:
    columns: Sequence[a.Expr] = [x for x in _columns(arg) if x.rel in padded]
    # `coalesce(o.x, 0)` is not NULL in the padded row
    return any(is_strict_in(arg, c) for c in columns)


def _columns(arg: a.Expr) -> Iterator[a.Column]:
    return (n for n in walk(arg) if isinstance(n, a.Column))


# --------------------------------------------------------------------------- WHERE


def _by_where(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # without DISTINCT or groups the planner reduces the outer join itself, and nothing more is gained
    if (block.distinct is None and block.group_by is None) or len(block.from_) != 1:
        return
    made = _asked_for(block.from_[0], conjuncts(block.where), ctx)
    if made is not block.from_[0]:
        yield Rewrite(replace(block, from_=(made,)), "WHERE asks for a match")


def _asked_for(item: a.FromItem, asked: Sequence[a.Expr], ctx: Context) -> a.FromItem:
    """``item`` with each LEFT JOIN along its left spine made inner whose padded rows are refused by the
    conditions, or by those under which such a one is joined.
    """
    if not isinstance(item, a.Join) or item.kind not in {"left", "inner"}:
        return item
    kind = item.kind
    if kind == "left":
        refused = {rel for rel, _ in rejected_columns(conjoin(asked))}
        kind = "inner" if ctx.holds("null-is-refused", bool(refused & from_rels((item.right,)))) else kind
    # a join made inner asks its ON of every row, which may refuse the padding of joins below it
    more = conjuncts(item.on) if kind == "inner" else ()
    left = _asked_for(item.left, (*asked, *more), ctx)
    return item if left is item.left and kind == item.kind else replace(item, left=left, kind=kind)
