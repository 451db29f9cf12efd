"""Pairs made to be proved though they differ: INTERSECT and USING of unlike modifiers, conditions on looks,
aggregates that raise.

None that is known to differ is proved without a reservation that blocks, what is proved gives the same on
rows that are made to tell it apart, and the pairs beside them that stand are still proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.hostile_runs import FILES, HostileRows, Pair, read
from tests.equivalence.mutating import switched_off

_ACCEPTED = {"float-order"}


@cache
def catalog_of(path: Path) -> Catalog:
    return catalog_from_ddl(read(path).schema_sql)


def is_proved(pair: Pair, catalog: Catalog) -> bool:
    """Whether there is a proof that may be served."""
    q1, q2 = (bind(text, catalog) for text in (pair.q1, pair.q2))
    found = prove(q1, q2, catalog, deadline_seconds=30)
    return isinstance(found, Proof) and found.modulo <= _ACCEPTED


@cache
def proved(path: Path) -> tuple[Pair, ...]:
    return tuple(pair for pair in read(path).pairs if is_proved(pair, catalog_of(path)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_none_that_differs_is_proved(path: Path) -> None:
    assert [p for p in proved(path) if p.expected == "different"] == []
    assert sum(p.expected == "different" for p in read(path).pairs) > 40


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_stands_is_still_proved(path: Path) -> None:
    assert [p for p in read(path).pairs if p.expected == "equal" and p not in proved(path)] == []


@pytest.mark.server
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_proved_gives_the_same(path: Path, scratch_server: ScratchServer) -> None:
    with HostileRows(scratch_server, read(path)) as rows:
        found = rows.differences([(p.q1, p.q2) for p in proved(path)])
    assert [told for told in zip(proved(path), found, strict=True) if told[1]] == []


def _proved_without(id_: str, path: Path) -> Iterator[Pair]:
    with switched_off(id_):
        for pair in read(path).pairs:
            if pair.expected == "different" and is_proved(pair, catalog_of(path)):
                yield pair


@pytest.mark.server
@pytest.mark.parametrize("id_", ["M19", "M20", "M21"])
def test_the_search_finds_what_a_missing_condition_lets_through(
    id_: str, scratch_server: ScratchServer
) -> None:
    path = FILES[-1]
    with HostileRows(scratch_server, read(path)) as rows:
        assert any(rows.differences([(p.q1, p.q2) for p in _proved_without(id_, path)]))
