"""Sort keys that leave no ties among the rows of an outer join or a union, so that LIMIT has no choice."""

from __future__ import annotations

import pytest

from rewright.equivalence.proof import Proof
from rewright.equivalence.prover.prove import prove
from rewright.sql.binder import bind
from tests.equivalence.directions import TURNED
from tests.equivalence.text_pairs import parts_prover
from tests.rewrite.sqlfixtures import catalog

pytestmark = pytest.mark.long

by_parts = parts_prover(catalog())

COUNTED = (
    "SELECT c.id, c.state, {} AS n FROM cust c"
    " LEFT JOIN (SELECT cust, count(*) AS n FROM ord GROUP BY cust) k ON k.cust = c.id ORDER BY {} LIMIT 5"
)
ARMS = "SELECT id, {} AS arm FROM cust UNION ALL SELECT id, 2 FROM {} ORDER BY {} LIMIT 5"


def modulo(first: str, second: str) -> set[str]:
    proof = prove(*(bind(text, catalog()) for text in (first, second)), catalog(), deadline_seconds=60)
    assert isinstance(proof, Proof), proof
    return set(proof.modulo)


@pytest.mark.parametrize(
    ("keys", "left"),
    [("n DESC, c.id", set()), ("c.id", set()), ("n DESC", {"tie-order"}), ("n, c.state", {"tie-order"})],
)
def test_a_key_of_the_kept_side_leaves_no_ties(keys: str, left: set[str]) -> None:
    texts = ("coalesce(k.n, 0)", "CASE WHEN k.n IS NULL THEN 0 ELSE k.n END")
    assert modulo(*(COUNTED.format(text, keys) for text in texts)) == left


MANY = (
    "SELECT DISTINCT c.id, {} FROM cust c JOIN ord o ON o.cust = c.id WHERE o.total > 2 ORDER BY {} LIMIT 5"
)
ONCE = "SELECT id, {} FROM cust c WHERE EXISTS (SELECT FROM ord o WHERE o.cust = c.id AND o.total > 2) ORDER BY {} LIMIT 5"


@pytest.mark.parametrize(("keys", "left"), [("c.state, c.id", set()), ("c.state, c.name", {"tie-order"})])
def test_what_a_key_decides_leaves_no_ties_below_distinct(keys: str, left: set[str]) -> None:
    shown = "c.name, c.state"
    assert modulo(MANY.format(shown, keys), ONCE.format(shown, keys)) == left


GROUPED = "SELECT {}, max(o.day) AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id GROUP BY {} ORDER BY c.id LIMIT 5"


@pytest.mark.parametrize(
    ("shown", "keys", "left"),
    [("c.id, c.name", "c.id", set()), ("c.id, o.note", "c.id, o.note", {"tie-order"})],
)
def test_groups_by_a_key_leave_no_ties_above_an_outer_join(shown: str, keys: str, left: set[str]) -> None:
    first = GROUPED.format(shown, keys)
    assert modulo(first, first.replace("ON o.cust = c.id", "ON c.id = o.cust AND c.id IS NOT NULL")) == left


PAGE = (
    "SELECT f.id, f.name, count(o.id) AS n FROM (SELECT id, name FROM cust c {}) f"
    " LEFT JOIN ord o ON o.cust = f.id {} GROUP BY f.id, f.name ORDER BY {} LIMIT 5"
)
GROUPS = (
    "SELECT c.id, c.name, count(o.id) AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id {} GROUP BY c.id"
    " ORDER BY {} LIMIT 5"
)


@pytest.mark.parametrize("most", [5, 7])
def test_a_page_of_groups_is_cut_before_the_join(most: int) -> None:
    cut = f"ORDER BY name, id LIMIT {most}"
    pair = GROUPS.format("", "c.name, c.id"), PAGE.format(cut, "", "f.name, f.id")
    assert by_parts(*pair, 60) == set()


@pytest.mark.parametrize("left", [{"overflow"}, set()])
def test_figures_of_other_groups_may_raise(left: set[str]) -> None:
    figure = "sum(o.day * o.day)" if left else "max(o.day)"
    pair = GROUPS.format("", "c.name, c.id"), PAGE.format("ORDER BY name, id LIMIT 5", "", "f.name, f.id")
    found = by_parts(*(text.replace("count(o.id)", figure) for text in pair), 60)
    assert found is not None
    assert bool(found & {"errors", "overflow"}) == bool(left)


