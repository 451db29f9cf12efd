"""Tables with row-level security that are read with other rights below a view: two tables, as far as proofs go."""

from __future__ import annotations

import json

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.certificates import Texts, certificate
from rewright.equivalence.decomposition.proving import prove_pair
from rewright.equivalence.prover.prove import Reason, prove
from rewright.equivalence.proving import Binding, bind_both
from rewright.equivalence.recheck.check import recheck
from rewright.equivalence.verdicts import Proved
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl

SCHEMA = """
create table note (id int primary key, author text not null);
alter table note enable row level security;
create policy own on note using (author = 'ann');
create view everyone as select id, author from note;
create view mine with (security_invoker = true) as select id, author from note;
create view beyond with (security_invoker = true) as select id, author from everyone;
create table free (id int primary key, author text not null);
create view all_free as select id, author from free;
"""
CATALOG = catalog_from_ddl(SCHEMA)
# seconds for a proof, also on a machine that others use
PATIENT = 60
EQUAL = (
    ("select id from mine", "select id from note"),
    ("select id from beyond", "select id from everyone"),
    ("select id from everyone where id > 3", "select id from everyone where not id <= 3"),
    ("select id from all_free", "select id from free"),
)
DIFFERENT = (
    ("select id from everyone", "select id from note"),
    ("select id from everyone", "select id from (select id, author from note) everyone"),
    ("select id from beyond", "select id from note"),
    ("select e.id from everyone e join note n on n.id = e.id", "select e.id from everyone e"),
    (
        "select id from all_free f where exists (select 1 from everyone e where e.id = f.id)",
        "select id from free f where exists (select 1 from note n where n.id = f.id)",
    ),
)


def _bound(first: str, second: str, catalog: Catalog = CATALOG) -> Binding:
    bound = bind_both(first, second, catalog, ("public",))
    assert isinstance(bound, Binding), bound
    return bound


def _proved(bound: Binding) -> Proved | None:
    return prove_pair(bound, bound.catalog, PATIENT).proved


@pytest.mark.parametrize(("first", "second"), EQUAL)
def test_what_is_read_with_the_same_rights(first: str, second: str) -> None:
    bound = _bound(first, second)
    proved = _proved(bound)
    assert proved is not None
    assert proved.modulo == ()
    outcome = recheck(json.dumps(certificate(proved, Texts(SCHEMA, first, second), bound)).encode())
    assert (outcome.word, outcome.reason) == ("good", "")


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_what_is_read_with_the_rights_of_a_views_owner(first: str, second: str) -> None:
    bound = _bound(first, second)
    assert isinstance(prove(bound.original, bound.candidate, CATALOG), Reason)
    assert _proved(bound) is None


def test_no_certificate_says_so_either() -> None:
    first, second = DIFFERENT[0]
    free = SCHEMA.replace("alter table note enable row level security;", "").replace(
        "create policy own on note using (author = 'ann');", ""
    )
    catalog = catalog_from_ddl(free)
    bound = _bound(first, second, catalog)
    proved = _proved(bound)
    assert proved is not None
    told = certificate(proved, Texts(free, first, second), bound)
    assert recheck(json.dumps(told).encode()).word == "good"
    forged = told | {"schema": SCHEMA, "catalog_digest": CATALOG.digest()}
    assert recheck(json.dumps(forged).encode()).word == "refused"


@pytest.mark.server
def test_a_server_tells_them_apart(scratch_server: ScratchServer, module_database: str) -> None:
    with psycopg.connect(scratch_server.dsn(module_database)) as connection:
        connection.execute(SCHEMA.encode())
        connection.execute(
            "insert into note values (1, 'ann'), (2, 'bob'); insert into free values (1, 'x'), (2, 'x')"
        )
        connection.execute("create role reader; grant select on all tables in schema public to reader")
        catalog = snapshot(connection)
        connection.execute("set role reader")
        for first, second in EQUAL:
            assert connection.execute(first).fetchall() == connection.execute(second).fetchall()
            assert _proved(_bound(first, second, catalog)) is not None
        for first, second in DIFFERENT:
            seen = {tuple(sorted(connection.execute(q).fetchall())) for q in (first, second)}
            # names of the two queries apart, one tree each
            assert len(seen) == 2
            assert _proved(_bound(first, second, catalog)) is None
        connection.rollback()
