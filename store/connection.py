"""Opening the database behind the store, and transactions in it that fail in one way only.

Owns what differs between SQLite and PostgreSQL. Must not know the tables.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from rewright.store import reaching
from rewright.store.damage import is_damage
from rewright.store.errors import StoreDamaged, StoreError, StoreUnavailable

# how long a writer waits for another one
BUSY_SECONDS = 2.0
# a schema of our own: the store may stand in a database with other things
POSTGRES_SCHEMA = "rewright"
_SCHEMA = text("select 1 from pg_namespace where nspname = :name")


def connect(url: str) -> Engine:
    """An engine for ``postgresql://...``, or for a path of an SQLite file (``sqlite:///path`` too).

    Nothing is opened yet. Raises StoreError for a URL that is neither.
    """
    if url.startswith(("postgresql://", "postgres://")):
        return _postgres(url)
    return _sqlite(url.removeprefix("sqlite:///"))


@contextmanager
def transaction(engine: Engine, *, write: bool) -> Iterator[Connection]:
    """One transaction; every failure of the database comes out as StoreUnavailable."""
    reaching.ensure(engine)
    try:
        # rewright_write: which lock SQLite takes at once, see _begin_sqlite
        with engine.connect().execution_options(rewright_write=write) as connection, connection.begin():
            yield connection
    except DBAPIError as error:
        if is_damage(error.orig):
            # the next use makes or finds a store anew
            reaching.lost(engine)
            raise StoreDamaged(_message(error.orig)) from error
        raise StoreUnavailable(_message(error.orig)) from error
    except SQLAlchemyError as error:
        # SQLAlchemy's own texts repeat the statement with its values
        raise StoreUnavailable(type(error).__name__) from error


def _message(error: BaseException | None) -> str:
    """PostgreSQL's first line: the others hold values."""
    diagnostics = getattr(error, "diag", None)
    return str(getattr(diagnostics, "message_primary", None) or error)


def _sqlite(path: str) -> Engine:
    file = Path(path).expanduser()
    engine = create_engine(f"sqlite:///{file}", connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def sqlite_file(engine: Engine) -> Path | None:
    """The store's file; None where it is on a server."""
    return Path(str(engine.url.database)) if engine.dialect.name == "sqlite" else None


def make_place(engine: Engine) -> None:
    """The file of an SQLite store and its directory. Raises StoreUnavailable."""
    file = sqlite_file(engine)
    if file is None:
        return
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # texts of queries are nobody else's business
        # O_CREAT before SQLite opens it: it would be made with the process's umask
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreUnavailable(f"cannot open the store {file}: {error.strerror}") from error


def find_place(engine: Engine) -> None:
    """Raises StoreUnavailable where nobody has made the store yet."""
    file = sqlite_file(engine)
    if file is not None:
        # an empty file is one that somebody is just making
        if not file.is_file():
            raise StoreUnavailable(f"there is no store at {file}: no proxy has run with it")
        return
    try:
        with engine.connect() as connection:
            found = connection.execute(_SCHEMA, {"name": POSTGRES_SCHEMA}).first()
    except DBAPIError as error:
        raise StoreUnavailable(_message(error.orig)) from error
    if found is None:
        raise StoreUnavailable(
            f"there is no store in the database {engine.url.database}: no proxy has run with it"
        )


def identity(engine: Engine) -> object:
    """What tells the store's file from another one under its name; the same for ever for a server, None:
    there is none.
    """
    file = sqlite_file(engine)
    if file is None:
        # a server is looked for by its URL: nothing to compare
        return engine.url
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _prepare_sqlite(connection: Any, _record: object) -> None:
    # the driver begins no transactions of its own; _begin_sqlite does
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        # space of deleted rows goes back to the file system (retention.py)
        "auto_vacuum=incremental",
        # readers do not wait for the writer
        "journal_mode=wal",
        # with WAL only a power cut may lose the last transactions, and never damages the file
        "synchronous=normal",
        # 16 MiB: the log shrinks after a checkpoint
        "journal_size_limit=16777216",
    ):
        cursor.execute(f"pragma {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # a transaction that will write takes the lock at once: a later upgrade fails without waiting
    write = connection.get_execution_options().get("rewright_write", True)
    # BEGIN IMMEDIATE waits BUSY_SECONDS for the lock; an upgrade from a read lock fails at once
    connection.exec_driver_sql("begin immediate" if write else "begin")


def _postgres(url: str) -> Engine:
    try:
        parsed = make_url(url).set(drivername="postgresql+psycopg")
    except ArgumentError as error:
        raise StoreError("the store's URL cannot be read") from error
    engine = create_engine(
        parsed,
        # a connection that the server closed meanwhile is replaced before it is used
        pool_pre_ping=True,
        # a process has few threads that write
        pool_size=3,
        connect_args={"connect_timeout": 5, "application_name": "rewright store"},
    )
    event.listen(engine, "connect", _prepare_postgres)
    return engine


def _prepare_postgres(connection: Any, _record: object) -> None:
    with connection.cursor() as cursor:
        # before any table is named
        cursor.execute(f"set search_path = {POSTGRES_SCHEMA}")
        # a store that is locked or slow must not hold up whoever writes to it
        cursor.execute("set lock_timeout = '2s'")
        cursor.execute("set statement_timeout = '10s'")
    connection.commit()


def ensure_schema(engine: Engine) -> None:
    """The schema that holds our tables, on PostgreSQL."""
    if engine.dialect.name == "postgresql":
        with transaction(engine, write=True) as connection:
            if connection.execute(_SCHEMA, {"name": POSTGRES_SCHEMA}).first() is None:
                # two proxies may start at once: CREATE SCHEMA IF NOT EXISTS itself can fail on a race
                connection.execute(text("select pg_advisory_xact_lock(7393746201)"))
                connection.execute(text(f"create schema if not exists {POSTGRES_SCHEMA}"))


def upsert(connection: Connection) -> Any:
    """The dialect's ``insert`` that knows ON CONFLICT."""
    # each dialect brings all its drivers: only the one that is used is loaded
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert

        return insert
    from sqlalchemy.dialects.sqlite import insert as insert_sqlite

    return insert_sqlite
