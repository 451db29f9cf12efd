"""Pairs made to be proved though they differ: INTERSECT and USING of unlike modifiers, conditions on looks,
aggregates that raise; days, first rows, bounds, steps, weights, merged keys, partners that are missing; groups
by keys, what is joined for its values, columns apart, ranges in order, counts of others; two features at once.

None that is known to differ is proved without a reservation that blocks, by forms of the whole or by parts; what
is proved gives the same on rows that are made to tell it apart, and the pairs beside them that stand are still
proved. Each run takes a third of the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.hostile_runs import FILES, HostileRows, Pair, read
from tests.equivalence.mutating import switched_off
from tests.equivalence.shares import shares

pytestmark = pytest.mark.long

_ACCEPTED = {"float-order"}
# so many of each file differ
_DIFFERENT = {
    "days_firsts_bounds_partners": 147,
    "domains_arrays_views": 49,
    "looks_and_sums": 186,
    "once_proved_families": 22,
    "partners_and_columns": 77,
    "pivots": 32,
    "ranges_and_counts": 48,
    "texts_of_arrays": 13,
    "two_features": 36,
    "windows_of_others": 30,
}
# seconds of the search, by what is known: most that are not proved are given up at once
_SECONDS = {"equal": 30.0, "different": 1.0, "open": 0.25}


@cache
def catalog_of(path: Path) -> Catalog:
    return catalog_from_ddl(read(path).schema_sql)


def is_proved(pair: Pair, catalog: Catalog) -> bool:
    """Whether there is a proof that may be served."""
    bound = Binding(bind(pair.q1, catalog), bind(pair.q2, catalog), catalog)
    found = prove_pair(bound, catalog, _SECONDS[pair.expected]).proved
    return found is not None and set(found.modulo) <= _ACCEPTED


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_there_are_as_many(path: Path) -> None:
    assert sum(p.expected == "different" for p in read(path).pairs) >= _DIFFERENT[path.stem]


@pytest.mark.server
@pytest.mark.parametrize(("path", "share"), shares(FILES, 6))
def test_what_stands_is_proved_and_nothing_that_differs(
    path: Path, share: slice, scratch_server: ScratchServer
) -> None:
    pairs = read(path).pairs[share]
    proved = [pair for pair in pairs if is_proved(pair, catalog_of(path))]
    assert [p for p in proved if p.expected == "different"] == []
    assert [p for p in pairs if p.expected == "equal" and p not in proved] == []
    with HostileRows(scratch_server, read(path)) as rows:
        found = rows.differences([(p.q1, p.q2) for p in proved])
    assert [told for told in zip(proved, found, strict=True) if told[1]] == []


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
    path = next(f for f in FILES if f.stem == "looks_and_sums")
    with HostileRows(scratch_server, read(path)) as rows:
        # the first that the rows tell apart is enough
        assert any(rows.difference(p.q1, p.q2) for p in _proved_without(id_, path))
