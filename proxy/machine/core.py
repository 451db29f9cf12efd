"""Which ``rewright.proxy.machine.hot`` is in use: the compiled copy or the Python source.

The compiled copy does the same in about a third of the time, and nothing else. Owns the choice and its
reason.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

# set to anything but "" or "0": not the compiled one, though it is there
SWITCH = "REWRIGHT_PURE"
SOURCES = ("hot.py", "hot.pxd")


def digest(folder: Path) -> str:
    """Of what the compiled module is made from. Raises OSError."""
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in SOURCES)).hexdigest()


def why_not(built_from: str, folder: Path) -> str:
    """Why a compiled module is of no use; empty: it is what the sources say."""
    try:
        return "" if built_from == digest(folder) else "it was compiled from another version of the sources"
    except OSError:  # without sources beside it nothing else can be meant
        return ""


def _wanted() -> str:
    return "" if os.environ.get(SWITCH, "") in {"", "0"} else f"{SWITCH} is set"


if TYPE_CHECKING:
    from rewright.proxy.machine.hot import ClientWalk, Cycles, Outlet, Poller, ServerWalk

    PURE = ""
else:
    PURE = _wanted()
    if not PURE:
        try:
            from rewright.proxy.machine import _hot as hot
        except ImportError:
            PURE = "it was not compiled when Rewright was installed"
        else:
            PURE = why_not(hot.SOURCE, Path(__file__).parent)
    if PURE:
        from rewright.proxy.machine import hot
    ClientWalk, Cycles, Outlet, ServerWalk = hot.ClientWalk, hot.Cycles, hot.Outlet, hot.ServerWalk
    Poller = hot.Poller


def described() -> str:
    return f"pure Python: {PURE}" if PURE else "compiled"


__all__ = ["PURE", "ClientWalk", "Cycles", "Outlet", "Poller", "ServerWalk", "described"]
