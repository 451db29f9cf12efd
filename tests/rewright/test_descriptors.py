"""A worker's limit of open files: raised to what its sessions take, never beyond what the system allows."""

from __future__ import annotations

import resource

import pytest

from rewright.processes.descriptors import allow


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The limits of a process of its own: the last pair holds."""
    held = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: held[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: held.append(pair))
    return held


@pytest.mark.parametrize(
    ("soft", "hard", "sessions", "allowed"),
    [
        (1024, 4096, 1000, 2256),
        (1024, 2000, 1000, 2000),
        (65536, 65536, 1000, 65536),
        (1024, resource.RLIM_INFINITY, 5000, 10256),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 5000, resource.RLIM_INFINITY),
    ],
)
def test_the_limit_is_raised_to_what_sessions_take(
    limits: list[tuple[int, int]], soft: int, hard: int, sessions: int, allowed: int
) -> None:
    limits.append((soft, hard))
    assert allow(sessions) == allowed
    assert limits[-1] == (allowed, hard)


def test_this_process_may_raise_its_own() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 512), before[1]))
    try:
        assert allow(300) == resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 512
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
