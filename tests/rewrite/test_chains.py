"""Proof by steps: joined when every link is proved, never otherwise; and what pairs
share can be taken out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from rewright.equivalence.decomposition.abstraction import (
    Pair,
    pairs,
    shared_failures,
    without_common,
    without_ctes,
)
from rewright.equivalence.decomposition.congruence import differences
from rewright.equivalence.decomposition.search import proved_by_parts
from rewright.equivalence.laws.bounds import without_bounds
from rewright.equivalence.proof import Proof
from rewright.equivalence.prover import prove
from rewright.rewrite.adapters.links import LinkProver
from rewright.rewrite.model import Evidence, Level
from rewright.rewrite.search.chains import ChainChecker, Derivations
from rewright.sql import algebra as a
from rewright.sql.binder import bind
from rewright.sql.printing import to_sql
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


@dataclass
class Patient:
    """Links that are proved, or not, and how often each was asked."""

    proved: set[tuple[str, str]]
    asked: list[tuple[str, str]] = field(default_factory=list)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        assert seconds > 0
        self.asked.append((before, after))
        return Evidence.of({"verdict": "proved"}) if (before, after) in self.proved else None


def test_proofs_found_quickly_are_kept_for_the_check() -> None:
    checker = chain({("a", "c"): "tested"})
    checker.links = links = Patient({("a", "b"), ("b", "c")})
    assert checker.prove("a", "c", 1.0) is not None
    assert checker.check("a", "c", 4.0).level == "proved"
    assert links.asked == [("a", "b"), ("b", "c")]


def test_what_was_not_proved_is_tried_again_only_with_more_time() -> None:
    checker = chain({})
    checker.links = links = Patient({("a", "b")})
    assert checker.prove("a", "c", 1.0) is None
    assert checker.prove("a", "c", 0.5) is None
    assert links.asked == [("a", "b"), ("b", "c")]
    # seconds that are the same but for what the clock says a moment later
    assert checker.prove("a", "c", 1.1) is None
    assert links.asked == [("a", "b"), ("b", "c")]
    assert checker.prove("a", "c", 5.0) is None
    assert links.asked == [("a", "b"), ("b", "c"), ("b", "c")]


@dataclass
class Hurried:
    """Links that are proved with a reservation in little time, and without one in more."""

    enough: float
    asked: list[float] = field(default_factory=list)

    def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
        self.asked.append(seconds)
        modulo = [] if seconds >= self.enough else ["errors"]
        return Evidence.of({"verdict": "proved", "modulo": modulo})


def test_a_hasty_proof_with_reservations_is_bettered_where_there_is_more_time() -> None:
    links = Hurried(enough=1.0)
    checker = ChainChecker(Scripted({}), Derivations(), links, second=Scripted({}))
    hasty = checker.prove("a", "b", 0.2)
    assert hasty is not None
    assert set(hasty.modulo) == {"errors"}
    assert checker.prove("a", "b", 0.2) == hasty
    assert not checker.check("a", "b", 10.0).modulo
    assert not checker.check("a", "b", 20.0).modulo
    assert len(links.asked) == 2


def test_two_proved_links_prove_the_pair_with_the_reservations_of_both() -> None:
    evidence = chain({("a", "b"): "proved", ("b", "c"): "proved"}).check("a", "c", 4.0)
    assert evidence.level == "proved"
    assert evidence.modulo == ("tie-order",)


def test_a_tested_link_proves_nothing() -> None:
    assert chain({("a", "b"): "proved", ("b", "c"): "tested"}).check("a", "c", 4.0).level == "unknown"


def test_a_step_that_is_not_proved_is_left_out_of_the_way() -> None:
    """A model's way to "d" leads over "b", which nobody proves, and over "c", which is proved without it."""
    checker = chain({})
    checker.derivations.remember("d", ("b", "c"))
    checker.links = links = Patient({("a", "c"), ("c", "d")})
    assert checker.check("a", "d", 4.0).level == "proved"
    assert links.asked == [("a", "b"), ("a", "c"), ("c", "d")]
    # the end itself is never left out
    checker.links = Patient({("a", "c")})
    checker._proved.clear()
    assert checker.check("a", "d", 4.0).level == "unknown"


def test_a_refuted_pair_is_refuted_whatever_the_links_say() -> None:
    answers: dict[tuple[str, str], Level] = {
        ("a", "b"): "proved",
        ("b", "c"): "proved",
        ("a", "c"): "refuted",
    }
    assert chain(answers).check("a", "c", 4.0).level == "refuted"


