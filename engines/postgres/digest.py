"""The identity of a result: of its rows as a bag, and in their order.

Owns the hashing. Rows are what the server sent in its binary format: float8 values that print alike
but differ stay different here. Must not know sessions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

# hashes of rows are summed, so that their order does not count
MODULUS = 1 << 256


class BagDigest:
    """Adds rows one by one. Memory does not grow with their number.

    The bag's digest is the sum of the rows' SHA-256 modulo 2**256, with the count: equal bags give equal
    digests whatever their order. (Sums of hashes can be attacked by who chooses the rows freely; here it
    compares two queries over one database and proves nothing.)
    """

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0
        self._sequence = hashlib.sha256()

    def add(self, row: Sequence[bytes | None]) -> None:
        hashed = row_hash(row)
        self.rows += 1
        self._sum = (self._sum + int.from_bytes(hashed, "big")) % MODULUS
        self._sequence.update(hashed)

    def bag(self) -> str:
        return f"{self.rows}:{self._sum:064x}"

    def ordered(self) -> str:
        return f"{self.rows}:{self._sequence.hexdigest()}"


def row_hash(row: Sequence[bytes | None]) -> bytes:
    """SHA-256 of one row; lengths keep neighbours apart, NULL has its own mark."""
    hasher = hashlib.sha256()
    for value in row:
        if value is None:
            hasher.update(b"\xff\xff\xff\xff\xff")
        else:
            hasher.update(len(value).to_bytes(5, "big"))
            hasher.update(value)
    return hasher.digest()
