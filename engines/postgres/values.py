"""Values of a statement's parameters, as a client sent them in Bind.

Owns their JSON form. Must not read them: what their bytes mean is for the server to say.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Values:
    """``types``: OIDs as declared in Parse (0, or missing at the end: the server decides). ``values``: the
    bytes of $1, $2, … (None: NULL). ``formats``: of each value, 0 text, 1 binary.
    """

    types: tuple[int, ...] = ()
    values: tuple[bytes | None, ...] = ()
    formats: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.values)

    def typed(self, types: Sequence[int]) -> Values:
        """With the types that the server resolved: a rewritten text may leave a parameter out, whose type
        nothing would decide.
        """
        return replace(self, types=tuple(types))

    def to_json(self) -> dict[str, Any]:
        return {
            "types": list(self.types),
            "values": [None if one is None else base64.b64encode(one).decode() for one in self.values],
            "formats": list(self.formats),
        }

    @classmethod
    def from_json(cls, document: Any) -> Values:
        """Raises KeyError, TypeError, ValueError for what is none."""
        values = tuple(
            None if one is None else base64.b64decode(one, validate=True) for one in document["values"]
        )
        formats = tuple(int(one) for one in document["formats"])
        if len(formats) != len(values):
            raise ValueError("there must be one format for each value")
        return cls(tuple(int(one) for one in document["types"]), values, formats)


NO_VALUES = Values()
