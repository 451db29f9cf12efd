"""What the documents' commands are run on: a server with the databases and roles that pages name, a lake, a proxy
over both with seven rewrites in its store, and files of the names that pages use.

Pages speak of addresses that nobody has (`db.internal`, port 6432) and of words in capitals (`DSN`, `DIR`): `here`
puts what is really there in their place. Must not know single pages.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import trustme

from rewright.config.loading import load
from rewright.config.model import Config
from rewright.engines.postgres import hintplan
from rewright.engines.postgres.installation import find_installation
from rewright.engines.postgres.scratch import ScratchServer, free_port
from rewright.processes.pages import pages
from rewright.processes.supervisor import Supervisor
from rewright.proxy.auth.scram import Verifier
from rewright.store.api import open_store
from rewright.store.life import Action, Level
from rewright.store.records import NewRewrite
from rewright.wiring.shadows import Shadows
from rewright.wiring.stores import open_configured

PASSWORD = "what pages do not tell"
PROGRAM = f"#!{sys.executable}\nfrom rewright.cli import main\nif __name__ == '__main__':\n    main()\n"
ROLES = {
    "rewright_optimiser": "grant pg_read_all_data to rewright_optimiser",
    "reader": "grant pg_read_all_data to reader",
    "rewright_store": "grant create on database rewright to rewright_store",
    "reporting": "select",
    "app_rw": "select",
    "joe": "select",
}
MUSEUMS = """
create table museum (museum_id int primary key, name text not null, city text);
create table painting (painting_id int primary key, title text, museum_id int not null references museum);
insert into museum values (1, 'Old Hall', 'Porto'), (2, 'Glass House', 'Porto'), (3, 'Dock', 'Lima');
insert into painting select n, 'Painting ' || n, 1 + n % 3 from generate_series(1, 60) n;
create table housing (place text primary key, median_house_value numeric not null);
create extension pg_stat_statements;
create extension pg_hint_plan;
analyze;
"""
SCHEMA = "create table a (id int primary key, b int not null);"
QUERY = "select a.id from a where a.b > 1 and a.id in (select x.id from a x)"
FILES = {
    "schema.sql": SCHEMA,
    "a.sql": QUERY,
    "b.sql": "select a.id from a where a.b > 1",
    "queries.sql": "select m.name from museum m where m.museum_id in (select p.museum_id from painting p);",
    "q.sql": "select a.title from painting a join museum b on a.museum_id = b.museum_id",
    "server.log": "",
    "pairs.jsonl": json.dumps(
        {
            "id": "1",
            "schema_sql": SCHEMA,
            "q1": QUERY,
            "q2": "select a.id from a where a.b > 1",
            "user_query": QUERY,
        }
    ),
    "questions.jsonl": json.dumps({"id": "1", "question": "How many paintings are there in each museum?"}),
}
SAME_FILE = {"A.sql": "a.sql", "B.sql": "b.sql", "query.sql": "q.sql", "FILE.sql": "queries.sql"}
CONFIG = """
[listen]
address = "127.0.0.1:{proxy}"
[http]
address = "127.0.0.1:{console}"
token = "TOKEN"
[store]
url = "{home}/store.db"
[databases.lake]
engine = "duckdb"
path = "{home}/lake"
[databases.app]
dsn = "postgresql://127.0.0.1:{server}/app"
lakes = ["lake"]
[auth]
method = "file"
users = "{home}/users.toml"
[admins]
roles = ["postgres"]
[limits]
drain_grace = "2s"
"""


class World:
    """``home`` has the files and the configuration ``rewright.toml`` of the proxy that runs at ``proxy``;
    ``authority`` signs certificates.
    """

    def __init__(self, home: Path, server: ScratchServer) -> None:
        self.home, self.server = home, server
        self.proxy, self.console, self.mcp = free_port(), free_port(), free_port()
        self.authority = trustme.CA()
        self.environment = {
            "HOME": str(home),
            "PATH": f"{home / 'bin'}:{find_installation().program('psql').parent}:{os.environ['PATH']}",
            "PGUSER": "postgres",
            "PGPASSFILE": str(home / ".pgpass"),
            "XDG_RUNTIME_DIR": str(home / "run"),
        }

    def here(self, text: str, **ports: int) -> str:
        """The text with what is there; ``ports``: others than the world's, by the page's number."""
        places = {"5432": self.server.port, "6432": self.proxy, "6480": self.console, "6490": self.mcp}
        places |= {name.strip("p"): port for name, port in ports.items()}

        def address(found: re.Match[str]) -> str:
            user, _host, port, rest = found[1] or "", found[2], found[3] or "5432", found[4] or ""
            return f"postgresql://{user}127.0.0.1:{places[port]}{rest}"

        text = re.sub(r"postgresql://(\w+(?::[^@\s]*)?@)?([\w.]+)(?::(\d+))?(/\w+)?", address, text)
        for before in ("port=", "-p ", r"127\.0\.0\.1:"):
            text = re.sub(
                rf"(?<={before})(\d{{4}})\b", lambda found: str(places.get(found[1], found[1])), text
            )
        for name, there in SAME_FILE.items():
            text = re.sub(rf"(?<![\w.]){re.escape(name)}", there, text)
        for word, there in self.words().items():
            text = re.sub(rf"(?<![\w.$-]){word}(?![\w.])", there, text)
        return text

    def words(self) -> Mapping[str, str]:
        """What the words in capitals stand for."""
        return {
            "DSN": self.dsn("app"),
            "DIR2": "./lake2",
            "DIR": "./lake",
            "TABLE": "painting",
            "WORDS": "museum",
            "VALUE": "yes",
            "COLUMN": "sold",
            "NAME": "sold",
            "A": "painting",
            "B": "museum",
            "SQL": "select name from museums",
            "LEVEL": "proved",
            "N": "1",
        }

    def begin_statistics(self) -> None:
        """pg_stat_statements has one query of the application, and none of what was run here before."""
        with psycopg.connect(self.dsn("app"), autocommit=True) as connection:
            connection.execute("select pg_stat_statements_reset()")
            connection.execute(FILES["queries.sql"].encode())

    def dsn(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.server.port}/{database}"


@contextmanager
def world(home: Path) -> Iterator[World]:
    if not hintplan.installed():
        hintplan.install()
    settings = {"shared_preload_libraries": "pg_stat_statements,pg_hint_plan"}
    with ScratchServer(settings) as server:
        made = World(home, server)
        _fill_server(server)
        _write_files(made)
        yield made


def _fill_server(server: ScratchServer) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(f"alter role postgres password '{PASSWORD}'".encode())
        for database in ("app", "rewright"):
            connection.execute(f"create database {database}".encode())
        for role, right in ROLES.items():
            connection.execute(f"create role {role} login password '{PASSWORD}'".encode())
            connection.execute(right.encode())
    with psycopg.connect(server.dsn(), dbname="app", password=PASSWORD, autocommit=True) as connection:
        connection.execute(MUSEUMS.encode())


def _write_files(made: World) -> None:
    home = made.home
    for name in ("bin", "lake", "run"):
        (home / name).mkdir(mode=0o700)
    (home / ".pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")
    (home / ".pgpass").chmod(0o600)
    (home / "bin" / "rewright").write_text(PROGRAM)
    (home / "bin" / "rewright").chmod(0o755)
    (home / ".venv").symlink_to(".")
    for name, text in FILES.items():
        (home / name).write_text(text + "\n")
    make_lake(home / "lake")
    shutil.copytree(home / "lake", home / "lake2")
    (home / "files").symlink_to("lake")
    users = {"postgres": "postgres", "joe": "app_rw", "app_rw": "app_rw"}
    (home / "users.toml").write_text(
        "".join(
            f'[{name}]\nverifier = "{Verifier.of_password(PASSWORD)}"\nupstream_user = "{upstream}"\n'
            f"upstream_password = {json.dumps(PASSWORD)}\n"
            for name, upstream in users.items()
        )
    )
    (home / "rewright.toml").write_text(
        CONFIG.format(proxy=made.proxy, console=made.console, server=made.server.port, home=home)
    )
    with open_store(str(home / "store.db")) as store:
        for number in range(1, 8):
            rewrite = store.rewrites.add(_proposal(number))
            store.rewrites.act(rewrite.id, Action.ACTIVATE, reason="proved evidence", by="optimiser")


def make_lake(folder: Path) -> None:
    """Museums and their paintings; houses, and of what their places are like, what explains their value."""
    chance = random.Random(5)
    places = [f"P{1009 + 37 * n}" for n in range(150)]
    income = [chance.gauss(0, 1) for _ in places]
    tables = {
        "museum": ("museum_id,name,city", ["1,Old Hall,Porto", "2,Glass House,Porto", "3,Dock,Lima"]),
        "painting": (
            "painting_id,title,museum_id,sold",
            [f"{n},Painting {n},{1 + n % 3},{('yes', 'No', 'Y', 'no')[n % 4]}" for n in range(1, 61)],
        ),
        "housing": (
            "place,median_house_value",
            [f"{p},{round(20 + 4 * i + chance.gauss(0, 1), 3)}" for p, i in zip(places, income, strict=True)],
        ),
        "district": (
            "place,median_income",
            [f"{p},{round(100 + 9 * i, 3)}" for p, i in zip(places, income, strict=True)],
        ),
    }
    for name, (header, rows) in tables.items():
        (folder / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n")


def _proposal(number: int) -> NewRewrite:
    return NewRewrite(
        database="app",
        template_key=f"key {number}",
        template=f"select name from museum where museum_id in (select museum_id from painting) and {number} = {number}",
        original=f"select name from museum where museum_id in (select museum_id from painting) and {number} = {number}",
        replacement="select name from museum",
        scope="any",
        level=Level.PROVED,
        evidence={"assumptions": [], "steps": []},
        sources=("rules",),
        cost_before=1000.0,
        cost_after=10.0,
    )


@contextmanager
def serving(config: Config) -> Iterator[Supervisor]:
    """`rewright serve` of this configuration, its workers processes of their own; raises ServeFailed, ShadowFailed."""
    with ExitStack() as stack:
        supervisor = Supervisor(stack.enter_context(Shadows(config)).applied(config))
        stack.callback(supervisor.stop)
        store = stack.enter_context(open_configured(config))
        stack.enter_context(pages(config.http.address, supervisor, store))
        supervisor.start()
        yield supervisor


def world_config(made: World) -> Config:
    return load(made.home / "rewright.toml", environment={})
