"""Keys of grouping sets stay apart in every form of a pair, however alike what they show is: pairs that are the
same, and the nearest that are not.
"""

from __future__ import annotations

import json

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.recheck.views.table import VIEWS, begun, changed, opened
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create table t (id int primary key, k int, m int, d date, x text);
create table o (id int primary key, t int not null references t);
"""
CATALOG = catalog_from_ddl(SCHEMA)
_TWICE = "select k as a, k as b, id from t"
_LIKE, _STARTS = "x like 'ab%'", "starts_with(x, 'ab')"
_SETS = "grouping sets (({0}), ({1}))"

SAME = (
    (
        "select d.a, d.b, count(*) from (select k as a, m as b from t) d group by rollup (d.a, d.b)",
        "select k, m, count(*) from t group by rollup (k, m)",
    ),
    (
        "with d as (select k as a, m as b, id from t) select a, b, sum(id) from d group by grouping sets ((a), (b), ())",
        "select k, m, sum(id) from t group by grouping sets ((k), (m), ())",
    ),
    (
        "select k, m, count(*) from t where id in (1, 2) group by cube (k, m)",
        "select k, m, count(*) from t where id = any ('{1,2}') group by cube (k, m)",
    ),
    (
        f"select d.a, d.b, count(*) from ({_TWICE}) d group by d.a, d.b",
        "select k, k, count(*) from t group by k",
    ),
)
# each shows NULLs that the other does not, or other groups
OTHER = {
    "one column shown as two": (
        f"select d.a, d.b, count(*) from ({_TWICE}) d group by {_SETS.format('d.a', 'd.b')}",
        f"select k, k, count(*) from t group by {_SETS.format('k', 'k')}",
    ),
    "one column shown as two, of one side": (
        f"select d.a, d.b, count(*) from ({_TWICE}) d group by {_SETS.format('d.a', 'd.b')}",
        f"select d.a, d.a, count(*) from ({_TWICE}) d group by {_SETS.format('d.a', 'd.a')}",
    ),
    "one column of a CTE as two": (
        f"with d as ({_TWICE}) select d.a, d.b, count(*) from d join o on o.t = d.id group by cube (d.a, d.b)",
        "select t.k, t.k, count(*) from t join o on o.t = t.id group by cube (t.k, t.k)",
    ),
    "which set it is": (
        f"select d.a, grouping(d.a, d.b) from ({_TWICE}) d group by rollup (d.a, d.b)",
        f"select d.a, grouping(d.a, d.a) from ({_TWICE}) d group by rollup (d.a, d.b)",
    ),
    "constants in keys": (
        f"select k + (1 + 1), k + 2, count(*) from t group by {_SETS.format('k + (1 + 1)', 'k + 2')}",
        f"select k + 2, k + 2, count(*) from t group by {_SETS.format('k + 2', 'k + 2')}",
    ),
    "patterns as keys": (
        f"select x like 'ab%', starts_with(x, 'ab') from t group by {_SETS.format(_LIKE, _STARTS)}",
        f"select x like 'ab%', x like 'ab%' from t group by {_SETS.format(_LIKE, _LIKE)}",
    ),
    "equations either way round": (
        f"select k = m, m = k, count(*) from t group by {_SETS.format('k = m', 'm = k')}",
        f"select k = m, k = m, count(*) from t group by {_SETS.format('k = m', 'k = m')}",
    ),
    "a key within an expression over another": (
        "select d.a + 1, count(*) from (select k as a, m as b from t) d group by grouping sets ((d.a), (d.b))",
        "select k + 1, count(*) from t group by grouping sets ((k), (k + 1))",
    ),
}


def _bound(first: str, second: str) -> Binding:
    return Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)


@pytest.mark.parametrize(("first", "second"), SAME)
def test_keys_that_stay_apart_are_put_in_their_places(first: str, second: str) -> None:
    both = _bound(first, second)
    found = prove_pair(both, CATALOG, 20.0).proved
    assert found is not None
    assert not found.modulo
    document = certificate(found, Texts(SCHEMA, first, second), both)
    assert recheck(json.dumps(document).encode()).word == "good"


@pytest.mark.parametrize("name", OTHER)
def test_keys_do_not_become_one(name: str) -> None:
    assert prove_pair(_bound(*OTHER[name]), CATALOG, 5.0).proved is None


@pytest.mark.parametrize("name", OTHER)
def test_no_form_of_the_recheck_makes_keys_one(name: str) -> None:
    both = _bound(*OTHER[name])
    start = opened(begun(both.original, both.candidate, CATALOG))
    for form in VIEWS:
        made = changed(start, form)
        assert made is None or not all(a == b for a, b in made.pairs)
