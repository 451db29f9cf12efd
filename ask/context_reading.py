"""A PostgreSQL database read into its context: once for a state of the catalog, under a budget of rows and
values.

Owns the queries that read it and the joins inferred from names and data. Runs as the connection's role.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import psycopg
from psycopg import sql as psql

from rewright.ask.context import ColumnContext, Context, Join, TableContext, is_text, kind_of
from rewright.ask.reading.comments import name_in
from rewright.ask.reading.words import listed
from rewright.lake import names
from rewright.sql.algebra import TableRef
from rewright.sql.catalog import Catalog, ForeignKey, Table, TableColumn, key_of

SAMPLE_ROWS = 20_000
VALUES_A_COLUMN = 500
VALUES_IN_ALL = 50_000
LONGEST_VALUE = 80
_CONTAINED = 0.95
_BY_ROLE = 0.8
"""How likely a join is meant of a text that only ends with the name of a table: a fare's `fare_airline`."""
_MOSTLY = 0.6
_PARTLY = 0.8
"""How likely a join is meant of columns of one name of which the one holds most of the other's values."""
_SHARED_TAIL = 5
_ABOVE = frozenset(
    listed("parent mentor manager supervisor boss superior mother father sire referrer predecessor previous")
)
"""Roles of rows of the same table, by the words of a key's name."""
_ABOVE_IT = 0.9
_BY_COMMENT = 0.9
"""How likely a join is meant that only a column's comment tells."""
_COUNTS = frozenset(listed("cap capacity max maximum min minimum num count cnt total avg average sum"))
"""Before the name of a table in that of a column: how many of its rows, none of them."""
_ISO = re.compile(
    r"^((1[5-9]|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?)?"
    r"|(1[5-9]|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])"
    r"[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])$"
)
"""A day or a time: read the same by Python and by PostgreSQL."""
_SAYS_LITTLE = {"name", "title", "text", "year", "month", "count"}


def read_context(
    connection: psycopg.Connection[Any], catalog: Catalog, strange: Container[TableRef] = ()
) -> Context:
    """Reads samples as the connection's role; tables it may not read are left out, and so are the strange:
    those that can't be read without running others' code. Raises psycopg.Error.
    """
    comments = _comments(connection)
    budget = VALUES_IN_ALL
    tables = []
    for table in catalog.relations:
        # a partition's rows are its parent's
        if table.partition_of is not None or table.ref in strange:
            continue
        try:
            found = _table(connection, table, comments, budget, _labels(catalog, table))
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.QueryCanceled):
            # what takes too long to sample is left out like what may not be read
            continue
        budget -= sum(len(column.values) for column in found.columns)
        tables.append(found)
    made = tuple(tables)
    return Context(catalog.digest(), made, tuple(_one_way(list(_joins(connection, catalog, made)), made)))


def _comments(connection: psycopg.Connection[Any]) -> dict[tuple[str, str, int], str]:
    rows = _fetch(
        connection,
        psql.SQL(
            "select n.nspname::pg_catalog.text, c.relname::pg_catalog.text, d.objsubid, d.description from "
            "pg_catalog.pg_description d "
            "join pg_catalog.pg_class c on c.oid operator(pg_catalog.=) d.objoid "
            "and d.classoid operator(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass "
            "join pg_catalog.pg_namespace n on n.oid operator(pg_catalog.=) c.relnamespace"
        ),
    )
    return {(schema, name, number): text for schema, name, number, text in rows}


def _fetch(connection: psycopg.Connection[Any], query: psql.SQL | psql.Composed) -> list[tuple[Any, ...]]:
    # rolled back, so that within a block of the session's own its settings are as before
    with connection.transaction(force_rollback=True):
        connection.execute("set transaction read only")
        connection.execute("set local statement_timeout = '10s'")
        return connection.execute(query).fetchall()


def _labels(catalog: Catalog, table: Table) -> dict[str, tuple[str, ...]]:
    """The labels of each column of an enumerated type."""
    enumerated = {found.key: found.labels for found in catalog.types if found.kind == "e"}
    return {c.name: enumerated[key_of(c.type)] for c in table.columns if key_of(c.type) in enumerated}


def _comparable(column: TableColumn, labels: Mapping[str, Sequence[str]]) -> bool:
    return column.name in labels or column.type.name == "uuid" or kind_of(column.type.name) != "other"


