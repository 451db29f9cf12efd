"""CREATE INDEX and ALTER TABLE: what a table that exists gains or loses.

Owns partitioned keys that hold once every partition's index is attached. Must not know which statements are
acceptable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.ddl_builder import Builder, expression_text
from rewright.sql.ddl_changes import change_type, drop_column, validate_constraint
from rewright.sql.ddl_constraints import add_constraint, constraint_names, with_index, with_not_null
from rewright.sql.ddl_names import CONSTRAINTS, may_be_cut, may_be_taken, may_be_unnamed
from rewright.sql.ddl_tables import add_column, bounds_of, takes_others
from rewright.sql.records import Key, Table, TableColumn

# what changes no fact: owners, storage, statistics, clustering
_HARMLESS_ALTERS = frozenset(
    {
        "AT_ChangeOwner",
        "AT_SetStatistics",
        "AT_SetOptions",
        "AT_SetStorage",
        "AT_SetCompression",
        "AT_ClusterOn",
        "AT_DropCluster",
        "AT_SetRelOptions",
        "AT_ResetRelOptions",
        "AT_ReplicaIdentity",
        "AT_SetLogged",
        "AT_SetUnLogged",
        "AT_SetAccessMethod",
        "AT_SetTableSpace",
    }
)


def create_index(builder: Builder, node: Any) -> None:
    """Unique indexes are keys unless partial or on expressions; others say nothing about meaning."""
    ref = builder.existing(node.relation)
    if node.if_not_exists and (builder.renamed or may_be_taken(builder, ref.schema, node.idxname)):
        # the server may have made none
        return
    if node.idxname:
        builder.relations.add((ref.schema, node.idxname))
    else:
        builder.unnamed_indexes.add(ref)
    # an index that is not unique says nothing of rows
    if not node.unique:
        return
    if node.indexIncludingParams:
        builder.covering.add(ref)
    table = builder.tables[ref]
    base = f"{ref.name}_{'_'.join(p.name or 'expr' for p in node.indexParams)}_idx"
    made = with_index(
        builder,
        table,
        node.indexParams,
        node.whereClause,
        node.idxname or base,
        nulls_distinct=not node.nulls_not_distinct,
        constraint=False,
    )
    if not node.idxname:
        builder.unnamed.add((ref, made.keys[-1].name))
    # inh is False for ON ONLY
    builder.replace(made if node.relation.inh else _of_parent_only(builder, table, made))


def _of_parent_only(builder: Builder, table: Table, made: Table) -> Table:
    """ONLY a partitioned table: its new keys are invalid until every partition's is attached."""
    if table.kind != "partitioned" or not _partitions(builder, table):
        # constraints that were there stay as they are
        return made
    known = {k.name for k in table.keys}
    return replace(made, keys=tuple(k if k.name in known else replace(k, valid=False) for k in made.keys))


def _partitions(builder: Builder, table: Table) -> list[Table]:
    return [t for t in builder.tables.values() if t.partition_of == table.ref]


def _attach_index(builder: Builder, node: Any) -> None:
    """ALTER INDEX … ATTACH PARTITION: with the last of them the parent's key is valid."""
    schema = builder.search_path[0] if builder.search_path else "public"
    for command in node.cmds:
        if command.subtype.name == "AT_AttachPartition":
            pair = [(n.schemaname or schema, n.relname) for n in (node.relation, command.def_.name)]
            builder.attached.add((pair[0], pair[1]))
    # a completed key may complete its parent's in turn
    while found := next(filter(None, (_completed(builder, t) for t in builder.tables.values())), None):
        builder.replace(found)


def _completed(builder: Builder, table: Table) -> Table | None:
    """The table with one more key that holds, since all its partitions have it; None where there is none."""
    partitions = _partitions(builder, table)
    for key in table.keys:
        # every partition, also those attached later in the text
        if not key.valid and partitions and all(_has_part(builder, table, key, p) for p in partitions):
            return replace(table, keys=tuple(replace(k, valid=True) if k == key else k for k in table.keys))
    return None


def _has_part(builder: Builder, table: Table, key: Key, partition: Table) -> bool:
    own = (table.ref.schema, key.name)
    return any(
        (own, (partition.ref.schema, k.name)) in builder.attached
        # the same key: columns, NULLs and predicate; and valid itself
        and (k.valid, k.columns, k.nulls_distinct, k.predicate)
        == (True, key.columns, key.nulls_distinct, key.predicate)
        for k in partition.keys
    )


def alter_table(builder: Builder, node: Any) -> None:
    if node.objtype.name == "OBJECT_INDEX":
        _attach_index(builder, node)
        return
    for command in node.cmds:
        kind = command.subtype.name
        if kind in _HARMLESS_ALTERS:
            continue
        ref = builder.existing_name([n for n in (node.relation.schemaname, node.relation.relname) if n])
        # pg_dump alters sequences and views as well
        if ref not in builder.tables:
            if node.objtype.name == "OBJECT_SEQUENCE" or node.missing_ok:
                continue
            raise BindError("42P01", f'relation "{ref.name}" does not exist')
        made = _altered(builder, builder.tables[ref], command, kind)
        # inh is False for ALTER TABLE ONLY
        builder.replace(made if node.relation.inh else _of_parent_only(builder, builder.tables[ref], made))