def test_what_is_proved_is_looked_at_again_when_it_is_chosen() -> None:
    checker = chain({})
    checker.links = Patient({("a", "b"), ("b", "c")})
    second = Scripted({("a", "c"): "refuted"})
    checker.second = second
    assert checker.check("a", "c", 4.0).level == "proved"
    assert not second.asked
    evidence = checker.refute("a", "c", 4.0)
    assert evidence is not None
    assert evidence.level == "refuted"
    second.answers.clear()
    assert checker.refute("a", "c", 4.0) is None


@pytest.mark.parametrize(
    ("whole", "told"),
    [(None, ("errors",)), (("errors",), ("errors",)), ((), ()), (("overflow",), ("errors",))],
)
def test_a_proof_of_the_whole_that_leaves_less_open_is_taken(
    whole: tuple[str, ...] | None, told: tuple[str, ...]
) -> None:
    class Reserved:
        def prove(self, before: str, after: str, seconds: float) -> Evidence | None:
            assert seconds > 0
            modulo = whole if (before, after) == ("a", "c") else ("errors",)
            return None if modulo is None else Evidence.of({"verdict": "proved", "modulo": list(modulo)})

    checker = chain({})
    checker.links = Reserved()
    checker.second = Scripted({})
    evidence = checker.check("a", "c", 4.0)
    assert (evidence.level, evidence.modulo) == ("proved", ("errors",))
    evidence = checker.least("a", "c", evidence, 4.0)
    assert (evidence.level, evidence.modulo) == ("proved", told)


def bound(text: str) -> a.Query:
    query = without_ctes(bind(text, catalog()))
    assert query is not None
    return query


def test_common_subqueries_become_unknown_tables() -> None:
    body = "(SELECT cust, sum(amount) AS t FROM sale GROUP BY cust)"
    before = bound(f"WITH y AS {body} SELECT a.t FROM y a, y b WHERE a.cust = b.cust")
    after = bound(f"SELECT a.t FROM {body} a, {body} b WHERE b.cust = a.cust")
    pair = without_common(Pair(before, after, catalog(), 0))
    assert pair.taken == 1
    assert "sum" not in to_sql(pair.before) + to_sql(pair.after)


def test_what_differs_is_not_taken_out() -> None:
    before = bound("SELECT a.t FROM (SELECT sum(amount) AS t FROM sale) a")
    after = bound("SELECT a.t FROM (SELECT sum(cost) AS t FROM sale) a")
    assert without_common(Pair(before, after, catalog(), 0)).taken == 0


def test_a_copy_that_stays_does_not_hide_the_one_that_changes() -> None:
    body = "(SELECT cust, sum(amount) AS t FROM sale {} GROUP BY cust)"
    text = "SELECT a.t, b.t FROM {} a, {} b, cust c WHERE a.cust = c.id AND b.cust = 7 AND c.region = 3"
    changed = body.format("WHERE cust IN (SELECT id FROM cust WHERE region = 3)")
    before = bound(text.format(body.format(""), body.format("")))
    after = bound(text.format(changed, body.format("")))
    first = next(pairs(before, after, catalog()))
    assert first.taken > 0
    assert all(to_sql(q).count("sum(") == 1 for q in (first.before, first.after))


def test_one_table_stands_for_a_page_that_one_of_the_two_reads_twice() -> None:
    page = "(SELECT id, day FROM ord ORDER BY day, id LIMIT 5)"
    counts = "(SELECT ord, count(*) AS n FROM line {} GROUP BY ord)"
    text = "SELECT p.id, g.n FROM {} p LEFT JOIN {} g ON g.ord = p.id"
    before = bound(text.format(page, counts.format("")))
    after = bound(text.format(page, counts.format(f"WHERE ord IN (SELECT q.id FROM {page} q)")))
    assert any("LIMIT" not in to_sql(p.before) + to_sql(p.after) for p in pairs(before, after, catalog()))


@pytest.mark.parametrize(
    ("order", "left_open", "facts"),
    [
        ("day", {"tie-order"}, ()),
        ("day, id", set(), ("unique public.ord(id) (ord_pkey)", "not null public.ord(id)")),
    ],
)
def test_a_page_read_twice_leaves_ties_where_its_order_has_no_key(
    order: str, left_open: set[str], facts: tuple[str, ...]
) -> None:
    page = f"WITH p AS (SELECT id, total FROM ord ORDER BY {order} LIMIT 5)"
    query = bind(f"{page} SELECT a.id FROM p a, p b WHERE a.total > b.total", catalog())
    once = bind("SELECT id FROM ord", catalog())
    assert shared_failures(query, once, catalog()) == (left_open, facts)


def test_volatile_ctes_stay_where_they_are() -> None:
    assert without_ctes(bind("WITH r AS (SELECT random() AS x) SELECT a.x FROM r a, r b", catalog())) is None


