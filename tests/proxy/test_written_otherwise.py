"""A rewrite is found for its query however that is written, and the client's comments go along."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Candidate, Guard, Ports, ServedRewrite
from rewright.proxy.serving.index import RewriteIndex
from rewright.sql.templates import split
from rewright.wiring.templates import make
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import SCHEMA, Reports, guard_of

pytestmark = pytest.mark.server

ORIGINAL = "select id, note from item where id < 3 and note like 'n%' order by id"
# tells what runs
REPLACEMENT = (
    "select id, query as note from item, pg_catalog.pg_stat_activity"
    " where pid = pg_catalog.pg_backend_pid() and id < 3 and note like 'n%' order by id"
)
OTHERWISE = [
    "SELECT id, note FROM item WHERE id < 3 AND note LIKE 'n%' ORDER BY id;",
    "select id,note\n  from item -- all\n where id<3 and note like 'n%'\n order by Id ; ",
    "/*controller='x'*/ select id, note from item where id < 3 and note like 'n%' order by id /*traceparent='00-1'*/",
    "select id, /* /* nested */ */ note from Item where id < 3 and note like 'n%' order by id",
]
DIFFERENT = [
    "select id, note from item where id < 3 and note like 'N%' order by id",
    "select id, note from \"item\" where id < 3 and note like 'n%' order by id",
    "select id, note from item where id < 4 and note like 'n%' order by id",
    "/*+ SeqScan(item) */ select id, note from item where id < 3 and note like 'n%' order by id",
    "select id, note from item where id < 3 and note like 'n%' order by id /* rewright:off */",
    "select id, note from item where id < 3 and note like 'n%' order by id; select 1",
]


@pytest.fixture
def index() -> RewriteIndex:
    return RewriteIndex(make())


@pytest.fixture
def known(scratch_server: ScratchServer, database: str) -> ServedRewrite:
    with psycopg.connect(scratch_server.dsn(database), autocommit=True) as connection:
        connection.execute(SCHEMA)
        return ServedRewrite(1, database, ORIGINAL, REPLACEMENT, guard_of(connection, "item"))


@pytest.fixture
def client(
    scratch_server: ScratchServer, database: str, known: ServedRewrite, index: RewriteIndex
) -> Iterator[psycopg.Connection]:
    index.replace([known])
    ports = Ports(lookup=index, reporter=Reports(), settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={scratch_server.port}"), ports) as proxy:
        dsn = scratch_server.dsn(database).replace(f":{scratch_server.port}/", f":{proxy.port}/")
        with psycopg.connect(dsn, autocommit=True) as connection:
            yield connection


def ran(connection: psycopg.Connection, text: str, *, simple: bool) -> str:
    """The text that the server ran; empty for the client's own."""
    cursor = psycopg.ClientCursor(connection) if simple else connection.cursor()
    rows = cursor.execute(text.encode()).fetchall()
    note = str(rows[0][1]) if rows else ""
    return "" if note == "n1" else note


@pytest.mark.parametrize("simple", [True, False])
def test_the_same_query_written_otherwise_is_served(client: psycopg.Connection, simple: bool) -> None:
    for _ in range(2):
        assert [ran(client, text, simple=simple) != "" for text in OTHERWISE] == [True] * len(OTHERWISE)
    assert ran(client, ORIGINAL, simple=simple) == REPLACEMENT


@pytest.mark.parametrize("text", DIFFERENT[:5])
def test_another_query_is_not(client: psycopg.Connection, text: str) -> None:
    for simple in (True, False):
        assert ran(client, text, simple=simple) == ""


def test_two_statements_are_not(client: psycopg.Connection) -> None:
    assert psycopg.ClientCursor(client).execute(DIFFERENT[5].encode()).fetchall() == [(1, "n1"), (2, "n2")]


