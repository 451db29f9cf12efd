"""Who a session is when it asks Rewright for something: its role of that moment, as the server says.

Owns the question and the rights that follow from its answer (docs/decisions/0292). Must not know what is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rewright.proxy.ports import SessionView
from rewright.proxy.serving.private import Batch, checked
from rewright.proxy.session import Ask, Replies
from rewright.proxy.wire import backend
from rewright.proxy.wire.backend import DataRow
from rewright.proxy.wire.framing import HEADER
from rewright.proxy.wire.frontend import SYNC

if TYPE_CHECKING:
    from rewright.proxy.interceptor import SessionInterceptor

# a key word: no search_path leads elsewhere
ROLE_SQL = b"select current_user::pg_catalog.text where $1 operator(pg_catalog.=) ''"
_TEXT = 25


@dataclass(frozen=True, slots=True)
class Admins:
    """Who decides: roles of the session's database, among them those of every database."""

    here: frozenset[str] = frozenset()
    everywhere: frozenset[str] = frozenset()


def nobody() -> Admins:
    return Admins()


@dataclass(slots=True)
class Login:
    """How the session came in. ``admins`` is asked each time: the configuration may be read again.

    ``upstream_user``: where Rewright logs in for the client (``auth = file``), the role it took; empty: the client's own.
    """

    user: str
    upstream_user: str = ""
    admins: Callable[[], Admins] = field(default=nobody)

    def seen_as(self, view: SessionView, current: str) -> SessionView:
        """The view with the rights of the role ``current``; empty: not known, nobody's.

        With a login of its own a client is its current role. Where several clients share a role of the server it is the
        user it has proved to be, and nobody once it has taken another role.
        """
        role = current
        if self.upstream_user:
            role = self.user if current == self.upstream_user else ""
        admins = self.admins()
        everywhere = role in admins.everywhere
        return replace(view, role=role, is_admin=everywhere or role in admins.here, may_pause=everywhere)


def ask_in_cycle(interceptor: SessionInterceptor) -> Generator[Any, Any, SessionView]:
    """Before a Query of the client: in a transaction of its own, or in the block that is open. Raises Cancelled."""
    batch, index = _question(interceptor)
    replies: Replies = yield Ask(b"".join(batch.messages) + SYNC, len(batch.messages), cycles=1)
    if replies.error is not None or replies.aborted:
        return interceptor.seen_as(
            ""
        )  # in a failed block nothing is answered; what the client is told is the server's word
    return interceptor.seen_as(_role(replies.pending_replies[index]))


def ask_in_pipeline(interceptor: SessionInterceptor) -> Generator[Any, Any, SessionView]:
    """Before an Execute of the client. Raises Broken, Skipped, Cancelled."""
    batch, index = _question(interceptor)
    replies = checked((yield batch.ask()))
    return interceptor.seen_as(_role(replies.pending_replies[index]))


def _question(interceptor: SessionInterceptor) -> tuple[Batch, int]:
    batch = Batch()
    return batch, interceptor.privates.add_question(batch, ROLE_SQL, (_TEXT,), b"")


def _role(reply: list[tuple[int, bytes]]) -> str:
    for kind, message in reply:
        if kind == ord("D"):
            row = backend.decode(b"D", message[HEADER.size :])
            assert isinstance(row, DataRow)
            value = row.values[0]
            return "" if value is None else value.decode("utf-8", "replace")
    return ""
