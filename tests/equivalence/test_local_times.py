"""Nothing is proved where the planner may conclude something untrue: equations of instants with local times.

Two local times may be one instant. On a server the two queries of each pair answer differently.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.engines import clock
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certified import NotDerived, ways
from rewright.equivalence.proving import Binding
from rewright.equivalence.recheck import deriving
from rewright.equivalence.recheck.deriving import Pair
from rewright.equivalence.recheck.outcome import Refused
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts.local_times import concludes_wrongly
from tests.equivalence.text_pairs import prover

SCHEMA = """
create table ev (id int primary key, d date, ts timestamp, tz timestamptz, ts2 timestamp, tz2 timestamptz);
create table kts (id int primary key, ts timestamp not null unique);
create table kd (d date primary key, v int not null);
create table part (id int, d date not null) partition by range (d);
create table late partition of part for values from ('2011-12-31') to ('2025-01-01');
create table early partition of part for values from ('2000-01-01') to ('2011-12-31');
"""
CATALOG = catalog_from_ddl(SCHEMA)
proved = prover(CATALOG, 4.0)
NEW_YORK = """
set timezone = 'America/New_York';
insert into ev(id, ts, ts2, tz) values (1, '2024-03-10 02:30', '2024-03-10 03:30', '2024-03-10 07:30+00');
insert into kts values (1, '2024-03-10 02:30'), (2, '2024-03-10 03:30');
"""
APIA = """
set timezone = 'Pacific/Apia';
insert into kd values ('2011-12-30', 1), ('2011-12-31', 2);
insert into ev(id, tz) values (1, '2011-12-30 10:00+00');
"""
DIFFERENT = (
    (NEW_YORK, "select id from ev where ts = tz and tz = ts2", "select id from ev where tz = ts and tz = ts2"),
    (NEW_YORK, "select id from ev where tz = ts and tz = ts2", "select id from ev where tz = ts and tz between ts2 and ts2"),
    (
        NEW_YORK,
        "select a.id, b.id from kts a join ev on a.ts = ev.tz join kts b on b.ts = ev.tz",
        "select a.id, b.id from ev, kts a, kts b where ev.tz = a.ts and (ev.tz = b.ts) is true",
    ),
    (
        NEW_YORK,
        "select ev.id from ev where exists (select from kts where kts.ts = ev.tz)",
        "select ev.id from ev where (select count(*) from kts where kts.ts = ev.tz) > 0",
    ),
    (APIA, "select ev.id from ev left join kd on kd.d = ev.tz", "select ev.id from ev left join (select d from kd offset 0) k on k.d = ev.tz"),
    (APIA, "select ev.id from ev where tz in (select d from kd)", "select distinct ev.id from ev join kd on kd.d = ev.tz"),
)  # fmt: skip
WRONG = (
    "select id from ev where not (ts <> tz)",
    "select id from ev where (tz, id) = (ts, 1)",
    "select id from ev where tz in (ts, ts2)",
    "select id from ev where tz = date '2024-01-01' and ts = tz",
    "select ev.id from ev join part on part.d <= ev.tz",
    "select ev.id from ev where exists (select from (select distinct ts from kts) k where k.ts = ev.tz)",
)
RIGHT = (
    "select id from ev where ts::timestamptz = tz and ts2::timestamptz = tz",
    "select id from ev where ts < tz and tz < ts2",
    "select id from ev where tz = timestamp '2024-01-01' and id > 3",
    "select ev.id from ev join kd on kd.d = ev.d join kts on kts.ts = ev.ts",
    "select ev.id from ev join kd on kd.d = ev.ts and ev.tz = ev.tz2",
)


@pytest.mark.parametrize(("first", "second"), [pair[1:] for pair in DIFFERENT])
def test_nothing_is_proved_of_them(first: str, second: str) -> None:
    assert proved(first, second) is None
    both = Binding(bind(first, CATALOG), bind(second, CATALOG), CATALOG)
    # neither a form of the recheck is taken, nor a reading
    assert list(ways(both)) == [()]
    with pytest.raises((Refused, NotDerived)):
        deriving.read(Pair(both.original, both.candidate, CATALOG, clock.now() + 5), ())


@pytest.mark.parametrize("query", WRONG)
def test_what_may_be_concluded_is_seen(query: str) -> None:
    assert concludes_wrongly(bind(query, CATALOG), CATALOG)


@pytest.mark.parametrize("query", RIGHT)
def test_what_no_conclusion_is_drawn_from_is_proved(query: str) -> None:
    assert not concludes_wrongly(bind(query, CATALOG), CATALOG)
    found = proved(query, f"{query.replace(' where ', ' where (true) and ')}")
    assert found is not None
    assert not found.modulo


@pytest.mark.server
def test_the_server_answers_such_pairs_differently(
    scratch_server: ScratchServer, module_database: str
) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        for setup, first, second in DIFFERENT:
            connection.execute("drop schema public cascade; create schema public")
            connection.execute(f"{SCHEMA}{setup}".encode())
            one, other = (sorted(connection.execute(q.encode()).fetchall()) for q in (first, second))
            assert one != other, first
