"""Both queries of a pair on rows made to tell them apart: equal values that look different, sums that leave
their type, NULLs, no rows at all.

The rows are those of a file of `hostile/`, and what is left of them after each of its ``states``; each is
read before ANALYZE, and under several plans after it. Owns running and comparing; must not know provers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString, Self, cast

import psycopg

from rewright.engines.postgres.scratch import ScratchServer

FILES = sorted((Path(__file__).parent / "hostile").glob("*.jsonl"))
# each leaves the planner fewer ways
_PLANS = (
    (),
    ("enable_hashagg",),
    ("enable_sort",),
    ("enable_hashjoin", "enable_mergejoin"),
    ("enable_nestloop", "enable_hashjoin"),
)
_OVERFLOWS = {"22003", "22008", "22015"}
Answer = tuple[Any, ...]


@dataclass(frozen=True)
class Pair:
    """Two queries, and whether they are known to be ``different``, are ``equal`` and proved so, or neither
    (``open``).
    """

    q1: str
    q2: str
    expected: str


@dataclass(frozen=True)
class Collection:
    """Pairs over one schema, and rows for it."""

    schema_sql: str
    data_sql: str
    states: tuple[str, ...]
    pairs: tuple[Pair, ...]


def read(path: Path) -> Collection:
    head, *rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return Collection(
        head["schema_sql"], head["data_sql"], tuple(head["states"]), tuple(Pair(**r) for r in rows)
    )


class HostileRows:
    """A database with the rows of a collection, for the length of a ``with`` block."""

    def __init__(self, server: ScratchServer, of: Collection) -> None:
        self.server, self.of = server, of

    def __enter__(self) -> Self:
        self.name = self.server.create_database()
        self.connection: psycopg.Connection[Any] = psycopg.connect(
            self.server.dsn(self.name), autocommit=True
        )
        self._run(self.of.schema_sql)
        self._run(self.of.data_sql)
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.server.drop_database(self.name)

    def difference(self, q1: str, q2: str) -> str:
        """Where the two give other rows, or one of them another error; empty where nothing does."""
        return self.differences([(q1, q2)])[0]

    def differences(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """That of each pair: the rows are made and analysed once for all of them."""
        found = [""] * len(pairs)
        for state in self.of.states:
            with self.connection.transaction(force_rollback=True):
                if state:
                    self._run(state)
                self._look(pairs, found, state, _PLANS[:1])
                self._run("analyze")
                self._look(pairs, found, f"{state} analysed", _PLANS)
        return found

    def _look(
        self, pairs: Sequence[tuple[str, str]], found: list[str], where: str, plans: Sequence[tuple[str, ...]]
    ) -> None:
        for number, pair in enumerate(pairs):
            found[number] = found[number] or next(self._under_plans(*pair, where, plans), "")

    def _under_plans(self, q1: str, q2: str, where: str, plans: Sequence[tuple[str, ...]]) -> Iterator[str]:
        for plan in plans:
            self._switch(plan, "off")
            first, second = self._answer(q1), self._answer(q2)
            self._switch(plan, "on")
            if first != second:
                yield f"{where} {plan}: {str(first)[:200]} / {str(second)[:200]}"

    def _switch(self, plan: Sequence[str], to: str) -> None:
        for setting in plan:
            self._run(f"set local {setting} = {to}")

    def _answer(self, text: str) -> Answer:
        """The rows as the server prints them with their types, or the class of the error."""
        try:
            with self.connection.transaction(force_rollback=True):
                found = self._run(text).pgresult
        except psycopg.Error as error:
            return ("error", "overflow" if error.sqlstate in _OVERFLOWS else error.sqlstate)
        assert found is not None
        width = range(found.nfields)
        rows = [tuple(found.get_value(r, c) for c in width) for r in range(found.ntuples)]
        # modifiers are those of the plan here, and of the statement where it is described
        return ([found.ftype(c) for c in width], sorted(rows, key=repr))

    def _run(self, text: str) -> psycopg.Cursor[Any]:
        return self.connection.execute(cast("LiteralString", text))