def _sample(ref: TableRef) -> psql.Composed:
    return psql.SQL("(select * from {} limit {}) s").format(
        psql.Identifier(ref.schema, ref.name), SAMPLE_ROWS
    )


def _table(
    connection: psycopg.Connection[Any],
    table: Table,
    comments: dict[tuple[str, str, int], str],
    budget: int,
    labels: Mapping[str, tuple[str, ...]],
) -> TableContext:
    counted = table.columns
    # what can't be compared (json, points) is only counted
    counts = psql.SQL(", ").join(
        psql.SQL(
            "pg_catalog.count({0}), pg_catalog.count(distinct {0})"
            if _comparable(column, labels)
            else "pg_catalog.count({0}), 0"
        ).format(psql.Identifier(column.name))
        for column in counted
    )
    # a table without columns has rows all the same
    wanted = psql.SQL(
        "select pg_catalog.count(*), {} from {}" if counted else "select pg_catalog.count(*){} from {}"
    )
    row = _fetch(connection, wanted.format(counts, _sample(table.ref)))[0]
    figures = {column.name: (row[1 + 2 * i], row[2 + 2 * i]) for i, column in enumerate(counted)}
    keys = {key.columns[0] for key in table.keys if len(key.columns) == 1 and key.usable}
    columns = []
    for column in table.columns:
        held, distinct = figures.get(column.name, (0, 0))
        values = labels.get(column.name) or (
            _values(connection, table.ref, column, distinct) if budget > 0 else ()
        )
        described = ColumnContext.of(
            table.ref,
            column.name,
            column.type.name,
            comment=comments.get((table.ref.schema, table.ref.name, column.attnum), ""),
            # one row alone tells nothing of what is unique
            unique=column.name in keys or (held == distinct == row[0] and held > 1),
            key=column.name in keys,
            distinct=distinct,
            nulls=row[0] - held,
            values=values,
            enumerated=column.name in labels,
        )
        described = _dated(connection, described) if distinct > 1 else described
        budget -= len(described.values)
        columns.append(described)
    comment = comments.get((table.ref.schema, table.ref.name, 0), "")
    composed = next((key.columns for key in table.keys if len(key.columns) > 1 and key.usable), ())
    return TableContext.of(table.ref, columns, comment=comment, rows=row[0], composed=composed)


def _dated(connection: psycopg.Connection[Any], column: ColumnContext) -> ColumnContext:
    """A column of texts that are all days or times as ISO 8601 writes them, as what they are."""
    # a known value that is no day spares the query
    if not is_text(column.type) or not all(map(_ISO.fullmatch, column.values)):
        return column
    query = psql.SQL(
        "select pg_catalog.count(*) filter (where s.{0} operator(pg_catalog.!~) {1}), "
        "pg_catalog.count(*) filter (where pg_catalog.length(s.{0}) operator(pg_catalog.>) 10) from {2}"
    ).format(psql.Identifier(column.name), _ISO.pattern, _sample(column.table))
    others, timed = _fetch(connection, query)[0]
    if others:
        return column
    return replace(column, kind="date", type="timestamp" if timed else "date", values=(), as_text=True)


def _values(
    connection: psycopg.Connection[Any], ref: TableRef, column: TableColumn, distinct: int
) -> tuple[str, ...]:
    if kind_of(column.type.name) != "text" or not 0 < distinct <= VALUES_A_COLUMN:
        return ()
    name = psql.Identifier(column.name)
    query = psql.SQL(
        "select distinct {0}::pg_catalog.text from {1} "
        "where pg_catalog.length({0}::pg_catalog.text) operator(pg_catalog.<=) {2} order by 1"
    )
    return tuple(
        value for (value,) in _fetch(connection, query.format(name, _sample(ref), LONGEST_VALUE)) if value
    )


# ------------------------------------------------------------------ joins


