"""Where two queries differ: the smallest blocks whose sameness makes the whole the same.

A query's result is a function of the bags its subqueries give, and a block's of the bag its FROM and WHERE
give. Two queries alike but for some subqueries are the same if these are; two blocks alike but for FROM and
WHERE are the same if the rows that reach the rest are. What a subquery refers to outside itself becomes a
parameter: a value nobody knows. What the common rest leaves open (LIMIT over ties, sums of floats) comes back
as reservations. Must not know provers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from rewright.equivalence.decomposition.tops import above, aligned, matched_columns, shared_columns
from rewright.equivalence.laws.chance import chance, loose_above
from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import may_vary
from rewright.sql.types import INT4
from rewright.sql.walk import (
    LEAVES,
    QUERIES,
    defined_rels,
    from_rels,
    leaves,
    map_parts,
    references_whole,
    used_rels,
    walk,
    walk_block,
)

# far above the parameters of statements, below the placeholders of templates
_FIRST_PARAMETER = 900_000


@dataclass(frozen=True, slots=True)
class Difference:
    """A pair of closed queries. ``modulo``: the reservations of what was left out around them; ``facts``: the
    constraints by which there are no more.
    """

    before: a.Query
    after: a.Query
    modulo: frozenset[str] = frozenset()
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Hole:
    """Two queries at the same place; ``rels``: what the second one's outside is
    called in the first's tree.
    """

    before: a.Query
    after: a.Query
    rels: dict[int, int]
    # how many queries lie between it and the innermost difference
    height: int = 0


class _Mismatch(Exception):
    """The trees differ at a place where no query stands that could be compared instead."""


@dataclass(slots=True)
class _Walk:
    """One parallel walk. ``rels``: range variables of the second tree by those of the first they stand for.
    ``wider``: how many enclosing queries belong to a hole.
    """

    wider: int = 0
    rels: dict[int, int] = field(default_factory=dict)
    context: list[a.Query] = field(default_factory=list)

    def query(self, x: a.Query, y: a.Query) -> list[_Hole]:
        """The differing queries within; the pair itself where the blocks' own parts differ."""
        # a block against a union is one difference as a whole
        if type(x) is not type(y):
            return self.hole(x, y)
        known = dict(self.rels)
        try:
            if isinstance(x, a.Select) and isinstance(y, a.Select):
                self.pair(x, y)
            found = self.parts(x, y)
        except _Mismatch:
            # where the blocks differ themselves, these are what has to be compared
            self.rels = known
            return self.hole(x, y)
        # enough of the queries around belong to the difference
        if found and (height := max(h.height for h in found)) < self.wider:
            self.rels = known
            return [replace(h, height=height + 1) for h in self.hole(x, y)]
        self.context.append(x)
        return found

    def hole(self, x: a.Query, y: a.Query) -> list[_Hole]:
        # columns of other types can't stand in one place
        if [c.type for c in a.output_columns(x)] != [c.type for c in a.output_columns(y)]:
            raise _Mismatch
        return [_Hole(x, y, dict(self.rels))]

    def pair(self, x: a.Select, y: a.Select) -> None:
        ours, theirs = list(leaves(x.from_)), list(leaves(y.from_))
        # FROM lists of two lengths have no places in common
        if len(ours) != len(theirs):
            raise _Mismatch
        for mine, other in zip(ours, theirs, strict=True):
            if type(mine) is not type(other):
                raise _Mismatch
            self.rels[other.rel] = mine.rel

    def parts(self, x: Any, y: Any) -> list[_Hole]:
        if isinstance(x, a.Target) and isinstance(y, a.Target):
            return self.value(x.expr, y.expr)  # names carry no meaning
        found: list[_Hole] = []
        for f in fields(x):
            # fields that say nothing (names, caches) are left out of comparisons
            if f.compare:
                found += self.value(getattr(x, f.name), getattr(y, f.name))
        return found

    def value(self, x: Any, y: Any) -> list[_Hole]:
        if isinstance(x, QUERIES) and isinstance(y, QUERIES):
            return self.query(x, y)
        if isinstance(x, tuple) and isinstance(y, tuple):
            if len(x) != len(y):
                raise _Mismatch
            return [hole for p, q in zip(x, y, strict=True) for hole in self.value(p, q)]
        if type(x) is not type(y):
            raise _Mismatch
        if isinstance(x, (*LEAVES, a.Column, a.SystemColumn, a.WholeRow)):
            # a column of another range variable than the one that stands there
            if self.rels.get(y.rel) != x.rel:
                raise _Mismatch
            return self.parts(x, replace(y, rel=x.rel))
        if is_dataclass(x):
            return self.parts(x, y)
        if x != y:
            raise _Mismatch
        return []


