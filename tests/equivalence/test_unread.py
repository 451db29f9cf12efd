"""What nothing reads: outputs of subqueries that PostgreSQL never computes, and those that it does, may fail.

A pair of which one side computes such an output and the other does not is never proved without a reservation;
where neither does, it is proved without one. What the server does is asked of it, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.options import Options
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.binder import bind
from rewright.sql.binder.errors import Unsupported
from rewright.sql.ddl import catalog_from_ddl
from tests.equivalence.text_pairs import prover

pytestmark = pytest.mark.long

SCHEMA = "create table t (id int primary key, d int not null, b bigint not null, c text not null);"
CATALOG = catalog_from_ddl(SCHEMA)
# no row of these can be computed
ROWS = "insert into t select n, 0, 9223372036854775807, 'zz' from generate_series(1, 9) n"
FAILS = ("100 / d", "b * b", "c::int", "(select r.d from t r where r.id <> t.id)")
NEVER = {
    "the table": "t s",
    "plain": "(select id, {f} q from t) s",
    "fenced": "(select id, {f} q from t offset 0) s",
    "first rows": "(select distinct on (id) id, {f} q from t order by id) s",
    "lateral": "(select id, z.q from t, lateral (select {f} q) z) s",
    "values": "(select t.id, z.q from t, lateral (values ({f})) z(q)) s",
    "window": "(select id, count({f}) over (partition by id) q from t) s",
    "filter of a window": "(select id, count(*) filter (where {f} > 0) over (order by id) q from t) s",
    "union all": "(select id, {f} q from t union all select id, {f} from t where false) s",
    "read by what nothing reads": "(select id, q is null as q from (select id, {f} q from t) u) s",
}
COMPUTED = {
    "materialized": "(with m as materialized (select id, {f} q from t) select * from m) s",
    "read twice": "(with m as (select id, {f} q from t) select m.* from m join m n on n.id = m.id) s",
    "distinct": "(select distinct id, {f} q from t) s",
    "group key": "(select id, {f} q from t group by id, {f}) s",
    "union": "(select id, {f} q from t union select id, {f} from t) s",
    "except": "(select id, {f} q from t except select -1, {f} from t where false) s",
    "sorted": "(select id, {f} q from t order by {f}) s",
    "order of a window": "(select id, row_number() over (order by {f}) q from t) s",
    "partition of a window": "(select id, 1 + count(*) over (partition by {f}) q from t) s",
    "order by what a subquery computes": "(select id, rank() over (order by z) q from (select id, {f} z from t) u) s",
    "partition by id": "(select id, max(d) over (partition by id order by {f}) q from t) s",
    "window of a CTE": "(with m as (select id, row_number() over (order by {f}) q from t) select * from m) s",
    "union all that is cut": "(select id, {f} q from t union all select id, {f} from t where false limit 99) s",
}
AROUND = (
    "select s.id from {s}",
    "select s.id from {s} where s.id > 5",
    "select count(*) from {s}",
    "select o.id, s.id from t o join {s} on s.id = o.id",
    "select o.id from t o where exists (select 1 from {s} where s.id = o.d)",
    "select s.id from {s} order by s.id limit 3",
    "select o.id, s.id from t o left join {s} on s.id = o.id",
)


def cases(forms: dict[str, str]) -> Iterator[tuple[str, str]]:
    for (name, form), fails in product(forms.items(), FAILS):
        yield f"{name}, {fails}", form.format(f=fails)


proved = prover(CATALOG, 2.0)


@pytest.mark.server
def test_the_server_computes_some_and_others_not(scratch_server: ScratchServer, database: str) -> None:
    def fails(connection: psycopg.Connection[Any], query: str) -> bool:
        try:
            connection.execute(query.encode())
        except psycopg.Error:
            return True
        return False

    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        connection.execute(ROWS.encode())
        for wanted, forms in ((False, NEVER), (True, COMPUTED)):
            found = [(w, fails(connection, AROUND[0].format(s=form))) for w, form in cases(forms)]
            assert [w for w, failed in found if failed is not wanted] == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("fails", FAILS)
def test_what_is_computed_is_not_the_same_as_what_is_not(fails: str, around: str) -> None:
    wrong = []
    # each form once, with another partner in each context
    shift = AROUND.index(around) + FAILS.index(fails)
    never = list(NEVER.items())
    for number, (name, form) in enumerate(COMPUTED.items()):
        other, plain = never[(number + shift) % len(never)]
        pair = tuple(around.format(s=s.format(f=fails)) for s in (plain, form))
        found = [proved(*pair), proved(*reversed(pair))]
        wrong += [(other, name) for f in found if f is not None and not f.modulo]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(NEVER.keys() - {"the table"}))
def test_what_is_never_computed_keeps_nothing_from_being_proved(name: str) -> None:
    form = NEVER[name].format(f="100 / d")
    found = proved(AROUND[1].format(s=form), AROUND[1].format(s="t s"))
    assert found is not None
    assert found.modulo == ()


@pytest.mark.parametrize("name", ["plain", "window", "read by what nothing reads"])
def test_its_certificate_stands(name: str) -> None:
    first, second = AROUND[0].format(s=NEVER[name].format(f="100 / d")), AROUND[0].format(s="t s")
    both = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    found = prove_pair(both, CATALOG, 5.0).proved
    assert found is not None
    document = json.dumps(certificate(found, Texts(SCHEMA, first, second), both))
    assert recheck(document.encode()).word == "good"


@pytest.mark.parametrize(
    ("filtered", "reserved"),
    [("b * b", "overflow"), ("100 / d", "errors"), ("(select r.d from t r where r.id <> t.id)", "errors")],
)
def test_a_cte_is_computed_on_rows_that_nothing_asks_for(filtered: str, reserved: str) -> None:
    first = f"with m as materialized (select id, {filtered} q from t) select id, q from m where id > 5"
    second = f"select id, {filtered} from t where id > 5"
    for pair in ((first, second), (second, first)):
        found = proved(*pair)
        assert found is None or reserved in found.modulo


def test_whether_a_cte_is_computed_is_a_difference() -> None:
    computed = "with m as materialized (select id, 100 / d q from t) select id from m"
    found = proved(computed, computed.replace("as materialized", "as not materialized"))
    assert found is None or "errors" in found.modulo


def test_a_union_all_that_may_be_flattened_or_not_decides_nothing() -> None:
    unlike = "select s.id from (select id, 100 / d q from t union all select id, b from t where false) s"
    for other in ("select id from t", "select s.id from (select distinct id, 100 / d q from t) s"):
        found = proved(unlike, other)
        assert found is None or found.modulo


GENERATED = """
create table gen (id int primary key, x int not null, v int generated always as (10 / x) virtual);
"""


def test_generated_columns_are_computed_as_keys_of_windows() -> None:
    proved = prover(catalog_from_ddl(GENERATED), 5.0)
    for made in ("gen", "(select id, v from gen) u"):
        found = proved(
            f"select id from (select id, rank() over (order by v) q from {made}) s", "select id from gen"
        )
        assert found is None or "errors" in found.modulo
    found = proved("select id from (select id, v q from gen) s", "select id from gen")
    assert found is not None
    assert found.modulo == ()


@pytest.mark.parametrize("window", ["order by 10/d", "partition by 10/d", "order by id rows 1/0 preceding"])
def test_a_window_that_nothing_is_called_over_is_not_bound(window: str) -> None:
    with pytest.raises(Unsupported):
        bind(f"select id from t window w as ({window})", CATALOG)
    assert bind(
        f"select id, count(*) over v from t window w as ({window}), v as (w)".replace(
            "rows 1/0 preceding", ""
        ),
        CATALOG,
    )


def test_keys_of_unlike_windows_are_not_the_same() -> None:
    pair = [
        f"select id from (select id, count(*) over (order by {key}) q from t) s"
        for key in ("10/d", "10/(d - 1)")
    ]
    found = proved(pair[0], pair[1])
    assert found is None or "errors" in found.modulo
    found = proved(pair[0], pair[0].replace("count(*)", "sum(b)"))
    assert found is not None
    assert not {"errors", "overflow"} & set(found.modulo)


ROWED = """create type geo as (lat numeric, lon numeric);
create table sensor (sid int primary key, pos geo);"""


@pytest.mark.server
def test_a_row_of_nulls_is_null_and_distinct_from_null(scratch_server: ScratchServer) -> None:
    first = "select sid from sensor where pos is null"
    second = "select sid from sensor where pos is not distinct from null"
    with Checker(scratch=scratch_server, options=Options(seconds=4), schema_sql=ROWED) as checker:
        assert not isinstance(checker.check(first, second), Proved)
        same = checker.check(second, "select sid from sensor where not (null is distinct from pos)")
        assert isinstance(same, Proved)
