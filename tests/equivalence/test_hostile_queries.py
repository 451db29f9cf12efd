"""Pairs of everyday constructs at the edges where they differ: set operations and modifiers, NULLs, windows,
LIMIT, recursion, time zones, types whose equal values look different.

`equal` ones are proved without a reservation, of the `different` ones none is, and what a server makes of rows
that tell the pairs apart agrees with the labels; `open` ones are equal and are not proved yet. How many are
proved and refuted: `python -m bench.hostile`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.hostile import FOLDER, Pair, pairs, schema
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.hostile_runs import Collection, HostileRows

ACCOUNTS = FOLDER / "accounts"
SETS = (FOLDER, ACCOUNTS)
CATALOGS = {folder: catalog_from_ddl(schema(folder)) for folder in SETS}
STATES = (
    "",
    "delete from l where oid = 1; delete from o where id in (1, 3); delete from e where src = 4",
    """update o set alt = null; update o set qty = 2 where id > 5; update o set note = 'axb' where id = 4;
    update js set t = 'abcdefgh' where id = 1; update b1 set b = true; update l set price = 1.5 where oid = 1;
    delete from b2 where ch is null""",
    "update o set amt = -99, cid = 3 where id = 1; update o set qty = 1, amt = -100 where cid = 2",
    "truncate c, o, l, par, chi, pt, gen, dm, rg, e, b1, b2, js, hier",
)
_STATES = {
    FOLDER: STATES,
    ACCOUNTS: (
        "",
        "update ny set a = null where b = 2; update nx set f = 0; update tree set w = id; update mv set kind = 'a', n = 2",
        "update mv set n = case when seq = 1 then null else 5 end",
        "truncate acct, mv, nx, ny, tree, slot",
    ),
}
# they differ by a plan, in another session's time zone, in their order, or by chance
_UNSEEN = {
    "condition on looks above DISTINCT",
    "a day is not 24 hours where clocks change",
    "date of a timestamptz follows the zone",
    "order of the answer",
    "random inlined",
    "a volatile CTE read twice",
    "another collation orders otherwise",
    "the session's day is not UTC's",
}


def is_proved(folder: Path, pair: Pair, seconds: float) -> bool:
    catalog = CATALOGS[folder]
    bound = bind_both(pair.q1, pair.q2, catalog, ("public",))
    if not isinstance(bound, Binding):
        return False
    found = prove_pair(bound, catalog, seconds).proved
    return found is not None and not found.modulo


def of_kind(kind: str) -> list[object]:
    found = [(f, p) for f in SETS for p in pairs(f) if p.kind == kind]
    return [pytest.param(f, p, id=p.words) for f, p in found]


def test_there_are_enough_of_both() -> None:
    kinds = [p.kind for f in SETS for p in pairs(f)]
    assert kinds.count("different") > 170
    assert kinds.count("equal") > 95
    assert len({p.words for f in SETS for p in pairs(f)}) == len(kinds)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("folder", "pair"), of_kind("different"))
def test_none_that_differs_is_proved(folder: Path, pair: Pair) -> None:
    assert not is_proved(folder, pair, 1.0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("folder", "pair"), of_kind("equal"))
def test_what_stands_is_proved(folder: Path, pair: Pair) -> None:
    assert is_proved(folder, pair, 30.0)


@pytest.mark.server
@pytest.mark.parametrize("folder", SETS, ids=lambda f: f.name)
def test_a_server_agrees_with_the_labels(scratch_server: ScratchServer, folder: Path) -> None:
    data = (folder / "data.sql").read_text(encoding="utf-8")
    with HostileRows(scratch_server, Collection(schema(folder), data, _STATES[folder], ())) as rows:
        found = rows.differences([(pair.q1, pair.q2) for pair in pairs(folder)])
    wrong = [
        f"{pair.words}: {apart}"
        for pair, apart in zip(pairs(folder), found, strict=True)
        if pair.words not in _UNSEEN and bool(apart) != (pair.kind == "different")
    ]
    assert wrong == []
