"""Exercises that everybody solves another way: the second highest, the consecutive, the pivoted, the median.

`laws.sql` holds pairs of the laws that were made for them, `hostile.sql` pairs against each of these laws; of
`tuned.sql` and `kept.sql` how many are proved and refuted: `python -m bench.strangers --set exercises`, or
`puzzles` and `practice` for those of other domains, `plans` for what an optimiser's rules make of a query.
"""

from __future__ import annotations

import pytest

from bench.strangers import HALVES, SETS, pairs, schema
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Refuted
from tests.equivalence.pair_sets import PairSet

pytestmark = pytest.mark.long

FOLDERS = {name: PairSet(SETS / name) for name in ("exercises", "puzzles", "coursework", "practice", "plans")}
LAWS = {(name, p.words): p for name in FOLDERS for p in pairs("laws", SETS / name)}
UNLIKE = {
    (name, f"{half} {p.words}"): p
    for name in FOLDERS
    for half in (*HALVES, "hostile")
    for p in pairs(half, SETS / name)
    if p.kind == "differs"
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("folder", "name"), UNLIKE)
def test_what_differs_is_not_proved(folder: str, name: str) -> None:
    FOLDERS[folder].assert_not_proved(UNLIKE[folder, name])


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("folder", "name"), LAWS)
def test_what_the_laws_prove_replays_and_has_a_certificate(folder: str, name: str) -> None:
    FOLDERS[folder].assert_certified(LAWS[folder, name])


@pytest.mark.server
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_server_tells_apart_what_is_said_to_differ(folder: str, scratch_server: ScratchServer) -> None:
    options = Options(prover=False, databases=12000, seconds=600.0, shrink=False)
    said = {name: p for (of, name), p in UNLIKE.items() if of == folder}
    with Checker(scratch=scratch_server, options=options, schema_sql=schema(SETS / folder)) as checker:
        alike = [n for n, p in said.items() if not isinstance(checker.check(p.q1, p.q2), Refuted)]
    assert alike == []
