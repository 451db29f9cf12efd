"""Pairs of top n, windows, recursion and orders that were written before the laws that prove them, in two
halves, of which one was tuned on.

What differs is never proved, what is known to be proved stays so, and the labels are what a server says of
rows made to tell the pairs apart. How many of each half are proved and refuted: `python -m bench.strangers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import psycopg
import pytest

from bench.strangers import FOLDER, HALVES, Pair, pairs
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proof import Composite, Proof, check_proof
from rewright.equivalence.proving import Binding
from rewright.equivalence.verdicts import counts_as
from tests.equivalence.pair_sets import PairSet, told_apart

SET = PairSet(FOLDER)
ALL = {f"{p.kind} {p.words}": p for half in HALVES for p in pairs(half)}
DIFFERENT = [name for name, p in ALL.items() if p.kind == "differs"]
REFINING = [p for p in ALL.values() if p.kind == "refines"]
# one of each law: left out are those that take seconds
PROVED = (
    "first: no later row and row_number() = 1",
    "first: row_number() = 1 and rank() = 1 over a key",
    "first: the row of the greatest key and LIMIT 1",
    "first: a scalar subquery with LIMIT 1 and a left join of DISTINCT ON",
    "top: LIMIT 5 and row_number() <= 5",
    "top: LIMIT and OFFSET as numbers of rows",
    "top: ordered by the number of the row",
    "top: LIMIT through a join along a foreign key",
    "top: LIMIT of UNION ALL and of its arms",
    "top: a condition into a limited UNION ALL's arms",
    "window: ROWS and RANGE over a key",
    "window: lead and lag in the other order",
    "window: lag and a frame of one row",
    "window: a default of lag and COALESCE over a column without NULLs",
    "window: first_value and nth_value",
    "window: first_value backwards and a maximum of the sort key",
    "window: the greatest by a window and by rank() = 1",
    "window: DISTINCT maximum over a partition and GROUP BY",
    "window: dense_rank() and a correlated count(DISTINCT)",
    "window: row_number() over a key and a correlated count",
    "recursion: the step with its tables the other way round",
    "recursion: a condition on an unchanged column into the anchor",
    "recursion: an anchor by IN and by a join",
    "recursion: what reads the closure, in two forms",
    "recursion: a recursive query that nobody reads",
)
STATES = (
    "",
    """delete from txn where id % 3 = 0; delete from player where team = 2; delete from reading where sensor = 3;
    delete from profile; delete from sale_a where store = 1; delete from edge where src = 4""",
    "truncate customer, account, txn, profile, reading, player, sale_a, sale_b, category, edge",
)
PLANS = (
    "",
    "set local enable_hashagg = off; set local enable_hashjoin = off",
    "set local enable_sort = off; set local enable_nestloop = off",
)


def test_there_are_enough_of_each_kind() -> None:
    for half in HALVES:
        kinds = [p.kind for p in pairs(half)]
        assert kinds.count("equal") >= 55
        assert kinds.count("differs") >= 35


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_not_proved(name: str) -> None:
    SET.assert_not_proved(ALL[name], 1.0)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("words", PROVED)
def test_what_was_proved_stays_so_and_replays(words: str) -> None:
    pair = ALL[f"equal {words}"]
    found = SET.proved(pair, 60.0)
    assert found is not None
    assert found.modulo == ()
    proof = cast("Proof | Composite", found.proof)
    both = SET.bound(pair)
    assert check_proof(proof, both.original, both.candidate, SET.catalog) is None
    for name in DIFFERENT[::9]:
        other = SET.bound(ALL[name])
        assert check_proof(proof, other.original, other.candidate, SET.catalog) is not None


@pytest.mark.parametrize("pair", REFINING, ids=lambda p: p.words)
def test_a_fuller_order_is_a_refinement_and_no_equality(pair: Pair) -> None:
    found = SET.proved(pair, 60.0)
    assert found is not None
    assert "refinement" in found.modulo
    assert counts_as(found, frozenset({"float-order"})) == "tested"
    assert counts_as(found, frozenset({"float-order", "refinement"})) == "proved"
    assert counts_as(found, frozenset({"float-order", "tie-order"})) == "proved"
    both = SET.bound(pair)
    assert check_proof(cast("Composite", found.proof), both.original, both.candidate, SET.catalog) is None
    # not the other way round
    back = prove_pair(Binding(both.candidate, both.original, SET.catalog), SET.catalog, 1.0).proved
    assert back is None or counts_as(back, frozenset({"float-order", "refinement"})) != "proved"


@pytest.fixture(scope="module")
def rows(scratch_server: ScratchServer) -> Iterator[psycopg.Connection[Any]]:
    with SET.rows(scratch_server) as connection:
        yield connection


@pytest.mark.server
@pytest.mark.parametrize("name", [n for n, p in ALL.items() if p.kind != "refines"])
def test_labels_are_what_the_server_says(name: str, rows: psycopg.Connection[Any]) -> None:
    assert told_apart(rows, ALL[name], STATES, PLANS) is (ALL[name].kind == "differs")
