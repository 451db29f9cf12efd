"""What a replacement's failure says about the replacement.

Owns which errors may have come from anywhere (a cancel, a lock, memory, a lost connection), and the
comparison with what the original did in the same session. Error texts are never kept: the server puts values
of rows and literals into them.
"""

from __future__ import annotations

import re

# classes and states of errors that any statement may meet, or that must not start anything new
_PASSING = ("57", "53", "08", "40", "25", "F0", "58")
_PASSING_STATES = frozenset({"55P03", "26000"})
_STATE = re.compile(rb"\0C([0-9A-Z]{5})\0")


def is_passing(sqlstate: str) -> bool:
    """Whether the error says nothing of the statement: cancels and timeouts, deadlocks and serialization,
    locks, resources.

    >>> [is_passing(state) for state in ("57014", "40P01", "55P03", "53400", "22012", "42501")]
    [True, True, True, True, False, False]
    """
    return sqlstate.startswith(_PASSING) or sqlstate in _PASSING_STATES


def sqlstate_of(message: bytes) -> str:
    r"""The SQLSTATE of an ErrorResponse, empty where it has none.

    >>> sqlstate_of(b"E\0\0\0\x20SERROR\0C22012\0Mdivision by zero\0\0")
    '22012'
    """
    found = _STATE.search(message)
    return "" if found is None else found[1].decode()


def tells_against(replacement: str, original: str | None) -> bool:
    """Whether a replacement that failed with one SQLSTATE did otherwise than its original.

    ``original``: its SQLSTATE, empty where it succeeded; None where it could not be run, or met an error that
    passes.

    >>> tells_against("22012", ""), tells_against("22007", "22007"), tells_against("57014", ""),
    tells_against("22012", None) (True, False, False, True)
    """
    return bool(replacement) and not is_passing(replacement) and replacement != original
