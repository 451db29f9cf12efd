"""The comment by which the server's statistics tell statements of Rewright's own from those of applications.

After the first word, where every version of pg_stat_statements keeps it (PostgreSQL 17 and later leave out
what stands before). Must not know who writes or reads it.
"""

from __future__ import annotations

OWN = "select /* rewright */ "
"""Begins a statement over an application's tables that no application sent."""


def marked(text: str) -> str:
    """A SELECT of ours, with the comment.

    >>> marked("select 1 from only shop.line limit 1")
    'select /* rewright */ 1 from only shop.line limit 1'
    """
    word, _, rest = text.partition(" ")
    if word != "select":
        raise ValueError("no statement of ours begins like this")
    return OWN + rest
