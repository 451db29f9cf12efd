"""What serving and the DuckDB backend may ask of a session, and tell it. The interceptor is one.

Owns the list; every part in it says what it may be asked itself. Must not know who fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from rewright.proxy.duckdb_backend.ports import Declared, LakeSession, SqlPrepared
from rewright.proxy.machine.cycles import Cycles
from rewright.proxy.metrics import Metrics
from rewright.proxy.ports import Ports, SessionView
from rewright.proxy.serving.holding import Holding
from rewright.proxy.serving.identity import Identity
from rewright.proxy.serving.in_force import SettingsInForce
from rewright.proxy.serving.lookups import Lookups
from rewright.proxy.serving.measuring import Measuring
from rewright.proxy.serving.private import Privates
from rewright.proxy.slow import SlowReports
from rewright.proxy.statements import Statement, StatementRegistry


class SessionContext(Protocol):
    """One session, as an exchange sees it. ``parameters``: those that the server reports (client_encoding,
    …). ``asked_before``: what questions of this session may follow up, for their reader. ``statement_began``:
    when the first message of a statement that is answered here came (``rewright.proxy.serving.time_limits``).
    """

    ports: Ports
    identity: Identity
    metrics: Metrics
    clock: Callable[[], float]
    cycles: Cycles
    parameters: Mapping[bytes, bytes]
    registry: StatementRegistry
    privates: Privates
    in_force: SettingsInForce
    lookups: Lookups
    measuring: Measuring
    holding: Holding
    slow: SlowReports
    lake: LakeSession | None
    lake_cursors: dict[str, Declared]
    lake_prepared: dict[str, SqlPrepared]
    asked_before: object
    statement_began: float | None

    def note_parsed(self, name: bytes, statement: Statement) -> None:
        """The client has prepared a statement."""

    def note_same(self, message: bytes) -> None:
        """A Parse of the unnamed statement that is of no interest, nor is it the next time."""

    def drop_portal(self, name: bytes) -> None:
        """The client's portal is gone, and ours behind it with the next cleaning."""

    def forget_unnamed(self) -> None:
        """The unnamed statement and the unnamed portal are gone."""

    def rewatch(self) -> None:
        """What is special has changed: look at names only while one of them is."""

    def look_again(self) -> None:
        """When the set of rewrites has changed, statements prepared before gain or lose theirs."""

    def session_view(self) -> SessionView:
        """As its login said, without the rights of any role."""

    def seen_as(self, current: str) -> SessionView:
        """The session with the rights of its current role, as the server named it just now."""
