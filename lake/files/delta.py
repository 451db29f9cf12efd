"""Delta tables: which files of a folder count, and what its log says of them.

Owns reading the log (https://github.com/delta-io/delta/blob/master/PROTOCOL.md): the last checkpoint, the
commits after it, the schema. A table that asks more of its readers than this is refused by name.
docs/decisions/0622-delta-tables-by-their-log.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb

from rewright.engines.duckdb.quoting import literal, quoted
from rewright.engines.duckdb.reading import file_literal
from rewright.lake.files.pieces import Piece, Unit, Unserved

_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")
# a log is parsed in memory; a table with a larger one needs a checkpoint
_MOST_BYTES = 256 << 20
_UNDERSTOOD = frozenset({"timestampNtz", "vacuumProtocolCheck", "deletionVectors", "columnMapping"})
"""Features of readers; of the last two only tables that make no use of them."""
_TYPES = {
    "string": "VARCHAR", "long": "BIGINT", "integer": "INTEGER", "short": "SMALLINT", "byte": "TINYINT",
    "float": "FLOAT", "double": "DOUBLE", "boolean": "BOOLEAN", "binary": "BLOB", "date": "DATE",
    "timestamp": "TIMESTAMPTZ", "timestamp_ntz": "TIMESTAMP",
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


@dataclass(slots=True)
class _State:
    """What the log has said so far."""

    live: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    protocol: Mapping[str, Any] = field(default_factory=dict)

    def take(self, action: Mapping[str, Any]) -> None:
        if (removed := action.get("remove")) is not None:
            self.live.pop(removed["path"], None)
        if (added := action.get("add")) is not None:
            self.live[added["path"]] = added
        self.metadata = action.get("metaData") or self.metadata
        self.protocol = action.get("protocol") or self.protocol


def delta_unit(folder: Path, connection: Any) -> Unit:
    """The table of a folder with a Delta log: its files that count, with the columns of its schema.

    :raises Unserved: the log is not whole, or asks what is not served; the message says what.
    """
    try:
        state = _read(folder / "_delta_log", connection)
        _check(state)
        columns = _columns(state)
        partitions = [str(name) for name in state.metadata.get("partitionColumns") or ()]
        pieces = tuple(_piece(folder, added, columns, partitions) for added in state.live.values())
    except (KeyError, TypeError, ValueError, AttributeError, OSError, RecursionError, duckdb.Error) as error:
        raise _unserved("whose log cannot be read") from error
    if not pieces:
        raise _unserved("without rows")
    return Unit(folder, pieces, ((),) * len(pieces))


def _unserved(why: str) -> Unserved:
    return Unserved(f"not served: a table of the format Delta {why}")


# --- the log ------------------------------------------------------------------------------------------


def _read(log: Path, connection: Any) -> _State:
    files = [file for file in log.iterdir() if file.is_file()]
    if sum(file.stat().st_size for file in files) > _MOST_BYTES:
        raise _unserved(f"with a log of more than {_MOST_BYTES >> 20} MB")
    version, checkpoint = _last_checkpoint(files)
    commits = {int(found[1]): file for file in files if (found := _COMMIT.fullmatch(file.name))}
    later = sorted(number for number in commits if number > version)
    # a commit that is missing may have removed rows
    if later != list(range(version + 1, version + 1 + len(later))):
        raise _unserved("whose log has gaps")
    state = _State()
    for file in checkpoint:
        for action in _rows(file, connection):
            state.take(action)
    for number in later:
        for line in commits[number].read_text(encoding="utf-8").splitlines():
            if line.strip():
                state.take(json.loads(line))
    return state


def _last_checkpoint(files: list[Path]) -> tuple[int, list[Path]]:
    """The version of the last whole checkpoint and its parts; -1: there is none."""
    parts: dict[tuple[int, int], list[Path]] = {}
    for file in sorted(files):
        if (found := _CHECKPOINT.fullmatch(file.name)) is not None:
            parts.setdefault((int(found[1]), int(found[3] or 1)), []).append(file)
    whole = [(version, told) for (version, count), told in parts.items() if len(told) == count]
    return max(whole, default=(-1, []))


def _rows(file: Path, connection: Any) -> Iterator[Mapping[str, Any]]:
    """The actions of a checkpoint: one in each row, the other columns NULL."""
    source = f"read_parquet({file_literal(file)})"
    held = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
    if "sidecar" in held and connection.execute(f"SELECT count(sidecar) FROM {source}").fetchone()[0]:
        raise _unserved("with checkpoints in several files")
    kinds = [kind for kind in ("metaData", "protocol", "add") if kind in held]
    listed = ", ".join(f"CAST(to_json({quoted(kind)}) AS VARCHAR)" for kind in kinds)
    for row in connection.execute(f"SELECT {listed} FROM {source}").fetchall():
        yield {
            kind: json.loads(value)
            for kind, value in zip(kinds, row, strict=True)
            if value not in {None, "null"}
        }


def _check(state: _State) -> None:
    if not state.metadata:
        raise _unserved("whose log has no schema")
    mode = (state.metadata.get("configuration") or {}).get("delta.columnMapping.mode", "none")
    if mode != "none":
        raise _unserved("with column mapping")
    version = int(state.protocol.get("minReaderVersion", 1))
    features = set(state.protocol.get("readerFeatures") or ())
    if version > 3 or features - _UNDERSTOOD:
        told = ", ".join(sorted(features - _UNDERSTOOD)) or f"readers of version {version}"
        raise _unserved(f"that asks for {told}")
    if any(added.get("deletionVector") for added in state.live.values()):
        raise _unserved("with deletion vectors")


# --- its files ----------------------------------------------------------------------------------------


def _columns(state: _State) -> dict[str, str]:
    """Columns and their types; of nested ones an empty text: as the files have them."""
    found = {}
    for one in json.loads(state.metadata["schemaString"])["fields"]:
        type_ = one["type"]
        if isinstance(type_, str) and type_ not in _TYPES:
            if (told := _DECIMAL.fullmatch(type_)) is None:
                raise _unserved(f"with columns of the type {type_}")
            type_ = f"DECIMAL({told[1]},{told[2]})"
        found[str(one["name"])] = _TYPES.get(type_, type_) if isinstance(type_, str) else ""
    return found


def _piece(
    folder: Path, added: Mapping[str, Any], columns: Mapping[str, str], partitions: list[str]
) -> Piece:
    path = unquote(str(added["path"]))
    file = folder / path
    if "://" in path or not file.resolve().is_relative_to(folder.resolve()):
        raise _unserved("with files outside of its folder")
    if not file.is_file():
        raise _unserved("of which a file is gone")
    told = {name: (added.get("partitionValues") or {}).get(name) for name in partitions}
    held = [name for name in columns if name not in told]
    typed = [f"CAST(NULL AS {columns[name]}) AS {quoted(name)}" for name in held if columns[name]]
    # a file from before a column was added does not have it
    source = f"SELECT * FROM read_parquet({file_literal(file)}, hive_partitioning = false)"
    if typed:
        source = f"SELECT {', '.join(typed)} WHERE false UNION ALL BY NAME {source}"
    listed = [
        quoted(name) if name in held else f"{_value(told[name], columns[name])} AS {quoted(name)}"
        for name in columns
    ]
    return Piece(file, file, sql=f"(SELECT {', '.join(listed)} FROM ({source}))")


def _value(text: str | None, type_: str) -> str:
    """A partition's value; an empty text stands for NULL."""
    return f"CAST({literal(text) if text else 'NULL'} AS {type_})"
