"""Whether stored rows keep what is declared of them: foreign keys, NOT NULL, CHECKs, bounds of partitions.

Owns the statements that look for a row that breaks one, and which looks need not be repeated. Must not know
who relies on the answer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import psycopg

from rewright.engines.postgres import references
from rewright.engines.postgres.looking import BREAKS, GONE, Broken, Kept, Look, within
from rewright.sql.algebra import TableRef
from rewright.sql.row_facts import RowFact

Found = Kept | Broken

# Whether each column leads an index in which NULLs come first from behind, and how its table is read:
# alone, as its constraints speak of it, or with all its partitions.
_COLUMNS = """
select a.attname::text, quote_ident(a.attname),
  format('%%s%%s', case c.relkind when 'p' then '' else 'only ' end, c.oid::regclass),
  exists (select from pg_index i join pg_opclass o on o.oid = i.indclass[0]
      join pg_am m on m.oid = o.opcmethod
    where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indcollation[0] = a.attcollation
      and i.indisvalid and i.indpred is null and m.amname = 'btree' and o.opcdefault and o.oid < 16384)
from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
where n.nspname = %s and c.relname = %s and c.relkind in ('r', 'p') and a.attname = any (%s)
  and a.attnum > 0 and not a.attisdropped and a.attnotnull
order by a.attnum"""

_TREE = """
with recursive tree (oid, linked) as (
  select c.oid, null::xid from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = %s and c.relname = %s and c.relkind in ('r', 'p')
  union all select h.inhrelid, h.xmin from tree t
    join pg_inherits h on h.inhparent = t.oid
)"""

# one for each partition that holds rows; the bounds of those above it are part of its own
_BOUNDS = f"""{_TREE}
select format('select 1 from only %%s where (%%s) is not true limit 1', c.oid::regclass,
  pg_get_partition_constraintdef(c.oid)),
  exists (select from tree u join pg_partitioned_table p on p.partrelid = u.oid, unnest(p.partclass::oid[]) k
    where k >= 16384)
from tree t join pg_class c on c.oid = t.oid
where c.relkind = 'r' and pg_get_partition_constraintdef(c.oid) is not null
order by c.oid"""

# The planner believes a NOT NULL of the table, but not of a subquery that it leaves as it is.
_CHECK = """
select format('select 1 from (select * from %%s%%s offset 0) %%I where (%%s) is false limit 1',
  case when k.connoinherit and c.relkind = 'r' then 'only ' else '' end, c.oid::regclass, c.relname,
  pg_get_expr(k.conbin, k.conrelid))
