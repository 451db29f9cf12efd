"""A catalog as plain DDL, so that a scratch database can be made from a live one's snapshot.

Owns printing the relations that some queries can reach, with their types and constraints. What a scratch
server lacks (functions of the schema, types of extensions) is refused by name or left out; a partition tree
becomes one plain table. Must not know servers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from rewright.equivalence.generator.stand_ins import reads_any, stood_in
from rewright.equivalence.isolation import Refused, screen_query
from rewright.equivalence.omissions import TRUSTED
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog
from rewright.sql.records import Check, ForeignKey, Key, Table, TableColumn, TypeInfo
from rewright.sql.types import SqlType

_VARHDR = 4
_PRECISION_NAMES = {
    "timestamp": "timestamp({}) without time zone",
    "timestamptz": "timestamp({}) with time zone",
    "time": "time({}) without time zone",
    "timetz": "time({}) with time zone",
    "bit": "bit({})",
    "varbit": "bit varying({})",
}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class ScratchSchema:
    """``text``: the DDL. ``untold``: constraints that the stored rows obey and the text does not hold, by
    table and name: rows that it lets in may be none of the live database's. ``stand_ins``: names of
    columns that are texts here, for lack of their types (`rewright.equivalence.generator.stand_ins`).
    """

    text: str
    untold: tuple[tuple[TableRef, str], ...] = ()
    stand_ins: frozenset[str] = frozenset()


def reachable(catalog: Catalog, names: Iterable[tuple[str, str]]) -> tuple[Table, ...]:
    """The relations that (schema or '', name) pairs may mean, what views read and foreign keys name."""
    by_name: dict[str, list[Table]] = {}
    for relation in catalog.relations:
        by_name.setdefault(relation.ref.name, []).append(relation)
    todo = [r for schema, name in names for r in by_name.get(name, ()) if schema in {"", r.ref.schema}]
    found: dict[TableRef, Table] = {}
    while todo:
        relation = todo.pop()
        if relation.ref in found:
            continue
        found[relation.ref] = relation
        refs = {(f.target.schema, f.target.name) for f in relation.foreign_keys}
        refs |= {(p.schema, p.name) for p in relation.parents}
        # children are read by whoever reads the parent
        refs |= {(r.ref.schema, r.ref.name) for r in catalog.relations if relation.ref in r.parents}
        # what a view reads is read through it
        if relation.kind == "view":
            refs |= screen_query(relation.definition).relations
        todo += [r for schema, name in refs for r in by_name.get(name, ()) if schema in {"", r.ref.schema}]
    return tuple(r for r in catalog.relations if r.ref in found)


def ddl_of(catalog: Catalog, relations: tuple[Table, ...]) -> str:
    """The text of `schema_of`, with all the constraints that can be written down."""
    return schema_of(catalog, relations).text


def schema_of(
    catalog: Catalog,
    relations: tuple[Table, ...],
    *,
    plain: bool = False,
    extensions: frozenset[str] = frozenset(),
) -> ScratchSchema:
    """DDL for these relations and the types they use. Raises Refused for what cannot be made.

    ``extensions``: those of `rewright.equivalence.omissions.TRUSTED` that the scratch server can make.
    ``plain``: without the constraints that call functions or operators (unique indexes over expressions or
    with a condition, exclusion constraints), which a scratch server may lack; they are untold then.
    """
    extensions &= frozenset(catalog.extensions)
    types = frozenset[str]().union(*(TRUSTED[name] for name in extensions))
    made = [stood_in(catalog, relation, types) for relation in relations]
    relations = tuple(one.table for one in made)
    stand_ins = frozenset(name for one in made for name in one.columns)
    _look_through(relations, stand_ins)
    schemas = sorted({r.ref.schema for r in relations} | {t.schema for t in catalog.types})
    lines = [f"create schema if not exists {quote(s)}" for s in schemas if s not in {"public", "pg_catalog"}]
    lines += [_extension(catalog, name) for name in sorted(extensions)]
    lines += [line for info in _types_in_order(catalog, relations, types) for line in _type(catalog, info)]
    tables = _parents_first([r for r in relations if r.kind != "view"])
    lines += [_table(table) for table in tables]
    by_ref = {table.ref: table for table in tables}
    lines += [
        _foreign_key(table, key)
        for table in tables
        for key in table.foreign_keys
        # row-level security leaves rows out: any rows may be there, and parents may be missing
        if key.target in by_ref and _is_kept(key, by_ref[key.target]) and not by_ref[key.target].row_security
    ]
    if not plain:
        lines += [line for table in tables for line in _by_condition(table)]
    for view in _views_in_order(relations):
        columns = ", ".join(quote(c.name) for c in view.columns)
        lines.append(f"create view {_name(view.ref)} ({columns}) as {view.definition.rstrip().rstrip(';')}")
    untold = [(one.table.ref, name) for one in made for name in one.untold]
    untold += [(table.ref, name) for table in tables for name in _untold(table, by_ref, plain=plain)]
    return ScratchSchema("".join(f"{line};\n" for line in lines), tuple(untold), stand_ins)


def _look_through(relations: tuple[Table, ...], stand_ins: frozenset[str]) -> None:
    """Raises Refused for a view that reads a column which is another here."""
    for view in relations:
        # the view's column would be of another type
        if view.kind == "view" and stand_ins and reads_any([screen_query(view.definition).tree], stand_ins):
            raise Refused(f"view {view.ref.name} reads a column of a type that a scratch server lacks")


def _parents_first(tables: list[Table]) -> list[Table]:
    """The tables, each after those it inherits from. Raises Refused for what has rows elsewhere."""
    refs = {table.ref for table in tables}
    for table in tables:
        # a foreign table's rows are elsewhere
        if table.kind == "foreign" or table.foreign_children:
            raise Refused(f"foreign table {table.ref.name}")
        if table.partition_of in refs:
            # as tables of their own they would not hold the same rows
            raise Refused(f"{table.ref.name} beside the table that it is a partition of")
    done: list[Table] = []
    while len(done) < len(tables):
        made = {table.ref for table in done}
        ready = [t for t in tables if t.ref not in made and set(t.parents) <= made]
        # a parent that the snapshot does not have
        if not ready:
            raise Refused("tables that inherit from one that is not known")
        done += ready
    return done


def _name(ref: TableRef) -> str:
    return f"{quote(ref.schema)}.{quote(ref.name)}"


def _views_in_order(relations: tuple[Table, ...]) -> list[Table]:
    """Views after the views they read."""
    todo = [r for r in relations if r.kind == "view"]
    names = {r.ref.name for r in todo}
    done: list[Table] = []
    while todo:
        ready = [
            v
            for v in todo
            if not ({n for _, n in screen_query(v.definition).relations} & names - {d.ref.name for d in done})
        ]
        if not ready:
            raise Refused("views that read each other")
        done += ready
        todo = [v for v in todo if v not in ready]
    return done


def _extension(catalog: Catalog, name: str) -> str:
    """CREATE EXTENSION in the schema of its types."""
    schemas = sorted(t.schema for t in catalog.types if t.name in TRUSTED[name] and t.kind == "b")
    return f"create extension if not exists {quote(name)} with schema {quote((schemas or ['public'])[0])}"


def _types_in_order(
    catalog: Catalog, relations: tuple[Table, ...], made: frozenset[str] = frozenset()
) -> list[TypeInfo]:
    """User types of the relations' columns but those that are ``made`` already, bases of domains first."""
    own = {t.key: t for t in catalog.types}
    rows = {f"{r.ref.schema}.{r.ref.name}" for r in catalog.relations}
    found: list[TypeInfo] = []

    def visit(key: str) -> None:
        schema, _, name = key.rpartition(".")
        # an array of a type needs the type
        if key not in own and name.startswith("_"):
            key = f"{schema}.{name[1:]}" if schema else name[1:]
        info = own.get(key)
        if info is None:
            # neither a type of the schema nor a table's row type
            if schema and schema != "pg_catalog" and key not in rows:
                raise Refused(f"type {key}, which a scratch server lacks")
            return
        if info in found or (info.kind == "b" and info.name in made):
            return
        for inner in (info.base, info.subtype, *(_key(t) for _, t in info.fields)):
            if inner:
                visit(inner)
        found.append(info)

    for relation in relations:
        for column in relation.columns:
            visit(_key(column.type))
    return found


