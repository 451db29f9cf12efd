"""Pieces and units: a piece is what one file holds of one table, a unit the pieces that make a table.

Pure data. Must not know how files are read or tables named.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Mark = tuple[str, str]
"""A column that a path tells (`year=2024`), and its value there."""


class Unserved(Exception):
    """The file holds no table that is served; the message says why."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one file holds of one table.

    `original` is the lake's file, `path` what is read instead (itself, or a copy in another form). `label`:
    the member, sheet or table inside the file. `sql`: a table expression, where `path` is not simply read.
    """

    original: Path
    path: Path
    label: str = ""
    sql: str = ""
    notes: tuple[str, ...] = ()

    @property
    def copied(self) -> bool:
        """Is a copy read instead of the lake's file?"""
        return self.path != self.original

    def json(self) -> dict[str, Any]:
        return {**asdict(self), "original": str(self.original), "path": str(self.path)}

    @classmethod
    def of_json(cls, raw: dict[str, Any]) -> Piece:
        return cls(Path(raw["original"]), Path(raw["path"]), raw["label"], raw["sql"], tuple(raw["notes"]))


@dataclass(frozen=True, slots=True)
class Unit:
    """A table to be: its pieces, what their paths tell of each, and the file or folder it comes from."""

    place: Path
    pieces: tuple[Piece, ...]
    marks: tuple[tuple[Mark, ...], ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The lake's files, each once."""
        return tuple(dict.fromkeys(piece.original for piece in self.pieces))

    def stamp(self) -> tuple[int, int]:
        """As `stamp_of` its files. Raises OSError: one is gone."""
        return stamp_of(self.files)

    def digest(self, digest_of: Callable[[Path], str]) -> str:
        """A hash of the files' contents and of how they are read."""
        first = self.pieces[0]
        # a file that is read as it is has its own hash, which other folders may know already
        if len(self.pieces) == 1 and not self.marks and not first.sql and not first.copied:
            return digest_of(self.files[0])
        told = [repr([piece.json() for piece in self.pieces]), repr(self.marks)]
        contents = [digest_of(file) for file in self.files]
        return hashlib.blake2b("\0".join([*told, *contents]).encode(), digest_size=16).hexdigest()


def stamp_of(files: Sequence[Path]) -> tuple[int, int]:
    """Bytes of all files, and a number that changes when a file comes, goes or changes (of one file: its time
    of change, in ns).

    Raises OSError: one is gone.
    """
    stats = [file.stat() for file in files]
    size = sum(stat.st_size for stat in stats)
    if len(files) == 1:
        return size, stats[0].st_mtime_ns
    told = repr([(str(file), s.st_size, s.st_mtime_ns) for file, s in zip(files, stats, strict=True)])
    return size, int.from_bytes(hashlib.blake2b(told.encode(), digest_size=7).digest(), "big")
