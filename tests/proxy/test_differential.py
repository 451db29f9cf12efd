"""Scripts of messages, made up: the server's answers must come through the proxy byte by byte.

The short form is the same on every run; `make fuzz` looks further.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rewright.engines.postgres.scratch import ScratchServer
from rewright.proxy.ports import ServedStatement
from rewright.proxy.serving.forwarding import in_name_of
from rewright.proxy.wire import frontend as f
from rewright.proxy.wire.backend import Fields
from rewright.proxy.wire.framing import message
from tests.proxy.differential import (
    FAILS_BEHIND,
    FAILS_BOUND,
    SCRIPTS,
    TOO_LARGE,
    WHOLE,
    Pair,
    Script,
    Step,
    Wait,
    first_difference,
    pair_of,
)
from tests.proxy.serving_world import FAILS_LATE, ORIGINAL

pytestmark = [pytest.mark.server, pytest.mark.long]
EXAMPLES = int(os.environ.get("REWRIGHT_FUZZ_EXAMPLES", "150"))


@pytest.fixture(scope="module")
def pair(scratch_server: ScratchServer, module_database: str) -> Iterator[Pair]:
    with pair_of(scratch_server, module_database) as found:
        yield found


@settings(
    max_examples=EXAMPLES,
    print_blob=True,
    deadline=None,
    derandomize="REWRIGHT_FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_nothing_shows(pair: Pair, data: st.DataObject) -> None:
    script: Script = data.draw(SCRIPTS)
    assert not pair.difference(script)


def test_replacements_are_what_is_compared(pair: Pair) -> None:
    texts = (
        ORIGINAL,
        FAILS_LATE,
        WHOLE,
        FAILS_BEHIND,
        TOO_LARGE,
        TOO_LARGE,
        f"copy ({FAILS_BEHIND}) to stdout",
    )
    for script in ([f.Query(text.encode())] for text in texts):
        before = pair.served
        assert not first_difference(pair.through(script), pair.direct(script))
        assert pair.served > before


def test_what_a_server_forgot_when_it_gave_up_is_what_it_would_have_sent(pair: Pair) -> None:
    """Answers that the proxy asked for, to serve, before bytes that are no message."""
    before = pair.served
    assert not pair.difference([*UNNAMED, b"Q\x00\x00\x00\x03"])
    assert pair.served > before


def test_what_a_server_forgot_is_known_also_behind_a_message_with_something_missing(pair: Pair) -> None:
    cut_bind = b"B\x00\x00\x00\x07p1\x00"
    assert not pair.difference([cut_bind, f.Sync(), *UNNAMED, b"Q\x00\x00\x00\x03"])


def test_a_served_query_before_bytes_that_are_no_message_is_answered_once(pair: Pair) -> None:
    before = pair.served
    assert not pair.difference([f.Query(ORIGINAL.encode()), b"?\x00\x00\x00\x05x"])
    assert pair.served > before


BEGIN, FAIL, SERVED = f.Query(b"begin"), f.Query(b"select 1 / 0"), f.Query(ORIGINAL.encode())


@pytest.mark.parametrize(
    "script",
    [
        [BEGIN, Wait(), FAIL, Wait(), SERVED],
        [BEGIN, FAIL, SERVED, f.Query(b"rollback"), SERVED],
        [f.Query(b"begin; select 1 / 0"), SERVED],
        [BEGIN, f.Query(b"savepoint s"), FAIL, SERVED, f.Query(b"rollback to s"), SERVED],
        [f.Query(b"set rewright.mode = inline"), BEGIN, FAIL, SERVED, SERVED],
        [BEGIN, FAIL, f.Query(f"create temporary table x as {ORIGINAL}".encode()), f.Query(f"explain {ORIGINAL}".encode())],
        [BEGIN, SERVED, FAIL, f.Parse(b"", ORIGINAL.encode()), f.Bind(b"", b""), f.Execute(b""), f.Sync(), SERVED],
    ],
    ids=range(7),
)  # fmt: skip
def test_a_failed_block_refuses_with_the_servers_own_words(pair: Pair, script: Script) -> None:
    """Down to the place in its source, also where the block fails while the query is on its way."""
    assert not first_difference(pair.through(script), pair.direct(script))


UNNAMED: list[Step] = [f.Parse(b"", ORIGINAL.encode()), f.Bind(b"", b""), f.Execute(b"")]
COPIED = f"copy ({ORIGINAL}) to stdout".encode()
FAILS_LATE_UNNAMED: list[Step] = [f.Parse(b"", FAILS_LATE.encode()), *UNNAMED[1:]]


@pytest.mark.parametrize(
    "script",
    [
        # a portal that was bound while the Query before it still ran goes on at its end, and does not begin
        # anew
        [f.Query(ORIGINAL.encode()), *UNNAMED, f.Execute(b"")],
        [*UNNAMED, f.Sync(), *UNNAMED, f.Execute(b"", 1), f.Execute(b"")],
        # a Query without a Sync before it leaves the server in a state of its own
        [*UNNAMED, f.Query(ORIGINAL.encode()), f.Query(ORIGINAL.encode())],
        # what fails behind such a Query fails while the next Execute is looked at
        [UNNAMED[0], f.Query(ORIGINAL.encode()), f.Execute(b""), *UNNAMED],
        [UNNAMED[0], f.Query(ORIGINAL.encode()), Wait(), *UNNAMED, f.Execute(b"p1"), *UNNAMED],
        [UNNAMED[0], f.Query(ORIGINAL.encode()), Wait(), *FAILS_LATE_UNNAMED, f.Sync(), *UNNAMED],
        # a portal ends with its transaction, also for an Execute that came before the server said so
        [*UNNAMED, f.Sync(), f.Execute(b"")],
        [*UNNAMED[:2], f.Sync(), f.Execute(b"")],
        [f.Query(b"begin"), *UNNAMED[:2], f.Execute(b"", 1), f.Sync(), f.Execute(b"")],
        [f.Query(b"begin"), *UNNAMED[:2], f.Sync(), f.Execute(b"")],
        # what is bound again when a replacement has failed is what was bound, and the unnamed statement stays
        # the client's
        [*FAILS_LATE_UNNAMED[:2], UNNAMED[0], f.Execute(b""), f.Sync(), *UNNAMED[1:], f.Sync()],
        [*FAILS_LATE_UNNAMED, f.Sync(), *UNNAMED[1:], f.Sync()],
        # a COPY is not run twice by one portal, and the error names the client's
        [f.Parse(b"", COPIED), *UNNAMED[1:], f.Execute(b""), f.Sync()],
        [f.Parse(b"s1", COPIED), f.Bind(b"p1", b"s1"), f.Execute(b"p1"), f.Execute(b"p1"), f.Sync()],
    ],
    ids=range(14),
)
def test_found_before(pair: Pair, script: Script) -> None:
    assert not first_difference(pair.through(script), pair.direct(script))


# a change of the table is refused while any portal of the session still has it open
CHANGED = f.Query(b"alter table item set (fillfactor = 90)")
CHANGED_BY_NAME: list[Step] = [
    f.Parse(b"change", b"alter table item set (fillfactor = 90)"),
    f.Bind(b"change", b"change"),
    f.Execute(b"change"),
    f.Sync(),
]
HIDDEN = f.Query(b"create temp table item (id int, price int, note text)")
HIDING_CHANGED = f.Query(b"alter table pg_temp.item add more int")


@pytest.mark.parametrize(
    "script",
    [
        [BEGIN, SERVED, CHANGED],
        [BEGIN, Wait(), SERVED, Wait(), CHANGED, Wait(), SERVED, CHANGED],
        [BEGIN, *UNNAMED, f.Sync(), CHANGED],
        [BEGIN, *UNNAMED, f.Sync(), Wait(), CHANGED, SERVED],
        [BEGIN, SERVED, *CHANGED_BY_NAME],
        [BEGIN, SERVED, f.Execute(b""), f.Sync()],
        [BEGIN, *UNNAMED, f.Sync(), f.Query(b"select 1"), *CHANGED_BY_NAME],
        [BEGIN, *UNNAMED, f.Sync(), f.Parse(b"", b"select 1"), *UNNAMED[1:], f.Sync(), *CHANGED_BY_NAME],
        [BEGIN, f.Parse(b"s1", ORIGINAL.encode()), f.Bind(b"p1", b"s1"), f.Execute(b"p1"), f.Sync(), CHANGED],
        [BEGIN, f.Parse(b"s1", ORIGINAL.encode()), f.Bind(b"p1", b"s1"), f.Execute(b"p1", 1), f.Close(b"P", b"p1"), f.Sync(), CHANGED],
        [f.Parse(b"", ORIGINAL.encode()), *UNNAMED[1:], f.Parse(b"", CHANGED.text), *UNNAMED[1:], f.Sync()],
        # what is closed behind a failure is not closed
        [BEGIN, *UNNAMED, f.Sync(), f.Query(b"savepoint s"), f.Parse(b"", b"selec"), *UNNAMED[1:], f.Sync(), f.Query(b"rollback to s"), CHANGED],
        [BEGIN, f.Query(b"savepoint s"), SERVED, f.Query(b"savepoint r"), FAIL, f.Query(b"rollback to r"), CHANGED],
        # bound, and not run after all
        [BEGIN, HIDDEN, SERVED, HIDING_CHANGED],
        [BEGIN, HIDDEN, SERVED, f.Execute(b""), f.Sync()],
        [BEGIN, HIDDEN, *UNNAMED, f.Sync(), HIDING_CHANGED],
    ],
    ids=range(16),
)  # fmt: skip
def test_no_portal_of_ours_is_left_open_in_a_block(pair: Pair, script: Script) -> None:
    assert not first_difference(pair.through(script), pair.direct(script))


FIRST = f.Query(b"set search_path = pg_temp, public")
PREPARED: list[Step] = [f.Parse(b"s1", ORIGINAL.encode()), f.Bind(b"", b"s1"), f.Execute(b""), f.Sync()]


@pytest.mark.parametrize(
    "script",
    [
        # what was prepared before the temporary schema was made is looked up again, and not behind it
        [FIRST, Wait(), *PREPARED, Wait(), HIDDEN, Wait(), *PREPARED[1:]],
        [FIRST, f.Query(b"select pg_my_temp_schema()"), SERVED, f.Query(b"select pg_my_temp_schema()")],
        [f.Query(b"set search_path = nowhere, PG_TEMP, public"), SERVED, f.Query(b"select pg_my_temp_schema()")],
        [f.Query(b"set session authorization part_reader"), FIRST, BEGIN, SERVED, f.Query(b"select 1")],
    ],
    ids=range(4),
)  # fmt: skip
def test_no_temporary_schema_is_made_for_our_questions(pair: Pair, script: Script) -> None:
    """A standby, and a role that may make no temporary tables, would refuse it in the client's block."""
    with psycopg.connect(pair.server.dsn(pair.database), autocommit=True) as connection:
        connection.execute(f'revoke temporary on database "{pair.database}" from public')
        connection.execute("grant select on item to part_reader")
    assert not first_difference(pair.through(script), pair.direct(script))


