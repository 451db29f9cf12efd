"""A session for trying hints: plans with pg_hint_plan's own report, executed plans, timed runs.

Owns what a server can honour (version, extension) and the reading of the extension's debug report.
Must not know which hints are worth trying.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psycopg

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.generic import GENERIC_PLAN_SINCE, explain_generic
from rewright.engines.postgres.replies import document
from rewright.engines.postgres.session import Limits, Session, session_error
from rewright.sql.catalog import Catalog
from rewright.sql.parsing import has_parameters
from rewright.sql.plans import Plan, plan_from_json

# a join of very many tables may be planned for longer than anybody would wait
_PLANNING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class HintSupport:
    """What the server can honour. ``extension`` is pg_hint_plan's version; empty when it is not loaded."""

    server_version: int
    extension: str


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


# the report's headings as pg_hint_plan's HintStateDump writes them
_SECTION = re.compile(r"^(used|not used|duplication|error) hint:$", re.MULTILINE)


def read_report(messages: list[str]) -> HintReport:
    """The report in the messages of one EXPLAIN with debug_print on."""
    found: dict[str, list[str]] = {"used": [], "not used": [], "duplication": [], "error": []}
    complaints = []
    for message in messages:
        # other messages of the extension are syntax errors in hints
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


class HintingSession(Session):
    """The optimiser's session, with the extension loaded and reporting where there is one.

    ``settings`` are those under which the client's query runs (search_path, work_mem, …), so that its
    plans are seen. Raises SessionError (57014 for what was stopped at its limit).
    """

    def __init__(
        self,
        dsn: str,
        *,
        settings: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        own: bool = False,
        path: Sequence[str] = (),
    ) -> None:
        super().__init__(dsn, limits=limits, own=own, path=path)
        self._messages: list[str] = []
        self._catalog: Catalog | None = None
        self.connection.add_notice_handler(lambda d: self._messages.append(d.message_primary or ""))
        for name, value in (settings or {}).items():
            self._set_for_session(name, value)
            # the path of the client decides what its names mean
            if name == "search_path":
                self._learn_path(self.connection)
        self.support = HintSupport(self.server_version, self._find_extension())
        if self.support.extension:
            self._report_hints()

    @property
    def catalog(self) -> Catalog:
        """What users created in the database, as it was when first asked for."""
        if self._catalog is None:
            try:
                self._catalog = snapshot(self.connection)
            except psycopg.Error as error:
                raise session_error(error) from error
        return self._catalog

    def _set_for_session(self, name: str, value: str) -> None:
        self.connection.execute("select pg_catalog.set_config(%s, %s, false)", [name, value])

    def _find_extension(self) -> str:
        """Loaded already, or loadable by us. A placeholder setting fools current_setting, so pg_settings is
        asked.
        """
        if not self._extension_settings():
            try:
                # LOAD of a library outside of $libdir/plugins is a superuser's; others need it preloaded
                self.connection.execute("load 'pg_hint_plan'")
            except psycopg.Error:
                return ""
        if not self._extension_settings():
            # the settings may be placeholders that anybody set: pg_settings lists real ones only
            return ""
        row = self.connection.execute(
            "select coalesce(installed_version, default_version) from pg_available_extensions where name = "
            "'pg_hint_plan'"
        ).fetchone()
        return str(row[0]) if row else "unknown"

    def _extension_settings(self) -> bool:
        row = self.connection.execute(
            "select count(*) from pg_settings where name like 'pg\\_hint\\_plan.%'"
        ).fetchone()
        return row is not None and row[0] > 0

    def _report_hints(self) -> None:
        for name, value in (
            ("pg_hint_plan.debug_print", "on"),
            ("pg_hint_plan.message_level", "notice"),
            ("pg_hint_plan.parse_messages", "notice"),
            # pg_hint_plan reports by messages of level NOTICE here
            ("client_min_messages", "notice"),
        ):
            self._set_for_session(name, value)

    def plan(self, text: str, settings: Mapping[str, str] | None = None) -> tuple[Plan, HintReport]:
        """The plan of ``text`` and what became of its hints; not executed. Parameters without values are
        planned generically.
        """
        self._messages.clear()
        options = ["format json", "verbose"]
        if has_parameters(text) and not self.values:
            return self._generic_plan(options, text, settings), read_report(self._messages)
        plan = self._plan(", ".join(options), text, _PLANNING_SECONDS, settings)
        return plan, read_report(self._messages)

    def execute_plan(self, text: str, seconds: float, settings: Mapping[str, str] | None = None) -> Plan:
        """The executed plan with actual row counts (no per-node clock), stopped after ``seconds``."""
        # timing off: the clock of each node may take longer than the node
        return self._plan("format json, verbose, analyze, timing off", text, seconds, settings)

    def _generic_plan(self, options: Sequence[str], text: str, settings: Mapping[str, str] | None) -> Plan:
        with self._text(text, settings, timeout=_PLANNING_SECONDS) as admitted:
            if self.server_version < GENERIC_PLAN_SINCE:
                return plan_from_json(document(explain_generic(self.connection.pgconn, admitted, options)))
            comment, rest = _leading_hint(admitted)
            return plan_from_json(
                self._explained(f"{comment}explain ({', '.join(options)}, generic_plan) {rest}")
            )

    def _plan(self, options: str, text: str, seconds: float, settings: Mapping[str, str] | None) -> Plan:
        with self._text(text, settings, timeout=seconds) as admitted:
            comment, rest = _leading_hint(admitted)
            return plan_from_json(self._explained(f"{comment}explain ({options}) {rest}"))


def _leading_hint(text: str) -> tuple[str, str]:
    """A hint comment in front, and the rest: servers before 17 read only what stands first."""
    # the hint has to stay in front of EXPLAIN, too
    if not text.startswith("/*+"):
        return "", text
    end = text.index("*/") + 2
    return text[:end] + " ", text[end:]
