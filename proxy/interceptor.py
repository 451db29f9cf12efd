"""One session's interceptor: puts together what is known of the session, and hears of what happens in it.

Decisions about messages are ``texts``' and ``names``'; what they lead to are exchanges
(``rewright.proxy.serving``), which see the session as their ``SessionContext``. Must not do I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from rewright.proxy.duckdb_backend.ports import Declared, LakeSession, SqlPrepared
from rewright.proxy.machine.hot import NO_TEXTS
from rewright.proxy.metrics import Metrics
from rewright.proxy.names import Names
from rewright.proxy.ports import Ports, SessionView
from rewright.proxy.serving.forwarding import behind_closes
from rewright.proxy.serving.holding import Holding
from rewright.proxy.serving.identity import Identity, state_of
from rewright.proxy.serving.in_force import SettingsInForce
from rewright.proxy.serving.lookups import Lookups
from rewright.proxy.serving.measuring import Measuring, Timing
from rewright.proxy.serving.private import Privates
from rewright.proxy.serving.reports import Reports
from rewright.proxy.serving.settings import Settings
from rewright.proxy.session import IDLE, Exchange, Session
from rewright.proxy.slow import SlowReports
from rewright.proxy.statements import Statement, StatementRegistry, split_names
from rewright.proxy.texts import Texts
from rewright.proxy.wire.tables import BIND, CALL, CLOSE, DESCRIBE, EXECUTE, HEADER_SIZE, PARSE, Q

# what may change a table, or bind what does
_RUNNING = frozenset((Q, BIND, EXECUTE))


class SessionInterceptor:
    """The session's ``Interceptor``, and the ``SessionContext`` of its exchanges."""

    def __init__(
        self,
        session: Session,
        ports: Ports,
        identity: Identity,
        metrics: Metrics,
        settings: Settings,
        clock: Callable[[], float],
        holding: Holding | None = None,
    ) -> None:
        """``holding``: that of the process; None: one of this session's own."""
        self._session = session
        self.ports = ports
        self.identity = identity
        self.metrics = metrics
        self.clock = clock
        self.holding = holding or Holding()
        self.cycles = session.cycles
        self.parameters: Mapping[bytes, bytes] = session.server.parameters
        self.registry = StatementRegistry()
        self.privates = Privates(settings.names)
        self.in_force = SettingsInForce(
            session,
            settings,
            identity.startup_settings,
            reads=not (ports.lookup is None and ports.reporter is None and ports.lakes is None),
            reports=ports.reporter is not None,
            knows_server=bool(identity.backend_pid),
            on_change=self._look_anew,
            on_read=self.rewatch,
        )
        self.lookups = Lookups(ports, identity.database, self.in_force)
        reports = Reports(ports.reporter, metrics)
        self.measuring = Measuring(
            session, identity, self.in_force, ports.lookup, reports, metrics, clock, self.rewatch
        )
        self.slow = SlowReports(
            *(session, identity, self.in_force, self.registry, reports, clock),
            was_slow=self.measuring.was_slow,
            was_served=self.measuring.was_served,
        )
        self.lake: LakeSession | None = (
            ports.lakes.session(identity.database) if ports.lakes is not None else None
        )
        self.lake_cursors: dict[str, Declared] = {}
        self.lake_prepared: dict[str, SqlPrepared] = {}
        self.asked_before: object = None
        self.statement_began: float | None = None
        self._lookup = ports.lookup
        self._texts = Texts(self)
        self._query = self._texts.query
        self._names = Names(self)
        self._next: Exchange | None = None

    # --- what the session asks ---------------------------------------------------------------------

    def special(self) -> Exchange:
        assert self._next is not None
        exchange, self._next = self._next, None
        return exchange

    def passes(self, kind: int, data: bytes, at: int, end: int) -> bool:
        self.look_again()
        if kind == Q:
            self.registry.runs(None)
            # one that does not end as a text does is the server's to refuse
            taken = None if data[end - 1] else self._query(data[at + HEADER_SIZE : end - 1])
        elif kind == PARSE:
            taken = self._texts.parse(data, at, end)
        elif kind == BIND:
            taken = self._names.bind(data, at, end)
        elif kind == EXECUTE:
            taken = self._names.execute(data, at, end)
        elif kind == DESCRIBE:
            taken = self._names.describe(data, at, end)
        else:
            taken = None
            if kind == CLOSE:
                self._close(data[at + HEADER_SIZE], data[at + HEADER_SIZE + 1 : end - 1])
        # An open portal of ours keeps its tables in use: DDL on them would fail with 55006 (object in use).
        if taken is None and (kind not in _RUNNING or not self.privates.dead_portals):
            return True
        self._next = taken or behind_closes(self.privates, data[at:end])
        return False

    def unseen(self, kind: int, data: bytes, at: int) -> bool:
        """A message too large to look at: what it changes is unknown. False: not even its names are there."""
        if kind in {Q, CALL}:
            self.registry.runs(None)
        if kind == Q:
            self.forget_unnamed()
            return True
        names = split_names(data, at + HEADER_SIZE, len(data))
        if kind == PARSE:
            name_end = data.find(b"\0", at + HEADER_SIZE)
            if name_end < 0:
                return False
            # The name is there, but nothing is known of it: nothing is served for what it binds.
            self.registry.statements[data[at + HEADER_SIZE : name_end]] = None
            self._session.client.same = b""
            return True
        if kind == BIND and names is not None:
            self.registry.portals.pop(names[0], None)
            return True
        return False

    # --- what the session tells ---------------------------------------------------------------------

    def cycle_ended(self) -> bool:
        """True: call again at the end of the next cycle."""
        registry, privates, kept = self.registry, self.privates, self.in_force.kept
        idle = self.cycles.status == IDLE
        self.statement_began = None
        registry.confirmed()
        if idle:
            self.measuring.portion_over()
        if registry.portals or privates.open_portals:
            self._end_portals(idle=idle)
        if idle and self.lake_cursors:
            self._end_lake_cursors()
        if kept.cycle_ended(idle=idle):
            self.in_force.kept_changed()
        return bool(
            registry.portals or registry.fresh or privates.open_portals or kept.open or self.lake_cursors
        )

    def _end_portals(self, *, idle: bool) -> None:
        """Those of the cycle that ended; clients that pipeline may have bound others for the next one
        already.
        """
        for name, portal in list(self.registry.portals.items()):
            if portal.ahead:
                portal.ahead -= 1
            elif idle:
                del self.registry.portals[name]
        if idle:
            self.privates.forget_portals()
            self.rewatch()

    def slow_ended(self) -> None:
        self.slow.ended()

    def error(self, message: bytes) -> None:
        self.registry.failed()
        self._session.client.same = b""
        self.slow.failed(message)
        self.in_force.kept.failed()
        self.measuring.failed(message)

    def suspended(self) -> None:
        """Execute's limit of rows was reached: drivers that want one row never ask for more."""
        self.measuring.portion_ended()

    def tag(self, tag: bytes) -> None:
        self.measuring.portion_over()
        self.in_force.kept.tag(tag)
        self.measuring.tag(tag)
        # The server says only that it was done: ours are gone together with the client's.
        if tag in {b"DEALLOCATE ALL", b"DISCARD ALL"}:
            self.registry.forget()
            self.lake_prepared.clear()
            self.privates.forget()
            self.rewatch()
        # The tag does not name the statement: any known name may mean another text from now on.
        elif tag.startswith((b"DEALLOCATE", b"PREPARE")):
            self.registry.doubt()
            self.rewatch()

    def _end_lake_cursors(self) -> None:
        """They end with their transaction, closed or not; what is read for one holds a process until then."""
        for declared in self.lake_cursors.values():
            declared.close()
        self.lake_cursors.clear()

    def close_lake(self) -> None:
        """The session is over: what it was reading from a lake is not wanted any more."""
        self._end_lake_cursors()
        for portal in self.registry.portals.values():
            if portal.cursor is not None:
                portal.cursor.close()

    # --- what is watched ----------------------------------------------------------------------------

    def rewatch(self) -> None:
        """Look at names only while one of them is special, or what they do must be known."""
        registry, in_force, measuring = self.registry, self.in_force, self.measuring
        special = (
            registry.any_special()
            or in_force.view.mode == "inline"
            or measuring.timing is not None
            or bool(self.privates.dead_portals)
            or bool(measuring.last.text)  # until something else was executed
            or (in_force.stale and bool(registry.statements))
        )
        self._session.client.watch(names=special)
        self._session.client.let_pass(NO_TEXTS if special else self._passing())
        self._session.server.watch_tags(special or in_force.kept.open)

    def _passing(self) -> AbstractSet[bytes]:
        """The texts of Queries that are of no interest in the state that the session is in."""
        lookup = self._lookup
        if lookup is None or self.lake is not None or self.in_force.stale:
            return NO_TEXTS
        # A text that passes unseen closes no unnamed portal, and ends no measurement.
        if self.registry.portals or self.lookups.seen != lookup.version or not self.measuring.is_settled:
            return NO_TEXTS
        return lookup.passing

    def look_again(self) -> None:
        """When the set of rewrites or the reported path has changed, statements prepared before gain or lose
        theirs.
        """
        if not self.lookups.renewed():
            return
        for statement in self.registry.known():
            if statement.answer is None and not statement.tag:
                statement.candidate = self.lookups.find(statement.text, statement.param_types)
        self.rewatch()

    def _look_anew(self) -> None:
        """What may be served is another than before."""
        # No version is below 0: the next ``look_again`` looks everything up anew.
        self.lookups.seen = -1
        self.rewatch()

    # --- names --------------------------------------------------------------------------------------

    def note_parsed(self, name: bytes, statement: Statement) -> None:
        before = self.registry.statements.get(name)
        self.registry.parsed(name, statement)
        if not name:
            self._session.client.same = b""
        self.cycles.unusual = True
        if statement.special or (before is not None and before.special):
            self.rewatch()

    def note_same(self, message: bytes) -> None:
        """The Parse made the unnamed statement what it is, and is of no interest: nor is the same again."""
        self._session.client.same = message

    def _close(self, kind: int, name: bytes) -> None:
        if kind == ord("S"):
            self.registry.closed(name)
            self.rewatch()
        else:
            self.drop_portal(name)

    def drop_portal(self, name: bytes) -> None:
        portal = self.registry.portals.pop(name, None)
        # The client's Close names its own portal; the one of ours behind it stays open until we close it.
        if portal is not None and portal.private and portal.private != name:
            self.privates.dead_portals.append(portal.private)

    def forget_unnamed(self) -> None:
        """A simple Query destroys the unnamed statement and the unnamed portal."""
        registry = self.registry
        if registry.statements and registry.statements.pop(b"", None) is not None:
            self.rewatch()
        if registry.portals:
            self.drop_portal(b"")

    # --- who it is ----------------------------------------------------------------------------------

    def session_view(self) -> SessionView:
        identity = self.identity
        return SessionView(
            database=identity.database,
            role=identity.user,
            application_name=identity.name_of(self.parameters),
            client_address=identity.client_address,
            backend_pid=identity.backend_pid,
            settings=self.in_force.view,
            last=self.measuring.last,
            state=state_of(self.cycles),
            server=identity.server,
        )

    def seen_as(self, current: str) -> SessionView:
        """The session with the rights of its current role, as the server named it just now."""
        return self.identity.login.seen_as(self.session_view(), current)


__all__ = ["Identity", "SessionInterceptor", "Timing"]
