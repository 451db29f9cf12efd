"""CREATE TABLE, ALTER TABLE and CREATE INDEX into catalog records; names of constraints as the server makes
them.

Owns the catalog under construction (`Builder`). Must not know which statements are acceptable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pglast.stream import RawStream

from rewright.sql.algebra import TableRef
from rewright.sql.binder.errors import BindError, Unsupported
from rewright.sql.binder.scope import Context
from rewright.sql.binder.syntax import ast
from rewright.sql.binder.typenames import resolve_type
from rewright.sql.catalog import Catalog
from rewright.sql.ddl_partitions import bounds_text, partition_columns
from rewright.sql.parsing import nodes_of
from rewright.sql.records import Check, ForeignKey, FunctionInfo, Key, Table, TableColumn, TypeInfo
from rewright.sql.types import SqlType, equality_is_identity

# MaxHeapAttributeNumber (htup_details.h)
MAX_COLUMNS = 1600
_SERIALS = {
    "serial": "int4",
    "serial4": "int4",
    "bigserial": "int8",
    "serial8": "int8",
    "smallserial": "int2",
    "serial2": "int2",
}
_MATCH: dict[str, Literal["simple", "full", "partial"]] = {"s": "simple", "f": "full", "p": "partial"}
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


@dataclass
class Builder:
    """The catalog so far, and the search path that names are read under."""

    tables: dict[TableRef, Table] = field(default_factory=dict)
    types: dict[str, TypeInfo] = field(default_factory=dict)
    functions: list[FunctionInfo] = field(default_factory=list)
    schemas: set[str] = field(default_factory=lambda: {"public"})
    # of partitioned tables, the columns that rows are told apart by
    partitioned: dict[TableRef, tuple[str, ...]] = field(default_factory=dict)
    search_path: tuple[str, ...] = ("public",)
    in_transaction: bool = False
    # indexes of partitions that were attached to an index of their parent, both by schema and name
    attached: set[tuple[tuple[str, str], tuple[str, str]]] = field(default_factory=set)
    # made when first asked for, and again after a change
    _catalog: Catalog | None = None
    _types: Catalog | None = None

    def changed(self) -> None:
        self._catalog = None

    def catalog(self) -> Catalog:
        if self._catalog is None:
            self._catalog = Catalog(
                tuple(self.tables.values()),
                tuple(self.types.values()),
                tuple(self.functions),
                schemas=tuple(sorted(self.schemas)),
            )
        return self._catalog

    def resolve(self, node: Any) -> SqlType:
        """The type a TypeName means. Row types of tables are looked up only when nothing else fits: making
        them known after every table would cost a quadratic time.
        """
        if self._types is None:
            self._types = Catalog(types=tuple(self.types.values()))
        try:
            return resolve_type(Context(self._types, self.search_path), node)
        except BindError:
            return resolve_type(self.context, node)

    @property
    def context(self) -> Context:
        return Context(self.catalog(), self.search_path)

    def new_name(self, names: Sequence[str]) -> tuple[str, str]:
        """Schema and name for a new object."""
        if len(names) > 1:
            if names[0] not in self.schemas:
                raise BindError("3F000", f'schema "{names[0]}" does not exist')
            return names[0], names[-1]
        # the first schema of the path is where new objects go
        return (self.search_path[0] if self.search_path else "public"), names[-1]

    def existing_name(self, names: Sequence[str]) -> TableRef:
        if len(names) > 1:
            return TableRef(names[0], names[1])
        for schema in self.search_path:
            if TableRef(schema, names[0]) in self.tables:
                return TableRef(schema, names[0])
        # a name that nobody created: PostgreSQL's usual schema, so that the error names one
        return TableRef("public", names[0])

    def existing(self, node: Any) -> TableRef:
        """The table a RangeVar means; 42P01 when there is none."""
        ref = self.existing_name([n for n in (node.schemaname, node.relname) if n])
        if ref not in self.tables:
            raise BindError("42P01", f'relation "{ref.name}" does not exist')
        return ref

    def add(self, table: Table) -> None:
        if table.ref in self.tables:
            raise BindError("42P07", f'relation "{table.ref.name}" already exists')
        if len(table.columns) > MAX_COLUMNS:
            raise BindError("54011", f"tables can have at most {MAX_COLUMNS} columns")
        self.replace(table)

    def replace(self, table: Table) -> None:
        self.tables[table.ref] = table
        self.changed()

    def drop(self, ref: TableRef) -> None:
        del self.tables[ref]
        for other in list(self.tables.values()):  # CASCADE: a later table of the name is another one
            kept = tuple(f for f in other.foreign_keys if f.target != ref)
            self.tables[other.ref] = replace(other, foreign_keys=kept)
        self.changed()

    def add_type(self, info: TypeInfo) -> None:
        if info.key in self.types:
            raise BindError("42710", f'type "{info.name}" already exists')
        self.types[info.key] = info
        self._types = None
        self.changed()


def expression_text(node: Any) -> str:
    """An expression's text, as pglast prints it."""
    return str(RawStream()(node))