from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
where k.contype = 'c' and n.nspname = %s and c.relname = %s and k.conname = %s and c.relkind in ('r', 'p')"""

# Each row here is written anew when NOT NULL is dropped, or a partition attached: while they are the
# same, no row came in that was not checked. The server's start and the database tell one server from
# another.
_STATE = f"""{_TREE}
select md5(concat_ws(' ', pg_postmaster_start_time(),
    (select oid from pg_database where datname = current_database()),
  (select string_agg(concat_ws(' ', t.oid, t.linked, md5(c.relpartbound::text)), ',' order by t.oid)
     from tree t join pg_class c on c.oid = t.oid),
  (select string_agg(concat_ws(' ', k.oid, k.xmin), ',' order by k.oid)
     from tree t join pg_constraint k on k.conrelid = t.oid and k.contype = 'c'),
  (select string_agg(concat_ws(' ', a.attrelid, a.attnum, a.xmin), ',' order by a.attrelid, a.attnum)
     from tree t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0)))"""


@dataclass(slots=True)
class KeptFacts:
    """What was found to hold in one database, and the state of its table's declarations then. For several
    threads.
    """

    _found: dict[RowFact, tuple[str, Kept]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, fact: RowFact, state: str) -> Kept | None:
        """What was found in this very state."""
        with self._lock:
            then, found = self._found.get(fact, ("", None))
            return found if then == state else None

    def add(self, fact: RowFact, state: str, found: Kept) -> None:
        with self._lock:
            self._found[fact] = state, found


def look_at(
    connection: psycopg.Connection[Any],
    facts: Iterable[RowFact],
    seconds: Callable[[], float],
    remembered: KeptFacts | None = None,
) -> Mapping[RowFact, Found]:
    """Look for rows that break these facts; each table is read once for all its columns. ``seconds``: what
    one look may take, asked before each.

    NOT NULL and bounds that were found kept are not looked at again while their table's declarations stand:
    the server lets no row in that breaks them. Never raises for what the server says.
    """
    found: dict[RowFact, Found] = {}
    for _, group in groupby(sorted(facts, key=_place), _place):
        some = list(group)
        if some[0].kind == "foreign key":
            found |= {one: references.look(connection, one.ref, one.name, seconds()) for one in some}
        else:
            found |= _of_table(connection, some[0].ref, some, seconds(), remembered)
    return found


def _place(fact: RowFact) -> tuple[str, str, str]:
    return fact.schema, fact.table, fact.kind


def _of_table(
    connection: psycopg.Connection[Any],
    table: TableRef,
    facts: Sequence[RowFact],
    seconds: float,
    remembered: KeptFacts | None,
) -> Mapping[RowFact, Found]:
    """``facts``: of one kind."""

    def body(look: Look) -> Mapping[RowFact, Found]:
        # read before the rows: what changes in between is another state
        state = _state(look, table)
        known = {} if remembered is None else {one: remembered.get(one, state) for one in facts}
        found: dict[RowFact, Found] = {one: kept for one, kept in known.items() if kept is not None}
        asked = [one for one in facts if one not in found]
        found |= _looked_at(look, table, asked)
        for one in asked:
            kept = found[one]
            if remembered is not None and isinstance(kept, Kept):
                remembered.add(one, state, kept)
        return found

    found = within(connection, seconds, body)
    return dict.fromkeys(facts, found) if isinstance(found, Broken) else found


def _looked_at(look: Look, table: TableRef, facts: Sequence[RowFact]) -> Mapping[RowFact, Found]:
    if not facts or facts[0].kind == "bounds":
        return {one: _bounds(look, table) for one in facts}
    if facts[0].kind == "check":
        return {one: _check(look, table, one.name) for one in facts}
    nulls = _nulls(look, table, [one.name for one in facts])
    return {one: nulls[one.name] for one in facts}


def _check(look: Look, table: TableRef, name: str) -> Found:
    row = look.connection.execute(_CHECK, [table.schema, table.name, name]).fetchone()
    if row is None:
        return GONE
    return Kept(look.snapshot()) if look.row(row[0]) is None else BREAKS


def _state(look: Look, table: TableRef) -> str:
    row = look.connection.execute(_STATE, [table.schema, table.name]).fetchone()
    assert row is not None
    return str(row[0])


def _bounds(look: Look, table: TableRef) -> Found:
    for statement, foreign in look.connection.execute(_BOUNDS, [table.schema, table.name]).fetchall():
        if foreign:
            return Broken("its partitions are told apart by a user's functions", seen=False)
        if look.row(statement, hash_bounds=True) is not None:
            return BREAKS
    return Kept(look.snapshot())


def _nulls(look: Look, table: TableRef, columns: Sequence[str]) -> Mapping[str, Found]:
    """Which columns hold NULLs. The planner of PostgreSQL 17 and later takes IS NULL of such a column for
    false: it is a function that looks.
    """
    rows = look.connection.execute(_COLUMNS, [table.schema, table.name, list(columns)]).fetchall()
    found: dict[str, Found] = dict.fromkeys(columns, GONE)
    left: dict[str, str] = {}
    source = ""
    for name, quoted, source, leads in rows:
        # the end of an index says it at once
        if not leads:
            left[name] = quoted
        elif look.row(_AT_THE_END.format(column=quoted, source=source)) is not None:
            found[name] = BREAKS
        else:
            found[name] = Kept(look.snapshot())
    broken = _scanned(look, source, left)
    snapshot = look.snapshot()
    return found | {name: BREAKS if name in broken else Kept(snapshot) for name in left}


_AT_THE_END = (
    "select 1 from (select {column} as x from {source} order by 1 desc limit 1) s"
    " where pg_catalog.num_nulls(s.x) > 0"
)


def _scanned(look: Look, source: str, columns: Mapping[str, str]) -> set[str]:
    """Those of the columns (name: as SQL spells it) that hold NULLs, by one scan if none does."""
    broken: set[str] = set()
    while left := {name: quoted for name, quoted in columns.items() if name not in broken}:
        each = ", ".join(f"pg_catalog.num_nulls({quoted}) > 0" for quoted in left.values())
        some = f"pg_catalog.num_nulls({', '.join(left.values())}) > 0"
        row = look.row(f"select {each} from {source} where {some} limit 1")
        if row is None:
            break
        broken |= {name for name, is_null in zip(left, row, strict=True) if is_null}
    return broken
