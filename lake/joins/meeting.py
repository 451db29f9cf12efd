"""Which columns share a value with a given one: the sketches of many columns, turned round once.

Owns that inverted index. Must not know how well columns join.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Key = tuple[str, str]
"""Table and column."""
_FEW = 3
"""So many questions are answered by a pass over all values each, which costs less than sorting them."""


class Meeting:
    """Bottom-k sketches of columns, to be asked again and again which hold a value of another sketch.

    The first few questions are a pass over the values of all sketches each; then those are sorted, once, and
    each further question is a search for its values. What shares no value of its sketch with another overlaps
    it by nothing that sketches can see.
    """

    def __init__(self, sketches: Mapping[Key, Any]) -> None:
        """`sketches`: sorted hashes of each column."""
        self._keys = list(sketches)
        held = [sketches[key] for key in self._keys]
        self._values = np.concatenate(held) if held else np.zeros(0, dtype=np.uint64)
        self._owners: Any = np.repeat(np.arange(len(held)), [len(one) for one in held])
        self._asked = 0

    def of(self, sketch: Any) -> list[Key]:
        """The columns whose sketches hold one of these hashes, sorted; in the columns' order."""
        self._asked += 1
        if self._asked <= _FEW:
            places = self._passed(sketch)
        else:
            if self._asked == _FEW + 1:
                order = np.argsort(self._values, kind="stable")
                self._values, self._owners = self._values[order], self._owners[order]
            places = self._searched(sketch)
        return [self._keys[i] for i in np.unique(self._owners[places])]

    def _passed(self, sketch: Any) -> Any:
        """Where the values are that are among these, whatever their order."""
        if not len(sketch):
            return np.zeros(0, dtype=np.int64)
        near = np.minimum(np.searchsorted(sketch, self._values), len(sketch) - 1)
        return np.flatnonzero(sketch[near] == self._values)

    def _searched(self, sketch: Any) -> Any:
        """The same of sorted values."""
        first: Any = np.searchsorted(self._values, sketch, side="left")
        last: Any = np.searchsorted(self._values, sketch, side="right")
        many = last - first
        # the places first, first + 1, ... last - 1 of each hash
        ends = np.cumsum(many)
        return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(first - ends + many, many)
