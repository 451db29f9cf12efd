"""Analysed queries in DuckDB's SQL: range tables, joins, groups, windows, set operations, order and limit
(parsenodes.h Query).

Owns the clauses. Every name is made here (``r1_2`` for an entry, ``c1`` for a column of a query), so that no
name of a client's can mean something else to DuckDB. Must not know single functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rewright.engines.duckdb.dialect.catalog import Catalog
from rewright.engines.duckdb.dialect.constants import value_of
from rewright.engines.duckdb.dialect.duckdb_printer import DuckdbPrinter, Level
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.frames import frame_of
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import ARRAYS, HELD, NUMERIC, NotTranslated

# JoinType (nodes.h)
_JOINS = {"0": "JOIN", "1": "LEFT JOIN", "2": "FULL JOIN", "3": "RIGHT JOIN"}
# SetOperation (parsenodes.h)
_SETS = {"1": "UNION", "2": "INTERSECT", "3": "EXCEPT"}
_SHOWN_AS_TEXT = {1082, 1083, 1114, 1184, 1186}
"""Dates and times leave DuckDB as texts: Python's values hold neither infinity, nor months, nor years before
Christ.
"""


# DuckDB's generate_series is always bigint; numeric steps and timestamps count otherwise
_SERIES = {"generate_series(integer, integer)": "INTEGER", "generate_series(bigint, bigint)": "BIGINT"}


class QueryPrinter:
    """Prints queries over tables that ``relation`` finds: OID -> (how DuckDB names it, its columns)."""

    def __init__(
        self,
        catalog: Catalog,
        relation: Callable[[int], tuple[str, Sequence[str]]],
        fold: Callable[[Node], Any],
    ) -> None:
        self.catalog = catalog
        self._relation = relation
        self._fold = fold
        self._count = 0

    def source(self, relation: int) -> str:
        """A table as DuckDB names it."""
        return self._relation(relation)[0]

    def column_names(self, relation: int) -> Sequence[str]:
        return self._relation(relation)[1]

    def begun(self, query: Node, level: Level) -> tuple[str, str]:
        """WITH, and FROM to HAVING, of a query whose select list is not printed here."""
        return self._ctes(query, [level]), self.body(query, [level])

    def folded(self, node: Node) -> Any:
        return self._fold(node)

    def printer(self, levels: Sequence[Level]) -> DuckdbPrinter:
        return DuckdbPrinter(self.catalog, levels, self)

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
        return self.subquery(query, (), leaving=True)

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
            # no level: what sorts are columns of the query inside
        }
        printer = self.printer(())
        order = []
        # ORDER BY of a set operation can name result columns alone, but the tree allows others
        for clause in query["sortClause"] or []:
            if clause["tleSortGroupRef"] not in positions:
                raise NotTranslated("an order by what is not shown")
            column, expression = positions[clause["tleSortGroupRef"]]
            order.append(f"q.{column} {printer.direction(clause, expression)}")
        sql = f"SELECT {listed} FROM ({inner}) AS q"
        if order:
            sql += " ORDER BY " + ", ".join(order)
        return sql + self.limits(query)

    def subquery(self, query: Node, levels: Sequence[Level], *, leaving: bool = False) -> str:
        """A query within others. ``leaving``: its columns are those a client gets."""
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
            items.append(f"{_leaving(made, type_of(one['expr'])) if leaving else made} AS c{number}")
        # PostgreSQL takes SELECT FROM t, DuckDB does not
        if not items:
            raise NotTranslated("a query without columns")
        listed = f"{self._distinct(query, printer)}{', '.join(items)}"
        return f"{ctes}SELECT {listed}{clauses}{self.tail(query, printer)}"

    def _show(self, expression: Node) -> None:
        if type_of(expression) not in HELD:
            raise NotTranslated(f"values of type {self.catalog.types.get(type_of(expression))}")

    def refused(self, query: Node) -> None:
        if (
            query["commandType"] != "1"
            or query["hasModifyingCTE"] == "true"
            or query["utilityStmt"] is not None
        ):
            raise NotTranslated("a statement that is no query")
        # how many rows come of several such functions changed in 10 ("SQL Functions Returning Sets")
        if query["hasTargetSRFs"] == "true":
            raise NotTranslated("functions in the select list that give several rows")
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

    def _source(self, item: Node, around: Sequence[Level]) -> str:
        if item["kind"] == "RANGETBLREF":
            return self._entry(int(item["rtindex"]), around)
        left, right = self._source(item["larg"], around), self._source(item["rarg"], around)
        if item["jointype"] not in _JOINS:
            raise NotTranslated("this kind of join")
        condition = self.printer(around).sql(item["quals"]) if item["quals"] is not None else "TRUE"
        # in parentheses: DuckDB's rules for a mix of commas and JOIN need not be known
        return f"({left} {_JOINS[item['jointype']]} {right} ON {condition})"

    def _entry(self, number: int, around: Sequence[Level]) -> str:
        level = around[-1]
        entry = level.rtable[number - 1]
        # the same entry may be printed twice (a CTE's text, a copied subquery): a number keeps names apart
        self._count += 1
        alias = f"r{self._count}_{number}"
        lateral = "LATERAL " if entry["lateral"] == "true" else ""
        width = len(entry["eref"]["colnames"] or [])
        columns: Sequence[str] = [f"c{i}" for i in range(1, width + 1)]
        # RTEKind (parsenodes.h)
        match entry["rtekind"]:
            case "0":
                if entry["tablesample"] is not None:
                    raise NotTranslated("TABLESAMPLE")
                source, columns = self._relation(int(entry["relid"]))
                if lateral:
                    raise NotTranslated("LATERAL of a table")
            case "1":
                inner = self.subquery(entry["subquery"], around)
                source = f"{lateral}({inner})"
            case "5":
                source = self._values(entry, around)
            case "3":
                source = self._series(entry)
            case "6":
                source = self._cte_name(entry, around)
            case _:
                raise NotTranslated("this kind of source")
        level.names[number] = (alias, columns)
        # only VALUES needs a list: the others name their columns c1, c2, … themselves
        listed = f"({', '.join(columns)})" if entry["rtekind"] == "5" else ""
        return f"{source} AS {alias}{listed}"

    def _series(self, entry: Node) -> str:
        """``generate_series`` of constants: the one function in FROM that DuckDB streams."""
        functions = entry["functions"] or []
        call = functions[0]["funcexpr"]
        if len(functions) != 1 or entry["funcordinality"] == "true" or call["kind"] != "FUNCEXPR":
            raise NotTranslated("functions in FROM")
        # several functions are ROWS FROM, padded with NULLs to the longest
        type_ = _SERIES.get(self.catalog.functions[int(call["funcid"])].signature)
        if type_ is None or any(
            one["kind"] != "CONST" or one["constisnull"] == "true" for one in call["args"]
        ):
            raise NotTranslated("functions in FROM")
        # both include the end, and step up by one
        begin, end = (value_of(one["constvalue"], int(one["consttype"])) for one in call["args"])
        return f"(SELECT CAST(generate_series AS {type_}) AS c1 FROM generate_series({begin}, {end}))"

    def _values(self, entry: Node, around: Sequence[Level]) -> str:
        printer = self.printer(around)
        for column in zip(*entry["values_lists"], strict=True):
            oid = type_of(column[0])
            printer.uniting(column, oid)
            self._show(column[0])
            if any(type_of(one) != oid for one in column):
                raise NotTranslated("VALUES of different types")
        rows = ", ".join(
            "(" + ", ".join(printer.sql(one) for one in row) + ")" for row in entry["values_lists"]
        )
        return f"(VALUES {rows})"

    def _groups(self, query: Node, printer: DuckdbPrinter) -> str:
        # it removes equal grouping sets, which DuckDB doesn't know
        if query["groupDistinct"] == "true":
            raise NotTranslated("GROUP BY DISTINCT")
        expressions = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}

        # by ressortgroupref, the number that links a clause to its expression (parsenodes.h TargetEntry)
        def told(reference: object) -> str:
            expression = expressions[str(reference)]
            self._show(expression)
            return printer.sql(expression)

        if query["groupingSets"]:
            return " GROUP BY " + ", ".join(_grouping_set(one, told) for one in query["groupingSets"])
        if query["groupClause"]:
            return " GROUP BY " + ", ".join(told(one["tleSortGroupRef"]) for one in query["groupClause"])
        return ""

    # --- DISTINCT, windows, ORDER BY, LIMIT -----------------------------------------------------------

    def _distinct(self, query: Node, printer: DuckdbPrinter) -> str:
        if not query["distinctClause"]:
            return ""
        if query["hasDistinctOn"] != "true":
            return "DISTINCT "
        expressions = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}
        on = ", ".join(printer.sql(expressions[one["tleSortGroupRef"]]) for one in query["distinctClause"])
        return f"DISTINCT ON ({on}) "

    def windows(self, query: Node, printer: DuckdbPrinter) -> Mapping[str, str]:
        # FRAMEOPTION bits are read in frames.py; DuckDB's default frame is never relied on
        """What stands in OVER, by the window's number."""
        expressions = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}
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
            elif not _is_null(node):
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
                raise NotTranslated("an order by what is not shown")
            column, expression = positions[clause["tleSortGroupRef"]]
            order.append(f"{column} {printer.direction(clause, expression)}")
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

    def _cte_name(self, entry: Node, around: Sequence[Level]) -> str:
        # ctelevelsup counts the queries outwards
        level = around[len(around) - 1 - int(entry["ctelevelsup"])]
        if entry["ctename"] not in level.ctes:
            raise NotTranslated("this CTE")
        return level.ctes[entry["ctename"]][0]


