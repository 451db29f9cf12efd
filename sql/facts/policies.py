"""Whose row-level security decides what a query sees of a table: that of who asks, or of who owns a view.

    SELECT id FROM v          of  CREATE VIEW v AS SELECT * FROM t, with policies on t
    SELECT id FROM t

The server applies policies to what a view reads with the rights of its owner, whom they may leave all rows
(PostgreSQL's manual, 41.5), unless the view is a security_invoker one: that reads as whoever reads it. Who
owns what is not known here, so that a table below two views counts as two. Must not know proofs.
"""

from __future__ import annotations

from collections.abc import Iterator

from rewright.sql import algebra as a
from rewright.sql.catalog import Catalog
from rewright.sql.walk import parts

# None: with the rights of who asks
_Reader = a.TableRef | None


def policies_differ(first: a.Query, second: a.Query, catalog: Catalog) -> bool:
    """Whether a table with row-level security is read with the rights of several in two queries together, so
    that its rows in one place need not be those in another.
    """
    known = {t.ref for t in catalog.relations if t.row_security}
    if not known:
        return False
    met: dict[a.TableRef, set[_Reader]] = {}
    for query in (first, second):
        for ref, reader in _reads(query, None, catalog):
            if ref in known:
                met.setdefault(ref, set()).add(reader)
    return any(len(readers) > 1 for readers in met.values())


def _reads(node: a.Node, reader: _Reader, catalog: Catalog) -> Iterator[tuple[a.TableRef, _Reader]]:
    """The tables that are scanned in a node, each with the view by whose owner's rights it is."""
    if isinstance(node, a.Scan):
        yield node.table, reader
    if isinstance(node, a.Derived) and node.view is not None:
        invoker = catalog.has_table(node.view) and catalog.table(node.view).security_invoker
        reader = reader if invoker else node.view
    for part in parts(node):
        yield from _reads(part, reader, catalog)
