"""One process that makes one search for tables of a lake, for a table of a client's PostgreSQL database.

Owns the process's side of the conversation. The base table is read through the client's session, lent to it
over a Unix socket; the lake's databases beside it are not there at all. What a search costs is this
process's. Must not know sessions.
docs/decisions/0440-augment-reads-the-base-through-the-clients-session.md.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, replace

import psycopg

from rewright.config.model import Config
from rewright.engines.duckdb.errors import LakeError
from rewright.engines.duckdb.locked import Limits
from rewright.lake.api import Lake
from rewright.lake.augment.api import Brought
from rewright.lake.augment.statement import Statement, statement_of
from rewright.processes.framed import Failed, receive, send
from rewright.processes.lake_runner import bounded
from rewright.proxy.ports import ResultColumn
from rewright.wiring.base_rows import base_of
from rewright.wiring.lake_augmenting import Augmentation, Augmenting, columns_of
from rewright.wiring.lake_rows import first_line
from rewright.wiring.lake_views import KeptSearches
from rewright.wiring.lent_process import Setup, lent_session
from rewright.wiring.opening import Home, lakes_of, opened
from rewright.wiring.stores import reach_configured


@dataclass(frozen=True, slots=True)
class Search:
    """One AUGMENT. ``database``: as the client named it; ``role``: the current one, empty where it is nobody
    that is known; ``lakes``: that the client may use; ``model``: whether a model may be asked.
    """

    text: str
    database: str
    role: str
    lakes: tuple[str, ...]
    model: bool


@dataclass(frozen=True, slots=True)
class Searched:
    """The rows it gives."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[object, ...], ...]
    notices: tuple[str, ...]
    explained: bool


def main(setup: Setup, requests: socket.socket) -> None:
    """The process's main function."""
    bounded(setup.config.limits.lake_memory)
    with suppress(OSError):
        while (request := receive(requests)) is not None:
            assert isinstance(request, Search)
            send(requests, answer(setup, request))


def answer(setup: Setup, search: Search) -> Searched | Failed:
    """Never raises: whatever goes wrong is in the answer."""
    try:
        return _searched(setup, search)
    except psycopg.Error as error:
        said = error.diag.message_primary or first_line(str(error)) or type(error).__name__
        return Failed(error.sqlstate or "58000", said, error.diag.message_hint or "")
    except LakeError as error:
        return Failed(error.sqlstate, first_line(str(error)), error.hint)
    except MemoryError:
        return Failed("53200", "out of memory")
    except Exception as error:  # noqa: BLE001 - told to the worker
        return Failed("XX000", f"internal error: {type(error).__name__}")


def _searched(setup: Setup, search: Search) -> Searched:
    # without LAKE the words tell which lake, once the base table is known to be readable
    statement = statement_of(search.text, folds=True)
    home = _home(setup.config, chosen(statement.lake, search, setup.config))
    with lent_session(setup) as connection:
        name, brought = base_of(connection, search.database, statement.parts, statement.spec)
    limits = Limits(memory=f"{setup.config.limits.lake_memory >> 20}MiB")
    lake = opened(home, limits)
    name = _unlike(name, lake)
    statement = replace(statement, spec=replace(statement.spec, table=name))
    return _made(setup, search, statement, lake, brought)


def _made(setup: Setup, search: Search, statement: Statement, lake: Lake, brought: Brought) -> Searched:
    # the searches of somebody who is not known are nobody's
    kept = KeptSearches(search.database, search.role, reach_configured(setup.config)) if search.role else None
    earlier = kept.earlier() if kept is not None and statement.options.history else ()
    augmenting = Augmenting(lake, setup.config.models, brought)
    found = augmenting.search(Augmentation(statement, earlier, search.model))
    if kept is not None:
        kept.keep(found.helped)
    rows = tuple(augmenting.take(1_000_000))
    return Searched(columns_of(statement), rows, found.notices, statement.explain)


def chosen(wanted: str, search: Search, config: Config) -> str:
    """The lake to look at: the one that is named, the only one, or the only one beside which the database
    stands.

    :raises LakeError: 42501, it is not open to this client; 22023, there are several.
    """
    if wanted:
        if wanted not in search.lakes:
            raise LakeError(f'lake "{wanted}" does not exist or is not open to you', sqlstate="42501")
        return wanted
    if len(search.lakes) == 1:
        return search.lakes[0]
    near = [name for name in search.lakes if search.database in config.databases[name].beside]
    if len(near) != 1:
        raise LakeError(f"say which lake: LAKE {' or '.join(search.lakes)}", sqlstate="22023")
    return near[0]


def _home(config: Config, name: str) -> Home:
    """The lake alone: what its own account may read of databases beside it is not the client's to see."""
    home = lakes_of(config)[name]
    if home.spark:
        raise LakeError("AUGMENT is for lakes that DuckDB reads", sqlstate="0A000")
    return replace(home, beside=())


def _unlike(name: str, lake: Lake) -> str:
    """The name of the base table in the lake: none of the lake's own."""
    while lake.index.table(name) is not None:
        # as often as the lake has a table of that name, too
        name = f"{name} (PostgreSQL)"
    return name
