"""Rewrites in the store: proposing, their life, their measured times.

Must not know how evidence is made or how rewrites are served.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from rewright.sql.forms import fixed_in, without_comments
from rewright.sql.redaction import has_strings, scrubbed, values_in, without_values
from rewright.store import revision, schema
from rewright.store.connection import transaction, upsert
from rewright.store.errors import LiteralsForbidden, NotFound
from rewright.store.life import BY_PEOPLE, TRUST_ORDER, Action, State, next_state
from rewright.store.records import Event, NewRewrite, Options, Rewrite, Side, Timing
from rewright.store.rows import identity, proposal_row, record_of, rewrite_of

T = schema.REWRITES


@dataclass(frozen=True, slots=True)
class Rewrites:
    """The rewrites of one store. Every method is one transaction and raises StoreUnavailable."""

    engine: Engine
    options: Options

    def add(self, new: NewRewrite, *, by: str = "optimiser") -> Rewrite:
        """Keep a proposal, in state ``proposed``.

        One that is there already takes the new evidence and keeps its life, except that a retired
        one is proposed again. Raises LiteralsForbidden.
        """
        new = self._without_literals(new)
        key, now = identity(new), time.time()
        # returning() without a row: it was there before
        with transaction(self.engine, write=True) as connection:
            row = proposal_row(new) | {"state": State.PROPOSED.value, "approved": False}
            row |= {"identity": key, "created_at": now, "changed_at": now, "changed_by": by}
            statement = upsert(connection)(T).values(row).on_conflict_do_nothing().returning(T.c.id)
            inserted = connection.execute(statement).first()
            found = rewrite_of(connection.execute(select(T).where(T.c.identity == key)).mappings().one())
            if inserted is None:
                # a new proof replaces an older one; the state is people's and monitors'
                self._renew(connection, found, new, by)
            revision.bump(connection)
            return _load(connection, found.id)

    def get(self, rewrite_id: int) -> Rewrite:
        """Raises NotFound."""
        with transaction(self.engine, write=False) as connection:
            return _load(connection, rewrite_id)

    def find(
        self,
        *,
        database: str | None = None,
        states: Collection[State] | None = None,
        template_key: str | None = None,
        queryid: int | None = None,
        limit: int = 1000,
    ) -> Sequence[Rewrite]:
        """Newest change first."""
        statement = select(T).order_by(T.c.changed_at.desc(), T.c.id.desc()).limit(limit)
        if database is not None:
            statement = statement.where(T.c.database == database)
        if states is not None:
            statement = statement.where(T.c.state.in_([state.value for state in states]))
        if template_key is not None:
            statement = statement.where(T.c.template_key == template_key)
        if queryid is not None:
            statement = statement.where(T.c.queryid == queryid)
        with transaction(self.engine, write=False) as connection:
            return [rewrite_of(row) for row in connection.execute(statement).mappings()]

    def servable(self, database: str | None = None) -> Sequence[Rewrite]:
        """What a relay may have to serve: approved, pinned, or with evidence that a session may trust.

        ``proposed`` rewrites are among them: their evidence does not reach the configured trust,
        but a session may have set a weaker one. Oldest first.
        """
        # a client may set rewright.trust
        levels = [level.value for level in TRUST_ORDER]
        states = [State.PROPOSED.value, State.ACTIVE.value, State.PINNED.value]
        statement = (
            # approved by a person: whatever the level
            select(T).where(T.c.state.in_(states), T.c.level.in_(levels) | T.c.approved).order_by(T.c.id)
        )
        if database is not None:
            statement = statement.where(T.c.database == database)
        with transaction(self.engine, write=False) as connection:
            return [rewrite_of(row) for row in connection.execute(statement).mappings()]

    def act(self, rewrite_id: int, action: Action, *, reason: str = "", by: str = "") -> Rewrite:
        """Take one step in the life of a rewrite; raises NotFound and IllegalTransition."""
        with transaction(self.engine, write=True) as connection:
            before = _load(connection, rewrite_id)
            after = _step(connection, before, action, reason, by)
            revision.bump(connection)
            return after

    def counts(self) -> Mapping[State, int]:
        """How many rewrites are in each state."""
        statement = select(T.c.state, func.count()).group_by(T.c.state)
        with transaction(self.engine, write=False) as connection:
            found = {State(state): int(count) for state, count in connection.execute(statement)}
        return {state: found.get(state, 0) for state in State}

    def add_timings(self, timings: Sequence[Timing]) -> None:
        """Measured executions; the medians of both sides are kept with each rewrite."""
        rows = [
            {
                "rewrite_id": timing.rewrite_id,
                "side": timing.side,
                "duration_ms": timing.duration_ms,
                "cpu_ms": timing.cpu_ms,
                "source": timing.source,
                "at": timing.at or time.time(),
                "role": timing.role,
            }
            for timing in timings
        ]
        if not rows:
            return
        with transaction(self.engine, write=True) as connection:
            connection.execute(insert(schema.TIMINGS), rows)
            for rewrite_id in {timing.rewrite_id for timing in timings}:
                self._summarise(connection, rewrite_id)

    def timings(self, rewrite_id: int, side: Side, *, limit: int = 50) -> Sequence[Timing]:
        """The newest first."""
        with transaction(self.engine, write=False) as connection:
            return _timings(connection, rewrite_id, side, limit)

    def add_served(self, counts: Mapping[int, int]) -> None:
        """How often each rewrite was served since the last call: added to its sum and to today's."""
        # by day of UTC: the figure of a page, not of a bill
        days, today = schema.SERVED, int(time.time()) // 86_400
        with transaction(self.engine, write=True) as connection:
            for rewrite_id, count in counts.items():
                connection.execute(update(T).where(T.c.id == rewrite_id).values(served=T.c.served + count))
                row = upsert(connection)(days).values(rewrite_id=rewrite_id, day=today, count=count)
                added = {"count": days.c.count + row.excluded.count}
                connection.execute(
                    # one row for each rewrite and day
                    row.on_conflict_do_update(index_elements=["rewrite_id", "day"], set_=added)
                )

    def _without_literals(self, new: NewRewrite) -> NewRewrite:
        if self.options.literals:
            return new
        # kept for these literals alone, it would be its literals
        if new.scope == "these":
            raise LiteralsForbidden(
                "[store] literals is off: a rewrite for these literals only cannot be kept"
            )
        template = without_comments(new.template)
        # a constant that stays in the template is a value of somebody's
        if has_strings(template) or fixed_in(template):
            raise LiteralsForbidden(
                "[store] literals is off: a template that keeps a constant cannot be kept"
            )
        # every value of the original, wherever else it turns up
        values = values_in(new.original)
        return replace(
            new,
            template=template,
            original=template,
            literals=(),
            hints=without_values(new.hints, values),
            sources=tuple(without_values(source, values) for source in new.sources),
            **{name: scrubbed(getattr(new, name), values) for name in ("evidence", "plans", "signature")},
        )

    def _renew(self, connection: Connection, before: Rewrite, new: NewRewrite, by: str) -> None:
        connection.execute(update(T).where(T.c.id == before.id).values(proposal_row(new)))
        if before.state is State.RETIRED:
            _step(connection, before, Action.PROPOSE, "found again", by)

    def _summarise(self, connection: Connection, rewrite_id: int) -> None:
        medians: dict[str, float] = {}
        for side, column in (("original", "original_ms"), ("replacement", "replacement_ms")):
            # the newest 25: a query's data and machine change
            found = _timings(connection, rewrite_id, side, 25)
            if found:
                medians[column] = statistics.median(timing.duration_ms for timing in found)
        if medians:
            connection.execute(update(T).where(T.c.id == rewrite_id).values(medians))
        _forget_old_timings(connection, rewrite_id, self.options.retention.timings_per_rewrite)