def test_a_shared_cte_and_its_copies_are_the_same_query() -> None:
    before = "WITH y AS (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) SELECT a.t FROM y a, y b WHERE a.cust = b.cust"
    after = "SELECT a.t FROM (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) a, (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) b WHERE a.cust = b.cust"
    found = LinkProver(catalog()).prove(before, after, 10.0)
    assert found is not None
    assert found.level == "proved"
    wrong = after.replace("WHERE a.cust = b.cust", "WHERE a.t = b.t")
    assert LinkProver(catalog()).prove(before, wrong, 5.0) is None


# --------------------------------------------------------------------------- only what differs


def test_only_the_differing_subquery_is_left_to_prove() -> None:
    outside = "SELECT c.name, x.t FROM cust c, ({}) x WHERE x.cust = c.id ORDER BY x.t"
    (found,) = differences(
        bound(outside.format("SELECT cust, amount AS t FROM sale WHERE amount > 5")),
        bound(outside.format("SELECT cust, amount AS t FROM sale WHERE 5 < amount")),
    )
    assert "FROM cust" not in to_sql(found.before) + to_sql(found.after)
    assert found.modulo == frozenset()


def test_references_to_the_outside_are_the_same_unknown_value_in_both() -> None:
    outside = "SELECT c.name FROM cust c, part i WHERE EXISTS ({})"
    same = differences(
        bound(outside.format("SELECT 1 FROM sale s WHERE s.cust = c.id AND s.amount > 5")),
        bound(outside.format("SELECT 1 FROM sale s WHERE s.amount > 5 AND s.cust = c.id")),
    )
    other = differences(
        bound(outside.format("SELECT 1 FROM sale s WHERE s.cust = c.id AND s.amount > 5")),
        bound(outside.format("SELECT 1 FROM sale s WHERE s.cust = i.id AND s.amount > 5")),
    )
    (agreeing,), (differing,) = same, other
    assert prove(agreeing.before, agreeing.after, catalog()) is not None
    assert not isinstance(prove(differing.before, differing.after, catalog()), Proof)


def test_what_the_common_rest_leaves_open_is_a_reservation() -> None:
    text = "SELECT id FROM sale WHERE {} ORDER BY amount LIMIT 3"
    (found,) = differences(bound(text.format("amount > 5")), bound(text.format("5 < amount")))
    assert found.modulo == {"tie-order"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # other rows reach the same aggregate
        ("SELECT sum(amount) FROM sale WHERE amount > 5", "SELECT sum(amount) FROM sale WHERE amount > 4"),
        # the same rows, another aggregate
        ("SELECT sum(amount) FROM sale WHERE amount > 5", "SELECT avg(amount) FROM sale WHERE amount > 5"),
        # the alias names another table's column
        (
            "SELECT a.id FROM sale a, sale b WHERE a.cust = b.part AND a.amount > 5",
            "SELECT a.id FROM sale a, sale b WHERE a.cust = b.part AND b.amount > 5",
        ),
        (
            "SELECT c.id FROM cust c WHERE c.id IN (SELECT cust FROM sale WHERE amount > 5)",
            "SELECT c.id FROM cust c WHERE c.id IN (SELECT part FROM sale WHERE amount > 5)",
        ),
        (
            "SELECT id FROM sale WHERE amount > 5 ORDER BY id LIMIT 3",
            "SELECT id FROM sale WHERE amount > 5 ORDER BY id LIMIT 4",
        ),
    ],
)
def test_parts_of_different_queries_are_not_proved(before: str, after: str) -> None:
    assert LinkProver(catalog()).prove(before, after, 5.0) is None


BOUNDED = "SELECT s.id FROM sale s, cust c WHERE s.cust = c.id AND c.region = 3 AND s.cust {} (SELECT {}(id) FROM cust {})"


@pytest.mark.parametrize(
    "how", [(">=", "min", "WHERE region = 3"), ("<=", "max", "WHERE region = 3"), (">=", "min", "")]
)
def test_bounds_of_joined_keys_say_nothing(how: tuple[str, str, str]) -> None:
    plain = "SELECT s.id FROM sale s, cust c WHERE s.cust = c.id AND c.region = 3"
    assert LinkProver(catalog()).prove(plain, BOUNDED.format(*how), 5.0) is not None


@pytest.mark.parametrize(
    "how",
    [
        (">=", "max", "WHERE region = 3"),
        ("<=", "min", "WHERE region = 3"),
        (">", "min", "WHERE region = 3"),
        (">=", "min", "WHERE region = 4"),
        (">=", "min", "WHERE region = 3 AND id > 7"),
        (">=", "min", "WHERE region = 3 HAVING count(*) > 1"),
    ],
)
def test_other_bounds_stay(how: tuple[str, str, str]) -> None:
    query = bound(BOUNDED.format(*how))
    assert without_bounds(query, catalog()).query == query


