"""What columns say of their rows by what they are: values of a domain have met its CHECKs, a stored generated
column has the value of its expression. NULLs, children, casts and other tables of the same columns do not.
"""

from __future__ import annotations

import json

import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.api import Checker
from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.options import Options
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved, Refuted
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create domain pos as int check (value > 0);
create domain small as pos check (value < 10) check (value <> 7);
create table g (id int primary key, a int not null check (a between 0 and 100),
    b int generated always as (a * 2) stored, odd boolean generated always as (a % 2 = 1) stored,
    q pos not null, p pos, s small);
create table k (id int primary key, n int not null check (n between 0 and 1000), m int check (m > 0), z int,
    w int check (w <> 0), c int not null check (c >= 0), u numeric(8, 2) check (u > 0),
    d date not null check (d between '1900-01-01' and '2100-01-01'), t timestamp check (t >= '1900-01-01'));
"""
COPY = "create table h (like g);"
PARTS = """
create table p (id int, a int not null, b int generated always as (a * 2) stored) partition by range (id);
create table p1 (id int, a int not null, b int generated always as (a * 3) stored);
alter table p attach partition p1 for values from (0) to (9);
"""
HELD = (
    ("", "select id from g where q > 0", "select id from g"),
    ("", "select id from g where p > 0", "select id from g where p is not null"),
    ("", "select id from g where s > 0 and s < 10 and s <> 7", "select id from g where s is not null"),
    ("", "select id from g where q < 1", "select id from g where false"),
    ("", "select id from g where b > 200", "select id from g where false"),
    ("", "select id, b from g where b = 10", "select id, b from g where b = 10 and a = 5"),
    ("create table h () inherits (g);", "select id from only g where b > 200", "select id from g g2 where false"),
    (COPY, "select id from h where q > 0", "select id from h"),
    ("create view v as select id, q + 0 as q, p from g;", "select id from v where p > 0", "select id from v where p is not null"),
    # nor does arithmetic fail that they leave no room to
    ("", "select id from g where b = a + a", "select id from g"),
    ("", "select id, a * 2 from g", "select id, b from g"),
    ("", "select id from k where n + 1 > 0", "select id from k"),
    ("", "select id from k where z / m = z / m", "select id from k where z is not null and m is not null"),
    ("", "select id from k where c / w = c / w", "select id from k where w is not null"),
    ("", "select id, 10.0 / u from k where 10.0 / u = 10.0 / u", "select id, 10.0 / u from k where u is not null"),
    ("", "select id from k where d + 7 > d", "select id from k"),
    ("", "select id from k where t - interval '2 hours' < t", "select id from k where t - interval '2 hours' < t and t is not null"),
    ("", "select z, count(*) filter (where t - interval '2 hours' > d) from k group by z", "select z, (select count(*) from k i where i.t - interval '2 hours' > i.d and i.z is not distinct from k.z) from k group by z"),
    ("", "select id from k where date_trunc('month', t) = timestamp '2024-01-01'", "select id from k where t >= timestamp '2024-01-01' and t < timestamp '2024-02-01'"),
)  # fmt: skip
FALLS = (
    ("", "select id from g where p > 0", "select id from g"),
    ("", "select id from g where q > 1", "select id from g"),
    ("", "select id from g where s <> 8", "select id from g where s is not null"),
    ("", "select id from g where b > 199", "select id from g where false"),
    ("", "select id, b from g where b = 10", "select id, b from g where b = 10 and a = 10"),
    ("create table h (b int generated always as (a * 3) stored) inherits (g);", "select id from g where b <> 12 or a = 6", "select id from g where b <> 12 or a in (4, 6)"),
    (
        PARTS,
        "select id from p where b <> 12 or a = 6",
        "select id from p where b <> 12 or a in (4, 6)",
    ),
    ("create table h (like g);", "select id from h where b <> 10 or a = 5", "select id from h"),
    ("", "select g.id from g left join g g2 on g2.id = g.id + 1 where g2.q > 0", "select g.id from g"),
    ("", "select (id - 3)::pos::int from g", "select id - 3 from g"),
)  # fmt: skip
# which numbers overflow is not looked for by chance
ROOM = (
    ("", "select id from g where a * 30000000 >= 0", "select id from g"),
    ("", "select id from k where z + 1 > 0", "select id from k where z > -1"),
    ("", "select id from k where c + 1 > 0", "select id from k"),
    ("", "select id from k where z / w = z / w", "select id from k where z is not null and w is not null"),
    ("", "select id from k where z / c = z / c", "select id from k where z is not null"),
    ("", "select z, count(*) filter (where t + interval '2 hours' > d) from k group by z", "select z, (select count(*) from k i where i.t + interval '2 hours' > i.d and i.z is not distinct from k.z) from k group by z"),
    ("", "select z, count(*) filter (where t - interval '9999 years' > d) from k group by z", "select z, (select count(*) from k i where i.t - interval '9999 years' > i.d and i.z is not distinct from k.z) from k group by z"),
    ("", "select id from k where d + 2147483647 > d", "select id from k"),
    ("create table j (n int check (n < 100) no inherit); create table i () inherits (j);", "select n from j where n + 2147483000 > 0", "select n from j where n > -2147483000"),
    ("create table j (n int); alter table j add check (n < 100) not valid;", "select n from j where n + 2147483000 > 0", "select n from j where n > -2147483000"),
)  # fmt: skip


def bound(extra: str, first: str, second: str) -> Binding:
    catalog = catalog_from_ddl(SCHEMA + extra)
    return Binding(bind(first, catalog), bind(second, catalog), catalog)


def proved(extra: str, first: str, second: str) -> Proved | None:
    both = bound(extra, first, second)
    return prove_pair(both, both.catalog, 10.0).proved


@pytest.mark.parametrize(("extra", "first", "second"), HELD)
def test_what_columns_say_is_used(extra: str, first: str, second: str) -> None:
    found = proved(extra, first, second)
    assert found is not None
    assert not found.modulo
    document = certificate(found, Texts(SCHEMA + extra, first, second), bound(extra, first, second))
    assert recheck(json.dumps(document).encode()).word == "good"


@pytest.mark.parametrize(("extra", "first", "second"), [*FALLS, *ROOM])
def test_what_they_do_not_say_is_not(extra: str, first: str, second: str) -> None:
    found = proved(extra, first, second)
    assert found is None or found.modulo


@pytest.mark.server
def test_what_they_do_not_say_is_refuted(scratch_server: ScratchServer) -> None:
    options = Options(prover=False, databases=1200, seconds=60.0, shrink=False)
    for extra, first, second in FALLS:
        with Checker(scratch=scratch_server, options=options, schema_sql=SCHEMA + extra) as checker:
            assert isinstance(checker.check(first, second), Refuted), (first, second)
