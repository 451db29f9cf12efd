"""Rules that tell by which statements they go: each step is a proof of its own, and the search hands them on."""

from __future__ import annotations

from itertools import pairwise

from rewright.engines import clock
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.rewrite.rules.apply import applications
from rewright.rewrite.rules.filter_cte import filter_cte
from rewright.rewrite.search.explore import propose
from rewright.sql.binder import bind
from rewright.sql.printing import to_sql
from tests.rewrite.sqlfixtures import catalog

# both users need the orders of one day: one by its join, the other by that one
QUERY = """
    WITH g AS (SELECT l.ord, l.part, sum(l.qty) AS n FROM line l GROUP BY l.ord, l.part)
    SELECT a.part, b.part AS other, sum(a.n) AS n FROM g a JOIN g b ON b.ord = a.ord AND b.part > a.part
    JOIN ord o ON o.id = a.ord WHERE o.day = 3 GROUP BY a.part, b.part
"""


def test_what_users_of_a_cte_need_is_asked_by_them_before_it_is_asked_within() -> None:
    start = bind(QUERY, catalog())
    (made,) = applications(start, catalog(), [filter_cte])
    assert len(made.way) == 1
    for before, after in pairwise((start, *made.way, made.query)):
        assert prove_pair(Binding(before, after, catalog()), catalog(), 20.0).proved is not None


def test_the_search_hands_on_the_way_of_a_step() -> None:
    start = bind(QUERY, catalog())
    (made,) = applications(start, catalog(), [filter_cte])
    deadline = clock.now() + 60.0
    found = list(propose(start, catalog(), cost=len, deadline=deadline, rules=[filter_cte]))
    assert [c.via for c in found] == [tuple(to_sql(q, catalog=catalog()) for q in made.way)]