def test_a_temporary_schema_behind_others_hinders_nothing(pair: Pair) -> None:
    before = pair.served
    script: list[Step] = [f.Query(b"set search_path = public, pg_temp"), Wait(), SERVED]
    assert not first_difference(pair.through(script), pair.direct(script))
    assert pair.served > before


@pytest.mark.parametrize(
    ("name", "said"), [(b"", b"unnamed portal with parameters"), (b"p1", b'portal "p1" with parameters')]
)
def test_parameters_are_told_of_the_clients_portal(name: bytes, said: bytes) -> None:
    """``log_parameter_max_length_on_error`` is for everybody to set."""
    renamed = in_name_of(b"rewright:p7", name)
    failure = renamed(
        Fields(
            b"E", ((b"M", b"division by zero"), (b"W", b"portal \"rewright:p7\" with parameters: $1 = '5'"))
        )
    )
    assert failure.get(b"W").startswith(said)


NAMED: list[Step] = [BEGIN, f.Parse(b"s1", ORIGINAL.encode()), f.Bind(b"p1", b"s1")]
PART = f.Execute(b"p1", 1)


def fetch(what: str) -> f.Query:
    return f.Query(what.encode())


@pytest.mark.parametrize(
    "script",
    [
        [*NAMED, PART, f.Sync(), fetch("fetch 1 from p1"), fetch("fetch all from p1"), fetch("close p1"), PART, f.Sync()],
        [*NAMED, f.Execute(b"p1"), f.Sync(), fetch("fetch all from p1"), fetch("fetch backward 1 from p1")],
        [*NAMED, f.Sync(), Wait(), PART, f.Sync(), fetch("move 1 in p1"), f.Execute(b"p1"), f.Sync()],
        [*NAMED, PART, f.Sync(), Wait(), PART, f.Close(b"P", b"p1"), f.Bind(b"p1", b"s1"), PART, PART, f.Sync()],
        [*NAMED, PART, f.Bind(b"p1", b"s1"), f.Sync(), f.Query(b"rollback"), *NAMED, PART, f.Sync()],
        [*NAMED, f.Describe(b"P", b"p1"), PART, f.Describe(b"P", b"p1"), f.Sync(), fetch("select name, is_scrollable, is_holdable, is_binary from pg_cursors")],
        [*NAMED, PART, f.Sync(), f.Query(b"savepoint s"), PART, f.Sync(), f.Query(b"rollback to s"), PART, f.Sync()],
        # the same before a Sync, outside a block
        [*NAMED[1:], PART, f.Parse(b"", b"fetch 1 from p1"), f.Bind(b"", b""), f.Execute(b""), PART, f.Sync()],
        [f.Parse(b"s1", FAILS_LATE.encode()), f.Bind(b"p1", b"s1"), PART, f.Sync(), f.Bind(b"p1", b"s1"), PART, PART, f.Sync()],
        [f.Parse(b"s1", FAILS_LATE.encode()), f.Bind(b"p1", b"s1"), PART, f.Parse(b"", b"fetch all from p1"), f.Bind(b"", b""), f.Execute(b""), f.Sync()],
        # a function is given the name, which the text of its call does not show
        [BEGIN, fetch("create function pg_temp.next(refcursor) returns int language plpgsql as 'declare i int; begin fetch $1 into i; return i; end'"), *NAMED[1:], PART, f.Sync(), fetch("select pg_temp.next('p1'), pg_temp.next('p' || 1)")],
    ],
    ids=range(11),
)  # fmt: skip
def test_sql_goes_on_where_an_execute_of_a_named_portal_ended(pair: Pair, script: Script) -> None:
    before = pair.served
    assert not first_difference(pair.through(script), pair.direct(script))
    assert pair.served > before


