"""What the supervisor and its children tell each other. Must not know what they do.

A child's end of a pipe also tells it that the supervisor is gone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from rewright.config.model import Config


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker listens at ``address``."""

    address: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Failed:
    """A child can't start, and trying again would not help."""

    reason: str


@dataclass(frozen=True, slots=True)
class Figures:
    """A child's counters: (metric, labels) -> value."""

    values: Mapping[tuple[str, tuple[tuple[str, str], ...]], float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reload:
    """New configuration for a child."""

    config: Config


@dataclass(frozen=True, slots=True)
class ReloadWanted:
    """A child's admin asks for a reload of everything."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The configuration was read again; ``problem``: it is wrong and nothing has changed, else empty."""

    problem: str


@dataclass(frozen=True, slots=True)
class Pausing:
    """What a signal said to the supervisor: serve no replacements, or serve them again."""

    paused: bool


@dataclass(frozen=True, slots=True)
class Retire:
    """Accept no more clients, and end when the last session has ended."""


Message = Ready | Failed | Figures | Reload | ReloadWanted | Reloaded | Pausing | Retire


def listen(
    pipe: Connection, on_message: Callable[[Message], None], on_end: Callable[[], None]
) -> threading.Thread:
    """A thread that hands on messages, and says when the other side is gone."""

    def run() -> None:
        while True:
            # the supervisor ended, however that happened: the pipe says so
            try:
                message = pipe.recv()
            except (EOFError, OSError):
                on_end()
                return
            on_message(message)

    thread = threading.Thread(target=run, name="channel", daemon=True)
    thread.start()
    return thread


def tell(pipe: Connection, message: Message) -> None:
    """Never raises: the other side may be gone."""
    try:
        pipe.send(message)
    except (OSError, ValueError):
        return