@pytest.mark.parametrize("simple", [True, False])
def test_comments_reach_the_server(client: psycopg.Connection, simple: bool) -> None:
    for number in range(40):
        text = f"/*app='a b'*/ {ORIGINAL} -- no\n /*traceparent='00-{number}'*/;"
        said = ran(client, text, simple=simple)
        assert said.startswith("/*app='a b'*/ select")
        assert said.endswith(f"/*traceparent='00-{number}'*/")
    # each text was prepared for one execution only
    prepared = client.execute(
        "select count(*) from pg_prepared_statements where statement like '%traceparent%'"
    )
    assert prepared.fetchone() == (0,)


def test_comments_of_whoever_came_first_are_not_sent_for_others(
    index: RewriteIndex, known: ServedRewrite, database: str
) -> None:
    first = f"/*user='first'*/ {ORIGINAL}"
    index.replace([replace(known, original=first, replacement=f"/*+ SeqScan(item) */ {first}", hinted=True)])
    for text, comments in (
        (first, ("", " /*user='first'*/")),
        (f"{ORIGINAL} /*me*/", ("", " /*me*/")),
        (ORIGINAL, ("", "")),
    ):
        found = index.find(database, text.encode(), ())
        assert found is not None
        assert "first" not in found.replacement
        assert found.comments == comments


@pytest.mark.parametrize("text", OTHERWISE)
def test_templates_are_found_with_other_literals(
    index: RewriteIndex, known: ServedRewrite, database: str, text: str
) -> None:
    template, replacement = split(f"{ORIGINAL} /* of the first */"), split(REPLACEMENT)
    assert template is not None
    assert replacement is not None
    index.replace([replace(known, original=template[0], replacement=replacement[0], scope="any")])

    def find(found: str) -> Candidate | None:
        return index.find(database, found.encode(), ())

    found = find(text.replace("3", "77").replace("n%", "it''s"))
    assert found is not None
    assert "id < 77" in found.replacement
    assert "'it''s'" in found.replacement
    assert find(text.replace("3", "3.0")) is None
    assert find(text.replace("'n%'", "null")) is None


@pytest.mark.parametrize("text", OTHERWISE)
def test_a_select_inside_another_statement(client: psycopg.Connection, text: str) -> None:
    del client
    from rewright.proxy.serving.sites import find_site

    site = find_site(f"/*a*/ insert into t {ORIGINAL} /*b*/ ;".encode())
    assert site is not None
    assert site.commented
    assert site.select.decode() == ORIGINAL
    assert text


def test_explain_with_a_comment(client: psycopg.Connection) -> None:
    lines = [
        row[0]
        for row in client.execute(
            f"/*app='x'*/ explain {ORIGINAL.upper().replace('N%', 'n%')} /*y*/;".encode()
        )
    ]
    assert any("Rewright: the plan of what runs instead" in line for line in lines)


def test_errors_point_into_the_clients_text(
    client: psycopg.Connection, index: RewriteIndex, known: ServedRewrite
) -> None:
    failing = "/* c */ SELECT id, note::int::text as note from item where id < 3"
    index.replace(
        [
            replace(
                known,
                original=failing.replace("/* c */ SELECT", "select"),
                replacement=failing.split("*/ ")[1] + " and true",
            )
        ]
    )
    with pytest.raises(psycopg.errors.InvalidTextRepresentation) as caught:
        client.execute(failing.encode())
    assert caught.value.diag.statement_position is None
    with pytest.raises(psycopg.errors.UndefinedColumn) as wrong:
        client.execute(f"/* a comment */ {ORIGINAL.replace('note', 'nota')}".encode())
    assert wrong.value.diag.statement_position == str(len("/* a comment */ select id, ") + 1)


def test_other_databases_and_parameter_types(index: RewriteIndex, database: str) -> None:
    guard = Guard((), (), digest="d")
    text = "select id from item where id = $1"
    index.replace([ServedRewrite(1, database, text, "select 1 as id", guard, param_types=(23,))])
    other = b"SELECT id FROM item WHERE id=$1;"
    assert index.find(database, other, (23,)) is not None
    assert index.find(database, other, ()) is None
    assert index.find(database, other, (20,)) is None
    assert index.find("elsewhere", other, (23,)) is None
