"""Preparing a file: what tables it holds, and a copy in a form that DuckDB reads where it has none.

Owns which reader a kind of file has, where copies are kept, and that a file is looked at once a change. Must
not know which files belong together, nor what the tables are called.
docs/decisions/0346-files-become-pieces.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from rewright.engines.duckdb.reading import SUFFIXES, TEXT_SUFFIXES, file_literal, head_columns
from rewright.lake.catalog.storage import Storage
from rewright.lake.files.archives import unpack_members, unpack_stream
from rewright.lake.files.arrow import table_of_arrow
from rewright.lake.files.databases import tables_of_sqlite
from rewright.lake.files.delta import delta_unit
from rewright.lake.files.depth import too_deep
from rewright.lake.files.iceberg import iceberg_unit
from rewright.lake.files.nested import tables_of_json, tables_of_parquet
from rewright.lake.files.pieces import Piece, Unit, Unserved
from rewright.lake.files.sheets import tables_of_workbook
from rewright.lake.files.text import table_copy

JSON_KINDS = (".json", ".ndjson", ".jsonl", ".geojson")
PACKED = (".bz2", ".xz")
SHEETS = (".xlsx", ".xlsm")
DATABASES = (".sqlite", ".sqlite3", ".db")
ARROWS = (".feather", ".arrow")
SERVED = (*SUFFIXES, ".geojson", ".zip", *SHEETS, *DATABASES, *ARROWS)
"""Suffixes of files that may hold tables."""
ENDINGS = (
    *SERVED,
    *(f"{suffix}{packed}" for suffix in (*TEXT_SUFFIXES, *JSON_KINDS) for packed in (".gz", *PACKED)),
)
"""Those, and texts that are packed."""
_MEMORY = "1GB"
_FORMATS: Mapping[str, Callable[[Path, Any], Unit]] = {"Delta": delta_unit, "Iceberg": iceberg_unit}
FORMATS = tuple(_FORMATS)
"""Formats of tables whose log is read."""


class Preparer:
    """Looks into files. Copies lie below `work`; what was found is kept in the catalog by the file's stamp.
    Close it after use.
    """

    def __init__(self, storage: Storage, work: Path) -> None:
        self._storage = storage
        self._work = work
        self._known = storage.prepared()
        self._used: set[str] = set()
        self._empty: Path | None = None

    @cached_property
    def _connection(self) -> Any:
        return duckdb.connect(
            ":memory:",
            config={
                # A file of the lake must not make the machine fetch code.
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
                "memory_limit": _MEMORY,
                "threads": 2,
                "python_enable_replacements": False,
            },
        )

    def of_format(self, format_: str, folder: Path) -> Unit:
        """The table of a folder with the log of Delta, or the metadata of Iceberg.

        :raises Unserved: it is not served; the message says why.
        """
        return _FORMATS[format_](folder.resolve(), self._connection)

    def pieces(self, path: Path) -> list[Piece]:
        """What tables a file holds.

        :raises Unserved: none that is served; the message says why.
        :raises OSError: it is gone.
        """
        stat = path.stat()
        stamp = [stat.st_size, stat.st_mtime_ns]
        self._used.add(str(path))
        known = self._known.get(str(path))
        if known is None or known["stamp"] != stamp or not self._whole(known):
            known = {"stamp": stamp, **self._looked(path, stamp)}
            self._known[str(path)] = known
            self._storage.put_prepared(str(path), known)
        if known["reason"]:
            raise Unserved(known["reason"])
        return [Piece.of_json(raw) for raw in known["pieces"]]

    def columns(self, piece: Piece) -> list[str]:
        """The names of a piece's columns in lower case; none where it cannot be read."""
        name = piece.path.name.lower().removesuffix(".gz")
        self._begin_anew()
        try:
            if not piece.sql and name.endswith(TEXT_SUFFIXES):
                return [column.lower() for column in head_columns(piece.path)]
            source = (
                piece.sql
                or f"read_{'parquet' if name.endswith('.parquet') else 'json'}({file_literal(piece.path)})"
            )
            return [str(column).lower() for column in self._connection.sql(f"SELECT * FROM {source}").columns]
        except (duckdb.Error, OSError, EOFError, ValueError):
            return []

    def close(self) -> None:
        """Forget files that are no more, with their copies."""
        for path in self._known.keys() - self._used:
            self._storage.drop_prepared(path)
        kept = {self._folder(Path(path), self._known[path]["stamp"]).name for path in self._used}
        if self._work.is_dir():
            for folder in self._work.iterdir():
                if folder.name not in kept and not folder.name.startswith("."):
                    shutil.rmtree(folder, ignore_errors=True)
        if self._empty is not None:
            shutil.rmtree(self._empty, ignore_errors=True)
            self._empty = None
        self._storage.commit()
        if "_connection" in self.__dict__:
            self._connection.close()

    def _begin_anew(self) -> None:
        """What DuckDB could not read of one file leaves its transaction open; nothing more is read in it."""
        if "_connection" in self.__dict__:
            # most times there is none
            with contextlib.suppress(duckdb.Error):
                self._connection.execute("ROLLBACK")

    def _whole(self, known: dict[str, Any]) -> bool:
        """Are the copies still there, and this catalog's own? A copied catalog tells of the first one's."""
        copies = (Path(raw["path"]) for raw in known["pieces"] if raw["path"] != raw["original"])
        return all(copy.is_relative_to(self._work) and copy.exists() for copy in copies)

    def _folder(self, path: Path, stamp: list[int]) -> Path:
        told = f"{path}\0{stamp[0]}\0{stamp[1]}"
        return self._work / hashlib.blake2b(told.encode(errors="surrogateescape"), digest_size=10).hexdigest()

    def _looked(self, path: Path, stamp: list[int]) -> dict[str, Any]:
        """The pieces as they are kept; copies are made in a folder that gets its name once it is whole."""
        final = self._folder(path, stamp)
        self._begin_anew()
        self._work.mkdir(parents=True, exist_ok=True)
        out = self._empty = self._empty or Path(tempfile.mkdtemp(prefix=".", dir=self._work))
        try:
            found = self._read(path, path, out)
            for left in [
                entry
                for entry in out.iterdir()
                if not any(str(entry) in p.sql or p.path == entry for p in found)
            ]:
                left.unlink()
            pieces = [
                replace(
                    p,
                    path=Path(str(p.path).replace(str(out), str(final))),
                    sql=p.sql.replace(str(out), str(final)),
                )
                for p in found
            ]
            if any(out.iterdir()):
                shutil.rmtree(final, ignore_errors=True)
                # another process that prepared the same file meanwhile has made the same copy
                with contextlib.suppress(OSError):
                    out.replace(final)
            return {"reason": "", "pieces": [p.json() for p in pieces]}
        except Unserved as error:
            return {"reason": str(error), "pieces": []}
        except (OSError, EOFError, UnicodeError, ValueError) as error:
            return {"reason": f"it cannot be read: {error}".replace(str(out), ""), "pieces": []}
        finally:
            # most files need no copy: the folder is still empty, and does for the next one
            if not out.is_dir() or any(out.iterdir()):
                shutil.rmtree(out, ignore_errors=True)
                self._empty = None

    def _read(self, original: Path, path: Path, out: Path) -> list[Piece]:
        """The pieces of a file, or of a member or an unpacked copy of it."""
        name = path.name.lower().removesuffix(".gz")
        if name.endswith(PACKED):
            return self._read(original, unpack_stream(path, out), out)
        if name.endswith(".zip"):
            return self._members(path, out)
        if name.endswith(SHEETS):
            return _some(tables_of_workbook(path, out), "a workbook without a table")
        if name.endswith(DATABASES):
            return _some(tables_of_sqlite(path, out), "a database without tables")
        if name.endswith(ARROWS):
            return table_of_arrow(path, out)
        if name.endswith(JSON_KINDS):
            if too_deep(path):
                raise Unserved("not served: nested too deeply")
            return tables_of_json(self._connection, path, original)
        if name.endswith(".parquet") and path == original:
            return tables_of_parquet(self._connection, path)
        if name.endswith(TEXT_SUFFIXES):
            # the copy keeps the suffix, which tells tabs from commas
            target = (
                path.with_name(f"{path.name}.utf8{Path(name).suffix}")
                if path.parent == out
                else out / f"text{Path(name).suffix}"
            )
            notes = table_copy(path, target)
            return [Piece(original, path) if notes is None else Piece(original, target, "", "", notes)]
        return [Piece(original, path)]

    def _members(self, path: Path, out: Path) -> list[Piece]:
        found: list[Piece] = []
        for label, member in unpack_members(path, out):
            try:
                pieces = self._read(path, member, out)
            except Unserved:
                # prose among tables
                continue
            told = f"{label} of {path.name}"
            found += [
                replace(piece, label="_".join(filter(None, (label, piece.label))), notes=(told, *piece.notes))
                for piece in pieces
            ]
        return _some(found, "a zip archive without a table")


def _some(found: list[Piece], otherwise: str) -> list[Piece]:
    if not found:
        raise Unserved(f"not served: {otherwise}")
    return found