def _key(type_: SqlType) -> str:
    return type_.name if type_.schema == "pg_catalog" else f"{type_.schema}.{type_.name}"


def _type(catalog: Catalog, info: TypeInfo) -> list[str]:
    name = f"{quote(info.schema)}.{quote(info.name)}"
    if info.kind == "e":
        labels = ", ".join("'" + label.replace("'", "''") + "'" for label in info.labels)
        return [f"create type {name} as enum ({labels})"]
    if info.kind == "d":
        schema, _, base = info.base.rpartition(".")
        text = type_text(SqlType(base, schema or "pg_catalog", info.base_typmod))
        # casts to the domain fail by it whatever the rows that are there hold (F22)
        checks = "".join(f" {_check(check)}" for check in info.checks if replace(check, doubt="").usable)
        return [f"create domain {name} as {text}{' not null' if info.not_null else ''}{checks}"]
    if info.kind == "c":
        fields = ", ".join(f"{quote(field)} {type_text(type_)}" for field, type_ in info.fields)
        return [f"create type {name} as ({fields})"]
    del catalog
    raise Refused(f"type {info.name}, which a scratch server lacks")


def type_text(type_: SqlType) -> str:
    """A type with its modifier as DDL writes it."""
    if type_.is_array:
        return type_text(SqlType(type_.name[1:], type_.schema, type_.typmod)) + "[]"
    if not type_.is_builtin:
        return f"{quote(type_.schema)}.{quote(type_.name)}"
    modifier = type_.typmod
    if modifier < 0:
        # bpchar without a length is no char(1)
        return "bpchar" if type_.name == "bpchar" else f"pg_catalog.{quote(type_.name)}"
    if type_.name in {"varchar", "bpchar"}:
        return f"{'varchar' if type_.name == 'varchar' else 'character'}({modifier - _VARHDR})"
    if type_.name == "numeric":
        # scale is 11 bits, signed (utils/adt/numeric.c, numeric_typmod_scale)
        scale = (((modifier - _VARHDR) & 0x7FF) ^ 1024) - 1024
        return f"numeric({((modifier - _VARHDR) >> 16) & 0xFFFF}, {scale})"
    if type_.name in _PRECISION_NAMES:
        return _PRECISION_NAMES[type_.name].format(modifier)
    return f"pg_catalog.{quote(type_.name)}"