def differences(
    before: a.Query, after: a.Query, wider: int = 0, catalog: Catalog | None = None
) -> list[Difference]:
    """The pairs to prove instead of the two queries, which hold no CTEs; the pair itself where nothing is
    gained.

    ``wider``: with so many of the queries around each, for what a subquery leaves out and its surroundings
    make up for.
    ``catalog``: whose keys show that an order leaves no ties.
    """
    whole = [Difference(before, after)]
    walked = _Walk(wider)
    try:
        holes = walked.query(before, after)
    except _Mismatch:
        return whole
    chances = [chance(q, catalog) for q in walked.context]
    around = frozenset(m for loose, _ in chances for m in loose)
    facts = tuple(dict.fromkeys(f for _, basis in chances for f in basis))
    # a volatile block, or one that shows rows as wholes, sees more than bags
    if any(unfit(q) for q in walked.context):
        return whole
    if not holes:  # the same tree, by another plan perhaps
        return [Difference(before, after, around, facts)]
    found: list[Difference] = []
    for hole in holes:
        closed = _closed(hole)
        # a reference to something else than a column can't become a parameter
        if closed is None:
            return whole
        found.append(stripped(Difference(*closed, around, facts), catalog))
    return found


def unfit(query: a.Query) -> bool:
    """Whether a block's result may depend on more than the bags below it."""
    return any(isinstance(n, a.Opaque | a.WholeRow | a.SystemColumn) for n in walk_block(query)) or may_vary(
        query
    )


def _closed(hole: _Hole) -> tuple[a.Query, a.Query] | None:
    """Both queries with their references to the outside as parameters."""
    outside: dict[tuple[int, int], a.Param] = {}

    def close(query: a.Query, rels: dict[int, int]) -> a.Query | None:
        free = used_rels(query) - frozenset(defined_rels(query))
        if any(isinstance(n, a.SystemColumn | a.WholeRow) and n.rel in free for n in walk(query)):
            return None
        # a range variable that has no partner in the other query
        if not free <= rels.keys():
            return None

        def visit(n: Any) -> Any:
            if isinstance(n, a.Column) and n.rel in free:
                number = _FIRST_PARAMETER + len(outside)
                return outside.setdefault((rels[n.rel], n.pos), a.Param(number, n.type))
            return map_parts(n, visit)

        closed: a.Query = visit(query)
        return closed

    first = close(hole.before, {r: r for r in hole.rels.values()})
    second = close(hole.after, hole.rels)
    return None if first is None or second is None else (first, second)


# --------------------------------------------------------------------------- blocks alike but for FROM and
# WHERE


def stripped(pair: Difference, catalog: Catalog | None = None) -> Difference:
    """The rows that reach what both blocks have in common above FROM and WHERE, where that is all that
    differs.
    """
    x, y = pair.before, pair.after
    if not isinstance(x, a.Select) or not isinstance(y, a.Select) or x.ctes or y.ctes:
        return pair
    both = aligned(x, y)
    columns = None if both is None else shared_columns(*both)
    if both is not None and columns is not None:
        x, y = both
    else:
        columns = matched_columns(x, y)
    if columns is None or unfit(above(x)) or _only_rows(x) or _only_rows(y):
        # a block that orders by what only one of them has, or is only a list of columns already
        return pair
    if any(references_whole(above(b), rel) for b in (x, y) for rel in from_rels(b.from_)):
        return pair
    # nothing is read: how many rows there are still counts
    columns = columns or [(a.Const("1", INT4), a.Const("1", INT4))]
    loose, facts = chance(x, catalog)
    more, told = loose_above(replace(above(x), limit=None, offset=None, distinct=None), catalog)
    rows, other = (
        a.Select(tuple(a.Target(f"c{i}", c[side]) for i, c in enumerate(columns, 1)), b.from_, b.where)
        for side, b in enumerate((x, y))
    )
    return Difference(rows, other, pair.modulo | loose | more, (*pair.facts, *facts, *told))


def _only_rows(block: a.Select) -> bool:
    """Nothing but a list of columns stands above FROM and WHERE already."""
    plain = above(block) == a.Select(block.targets)
    return plain and all(isinstance(t.expr, a.Column) for t in block.targets)
