"""A proxy that answers ASK, over a small database of two roles, in this process; for tests of the wire."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg import sql

from rewright.config.model import Ask, Config, Models, StoreSection
from rewright.engines.postgres.scratch import ScratchServer
from rewright.processes import question_reader
from rewright.proxy.config import ProxyConfig
from rewright.proxy.ports import Lookup, Ports
from rewright.store.api import Store
from rewright.wiring import answers
from rewright.wiring.lent_process import Setup
from rewright.wiring.proxies import settings_rules
from rewright.wiring.questions import Questions
from rewright.wiring.stores import open_configured
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import Reports

SCHEMA = """
create table museum (museum_id int primary key, name text, city text, founded int);
create table painting (painting_id int primary key, title text, museum_id int references museum, price numeric);
create table ticket (ticket_id int primary key, visitor text);
create table salary (salary_id int primary key, employee text, amount int);
insert into museum values (1, 'Old Hall', 'Porto', 1901), (2, 'Glass House', 'Porto', 1950), (3, 'Dock', 'Lima', 1988);
insert into painting values (1, 'Sea', 1, 100), (2, 'Hill', 2, 300), (3, 'Rain', 1, 50), (4, 'Night', 3, 250);
insert into ticket select n, 'visitor ' || n from generate_series(1, 60) n;
insert into salary values (1, 'Zebulon', 5000), (2, 'Ottilie', 6000);
alter table painting enable row level security;
create policy everybodys on painting using (true);
"""
PORTO = "ASK 'which museums are in Porto?'"
IN_PORTO = [("Old Hall",), ("Glass House",)]
EACH = "ASK 'How many paintings are there in each museum?'"


class World:
    """``proxy`` with ``store`` behind it. Roles: postgres (an admin), ann (sees all
    but salaries), bob (all).
    """

    def __init__(self, proxy: RunningProxy, server: ScratchServer, database: str, store: Store) -> None:
        self.proxy, self.server, self.database, self.store = proxy, server, database, store
        self.questions: Questions
        self.reports: Reports

    def dsn(self, role: str = "postgres") -> str:
        password = self.server.address.passwords["postgres"] if role == "postgres" else role
        return f"postgresql://{role}:{password}@127.0.0.1:{self.proxy.port}/{self.database}"

    def connect(self, role: str = "postgres", **options: Any) -> Session:
        return Session(psycopg.connect(self.dsn(role), autocommit=True, **options))


class Session:
    """A client with the notices that it was given."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.told: list[str] = []
        connection.add_notice_handler(lambda notice: self.told.append(notice.message_primary or ""))

    def rows(self, text: str, **options: Any) -> list[tuple[Any, ...]]:
        return self.connection.execute(text.encode(), **options).fetchall()

    def run(self, text: str, **options: Any) -> psycopg.Cursor[tuple[Any, ...]]:
        return self.connection.execute(text.encode(), **options)

    def take_notices(self) -> list[str]:
        told, self.told = self.told, []
        return told

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


# as our client of litellm says before it imports it: no list of prices is fetched, in a thread of its own
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")


class CopiedReaders(Questions):
    """Processes that read questions are copies of one that has imported what they need, which for a model
    takes seconds; their environment is the one of this moment.
    """

    preloaded = ("litellm", "rewright.processes.question_reader", "tests.rewright.asking_world")

    def main(self) -> Callable[[Setup, socket.socket], None]:
        return partial(_main, dict(os.environ))


def _main(environment: Mapping[str, str], setup: Setup, requests: socket.socket) -> None:
    os.environ.clear()
    os.environ.update(environment)
    question_reader.main(setup, requests)


def make_database(server: ScratchServer, name: str) -> None:
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        for role in ("ann", "bob"):
            try:
                connection.execute(f"create role {role} login password '{role}'".encode())
            except psycopg.errors.DuplicateObject:
                connection.execute(f"alter role {role} login password '{role}'".encode())
            connection.execute(
                sql.SQL("grant select on museum, painting, ticket to {}").format(sql.Identifier(role))
            )
        connection.execute("grant select on salary to bob")


@contextmanager
def asking_world(
    server: ScratchServer,
    database: str,
    home: Path,
    ask: Ask | None = None,
    lookup: Lookup | None = None,
    models: Models | None = None,
) -> Iterator[World]:
    """``lookup``: rewrites that are served."""
    configured = Config(
        models=models or Models(), ask=ask or Ask(rows=50), store=StoreSection(url=str(home / "store.db"))
    )
    questions, reports = CopiedReaders(configured), Reports()
    with open_configured(configured) as store:
        ports = Ports(
            lookup=lookup,
            reporter=reports,
            answers=answers.make(store, configured, asker=questions),
            settings=settings_rules(configured),
        )
        upstream: ProxyConfig = config(server.dsn(database), admins=frozenset({"postgres"}))
        with RunningProxy(upstream, ports) as proxy:
            world = World(proxy, server, database, store)
            world.questions, world.reports = questions, reports
            try:
                yield world
            finally:
                proxy.call(questions.close)
