"""CREATE VIEW, CREATE MATERIALIZED VIEW and CREATE TABLE AS: columns come from binding the query."""

from __future__ import annotations

from typing import Any

from rewright.sql.algebra import OutputColumn, Query, TableRef, output_columns
from rewright.sql.binder import bind_node
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.ddl_builder import Builder, expression_text
from rewright.sql.ddl_meanings import changed_views, mean_anew
from rewright.sql.records import Table, TableColumn


def create_view(builder: Builder, node: Any) -> None:
    if node.view.relpersistence == "t":
        raise Unsupported("CREATE TEMPORARY VIEW")
    names = [n.sval for n in node.aliases or ()]
    options = {o.defname: o for o in node.options or ()}
    table, query = _from_query(builder, node.view, node.query, names)
    made = Table(
        table.ref,
        table.columns,
        "view",
        definition=expression_text(node.query),
        view_path=builder.search_path,
        security_barrier=_is_on(options.get("security_barrier")),
        security_invoker=_is_on(options.get("security_invoker")),
    )
    if node.replace and made.ref in builder.tables:
        following = builder.views.keys() - changed_views(builder) - {made.ref}
        builder.replace(made)
        mean_anew(builder, following)
    else:
        builder.add(made)
    builder.views[made.ref] = query


def create_table_as(builder: Builder, node: Any) -> None:
    into = node.into
    if into.rel.relpersistence == "t":
        raise Unsupported("CREATE TEMPORARY TABLE")
    names = [n.sval for n in into.colNames or ()]
    table, _ = _from_query(builder, into.rel, node.query, names)
    if node.objtype.name == "OBJECT_MATVIEW":
        table = Table(table.ref, table.columns, "matview", definition=expression_text(node.query))
    builder.add(table)


def _from_query(builder: Builder, relation: Any, query: Any, names: list[str]) -> tuple[Table, Query]:
    schema, name = builder.new_name([n for n in (relation.schemaname, relation.relname) if n])
    bound = bind_node(query, builder.catalog(), search_path=builder.search_path)
    columns = output_columns(bound)
    if len(names) > len(columns):
        raise BindError("42601", "too many column names were specified")
    made = tuple(
        TableColumn(names[i] if i < len(names) else c.name, c.type, attnum=i + 1)
        for i, c in enumerate(columns)
    )
    _check_distinct(made)
    return Table(TableRef(schema, name), made), bound


def _check_distinct(columns: tuple[TableColumn | OutputColumn, ...]) -> None:
    seen: set[str] = set()
    for c in columns:
        if c.name in seen:
            raise BindError("42701", f'column "{c.name}" specified more than once')
        seen.add(c.name)


def _is_on(option: Any) -> bool:
    if option is None:
        return False
    if option.arg is None:
        return True
    text = getattr(option.arg, "sval", None)
    return (
        bool(getattr(option.arg, "boolval", False)) if text is None else text.lower() in {"true", "on", "1"}
    )
