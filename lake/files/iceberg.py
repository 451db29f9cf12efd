"""Iceberg tables: which files of the current snapshot count, which of their rows were deleted, and what their
columns are called now.

Owns reading the metadata, manifest lists and manifests (https://iceberg.apache.org/spec/, versions 1 and 2).
A table that asks more of its readers is refused by name.
docs/decisions/0711-iceberg-tables-by-their-manifests.md.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import duckdb

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.engines.duckdb.reading import file_literal
from rewright.lake.files.avro import records
from rewright.lake.files.pieces import Piece, Unit, Unserved

_METADATA = re.compile(r"v?(\d+)(?:-[0-9a-fA-F-]+)?(?:\.gz)?\.metadata\.json(?:\.gz)?")
# metadata is parsed in memory
_MOST_BYTES = 256 << 20
_MOST_FILES = 20_000
_TYPES = {
    "boolean": "BOOLEAN", "int": "INTEGER", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE",
    "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMPTZ",
    "string": "VARCHAR", "uuid": "UUID", "binary": "BLOB",
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_FIXED = re.compile(r"fixed\[\d+\]")
# content of a data file: rows, or positions of deleted rows (Iceberg specification, "Manifests")
_DATA, _POSITIONS = 0, 1
_DELETED = 2
"""A manifest's entry of a file that is none of the table's any more."""
_DELETES_PATH, _DELETES_POSITION = 2147483546, 2147483545
"""Field ids of the two columns of a file of deleted positions."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file that a manifest names: as it names it, where it is, and since which change of the table."""

    told: str
    path: Path
    content: int
    sequence: int
    partition: Mapping[str, Any]
    spec: int


@dataclass(frozen=True, slots=True)
class _Element:
    """A column of a Parquet file, or a part of one: its name, its field id and what is nested in it."""

    name: str
    id: int | None
    parts: tuple[_Element, ...]


def iceberg_unit(folder: Path, connection: Any) -> Unit:
    """The table of a folder with Iceberg's metadata: the rows of its current snapshot, with the columns of
    its current schema.

    :raises Unserved: its metadata are not whole, or ask what is not served; the message says what.
    """
    try:
        return _Table(folder, connection).unit()
    except (
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        OSError,
        EOFError,
        RecursionError,
        duckdb.Error,
    ) as error:
        raise _unserved("whose metadata cannot be read") from error


def _unserved(why: str) -> Unserved:
    return Unserved(f"not served: a table of the format Iceberg {why}")


