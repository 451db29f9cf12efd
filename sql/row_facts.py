"""Declared facts that stored rows may break though the catalog calls them valid, as evidence names them.

Apart from the search that uses them, so that a relay that serves what was found need not load it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rewright.sql.algebra import TableRef

# whether evidence may rest on foreign keys
Policy = Literal["verified", "declared", "never"]
# A foreign key is kept by triggers (F15), which replicas go around. ALTER TABLE and ATTACH PARTITION take
# NOT NULL (F24) and the bounds of a partition (F23) for true without a look at the rows where a CHECK says
# so, and that may be untrue. DETACH PARTITION CONCURRENTLY writes the bounds down as a valid CHECK (F25).
Kind = Literal["foreign key", "not null", "check", "bounds"]


@dataclass(frozen=True, slots=True, order=True)
class RowFact:
    """``name``: a foreign key's or a CHECK's; of NOT NULL the column; empty for the bounds of a table's
    partitions, which the table's keys rest on.
    """

    schema: str
    table: str
    name: str = ""
    kind: Kind = "foreign key"

    @property
    def ref(self) -> TableRef:
        return TableRef(self.schema, self.table)

    def __str__(self) -> str:
        match self.kind:
            case "foreign key":
                return f"foreign key {self.schema}.{self.table}.{self.name}"
            case "not null":
                return f"NOT NULL of {self.schema}.{self.table}.{self.name}"
            case "check":
                return f"CHECK {self.schema}.{self.table}.{self.name}"
            case "bounds":
                return f"the partitioning of {self.schema}.{self.table}"
