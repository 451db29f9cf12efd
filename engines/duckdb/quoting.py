"""Names and texts as they stand in DuckDB's SQL. Must not know statements."""

from __future__ import annotations


def quoted(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A text (or path) in single quotes."""
    return "'" + str(value).replace("'", "''") + "'"
