"""Bound trees to PostgreSQL text.

The text binds back to the same tree up to numbers and aliases. The parts: `rewright.sql.printer.names`
(identifiers, literals, types, aliases), `rewright.sql.printer.scalars`, `rewright.sql.printer.queries`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rewright.sql.algebra import Query
from rewright.sql.catalog import Catalog
from rewright.sql.printer.names import quote_ident, quote_literal, type_name
from rewright.sql.printer.queries import print_query

__all__ = ["quote_ident", "quote_literal", "to_sql", "type_name"]


def to_sql(
    query: Query,
    *,
    pretty: bool = False,
    qualified: bool = False,
    catalog: Catalog | None = None,
    search_path: Sequence[str] = ("public",),
) -> str:
    """SQL text of a query, with output names kept and aliases made unique where they clash.

    ``catalog`` (needed only where user-defined functions, operators or types occur) and ``search_path``
    are those the text will be read under; relations outside the path are schema-qualified. ``qualified``:
    each column with its range variable's name, also where there is only one.
    """
    return print_query(query, catalog or Catalog(), tuple(search_path), pretty=pretty, qualified=qualified)
