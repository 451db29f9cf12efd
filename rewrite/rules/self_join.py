"""A table joined with itself on its key is read once.

    SELECT o.id, p.total FROM ord o JOIN ord p ON p.id = o.id WHERE p.note = 'x'
    -->
    SELECT o.id, o.total FROM ord o WHERE o.note = 'x'

Both copies are the same row, so every column of one is the other's. A nullable column of the key leaves ``IS
NOT NULL`` behind. A LEFT JOIN goes the same way if its ON asks for the key only. One copy may be in a
subquery that shows rows as they are and the key among them, such as the first ones of each group: it shows
the other columns too. Hazards 10.

Known as self-join elimination.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, stored_table
from rewright.sql.walk import (
    Place,
    as_product,
    columns_used,
    conjoin,
    conjuncts,
    free_rels,
    kept_product,
    leaves,
    references_whole,
    substitute,
)


@rule(
    SELECT.where(reads_tables),
    guards=("joined-on-a-key", "null-keys-excluded", "nothing-but-the-key"),
    known_as="self-join elimination",
    priority=83,
    category="join",
)
def self_join(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    yield from _joined(block, ctx)
    yield from _left(block, ctx)
    yield from _with_subqueries(block, ctx)


def _joined(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    for kept in kept_product(block)[0]:
        # a pair is looked at once: either of the two may go. One in a LEFT JOIN stays there
        for gone in items[items.index(kept) + 1 :] if kept in items else items:
            if not _same_table(kept, gone, ctx) or references_whole(block, gone.rel):  # type: ignore[union-attr] # _same_table asks for two scans
                continue
            assert isinstance(kept, a.Scan)
            assert isinstance(gone, a.Scan)
            if kept not in items and _is_asked(gone, items):
                continue
            found = _tied(kept.rel, _own(kept), gone, preds, ctx)
            if found is None:
                continue
            ties, name = found
            # a NULL key equals not even itself: the row met no copy
            filled = _filled(kept, ties, ctx)
            rest = [p for p in preds if p not in ties]
            made = replace(
                block, from_=tuple(x for x in items if x is not gone), where=conjoin((*rest, *filled))
            )
            yield Rewrite(_as(made, gone, kept), _why(kept), frozenset({name}))


def _left(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """LEFT JOINs at the top of FROM: every row of the kept side meets itself, or nothing where its key is
    NULL.
    """
    for number, item in enumerate(block.from_):
        if not isinstance(item, a.Join) or item.kind != "left" or not isinstance(item.right, a.Scan):
            continue
        gone = item.right
        for kept in leaves((item.left,)):
            # a table that a join pads may be NULL where the copy is not asked
            if not isinstance(kept, a.Scan) or kept not in as_product(a.Select((), (item.left,)))[0]:
                continue  # padded itself
            if not _same_table(kept, gone, ctx) or references_whole(block, gone.rel):
                continue
            found = _tied(kept.rel, _own(kept), gone, conjuncts(item.on), ctx)
            whole = found is not None and len(found[0]) == len(conjuncts(item.on))
            # a further condition in ON, or a NULL key, pads the row with NULLs that its own columns do not
            # show
            if found is None or not ctx.holds("nothing-but-the-key", whole) or _filled(kept, found[0], ctx):
                continue
            made = replace(block, from_=(*block.from_[:number], item.left, *block.from_[number + 1 :]))
            yield Rewrite(_as(made, gone, kept), _why(kept), frozenset({found[1]}))


def _with_subqueries(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    """A table joined by its key with a subquery that shows the key of a copy: the copy is the same row."""
    items, preds = as_product(block)
    for kept in items:
        # further columns would be seen in its whole row
        if not isinstance(kept, a.Derived) or kept.security_barrier or references_whole(block, kept.rel):
            continue
        for copy, gone in itertools.product(_rows_of(kept.query), items):
            if not _same_table(copy, gone, ctx) or references_whole(block, gone.rel):  # type: ignore[union-attr] # _same_table asks for two scans
                continue
            assert isinstance(gone, a.Scan)
            shown = _positions(kept, copy)
            found = _tied(kept.rel, shown, gone, preds, ctx)
            if found is None or _is_asked(gone, items):
                continue
            ties, name = found
            rest = [p for p in preds if p not in ties]
            where = conjoin((*rest, *_filled(kept, ties, ctx)))
            made = replace(block, from_=tuple(i for i in items if i is not gone), where=where)
            yield Rewrite(_read_from(made, gone, kept, copy), _why(gone), frozenset({name}))


def _is_asked(gone: a.Scan, items: Sequence[a.FromItem]) -> bool:
    """Whether a LATERAL item asks a table's row: it could not ask what may come later."""
    return any(gone.rel in free_rels(i) for i in items if i is not gone)


