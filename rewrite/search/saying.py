"""Schema facts that proofs of parts rest on, in the words of the checker's own assumptions.

Must not know how they are used.
"""

from __future__ import annotations

from collections.abc import Iterable

from rewright.sql.facts import Assumption

_KINDS = {"key": "unique", "not_null": "not null", "foreign_key": "foreign key", "check": "check"}


def said(assumptions: Iterable[Assumption]) -> tuple[str, ...]:
    """One line for each constraint, in order of their names."""
    return tuple(
        f"{_KINDS[x.kind]} {x.schema}.{x.table}({', '.join(x.columns)}){f' ({x.name})' if x.name else ''}"
        for x in sorted(set(assumptions))
    )
