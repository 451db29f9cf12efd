"""Expressions of an analysed query in DuckDB's dialect, with aggregates, windows and subqueries.

Owns what an expression takes from other rows than its own. Queries inside expressions are printed by who owns
queries. Must not know the lake.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.engines.duckdb.dialect.aggregates import AGGREGATES, WINDOWS, call_of
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.fates import WORDS
from rewright.engines.duckdb.dialect.levels import Level
from rewright.engines.duckdb.dialect.row_printer import RowPrinter
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import (
    ARRAYS,
    FLOAT4,
    FLOAT8,
    NotTranslated,
)

__all__ = ["DuckdbPrinter", "Level", "sort_key"]


def sort_key(told: str, expression: Node) -> str:
    """What is sorted by where the same is shown: DuckDB shows its keys, in which -0 has become 0."""
    return f"({told} + 0.0::DOUBLE)" if type_of(expression) in {FLOAT4, FLOAT8} else told


class DuckdbPrinter(RowPrinter):
    """Prints within ``levels``, the innermost last."""

    def aggregate(self, node: Node) -> str:
        function = self.function(node["aggfnoid"])
        self.collated(node)
        # an outer query's aggregate, an ordered-set or hypothetical one (aggkind o, h), or VARIADIC
        if node["agglevelsup"] != "0" or node["aggkind"] != "n" or node["aggvariadic"] == "true":
            raise NotTranslated(function.signature)
        words = AGGREGATES.get(function.signature)
        if words is None:
            raise NotTranslated(function.signature)
        if function.signature == "array_agg(anynonarray)" and int(node["aggtype"]) not in ARRAYS:
            raise NotTranslated("arrays of this type")
        return self.aggregated(node, words)

    def aggregated(self, node: Node, words: str) -> str:
        """A call of an aggregate with its DISTINCT, ORDER BY and FILTER, in these words."""
        # resjunk arguments stand only for ORDER BY inside of the call
        arguments = [one for one in node["args"] or [] if one["resjunk"] == "false"]
        args = [self.sql(one["expr"]) for one in arguments]
        # DuckDB takes one separator for the whole query; PostgreSQL reads it from each row
        if "string_agg" in words and arguments[1]["expr"]["kind"] != "CONST":
            raise NotTranslated("string_agg with a delimiter that changes")
        plain = args[0] if args else ""
        if args:
            # DISTINCT belongs to the first argument, ORDER BY behind the last
            distinct = "DISTINCT " if node["aggdistinct"] else ""
            args[0] = distinct + args[0]
            if node["aggorder"]:
                args[-1] += " ORDER BY " + self.ordering(node["aggorder"], node["args"])
        return call_of(words, args, plain, self._filter(node))

    def _filter(self, node: Node) -> str:
        return f" FILTER (WHERE {self.sql(node['aggfilter'])})" if node["aggfilter"] is not None else ""

    def window(self, node: Node) -> str:
        function = self.function(node["winfnoid"])
        self.collated(node)
        words = WINDOWS.get(function.signature) or AGGREGATES.get(function.signature)
        if words is None or "string_agg" in words or "array_agg" in words:
            raise NotTranslated(function.signature)
        over = self.levels[-1].windows.get(node["winref"])
        if over is None:
            raise NotTranslated("this window")
        # what lag and lead give beyond the partition becomes one column with their values
        if len(args := node["args"] or []) == 3:
            self.uniting([args[0], args[2]], int(node["wintype"]))
        arguments = [self.sql(one) for one in node["args"] or []]
        return call_of(words, arguments, "".join(arguments[:1]), f"{self._filter(node)} OVER ({over})")

    def ordering(self, clauses: Sequence[Node], targets: Sequence[Node]) -> str:
        """ORDER BY items: expressions, directions and where NULLs go, all told."""
        # both are told: NULLs sort last by default in DuckDB, and as the largest values in PostgreSQL
        by_reference = {one["ressortgroupref"]: one for one in targets}
        return ", ".join(
            f"{self._key(by_reference[one['tleSortGroupRef']])} "
            f"{self.direction(one, by_reference[one['tleSortGroupRef']]['expr'])}"
            for one in clauses
        )

    def _key(self, target: Node) -> str:
        told = self.sql(target["expr"])
        return sort_key(told, target["expr"]) if target["resjunk"] == "false" else told

    def direction(self, clause: Node, expression: Node) -> str:
        symbol = self.catalog.operators[int(clause["sortop"])].name
        # ORDER BY ... USING with another operator; arrays, whose NULL elements the engines place differently
        if symbol not in {"<", ">"} or type_of(expression) in ARRAYS:
            raise NotTranslated("this order")
        return (
            f"{'ASC' if symbol == '<' else 'DESC'} NULLS "
            f"{'FIRST' if clause['nulls_first'] == 'true' else 'LAST'}"
        )

    def sublink(self, node: Node) -> str:
        # SubLinkType (primnodes.h): 0 EXISTS, 1 ALL, 2 ANY, 4 a single value
        kind = node["subLinkType"]
        query = self.queries.subquery(node["subselect"], self.levels, exists=kind == "0")
        if kind == "0":
            return f"EXISTS ({query})"
        if kind == "4":
            return f"({query})"
        test = node["testexpr"]
        # the test compares rows where it is no OPEXPR
        if kind not in {"1", "2"} or test["kind"] != "OPEXPR" or test["args"][1]["kind"] != "PARAM":
            raise NotTranslated("this kind of subquery")
        symbol = self.catalog.operators[int(test["opno"])].name
        # DuckDB's ANY and ALL take symbols alone: what needs other words than the symbol can't stand there
        if WORDS.get(self.operator(test).signature) != f"({{0}} {symbol} {{1}})" and symbol not in {
            "=",
            "<>",
        }:
            raise NotTranslated("this kind of subquery")
        self.collated(test)
        # DuckDB would cast one side implicitly, perhaps the other one than PostgreSQL
        if type_of(test["args"][0]) != int(test["args"][1]["paramtype"]):
            raise NotTranslated("a comparison of different types with a subquery")
        left = self.sql(test["args"][0])
        if (symbol, kind) == ("=", "2"):
            return f"({left} IN ({query}))"
        return f"({left} {symbol} {'ANY' if kind == '2' else 'ALL'} ({query}))"