@pytest.mark.parametrize(
    ("cut", "where", "order"),
    [
        ("ORDER BY name, id LIMIT 4", "", "name, id"),  # fewer than are shown
        ("ORDER BY id LIMIT 5", "", "name, id"),  # others come first
        (
            "ORDER BY name, id LIMIT 5",
            "WHERE o.id IS NOT NULL",
            "name, id",
        ),  # some of the first have no group
        ("ORDER BY name, id LIMIT 5", "", "n, id"),  # the figure decides
    ],
)
def test_other_pages_of_groups_are_not_proved(cut: str, where: str, order: str) -> None:
    own, theirs = (order.replace("name", f"{t}.name").replace("id", f"{t}.id") for t in ("f", "c"))
    assert by_parts(GROUPS.format(where, theirs), PAGE.format(cut, where, own), 1.5) is None


def test_groups_of_several_rows_are_not_cut_by_rows() -> None:
    whole = "SELECT c.state, count(o.id) AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id GROUP BY c.state"
    cut = whole.replace("cust c", "(SELECT id, state FROM cust ORDER BY state LIMIT 5) c")
    assert by_parts(*(f"{text} ORDER BY c.state LIMIT 5" for text in (whole, cut)), 0.5) is None


def test_groups_by_an_inner_join_are_not_cut_before_it() -> None:
    whole = "SELECT c.id, count(o.id) AS n FROM cust c JOIN ord o ON o.cust = c.id GROUP BY c.id"
    cut = whole.replace("cust c", "(SELECT id FROM cust ORDER BY id LIMIT 5) c")
    assert by_parts(*(f"{text} ORDER BY c.id LIMIT 5" for text in (whole, cut)), 0.5) is None


def test_rows_of_two_arms_may_tie() -> None:
    assert modulo(ARMS.format("1", "ord", "id"), ARMS.format("2 - 1", "ord", "id")) == {"tie-order"}
    assert modulo(ARMS.format("1", "ord", "id, arm"), ARMS.format("2 - 1", "ord", "id, arm")) == set()


TOTALS = (
    "SELECT l.ord, l.num, p.brand, {} AS n FROM line l JOIN part p ON p.id = l.part {} WHERE l.qty < 9 {}"
    " ORDER BY l.ord, l.num LIMIT 5"
)
PAGES = (
    "SELECT f.ord, f.num, p.brand, {} AS n FROM (SELECT l.ord, l.num, l.part, {} AS n FROM line l WHERE l.qty < 9"
    " ORDER BY l.ord, l.num LIMIT {}) f JOIN part p ON p.id = f.part {} ORDER BY f.ord, f.num LIMIT 5"
)
COUNT = "count(*) OVER ()"


@pytest.mark.parametrize(
    ("total", "shown"),
    [
        (COUNT, "f.n"),
        ("count(l.supp) OVER ()", "f.n"),
        ("sum(l.qty) OVER (PARTITION BY l.supp)", "f.n"),
        ("max(l.day) FILTER (WHERE l.supp > 1) OVER ()", "f.n"),
    ],
)
def test_totals_beside_a_page_are_those_of_the_kept_table(total: str, shown: str) -> None:
    assert by_parts(TOTALS.format(total, "", ""), PAGES.format(shown, total, 7, ""), 60) == set()


LOOKED_UP = (
    "SELECT v.id, s.city, {} AS n FROM visit v LEFT JOIN store s ON s.id = v.store ORDER BY v.id LIMIT 5"
)
LOOKED_UP_LATE = (
    "SELECT f.id, s.city, f.n FROM (SELECT v.id, v.store, {} AS n FROM visit v ORDER BY v.id LIMIT 5) f"
    " LEFT JOIN store s ON s.id = f.store ORDER BY f.id LIMIT 5"
)


def test_totals_beside_a_page_below_a_join_that_finds_one_row_at_most() -> None:
    assert by_parts(LOOKED_UP.format(COUNT), LOOKED_UP_LATE.format(COUNT), 60) == set()


