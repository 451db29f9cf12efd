"""What PostgreSQL's analyser made of a statement, in words that mean the same to Spark, too.

Owns how only those words for DuckDB (``engines.duckdb.dialect``) are used that are sure on Spark
(``engines.spark.sure``). What is not sure is left to PostgreSQL, on rows that Spark fetches. Must not know
sessions. docs/decisions/0451-spark-speaks-postgresql.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.engines.duckdb.dialect.catalog import Function
from rewright.engines.duckdb.dialect.duckdb_printer import DuckdbPrinter, Level
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import INT2, INT4, INT8, TEXT, UUID, VARCHAR, NotTranslated
from rewright.engines.spark.sure import SURE_AGGREGATES, SURE_CALLS

_TEXTS_THERE = frozenset({1083, 1186, UUID})
"""Types that Spark has not: times, intervals and UUIDs are texts in its tables (``engines.spark.tables``)."""
# timestamptz: how Spark prints one depends on a setting of its session
_ZONED = 1184


# as for DuckDB, whose word for the sign of -0 Spark lacks
_SUM_WITH_SIGN = (
    "CASE WHEN [sum({0})] = 0 AND [bool_and(CAST({plain} AS VARCHAR) LIKE '-%')] "
    "THEN CAST('-0.0' AS DOUBLE) ELSE [sum({0})] END"
)


class SparkPrinter(DuckdbPrinter):
    """Expressions of which every word is sure."""

    def _called(self, function: Function, node: Node, args: Sequence[Node]) -> str:
        if function.signature not in SURE_CALLS:
            raise NotTranslated(function.signature)
        return super()._called(function, node, args)

    def _as_held(self, named: str, node: Node) -> str:
        oid = int(node["vartype"])
        if oid == _ZONED:
            raise NotTranslated("times with a zone")
        return named if oid in _TEXTS_THERE else super()._as_held(named, node)

    def any_of(self, node: Node) -> str:
        if self.operator(node).signature not in SURE_CALLS or node["args"][1]["kind"] != "ARRAYEXPR":
            raise NotTranslated("ANY or ALL of an array")
        return super().any_of(node)

    def aggregate(self, node: Node) -> str:
        signature = self.function(node["aggfnoid"]).signature
        if signature not in SURE_AGGREGATES:
            raise NotTranslated(signature)
        if signature == "sum(double precision)":
            self.collated(node)
            return self.aggregated(node, _SUM_WITH_SIGN)
        return super().aggregate(node)

    def window(self, node: Node) -> str:
        raise NotTranslated(f"{self.function(node['winfnoid']).name} over a window")

    def through_text(self, node: Node) -> str:
        if type_of(node["arg"]) in {INT2, INT4, INT8} and int(node["resulttype"]) in {TEXT, VARCHAR}:
            return super().through_text(node)
        if self.is_constant(node):
            return self._folded(node)
        raise NotTranslated("a cast through text")

    def array(self, node: Node) -> str:
        del node
        raise NotTranslated("arrays")

    def element(self, node: Node) -> str:
        del node
        raise NotTranslated("elements of arrays")


class SparkQueryPrinter(QueryPrinter):
    """Queries of such expressions, of clauses that Spark reads as PostgreSQL does."""

    @staticmethod
    def moment(column: str, oid: int) -> str:
        # Spark has microseconds, and another cast
        del oid
        return column

    def printer(self, levels: Sequence[Level]) -> DuckdbPrinter:
        return SparkPrinter(self.catalog, levels, self)

    def _distinct(self, query: Node, printer: DuckdbPrinter) -> str:
        if query["hasDistinctOn"] == "true":
            raise NotTranslated("DISTINCT ON")
        return super()._distinct(query, printer)

    def _series(self, entry: Node) -> str:
        del entry
        raise NotTranslated("functions in FROM")

    def _entry(self, number: int, around: Sequence[Level]) -> str:
        if around[-1].rtable[number - 1]["lateral"] == "true":
            raise NotTranslated("LATERAL")
        return super()._entry(number, around)
