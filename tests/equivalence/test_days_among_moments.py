"""Days, and moments without a zone, compared with moments in one: by one order, whatever the session's zone."""

from __future__ import annotations

import itertools

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.proof import Proof, check_proof
from rewright.equivalence.prover import prove
from rewright.sql.binder import bind
from rewright.sql.ddl import catalog_from_ddl

CATALOG = catalog_from_ddl("""
create table b (id int primary key, d date, at timestamp, z timestamptz);
create table c (id int primary key, b int not null references b, paid timestamptz, said timestamp, due date);
""")
ASKED = "select id from b where exists (select 1 from c where c.b = b.id and {})"
EXTREME = "select id from b where (select {} from c where c.b = b.id) {}"
SAME = (
    (ASKED.format("c.paid > b.d"), EXTREME.format("max(c.paid)", "> b.d")),
    (ASKED.format("b.at >= c.paid"), EXTREME.format("min(c.paid)", "<= b.at")),
    (ASKED.format("c.said <= b.d"), EXTREME.format("min(c.said)", "<= b.d")),
    ("select id from b where not z > d and z is not null and d is not null", "select id from b where d >= z"),
    ("select id from b where z between at and at", "select id from b where at <= z and z <= at"),
)
DIFFERENT = (
    # what the server concludes from equations of two types is not always so
    ("select id from b where z = at", "select id from b where at <= z and z <= at"),
    (ASKED.format("c.paid > b.d"), EXTREME.format("min(c.paid)", "> b.d")),
    (ASKED.format("c.paid > b.d"), EXTREME.format("max(c.paid)", ">= b.d")),
    ("select id from b where z > d", "select id from b where z::date > d"),
    ("select id from b where z > d", "select id from b where z at time zone 'UTC' > d"),
    ("select id from b where at > d", "select id from b where z > d and at = z"),
    ("select id from b where z > d", "select id from b where z > d::timestamp at time zone 'UTC'"),
    ("select id from b where z = d", "select id from b where z::date = d"),
    ("select id from b where z > d and z > at", "select id from b where z > d and d >= at"),
)
ZONES = ("UTC", "Pacific/Apia", "America/Sao_Paulo", "Pacific/Kiritimati", "<a>+167<b>-167,M2.1.0,M9.1.0")
DAYS = ("-infinity", "4713-01-01 BC", "2011-12-30", "2018-11-04", "294276-12-31", "5874897-12-31", "infinity")
MOMENTS = (
    "-infinity", "4713-01-01 00:00:00+00 BC", "2011-12-29 23:59:59+00", "2011-12-30 10:00:00+00", "2018-11-04 02:59:59+00",
    "2018-11-04 03:00:00+00", "294276-12-31 00:00:00+00", "infinity",
)  # fmt: skip


@pytest.mark.parametrize("pair", SAME, ids=range(len(SAME)))
def test_comparisons_of_two_types_go_by_one_order(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, CATALOG) for text in pair)
    found = prove(q1, q2, CATALOG, deadline_seconds=120)
    assert isinstance(found, Proof)
    assert not found.modulo
    assert check_proof(found, q1, q2, CATALOG) is None


@pytest.mark.parametrize("pair", DIFFERENT, ids=range(len(DIFFERENT)))
def test_other_comparisons_are_not_proved(pair: tuple[str, str]) -> None:
    q1, q2 = (bind(text, CATALOG) for text in pair)
    assert not isinstance(prove(q1, q2, CATALOG, deadline_seconds=20), Proof)


@pytest.mark.server
@pytest.mark.parametrize("kind", ["date", "timestamp"])
def test_a_servers_comparisons_are_those_with_one_moment(scratch_server: ScratchServer, kind: str) -> None:
    with psycopg.connect(scratch_server.dsn(), autocommit=True) as connection:
        for zone, day in itertools.product(ZONES, DAYS):
            if kind == "timestamp" and day.startswith("5874897"):
                continue
            connection.execute(f"set timezone = '{zone}'".encode())
            rows = connection.execute(
                f"select z < d, z <= d, z = d, z >= d, z > d, d < z, d > z from (values ({kind} '{day}')) x (d), "
                f"unnest(%s::timestamptz[]) z order by z".encode(),
                (list(MOMENTS),),
            ).fetchall()
            # below it, then at most one moment that is it, then above it
            sides = [(below, same, above) for below, _, same, _, above, _, _ in rows]
            assert sides == sorted(sides, key=lambda s: s.index(True)), (zone, day)
            assert sum(same for _, same, _ in sides) <= 1
            for below, upto, same, from_, above, less, more in rows:
                assert (upto, from_, less, more) == (below or same, above or same, above, below)
                assert below + same + above == 1