@pytest.mark.parametrize(
    ("whole", "cut"),
    [
        # the count of the page's rows
        (TOTALS.format(COUNT, "", ""), PAGES.format(COUNT, "0", 5, "")),
        # rows of the page that the partner's condition takes away are counted or not
        (TOTALS.format(COUNT, "", "AND p.size > 1"), PAGES.format("f.n", COUNT, 5, "WHERE p.size > 1")),
        (TOTALS.format(COUNT, "AND p.size > 1", ""), PAGES.format("f.n", COUNT, 5, "")),
        # a condition on the total below, or above
        (TOTALS.format(COUNT, "", ""), PAGES.format("f.n", COUNT, 5, "WHERE f.n > 6")),
        # other windows
        (TOTALS.format("count(*) OVER (PARTITION BY p.size)", "", ""), PAGES.format("f.n", COUNT, 5, "")),
        (TOTALS.format(COUNT, "", ""), PAGES.format("f.n", "count(l.supp) OVER ()", 5, "")),
        (TOTALS.format(COUNT, "", ""), PAGES.format("f.n", "count(*) OVER (ORDER BY l.day)", 5, "")),
        (TOTALS.format("count(p.size) OVER ()", "", ""), PAGES.format("f.n", COUNT, 5, "")),
        # fewer rows than are shown
        (TOTALS.format(COUNT, "", ""), PAGES.format("f.n", COUNT, 4, "")),
        # a total within a subquery is of the subquery's rows
        (
            TOTALS.format(f"(SELECT {COUNT} FROM cust c LIMIT 1)", "", ""),
            PAGES.format("(SELECT f.n FROM cust c LIMIT 1)", COUNT, 5, ""),
        ),
        (
            TOTALS.format(
                f"(SELECT sum(x.n) FROM (SELECT {COUNT} AS n FROM cust c WHERE c.id = l.supp) x)", "", ""
            ),
            PAGES.format(
                "(SELECT sum(x.n) FROM (SELECT f.n FROM cust c WHERE c.id = f.num) x)", COUNT, 5, ""
            ),
        ),
        # a join that finds several rows, that finds none, or that may
        (
            "SELECT c.id, o.id, count(*) OVER () AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id ORDER BY c.id, o.id LIMIT 5",
            (
                "SELECT f.id, o.id, f.n FROM (SELECT c.id, count(*) OVER () AS n FROM cust c ORDER BY c.id LIMIT 5) f"
                " LEFT JOIN ord o ON o.cust = f.id ORDER BY f.id, o.id LIMIT 5"
            ),
        ),
        (
            "SELECT c.id, count(*) OVER () AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id ORDER BY c.id LIMIT 5",
            (
                "SELECT f.id, f.n FROM (SELECT c.id, count(*) OVER () AS n FROM cust c ORDER BY c.id LIMIT 5) f"
                " LEFT JOIN ord o ON o.cust = f.id ORDER BY f.id LIMIT 5"
            ),
        ),
        (
            "SELECT o.id, c.name, count(*) OVER () AS n FROM ord o JOIN cust c ON c.id = o.cust ORDER BY o.id LIMIT 5",
            (
                "SELECT f.id, c.name, f.n FROM (SELECT o.id, o.cust, count(*) OVER () AS n FROM ord o ORDER BY o.id LIMIT 5) f"
                " JOIN cust c ON c.id = f.cust ORDER BY f.id LIMIT 5"
            ),
        ),
        # only rows without a partner are shown, all are counted
        (
            "SELECT v.id, count(*) OVER () AS n FROM visit v LEFT JOIN store s ON s.id = v.store WHERE s.id IS NULL ORDER BY v.id LIMIT 5",
            (
                "SELECT f.id, f.n FROM (SELECT v.id, v.store, count(*) OVER () AS n FROM visit v ORDER BY v.id LIMIT 5) f"
                " LEFT JOIN store s ON s.id = f.store WHERE s.id IS NULL ORDER BY f.id LIMIT 5"
            ),
        ),
        # the total decides what is joined
        (
            LOOKED_UP.format(COUNT),
            LOOKED_UP_LATE.format(COUNT).replace("s.id = f.store", "s.id = f.n"),
        ),
        # pages of groups are counted before or after they are cut
        (
            "SELECT c.id, count(o.id) AS k, count(*) OVER () AS n FROM cust c LEFT JOIN ord o ON o.cust = c.id GROUP BY c.id ORDER BY c.id LIMIT 5",
            (
                "SELECT f.id, count(o.id) AS k, f.n FROM (SELECT c.id, count(*) OVER () AS n FROM cust c ORDER BY c.id LIMIT 3) f"
                " LEFT JOIN ord o ON o.cust = f.id GROUP BY f.id, f.n ORDER BY f.id LIMIT 5"
            ),
        ),
    ],
)
@pytest.mark.parametrize("turned", TURNED)
def test_other_totals_beside_a_page_are_not_proved(whole: str, cut: str, turned: bool) -> None:
    assert by_parts(*((cut, whole) if turned else (whole, cut)), 0.5) is None


