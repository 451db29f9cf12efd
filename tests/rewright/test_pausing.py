"""Pausing with a store and without one, and who is told."""

from __future__ import annotations

import errno
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.config.model import Config, Serve, StoreSection
from rewright.processes.instances import Instance, registered, running
from rewright.store import reaching
from rewright.store.api import Store, open_store
from rewright.store.errors import StoreUnavailable
from rewright.store.learned import Switches
from rewright.wiring import pausing
from rewright.wiring.feed import StoreFeed
from rewright.wiring.pausing import PauseWatch
from rewright.wiring.stores import reach_configured

ACCEPT = frozenset({"float-order"})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "kept" / "store.db")) as opened:
        yield opened


def paused_config(url: str, tmp_path: Path) -> Config:
    return Config(store=StoreSection(url=url), serve=Serve(run_dir=str(tmp_path / "run")))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def watched(config: Config, store: Store) -> PauseWatch:
    feed = StoreFeed(store, lambda _: None, accept=ACCEPT)
    feed.poll()
    return PauseWatch(pausing.files_of(config), feed, lambda _: None)


def test_a_pause_without_a_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path) -> None:
    monkeypatch.setattr(reaching, "RETRY_SECONDS", 0.0)
    (tmp_path / "state").write_text("in the way")
    config = paused_config(str(tmp_path / "state" / "store.db"), tmp_path)
    with reach_configured(config) as store:
        told = pausing.tell(store, config, paused=True, by="joe")
        assert told.store == ""
        assert told.file is not None
        assert told.file.is_relative_to(home)
        assert watched(config, store).paused
        assert not watched(paused_config(str(tmp_path / "other.db"), tmp_path), store).paused
        # a store that begins anew knows nothing of it
        (tmp_path / "state").unlink()
        assert store.revision() == 0
        assert watched(config, store).paused
        assert pausing.tell(store, config, paused=False, by="joe").store
        assert not watched(config, store).paused


def test_a_pause_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path
) -> None:
    home.write_text("in the way")
    (tmp_path / "state").write_text("in the way")
    monkeypatch.setattr(pausing, "shared_directory", lambda _: None)
    config = paused_config(str(tmp_path / "state" / "store.db"), tmp_path)
    with reach_configured(config) as store:
        told = pausing.tell(store, config, paused=True, by="joe")
    assert (told.store, told.file) == ("", None)
    assert len(told.problems) == 2


def test_a_full_disk_takes_an_empty_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path) -> None:
    def full(_opened: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    file = pausing.write_files([tmp_path / "paused"], pausing.ALONE)
    assert file is not None
    assert pausing.read_files([file]) == pausing.ALONE


def test_what_the_store_says_later_counts_where_it_was_told(store: Store, tmp_path: Path, home: Path) -> None:
    """Paused here on a store that several machines share, resumed on another one of them."""
    config = paused_config("postgresql://shared/db", tmp_path)
    told = pausing.tell(store, config, paused=True, by="joe")
    assert told.file is not None
    assert pausing.read_files([told.file]) == pausing.WITH_STORE
    watch = watched(config, store)
    seen = [watch.paused]
    store.switches.set_paused(False)
    watch._feed.poll()
    seen.append(watch.paused)
    with store.engine.begin() as connection:
        connection.exec_driver_sql("drop table revision")
    watch._feed.poll()
    assert [*seen, watch.paused] == [True, False, True]  # as long as nobody can say otherwise


def test_instances_are_found_while_they_live(tmp_path: Path) -> None:
    run_dir = str(tmp_path / "run")
    one, other = Instance(os.getpid(), "127.0.0.1:1", "a"), Instance(1, "127.0.0.1:2", "b")
    with registered(run_dir, one), registered(run_dir, other):
        assert running(run_dir, "a") == [one]
        assert running(run_dir, "b") == [other]
        # what a killed process left, under a number that is somebody else's now
        (tmp_path / "run" / "77.proxy").write_text(json.dumps(asdict(replace(one, pid=77))))
        assert running(run_dir, "a") == [one]
    assert running(run_dir, "a") == []


def said(command_line: list[str], tmp_path: Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(rewright, command_line, env={"REWRIGHT_SERVE__RUN_DIR": str(tmp_path / "run")})
    return done.exit_code, done.stdout, done.stderr


def test_what_was_reached_is_said(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: signals.append((pid, number)))
    url = str(tmp_path / "state" / "store.db")
    open_store(url).close()
    code, out, _ = said(["pause", "--store", url], tmp_path)
    assert (code, out.splitlines()[:2]) == (
        0,
        ["paused: every query runs as it is written", f"  store {url}"],
    )
    with open_store(url) as store:
        assert store.switches.paused()
    scope = pausing.scope_of(Config(store=StoreSection(url=url)))
    with registered(str(tmp_path / "run"), Instance(os.getpid(), "127.0.0.1:6432", scope)):
        code, out, _ = said(["resume", "--store", url], tmp_path)
        assert code == 0
        assert f"  proxy 127.0.0.1:6432, process {os.getpid()}" in out.splitlines()
        assert signals == [(os.getpid(), signal.SIGUSR2)]
    with open_store(url) as store:
        assert not store.switches.paused()
    assert not any(file.exists() for file in pausing.files_of(Config(store=StoreSection(url=url))))


def test_a_pause_that_stops_nothing_here_is_no_success(tmp_path: Path, home: Path) -> None:
    """As from another folder, whose store nobody uses, while the proxy that was meant runs on."""
    url, others = str(tmp_path / "state" / "store.db"), str(tmp_path / "other" / "store.db")
    open_store(url).close()
    code, out, _ = said(["pause", "--store", url], tmp_path)
    assert code == 0
    assert "  no running proxy of this user on this machine" in out
    proxy = Instance(os.getpid(), "127.0.0.1:6432", pausing.scope_of(Config(store=StoreSection(url=others))))
    with registered(str(tmp_path / "run"), proxy):
        code, out, err = said(["pause", "--store", url], tmp_path)
        assert (code, out) == (1, "")
        assert f"no running proxy uses {url}" in err
        assert f"127.0.0.1:6432, process {os.getpid()}" in err
        # nothing is left to stop by an end of the pause
        assert said(["resume", "--store", url], tmp_path)[0] == 0
    with open_store(url) as store:
        assert not store.switches.paused()


def test_a_store_that_can_only_be_read_keeps_its_pause(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk: who resumes is not told that all is well."""
    url = str(tmp_path / "state" / "store.db")
    open_store(url).close()
    assert said(["pause", "--store", url], tmp_path)[0] == 0

    def full(_self: Switches, _paused: bool, **_more: str) -> None:
        raise StoreUnavailable("database or disk is full")

    monkeypatch.setattr(Switches, "set_paused", full)
    code, out, err = said(["resume", "--store", url], tmp_path)
    assert (code, out) == (1, "")
    assert "the pause continues" in err


def test_nothing_reached_is_a_failure(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_text("in the way")
    url = str(tmp_path / "state" / "store.db")
    code, out, err = said(["pause", "--store", url], tmp_path)
    assert (code, out) == (1, "")
    assert "there is no store at" in err
    assert "neither the store nor a running proxy was reached" in err
    assert "is kept for the next start" in err


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_a_mistyped_store_is_not_made(verb: str, tmp_path: Path, home: Path) -> None:
    code, out, err = said([verb, "--store", str(tmp_path / "mistyped.db")], tmp_path)
    assert (code, out) == (1, "")
    assert "there is no store at" in err
    assert "neither the store nor a running proxy was reached" in err
    assert not (tmp_path / "mistyped.db").exists()