def _load(connection: Connection, rewrite_id: int) -> Rewrite:
    # PostgreSQL's bigint has an end that Python's int has not
    if not 0 < rewrite_id < 2**63:
        raise NotFound(f"no rewrite {rewrite_id}")
    row = connection.execute(select(T).where(T.c.id == rewrite_id)).mappings().first()
    if row is None:
        raise NotFound(f"no rewrite {rewrite_id}")
    return rewrite_of(row)


def _step(connection: Connection, before: Rewrite, action: Action, reason: str, by: str) -> Rewrite:
    state = next_state(before.state, action, before.proposal.level)
    # a rejected or retired rewrite has lost its approval; a machine's step leaves it alone
    # an approval survives machine steps until the rewrite is rejected or retired
    approved = action in BY_PEOPLE or (before.approved and state not in {State.REJECTED, State.RETIRED})
    values: dict[str, Any] = {"state": state.value, "approved": approved, "changed_at": time.time()}
    values |= {"reason": reason or before.reason, "changed_by": by}
    connection.execute(update(T).where(T.c.id == before.id).values(values))
    detail = {"from": before.state.value, "to": state.value, "reason": reason, "by": by}
    event = {"at": time.time(), "rewrite_id": before.id, "job": "", "step": action.value, "detail": detail}
    connection.execute(insert(schema.EVENTS).values(event))
    return _load(connection, before.id)


def _timings(connection: Connection, rewrite_id: int, side: str, limit: int) -> Sequence[Timing]:
    table = schema.TIMINGS
    statement = (
        select(table)
        .where(table.c.rewrite_id == rewrite_id, table.c.side == side)
        .order_by(table.c.id.desc())
        .limit(limit)
    )
    return [record_of(Timing, row) for row in connection.execute(statement).mappings()]


def _forget_old_timings(connection: Connection, rewrite_id: int, keep: int) -> None:
    table = schema.TIMINGS
    for side in get_args(Side):
        mine = (table.c.rewrite_id == rewrite_id, table.c.side == side)
        # by place, since times may be equal
        oldest = select(table.c.id).where(*mine).order_by(table.c.id.desc()).offset(keep).limit(1)
        last = connection.execute(oldest).scalar()
        if last is not None:
            connection.execute(delete(table).where(*mine, table.c.id <= last))


@dataclass(frozen=True, slots=True)
class Events:
    """The steps of the state machine, and of the lives of rewrites."""

    engine: Engine
    options: Options = field(default_factory=Options)

    def add(self, events: Sequence[Event]) -> None:
        rows = [
            {
                "at": event.at or time.time(),
                "rewrite_id": event.rewrite_id,
                "job": event.job,
                "step": event.step,
                "detail": event.detail if self.options.literals else scrubbed(event.detail),
            }
            for event in events
        ]
        if rows:
            with transaction(self.engine, write=True) as connection:
                connection.execute(insert(schema.EVENTS), rows)

    def of(
        self, *, rewrite_id: int | None = None, job: str | None = None, limit: int = 1000
    ) -> Sequence[Event]:
        """In the order in which they happened."""
        table = schema.EVENTS
        statement = select(table).order_by(table.c.id).limit(limit)
        if rewrite_id is not None:
            statement = statement.where(table.c.rewrite_id == rewrite_id)
        if job is not None:
            statement = statement.where(table.c.job == job)
        with transaction(self.engine, write=False) as connection:
            rows = connection.execute(statement).mappings()
            return [record_of(Event, row) for row in rows]
