"""Which columns share a value with a given one: the sketches of many columns, turned round once.

Owns that inverted index. Must not know how well columns join.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Key = tuple[str, str]
"""Table and column."""


class Meeting:
    """Bottom-k sketches of columns, to be asked again and again which hold a value of another sketch.

    Linear in the values of all sketches, once; then a search for each value asked for. What shares no value
    of its sketch with another overlaps it by nothing that sketches can see.
    """

    def __init__(self, sketches: Mapping[Key, Any]) -> None:
        """`sketches`: sorted hashes of each column."""
        self._keys = list(sketches)
        held = [sketches[key] for key in self._keys]
        values = np.concatenate(held) if held else np.zeros(0, dtype=np.uint64)
        order = np.argsort(values, kind="stable")
        self._values = values[order]
        self._owners = np.repeat(np.arange(len(held)), [len(one) for one in held])[order]

    def of(self, sketch: Any) -> list[Key]:
        """The columns whose sketches hold one of these hashes, in their order."""
        first: Any = np.searchsorted(self._values, sketch, side="left")
        last: Any = np.searchsorted(self._values, sketch, side="right")
        many = last - first
        # the places first, first + 1, ... last - 1 of each hash
        ends = np.cumsum(many)
        places = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(first - ends + many, many)
        return [self._keys[i] for i in np.unique(self._owners[places])]
