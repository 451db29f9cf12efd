"""Groups that are the rows of a table are looked up row by row, where an index gives each without its rest.

    SELECT DISTINCT l.part FROM line l
    -->
    SELECT p.id FROM part p WHERE EXISTS (SELECT 1 FROM line l WHERE l.part = p.id)

    SELECT l.part, max(l.price) FROM line l GROUP BY l.part
    -->
    SELECT p.id, x.v1 FROM part p, LATERAL (SELECT max(l.price) AS v1 FROM line l WHERE l.part = p.id) x
     WHERE EXISTS (SELECT 1 FROM line l WHERE l.part = p.id)

    SELECT DISTINCT ON (l.part) l.part, l.qty FROM line l ORDER BY l.part, l.price DESC
    -->
    SELECT p.id, x.qty FROM part p, LATERAL (SELECT l.qty FROM line l WHERE l.part = p.id
                                             ORDER BY l.price DESC LIMIT 1) x ORDER BY p.id

The table is one of FROM that the groups are the rows of, or the parent of a foreign key: each value is then
one of its rows, and one only. Where groups are few and large this is what a loose index scan gains; elsewhere
it gains nothing, and estimates see that. Hazards 1, 5a, 5b.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rewright.rewrite.rules.base import SELECT, Context, Rewrite, reads_tables, rule, stable
from rewright.rewrite.rules.by_group import Groups, asked_singly, grouping_columns
from rewright.sql import algebra as a
from rewright.sql.build import compare
from rewright.sql.facts import labels, stored_table, usable_foreign_keys
from rewright.sql.facts.looks import look_of_type
from rewright.sql.walk import (
    Place,
    as_product,
    free_rels,
    from_rels,
    has_subquery,
    is_lateral,
    references_whole,
)


@rule(
    SELECT.where(reads_tables, stable),
    guards=("null-keys-excluded", "extreme-is-there"),
    known_as="loose index scan",
    priority=58,
)
def per_parent(block: a.Select, ctx: Context) -> Iterator[Rewrite]:
    keys = grouping_columns(block)
    items, preds = as_product(block)
    # the groups have to be columns of one table, whose rows they then are
    home = next((i for i in items if isinstance(i, a.Scan) and {i.rel} == {k.rel for k in keys or ()}), None)
    if keys is None or home is None or any(is_lateral(i) for i in items) or references_whole(block, home.rel):
        return
    own_key = next((b for at, b in ctx.keys(home) if at <= {k.pos for k in keys}), None)
    # the keys repeat in this table: its parent by a foreign key has each once
    if own_key is None:
        for parents in _parents(block, home, keys, ctx):
            yield from asked_singly(
                block, keys, parents, ctx, "the groups are looked up by their parents' rows"
            )
        return
    # on the table alone, or on nothing in FROM: asked of its rows, before anything is looked up
    own = tuple(p for p in preds if free_rels(p) & from_rels(items) <= {home.rel} and not has_subquery(p))
    inner = tuple(p for p in preds if p not in own)
    rest = tuple(i for i in items if i is not home)
    # nothing read for each row, or nothing that ties it to the row
    if any(home.rel in free_rels(p) for p in inner) and rest:
        rows = Groups(home, own, rest, inner, {}, own_key)
        yield from asked_singly(
            block, keys, rows, ctx, f"the groups are looked up by the rows of {home.table.name}"
        )


def _parents(block: a.Select, child: a.Scan, keys: Sequence[a.Column], ctx: Context) -> Iterator[Groups]:
    """The parents by foreign keys that are made of exactly the grouping columns, none of them NULL."""
    # ONLY and partitions hold rows that the constraint is not checked for
    if child.only or stored_table(ctx.catalog, child) is None:
        return
    source, filled = ctx.catalog.table(child.table), ctx.facts.nonnull_columns(block)
    items, preds = as_product(block)
    for fk, basis in usable_foreign_keys(ctx.catalog, child):
        places = [source.position(c) for c in fk.columns]
        if {k.pos for k in keys} != set(places):
            # a part of the foreign key does not tell which parent; more than it makes several groups of one
            continue
        if not ctx.holds("null-keys-excluded", all((child.rel, p) in filled for p in places)):
            # a NULL key has no parent, but is a group
            continue
        target = ctx.catalog.table(fk.target)
        columns = tuple(a.OutputColumn(c.name, c.type) for c in target.columns)
        # names end at 63 bytes in PostgreSQL
        parent = a.Scan(ctx.fresh(), fk.target, f"each_{fk.target.name}"[:60], columns)
        theirs: dict[Place, a.Expr] = {}
        ties: list[a.Expr] = []
        for place, name in zip(places, fk.target_columns, strict=True):
            mine = a.Column(child.rel, place, child.columns[place].type, child.columns[place].name)
            at = target.position(name)
            other = a.Column(parent.rel, at, columns[at].type, name)
            tie = compare("=", mine, other)
            # shown in place of the child's column the parent's must look the same
            if tie is not None and mine.type == other.type and look_of_type(mine.type) is not None:
                theirs[child.rel, place] = other
                ties.append(tie)
        if len(ties) == len(places):
            names = frozenset({basis.name}).union(*(labels(filled.get((child.rel, p), ())) for p in places))
            yield Groups(parent, (), tuple(items), (*preds, *ties), theirs, names)
