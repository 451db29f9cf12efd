"""CREATE TABLE into catalog records: columns, LIKE, INHERITS and PARTITION OF.

Its constraints are `rewright.sql.ddl_constraints`' business. Must not know which statements are acceptable.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from rewright.sql.algebra import TableRef
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.ddl_builder import Builder, expression_text
from rewright.sql.ddl_collations import collated
from rewright.sql.ddl_constraints import ColumnConstraint, add_constraint
from rewright.sql.ddl_meanings import means_the_same
from rewright.sql.ddl_partitions import bounds_text, partition_columns
from rewright.sql.records import Check, Table, TableColumn
from rewright.sql.types import SqlType

SERIALS = {
    "serial": "int4",
    "serial4": "int4",
    "bigserial": "int8",
    "serial8": "int8",
    "smallserial": "int2",
    "serial2": "int2",
}


def create_table(builder: Builder, node: Any) -> None:
    schema, name = builder.new_name([n for n in (node.relation.schemaname, node.relation.relname) if n])
    ref = TableRef(schema, name)
    # the server only says that it exists
    if node.if_not_exists and ref in builder.tables:
        return
    if node.ofTypename is not None:
        # its columns would be those of the type
        raise Unsupported("CREATE TABLE OF type")
    if node.relation.relpersistence == "t":
        # pg_temp comes first on every path: names would change their meaning
        raise Unsupported("CREATE TEMPORARY TABLE")
    table = Table(
        ref,
        (),
        kind="partitioned" if node.partspec is not None else "table",
        unlogged=node.relation.relpersistence == "u",
    )
    if node.partspec is not None:
        builder.partitioned[ref] = partition_columns(node.partspec)
    table = _inherit(builder, node, table)
    constraints: list[Any] = []
    for element in node.tableElts or ():
        table = _add_element(builder, table, element, constraints)
    builder.add(table)
    # constraints last: they name columns that stand behind them in the text
    for c in constraints:
        builder.replace(add_constraint(builder, builder.tables[ref], c))


def _inherit(builder: Builder, node: Any, table: Table) -> Table:
    parents = [builder.existing(p) for p in node.inhRelations or ()]
    if not parents:
        return table
    columns: list[TableColumn] = []
    checks: list[Check] = []
    for p in parents:
        parent = builder.tables[p]
        # the same column of two parents is merged into one
        columns += [c for c in parent.columns if c.name not in {k.name for k in columns}]
        # a NO INHERIT check holds for the parent's own rows alone
        checks += [c for c in parent.checks if not c.no_inherit]
    # a partition has its parent's keys and references, an inheriting table has not
    if node.partbound is not None:
        parent = builder.tables[parents[0]]
        _take_unnamed(builder, table.ref, parent)
        return replace(
            table,
            columns=tuple(columns),
            checks=tuple(checks),
            keys=parent.keys,
            foreign_keys=parent.foreign_keys,
            partition_of=parents[0],
            bounds=bounds_of(builder, parents[0], node.partbound),
            takes_others=takes_others(builder, parents[0], node.partbound),
        )
    for p in parents:
        # a scan of the parent returns the children's rows, which its own keys do not cover
        builder.replace(replace(builder.tables[p], has_children=True))
    return replace(table, columns=tuple(columns), checks=tuple(checks), parents=tuple(parents))


def create_foreign_table(builder: Builder, node: Any) -> None:
    """A foreign table is known by its name; to what it belongs it adds rows that nobody checks (F19)."""
    builder.opaque_relations.add(node.base.relation.relname)
    _add_foreign(builder, [builder.existing(p) for p in node.base.inhRelations or ()])
    builder.changed()


def _add_foreign(builder: Builder, parents: Iterable[TableRef]) -> None:
    for ref in parents:
        table = builder.tables[ref]
        inherited = table.kind == "table"
        made = replace(table, foreign_children=True, has_children=table.has_children or inherited)
        builder.replace(made)
        _add_foreign(builder, (*table.parents, *([table.partition_of] if table.partition_of else ())))


def _take_unnamed(builder: Builder, ref: TableRef, source: Table) -> None:
    """Keys that are taken over from another table get names of the server's."""
    builder.unnamed |= {(ref, k.name) for k in source.keys}
    builder.unnamed_indexes.add(ref)


def bounds_of(builder: Builder, parent: TableRef, bound: Any) -> str:
    """What the partition's own bounds say; where its parent is a partition too, only these."""
    if not means_the_same(builder, bound):
        return ""
    return bounds_text(builder.partitioned.get(parent, ()), bound, expression_text)


def takes_others(builder: Builder, parent: TableRef, bound: Any) -> bool:
    """Whether the partition holds what is in the bounds of no other one. Of several columns the bounds are
    not known that closely.
    """
    return bool(bound.is_default) and len(builder.partitioned.get(parent, ())) == 1


def _add_element(builder: Builder, table: Table, element: Any, constraints: list[Any]) -> Table:
    match element:
        case ast.ColumnDef():
            return add_column(builder, table, element, constraints)
        case ast.Constraint():
            constraints.append(element)
            return table
        case ast.TableLikeClause():
            return _like(builder, table, element)
        case _:
            raise Unsupported(type(element).__name__)


