"""Rewriting texts instead of traffic: files, directories, the top of pg_stat_statements; one outcome for each
statement.

Owns splitting, collecting and the order of work. Must not know how a database is reached or what a report
looks like.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from pglast.error import Error as PglastError
from pglast.parser import scan

from rewright.rewrite.api import Outcome
from rewright.rewrite.model import Settings
from rewright.sql.marks import OWN
from rewright.sql.mentions import NotASelect, mentions_of
from rewright.sql.parsing import has_parameters


@dataclass(frozen=True, slots=True)
class Work:
    """One statement to look at. ``observed``: seconds it is known to take;
    ``calls``: how often it was seen.
    """

    name: str
    sql: str
    observed: float | None = None
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """``advice``: what a DBA could do where nothing is rewritten, as `rewright advise --json` lists it."""

    work: Work
    outcome: Outcome
    advice: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        own = {"name": self.work.name, "calls": self.work.calls or None}
        return {**own, **self.outcome.to_json(), "advice": [dict(a) for a in self.advice]}


class InputError(Exception):
    """The input cannot be read; the message says which and why."""


def statements(text: str) -> tuple[str, ...]:
    """The statements of a text, in order, split at semicolons outside literals and comments: one with an
    error does not hide the others. A text that does not even scan is one statement, to be reported as it is.
    """
    try:
        tokens = scan(text)
    except (PglastError, ValueError):
        # an unclosed quote or comment hides where a statement ends
        return (text.strip(),)
    found, start, empty = [], 0, True
    for token in tokens:
        # ASCII_59 is the semicolon's token
        if token.name == "ASCII_59":
            found.append("" if empty else text[start : token.start])
            start, empty = token.end + 1, True
        # a statement of comments alone is none
        elif token.name not in {"SQL_COMMENT", "C_COMMENT"}:
            empty = False
    found.append("" if empty else text[start:])
    return tuple(s.strip() for s in found if s)


def collect(path: Path) -> tuple[Work, ...]:
    """The statements of a file, or of all ``*.sql`` files under a directory by name. Raises InputError."""
    # sorted, so that two runs over a directory report in one order
    files = sorted(path.rglob("*.sql")) if path.is_dir() else [path]
    if path.is_dir() and not files:
        raise InputError(f"{path}: no .sql file in it")
    found = tuple(work for file in files for work in _of_file(file, path))
    if not found:
        raise InputError(f"{path}: no statement in it")
    return found


def _of_file(file: Path, root: Path) -> Iterator[Work]:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 text: invalid from byte {error.start + 1} on") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    found = statements(text)
    # of one file the name is enough; of a directory the path below it
    name = str(file.relative_to(root)) if root.is_dir() else file.name
    for number, sql in enumerate(found, 1):
        # numbered only where there are several
        yield Work(name if len(found) == 1 else f"{name}:{number}", sql)


class Asks(Protocol):
    def ask(self, statement: str, values: Sequence[object] = ()) -> Sequence[tuple[Any, ...]]: ...

    def extension_schema(self, name: str) -> str | None: ...


# comments before the first word are many libraries' way to say where a query comes from
_TOP = r"""
select s.query, s.mean_exec_time / 1000.0, s.calls
from {schema}.pg_stat_statements s join pg_database d on d.oid = s.dbid
where d.datname = current_database() and pg_get_userbyid(s.userid) <> all(%s::text[])
  and s.query ~* '^(\s|\(|/\*([^*]|\*+[^*/])*\*+/|--[^\n]*\n)*(select|with)\M'
  and s.query !~ %s
order by s.total_exec_time desc limit %s"""
# of what is read some only asks the server about itself
# how many more are read, as tools' own questions are dropped afterwards
_SPARE = 200
_NAME = 60


def top(session: Asks, n: int, own: Collection[str] = ()) -> tuple[Work, ...]:
    """The ``n`` SELECTs of this database on which most time was spent (extension pg_stat_statements), each
    named by its first words; those that read nothing but the server's catalogs, as tools and Rewright do, are
    left out, and those of the roles in ``own``, under which Rewright runs queries itself, and its own looks
    at stored rows.

    Their literals are parameters there: they are planned generically, proved for all values or not at all,
    and not run. Raises InputError when the extension is missing, and what the session raises.
    """
    schema = session.extension_schema("pg_stat_statements")
    if schema is None:
        raise InputError(
            "pg_stat_statements is not in this database: give a file of queries, or CREATE EXTENSION "
            "pg_stat_statements (the server loads it with shared_preload_libraries)"
        )
    # Rewright's looks at stored rows begin with a comment of its own
    rows = session.ask(_TOP.format(schema=schema), [list(own), f"^{re.escape(OWN)}", n + _SPARE])
    found = [row for row in rows if not _asks_the_server(str(row[0]))][:n]
    return tuple(
        Work(f"{number}. {_first_words(str(row[0]))}", str(row[0]), float(row[1]), int(row[2]))
        for number, row in enumerate(found, 1)
    )


def _asks_the_server(text: str) -> bool:
    """Whether it reads no table but the server's own."""
    try:
        read = mentions_of(text).relations
    except NotASelect:
        # what does not parse as a SELECT does not only ask the server
        return False
    return all(
        one.name.schema in {"pg_catalog", "information_schema"} or one.name.name.startswith("pg_")
        for one in read
    )


def _first_words(text: str) -> str:
    flat = " ".join(text.split())
    # cut at a word
    return flat if len(flat) <= _NAME else flat[:_NAME].rsplit(" ", 1)[0] + " …"


class Optimises(Protocol):
    """A rewriter."""

    def optimise(
        self, sql: str, *, observed_seconds: float | None = None, settings: Settings | None = None
    ) -> Outcome: ...


def work_off(
    rewriter: Optimises,
    works: Iterable[Work],
    settings: Settings,
    progress: Callable[[Done], None] = lambda _: None,
    advise: Callable[[str], Sequence[Mapping[str, Any]]] = lambda _: (),
) -> list[Done]:
    """All works in order. A statement with parameters is not measured. ``advise`` is asked about what may not
    be rewritten, unless it is no query.
    """
    finished = []
    for work in works:
        # parameters have no values here: EXPLAIN alone can be asked
        chosen = replace(settings, measure="explain") if has_parameters(work.sql) else settings
        # what it took was with other values
        observed = None if chosen.measure == "explain" else work.observed
        outcome = rewriter.optimise(work.sql, observed_seconds=observed, settings=chosen)
        # advice is for what nothing is served of
        done = Done(work, outcome, () if outcome.servable else tuple(advise(work.sql)))
        progress(done)
        finished.append(done)
    return finished