def _rows_of(query: a.Query) -> list[a.Scan]:
    """The tables whose rows a query shows as they are, each one row of the table."""
    # a group is many rows, and of equal rows that DISTINCT keeps one of there would be more
    if not isinstance(query, a.Select) or query.group_by is not None or query.distinct == ():
        return []
    return [i for i in kept_product(query)[0] if isinstance(i, a.Scan)]


def _positions(kept: a.Derived, copy: a.Scan) -> dict[int, int]:
    """The columns of a subquery that are a table's: the position in each."""
    shown = ((i, t.expr) for i, t in enumerate(_block(kept).targets))
    return {i: e.pos for i, e in shown if isinstance(e, a.Column) and e.rel == copy.rel}


def _block(kept: a.Derived) -> a.Select:
    assert isinstance(kept.query, a.Select)
    return kept.query


def _read_from(made: a.Select, gone: a.Scan, kept: a.Derived, copy: a.Scan) -> a.Select:
    """The block with the table's columns read from the subquery, which shows those that it has not shown."""
    places = {pos: at for at, pos in _positions(kept, copy).items()}
    block = _block(kept)
    targets, names = list(block.targets), list(kept.names)
    mapping: dict[Place, a.Expr] = {}
    for column in columns_used((made,), (gone.rel,)):
        if column.pos not in places:
            places[column.pos] = len(targets)
            name = copy.columns[column.pos].name
            names.append(name if name not in names else f"shown{len(targets) + 1}")
            targets.append(a.Target(names[-1], replace(column, rel=copy.rel)))
        at = places[column.pos]
        mapping[gone.rel, column.pos] = a.Column(kept.rel, at, column.type, names[at])
    wider = replace(kept, query=replace(block, targets=tuple(targets)), names=tuple(names))
    items = tuple(wider if i is kept else i for i in made.from_)
    changed: a.Select = substitute(replace(made, from_=items), mapping)
    return changed


def _own(scan: a.Scan) -> dict[int, int]:
    """The columns of a table at the positions that it gives them."""
    return {i: i for i in range(len(scan.columns))}


def _same_table(kept: a.FromItem, gone: a.FromItem, ctx: Context) -> bool:
    if not isinstance(kept, a.Scan) or not isinstance(gone, a.Scan) or kept.rel == gone.rel:
        return False
    # a view, a function or a foreign table may give other rows the second time
    return (kept.table, kept.only) == (gone.table, gone.only) and stored_table(ctx.catalog, kept) is not None


def _tied(
    kept: int, shown: Mapping[int, int], gone: a.Scan, preds: Sequence[a.Expr], ctx: Context
) -> tuple[list[a.Expr], str] | None:
    """The equalities of a whole key with itself, and the key's name. ``shown``: positions in the table of the
    kept item's columns.
    """
    table = ctx.catalog.table(gone.table)
    ties: dict[int, a.Expr] = {}
    for pred in preds:
        if is_equality(pred) and isinstance(pred, a.Op) and free_rels(pred) == {kept, gone.rel}:
            one, other = pred.args
            if not isinstance(one, a.Column) or not isinstance(other, a.Column):
                continue
            mine, theirs = (one, other) if one.rel == kept else (other, one)
            # the same column on both sides: `o.id = p.parent` pairs different rows
            if shown.get(mine.pos) == theirs.pos:
                ties.setdefault(theirs.pos, pred)
    for key in table.keys:
        columns = [table.position(c) for c in key.columns]
        # a deferrable key may be broken in the middle of a transaction
        if key.usable and all(c in ties for c in columns):
            return [ties[c] for c in columns], key.name
    if ties and ctx.holds("joined-on-a-key", False):
        return list(ties.values()), ""
    return None


def _filled(kept: a.Scan | a.Derived, ties: Sequence[a.Expr], ctx: Context) -> list[a.Expr]:
    """``IS NOT NULL`` for the columns of the key that may be NULL."""
    columns = [x for t in ties if isinstance(t, a.Op) for x in t.args if isinstance(x, a.Column)]
    mine = [c for c in columns if c.rel == kept.rel]
    open_ = [c for c in mine if not ctx.column_filled(kept, c.pos)]
    return [a.IsNull(c, negated=True) for c in open_ if not ctx.holds("null-keys-excluded", False)]


def _as(made: a.Select, gone: a.Scan, kept: a.Scan) -> a.Select:
    mapping: dict[Place, a.Expr] = {
        (gone.rel, i): a.Column(kept.rel, i, c.type, c.name) for i, c in enumerate(gone.columns)
    }
    changed: a.Select = substitute(made, mapping)
    return changed


def _why(kept: a.Scan) -> str:
    return f"{kept.table.name} is joined with itself on its key"
