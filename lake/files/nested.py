"""JSON and Parquet whose values have parts: fields of a struct are columns, a list of structs is a table of
its own with the key of its row.

Owns the table expressions that take nested values apart, and those of GeoJSON, whose features are rows.
Nothing is copied. A list of structs also stays in its row, as it is.
docs/decisions/0347-nested-values-as-columns-and-tables.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.quoting import quoted
from rewright.engines.duckdb.reading import file_literal
from rewright.lake import names
from rewright.lake.files.pieces import Piece, Unserved
from rewright.lake.files.rows import distinct

# structs in structs; what is deeper stays one value
_DEEPEST = 4
# objects with keys that are data (a field for each id) would have one for each row
_MOST_COLUMNS = 2000
# DuckDB's own default for one JSON object
_OBJECT_BYTES = 16 << 20
_LONGEST_TYPE = 20_000
"""Characters of a type's name from which on it is left as it is."""
_WHOLE = "[+-]?(0|[1-9][0-9]{0,17})"
_NUMBER = "[+-]?(0|[1-9][0-9]{0,17})([.][0-9]+)?([eE][+-]?[0-9]{1,2})?"
"""Texts that are numbers: `007` is a code."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A column to be: its name, the expression that reads it, its type; `items`: the type of a struct in a
    list.
    """

    name: str
    sql: str
    type: Any
    items: Any = None


def tables_of_json(connection: Any, path: Path, original: Path) -> list[Piece]:
    """The file's rows and a piece for each list of structs in them; one piece without SQL where nothing is
    nested.

    :raises Unserved: a feature collection without features.
    """
    size = max(_OBJECT_BYTES, min(4 * path.stat().st_size, 1 << 30))
    base = f"read_json({file_literal(path)}, auto_detect=true, sample_size=-1, maximum_object_size={size})"
    try:
        columns = _typed(connection, base)
    except duckdb.Error as error:
        if path.name.lower().endswith(".geojson"):
            raise Unserved(f"not served: GeoJSON, but it cannot be read ({type(error).__name__})") from error
        return [Piece(original, path)]
    features = _features(columns)
    if features is not None:
        return _split(
            connection,
            original,
            path,
            f"(SELECT unnest(features) AS feature FROM {base})",
            list(_of_feature(features)),
        )
    if path.name.lower().endswith(".geojson"):
        raise Unserved("not served: GeoJSON without features")
    told = [_Field(name, quoted(name), type_) for name, type_ in columns]
    return _taken_apart(connection, original, path, base, _one_type(connection, base, told))


def _taken_apart(connection: Any, original: Path, path: Path, base: str, told: list[_Field]) -> list[Piece]:
    """The pieces of a file whose columns may be nested; it as it is where none is, or where its rows do not
    fit into memory.
    """
    fields = list(_flat(told, _DEEPEST))
    if all(field.items is None and field.sql == quoted(field.name) for field in fields):
        return [Piece(original, path)]
    try:
        return _split(connection, original, path, base, fields)
    except duckdb.Error:
        return [Piece(original, path)]


def _one_type(connection: Any, base: str, fields: list[_Field]) -> list[_Field]:
    """Values that are numbers here and texts there are numbers where all of them can be, else texts; objects
    and lists among them stay what they are.
    """
    mixed = [field for field in fields if str(field.type) == "JSON"]
    if not mixed:
        return fields
    asked = ", ".join(
        f"count({f.sql}) FILTER (json_type({f.sql}) IN ('OBJECT', 'ARRAY')), count({f.sql} ->> '$'),"
        f" count({f.sql}) FILTER (regexp_full_match({f.sql} ->> '$', '{_WHOLE}')),"
        f" count({f.sql}) FILTER (regexp_full_match({f.sql} ->> '$', '{_NUMBER}')),"
        f" count({f.sql}) FILTER (json_type({f.sql}) NOT IN ('VARCHAR', 'NULL'))"
        for f in mixed
    )
    try:
        counts = connection.execute(f"SELECT {asked} FROM {base}").fetchone()
    except duckdb.Error:
        return fields
    settled: dict[str, _Field] = {}
    for i, field in enumerate(mixed):
        nested, filled, whole, numbers, plain = counts[5 * i : 5 * i + 5]
        text = f"({field.sql} ->> '$')"
        if nested or not filled or not plain:
            continue
        if whole == filled:
            settled[field.name] = _Field(field.name, f"CAST({text} AS BIGINT)", duckdb.sqltypes.BIGINT)
        elif numbers == filled:
            settled[field.name] = _Field(field.name, f"CAST({text} AS DOUBLE)", duckdb.sqltypes.DOUBLE)
        else:
            settled[field.name] = _Field(field.name, text, duckdb.sqltypes.VARCHAR)
    return [settled.get(field.name, field) for field in fields]


