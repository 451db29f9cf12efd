"""What is known of a schema is the same whether its text is read or the server that it was given to is asked.

But for texts of expressions and names, which the server writes in its own way, and for what only a text is
trusted with: partitions' bounds and lists that nobody adds to.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.equivalence.options import Options
from rewright.equivalence.proving import bind_both, prove_both
from rewright.sql.catalog import Catalog, Table
from rewright.sql.ddl import catalog_from_ddl

pytestmark = pytest.mark.server

FOLDER = Path(__file__).parent / "schema_facts"
FILES = sorted(f.stem for f in FOLDER.glob("*.txt"))
# equality of floats is another in GiST, and so may be that under another collation; a condition holds for
# some rows only, and an expression may be any function
NO_FACTS = """
create table f (id int primary key, x float8, s int4range, exclude using gist (x with =, s with &&));
create table c (id int primary key, x text, s int4range, exclude using gist (x collate "C" with =, s with &&));
create table w (id int primary key, x int, s int4range, exclude using gist (x with =, s with &&) where (x > 0));
create table e (id int primary key, x int, s int4range, exclude using gist ((x % 2) with =, s with &&));
create table m (id int primary key, r int4range, s int4range, exclude using gist (r with &&, s with &&));
create table d (id int primary key, x int, s int4range, exclude using gist (x with <>, s with &&));
create table i (id int primary key, x int, y int, s int4range, exclude using gist (x with <>, s with &&) include (y));
"""


def both(schema: str, server: ScratchServer, database: str) -> tuple[Catalog, Catalog]:
    with psycopg.connect(server.dsn(database), autocommit=True) as connection:
        connection.execute("drop schema if exists public cascade; create schema public")
        connection.execute("create extension btree_gist")
        connection.execute(schema.encode())
        return catalog_from_ddl(schema), snapshot(connection)


def facts(table: Table) -> dict[str, object]:
    """Without names and texts."""
    return {
        "columns": [(c.name, c.type, c.not_null, c.generated) for c in table.columns],
        "keys": sorted(repr(replace(k, name="", predicate="", expressions=())) for k in table.keys),
        "foreign keys": sorted(repr(replace(k, name="")) for k in table.foreign_keys),
        "checks": sorted(repr(replace(k, text="")) for k in table.checks),
        "tree": (table.parents, table.has_children, table.partition_of),
    }


@pytest.mark.parametrize("name", FILES)
def test_a_server_tells_what_the_text_does(
    name: str, scratch_server: ScratchServer, module_database: str
) -> None:
    schema, _, _ = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n\n")
    text, live = both(schema, scratch_server, module_database)
    assert text.relations
    for table in text.relations:
        assert facts(live.table(table.ref)) == facts(table)


def test_other_exclusions_tell_no_rows_apart(scratch_server: ScratchServer, module_database: str) -> None:
    text, live = both(NO_FACTS, scratch_server, module_database)
    for table in text.relations:
        found = live.table(table.ref)
        assert [k.primary for k in found.keys] == [k.primary for k in table.keys] == [True]
        # whoever makes a table like it has to know
        assert len(found.exclusions) == 1


def test_periods_of_a_live_schema_prove(scratch_server: ScratchServer, module_database: str) -> None:
    schema, _, _ = (FOLDER / "periods.txt").read_text(encoding="utf-8").partition("\n\n")
    _, live = both(schema, scratch_server, module_database)
    for joined in (
        "left join booking b on b.room = u.t and b.during @> u.n",
        "left join tariff t on t.id = u.t and t.valid @> u.day",
    ):
        pair = bind_both(f"select u.id from u {joined}", "select id from u", live, ("public",))
        assert not isinstance(pair, str)
        found = prove_both(pair, live, Options().prover_seconds).proved
        assert found is not None
        assert not found.modulo
