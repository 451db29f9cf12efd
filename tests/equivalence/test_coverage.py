"""`tested` says what it tried; silence over nothing is `unknown`."""

from __future__ import annotations

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.generator.pairs import random_pairs
from rewright.equivalence.judge import Opinion
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Judged, Proved, Refuted, Tested, Unknown
from tests.equivalence.conftest import SCHEMA, Check

pytestmark = [pytest.mark.server, pytest.mark.long]


def test_joins_predicates_and_groups_are_looked_at(search_only: Check) -> None:
    verdict = search_only(
        "select a.y, count(b.v) from a left join b on b.aid = a.id where a.x > 1 group by a.y",
        "select a.y, count(b.v) from b right join a on b.aid = a.id where a.x > 1 group by a.y",
    )
    assert isinstance(verdict, Tested)
    covered = set(verdict.coverage.covered)
    assert {"q1: a.x > 1 is true", "q1: a.x > 1 is false", "q1: a.x > 1 is null"} <= covered
    assert {"q1: group of several rows", "q1: several groups"} <= covered
    assert any("left unmatched" in feature for feature in covered)
    # every child has its parent: no database can show it
    assert any("right unmatched" in feature for feature in verdict.coverage.missed)
    assert verdict.coverage.databases > 500
    assert verdict.coverage.nonempty_share > 0.1


def test_silence_over_empty_answers_is_unknown(search_only: Check) -> None:
    verdict = search_only("select k from n where v > 1 and v < 1", "select g from n where v > 2 and v < 1")
    assert isinstance(verdict, Unknown)
    assert "telling row" in verdict.reason


class Model:
    def __init__(self, opinion: Opinion | None) -> None:
        self.opinion = opinion

    def judge(self, schema_sql: str, original: str, candidate: str) -> Opinion | None:
        assert "create table n" in schema_sql
        assert original != candidate
        return self.opinion


EMPTY = ("select k from n where v > 1 and v < 1", "select g from n where v > 2 and v < 1")


@pytest.mark.parametrize(
    ("opinion", "expected"),
    [
        (None, Unknown),
        (Opinion(same=True, reason="both are empty"), Judged),
        (Opinion(same=False, reason="no idea"), Unknown),
        (Opinion(same=False, reason="look", inserts=("insert into n values (1, 2, 3)",)), Unknown),
        (Opinion(same=True, reason="x", inserts=("drop table n",)), Judged),
    ],
)
def test_a_model_is_heard_last_and_its_database_is_run(
    opinion: Opinion | None, expected: type, scratch_server: ScratchServer
) -> None:
    options = Options(prover=False, databases=200)
    with Checker(scratch=scratch_server, options=options, schema_sql=SCHEMA, judge=Model(opinion)) as checker:
        assert isinstance(checker.check(*EMPTY), expected)


def test_a_model_can_find_what_the_search_missed(scratch_server: ScratchServer) -> None:
    text = "select k from n where v = 123456789 / g and g = 3 and k = v % 1000"
    opinion = Opinion(
        same=False, reason="solved", inserts=("insert into n (k, v, g) values (263, 41152263, 3)",)
    )
    options = Options(prover=False, databases=50, directed=False)
    with Checker(scratch=scratch_server, options=options, schema_sql=SCHEMA, judge=Model(opinion)) as checker:
        verdict = checker.check(text, text + " and k <> 263")
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.rows == 1


def test_random_pairs_are_judged_rightly(scratch_server: ScratchServer) -> None:
    pairs = random_pairs(2024)
    missed = 0
    checkers: dict[str, Checker] = {}
    for _ in range(60):
        pair = next(pairs)
        if pair.schema_sql not in checkers:
            checkers[pair.schema_sql] = Checker(
                scratch=scratch_server, options=Options(databases=400), schema_sql=pair.schema_sql
            )
        verdict = checkers[pair.schema_sql].check(pair.q1, pair.q2)
        if pair.equivalent:
            assert not isinstance(verdict, Refuted), pair
        else:
            missed += not isinstance(verdict, Refuted)
    for checker in checkers.values():
        checker.close()
    assert missed <= 1


def test_parameters_get_values_and_the_proof_keeps_them(scratch_server: ScratchServer) -> None:
    with Checker(scratch=scratch_server, options=Options(databases=600), schema_sql=SCHEMA) as checker:
        same = checker.check("select k from n where not (v > $1)", "select k from n where v <= $1")
        assert isinstance(same, Proved)
        wrong = checker.check("select k from n where not (v > $1)", "select k from n where v < $1")
        assert isinstance(wrong, Refuted)
        assert "$1" not in wrong.counterexample.script
        fewer = checker.check("select k from n where v = $1", "select k from n where v = $2")
        assert isinstance(fewer, Unknown)
        text = checker.check(
            "select k from n where g::text = $1", "select k from n where $1 = g::text and '$1' <> ''"
        )
        assert isinstance(text, Proved | Tested)
