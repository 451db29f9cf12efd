"""A directory that belongs to this user alone, for sockets and small files of running proxies.

Owns where it may be and what makes it trustworthy. A directory in a place that others can write to may have
been made by somebody else: it is used only when it is no link, ours, and closed to all others. Must not know
what is kept in it.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

# a Unix socket's address holds about a hundred bytes, some of them for its name
LONGEST = 80
# where files can be made when the disks are full
IN_MEMORY = ("/dev/shm", "/run/shm")  # noqa: S108 -- only a new directory of our own is made there


def is_private(path: Path) -> bool:
    """Whether it is a directory (no link to one) of this user's that nobody else may enter."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def make_private(path: Path) -> bool:
    """Make it where it is missing; False when it can't be used."""
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    return is_private(path)


def runtime_directory(configured: str = "") -> Path:
    """The first of these that can be used: ``configured``, ``$XDG_RUNTIME_DIR/rewright``, one named after the
    user in the system's temporary directory; else a new one that no other process finds. Raises OSError when
    there is none at all.
    """
    found = shared_directory(configured)
    if found is None and not has_temporary_directory():
        raise OSError("there is no directory in which anything can be made")
    return found or Path(tempfile.mkdtemp(prefix="rewright-"))


def has_temporary_directory() -> bool:
    """Whether ``tempfile`` works; where the usual places are full it is led to one in memory, for this
    process.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError:  # it tries to write some bytes in each
        return any(_lead_to(place) for place in (os.environ.get("XDG_RUNTIME_DIR", ""), *IN_MEMORY) if place)
    return True


def _lead_to(place: str) -> bool:
    own = Path(place) / _name()
    if not make_private(own):
        return False
    tempfile.tempdir = str(own)
    return True


def _name() -> str:
    return f"rewright-{os.geteuid()}"


def shared_directory(configured: str = "") -> Path | None:
    """As ``runtime_directory``; None where only a directory that no other process finds is left."""
    usable = (path for path in _candidates(configured) if len(str(path)) <= LONGEST and make_private(path))
    return next(usable, None)


def _candidates(configured: str) -> Iterator[Path]:
    if configured:
        yield Path(configured).expanduser()
    given = os.environ.get("XDG_RUNTIME_DIR", "")
    if given and is_private(Path(given)):
        yield Path(given) / "rewright"
    try:
        usual = Path(tempfile.gettempdir())
        # itself where this process was led to it
        yield usual if usual.name == _name() else usual / _name()
    except FileNotFoundError:  # every disk is full
        yield from (Path(place) / _name() for place in IN_MEMORY)
