"""What a relay reports, on its way to the store and to the optimiser.

Owns the proxy's ``Reporter`` port. Must never wait: everything goes through bounded queues.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pglast.error import Error as PglastError
from pglast.parser import normalize

from rewright.engines.postgres.values import NO_VALUES, Values
from rewright.processes.jobs import Job, JobSender, job_of
from rewright.proxy.answers.recognition import recognise
from rewright.proxy.ports import Report, ServedStatement, SessionView, SlowQuery
from rewright.proxy.serving.failures import tells_against
from rewright.sql.forms import without_comments
from rewright.sql.redaction import WITHHELD, without_literals
from rewright.store.outcomes import NO_OPTIMISER, SLOW
from rewright.store.records import LogEntry, QuerySeen, Route, SessionSeen, Side, Timing
from rewright.store.writer import BufferedWriter

# how often the same rewrite is logged or timed at most, in seconds
SERVED_INTERVAL = 1.0
# longer texts are not normalised: the scanner takes time in proportion
TEXT_LIMIT = 262_144
# what a relay calls what ran, as the log has it
_LOGGED: Mapping[str, Route] = {"replacement": "rewritten", "original": "original", "fallback": "fallback"}
# queries whose end is waited for; beyond that they are looked at as they come
RUNNING = 10_000


def template_key(database: str, text: str) -> str:
    """Identity of what was run, for counting only."""
    return hashlib.sha256(f"{database}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def normalized(text: str) -> str:
    """The text with placeholders for its literals and without comments, for statistics only.

    Where libpg_query can't say where its literals are, the scanner's constants are taken out, or all of it.
    """
    if len(text) > TEXT_LIMIT:
        return WITHHELD
    try:
        return str(normalize(without_comments(text))).strip()
    except (PglastError, ValueError, UnicodeError):
        return without_literals(text)


class StoreReporter:
    """Writes to the store through a buffer, sends slow queries to the optimiser."""

    def __init__(
        self,
        writer: BufferedWriter,
        jobs: JobSender | None,
        *,
        run_timeout: float = 30.0,
        optimises: Callable[[str], bool] = lambda _: True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``run_timeout``: seconds after which the optimiser stops a replacement; so long a running query's
        end is waited for.

        ``optimises``: whether anything looks at the slow queries of a database.
        """
        self.optimises = optimises
        self.run_timeout = run_timeout
        self._running: dict[tuple[int, int], tuple[float, SlowQuery]] = {}
        self._writer = writer
        self._jobs = jobs
        self._clock = clock
        self._last_logged: dict[int, float] = {}
        self._served: dict[int, int] = {}
        self._flushed = clock()

    def put(self, report: Report) -> bool:
        match report:
            case SlowQuery():
                return self._slow(report)
            case ServedStatement():
                self._served_statement(report)
                return True

    def flush(self) -> None:
        """Hand over the counts of served executions, and queries that have been running for long."""
        self._hand_over_running()
        counts, self._served = self._served, {}
        self._flushed = self._clock()
        if counts:
            self._writer.put(lambda store: store.rewrites.add_served(counts))

    def _slow(self, query: SlowQuery) -> bool:
        # a command of ours, such as EXPLAIN (REWRITE): nothing to optimise
        if "rewright." in query.text.lower() and recognise(query.text) is not None:
            return True  # answered here
        # one execution is reported twice: while it runs, and when it ends
        key = query.backend_pid, query.execution
        if query.state != "running":
            self._running.pop(key, None)
            self._log_slow(query)
        # what is known need not be looked for; what failed gave no rows to compare with
        if query.is_served:
            return True
        if self._jobs is None or query.settings.mode == "off" or query.state == "failed":
            return True
        if not self.optimises(query.database):
            return True
        # RUNNING bounds what is remembered of running queries
        if query.state == "running" and query.duration < self.run_timeout and len(self._running) < RUNNING:
            # how long it takes decides what counts as faster: so far that is not known
            self._running[key] = self._clock() - query.duration, query
            return True
        return self._jobs.put(job_of(query))

    def _hand_over_running(self) -> None:
        """From the time on at which replacements are stopped, the end of the original says nothing more."""
        now = self._clock()
        for key, (began, query) in list(self._running.items()):
            # a replacement would be stopped by then, so that any that ends is faster
            if now - began >= self.run_timeout:
                del self._running[key]
                if self._jobs is not None:
                    self._jobs.put(job_of(replace(query, duration=now - began)))

    def _log_slow(self, query: SlowQuery) -> None:
        template, now, ms = normalized(query.text), self._clock(), query.duration * 1000
        key = template_key(query.database, template)
        # normalised: without literals, for all who may read the log
        self._writer.put(
            QuerySeen(
                query.database, query.role, key, template, query.text, total_ms=ms, max_ms=ms, last_at=now
            )
        )
        if query.is_served:
            return  # its line in the log tells of the rewrite
        self._writer.put(
            LogEntry(
                at=now,
                database=query.database,
                role=query.role,
                client=query.client_address,
                application_name=query.application_name,
                session=str(query.backend_pid),
                query=query.text,
                template=template,
                template_key=key,
                route="original",
                reason=self._why(query),
                duration_ms=ms,
                sqlstate=query.sqlstate,
            )
        )

    def _why(self, query: SlowQuery) -> str:
        if query.state != "finished":
            return query.state
        return SLOW if self._jobs is not None and self.optimises(query.database) else NO_OPTIMISER

    def _served_statement(self, one: ServedStatement) -> None:
        now = self._clock()
        if one.route == "replacement":
            self._served[one.rewrite_id] = self._served.get(one.rewrite_id, 0) + 1
        # a failure that the original shares is the query's own
        if tells_against(one.failure, one.original_failure):
            self._doubt(one)
        if one.reason in {"facts", "names"} and self._jobs is not None:
            self._jobs.put(_recheck(one))
        # one line per rewrite and interval that it is served in: a busy one would fill the log
        if one.route != "replacement":
            self._log_served(one, now)
        elif now - self._last_logged.get(one.rewrite_id, 0.0) >= SERVED_INTERVAL:
            self._last_logged[one.rewrite_id] = now
            self._log_served(one, now)
        if now - self._flushed >= SERVED_INTERVAL:
            self.flush()

    def _doubt(self, one: ServedStatement) -> None:
        """Not for this role any more, until it is known whether the rewrite is to blame."""
        self._writer.put(lambda store: store.doubts.add(one.rewrite_id, one.role, "failed", one.failure))
        if self._jobs is not None:
            self._jobs.put(_suspect(one))

    def _log_served(self, one: ServedStatement, now: float) -> None:
        template = normalized(one.text)
        self._writer.put(
            LogEntry(
                at=now,
                database=one.database,
                role=one.role,
                client=one.client_address,
                application_name=one.application_name,
                session=str(one.backend_pid),
                query=one.text,
                template=template,
                template_key=template_key(one.database, template),
                route=_LOGGED[one.route],
                reason=one.reason,
                rewrite_id=one.rewrite_id,
                duration_ms=one.duration * 1000,
                overhead_ms=one.overhead * 1000,
                sqlstate=one.sqlstate,
            )
        )
        # statements with more than the SELECT are timed as a whole, which says nothing of it
        if not one.more_than_select and (one.route == "replacement" or one.reason == "measure"):
            side: Side = "replacement" if one.route == "replacement" else "original"
            if one.route == "replacement" and one.reason == "hints":
                return  # the replacement without its hints: no time of either side
            self._writer.put(Timing(one.rewrite_id, side, one.duration * 1000, at=now, role=one.role))