def _joins(
    connection: psycopg.Connection[Any], catalog: Catalog, tables: Sequence[TableContext]
) -> Iterator[Join]:
    columns = {(c.table, c.name): c for t in tables for c in t.columns}
    declared = set()
    owners = {t.ref: t for t in tables}
    for relation in catalog.relations:
        for key in relation.foreign_keys:
            join = _declared(relation, key, columns)
            if join is None:
                continue
            yield join
            # a column of a key of several may join another table by itself
            if not join.more:
                declared.add((join.many.table, join.many.name))
    for many in columns.values():
        if (many.table, many.name) in declared or not _refers(many):
            continue
        found = [one for one in columns.values() if _may_join(many, one, tables)]
        shares = {one: _contained(connection, many, one) for one in found}
        kept = [one for one in found if shares[one] >= _CONTAINED]
        # a table of links holds the same keys and owns none of them
        kept = [one for one in kept if not _links(owners[one.table])] or kept
        named = [one for one in kept if _names_owner(many, owners[one.table])]
        named = named or [one for one in kept if _names_last(many, owners[one.table])]
        # the one table that is called like the column is meant
        kept = _by_key(named if len(named) == 1 else kept)
        for one in kept:
            role = many.kind == "text" and many.name.lower() != one.name.lower()
            role = role and _names_last(many, owners[one.table])
            yield Join(many, one, _BY_ROLE if role else 0.95 if len(kept) == 1 else 0.8)
        if not kept:
            told = [one for one in found if shares[one] >= _MOSTLY and _same_name_of(many, one, owners)]
            if len(told) == 1:
                yield Join(many, told[0], _PARTLY)
        said = _told_by_comment(connection, many, tables) if not kept else None
        if said is not None:
            yield Join(many, said, _BY_COMMENT)
        elif not found and _is_above(connection, many, owners[many.table]):
            yield Join(many, next(c for c in owners[many.table].columns if c.key), _ABOVE_IT)


def _told_by_comment(
    connection: psycopg.Connection[Any], many: ColumnContext, tables: Sequence[TableContext]
) -> ColumnContext | None:
    """The key of the table whose rows a column's comment speaks of: `employee who drives`. All values are
    keys, and no row refers to itself.
    """
    said = name_in(many.comment)
    named = [t for t in tables if said and said in {t.words, name_in(t.comment)}]
    key = next((c for c in named[0].columns if c.key), None) if len(named) == 1 else None
    if key is None or many.key or many.unique or key.kind != many.kind:
        return None
    itself = key.table == many.table and _refers_to_itself(connection, many, key)
    return None if itself or _contained(connection, many, key) < _CONTAINED else key


def _is_above(connection: psycopg.Connection[Any], many: ColumnContext, owner: TableContext) -> bool:
    """Whether a column names a row of its own table, a superior or the one before: by its name, where all of
    its values are keys and no row refers to itself.
    """
    key = next((c for c in owner.columns if c.key), None)
    if key is None or key.type != many.type or many.unique or not set(many.words) & _ABOVE:
        return False
    return _contained(connection, many, key) >= _CONTAINED and not _refers_to_itself(connection, many, key)


def _refers_to_itself(connection: psycopg.Connection[Any], many: ColumnContext, key: ColumnContext) -> bool:
    """Whether any row of a table holds its own key in another column."""
    query = psql.SQL(
        "select pg_catalog.count(*) from {sample} where s.{column} operator(pg_catalog.=) s.{key}"
    ).format(sample=_sample(key.table), column=psql.Identifier(many.name), key=psql.Identifier(key.name))
    return bool(_fetch(connection, query)[0][0])


def _refers(column: ColumnContext) -> bool:
    """Whether it is of a type of which keys are."""
    return column.kind == "number" or column.type == "uuid" or is_text(column.type)


def _declared(
    table: Table, key: ForeignKey, columns: Mapping[tuple[TableRef, str], ColumnContext]
) -> Join | None:
    """None where the role can't read all its columns. What is in fewest of the table's keys says most."""
    many = [columns.get((table.ref, name)) for name in key.columns]
    one = [columns.get((key.target, name)) for name in key.target_columns]
    pairs = [(a, b) for a, b in zip(many, one, strict=True) if a is not None and b is not None]
    if len(pairs) < len(key.columns):
        return None
    used = Counter(name for other in table.foreign_keys for name in other.columns)
    (first, target), *more = sorted(pairs, key=lambda pair: used[pair[0].name])
    own = [set(other.columns) for other in table.keys if other.usable]
    return Join(first, target, 1.0, tuple(more), paired=any(o <= set(key.columns) for o in own))


def _one_way(found: list[Join], tables: Sequence[TableContext]) -> list[Join]:
    """Of two joins that mirror one another that to the table whose own key it is."""
    owners = {t.ref: t for t in tables}
    pairs = {(j.many, j.one) for j in found}

    def mirrored(join: Join) -> bool:
        own = _names_owner(join.many, owners[join.many.table])
        other = _names_owner(join.one, owners[join.one.table])
        return join.likelihood < 1 and (join.one, join.many) in pairs and own and not other

    return [join for join in found if not mirrored(join)]


