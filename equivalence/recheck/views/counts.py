"""Differences of counts as one count, and bounds of an extreme as bounds of what it is taken from.

Of the rows that a first count counts, a second counts those that meet a condition more; what is left are the
rows that do not meet it. The greatest of values none of which is NULL is below a bound exactly where they all
are, the least above one, in the order by which it was taken. Must not know the other forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql import algebra as a
from rewright.sql.facts import is_volatile
from rewright.sql.types import INT8
from rewright.sql.walk import (
    as_product,
    bottom_up,
    conjoin,
    conjuncts,
    from_rels,
    has_subquery,
    renumber,
    same_source,
    walk,
)


def counts(query: a.Query, changes: Changes) -> a.Query:
    def change(node: a.Node) -> a.Node:
        made: a.Node = node
        asked: a.Expr | None = None
        if isinstance(node, a.Select) and node.where is not None:
            made, asked = _of_each(node, conjuncts(node.where)), node.where
        elif isinstance(node, a.Op) and (rest := _rest(node)) is not None:
            made, asked = rest, rest.query.where if isinstance(rest.query, a.Select) else None
        # what is asked in another order, or no longer of all rows, may fail in one of the two only
        if made is not node and asked is not None and changes.known.errors(asked):
            changes.modulo.add("errors")
        return made

    return bottom_up(query, change)


# --------------------------------------------------------------------------- differences


def _rest(minus: a.Op) -> a.ScalarSubquery | None:
    if not minus.op.is_builtin or (minus.op.name, minus.op.left, minus.op.right) != ("-", "int8", "int8"):
        return None
    every, some = (_block(x) for x in minus.args)
    if every is None or some is None or len(every.from_) != len(some.from_):
        return None
    names: dict[int, int] = {}
    for ours, theirs in zip(every.from_, some.from_, strict=True):
        if not same_source(ours, theirs):
            return None
        names |= zip(from_rels((theirs,)), from_rels((ours,)), strict=True)
    asked = {renumber(p, names) for p in conjuncts(some.where)}
    own = set(conjuncts(every.where))
    more = [p for p in (renumber(q, names) for q in conjuncts(some.where)) if p not in own]
    if not own <= asked or not more:
        return None
    condition = more[0] if len(more) == 1 else a.And(tuple(more))
    kept = (*conjuncts(every.where), a.IsBool(condition, "true", negated=True))
    return a.ScalarSubquery(replace(every, where=conjoin(kept)), INT8)


def _block(x: a.Expr) -> a.Select | None:
    """What ``(SELECT count(*) FROM tables WHERE …)`` counts, as a product with conditions."""
    query = x.query if isinstance(x, a.ScalarSubquery) else None
    if not isinstance(query, a.Select) or query.group_by != ((),) or len(query.targets) != 1:
        return None
    bare = replace(query, targets=(), from_=(), where=None, group_by=None)
    shown = query.targets[0].expr
    stars = isinstance(shown, a.Aggregate) and shown.func.is_builtin and shown.func.name == "count"
    if bare != a.Select(()) or not isinstance(shown, a.Aggregate) or not stars:
        return None
    if not shown.star or shown.filter is not None or shown.type != INT8 or is_volatile(query):
        return None
    tables, conditions = as_product(query)
    if not all(isinstance(t, a.Scan | a.CteScan) for t in tables) or any(map(has_subquery, conditions)):
        return None
    return replace(query, from_=tuple(tables), where=conjoin(conditions))


# --------------------------------------------------------------------------- extremes


def _of_each(block: a.Select, conditions: tuple[a.Expr, ...] | list[a.Expr]) -> a.Select:
    there = [c.arg for c in conditions if isinstance(c, a.IsNull) and c.negated and not c.row_form]
    told = [t for c in conditions for t in _told(c, there)]
    return block if told == list(conditions) else replace(block, where=conjoin(dict.fromkeys(told)))


def _told(c: a.Expr, there: list[a.Expr]) -> Iterator[a.Expr]:
    extreme = c.args[0] if isinstance(c, a.Op) and len(c.args) == 2 else None
    if not isinstance(c, a.Op) or not isinstance(extreme, a.MinMax) or not c.op.is_builtin or is_volatile(c):
        yield c
        return
    sides = {"<", "<="} if extreme.greatest else {">", ">="}
    alike = c.op.left == c.op.right and all(x.type == extreme.type for x in extreme.args)
    chosen = alike and _by_its_order(extreme, c.args[1])
    if c.op.btree in sides and chosen and all(x in there for x in extreme.args):
        yield from (replace(c, args=(x, c.args[1])) for x in extreme.args)
    else:
        yield c


def _by_its_order(extreme: a.MinMax, bound: a.Expr) -> bool:
    """Whether the bound brings no collation with it by which another value would have been the extreme."""
    if bound.type.collation == extreme.type.collation:
        return True
    return bound.type.collation == "default" and not any(isinstance(n, a.Collate) for n in walk(bound))
