"""What may fail in conditions and in subqueries of FROM, and what keeps the planner from asking other
conditions first: the same in both queries, or a difference that their rows do not show.

PostgreSQL pulls a plain subquery up into the query around it, and asks each condition as soon as it has the
rows for it: of a table before joins and semi-joins. What LIMIT, OFFSET, windows, groups, set operations and
computed CTEs make is made first. A subquery with ORDER BY or WITH, and the arms of UNION ALL, are planned by
themselves too: conditions go into them, joins do not. Compares the fences around what may fail; forms of
queries have no place for them. Must not know forms or terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.facts import Facts
from rewright.sql.facts.effects import OVERFLOW
from rewright.sql.walk import (
    all_exprs,
    all_queries,
    conjuncts,
    deep_exprs,
    free_rels,
    has_aggregate,
    leaves,
    outer_exprs,
    subqueries,
    walk,
)

from .pulling import (
    PullUp,
    computed_ctes,
    fence_of,
    is_not_pulled_up,
    makes_rows_apart,
    spelled,
    stays_around,
)
from .read_tables import Place, Places, more

ERRORS = frozenset({"errors"})
# kinds of fences, whether one is made within them or asks for more, and where
_Around = tuple[tuple[str, tuple[str, ...]], Place]
# subqueries, each with the kind of its fence and whether conditions stay above it
_Ranging = list[tuple[a.Query, str, bool]]


def fenced_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of queries in which fences let something that may fail be asked of other rows.

    :raises Unsupported: outputs are very large in their full length.
    """
    ours = Fences(first, catalog).around(Places(first, second))
    theirs = Fences(second, catalog).around(Places(second, first))
    return ERRORS if more(theirs, ours) or more(ours, theirs) else frozenset()


def leaves_otherwise(first: a.Query, second: a.Query, catalog: Catalog) -> frozenset[str]:
    """The reservation of queries of which the second asks conditions that may leave their type of rows that
    the first has dropped below a fence before it asks them, or computes such outputs in arms of UNION ALL,
    of rows that a join drops.

    :raises Unsupported: outputs are very large in their full length.
    """
    places = Places(first, second), Places(second, first)
    ours, theirs = Fences(first, catalog), Fences(second, catalog)
    if theirs.in_arms(places[1]) - ours.in_arms(places[0]):
        return OVERFLOW
    (kept, bare), (still, freed) = ours.leaving(places[0]), theirs.leaving(places[1])
    lost: list[Left] = []
    for left in kept:
        as_few = next((x for x in still if left.rows <= x.rows and left.dropped <= x.dropped), None)
        if as_few is None:
            lost.append(left)
        else:
            still.remove(as_few)
    # by others than those below the first query's fences, or of rows that it asks nothing of
    newly = [x.tables for x in still] + [x for x in freed if x not in bare]
    return OVERFLOW if _meet(lost, [*newly, *freed]) or _meet(kept, newly) else frozenset()


def _meet(fenced: Iterable[Left], asked: Iterable[frozenset[str]]) -> bool:
    return any(left.tables & tables for tables in asked for left in fenced)


@dataclass(frozen=True, slots=True)
class Left:
    """Rows that fences have left: the ``tables`` that are read for them, how these ``rows`` are told where a
    table is read elsewhere, too, and by which conditions others were ``dropped``.
    """

    tables: frozenset[str]
    rows: frozenset[str]
    dropped: frozenset[str]


