"""Our own statements in clients' sessions, written so that they mean the same under any search_path.

There they run with the client's rights. A function or an operator of another user in a schema of the
client's path that fits better than the server's own (``concat_ws(text, oid, oid)``, ``oid >= integer``) would
be called instead of it: it could tell the guard what it likes, and do whatever the client may.

Owns how operators and types are spelled. Functions are written with their schema where they stand. Must not
know what the statements ask.
"""

from __future__ import annotations

import re

# a literal or a quoted name is left as it is; a type behind ::, an operator
_WORDS = re.compile(
    r"""(?P<kept>'(?:[^']|'')*'|"[^"]*"|operator\(.*?\))"""
    r"|::(?P<type>[a-z]\w*)(?![\w.])|(?P<operator>[-+*/<>=~!@|]+)(?=\s)"
)


def servers_own(sql: str) -> str:
    """Operators, types and collations of the text as pg_catalog's. Of operators, those with white space
    behind them, as ours are written; ``IN``, ``BETWEEN``, ``LIKE`` and NULLIF cannot be told whose they are
    meant to be, so texts of ours have none.

    >>> servers_own("select a = any (b::text[]) from c")
    'select a operator(pg_catalog.=) any (b::pg_catalog.text[]) from c'
    """
    return _WORDS.sub(_spelled, sql)


def _spelled(found: re.Match[str]) -> str:
    if found["type"]:
        return f"::pg_catalog.{found['type']}"
    if found["operator"]:
        return f"operator(pg_catalog.{found['operator']})"
    return found[0]
