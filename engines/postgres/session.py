"""The optimiser's own session on somebody's server: read-only, with timeouts, under its own name.

Owns how statements of others are run safely: one statement that passed the gate (`gate`), in a read-only
transaction that is rolled back, stopped at a given time. Whatever plans, runs or describes a text goes
through it; `ask` is for constant queries of ours over the catalogs. Must not know why they are run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

import psycopg
from psycopg import sql as psql
from psycopg.pq import ExecStatus, Format, TransactionStatus

from rewright.engines import clock
from rewright.engines.postgres import gate, trust
from rewright.engines.postgres.cpu import Meter, is_ours, waited_for
from rewright.engines.postgres.digest import BagDigest
from rewright.engines.postgres.generic import GENERIC_PLAN_SINCE, explain_generic
from rewright.engines.postgres.replies import ROWS, column_of, document, next_result, raise_unless
from rewright.engines.postgres.session_records import (
    ColumnDescription,
    Description,
    Limits,
    Run,
    SessionError,
    Undecodable,
    Untrusted,
    session_error,
)
from rewright.engines.postgres.values import NO_VALUES, Values
from rewright.sql.parsing import has_parameters
from rewright.sql.plans import Plan, plan_from_json

__all__ = [
    "ColumnDescription",
    "Description",
    "Limits",
    "Run",
    "Session",
    "SessionError",
    "Undecodable",
    "Untrusted",
    "session_error",
]

APPLICATION_NAME = "rewright optimiser"
# rows held at a time: the memory a result takes here does not depend on its size
CHUNK = 500
# qualified throughout: they run before the search path is known to be harmless
_LEARN_PATH = (
    "select pg_catalog.current_schemas(true)::pg_catalog.text[], "
    "pg_catalog.current_schemas(false)::pg_catalog.text[]"
)
_EMPTY_PATH = "select pg_catalog.set_config('search_path', '', %s)"
_EXISTING = "select nspname from pg_catalog.pg_namespace where nspname = any (%s) order by 1"
# seconds for a request to cancel
_CANCEL = 5.0
_YARDSTICK = "select pg_catalog.count(*) from pg_catalog.generate_series(1, 150000)"
_EXTENSION_SCHEMA = """
select format('%%I', n.nspname) from pg_extension x join pg_namespace n on n.oid = x.extnamespace
  where x.extname = %s"""
# a server that vanished is noticed within a minute
KEEPALIVE: Mapping[str, Any] = {"keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3}
# what a text is run as, and by whose words it is found, is for the session to decide
_OURS = frozenset({"role", "session_authorization", "search_path", "standard_conforming_strings"})


class Session:
    """A read-only connection. Not for use from several threads at once; raises SessionError, Untrusted among
    them.

    ``values`` are bound to the parameters of every statement that has some (see ``bind``). ``own``: the texts
    are those of the person whose account this is, so that what the account owns may be used, too.

    ``path``: the schemas in which texts look their names up (a client's ``current_schemas(true)``), else
    those of the account's own search_path; Untrusted where the account may not look into one of them.

    ``connection`` has an empty search_path: names of ours are found in pg_catalog only.
    """

    def __init__(
        self,
        dsn: str,
        *,
        limits: Limits | None = None,
        role: str = "",
        own: bool = False,
        path: Sequence[str] = (),
    ) -> None:
        self.values = NO_VALUES
        self._own = own
        self._path = tuple(path)
        self._schemas: tuple[str, ...] = ()
        self._explicit: tuple[str, ...] = ()
        self._dsn = dsn
        self._role = role
        self.limits = limits or Limits()
        self.connection = self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    @property
    def server_version(self) -> int:
        """As server_version_num: 180006."""
        return self.connection.info.server_version

    @property
    def backend_pid(self) -> int:
        return self.connection.info.backend_pid

    # -- what can be asked

    def bind(self, statement: str, values: Values) -> None:
        """From now on plan and run statements with the values that ``statement`` had. Raises SessionError.

        They are planned as a first execution is (with the values known), not generically.
        """
        # the types that the server resolved: a rewritten text without $2 could not decide them anew
        self.values = values and values.typed(self.describe(statement, values.types).parameter_oids)

    def fetch(
        self, statement: str, *, settings: Mapping[str, str] | None = None, limit: int | None = None
    ) -> Sequence[tuple[Any, ...]]:
        """The rows of one statement, at most ``limit``."""
        with self._text(statement, settings) as text:
            cursor = self._execute(text)
            return cursor.fetchall() if limit is None else cursor.fetchmany(limit)

    def ask(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Rows of a constant query of ours over the catalogs, with ``values`` for its ``%s``; never of a text
        of somebody else's.
        """
        with self._statement():
            return self.connection.execute(statement.encode(), values or None).fetchall()

    def require_trusted(self, statement: str, parameters: Sequence[int] = ()) -> None:
        """Raises Untrusted for what may not be planned with these rights; ``parameters``: OIDs of declared
        types, 0: none.
        """
        with self._text(statement, None, parameters=parameters):
            pass

    def extension_schema(self, name: str) -> str | None:
        """Quoted; None where the extension is not installed."""
        rows = self.ask(_EXTENSION_SCHEMA, [name])
        return str(rows[0][0]) if rows else None

    def search_path(self) -> tuple[str, ...]:
        """Schemas that the search path leads to, pg_catalog only where it was named; Untrusted where the
        account's own path names it after others.
        """
        _require_built_ins_first(self._explicit)
        return self._explicit

    @property
    def schemas(self) -> tuple[str, ...]:
        """As ``search_path``, with those that are looked into unnamed (pg_catalog, a temporary schema)."""
        return self._schemas

    def explain(
        self,
        statement: str,
        *,
        analyze: bool = False,
        settings: Mapping[str, str] | None = None,
        generic: bool = False,
    ) -> Plan:
        """The plan, executed when ``analyze``; ``generic``: with parameters unknown (PostgreSQL 16) where
        none are bound.

        ``settings`` hold for this statement only.
        """
        options = ["analyze", "buffers", "timing"] if analyze else []
        return plan_from_json(self._explain(statement, options, settings, generic))

    def explain_document(
        self,
        statement: str,
        *,
        settings: Mapping[str, str] | None = None,
        generic: bool = False,
        verbose: bool = False,
        analyze: bool = False,
        timeout: float | None = None,
    ) -> Any:
        """As ``explain``, the parsed document of EXPLAIN (FORMAT JSON) itself; ``timeout``: seconds it may
        take.
        """
        options = [*["verbose"] * verbose, *["analyze", "buffers", "timing"] * analyze]
        return json.loads(self._explain(statement, options, settings, generic, timeout))

    def _explain(
        self,
        statement: str,
        options: Sequence[str],
        settings: Mapping[str, str] | None,
        generic: bool,
        timeout: float | None = None,
    ) -> bytes:
        # with values bound the plan is that of these values
        generic = generic and not self.values
        with self._text(statement, settings, timeout=timeout) as text:
            connection = self.connection.pgconn
            # EXPLAIN (GENERIC_PLAN) is PostgreSQL 16's; before, a prepared statement under force_generic_plan
            if generic and connection.server_version < GENERIC_PLAN_SINCE:
                return document(explain_generic(connection, text, ["format json", *options]))
            chosen = ["format json", *["generic_plan"] * generic, *options]
            return self._explained(f"explain ({', '.join(chosen)}) {text}")

    def describe(self, statement: str, parameter_oids: Sequence[int] = ()) -> Description:
        """Parse and Describe, without executing: types of parameters and columns."""
        with self._text(statement, None, parameters=parameter_oids) as text:
            connection = self.connection.pgconn
            # the unnamed statement: nothing is left on a connection that a pooler may share
            parsed = connection.prepare(b"", text.encode(), list(parameter_oids) or None)
            raise_unless(parsed.status == ExecStatus.COMMAND_OK, parsed)
            described = connection.describe_prepared(b"")
            raise_unless(described.status == ExecStatus.COMMAND_OK, described)
            return Description(
                tuple(described.param_type(i) for i in range(described.nparams)),
                tuple(column_of(described, i) for i in range(described.nfields)),
            )

    def run(
        self,
        statement: str,
        *,
        stop_after: float | None = None,
        settings: Mapping[str, str] | None = None,
        stretch: float = 1.0,
    ) -> Run:
        """Execute a query to its end, or to ``stop_after`` seconds; rows are digested, not kept.

        ``stretch``: by how much that and the limit on statements are put off, on a server that is busy with
        others; on this machine what the backend waits for a processor does not count at all.
        """
        limit = min(stop_after or self.limits.statement, self.limits.statement)
        # the meter stops it sooner where the backend can be seen from here
        timeout = limit * (max(stretch, clock.MOST) if is_ours(self.backend_pid) else stretch)
        digest = BagDigest()
        with self._text(statement, settings, timeout=timeout) as text:
            meter = Meter(self.backend_pid, limit=limit, stop=self._cancel)
            began, undisturbed = time.perf_counter(), clock.now()
            try:
                with meter:
                    self._digest_rows(text, digest)
                finished = True
            # stopped by our own statement_timeout: a slow statement is a finding, not a failure
            except psycopg.errors.QueryCanceled:
                finished = False
            duration = time.perf_counter() - began
            # that of the backend, and of us who read the rows
            waited = max(duration - (clock.now() - undisturbed), 0.0)
        bag, ordered = (digest.bag(), digest.ordered()) if finished else ("", "")
        kept = None if meter.waited is None else waited
        return Run(finished, duration, meter.seconds, digest.rows, bag, ordered, kept)

    def _cancel(self) -> None:
        # where the request gets lost, the server's own limit is still there
        with suppress(psycopg.Error):
            self.connection.cancel_safe(timeout=_CANCEL)

    def yardstick(self) -> Run:
        """A constant piece of work, some 20 ms of one processor: how long it takes now says how busy the
        server is.
        """
        with self._statement(), (meter := Meter(self.backend_pid)):
            began = time.perf_counter()
            self.connection.execute(_YARDSTICK)
            duration = time.perf_counter() - began
        return Run(True, duration, meter.seconds, 1, "", "", meter.waited)

    # -- how

    def _connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        try:
            connection = psycopg.connect(
                self._dsn,
                # each statement begins and ends its own transaction in _statement
                autocommit=True,
                # psycopg would prepare repeated texts, whose plan would then be the generic one
                prepare_threshold=None,
                application_name=APPLICATION_NAME,
                # libpq takes whole seconds, and 0 would mean no limit
                connect_timeout=max(int(self.limits.connect), 1),
                **KEEPALIVE,
            )
            # psycopg would give bytes where text is expected, and no name would be found
            if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
                connection.close()
                raise Undecodable
            self._set_up(connection)
            self._learn_path(connection)
        except psycopg.Error as error:
            raise session_error(error) from error
        return connection

    def _set_up(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Settings, limits and role. SET works through poolers that refuse startup options."""
        options = {
            "default_transaction_read_only": "on",
            "statement_timeout": _milliseconds(self.limits.statement),
            "lock_timeout": _milliseconds(self.limits.lock),
            # a process that hangs between statements must not hold back VACUUM
            "idle_in_transaction_session_timeout": "60000",
            # names and literals are read here as the gate reads them
            "standard_conforming_strings": "on",
        }
        for name, value in options.items():
            connection.execute("select pg_catalog.set_config(%s, %s, false)", [name, value])
        # the server ends what runs for us a second after this process was killed: from PostgreSQL 14 on, and
        # only where the platform can tell (Linux: POLLRDHUP)
        with suppress(psycopg.DataError, psycopg.ProgrammingError):
            connection.execute(
                "select pg_catalog.set_config('client_connection_check_interval', '1000', false)"
            )
        if self._role:
            connection.execute(psql.SQL("set role {}").format(psql.Identifier(self._role)))

    def _learn_path(self, connection: psycopg.Connection[Any]) -> None:
        """Where names are looked up, which from now on is done for the texts of others only, by the gate."""
        if self._path:
            try:
                _require_built_ins_first(self._path)
            except Untrusted:
                connection.close()
                raise
            connection.execute(
                "select pg_catalog.set_config('search_path', %s, false)", [trust.names(_named(self._path))]
            )
        row = connection.execute(_LEARN_PATH).fetchone()
        assert row is not None
        self._schemas, self._explicit = tuple(row[0]), tuple(row[1])
        connection.execute(_EMPTY_PATH, ["false"])
        unseen = [name for name in self._path if name not in self._schemas]
        if unseen and (missing := connection.execute(_EXISTING, [unseen]).fetchone()):
            connection.close()
            raise Untrusted(
                f"its session looks names up in schema {missing[0]}, which this account may not use"
            )

    @contextmanager
    def _statement(self) -> Iterator[None]:
        """A read-only transaction that sees the catalog as it is now, without a search path, rolled back
        whatever happens.
        """
        # read committed: each statement sees the catalog as it is, which is also what the planner sees
        if self.connection.closed:
            self.connection = self._connect()
        try:
            with waited_for(self.connection):
                self.connection.execute("begin isolation level read committed, read only")
                # a pooler may have given us another session
                self.connection.execute(_EMPTY_PATH, ["true"])
                yield
        except psycopg.Error as error:
            raise session_error(error) from error
        finally:
            self._roll_back()

    @contextmanager
    def _text(
        self,
        statement: str,
        settings: Mapping[str, str] | None,
        *,
        timeout: float | None = None,
        parameters: Sequence[int] = (),
    ) -> Iterator[str]:
        """A transaction in which ``statement`` passed the gate; what is to be sent in its place, under
        ``settings``.

        The only way to the server for a text that is not ours.
        """
        chosen = dict(settings or {})
        with self._statement():
            # before the gate, which resolves names along this path
            schemas = self._schemas_of(chosen.pop("search_path", None))
            # 0 stands for a type that the server is to find
            types = tuple(oid for oid in (*parameters, *self.values.types) if oid)
            try:
                admitted = gate.admit(self.connection, statement, schemas, parameters=types, own=self._own)
            except gate.Refused as error:
                raise Untrusted(str(error)) from error
            # case of a setting's name does not matter to the server
            if refused := sorted(_OURS & {name.lower() for name in chosen}):
                raise SessionError(f"{refused[0]} cannot be set for a statement", "42501")
            # after the caller's settings, so that no one of them can lift the limit
            if timeout is not None:
                chosen["statement_timeout"] = _milliseconds(timeout)
            self._set_all({**admitted.settings, **chosen})
            yield admitted.text

    def _schemas_of(self, search_path: str | None) -> tuple[str, ...]:
        """The effective schemas of a search_path, implicit ones included; of the account's own where none is
        given.
        """
        if search_path is None:
            return self._schemas
        self._set("search_path", search_path)
        row = self.connection.execute(_LEARN_PATH).fetchone()
        assert row is not None
        self.connection.execute(_EMPTY_PATH, ["true"])
        return tuple(row[0])

    def _set(self, name: str, value: str) -> None:
        self._set_all({name: value})

    def _set_all(self, settings: Mapping[str, str]) -> None:
        """For the transaction, in one statement: between the look and the text there is nothing else."""
        calls = ", ".join(["pg_catalog.set_config(%s, %s, true)"] * len(settings))
        pairs = [word for pair in settings.items() for word in pair]
        self.connection.execute(f"select {calls}".encode(), pairs)

    def _roll_back(self) -> None:
        # a failed connect() or a server that went: nothing to roll back
        if self.connection.closed:
            return
        if self.connection.info.transaction_status is TransactionStatus.ACTIVE:
            self.connection.close()  # a result was left unread
            return
        try:
            self.connection.execute("rollback")
        except psycopg.Error:
            self.connection.close()

    def _execute(self, statement: str) -> psycopg.Cursor[tuple[Any, ...]]:
        """One statement only: asking for binary makes psycopg use the extended protocol, which refuses
        two, so that nobody can end our read-only transaction.
        """
        return self.connection.execute(statement.encode(), binary=True)

    def _explained(self, statement: str) -> bytes:
        """EXPLAIN's document. Parse makes sure that it is one statement; it then runs by the simple
        protocol, for which a statement with parameters (GENERIC_PLAN) needs no values.
        """
        connection = self.connection.pgconn
        if values := self._values_for(statement):
            result = connection.exec_params(statement.encode(), values.values, values.types, values.formats)
        else:
            # Parse takes exactly one statement: "select 1; commit" is refused before anything runs
            parsed = connection.prepare(b"", statement.encode())
            raise_unless(parsed.status == ExecStatus.COMMAND_OK, parsed)
            result = connection.exec_(statement.encode())
        return document(result)

    def _values_for(self, statement: str) -> Values:
        return self.values if self.values and has_parameters(statement) else NO_VALUES

    def _digest_rows(self, statement: str, digest: BagDigest) -> None:
        """Stream the rows, as a client would get them (a cursor would never be planned in parallel)."""
        connection = self.connection.pgconn
        given = self._values_for(statement)
        # send_query_params: the extended protocol, one statement, results in binary
        connection.send_query_params(
            statement.encode(), given.values, given.types or None, given.formats or None, Format.BINARY
        )
        connection.set_chunked_rows_mode(CHUNK)
        failure = None
        # get_result() must be called until it gives None, also after an error: else the connection stays busy
        while (result := next_result(connection)) is not None:
            if result.status not in ROWS and result.status != ExecStatus.COMMAND_OK:
                failure = failure or result
            for row in range(result.ntuples):
                digest.add([result.get_value(row, column) for column in range(result.nfields)])
        raise_unless(failure is None, failure)


def _milliseconds(seconds: float) -> str:
    # statement_timeout = 0 would mean no limit
    return str(max(int(seconds * 1000), 1))


def _require_built_ins_first(path: tuple[str, ...]) -> None:
    """Raises Untrusted where something stands before pg_catalog: it may hide a built-in function from those
    who read a text.
    """
    if "pg_catalog" in path[1:]:
        raise Untrusted("its search_path names other schemas before pg_catalog")


def _named(path: tuple[str, ...]) -> tuple[str, ...]:
    """As a search_path names it: pg_catalog comes first unnamed."""
    return path[1:] if path[0] == "pg_catalog" else path
