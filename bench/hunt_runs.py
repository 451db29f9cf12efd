"""Proved pairs on small databases of a server, under each way to plan.

Owns running, comparing what the server sends (rows as text, types, class of an error), and saying what a difference
means for the proof. Must not know families or provers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import psycopg
from pglast import parse_sql

from rewright.engines.postgres.scratch import ScratchServer

# each leaves the planner fewer ways, or one more
PLANS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "as it likes": {},
        "loops": {"enable_hashjoin": "off", "enable_mergejoin": "off", "enable_hashagg": "off"},
        "merges": {"enable_hashjoin": "off", "enable_nestloop": "off", "enable_material": "off"},
        "hashes": {"enable_nestloop": "off", "enable_mergejoin": "off", "enable_sort": "off"},
        "as written": {"join_collapse_limit": "1", "from_collapse_limit": "1", "enable_memoize": "off"},
        "indexes": {"enable_seqscan": "off", "enable_bitmapscan": "off"},
        "workers": {
            "debug_parallel_query": "on",
            "parallel_setup_cost": "0",
            "parallel_tuple_cost": "0",
            "min_parallel_table_scan_size": "0",
        },
    }
)
_BLOCKING = {"errors", "overflow"}
_ROWS_OPEN = {"tie-order", "float-order", "refinement"}
Answer = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    family: str
    q1: str
    q2: str
    modulo: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What the server makes of a proof: ``same``; ``fails`` both alike on every database that has rows, so that it
    says little; ``excused`` by what the proof leaves open; ``unstable``: one text alone has several answers;
    ``false``.
    """

    family: str
    q1: str
    q2: str
    modulo: tuple[str, ...]
    word: str
    replay: str = ""


class _Database:
    """One scratch database: tables emptied and filled anew for each state."""

    def __init__(self, connection: psycopg.Connection[Any], schema: str) -> None:
        self.connection = connection
        self.execute(schema)
        found = connection.execute(
            "select string_agg(oid::regclass::text, ', ') from pg_class where relkind in ('r', 'p') "
            "and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)"
        ).fetchone()
        self.tables = (found or ("",))[0]

    def fill(self, script: str) -> None:
        """The tables as the script fills them, and the session as it sets it."""
        self.execute("reset all; set statement_timeout = '5s'")
        if self.tables:
            self.execute(f"truncate {self.tables} cascade")
        self.execute(script)
        self.execute("analyze")

    def answers(self, texts: Iterable[str], plan: Mapping[str, str]) -> dict[str, Answer]:
        for name, value in plan.items():
            self.execute(f"set {name} = {value}")
        found = {text: self.answer(text) for text in texts}
        for name in plan:
            self.execute(f"reset {name}")
        return found

    def answer(self, text: str) -> Answer:
        """Types and rows in order, as the server prints them, or the class of the error."""
        try:
            result = self.execute(text).pgresult
        except psycopg.Error as error:
            return ("error", error.sqlstate, str(error).partition("\n")[0])
        assert result is not None
        columns = range(result.nfields)
        rows = [tuple(result.get_value(r, c) for c in columns) for r in range(result.ntuples)]
        return ("rows", tuple(result.ftype(c) for c in columns), tuple(rows))

    def execute(self, text: str) -> psycopg.Cursor[Any]:
        return self.connection.execute(text.encode())


def look(
    server: ScratchServer, schema: str, states: Sequence[tuple[str, str]], proofs: Sequence[Proof]
) -> Iterator[Told]:
    """What each proof turns out to be."""
    name = server.create_database()
    texts = dict.fromkeys(text for p in proofs for text in (p.q1, p.q2))
    # for each state and text its answers by plan
    seen: list[tuple[str, dict[str, dict[str, Answer]]]] = []
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        database = _Database(connection, schema)
        for _, script in states:
            database.fill(script)
            by_plan = {plan: database.answers(texts, settings) for plan, settings in PLANS.items()}
            seen.append((script, {t: {plan: found[t] for plan, found in by_plan.items()} for t in texts}))
    server.drop_database(name)
    for proof in proofs:
        yield _told(proof, [(script, found[proof.q1], found[proof.q2]) for script, found in seen])


def _told(proof: Proof, seen: Sequence[tuple[str, dict[str, Answer], dict[str, Answer]]]) -> Told:
    ordered = is_ordered(proof.q1)
    word, replay = "same", ""
    for script, first, second in seen:
        ours, theirs = ({_shape(x, ordered) for x in found.values()} for found in (first, second))
        if ours == theirs and len(ours) == 1:
            continue
        if theirs <= ours and len(ours) > 1:
            word = "unstable" if word == "same" else word
            continue
        plan = next(p for p in first if _shape(second[p], ordered) not in ours or len(ours) > 1)
        if _is_excused(proof, first[plan], second[plan]):
            word = "excused" if word == "same" else word
            continue
        replay = "\n".join(
            (
                script,
                f"{proof.q1};",
                f"{proof.q2};",
                f"-- {plan}: {_brief(first[plan])}",
                f"--   {_brief(second[plan])}",
            )
        )
        several = " (the first alone has several answers)" if len(ours) > 1 else ""
        return Told(proof.family, proof.q1, proof.q2, proof.modulo, "false", replay + several)
    if word == "same" and all(x[0] == "error" for _, first, _ in seen for x in first.values()):
        word = "fails"
    return Told(proof.family, proof.q1, proof.q2, proof.modulo, word, replay)


def _shape(answer: Answer, ordered: bool) -> Answer:
    """What of an answer is compared."""
    if answer[0] == "error":
        return answer[:2]
    kind, types, rows = answer
    return (kind, types, rows if ordered else tuple(sorted(rows, key=repr)))


def _is_excused(proof: Proof, first: Answer, second: Answer) -> bool:
    if "error" in {first[0], second[0]}:
        return bool(_BLOCKING & set(proof.modulo))
    if first[1] != second[1]:
        return "types" in proof.modulo
    return bool(_ROWS_OPEN & set(proof.modulo))


def _brief(answer: Answer) -> str:
    if answer[0] == "error":
        return f"error {answer[1]} {answer[2]}"
    rows = [tuple(v if v is None else v.decode(errors="replace") for v in row) for row in answer[2]]
    return f"types {answer[1]}: {str(rows)[:600]}"


def is_ordered(text: str) -> bool:
    """Whether the statement asks for an order."""
    return bool(getattr(parse_sql(text)[0].stmt, "sortClause", None))
