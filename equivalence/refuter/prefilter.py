"""Thousands of small databases a second: both queries over stand-ins, compared inside the server.

A plpgsql function holds both queries as static SQL, so each is planned once; table names are
shadowed by CTEs that select one database's rows from the batch tables (`standins`), or the rows
are inserted into the real tables in a subtransaction that is rolled back (`real`). Each database
has its own exception block, so an error hits one database only. A hit is a suspicion: `replay`
decides. Must not know generation or verdicts.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import psycopg

from rewright.equivalence.generator.databases import closure
from rewright.equivalence.generator.schema import TableShape
from rewright.equivalence.isolation import ScreenedQuery
from rewright.equivalence.refuter.order import tie_query
from rewright.equivalence.refuter.scratch_database import ScratchDatabase, qualified, quote

Mode = Literal["standins", "real"]
# one plan for all batches, which finds a database's rows by the index however many there are
_PLANNING = "set plan_cache_mode = force_generic_plan set enable_seqscan = off"
SYSTEM_COLUMNS = frozenset({"ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"})


@dataclass(frozen=True, slots=True)
class Hit:
    """Database ``number`` of the batch gave different answers (or an error on one side)."""

    number: int
    error_original: str
    error_candidate: str


@dataclass(frozen=True, slots=True)
class Sifted:
    """What one batch gave. ``ran``: databases that could be loaded; ``telling``: those of the batch in which
    a query returned a telling row.
    """

    hits: tuple[Hit, ...]
    ran: int
    telling: tuple[int, ...]


class Prefilter:
    """The compiled comparison of one pair in one scratch database.

    Raises psycopg.Error from the constructor when the server does not take one of the queries.
    """

    def __init__(
        self, scratch_db: ScratchDatabase, original: ScreenedQuery, candidate: ScreenedQuery
    ) -> None:
        self.scratch_db = scratch_db
        self.name = f"rw_batch.probe_{secrets.token_hex(6)}"
        self.used = used_tables(scratch_db, (original, candidate))
        self.ties: str | None = None
        self.mode: Mode = "standins" if self._can_stand_in(original, candidate) else "real"
        if self.mode == "standins":
            try:
                self._create(original, candidate)
            except psycopg.Error:
                self.mode = "real"
        if self.mode == "real":
            self._create(original, candidate)

    def close(self) -> None:
        self.scratch_db.connection.execute(f"drop function if exists {self.name}(int, int)".encode())

    def run(self, first: int, count: int) -> Sifted:
        """Compare ``count`` loaded databases from number ``first`` on. Raises psycopg.Error (timeouts)."""
        call = f"select * from {self.name}({first}, {first + count - 1})"
        rows = self.scratch_db.connection.execute(call.encode()).fetchall()
        if self.mode == "real" and self.used:
            names = ", ".join(qualified(t) for t in self._tables())
            self.scratch_db.connection.execute(f"truncate {names} cascade".encode())
        ran, told = rows[-1][0], str(rows[-1][1] or "")
        hits = tuple(Hit(number - first, left or "", right or "") for number, left, right in rows[:-1])
        return Sifted(hits, ran, tuple(int(number) - first for number in told.split(",") if number))

    # -- coverage

    def plans(self, text: str) -> bool:
        """Whether the server takes this SELECT in the place of a query."""
        try:
            self._plan(text)
        except psycopg.Error:
            return False
        return True

    def probe(
        self, texts: Sequence[str], first: int, count: int, name: str
    ) -> list[tuple[int, list[bool | None]]]:
        """For each SELECT of one boolean array, the OR of its answers over ``count`` databases from ``first``
        on.

        Raises psycopg.Error.
        """
        connection = self.scratch_db.connection
        asks = "\n".join(
            f"begin select * into rw_v from {self._wrapped(text)};\n"
            f"rw_{n} := array(select coalesce(rw_x, false) or coalesce(rw_y, false) from unnest(rw_{n}, "
            f"rw_v) as u(rw_x, rw_y));\n"
            "exception when others then null; end;"
            for n, text in enumerate(texts)
        )
        declared = " ".join(f"rw_{n} bool[];" for n in range(len(texts)))
        answers = "\n".join(f"rw_out := {n}; rw_values := rw_{n}; return next;" for n in range(len(texts)))
        tag = f"$rw{secrets.token_hex(8)}$"
        connection.execute(
            f"""create function rw_batch.cover_{name}(rw_low int, rw_high int)
