"""The command line as tools see it: exit codes, stdout, stderr."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rewright.cli import COMMANDS, rewright
from rewright.store.api import Store, open_store
from rewright.store.life import Level, State
from rewright.store.records import Event, LogEntry, NewRewrite, Resolution
from tests.rewright.json_page import documented

pytestmark = pytest.mark.usefixtures("process_set_up")
NEW = NewRewrite(
    database="app",
    template_key="k",
    template="select 1",
    original="select a\nfrom t",
    replacement="select b\nfrom t",
    level=Level.TESTED,
    evidence={"databases": 10},
    queryid=-77,
)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(rewright, list(arguments))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "store.db")


@pytest.fixture
def store(url: str) -> Store:
    with open_store(url) as opened:
        return opened


def test_help_names_every_command_without_importing_one() -> None:
    code = (
        "import sys; from rewright.cli import rewright\n"
        "try: rewright.main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'sqlalchemy', 'psycopg', 'pglast', 'duckdb', 'starlette', 'uvicorn', 'litellm'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name in done.stdout for name in COMMANDS)


def test_an_interrupt_after_the_answer_changes_nothing() -> None:
    code = (
        "import atexit, os, signal, sys; from rewright.cli import main\n"
        "atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))\n"
        "sys.argv = ['rewright', '--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("rewright ")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    found = run(name, "--help")
    assert found.exit_code == 0, found.output
    assert "Usage:" in found.output


@pytest.mark.parametrize(
    "arguments",
    [["nothing"], ["show"], ["show", "x"], ["log", "--since", "soon"], ["serve", "--workers", "0"]],
)
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        ("serve --listen nonsense", "[listen] address: must be an address such as 127.0.0.1:6432"),
        (
            "serve --http nonsense --upstream host=a",
            "[http] address: must be an address such as 127.0.0.1:6432",
        ),
        ("serve --workers many", "'many' is not a valid integer range"),
        ("serve --workers 1000 --upstream host=a", "[listen] workers: must be a whole number from 1 to 256"),
        (
            "serve --upstream nonsense",
            "must be postgresql://user@host:5432/database or 'host=... dbname=...'",
        ),
        ("serve --upstream sslmode=wat", "[databases.*] dsn: invalid sslmode 'wat': use one of disable"),
        ("serve --upstream host=a --store mysql://a", "[store] url: must be a file, or postgresql://..."),
        (
            "serve --lake /no/lake",
            "must be a directory or s3://bucket/prefix; there is no directory /no/lake",
        ),
        ("serve --config /no/file.toml", "File '/no/file.toml' does not exist"),
        ("log --store mysql://a", "[store] url: must be a file, or postgresql://..."),
        ("log --since soon", "must be a time such as 200ms or 30s"),
        ("config --config /no/file.toml", "File '/no/file.toml' does not exist"),
        ("rewrite --dsn nonsense SQL", "must be postgresql://user@host:5432/database"),
        ("rewrite --dsn host=a /no/file.sql", "Path '/no/file.sql' does not exist"),
        ("rewrite --dsn host=a SQL --trust wat", "'wat' is not one of 'proved', 'tested', 'judged'"),
        ("rewrite --dsn host=a SQL --budget wat", "must be a time such as 200ms or 30s"),
        ("rewrite --dsn host=a SQL --report /no/report.html", "there is no directory /no"),
        ("verify --schema SQL SQL /no/b.sql", "File '/no/b.sql' does not exist"),
        ("verify --schema SQL SQL SQL --accept errors", "must be a list of float-order, tie-order"),
        ("verify --batch SQL --out /no/out.jsonl", "there is no directory /no"),
        ("hint --dsn nonsense SQL", "must be postgresql://user@host:5432/database"),
        ("hintplan check nonsense", "must be postgresql://user@host:5432/database"),
        ("hintplan table host=a SQL --hints nonsense", "expected a hint with its arguments"),
        ("knowledge search -k 0 join", "0 is not in the range x>=1"),
        ("knowledge search --category wat join", "'wat' is not one of predicate, constant, join"),
        ("knowledge build /no/dump", "must be files, folders or postgresql://...; there is no /no/dump"),
        ("lake index /no/lake", "Directory '/no/lake' does not exist"),
        ("doctor --dsn nonsense", "must be postgresql://user@host:5432/database"),
        ("bench wat", "'wat' is not one of 'overhead'"),
    ],
)
def test_wrong_values_are_2_and_say_what_is_allowed(tmp_path: Path, arguments: str, allowed: str) -> None:
    (tmp_path / "a.sql").write_text("select 1;\n")
    words = [str(tmp_path / "a.sql") if word == "SQL" else word for word in shlex.split(arguments)]
    found = run(*words)
    assert found.exit_code == 2, found.output
    assert allowed in " ".join(found.stderr.split())
    assert found.stdout == ""
    assert "Traceback" not in found.stderr


def test_log(url: str, store: Store) -> None:
    store.log.add(
        [LogEntry(at=float(at), database="app", role="joe", query=f"select {at}") for at in range(3)]
    )
    text = run("log", "--store", url)
    assert text.exit_code == 0
    assert "select 2" in text.stdout
    document = json.loads(run("log", "--store", url, "--json").stdout)
    assert [entry["query"] for entry in document] == ["select 0", "select 1", "select 2"]
    assert json.loads(run("log", "--store", url, "--json", "--since", "1h").stdout) == []


def test_show(url: str, store: Store) -> None:
    one = store.rewrites.add(NEW)
    store.events.add([Event(one.id, "job", "reasoning", {"candidates": 2})])
    text = run("show", str(one.id), "--store", url)
    assert text.exit_code == 0
    assert "-SELECT a" in text.stdout
    assert "+SELECT b" in text.stdout
    by_queryid = json.loads(run("show", "--store", url, "--json", "--", "-77").stdout)
    assert by_queryid["id"] == one.id
    assert by_queryid["evidence"] == {"databases": 10}
    missing = run("show", "99", "--store", url)
    assert (missing.exit_code, missing.stdout, missing.stderr) == (
        1,
        "",
        "rewright: there is no rewrite 99 in this store; rewright log lists them\n",
    )


def test_decisions(url: str, store: Store) -> None:
    one = store.rewrites.add(NEW)
    for verb, state in (
        ("approve", "active"),
        ("pin", "pinned"),
        ("retire", "retired"),
        ("reject", "rejected"),
    ):
        found = run(verb, str(one.id), "--store", url, "--reason", f"because {verb}")
        assert (found.exit_code, found.stdout) == (0, f"rewrite {one.id} is {state}\n")
        kept = store.rewrites.get(one.id)
        assert (kept.state, kept.reason) == (State(state), f"because {verb}")
        assert kept.changed_by
    told = json.loads(run("reject", str(one.id), "--store", url, "--json", "--reason", "no").stdout)
    assert (told["id"], told["state"], told["reason"]) == (one.id, "rejected", "no")
    refused = run("retire", str(one.id), "--store", url)
    assert (refused.exit_code, refused.stderr) == (1, "rewright: cannot retire a rewrite that is rejected\n")
    assert run("approve", "99", "--store", url).exit_code == 1


@pytest.fixture
def no_other_proxies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Proxies of tests that run meanwhile are not found."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.mark.usefixtures("no_other_proxies")
def test_pause_and_resume(url: str, store: Store) -> None:
    assert run("pause", "--store", url).exit_code == 0
    assert store.switches.paused()
    told = json.loads(run("resume", "--store", url, "--json").stdout)
    assert set(told) == documented("rewright pause --json") - {"address", "pid"}
    assert not told["paused"]
    assert told["store"]
    assert not store.switches.paused()


def test_accept(url: str, store: Store) -> None:
    one = store.resolutions.add(Resolution("lake", "select x", "select y"))
    assert run("accept", str(one.id), "--store", url).exit_code == 0
    told = json.loads(run("accept", str(one.id), "--store", url, "--json").stdout)
    assert (told["id"], told["accepted"], told["resolved"]) == (one.id, True, "select y")
    assert store.resolutions.read(accepted=True)
    assert run("accept", "99", "--store", url).exit_code == 1


def test_config(tmp_path: Path) -> None:
    path = tmp_path / "rewright.toml"
    path.write_text("[listen]\nworkers = 0\n")
    checked = run("config", "--check", "--config", str(path))
    assert checked.exit_code == 1
    assert "[listen] workers" in checked.stderr
    path.write_text("[listen]\nworkers = 2\n")
    assert (run("config", "--check", "--config", str(path)).exit_code) == 0
    document = json.loads(run("config", "--json", "--config", str(path)).stdout)
    assert document["listen.workers"] == {"value": "2", "origin": str(path)}
    assert run("config", "--example").stdout.startswith("# rewright.toml")


def test_serve_needs_a_database(url: str) -> None:
    found = run("serve", "--store", url)
    assert found.exit_code == 2
    assert "no database is configured" in found.stderr


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = run("log", "--store", str(tmp_path / "file" / "x.db"))
    assert found.exit_code == 1
    assert "there is no store at" in found.stderr
    assert "Traceback" not in found.output


@pytest.mark.parametrize(
    ("name", "own"), [("augment", "--planted"), ("unseen", "--more"), ("lake", "--data")]
)
def test_help_of_a_benchmark_is_its_own(name: str, own: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rewright", "bench", name, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert own in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        ["verify", "--schema", "FILE", "FILE", "FILE"],
        ["hint", "--dsn", "postgresql://127.0.0.1:1/app", "FILE"],
        ["rewrite", "--dsn", "postgresql://127.0.0.1:1/app", "FILE"],
        ["knowledge", "add", "FILE"],
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, command: list[str]) -> None:
    file = tmp_path / "image.sql"
    file.write_bytes(b"ok\xff\xd8\xff")
    done = CliRunner().invoke(rewright, [str(file) if word == "FILE" else word for word in command])
    assert done.exit_code == 2
    assert f"{file}: not UTF-8 text: invalid from byte 3 on" in done.stderr


def test_a_store_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n")
    found = CliRunner().invoke(rewright, ["log", "--store", str(tmp_path / "other.csv")])
    assert found.exit_code == 1
    assert f"store {tmp_path / 'other.csv'}: " in found.stderr


@pytest.mark.parametrize("text", ["", " ;\n"])
def test_a_lake_is_asked_something(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    found = CliRunner().invoke(rewright, ["lake", "query", str(tmp_path), text], env=environment)
    assert found.exit_code == 1
    assert "no statement" in found.stderr
