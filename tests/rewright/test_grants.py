"""The statements of docs/guide/grants.md are enough for everything that the optimiser does, and are not more
than that.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.config.model import Config, StoreSection
from rewright.doctor import examine
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import Session, SessionError
from rewright.hints.recommend import Options, recommend
from rewright.rewrite.adapters.live import connected
from rewright.rewrite.model import Settings
from rewright.wiring import guards

pytestmark = pytest.mark.server

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "grants.md"
WORLD = """
create table dept (id int primary key, name text not null);
create table emp (id int primary key, dept int not null references dept, salary int not null);
insert into dept select g, 'd' || g from generate_series(1, 20) g;
insert into emp select g, 1 + g % 20, g from generate_series(1, 3000) g;
create view paid as select e.id, d.name from emp e join dept d on d.id = e.dept;
analyze;
"""
SLOW = "select distinct id, salary from emp where salary > 10"


@pytest.fixture(params=["everything", "by schema"])
def optimiser(request: pytest.FixtureRequest, scratch_server: ScratchServer, database: str) -> Iterator[str]:
    first, by_schema = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    role, password = "optimiser_by_the_book", secrets.token_hex(16)
    script = (
        first if request.param == "everything" else first.replace("grant pg_read_all_data", "-- ") + by_schema
    )
    script = script.replace("rewright_optimiser", role).replace("database app", f"database {database}")
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as owner:
        owner.execute(WORLD.encode())
        owner.execute(script.replace("'...'", f"'{password}'").encode())
        yield make_conninfo(scratch_server.dsn(database), user=role, password=password)
        owner.execute(f"drop owned by {role}; drop role {role}".encode())


def test_the_page_grants_enough(optimiser: str) -> None:
    with connected(optimiser, None) as rewriter:
        outcome = rewriter.optimise(SLOW, settings=Settings(measure="explain"))
    assert outcome.best is not None, outcome.reason
    with Session(optimiser) as session:
        catalog = snapshot(session.connection)
        replacement = outcome.best.checked.candidate.sql
        guard = guards.capture(session, SLOW, replacement, catalog)
        assert guards.holds(session, guard)
        assert session.run(replacement).digest == session.run(SLOW).digest
        assert session.run("select * from paid").rows == 3000
    with HintingSession(optimiser) as session:
        found = recommend(session, "select * from emp e join dept d on d.id = e.dept", Options(run_seconds=2))
        assert "does not plan" not in found.reason


def test_the_page_grants_no_more(optimiser: str, tmp_path: Path) -> None:
    config = Config(store=StoreSection(url=str(tmp_path / "store.db")))
    about_it = [one for one in examine(config, optimiser) if one.subject == "--dsn"]
    assert not [one for one in about_it if one.status == "failed"]
    assert not [one for one in about_it if "SELECT only" in one.message or "SELECT is enough" in one.message]
    with psycopg.connect(optimiser, autocommit=True) as connection:
        for statement in ("delete from emp", "create table public.t (a int)", "create schema s"):
            connection.execute("set default_transaction_read_only = off")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


@pytest.mark.parametrize(
    ("right", "said"),
    [
        ("alter role {role} bypassrls", "bypasses row-level security"),
        ("alter role {role} createrole", "may create roles"),
        ("grant pg_write_all_data to {role}", "is a member of pg_write_all_data"),
        ("grant create on schema public to {role}", "may create in schema public"),
        ("grant insert on emp to {role}", "may write public.emp"),
        ("alter role {role} superuser", "is a superuser"),
    ],
)
def test_the_doctor_names_what_is_more(
    optimiser: str, scratch_server: ScratchServer, database: str, tmp_path: Path, right: str, said: str
) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as owner:
        owner.execute(right.format(role="optimiser_by_the_book").encode())
    config = Config(store=StoreSection(url=str(tmp_path / "store.db")))
    assert any(one.status == "note" and said in one.message for one in examine(config, optimiser))


def test_without_a_table_it_is_refused_and_named(
    optimiser: str, scratch_server: ScratchServer, database: str
) -> None:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as owner:
        owner.execute("create table secret (a int)")
        owner.execute("revoke pg_read_all_data from optimiser_by_the_book")
        owner.execute("revoke all on secret from optimiser_by_the_book")
    with Session(optimiser) as session, pytest.raises(SessionError, match="permission denied"):
        session.explain("select * from secret")
