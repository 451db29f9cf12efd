"""The whole path, as people start it: processes, the optimiser, serving, pages, signals."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from playwright.sync_api import Browser, expect

from rewright.engines.postgres.scratch import ScratchServer
from rewright.store.api import open_store
from rewright.store.browsing import Asked
from rewright.store.life import Level
from tests.rewright.serving import MAIN, QUERY, TREE, Running, children, connect, last, runs, wait

# of the rewrites those of the query
OURS = " where original like '%avg_yearly%'"
PASSWORD = "only for people"
# the query under other names: one that the optimiser finds, one whose rewrite a person has to approve
FOUND = QUERY.replace("avg_yearly", "avg_monthly")
VARIANT = QUERY.replace("avg_yearly", "avg_weekly")

pytestmark = [pytest.mark.server, pytest.mark.timeout(280)]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("serve")


@pytest.fixture(scope="module")
def running(scratch_server: ScratchServer, sample: str, directory: Path) -> Iterator[Running]:
    upstream = scratch_server.dsn(sample).rsplit("/", 1)[0]
    started = Running(
        [
            "--listen",
            "127.0.0.1:0",
            "--http",
            "127.0.0.1:0",
            "--store",
            str(directory / "store.db"),
            "--upstream",
            upstream,
        ],
        {
            "REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream,
            "REWRIGHT_HTTP__ADMIN_PASSWORD": PASSWORD,
            "REWRIGHT_HTTP__TOKEN": "for-programs",
        },
    )
    try:
        # said once the optimiser takes jobs
        wait(lambda: "optimiser_jobs_received_total 0.0" in started.get("/metrics"))
        yield started
    finally:
        started.stop()


def served(connection: psycopg.Connection[Any]) -> bool:
    connection.execute(QUERY)
    return last(connection).startswith("replacement")


def by_others(running: Running, server: ScratchServer, database: str) -> None:
    """No rights, an empty path, a bad literal, timeouts: of a stranger, and of who may."""
    stranger = f"stranger_{database}"
    with psycopg.connect(server.dsn(database), autocommit=True) as direct:
        direct.execute(f"create role {stranger} login password 'x'".encode())
    dsn = f"postgresql://{stranger}:x@127.0.0.1:{running.port}/{database}"
    with psycopg.connect(dsn, autocommit=True) as one, connect(running, server, database) as two:
        two.execute("set rewright.trust = 'tested'")
        for connection in (one, two):
            for setting in (
                "search_path = ''",
                "statement_timeout = '1ms'",
                "lock_timeout = '1ms'",
                "work_mem = '64kB'",
            ):
                connection.execute(f"reset all; set {setting}".encode())
                for text in (QUERY, QUERY.replace("'Brand#23'", "'x'::date")):
                    for cursor in (connection.cursor(), psycopg.ClientCursor(connection)):
                        with contextlib.suppress(psycopg.Error):
                            cursor.execute(text.encode())
    with psycopg.connect(server.dsn(database), autocommit=True) as direct:
        direct.execute(f"drop role {stranger}".encode())


def test_a_slow_query_becomes_a_fast_one(
    running: Running, scratch_server: ScratchServer, sample: str, directory: Path
) -> None:
    with connect(running, scratch_server, sample) as connection:
        connection.execute("set rewright.trust = 'tested'")
        connection.execute("set rewright.min_duration = '20ms'")
        slow = connection.execute(QUERY).fetchall()
        assert last(connection).startswith("original")
        wait(lambda: json.loads(running.get("/rewrites.json?q=avg_yearly"))["rewrites"])
        wait(lambda: served(connection))
        assert connection.execute(QUERY).fetchall() == slow

        # nobody retires it for everybody by what the original can't do either
        by_others(running, scratch_server, sample)
        assert served(connection)
        assert connection.execute("select distinct state from rewright.rewrites" + OURS).fetchall() == [
            ("active",)
        ]
        assert "rewrite.retired" not in "".join(running.said)

        # however it is written, and whatever is said in comments
        connection.execute(
            f"/*app='shop'*/ {QUERY.strip().replace('select', 'SELECT')} /*trace='1'*/;".encode()
        )
        assert last(connection).startswith("replacement")

        # the session decides
        connection.execute("set rewright.mode = 'off'")
        assert connection.execute(QUERY).fetchall() == slow
        assert not last(connection).startswith("replacement")
        connection.execute("reset rewright.mode")
        assert served(connection)

        # so does everybody's switch, within a second
        connection.execute("call rewright.pause()")
        wait(lambda: not served(connection))
        connection.execute("call rewright.resume()")
        wait(lambda: served(connection))

        # the log, by SQL, on pages and on the command line
        counted = "select count(*) from rewright.log where route = 'rewritten' and query like '%Brand#23%'"
        wait(lambda: connection.execute(counted).fetchone() != (0,))
        ((number, state),) = connection.execute("select id, state from rewright.rewrites" + OURS).fetchall()
        page = running.get(f"/rewrites/{number}")
        assert "avg_yearly" in page
        # the workers report their figures once a second
        wait(lambda: 'rewright_statements_total{route="replacement"}' in running.get("/metrics"))
        with open_store(str(directory / "store.db")) as store:
            assert store.rewrites.get(number).state.value == state

        asked = "select mode, trust from rewright.sessions"
        wait(lambda: ("apply", "tested") in connection.execute(asked).fetchall())

        # the same on demand, for who may read the tables
        lines = [str(row[0]) for row in connection.execute(f"explain (rewrite) {QUERY}").fetchall()]
        assert lines[0] == "Original"
        assert any(line.startswith(("Replacement", "Proposed replacement")) for line in lines), lines
        assert any(line.startswith("Step 1: ") for line in lines)

        # a person's word is final
        connection.execute(f"call rewright.reject({number})")
        wait(lambda: not served(connection))
        assert connection.execute(QUERY).fetchall() == slow


@pytest.mark.long
def test_a_person_approves_what_was_proposed(
    running: Running, scratch_server: ScratchServer, sample: str, directory: Path, browser: Browser
) -> None:
    with connect(running, scratch_server, sample) as connection:
        connection.execute("set rewright.min_duration = '20ms'")
        connection.execute(FOUND)
        wait(lambda: json.loads(running.get("/rewrites.json?q=avg_monthly"))["rewrites"])
        # nothing is looked for any more: what is found for the variant itself would be served unasked
        connection.execute("set rewright.min_duration = '3600s'")
        number = proposed(directory, VARIANT)
        # not served unasked: its evidence is weaker than this session trusts
        slow = connection.execute(VARIANT).fetchall()
        assert last(connection).startswith("original"), last(connection)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{running.http}/rewrites?state=proposed")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        # back to the list that was asked for, with its filter
        expect(page.get_by_role("combobox", name="State")).to_have_value("proposed")
        page.get_by_role("link", name="avg_weekly").click()
        expect(page.get_by_text("That is no proof", exact=False)).to_be_visible()
        expect(page.get_by_text("The average of l_quantity in lineitem was computed again")).to_be_visible()
        page.get_by_label("Reason").fill("looked at the plans")
        page.get_by_role("button", name="Approve").click()
        expect(page.get_by_text("approved by a person")).to_be_visible()
        wait(lambda: bool(connection.execute(VARIANT) and last(connection).startswith("replacement")))
        assert f"rewrite {number}" in last(connection)
        assert connection.execute(VARIANT).fetchall() == slow
        page.close()


def proposed(directory: Path, text: str) -> int:
    """The number of a rewrite of ``text`` that only tests speak for, made from the one that was found."""
    with open_store(str(directory / "store.db")) as store:
        (found, *_), _ = store.browse.rewrites(Asked(text="avg_monthly"))
        renamed = json.loads(json.dumps(asdict(found.proposal)).replace("avg_monthly", "avg_weekly"))
        new = replace(found.proposal, **renamed)
        assert new.original == text
        weaker = replace(
            new,
            literals=tuple(new.literals),
            modulo=tuple(new.modulo),
            sources=tuple(new.sources),
            template_key="of the test",
            level=Level.TESTED,
        )
        return store.rewrites.add(weaker).id


def test_the_pages_of_a_running_proxy(running: Running) -> None:
    def told() -> dict[str, str]:
        return json.loads(running.get("/overview.json"))["optimiser"]

    # it may have been started again for another test
    wait(lambda: told()["state"] == "running")
    assert "since it started" in told()["told"]
    settings = {one["key"]: one for one in json.loads(running.get("/settings.json"))["settings"]}
    listen = settings["listen.address"]
    assert (listen["value"], listen["default"]) == ("127.0.0.1:0", "127.0.0.1:6432")
    assert PASSWORD not in running.get("/settings.json")


def test_what_dies_is_started_again(running: Running, scratch_server: ScratchServer, sample: str) -> None:
    pids = children(running.process.pid)
    with connect(running, scratch_server, sample) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def works_again() -> bool:
        try:
            with connect(running, scratch_server, sample) as connection:
                return connection.execute("select 1").fetchone() == (1,)
        except psycopg.OperationalError:
            return False

    wait(lambda: "process.ended" in "".join(running.said))
    wait(works_again)
    wait(lambda: json.loads(running.get("/healthz"))["processes"]["optimiser"] == "running")


def test_sighup_reads_the_configuration_again(
    running: Running, scratch_server: ScratchServer, sample: str
) -> None:
    with connect(running, scratch_server, sample) as connection:
        running.process.send_signal(signal.SIGHUP)
        wait(lambda: "config.reloaded" in "".join(running.said))
        assert connection.execute("select 1").fetchone() == (1,)


def test_sighup_reaches_the_optimiser(scratch_server: ScratchServer, sample: str, tmp_path: Path) -> None:
    """It is started again where what it goes by has changed, and only there."""
    upstream = scratch_server.dsn(sample).rsplit("/", 1)[0]
    path = tmp_path / "rewright.toml"

    def write(run_timeout: str, level: str) -> None:
        path.write_text(
            f'[listen]\naddress = "127.0.0.1:0"\n[http]\naddress = "127.0.0.1:0"\n[store]\nurl = "{tmp_path}/s.db"\n'
            f'[databases."*"]\ndsn = "{upstream}"\noptimiser_dsn = "{upstream}"\n'
            f'[optimiser]\nrun_timeout = "{run_timeout}"\n[log]\nlevel = "{level}"\n'
        )

    write("30s", "info")
    started = Running(["--config", str(path)], {})
    try:
        pids = set(children(started.process.pid))
        for run_timeout, level, same in (("30s", "debug", True), ("7s", "info", False)):
            write(run_timeout, level)
            before = "".join(started.said).count("config.reloaded")
            started.process.send_signal(signal.SIGHUP)
            wait(lambda seen=before: "".join(started.said).count("config.reloaded") > seen)  # type: ignore[misc]
            if same:
                assert set(children(started.process.pid)) == pids
                assert "process.restarted" not in "".join(started.said)
        assert "process.restarted" in "".join(started.said)
        wait(lambda: len(now := set(children(started.process.pid))) == len(pids) and now != pids)
        with connect(started, scratch_server, sample) as connection:
            assert connection.execute("select 1").fetchone() == (1,)
    finally:
        started.stop()


def test_it_ends_cleanly(scratch_server: ScratchServer, tmp_path: Path) -> None:
    upstream = scratch_server.dsn().rsplit("/", 1)[0]
    started = Running(
        [
            "--listen",
            "127.0.0.1:0",
            "--http",
            "127.0.0.1:0",
            "--store",
            str(tmp_path / "s.db"),
            "--upstream",
            upstream,
        ],
        {},
    )
    pids = children(started.process.pid)
    assert pids
    assert started.stop() == 0
    assert not any(map(runs, pids))
    assert "Traceback" not in "".join(started.said)


def test_children_do_not_outlive_a_killed_supervisor(scratch_server: ScratchServer, tmp_path: Path) -> None:
    upstream = scratch_server.dsn().rsplit("/", 1)[0]
    started = Running(
        [
            "--listen",
            "127.0.0.1:0",
            "--http",
            "127.0.0.1:0",
            "--store",
            str(tmp_path / "s.db"),
            "--upstream",
            upstream,
        ],
        {"REWRIGHT_DATABASES__*__OPTIMISER_DSN": upstream, "REWRIGHT_LIMITS__DRAIN_GRACE": "1s"},
    )
    pids = children(started.process.pid)
    assert len(pids) == 2
    started.stop(signal.SIGKILL)
    wait(lambda: not any(map(runs, pids)))


def test_an_address_that_is_taken(running: Running, scratch_server: ScratchServer, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *MAIN,
            "serve",
            "--listen",
            f"127.0.0.1:{running.port}",
            "--http",
            "",
            "--store",
            str(tmp_path / "x.db"),
            "--upstream",
            scratch_server.dsn(),
        ],
        env={**os.environ, "PYTHONPATH": str(TREE)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 1
    assert f"rewright: [listen] address 127.0.0.1:{running.port}: Address already in use; " in done.stderr
    assert "Traceback" not in done.stderr
