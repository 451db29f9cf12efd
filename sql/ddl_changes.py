"""What migrations change of what is there: columns that go or get another type, other names, labels added to
enums, checks added to domains.

Owns which facts stay true. Whatever a change could make untrue goes with it, or the statement is refused: a
fact that is lost costs a proof, one that is kept wrongly costs an answer. Must not know which statements are
acceptable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rewright.sql.algebra import TableRef
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.syntax import ast
from rewright.sql.ddl_builder import Builder, check_name, expression_text
from rewright.sql.ddl_collations import collated
from rewright.sql.ddl_meanings import means_the_same
from rewright.sql.parsing import nodes_of, parse
from rewright.sql.records import Check, Key, Table, TableColumn, TypeInfo, type_key
from rewright.sql.types import SqlType, equality_is_identity

_INTEGERS = frozenset({"int2", "int4", "int8"})
# renamed without changing what is known of tables
_NO_FACT = frozenset({"OBJECT_SEQUENCE"})


def drop_column(builder: Builder, table: Table, name: str, *, missing_ok: bool, cascade: bool) -> Table:
    """The table without a column: whatever is said of it and of others in one breath goes as well."""
    if name not in {c.name for c in table.columns}:
        if missing_ok:
            return table
        raise _no_column(table, name)
    _refuse_dependents(builder, table, "DROP COLUMN")
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
        keys=tuple(k for k in table.keys if not _key_reads(table, k, name)),
        foreign_keys=tuple(f for f in table.foreign_keys if name not in f.columns),
        checks=tuple(c for c in table.checks if not _reads(table, c.text, name)),
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
    old = _column(table, name)
    new = collated(builder, builder.resolve(node.typeName), node.collClause)
    _refuse_dependents(builder, table, "ALTER COLUMN TYPE")
    texts = _texts(table)
    if not _is_wider(old.type, new) and any(_reads(table, text, name) for text in texts):
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


# ------------------------------------------------------------------ other names


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
    _refuse_dependents(builder, table, "RENAME")
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
            _refuse_family(builder, table, "RENAME of an index")
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
    _column(table, old)
    if new in {c.name for c in table.columns}:
        raise BindError("42701", f'column "{new}" of relation "{table.ref.name}" already exists')
    # constraints' texts say the old name
    if any(_reads(table, text, old) for text in _texts(table)):
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
    if any(_qualified(text) for text in _texts(table)):
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


# ------------------------------------------------------------------ types


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
        raise Unsupported("ALTER DOMAIN ADD but of a named CHECK that is validated")
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


# ------------------------------------------------------------------ who reads a column


def _column(table: Table, name: str) -> TableColumn:
    found = next((c for c in table.columns if c.name == name), None)
    if found is None:
        raise _no_column(table, name)
    return found


def _no_column(table: Table, name: str) -> BindError:
    return BindError("42703", f'column "{name}" of relation "{table.ref.name}" does not exist')


def _texts(table: Table) -> list[str]:
    """Expressions that are kept as texts: of checks, indexes and generated columns."""
    of_keys = [text for k in table.keys for text in (k.predicate, *k.expressions) if text]
    generated = [c.default for c in table.columns if c.generated and c.default]
    return [*(c.text for c in table.checks), *of_keys, *generated]


def _key_reads(table: Table, key: Key, name: str) -> bool:
    texts = (key.predicate, *key.expressions)
    return name in key.columns or any(_reads(table, text, name) for text in texts if text)


def _reads(table: Table, text: str, name: str) -> bool:
    """Whether an expression may read the column: by its name, or with the whole row."""
    said = [_last(n) for n in nodes_of(parse(f"SELECT {text}")[0].stmt) if isinstance(n, ast.ColumnRef)]
    return any(part in {None, name, table.ref.name} for part in said)


def _qualified(text: str) -> bool:
    found = [n for n in nodes_of(parse(f"SELECT {text}")[0].stmt) if isinstance(n, ast.ColumnRef)]
    return any(len(n.fields) > 1 or _last(n) is None for n in found)


def _last(node: Any) -> str | None:
    """The last name of a reference; None for a star."""
    value: str | None = getattr(node.fields[-1], "sval", None)
    return value


def _refuse_dependents(builder: Builder, table: Table, what: str) -> None:
    """Views are kept as texts, and heirs change with their parents: neither is followed."""
    _refuse_family(builder, table, what)
    name = table.ref.name
    views = [t.definition for t in builder.tables.values() if t.definition]
    # a name in quotation marks is written otherwise in a text
    if any(name in text or '"' in name for text in views):
        raise Unsupported(f"{what} below a view")


def _refuse_family(builder: Builder, table: Table, what: str) -> None:
    heirs = any(t.partition_of == table.ref or table.ref in t.parents for t in builder.tables.values())
    if heirs or table.has_children or table.parents or table.partition_of or table.kind != "table":
        raise Unsupported(f"{what} of a parent, an heir or what is no plain table")
