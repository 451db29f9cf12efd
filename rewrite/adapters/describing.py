"""What a model is told of the tables that a query reads: short DDL, indexes, sizes, statistics.

Owns the DDL's text and the constant queries over the catalogs; what of it may be shown is decided where
prompts are made (`rewright.models.prompts`). Must not know agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pglast import ast
from pglast.error import Error as PglastError

from rewright.rewrite.model import Figure
from rewright.sql.catalog import Catalog, ForeignKey, Key, Table, TableColumn
from rewright.sql.parsing import TooDeep, nodes_of, parse
from rewright.sql.printer.names import quote_ident, type_name

# columns whose statistics are shown at most
MOST_COLUMNS = 40
_SYSTEM = frozenset({"pg_catalog", "information_schema"})
_OF = """
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join unnest(%s::text[], %s::text[]) as w (schema, name) on w.schema = n.nspname and w.name = c.relname"""
INDEXES = f"""
select pg_get_indexdef(i.indexrelid) {_OF} join pg_index i on i.indrelid = c.oid
where i.indisvalid and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by c.oid, i.indexrelid limit 100"""
SIZES = f"select c.relname, c.reltuples {_OF} where c.reltuples >= 0 order by c.oid"
# two %s for the tables, one for names of columns, one for their number
COLUMNS = """
select s.tablename, s.attname, s.null_frac, s.n_distinct, s.correlation, s.avg_width,
  s.most_common_vals::text, s.histogram_bounds::text
from pg_stats s join unnest(%s::text[], %s::text[]) as w (schema, name) on w.schema = s.schemaname
  and w.name = s.tablename
where s.attname = any (%s) and not s.inherited order by 1, 2 limit %s"""
# characters of a list of values: a prompt has room for a few columns' worth
_VALUES = 500


def tables_of(sql: str, catalog: Catalog, path: Sequence[str]) -> tuple[Table, ...]:
    """The relations that ``sql`` names and those that its views read, each once, system catalogs aside. What
    is behind a view that hides rows (security_barrier) is left out.
    """
    found: dict[tuple[str, str], Table] = {}
    todo = [(sql, tuple(path))]
    while todo:
        # view by view, as a view may read others; each is looked into once, so that a cycle ends
        text, schemas = todo.pop(0)
        for table in _named_in(text, catalog, schemas):
            key = table.ref.schema, table.ref.name
            if key not in found and table.ref.schema not in _SYSTEM:
                found[key] = table
                # a security_barrier hides rows: so is its definition hidden from a model
                if _is_open_view(table):
                    todo.append((table.definition, table.view_path))
    return tuple(found.values())


def _named_in(sql: str, catalog: Catalog, path: Sequence[str]) -> Iterator[Table]:
    for node in nodes_in(sql):
        if isinstance(node, ast.RangeVar):
            # a name that the search path does not find is a CTE's, or nobody's
            schemas = (node.schemaname,) if node.schemaname else path
            table = catalog.find_table(node.relname or "", schemas)
            if table is not None:
                yield table


def _is_open_view(table: Table) -> bool:
    return table.kind == "view" and bool(table.definition) and not table.security_barrier


def names_in(sql: str) -> set[str]:
    """Last names of the columns that ``sql`` mentions."""
    fields = (n.fields[-1] for n in nodes_in(sql) if isinstance(n, ast.ColumnRef) and n.fields)
    return {str(field.sval) for field in fields if isinstance(field, ast.String)}


def nodes_in(sql: str) -> list[Any]:
    """The nodes of what ``sql`` parses to."""
    try:
        return list(nodes_of([s.stmt for s in parse(sql)]))
    # a text that does not parse names nothing
    except (PglastError, TooDeep, RecursionError):
        return []


def of_column(row: Sequence[Any]) -> Iterator[Figure]:
    """The figures of one row of `COLUMNS`."""
    table, column, nulls, distinct, correlation, width, common, bounds = row
    subject = f"{table}.{column}"
    yield Figure(subject, "share of NULLs", float(nulls))
    # pg_stats: negative where the number grows with the table
    name = "distinct values" if distinct >= 0 else "distinct values as a share of the rows"
    yield Figure(subject, name, abs(float(distinct)), _cut(common, "most common"))
    if correlation is not None:
        yield Figure(
            subject, "correlation with the order on disk", float(correlation), _cut(bounds, "bounds")
        )
    yield Figure(subject, "bytes a value", float(width))


def _cut(text: str | None, what: str) -> tuple[str, ...]:
    return () if text is None else (f"{what}: {text[:_VALUES]}",)


def ddl(table: Table) -> str:
    """One CREATE TABLE without defaults, checks and comments; names quoted where they must be, types with
    their modifiers. A view stands with its query.
    """
    lines = [_column(c) for c in table.columns]
    lines += [_key(k) for k in table.keys if k.usable]
    lines += [_foreign_key(k) for k in table.foreign_keys if k.usable]
    body = ",\n  ".join(lines)
    kind = "view" if table.kind in {"view", "matview"} else "table"
    query = f" as {table.definition.strip().rstrip(';')}" if _is_open_view(table) else ""
    return f"create {kind} {_qualified(table.ref.schema, table.ref.name)} (\n  {body}\n){query};"


def _column(column: TableColumn) -> str:
    not_null = " not null" if column.not_null else ""
    return f"{quote_ident(column.name)} {type_name(column.type)}{not_null}"


def _key(key: Key) -> str:
    return f"{'primary key' if key.primary else 'unique'} ({_names(key.columns)})"


def _foreign_key(key: ForeignKey) -> str:
    target = _qualified(key.target.schema, key.target.name)
    return f"foreign key ({_names(key.columns)}) references {target} ({_names(key.target_columns)})"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(quote_ident, names))


def _qualified(schema: str, name: str) -> str:
    return f"{quote_ident(schema)}.{quote_ident(name)}"