class Fences:
    """The fences of one query."""

    def __init__(self, query: a.Query, catalog: Catalog) -> None:
        self.query, self.facts = query, Facts(catalog, query)
        self.computed = computed_ctes(query)
        self.ctes = {c.cte: c for q in all_queries(query) for c in q.ctes}
        self.pull_up = PullUp({n: c.query for n, c in self.ctes.items()}, self.computed)
        self.tables = {n.rel: n.table for n in walk(query) if isinstance(n, a.Scan)}

    def around(self, places: Places) -> Counter[_Around]:
        """How often something that may fail stands above such fences, or within them, and where."""
        found: Counter[_Around] = Counter()
        for block in all_queries(self.query):
            if isinstance(block, a.Select):
                found.update(self._of(block, places))
        return found

    def _of(self, block: a.Select, places: Places) -> Iterator[_Around]:
        for item in block.from_:
            # computed below an outer join: of rows that the join pads as well
            yield from ((("padded", (how,)), where) for how, where in self._below_joins(item, places))
        ranging = [r for item in block.from_ for r in self.ranging(item)]
        # in a join or with a semi-join, conditions on one side reach the other side's rows first
        joined = is_joined(block)
        kept = [(q, kind) for q, kind, hard in ranging if hard or (joined and is_not_pulled_up(q))]
        where = places.of(*(q for q, _, _ in ranging), block=block)
        # a condition above a fence is not asked of rows that were dropped below it
        asked = (self._above(c, block) for c in conditions(block) if self._fails(c, block))
        kinds = {id(q): kind for q, kind in kept if self._drops(q)}
        for fences in set(asked):
            if above := tuple(sorted(kinds[q] for q in fences if q in kinds)):
                yield ("asked", above), where
        # without conditions and joins all rows of a subquery are made, with or without a fence
        drops = joined or block.where is not None
        within = tuple(sorted(kind for q, kind in kept if drops and self._makes(q)))
        if within:
            yield ("made", within), where
        # conditions without subqueries go into what is planned by itself, guards of what is shown do not
        # a CASE around what is planned by itself does not keep it from being computed
        if any(map(_guards, outer_exprs(block))) or any(map(stays_around, conjuncts(block.where))):
            apart = (kind for q, kind, hard in ranging if not hard and is_not_pulled_up(q) and self._makes(q))
            yield from ((("guarded", (kind,)), where) for kind in apart)

    def _above(self, condition: a.Expr, block: a.Select) -> frozenset[int]:
        """The subqueries that the rows come from which a condition reads: all, where it reads none."""
        read = free_rels(condition)
        items = [x for x in leaves(block.from_) if x.rel in read] or block.from_
        return frozenset(id(q) for x in items for q, _, _ in self.ranging(x))

    def _fails(self, condition: a.Expr, block: a.Select) -> bool:
        return self._may_fail(self.pull_up.inlined(condition, block))

    def leaving(self, places: Places) -> tuple[list[Left], list[frozenset[str]]]:
        """The rows below fences that drop some of which conditions are asked that may leave their type, and
        the tables of which such are asked without a fence.
        """
        kept, bare = list[Left](), list[frozenset[str]]()
        for block in (q for q in all_queries(self.query) if isinstance(q, a.Select)):
            ranging = [r for item in block.from_ for r in self.ranging(item)]
            dropping = {id(q): q for q, _, hard in ranging if hard and self._drops(q)}
            leaving = (c for c in conditions(block) if self._leaves(self.pull_up.inlined(c, block)))
            for fences in {self._above(c, block) for c in leaving}:
                if fenced := [q for n, q in dropping.items() if n in fences]:
                    kept.append(self._left(fenced, places.of(*fenced, block=block)))
                else:
                    bare.append(frozenset(places.of(block)[0]))
            # groups are made before HAVING is asked
            if block.having is not None and self._leaves(block.having):
                rows = replace(block, having=None)
                kept.append(self._left([rows], places.of(rows, block=block), _of_keys(block)))
        return kept, bare

    def _left(self, fenced: Sequence[a.Query], place: Place, keys: Sequence[a.Expr] = ()) -> Left:
        blocks = (b for q in fenced for b in all_queries(q) if isinstance(b, a.Select))
        asked = (c for b in blocks for c in (*conditions(b), *conjuncts(b.having)))
        dropped = frozenset(self._spelled(c) for c in (*asked, *keys))
        return Left(frozenset(place[0]), frozenset((*place[0], *place[2])), dropped)

    def _spelled(self, condition: a.Expr) -> str:
        read = (self.tables.get(e.rel) for e in deep_exprs(condition) if isinstance(e, a.Column))
        return f"{spelled(condition)} of {list(read)}"

    def in_arms(self, places: Places) -> Counter[Place]:
        """Where arms of set operations whose rows are joined or dropped show what may leave its type."""
        blocks = (q for q in all_queries(self.query) if isinstance(q, a.Select))
        asked = (b for b in blocks if is_joined(b) or b.where is not None)
        below = (q for b in asked for item in b.from_ for q, _, _ in self.ranging(item))
        # the terms of a recursion are run round by round; what fewer rounds leave out is asked elsewhere
        rounds = [c.query for c in self.ctes.values() if c.recursive]
        sets = (q for q in below if isinstance(q, a.SetOp) and not any(q is r for r in rounds))
        return Counter(
            places.of(q) for q in sets if any(self._leaves(e) for x in self.pull_up.outputs(q) for e in x)
        )

    def _leaves(self, made: a.Expr) -> bool:
        return self.facts.may_overflow(a.Select((), where=made))

    def _below_joins(
        self, item: a.FromItem, places: Places, *, nullable: bool = False
    ) -> Iterator[tuple[str, Place]]:
        """What of its subqueries is computed before an outer join that may put NULLs for their rows."""
        match item:
            case a.Join(kind, left, right):
                yield from self._below_joins(left, places, nullable=nullable or kind in {"right", "full"})
                yield from self._below_joins(right, places, nullable=nullable or kind in {"left", "full"})
            case a.Derived(query=query) if nullable:
                yield from ((how, places.of(query)) for how in self._computed_below(query))
            case a.CteScan(cte=cte) if nullable and cte not in self.computed:
                below = self.ctes[cte].query
                yield from ((how, places.of(below)) for how in self._computed_below(below))
            case _:
                pass

    def _computed_below(self, query: a.Query) -> Iterator[str]:
        if not makes_rows_apart(query):
            yield from filter(None, self.pull_up.computed_below(query))

    def ranging(self, item: a.FromItem) -> _Ranging:
        """The subqueries that a FROM item ranges over, those in subqueries that are pulled up among them."""
        match item:
            case a.Join(left=left, right=right):
                return [*self.ranging(left), *self.ranging(right)]
            case a.Derived(query=query):
                return self._of_query(query)
            # a computed CTE is run as a whole
            case a.CteScan(cte=cte) if cte in self.computed:
                return [(self.ctes[cte].query, "computed", True)]
            # a recursive one has no query that could stand here
            case a.CteScan(cte=cte) if not self.ctes[cte].recursive:
                return self._of_query(self.ctes[cte].query)
            case _:
                return []

    def _of_query(self, query: a.Query) -> _Ranging:
        hard = makes_rows_apart(query)
        own = [(query, fence_of(query), hard)] if hard or is_not_pulled_up(query) else []
        # within a hard fence nothing else is pulled up past it
        if hard:
            return own
        match query:
            case a.Select(from_=items):
                return own + [r for item in items for r in self.ranging(item)]
            case a.SetOp(left=left, right=right):
                return [*own, *self._of_query(left), *self._of_query(right)]
            case _:
                return own

    def _drops(self, query: a.Query) -> bool:
        """Whether rows are dropped within a fence: conditions above it are not asked of them."""
        # a block without WHERE and joins drops no row
        return any(
            isinstance(q, a.Select) and (q.where is not None or is_joined(q)) for q in all_queries(query)
        )

    def _makes(self, query: a.Query) -> bool:
        """Whether an output may fail."""
        return any(self._may_fail(e) for column in self.pull_up.outputs(query) for e in column)

    def _may_fail(self, expr: a.Expr) -> bool:
        return bool(self.facts.errors(expr) - OVERFLOW)


def _of_keys(block: a.Select) -> list[a.Expr]:
    """The conditions of HAVING that are asked of rows: those of keys, where there is one grouping set."""
    by_rows = len(block.group_by or ()) == 1 and any(block.group_by or ())
    return [c for c in conjuncts(block.having) if by_rows and not has_aggregate(c)]


def _guards(expr: a.Expr) -> bool:
    """Whether some of what an expression reads is not evaluated of all rows."""
    return any(
        isinstance(e, a.Case | a.Coalesce | a.And | a.Or)
        or (isinstance(e, a.Aggregate) and e.filter is not None)
        for e in all_exprs(expr)
    )


def is_joined(block: a.Select) -> bool:
    asks = block.where is not None and any(subqueries(e) for e in all_exprs(block.where))
    return asks or len(block.from_) > 1 or any(isinstance(i, a.Join) for i in block.from_)


def conditions(block: a.Select) -> Iterator[a.Expr]:
    yield from conjuncts(block.where)
    for item in block.from_:
        yield from _ons(item)


def _ons(item: a.FromItem) -> Iterator[a.Expr]:
    if isinstance(item, a.Join):
        yield from conjuncts(item.on)
        yield from _ons(item.left)
        yield from _ons(item.right)
