"""Answers that take over the whole conversation, where rows made here are not enough.

Owns the protocol by which `rewright.proxy.serving.local` and the context find them. Must not know any of
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rewright.proxy.ports import Outcome, ResultColumn, SessionView, SqlError
from rewright.proxy.session import Exchange
from rewright.proxy.statements import Portal, Statement

if TYPE_CHECKING:
    from rewright.proxy.serving.context import SessionContext


class TakesOver(ABC):
    """An answer (``rewright.proxy.ports.Answer``) with exchanges of its own for Query and Parse."""

    __slots__ = ()

    @property
    def rights(self) -> bool:
        return True

    @property
    def redirects(self) -> bool:
        return False

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return ()

    @property
    def parameters(self) -> tuple[int, ...]:
        return ()

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        """Never asked: its exchanges stand in its place."""
        del session, parameters
        raise SqlError("0A000", "this statement is available only in a session with a database")

    @abstractmethod
    def query_exchange(self, context: SessionContext) -> Exchange: ...

    @abstractmethod
    def parse_exchange(self, context: SessionContext, name: bytes, statement: Statement) -> Exchange: ...


class TakesExecutes(ABC):
    """What a statement carries whose Executes are not the client's alone."""

    __slots__ = ()

    @abstractmethod
    def execute_exchange(
        self, context: SessionContext, name: bytes, portal: Portal, max_rows: int
    ) -> Exchange: ...
