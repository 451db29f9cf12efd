"""Analysed queries in DuckDB's SQL: range tables, joins, groups, windows, set operations, order and limit
(parsenodes.h Query).

Owns the clauses. Every name is made here (``r1_2`` for an entry, ``c1`` for a column of a query), so that no
name of a client's can mean something else to DuckDB. Must not know single functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rewright.engines.duckdb.dialect.clauses import constant_limit, grouping_set, is_null, leaving, shown
from rewright.engines.duckdb.dialect.duckdb_printer import DuckdbPrinter, Level, sort_key
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.frames import frame_of
from rewright.engines.duckdb.dialect.sources import SourcePrinter
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import (
    ARRAYS,
    DUCKDB_TYPES,
    HELD,
    NUMERIC,
    TIMESTAMP,
    NotTranslated,
)

# SetOperation (parsenodes.h)
_SETS = {"1": "UNION", "2": "INTERSECT", "3": "EXCEPT"}


class QueryPrinter(SourcePrinter):
    """Prints queries over tables that ``relation`` finds: OID -> (how DuckDB names it, its columns)."""

    @staticmethod
    def moment(column: str, oid: int) -> str:
        """A table's column before it leaves DuckDB: microseconds of nanoseconds, which PostgreSQL rounds."""
        return f"CAST({column} AS {DUCKDB_TYPES[oid]})" if oid == TIMESTAMP else column

    def begun(self, query: Node, level: Level) -> tuple[str, str]:
        """WITH, and FROM to HAVING, of a query whose select list is not printed here."""
        return self._ctes(query, [level]), self.body(query, [level])

    def top(self, query: Node) -> str:
        """The whole statement, its columns in the forms in which they leave DuckDB.

        :raises NotTranslated: a part has no sure equivalent.
        """
        targets = shown(query)
        columns = [f"c{i}" for i, _ in enumerate(targets, 1)]
        # as texts, equal dates might sort otherwise, and DISTINCT must not see what is shown
        if query["setOperations"] is not None or (
            query["distinctClause"] and query["hasDistinctOn"] != "true"
        ):
            return self._wrapped(query, columns)
        return self.subquery(query, (), top=True)

    def _wrapped(self, query: Node, columns: Sequence[str]) -> str:
        """DISTINCT and set operations see values as they are; what is sorted and shown stands around them."""
        inner = self.subquery(query | {"sortClause": None, "limitCount": None, "limitOffset": None}, ())
        listed = ", ".join(
            f"{leaving(f'q.{column}', type_of(one['expr']))} AS {column}"
            for column, one in zip(columns, shown(query), strict=True)
        )
        positions = {
            one["ressortgroupref"]: (column, one["expr"])
            for column, one in zip(columns, shown(query), strict=True)
        }
        # no level: what sorts are columns of the query inside
        printer = self.printer(())
        order = []
        # ORDER BY of a set operation can name result columns alone, but the tree allows others
        for clause in query["sortClause"] or []:
            if clause["tleSortGroupRef"] not in positions:
                raise NotTranslated("ORDER BY an expression outside the select list")
            column, expression = positions[clause["tleSortGroupRef"]]
            order.append(f"{sort_key(f'q.{column}', expression)} {printer.direction(clause, expression)}")
        sql = f"SELECT {listed} FROM ({inner}) AS q"
        if order:
            sql += " ORDER BY " + ", ".join(order)
        return sql + self.limits(query)

    def subquery(
        self, query: Node, levels: Sequence[Level], *, top: bool = False, exists: bool = False
    ) -> str:
        """A query within others. ``top``: a client gets its columns; ``exists``: nobody does."""
        self.refused(query)
        level = Level(query["rtable"] or [])
        around = [*levels, level]
        ctes = self._ctes(query, around)
        if query["setOperations"] is not None:
            return ctes + self._set_query(query, around)
        printer = self.printer(around)
        clauses = self.body(query, around)
        # after the body: names of the range table are known then
        level.windows = self.windows(query, printer)
        items = []
        for number, one in enumerate(shown(query), 1):
            self._show(one["expr"])
            made = printer.sql(one["expr"])
            items.append(f"{leaving(made, type_of(one['expr'])) if top else made} AS c{number}")
        # PostgreSQL takes SELECT FROM t, DuckDB does not
        if exists and not items:
            items = ["1"]
        if not items:
            raise NotTranslated("a query without columns")
        listed = f"{self._distinct(query, printer)}{', '.join(items)}"
        return f"{ctes}SELECT {listed}{clauses}{self.tail(query, printer)}"

    def refused(self, query: Node) -> None:
        if (
            query["commandType"] != "1"
            or query["hasModifyingCTE"] == "true"
            or query["utilityStmt"] is not None
        ):
            raise NotTranslated("a statement that is no query")
        # how many rows come of several such functions changed in 10 ("SQL Functions Returning Sets")
        if query["hasTargetSRFs"] == "true":
            raise NotTranslated("set-returning functions in the select list")
        if query["rowMarks"]:
            raise NotTranslated("FOR UPDATE")

    # --- FROM, WHERE, GROUP BY ------------------------------------------------------------------------

    def body(self, query: Node, around: Sequence[Level]) -> str:
        """FROM to HAVING."""
        printer = self.printer(around)
        sources = [self._source(one, around) for one in query["jointree"]["fromlist"] or []]
        sql = " FROM " + ", ".join(sources) if sources else ""
        if query["jointree"]["quals"] is not None:
            sql += f" WHERE {printer.sql(query['jointree']['quals'])}"
        sql += self._groups(query, printer)
        if query["havingQual"] is not None:
            sql += f" HAVING {printer.sql(query['havingQual'])}"
        return sql

    def _groups(self, query: Node, printer: DuckdbPrinter) -> str:
        # it removes equal grouping sets, which DuckDB doesn't know
        if query["groupDistinct"] == "true":
            raise NotTranslated("GROUP BY DISTINCT")
        expressions = {one["ressortgroupref"]: one["expr"] for one in query["targetList"] or []}

        # by ressortgroupref, the number that links a clause to its expression (parsenodes.h TargetEntry)
        def told(reference: object) -> str:
            expression = expressions[str(reference)]
            self._show(expression)
            return printer.sql(expression)

        if query["groupingSets"]:
            return " GROUP BY " + ", ".join(grouping_set(one, told) for one in query["groupingSets"])
        if query["groupClause"]:
            return " GROUP BY " + ", ".join(told(one["tleSortGroupRef"]) for one in query["groupClause"])
        return ""

    # --- DISTINCT, windows, ORDER BY, LIMIT -----------------------------------------------------------

    def _distinct(self, query: Node, printer: DuckdbPrinter) -> str:
        if not query["distinctClause"]:
            return ""
        if query["hasDistinctOn"] != "true":
            return "DISTINCT "
        expressions = {one["ressortgroupref"]: one["expr"] for one in query["targetList"] or []}
        on = ", ".join(printer.sql(expressions[one["tleSortGroupRef"]]) for one in query["distinctClause"])
        return f"DISTINCT ON ({on}) "

    def windows(self, query: Node, printer: DuckdbPrinter) -> Mapping[str, str]:
        """What stands in OVER, by the window's number."""
        # FRAMEOPTION bits are read in frames.py; DuckDB's default frame is never relied on
        expressions = {one["ressortgroupref"]: one["expr"] for one in query["targetList"] or []}
        found = {}
        for window in query["windowClause"] or []:
            parts = []
            if window["partitionClause"]:
                keys = (printer.sql(expressions[one["tleSortGroupRef"]]) for one in window["partitionClause"])
                parts.append("PARTITION BY " + ", ".join(keys))
            if window["orderClause"]:
                parts.append("ORDER BY " + printer.ordering(window["orderClause"], query["targetList"]))
            parts.append(frame_of(window, printer.sql))
            found[window["winref"]] = " ".join(parts)
        return found

    def tail(self, query: Node, printer: DuckdbPrinter) -> str:
        """ORDER BY and LIMIT."""
        sql = ""
        if query["sortClause"]:
            # DuckDB would sort before it makes rows distinct
            if query["distinctClause"] and query["hasDistinctOn"] != "true":
                raise NotTranslated("an order within DISTINCT")
            sql = " ORDER BY " + printer.ordering(query["sortClause"], query["targetList"])
        return sql + self.limits(query)

    def limits(self, query: Node) -> str:
        """LIMIT and OFFSET, where they are constants or parameters."""
        # LIMIT_OPTION_COUNT is 0; WITH TIES is 1
        if query["limitOption"] not in {"0", None} and query["limitCount"] is not None:
            raise NotTranslated("FETCH ... WITH TIES")
        sql = ""
        for word, field in (("LIMIT", "limitCount"), ("OFFSET", "limitOffset")):
            node = query[field]
            if node is None:
                continue
            number = constant_limit(node)
            if number is not None:
                sql += f" {word} {number}"
            # LIMIT NULL is no limit
            elif not is_null(node):
                raise NotTranslated(f"{word} of an expression")
        return sql

    # --- set operations and CTEs ----------------------------------------------------------------------

    def _set_query(self, query: Node, around: Sequence[Level]) -> str:
        sql = f"SELECT * FROM ({self._set(query['setOperations'], around)}) AS u"
        printer = self.printer(around)
        positions = {
            one["ressortgroupref"]: (f"u.c{i}", one["expr"]) for i, one in enumerate(shown(query), 1)
        }
        order = []
        for clause in query["sortClause"] or []:
            if clause["tleSortGroupRef"] not in positions:
                raise NotTranslated("ORDER BY an expression outside the select list")
            column, expression = positions[clause["tleSortGroupRef"]]
            order.append(f"{sort_key(column, expression)} {printer.direction(clause, expression)}")
        if order:
            sql += " ORDER BY " + ", ".join(order)
        return sql + self.limits(query)

    def _set(self, node: Node, around: Sequence[Level]) -> str:
        # a leaf: one of the queries that are united
        if node["kind"] == "RANGETBLREF":
            query = around[-1].rtable[int(node["rtindex"]) - 1]["subquery"]
            return f"SELECT * FROM ({self.subquery(query, around)})"
        for side in (node["larg"], node["rarg"]):
            if side["kind"] == "RANGETBLREF":
                query = around[-1].rtable[int(side["rtindex"]) - 1]["subquery"]
                # the analyser casts sides to colTypes only where they are read (prepunion.c), not in the
                # sides' own lists
                types = [type_of(one["expr"]) for one in shown(query)]
                # numerics keep the scale of each row in PostgreSQL; a DECIMAL column has one
                if types != node["colTypes"] or NUMERIC in types:
                    raise NotTranslated("a set operation over different types, or over numerics")
        if any(one not in HELD or one in ARRAYS for one in node["colTypes"]):
            raise NotTranslated("a set operation over such types")
        every = " ALL" if node["all"] == "true" else ""
        left, right = self._set(node["larg"], around), self._set(node["rarg"], around)
        return f"({left}) {_SETS[node['op']]}{every} ({right})"

    def _ctes(self, query: Node, around: Sequence[Level]) -> str:
        """WITH, its queries named anew."""
        made = []
        for one in query["cteList"] or []:
            # both need the order in which rows of a recursion are found
            if one["search_clause"] is not None or one["cycle_clause"] is not None:
                raise NotTranslated("SEARCH and CYCLE")
            self._count += 1
            name = f"w{self._count}"
            # before its text is printed, since it reads itself
            if one["cterecursive"] == "true":
                around[-1].ctes[one["ctename"]] = (name, one)
            inner = self.subquery(one["ctequery"], around)
            around[-1].ctes[one["ctename"]] = (name, one)
            columns = ", ".join(f"c{i}" for i in range(1, len(one["ctecolnames"]) + 1))
            made.append(f"{name}({columns}) AS ({inner})")
        if not made:
            return ""
        # refused after printing, so that the names inside are checked first; RECURSIVE without a recursion is
        # none
        if query["hasRecursive"] == "true" and any(one["cterecursive"] == "true" for one in query["cteList"]):
            raise NotTranslated("WITH RECURSIVE")
        return f"WITH {', '.join(made)} "