def check_name(node: Any, default: str) -> str:
    return node.conname or default


# --------------------------------------------------------------------------- CREATE TABLE


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
        return replace(
            table,
            columns=tuple(columns),
            checks=tuple(checks),
            keys=parent.keys,
            foreign_keys=parent.foreign_keys,
            partition_of=parents[0],
            bounds=_bounds(builder, parents[0], node.partbound),
        )
    for p in parents:
        # a scan of the parent returns the children's rows, which its own keys do not cover
        builder.replace(replace(builder.tables[p], has_children=True))
    return replace(table, columns=tuple(columns), checks=tuple(checks), parents=tuple(parents))


def _bounds(builder: Builder, parent: TableRef, bound: Any) -> str:
    """What the partition's own bounds say; where its parent is a partition too, only these."""
    return bounds_text(builder.partitioned.get(parent, ()), bound, expression_text)


def _add_element(builder: Builder, table: Table, element: Any, constraints: list[Any]) -> Table:
    match element:
        case ast.ColumnDef():
            return _add_column(builder, table, element, constraints)
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
    return replace(
        table,
        columns=(*table.columns, *columns),
        checks=(*table.checks, *checks),
        keys=(*table.keys, *keys),
    )


def _add_column(builder: Builder, table: Table, node: Any, constraints: list[Any]) -> Table:
    column = _column_type(builder, node)
    for c in node.constraints or ():
        column = _column_constraint(column, c, constraints)
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
    serial = _SERIALS.get(names[-1]) if len(names) == 1 else None
    if serial:
        return TableColumn(node.colname, SqlType(serial), not_null=True, default="nextval(…)")
    type_ = builder.resolve(node.typeName)
    if node.collClause is not None:
        collname = [n.sval for n in node.collClause.collname]
        path = builder.search_path if len(collname) == 1 else (collname[0],)
        found = builder.catalog().collation(collname[-1], path)
        if found is None:
            raise BindError("42704", f'collation "{collname[-1]}" does not exist')
        type_ = replace(type_, collation=found.name)
    return TableColumn(node.colname, type_, not_null=bool(node.is_not_null))


def _column_constraint(column: TableColumn, node: Any, constraints: list[Any]) -> TableColumn:
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
            # before PostgreSQL 18 the field did not exist, and all were stored
            stored = getattr(node, "generated_kind", "s") in {"s", "\x00", None}
            return replace(
                column,
                default=expression_text(node.raw_expr),
                generated="stored" if stored else "virtual",
            )
        case "CONSTR_PRIMARY":
            constraints.append(_ColumnConstraint(node, column.name))
            # NOT NULL comes with it
            return replace(column, not_null=True)
        case "CONSTR_UNIQUE" | "CONSTR_FOREIGN":
            constraints.append(_ColumnConstraint(node, column.name))
            return column
        case "CONSTR_CHECK":
            constraints.append(_ColumnConstraint(node, column.name))
            return column
        case "CONSTR_ATTR_DEFERRABLE" | "CONSTR_ATTR_DEFERRED":
            # these words stand behind the constraint that they change, as nodes of their own
            _mark_deferrable(constraints)
            return column
        case "CONSTR_ATTR_NOT_DEFERRABLE" | "CONSTR_ATTR_IMMEDIATE" | "CONSTR_ATTR_ENFORCED":
            return column
        case "CONSTR_ATTR_NOT_ENFORCED":
            if constraints and isinstance(constraints[-1], _ColumnConstraint):
                constraints[-1].not_enforced = True
            return column
        case other:
            raise Unsupported(other)