@pytest.mark.parametrize(
    "between",
    [
        [f.Sync(), fetch("fetch 1 from p1")],
        [f.Parse(b"", b"fetch 1 from p1"), f.Bind(b"", b""), f.Execute(b"")],
        [f.Sync(), Wait(), fetch("move 1 in p1"), Wait()],
    ],
    ids=range(3),
)
def test_a_named_portal_from_which_sql_has_read_is_not_served(pair: Pair, between: Script) -> None:
    script: list[Step] = [*NAMED, *between, PART, f.Sync(), PART, f.Sync(), SERVED]
    before = pair.served
    assert not first_difference(pair.through(script), pair.direct(script))
    assert pair.served == before + 1


def test_a_portal_that_is_older_than_a_savepoint_is_older_than_a_replacement(pair: Pair) -> None:
    """It lives on when the savepoint is rolled back to; what is bound behind the savepoint does not."""

    def run(name: bytes, text: bytes) -> list[Step]:
        return [f.Parse(name, text), f.Bind(name, name), f.Execute(name)]

    script: list[Step] = [
        BEGIN,
        Wait(),
        *UNNAMED[:2],
        *run(b"s", b"savepoint s"),
        f.Execute(b"", 1),
        *run(b"r", b"rollback to s"),
        f.Execute(b"", 1),
        f.Sync(),
    ]
    assert not first_difference(pair.through(script), pair.direct(script))


