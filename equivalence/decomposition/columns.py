"""A pair of blocks taken apart by their columns: the rows that both make of FROM and WHERE, and each column
for itself.

Each value that a block shows or sorts by is a function of columns of its row, or of the rows of its group.
If both blocks have the same rows of these columns, and over these rows two values are the same beside the
columns they are made of, the values are the same in each row: whoever agrees with itself on a row's columns
agrees on its value. Groups by the same keys hold the same rows then, and each value of a group is told beside
its keys; which groups are kept is asked apart. So each column is proved alone, and all of them are what the
whole is. What values leave to chance comes back as reservations. Must not know provers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rewright.equivalence.decomposition.abstraction import Pair, pairs
from rewright.equivalence.decomposition.congruence import Difference, differences, unfit
from rewright.equivalence.decomposition.tops import above, aligned
from rewright.equivalence.laws.chance import chance, loose_above
from rewright.sql import algebra as a
from rewright.sql.build import numbered
from rewright.sql.catalog import Catalog
from rewright.sql.facts.aggregates import asks_groups
from rewright.sql.types import INT4
from rewright.sql.walk import (
    canonical,
    columns_used,
    conjoin,
    conjuncts,
    from_rels,
    group_keys,
    has_subquery,
    has_window,
    references_whole,
    returns_set,
    walk_block,
)

_ROW = a.Target("c1", a.Const("1", INT4))


def columns_apart(pair: Difference, catalog: Catalog) -> list[Difference] | None:
    """The rows of both blocks, which groups are kept, and the columns that differ; None where the pair is not
    made of these.
    """
    if not isinstance(pair.before, a.Select) or not isinstance(pair.after, a.Select):
        return None
    both = aligned(pair.before, pair.after)
    if both is None:
        # FROM with other range variables in the one than in the other
        return None
    x, y = both
    # LIMIT, DISTINCT or HAVING that differ decide on rows, not on values
    if not _is_by_rows(x) or not _is_by_rows(y) or not _are_cut_alike(x, y):
        return None
    read = _read_by_both(x, y)
    if read is None:
        # a column that only one of the two has makes rows of another shape
        return None
    loose, facts = chance(x, catalog)
    for block in (x, y):
        more, told = loose_above(replace(above(block), limit=None, offset=None, distinct=None), catalog)
        loose, facts = loose | more, (*facts, *told)
    shown = _shown(read)
    rows = Difference(_rows(x, shown), _rows(y, shown), pair.modulo | loose, (*pair.facts, *facts))
    values = zip(_exprs(x), _exprs(y), strict=True)
    found = [*([_groups(x, y)] if x.group_by else []), *(_column(x, one, other) for one, other in values)]
    # columns that are the same need no proof
    differing = list(dict.fromkeys(d for d in found if not _is_one(d)))
    return [rows, *differing] if differing else None


def _read_by_both(x: a.Select, y: a.Select) -> list[a.Column] | None:
    """The columns that either block looks at above FROM and WHERE; None where not both have them."""
    own, shared = from_rels(x.from_) | from_rels(y.from_), from_rels(x.from_) & from_rels(y.from_)
    if any(references_whole(above(b), rel) for b in (x, y) for rel in own):
        return None
    read = columns_used((above(x), above(y)), own)
    return read if all(c.rel in shared for c in read) else None


def looks(part: Difference, catalog: Catalog) -> Iterator[Pair]:
    """Ways to look at the rows or at a column: at a subquery alone, where no more than one differs, and as
    they are.
    """
    inner = differences(part.before, part.after, 0, catalog)
    # one subquery differs: the rest of the expression is shared
    if len(inner) == 1 and inner[0].before != part.before:
        (one,) = inner
        for pair in pairs(one.before, one.after, catalog):
            yield replace(pair, modulo=pair.modulo | one.modulo, facts=(*one.facts, *pair.facts))
    yield from pairs(part.before, part.after, catalog)


def _is_by_rows(block: a.Select) -> bool:
    """Whether each row of FROM and WHERE, or each group of them, is one row of the result, until some are
    left out.
    """
    # DISTINCT counts rows by all columns at once
    if block.ctes or block.distinct or (block.group_by is not None and len(block.group_by) != 1):
        return False
    shown = above(block)
    cuts = [c for c in (block.limit, block.offset) if c is not None]
    grouping = any(isinstance(n, a.Grouping) for n in walk_block(shown))
    odd = has_window(shown) or returns_set(shown) or grouping or any(map(has_subquery, cuts))
    return not odd and not unfit(shown)


def _are_cut_alike(x: a.Select, y: a.Select) -> bool:
    """Whether all but the values that are shown and sorted by, and what is asked of groups, is the same.
    Other conditions of HAVING the server may ask of the rows, and so spare them what raises in a group.
    """
    # as many columns and keys on either side
    if len(x.targets) != len(y.targets) or len(x.order_by) != len(y.order_by):
        return False
    if (x.group_by is None) != (y.group_by is None) or set(group_keys(x)) != set(group_keys(y)):
        return False
    # conditions on keys may be asked of rows before they are grouped
    of_rows = ({p for p in conjuncts(b.having) if not asks_groups(p)} for b in (x, y))
    bare = (replace(above(b), targets=(), order_by=(), group_by=None, having=None) for b in (x, y))
    one = a.Const(None, INT4)
    orders = ([replace(k, expr=one) for k in b.order_by] for b in (x, y))
    types = ([e.type for e in _exprs(b)] for b in (x, y))
    return all(mine == theirs for mine, theirs in (tuple(bare), tuple(orders), tuple(types), tuple(of_rows)))


def _exprs(block: a.Select) -> list[a.Expr]:
    return [*(t.expr for t in block.targets), *(k.expr for k in block.order_by)]


def _shown(columns: list[a.Column]) -> tuple[a.Target, ...]:
    return tuple(a.Target(f"c{i}", c) for i, c in enumerate(columns, 1)) or (_ROW,)


def _rows(block: a.Select, targets: tuple[a.Target, ...]) -> a.Select:
    return a.Select(targets, block.from_, block.where)


def _groups(x: a.Select, y: a.Select) -> Difference:
    """Which groups of the first block's rows each of them keeps."""
    keys = numbered("c", group_keys(x)) or (_ROW,)
    rows = replace(_rows(x, keys), group_by=x.group_by)
    return Difference(replace(rows, having=x.having), replace(rows, having=y.having))


def _column(block: a.Select, one: a.Expr, other: a.Expr) -> Difference:
    """Both values over the first block's rows, or more of them, beside the columns that they are made of, or
    of its groups, beside what these are made by.
    """
    read = _shown(columns_used((one, other), from_rels(block.from_)))
    if block.group_by is not None:
        read = numbered("c", group_keys(block))
    # subqueries in WHERE are dropped where rows may be more: EXISTS says something that values may need
    asked = conjoin(p for p in conjuncts(block.where) if isinstance(p, a.Exists) or not has_subquery(p))
    rows = replace(block, where=asked if block.group_by is None else block.where)
    before, after = (
        replace(_rows(rows, (*read, a.Target("v", e))), group_by=block.group_by) for e in (one, other)
    )
    return Difference(before, after)


def _is_one(pair: Difference) -> bool:
    return canonical(pair.before, keep_names=False) == canonical(pair.after, keep_names=False)
