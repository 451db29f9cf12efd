"""Rows are found for tables with columns of any type that may not be NULL, also of those that no query reads;
where none can be, nothing is said to be tested.
"""

from __future__ import annotations

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.options import Options
from rewright.equivalence.verdicts import Refuted, Unknown, Verdict

pytestmark = pytest.mark.server

_TYPES = {
    "numbers": "int2 int4 int8 numeric numeric(2,2) numeric(3,-2) float4 float8 money oid xid xid8 cid tid pg_lsn pg_snapshot",
    "texts": '"char" name char(1) varchar(1) bytea uuid json jsonb jsonpath tsvector tsquery inet cidr macaddr macaddr8',
    "bits": "bit bit(4) bit(33) varbit varbit(3) bool",
    "times": "date time timetz timestamp timestamptz interval",
    "shapes": "point line lseg box path polygon circle",
    "ranges": "int4range int8range numrange daterange tsrange tstzrange int4multirange nummultirange tstzmultirange",
    "arrays": "int[] bit(4)[] point[] uuid[] date[] interval[] jsonb[] mood[] pair[] int4range[] varchar(1)[] flags[]",
    "made here": "mood pair flags hundred three year place length",
}
_MADE = (
    "create type mood as enum ('b', 'a'); create type pair as (x int, y text); create domain flags as bit(4);"
    "create domain hundred as int check (value between 100000 and 100100); create domain place as point;"
    "create domain three as int[] check (cardinality(value) = 3);"
    "create domain year as date check (extract(year from value) = 1847);"
    "create domain length as text check (length(value) = 17);"
)


def _asked(scratch_server: ScratchServer, columns: str) -> Verdict:
    schema = f"{_MADE} create table t (id int primary key, {columns});"
    options = Options(seconds=20, prover=False)
    with Checker(scratch=scratch_server, options=options, schema_sql=schema) as checker:
        return checker.check("select id from t", "select id + 1 as id from t")


@pytest.mark.parametrize("kind", _TYPES)
def test_every_type_has_values(scratch_server: ScratchServer, kind: str) -> None:
    columns = ", ".join(f"c{n} {type_} not null" for n, type_ in enumerate(_TYPES[kind].split()))
    assert isinstance(_asked(scratch_server, columns), Refuted)


def test_a_table_that_nothing_fills_is_not_tested(scratch_server: ScratchServer) -> None:
    verdict = _asked(scratch_server, "x xml not null")  # which this server does not parse
    assert isinstance(verdict, Unknown)
    assert verdict.reason == "no value is known for t.x, which is never NULL"
