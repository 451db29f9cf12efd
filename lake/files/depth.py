"""How deeply a JSON file is nested, told without parsing it.

Readers that recurse end the process at depths that a file of a few kilobytes can have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rewright.lake.files.bounds import opened

_MOST = 1_000
"""Levels from which on nothing is served; the readers' stacks end at some ten thousands."""
_CHUNK = 4 << 20
_LOOKED_AT = b'[]{}"\n'
_OTHERS = bytes(set(range(256)) - set(_LOOKED_AT))


def too_deep(path: Path) -> bool:
    """Is a JSON file, perhaps packed by gzip, nested more deeply than its readers can bear?

    Brackets in texts do not count. A text ends with its line: JSON has no line ends in texts.

    :raises OSError: it cannot be read.
    :raises Unserved: packed, and there is too much of it.
    :raises EOFError: the packed file ends early.
    """
    depth, inside = 0, False
    for text in _without_escapes(path):
        marks = np.frombuffer(text.translate(None, _OTHERS), dtype=np.uint8)
        if not len(marks):
            continue
        quotes = np.cumsum(marks == ord('"')) + int(inside)
        before = np.maximum.accumulate(np.where(marks == ord("\n"), quotes, 0))
        within = ((quotes - before) & 1).astype(bool)
        opens = ((marks == ord("[")) | (marks == ord("{"))) & ~within
        closes = ((marks == ord("]")) | (marks == ord("}"))) & ~within
        levels = depth + np.cumsum(opens.astype(np.int64) - closes)
        # what closes too much opens nothing before it
        levels -= np.minimum(np.minimum.accumulate(levels), 0)
        if int(levels.max()) > _MOST:
            return True
        depth, inside = int(levels[-1]), bool(within[-1])
    return False


def _without_escapes(path: Path) -> Iterator[bytes]:
    rest = b""
    with opened(path) as file:
        while chunk := file.read(_CHUNK):
            text = rest + chunk
            rest = b"\\" if (len(text) - len(text.rstrip(b"\\"))) % 2 else b""
            yield text.removesuffix(rest).replace(b"\\\\", b"").replace(b'\\"', b"")
