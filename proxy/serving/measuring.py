"""How long what is served takes, what became of the last query, and which rewrites failed in this session.

Owns what SHOW rewright.last says and the reports of served statements. Must not know messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from rewright.proxy.metrics import Metrics
from rewright.proxy.ports import NOT_KNOWN, Candidate, LastQuery, Lookup, Parameters, ServedStatement
from rewright.proxy.serving.failures import is_passing, sqlstate_of, tells_against
from rewright.proxy.serving.identity import Identity
from rewright.proxy.serving.in_force import UNWANTED, SettingsInForce
from rewright.proxy.serving.reports import Reports
from rewright.proxy.session import Session

_UNKNOWN = LastQuery("original", None, NOT_KNOWN)
_UNWANTED = LastQuery("original", None, "rewright.mode")


Route = Literal["replacement", "original", "fallback"]


@dataclass(frozen=True, slots=True)
class Timing:
    """A statement with a rewrite that is running now."""

    candidate: Candidate
    route: Route
    reason: str
    began: float
    overhead: float
    text: str
    # the SQLSTATE with which the replacement failed before the original was run
    failure: str = ""
    parameters: Parameters = field(default_factory=Parameters)
    # when it had given as many rows as were asked for
    paused: float | None = None


class Measuring:
    """``timing``: what runs now; ``last``: what became of the last query. ``rewatch`` is called when either
    begins or ends.
    """

    def __init__(
        self,
        session: Session,
        identity: Identity,
        in_force: SettingsInForce,
        lookup: Lookup | None,
        reports: Reports,
        metrics: Metrics,
        clock: Callable[[], float],
        rewatch: Callable[[], None],
    ) -> None:
        self._session = session
        self._identity = identity
        self._in_force = in_force
        self._lookup = lookup
        self._reports = reports
        self._metrics = metrics
        self._clock = clock
        self._rewatch = rewatch
        self.timing: Timing | None = None
        self.last = LastQuery()
        self._told = -1.0  # when the cycle began of which an execution was last reported
        self._followed = False  # something unserved was executed behind what is timed
        self._doubted: dict[int, int] = {}  # rewrites that failed here, with the look-up's version

    def is_doubted(self, rewrite_id: int) -> bool:
        """Whether the rewrite failed in this session, and what others found out of it since is not known
        here.
        """
        return self._lookup is not None and self._doubted.get(rewrite_id) == self._lookup.version

    # --- what is not served -------------------------------------------------------------------------

    def passed(self) -> None:
        """A query went on as it came."""
        wanted = self._of_passed()
        if self.last is not wanted:
            self.last = wanted
            self._rewatch()

    def _of_passed(self) -> LastQuery:
        return _UNWANTED if self._in_force.view.mode in UNWANTED else _UNKNOWN

    @property
    def is_settled(self) -> bool:
        """Whether another query that goes on as it comes changes nothing here."""
        return self.timing is None and self.last is self._of_passed()

    def passed_by(self) -> None:
        """An original was executed: what was known of the last query is over."""
        if self.timing is not None:
            self._followed = True
        elif self.last.text:
            self.passed()

    def was_slow(self, text: bytes, duration: float) -> None:
        """The last query was slow, and nothing is known of it here: what became of it can be asked for by its
        text.
        """
        if self.last.rewrite_id is None and self.last.reason in {"", NOT_KNOWN} and self.timing is None:
            said = text.decode("utf-8", "replace")
            self.last = replace(_UNKNOWN, duration=duration, text=said)
            self._metrics.seconds["slow"].observe(duration)
            self._rewatch()

    def was_served(self) -> bool:
        """Whether an execution of the cycle that ends was reported with its rewrite."""
        return self._told == self._session.cycles.started

    # --- what is ------------------------------------------------------------------------------------

    def start(self, timing: Timing) -> None:
        self.portion_over()
        self.timing = timing
        self._followed = False
        self._rewatch()

    def portion_ended(self) -> None:
        """The portal has given as many rows as Execute asked for; whether it goes on is not known yet."""
        if self.timing is not None:
            now = self._clock()
            self.timing = replace(self.timing, paused=now)
            self.last = _last(self.timing, now)

    def portion_begins(self) -> None:
        """It goes on: the time the client took in between is not the query's."""
        if self.timing is not None and self.timing.paused is not None:
            began = self.timing.began + self._clock() - self.timing.paused
            self.timing = replace(self.timing, began=began, paused=None)

    def portion_over(self) -> None:
        """What was read in part is not read on, or something else has begun."""
        if self.timing is not None and self.timing.paused is not None:
            self._ended(rows=0)

    def tag(self, tag: bytes) -> None:
        """A statement has ended well."""
        if self.timing is not None:
            self._ended(rows=_rows_of(tag))

    def failed(self, message: bytes) -> None:
        """The client gets an error: what is timed has ended with it."""
        if self.timing is None:
            return
        state = sqlstate_of(message)
        if self.timing.route == "replacement":
            self.failed_alone(state)
        else:
            passing = is_passing(state)
            self._ended(rows=0, original="" if passing else state, is_known=not passing, sqlstate=state)

    def failed_alone(self, sqlstate: str) -> None:
        """The replacement failed where the original could not be run behind it."""
        assert self.timing is not None
        self.timing = replace(self.timing, failure="" if is_passing(sqlstate) else sqlstate)
        self._ended(rows=0, is_known=False, sqlstate=sqlstate)

    def _ended(self, rows: int, *, original: str = "", is_known: bool = True, sqlstate: str = "") -> None:
        """``original``: the SQLSTATE with which it failed; ``is_known``: whether what it did says anything;
        ``sqlstate``: of the error that the client got.
        """
        timing, self.timing = self.timing, None
        assert timing is not None
        # What the client read in part ended for it when it had the rows it wanted.
        now = self._clock() if timing.paused is None else timing.paused
        metrics = self._metrics
        metrics.routes[timing.route] += 1
        if timing.reason:
            metrics.reasons[timing.reason] += 1
        metrics.seconds[timing.route].observe(now - timing.began)
        metrics.overhead_seconds += timing.overhead
        self.last = _last(timing, now)
        # What was executed behind it is the last query now.
        if self._followed:
            self.passed()
        self._rewatch()
        failed = original if is_known else None
        if tells_against(timing.failure, failed) and self._lookup is not None:
            self._doubted[timing.candidate.rewrite.id] = self._lookup.version
        self._report(timing, rows, now, failed, sqlstate)

    def _report(self, timing: Timing, rows: int, now: float, original: str | None, sqlstate: str) -> None:
        site = timing.candidate.site
        if self._reports.reporter is None or (site is not None and site.kind == "explain"):
            return
        identity = self._identity
        report = ServedStatement(
            rewrite_id=timing.candidate.rewrite.id,
            route=timing.route,
            reason=timing.reason,
            duration=now - timing.began,
            overhead=timing.overhead,
            rows=rows,
            database=identity.database,
            role=identity.user,
            application_name=identity.name_of(self._session.server.parameters),
            text=timing.text,
            # where there is more than the SELECT, that may be what failed
            failure="" if site is not None else timing.failure,
            original_failure=original,
            parameters=timing.parameters if timing.failure else Parameters(),
            more_than_select=site is not None,
            client_address=identity.client_address,
            backend_pid=identity.backend_pid,
            sqlstate=sqlstate,
        )
        self._reports.put(report)
        # of another search path nothing is known yet: it may be looked for
        if timing.reason != "search_path":
            self._told = self._session.cycles.started


def _last(timing: Timing, now: float) -> LastQuery:
    return LastQuery(
        timing.route,
        timing.candidate.rewrite.id,
        timing.reason,
        now - timing.began,
        timing.overhead,
        timing.text,
        timing.candidate.replacement,
    )


def _rows_of(tag: bytes) -> int:
    last = tag.rpartition(b" ")[2]
    return int(last) if last.isdigit() else 0