returns table(rw_out int, rw_values bool[]) language plpgsql {_PLANNING} as {tag}
#variable_conflict use_column
declare rw_i int; rw_v bool[]; rw_ok bool; {declared}
begin for rw_i in rw_low..rw_high loop
{self._load()}
{asks}
{self._unload()}
end loop;
{answers}
end
{tag}""".encode()
        )
        try:
            rows = connection.execute(
                f"select * from rw_batch.cover_{name}({first}, {first + count - 1})".encode()
            ).fetchall()
        finally:
            connection.execute(f"drop function rw_batch.cover_{name}(int, int)".encode())
        return [(number, values) for number, values in rows]

    # -- building the function

    def _tables(self) -> list[TableShape]:
        return [self.scratch_db.shape.tables[i] for i in self.scratch_db.shape.order if i in self.used]

    def _can_stand_in(self, *queries: ScreenedQuery) -> bool:
        """Whether shadowing names by CTEs can mean the same as the real tables."""
        scratch_db = self.scratch_db
        if scratch_db.schema.functions or scratch_db.schema.views:
            return False
        for query in queries:
            if query.columns & SYSTEM_COLUMNS or any(schema for schema, _ in query.relations):
                return False
        return all(table.plain for table in self._tables())

    def _create(self, original: ScreenedQuery, candidate: ScreenedQuery) -> None:
        ties = tie_query(original.tree)
        self.ties = ties if ties is not None and self.plans(ties) else None
        body = self._body(original.text, candidate.text)
        tag = f"$rw{secrets.token_hex(8)}$"
        self.scratch_db.connection.execute(
            f"create function {self.name}(rw_low int, rw_high int) "
            "returns table(rw_out int, rw_left text, rw_right text) language plpgsql "
            f"{_PLANNING} as {tag}\n{body}\n{tag}".encode()
        )
        try:
            # what the stand-ins cannot express fails here, not in every database
            self._plan(original.text)
            self._plan(candidate.text)
        except psycopg.Error:
            self.close()
            raise

    def _plan(self, text: str) -> None:
        query = self._wrapped(text, "0")
        self.scratch_db.connection.execute(f"explain select * from {query}".encode())

    def _wrapped(self, text: str, database: str = "rw_i") -> str:
        if self.mode == "real":
            return f"(\n{text}\n) rw_q"
        # only what the text can reach: an unused CTE costs planning time
        ctes = ", ".join(
            f"{quote(self.scratch_db.shape.tables[i].name)} as not materialized "
            f"(select {all_columns(self.scratch_db.shape.tables[i])} from rw_batch.t{i} where rw_db = "
            f"{database})"
            for i in sorted(self.used)
        )
        return f"(with {ctes} (\n{text}\n)) rw_q" if ctes else f"(\n{text}\n) rw_q"

    def _body(self, original: str, candidate: str) -> str:
        return f"""#variable_conflict use_column
declare rw_i int; rw_a text[]; rw_b text[]; rw_t bigint[]; rw_e text; rw_f text;
  rw_n int := 0; rw_told int[] := '{{}}'; rw_ok bool;
