"""The doctor names what is missing, and the remedies work."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from rewright.config.model import Config, Database, StoreSection
from rewright.doctor import Finding, examine, grants
from rewright.engines.postgres.scratch import ScratchServer


def config(tmp_path: Path, **databases: Database) -> Config:
    return Config(store=StoreSection(url=str(tmp_path / "store.db")), databases=databases)


def test_a_database_without_an_optimiser(tmp_path: Path) -> None:
    found = list(examine(config(tmp_path, app=Database(dsn="postgresql://db/app"))))
    note = next(one for one in found if one.subject == "database app")
    assert note.status == "note"
    assert any("pg_read_all_data" in line for line in note.remedy)
    assert not [one for one in found if one.status == "failed"]


def test_a_store_and_a_server_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    broken = Config(
        store=StoreSection(url=str(tmp_path / "file" / "x.db")),
        databases={"app": Database(dsn="x", optimiser_dsn="postgresql://joe:hunter2@127.0.0.1:1/app")},
    )
    failed = [one for one in examine(broken) if one.status == "failed"]
    assert [one.subject for one in failed] == ["store", "database app"]
    assert not any("hunter2" in str(one) for one in failed)


@pytest.mark.server
def test_missing_grants_and_their_remedy(
    scratch_server: ScratchServer, database: str, tmp_path: Path
) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as owner:
        owner.execute('create table "Odd name" (a int)')
        dsn = scratch_server.unprivileged_dsn(database)
        failed = [one for one in examine(config(tmp_path), dsn) if one.status == "failed"]
        assert len(failed) == 1
        assert 'can\'t read public."Odd name"' in failed[0].message
        for statement in failed[0].remedy:
            owner.execute(statement.encode())
        assert not [one for one in examine(config(tmp_path), dsn) if one.status == "failed"]


@pytest.mark.server
def test_the_grants_we_print_are_sql(scratch_server: ScratchServer, database: str) -> None:
    with psycopg.connect(scratch_server.dsn(database)) as connection:
        for statement in grants(database, "some_role"):
            connection.execute(statement.encode())
        connection.rollback()


@pytest.mark.server
def test_statistics_of_others_and_their_remedy(
    scratch_server: ScratchServer, database: str, tmp_path: Path
) -> None:
    dsn = scratch_server.unprivileged_dsn(database)

    def told() -> list[Finding]:
        return [one for one in examine(config(tmp_path), dsn) if "--top" in one.message]

    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as owner:
        (absent,) = told()
        assert "pg_stat_statements is not installed" in absent.message
        # the extension's tables need no library to be loaded
        owner.execute(absent.remedy[-1].encode())
        (blind,) = told()
        assert "not a member of pg_read_all_stats" in blind.message
        (grant,) = blind.remedy
        owner.execute(grant.encode())
        try:
            assert told() == []
        finally:
            owner.execute(grant.replace("grant", "revoke").replace(" to ", " from ").encode())
