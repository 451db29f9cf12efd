"""Aliases are made unique without a change of meaning: both texts bind to one tree."""

from __future__ import annotations

import pytest

from rewright.hints.aliases import same_query, unique_aliases
from rewright.hints.levels import names_of
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl(
    "create table t (id int primary key, x int, note text); create table u (id int primary key, t_id int, x int);"
    'create table "Odd ""T" (id int, x int); create table "ÄÖ" (id int, x int);'
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select * from t where x > (select avg(x) from t)", "select * from t where x > (select avg(x) from t AS t_2)"),
        (
            "select t.x from t where t.x > (select avg(t.x) from t where t.id < 3) and t.id > 1",
            "select t.x from t where t.x > (select avg(t_2.x) from t AS t_2 where t_2.id < 3) and t.id > 1",
        ),
        (
            "select a.x from t a where exists (select 1 from u as a where a.t_id = 3)",
            "select a.x from t a where exists (select 1 from u as a_2 where a_2.t_id = 3)",
        ),
        (
            "select 'é', a.x from t a, u where u.t_id = a.id and u.x in (select u.x from u where u.t_id = a.id)",
            "select 'é', a.x from t a, u where u.t_id = a.id and u.x in (select u_2.x from u AS u_2 where u_2.t_id = a.id)",
        ),
        (
            "with c as (select t.x from public.t where t.x = 1) select t.* from only t, c where c.x = t.x",
            "with c as (select t.x from public.t where t.x = 1) select t_2.* from only t AS t_2, c where c.x = t_2.x",
        ),
        (
            'select 1 from "Odd ""T" where exists (select "Odd ""T".x from "Odd ""T")',
            'select 1 from "Odd ""T" where exists (select "Odd ""T_2".x from "Odd ""T" AS "Odd ""T_2")',
        ),
        (
            'select "ÄÖ".x from "ÄÖ" union all select "ÄÖ".x from "ÄÖ"',
            'select "ÄÖ".x from "ÄÖ" union all select "ÄÖ_2".x from "ÄÖ" AS "ÄÖ_2"',
        ),
        (
            "select d.x, (select max(d.x) from t d(a, x)) from (select 1 as x) d, u t_2, t",
            "select d.x, (select max(d_2.x) from t d_2(a, x)) from (select 1 as x) d, u t_2, t",
        ),
    ],
)  # fmt: skip
def test_what_repeats_is_renamed_with_its_references(text, expected):
    assert unique_aliases(text) == expected
    assert not names_of(expected).repeated
    assert same_query(text, expected, CATALOG, ("public",))


@pytest.mark.parametrize(
    "text",
    [
        "select * from t, (select * from t) t",  # the server refuses it
        "select j.id from (t join u on true) as j where j.x in (select x from t)",
        "select * from t join u using (id) as k where k.id in (select id from t)",
        "select * from t where x in (select x from t) for update of t",
        "select 1; select 2",
        "not sql",
    ],
)
def test_what_is_not_followed_is_left_alone(text):
    assert unique_aliases(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "select t from u t where t.id in (select id from t)",  # a row as one value shows its name
        "select (select to_json(t) from t where t.id = a.id) from t a, t",
        "select id from t where id in (select public.t.id from t)",
    ],
)
def test_a_name_that_shows_is_not_taken_for_the_same(text):
    made = unique_aliases(text)
    assert made is None or made == text or not same_query(text, made, CATALOG, ("public",))


def test_texts_that_mean_another_relation_are_told_apart():
    one = "select t.x from t where exists (select 1 from t where t.x = 3)"
    wrong = "select t.x from t where exists (select 1 from t AS t_2 where t.x = 3)"
    assert not same_query(one, wrong, CATALOG, ("public",))


def test_a_view_whose_query_is_not_known_is_a_relation_like_any() -> None:
    """As those of an extension."""
    assert names_of("select * from pg_stat_statements", lambda _schema, _name: "").unique == {
        "pg_stat_statements"
    }
