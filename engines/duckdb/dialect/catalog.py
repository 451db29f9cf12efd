"""PostgreSQL's catalog of built-ins, and a text as its analyser reads it.

Owns what is asked of the server: functions, operators and types by OID, columns of the shadow's tables, and a
statement's analysed tree, which the server prints in a message of its own (``debug_print_parse``). Nothing
runs. Must not know what becomes of a statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg.pq import DiagnosticField, ExecStatus, TransactionStatus

from rewright.engines.duckdb.dialect.tree import Node, read

# client_min_messages=log: the tree comes at level LOG, which clients are not sent by default
SETTINGS = "-c debug_print_parse=on -c debug_pretty_print=off -c client_min_messages=log"
"""Options of the connection at which statements are looked at. The server must log nothing below FATAL
(``log_min_messages``).
"""

SAVEPOINT = "before_a_text"
"""To which a transaction goes back after a text that was refused, so that the next one can be asked about."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function, aggregate (kind a), window function (w) or procedure (p); ``signature`` as in
    ``lower(text)``.
    """

    oid: int
    signature: str
    name: str
    kind: str
    volatility: str
    result: int
    arguments: tuple[int, ...]
    returns_set: bool
    callable: bool
    """Are all its argument types such as a value of SQL can have, and may everybody call it?"""


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator; ``function``: the OID of what it calls."""

    oid: int
    name: str
    function: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Catalog:
    """The built-ins of one server, by OID."""

    functions: Mapping[int, Function]
    operators: Mapping[int, Operator]
    types: Mapping[int, str]
    elements: Mapping[int, int] = field(default_factory=dict)
    """Array type -> type of its elements."""


_FUNCTIONS = """
select p.oid::int8, p.proname || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')', p.proname::text,
  p.prokind::text, p.provolatile::text,
  p.prorettype::int8, p.proargtypes::int8[], p.proretset, has_function_privilege('public', p.oid, 'execute')
from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace"""
_OPERATORS = (
    "select oid::int8, oprname::text, oprcode::oid::int8, oprleft::int8, oprright::int8 from pg_operator"
)
_TYPES = (
    # typelem of other categories is an element type, too (name, point), without being an array
    "select oid::int8, format_type(oid, null), case when typcategory = 'A' then typelem else 0 end::int8,"
    # types any... stand for real ones; rows are of type record, and an unknown literal may pass as cstring
    " typtype = 'p' and not typname ~ '^any' and typname not in ('record', '_record', 'cstring') from pg_type"
)
_NO_RESULTS = frozenset({2281, 2279, 3838})
"""internal, trigger and event_trigger."""


def read_catalog(connection: psycopg.Connection[Any]) -> Catalog:
    """Raises psycopg.Error."""
    types = connection.execute(_TYPES).fetchall()
    without_values = {oid for oid, _, _, is_pseudo in types if is_pseudo}
    functions = [
        Function(
            o, s, n, k, v, r, tuple(a), is_set, may and not without_values & {*a} and r not in _NO_RESULTS
        )
        for o, s, n, k, v, r, a, is_set, may in connection.execute(_FUNCTIONS).fetchall()
    ]
    operators = [Operator(*row) for row in connection.execute(_OPERATORS).fetchall()]
    return Catalog(
        {one.oid: one for one in functions},
        {one.oid: one for one in operators},
        {oid: name for oid, name, _, _ in types},
        {oid: element for oid, _, element, _ in types if element},
    )


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column as PostgreSQL describes it."""

    name: str
    oid: int
    typmod: int


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table; ``type``: as it is declared."""

    name: str
    oid: int
    typmod: int
    type: str


@dataclass(frozen=True, slots=True)
class Analysed:
    """A statement as PostgreSQL reads it: its tree (None: no plannable statement), parameters and columns."""

    tree: Node | None
    parameters: tuple[int, ...]
    columns: tuple[OutputColumn, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """PostgreSQL's own error about a text."""

    sqlstate: str
    message: str
    hint: str = ""


class Analyser:
    """Asks one server how it reads texts. Used by one thread at a time."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._printed: list[str] = []
        # the tree comes as a notice of Parse, before its ParseComplete
        connection.add_notice_handler(self._note)
        self._columns: dict[int, tuple[TableColumn, ...]] = {}
        self.catalog = read_catalog(connection)

    def _note(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        if diagnostic.message_primary == "parse tree:" and diagnostic.message_detail:
            self._printed.append(diagnostic.message_detail)

    def analyse(self, text: str, declared: tuple[int, ...] = ()) -> Analysed | Refused:
        """Parse and Describe; nothing runs. Raises psycopg.Error (no connection), LakeError (nested too
        deeply).
        """
        server = self._connection.pgconn
        self._printed.clear()
        # the unnamed statement: nothing stays behind on the connection
        prepared = server.prepare(b"", text.encode(), list(declared) or None)
        printed = list(self._printed)
        if prepared.status != ExecStatus.COMMAND_OK:
            return self._refused(prepared)
        found = server.describe_prepared(b"")
        if found.status != ExecStatus.COMMAND_OK:
            return self._refused(found)
        return Analysed(
            read(printed[-1]) if len(printed) == 1 else None,
            tuple(found.param_type(i) for i in range(found.nparams)),
            tuple(
                OutputColumn((found.fname(i) or b"").decode(), found.ftype(i), found.fmod(i))
                for i in range(found.nfields)
            ),
        )

    def _refused(self, result: Any) -> Refused:
        if self._connection.info.transaction_status is TransactionStatus.INERROR:
            self._connection.execute(f"rollback to savepoint {SAVEPOINT}".encode())
        return _refused(result)

    def evaluated(self, expression: str) -> str | None:
        """The value of an expression of constants, as text. Raises psycopg.Error."""
        # an expression that was printed by us from an analysed tree: never a client's text
        row = self._connection.execute(f"select ({expression})::text".encode()).fetchone()
        assert row is not None
        return None if row[0] is None else str(row[0])

    def columns(self, relation: int) -> tuple[TableColumn, ...]:
        """A table's columns by number, from 1; dropped ones have no name."""
        if relation not in self._columns:
            rows = self._connection.execute(
                # a dropped column keeps its number, so that attnums of later ones still fit the list
                "select case when attisdropped then '' else attname::text end, atttypid::int8, atttypmod, "
                "format_type(atttypid, atttypmod)"
                " from pg_attribute where attrelid = %s::int8::oid and attnum > 0 order by attnum",
                [relation],
            ).fetchall()
            self._columns[relation] = tuple(TableColumn(*row) for row in rows)
        return self._columns[relation]

    def relation(self, oid: int) -> tuple[str, str]:
        """Schema and name of a relation."""
        row = self._connection.execute(
            "select relnamespace::regnamespace::text, relname::text from pg_class where oid = %s::int8::oid",
            [oid],
        ).fetchone()
        assert row is not None
        return str(row[0]), str(row[1])


def _refused(result: Any) -> Refused:
    def field_of(what: DiagnosticField) -> str:
        return (result.error_field(what) or b"").decode("utf-8", "replace")

    return Refused(
        # without a SQLSTATE the error is the connection's own
        field_of(DiagnosticField.SQLSTATE) or "08006",
        field_of(DiagnosticField.MESSAGE_PRIMARY),
        field_of(DiagnosticField.MESSAGE_HINT),
    )
