"""What others may have put where our directory is meant to be is neither used nor in the way."""

from __future__ import annotations

import asyncio
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from rewright.proxy import private_directory
from rewright.proxy.config import ListenConfig
from rewright.proxy.private_directory import is_private, make_private, runtime_directory, shared_directory
from rewright.proxy.server import Proxy
from tests.proxy.running import config


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system's temporary directory of our own."""
    shared = Path(tempfile.mkdtemp(prefix="t-"))
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    return shared


def open_to_all(path: Path) -> None:
    path.mkdir()
    path.chmod(0o777)


def foreign(path: Path) -> None:
    path.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
    else:
        path.chmod(0o750)


def linked(path: Path) -> None:
    target = path.with_name("elsewhere")
    target.mkdir(mode=0o700)
    path.symlink_to(target)


PLANTED = [open_to_all, foreign, linked, Path.touch]


@pytest.mark.parametrize("plant", PLANTED)
def test_what_was_planted_is_not_used(temporary: Path, plant: Callable[[Path], None]) -> None:
    usual = runtime_directory()
    assert usual.parent == temporary
    assert runtime_directory() == usual
    assert stat.S_IMODE(usual.stat().st_mode) == 0o700
    usual.rmdir()
    plant(usual)
    assert not make_private(usual)
    found = runtime_directory()
    assert found != usual
    assert is_private(found)


@pytest.mark.parametrize("plant", PLANTED)
def test_several_workers_start_all_the_same(temporary: Path, plant: Callable[[Path], None]) -> None:
    usual = runtime_directory()
    usual.rmdir()
    plant(usual)

    async def run() -> None:
        proxies = [
            Proxy(config("host=127.0.0.1 port=1", listen=ListenConfig(port=0, workers=2))) for _ in range(2)
        ]
        for proxy in proxies:
            await proxy.start()
        for proxy in proxies:
            await proxy.drain(0.1)

    asyncio.run(run())
    assert not usual.is_dir() or not list(usual.iterdir())


def full(*_: object) -> str:
    raise FileNotFoundError("No usable temporary directory found")


def test_where_every_disk_is_full_memory_is_used(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_directory, "IN_MEMORY", (str(temporary / "gone"), str(temporary)))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", full)
    found = shared_directory()  # also by `rewright pause`, before anything else
    assert found is not None
    assert is_private(found)
    assert found.parent == temporary
    assert private_directory.has_temporary_directory()
    assert Path(tempfile.gettempdir()) == shared_directory() == found


def test_where_nothing_can_be_made_clients_are_served(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_directory, "IN_MEMORY", (str(temporary / "gone"),))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_get_default_tempdir", full)

    async def run() -> None:
        proxy = Proxy(config("host=127.0.0.1 port=1", listen=ListenConfig(port=0, workers=2)))
        await proxy.start()
        await proxy.drain(0.1)

    asyncio.run(run())


def test_what_is_configured_and_what_the_system_gives_come_first(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = temporary / "run"
    given.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(given))
    assert runtime_directory() == given / "rewright"
    assert runtime_directory(str(temporary / "own")) == temporary / "own"
    given.chmod(0o777)
    assert runtime_directory().parent == temporary
