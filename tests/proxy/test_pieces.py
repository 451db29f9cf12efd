"""Pieces with very many messages: what is done for each does not grow with what stands behind it."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest

from rewright.proxy import slow
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.tables import HEADER


class Counted:
    """The struct of a header; how often it was read."""

    def __init__(self) -> None:
        self.reads = 0

    def unpack_from(self, data: bytes, at: int) -> Any:
        self.reads += 1
        return HEADER.unpack_from(data, at)


@pytest.mark.parametrize(
    "messages",
    [f.Query(b"select 1").encode(), f.Parse(b"", b"select 1", ()).encode() + f.SYNC],
    ids=["queries", "parses"],
)
def test_a_pipeline_is_looked_at_no_further_than_it_takes(
    monkeypatch: pytest.MonkeyPatch, messages: bytes
) -> None:
    """It is after each of its cycles, when the first took long."""
    monkeypatch.setattr(slow, "HEADER", counted := Counted())
    stub = cast("Any", None)
    reports = slow.SlowReports(stub, stub, stub, stub, stub, time.monotonic, stub, stub)
    assert reports._statement(messages * 1000) is None
    assert counted.reads <= slow.MOST_MESSAGES
    one = f.Query(b"select 2").encode()
    assert reports._statement(one) == (b"select 2", (), None)
