"""Which of several indexes the planner would take, by HypoPG: made all at once, cut down to what is needed.

As dexter does, with two differences: what a plan costs is counted with its subplans (`Plan.work`), and an
index of several columns yields to its first ones where these do nearly as well. Nothing is built; the
hypothetical ones are the session's alone and gone at the end. Must not know where candidates come from.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import SessionError
from rewright.hints.indexes import Index
from rewright.sql.plans import Plan

# the share of the plan's work that may be left
_WORTH = 0.5
# an index without which the plan costs no more than this is not needed
_NEEDED = 1.1
# HypoPG plans over all of them at once: more make planning itself slow
_MOST = 200
# below this many rows a scan is as good
_FEW_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class Helpful:
    """Indexes with which a plan's work is ``after`` instead of ``before``, in the planner's units."""

    indexes: tuple[Index, ...]
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Hypothetical:
    """HypoPG in ``schema`` (quoted where need be), for one text, until a moment of the monotonic clock."""

    session: HintingSession
    schema: str
    text: str
    until: float

    def helpful(self, plan: Plan, candidates: Sequence[Index]) -> Helpful | None:
        """The fewest that the planner would take and that spare a good part of the work; None: there are
        none.
        """
        before = plan.work
        taken, after = self._with(candidates[:_MOST])
        # not worth it even with all of them
        if after is None or after > _WORTH * before:
            return None
        # The widest first: it costs most to keep, and most often yields to fewer columns.
        for index in sorted(taken, key=lambda i: -len(i.keys)):
            for fewer in _alternatives(index, taken):
                used, work = self._with(fewer)
                # the planner must still take each of the fewer ones, and lose little by it
                if work is not None and work <= _NEEDED * after and set(used) == set(fewer):
                    taken, after = list(fewer), work
                    break
        # each step may have cost a little
        return Helpful(tuple(taken), before, after) if taken and after <= _WORTH * before else None

    def _with(self, indexes: Iterable[Index]) -> tuple[list[Index], float | None]:
        """Those that the plan uses where all are there, and its work; None when it can't be had."""
        # out of time: what was found so far stands
        if time.monotonic() >= self.until:
            return [], None
        made: dict[str, Index] = {}
        schema = self.schema
        try:
            for index in indexes:
                try:
                    ((name,),) = self.session.ask(
                        f"select indexname::text from {schema}.hypopg_create_index(%s::text)",
                        [index.statement],
                    )
                except SessionError:
                    continue  # of a type without an order, or an expression that is not immutable
                made[name] = index
            plan, _ = self.session.plan(self.text)
        except SessionError:
            return [], None
        finally:
            # hypothetical indexes last as long as the session: none may be left for the next plan
            self.session.ask(f"select {schema}.hypopg_reset()")
        used = [made[node.index] for node in plan.walk() if node.index in made]
        return list(dict.fromkeys(used)), plan.work


def _alternatives(index: Index, taken: Sequence[Index]) -> list[list[Index]]:
    """Without an index, then with fewer of its columns."""
    others = [other for other in taken if other != index]
    shorter = [replace(index, keys=index.keys[:n]) for n in range(1, len(index.keys))]
    # without it at all first, then with its first column, two, …
    return [others, *([*others, one] for one in shorter if one not in others)]


_KEYS = """
select array(select pg_catalog.pg_get_indexdef(i.indexrelid, k::int, true)
             from pg_catalog.generate_series(1, i.indnkeyatts) k), i.indisunique
from pg_catalog.pg_index i
     join pg_catalog.pg_class c on c.oid = i.indrelid
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_class x on x.oid = i.indexrelid
     join pg_catalog.pg_am m on m.oid = x.relam
where n.nspname = %s and c.relname = %s and i.indisvalid and i.indpred is null and m.amname = 'btree'"""
_ROWS = """
select c.reltuples::float8 from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = %s and c.relname = %s and c.relkind in ('r', 'm')"""


def missing(session: HintingSession, indexes: Sequence[Index]) -> list[Index]:
    """Those of tables that are not small, where no index begins with the same and no key is part of it."""
    there: dict[tuple[str, str], list[tuple[tuple[str, ...], bool]] | None] = {}
    for index in indexes:
        place = index.schema, index.relation
        if place not in there:
            rows = session.ask(_ROWS, place)
            # a view, or a table that was never analysed (-1 rows), counts as small
            small = not rows or rows[0][0] < _FEW_ROWS
            there[place] = (
                None if small else [(tuple(keys), unique) for keys, unique in session.ask(_KEYS, place)]
            )
    return [
        index
        for index in indexes
        if (known := there[index.schema, index.relation]) is not None
        and not any(
            # an index that begins alike serves as well; behind a unique key more columns find nothing more
            keys[: len(index.keys)] == index.keys or (unique and keys == index.keys[: len(keys)])
            for keys, unique in known
        )
    ]
