"""Row-level security as one account meets it.

Owns the question which tables give this account only some of their rows. Must not know why that is asked.
"""

from __future__ import annotations

from rewright.engines.postgres.session import Session

_FILTERED = """
select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relrowsecurity and row_security_active(c.oid)"""


def filtered_tables(session: Session) -> frozenset[tuple[str, str]]:
    """Schemas and names of the tables whose policies apply to the session's account. Raises SessionError."""
    return frozenset((str(schema), str(name)) for schema, name in session.ask(_FILTERED))