def test_a_bound_stays_where_the_key_is_not_joined() -> None:
    query = bound(
        "SELECT s.id FROM sale s, cust c WHERE s.part = c.id AND s.cust >= (SELECT min(id) FROM cust)"
    )
    assert without_bounds(query, catalog()).query == query


def test_rows_of_the_same_subquery_reach_what_both_have_in_common() -> None:
    text = "SELECT y.cust, y.t FROM (SELECT cust, sum(amount) AS t FROM sale GROUP BY cust) y {} ORDER BY y.t, y.cust LIMIT 3"
    (found,) = differences(
        bound(text.format("WHERE y.cust IN (SELECT id FROM cust WHERE region = 3)")),
        bound(text.format("JOIN cust c ON c.id = y.cust WHERE c.region = 3")),
    )
    assert "LIMIT" not in to_sql(found.before) + to_sql(found.after)
    other = text.format("WHERE y.cust IN (SELECT id FROM cust WHERE region = 3)").replace("amount", "cost")
    (left,) = differences(bound(other), bound(text.format("JOIN cust c ON c.id = y.cust WHERE c.region = 3")))
    # what remains to be shown holds both sums, so that nobody takes it for shown
    assert "sum(cost)" in to_sql(left.before)
    assert "sum(amount)" in to_sql(left.after)


# --------------------------------------------------------------------------- what is left open


def modulo(before: str, after: str) -> tuple[str, ...]:
    """What a proof by parts leaves open."""
    found = proved_by_parts(bind(before, catalog()), bind(after, catalog()), catalog(), 10.0)
    assert found is not None
    return found.modulo


def test_ties_are_a_reservation_where_only_an_empty_bound_differs() -> None:
    text = "SELECT s.id FROM sale s, cust c WHERE s.cust = c.id AND c.region = 3 {} ORDER BY s.amount LIMIT 3"
    after = text.format("AND s.cust >= (SELECT min(id) FROM cust WHERE region = 3)")
    assert modulo(text.format(""), after) == ("tie-order",)
    assert modulo(text.format("").replace("LIMIT 3", ""), after.replace("LIMIT 3", "")) == ()


def test_what_a_left_out_part_may_raise_is_a_reservation() -> None:
    shared = "(SELECT cust, sum(amount / cost) AS t FROM sale GROUP BY cust)"
    before = f"SELECT x.t FROM {shared} x, badge b WHERE b.weight = x.t AND x.cust > 5"
    after = f"SELECT x.t FROM {shared} x, badge b WHERE b.weight = x.t AND 5 < x.cust AND x.cust > 4"
    assert "errors" in modulo(before, after)
    assert "errors" not in modulo(before.replace("/", "+"), after.replace("/", "+"))


def test_what_a_cte_computes_and_nothing_reads_may_overflow() -> None:
    before = "SELECT kind, count(*) FROM badge GROUP BY kind"
    cte = "SELECT kind, count(*) AS n, sum(weight) AS s FROM badge GROUP BY kind"
    assert modulo(before, f"WITH q AS MATERIALIZED ({cte}) SELECT q.kind, q.n FROM q") == ("overflow",)
    assert modulo(before, f"SELECT q.kind, q.n FROM ({cte}) q") == ()


def test_what_a_shared_cte_may_raise_is_a_reservation() -> None:
    body = "SELECT cust, amount / cost AS r FROM sale"
    before = f"WITH y AS MATERIALIZED ({body}) SELECT r FROM y WHERE cust > 5"
    after = f"SELECT r FROM ({body}) y WHERE cust > 5"
    assert "errors" in modulo(before, after)
    assert "errors" not in modulo(before.replace("/", "+"), after.replace("/", "+"))


def test_ties_in_a_left_out_part_are_a_reservation() -> None:
    shared = "(SELECT cust, amount FROM sale ORDER BY amount LIMIT 3)"
    before = f"SELECT x.amount FROM {shared} x WHERE x.cust > 5"
    after = f"SELECT x.amount FROM {shared} x WHERE 5 < x.cust AND x.cust > 4"
    assert modulo(before, after) == ("tie-order",)
    twice = f"WITH y AS {shared} SELECT a.amount FROM y a, y b WHERE a.cust = b.cust"
    copies = f"SELECT a.amount FROM {shared} a, {shared} b WHERE a.cust = b.cust"
    assert modulo(twice, copies) == ("tie-order",)
