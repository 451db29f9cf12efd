"""Conditions of a statement that is written anew: the joins by real keys, and what of the client's own
conditions stays.

Owns these pieces of trees. Must not choose keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from rewright.lake import names
from rewright.lake.catalog.model import Column
from rewright.lake.joins.keys import JoinKey
from rewright.lake.resolve.candidate import Candidate, Halves
from rewright.lake.resolve.imagined import Relation, Site
from rewright.lake.resolve.marks import made, pair_of


def joined_by(
    key: JoinKey,
    aliases: dict[str, str],
    as_text: Callable[[Column, Column], bool],
    folded: Callable[[Column, Column], bool],
) -> exp.Expression:
    """A join by a key. `as_text`: must two columns be compared as texts? `folded`: whatever their case?"""
    parts: list[exp.Expression] = []
    for x, y in key.pairs:
        sides: list[exp.Expression] = [
            exp.column(
                exp.to_identifier(c.name, quoted=True), table=exp.to_identifier(aliases[c.table], quoted=True)
            )
            for c in (x, y)
        ]
        # 7 and '7' are one key where the two columns are of different types
        if as_text(x, y):
            sides = [exp.cast(side, "VARCHAR") for side in sides]
        elif folded(x, y):
            # as their values were compared when the key was found
            sides = [exp.Lower(this=exp.Trim(this=side)) for side in sides]
        parts.append(exp.EQ(this=sides[0], expression=sides[1]))
    return made(exp.and_(*parts) if len(parts) > 1 else parts[0])


def joined_away(
    site: Site, candidate: Candidate, aliases: dict[str, str], halves: Halves
) -> Iterator[exp.Expression]:
    """Of a table of classes that there is not, joined by its key: the join would have left out rows without a
    class. The other half of a split table is none: it holds each row once more, with or without a class.
    """
    homes = [candidate.homes[r.alias] for r in site.relations]
    for relation in site.relations:
        keys = [c for c in relation.columns.values() if c.only_key and c.joined]
        home = candidate.homes[relation.alias]
        shared = homes.count(home) > 1 or any(other in halves.get(home, {}) for other in homes)
        # an outer join kept the rows without a class, and a table that is still joined needs no condition
        if relation.outer or not shared or len(keys) != 1:
            continue
        # joined by more than a bare key, it is asked for more than a class
        if not set(names.words(keys[0].name)) <= names.KEY_WORDS:
            continue
        for column in relation.columns.values():
            real = candidate.column_of(column)
            if real is not None and real.nulls and not column.only_key:
                yield made(
                    exp.column(
                        exp.to_identifier(real.name, quoted=True),
                        table=exp.to_identifier(aliases[real.table], quoted=True),
                    )
                    .is_(exp.null())
                    .not_()
                )


def columns_of(key: JoinKey) -> frozenset[tuple[str, str]]:
    """The columns (table, name) on both sides of a key."""
    return frozenset(c.key for pair in key.pairs for c in pair)


def is_site_table(node: exp.Expression, site: Site) -> bool:
    """Is the node one of the imagined tables?"""
    return any(r.node is node for r in site.relations)


@dataclass(frozen=True, slots=True)
class Taken:
    """Conditions cut from joins, each with the table that was joined on it, and the marks of those that were
    cut from WHERE.
    """

    kept: list[tuple[Relation, exp.Expression]]
    dropped: set[tuple[int, int]]


def take_conditions(site: Site) -> Taken:
    """Conditions the user wrote, cut from ON and WHERE: imagined joins are dropped, the rest of ON is
    returned.
    """
    taken = Taken([], set())
    keys = {id(n) for c in site.columns() for n in c.nodes if n.parent is not None}
    # tables joined with themselves and subqueries keep the conditions they were written with
    twins = {t.alias_or_name.lower() for r in site.relations for t in r.twins}
    source = site.select.args.get("from_") or site.select.args.get("from")
    sources = [source, *(site.select.args.get("joins") or ())]
    twins |= {
        s.this.alias_or_name.lower() for s in sources if s is not None and not is_site_table(s.this, site)
    }
    for join in site.select.args.get("joins") or ():
        joined = next((r for r in site.relations if r.node is join.this), None)
        if joined is not None and (on := join.args.get("on")) is not None:
            left = [part for part in _parts(on) if not _joins_imagined(part, keys, twins)]
            taken.kept.extend((joined, part) for part in left)
    where = site.select.args.get("where")
    if where is not None:
        parts = _parts(where.this)
        left = [part for part in parts if not _joins_imagined(part, keys, twins)]
        if len(left) < len(parts):
            gone = (pair_of(part) for part in parts if _joins_imagined(part, keys, twins))
            taken.dropped.update(pair for pair in gone if pair is not None)
            # the parts themselves, for SELECTs within them are written later
            site.select.set("where", exp.Where(this=exp.and_(*left, copy=False)) if left else None)
    return taken


def _parts(node: exp.Expression) -> list[exp.Expression]:
    return list(node.flatten()) if isinstance(node, exp.And) else [node]


def _joins_imagined(part: exp.Expression, keys: set[int], twins: set[str]) -> bool:
    """An equality of columns of two imagined tables, still as written (or only half replaced)."""
    if isinstance(part, exp.Paren):
        return _joins_imagined(part.this, keys, twins)
    if not (
        isinstance(part, exp.EQ)
        and isinstance(part.this, exp.Column)
        and isinstance(part.expression, exp.Column)
    ):
        return False
    if {part.this.table.lower(), part.expression.table.lower()} & twins:
        # a table joined with itself keeps the condition it was written with
        return False
    # between two tables, or half replaced: one side is the real column already
    return part.this.table != part.expression.table or id(part.this) in keys or id(part.expression) in keys
