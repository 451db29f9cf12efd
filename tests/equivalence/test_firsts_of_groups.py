"""The first rows of groups, restricted: a choice among ties only where the order leaves ties. The greatest of
groups, by their maximum and by rank.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl(
    "create table c (id int primary key, kind text);"
    "create table o (id int primary key, c int not null references c, day date not null, price numeric not null);"
)
_ALL = (
    "select c.id, f.price from c left join (select distinct on (o.c) o.c, o.price from o order by o.c, {order}) f"
    " on f.c = c.id where c.kind = 'a'"
)
_SOME = _ALL.replace("from o order", "from o where o.c in (select d.id from c d where d.kind = 'a') order")
_EACH = (
    "select c.id, f.price from c, lateral (select o.price from o where o.c = c.id order by {order} limit 3) f"
)
_NUMBERED = (
    "select c.id, f.price from c, (select o.price, o.c, row_number() over (partition by o.c order by {order}) n"
    " from o) f where f.c = c.id and f.n <= 3"
)


def proof(original: str, candidate: str, order: str) -> Proved:
    first, second = (bind(t.format(order=order), CATALOG) for t in (original, candidate))
    proved = prove_pair(Binding(first, second, CATALOG), CATALOG, 10.0).proved
    assert proved is not None
    return proved


@pytest.mark.parametrize("order", ["o.day desc, o.id", "o.id", "o.day, o.price, o.id desc"])
@pytest.mark.parametrize(("original", "candidate"), [(_ALL, _SOME), (_EACH, _NUMBERED)])
def test_an_order_that_ends_with_the_key_leaves_no_choice(original: str, candidate: str, order: str) -> None:
    proved = proof(original, candidate, order)
    assert proved.modulo == ()
    assert any("o(id)" in fact for fact in proved.assumptions)


@pytest.mark.parametrize("order", ["o.day desc", "o.day, o.price"])
@pytest.mark.parametrize(("original", "candidate"), [(_ALL, _SOME), (_EACH, _NUMBERED)])
def test_another_order_leaves_one(original: str, candidate: str, order: str) -> None:
    assert proof(original, candidate, order).modulo == ("tie-order",)


@pytest.mark.parametrize(
    "type_", ["int", "numeric", "numeric(8,2)", "float8", "text", "char(4)", "timestamptz"]
)
def test_the_greatest_of_a_group_is_its_first_in_rank(type_: str) -> None:
    """Equal values may look different: the maximum is one of them, each has the first rank."""
    catalog = catalog_from_ddl(
        f"create table o (id int primary key, c int not null, price {type_} not null);"
    )
    first, second = (
        bind(text, catalog)
        for text in (
            "select id from o where price = (select max(p.price) from o p where p.c = o.c)",
            "select id from (select id, rank() over (partition by c order by price desc) n from o) f where n = 1",
        )
    )
    proved = prove_pair(Binding(first, second, catalog), catalog, 10.0).proved
    assert proved is not None
    assert proved.modulo == ()


@pytest.mark.parametrize(
    ("shown", "order", "left"),
    [
        ("o.day", "o.day desc", ()),
        ("o.day", "o.day desc, o.price", ()),
        ("o.day = date '2024-01-01'", "o.day desc", ()),
        ("o.price", "o.day desc", ("tie-order",)),
        ("o.id", "o.day desc", ("tie-order",)),
        # 1.0 and 1.00 tie and look different
        ("o.price", "o.price desc", ("tie-order",)),
    ],
)
def test_rows_that_tie_and_look_alike_leave_no_choice(shown: str, order: str, left: tuple[str, ...]) -> None:
    pair = (t.replace("o.price from", f"{shown} as price from") for t in (_ALL, _SOME))
    assert proof(*pair, order).modulo == left