def test_comments_of_a_named_portals_statement_are_carried(pair: Pair) -> None:
    """The replacement's statement is made for this one execution."""
    commented = ORIGINAL.encode() + b" /* of this request */"
    script: list[Step] = [
        BEGIN,
        f.Parse(b"s1", commented),
        f.Bind(b"p1", b"s1"),
        PART,
        f.Sync(),
        fetch("fetch all from p1"),
    ]
    before = pair.served
    assert not first_difference(pair.through([*script, *script[2:5]]), pair.direct([*script, *script[2:5]]))
    assert pair.served > before


def test_a_bind_that_is_no_bind_is_refused_by_the_server(pair: Pair) -> None:
    """Of a statement that has a rewrite, too; the session goes on."""
    for body in (b"\0\0\0\0\0\0\0\0xx", b"\0\0\xff\xff\0\0\0\0", b"\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"):
        cut = message(b"B", body)
        script: list[Step] = [f.Parse(b"", ORIGINAL.encode()), cut, f.Execute(b""), f.Sync(), Wait(), SERVED]
        before = pair.served
        assert not first_difference(pair.through(script), pair.direct(script))
        assert pair.served > before


@pytest.mark.parametrize(
    "behind", [[SERVED, SERVED, f.Sync()], [*UNNAMED, f.Sync()]], ids=("query", "execute")
)
def test_a_query_inside_a_copy_is_refused_by_the_server(pair: Pair, behind: Script) -> None:
    """The client waits for no answer before it sends it: held, it would wait for ever."""
    script: list[Step] = [
        f.Query(b"create temp table t (a int)"),
        Wait(),
        f.Query(b"copy t from stdin"),
        *behind,
    ]
    assert not first_difference(pair.through(script), pair.direct(script))


