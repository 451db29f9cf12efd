"""RENAME of tables, columns, constraints and indexes.

Owns that everything which goes by the old name goes by the new one, or the statement is refused. Names that
the server has made stay as they were, and what is said by them later is refused elsewhere. Must not know
which statements are acceptable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import TableRef
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.ddl_builder import Builder
from rewright.sql.ddl_readers import column_of, qualifies, reads, refuse_dependents, refuse_family, texts_of
from rewright.sql.records import Table, type_key

# renamed without changing what is known of tables
_NO_FACT = frozenset({"OBJECT_SEQUENCE"})


def rename(builder: Builder, node: Any) -> None:
    """RENAME of a table, a column, a constraint or an index; other objects' is refused."""
    kind = node.renameType.name
    if kind in _NO_FACT:
        return
    if kind == "OBJECT_INDEX":
        _rename_index(builder, node.relation, node.newname)
        return
    if kind not in {"OBJECT_TABLE", "OBJECT_COLUMN", "OBJECT_TABCONSTRAINT"} or node.relation is None:
        raise Unsupported(f"RENAME of {kind.removeprefix('OBJECT_').lower()}")
    ref = builder.existing_name([n for n in (node.relation.schemaname, node.relation.relname) if n])
    if ref not in builder.tables:
        if node.missing_ok:
            return
        raise BindError("42P01", f'relation "{ref.name}" does not exist')
    # NOT NULL constraints that the server has named keep names made of the old ones
    builder.renamed.add(ref)
    table = builder.tables[ref]
    if kind == "OBJECT_TABCONSTRAINT":
        builder.replace(_renamed_constraint(table, node.subname, node.newname))
        builder.acting[ref, node.newname] = builder.acting.get((ref, node.subname), 0)
        return
    refuse_dependents(builder, table, "RENAME")
    if kind == "OBJECT_COLUMN":
        _rename_column(builder, table, node.subname, node.newname)
    else:
        _rename_table(builder, table, node.newname)


def _rename_index(builder: Builder, index: Any, new: str) -> None:
    old, schema = index.relname, index.schemaname or (*builder.search_path, "public")[0]
    # its name of now is taken, and that of before may have been one that the server made
    builder.relations.add((schema, new))
    builder.renamed.add(TableRef(schema, old))
    for table in list(builder.tables.values()):
        if any(k.name == old for k in table.keys):
            refuse_family(builder, table, "RENAME of an index")
            builder.replace(_renamed_constraint(table, old, new))


def _renamed_constraint(table: Table, old: str, new: str) -> Table:
    taken = {c.name for group in (table.keys, table.foreign_keys, table.checks) for c in group}
    # one that is NOT NULL's, or a name twice: not followed
    if old not in taken or new in taken:
        raise Unsupported("RENAME of this constraint")
    return replace(
        table,
        keys=tuple(replace(k, name=new) if k.name == old else k for k in table.keys),
        foreign_keys=tuple(replace(f, name=new) if f.name == old else f for f in table.foreign_keys),
        checks=tuple(replace(c, name=new) if c.name == old else c for c in table.checks),
    )


def _rename_column(builder: Builder, table: Table, old: str, new: str) -> None:
    column_of(table, old)
    if new in {c.name for c in table.columns}:
        raise BindError("42701", f'column "{new}" of relation "{table.ref.name}" already exists')
    # constraints' texts say the old name
    if any(reads(table, text, old) for text in texts_of(table)):
        raise Unsupported("RENAME of a column that a CHECK or an expression reads")

    def named(columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if c == old else c for c in columns)

    builder.replace(
        replace(
            table,
            columns=tuple(replace(c, name=new) if c.name == old else c for c in table.columns),
            keys=tuple(replace(k, columns=named(k.columns)) for k in table.keys),
            foreign_keys=tuple(replace(f, columns=named(f.columns)) for f in table.foreign_keys),
        )
    )
    for other in list(builder.tables.values()):
        pointing = tuple(
            replace(f, target_columns=named(f.target_columns)) if f.target == table.ref else f
            for f in other.foreign_keys
        )
        builder.replace(replace(other, foreign_keys=pointing))


def _rename_table(builder: Builder, table: Table, new: str) -> None:
    ref = TableRef(table.ref.schema, new)
    if ref in builder.tables or type_key(ref.schema, new) in builder.types:
        raise BindError("42P07", f'relation "{new}" already exists')
    own = {type_key(table.ref.schema, table.ref.name), type_key(table.ref.schema, f"_{table.ref.name}")}
    # its row type has another name as well
    if own & set(_types_used(builder)):
        raise Unsupported("RENAME of a table whose row type is used")
    # texts may say the table's name
    if any(qualifies(text) for text in texts_of(table)):
        raise Unsupported("RENAME of a table that a CHECK names")
    del builder.tables[table.ref]
    builder.renamed.add(ref)
    if table.ref in builder.covering:
        builder.covering.add(ref)
    # what foreign keys do, and what may undo it, stays with the table
    builder.acting |= {
        (ref, name): events for (of, name), events in builder.acting.items() if of == table.ref
    }
    builder.meddled[ref] = builder.meddled.get(table.ref, 0)
    builder.replace(replace(table, ref=ref))
    for other in list(builder.tables.values()):
        pointing = tuple(replace(f, target=ref) if f.target == table.ref else f for f in other.foreign_keys)
        builder.replace(replace(other, foreign_keys=pointing))


def _types_used(builder: Builder) -> Iterator[str]:
    """Keys of the types that columns, other types and functions are made of."""
    for table in builder.tables.values():
        yield from (type_key(c.type.schema, c.type.name) for c in table.columns)
    for t in builder.types.values():
        yield t.base
        yield from (type_key(f.schema, f.name) for _, f in t.fields)
    for f in builder.functions:
        yield from (*f.args, f.result)
