"""``python -m rewright.mcp.child PARENT MODULE WORDS…``: runs the module as a program that the kernel kills
when the process PARENT, which started it, ends.

A server that is killed can end nothing itself, and its queries would go on for as long as they were let.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    _, parent, module, *words = sys.argv
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):  # Linux
        # the signal comes from the kernel when the parent is gone, however that ended
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it ended before the kernel knew
        raise SystemExit(1)
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
