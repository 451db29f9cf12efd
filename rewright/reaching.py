"""What somebody can do about a database that could not be reached, or an address that can't be listened on.

libpq gives no code for a failed connection: its words are gone by, and the server's where it speaks English;
of other words nothing is made. Must not connect.
"""

from __future__ import annotations

import errno
import re

# what a message holds, and what helps; the first that fits counts
_REMEDIES = (
    (
        r"password authentication failed|no password supplied",
        "check the user and the password in the DSN (or PGPASSWORD, or ~/.pgpass)",
    ),
    (r"failed to resolve host|could not translate host name", "check the host in the DSN"),
    (
        r"Connection refused|timeout expired|No route to host|Network is unreachable|No such file",
        "check host and port in the DSN, that the server runs, and that it listens there (listen_addresses)",
    ),
    (
        r"pg_hba\.conf",
        "let this user in from this machine, by a line in the server's pg_hba.conf",
    ),
    (r"permission denied for database", "grant connect on database NAME to ROLE;"),
    (r'role ".*" does not exist', "create the role, or check the user in the DSN"),
    (
        r'database ".*" does not exist',
        "check the name behind the last / of the DSN; psql -l lists those there are",
    ),
    (
        r"does not support SSL|certificate|SSL error",
        "check sslmode and sslrootcert in the DSN",
    ),
    (
        r"too many clients|remaining connection slots",
        "try again later, or raise max_connections of the server",
    ),
)


def remedy(message: str) -> str:
    """A sentence or a statement; empty where the message tells nothing that is known.

    >>> remedy('connection failed: FATAL:  database "shpo" does not exist')
    'check the name behind the last / of the DSN; psql -l lists those there are'
    >>> remedy("division by zero")
    ''
    """
    return next((advice for words, advice in _REMEDIES if re.search(words, message)), "")


def with_remedy(message: str) -> str:
    """The message, and behind it what can be done.

    >>> print(with_remedy("failed to resolve host 'db'"))
    failed to resolve host 'db'
      check the host in the DSN
    """
    found = remedy(message)
    return f"{message}\n  {found}" if found else message


_ADDRESS = {
    errno.EADDRINUSE: "something else listens there, perhaps another Rewright: stop it, or choose another",
    errno.EADDRNOTAVAIL: "this machine has no such address: choose another",
    errno.EACCES: "ports below 1024 need the capability CAP_NET_BIND_SERVICE: choose another",
}


def address_remedy(error: BaseException, option: str) -> str:
    """Of an error of bind(2), or one that it caused; ``option`` gives the address. Empty: nothing is known.

    >>> address_remedy(OSError(errno.EADDRNOTAVAIL, "no"), "--listen")
    '; this machine has no such address: choose another (--listen)'
    """
    # asyncio and the store wrap the error of bind(2) in one of their own
    cause = error if isinstance(error, OSError) and error.errno else error.__cause__
    found = _ADDRESS.get(cause.errno or 0) if isinstance(cause, OSError) else None
    return f"; {found} ({option})" if found else ""