@pytest.mark.parametrize(
    ("total", "left"),
    [
        ("row_number() OVER (ORDER BY l.day)", {"tie-order"}),
        ("lag(l.qty) OVER (ORDER BY l.day)", {"tie-order"}),
        ("string_agg(l.note, ',') OVER ()", {"tie-order"}),
        ("sum(l.qty::float8) OVER ()", {"float-order"}),
        ("max(l.price / l.qty) OVER ()", {"errors"}),
    ],
)
def test_totals_that_depend_on_the_order_keep_their_reservation(total: str, left: set[str]) -> None:
    found = by_parts(TOTALS.format(total, "", ""), PAGES.format("f.n", total, 7, ""), 1.5)
    assert found is None or left <= found


LATE = (
    "SELECT f.ord, f.num, p.brand, f.n FROM (SELECT l.ord, l.num, l.part, count(*) OVER () AS n FROM line l"
    " WHERE l.qty < 9 ORDER BY l.ord, l.num LIMIT {}) f JOIN part p ON p.id = f.part {} ORDER BY {}"
)
EARLY = TOTALS.format(COUNT, "", "").replace("LIMIT 5", "LIMIT {}")
LATE_STORES = (
    "SELECT f.id, {} FROM (SELECT v.id, v.store, count(*) OVER () AS n FROM visit v ORDER BY v.id LIMIT 4 OFFSET 2) f"
    " LEFT JOIN {} ORDER BY f.id"
)
STORES = "SELECT v.id, {}, count(*) OVER () AS n FROM visit v LEFT JOIN {} ORDER BY v.id LIMIT 4 OFFSET 2"


def test_the_page_is_taken_within_and_nothing_is_left_to_cut() -> None:
    pair = EARLY.format("5 OFFSET 3"), LATE.format("5 OFFSET 3", "", "f.ord, f.num")
    assert by_parts(*pair, 60) == set()
    joined = "store s ON s.id = {}.store"
    pair = STORES.format("s.city", joined.format("v")), LATE_STORES.format("s.city, f.n", joined.format("f"))
    assert by_parts(*pair, 60) == set()


@pytest.mark.parametrize(
    ("whole", "page"),
    [
        (EARLY.format("5 OFFSET 3"), LATE.format("5 OFFSET 2", "", "f.ord, f.num")),
        (EARLY.format("5 OFFSET 3"), LATE.format("8", "", "f.ord, f.num")),
        (EARLY.format("5"), LATE.format("5", "", "f.ord DESC, f.num")),
        (EARLY.format("5"), LATE.format("5", "AND p.size > 1", "f.ord, f.num")),
        (EARLY.format("5"), LATE.format("5", "AND f.n > 1", "f.ord, f.num")),
        (
            TOTALS.format(COUNT, "AND p.size > 1", ""),
            LATE.format("5", "AND p.size > 1", "f.ord, f.num"),
        ),
        (
            STORES.format("s.id", "sale s ON s.cust = v.cust"),
            LATE_STORES.format("s.id, f.n", "sale s ON s.cust = f.id"),
        ),
        (
            STORES.replace("v.store", "v.cust").format("s.id", "ord s ON s.cust = v.cust"),
            LATE_STORES.replace("v.store", "v.cust").format("s.id, f.n", "ord s ON s.cust = f.cust"),
        ),
        (
            STORES.replace(", count(*) OVER () AS n", "").format("s.id", "ord s ON s.cust = v.cust"),
            LATE_STORES.replace("v.store", "v.cust").format("s.id", "ord s ON s.cust = f.cust"),
        ),
    ],
)
@pytest.mark.parametrize("turned", TURNED)
def test_other_pages_taken_within_are_not_proved(whole: str, page: str, turned: bool) -> None:
    assert by_parts(*((page, whole) if turned else (whole, page)), 0.5) is None
