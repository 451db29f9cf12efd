"""The binder and the printer against a real server: types, names, rows and refusals are the server's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from rewright.sql.algebra import Param, Query, output_columns
from rewright.sql.binder import BindError, bind
from rewright.sql.binder.coerce import base_of
from rewright.sql.catalog import Catalog
from rewright.sql.ddl import catalog_from_ddl
from rewright.sql.facts import Facts
from rewright.sql.printing import to_sql
from rewright.sql.types import SqlType
from rewright.sql.walk import all_exprs_of_query, canonical

pytestmark = pytest.mark.server

CORPUS = Path(__file__).parent / "corpus"
SCHEMA = (CORPUS / "schema.sql").read_text()
QUERIES = (CORPUS / "queries.sql").read_text().splitlines()
ERRORS = (CORPUS / "errors.sql").read_text().splitlines()
Described = list[tuple[str, str, int]]


@pytest.fixture(scope="module")
def connection(
    scratch_server: ScratchServer, module_database: str
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as conn:
        conn.execute(SCHEMA.encode())
        conn.execute((CORPUS / "data.sql").read_bytes())
        # one transaction: now() stands still
        conn.execute("begin")
        yield conn


@pytest.fixture(scope="module")
def types(connection: psycopg.Connection[tuple[object, ...]]) -> dict[int, str]:
    rows = connection.execute("select oid::int, typname from pg_type").fetchall()
    return {int(str(oid)): str(name) for oid, name in rows}


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_from_ddl(SCHEMA)


def _error(result: psycopg.pq.abc.PGresult) -> str | None:
    state = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    return state.decode() if state else None


class Server:
    def __init__(self, connection: psycopg.Connection[tuple[object, ...]], types: dict[int, str]) -> None:
        self.raw = connection.pgconn
        self.types = types
        connection.execute("savepoint s")

    def refusal(self, text: str) -> str | None:
        found = _error(self.raw.prepare(b"", text.encode()))
        if found:
            self.raw.exec_(b"rollback to s")
        return found

    def describe(self, text: str) -> Described:
        assert self.refusal(text) is None, text
        result = self.raw.describe_prepared(b"")
        return [
            ((result.fname(i) or b"").decode(), self.types[result.ftype(i)], result.fmod(i))
            for i in range(result.nfields)
        ]

    def rows(self, text: str) -> Counter[tuple[bytes | None, ...]] | str:
        result = self.raw.exec_(text.encode())
        failed = _error(result)
        if failed:
            self.raw.exec_(b"rollback to s")
            return failed
        width = range(result.nfields)
        return Counter(tuple(result.get_value(i, j) for j in width) for i in range(result.ntuples))


@pytest.fixture
def server(connection: psycopg.Connection[tuple[object, ...]], types: dict[int, str]) -> Server:
    return Server(connection, types)


def _described(query: Query, catalog: Catalog) -> Described:
    """A domain is described by the type under it."""
    types = [(c.name, base_of(catalog, c.type)) for c in output_columns(query)]
    return [(name, t.name, t.typmod) for name, t in types]


def _param_types(query: Query) -> list[SqlType | None]:
    known = {e.index: e.type for e in all_exprs_of_query(query) if isinstance(e, Param)}
    return [known.get(i) for i in range(1, 1 + max(known, default=0))]


@pytest.mark.parametrize("text", QUERIES)
def test_names_types_and_rows_are_the_servers(text: str, catalog: Catalog, server: Server) -> None:
    described = server.describe(text)
    query = bind(text, catalog)
    assert _described(query, catalog) == described
    for pretty in (False, True):
        printed = to_sql(query, catalog=catalog, pretty=pretty)
        again = bind(printed, catalog, param_types=_param_types(query))
        assert canonical(again) == canonical(query), printed
        if _param_types(query):
            continue
        assert server.describe(printed) == described, printed
        assert server.rows(printed) == server.rows(text), printed


@pytest.mark.parametrize("text", ERRORS)
def test_what_the_server_refuses_is_refused_with_its_code(
    text: str, catalog: Catalog, server: Server
) -> None:
    with pytest.raises(BindError) as caught:
        bind(text, catalog)
    assert caught.value.sqlstate == server.refusal(text)


def test_ddl_text_and_live_catalog_bind_alike(
    connection: psycopg.Connection[tuple[object, ...]], catalog: Catalog
) -> None:
    live = snapshot(connection)
    for text in QUERIES:
        assert canonical(bind(text, live)) == canonical(bind(text, catalog)), text


@pytest.mark.parametrize("text", [q for q in QUERIES if "$1" not in q])
def test_facts_hold_on_data(text: str, catalog: Catalog, server: Server) -> None:
    query = bind(text, catalog)
    facts = Facts(catalog, query)
    rows = server.rows(text)
    assert not isinstance(rows, str)
    for i, basis in enumerate(facts.nonnull_outputs(query)):
        assert basis is None or all(row[i] is not None for row in rows), (i, basis)
    for key, basis in facts.keys(query):
        seen = Counter[tuple[bytes | None, ...]]()
        for row, count in rows.items():
            seen[tuple(row[i] for i in sorted(key))] += count
        assert max(seen.values(), default=1) == 1, (key, basis)
