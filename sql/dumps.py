"""The parts of a dump that psql reads and the server does not: its commands, and the rows after a COPY.

Owns removing them; they say nothing about the schema. Must not know what statements mean.
"""

from __future__ import annotations

import re

from pglast.parser import ParseError, scan

from rewright.sql.templates import COMMENTS

_SEMICOLON = "ASCII_59"
# psql's commands around what pg_dump writes (since 17.6); the key is random and the same in both
_RESTRICTED = re.compile(r"^\\restrict (\w+)$(.*)^\\unrestrict \1$", re.MULTILINE | re.DOTALL)
# what begins a table's rows as pg_dump writes them, and the line that ends them
_COPY = re.compile(r"^COPY [^;\n]+ FROM stdin;(?=\n)", re.MULTILINE)
_ROWS_END = re.compile(r"^\\\.$", re.MULTILINE)


def without_commands(text: str) -> str:
    """The text of a dump without `restrict`, `unrestrict` and tables' rows, with as many lines as before."""
    return _without_rows(_RESTRICTED.sub(r"\2", text, count=1))


def _without_rows(text: str) -> str:
    """In time that grows with the text: whoever writes a schema may write anything."""
    kept: list[str] = []
    end = 0
    while begins := _COPY.search(text, end):
        rows_end = _ROWS_END.search(text, begins.end())
        before = text[end : begins.start()]
        # inside a literal, a body or a comment such lines are part of it, and all is left to the parser
        if rows_end is None or not _is_whole(before):
            break
        kept += [before, "\n" * text.count("\n", begins.start(), rows_end.end())]
        end = rows_end.end()
    return "".join(kept) + text[end:]


def _is_whole(text: str) -> bool:
    """Whether no literal, comment or statement of ``text`` goes on behind it."""
    try:
        names = [token.name for token in scan(text)]
    except ParseError:
        return False
    return next((name for name in reversed(names) if name not in COMMENTS), _SEMICOLON) == _SEMICOLON
