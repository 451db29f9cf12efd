"""What the gate lets through, what it holds on to while it looks, and that there is no way round it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from rewright.engines.postgres import gate, trust
from rewright.engines.postgres.session import Session, SessionError, Untrusted
from rewright.sql.mentions import NotASelect, mentions_of, qualified
from tests.rights.conftest import CLIENT, World

ROOT = Path(__file__).parents[2]

EXTENSIONS = """
create extension if not exists citext;
create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists hstore;
create table if not exists public.people (id int primary key, name citext, tags hstore);
insert into public.people values (1, 'Ada', 'a=>1') on conflict do nothing;
"""


@pytest.fixture(scope="module")
def session(world: World) -> Iterator[Session]:
    world.afresh()
    world.admin.execute(EXTENSIONS.encode())
    world.admin.execute(f"create schema s3 authorization {CLIENT}".encode())
    world.as_client(
        "create view s3.plain as select id, lower(email) as e from public.acct where id between 2 and 9;"
        " create domain s3.positive as int check (value > 0);"
        " create type s3.mood as enum ('sad', 'glad');"
        " create table s3.own (a s3.positive, m s3.mood, d int generated always as (length('x')) stored, check (d > 0));"
        " create index on s3.own (lower('x' || d::text)) where a > 3; insert into s3.own values (1, 'sad');"
        " create materialized view s3.kept as select count(*) as n from public.acct;"
        " create table s3.whole (a int) partition by range (a);"
        " create table s3.part partition of s3.whole for values from (0) to (10)"
    )
    with Session(make_conninfo(world.optimiser, options="-c search_path=s2,s3,public")) as opened:
        yield opened


@pytest.mark.server
@pytest.mark.parametrize(
    "text",
    [
        "select 1",
        "select count(*), sum(id) filter (where id > 3), max(email) from acct group by region having count(*) > 1 order by 1",
        "select id from acct where email like 'u%' and id in (1, 2) and region between 'a' and 'z' limit 5",
        "select row_number() over (partition by region order by id rows 3 preceding) from acct",
        "select * from acct a join acct b using (id) where a.region is distinct from b.region",
        "with acct as (select * from acct where id < 5) select * from acct",
        "with recursive t(n) as (select 1 union all select n + 1 from t where n < 5) select * from t, acct where id = n",
        "select (select max(x) from unnest(array[id, 2]) x), random(), now(), current_date from acct",
        "select date_trunc('day', timestamp '2024-01-01') + interval '1 day', extract(year from date '2024-01-01')",
        "select * from plain where e = 'u3'",
        "select a, d from own where m = 'sad' and a > 2",
        "select 'glad'::mood, '3'::positive, '{1}'::s3.positive[]",
        "select n from kept",
        "select * from whole where a = 3",
        "select id from people where name = 'ADA' and name in ('ada', 'bob')",
        "select similarity(email, 'u1'), email % 'u1' from acct order by email <-> 'u1' limit 3",
        "select unaccent(email) from acct",
        "select tags -> 'a', tags ? 'a' from people",
        "select json_build_object('a', id) ->> 'a', to_jsonb(a) from acct a",
        "select relname from pg_class where relkind = 'r'",
        'select "id" as "ä", \'é\' from "acct" as "ß"',
        "values (1, 'a'), (2, 'b')",
        "table acct",
    ],
)
def test_what_is_the_servers_own_is_planned_and_run(session: Session, text: str) -> None:
    assert session.explain(text).cost >= 0
    assert session.run(text).finished
    session.describe(text)


@pytest.mark.server
@pytest.mark.parametrize(
    "text",
    [
        "select 1; select 2",
        "delete from acct",
        "explain select 1",
        "do $$begin end$$",
        "select id from acct for update",
        "select id into s3.copy from acct",
        "with d as (delete from acct returning *) select * from d",
        "select * from acct tablesample bernoulli (10)",
        "select pg_advisory_lock(1)",
        "select set_config('role', 'postgres', false)",
        "select nextval('x')",
        "select * from no_such_table",
        "select 'unfinished",
        "",
    ],
)
def test_what_is_no_plain_select_is_refused(session: Session, text: str) -> None:
    for step in (session.explain, session.run, session.describe, session.fetch):
        with pytest.raises(Untrusted):
            step(text)


@pytest.mark.server
def test_the_refusal_says_what_and_whose(session: Session) -> None:
    with pytest.raises(Untrusted, match=r"^it uses function s2\.leak\(integer\), whose owner is alice$"):
        session.require_trusted("select s2.leak(1)")


@pytest.mark.server
def test_what_the_account_owns_is_its_own_business(world: World, session: Session) -> None:
    world.admin.execute(
        "create or replace function public.mine(int) returns int language sql immutable as 'select 1'"
    )
    (dsn, text) = (make_conninfo(world.optimiser, **_superuser(world)), "select public.mine(1)")
    with Session(dsn) as theirs, pytest.raises(Untrusted):
        theirs.explain(text)
    with Session(dsn, own=True) as mine:
        assert mine.run(text).rows == 1
        with pytest.raises(Untrusted, match="alice"):
            mine.explain("select s2.leak(1)")


def _superuser(world: World) -> dict[str, str]:
    return {"user": world.admin.info.user, "password": world.admin.info.password}


# -- while it looks


@pytest.mark.server
def test_a_table_cannot_become_a_view_before_it_is_planned(world: World, session: Session) -> None:
    world.as_client("create table s2.swapped (a int)")
    with session._text("select * from swapped", None), pytest.raises(psycopg.errors.LockNotAvailable):
        world.as_client("set lock_timeout = '50ms'; drop table s2.swapped")
    world.admin.execute("reset lock_timeout")
    world.as_client("drop table s2.swapped")


@pytest.mark.server
def test_a_table_that_was_replaced_before_the_lock_is_refused(
    world: World, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.as_client("create table s2.swapped (a int)")
    lock = gate._lock

    def too_late(*arguments: object) -> None:
        world.as_client("drop table s2.swapped; create view s2.swapped as select s2.leak(1) as a")
        lock(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(gate, "_lock", too_late)
    with pytest.raises(Untrusted, match="replaced"):
        session.explain("select * from swapped")
    world.as_client("drop view s2.swapped")


LATE = {
    "function": "create function s2.lower(x varchar) returns text language plpgsql immutable as 'begin return s2.leak_text($1); end'",
    "operator": "create function s2.same(a varchar, b varchar) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end';"
    " create operator s2.= (function = s2.same, leftarg = varchar, rightarg = varchar)",
    "table": "create view s2.acct as select s2.leak(1) as id, 'x'::varchar as v",
    "type": "create domain s2.date as text check (s2.is_fine(1))",
}


@pytest.mark.server
@pytest.mark.parametrize("what", LATE)
def test_what_is_made_after_the_look_is_not_found(
    world: World, session: Session, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Between the decision and the planner somebody makes what would fit better: the text no longer looks
    there.
    """
    world.afresh()
    look = trust.look

    def then_changed(*arguments: object) -> trust.Look:
        found = look(*arguments)  # type: ignore[arg-type]
        world.as_client(LATE[what])
        return found

    monkeypatch.setattr(trust, "look", then_changed)
    text = "select id from acct where lower('A'::varchar) = 'a'::varchar and v = 'x'::varchar and date '2024-01-01' is not null"
    assert session.run(text).finished
    monkeypatch.undo()
    if what in {"function", "operator"}:
        with pytest.raises(Untrusted):
            session.run(text)
    world.afresh()