def _altered(builder: Builder, table: Table, command: Any, kind: str) -> Table:
    match kind:
        case "AT_AddConstraint":
            return add_constraint(builder, table, command.def_)
        case "AT_AddColumn":
            return _with_new_column(builder, table, command, kind)
        case "AT_SetNotNull":
            return with_not_null(table, [command.name])
        case "AT_DropNotNull":
            # columns of children would lose NOT NULL as well
            _refuse_parent(builder, table, kind)
            return _with_column(table, command.name, not_null=False, not_null_constraint="")
        case "AT_ColumnDefault":
            text = expression_text(command.def_) if command.def_ is not None else None
            return _with_column(table, command.name, default=text)
        case "AT_AddIdentity":
            # the word comes as a character or as a DefElem, by version
            word = "by default" if "d" in str(getattr(command.def_, "generated_when", "d")) else "always"
            return _with_column(table, command.name, identity=word, not_null=True)
        case "AT_DropConstraint":
            return _drop_constraint(builder, table, command, kind)
        case "AT_DropColumn":
            cascade = command.behavior.name == "DROP_CASCADE"
            return drop_column(
                builder, table, command.name, missing_ok=bool(command.missing_ok), cascade=cascade
            )
        case "AT_AlterColumnType":
            return change_type(builder, table, command.name, command.def_)
        case "AT_ValidateConstraint":
            return validate_constraint(table, command.name)
        case "AT_EnableRowSecurity" | "AT_ForceRowSecurity":
            return replace(table, row_security=True)
        case "AT_AttachPartition":
            child = builder.existing(command.def_.name)
            bounds = bounds_of(builder, table.ref, command.def_.bound)
            # rows of the child were checked against its bounds
            others = takes_others(builder, table.ref, command.def_.bound)
            builder.replace(
                replace(builder.tables[child], partition_of=table.ref, bounds=bounds, takes_others=others)
            )
            return table
        case _:
            raise Unsupported(f"ALTER TABLE {kind.removeprefix('AT_')}")


def _with_new_column(builder: Builder, table: Table, command: Any, kind: str) -> Table:
    # the server only says that it is there, and ignores the constraints that come with it
    if command.missing_ok and command.def_.colname in {c.name for c in table.columns}:
        return table
    # children would have it as well
    _refuse_parent(builder, table, kind)
    constraints: list[Any] = []
    table = add_column(builder, table, command.def_, constraints)
    for c in constraints:
        table = add_constraint(builder, table, c)
    return table


def _drop_constraint(builder: Builder, table: Table, command: Any, kind: str) -> Table:
    _refuse_parent(builder, table, kind)
    # constraints of a renamed table keep names made from the old one, which are not followed
    if table.ref in builder.renamed:
        raise Unsupported("DROP CONSTRAINT of a renamed table")
    if command.behavior.name == "DROP_CASCADE":
        builder.drop_references(table.ref)
        table = builder.tables[table.ref]
    return _without_constraint(builder, table, command.name, missing_ok=command.missing_ok)


def _with_column(table: Table, name: str, **changes: Any) -> Table:
    if name not in {c.name for c in table.columns}:
        raise BindError("42703", f'column "{name}" of relation "{table.ref.name}" does not exist')
    return replace(
        table, columns=tuple(replace(c, **changes) if c.name == name else c for c in table.columns)
    )


def _refuse_parent(builder: Builder, table: Table, kind: str) -> None:
    """What a parent loses or gets its children lose and get as well: not followed here."""
    heirs = any(t.partition_of == table.ref or table.ref in t.parents for t in builder.tables.values())
    if table.has_children or heirs:
        raise Unsupported(f"ALTER TABLE {kind.removeprefix('AT_')} of a parent")


def _may_be_its_not_null(table: Table, column: TableColumn, name: str) -> bool:
    """Whether a constraint that is no key, reference or check may be the column's NOT NULL: of this name, or
    of one that the server has made (table_column_not_null, numbered where taken).
    """
    if column.not_null_constraint:
        return column.not_null_constraint == name
    return name.startswith(f"{table.ref.name}_{column.name}_not_null")


def _without_constraint(builder: Builder, table: Table, name: str, *, missing_ok: bool) -> Table:
    known = name in constraint_names(table)
    # a name that the server has made may be any constraint's
    cut = may_be_cut(name) or may_be_unnamed(builder, table.ref, name, CONSTRAINTS)
    is_not_null = any(c.not_null and _may_be_its_not_null(table, c, name) for c in table.columns)
    if not known and (cut or not (missing_ok or is_not_null)):
        raise BindError("42704", f'constraint "{name}" of relation "{table.ref.name}" does not exist')
    columns = tuple(
        replace(c, not_null=False, not_null_constraint="")
        if c.not_null and not known and _may_be_its_not_null(table, c, name)
        else c
        for c in table.columns
    )
    # of several UNIQUEs of the same columns the server makes one, under one of their names
    gone = {k.columns for k in table.keys if k.name == name and not k.expression}
    return replace(
        table,
        columns=columns,
        keys=tuple(k for k in table.keys if k.name != name and (k.expression or k.columns not in gone)),
        foreign_keys=tuple(f for f in table.foreign_keys if f.name != name),
        checks=tuple(c for c in table.checks if c.name != name),
    )
