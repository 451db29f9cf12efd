"""`rewright rewrite --top` on Debian's PostgreSQL, whose version has no GENERIC_PLAN up to 15."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
import trustme
from click.testing import CliRunner

from rewright.cli import rewright
from tests.proxy.debian import DebianServer
from tests.rewright.serving import SAMPLE

pytestmark = [pytest.mark.server, pytest.mark.timeout(280), pytest.mark.usefixtures("process_set_up")]
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
        found = CliRunner().invoke(
            rewright,
            [
                "rewrite",
                "--dsn",
                admin,
                "--top",
                "1",
                "--config",
                str(config),
                "--measure",
                "explain",
                "--json",
            ],
        )
        assert found.exit_code == 0, found.output
        (document,) = json.loads(found.stdout)
        assert "sum(l_extendedprice)" in document["original"]
        assert document["rewritten"] or document["proposed"], document
