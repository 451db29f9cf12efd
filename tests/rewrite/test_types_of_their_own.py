"""Databases with enums, domains, extensions, partitions and schemas of their own are worked on like any
other.
"""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from rewright.cli import rewright
from rewright.engines.postgres.scratch import ScratchServer

pytestmark = [pytest.mark.server, pytest.mark.long]

SETUP = """
create schema app;
create extension citext schema app;
create type app.status as enum ('new', 'paid', 'sent');
create domain app.email as app.citext check (value like '%@%');
create table app.client (id bigserial primary key, mail app.email not null unique, tags text[] default '{}', attrs jsonb);
create table app.orders (id bigint primary key, client bigint references app.client, status app.status not null, total numeric(12,2))
  partition by range (id);
create table app.orders_1 partition of app.orders for values from (0) to (5000);
create table app.orders_2 partition of app.orders for values from (5000) to (100000);
create function app.twice(x numeric) returns numeric language sql immutable as 'select 2 * x';
create view app.paid as select * from app.orders where status = 'paid';
insert into app.client (mail, attrs) select 'u' || i || '@x', jsonb_build_object('n', i % 7) from generate_series(1, 500) i;
insert into app.orders select i, 1 + i % 500, (array['new', 'paid', 'sent'])[1 + i % 3]::app.status, i % 97 from generate_series(1, 9000) i;
analyze;
"""
QUERIES = [
    "select o.id from app.orders o where o.status = 'paid' and o.total > (select avg(i.total) from app.orders i where i.client = o.client and i.status = 'paid')",
    "select c.id, (select count(*) from app.paid p where p.client = c.id) from app.client c where c.mail <> 'u1@x'::app.citext",
    "select c.id from app.client c where c.id in (select client from app.orders where status in ('new', 'sent') group by client having count(*) > 3)",
    "select status, sum(app.twice(total)) from app.orders where total between 3 and 5 group by status",
    "select c.id from app.client c where c.mail = 'U7@X' and c.tags @> array['x'] and (c.attrs->>'n')::int = 3",
]


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer, module_database: str) -> str:
    found = scratch_server.dsn(module_database)
    with psycopg.connect(found, autocommit=True) as connection:
        connection.execute(SETUP.encode())
    return found


@pytest.mark.parametrize("path", ["public", "app,public"])
def test_each_is_answered_with_a_reason_or_a_rewrite(dsn: str, path: str, tmp_path: Path) -> None:
    for number, sql in enumerate(QUERIES):
        text = sql if path == "public" else sql.replace("app.", "")
        (tmp_path / f"{number}.sql").write_text(text)
    inside = (
        f"{dsn}?options=-csearch_path%3D{path.replace(',', '%2C')}"
        if "://" in dsn
        else f"{dsn} options='-c search_path={path}'"
    )
    ran = CliRunner().invoke(
        rewright,
        ["rewrite", "--dsn", inside, str(tmp_path), "--json", "--budget", "6s", "--measure", "explain"],
    )
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert [
        d["reason"] for d in found if "Error" in (d["reason"] or "") or "failed" in (d["reason"] or "")
    ] == []
    assert found[0]["verdict"] == "proved"
    assert all(d["rewritten"] is None or "app." in d["rewritten"] or path != "public" for d in found)
    with psycopg.connect(inside) as connection:
        for d in found:
            if d["rewritten"]:
                answers = [
                    sorted(map(repr, connection.execute(d[k].encode()).fetchall()))
                    for k in ("original", "rewritten")
                ]
                assert answers[0] == answers[1]
