"""Extremes of CASE: of branches that all show the same decimals nothing is left to chance, of others something
is. Extremes of what passed between two moments are written in one way.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover.kept import read_kept
from rewright.equivalence.proving import Binding
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.test_breadth import PATIENT

CATALOG = catalog_from_ddl(
    "create table a (id int primary key, s int, k text, v numeric(12,4), x numeric(12,4), u numeric(9,2), w numeric,"
    " p timestamp, q timestamp, i interval)"
)


@pytest.mark.parametrize(
    ("shown", "like_each_other"),
    [
        ("when k = 'p' then v", True),
        ("when k = 'p' then v when k = 'q' then x else null", True),
        ("when k = 'p' then v when k = 'q' then u", False),
        ("when k = 'p' then v else 0", False),
        ("when k = 'p' then v else w", False),
        ("when k = 'p' then w", False),
        ("when k = 'p' then v * 1.0", False),
    ],
)
def test_an_extreme_of_case_is_left_to_chance_where_its_branches_look_different(
    shown: str, like_each_other: bool
) -> None:
    query = bind(f"select s, max(case {shown} end) m from a group by s", CATALOG)
    assert read_kept(query, extremes=True).shown is not like_each_other


@pytest.mark.parametrize(("column", "modulo"), [("v", ()), ("w", ("tie-order",))])
def test_pivots_by_case_and_by_filter_are_the_same(column: str, modulo: tuple[str, ...]) -> None:
    one = bind(f"select s, max({column}) filter (where k = 'p') m from a group by s", CATALOG)
    other = bind(f"select s, max(case when k = 'p' then {column} end) m from a group by s", CATALOG)
    proved = prove_pair(Binding(one, other, CATALOG), CATALOG, PATIENT).proved
    assert proved is not None
    assert proved.modulo == modulo


@pytest.mark.parametrize(
    ("span", "left_to_chance"),
    [
        ("q - p", False),
        ("case when k = 'p' then q - p else p - q end", False),
        ("i", True),
        ("age(q, p)", True),
        ("case when k = 'p' then q - p else i end", True),
    ],
)
def test_which_of_equal_spans_is_shown(span: str, left_to_chance: bool) -> None:
    one = bind(f"select s, min({span}) m from a group by s", CATALOG)
    other = bind(
        f"with w as materialized (select * from a) select s, min({span}) m from w group by s", CATALOG
    )
    proved = prove_pair(Binding(one, other, CATALOG), CATALOG, PATIENT).proved
    assert proved is not None
    assert ("tie-order" in proved.modulo) is left_to_chance
    assert read_kept(one, extremes=True).shown is left_to_chance


@pytest.mark.parametrize(("span", "left_to_chance"), [("q - p", False), ("i", True)])
def test_which_of_equal_spans_stands_for_a_group(span: str, left_to_chance: bool) -> None:
    one = bind(f"select {span} as d, count(*) from a group by {span}", CATALOG)
    other = bind(
        f"with w as materialized (select * from a) select {span} as d, count(*) from w group by {span}",
        CATALOG,
    )
    proved = prove_pair(Binding(one, other, CATALOG), CATALOG, PATIENT).proved
    assert proved is not None
    assert ("tie-order" in proved.modulo) is left_to_chance
