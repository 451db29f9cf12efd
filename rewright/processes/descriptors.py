"""Room for a worker's sockets: many systems give a process 1,024 open files at first, and let it have more.

Owns the process's own soft limit (getrlimit(2)). Must not touch the hard one.
"""

from __future__ import annotations

import resource

# the store, the log, threads' own connections, pipes; a session has a client and a server
_OWN = 256
_EACH = 2


def allow(sessions: int) -> int:
    """Raise the limit of open files to what so many sessions take, as far as the system lets this process.
    Returns the limit that holds now; it is never lowered.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OWN + _EACH * sessions
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    # the limit may already be higher, or unlimited: it is never lowered
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
