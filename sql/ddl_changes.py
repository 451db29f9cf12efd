"""What migrations change of what is there: columns that go or get another type, labels added to enums, checks
added to domains.

Owns which facts stay true. Whatever a change could make untrue goes with it, or the statement is refused: a
fact that is lost costs a proof, one that is kept wrongly costs an answer. Must not know which statements are
acceptable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.ddl_builder import Builder, check_name, expression_text
from rewright.sql.ddl_collations import collated
from rewright.sql.ddl_meanings import means_the_same
from rewright.sql.ddl_readers import column_of, key_reads, no_column, reads, refuse_dependents, texts_of
from rewright.sql.records import Check, Table, TypeInfo, type_key
from rewright.sql.types import SqlType, equality_is_identity


def drop_column(builder: Builder, table: Table, name: str, *, missing_ok: bool, cascade: bool) -> Table:
    """The table without a column: whatever is said of it and of others in one breath goes as well."""
    if name not in {c.name for c in table.columns}:
        if missing_ok:
            return table
        raise no_column(table, name)
    refuse_dependents(builder, table, "DROP COLUMN")
    if any(c.generated for c in table.columns):
        raise Unsupported("DROP COLUMN beside a generated column")
    if table.ref in builder.covering:
        raise Unsupported("DROP COLUMN beside a key that INCLUDEs columns")
    _drop_references_to(builder, table, name, cascade=cascade)
    # as it stands now: a reference to itself may be gone
    table = builder.tables[table.ref]
    return replace(
        table,
        columns=tuple(c for c in table.columns if c.name != name),
        keys=tuple(k for k in table.keys if not key_reads(table, k, name)),
        foreign_keys=tuple(f for f in table.foreign_keys if name not in f.columns),
        checks=tuple(c for c in table.checks if not reads(table, c.text, name)),
    )


def _drop_references_to(builder: Builder, table: Table, name: str, *, cascade: bool) -> None:
    """Foreign keys that point to the column go with it, where CASCADE says so."""
    for other in list(builder.tables.values()):
        kept = tuple(f for f in other.foreign_keys if f.target != table.ref or name not in f.target_columns)
        if kept == other.foreign_keys:
            continue
        if not cascade and other.ref != table.ref:
            raise Unsupported("DROP COLUMN that other tables reference")
        builder.replace(replace(other, foreign_keys=kept))


def change_type(builder: Builder, table: Table, name: str, node: Any) -> Table:
    """The table whose column has another type. The server builds indexes and references again, so that they
    hold of the new values; what a CHECK, a predicate or an expression means under another type is not
    followed, and refused.
    """
    old = column_of(table, name)
    new = collated(builder, builder.resolve(node.typeName), node.collClause)
    refuse_dependents(builder, table, "ALTER COLUMN TYPE")
    texts = texts_of(table)
    if not _is_wider(old.type, new) and any(reads(table, text, name) for text in texts):
        raise Unsupported("ALTER COLUMN TYPE of what a constraint reads")
    # the collation of an index may be another than the column's new one
    if any(name in k.columns for k in table.keys) and new.collation and not equality_is_identity(new):
        raise Unsupported("ALTER COLUMN TYPE of a key's column to a type with another equality")
    columns = tuple(replace(c, type=new) if c.name == name else c for c in table.columns)
    return replace(table, columns=columns)


def _is_wider(old: SqlType, new: SqlType) -> bool:
    """Whether texts mean the same under both: one type under another modifier."""
    return old.same_base(new) and old.collation == new.collation


def validate_constraint(table: Table, name: str) -> Table:
    """The rows that were there have been looked at; a NOT NULL that was not valid stays no fact."""
    return replace(
        table,
        checks=tuple(replace(c, validated=c.enforced) if c.name == name else c for c in table.checks),
        foreign_keys=tuple(
            replace(f, validated=f.enforced) if f.name == name else f for f in table.foreign_keys
        ),
    )


def alter_enum(builder: Builder, node: Any) -> None:
    """ADD VALUE: its place among the labels is its place in their order."""
    info = _type(builder, node.typeName, "e")
    if node.oldVal:
        # constraints and views mean the label, whatever it is called
        raise Unsupported("RENAME VALUE of an enum")
    labels = list(info.labels)
    if node.newVal in labels:
        if node.skipIfNewValExists:
            return
        raise BindError("42710", f'enum label "{node.newVal}" already exists')
    beside = node.newValNeighbor
    if beside and beside not in labels:
        raise BindError("22023", f'"{beside}" is not an existing enum label')
    place = labels.index(beside) + bool(node.newValIsAfter) if beside else len(labels)
    labels.insert(place, node.newVal)
    builder.replace_type(replace(info, labels=tuple(labels)))


def alter_domain(builder: Builder, node: Any) -> None:
    """A domain's NOT NULL and checks; what is not validated is no fact."""
    info = _type(builder, node.typeName, "d")
    match node.subtype:
        case "T":
            return
        case "N":
            made = replace(info, not_null=False)
        case "O":
            made = replace(info, not_null=True)
        case "C":
            made = _with_constraint(builder, info, node.def_)
        case "X" if any(c.name == node.name for c in info.checks) and not info.not_null:
            made = replace(info, checks=tuple(c for c in info.checks if c.name != node.name))
        case _:
            # by a name of NOT NULL, or of a check that was passed over
            raise Unsupported("ALTER DOMAIN of this constraint")
    builder.replace_type(made)


def _with_constraint(builder: Builder, info: TypeInfo, node: Any) -> TypeInfo:
    plain = node.contype.name == "CONSTR_CHECK" and node.conname and not node.skip_validation
    if not plain or not means_the_same(builder, node.raw_expr):
        raise Unsupported("ALTER DOMAIN ADD of anything but a named, validated CHECK")
    check = Check(check_name(node, ""), expression_text(node.raw_expr))
    return replace(info, checks=(*info.checks, check))


def _type(builder: Builder, names: Any, kind: str) -> TypeInfo:
    said = [n.sval for n in names]
    schemas = said[:-1] or builder.search_path
    for schema in schemas:
        found = builder.types.get(type_key(schema, said[-1]))
        if found is not None and found.kind == kind:
            return found
    raise BindError("42704", f'type "{said[-1]}" does not exist')
