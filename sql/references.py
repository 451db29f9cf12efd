"""A foreign key by its table and name, as evidence names those it rests on; and whether evidence may.

Apart from the search that uses them, so that a relay that serves what was found need not load it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewright.sql.algebra import TableRef

Policy = Literal["verified", "declared", "never"]


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A foreign key by its table and name."""

    schema: str
    table: str
    name: str

    @property
    def ref(self) -> TableRef:
        return TableRef(self.schema, self.table)

    def __str__(self) -> str:
        return f"{self.schema}.{self.table}.{self.name}"
