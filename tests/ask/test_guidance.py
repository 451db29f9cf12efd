"""Each tip: a question that calls for it, and one that does not."""

from __future__ import annotations

import pytest

from rewright.ask.guidance.retrieval import LIBRARY, fitting, told

# name: (what calls for it, what does not); a dict gives other texts than the question
CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "evidence-column": ({"evidence": "gender = 'F'"}, {"evidence": "females only"}),
    "evidence-formula": ({"evidence": "rate is won / played"}, {"evidence": "M means male"}),
    "evidence-value": ({"evidence": "'M' stands for male"}, {"evidence": "rate is won over played"}),
    "evidence-term": ({"evidence": "big refers to size > 5"}, {"evidence": "size > 5"}),
    "evidence-no-shortcut": ({"evidence": "sum(points) / count(races)"}, {"evidence": "points over races"}),
    "evidence-condition": ({"evidence": "adult: age >= 18"}, {"evidence": "M stands for male"}),
    "exact-match": ({"question": "Who lives in 'Porto'?"}, {"question": "Who lives in Porto?"}),
    "like-only-partial": (
        {"question": "Which titles contain the word sea?"},
        {"question": "Which titles are there?"},
    ),
    "found-value": ({"plan": "check the spelling of the city"}, {"plan": "count the cities"}),
    "match-kind": ({"question": "Who is called Ana?"}, {"question": "How many are there?"}),
    "no-sort-columns": (
        {"question": "Which museum is the oldest?"},
        {"question": "Which museums are in Porto?"},
    ),
    "column-order": (
        {"question": "List the name and city of all museums"},
        {"question": "How many museums are there?"},
    ),
    "no-filter-columns": (
        {"question": "List artists who have no country"},
        {"question": "How many are there?"},
    ),
    "count-alone": (
        {"question": "How many museums are there?"},
        {"question": "How many paintings are there per museum?"},
    ),
    "only-requested": ({"question": "Which artist is it?"}, {"question": "List the artists"}),
    "one-table": ({"plan": "join orders to customers"}, {"plan": "count the rows"}),
    "join-when-needed": ({"question": "List artists and their paintings"}, {"question": "List artists"}),
    "simplest": ({"plan": "a nested subquery"}, {"plan": "count rows"}),
    "parenthesised-name": ({"schema": '"Enrollment (K-12)" int4'}, {"schema": '"Enrollment" int4'}),
    "parenthesised-question": (
        {"question": "List schools (public ones)"},
        {"question": "List public schools"},
    ),
    "name-first": ({"plan": "identify the artist"}, {"plan": "count rows"}),
    "meaning-next": ({"plan": "the term is ambiguous"}, {"plan": "count rows"}),
    "columns-exist": ({"question": "List orders by status"}, {"question": "How many orders?"}),
    "join-keys": ({"plan": "link orders to customers"}, {"plan": "count rows"}),
    "join-values": ({"schema": "a.x = b.y (found in the data)"}, {"schema": "a.x = b.y"}),
    "join-kind": (
        {"question": "List all artists, even those without paintings"},
        {"question": "Which artist is it?"},
    ),
    "qualify": ({"plan": "join a to b"}, {"plan": "count"}),
    "join-fan-out": ({"question": "Total price and number of loans?"}, {"question": "What is the price?"}),
    "value-given": ({"question": "Which museums are in Porto?"}, {"question": "how many museums are there?"}),
    "comparison": ({"question": "Who has more than 3?"}, {"question": "Who has 3?"}),
    "any-of": ({"question": "Who lives in Porto or Lima?"}, {"question": "Who lives in Porto?"}),
    "anti-join": ({"question": "Which artists have never sold?"}, {"question": "Which artists sold?"}),
    "aggregate-function": (
        {"question": "What is the average price?"},
        {"question": "Which paintings are there?"},
    ),
    "safe-division": ({"question": "What is the ratio of won to lost?"}, {"question": "How many were won?"}),
    "group-by": ({"question": "Count paintings per museum"}, {"question": "Count paintings"}),
    "having": ({"question": "Artists with a count of more than 3?"}, {"question": "Who lives in Porto?"}),
    "no-rounding": ({"question": "Calculate the share of sold ones"}, {"question": "List the sold ones"}),
    "count-all": ({"question": "What proportion is sold?"}, {"question": "Which are sold?"}),
    "percentage": ({"question": "What percentage is sold?"}, {"question": "Which are sold?"}),
    "distinct-list": ({"question": "List the countries of artists"}, {"question": "How many artists?"}),
    "order-direction": ({"question": "The cheapest painting?"}, {"question": "The price of Sea?"}),
    "limit-ties": ({"question": "Who has the most paintings?"}, {"question": "Who paints?"}),
    "nulls-last": ({"question": "Which is the highest price?"}, {"question": "Which price is it?"}),
    "dependent-steps": ({"question": "Which cost more than the average?"}, {"question": "Which cost 3?"}),
    "cte": ({"plan": "a\n- b\n- c\n- d"}, {"plan": "a\n- b"}),
    "quote-names": ({"schema": 'table "Order"'}, {"schema": "table orders"}),
    "alias": ({"question": "What is the total?"}, {"question": "Who is it?"}),
    "alias-scope": ({"plan": "filter by the computed rate"}, {"plan": "filter by city"}),
    "no-hard-coding": ({"plan": "first find the greatest year"}, {"plan": "count"}),
    "nulls": ({"question": "Which have a missing price?"}, {"question": "Which have a price?"}),
    "integer-division": ({"question": "What fraction is sold?"}, {"question": "Which are sold?"}),
    "mixed-rows": ({"schema": "event_type text"}, {"schema": "title text"}),
    "conditional-aggregate": ({"question": "Sold versus unsold paintings?"}, {"question": "Which are sold?"}),
    "window": ({"question": "Rank artists by price"}, {"question": "List artists"}),
    "top-per-group": (
        {"question": "The most expensive painting of each artist?"},
        {"question": "The most expensive painting?"},
    ),
    "dates": ({"question": "Loans in the month of May?"}, {"question": "Which loans?"}),
    "relative-dates": ({"question": "Loans in the last 30 days?"}, {"question": "Loans in 2020?"}),
    "date-difference": ({"question": "How long did the loan run?"}, {"question": "Which loans ran?"}),
    "time-zones": ({"question": "Sales after midnight UTC?"}, {"question": "Sales after May?"}),
    "arrays": ({"schema": "tags text[]"}, {"schema": "tags text"}),
}


def names(texts: dict[str, str]) -> set[str]:
    given = {**texts, "plan": [texts["plan"]] if "plan" in texts else []}
    question = str(given.pop("question", "x"))
    return {tip.name for tip in fitting(question, most=99, **given)}  # type: ignore[arg-type]


def test_every_tip_has_a_case() -> None:
    assert CASES.keys() == {tip.name for tip in LIBRARY}
    assert len(LIBRARY) >= 52
    assert len({tip.text for tip in LIBRARY}) == len(LIBRARY)


@pytest.mark.parametrize("name", CASES)
def test_a_tip_fires_where_it_should_and_nowhere_else(name: str) -> None:
    calls, silent = CASES[name]
    assert name in names(calls)
    assert name not in names(silent)


def test_the_weightier_are_kept() -> None:
    question = "What percentage of the most expensive paintings of each artist was sold in the last 30 days?"
    kept = fitting(question, most=4)
    assert {tip.name for tip in kept} <= {tip.name for tip in LIBRARY if tip.weight == 3}
    assert len(kept) == 4
    assert "nullif" in told(kept)
    assert told(()) == ""
