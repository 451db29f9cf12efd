"""The commands of the admin database: SHOW, PAUSE, RESUME, RELOAD, KILL; and SELECT and CALL as in every
session.

Owns their names and grammar. What they show is what the relations of ``rewright.proxy.answers`` show, of
every database; what they do comes through ``Actions``. Errors are SqlError.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rewright.proxy.answers.relations import BY_NAME
from rewright.proxy.ports import Answer, LocalAnswers, LocalRows, Outcome, ResultColumn, SessionView, SqlError

Row = Mapping[str, Any]
# relations that SHOW knows by name
RELATIONS = ("pools", "clients", "servers", "stats")
# what drivers send unasked, and what begins and ends a transaction that there is none of
_SILENT = re.compile(
    r"(set|reset|begin|start transaction|commit|end|rollback|abort|discard all|deallocate)\b", re.IGNORECASE
)
_COMMENTS = re.compile(r"--[^\n]*(?:\n|\Z)|/\*.*?\*/", re.DOTALL)
_KILL = re.compile(r"(\d{1,10})(?:\s+(\S+))?")

_CONFIG = ("key", "value", "default", "origin", "takes_effect")
_DATABASES = ("name", "engine", "server", "max_connections", "current_connections")
HELP: Mapping[str, str] = {
    "SHOW POOLS": "connections by database and role",
    "SHOW CLIENTS": "client connections of all workers",
    "SHOW SERVERS": "the connections to PostgreSQL behind them",
    "SHOW STATS": "sums by database and role",
    "SHOW DATABASES": "what clients may connect to",
    "SHOW CONFIG": "what is in force, where it comes from, and when a change of it counts",
    "SHOW VERSION": "of Rewright",
    "SHOW HELP": "this",
    "PAUSE": "every query runs as it is written",
    "RESUME": "replacements are served again",
    "RELOAD": "read the configuration again, as SIGHUP",
    "KILL pid [database]": "end a session",
    "SELECT ... FROM rewright.NAME": "the relations, of every database",
    "CALL rewright.NAME(...)": "the procedures, for every database",
}


class Actions(Protocol):
    """What the composition root does and knows. Methods without ``async`` block and are called in threads."""

    @property
    def version(self) -> str: ...

    def rows(self, relation: str, session: SessionView) -> Sequence[Row]:
        """Of a relation that is in the store. Raises SqlError."""
        ...

    def config(self) -> Sequence[tuple[str, str, str, str, str]]:
        """Key, value (without passwords), default, origin, when a change counts."""
        ...

    def databases(self) -> Sequence[tuple[str, str, str, int]]:
        """Name, engine, hosts, connections at most."""
        ...

    def pause(self, paused: bool, by: str) -> None:
        """Raises SqlError."""
        ...

    async def reload(self) -> None:
        """Raises SqlError when the configuration is wrong."""
        ...

    async def kill(self, pid: int, database: str) -> bool:
        """``database`` empty: of any. False: there is no such session."""
        ...


Doing = Callable[[SessionView], Awaitable[LocalRows]]


@dataclass(frozen=True, slots=True)
class Command:
    """One command, as an answer to its text."""

    columns: tuple[ResultColumn, ...]
    do: Doing
    redirects: bool = False
    rights: bool = False
    parameters: tuple[int, ...] = ()

    async def run(self, session: SessionView, parameters: Sequence[object] = ()) -> Outcome:
        del parameters
        return await self.do(session)


@dataclass(frozen=True, slots=True)
class Commands:
    """``others`` answers SELECT and CALL; None: nobody does."""

    actions: Actions
    others: LocalAnswers | None = None

    def match(self, text: str) -> Answer | None:
        """None for an empty text. Raises SqlError for what is no command."""
        words = _COMMENTS.sub(" ", text).strip().rstrip(";").strip()
        if not words:
            return None
        if _SILENT.match(words):
            return _silent(words)
        verb, _, rest = words.partition(" ")
        maker = _COMMANDS.get(verb.lower())
        if maker is not None:
            return maker(self, rest.strip())
        found = self.others.match(text) if self.others is not None else None
        if found is None:
            raise SqlError("42601", "not a command of the admin database", hint="SHOW HELP lists them.")
        return found

    def show(self, what: str) -> Answer:
        name = what.lower()
        if name in RELATIONS:
            return self._relation(name)
        tables = {
            "config": (_CONFIG, self.actions.config),
            "version": (("version",), self._version),
            "help": (("command", "meaning"), lambda: tuple(HELP.items())),
        }
        if name == "databases":
            columns = tuple(ResultColumn(c, 20 if "connections" in c else 25) for c in _DATABASES)
            return Command(columns, lambda session: _in_thread(lambda: self._databases(columns, session)))
        if name not in tables:
            raise SqlError("42601", f"there is no SHOW {what}", hint="SHOW HELP lists what there is.")
        names, rows = tables[name]
        texts = tuple(ResultColumn(one) for one in names)
        return Command(texts, lambda _: _in_thread(lambda: LocalRows(texts, tuple(rows()), "SHOW")))

    def _version(self) -> Sequence[tuple[str]]:
        return ((f"rewright {self.actions.version}",),)

    def _relation(self, name: str) -> Answer:
        columns = tuple(ResultColumn(one.name, one.type_oid) for one in BY_NAME[name].columns)

        def rows(session: SessionView) -> LocalRows:
            found = self.actions.rows(name, session)
            return LocalRows(columns, tuple(tuple(row[c.name] for c in columns) for row in found), "SHOW")

        return Command(columns, lambda session: _in_thread(lambda: rows(session)))

    def _databases(self, columns: tuple[ResultColumn, ...], session: SessionView) -> LocalRows:
        here: dict[str, int] = {}
        for row in self.actions.rows("clients", session):
            here[row["database"]] = here.get(row["database"], 0) + 1
        # those that only "*" lets in have no line of their own in the configuration
        known = list(self.actions.databases())
        others = sum(count for name, count in here.items() if name not in {one[0] for one in known})
        rows = tuple((*one, others if one[0] == "*" else here.get(one[0], 0)) for one in known)
        return LocalRows(columns, rows, "SHOW")

    def pause(self, rest: str) -> Answer:
        return self._pausing(True, rest)

    def resume(self, rest: str) -> Answer:
        return self._pausing(False, rest)

    def _pausing(self, paused: bool, rest: str) -> Answer:
        word = "PAUSE" if paused else "RESUME"
        _nothing_more(word, rest)

        async def do(session: SessionView) -> LocalRows:
            await _in_thread(lambda: self.actions.pause(paused, session.role))
            return LocalRows((), (), word)

        return Command((), do)

    def reload(self, rest: str) -> Answer:
        _nothing_more("RELOAD", rest)

        async def do(_: SessionView) -> LocalRows:
            await self.actions.reload()
            return LocalRows((), (), "RELOAD")

        return Command((), do)

    def kill(self, rest: str) -> Answer:
        found = _KILL.fullmatch(rest)
        if found is None:
            raise SqlError("42601", "KILL pid [database]", hint="SHOW CLIENTS names the sessions.")
        pid, database = int(found[1]), (found[2] or "").strip('"')

        async def do(session: SessionView) -> LocalRows:
            if not database:
                await _in_thread(lambda: self._only_one(pid, session))
            if not 0 < pid < 1 << 31 or not await self.actions.kill(pid, database):
                raise SqlError("P0002", f"no session with pid {pid}", hint="SHOW CLIENTS names the sessions.")
            return LocalRows((), (), "KILL")

        return Command((), do)

    def _only_one(self, pid: int, session: SessionView) -> None:
        """Two servers may have backends of the same number. Without the store there is no telling; then the
        number is taken as it is.
        """
        try:
            rows = self.actions.rows("clients", session)
        except SqlError:
            return
        found = {str(row["database"]) for row in rows if row["pid"] == pid}
        if len(found) > 1:
            raise SqlError(
                "42725", f"pid {pid} is in {', '.join(sorted(found))}", hint="KILL pid database names one."
            )


_COMMANDS: Mapping[str, Callable[[Commands, str], Answer]] = {
    "show": Commands.show,
    "pause": Commands.pause,
    "resume": Commands.resume,
    "reload": Commands.reload,
    "kill": Commands.kill,
}


def _silent(words: str) -> Answer:
    tag = " ".join(words.split()[: 2 if words.lower().startswith(("start", "discard")) else 1]).upper()

    async def do(_: SessionView) -> LocalRows:
        return LocalRows((), (), tag)

    return Command((), do)


def _nothing_more(word: str, rest: str) -> None:
    if rest:
        raise SqlError("42601", f"{word} applies to all databases and takes no argument")


async def _in_thread(work: Callable[[], Any]) -> Any:
    return await asyncio.to_thread(work)
