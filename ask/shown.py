"""Lays out queries for people. Must not know where they are from."""

from __future__ import annotations

from pglast.error import Error as PglastError
from pglast.parser import scan

_COMMENTS = frozenset({"SQL_COMMENT", "C_COMMENT"})


def one_line(sql: str) -> str:
    r"""The same query on one line; only a literal or a name with a line break in it still has one.

    >>> one_line("select a -- why\n  from t\nwhere b = 'x  y'")
    "select a from t where b = 'x  y'"
    """
    try:
        tokens = [token for token in scan(sql) if token.name not in _COMMENTS]
    except (PglastError, ValueError):
        return " ".join(sql.split())
    parts: list[str] = []
    end = 0
    for token in tokens:
        # a comment stood for a blank
        parts += [" "] * (bool(parts) and token.start > end)
        parts.append(sql[token.start : token.end + 1])
        end = token.end + 1
    return "".join(parts)
