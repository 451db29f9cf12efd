"""Restrictions that the block around makes anyway are taken out; others stay. Both on a server, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.laws.eager import without_early_groups
from rewright.equivalence.laws.flattening import flattened
from rewright.equivalence.laws.ordering import without_idle_keys
from rewright.equivalence.laws.restrictions import without_restrictions
from rewright.equivalence.recheck.views.keys import keys as recheck_keys
from rewright.equivalence.recheck.views.stating import Changes
from rewright.rewrite.adapters.links import LinkProver
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.catalog import Catalog
from rewright.sql.printing import to_sql
from rewright.sql.walk import leaves, replace_node, walk
from tests.rewrite.sqlfixtures import DATABASES, SCHEMA, answer, catalog, fill

SALES = "(SELECT s.cust, s.part, sum(s.qty) AS t FROM sale s {} GROUP BY s.cust, s.part) g"
FREED = [
    # the neighbour's ids are listed inside
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} WHERE g.cust = c.id AND c.region = 1",
    # as one arm of several
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1 UNION ALL SELECT id FROM cust WHERE region = 2)')} WHERE g.cust = c.id AND c.region = 2",
    # by more tables that are joined around, too
    f"SELECT * FROM cust c, ord o, {SALES.format('WHERE s.cust IN (SELECT o.cust FROM ord o, cust c WHERE o.cust = c.id AND c.region = 1 AND o.day > 3)')} WHERE g.cust = o.cust AND o.cust = c.id AND c.region = 1 AND o.day > 3",
    # a pair of columns
    f"SELECT * FROM sale x, {SALES.format('WHERE (s.cust, s.part) IN (SELECT cust, part FROM sale WHERE qty > 2)')} WHERE g.cust = x.cust AND g.part = x.part AND x.qty > 2",
    # a condition that stands outside, and an OR of it with another
    f"SELECT * FROM {SALES.format('WHERE s.cust = 2')} WHERE g.cust = 2",
    f"SELECT * FROM {SALES.format('WHERE (s.cust = 2 AND s.part > 1) OR s.cust = 3')} WHERE g.cust = 2 AND g.part > 1",
    # below DISTINCT, in a partition, in both arms of a union
    "SELECT * FROM cust c, (SELECT DISTINCT s.cust FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)) g WHERE g.cust = c.id AND c.region = 1",
    "SELECT * FROM cust c, (SELECT s.cust, sum(s.qty) OVER (PARTITION BY s.cust) AS t FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)) g WHERE g.cust = c.id AND c.region = 1",
    "SELECT * FROM cust c, (SELECT cust FROM sale WHERE cust IN (SELECT id FROM cust WHERE region = 1) UNION SELECT cust FROM ord WHERE cust IN (SELECT id FROM cust WHERE region = 1)) g WHERE g.cust = c.id AND c.region = 1",
    # the padded side of a LEFT JOIN: for the partners of rows that stay
    f"SELECT * FROM cust c LEFT JOIN {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} ON g.cust = c.id WHERE c.region = 1",
]
KEPT = [
    # another condition, none, or one that is not asked for here
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} WHERE g.cust = c.id AND c.region = 2",
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} WHERE g.cust = c.id",
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1 AND id > 2)')} WHERE g.cust = c.id AND c.region = 1",
    # another column, another table, no join
    f"SELECT * FROM cust c, {SALES.format('WHERE s.part IN (SELECT id FROM cust WHERE region = 1)')} WHERE g.cust = c.id AND c.region = 1",
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM part WHERE size = 1)')} WHERE g.cust = c.id AND c.region = 1",
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} WHERE g.part = c.id AND c.region = 1",
    # NOT IN, and a column that is not of the group
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust NOT IN (SELECT id FROM cust WHERE region = 1)')} WHERE g.cust = c.id AND c.region = 1",
    "SELECT * FROM cust c, (SELECT s.part, max(s.cust) AS cust FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1) GROUP BY s.part) g WHERE g.cust = c.id AND c.region = 1",
    "SELECT * FROM cust c, (SELECT s.cust, count(*) AS n FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1) GROUP BY GROUPING SETS ((s.cust), ())) g WHERE g.cust = c.id AND c.region = 1 OR g.cust IS NULL",
    # only the first rows, another partition
    "SELECT * FROM cust c, (SELECT s.cust FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1) ORDER BY s.id LIMIT 3) g WHERE g.cust = c.id AND c.region = 1",
    "SELECT * FROM cust c, (SELECT s.cust, count(*) OVER (PARTITION BY s.part) AS t FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)) g WHERE g.cust = c.id AND c.region = 1",
    # groups of duplicates by a number that counts the other rows, too
    "SELECT * FROM cust c, (SELECT DISTINCT ON (s.cust, count(*) OVER (PARTITION BY s.part)) s.cust, s.part FROM sale s WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)) g WHERE g.cust = c.id AND c.region = 1",
    # some arms of what is asked for inside, not all of it outside
    f"SELECT * FROM {SALES.format('WHERE s.cust = 2 AND s.part = 1')} WHERE g.cust = 2 OR g.part = 1",
    f"SELECT * FROM cust c, {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1 INTERSECT SELECT id FROM cust WHERE id > 2)')} WHERE g.cust = c.id AND c.region = 1",
    # the kept side of a LEFT JOIN is not asked, nor does its ON filter it
    f"SELECT * FROM {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} LEFT JOIN cust c ON g.cust = c.id AND c.region = 1",
    f"SELECT * FROM cust c LEFT JOIN {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} ON g.cust = c.id",
    f"SELECT * FROM cust c FULL JOIN {SALES.format('WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)')} ON g.cust = c.id AND c.region = 1",
    # equal numbers that look different are not one value of a group
    "SELECT * FROM badge b, (SELECT x.weight, sum(x.code) AS t FROM badge x WHERE x.weight IN (SELECT weight FROM badge WHERE level = 1) GROUP BY x.weight) g WHERE g.weight = b.weight AND b.level = 1",
]


def freed(sql: str) -> tuple[a.Query, a.Query]:
    query = bind(sql, catalog())
    return query, without_restrictions(query, catalog()).query


@pytest.mark.parametrize("sql", FREED)
def test_what_is_asked_for_outside_is_taken_out(sql: str) -> None:
    query, found = freed(sql)
    assert found != query
    (derived,) = (i for i in _derived(found))
    inside = derived.query.left if isinstance(derived.query, a.SetOp) else derived.query
    assert isinstance(inside, a.Select)
    assert inside.where is None


def _derived(query: a.Query) -> Iterator[a.Derived]:
    assert isinstance(query, a.Select)
    for item in query.from_:
        for leaf in (item.left, item.right) if isinstance(item, a.Join) else (item,):
            if isinstance(leaf, a.Derived):
                yield leaf


@pytest.mark.parametrize("sql", KEPT)
def test_others_stay(sql: str) -> None:
    query, found = freed(sql)
    assert found == query


@pytest.fixture(scope="module")
def filled(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA)  # type: ignore[arg-type]
        yield connection


@pytest.mark.server
def test_answers_stay_the_same(filled: psycopg.Connection[Any]) -> None:
    for rows, seed in DATABASES:
        fill(filled, rows, seed)
        for sql in FREED:
            _, found = freed(sql)
            assert answer(filled, sql)[1] == answer(filled, to_sql(found))[1], sql


@pytest.mark.server
def test_restrictions_that_stay_matter(filled: psycopg.Connection[Any]) -> None:
    """On some database each of them keeps out rows, or groups, that the answer would show."""
    without = " WHERE s.cust = 2 AND s.part = 1 ", " WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)"
    for text in without:
        mattered = False
        for rows, seed in DATABASES:
            fill(filled, rows, seed)
            for sql in KEPT:
                if text.strip() in sql:
                    mattered |= answer(filled, sql)[1] != answer(filled, sql.replace(text.strip(), ""))[1]
        assert mattered


def proved(before: str, after: str, known: Catalog | None = None) -> tuple[str, ...] | None:
    found = LinkProver(known or catalog()).prove(before, after, 10.0)
    return None if found is None else found.modulo


def test_what_may_fail_for_more_rows_is_a_reservation() -> None:
    """The division is made for parts that the restricted subquery never looks at."""
    text = "SELECT g.t FROM cust c, (SELECT s.cust, sum({}) AS t FROM sale s {} GROUP BY s.cust) g WHERE g.cust = c.id AND c.region = 1"
    inside = "WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)"
    assert proved(text.format("s.qty", ""), text.format("s.qty", inside)) == ()
    assert proved(text.format("1 / s.qty", ""), text.format("1 / s.qty", inside)) == ("errors",)
    assert proved(text.format("s.qty * 3", ""), text.format("s.qty * 3", inside)) == ("overflow",)
    assert proved(text.format("s.cost * 3", ""), text.format("s.cost * 3", inside)) == ()


def test_a_condition_around_may_fail_for_more_rows() -> None:
    text = "SELECT g.t FROM cust c, (SELECT s.cust, sum(s.qty) AS t FROM sale s {} GROUP BY s.cust) g WHERE g.cust = c.id AND c.region = 1 AND 1 / g.t > 0"
    after = text.format("WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)")
    assert proved(text.format(""), after) == ("errors",)


# --------------------------------------------------------------------------- sort keys


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        ("SELECT id, name, region FROM cust WHERE region = 2 ORDER BY name, region, state", 2),
        ("SELECT id, name FROM cust ORDER BY id, name", 1),
        ("SELECT o.id, o.cust, c.id FROM ord o, cust c WHERE o.cust = c.id ORDER BY o.cust, c.id, o.day", 2),
        ("SELECT id, name, region FROM cust WHERE region > 2 ORDER BY name, region", 2),
        ("SELECT id, name FROM cust ORDER BY name, id", 2),
        # rows that tie show the same
        ("SELECT name FROM cust ORDER BY name, id LIMIT 2", 1),
        ("SELECT name, length(name), 7 FROM cust ORDER BY region, name, state, id LIMIT 2", 2),
        ("SELECT name FROM cust ORDER BY name, id FETCH FIRST 2 ROWS WITH TIES", 2),
        ("SELECT name FROM cust ORDER BY name, 1 / region LIMIT 2", 2),
        ("SELECT name, region FROM cust ORDER BY name, id LIMIT 2", 2),
        (
            "SELECT region, count(*) FROM cust WHERE state = 'a' GROUP BY region, state ORDER BY region, state",
            2,
        ),
    ],
)
def test_sort_keys_that_decide_nothing_go(sql: str, keys: int) -> None:
    found = without_idle_keys(bind(sql, catalog()), catalog()).query
    assert isinstance(found, a.Select)
    assert len(found.order_by) == keys


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, name FROM cust ORDER BY id, name",
        "SELECT region FROM cust GROUP BY region ORDER BY region, count(*)",
        "SELECT string_agg(name, ',' ORDER BY id, region) FROM cust",
    ],
)
def test_only_orders_of_the_types_own_say_what_tied_rows_agree_on(sql: str) -> None:
    query = bind(sql, catalog())
    first = next(n for n in walk(query) if isinstance(n, a.SortKey))
    odd = replace_node(query, first, replace(first, op=replace(first.op, schema="public")))
    for known, left in ((query, 1), (odd, 2)):
        by_law = without_idle_keys(known, catalog()).query
        by_recheck = recheck_keys(known, Changes(catalog(), known))
        for made in (by_law, by_recheck):
            assert sum(isinstance(n, a.SortKey) for n in walk(made)) == left


def test_an_order_by_all_that_is_shown_leaves_no_ties() -> None:
    text = "SELECT c.name, s.amount, c.region FROM cust c, sale s WHERE s.cust = c.id AND c.region = 1 {} ORDER BY {} LIMIT 3"
    bound = "AND s.cust >= (SELECT min(id) FROM cust WHERE region = 1)"
    keys = "c.name, c.region, s.amount"
    assert proved(text.format("", keys), text.format(bound, "c.name, s.amount")) == ()
    assert proved(text.format("", "c.name"), text.format(bound, "c.name")) == ("tie-order",)
    loose = text.replace("s.amount", "b.weight").replace(
        "sale s WHERE s.cust = c.id", "badge b, sale s WHERE s.cust = c.id"
    )
    assert proved(loose.format("", "c.name, b.weight"), loose.format(bound, "c.name, b.weight")) == (
        "tie-order",
    )


# --------------------------------------------------------------------------- averages


@pytest.mark.parametrize(
    ("before", "after", "modulo"),
    [
        ("SELECT avg(qty) FROM sale", "SELECT sum(qty)::numeric / count(qty) FROM sale", ()),
        (
            "SELECT avg(v) FROM (SELECT cost AS v FROM sale UNION ALL SELECT price FROM line) x",
            "SELECT sum(s) / sum(n) FROM (SELECT sum(cost) AS s, count(cost) AS n FROM sale UNION ALL SELECT sum(price), count(price) FROM line) x",
            ("errors",),
        ),
        ("SELECT avg(qty) FROM sale", "SELECT sum(qty)::numeric / count(*) FROM sale", None),
        ("SELECT avg(qty) FROM sale", "SELECT sum(qty) / count(qty) FROM sale", None),
        ("SELECT avg(DISTINCT qty) FROM sale", "SELECT sum(qty)::numeric / count(qty) FROM sale", None),
        (
            "SELECT avg(v) FROM (SELECT cost AS v FROM sale UNION ALL SELECT price FROM line) x",
            "SELECT avg(s) FROM (SELECT avg(cost) AS s FROM sale UNION ALL SELECT avg(price) FROM line) x",
            None,
        ),
    ],
)
def test_averages_as_quotients(before: str, after: str, modulo: tuple[str, ...] | None) -> None:
    assert proved(before, after) == modulo


@pytest.mark.long
def test_what_one_restriction_reads_may_be_restricted_itself() -> None:
    """The neighbour is a grouped subquery with a restriction of its own, whose copy inside has none."""
    inner = "SELECT cust, part, count(*) AS n FROM sale {} GROUP BY cust, part"
    text = (
        f"SELECT * FROM cust c, ({inner.format('WHERE cust IN (SELECT id FROM cust WHERE region = 1)')}) g,"
        f" (SELECT part, sum(qty) AS t FROM sale {{}} GROUP BY part) h WHERE g.cust = c.id AND c.region = 1 AND h.part = g.part"
    )
    restricted = text.format(f"WHERE part IN (SELECT x.part FROM ({inner.format('')}) x)")
    assert proved(text.format(""), restricted) == ()
    other = inner.format("").replace("count(*)", "sum(qty)")
    assert (
        proved(text.format(""), text.format(f"WHERE part IN (SELECT x.part FROM ({other}) x WHERE x.n > 1)"))
        is None
    )


# --------------------------------------------------------------------------- plain subqueries


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        (
            "SELECT c.n, o.id FROM (SELECT id, name AS n FROM cust WHERE region = 1) c, (SELECT id, cust FROM ord) o WHERE o.cust = c.id",
            2,
        ),
        (
            "SELECT c.id FROM (SELECT id FROM cust WHERE region = 1) c JOIN (SELECT cust FROM ord) o ON o.cust = c.id",
            2,
        ),
        ("SELECT c.id FROM cust c LEFT JOIN (SELECT cust FROM ord WHERE day > 1) o ON o.cust = c.id", 1),
        ("SELECT c.id FROM (SELECT id FROM cust WHERE region = 1) c LEFT JOIN ord o ON o.cust = c.id", 1),
        ("SELECT c.id FROM (SELECT id FROM cust ORDER BY id LIMIT 3) c", 0),
        ("SELECT c.id FROM (SELECT DISTINCT region AS id FROM cust) c", 0),
        ("SELECT c.id FROM (SELECT id + 1 AS id FROM cust) c", 0),
        ("SELECT c.id FROM (SELECT id FROM cust WHERE random() > 0.5) c", 0),
        ("SELECT c FROM (SELECT id, name FROM cust) c", 0),
    ],
)
def test_plain_subqueries_are_put_where_they_are_read(sql: str, tables: int) -> None:
    found = flattened(bind(sql, catalog()), catalog())
    assert isinstance(found, a.Select)
    assert sum(isinstance(leaf, a.Scan) for leaf in leaves(found.from_)) == tables


@pytest.mark.server
def test_flat_queries_give_the_same(filled: psycopg.Connection[Any]) -> None:
    queries = (
        "SELECT c.n, o.id FROM (SELECT id, name AS n FROM cust WHERE region = 1) c, (SELECT id, cust FROM ord WHERE day > 1) o WHERE o.cust = c.id",
        (
            "SELECT c.id FROM (SELECT id, region FROM cust WHERE region > 0) c JOIN (SELECT cust, id FROM ord) o ON o.cust = c.id"
            " WHERE EXISTS (SELECT 1 FROM (SELECT ord, qty FROM line WHERE qty > 1) l WHERE l.ord = o.id AND l.qty > c.region)"
        ),
        # a row as one value, called like a column that only the table itself shows
        "SELECT note, o.id FROM (SELECT id, name FROM cust ORDER BY id LIMIT 3) note, (SELECT id, cust FROM ord) o WHERE o.cust = note.id",
    )
    for rows, seed in DATABASES:
        fill(filled, rows, seed)
        for sql in queries:
            flat = to_sql(flattened(bind(sql, catalog()), catalog()))
            assert answer(filled, sql)[1] == answer(filled, flat)[1], sql


# --------------------------------------------------------------------------- groupings below a join


@pytest.mark.parametrize(
    ("total", "undone"),
    [
        ("sum(p.n)", True),
        ("sum(p.t) FILTER (WHERE p.cust > 1)", True),
        # where the filter lets no group through the sum is NULL, and the count of its rows would be 0
        ("sum(p.n) FILTER (WHERE p.cust > 1)", False),
        ("sum(p.t), count(*)", False),
        ("max(p.t)", False),
    ],
)
def test_groupings_whose_parts_are_put_together_are_undone(total: str, undone: bool) -> None:
    query = bind(
        f"SELECT c.state, {total} FROM cust c, (SELECT cust, sum(qty) AS t, count(qty) AS n FROM sale GROUP BY cust) p"
        " WHERE p.cust = c.id GROUP BY c.state",
        catalog(),
    )
    assert (without_early_groups(query, catalog()).query != query) is undone


SETS = "SELECT c.state, p.part, {} FROM cust c, ({}) p WHERE p.cust = c.id GROUP BY {}"
EARLY = "SELECT cust, part, sum(qty) AS t, count(*) AS n FROM sale GROUP BY cust, part"


@pytest.mark.parametrize(
    ("shown", "early", "sets", "undone"),
    [
        ("sum(p.t)", EARLY, "ROLLUP (c.state, p.part)", True),
        ("coalesce(sum(p.n)::bigint, 0), sum(p.t)", EARLY, "CUBE (c.state, p.part)", True),
        ("sum(p.n)", EARLY, "GROUPING SETS ((c.state), (p.part))", True),
        # over no rows the sum of no counts is NULL and their count 0; one is no count
        ("sum(p.n)", EARLY, "ROLLUP (c.state, p.part)", False),
        ("coalesce(sum(p.n), 1)", EARLY, "ROLLUP (c.state, p.part)", False),
        ("coalesce(sum(DISTINCT p.n), 0)", EARLY, "ROLLUP (c.state, p.part)", False),
        ("GROUPING(p.part), sum(p.t)", EARLY, "ROLLUP (c.state, p.part)", False),
        # two names of one key would be NULL in the same sets
        ("p.cust, sum(p.t)", EARLY.replace("part,", "cust AS part,").replace(", part", ""), "GROUPING SETS ((c.state, p.part), (p.cust))", False),
    ],
)  # fmt: skip
def test_groupings_below_grouping_sets(shown: str, early: str, sets: str, undone: bool) -> None:
    query = bind(SETS.format(shown, early, sets), catalog())
    assert (without_early_groups(query, catalog()).query != query) is undone


def test_below_a_total_counts_are_zero_over_no_rows() -> None:
    late = "SELECT c.state, count(*) FROM cust c, sale s WHERE s.cust = c.id GROUP BY ROLLUP (c.state)"
    text = "SELECT c.state, {} FROM cust c, (SELECT cust, count(*) AS n FROM sale GROUP BY cust) p WHERE p.cust = c.id GROUP BY ROLLUP (c.state)"
    assert proved(late, text.format("coalesce(sum(p.n)::bigint, 0)")) == ()
    assert proved(late, text.format("sum(p.n)::bigint")) is None


REGION = SALES.format("WHERE s.cust IN (SELECT id FROM cust WHERE region = 1)")


@pytest.mark.parametrize(
    ("text", "reserved"),
    [
        # the kept side's conditions are asked of its own rows, whatever stands on the right
        (f"SELECT * FROM cust c LEFT JOIN {REGION} ON g.cust = c.id WHERE c.region = 1 AND 10 / c.id > 1", False),
        # what joins is asked of pairs, and more groups make more of them
        (f"SELECT * FROM cust c LEFT JOIN {REGION} ON g.cust = c.id AND 10 / g.t > c.id WHERE c.region = 1", True),
        (f"SELECT * FROM cust c, {REGION} WHERE g.cust = c.id AND c.region = 1 AND 10 / c.id > 1", True),
    ],
)  # fmt: skip
def test_only_what_is_asked_of_the_freed_rows_may_fail_for_them(text: str, *, reserved: bool) -> None:
    form = without_restrictions(bind(text, catalog()), catalog())
    assert form.query != bind(text, catalog())
    assert ("errors" in form.modulo) == reserved