def _by_key(found: list[ColumnContext]) -> list[ColumnContext]:
    """Of several columns of one table the key: `coupon_id` is no `merchant_id` of coupons, however unique."""
    keyed = {one.table for one in found if one.key}
    return [one for one in found if one.key or one.table not in keyed]


def _same_name_of(many: ColumnContext, one: ColumnContext, owners: Mapping[TableRef, TableContext]) -> bool:
    """A city's `state_name` and that of the states, though not all of its states are among them."""
    return many.name.lower() == one.name.lower() and _names_owner(one, owners[one.table])


def _links(table: TableContext) -> bool:
    """A table of two or three identifiers joins others; it owns none of them."""
    ids = [c for c in table.columns if c.name.lower().endswith(("id", "code", "key"))]
    return 1 < len(ids) == len(table.columns) <= 3


def _names_owner(column: ColumnContext, owner: TableContext) -> bool:
    """`paper_id` and `paperid` name the table paper."""
    spelled = "".join(owner.words)
    joined = "".join(column.words)
    # the jid of a journal
    initial = len(owner.words) == 1 and column.name.lower() == f"{spelled[:1]}id"
    return initial or joined in {spelled + suffix for suffix in ("id", "code", "key", "name", "number", "no")}


def _names_last(column: ColumnContext, owner: TableContext) -> bool:
    """`from_airport`, `pre_course_id`: a role before the name of the table."""
    referred = tuple(names.referred(column.name).split())
    role = referred[: -len(owner.words)]
    return bool(role) and not set(role) & _COUNTS and referred[-len(owner.words) :] == owner.words


def _ends_so(referred: Sequence[str], owner: Sequence[str]) -> bool:
    """The `keeper` of an apiary, where the people are beekeepers."""
    both = len(referred) == len(owner) == 1
    return both and len(referred[0]) >= _SHARED_TAIL and owner[0].endswith(referred[0])


def _may_join(many: ColumnContext, one: ColumnContext, tables: Sequence[TableContext]) -> bool:
    if (
        many.table == one.table
        or not one.unique
        or one.kind != many.kind
        or (many.key and one.name != many.name)
    ):
        return False
    # what is measured is no key
    if many.kind == "number" and {many.type, one.type} & {"numeric", "float4", "float8", "money"}:
        return False
    a, b = many.name.lower(), one.name.lower()
    owner = next(t for t in tables if t.ref == one.table)
    if a == b:
        first = one.key or owner.columns[0].name == one.name or _names_owner(one, owner)
        # `id` counts the rows of its own table, and a `name` alone says nothing
        return a != "id" and (not many.unique or first) and bool(set(one.words) - _SAYS_LITTLE)
    referred = tuple(names.referred(many.name).split())
    if referred and (referred == owner.words or _ends_so(referred, owner.words)):
        return True
    if many.unique and a != b and _names_owner(many, next(t for t in tables if t.ref == many.table)):
        return False  # what a row is known by itself
    if _names_last(many, owner):
        # a flight's `from_airport`, by what the airport is known
        return one.key or owner.columns[0].name == one.name or _names_owner(one, owner)
    # `ship_captain_id` and `captain_id` end alike
    shared = 0
    while shared < min(len(a), len(b)) and a[-1 - shared] == b[-1 - shared]:
        shared += 1
    return shared >= _SHARED_TAIL and a[-2:] == "id" and shared > 2


def _contained(connection: psycopg.Connection[Any], many: ColumnContext, one: ColumnContext) -> float:
    """Which part of the values of the one is among those of the other; 0 where there are none."""
    query = psql.SQL(
        "select pg_catalog.count(*), pg_catalog.count(*) filter (where exists ("
        "select from {one} o where o.{key} operator(pg_catalog.=) s.{column})) "
        "from {sample} where s.{column} is not null"
    ).format(
        one=psql.Identifier(one.table.schema, one.table.name),
        key=psql.Identifier(one.name),
        column=psql.Identifier(many.name),
        sample=_sample(many.table),
    )
    try:
        held, matched = _fetch(connection, query)[0]
    except psycopg.errors.UndefinedFunction:  # a type that only its extension compares
        return 0.0
    return matched / held if held else 0.0