def tables_of_parquet(connection: Any, path: Path) -> list[Piece]:
    """As `tables_of_json`, of a file of Parquet."""
    base = f"read_parquet({file_literal(path)})"
    try:
        columns = _typed(connection, base)
    except duckdb.Error:
        return [Piece(path, path)]
    if any(len(str(type_)) > _LONGEST_TYPE for _, type_ in columns):
        return [Piece(path, path)]
    told = [_Field(name, quoted(name), type_) for name, type_ in columns]
    return _taken_apart(connection, path, path, base, told)


def _typed(connection: Any, source: str) -> list[tuple[str, Any]]:
    relation = connection.sql(f"SELECT * FROM {source}")
    return list(zip(relation.columns, relation.types, strict=True))


def _features(columns: Sequence[tuple[str, Any]]) -> Any:
    """The type of the features of a GeoJSON document, or None."""
    found = dict(columns)
    if not {"type", "features"} <= set(found) or found["features"].id != "list":
        return None
    item = _child(found["features"])
    if item.id != "struct":
        return None
    return item if {"properties", "geometry"} <= {name for name, _ in item.children} else None


def _of_feature(feature: Any) -> Iterator[_Field]:
    """Properties as columns; the geometry as a text of GeoJSON, its type, and the place of a point."""
    parts = dict(feature.children)
    if "id" in parts and parts["id"].id not in {"struct", "list"}:
        yield _Field("id", "feature.id", parts["id"])
    if parts["properties"].id == "struct":
        inner = [
            _Field(name, f"feature.properties.{quoted(name)}", type_)
            for name, type_ in parts["properties"].children
        ]
        yield from _flat(inner, _DEEPEST)
    elif parts["properties"].id != "sqlnull":
        yield _Field("properties", "feature.properties", parts["properties"])
    shape = "to_json(feature.geometry)"
    text = duckdb.sqltypes.VARCHAR
    yield _Field("geometry_type", f"json_extract_string({shape}, '$.type')", text)
    point = f"json_extract_string({shape}, '$.type') = 'Point'"
    for i, name in enumerate(("longitude", "latitude")):
        number = f"TRY_CAST(json_extract_string({shape}, '$.coordinates[{i}]') AS DOUBLE)"
        yield _Field(name, f"CASE WHEN {point} THEN {number} END", duckdb.sqltypes.DOUBLE)
    yield _Field("geometry", f"CAST({shape} AS VARCHAR)", text)


def _flat(fields: Sequence[_Field], depth: int) -> Iterator[_Field]:
    for field in fields:
        if field.type.id == "struct" and depth > 0:
            inner = [
                _Field(f"{field.name}_{name}", f"({field.sql}).{quoted(name)}", type_)
                for name, type_ in field.type.children
            ]
            yield from _flat(inner, depth - 1)
        elif field.type.id == "list" and _child(field.type).id == "struct":
            yield replace(field, items=_child(field.type))
        else:
            yield field


def _child(type_: Any) -> Any:
    return dict(type_.children)["child"]


