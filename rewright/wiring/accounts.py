"""The optimiser's own accounts on the configured databases.

Owns which database a name stands for, the sessions there with [optimiser]'s limits, and what becomes of their
errors. Must not know what is asked of a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psycopg
import psycopg.conninfo

from rewright.config.model import Config, Database
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import Limits, Session, SessionError, Undecodable, Untrusted
from rewright.wiring.doubting import condition
from rewright.wiring.refusals import NotOptimised


def own_roles(config: Config) -> frozenset[str]:
    """The roles under which Rewright runs queries itself, as far as the configuration names them."""
    found = set[str]()
    for database in config.databases.values():
        # a DSN that libpq cannot read is told where it is used
        with suppress(psycopg.ProgrammingError):
            found.add(str(psycopg.conninfo.conninfo_to_dict(database.optimiser_dsn).get("user") or ""))
    # without a user libpq takes the system's, which is nobody of ours for certain
    return frozenset(found - {""})


@dataclass(frozen=True, slots=True)
class Accounts:
    """Every database's, as the configuration has them. For several threads."""

    config: Config

    def dsn(self, name: str) -> str:
        """The optimiser's on the database that clients call ``name``. Raises
        NotOptimised where it has none.
        """
        database = self._configured(name)
        if database is None or database.engine != "postgres":
            raise NotOptimised(f"no PostgreSQL database {name} is configured")
        if not database.optimiser_dsn:
            raise NotOptimised(f"[databases.{name}] optimiser_dsn is not set")
        return database_dsn(database.optimiser_dsn, name)

    @contextmanager
    def session(self, name: str, path: Sequence[str] = ()) -> Iterator[Session]:
        """One that ends with the block; what the server says in it is raised as NotOptimised. ``path``: see
        `Session`.
        """
        dsn = self.dsn(name)
        with self.asked(), Session(dsn, limits=self._limits, path=path) as session:
            yield session

    @contextmanager
    def hinting_session(self, name: str, path: Sequence[str] = ()) -> Iterator[HintingSession]:
        """As `session`, for runs with hints."""
        dsn = self.dsn(name)
        with self.asked(), HintingSession(dsn, limits=self._limits, path=path) as session:
            yield session

    @contextmanager
    def asked(self) -> Iterator[None]:
        """What a server says in the block is raised as NotOptimised."""
        try:
            yield
        # untrusted functions and undecodable texts are told: they are no values
        except (Untrusted, Undecodable) as error:
            raise NotOptimised(f"not optimised: {error}") from error
        except (SessionError, psycopg.Error) as error:
            raise NotOptimised(refused_by_server(error)) from error

    def trust(self, name: str) -> Any:
        """The weakest evidence that sessions of the database are served without a person's approval."""
        database = self._configured(name)
        defaults: Mapping[str, str] = {**self.config.defaults, **(database.defaults if database else {})}
        return defaults.get("trust", "proved")

    @property
    def accept(self) -> frozenset[str]:
        """Reservations with which a proof still counts."""
        return frozenset(self.config.verify.accept)

    def _configured(self, name: str) -> Database | None:
        return self.config.databases.get(name) or self.config.databases.get("*")

    @property
    def _limits(self) -> Limits:
        return Limits(statement=self.config.optimiser.run_timeout)


def database_dsn(dsn: str, name: str) -> str:
    """``dsn`` with the database that the client asked for, where it names none itself."""
    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    # a DSN of ``*`` names no database: the client's is meant
    if parts.get("dbname"):
        return dsn
    return psycopg.conninfo.make_conninfo(dsn, dbname=name)


def refused_by_server(error: SessionError | psycopg.Error) -> str:
    """Its message may hold values of rows and of literals, so nobody gets to see it."""
    return f"the server says {condition(error.sqlstate or '')}".rstrip()
