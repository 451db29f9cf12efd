"""An online restart: a new ``rewright serve`` takes the listening sockets of one that runs, whose sessions go
on to their end.

Owns the conversation of the two over a Unix socket in the runtime directory: the old one sends its sockets,
the new one says when it accepts clients, and only then the old one stops. The sockets never close, so nobody
who connects is refused. Must not know what the children do.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rewright.proxy.private_directory import shared_directory

PATIENCE = 30.0
# more than the kernel passes at once (SCM_MAX_FD, 253)
_MOST_SOCKETS = 512
_GO = b"go"


class TakeoverFailed(Exception):
    """There is nobody to take over from, or it did not answer; the message says which."""


@dataclass(slots=True)
class Taken:
    """The sockets of the other process: those for clients, and the one of its pages. ``finish`` tells it to
    stop.
    """

    clients: list[socket.socket]
    http: socket.socket | None
    conversation: socket.socket

    def finish(self) -> None:
        """The new process accepts clients."""
        with self.conversation, suppress(OSError):
            self.conversation.sendall(_GO)
            # the end of the conversation is the other's word that it accepts no more
            self.conversation.recv(len(_GO))  # the end: it has stopped accepting


def path_of(run_dir: str, pid: int) -> Path | None:
    """Where a process is asked for its sockets; None: it has no directory for it."""
    directory = shared_directory(run_dir)
    return None if directory is None else directory / f"{pid}.takeover"


@contextmanager
def offered(
    run_dir: str,
    sockets: Callable[[], tuple[Sequence[socket.socket], socket.socket | None]],
    leave: Callable[[], None],
) -> Iterator[None]:
    """Give the sockets to who asks while the block runs; ``leave`` is called in a thread when they are in use
    elsewhere.
    """
    path = path_of(run_dir, os.getpid())
    try:
        listener = None if path is None else _listen(path)
    except OSError:
        listener = None
    if listener is None or path is None:
        yield
        return
    thread = threading.Thread(target=_answer, args=(listener, sockets, leave), name="takeover", daemon=True)
    thread.start()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        listener.close()


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(4)
    except OSError:
        listener.close()
        raise
    return listener


def _answer(
    listener: socket.socket,
    sockets: Callable[[], tuple[Sequence[socket.socket], socket.socket | None]],
    leave: Callable[[], None],
) -> None:
    while True:
        try:
            conversation, _ = listener.accept()
        except OSError:
            return  # closed
        with conversation:
            # the new process may have to start its workers before it says that it accepts clients
            conversation.settimeout(4 * PATIENCE)
            try:
                clients, http = sockets()
                held = [*clients, *([http] if http is not None else [])]
                told = json.dumps({"clients": len(clients), "http": http is not None}).encode()
                socket.send_fds(conversation, [told], [one.fileno() for one in held])
                if conversation.recv(len(_GO)) == _GO:
                    listener.close()  # the next one asks the new process
                    leave()
                    return
            except (OSError, ValueError):
                continue  # the new one did not come up: nothing has changed here


def take(run_dir: str, pids: Sequence[int]) -> Taken:
    """The sockets of the first of these processes that gives them. Raises TakeoverFailed."""
    problems = []
    for pid in pids:
        path = path_of(run_dir, pid)
        if path is None:
            # without a directory no process of this user offers anything
            break
        try:
            return _ask(path)
        except (OSError, ValueError, KeyError) as error:
            # its process may have ended in between, or be older than takeovers
            problems.append(f"process {pid}: {error}")
    raise TakeoverFailed("; ".join(problems) or "no running proxy listens at this address")


def _ask(path: Path) -> Taken:
    conversation = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        conversation.settimeout(PATIENCE)
        conversation.connect(str(path))
        told, numbers, _, _ = socket.recv_fds(conversation, 4096, _MOST_SOCKETS)
        found = [socket.socket(fileno=number) for number in numbers]
        document = json.loads(told)
        # the sockets for clients stand first, the one for pages behind them
        clients, http = found[: document["clients"]], found[document["clients"] :]
        if not clients:
            raise ValueError("it gave no socket")
    except BaseException:
        conversation.close()
        raise
    return Taken(clients, http[0] if http else None, conversation)