def _table(table: Table) -> str:
    parts = [_column(column) for column in table.columns]
    parts += [text for key in table.keys if (text := _unique(key))]
    # rows that came before, or around it, need not keep what is not usable
    parts += [
        _check(check) + (" no inherit" if check.no_inherit and table.has_children else "")
        for check in table.checks
        if check.usable
    ]
    parents = ", ".join(map(_name, table.parents))
    inherits = f" inherits ({parents})" if parents else ""
    return f"create table {_name(table.ref)} ({', '.join(parts)}){inherits}"


def _column(column: TableColumn) -> str:
    text = f"{quote(column.name)} {type_text(column.type)}"
    if column.type.collation not in {"", "default"}:
        text += f" collate {quote(column.type.collation)}"
    if column.generated:
        # without its expression a generated column can't be made
        if column.default is None:
            raise Refused(f"generated column {column.name}: a snapshot does not carry its expression")
        text += f" generated always as ({column.default}) {column.generated}"
    return text + (" not null" if column.not_null else "")


def _unique(key: Key) -> str:
    """The constraint; empty for a key that is none of plain columns, or that is not known to hold."""
    # a key that may be broken, or is by condition, is none of plain columns
    if not _holds(key) or _is_by_condition(key) or not key.columns or key.foreign_equality:
        return ""
    kind = "primary key" if key.primary else "unique" + ("" if key.nulls_distinct else " nulls not distinct")
    columns = ", ".join(quote(c) for c in key.columns)
    named = f"constraint {quote(key.name)} " if key.constraint and not key.primary else ""
    return f"{named}{kind} ({columns}){' deferrable' if key.deferrable else ''}"


