"""How much a packed file may unpack to: counted while it is read, whatever its headers say.

Owns the bounds. A file of a few kilobytes can hold gigabytes, and reading it would take minutes.
docs/decisions/0571-what-packed-files-may-hold.md.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import IO, Any, Self, cast

from rewright.lake.files.pieces import Unserved

MOST_BYTES = 2 << 30
MOST_GZIP_BYTES = 8 << 30
FREE_BYTES = 64 << 20
"""What is less is unpacked however small the file is."""
MOST_TIMES = 200
"""Texts of real tables are packed to a tenth, those of one value again and again to a hundredth."""
MOST_CELLS = 100_000_000
_CHUNK = 1 << 20


class Allowance:
    """What one packed file of ``packed`` bytes may still give."""

    def __init__(self, packed: int, most: int) -> None:
        self._packed = packed
        self._most = most
        self._given = 0

    def take(self, size: int, member: str = "") -> None:
        """So many bytes more.

        :raises Unserved: it gives too much; ``member`` is named.
        """
        self._given += size
        told = f"{member}: " if member else ""
        if self._given > self._most:
            raise Unserved(f"not served: {told}unpacked it has more than {self._most >> 20} MB")
        if self._given > FREE_BYTES and self._given > MOST_TIMES * self._packed:
            raise Unserved(f"not served: {told}unpacked it is more than {MOST_TIMES} times as large")


class _Gzip:
    """A gzip file for reading, as far as it is allowed."""

    def __init__(self, path: Path) -> None:
        self._allowance = Allowance(path.stat().st_size, MOST_GZIP_BYTES)
        self._file = gzip.open(path)  # noqa: SIM115 - closed with the object

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self._allowance.take(len(data))
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def opened(path: Path) -> IO[bytes]:
    """A file that may be packed by gzip, for reading.

    Reading raises Unserved where it unpacks to too much, OSError or EOFError where it is damaged.
    """
    if path.name.lower().endswith(".gz"):
        return cast("IO[bytes]", _Gzip(path))
    return path.open("rb")


def unpack(source: Any, target: Path, allowance: Allowance, member: str = "") -> None:
    """Copy what is unpacked.

    :raises Unserved: it is too much.
    """
    with target.open("wb") as out:
        while chunk := source.read(_CHUNK):
            allowance.take(len(chunk), member)
            out.write(chunk)