def _recheck(one: ServedStatement) -> Job:
    """A session disagreed with the schema facts; its own uncommitted DDL, or everybody's from now on?"""
    return Job(
        # no text: the rewrite is known by its number
        database=one.database,
        text="",
        param_types=(),
        observed=0.0,
        role=one.role,
        application_name=one.application_name,
        model=False,
        hints=False,
        kind="recheck",
        rewrite_id=one.rewrite_id,
    )


def _suspect(one: ServedStatement) -> Job:
    """Does it fail on the optimiser's account as well?"""
    given = one.parameters
    return replace(
        _recheck(one),
        kind="suspect",
        text=one.text,
        param_types=given.types,
        values=Values(given.types, given.values, given.formats) if given.values else NO_VALUES,
        sqlstate=one.failure,
    )


class SessionReporter:
    """Writes a worker's sessions to the store when they changed, for rewright.sessions."""

    def __init__(self, worker: str, *, clock: Callable[[], float] = time.time) -> None:
        self._worker = worker
        self._clock = clock
        self._since: dict[str, float] = {}
        self._told: tuple[SessionSeen, ...] | None = None

    def report(self, sessions: Sequence[SessionView], writer: BufferedWriter) -> None:
        now = self._clock()
        names = [f"{self._worker}:{one.backend_pid}" for one in sessions]
        self._since = {name: self._since.get(name, now) for name in names}
        seen = tuple(self._seen(name, one) for name, one in zip(names, sessions, strict=True))
        # backend_pid is no identity across several servers: the first with a number stands for it
        unique = tuple({one.session: one for one in reversed(seen)}.values())
        if unique != self._told:
            self._told = unique
            writer.put(lambda store: store.sessions.replace(self._worker, unique))

    def _seen(self, name: str, one: SessionView) -> SessionSeen:
        return SessionSeen(
            session=name,
            worker=self._worker,
            database=one.database,
            role=one.role,
            client=one.client_address,
            application_name=one.application_name,
            mode=one.settings.mode,
            trust=one.settings.trust,
            started_at=self._since[name],
            last_route=one.last.route,
            last_reason=one.last.reason,
            state=one.state,
            server=one.server,
        )
