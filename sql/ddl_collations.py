"""Collations that DDL makes, and those that its COLLATE clauses mean.

Owns how a COLLATE of a column, a domain or a field of a type becomes the type's collation. Must not know
tables.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from rewright.sql.binder.errors import BindError
from rewright.sql.binder.typenames import find_collation
from rewright.sql.ddl_builder import Builder
from rewright.sql.records import CollationInfo
from rewright.sql.types import SqlType

# What initdb imports from the machine: "de-AT-x-icu" of ICU, "en_US", "en_US.utf8", "sr_RS@latin" of the C
# library (manual, "Standard Collations"). Which there are is the machine's; all of them are deterministic.
_IMPORTED = re.compile(
    r"(?:[a-z]{2,3}|und)(?:-[A-Za-z0-9]+)*-x-icu|[a-z]{2,3}_[A-Z]{2,3}(?:\.[\w-]+)?(?:@\w+)?"
)
_TRUE = frozenset({"true", "t", "on", "yes", "1"})


def create_collation(builder: Builder, node: Any) -> None:
    """CREATE COLLATION. Raises BindError for a name that is taken."""
    schema, name = builder.new_name([n.sval for n in node.defnames])
    if any((c.schema, c.name) == (schema, name) for c in builder.collations):
        if node.if_not_exists:
            return
        raise BindError("42710", f'collation "{name}" already exists')
    builder.collations.append(CollationInfo(schema, name, _is_deterministic(node)))
    builder.changed()


def _is_deterministic(node: Any) -> bool:
    """False where the statement does not say it itself: a copy (FROM) is what its source is."""
    options = {option.defname: option.arg for option in node.definition or ()}
    if "from" in options:
        return False
    said = options.get("deterministic")
    return said is None or str(getattr(said, "sval", "")).lower() in _TRUE


def collated(builder: Builder, type_: SqlType, clause: Any) -> SqlType:
    """The type with the collation of its COLLATE clause, if it has one.

    Raises BindError for a collation that nothing makes.
    """
    if clause is None:
        return type_
    names = [n.sval for n in clause.collname]
    found = _collation(builder, names)
    if found is None:
        raise BindError("42704", f'collation "{".".join(names)}" does not exist')
    return replace(type_, collation=found.key)


def _collation(builder: Builder, names: list[str]) -> CollationInfo | None:
    found = find_collation(builder.context, names)
    imported = len(names) == 1 or names[0] == "pg_catalog"
    if found is None and imported and _IMPORTED.fullmatch(names[-1]):
        found = CollationInfo("pg_catalog", names[-1])
        # queries may name it as well
        builder.collations.append(found)
        builder.changed()
    return found
