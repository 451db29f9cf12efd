"""A session for trying hints: plans with pg_hint_plan's own report, executed plans, timed runs.

Owns what a server can honour (version, extension) and the reading of the extension's debug report.
Read-only, on the optimiser's own connection, every statement in a transaction that is rolled back. Must
not know which hints are worth trying.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

import psycopg
from psycopg import sql as composed

from sql.plans import Plan, plan_from_json


class TimedOut(Exception):
    """The statement was stopped at its limit; it says nothing about how long it would have run."""


class Refused(Exception):
    """The server refused the statement; the message is the server's."""


@dataclass(frozen=True, slots=True)
class HintSupport:
    """What the server can honour. ``extension`` is pg_hint_plan's version; empty when it is not loaded."""

    server_version: int
    extension: str

    @property
    def reads_anywhere(self) -> bool:
        """The comment is found anywhere in the text (since PostgreSQL 17's scanner)."""
        return self.server_version >= 170000


@dataclass(frozen=True, slots=True)
class HintReport:
    """pg_hint_plan's report of one planning: texts of hints by what became of them."""

    used: tuple[str, ...] = ()
    not_used: tuple[str, ...] = ()
    duplicated: tuple[str, ...] = ()
    erroneous: tuple[str, ...] = ()
    complaints: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        return not (self.not_used or self.duplicated or self.erroneous or self.complaints)


@dataclass(frozen=True, slots=True)
class Run:
    """One complete execution: wall seconds, rows, and a digest of the rows as a bag."""

    seconds: float
    rows: int
    digest: str


_SECTION = re.compile(r"^(used|not used|duplication|error) hint:$", re.MULTILINE)


def read_report(messages: list[str]) -> HintReport:
    """The report in the messages of one EXPLAIN with debug_print on."""
    found: dict[str, list[str]] = {"used": [], "not used": [], "duplication": [], "error": []}
    complaints = []
    for message in messages:
        if "used hint:" not in message:
            if "pg_hint_plan" in message or "hint" in message.lower():
                complaints.append(message)
            continue
        parts = _SECTION.split(message)
        for name, body in zip(parts[1::2], parts[2::2], strict=True):
            found[name] += [line for line in body.split("\n") if line.strip()]
    return HintReport(
        tuple(found["used"]),
        tuple(found["not used"]),
        tuple(found["duplication"]),
        tuple(found["error"]),
        tuple(complaints),
    )


class HintingSession:
    """One connection for the length of a ``with`` block.

    ``settings`` are those under which the client's query runs (search_path, work_mem, …), so that its
    plans are seen. Times are in seconds. Raises psycopg.Error when the server cannot be reached.
    """

    def __init__(self, dsn: str, *, settings: Mapping[str, str] | None = None) -> None:
        self._connection = psycopg.connect(dsn, autocommit=True, application_name="rewright hints")
        self._messages: list[str] = []
        self._connection.add_notice_handler(lambda d: self._messages.append(d.message_primary or ""))
        try:
            self._connection.execute("set default_transaction_read_only = on")
            self._connection.execute("set lock_timeout = '2s'")
            for name, value in (settings or {}).items():
                self._connection.execute("select set_config(%s, %s, false)", [name, value])
            self.support = HintSupport(self._connection.info.server_version, self._find_extension())
            if self.support.extension:
                self._report_hints()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _find_extension(self) -> str:
        """Loaded already, or loadable by us. A placeholder setting fools current_setting, so pg_settings is asked."""
        if not self._extension_settings():
            try:
                self._connection.execute("load 'pg_hint_plan'")
            except psycopg.Error:
                return ""
        if not self._extension_settings():
            return ""
        row = self._connection.execute(
            "select coalesce(installed_version, default_version) from pg_available_extensions where name = 'pg_hint_plan'"
        ).fetchone()
        return str(row[0]) if row else "unknown"

    def _extension_settings(self) -> bool:
        row = self._connection.execute(
            "select count(*) from pg_settings where name like 'pg\\_hint\\_plan.%'"
        ).fetchone()
        return row is not None and row[0] > 0

    def _report_hints(self) -> None:
        for name, value in (
            ("pg_hint_plan.debug_print", "on"),
            ("pg_hint_plan.message_level", "notice"),
            ("pg_hint_plan.parse_messages", "notice"),
            ("client_min_messages", "notice"),
        ):
            self._connection.execute("select set_config(%s, %s, false)", [name, value])

    # -- statements

    def plan(self, text: str, settings: Mapping[str, str] | None = None) -> tuple[Plan, HintReport]:
        """The plan of ``text`` and what became of its hints; not executed.

        Raises Refused.
        """
        self._messages.clear()
        plan = self._explain("format json, verbose", text, 10.0, settings)
        return plan, read_report(self._messages)

    def execute_plan(self, text: str, seconds: float, settings: Mapping[str, str] | None = None) -> Plan:
        """The executed plan with actual row counts (no per-node clock).

        Raises TimedOut, Refused.
        """
        return self._explain("format json, verbose, analyze, timing off", text, seconds, settings)

    def run(self, text: str, seconds: float, settings: Mapping[str, str] | None = None) -> Run:
        """Run it to the end and digest the rows.

        Raises TimedOut, Refused.
        """
        with self._transaction(seconds, settings):
            started = time.perf_counter()
            result = self._connection.execute(text.encode(), prepare=False).pgresult
            elapsed = time.perf_counter() - started
        assert result is not None
        total = 0
        for row in range(result.ntuples):
            parts = hashlib.blake2b(digest_size=16)
            for column in range(result.nfields):
                value = result.get_value(row, column)
                parts.update(b"\0" if value is None else b"\1%d:" % len(value) + value)
            total = (total + int.from_bytes(parts.digest())) % (1 << 128)
        return Run(elapsed, result.ntuples, f"{total:032x}")

    def fetch(self, text: str, values: list[object] | None = None) -> list[tuple[object, ...]]:
        """Rows of a catalog query of ours."""
        with self._transaction(10.0, None):
            return self._connection.execute(text.encode(), values).fetchall()

    def _explain(self, options: str, text: str, seconds: float, settings: Mapping[str, str] | None) -> Plan:
        with self._transaction(seconds, settings):
            comment, rest = _leading_hint(text)
            statement = f"{comment}explain ({options}) {rest}"
            row = self._connection.execute(statement.encode(), prepare=False).fetchone()
        assert row is not None
        document = row[0] if isinstance(row[0], list) else json.loads(row[0])
        return plan_from_json(document)

    @contextmanager
    def _transaction(self, seconds: float, settings: Mapping[str, str] | None) -> Iterator[None]:
        try:
            with self._connection.transaction(force_rollback=True):
                limit = max(1, int(seconds * 1000))
                self._connection.execute(
                    composed.SQL("set local statement_timeout = {}").format(composed.Literal(limit))
                )
                for name, value in (settings or {}).items():
                    self._connection.execute("select set_config(%s, %s, true)", [name, value])
                yield
        except psycopg.errors.QueryCanceled as error:
            raise TimedOut(str(error)) from error
        except psycopg.Error as error:
            raise Refused(str(error)) from error


def _leading_hint(text: str) -> tuple[str, str]:
    """A hint comment in front, and the rest: servers before 17 read only what stands first."""
    if not text.startswith("/*+"):
        return "", text
    end = text.index("*/") + 2
    return text[:end] + " ", text[end:]
