"""Statements that DuckDB can run only in part: it joins, filters and groups, and PostgreSQL evaluates the
select list, order and limit on the result.

The cheaper of two ways (``copying`` is the other). Owns what DuckDB fetches and what is left to PostgreSQL;
must not know how either is run. docs/decisions/0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rewright.engines.duckdb.dialect.aggregates import SPLIT
from rewright.engines.duckdb.dialect.catalog import Catalog
from rewright.engines.duckdb.dialect.clauses import constant_limit, leaving, shown
from rewright.engines.duckdb.dialect.duckdb_printer import DuckdbPrinter, Level
from rewright.engines.duckdb.dialect.expressions import type_of
from rewright.engines.duckdb.dialect.plans import Fetch, Plan
from rewright.engines.duckdb.dialect.postgres_printer import PostgresPrinter
from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import HELD, NotTranslated


@dataclass(slots=True)
class _Leaves:
    """What DuckDB gives, each expression once: its words and type."""

    catalog: Catalog
    printer: DuckdbPrinter
    found: dict[str, tuple[str, int]] = field(default_factory=dict)

    def of(self, node: Node) -> str | None:
        """The column that holds an expression's value; None: PostgreSQL makes it of its parts.

        Parts of expressions are columns, aggregates and subqueries alone: others might raise in DuckDB where
        a CASE keeps PostgreSQL from them.
        """
        if node["kind"] == "AGGREF" and (split := self._split(node)) is not None:
            return split
        # what else it is made of PostgreSQL evaluates: see above
        if node["kind"] not in {"VAR", "AGGREF", "SUBLINK", "WINDOWFUNC"}:
            return None
        oid = type_of(node)
        if oid not in HELD:
            raise NotTranslated(f"values of type {self.catalog.types.get(oid, oid)}")
        return self._column(self.printer.sql(node), oid)

    def whole(self, node: Node) -> str | None:
        """The column that holds a whole item of the select list; None: DuckDB cannot say it."""
        # a constant is PostgreSQL's anyway; a clock read by DuckDB would not agree with those PostgreSQL
        # reads
        if self.printer.is_constant(node) or node["kind"] in {"PARAM", "SQLVALUEFUNCTION"}:
            return None
        try:
            oid = type_of(node)
            return self._column(self.printer.sql(node), oid) if oid in HELD else None
        # HELD only: values of other types would not arrive as they are
        except NotTranslated:
            return None

    def _column(self, words: str, oid: int) -> str:
        name, _ = self.found.setdefault(words, (f"c{len(self.found) + 1}", oid))
        return f"q.{name}"

    def _split(self, node: Node) -> str | None:
        """An average of whole numbers or numerics: sum and count from DuckDB, PostgreSQL's own division."""
        function = self.catalog.functions[int(node["aggfnoid"])]
        if function.signature not in SPLIT:
            return None
        # sum(bigint) is numeric in PostgreSQL; 38 digits are the most that DuckDB has
        total, count = (
            (
                self.printer.aggregated(node, words)
                for words in ("CAST([sum({0})] AS DECIMAL(38,0))", "count({0})")
            )
            if "numeric" not in function.signature
            else (self.printer.aggregated(node, words) for words in ("sum({0})", "count({0})"))
        )
        # a group without values: sum is NULL and count 0, and avg is NULL without a division by zero
        return f"({self._column(total, 1700)} / nullif({self._column(count, 20)}, 0)::numeric)"


def finished(query: Node, printer: QueryPrinter, parameters: tuple[int, ...], reason: str) -> Plan:
    """:raises NotTranslated: what stands below the select list cannot be said either."""
    # their results are made of rows or groups that only exist inside of DuckDB's query
    if query["setOperations"] is not None or query["hasWindowFuncs"] == "true" or query["groupingSets"]:
        raise NotTranslated(reason)
    # functions of sets in the select list are PostgreSQL's here, so they are no reason to refuse
    printer.refused(query | {"hasTargetSRFs": "false"})
    level = Level(query["rtable"] or [])
    ctes, body, having = _begun(query, printer, level)
    leaves = _Leaves(printer.catalog, printer.printer([level]))
    outer = PostgresPrinter(printer.catalog, leaves.of)
    targets = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}

    def told(node: Node) -> str:
        return leaves.whole(node) or outer.sql(node)

    items = [f"{told(one['expr'])} AS c{i}" for i, one in enumerate(shown(query), 1)]
    order = [
        f"{told(targets[one['tleSortGroupRef']])} "
        f"{leaves.printer.direction(one, targets[one['tleSortGroupRef']])}"
        for one in query["sortClause"] or []
    ]
    limits = _limits(query, outer, reason)
    distinct = _distinct(query, told)
    kept = f" WHERE {outer.sql(having)}" if having is not None else ""
    # SELECT 1 FROM t reads no column and still has a row for each row
    columns = leaves.found or {"1": ("c1", 23)}
    inner = ", ".join(f"{leaving(words, oid)} AS {name}" for words, (name, oid) in columns.items())
    fetched = tuple((name, printer.catalog.types[oid], oid) for name, oid in columns.values())
    text = (
        f"SELECT {distinct}{', '.join(items)} FROM pg_temp.q{kept}"
        + (f" ORDER BY {', '.join(order)}" if order else "")
        + limits
    )
    sql = f"{ctes}SELECT {inner}{body}{_pushed_limit(query) if having is None else ''}"
    return Plan((Fetch("q", fetched, sql),), text, parameters, reason, copied=False)


def _begun(query: Node, printer: QueryPrinter, level: Level) -> tuple[str, str, Node | None]:
    """WITH, FROM to HAVING in DuckDB's dialect, and the HAVING that is left to PostgreSQL."""
    # HAVING is evaluated by DuckDB where it can express it, so that fewer rows are fetched
    try:
        return *printer.begun(query, level), None
    except NotTranslated:
        # else PostgreSQL applies it as WHERE, over the fetched aggregates
        return *printer.begun(query | {"havingQual": None}, level), query["havingQual"]


def _limits(query: Node, outer: PostgresPrinter, reason: str) -> str:
    # WITH TIES (limitOption 1) needs PostgreSQL's own order over all the rows
    if query["limitOption"] == "1" and query["limitCount"] is not None:
        raise NotTranslated(reason)
    return "".join(
        f" {word} {outer.sql(query[name])}"
        for word, name in (("LIMIT", "limitCount"), ("OFFSET", "limitOffset"))
        if query[name] is not None
    )


def _distinct(query: Node, told: Callable[[Node], str]) -> str:
    if not query["distinctClause"]:
        return ""
    if query["hasDistinctOn"] != "true":
        return "DISTINCT "
    targets = {one["ressortgroupref"]: one["expr"] for one in query["targetList"]}
    return (
        "DISTINCT ON ("
        + ", ".join(told(targets[o["tleSortGroupRef"]]) for o in query["distinctClause"])
        + ") "
    )


def _pushed_limit(query: Node) -> str:
    """Rows that are not shown need not be fetched, where neither an order nor what comes of them decides
    which they are.
    """
    # an order, DISTINCT or functions of sets come after the fetch: any row may be among the first
    count, offset = constant_limit(query["limitCount"]), constant_limit(query["limitOffset"])
    free = not query["sortClause"] and not query["distinctClause"] and query["hasTargetSRFs"] == "false"
    if count is None or not free or (offset is None and query["limitOffset"] is not None):
        return ""
    return f" LIMIT {count + (offset or 0)}"
