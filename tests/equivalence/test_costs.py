"""Queries whose forms could grow without end: a search for a proof keeps to its time, whatever it is given.

Each pair is proved by nobody in time, or in a moment; what counts is that an answer comes.
"""

from __future__ import annotations

import time

import pytest

from rewright.equivalence.decomposition.abstraction import without_ctes
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.sql.algebra import Select
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl(
    "create table t (id int primary key, g int not null, a int not null, b int, s text not null)"
)
# of the processor, for a search that is given one; the binding and what is between two looks at the clock
# included, on a machine that is slow
_SECONDS = 10.0


def _chain(joins: int) -> str:
    """Each outer join may double the rows of those before it."""
    more = " ".join(f"left join t t{i} on t{i}.id = t{i - 1}.b" for i in range(1, joins + 1))
    return f"select t0.id from t t0 {more}"


def _inside_out(joins: int) -> str:
    """The right side of each outer join holds the next one."""
    text = f"t t{joins - 1} left join t t{joins} on t{joins}.id = t{joins - 1}.b"
    for i in reversed(range(joins - 1)):
        text = f"t t{i} left join ({text}) on t{i + 1}.id = t{i}.b"
    return f"select t0.id from {text}"


def _numbers(count: int, order: int = 1) -> str:
    return ", ".join(map(str, range(count)[::order]))


def _each(count: int, order: int = 1) -> str:
    return " and ".join(f"a <> {n}" for n in range(count)[::order])


def _beginnings(count: int, order: int = 1) -> str:
    return " or ".join(f"s like 'a{n}%'" for n in range(count)[::order])


def _doubling(levels: int) -> str:
    """CTEs each of which reads the one before twice."""
    parts = ["c0 as (select id, a from t)"]
    parts += [
        f"c{i} as (select x.id, y.a from c{i - 1} x join c{i - 1} y on x.id = y.id)"
        for i in range(1, levels + 1)
    ]
    return f"with {', '.join(parts)} select * from c{levels}"


PAIRS = {
    "outer joins in a chain": (_chain(30), "select id from t"),
    "outer joins inside one another": (_inside_out(24), "select id from t"),
    "a long list": (f"select id from t where a in ({_numbers(2000)})", f"select id from t where a in ({_numbers(2000, -1)})"),
    "many conditions": (f"select id from t where {_each(400)}", f"select id from t where {_each(400, -1)}"),
    "many beginnings": (f"select id from t where {_beginnings(200)}", f"select id from t where {_beginnings(200, -1)}"),
    "CTEs that double": (_doubling(25), "select id, a from t"),
}  # fmt: skip


@pytest.mark.parametrize("words", PAIRS)
def test_a_search_keeps_to_its_time(words: str) -> None:
    bound = bind_both(*PAIRS[words], CATALOG, ("public",))
    assert isinstance(bound, Binding)
    started = time.process_time()
    prove_pair(bound, CATALOG, 1.0)
    assert time.process_time() - started < _SECONDS


def test_ctes_that_double_too_often_stay() -> None:
    bound = bind_both(_doubling(25), _doubling(3), CATALOG, ("public",))
    assert isinstance(bound, Binding)
    assert without_ctes(bound.original) is None
    assert without_ctes(bound.candidate) is not None


def test_sets_of_one_group_by_are_told_apart_by_what_they_hold() -> None:
    columns = ", ".join(["id", "g", "a", "b", "s"] * 2)
    bound = bind(f"select count(*) from t group by distinct cube({columns})", CATALOG)
    assert isinstance(bound, Select)
    assert bound.group_by is not None
    assert len(bound.group_by) == len({frozenset(s) for s in bound.group_by}) == 2**5