begin
for rw_i in rw_low..rw_high loop
rw_a := null; rw_b := null; rw_e := null; rw_f := null; rw_ok := false;
{self._load()}
{_attempt(self._wrapped(original), "rw_a", "rw_e")}
{_attempt(self._wrapped(candidate), "rw_b", "rw_f")}
{self._order(original, candidate)}
{self._unload()}
if rw_ok then
  rw_n := rw_n + 1;
  if cardinality(rw_a) > 1 or cardinality(rw_b) > 1
    or translate(rw_a[1], '(),0', '') <> '' or translate(rw_b[1], '(),0', '') <> '' then
    rw_told := rw_told || rw_i;
  end if;
  if rw_e is distinct from rw_f and (rw_e is null or rw_f is null)
    or (rw_e is null and rw_f is null and rw_a is distinct from rw_b) then
    rw_out := rw_i; rw_left := rw_e; rw_right := rw_f; return next;
  end if;
end if;
end loop;
rw_out := rw_n; rw_left := array_to_string(rw_told, ','); rw_right := null; return next;
end"""

    def _order(self, original: str, candidate: str) -> str:
        """Where bags agree: both sequences sorted within the original's tie groups only."""
        if self.ties is None:
            return ""
        sequence = (
            "select coalesce(array_agg(rw_r order by rw_t[rw_p], rw_r collate \"C\"), '{{}}') into {result} "
            "from (select rw_q::text as rw_r, row_number() over () as rw_p from {query}) rw_s;"
        )
        return (
            "if rw_e is null and rw_f is null and rw_a = rw_b and cardinality(rw_a) > 1 then begin\n"
            f"select array_agg(rw_q.rw_tie) into rw_t from {self._wrapped(self.ties)};\n"
            + sequence.format(result="rw_a", query=self._wrapped(original))
            + "\n"
            + sequence.format(result="rw_b", query=self._wrapped(candidate))
            + "\nexception when others then rw_b := rw_a; end; end if;"
        )

    def _load(self) -> str:
        if self.mode == "standins":
            return "rw_ok := true;"
        inserts = "\n".join(
            f"insert into {qualified(self.scratch_db.shape.tables[i])} "
            f"({columns(self.scratch_db.shape.tables[i])}) overriding system value "
            f"select {columns(self.scratch_db.shape.tables[i])} from rw_batch.t{i} where rw_db = rw_i order "
            f"by rw_no;"
            for i in self.scratch_db.shape.order
            if i in self.used
            and self.scratch_db.shape.tables[i].insertable
            and self.scratch_db.shape.tables[i].stored
        )
        checks = "".join(f"{check};\n" for check in self.scratch_db.load_checks())
        return f"begin\nset constraints all deferred;\n{inserts}\n{checks}rw_ok := true;"

    def _unload(self) -> str:
        if self.mode == "standins":
            return ""
        return (
            "raise exception sqlstate 'RW001';\nexception when others then if sqlstate <> 'RW001' then "
            "rw_ok := false; end if;\nend;"
        )


def _attempt(query: str, result: str, error: str) -> str:
    return (
        f"begin select coalesce(array_agg(rw_q::text order by rw_q::text collate \"C\"), '{{}}') into "
        f"{result} from {query};\n"
        f"exception when others then {error} := sqlstate; end;"
    )


def columns(table: TableShape) -> str:
    """Names of the columns that are given values."""
    return ", ".join(quote(table.columns[i].name) for i in table.stored)


def all_columns(table: TableShape) -> str:
    """Names of all columns, generated ones included."""
    return ", ".join(quote(column.name) for column in table.columns)


def used_tables(scratch_db: ScratchDatabase, queries: tuple[ScreenedQuery, ...]) -> frozenset[int]:
    """Indexes of the tables that the queries can read, and what those reference.

    With views or functions in the schema, all of them.
    """
    shape = scratch_db.shape
    if scratch_db.schema.views or scratch_db.schema.functions:
        return frozenset(range(len(shape.tables)))
    named = {
        index
        for query in queries
        for schema, name in query.relations
        if (index := shape.find(schema, name, scratch_db.path)) is not None
    }
    return closure(shape, frozenset(named))