@dataclass
class _ColumnConstraint:
    """A constraint written behind a column."""

    node: Any
    column: str
    deferrable: bool = False
    not_enforced: bool = False


def _mark_deferrable(constraints: list[Any]) -> None:
    if constraints and isinstance(constraints[-1], _ColumnConstraint):
        # the last one is the one in front of it
        constraints[-1].deferrable = True


# --------------------------------------------------------------------------- constraints


def add_constraint(builder: Builder, table: Table, given: Any) -> Table:
    """The table with one more constraint, from CREATE or ALTER TABLE."""
    own = given if isinstance(given, _ColumnConstraint) else None
    node = own.node if own else given
    deferrable = bool(node.deferrable) or bool(own and own.deferrable)
    enforced = _enforced(node) and not (own and own.not_enforced)
    match node.contype.name:
        case "CONSTR_PRIMARY" | "CONSTR_UNIQUE":
            return _add_key(table, node, [own.column] if own else _names(node.keys), deferrable=deferrable)
        case "CONSTR_FOREIGN":
            columns = [own.column] if own else _names(node.fk_attrs)
            return _add_foreign_key(builder, table, node, columns, deferrable=deferrable, enforced=enforced)
        case "CONSTR_CHECK":
            # CHECK's name is table_column_check where it names one column, else table_check
            named = {n.fields[-1].sval for n in nodes_of(node.raw_expr) if _is_column(n)}
            base = "_".join((table.ref.name, *(named if len(named) == 1 else ()), "check"))
            name = node.conname or _free_name(base, _constraint_names(table))
            validated = not node.skip_validation and enforced
            check = Check(name, expression_text(node.raw_expr), validated, enforced, bool(node.is_no_inherit))
            return replace(table, checks=(*table.checks, check))
        case "CONSTR_NOTNULL":
            # NO INHERIT: children's rows, which a scan of the parent returns, may hold NULLs
            valid = not node.skip_validation and not node.is_no_inherit
            return with_not_null(table, _names(node.keys), name=node.conname or "") if valid else table
        case "CONSTR_EXCLUSION":
            return _add_exclusion(builder, table, node, deferrable=deferrable)
        case other:
            raise Unsupported(other)


def _is_column(node: Any) -> bool:
    return isinstance(node, ast.ColumnRef) and isinstance(node.fields[-1], ast.String)


def _enforced(node: Any) -> bool:
    flag = getattr(node, "is_enforced", None)
    # None: a parser older than NOT ENFORCED
    return True if flag is None else bool(flag)


def _names(nodes: Iterable[Any] | None) -> list[str]:
    return [n.sval for n in nodes or ()]


def _constraint_names(table: Table) -> set[str]:
    return {c.name for group in (table.keys, table.foreign_keys, table.checks) for c in group}


def _free_name(base: str, taken: set[str]) -> str:
    if base not in taken:
        return base
    # the server adds 1, 2, … until the name is free
    return next(f"{base}{i}" for i in range(1, len(taken) + 2) if f"{base}{i}" not in taken)


def with_not_null(table: Table, names: Sequence[str], *, name: str = "") -> Table:
    for n in names:
        if n not in {c.name for c in table.columns}:
            raise BindError("42703", f'column "{n}" named in key does not exist')
    columns = tuple(
        replace(c, not_null=True, not_null_constraint=c.not_null_constraint or name) if c.name in names else c
        for c in table.columns
    )
    return replace(table, columns=columns)


def _add_key(table: Table, node: Any, columns: list[str], *, deferrable: bool) -> Table:
    primary = node.contype.name == "CONSTR_PRIMARY"
    if node.indexname:
        return _key_from_index(table, node, primary=primary, deferrable=deferrable)
    if primary:
        table = with_not_null(table, columns)
    known = {c.name for c in table.columns}
    for c in columns:
        if c not in known:
            raise BindError("42703", f'column "{c}" named in key does not exist')
    base = f"{table.ref.name}_pkey" if primary else f"{table.ref.name}_{'_'.join(columns)}_key"
    key = Key(
        node.conname or _free_name(base, _constraint_names(table)),
        tuple(columns),
        primary,
        nulls_distinct=not getattr(node, "nulls_not_distinct", False),
        deferrable=deferrable,
        period=bool(getattr(node, "without_overlaps", False)),
    )
    return replace(table, keys=(*table.keys, key))