@pytest.mark.server
def test_our_own_queries_look_nowhere_but_in_pg_catalog(world: World) -> None:
    """A better match in a schema of the path would run in the catalog queries, too."""
    world.afresh()
    world.as_client(
        "create function s2.matches(a name, b name) returns bool language plpgsql immutable as 'begin return s2.is_fine(1); end';"
        " create operator s2.= (function = s2.matches, leftarg = name, rightarg = name);"
        " create operator s2.!~ (function = s2.matches, leftarg = name, rightarg = name)"
    )
    query = (
        "select relname from pg_catalog.pg_class where relname = 'pg_class'::name and relname !~ 'x'::name"
    )
    dsn = make_conninfo(world.optimiser, options="-c search_path=s2,pg_catalog")
    with (
        psycopg.connect(dsn) as plain,
        pytest.raises(psycopg.errors.RaiseException, match="LEAKED"),
    ):
        plain.execute(query)
    with Session(dsn) as session:
        assert session.ask(query) == [("pg_class",)]
        with pytest.raises(Untrusted, match="before pg_catalog"):
            session.search_path()
        with pytest.raises(Untrusted):
            session.explain("select 1 where 'a'::name = 'a'::name")
    world.afresh()


@pytest.mark.server
def test_a_statement_cannot_take_another_role(session: Session) -> None:
    for name in ("role", "session_authorization", "ROLE"):
        with pytest.raises(SessionError, match="cannot be set"):
            session.explain("select 1", settings={name: CLIENT})


# -- no way round it

