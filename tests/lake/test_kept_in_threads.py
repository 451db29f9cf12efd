"""What a lake's index keeps of columns may be asked for by several threads at once, as indexing does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from operator import mul

import pytest

from rewright.lake import index


def test_a_thread_may_drop_what_another_has_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for four things each is dropped again and again, by whichever thread comes."""
    monkeypatch.setattr(index, "_KEPT", 4)
    kept: dict[int, int] = {}

    def ask(start: int) -> list[int]:
        keys = [(start + i) % 60 for i in range(20_000)]
        return [index._looked_up(kept, key, partial(mul, 2, key)) for key in keys]

    with ThreadPoolExecutor(8) as pool:
        for start, told in enumerate(pool.map(ask, range(8))):
            assert told == [2 * ((start + i) % 60) for i in range(20_000)]
    assert len(kept) <= 4 + 8
