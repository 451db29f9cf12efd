"""A catalog as plain DDL, so that a scratch database can be made from a live one's snapshot.

Owns printing tables, domains, enums, views and constraints. What cannot be recreated (extensions,
user functions) is refused by name. Must not know servers.
"""

from __future__ import annotations

from sql.catalog import Catalog


def ddl_of(catalog: Catalog) -> str:
    """DDL text for the whole catalog."""
    raise NotImplementedError
