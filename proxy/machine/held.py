"""A replacement's answer that is held back until it is whole.

Owns what is kept of it, and how much that may be. Must not know messages, nor what becomes of the answer.
"""

from __future__ import annotations


class HeldAnswer:
    """``limit``: the bytes that are kept at most, ``size``: those that are. Once more have come it is
    ``outgrown``: what was kept is gone, and nothing is kept any more.
    """

    __slots__ = ("_pieces", "limit", "outgrown", "size")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.outgrown = False
        # as they came: joining them would take the same memory a second time
        self._pieces: list[bytes] = []

    def has_room(self, size: int) -> bool:
        return not self.outgrown and self.size + size <= self.limit

    def keep(self, piece: bytes) -> None:
        if self.has_room(len(piece)):
            self._pieces.append(piece)
            self.size += len(piece)
        else:
            self.outgrow()

    def outgrow(self) -> None:
        """More comes than may be kept."""
        self.outgrown = True
        self.take()

    def take(self) -> list[bytes]:
        """What was kept, in order; it is kept no longer."""
        pieces, self._pieces = self._pieces, []
        self.size = 0
        return pieces
