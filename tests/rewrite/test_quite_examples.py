"""The example queries of QUITE §1 (Figures 1 and 2): rewritten, or refused with a counterexample.

As printed, Figure 1 (b) leaves out the correlation on the date and is no equivalent of (a); with the
correlation left out of (a) as well, it is one. Misprinted aliases and columns are mended, output names made
the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.models.api import Reply, Request, Role
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.api import Rewriter
from rewright.rewrite.model import Settings

pytestmark = [pytest.mark.server, pytest.mark.long]

SETUP = """
create table prod (pid int primary key, brand int not null);
create table ttime (did int primary key, day int not null);
create table sale (id int primary key, pid int not null references prod, did int not null references ttime, amt int);
create table emp (empno int primary key, sal int);
insert into prod select i, i % 9 from generate_series(1, 200) i;
insert into ttime select i, i % 31 from generate_series(1, 60) i;
insert into sale select i, 1 + i % 200, 1 + i % 59, (i * 7919) % 1000 from generate_series(1, 4000) i;
insert into emp select i, (i * 31) % 30000 from generate_series(1, 60000) i;
analyze;
"""
QUICK = Settings(measure="both", trust="tested", rounds=1, check_seconds=4.0, width=2)
FROM = "FROM sale sl JOIN prod pr ON sl.pid = pr.pid JOIN ttime tm ON sl.did = tm.did"
BY_DATE = (
    f"SELECT SUM(sl.amt) AS total {FROM} WHERE sl.amt > (SELECT 1.3 * AVG(sa.amt) FROM sale sa"
    " JOIN ttime t ON sa.did = t.did WHERE sa.pid = pr.pid AND t.did = tm.did) LIMIT 100"
)
BY_PRODUCT = BY_DATE.replace(" AND t.did = tm.did", "")
WITH_CTE = (
    "WITH avgd AS (SELECT sl.pid, 1.3 * AVG(sl.amt) AS disc FROM sale sl JOIN ttime tm ON sl.did = tm.did GROUP BY sl.pid)"
    f" SELECT SUM(sl.amt) AS total {FROM} WHERE sl.amt > (SELECT disc FROM avgd av WHERE av.pid = sl.pid) LIMIT 100"
)
WITH_PROD = (
    "WITH iavg AS (SELECT pr.pid, 1.3 * AVG(sl.amt) AS disc FROM sale sl JOIN prod pr ON sl.pid = pr.pid"
    " JOIN ttime tm ON sl.did = tm.did GROUP BY pr.pid)"
    f" SELECT SUM(sl.amt) AS total {FROM} WHERE sl.amt > (SELECT disc FROM iavg iv WHERE iv.pid = pr.pid) LIMIT 100"
)
INTENT = (
    "SELECT SUM(CAST(t3.f1 * t4.sal AS bigint)) AS s FROM (SELECT sal, COUNT(*) AS f1 FROM emp GROUP BY sal) AS t3"
    " INNER JOIN (SELECT sal FROM emp GROUP BY sal) AS t4 ON t3.sal = t4.sal"
)


@pytest.fixture(scope="module")
def rewriter(scratch_server: ScratchServer, module_database: str) -> Iterator[Rewriter]:
    dsn = scratch_server.dsn(module_database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SETUP)
    with connected(dsn, scratch_server) as careful:
        yield careful.plain


@pytest.mark.parametrize("sql", [BY_DATE, BY_PRODUCT])
def test_figure_1_is_rewritten(rewriter: Rewriter, sql: str) -> None:
    outcome = rewriter.optimise(sql, settings=QUICK)
    document = outcome.to_json()
    assert document["verdict"] in {"proved", "tested"}, outcome.reason
    assert document["seconds_after"] < 0.5 * document["seconds_before"]


def test_figure_1_b_as_printed_is_refused_with_a_counterexample(rewriter: Rewriter) -> None:
    evidence = rewriter.ports.checker.check(BY_DATE, WITH_CTE, 20.0)
    assert evidence.level == "refuted"
    assert evidence.counterexample is not None
    assert evidence.counterexample["setup"]


@pytest.mark.parametrize("candidate", [WITH_CTE, WITH_PROD])
def test_figure_1_with_the_same_correlation_is_the_same_query(rewriter: Rewriter, candidate: str) -> None:
    assert rewriter.ports.checker.check(BY_PRODUCT, candidate, 20.0).level in {"proved", "tested"}


class Human:
    """What an expert would write (Figure 2 (c)), as a model's proposal; SUM's type is the original's."""

    def available(self, role: Role) -> bool:
        return role == "reasoning"

    def complete(self, request: Request) -> Reply:
        sql = "SELECT SUM(CAST(sal AS bigint)) AS s FROM emp"
        return Reply(json.dumps({"steps": [{"action": "sum directly", "category": "others", "sql": sql}]}))


def test_figure_2_is_rewritten_to_one_pass(rewriter: Rewriter) -> None:
    minded = Rewriter(replace(rewriter.ports, model=Human()))
    outcome = minded.optimise(INTENT, settings=QUICK)
    assert outcome.to_json()["rewritten"] is not None, outcome.reason
    assert outcome.report["plan"]["before"]["scans"] == {"emp": 2}
    assert outcome.report["plan"]["after"]["scans"] == {"emp": 1}