def _holds(key: Key) -> bool:
    """Whether all stored rows obey it, at least at the end of a transaction."""
    return key.valid and not key.doubt


def _is_by_condition(key: Key) -> bool:
    """Whether it takes an operator or a function that a scratch server may lack."""
    return key.partial or key.expression or key.period


def _by_condition(table: Table) -> list[str]:
    """Unique indexes over expressions or with a condition, keys over periods, exclusion constraints."""
    keys = [k for k in table.keys if _holds(k) and _is_by_condition(k) and not k.foreign_equality]
    added = [f"add {definition}" for definition in table.exclusions]
    added += [f"add {_over_period(key)}" for key in keys if key.period]
    return [_index(table, key) for key in keys if not key.period] + [
        f"alter table {_name(table.ref)} {one}" for one in added
    ]


def _index(table: Table, key: Key) -> str:
    elements = key.expressions if key.expression else tuple(map(quote, key.columns))
    listed = ", ".join(f"({element})" for element in elements)
    nulls = "" if key.nulls_distinct else " nulls not distinct"
    where = f" where {key.predicate}" if key.partial else ""
    return f"create unique index on {_name(table.ref)} ({listed}){nulls}{where}"


def _over_period(key: Key) -> str:
    if key.exclusion:
        equal = "".join(f"{quote(c)} with =, " for c in key.columns[:-1])
        return f"exclude using gist ({equal}{quote(key.columns[-1])} with &&)"
    columns = ", ".join(quote(c) for c in key.columns)
    return f"{'primary key' if key.primary else 'unique'} ({columns} without overlaps)"


def _untold(table: Table, by_ref: Mapping[TableRef, Table], *, plain: bool) -> list[str]:
    """Constraints of ``table`` that hold and are not among its DDL: what `_by_condition` has where that is
    left out, references over periods or to such keys, and keys whose equality is another than the columns'.
    """
    found = [
        key.name
        for key in table.keys
        if _holds(key) and (key.foreign_equality or (plain and _is_by_condition(key)))
    ]
    found += [
        key.name
        for key in table.foreign_keys
        if key.target in by_ref and _is_obeyed(key) and not _is_kept(key, by_ref[key.target])
    ]
    if plain and table.exclusions:
        found.append("exclusion constraints")
    return found


def _check(check: Check) -> str:
    text = check.text.strip()
    # a snapshot's text may or may not bring the word CHECK
    body = text if text.upper().startswith("CHECK") else f"check ({text})"
    return body.removesuffix(" NOT VALID")


def _foreign_key(table: Table, key: ForeignKey) -> str:
    columns = ", ".join(quote(c) for c in key.columns)
    target = ", ".join(quote(c) for c in key.target_columns)
    text = f"alter table {_name(table.ref)} add constraint {quote(key.name)} foreign key ({columns})"
    text += f" references {_name(key.target)} ({target})"
    if key.match == "full":
        text += " match full"
    return text + (" deferrable" if key.deferrable else "")


def _is_kept(key: ForeignKey, target: Table) -> bool:
    """Whether it stands in the DDL: it is obeyed, and the target has its key here, too."""
    obeyed = _is_obeyed(key) and not key.period
    return obeyed and any(_unique(k) and set(k.columns) == set(key.target_columns) for k in target.keys)


def _is_obeyed(key: ForeignKey) -> bool:
    """Whether all stored rows obey it, at least at the end of a transaction, over periods too."""
    return replace(key, deferrable=False, period=False).usable
