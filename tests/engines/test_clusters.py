"""Throw-away clusters are copies of the first one, and only of one that nobody else could change."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres import clusters
from rewright.engines.postgres.scratch import ScratchServer

pytestmark = [pytest.mark.server, pytest.mark.long]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Each run of initdb; temporary files go to a folder that the server's account can enter."""
    folder = Path(tempfile.mkdtemp(prefix="rewright-clusters-test-"))
    folder.chmod(0o711)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    runs: list[Path] = []
    initialise = clusters.initialise

    def counted(data: Path, installation: clusters.Installation) -> None:
        runs.append(data)
        initialise(data, installation)

    monkeypatch.setattr(clusters, "initialise", counted)
    yield runs
    shutil.rmtree(folder)


def answers() -> bool:
    with ScratchServer() as server:
        name = server.create_database()
        with psycopg.connect(server.unprivileged_dsn(name)) as connection:
            connection.execute("create table t as select 1 one")
            return connection.execute("select one from t").fetchone() == (1,)


def kept() -> Path:
    (found,) = Path(tempfile.gettempdir()).glob("rewright-clusters-*")
    return found


def test_the_second_one_is_a_copy(made: list[Path]) -> None:
    assert answers()
    assert answers()
    assert len(made) == 1
    assert kept().stat().st_mode & 0o777 == 0o700
    assert len(list(kept().iterdir())) == 1


def test_one_of_which_files_are_gone_is_made_anew(made: list[Path]) -> None:
    """As what removes old temporary files leaves it."""
    assert answers()
    next(kept().glob("*/data/base/1/1259")).unlink()
    assert answers()
    assert answers()
    assert len(made) == 2


def test_none_is_taken_from_a_folder_that_others_may_write(made: list[Path]) -> None:
    assert answers()
    kept().chmod(0o770)
    assert answers()
    assert len(made) == 2


def test_none_is_taken_through_a_link(made: list[Path]) -> None:
    assert answers()
    there = kept()
    real = there.rename(there.with_name("elsewhere"))
    there.symlink_to(real)
    assert answers()
    assert len(made) == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_none_is_taken_from_a_folder_of_somebody_else(made: list[Path]) -> None:
    assert answers()
    os.chown(kept(), 12345, 12345)
    assert answers()
    assert len(made) == 2


def test_each_time_zone_has_its_own(made: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """initdb writes it into the cluster's settings."""
    assert answers()
    monkeypatch.setenv("TZ", "Europe/Vienna")
    assert answers()
    assert len(made) == 2


def test_a_full_disk_costs_time_and_nothing_else(made: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(clusters, "copytree", full)
    assert answers()
    assert answers()
    assert len(made) == 2
    assert list(kept().iterdir()) == []
