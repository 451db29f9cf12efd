"""Recursions that go down the trees of a table: what must be proved of them, with good certificates, and the
nearest that must not.
"""

from __future__ import annotations

import json

import pytest

from rewright.equivalence.certificates import Texts, certify
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proof import check_proof
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create table n (id int primary key, p int, q int, v int, w int not null);
create table k (id int unique, p int);
create table d (id int primary key deferrable, p int);
create table b (id int primary key, p bigint);
create table o (id int primary key, n int, v int);
"""
CATALOG = catalog_from_ddl(SCHEMA)


def _tree(
    table: str = "n",
    *,
    all_: str = " all",
    first: str = "p is null",
    step: str = "s.p = r.id",
    more: str = "",
    read: str = "id, root from r",
) -> str:
    return (
        f"with recursive r(id, root) as (select id, id from {table} where {first} "
        f"union{all_} select s.id, r.root from r, {table} s{more} where {step}) select {read}"
    )


def _with(first: str, step: str, read: str = "id from r") -> str:
    return (
        f"with recursive r(id, x) as (select id, {first} from n where p is null "
        f"union all select s.id, {step} from r join n s on s.p = r.id) select {read}"
    )


_SWAPPED = (
    "with recursive r(root, id) as (select id, id from n where p is null "
    "union all select r.root, s.id from n s join r on r.id = s.p) select {}"
)
_NOTED = (
    "with recursive r(id, root, h) as (select id, id, w from n where p is null union "
    "select s.id, r.root, r.h from n s, r where s.p = r.id) select id, root from r"
)

# (held, first, second)
PAIRS = (
    (True, _tree(), _tree(all_="")),
    (True, _tree(first="p is null and v > 3"), _tree(first="v > 3 and p is null", all_="")),
    (True, _tree(step="s.p = r.id and s.v > 3"), _tree(step="s.v > 3 and r.id = s.p", all_="")),
    (True, _tree(), _NOTED),
    (True, _tree(), _SWAPPED.format("id, root from r")),
    (
        True,
        _tree(read="root, count(*) from r group by root"),
        _tree(read="root, count(distinct id) from r group by root"),
    ),
    (True, _tree(read="count(*) from r"), _tree(all_="", read="count(id) from r")),
    (True, _tree(read="distinct id, root from r"), _tree(read="id, root from r")),
    (True, _with("w", "s.w", "max(x), count(*) from r"), _with("w", "s.w", "max(x), count(x) from r")),
    # NULLs are as many as there are rows without an id
    (False, _tree("k"), _tree("k", all_="")),
    (False, _tree("d"), _tree("d", all_="")),
    # a child may be among the first, too
    (False, _tree(first="v is null"), _tree(first="v is null", all_="")),
    (False, _tree(first="p is null or v > 3"), _tree(first="p is null or v > 3", all_="")),
    (False, _tree(first="p is not null"), _tree(first="p is not null", all_="")),
    (False, _tree(first="q is null"), _tree(first="q is null", all_="")),
    # the parent is another column of the recursion, or not the table's
    (False, _tree(step="s.p = r.root"), _tree(step="s.p = r.root", all_="")),
    (False, _tree(step="s.p > r.id"), _tree(step="s.p > r.id", all_="")),
    (False, _tree(step="s.p = r.id or s.v = 1"), _tree(step="s.p = r.id or s.v = 1", all_="")),
    (False, _tree(step="s.id = r.id"), _tree(step="s.id = r.id", all_="")),
    (False, _tree("b"), _tree("b", all_="")),
    # a row is made several times by another table
    (False, _tree(more=", o"), _tree(more=", o", all_="")),
    (False, _tree(more=" join o on o.v = s.v"), _tree(more=" join o on o.v = s.v", all_="")),
    # roots are no keys
    (False, _tree(read="count(*) from r"), _tree(read="count(distinct root) from r")),
    (False, _tree(), _SWAPPED.format("root, id from r")),
    # rows as values show the order of their columns
    (False, _tree(read="r from r"), _SWAPPED.format("r from r")),
    (False, _tree(read="r::text from r"), _SWAPPED.format("r::text from r")),
    (False, _with("w", "s.v", "max(x), count(*) from r"), _with("w", "s.v", "max(x), count(x) from r")),
    (False, _with("v", "s.w", "max(x), count(*) from r"), _with("v", "s.w", "max(x), count(x) from r")),
)


@pytest.mark.parametrize(("held", "first", "second"), PAIRS)
def test_trees_are_trees(held: bool, first: str, second: str) -> None:
    before, after = (bind(text, CATALOG) for text in (first, second))
    found = prove_pair(Binding(before, after, CATALOG), CATALOG, 5.0).proved
    assert (found is not None and found.modulo == ()) == held
    if found is None or not held:
        return
    assert found.proof is not None
    assert check_proof(found.proof, before, after, CATALOG) is None
    assert not any("fixpoint" in str(fact) for fact in found.assumptions)
    document = certify(found, Texts(SCHEMA, first, second), CATALOG.digest(), 30.0)
    checked = recheck(json.dumps(document).encode(), 30.0)
    assert (checked.word, checked.reason) == ("good", "")
