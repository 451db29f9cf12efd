"""Which proxies run on this machine under this user: each keeps a locked file in the runtime directory while
it lives.

Owns the files. A lock ends with its process, however that ends, so a file without one says nothing and no
foreign process is ever taken for a proxy. Must not know what the proxies do.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from rewright.proxy.private_directory import shared_directory


@dataclass(frozen=True, slots=True)
class Instance:
    """A running ``rewright serve``. ``scope``: what it shares with those that are paused together."""

    pid: int
    address: str
    scope: str


@contextmanager
def registered(run_dir: str, instance: Instance) -> Iterator[None]:
    """Be found while the block runs; where there is no directory for it, not be found."""
    directory = shared_directory(run_dir)
    try:
        opened = None if directory is None else _write(directory / f"{instance.pid}.proxy", instance)
    except OSError:
        opened = None
    try:
        yield
    finally:
        if opened is not None and directory is not None:
            with suppress(OSError):
                (directory / f"{instance.pid}.proxy").unlink(missing_ok=True)
            os.close(opened)


def _write(file: Path, instance: Instance) -> int:
    """An open file that stays locked. Raises OSError."""
    # O_NOFOLLOW: a link put there by somebody else is not written through
    opened = os.open(file, os.O_CREAT | os.O_RDWR | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.write(opened, json.dumps(asdict(instance)).encode())
    except OSError:
        os.close(opened)
        raise
    return opened


def running(run_dir: str, scope: str) -> list[Instance]:
    """Those of one scope that live."""
    return [instance for instance in alive(run_dir) if instance.scope == scope]


def alive(run_dir: str) -> list[Instance]:
    """All that live."""
    directory = shared_directory(run_dir)
    files = [] if directory is None else sorted(directory.glob("*.proxy"))
    return [instance for file in files if (instance := _read(file)) is not None]


def _read(file: Path) -> Instance | None:
    try:
        with file.open("r", encoding="utf-8") as opened:
            try:
                # a shared lock is granted where the owner no longer has its exclusive one
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            # locked: its process lives
            except BlockingIOError:
                return Instance(**json.loads(opened.read()))
            file.unlink(missing_ok=True)  # nobody holds it: its process was killed
    except (OSError, ValueError, TypeError):
        return None
    return None