def shown(query: Node) -> list[Node]:
    """The target entries that are columns of the result."""
    return [one for one in query["targetList"] or [] if one["resjunk"] == "false"]


def leaving(sql: str, oid: int) -> str:
    """A value in the form in which it leaves DuckDB."""
    if oid not in _SHOWN_AS_TEXT:
        return sql
    told = f"CAST({sql} AS VARCHAR)"
    # DuckDB writes 0044-01-01 (BC) 00:00:00, PostgreSQL 0044-01-01 00:00:00 BC; times and intervals have no
    # era
    return told if oid in {1083, 1186} else f"regexp_replace({told}, ' .BC.(.*)', '\\1 BC')"


_leaving = leaving


def constant_limit(node: Node | None) -> int | None:
    """LIMIT's number where it is a constant of PostgreSQL's bigint that is not negative; None: it is not."""
    if node is None:
        return None
    # the analyser casts LIMIT to bigint: a constant integer stands inside int8(integer)
    if node["kind"] == "FUNCEXPR" and node["args"] and len(node["args"]) == 1:
        node = node["args"][0]
    if node is None or node["kind"] != "CONST" or node["constisnull"] == "true":
        return None
    if int(node["consttype"]) not in {20, 21, 23}:
        return None
    number = int(value_of(node["constvalue"], int(node["consttype"])))
    # a negative number is an error (2201W) that PostgreSQL raises when it runs
    return number if number >= 0 else None


def _is_null(node: Node) -> bool:
    if node["kind"] == "FUNCEXPR" and len(node["args"]) == 1:
        node = node["args"][0]
    return bool(node["kind"] == "CONST" and node["constisnull"] == "true")


def _grouping_set(node: Node, told: Callable[[object], str]) -> str:
    """EMPTY, SIMPLE, ROLLUP, CUBE or SETS (nodes of GroupingSetKind); the content of the simple ones are
    references to targets.
    """
    content = node["content"] or []
    match node["kind_"]:
        case "0":
            return "()"
        case "1":
            return "(" + ", ".join(told(one) for one in content) + ")"
        # GroupingSetKind (parsenodes.h)
        case kind:
            word = {"2": "ROLLUP", "3": "CUBE", "4": "GROUPING SETS"}[kind]
            return f"{word} (" + ", ".join(_grouping_set(one, told) for one in content) + ")"