@pytest.mark.parametrize("way", ["query", "execute", "named"])
def test_a_replacement_that_cannot_be_bound_does_not_end_a_block(pair: Pair, way: str) -> None:
    parsed, bound = f.Parse(b"s1", FAILS_BOUND.encode()), f.Bind(b"p1", b"s1")
    ways: dict[str, list[Step]] = {
        "query": [f.Query(FAILS_BOUND.encode())],
        "execute": [f.Parse(b"", FAILS_BOUND.encode()), *UNNAMED[1:], f.Sync()],
        "named": [parsed, bound, PART, PART, f.Sync()],
    }
    script: list[Step] = [BEGIN, fetch("savepoint s"), *ways[way], SERVED, f.Query(b"commit")]
    assert not first_difference(pair.through(script), pair.direct(script))
    assert any(isinstance(one, ServedStatement) and one.reason == "failed" for one in pair.reports.all)


DEALLOCATE = "language plpgsql as 'begin execute $x$deallocate all$x$; return {}; end'"


@pytest.mark.parametrize(
    "hidden",
    [
        [fetch(f"create function pg_temp.f() returns int {DEALLOCATE.format(1)}"), SERVED, BEGIN, SERVED, fetch("select pg_temp.f()")],
        [
            fetch(f"create function pg_temp.f() returns trigger {DEALLOCATE.format('new')}"),
            fetch("create temp table t (a int)"),
            fetch("create trigger t before insert on t for each row execute function pg_temp.f()"),
            BEGIN, SERVED, fetch("insert into t values (1)"),
        ],
        [BEGIN, *PREPARED, fetch("do $$begin execute 'de' || 'allocate all'; end$$"), f.Parse(b"s2", ORIGINAL.encode()), f.Bind(b"p2", b"s2"), f.Execute(b"p2"), f.Sync()],
    ],
    ids=("function", "trigger", "block"),
)  # fmt: skip
def test_statements_of_ours_that_sql_deallocates_unseen_are_made_again(pair: Pair, hidden: Script) -> None:
    """In a block, where nothing can be tried."""
    script = [*hidden, SERVED, SERVED, f.Query(b"commit")]
    before = pair.served
    assert not first_difference(pair.through(script), pair.direct(script))
    assert pair.served > before + 2


@pytest.mark.parametrize(
    "way", [[SERVED], [*UNNAMED, f.Sync()], [*NAMED[1:], PART, PART, f.Sync()]], ids=range(3)
)
@pytest.mark.parametrize(
    "revoked",
    [
        "execute on function pg_catalog.current_schemas(bool)",
        "select on pg_catalog.pg_trigger, pg_catalog.pg_inherits",
    ],
)
def test_questions_of_ours_that_the_server_refuses_do_not_end_a_block(
    pair: Pair, revoked: str, way: list[Step]
) -> None:
    """Where somebody took from the public what it has of the catalog."""
    with psycopg.connect(pair.server.dsn(pair.database), autocommit=True) as connection:
        connection.execute("grant select on item to part_reader")
        connection.execute(f"revoke {revoked} from public")
        try:
            become: list[Step] = [f.Query(b"set role part_reader"), BEGIN, Wait(), fetch("savepoint s")]
            script: list[Step] = [
                *become,
                *way,
                Wait(),
                *way[-2:],
                fetch("rollback to s"),
                f.Query(b"commit"),
            ]
            assert not first_difference(pair.through(script), pair.direct(script))
        finally:
            connection.execute(f"grant {revoked} to public")
