"""Values of enums by the places of their labels: what is proved by them and rechecked, and what must not be."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.proving import Binding, bind_both, prove_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create type st as enum ('a', 'b', 'c');
create type turned as enum ('c', 'b', 'a');
create table t (id int primary key, s st, u st not null, o turned, x text, check (u <> 'b'));
"""
CATALOG = catalog_from_ddl(SCHEMA)
# seconds for a proof, also on a machine that others use
PATIENT = 60

# by the order of labels, and by equality that is identity
EQUAL = (
    ("select id from t where s > 'a' and s < 'c'", "select id from t where s > 'a' and not s >= 'c'"),
    ("select distinct s from t", "select s from t group by s"),
    (
        "select u, count(*) n from t group by u",
        "select u, count(*) n from (select u, id from t) q group by u",
    ),
    ("select s from t union select s from t", "select distinct s from t"),
    ("select s, u from t where s = u", "select u, u from t where s = u"),
    (
        "select id from t where s = (select max(r.s) from t r)",
        "select id from t where s >= all (select r.s from t r where r.s is not null) and s is not null",
    ),
)
# by which labels there are, too
CLOSED = (
    ("select id from t where s >= 'b'", "select id from t where s in ('b', 'c')"),
    ("select id from t where s <> 'c'", "select id from t where s = any (array['a', 'b']::st[])"),
    ("select id from t where u <> 'a'", "select id from t where u = 'c'"),
    ("select id from t where o > 'b'", "select id from t where o = 'a'"),
)
DIFFERENT = (
    ("select id from t where s >= 'b'", "select id from t where s >= 'c'"),
    ("select id from t where o >= 'b'", "select id from t where o in ('b', 'c')"),
    ("select id from t where s <> 'c'", "select id from t where s is null or s in ('a', 'b')"),
    ("select s::text v from t where s = 'a'", "select '0'::text v from t where s = 'a'"),
    ("select concat(s, x) v from t where s = 'a'", "select concat(0, x) v from t where s = 'a'"),
    ("select concat('a'::st, x) v from t", "select concat('0', x) v from t"),
    ("select s::text v from t where s = 'a'", "select o::text v from t where o = 'c'"),
    ("select id from t where x = 'a'::st::text", "select id from t where x = 'c'::turned::text"),
    ("select to_json(s) v from t where s = 'b'", "select to_json(1) v from t where s = 'b'"),
    ("select id from t order by s, id", "select id from t order by s::text, id"),
    ("select max(s) m from t", "select min(s) m from t"),
    ("select id, s v from t", "select id, null::st v from t"),
    # of columns of other types, of which a proof would have to be up to their types
    ("select s v from t where s = 'a'", "select 0 v from t where s = 'a'"),
    ("select s v from t where s = 'a'", "select o v from t where o = 'c'"),
    ("select s v from t where s = 'a'", "select o v from t where s = 'a' and o = 'c'"),
)


def _proved(first: str, second: str, catalog: Catalog = CATALOG) -> Proved | None:
    bound = bind_both(first, second, catalog, ("public",))
    assert isinstance(bound, Binding), bound
    return prove_both(bound, catalog, PATIENT).proved


def _open_to_labels() -> Catalog:
    """The same schema as a live server shows it, where any label may be added."""
    return replace(CATALOG, fixed=False)


@pytest.mark.parametrize(("first", "second"), [*EQUAL, *CLOSED])
def test_what_the_places_say_is_proved_and_rechecked(first: str, second: str) -> None:
    proved = _proved(first, second)
    assert proved is not None
    assert proved.modulo == ()
    bound = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(bound, Binding)
    outcome = recheck(json.dumps(certificate(proved, Texts(SCHEMA, first, second), bound)).encode())
    assert (outcome.word, outcome.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_differs_is_not(first: str, second: str) -> None:
    assert _proved(first, second) is None


@pytest.mark.parametrize(("first", "second"), CLOSED)
def test_which_labels_there_are_is_a_fact_of_a_script_alone(first: str, second: str) -> None:
    assert _proved(first, second, _open_to_labels()) is None
    found = _proved(first, second)
    assert found is not None
    assert any("labels of" in fact for fact in found.assumptions)


def test_their_order_is_known_of_a_live_schema() -> None:
    for first, second in EQUAL:
        found = _proved(first, second, _open_to_labels())
        assert found is not None
        assert found.modulo == ()


def test_a_label_that_a_script_adds_counts() -> None:
    more = catalog_from_ddl(f"{SCHEMA}; alter type st add value 'ab' after 'a';")
    assert _proved("select id from t where s <> 'c'", "select id from t where s in ('a', 'b')", more) is None
    assert _proved("select id from t where s <= 'ab'", "select id from t where s in ('a', 'ab')", more)