def _add_exclusion(builder: Builder, table: Table, node: Any, *, deferrable: bool) -> Table:
    """An exclusion constraint of plain equalities is a key; others are no fact of ours."""
    elements = [element for element, _ in node.exclusions]
    # operators of other names, or qualified ones, may be no equality
    equal = all([n.sval for n in names][-1:] == ["="] and len(names) == 1 for _, names in node.exclusions)
    # GiST and SP-GiST: their equality may be another than ours
    if not equal or node.access_method not in {"btree", "hash"}:
        return table
    base = f"{table.ref.name}_{'_'.join(e.name or 'expr' for e in elements)}_excl"
    return _with_index(
        builder, table, elements, node.where_clause, node.conname or base, deferrable=deferrable
    )


def _with_index(
    builder: Builder,
    table: Table,
    elements: Sequence[Any],
    where: Any,
    name: str,
    *,
    deferrable: bool = False,
    nulls_distinct: bool = True,
    constraint: bool = True,
) -> Table:
    """The table with one more unique index, or a constraint that is kept like one."""
    columns = [e.name for e in elements]
    expression = any(not c for c in columns)
    key = Key(
        _free_name(name, _constraint_names(table)),
        tuple(c for c in columns if c),
        nulls_distinct=nulls_distinct,
        deferrable=deferrable,
        partial=where is not None,
        expression=expression,
        constraint=constraint,
        # another operator class has another equality
        foreign_equality=any(e.opclass or not _own_collation(builder, table, e) for e in elements),
        predicate="" if where is None else expression_text(where),
        expressions=tuple(_element_text(e) for e in elements) if expression else (),
    )
    return replace(table, keys=(*table.keys, key))


def _element_text(element: Any) -> str:
    """What is indexed: a column or an expression."""
    if not element.name:
        return expression_text(element.expr)
    # as text, to be parsed again by who needs it
    return '"{}"'.format(element.name.replace('"', '""'))


def _own_collation(builder: Builder, table: Table, element: Any) -> bool:
    """Whether what is equal in the index is equal in queries: under deterministic collations the same texts
    are.
    """
    # no COLLATE: the column's own
    if not element.collation:
        return True
    column = next((c for c in table.columns if c.name == element.name), None)
    path = builder.search_path if len(element.collation) == 1 else (element.collation[0].sval,)
    found = builder.catalog().collation(element.collation[-1].sval, path)
    plain = column is not None and equality_is_identity(column.type)
    # in pg_catalog: users' collations may be nondeterministic
    return plain and found is not None and found.schema == "pg_catalog" and found.deterministic


def _key_from_index(table: Table, node: Any, *, primary: bool, deferrable: bool) -> Table:
    """ADD CONSTRAINT … USING INDEX turns an existing unique index into the constraint."""
    found = [k for k in table.keys if k.name == node.indexname]
    if not found:
        raise BindError("42704", f'index "{node.indexname}" does not exist')
    key = replace(
        found[0],
        name=node.conname or found[0].name,
        primary=primary,
        deferrable=deferrable,
        constraint=True,
    )
    table = replace(table, keys=(*(k for k in table.keys if k is not found[0]), key))
    return with_not_null(table, key.columns) if primary else table


