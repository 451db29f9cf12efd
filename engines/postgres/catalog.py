"""A snapshot of a live database's schema as ``rewright.sql.catalog.Catalog``.

Owns reading the system catalogs (PostgreSQL 14 to 18; manual, chapter "System Catalogs"). Must not
know what the snapshot is for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import dict_row

from rewright.engines.postgres import catalog_queries as queries
from rewright.engines.postgres import constraint_queries
from rewright.sql.algebra import FunctionRef, TableRef, Volatility
from rewright.sql.catalog import (
    CastInfo,
    Catalog,
    Check,
    CollationInfo,
    ForeignKey,
    FunctionInfo,
    Key,
    OperatorInfo,
    RelationKind,
    Table,
    TableColumn,
    TypeInfo,
)
from rewright.sql.types import SqlType

Row = Mapping[str, Any]
Groups = Mapping[int, Sequence[Row]]

KINDS: Mapping[str, RelationKind] = {
    "r": "table",
    "p": "partitioned",
    "f": "foreign",
    "v": "view",
    "m": "matview",
}


def snapshot(connection: psycopg.Connection[Any]) -> Catalog:
    """Everything users created in the connection's database.

    Outside a transaction one is opened (repeatable read, read only), so that the parts agree; inside
    one the caller's is used. Raises psycopg.Error.
    """
    with _steady(connection) as cursor:
        version = connection.info.server_version
        return Catalog(
            relations=_relations(cursor, version),
            types=_types(cursor, version),
            functions=tuple(_function(row) for row in _all(cursor, queries.FUNCTIONS)),
            operators=tuple(_operator(row) for row in _all(cursor, queries.OPERATORS)),
            casts=tuple(_cast(row) for row in _all(cursor, queries.CASTS)),
            collations=tuple(CollationInfo(**row) for row in _all(cursor, queries.COLLATIONS)),
            schemas=tuple(row["name"] for row in _all(cursor, queries.SCHEMAS)),
            version=version,
            extensions=tuple(row["name"] for row in _all(cursor, queries.EXTENSIONS)),
        )


# deparsed texts leave out schemas that are on the path
@contextmanager
def _steady(connection: psycopg.Connection[Any]) -> Iterator[psycopg.Cursor[dict[str, Any]]]:
    """A cursor in one transaction and with an empty search_path: deparsed texts qualify every name."""
    idle = connection.info.transaction_status is TransactionStatus.IDLE
    with connection.transaction(), connection.cursor(row_factory=dict_row) as cursor:
        # inside of a caller's transaction the level can't be changed any more
        if idle:
            cursor.execute("set transaction isolation level repeatable read, read only")
        before = cursor.execute("select current_setting('search_path') as path").fetchone()
        assert before is not None
        cursor.execute("select set_config('search_path', '', true)")
        yield cursor
        # SET LOCAL would only end with the transaction, which is the caller's here
        cursor.execute("select set_config('search_path', %s, true)", [before["path"]])


def _all(cursor: psycopg.Cursor[dict[str, Any]], statement: str) -> Sequence[dict[str, Any]]:
    return cursor.execute(statement.encode()).fetchall()


def _grouped(rows: Sequence[Row], by: str = "oid") -> Groups:
    groups: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[by]].append(row)
    return groups


def _relations(cursor: psycopg.Cursor[dict[str, Any]], version: int) -> tuple[Table, ...]:
    columns = _grouped(_all(cursor, queries.columns(version)))
    keys = _grouped(_all(cursor, constraint_queries.keys(version)))
    foreign_keys = _grouped(_all(cursor, constraint_queries.foreign_keys(version)))
    checks = _grouped(_all(cursor, constraint_queries.checks(version)))
    exclusions = _grouped(_all(cursor, constraint_queries.exclusions()))
    # by inhseqno, so that a partition's one parent is the first
    parents = _grouped(_all(cursor, queries.PARENTS))
    return tuple(
        _relation(
            row,
            tuple(_column(column) for column in columns.get(row["oid"], ())),
            tuple(_key(key) for key in keys.get(row["oid"], ())),
            tuple(_foreign_key(key) for key in foreign_keys.get(row["oid"], ())),
            tuple(_check(check) for check in checks.get(row["oid"], ())),
            tuple(one["definition"] for one in exclusions.get(row["oid"], ())),
            tuple(TableRef(parent["schema"], parent["name"]) for parent in parents.get(row["oid"], ())),
        )
        for row in _all(cursor, queries.RELATIONS)
    )


def _relation(
    row: Row,
    columns: tuple[TableColumn, ...],
    keys: tuple[Key, ...],
    foreign_keys: tuple[ForeignKey, ...],
    checks: tuple[Check, ...],
    exclusions: tuple[str, ...],
    parents: tuple[TableRef, ...],
) -> Table:
    partition = row["is_partition"]
    return Table(
        ref=TableRef(row["schema"], row["name"]),
        columns=columns,
        kind=KINDS[row["kind"]],
        keys=keys,
        foreign_keys=foreign_keys,
        checks=checks,
        exclusions=exclusions,
        # a partition's parent is told by partition_of
        parents=() if partition else parents,
        has_children=row["has_children"],
        foreign_children=row["foreign_children"],
        partition_of=parents[0] if partition and parents else None,
        row_security=row["row_security"],
        temporary=row["persistence"] == "t",
        unlogged=row["persistence"] == "u",
        definition=row["definition"],
        security_barrier=_option(row["options"], "security_barrier"),
        security_invoker=_option(row["options"], "security_invoker"),
        has_rules=row["has_rules"],
        has_triggers=row["has_triggers"],
    )


def _option(options: Sequence[str], name: str) -> bool:
    """A boolean storage parameter; the server accepts every spelling of a boolean."""
    # reloptions are texts such as security_barrier=true
    values = dict(option.partition("=")[::2] for option in options)
    return values.get(name, "off").lower() in {"on", "true", "1", "yes", "t", "y"}


def _sql_type(row: Row) -> SqlType:
    return SqlType(row["type"], row["type_schema"], row["typmod"], row["collation"], enum=row["enum"])


def _column(row: Row) -> TableColumn:
    return TableColumn(
        name=row["name"],
        type=_sql_type(row),
        not_null=row["not_null"],
        default=row["default"],
        identity="always" if row["identity"] == "a" else "by default" if row["identity"] == "d" else "",
        generated="stored" if row["generated"] == "s" else "virtual" if row["generated"] == "v" else "",
        attnum=row["attnum"],
        not_null_constraint=row["not_null_constraint"],
    )


def _key(row: Row) -> Key:
    values = {name: row[name] for name in row if name not in {"oid", "columns", "expressions"}}
    # indkey holds 0 where a key is an expression
    # an expression has no column name
    columns = tuple(name for name in row["columns"] if name)
    return Key(columns=columns, expressions=tuple(row["expressions"]), **values)


def _foreign_key(row: Row) -> ForeignKey:
    return ForeignKey(
        name=row["name"],
        columns=tuple(row["columns"]),
        target=TableRef(row["target_schema"], row["target"]),
        target_columns=tuple(row["target_columns"]),
        match="full" if row["match"] == "f" else "partial" if row["match"] == "p" else "simple",
        validated=row["validated"],
        enforced=row["enforced"],
        deferrable=row["deferrable"],
        period=row["period"],
        triggers_enabled=row["triggers_enabled"],
        doubt=row["doubt"],
    )


def _check(row: Row) -> Check:
    return Check(row["name"], row["text"], row["validated"], row["enforced"], row["no_inherit"], row["doubt"])


def _types(cursor: psycopg.Cursor[dict[str, Any]], version: int) -> tuple[TypeInfo, ...]:
    checks = _grouped(_all(cursor, constraint_queries.checks(version)), "type_oid")
    fields = _grouped(_all(cursor, queries.COMPOSITE_FIELDS))
    return tuple(
        TypeInfo(
            schema=row["schema"],
            name=row["name"],
            kind=row["kind"],
            category=row["category"],
            preferred=row["preferred"],
            element=row["element"] or "",
            array=row["array"] or "",
            collation=row["collation"],
            base=row["base"] or "",
            base_typmod=row["base_typmod"],
            not_null=row["not_null"],
            checks=tuple(_check(check) for check in checks.get(row["oid"], ())),
            labels=tuple(row["labels"]),
            fields=tuple((field["name"], _sql_type(field)) for field in fields.get(row["relation"], ())),
            subtype=row["subtype"] or "",
            # a shell type has no input function: v is the cautious answer
            input_volatility=Volatility(row["input_volatility"] or "v"),
            output_volatility=Volatility(row["output_volatility"] or "v"),
        )
        for row in _all(cursor, queries.TYPES)
    )


def _function(row: Row) -> FunctionInfo:
    # proargmodes is NULL where all arguments are IN
    # without modes all arguments go in, named or not
    names = (row["arg_names"] or [""] * len(row["modes"])) if row["modes"] else []
    out = tuple(
        # o(ut), b(oth), t(able): what comes out
        (name, type_)
        for mode, name, type_ in zip(row["modes"], names, row["all_types"], strict=True)
        if mode in "obt"
    )
    return FunctionInfo(
        schema=row["schema"],
        name=row["name"],
        args=tuple(row["args"]),
        result=row["result"],
        kind=row["kind"],
        volatility=Volatility(row["volatility"]),
        strict=row["strict"],
        returns_set=row["returns_set"],
        leakproof=row["leakproof"],
        variadic=row["variadic"] or "",
        defaults=row["defaults"],
        default_text=row["default_text"],
        arg_names=tuple(row["arg_names"]),
        out=out,
        agg_kind=row["agg_kind"],
        direct_args=row["direct_args"],
        language=row["language"],
        body=row["body"],
    )


def _function_ref(row: Row) -> FunctionRef:
    return FunctionRef(
        schema=row["f_schema"],
        name=row["f_name"],
        arg_types=tuple(row["f_args"]),
        volatility=Volatility(row["f_volatility"]),
        strict=row["f_strict"],
        returns_set=row["f_returns_set"],
        kind=row["f_kind"],
        leakproof=row["f_leakproof"],
        variadic=row["f_variadic"],
    )


def _operator(row: Row) -> OperatorInfo:
    names = ("schema", "name", "left", "right", "result", "commutator", "negator", "btree", "family")
    return OperatorInfo(**{name: row[name] for name in names}, function=_function_ref(row))


def _cast(row: Row) -> CastInfo:
    function = _function_ref(row) if row["f_name"] is not None else None
    return CastInfo(row["source"], row["target"], row["context"], row["method"], function)
