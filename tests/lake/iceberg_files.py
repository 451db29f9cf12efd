"""Writing Iceberg tables by hand: Parquet files with field ids, manifests in Avro, metadata."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

_SYNC = b"0123456789abcdef"
_OPTIONAL_LONG = ["null", "long"]


def _integer(value: int) -> bytes:
    left, out = (value << 1) ^ (value >> 63), bytearray()
    while left > 0x7F:
        out.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes([*out, left])


def _text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _integer(len(data)) + data


def _encoded(value: Any, schema: Any) -> Iterator[bytes]:
    if isinstance(schema, list):
        at = schema.index("null") if value is None else 1 - schema.index("null")
        yield _integer(at)
        yield from _encoded(value, schema[at])
        return
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "record":
        for one in schema["fields"]:
            yield from _encoded(value.get(one["name"]), one["type"])
    elif kind == "array":
        # a block with its size before it, as writers may put it
        items = b"".join(part for item in value for part in _encoded(item, schema["items"]))
        yield _integer(-len(value)) + _integer(len(items)) + items + _integer(0) if value else _integer(0)
    elif kind in {"string", "bytes"}:
        yield _text(value)
    elif kind in {"int", "long"}:
        yield _integer(value)
    elif kind == "double":
        yield struct.pack("<d", value)
    elif kind == "boolean":
        yield bytes([value])


def write_avro(path: Path, schema: Any, rows: Sequence[Mapping[str, Any]], codec: str = "deflate") -> None:
    """An object container file of one block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    block = b"".join(part for row in rows for part in _encoded(row, schema))
    if codec == "deflate":
        packer = zlib.compressobj(wbits=-15)
        block = packer.compress(block) + packer.flush()
    head = _integer(2) + _text("avro.schema") + _text(json.dumps(schema)) + _text("avro.codec") + _text(codec)
    path.write_bytes(
        b"Obj\x01" + head + _integer(0) + _SYNC + _integer(len(rows)) + _integer(len(block)) + block + _SYNC
    )


def write_parquet(path: Path, query: str, ids: str) -> None:
    """`ids`: as DuckDB's FIELD_IDS."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as db:
        db.execute(
            f"COPY ({query}) TO '{path}' (FORMAT parquet, FIELD_IDS {{{ids}}})"
            if ids
            else f"COPY ({query}) TO '{path}' (FORMAT parquet)"
        )


def _record(name: str, *fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in fields]}


_LIST = _record(
    "manifest_file",
    ("manifest_path", "string"),
    ("partition_spec_id", "int"),
    ("content", "int"),
    ("sequence_number", "long"),
)


def _manifest(partition: Mapping[str, Any]) -> dict[str, Any]:
    file = _record(
        "r2",
        ("content", "int"),
        ("file_path", "string"),
        ("file_format", "string"),
        ("partition", _record("r102", *partition.items())),
        ("equality_ids", ["null", {"type": "array", "items": "int"}]),
        ("key_metadata", ["null", "bytes"]),
    )
    return _record(
        "manifest_entry", ("status", "int"), ("sequence_number", _OPTIONAL_LONG), ("data_file", file)
    )


def entry(
    path: str, *, status: int = 1, content: int = 0, sequence: int | None = None, **told: Any
) -> dict[str, Any]:
    """A manifest's entry of a file."""
    file = {"content": content, "file_path": path, "file_format": "PARQUET", "partition": {}, **told}
    return {"status": status, "sequence_number": sequence, "data_file": file}


def write_manifests(
    table: Path,
    snapshot: int,
    manifests: Sequence[tuple[int, int, Sequence[Mapping[str, Any]]]],
    *,
    location: str,
    partition: Mapping[str, Any] | None = None,
    codec: str = "deflate",
) -> str:
    """A snapshot's manifests (their sequence number, the id of the partitions' kind, their entries) and their
    list; its path as metadata name it.
    """
    rows = []
    for i, (sequence, spec, entries) in enumerate(manifests):
        name = f"metadata/{snapshot}-m{i}.avro"
        write_avro(table / name, _manifest(partition or {}), entries, codec)
        rows.append(
            {
                "manifest_path": f"{location}/{name}",
                "partition_spec_id": spec,
                "content": 0,
                "sequence_number": sequence,
            }
        )
    name = f"metadata/snap-{snapshot}.avro"
    write_avro(table / name, _LIST, rows, codec)
    return f"{location}/{name}"


def write_metadata(
    table: Path, version: int, told: Mapping[str, Any], name: str = "v{}.metadata.json"
) -> None:
    """The metadata of one version."""
    path = table / "metadata" / name.format(version)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"format-version": 2, **told}))