def _split(connection: Any, original: Path, path: Path, base: str, fields: list[_Field]) -> list[Piece]:
    fields = _renamed(fields)
    lists = [field for field in fields if field.items is not None]
    key = _key(connection, base, fields) if lists else None
    if lists and key is None:
        # rows without a name of their own are told apart by their place
        mark = hashlib.blake2b(str(original).encode(), digest_size=4).hexdigest()
        base = f"(SELECT '{mark}-' || row_number() OVER () AS _row, * FROM {base})"
        key = _Field(distinct([*(f.name for f in fields), "row_id"])[-1], "_row", duckdb.sqltypes.VARCHAR)
        fields = [key, *fields]
    note = [
        field for field in fields if field.sql not in {quoted(field.name), "_row"} and field.items is None
    ]
    mixed = [field.name for field in note if "->> '$')" in field.sql]
    parts = [field.name for field in note if field.name not in mixed]
    told = (("fields of structs as columns", parts), ("values of several types read as one", mixed))
    notes = tuple(f"{what}: {', '.join(found)[:200]}" for what, found in told if found)
    pieces = [Piece(original, path, "", _select(fields, base), notes)]
    for field in lists:
        assert key is not None
        reference = _reference(key.name, path)
        kept = [_Field(reference, key.sql, key.type)]
        pieces += _children(original, path, base, field, kept, field.name, _DEEPEST)
    return pieces


def _children(
    original: Path, path: Path, base: str, field: _Field, keys: list[_Field], label: str, depth: int
) -> list[Piece]:
    """The table of a list's items, and those of lists in them."""
    carried = ", ".join(f"{key.sql} AS {quoted(key.name)}" for key in keys)
    place = "position" if len(keys) == 1 else f"{label}_position"
    inner = (
        f"(SELECT {carried}, generate_subscripts({field.sql}, 1) AS {quoted(place)}, unnest({field.sql}) AS "
        f"_item FROM {base})"
    )
    own = [_Field(key.name, quoted(key.name), key.type) for key in keys]
    own.append(_Field(place, quoted(place), duckdb.sqltypes.BIGINT))
    parts = [_Field(name, f"_item.{quoted(name)}", type_) for name, type_ in field.items.children]
    fields = _renamed([*own, *_flat(parts, depth)])
    note = f"items of {field.name}: {', '.join(key.name for key in keys)} tells the row they are of"
    pieces = [Piece(original, path, label, _select(fields, inner), (note,))]
    if depth > 1:
        outer = [
            *own[:-1],
            _Field(f"{label}_position" if len(keys) == 1 else place, quoted(place), own[-1].type),
        ]
        for nested in (one for one in fields if one.items is not None):
            pieces += _children(original, path, inner, nested, outer, f"{label}_{nested.name}", depth - 1)
    return pieces


def _renamed(fields: Sequence[_Field]) -> list[_Field]:
    if len(fields) > _MOST_COLUMNS:
        raise Unserved(f"not served: JSON with more than {_MOST_COLUMNS} different fields")
    told = distinct([field.name for field in fields])
    return [replace(field, name=name) for field, name in zip(fields, told, strict=True)]


def _select(fields: Sequence[_Field], base: str) -> str:
    return f"(SELECT {', '.join(f'{field.sql} AS {quoted(field.name)}' for field in fields)} FROM {base})"


def _key(connection: Any, base: str, fields: Sequence[_Field]) -> _Field | None:
    """A column that names each row: called like a key, without NULLs, each value once."""
    scalar = [
        f
        for f in fields
        if f.items is None and f.type.id in {"bigint", "integer", "varchar", "uuid", "ubigint", "hugeint"}
    ]
    called = [f for f in scalar if set(names.words(f.name)) & names.KEY_WORDS]
    for field in sorted(called, key=lambda f: (names.normal(f.name) != "id", fields.index(f)))[:5]:
        rows, filled, different = connection.execute(
            f"SELECT count(*), count({field.sql}), count(DISTINCT {field.sql}) FROM {base}"
        ).fetchone()
        if rows == filled == different:
            return field
    return None


def _reference(key: str, path: Path) -> str:
    """What a child calls its row's key: `id` of `orders.json` is `order_id`."""
    if names.normal(key) not in {"id", "key", "code", "row id", "number", "no"}:
        return key
    stem = path.name.split(".")[0]
    return f"{names.singular(stem)}_{key}"
