"""Files of many pairs, in shares: each share is a case of its own, of which a run takes one in six
(`tests.fixtures.sampling`). Pairs that were proved once though they differ are always taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest


def shares(files: Iterable[Path], number: int) -> list[object]:
    """Parameters of a test: a path, and the slice of its pairs that is one share of so many."""
    return [
        pytest.param(
            path,
            slice(first, None, number),
            id=f"{path.stem}-{first + 1}",
            marks=() if path.stem.startswith("once_proved") else pytest.mark.sampled(6),
        )
        for path in files
        for first in range(number)
    ]
