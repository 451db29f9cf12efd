"""Items of FROM in DuckDB's SQL: tables, joins, subqueries, VALUES, series (parsenodes.h RangeTblEntry).

Owns the names that are made (``r1_2`` for an entry, ``c1`` for a column of a query), so that no name of a
client's can mean something else to DuckDB. Must not know the other clauses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from rewright.engines.duckdb.dialect.catalog import Catalog
from rewright.engines.duckdb.dialect.constants import value_of
from rewright.engines.duckdb.dialect.duckdb_printer import DuckdbPrinter, Level
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import HELD, NotTranslated

# JoinType (nodes.h)
_JOINS = {"0": "JOIN", "1": "LEFT JOIN", "2": "FULL JOIN", "3": "RIGHT JOIN"}


# DuckDB's generate_series is always bigint; numeric steps and timestamps count otherwise
_SERIES = {"generate_series(integer, integer)": "INTEGER", "generate_series(bigint, bigint)": "BIGINT"}


class SourcePrinter(ABC):
    """Prints FROM over tables that ``relation`` finds: OID -> (how DuckDB names it, its columns)."""

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

    @abstractmethod
    def subquery(
        self, query: Node, levels: Sequence[Level], *, top: bool = False, exists: bool = False
    ) -> str: ...

    def folded(self, node: Node) -> Any:
        return self._fold(node)

    def printer(self, levels: Sequence[Level]) -> DuckdbPrinter:
        return DuckdbPrinter(self.catalog, levels, self)

    def _show(self, expression: Node) -> None:
        if type_of(expression) not in HELD:
            raise NotTranslated(f"values of type {self.catalog.types.get(type_of(expression))}")

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

    def _cte_name(self, entry: Node, around: Sequence[Level]) -> str:
        # ctelevelsup counts the queries outwards
        level = around[len(around) - 1 - int(entry["ctelevelsup"])]
        if entry["ctename"] not in level.ctes:
            raise NotTranslated("this CTE")
        return level.ctes[entry["ctename"]][0]
