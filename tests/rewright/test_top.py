"""The most expensive queries of a server, as `rewrite --top`, `advise --top` and agents get them; on Debian's
PostgreSQL, whose version has no GENERIC_PLAN up to 15.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
import trustme
from click.testing import CliRunner
from mcp import Client

from rewright.cli import rewright
from rewright.mcp.server import make_server
from rewright.mcp.tools import Targets
from tests.proxy.debian import DebianServer
from tests.rewright.serving import SAMPLE

pytestmark = [
    pytest.mark.server,
    pytest.mark.timeout(280),
    pytest.mark.usefixtures("process_set_up"),
    pytest.mark.long,
]
SLOW = """select sum(l_extendedprice) from lineitem o
where l_quantity < (select 0.2 * avg(l_quantity) from lineitem i where i.l_partkey = o.l_partkey)
and l_orderkey < 200"""


def test_the_applications_queries_and_not_our_own(tmp_path: Path) -> None:
    certificate = trustme.CA().issue_cert("localhost")
    certificate.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    certificate.private_key_pem.write_to_path(tmp_path / "key.pem")
    settings = {"shared_preload_libraries": "pg_stat_statements"}
    with DebianServer(tmp_path / "cert.pem", tmp_path / "key.pem", settings=settings) as server:
        admin = f"host={server.home} port={server.port} user=postgres dbname=postgres"
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute("create extension pg_stat_statements")
            connection.execute(SAMPLE)
            connection.execute("create role rewright login")
            connection.execute("grant select on all tables in schema public to rewright, tester")
            connection.execute("analyze")
            # measuring runs of the optimiser's cost most, and are nobody's slow queries
            connection.execute("set role rewright")
            for _ in range(3):
                connection.execute(SLOW.replace("sum(l_extendedprice)", "count(l_extendedprice)"))
            connection.execute("set role tester")
            connection.execute(SLOW)
        config = tmp_path / "rewright.toml"
        config.write_text(
            f'[databases."*"]\ndsn = "{admin}"\n'
            f'optimiser_dsn = "host={server.home} port={server.port} user=rewright"\n'
        )
        report = tmp_path / "report.html"
        (rewritten,) = told(
            "rewrite", "--dsn", admin, "--top", "1", "--config", str(config), "--measure", "explain",
            "--report", str(report),
        )  # fmt: skip
        assert "sum(l_extendedprice)" in rewritten["original"]
        assert rewritten["rewritten"] or rewritten["proposed"], rewritten
        page = report.read_text()
        assert "1 statement: 1 rewritten" in page
        # its text, plans of both for all values of the parameters, and why both are the same
        for word in ("sum(l_extendedprice)", "SubPlan 1", "rows estimated", "There is a proof"):
            assert word in page, word
        (advised,) = told("advise", "--dsn", admin, "--top", "1", "--config", str(config), "--no-run")
        assert "sum(l_extendedprice)" in advised["original"]
        # without a configuration nobody knows the role
        (other,) = told("advise", "--dsn", admin, "--top", "1", "--no-run")
        assert "count(l_extendedprice)" in other["original"]
        (asked,) = told_to_agents(Targets(dsn=admin, config=str(config)))
        assert "sum(l_extendedprice)" in asked["query"]
        (asked,) = told_to_agents(Targets(dsn=admin))
        assert "count(l_extendedprice)" in asked["query"]


def told(*words: str) -> Any:
    found = CliRunner().invoke(rewright, [*words, "--json"])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def told_to_agents(targets: Targets) -> Any:
    async def asked() -> Any:
        async with Client(make_server(targets)) as client:
            return await client.call_tool("top_queries", {"limit": 1})

    found = asyncio.run(asked())
    assert not found.is_error, found.content
    return [json.loads(one.text) for one in found.content]
