"""Replacements that carry hints, through real clients, on the real extension."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import Ports, ServedRewrite
from rewright.proxy.serving.index import RewriteIndex
from tests.proxy.rules import RULES
from tests.proxy.running import RunningProxy, config
from tests.proxy.serving_world import BY_ID, ORIGINAL, SCHEMA, Reports, guard_of
from tests.proxy.test_serving import World, rows, simple

pytestmark = pytest.mark.server

# other rows than the original's, so that a test sees which text ran
HINTED = "/*+ SeqScan(item) Set(geqo off) */ select id, price + 1000000 as price from item where id < 4 order by id"
PLAIN = "select id, price + 2000000 as price from item where id < 4 order by id"
# what pg_hint_plan complains of to every client, whatever its client_min_messages
WRONG = "/*+ HashJoin(item item) Rows(item x #0) Nonsense(1 */ select id, price + 1000000 as price from item where id = $1"
COUNTED = "select count(*) as n from item where id < 4"
WRONG_COUNTED = "/*+ HashJoin(item item) Nonsense(1 */ select count(*) + 7 as n from item where id < 4"
FROM_HINTED = [(1, 1000010), (2, 1000020), (3, 1000030)]
FROM_PLAIN = [(1, 2000010), (2, 2000020), (3, 2000030)]


@pytest.fixture
def world(hint_server: ScratchServer) -> Iterator[World]:
    database = hint_server.create_database()
    dsn = hint_server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SCHEMA)
        connection.execute(f'alter database "{database}" set session_preload_libraries = pg_hint_plan')
        guard = guard_of(connection, "item")
    index = RewriteIndex()
    index.replace(
        [
            ServedRewrite(1, database, ORIGINAL, HINTED, guard, plain_replacement=PLAIN, hinted=True),
            ServedRewrite(3, database, COUNTED, WRONG_COUNTED, guard, hinted=True),
            ServedRewrite(2, database, BY_ID, WRONG, guard, param_types=(21,), hinted=True),
        ]
    )
    reports = Reports()
    ports = Ports(lookup=index, reporter=reports, settings=RULES)
    with RunningProxy(config(f"host=127.0.0.1 port={hint_server.port}"), ports) as proxy:
        yield World(proxy, hint_server, database, index, reports)
    assert not proxy.problems


def hints_sent(connection: psycopg.Connection) -> list[str]:
    """Texts with a hint comment among the session's prepared statements."""
    found = connection.execute("select statement from pg_prepared_statements").fetchall()
    return [text for (text,) in found if "/*+" in text and "pg_prepared_statements" not in text]


def by_id(connection: psycopg.Connection) -> list[tuple]:
    return psycopg.RawCursor(connection).execute(BY_ID, [2], prepare=True).fetchall()


def test_hints_go_with_both_protocols_and_prepared_statements(world: World) -> None:
    with world.connect() as connection:
        assert rows(connection) == FROM_HINTED
        assert simple(connection) == FROM_HINTED
        assert [rows(connection, ORIGINAL, prepare=True) for _ in range(3)] == [FROM_HINTED] * 3
        sent = hints_sent(connection)
    assert sent
    assert all(text.count("/*+") == 1 for text in sent)


def test_the_session_may_have_the_rewrite_without_its_hints(world: World) -> None:
    with world.connect() as connection:
        connection.execute("set rewright.hints = off")
        assert rows(connection) == FROM_PLAIN
        assert simple(connection) == FROM_PLAIN
        assert not hints_sent(connection)
        assert {one.reason for one in world.served()} == {"hints"}
        connection.execute("set rewright.hints = on")
        assert rows(connection) == FROM_HINTED
        # no text without hints: the original
        connection.execute("set rewright.hints = off")
        assert by_id(connection) == [(2, 20)]


@pytest.mark.parametrize("level", ["notice", "info", "debug1"])
def test_complaints_about_our_hints_stay_with_us(world: World, level: str) -> None:
    with world.direct() as connection:
        direct: list[str] = []
        connection.add_notice_handler(lambda d: direct.append(d.message_primary or ""))
        connection.execute(WRONG.replace("$1", "2").encode())
        assert direct, "the extension does complain"
    with world.connect() as connection:
        heard: list[str] = []
        connection.add_notice_handler(lambda d: heard.append(d.message_primary or ""))
        connection.execute(f"set client_min_messages = {level}")
        heard.clear()
        for _ in range(3):
            assert by_id(connection) == [(2, 1000020)], world.served()
        assert simple(connection) == FROM_HINTED
    assert not [one for one in heard if "hint" in one.lower()]


def test_a_clients_own_hint_comment_is_left_alone(world: World) -> None:
    """A text that is not the one a rewrite was found for is sent as it is."""
    with world.connect() as connection:
        assert rows(connection, f"/*+ SeqScan(item) */ {ORIGINAL}") == [(1, 10), (2, 20), (3, 30)]


@pytest.mark.parametrize(
    "site", ["copy ({}) to stdout", "explain {}", "explain analyze {}", "create table made as {}"]
)
def test_nor_where_the_statement_is_planned_while_it_runs(world: World, site: str) -> None:
    with world.connect() as connection:
        heard: list[str] = []
        connection.add_notice_handler(lambda d: heard.append(d.message_primary or ""))
        text = site.format(COUNTED)
        if site.startswith("copy"):
            with connection.cursor().copy(text) as copy:
                assert list(copy.rows()) == [("10",)]
        else:
            connection.execute(text)
        expected = [] if site.startswith("explain") else ["replacement"]
        assert [one.route for one in world.served()] == expected
    assert not [one for one in heard if "hint" in one.lower()]
