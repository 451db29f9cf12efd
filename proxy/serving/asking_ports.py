"""What the proxy asks of whoever reads questions (``ASK``). The composition root fills it; nothing here knows
readers.

A question is read with the session lent for it: what the reader asks of the database goes through the
client's own session, so that it sees what the client may see. Plain data and two small protocols.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rewright.proxy.answers.questions import Question
from rewright.proxy.ports import LocalRows, SessionView


@dataclass(frozen=True, slots=True)
class ToServer:
    """Messages of the reader for the server: one cycle, a Query or what ends with a Sync."""

    data: bytes


@dataclass(frozen=True, slots=True)
class ReadAs:
    """The query that a question became. ``history``: what a later question of the session may follow up, for
    the reader alone.

    ``seconds`` and ``rows``: what its run may take. ``id``: of the entry in the log; 0: none.
    """

    sql: str
    notices: tuple[str, ...] = ()
    history: object = None
    seconds: float = 30.0
    rows: int = 1000
    id: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """Rows instead of a query: EXPLAIN ASK, ASK … CHOOSE."""

    rows: LocalRows
    history: object = None


Step = ToServer | ReadAs | Told


@dataclass(frozen=True, slots=True)
class Lent:
    """What the reader may know of the session: its parameters as the server reported them, its transaction
    status (I, T).
    """

    parameters: Mapping[bytes, bytes] = field(default_factory=dict)
    status: bytes = b"I"
    backend_pid: int = 0


class Conversation(Protocol):
    """One question being read."""

    async def next(self, reply: bytes | None = None) -> Step:
        """The next step; ``reply``: the server's messages to the last ToServer. Raises SqlError; ends when
        cancelled.
        """
        ...

    def close(self) -> None:
        """It is over, or not wanted any more."""
        ...


class Augmenter(Protocol):
    """Searches a lake for tables that make a prediction better, for a table of the client's database."""

    def begin(self, text: str, session: SessionView, user: str, lent: Lent) -> Conversation:
        """``user``: as who the client has logged in here. Its last step is rows. Raises SqlError: not now, or
        not for this user.
        """
        ...


class Asker(Protocol):
    """Reads questions."""

    def begin(
        self, question: Question, session: SessionView, lent: Lent | None, history: object
    ) -> Conversation:
        """``lent`` None: a lake's session, which needs nothing of a server. Raises SqlError: not now, or not
        for this user.
        """
        ...
