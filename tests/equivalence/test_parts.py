"""Proofs by parts as objects: they replay without search, and none that is altered does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewright.equivalence.decomposition.congruence import Difference, stripped
from rewright.equivalence.decomposition.parts import PartsProof
from rewright.equivalence.decomposition.search import proved_by_parts
from rewright.equivalence.proof import check_proof
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.printing import to_sql
from tests.rewrite.sqlfixtures import catalog

SECONDS = 60.0
PAIRS = {
    "one block differs": (
        "SELECT c.id FROM cust c WHERE c.id IN (SELECT o.cust FROM ord o JOIN cust d ON d.id = o.cust WHERE o.total > 3)",
        "SELECT c.id FROM cust c WHERE c.id IN (SELECT o.cust FROM ord o WHERE o.total > 3 AND o.cust IS NOT NULL)",
    ),
    "an early cut": (
        "SELECT l.ord, p.brand FROM line l JOIN part p ON p.id = l.part ORDER BY l.ord, l.num LIMIT 5",
        "SELECT f.ord, p.brand FROM (SELECT * FROM line ORDER BY ord, num LIMIT 5) f JOIN part p ON p.id = f.part ORDER BY f.ord, f.num LIMIT 5",
    ),
    "shared groups": (
        "WITH d AS (SELECT cust, day, max(qty) AS q FROM sale WHERE cust IS NOT NULL AND day IS NOT NULL GROUP BY cust, day) SELECT a.cust, max(b.q) AS m FROM d a JOIN d b ON b.cust = a.cust AND b.day <= a.day GROUP BY a.cust, a.day",
        "WITH d AS (SELECT cust, day, max(qty) AS q FROM sale WHERE cust IS NOT NULL AND day IS NOT NULL GROUP BY cust, day) SELECT cust, max(q) OVER (PARTITION BY cust ORDER BY day) AS m FROM d",
    ),
    "numbered rows": (
        "SELECT c.id, x.total FROM cust c, LATERAL (SELECT o.total FROM ord o WHERE o.cust = c.id ORDER BY o.day, o.id LIMIT 2) x",
        "SELECT c.id, x.total FROM cust c, (SELECT o.total, o.cust, row_number() OVER (PARTITION BY o.cust ORDER BY o.day, o.id) AS n FROM ord o) x WHERE x.cust = c.id AND x.n <= 2",
    ),
}


def bound(name: str) -> tuple[a.Query, a.Query]:
    first, second = PAIRS[name]
    return bind(first, catalog()), bind(second, catalog())


def proof_of(name: str) -> PartsProof:
    proved = proved_by_parts(*bound(name), catalog(), SECONDS)
    assert proved is not None
    assert isinstance(proved.proof, PartsProof)
    assert (proved.assumptions, proved.modulo) == (proved.proof.facts, proved.proof.modulo)
    return proved.proof


@pytest.mark.parametrize("name", PAIRS)
def test_it_replays(name: str) -> None:
    assert check_proof(proof_of(name), *bound(name), catalog()) is None


@pytest.mark.parametrize("name", PAIRS)
def test_it_is_a_proof_of_no_other_pair(name: str) -> None:
    proof = proof_of(name)
    for other in PAIRS:
        if other != name:
            assert check_proof(proof, *bound(other), catalog()) is not None
    first, _ = bound(name)
    wrong = bind(
        PAIRS[name][1]
        .replace(" > 3", " > 4")
        .replace("LIMIT 5", "LIMIT 4")
        .replace("<= 2", "<= 3")
        .replace("ORDER BY day)", "ORDER BY q)"),
        catalog(),
    )
    assert check_proof(proof, first, wrong, catalog()) is not None


@pytest.mark.parametrize("name", PAIRS)
def test_altered_it_does_not_replay(name: str) -> None:
    proof, pair = proof_of(name), bound(name)
    altered = [
        replace(proof, view=proof.view + 2),
        replace(proof, wider=7),
        replace(proof, parts=()),
        replace(proof, parts=proof.parts * 2),
        replace(proof, parts=tuple(replace(p, way=p.way + 9) for p in proof.parts)),
        replace(proof, modulo=(*proof.modulo, "errors")),
        replace(proof, facts=(*proof.facts, "unique public.cust(id)")),
    ]
    if proof.facts:
        altered.append(replace(proof, facts=proof.facts[1:]))
    for changed in altered:
        assert check_proof(changed, *pair, catalog()) is not None, changed


def test_facts_of_a_cut_are_among_its_own() -> None:
    assert any("foreign key" in fact for fact in proof_of("an early cut").facts)


_EITHER = "from t join o on o.t = t.id or o.far = t.id"
_ARMS = (
    "from (select t.id as a, t.x as b, o.k as c from t, o where o.t = t.id union all "
    "select t.id, t.x, o.k from t, o where o.far = t.id and (o.t = t.id) is not true) u"
)
_ABOVE = "select {0}, {1}, count(*), max({2}) {3} group by {0}, {1} having count(*) > 2 and min({2}) < {0} order by 3, {0} limit 5"


def rows_below(first: str, second: str) -> tuple[str, str]:
    catalog = catalog_from_ddl(
        "create table t (id int primary key, x text, k int); create table o (id int primary key, t int, far int, k int)"
    )
    found = stripped(Difference(bind(first, catalog), bind(second, catalog)), catalog)
    return to_sql(found.before), to_sql(found.after)


def test_blocks_that_read_like_columns_of_other_tables_differ_in_their_rows() -> None:
    first = _ABOVE.format("t.id", "t.x", "o.k", _EITHER)
    before, after = rows_below(first, _ABOVE.format("a", "b", "c", _ARMS))
    assert before.startswith("SELECT t.id AS c1, t.x AS c2, o.k AS c3 FROM t JOIN o")
    assert after.startswith("SELECT a AS c1, b AS c2, c AS c3 FROM (SELECT")


_LIKE = _ABOVE.format("a", "b", "c", _ARMS)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("> 2", "> 3"),
        ("min(c) < a", "min(a) < a"),
        ("max(c)", "max(a)"),
        ("limit 5", "limit 6"),
        ("order by 3", "order by 3 desc"),
        ("count(*), max", "count(c), max"),
        ("group by a, b", "group by b, a"),
    ],
)
def test_blocks_that_do_something_else_with_their_rows_are_not_taken_apart(here: str, there: str) -> None:
    first = _ABOVE.format("t.id", "t.x", "o.k", _EITHER)
    assert here in _LIKE
    assert "GROUP BY" in rows_below(first, _LIKE.replace(here, there))[0]


_ASKED = (
    "select {0}, count(*) {2} group by {0} having count(*) > (select count(*) from o q where q.t = {0} and q.k > 2)"
    " order by (select max(p.k) from t p where p.id = {0}), {1}"
)


def _asks(key: str, last: str, source: str) -> str:
    return _ASKED.format(key, last, source)


def test_subqueries_above_that_ask_like_columns_are_alike() -> None:
    first = _asks("t.id", "max(o.k)", _EITHER)
    before, after = rows_below(first, _asks("a", "max(c)", _ARMS))
    assert before.startswith("SELECT t.id AS c1, o.k AS c2 FROM t JOIN o")
    assert after.startswith("SELECT a AS c1, c AS c2 FROM (SELECT")


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("q.t = a", "q.far = a"),
        ("q.k > 2", "q.k > 3"),
        ("from o q", "from (select * from o where k > 0) q"),
        ("q.t = a", "q.t = q.far"),
        ("p.id = a", "p.k = a"),
        ("max(p.k)", "max(p.id)"),
        ("having count(*) >", "having count(*) >="),
    ],
)
def test_other_subqueries_above_are_not_taken_apart(here: str, there: str) -> None:
    first = _asks("t.id", "max(o.k)", _EITHER)
    alike = _asks("a", "max(c)", _ARMS)
    assert here in alike
    assert "GROUP BY" in rows_below(first, alike.replace(here, there))[0]


@pytest.mark.parametrize("shown", ["w.ctid", "w"])
def test_subqueries_above_that_read_more_than_columns_are_not_looked_into(shown: str) -> None:
    first = f"select (select o.k from o where o.t = w.id and {shown} is not null) from t w where w.k = (select min(k) from t)"
    assert "SELECT (SELECT" in rows_below(first, first.replace("min", "max"))[0]
    plain = first.replace(f"{shown} is", "w.x is")
    assert "SELECT id AS c1, x AS c2" in rows_below(plain, plain.replace("min", "max"))[0]


@pytest.mark.parametrize(("order", "open_"), [("o.id", False), ("o.day", True), ("o.day, o.id", False)])
def test_first_rows_above_are_looked_at_by_their_keys(order: str, open_: bool) -> None:
    shown = f"SELECT c.id, (SELECT o.total FROM ord o WHERE o.cust = c.id ORDER BY {order} LIMIT 1) AS t FROM cust c"
    first, second = f"{shown} WHERE c.region > 2", f"{shown} WHERE NOT c.region <= 2"
    found = stripped(Difference(bind(first, catalog()), bind(second, catalog())), catalog())
    assert to_sql(found.before, catalog=catalog()).startswith("SELECT id AS c1 FROM cust")
    assert ("tie-order" in found.modulo) is open_
    assert any("ord" in fact for fact in found.facts) is not open_


def test_windows_above_are_not_taken_for_those_of_one_row() -> None:
    shown = "SELECT c.id, row_number() OVER (ORDER BY c.name) AS n FROM cust c"
    first, second = f"{shown} WHERE c.region > 2", f"{shown} WHERE NOT c.region <= 2"
    found = stripped(Difference(bind(first, catalog()), bind(second, catalog())), catalog())
    assert "tie-order" in found.modulo


SHARES = (
    "SELECT d.id, round(100.0 * m.n / coalesce(a.v, 0), 2) AS s FROM cust d JOIN {m} m ON m.cust = d.id LEFT JOIN"
    " (SELECT c.region AS k, sum(e.n)::bigint AS v FROM {e} e, cust c WHERE c.id = e.cust GROUP BY c.region) a"
    " ON a.k = d.region ORDER BY 2, 1"
)
BY_CUST = "(SELECT cust, count(*) AS n FROM visit WHERE day > date '2024-01-01' GROUP BY cust)"


@pytest.mark.parametrize("others", ["mine", BY_CUST])
def test_what_differs_in_where_a_cte_stands_leaves_nothing_open(others: str) -> None:
    before = f"WITH mine AS {BY_CUST} {SHARES.format(m='mine', e=BY_CUST)}"
    after = f"WITH mine AS {BY_CUST} {SHARES.format(m=BY_CUST, e=others)}"
    queries = bind(before, catalog()), bind(after, catalog())
    proved = proved_by_parts(*queries, catalog(), 20)
    assert proved is not None
    assert not proved.modulo
    assert check_proof(proved.proof, *queries, catalog()) is None


@pytest.mark.parametrize("other", [BY_CUST.replace("2024", "2023"), BY_CUST.replace("day", "at")])
def test_a_cte_that_computes_something_else_is_not_proved(other: str) -> None:
    before = f"WITH mine AS {BY_CUST} {SHARES.format(m='mine', e='mine')}"
    after = SHARES.format(m=BY_CUST, e=other)
    assert proved_by_parts(bind(before, catalog()), bind(after, catalog()), catalog(), 1) is None


@pytest.mark.parametrize(
    ("body", "read", "left"),
    [
        ("SELECT id, 1 / region AS x FROM cust", "SELECT id, x FROM {} m WHERE id < 3", {"errors"}),
        ("SELECT id, region * 2000000000 AS x FROM cust", "SELECT id FROM {} m", {"overflow"}),
        ("SELECT id FROM cust LIMIT 3", "SELECT a.id FROM {} a JOIN {} b ON a.id = b.id", {"tie-order"}),
        ("SELECT array_agg(id) AS x FROM ord", "SELECT a.x FROM {} a JOIN {} b ON a.x = b.x", {"tie-order"}),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_what_a_cte_computes_by_itself_stays_open(body: str, read: str, left: set[str], turned: bool) -> None:
    computed = f"WITH m AS MATERIALIZED ({body}) {read.format('m', 'm')}"
    pair = [computed, read.format(f"({body})", f"({body})")]
    first, second = reversed(pair) if turned else pair
    proved = proved_by_parts(bind(first, catalog()), bind(second, catalog()), catalog(), 5)
    assert proved is not None
    assert left <= set(proved.modulo)
