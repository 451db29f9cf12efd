"""Errors of the DuckDB side, each with the SQLSTATE a PostgreSQL client should see.
Must not know the wire.
"""

from __future__ import annotations

import re


class LakeError(Exception):
    """Base of what the DuckDB side raises. `sqlstate` is PostgreSQL's (appendix A of its manual)."""

    sqlstate = "XX000"

    def __init__(self, message: str, *, hint: str = "", sqlstate: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if sqlstate:
            self.sqlstate = sqlstate


class NotBound(LakeError):
    """A table or column of the statement does not exist."""

    sqlstate = "42P01"


class Forbidden(LakeError):
    """The statement would leave the lake, change it, or change the configuration."""

    sqlstate = "42501"


class Timeout(LakeError):
    """The statement took longer than it may."""

    sqlstate = "57014"


class NotResolved(LakeError):
    """The lake does not hold what was asked for, or not surely enough; the hint lists what is closest."""

    sqlstate = "42P01"


OUT_OF_MEMORY = "53200"
# the first match counts: a permission or syntax error names functions and columns, too
_BY_TEXT: tuple[tuple[str, str], ...] = (
    (r"Table Function with name .* does not exist|Scalar Function with name .* does not exist", "42883"),
    (r"Table with name .* does not exist", "42P01"),
    (r"Referenced column .* not found|does not have a column named|column .* not found", "42703"),
    (r"Ambiguous reference", "42702"),
    (r"No function matches|Cannot compare values", "42883"),
    (r"must appear in the GROUP BY|WHERE clause cannot contain aggregates", "42803"),
    (r"WHERE clause cannot contain window functions", "42P20"),
    (r"Parser Error|syntax error", "42601"),
    (r"Permission Error|disabled by configuration|configuration has been locked", "42501"),
    (r"INTERRUPT|Interrupted", "57014"),
    (r"More than one row returned by a subquery", "21000"),
    (r"Out of Memory", OUT_OF_MEMORY),
    (r"[Ee]xpression depth|[Mm]aximum recursion|nested too deeply", "54001"),
    (r"Failed to cast decimal value|Casting value .* to type DECIMAL", "22003"),
    (r"Out of Range Error|out of range", "22003"),
    (r"[Dd]ivision by zero", "22012"),
    (r"Conversion Error|Could not convert", "22P02"),
    (r"Not implemented", "0A000"),
)


# the prefix that dialect.numbers.raising writes; client texts cannot come first in a message
_RAISED = re.compile(r"\A[\w ]*Error: rewright:(\w{5}):([^\n]*)")
"""What translated expressions raise themselves (``engines.duckdb.dialect``)."""


# where a file of the lake is, in errors of reading it
_OF_FILES = re.compile(r"\A(?:IO|Invalid Input) Error")
_FOLDERS = re.compile(r"""(?<=["'= ])/(?:[^/"'\n]+/)+""")


def translated(error: Exception) -> LakeError:
    """A DuckDB exception as one of ours, with the closest SQLSTATE. Files are named without their folders."""
    text = str(error)
    if _OF_FILES.match(text):
        text = _FOLDERS.sub("", text)
    if (raised := _RAISED.match(text)) is not None:
        return LakeError(raised[2], sqlstate=raised[1])
    for pattern, state in _BY_TEXT:
        if re.search(pattern, text):
            # classes that callers tell apart; any other is told by its SQLSTATE
            kind = {"42P01": NotBound, "42703": NotBound, "42501": Forbidden, "57014": Timeout}.get(
                state, LakeError
            )
            return kind(text, sqlstate=state)
    return LakeError(text)