def _add_foreign_key(
    builder: Builder, table: Table, node: Any, columns: list[str], *, deferrable: bool, enforced: bool
) -> Table:
    ref = builder.existing(node.pktable)
    target = table if ref == table.ref else builder.tables[ref]
    targets = _names(node.pk_attrs)
    # REFERENCES t without columns means its primary key
    if not targets:
        key = target.primary_key
        if key is None:
            raise BindError("42704", f'there is no primary key for referenced table "{ref.name}"')
        targets = list(key.columns)
    if len(targets) != len(columns):
        raise BindError("42830", "number of referencing and referenced columns for foreign key disagree")
    _check_foreign_columns(table, columns, target, targets)
    base = f"{table.ref.name}_{'_'.join(columns)}_fkey"
    # PERIOD: ranges have to be covered, not equal ones found
    period = bool(getattr(node, "fk_with_period", False) or getattr(node, "pk_with_period", False))
    made = ForeignKey(
        node.conname or _free_name(base, _constraint_names(table)),
        tuple(columns),
        ref,
        tuple(targets),
        _MATCH[node.fk_matchtype or "s"],
        # NOT VALID: rows that were there are not checked
        validated=not node.skip_validation and enforced,
        enforced=enforced,
        deferrable=deferrable,
        period=period,
    )
    return replace(table, foreign_keys=(*table.foreign_keys, made))


def _check_foreign_columns(table: Table, columns: list[str], target: Table, targets: list[str]) -> None:
    for t, names in ((table, columns), (target, targets)):
        known = {c.name for c in t.columns}
        for n in names:
            if n not in known:
                raise BindError("42703", f'column "{n}" referenced in foreign key constraint does not exist')
    # the referenced columns must be a key, in any order; a partial one does not count
    if not any(set(k.columns) == set(targets) and not (k.partial or k.expression) for k in target.keys):
        raise BindError(
            "42830",
            f'there is no unique constraint matching given keys for referenced table "{target.ref.name}"',
        )


# --------------------------------------------------------------------------- CREATE INDEX, ALTER TABLE


def create_index(builder: Builder, node: Any) -> None:
    """Unique indexes are keys unless partial or on expressions; others say nothing about meaning."""
    ref = builder.existing(node.relation)
    # an index that is not unique says nothing of rows
    if not node.unique:
        return
    table = builder.tables[ref]
    base = f"{ref.name}_{'_'.join(p.name or 'expr' for p in node.indexParams)}_idx"
    made = _with_index(
        builder,
        table,
        node.indexParams,
        node.whereClause,
        node.idxname or base,
        nulls_distinct=not node.nulls_not_distinct,
        constraint=False,
    )
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
            constraints: list[Any] = []
            table = _add_column(builder, table, command.def_, constraints)
            for c in constraints:
                table = add_constraint(builder, table, c)
            return table
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
            _refuse_parent(builder, table, kind)
            return _without_constraint(table, command.name, missing_ok=command.missing_ok)
        case "AT_EnableRowSecurity" | "AT_ForceRowSecurity":
            return replace(table, row_security=True)
        case "AT_AttachPartition":
            child = builder.existing(command.def_.name)
            bounds = _bounds(builder, table.ref, command.def_.bound)
            # rows of the child were checked against its bounds
            builder.replace(replace(builder.tables[child], partition_of=table.ref, bounds=bounds))
            return table
        case _:
            raise Unsupported(f"ALTER TABLE {kind.removeprefix('AT_')}")


def _with_column(table: Table, name: str, **changes: Any) -> Table:
    if name not in {c.name for c in table.columns}:
        raise BindError("42703", f'column "{name}" of relation "{table.ref.name}" does not exist')
    return replace(
        table, columns=tuple(replace(c, **changes) if c.name == name else c for c in table.columns)
    )


def _refuse_parent(builder: Builder, table: Table, kind: str) -> None:
    """What is dropped from a parent is dropped from the children that inherited it: not followed here."""
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


def _without_constraint(table: Table, name: str, *, missing_ok: bool) -> Table:
    known = name in _constraint_names(table)
    # a name that the server has cut may be any constraint's
    cut = len(name.encode()) > 58
    is_not_null = any(c.not_null and _may_be_its_not_null(table, c, name) for c in table.columns)
    if not known and (cut or not (missing_ok or is_not_null)):
        raise BindError("42704", f'constraint "{name}" of relation "{table.ref.name}" does not exist')
    columns = tuple(
        replace(c, not_null=False, not_null_constraint="")
        if c.not_null and not known and _may_be_its_not_null(table, c, name)
        else c
        for c in table.columns
    )
    return replace(
        table,
        columns=columns,
        keys=tuple(k for k in table.keys if k.name != name),
        foreign_keys=tuple(f for f in table.foreign_keys if f.name != name),
        checks=tuple(c for c in table.checks if c.name != name),
    )
