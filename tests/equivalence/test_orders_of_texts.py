"""Texts that are chosen by one order and compared by another: nothing is taken apart that only looks alike.

``greatest(s, w) < 'b' collate "C"``: the greatest in the database's order, compared by bytes. Where the
database sorts as people do, the other one may be behind the bound.
"""

from __future__ import annotations

import pytest

from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.views.counts import counts
from rewright.equivalence.recheck.views.stating import Changes
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl(
    'create table o (id int primary key, s text not null, w text not null, c text collate "C", e text collate "C")'
)
TEXTS = "s is not null and w is not null and "
BYTES = "c is not null and e is not null and "
EQUAL = (
    (f"{TEXTS} greatest(s, w) < 'b'", f"{TEXTS} s < 'b' and w < 'b'"),
    (f"{BYTES} least(c, e) >= 'B'", f"{BYTES} c >= 'B' and e >= 'B'"),
    (f"{BYTES} greatest(c, e) < 'b' collate \"C\"", f"{BYTES} c < 'b' and e < 'b'"),
)
DIFFERENT = (
    (
        f"{TEXTS} greatest(s, w) < 'a' collate \"C\"",
        f"{TEXTS} s < 'a' collate \"C\" and w < 'a' collate \"C\"",
    ),
    (f"{TEXTS} least(s, w) > 'Z' collate \"C\"", f"{TEXTS} s > 'Z' collate \"C\" and w > 'Z' collate \"C\""),
    (
        f"{BYTES} greatest(c, e) < 'b' collate \"default\"",
        f"{BYTES} c < 'b' collate \"default\" and e < 'b' collate \"default\"",
    ),
    (
        f"{BYTES} least(c, e) >= (select 'b') collate \"default\"",
        f"{BYTES} c >= (select 'b') collate \"default\" and e >= (select 'b') collate \"default\"",
    ),
)


def _binding(pair: tuple[str, str]) -> Binding:
    one, other = (bind(f"select id from o where {w}", CATALOG) for w in pair)
    return Binding(one, other, CATALOG)


@pytest.mark.parametrize("pair", EQUAL)
def test_an_extreme_is_compared_as_each_in_its_own_order(pair: tuple[str, str]) -> None:
    assert prove_pair(_binding(pair), CATALOG, 10).proved is not None


@pytest.mark.parametrize("pair", DIFFERENT)
def test_an_extreme_of_another_order_is_left_whole(pair: tuple[str, str]) -> None:
    binding = _binding(pair)
    assert prove_pair(binding, CATALOG, 10).proved is None
    # nor does the recheck take it apart
    first, second = (counts(q, Changes(CATALOG, q)) for q in (binding.original, binding.candidate))
    assert first != second
