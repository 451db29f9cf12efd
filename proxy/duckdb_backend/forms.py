"""Session settings under which a text or a value would mean something else to PostgreSQL than to a lake.

Owns the list. Must not do I/O. docs/decisions/0570-a-lake-heeds-the-sessions-own-limits.md.
"""

from __future__ import annotations

from rewright.proxy.ports import SqlError
from rewright.proxy.serving.context import SessionContext

_FORMS = (
    (b"client_encoding", frozenset({b"UTF8", b"SQL_ASCII"}), "UTF8"),
    (b"DateStyle", frozenset({b"ISO, MDY"}), "ISO, MDY"),
    (b"IntervalStyle", frozenset({b"postgres"}), "postgres"),
)
"""Settings that say how values are written and read, and with which a lake does so."""


def check_forms(context: SessionContext) -> None:
    """Raises SqlError: what the client expects of values is not what a lake gives."""
    for name, served, told in _FORMS:
        if context.parameters.get(name, told.encode()) not in served:
            setting = name.decode()
            raise SqlError("0A000", f"a lake has {setting} {told} only", hint=f"SET {setting} = '{told}';")


def check_text(context: SessionContext, query: str) -> None:
    """Raises SqlError: the query's texts are not what they seem."""
    if "\\" in query and context.parameters.get(b"standard_conforming_strings", b"on") != b"on":
        raise SqlError("0A000", "a lake needs standard_conforming_strings on where a text has backslashes")
