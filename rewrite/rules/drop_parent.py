"""An inner join with the parent of a foreign key that only asks for the parent to exist is left out.

    SELECT l.qty, p.id FROM line l JOIN part p ON p.id = l.part
    -->
    SELECT l.qty, l.part FROM line l

Every row has its parent, and only one, unless a column of the foreign key is NULL: then ``IS NOT NULL`` takes
the join's place. Columns of the parent's key may be shown, as the child's are the same values. Hazards 5a,
5b, F5-F7.

Known as join elimination by foreign keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule
from rewright.sql import algebra as a
from rewright.sql.facts import is_equality, stored_table, usable_foreign_keys
from rewright.sql.facts.looks import look_of_type
from rewright.sql.records import ForeignKey
from rewright.sql.walk import as_product, columns_used, conjoin, references_whole, substitute


@rule(
    SELECT.where(reads_tables),
    guards=("null-keys-excluded",),
    known_as="join elimination by foreign keys",
    priority=82,
    category="join",
)
def drop_parent(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    items, preds = as_product(block)
    # ONLY and a table with children hold rows that the constraint says nothing of
    scans = [
        i for i in items if isinstance(i, a.Scan) and not i.only and stored_table(ctx.catalog, i) is not None
    ]
    tables = {s.table for s in scans}
    for child in scans if len(scans) > 1 else ():
        for fk, basis in usable_foreign_keys(ctx.catalog, child):
            if fk.target not in tables:
                continue
            for parent in scans:
                # a table that refers to itself (employee, boss) is two scans of it
                if parent is child or parent.table != fk.target or references_whole(block, parent.rel):
                    continue
                made = _without(block, items, preds, (child, parent, fk), ctx)
                if made is not None:
                    why = f"every {child.table.name} with a key has its one {parent.table.name}"
                    yield Rewrite(made, why, frozenset({basis.name}))


def _without(
    block: a.Select,
    items: Sequence[a.FromItem],
    preds: Sequence[a.Expr],
    link: tuple[a.Scan, a.Scan, ForeignKey],
    ctx: Context,
) -> a.Select | None:
    child, parent, fk = link
    source, target = ctx.catalog.table(child.table), ctx.catalog.table(parent.table)
    gone: list[a.Expr] = []
    mapping: dict[tuple[int, int], a.Expr] = {}
    filled: list[a.Expr] = []
    for name, key in zip(fk.columns, fk.target_columns, strict=True):
        mine, theirs = source.position(name), target.position(key)
        tie = next((p for p in preds if _ties(p, (child.rel, mine), (parent.rel, theirs))), None)
        # one column of a composite key is not enough: the parent would not be the one
        if tie is None:
            return None
        gone.append(tie)
        column = a.Column(child.rel, mine, child.columns[mine].type, name)
        # shown instead of the parent's column the child's must look the same: 1.0 = 1.00, but they print
        # apart
        if look_of_type(column.type) is not None and column.type == parent.columns[theirs].type:
            mapping[parent.rel, theirs] = column
        # an inner join drops rows whose key is NULL
        if not ctx.holds("null-keys-excluded", ctx.column_filled(child, mine)):
            filled.append(a.IsNull(column, negated=True))
    where = conjoin(dict.fromkeys([p for p in preds if p not in gone] + filled))
    made = replace(block, from_=tuple(i for i in items if i is not parent), where=where)
    # another column of the parent is read: the join is needed
    if any((c.rel, c.pos) not in mapping for c in columns_used((made,), (parent.rel,))):
        return None
    changed: a.Select = substitute(made, mapping)
    return changed


@dataclass(frozen=True, slots=True)
class Link:
    """An inner join of a table with the parent of one of its foreign keys: the equalities, the child's
    columns.
    """

    child: a.Scan
    parent: a.Scan
    ties: tuple[a.Expr, ...]
    columns: tuple[int, ...]
    name: str


def links(
    child: a.FromItem, items: Sequence[a.FromItem], preds: Sequence[a.Expr], ctx: Context
) -> Iterator[Link]:
    """The parents of ``child`` among the items of a product, each with all equalities of the foreign key."""
    if not isinstance(child, a.Scan) or child.only or stored_table(ctx.catalog, child) is None:
        return
    source = ctx.catalog.table(child.table)
    for fk, basis in usable_foreign_keys(ctx.catalog, child):
        for parent in items:
            if not isinstance(parent, a.Scan) or parent.only or parent is child or parent.table != fk.target:
                continue
            if stored_table(ctx.catalog, parent) is None:
                continue
            target = ctx.catalog.table(parent.table)
            mine = tuple(source.position(c) for c in fk.columns)
            theirs = tuple(target.position(c) for c in fk.target_columns)
            ties = [
                next((p for p in preds if _ties(p, (child.rel, m), (parent.rel, t))), None)
                for m, t in zip(mine, theirs, strict=True)
            ]
            if None not in ties:
                yield Link(child, parent, tuple(t for t in ties if t is not None), mine, basis.name)


def _ties(pred: a.Expr, one: tuple[int, int], other: tuple[int, int]) -> bool:
    if not is_equality(pred):
        return False
    assert isinstance(pred, a.Op)
    columns = [(x.rel, x.pos) for x in pred.args if isinstance(x, a.Column)]
    # both sides, in either order; a column compared with itself is not two
    return len(columns) == 2 and set(columns) == {one, other}
