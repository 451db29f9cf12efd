"""HAVING that asks the extreme of a column which the group decides is a condition of WHERE.

    SELECT o.id, sum(l.qty) FROM ord o JOIN line l ON l.ord = o.id GROUP BY o.id HAVING max(o.day) > 5
    -->
    SELECT o.id, sum(l.qty) FROM ord o JOIN line l ON l.ord = o.id WHERE o.day > 5 GROUP BY o.id

All rows of a group have the same value of the column, as the keys of the grouping determine it, and a group
has a row; so its greatest and its least value are that one, and a condition on it alone holds of all rows of
the group or of none. What is left of HAVING asks aggregates. Hazards 17.

Calcite: FilterAggregateTransposeRule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, grouped, no_sets, rule, stable
from rewright.sql import algebra as a
from rewright.sql.facts import labels
from rewright.sql.walk import (
    conjoin,
    conjuncts,
    group_keys,
    has_aggregate,
    has_subquery,
    map_kind,
    walk_block,
)

_EXTREMES = frozenset({"min", "max", "bool_and", "bool_or", "every", "any_value"})


@rule(
    SELECT.where(grouped, stable, no_sets),
    guards=("group-decides-it",),
    known_as="FilterAggregateTransposeRule",
    priority=83,
    category="predicate",
)
def having_column(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    # over no rows the extreme of everything is NULL and HAVING decides of one row; WHERE would leave none
    if not group_keys(block):
        return
    moved: list[a.Expr] = []
    left: list[a.Expr] = []
    basis: frozenset[str] = frozenset()
    for pred in conjuncts(block.having):
        found = _of_rows(pred, block, ctx)
        if found is None:
            left.append(pred)
        else:
            moved.append(found[0])
            basis |= found[1]
    if moved:
        where = conjoin((*conjuncts(block.where), *moved))
        made = replace(block, where=where, having=conjoin(left))
        yield Rewrite(made, "the group decides what HAVING asks, so WHERE can ask it", basis)


def _of_rows(pred: a.Expr, block: a.Select, ctx: Context) -> tuple[a.Expr, frozenset[str]] | None:
    """The condition on the rows of a group, all of which agree about it."""
    asked = [n for n in walk_block(pred) if isinstance(n, a.Aggregate)]
    # a subquery could read other rows than the group's
    if not asked or has_subquery(pred) or not all(_is_extreme(g) for g in asked):
        return None
    # without aggregates it can be asked of rows; what is left must not need the groups
    made = map_kind(pred, a.Aggregate, lambda g: g.args[0])
    if has_aggregate(made) or any(isinstance(n, a.Grouping) for n in walk_block(made)):
        return None
    decided = ctx.facts.closure(block, _key_columns(block))
    columns = [(n.rel, n.pos) for n in walk_block(made) if isinstance(n, a.Column)]
    # decided by all keys together, through the keys of tables and equalities
    why = decided.has(columns)
    if not ctx.holds("group-decides-it", why is not None):
        return None
    return made, labels(why or frozenset())


def _is_extreme(g: a.Aggregate) -> bool:
    return (
        g.func.is_builtin
        and g.func.name in _EXTREMES
        # max(x) FILTER (WHERE …) is NULL where no row of the group is chosen, whatever x
        and g.filter is None
        and len(g.args) == 1
        and isinstance(g.args[0], a.Column)
        # max of a varchar is a text
        and g.args[0].type.without_typmod() == g.type.without_typmod()
    )


def _key_columns(block: a.Select) -> list[tuple[int, int]]:
    return [(k.rel, k.pos) for k in group_keys(block) if isinstance(k, a.Column)]
