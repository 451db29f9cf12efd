"""Parents as their children, beside queries that read these: what is proved and rechecked, and what must not be."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create table event (id int not null, day date not null, kind text not null, primary key (id, day)) partition by range (day);
create table event_jan partition of event for values from ('2024-01-01') to ('2024-02-01');
create table event_feb partition of event for values from ('2024-02-01') to ('2024-03-01') partition by list (kind);
create table feb_a partition of event_feb for values in ('a');
create table feb_b (kind text not null, day date not null, id int not null);
alter table event_feb attach partition feb_b for values in ('b', 'c');
create table vehicle (id int primary key, plate text not null, seats int);
create table truck (tons numeric) inherits (vehicle);
create table van (primary key (id), cargo text) inherits (vehicle);
"""
CATALOG = catalog_from_ddl(SCHEMA)
# seconds for a proof, also on a machine that others use
PATIENT = 60
_HEIRS = """select id, plate from only vehicle where seats > 1 union all select id, plate from truck where seats > 1
    union all select id, plate from van where seats >= 2"""
_ALL = "select id, day, kind from event_jan union all select id, day, kind from event_feb"

EQUAL = (
    ("select id, day, kind from event", _ALL),
    (
        "select id, day, kind from event",
        _ALL.replace("event_feb", "feb_b union all select id, day, kind from feb_a"),
    ),
    ("select id from event where day >= '2024-02-01'", "select id from event_feb"),
    (
        "select id from event where kind = 'a' and day > '2024-02-01'",
        "select id from feb_a where day > '2024-02-01'",
    ),
    (
        "select kind, count(*) n from event group by kind",
        f"select kind, count(*) n from ({_ALL}) e group by kind",
    ),
    (
        "select v.id, e.kind from van v left join event e on e.id = v.id",
        f"select v.id, e.kind from van v left join ({_ALL}) e on e.id = v.id",
    ),
    ("select id, plate from vehicle where seats > 1", _HEIRS),
)
DIFFERENT = (
    ("select id, day, kind from event", "select id, day, kind from event_jan"),
    ("select id from event where day >= '2024-01-31'", "select id from event_feb"),
    ("select id from event where kind = 'a'", "select id from feb_a"),
    ("select id, plate from vehicle", "select id, plate from only vehicle"),
    ("select id, plate from vehicle", "select id, plate from truck union all select id, plate from van"),
    (
        "select id from vehicle",
        "select id from only vehicle union select id from truck union select id from van",
    ),
)


def _proved(first: str, second: str, catalog: Catalog = CATALOG) -> Proved | None:
    bound = bind_both(first, second, catalog, ("public",))
    assert isinstance(bound, Binding), bound
    return prove_pair(bound, catalog, PATIENT).proved


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_a_parent_is_what_its_children_hold(first: str, second: str) -> None:
    proved = _proved(first, second)
    assert proved is not None
    assert proved.modulo == ()
    assert any(fact.endswith("(children)") for fact in proved.assumptions)
    bound = bind_both(first, second, CATALOG, ("public",))
    assert isinstance(bound, Binding)
    outcome = recheck(json.dumps(certificate(proved, Texts(SCHEMA, first, second), bound)).encode())
    assert (outcome.word, outcome.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_leaves_one_out_is_not_proved(first: str, second: str) -> None:
    assert _proved(first, second) is None


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_the_children_of_a_live_schema_are_no_fact(first: str, second: str) -> None:
    assert _proved(first, second, replace(CATALOG, fixed=False)) is None


@pytest.mark.parametrize(
    "more",
    [
        "create table late partition of event for values from ('2025-01-01') to ('2026-01-01')",
        "create foreign table late partition of event for values from ('2025-01-01') to ('2026-01-01') server s",
        "alter table event_jan enable row level security",
        "create materialized view m as select 1 as one",
    ],
)
def test_one_more_child_or_one_that_is_not_seen_whole(more: str) -> None:
    first, second = EQUAL[0]
    catalog = catalog_from_ddl(f"{SCHEMA}; {more};")
    found = _proved(first, second, catalog)
    assert found is None or "materialized" in more


def test_what_both_read_in_the_same_places_keeps_the_keys_of_the_parent() -> None:
    query = "select distinct e.id, e.day, (select count(*) from event_jan j where j.id = e.id) n from event e"
    assert _proved(query, query.replace("distinct ", ""))


_COMPUTED = """
create table item (a int not null, big boolean generated always as (a > 5) virtual) partition by list (a);
create table item_6 (a int not null, big boolean generated always as (a > {other}) virtual);
alter table item attach partition item_6 for values in (6);
create table item_7 partition of item for values in (7);
"""


@pytest.mark.parametrize(("other", "proved"), [("5", True), ("6", False)])
def test_virtual_columns_are_computed_by_what_is_read(other: str, *, proved: bool) -> None:
    catalog = catalog_from_ddl(_COMPUTED.format(other=other))
    first, second = (
        "select a from item where big",
        "select a from item_6 where big union all select a from item_7 where big",
    )
    assert (_proved(first, second, catalog) is not None) == proved


_CHECKED = """
create table item (k int not null, a int not null, v int generated always as (nullif(a, 5)) virtual not null,
    z int generated always as (a) virtual check (z > 0), b int not null check (b > 0)) partition by list (k);
create table item_1 partition of item for values in (1);
create table thing (a int not null, v int generated always as (nullif(a, 5)) virtual not null,
    z int generated always as (a) virtual check (z > 0), b int not null check (b > 0));
"""


@pytest.mark.parametrize(
    ("asked", "less"),
    [
        ("select a, coalesce(v, 7) v from {}", "select a, v from {}"),
        ("select count(v) n, max(v) m from {}", "select count(*) n, max(v) m from {}"),
        ("select a, z from {} where z > 0", "select a, z from {} where z is not null"),
    ],
)
def test_constraints_of_virtual_columns_bind_what_is_computed_alike(asked: str, less: str) -> None:
    catalog = catalog_from_ddl(_CHECKED)
    # a partition's rows were checked as the partition computes them
    assert _proved(asked.format("item"), less.format("item"), catalog) is None
    # a table's own rows, and stored columns, are as they were checked
    assert _proved(asked.format("thing"), less.format("thing"), catalog) is not None
    stored = [x.format("item").replace("v)", "b)").replace("v,", "b,") for x in (asked, less)]
    stored = [x.replace(" v ", " b ").replace("z", "b") for x in stored]
    assert _proved(*stored, catalog) is not None
