"""What reading a column may raise: a virtual generated column is computed where it is read, and so is what a
subquery in FROM shows.

    SELECT id FROM (SELECT id, 1 / x AS z FROM t) q ORDER BY id, z

fails where an x is 0, and without ``z`` does not: the server computes no output of a subquery that nobody
reads. That a sum over rows leaves its type is left out, as everywhere (`effects.cannot_fail`). Must not know
what is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rewright.sql.algebra import (
    Aggregate,
    Column,
    CteScan,
    Derived,
    Expr,
    Query,
    Scan,
    Select,
    SetOp,
    Values,
    ValuesScan,
    WindowCall,
    output_columns,
)
from rewright.sql.catalog import Catalog
from rewright.sql.facts.effects import (
    ANY,
    NO_ERRORS,
    OVERFLOW,
    AtMostOne,
    Errors,
    errors_of_query,
    own_errors,
)
from rewright.sql.facts.guards import NOTHING, Known, evaluated, of_groups
from rewright.sql.facts.strictness import Col
from rewright.sql.walk import subqueries, walk

_GENERATED: Errors = frozenset({"generated"})
_Item = Derived | CteScan | ValuesScan


class ReadColumns:
    """Of the statements that it was told (`learn`). ``cte_query`` finds the query of a CTE by number."""

    def __init__(
        self, catalog: Catalog, cte_query: Callable[[int], Query | None], at_most_one: AtMostOne
    ) -> None:
        self._catalog = catalog
        self._cte_query = cte_query
        self._at_most_one = at_most_one
        self._computed: set[Col] = set()
        # two statements may give one number to different things: what any of them shows counts
        self._shown: dict[int, list[_Item]] = {}
        # by identity, beside what is kept alive
        self._known: dict[tuple[int, int], tuple[_Item, Errors]] = {}

    def learn(self, root: Query) -> None:
        for node in walk(root):
            match node:
                case Scan() if self._catalog.has_table(node.table):
                    columns = self._catalog.table(node.table).columns
                    computed = (i for i, c in enumerate(columns) if c.generated == "virtual")
                    self._computed |= {(node.rel, i) for i in computed}
                case Derived() | CteScan() | ValuesScan():
                    items = self._shown.setdefault(node.rel, [])
                    if not any(node is x or node == x for x in items):
                        items.append(node)
                case _:
                    pass

    def _query(self, item: _Item) -> Query | None:
        match item:
            case Derived():
                return item.query
            case CteScan():
                return self._cte_query(item.cte)
            case ValuesScan():
                return Values(item.rows, item.columns)

    def errors(self, column: Column) -> Errors:
        """Classes of errors that reading the column may raise."""
        found = _GENERATED if (column.rel, column.pos) in self._computed else NO_ERRORS
        return found.union(*(self._of_item(x, column.pos) for x in self._shown.get(column.rel, ())))

    def _of_item(self, item: _Item, pos: int) -> Errors:
        place = (id(item), pos)
        if place not in self._known:
            # what a recursion reads of itself adds nothing
            self._known[place] = item, NO_ERRORS
            query = self._query(item)
            self._known[place] = item, NO_ERRORS if query is None else self._of_output(query, pos)
        return self._known[place][1]

    def _of_output(self, query: Query, pos: int) -> Errors:
        # a form has given the subquery more columns since
        if pos >= len(output_columns(query)):
            return ANY
        match query:
            case Select() if query.group_by is None:
                return self._of(evaluated(query.targets[pos].expr, NOTHING))
            case Select():
                rows, groups = of_groups(query)
                return self._of(evaluated(query.targets[pos].expr, groups, rows))
            case SetOp():
                return self._of_output(query.left, pos) | self._of_output(query.right, pos)
            case Values():
                return NO_ERRORS.union(*(self._of(evaluated(row[pos], NOTHING)) for row in query.rows))

    def _of(self, placed: Iterable[tuple[Expr, Known]]) -> Errors:
        found = NO_ERRORS
        for e, known in placed:
            if isinstance(e, Column):
                found |= self.errors(e)
            own = own_errors(e, self._at_most_one, known)
            found |= own - OVERFLOW if isinstance(e, Aggregate | WindowCall) else own
            for query in subqueries(e):
                found |= errors_of_query(query, self._at_most_one, self.errors)
        return found