# who may talk to a PostgreSQL server without the gate, and why
WITHOUT = {
    "ask/command.py": "runs with the rights of the person who asks",
    "engines/postgres": "the gate, catalogs and servers of our own",
    "engines/duckdb/shadow.py": "an embedded server of our own",
    "engines/duckdb/shadow_rights.py": "an embedded server of our own",
    "engines/duckdb/shadow_views.py": "an embedded server of our own: quoted names, and types that it has",
    "equivalence/refuter": "scratch servers, as a role without rights",
    "knowledge/check.py": "a scratch server of our own: makes the schema of a unit",
    "proxy/hosts.py": "asks a server who it is before clients are relayed",
    "rewright/demo": "the demo's own server",
    "rewright/wiring/lent_process.py": "the client's own session, lent to a process for a question or a search",
    "rewright/cli/hintplan_command.py": "creates the extension for the person who types it",
    "engines/duckdb/dialect": "an embedded server of our own, as the role that reads",
    "rewright/wiring/lake_finishing.py": "an embedded server of our own, as the role that reads",
    "rewright/wiring/lake_shadow.py": "an embedded server of our own, as the role that reads",
    "rewright/wiring/shadow_limits.py": "an embedded server of our own: ends what exceeds a lake's limits",
    "rewright/wiring/guards.py": "constant queries over the catalogs",
}
PRODUCT = (
    "ask",
    "console",
    "engines",
    "equivalence",
    "hints",
    "knowledge",
    "lake",
    "models",
    "proxy",
    "rewrite",
    "rewright",
    "store",
)


def _modules(*mentioned: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules in whose text one of these stands; reading the syntax of all of them takes long."""
    for folder in PRODUCT:
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            if any(one in text for one in mentioned):
                yield file.relative_to(ROOT).as_posix(), ast.parse(text)


def _opens(node: ast.AST) -> bool:
    """A connection of one's own, or the raw one of a session."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    called, owner = node.func.attr, node.func.value
    if called == "connect":
        return ast.unparse(owner) in {"psycopg", "psycopg.Connection", "psycopg.AsyncConnection"}
    return called in {"execute", "cursor", "transaction"} and ast.unparse(owner).endswith(
        "session.connection"
    )


def test_nobody_talks_to_a_server_past_the_gate() -> None:
    found = {
        name
        for name, tree in _modules("connect", "connection")
        if any(_opens(node) for node in ast.walk(tree)) and not any(name.startswith(one) for one in WITHOUT)
    }
    assert not found


def test_only_our_own_words_are_asked_past_the_gate() -> None:
    """`Session.ask` gets a constant, or one with the quoted schema of an extension in it."""
    strange = []
    for name, tree in _modules("ask"):
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "ask"
                and node.args
            ):
                text = ast.unparse(node.args[0])
                constant = (
                    isinstance(node.args[0], ast.Constant) or text.isupper() or text.lstrip("_").isupper()
                )
                with_schema = text.endswith(".format(schema=schema)") or (
                    text.startswith("f'select") and text.count("{") == text.count("{schema}")
                )
                if "session" in ast.unparse(node.func.value) and not (constant or with_schema):
                    strange.append((name, text))
    meant = {
        ("rewrite/adapters/postgres.py", "sql"),
        # an asking session of `rewright.ask.sessions`, no `Session`
        ("rewright/processes/question_reader.py", "request.wanted"),
    }
    assert [one for one in strange if one not in meant] == []


# -- names, without a server


@pytest.mark.parametrize(
    ("text", "relations", "functions", "attributes"),
    [
        ("with a as (select * from a) select * from a", ["a"], [], []),
        ("with recursive a as (select * from a) select * from a", [], [], []),
        ("with a as (select 1), b as (select * from a, c) select * from b, s.a", ["c", "a"], [], []),
        (
            "select t.f, (t).g, f(t) from t where exists (with t as (select 1) select from t)",
            ["t"],
            ["f"],
            ["f", "g"],
        ),
        (
            "select * from x where y in (with z as (select * from x) select q from z union select 1 from z)",
            ["x", "x"],
            [],
            [],
        ),
    ],
)
def test_names_and_their_scopes(
    text: str, relations: list[str], functions: list[str], attributes: list[str]
) -> None:
    found = mentions_of(text)
    assert sorted(one.name.name for one in found.relations) == sorted(relations)
    assert [one.name for one in found.functions] == functions
    assert list(found.attributes) == attributes


def test_schemas_are_written_before_names() -> None:
    text = """select 'é', x::mood from "T" as t, only u, s.v where a::"Big" is null"""
    found = mentions_of(text)
    schemas = {one: 'o"dd' for one in (*found.relations, *found.types) if not one.name.schema}
    assert qualified(text, schemas) == (
        """select 'é', x::"o""dd".mood from "o""dd"."T" as t, only "o""dd".u, s.v where a::"o""dd"."Big" is null"""
    )


def test_json_syntax_was_a_name_on_older_servers() -> None:
    text = "select json_value(a, '$.b') from t"
    assert mentions_of(text, 180000).relations
    with pytest.raises(NotASelect, match="syntax"):
        mentions_of(text, 160000)