def _like(builder: Builder, table: Table, node: Any) -> Table:
    """LIKE other [INCLUDING …]: columns and NOT NULL always, the rest by the option bits of parsenodes.h."""
    source = builder.tables[builder.existing(node.relation)]
    if source.ref in builder.covering:
        builder.covering.add(table.ref)
    options = node.options or 0
    columns = [
        replace(
            c,
            default=c.default if options & (1 << 3) else None,
            generated=c.generated if options & (1 << 4) else "",
            identity=c.identity if options & (1 << 5) else "",
        )
        for c in source.columns
    ]
    checks = source.checks if options & (1 << 2) else ()
    keys = source.keys if options & (1 << 6) else ()
    if options & (1 << 6):
        _take_unnamed(builder, table.ref, source)
    return replace(
        table,
        columns=_merged(table, columns),
        checks=(*table.checks, *checks),
        keys=(*table.keys, *keys),
    )


def _merged(table: Table, columns: list[TableColumn]) -> tuple[TableColumn, ...]:
    """A table's columns and those of LIKE: of the names that it inherits there is one column."""
    if not table.parents:
        return (*table.columns, *columns)
    not_null = {c.name for c in columns if c.not_null}
    own = tuple(replace(c, not_null=c.not_null or c.name in not_null) for c in table.columns)
    known = {c.name for c in own}
    return (*own, *(c for c in columns if c.name not in known))


def add_column(builder: Builder, table: Table, node: Any, constraints: list[Any]) -> Table:
    column = _column_type(builder, node)
    for c in node.constraints or ():
        column = _column_constraint(builder, column, c, constraints)
    # a column of an inherited name adds its constraints to it
    if column.name in {c.name for c in table.columns} and table.parents:
        merged = tuple(
            replace(column, not_null=c.not_null or column.not_null) if c.name == column.name else c
            for c in table.columns
        )
        return replace(table, columns=merged)
    if column.name in {c.name for c in table.columns}:
        raise BindError("42701", f'column "{column.name}" specified more than once')
    return replace(table, columns=(*table.columns, replace(column, attnum=len(table.columns) + 1)))


def _column_type(builder: Builder, node: Any) -> TableColumn:
    # CREATE TABLE OF and partitions may name columns without types
    if node.typeName is None:
        raise Unsupported("a column without a type")
    names = [n.sval for n in node.typeName.names]
    # serial is int4, NOT NULL, and a default that draws from a sequence
    serial = SERIALS.get(names[-1]) if len(names) == 1 else None
    if serial:
        return TableColumn(node.colname, SqlType(serial), not_null=True, default="nextval(…)")
    type_ = collated(builder, builder.resolve(node.typeName), node.collClause)
    return TableColumn(node.colname, type_, not_null=bool(node.is_not_null))


def _generated(builder: Builder, column: TableColumn, node: Any) -> TableColumn:
    known = means_the_same(builder, node.raw_expr)
    # before PostgreSQL 18 the field did not exist, and all were stored
    stored = getattr(node, "generated_kind", "s") in {"s", "\x00", None}
    return replace(
        column,
        default=expression_text(node.raw_expr) if known else None,
        generated="stored" if stored else "virtual",
    )


def _column_constraint(
    builder: Builder, column: TableColumn, node: Any, constraints: list[Any]
) -> TableColumn:
    match node.contype.name:
        case "CONSTR_NOTNULL":
            # NO INHERIT or NOT VALID: rows may hold NULLs all the same
            valid = not node.skip_validation and not node.is_no_inherit
            return replace(column, not_null=column.not_null or valid, not_null_constraint=node.conname or "")
        case "CONSTR_NULL":
            return column
        case "CONSTR_DEFAULT":
            return replace(column, default=expression_text(node.raw_expr))
        case "CONSTR_IDENTITY":
            word: Literal["always", "by default"] = "always" if node.generated_when == "a" else "by default"
            return replace(column, identity=word, not_null=True)
        case "CONSTR_GENERATED":
            return _generated(builder, column, node)
        case "CONSTR_PRIMARY":
            constraints.append(ColumnConstraint(node, column.name))
            # NOT NULL comes with it
            return replace(column, not_null=True)
        case "CONSTR_UNIQUE" | "CONSTR_FOREIGN" | "CONSTR_CHECK":
            constraints.append(ColumnConstraint(node, column.name))
            return column
        case "CONSTR_ATTR_DEFERRABLE" | "CONSTR_ATTR_DEFERRED":
            # these words stand behind the constraint that they change, as nodes of their own
            _mark_deferrable(constraints)
            return column
        case "CONSTR_ATTR_NOT_DEFERRABLE" | "CONSTR_ATTR_IMMEDIATE" | "CONSTR_ATTR_ENFORCED":
            return column
        case "CONSTR_ATTR_NOT_ENFORCED":
            if constraints and isinstance(constraints[-1], ColumnConstraint):
                constraints[-1].not_enforced = True
            return column
        case other:
            raise Unsupported(other)


def _mark_deferrable(constraints: list[Any]) -> None:
    if constraints and isinstance(constraints[-1], ColumnConstraint):
        # the last one is the one in front of it
        constraints[-1].deferrable = True
