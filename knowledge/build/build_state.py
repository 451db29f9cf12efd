"""The state of a build: an SQLite file in the output folder, so that a build can be interrupted and
resumed.

Holds posts of a dump (joined there, not in memory), passages of documentation, and pairs with the state they
have reached.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SCHEMA = """
create table if not exists source (name text primary key, stamp text not null);
create table if not exists post (id integer primary key, kind integer, parent integer, accepted integer,
  score integer, title text, body text);
create index if not exists post_parent on post (parent);
create table if not exists passage (id integer primary key, source text, title text, text text);
create table if not exists pair (id text primary key, state text not null, reason text not null,
  document text not null);
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with SQL and an answer with SQL, before anything is believed of it."""

    id: str
    title: str
    question: str
    answer: str
    before: str
    after: str
    ddl: str = ""
    source: str = ""
    score: int = 0
    accepted: bool = False
    rivals: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)


class BuildState:
    """One build's state. Every method is its own short transaction."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path)
        self._connection.executescript(SCHEMA)

    def close(self) -> None:
        self._connection.close()

    # -- sources

    def done(self, name: str, stamp: str) -> bool:
        """Whether this source was read whole, as it is now."""
        row = self._connection.execute("select stamp from source where name = ?", [name]).fetchone()
        return row is not None and row[0] == stamp

    def finish(self, name: str, stamp: str) -> None:
        with self._connection:
            self._connection.execute("insert or replace into source values (?, ?)", [name, stamp])

    def add_posts(self, rows: Iterable[tuple[int, int, int, int, int, str, str]]) -> None:
        """(id, kind, parent, accepted answer, score, title, body) of a batch."""
        with self._connection:
            self._connection.executemany("insert or replace into post values (?, ?, ?, ?, ?, ?, ?)", rows)

    def threads(self) -> Iterator[tuple[tuple[Any, ...], list[tuple[Any, ...]]]]:
        """Each question with its answers, the highest voted first."""
        questions = self._connection.execute("select * from post where kind = 1 order by id")
        for question in questions:
            answers = self._connection.execute(
                "select * from post where kind = 2 and parent = ? order by score desc, id", [question[0]]
            ).fetchall()
            yield question, answers

    def add_passages(self, source: str, passages: Iterable[tuple[str, str]]) -> None:
        with self._connection:
            self._connection.execute("delete from passage where source = ?", [source])
            rows = [(source, title, text) for title, text in passages]
            self._connection.executemany("insert into passage (source, title, text) values (?, ?, ?)", rows)

    def passages(self) -> list[tuple[str, str, str]]:
        """(source, title, text)."""
        return self._connection.execute("select source, title, text from passage order by id").fetchall()

    # -- pairs

    def add_pair(self, pair: Pair) -> None:
        """A new pair; one that is there already keeps its state unless its text changed."""
        document = json.dumps(asdict(pair), ensure_ascii=False, sort_keys=True)
        row = self._connection.execute("select document from pair where id = ?", [pair.id]).fetchone()
        # read again unchanged, a pair keeps how far it has come
        if row is not None and row[0] == document:
            return
        with self._connection:
            self._connection.execute(
                "insert or replace into pair values (?, 'found', '', ?)", [pair.id, document]
            )

    def move(self, pair: Pair, state: str, reason: str = "") -> None:
        document = json.dumps(asdict(pair), ensure_ascii=False, sort_keys=True)
        with self._connection:
            self._connection.execute(
                "update pair set state = ?, reason = ?, document = ? where id = ?",
                [state, reason, document, pair.id],
            )

    def pairs(self, state: str) -> list[Pair]:
        rows = self._connection.execute(
            "select document from pair where state = ? order by id", [state]
        ).fetchall()
        return [Pair(**json.loads(row[0])) for row in rows]

    def counts(self) -> dict[str, int]:
        rows = self._connection.execute("select state, count(*) from pair group by state").fetchall()
        return {state: int(count) for state, count in rows}

    def reasons(self) -> list[tuple[str, str, str]]:
        """(where it is from, state, reason) of pairs that were not kept."""
        rows = self._connection.execute(
            "select document, state, reason from pair where state in ('dropped', 'refused') order by id"
        ).fetchall()
        return [(str(json.loads(document)["source"]), state, reason) for document, state, reason in rows]
