"""Places for sessions, shared by all workers of a port: a total, so many for each role and each database.

A place is a byte of a file that its worker keeps locked. The kernel tells who has it, decides between two
that want the last one, and gives back what a killed worker had; nobody waits for anybody, whoever stops when
(docs/decisions/0374). Owns the file and the numbers. Must not know connections.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import secrets
import struct
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

from rewright.proxy.private_directory import make_private

# places of one kind and name; limits are at most a million
MOST = 1 << 20
_FLOCK = struct.Struct("hh4xqqi4x")  # struct flock of Linux on 64 bits
Key = tuple[str, str]
_BUSY = {errno.EACCES, errno.EAGAIN}


class Places:
    """One for each worker. ``take`` a place, ``give`` it back; without ``open`` only this worker's own are
    counted.
    """

    def __init__(self) -> None:
        self._file = -1
        self._held: dict[Key, dict[int, int]] = {}  # the number that was given out -> the byte it stands on
        self._limits: dict[Key, int] = {}
        self._cut: set[Key] = set()  # whose limit was lowered below bytes that are held here
        self._numbers = count(1)
        # workers begin to look in different places, so that what each holds lies together
        self._start = secrets.randbelow(MOST)

    def open(self, directory: Path) -> None:
        """Count with whoever has the same directory. Raises OSError. Before the first ``take``."""
        if not make_private(directory):
            raise OSError(f"{directory} is not a directory of this user alone")
        flags = os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(directory / "places", flags, 0o600)

    def close(self) -> None:
        """All places of this worker are free."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._held.clear()

    def held(self, kind: str, name: str) -> int:
        """How many this worker has."""
        return len(self._held.get((kind, name), ()))

    def take(self, kind: str, name: str, limit: int) -> int | None:
        """The number of a place among ``limit`` (0: as many as there are); None: all are taken."""
        key = kind, name
        self._limit(key, limit)
        byte = None if self._is_cut(key) else self._free(key)
        if byte is None:
            self._forget_empty(key)
            return None
        number = next(self._numbers)
        self._held.setdefault(key, {})[number] = byte
        return number

    def give(self, kind: str, name: str, number: int) -> None:
        """Raises KeyError when it was not taken."""
        key = kind, name
        self._unlock(key, self._held[key].pop(number))
        self._come_down(key)
        self._forget_empty(key)

    def relimit(self, limit_of: Callable[[str, str], int]) -> None:
        """Limits have changed (kind, name -> limit): sessions above one stay, and count until they are so
        few.
        """
        for key in self._held:
            self._limit(key, limit_of(*key))

    def settle(self) -> None:
        """Others may have given back what is below a lowered limit: to be called now and then."""
        for key in list(self._cut):
            self._come_down(key)

    def _limit(self, key: Key, limit: int) -> None:
        limit = min(limit, MOST) if limit > 0 else MOST
        if limit < self._limits.get(key, limit):
            self._cut.add(key)
        self._limits[key] = limit
        self._come_down(key)

    def _forget_empty(self, key: Key) -> None:
        if not self._held.get(key):
            self._held.pop(key, None)
            self._limits.pop(key, None)
            self._cut.discard(key)

    def _come_down(self, key: Key) -> None:
        """From bytes above a lowered limit to free ones below."""
        if key not in self._cut:
            return
        mine = self._held.get(key, {})
        for number, byte in list(mine.items()):
            if byte >= self._limits[key]:
                lower = self._free(key)
                if lower is None:
                    return
                # The new byte is locked before the old one is free: the session is never without a place.
                mine[number] = lower
                self._unlock(key, byte)
        self._cut.discard(key)

    def _is_cut(self, key: Key) -> bool:
        """Whether anybody stands above the limit: as long as that is so, there are too many."""
        limit = self._limits[key]
        return key in self._cut or (limit < MOST and self._holder(key, limit, MOST - limit) is not None)

    def _free(self, key: Key) -> int | None:
        """A byte below the limit, locked."""
        mine = set(self._held.get(key, {}).values())
        limit = self._limits[key]
        start = self._start % limit
        for first, end in ((start, limit), (0, start)):
            byte = first
            while byte < end:
                if byte in mine:
                    byte += 1
                elif self._lock(key, byte):
                    return byte
                else:
                    # Past all that the holder has in one piece: a step for each piece and not for each byte.
                    byte = max(self._holder(key, byte, 1) or 0, byte + 1)
        return None

    def _lock(self, key: Key, byte: int) -> bool:
        if self._file < 0:
            return True
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _base(key) + byte)
        except OSError as error:
            # no more locks to be had: better counted by this worker alone than nobody let in
            return error.errno not in _BUSY
        return True

    def _unlock(self, key: Key, byte: int) -> None:
        if self._file >= 0:
            with contextlib.suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _base(key) + byte)

    def _holder(self, key: Key, byte: int, length: int) -> int | None:
        """The end (as a byte of the key) of a piece that another worker has there; None: nobody has."""
        if self._file < 0 or not sys.platform.startswith("linux"):  # elsewhere the structure is another one
            return None
        asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, _base(key) + byte, length, 0)
        kind, _, start, size, _ = _FLOCK.unpack(fcntl.fcntl(self._file, fcntl.F_GETLK, asked))
        return None if kind == fcntl.F_UNLCK else int(start + size - _base(key))


def _base(key: Key) -> int:
    """Where a key's bytes begin. Two keys at the same place, which is one in 2^42, would share a limit."""
    digest = hashlib.sha256("\0".join(key).encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 22) << 20
