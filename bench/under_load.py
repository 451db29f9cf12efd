"""Are the rewrites that are found on a quiet machine found on a busy one? Ten slow queries, alone and beside
busy loops.

Owns its data (made by its own server), its queries and the load. `python -m bench.under_load --loops 8 --out
report.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Limits, Session
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.model import Settings

_DATA = """
create table customer (c_id int primary key, region int not null, note text);
create table orders (o_id int primary key, customer int not null references customer, day date not null, total numeric not null);
create table item (i_id int primary key, orders int not null references orders, product int not null, qty int not null, price numeric not null);
insert into customer select i, i % 25, case when i % 7 = 0 then 'n' || i end from generate_series(1, 1000) i;
insert into orders select i, 1 + i * 7 % 1000, date '2020-01-01' + i % 1500, i % 900 from generate_series(1, 10000) i;
insert into item select i, 1 + i * 13 % 10000, i % 500, i % 50, i % 97 from generate_series(1, 30000) i;
analyze;
"""
QUERIES = (
    "select sum(i.price) as s from item i where i.product < 20 and i.qty < (select 0.5 * avg(j.qty) from item j where j.product = i.product)",
    "select c.c_id, (select count(*) from orders o where o.customer = c.c_id) as n from customer c where c.region < 20",
    "select c.c_id, (select max(o.total) from orders o where o.customer = c.c_id) as m from customer c where c.region < 20",
    "select o.o_id from orders o where o.customer < 200 and o.total > (select avg(p.total) from orders p where p.customer = o.customer)",
    "select c.c_id from customer c where (select count(*) from orders o where o.customer = c.c_id) > 9",
    "select c.c_id from customer c where c.region < 20 and (select sum(o.total) from orders o where o.customer = c.c_id) > 4000",
    "select c_id from customer where region < 12 and c_id not in (select o.customer from orders o where o.total > 880)",
    "select o.o_id, (select sum(i.qty) from item i where i.orders = o.o_id) as q from orders o where o.o_id < 200",
    "select c.c_id, (select min(o.day) from orders o where o.customer = c.c_id) as d, (select max(p.day) from orders p where p.customer = c.c_id) as e from customer c where c.region < 12",
    "select i.i_id from item i where i.product < 12 and i.price = (select max(j.price) from item j where j.product = i.product)",
)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but use a processor."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in started:
            one.kill()
            one.wait()


def found(
    dsn: str,
    scratch: ScratchServer,
    observed: dict[str, float],
    budget: float,
    queries: Sequence[str],
    most: float = 600.0,
) -> list[dict[str, Any]]:
    """What comes of each query; the originals' times are those of the quiet machine."""
    results: list[dict[str, Any]] = []
    with connected(dsn, scratch, own=True) as rewriter:
        until = time.monotonic() + most
        for sql in queries:
            began = time.monotonic()
            if began > until:
                break
            outcome = rewriter.optimise(sql, observed_seconds=observed[sql], settings=Settings(budget=budget))
            results.append(
                {
                    "sql": sql,
                    "found": outcome.best is not None and outcome.servable,
                    "ratio": outcome.best.ratio if outcome.best else None,
                    "seconds": round(time.monotonic() - began, 2),
                    "first": outcome.first_verified,
                    "reason": outcome.reason,
                }
            )
            last = results[-1]
            print(
                f"{observed[sql]:6.2f} s  {last['found']!s:5} {last['ratio'] or 1:5.2f}", end="", flush=True
            )
            print(f" {last['seconds']:6.1f} s  {last['reason'][:80]}", flush=True)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loops", type=int, default=8)
    parser.add_argument("--budget", type=float, default=15.0)
    parser.add_argument(
        "--most", type=float, default=150.0, help="seconds under load, after which no query is begun"
    )
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with ScratchServer() as server:
        database = server.create_database()
        dsn = server.dsn(database)
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(_DATA)
        with Session(dsn, limits=Limits(statement=60.0), own=True) as session:
            observed = {sql: session.run(sql).duration for sql in QUERIES}
        quiet = found(dsn, server, observed, options.budget, QUERIES)
        there = [one["sql"] for one in quiet if one["found"]]
        with busy(options.loops):
            loaded = found(dsn, server, observed, options.budget, there, options.most)
    both = sum(one["found"] for one in loaded)
    report = {
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "loops": options.loops,
        "observed": list(observed.values()),
        "quiet": quiet,
        "loaded": loaded,
        "found_quiet": len(there),
        "tried_under_load": len(loaded),
        "found_under_load": both,
    }
    print(f"{both} of {len(loaded)} found under {options.loops} busy loops")
    if options.out is not None:
        options.out.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
