"""Names that the server gives to what a statement leaves unnamed, and names that are taken.

The server makes them from the table, the columns and a word for the kind, cuts them to 63 bytes and appends a
number while a relation or a constraint of the schema has the name (ChooseRelationName, makeObjectName).
The result depends on more than the catalog keeps, so the question here is what a name *may* be.
Must not know statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rewright.sql.algebra import TableRef
from rewright.sql.ddl_builder import Builder

# of a table's name at least so much is kept: half of what beside "_not_null99" fits into 63 bytes, whole
# characters
_KEPT = 20
# from this length on a name may have been cut: up to 3 bytes less for each of its two halves
_CUT = 57
INDEXES = ("idx",)
CONSTRAINTS = ("pkey", "key", "excl", "fkey", "check")
# kinds of relations that constraints and columns bring with them
_BROUGHT = ("pkey", "key", "excl", "seq")


def may_be_cut(name: str) -> bool:
    """Whether the server may have cut a name to this one."""
    return len(name.encode()) >= _CUT


def may_be_of(name: str, table: str, kinds: Iterable[str]) -> bool:
    """Whether the server may call something of ``table`` so that has no name of its own."""
    begins = name.encode().startswith(table.encode()[:_KEPT])
    return begins and re.search(rf"_(?:{'|'.join(kinds)})\d*$", name) is not None


def may_be_unnamed(builder: Builder, ref: TableRef, name: str, kinds: Iterable[str]) -> bool:
    """Whether a key, a reference or a CHECK of the table that was not named may have this name."""
    return may_be_of(name, ref.name, kinds) and any(of == ref for of, _ in builder.unnamed)


def may_be_taken(builder: Builder, schema: str, name: str) -> bool:
    """Whether a relation of the schema may have this name: a table, an index, a sequence, a row type."""
    made = TableRef(schema, name) in builder.tables or (schema, name) in builder.relations
    if made or any((t.schema, t.name) == (schema, name) for t in builder.types.values()):
        return True
    return any(
        may_be_of(name, ref.name, (*_BROUGHT, *(INDEXES if ref in builder.unnamed_indexes else ())))
        for ref in builder.tables
        if ref.schema == schema
    )
