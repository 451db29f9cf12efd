"""Statements that DuckDB can only scan tables for: it fetches the columns and rows of each table that is
read, and PostgreSQL runs the statement unchanged on them.

Owns which columns and rows are fetched; must not know how.
docs/decisions/0380-what-postgresql-runs-itself.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rewright.engines.duckdb.dialect.catalog import Analyser, TableColumn
from rewright.engines.duckdb.dialect.clauses import leaving
from rewright.engines.duckdb.dialect.duckdb_printer import Level
from rewright.engines.duckdb.dialect.plans import Fetch, Plan
from rewright.engines.duckdb.dialect.queries import QueryPrinter
from rewright.engines.duckdb.dialect.refusing import all_nodes, refused
from rewright.engines.duckdb.dialect.tree import Node
from rewright.engines.duckdb.dialect.types import NotTranslated
from rewright.engines.duckdb.quoting import quoted


def copied(
    text: str,
    query: Node,
    analyser: Analyser,
    printer: QueryPrinter,
    parameters: tuple[int, ...],
    reason: str,
) -> Plan:
    """:raises NotTranslated: what the statement calls is not run for a lake's clients."""
    refused(query, analyser.catalog)
    wanted: dict[int, set[int]] = {}
    references: dict[int, int] = {}
    for one in _queries(query):
        for entry in one["rtable"] or []:
            if entry["rtekind"] == "0":
                permissions = one["rteperminfos"][int(entry["perminfoindex"]) - 1]
                # selectedCols counts from FirstLowInvalidHeapAttributeNumber, -7 (sysattr.h); 0 there is the
                # whole row
                wanted.setdefault(int(entry["relid"]), set()).update(
                    n - 7 for n in permissions["selectedCols"]
                )
                references[int(entry["relid"])] = references.get(int(entry["relid"]), 0) + 1
    # a table read once: a condition of one of two references would take rows from the other
    pushed = _filters(query, printer, {oid for oid, number in references.items() if number == 1})
    fetches = []
    for oid, attributes in wanted.items():
        schema, name = analyser.relation(oid)
        # temporary tables bear the plain name, which a table of another schema cannot share
        if schema != "public" and not schema.startswith("pg_temp"):
            raise NotTranslated("tables of another database together with " + reason)
        fetches.append(
            _whole(name, analyser.columns(oid), attributes, pushed.get(oid, ""), printer.source(oid), printer)
        )
    return Plan(tuple(fetches), text, parameters, reason, copied=True)


def _whole(
    name: str,
    columns: Sequence[TableColumn],
    attributes: set[int],
    condition: str,
    source: str,
    printer: QueryPrinter,
) -> Fetch:
    """A table with all its columns, so that every name means what it meant; those
    that are not read are NULL.
    """
    everything = 0 in attributes
    # number 0 stands for a whole row, such as t.* of a join or row_to_json(t)
    items = [
        leaving(printer.moment(f"r.{quoted(one.name)}", one.oid), one.oid)
        if everything or number in attributes
        else "NULL"
        for number, one in enumerate(columns, 1)
    ]
    named = ", ".join(f"{item} AS c{i}" for i, item in enumerate(items, 1))
    kept = tuple((one.name, one.type, one.oid) for one in columns)
    return Fetch(name, kept, f"SELECT {named} FROM {source} AS r{condition}")


def _filters(query: Node, printer: QueryPrinter, once: set[int]) -> Mapping[int, str]:
    """Conditions on one table alone that hold for every row of the result, in DuckDB's dialect."""
    found: dict[int, list[str]] = {}
    # tables directly in FROM: below a join that pads, a condition of WHERE need not hold of the table's rows
    tables = {
        int(item["rtindex"]) for item in query["jointree"]["fromlist"] or [] if item["kind"] == "RANGETBLREF"
    }
    quals = query["jointree"]["quals"]
    parts = (
        quals["args"]
        if quals is not None and quals["kind"] == "BOOLEXPR" and quals["boolop"] == "and"
        # one condition or none
        else [quals]
    )
    for part in parts:
        if part is None:
            continue
        # a column of an outer query (varlevelsup), a parameter or subquery is not known while the table is
        # fetched
        numbers = {(int(v["varno"]), v["varlevelsup"]) for v in _nodes(part, "VAR")}
        if len(numbers) != 1 or any(_nodes(part, kind) for kind in ("SUBLINK", "PARAM")):
            continue
        ((number, up),) = numbers
        entry = query["rtable"][number - 1]
        if up != "0" or number not in tables or entry["rtekind"] != "0" or int(entry["relid"]) not in once:
            continue
        level = Level(query["rtable"], {number: ("r", printer.column_names(int(entry["relid"])))})
        try:
            found.setdefault(int(entry["relid"]), []).append(printer.printer([level]).sql(part))
        # what can't be said is left out: PostgreSQL applies the whole WHERE again
        except NotTranslated:
            continue
    return {oid: " WHERE " + " AND ".join(parts) for oid, parts in found.items() if parts}


def _queries(query: Node) -> Iterator[Node]:
    for node in all_nodes(query):
        if node.get("kind") == "QUERY":
            yield node


def _nodes(root: Node, kind: str) -> list[Node]:
    return [node for node in all_nodes(root) if node.get("kind") == kind]