class _Table:
    """One table, while it is read."""

    def __init__(self, folder: Path, connection: Any) -> None:
        self._folder = folder
        self._connection = connection
        self._metadata = _current_metadata(folder / "metadata")
        self._location = str(self._metadata.get("location") or "").rstrip("/")
        version = int(self._metadata.get("format-version", 1))
        if version not in {1, 2}:
            raise _unserved(f"of version {version}")

    def unit(self) -> Unit:
        fields = self._fields()
        files = list(self._files())
        data = [file for file in files if file.content == _DATA]
        if not data:
            raise _unserved("without rows")
        held = self._held([file.path for file in files])
        deletes = [file for file in files if file.content == _POSITIONS]
        pieces = [self._piece(file, fields, held, deletes) for file in data]
        return Unit(self._folder, tuple(pieces), ((),) * len(pieces))

    def _fields(self) -> Sequence[Mapping[str, Any]]:
        """The columns of the current schema."""
        current = self._metadata.get("current-schema-id")
        schemas = self._metadata.get("schemas") or [self._metadata["schema"]]
        found = [s for s in schemas if current is None or s.get("schema-id", 0) == current]
        return list(found[-1]["fields"])

    # --- which files --------------------------------------------------------------------------------------

    def _files(self) -> Iterator[_File]:
        """The files of the current snapshot."""
        current = self._metadata.get("current-snapshot-id")
        snapshots = [s for s in self._metadata.get("snapshots") or () if s["snapshot-id"] == current]
        if not snapshots or current in {None, -1}:
            raise _unserved("without rows")
        snapshot, found = snapshots[0], 0
        for manifest in self._manifests(snapshot):
            for file in self._entries(manifest):
                found += 1
                if found > _MOST_FILES:
                    raise _unserved(f"of more than {_MOST_FILES} files")
                yield file

    def _manifests(self, snapshot: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        if "manifest-list" in snapshot:
            yield from records(self._inside(snapshot["manifest-list"]))
        else:
            # version 1 may list them in the metadata
            yield from ({"manifest_path": path} for path in snapshot["manifests"])

    def _entries(self, manifest: Mapping[str, Any]) -> Iterator[_File]:
        for entry in records(self._inside(manifest["manifest_path"])):
            if entry["status"] == _DELETED:
                continue
            told = entry["data_file"]
            content = int(told.get("content") or _DATA)
            if content not in {_DATA, _POSITIONS}:
                raise _unserved("with deletes by equal values")
            if str(told["file_format"]).upper() != "PARQUET":
                raise _unserved(f"with files of the format {told['file_format']}")
            if told.get("key_metadata"):
                raise _unserved("with files that are encrypted")
            # a file of a new manifest has its manifest's number
            number = entry.get("sequence_number")
            sequence = int(manifest.get("sequence_number") or 0) if number is None else int(number)
            path = str(told["file_path"])
            yield _File(
                path,
                self._inside(path),
                content,
                sequence,
                told.get("partition") or {},
                int(manifest.get("partition_spec_id") or 0),
            )

    def _inside(self, told: str) -> Path:
        """Where a file is that the metadata name: below the table's folder, which may have been moved."""
        if self._location and told.startswith(f"{self._location}/"):
            path = self._folder / told[len(self._location) + 1 :]
        else:
            parts = urlsplit(told) if "://" in told or told.startswith("file:") else None
            if parts is not None and (parts.scheme != "file" or parts.netloc):
                raise _unserved("with files outside of its folder")
            path = Path(unquote(parts.path) if parts is not None else told)
        # Metadata may name any file of the machine, through links, too: only what lies in the folder is the
        # lake's.
        if not path.resolve().is_relative_to(self._folder.resolve()):
            raise _unserved("with files outside of its folder")
        if not path.is_file():
            raise _unserved("of which a file is gone")
        return path

    # --- what they hold -----------------------------------------------------------------------------------

    def _held(self, paths: Sequence[Path]) -> dict[str, tuple[_Element, ...]]:
        """The columns of each Parquet file."""
        listed = ", ".join(file_literal(path) for path in dict.fromkeys(paths))
        rows = self._connection.execute(
            f"SELECT file_name, name, field_id, num_children FROM parquet_schema([{listed}])"
        ).fetchall()
        flat: defaultdict[str, list[tuple[str, int | None, int]]] = defaultdict(list)
        for file, name, field_id, children in rows:
            flat[file].append((name, field_id, children or 0))
        return {file: _element(iter(elements)).parts for file, elements in flat.items()}

    def _piece(
        self,
        file: _File,
        fields: Sequence[Mapping[str, Any]],
        held: Mapping[str, tuple[_Element, ...]],
        deletes: Sequence[_File],
    ) -> Piece:
        elements = held[str(file.path)]
        # Without ids a renamed column could not be told from another one.
        if any(one.id is None for one in elements):
            raise _unserved("with files without field ids")
        by_id = {one.id: one for one in elements}
        listed = ", ".join(
            f"{self._value(field, by_id.get(int(field['id'])), file)} AS {quoted(str(field['name']))}"
            for field in fields
        )
        source = f"read_parquet({file_literal(file.path)}, hive_partitioning = false"
        # Deletes hold for files that were there when they were written ("Scan Planning" in the
        # specification).
        later = [one for one in deletes if one.sequence >= file.sequence]
        if not later:
            return Piece(file.path, file.path, sql=f"(SELECT {listed} FROM {source}))")
        gone = " UNION ALL ".join(self._deleted(one, held[str(one.path)], file.told) for one in later)
        return Piece(
            file.path,
            file.path,
            sql=f"(SELECT {listed} FROM {source}, file_row_number = true) "
            f"WHERE file_row_number NOT IN (SELECT pos FROM ({gone}) WHERE pos IS NOT NULL))",
        )

    @staticmethod
    def _deleted(file: _File, elements: Sequence[_Element], told: str) -> str:
        """The positions that a file of deletes tells of a data file."""
        by_id = {one.id: one.name for one in elements}
        path, position = by_id.get(_DELETES_PATH, "file_path"), by_id.get(_DELETES_POSITION, "pos")
        source = f"read_parquet({file_literal(file.path)}, hive_partitioning = false)"
        return f"SELECT {quoted(position)} AS pos FROM {source} WHERE {quoted(path)} = {literal(told)}"

    def _value(self, field: Mapping[str, Any], element: _Element | None, file: _File) -> str:
        """An expression for a column: what the file has under its id, whatever it was called then."""
        type_ = field["type"]
        if not isinstance(type_, str):
            if element is None:
                raise _unserved("with nested columns that older files do not have")
            if not _same(type_, element):
                raise _unserved("with nested columns that were changed")
            return quoted(element.name)
        wanted = _type(type_)
        source = quoted(element.name) if element is not None else self._of_partition(field, file)
        return f"CAST({source} AS {wanted})"

    def _of_partition(self, field: Mapping[str, Any], file: _File) -> str:
        """What the manifest says of a column by which a file was parted and that it does not hold; else
        NULL.
        """
        specs = self._metadata.get("partition-specs") or [
            {"spec-id": 0, "fields": self._metadata.get("partition-spec") or ()}
        ]
        for spec in specs:
            if spec["spec-id"] != file.spec:
                continue
            for one in spec["fields"]:
                if one["source-id"] == field["id"] and one["transform"] == "identity":
                    return _constant(file.partition.get(one["name"]), str(field["type"]))
        return "NULL"


def _current_metadata(folder: Path) -> Mapping[str, Any]:
    """The newest metadata: of the version that the hint names, else of the highest."""
    found: defaultdict[int, list[Path]] = defaultdict(list)
    for file in folder.iterdir():
        if (match := _METADATA.fullmatch(file.name)) is not None and file.is_file():
            found[int(match[1])].append(file)
    hint = folder / "version-hint.text"
    told = hint.read_text(encoding="utf-8").strip() if hint.is_file() else ""
    number = int(told) if told.isdigit() else max(found)
    # Two files of one version: two writers, of which one has lost, and which cannot be seen here.
    if len(found.get(number, ())) != 1:
        raise _unserved("whose current metadata cannot be told")
    file = found[number][0]
    if file.stat().st_size > _MOST_BYTES:
        raise _unserved(f"with metadata of more than {_MOST_BYTES >> 20} MB")
    with gzip.open(file) if ".gz" in file.suffixes else file.open("rb") as opened:
        # A packed file may be many times as large as it looks: one byte more tells that it is.
        text = opened.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES:
        raise _unserved(f"with metadata of more than {_MOST_BYTES >> 20} MB")
    metadata: Mapping[str, Any] = json.loads(text)
    return metadata


def _element(rest: Iterator[tuple[str, int | None, int]]) -> _Element:
    """An element and those in it: they follow it, in order."""
    name, field_id, children = next(rest)
    return _Element(name, field_id, tuple(_element(rest) for _ in range(children)))


def _type(told: str) -> str:
    """DuckDB's type of a plain one."""
    if (decimal := _DECIMAL.fullmatch(told)) is not None:
        return f"DECIMAL({decimal[1]},{decimal[2]})"
    if _FIXED.fullmatch(told):
        return "BLOB"
    if told not in _TYPES:
        raise _unserved(f"with columns of the type {told}")
    return _TYPES[told]


def _same(type_: Any, element: _Element) -> bool:
    """Has a nested column of a file the parts of the schema's, under the same names?"""
    ids = dict(_ids(element))
    wanted = dict(_wanted(type_))
    return ids.keys() == wanted.keys() and all(name is None or ids[at] == name for at, name in wanted.items())


def _ids(element: _Element) -> Iterator[tuple[int, str]]:
    for part in element.parts:
        if part.id is not None:
            yield part.id, part.name
        yield from _ids(part)


def _wanted(type_: Any) -> Iterator[tuple[int, str | None]]:
    """The ids in a nested type, and the names of fields; items of lists and maps have none."""
    if isinstance(type_, str):
        _type(type_)
        return
    inner: list[tuple[int, str | None, Any]] = []
    match type_["type"]:
        case "struct":
            inner = [(one["id"], one["name"], one["type"]) for one in type_["fields"]]
        case "list":
            inner = [(type_["element-id"], None, type_["element"])]
        case "map":
            inner = [(type_["key-id"], None, type_["key"]), (type_["value-id"], None, type_["value"])]
    for at, name, nested in inner:
        yield int(at), name
        yield from _wanted(nested)


def _constant(value: Any, type_: str) -> str:
    """A partition's value as SQL."""
    if value is None:
        return "NULL"
    if type_ == "date" and isinstance(value, int):
        return f"DATE {literal(str(date(1970, 1, 1) + timedelta(days=value)))}"
    if type_ in {"string", "int", "long", "boolean", "float", "double"} and isinstance(
        value, (str, int, float)
    ):
        return literal(value) if isinstance(value, str) else str(value)
    raise _unserved(f"parted by values of the type {type_} that its files do not hold")
