"""What somebody types wrong in the first hour: the message says what happened and what to do, with the exit code
of wrong usage or of a failure.
"""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.conninfo import make_conninfo

from rewright.cli import rewright
from rewright.cli.serve_command import unoptimised
from rewright.config.model import Config, Database, Optimiser
from rewright.engines.postgres.scratch import ScratchServer
from tests.rewright.serving import MAIN, TREE

QUERY = "select count(*) from pg_class"


def run(*words: str) -> Result:
    return CliRunner().invoke(rewright, words)


@pytest.fixture
def query(tmp_path: Path) -> str:
    path = tmp_path / "query.sql"
    path.write_text(QUERY)
    return str(path)


def unused() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


COMMANDS = [("rewrite",), ("hint",), ("advise",), ("hintplan", "check"), ("doctor",)]


@pytest.mark.server
@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[-1])
def test_a_database_that_cannot_be_reached(
    command: tuple[str, ...], query: str, scratch_server: ScratchServer, module_database: str
) -> None:
    dsn = scratch_server.dsn(module_database)
    for wrong, told in (
        ({"port": str(unused())}, "check host and port in the DSN"),
        ({"password": "a wrong one"}, "check the user and the password in the DSN"),
        ({"dbname": "shpo"}, "psql -l lists those there are"),
    ):
        given = make_conninfo(dsn, **wrong)  # type: ignore[arg-type] # libpq's options are text
        own = [given] if command[0] == "hintplan" else ["--dsn", given]
        done = run(*command, *own, *([query] if len(command) == 1 and command[0] != "doctor" else []))
        assert done.exit_code == 1, done.output
        assert told in done.output, done.output


@pytest.mark.server
def test_who_may_not_connect(query: str, scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as admin:
        admin.execute("create role newcomer login password 'x'")
        admin.execute(f"revoke connect on database {module_database} from public".encode())
    given = make_conninfo(scratch_server.dsn(module_database), user="newcomer", password="x")
    done = run("rewrite", "--dsn", given, query)
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as admin:
        admin.execute("drop role newcomer")
    assert "grant connect on database NAME to ROLE;" in done.output


@pytest.mark.server
def test_files_that_hold_nothing_to_do(tmp_path: Path, scratch_server: ScratchServer) -> None:
    empty, wrong = tmp_path / "empty.sql", tmp_path / "wrong.sql"
    empty.write_text("-- nothing\n")
    wrong.write_text("selec 1")
    for command in ("rewrite", "hint", "advise"):
        done = run(command, "--dsn", scratch_server.dsn(), str(empty))
        assert done.exit_code, done.output
        assert "no statement in it" in done.output
    assert run("hint", "--dsn", scratch_server.dsn(), str(wrong)).exit_code == 2
    done = run("rewrite", "--dsn", scratch_server.dsn(), "--top", "3")
    assert "give a file of queries, or CREATE EXTENSION" in done.output


NOBODY = "postgresql://127.0.0.1:1/app"


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "--schema", "WRONG", "RIGHT", "RIGHT"),
        ("verify", "--schema", "RIGHT", "WRONG", "RIGHT", "--json"),
        ("verify", "--schema", "RIGHT", "RIGHT", "WRONG", "--exit-code"),
        ("rewrite", "--dsn", NOBODY, "WRONG"),
        ("rewrite", "--dsn", NOBODY, "WRONG", "--json"),
        ("advise", "--dsn", NOBODY, "WRONG"),
        ("hint", "--dsn", NOBODY, "WRONG"),
        ("hintplan", "table", NOBODY, "WRONG", "--hints", "SeqScan(a)"),
    ],
    ids=" ".join,
)
def test_a_syntax_error_is_wrong_usage_before_anything_is_reached(
    words: tuple[str, ...], query: str, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.sql"
    wrong.write_text("-- a note\nselect 1 fro a b")
    done = run(*({"WRONG": str(wrong), "RIGHT": query}.get(word, word) for word in words))
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("rewright: ")
    assert "wrong.sql" in line
    assert 'syntax error at or near "a"' in line


@pytest.mark.parametrize("text", ["", "-- nothing", "select 1; select 2"])
def test_a_pair_is_of_one_query_each(text: str, query: str, tmp_path: Path) -> None:
    other = tmp_path / "other.sql"
    other.write_text(text)
    done = run("verify", "--schema", query, query, str(other))
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1), done.output


@pytest.mark.server
@pytest.mark.parametrize("command", ["rewrite", "advise"])
def test_a_syntax_error_does_not_hide_the_other_statements(
    command: str, tmp_path: Path, scratch_server: ScratchServer
) -> None:
    (tmp_path / "some.sql").write_text(f"{QUERY}; selec 2;")
    done = run(command, "--dsn", scratch_server.dsn(), str(tmp_path), "--json")
    assert done.exit_code == 2
    assert [one["original"] for one in json.loads(done.stdout)] == [QUERY, "selec 2"]
    assert done.stderr.splitlines() == ['rewright: some.sql:2: syntax error at or near "selec"']


def test_a_question_of_a_server_that_is_down_says_what_to_check() -> None:
    done = run("ask", "--dsn", NOBODY, "how many")
    assert done.exit_code == 1
    assert done.stderr.startswith("rewright: database: ")
    assert "check host and port in the DSN" in done.stderr


def test_a_proxy_that_will_find_nothing_says_so() -> None:
    several = {
        "a": Database(dsn=NOBODY),
        "b": Database(dsn=NOBODY, optimiser_dsn=NOBODY),
        "l": Database(engine="duckdb", path="."),
        "*": Database(dsn=NOBODY),
    }
    told = unoptimised(Config(databases=several))
    assert told.startswith(
        "no optimiser for a, all others: slow queries are logged, and nothing new is found"
    )
    assert unoptimised(Config(databases={"*": several["*"]})).startswith("no optimiser for any database: ")
    assert unoptimised(Config(databases={"b": several["b"], "l": several["l"]})) == ""
    off = Config(databases={"b": several["b"]}, optimiser=Optimiser(concurrency=0))
    assert "concurrency is 0" in unoptimised(off)


def test_addresses_that_cannot_be_listened_on(tmp_path: Path) -> None:
    """Told before anything is started that would have to be waited for."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for listen, http, option in ((address, "", "--listen"), ("127.0.0.1:0", address, "--http")):
            arguments = ["--listen", listen, "--http", http, "--store", str(tmp_path / "store.db")]
            done = subprocess.run(
                [*MAIN, "serve", "--upstream", "postgresql://127.0.0.1:1", *arguments],
                capture_output=True, text=True, check=False, cwd=TREE,
            )  # fmt: skip
            assert done.returncode == 1
            assert f"{address}: Address already in use; something else listens there" in done.stderr
            assert f"({option})" in done.stderr


def test_what_doctor_tells_to_type_can_be_typed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without any database it names the command that begins."""
    monkeypatch.chdir(tmp_path)
    found = json.loads(run("doctor", "--json").output)
    (remedy,) = next(one["remedy"] for one in found if one["subject"] == "databases")
    words = remedy.partition("  --")[0].split()
    assert words[:2] == ["rewright", "serve"]
    serve = rewright.get_command(None, "serve")  # type: ignore[arg-type] # the context is not looked at
    assert serve is not None
    known = {name for one in serve.params for name in one.opts}
    assert {word for word in words if word.startswith("--")} <= known
