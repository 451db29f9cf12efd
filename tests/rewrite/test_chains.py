"""Proof by steps: joined when every link is proved, never otherwise; and what pairs share can be taken out."""

from __future__ import annotations

from dataclasses import dataclass, field

from rewrite.adapters.links import LinkProver
from rewrite.search.abstraction import abstracted
from rewrite.search.chains import ChainChecker, Derivations
from rewrite.words import Evidence, Level
from sql.binder import bind
from sql.printing import to_sql
from tests.rewrite.sqlfixtures import catalog


@dataclass
class Scripted:
    """A checker that knows its answers."""

    answers: dict[tuple[str, str], Level]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def check(self, original: str, candidate: str, seconds: float) -> Evidence:
        del seconds
        self.asked.append((original, candidate))
        level = self.answers.get((original, candidate), "unknown")
        return Evidence.of({"verdict": level, "modulo": ["tie-order"] if original == "a" else []})


def chain(answers: dict[tuple[str, str], Level]) -> ChainChecker:
    derivations = Derivations()
    derivations.remember("c", ("b",))
    return ChainChecker(Scripted(answers), derivations)


def test_two_proved_links_prove_the_pair_with_the_reservations_of_both() -> None:
    evidence = chain({("a", "b"): "proved", ("b", "c"): "proved"}).check("a", "c", 4.0)
    assert evidence.level == "proved"
    assert evidence.modulo == ("tie-order",)


def test_a_tested_link_proves_nothing() -> None:
    assert chain({("a", "b"): "proved", ("b", "c"): "tested"}).check("a", "c", 4.0).level == "unknown"


def test_a_refuted_pair_is_refuted_whatever_the_links_say() -> None:
    answers: dict[tuple[str, str], Level] = {
        ("a", "b"): "proved",
        ("b", "c"): "proved",
        ("a", "c"): "refuted",
    }
    assert chain(answers).check("a", "c", 4.0).level == "refuted"


def test_common_subqueries_become_unknown_tables() -> None:
    body = "(SELECT cust, sum(amount) AS t FROM sale GROUP BY cust)"
    before = bind(f"WITH y AS {body} SELECT a.t FROM y a, y b WHERE a.cust = b.cust", catalog())
    after = bind(f"SELECT a.t FROM {body} a, {body} b WHERE b.cust = a.cust", catalog())
    pair = abstracted(before, after, catalog())
    assert pair is not None
    assert pair.taken == 1
    assert "sum" not in to_sql(pair.before) + to_sql(pair.after)


def test_what_differs_is_not_taken_out() -> None:
    before = bind("SELECT a.t FROM (SELECT sum(amount) AS t FROM sale) a", catalog())
    after = bind("SELECT a.t FROM (SELECT sum(cost) AS t FROM sale) a", catalog())
    assert abstracted(before, after, catalog()) is None


def test_volatile_ctes_stay_where_they_are() -> None:
    query = bind("WITH r AS (SELECT random() AS x) SELECT a.x FROM r a, r b", catalog())
    assert abstracted(query, query, catalog()) is None


def test_a_shared_cte_and_its_copies_are_the_same_query() -> None:
    before = "WITH y AS (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) SELECT a.t FROM y a, y b WHERE a.cust = b.cust"
    after = "SELECT a.t FROM (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) a, (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) b WHERE a.cust = b.cust"
    found = LinkProver(catalog()).prove(before, after, 10.0)
    assert found is not None
    assert found.level == "proved"
    wrong = after.replace("WHERE a.cust = b.cust", "WHERE a.t = b.t")
    assert LinkProver(catalog()).prove(before, wrong, 5.0) is None
