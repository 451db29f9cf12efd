"""A store that is not there yet, goes away, comes back, or is damaged."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from rewright.store import migrations, reaching
from rewright.store.api import open_store, reach_store
from rewright.store.damage import set_aside
from rewright.store.errors import StoreDamaged, StoreError, StoreTooNew, StoreUnavailable


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "RETRY_SECONDS", 0.0)


def damaged(file: Path, *, header: bool) -> None:
    """A store whose pages are noise."""
    with open_store(str(file)) as store:
        store.switches.set_paused(True)
    for beside in ("-wal", "-shm"):
        file.with_name(file.name + beside).unlink(missing_ok=True)
    content = bytearray(file.read_bytes())
    start = 100 if header else 0
    content[start:] = os.urandom(len(content) - start)
    file.write_bytes(content)


def test_it_is_found_when_it_can_be_made(tmp_path: Path) -> None:
    """A file stands where its directory should be, which stops root, too."""
    (tmp_path / "state").write_text("in the way")
    with reach_store(str(tmp_path / "state" / "store.db")) as store:
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="cannot open the store"):
                store.revision()
        (tmp_path / "state").unlink()
        store.switches.set_paused(True)
        assert store.switches.paused()


def test_a_directory_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    with reach_store(str(tmp_path / "store.db")) as store, pytest.raises(StoreUnavailable):
        store.revision()
    assert set_aside(tmp_path / "store.db") is None


def test_an_absent_store_is_not_tried_all_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "RETRY_SECONDS", 60.0)
    (tmp_path / "state").write_text("in the way")
    with reach_store(str(tmp_path / "state" / "store.db")) as store:
        with pytest.raises(StoreUnavailable) as first:
            store.revision()
        (tmp_path / "state").unlink()
        with pytest.raises(StoreUnavailable) as second:
            store.revision()
    assert str(first.value) == str(second.value)


def test_a_newer_one_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = str(tmp_path / "store.db")
    open_store(url).close()
    monkeypatch.setattr(migrations, "STEPS", ())
    with reach_store(url) as store:
        with pytest.raises(StoreTooNew):
            store.revision()
        assert store.repair() is None
        monkeypatch.undo()
        monkeypatch.setattr(reaching, "RETRY_SECONDS", 0.0)
        assert store.revision() == 0


@pytest.mark.parametrize("header", [False, True])
def test_a_damaged_file_is_kept_under_another_name(tmp_path: Path, header: bool) -> None:
    file = tmp_path / "store.db"
    damaged(file, header=header)
    before = file.read_bytes()
    with reach_store(str(file)) as store:
        with pytest.raises(StoreDamaged):
            store.revision()
        kept = store.repair()
        assert kept is not None
        assert kept.name.startswith("store.db.damaged-")
        assert kept.read_bytes() == before
        assert store.revision() == 0
        assert store.repair() is None


def test_a_file_that_never_was_a_store_stays(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("something dear to somebody\n" * 100)
    with reach_store(str(notes)) as store:
        with pytest.raises(StoreError):
            store.revision()
        assert store.repair() is None
    assert notes.read_text().startswith("something dear")


def test_damage_while_it_is_open(tmp_path: Path) -> None:
    """Another process sets it aside: who had it open goes on with the new one."""
    file = tmp_path / "store.db"
    with open_store(str(file)) as one, open_store(str(file)) as other:
        one.switches.set_paused(True)
        assert other.switches.paused()
        one.close()
        other.close()
        damaged(file, header=False)
        assert one.repair() is not None
        assert not other.switches.paused()
        one.switches.set_paused(True)
        assert other.switches.paused()


def test_a_file_that_was_removed_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with open_store(str(file)) as store:
        store.switches.set_paused(True)
        for path in tmp_path.iterdir():
            path.unlink()
        assert not store.switches.paused()
        assert file.exists()


def _repair(file: str) -> int:
    with reach_store(file) as store:
        return int(store.repair() is not None)


def test_one_of_several_processes_sets_it_aside(tmp_path: Path) -> None:
    damaged(tmp_path / "store.db", header=True)
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert sum(pool.map(_repair, [str(tmp_path / "store.db")] * 3)) == 1
    assert len(list(tmp_path.glob("store.db.damaged-*"))) == 1


def test_one_that_is_asked_for_is_not_made(store_url: str, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="there is no store"):
            open_store(store_url, create=False)
    assert not list(tmp_path.iterdir())
    open_store(store_url).close()
    with open_store(store_url, create=False) as store:
        assert store.revision() == 0
