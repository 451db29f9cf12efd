"""A small program that runs one scratch server and does not outlive the process that started it.

Started as ``python -I watchdog.py DIRECTORY MODE UID GID MEMORY PROGRAM ARGUMENT...``; MEMORY: bytes of its
own that each of the server's processes may have (Linux; 0: any number). Its standard input is a
pipe held by the process that wants the server: when that process ends, however it ends, the pipe
closes, the server is stopped (MODE ``kept``: in order; ``throw-away``: at once) and DIRECTORY removed.
Should this program itself be killed, the kernel ends the server (PR_SET_PDEATHSIG). Uses only the
standard library and imports nothing of ours, so that it starts in milliseconds.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
# fast shutdown, then immediate, then the kernel's
STOP_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)


def _become(uid: int, gid: int, memory: int) -> Callable[[], None]:
    """What the child does between fork and exec; this program has one thread, so that is safe."""
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare() -> None:
        os.umask(0o077)
        if uid >= 0:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        # after setuid, which clears it
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)

    return prepare


def _stop(server: subprocess.Popen[bytes], signals: tuple[signal.Signals, ...]) -> None:
    for number in signals:
        if server.poll() is not None:
            return
        server.send_signal(number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(timeout=5)


def main(arguments: list[str]) -> int:
    directory, mode, uid, gid, memory, *command = arguments
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        cwd=directory,
        preexec_fn=_become(int(uid), int(gid), int(memory)),  # noqa: PLW1509 - one thread
        restore_signals=True,
    )
    while os.read(0, 4096):
        pass
    _stop(server, STOP_SIGNALS if mode == "kept" else STOP_SIGNALS[1:])
    shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
