"""SQL that Rewright answers itself: what is recognised, who sees what, what strangers' SELECTs can't do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rewright.config.model import Config, Database
from rewright.proxy.answers.api import last_text
from rewright.proxy.answers.recognition import ExplainRewrite, recognise
from rewright.proxy.answers.relations import HIDDEN, RELATIONS
from rewright.proxy.ports import LastQuery, LocalAnswers, LocalRows, SessionView, SettingsView, SqlError
from rewright.store.api import Store, open_store
from rewright.store.life import Action, Level, State
from rewright.store.outcomes import rewrite_text
from rewright.store.records import LogEntry, NewRewrite, QuerySeen, Resolution, SessionSeen
from rewright.wiring.answers import make
from rewright.wiring.reporting import normalized, template_key

JOE = SessionView("app", "joe", "psql", "127.0.0.1", 1, SettingsView(), LastQuery())
ADMIN = replace(JOE, role="postgres", is_admin=True, may_pause=True)
NEW = NewRewrite(
    database="app",
    template_key="k",
    template="select 1",
    original="select 1",
    replacement="select 2",
    level=Level.TESTED,
    role="joe",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.db")) as opened:
        opened.log.add(
            [
                LogEntry(at=1000.0, database="app", role="joe", query="select 'mine'", duration_ms=1.5),
                LogEntry(at=2000.0, database="app", role="eve", query="select 'hers'", client="10.0.0.9:1"),
            ]
        )
        opened.queries.record([QuerySeen("app", "joe", "k", "select $1", "select 'mine'", 3, 30.0, 12.0)])
        yield opened


@pytest.fixture
def answers(store: Store) -> LocalAnswers:
    made = make(store, Config())
    assert made is not None
    return made


def run(answers: LocalAnswers, text: str, session: SessionView = JOE) -> LocalRows:
    answer = answers.match(text)
    assert answer is not None, text
    assert not answer.redirects
    outcome = asyncio.run(answer.run(session))
    assert isinstance(outcome, LocalRows)
    assert outcome.columns == answer.columns
    return outcome


def fails(answers: LocalAnswers, text: str, session: SessionView = JOE) -> SqlError:
    with pytest.raises(SqlError) as caught:
        run(answers, text, session)
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "select * from log",
        "select 1",
        "select 'rewright.log'",
        "show rewright.mode",
        "show server_version",
        "set rewright.mode = off",
        "call app.approve(1)",
        "explain select * from t",
        "explain (analyze) select 1",
        "select * from rewright.log; select 1",
        "insert into rewright.log values (1)",
        "not sql at all rewright.",
        "select '\x00 rewright.log'",
        "(" * 20_000 + "rewright.log",
    ],
)
def test_what_is_the_servers(answers: LocalAnswers, text: str) -> None:
    assert answers.match(text) is None


def test_the_log_by_role(answers: LocalAnswers) -> None:
    text = "select role, query, client from rewright.log order by id"
    assert run(answers, text).rows == (("joe", "select 'mine'", ""), ("eve", HIDDEN, HIDDEN))
    assert run(answers, text, ADMIN).rows == (
        ("joe", "select 'mine'", ""),
        ("eve", "select 'hers'", "10.0.0.9:1"),
    )


def test_arbitrary_sql_over_them(answers: LocalAnswers) -> None:
    found = run(
        answers,
        """with l as (select * from rewright.log where log_time < timestamptz '1970-01-01 00:20:00+00')
           select q.role, count(*) as n, sum(l.duration_ms)::float8 as ms, max(l.log_time) as t, bool_or(true) as b
           from l join rewright.queries q using (role) where q.query ilike 'SELECT%' group by 1 having count(*) = 1""",
    )
    assert [column.type_oid for column in found.columns] == [25, 20, 701, 1184, 16]
    ((role, count, ms, at, yes),) = found.rows
    assert (role, count, ms, yes) == ("joe", 1, 1.5, True)
    assert getattr(at, "timestamp", lambda: None)() == 1000.0


@pytest.mark.parametrize("relation", [relation.name for relation in RELATIONS])
def test_every_relation_can_be_read(answers: LocalAnswers, relation: str) -> None:
    found = run(answers, f"select * from rewright.{relation}")
    declared = next(one for one in RELATIONS if one.name == relation).columns
    assert [(column.name, column.type_oid) for column in found.columns] == [
        (column.name, column.type_oid) for column in declared
    ]


def test_knowledge_is_there(answers: LocalAnswers) -> None:
    ((count,),) = run(
        answers, "select count(*) from rewright.knowledge where text <> '' and title <> ''"
    ).rows
    assert isinstance(count, int)
    assert count > 0


def test_settings_are_the_sessions(answers: LocalAnswers) -> None:
    session = replace(JOE, settings=replace(JOE.settings, mode="observe", budget=1.5))
    found = run(
        answers,
        "select setting from rewright.settings where name in ('rewright.mode', 'rewright.budget') order by name",
        session,
    )
    assert found.rows == (("1500ms",), ("observe",))


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("select * from rewright.nothing", "42P01"),
        ("select * from rewright.log, pg_class", "0A000"),
        ("select * from rewright.log join public.t on true", "0A000"),
        ("select nothing from rewright.log", "42703"),
        ("select count(*) from rewright.log, read_csv('/etc/passwd')", "42501"),
        ("select getenv('HOME') from rewright.log", "42883"),
        ("select 'x'::int from rewright.log", "22P02"),
        ("select * from rewright.log where id = $1", "42P02"),
        ("select count(*) from rewright.log, '/etc/passwd'", None),
        ("call rewright.nothing(1)", "42883"),
        ("call rewright.approve(1)", "42501"),
        ("call rewright.pause()", "42501"),
        ("explain (rewrite) select 1", "0A000"),
        ("explain (rewrite, verbose) select 1", "22023"),
        ("explain (rewrite) delete from t", "22023"),
        ("ask 'how many?'", "0A000"),
        ("/* x */ -- y\n Explain ASK $$how many?$$", "0A000"),
        ("augment table t target x", "0A000"),
    ],
)
def test_what_is_refused(answers: LocalAnswers, text: str, state: str | None) -> None:
    if state is None:
        assert answers.match(text) is None  # does not parse
        return
    error = fails(answers, text)
    assert not state or error.sqlstate == state
    assert "Traceback" not in str(error)


def test_no_relation_is_made(answers: LocalAnswers) -> None:
    assert answers.match("select * into x from rewright.log") is None


def test_an_endless_query_ends(answers: LocalAnswers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rewright.wiring.ports.evaluating.SECONDS", 0.5)
    error = fails(
        answers,
        "select count(*) from rewright.log, generate_series(1, 1000000) a, generate_series(1, 1000000) b where random() < 0",
    )
    assert error.sqlstate in {"57014", "53200"}


def test_calls_of_admins(answers: LocalAnswers, store: Store) -> None:
    one = store.rewrites.add(NEW)
    done = run(answers, f"call rewright.approve({one.id}, 'looked at it')", ADMIN)
    assert (done.tag, done.columns, done.notices) == ("CALL", (), (f"rewrite {one.id} is active",))
    kept = store.rewrites.get(one.id)
    assert (kept.state, kept.approved, kept.reason, kept.changed_by) == (
        State.ACTIVE,
        True,
        "looked at it",
        "postgres",
    )
    run(answers, f"CALL rewright.reject('{one.id}'::int)", ADMIN)
    assert store.rewrites.get(one.id).state is State.REJECTED
    run(answers, "call rewright.pause()", ADMIN)
    assert store.switches.paused()
    run(answers, "call rewright.resume()", ADMIN)
    assert not store.switches.paused()


def test_admins_of_a_database_decide_there_only(answers: LocalAnswers, store: Store) -> None:
    ours, theirs = store.rewrites.add(NEW), store.rewrites.add(replace(NEW, database="other"))
    lesson = store.resolutions.add(Resolution("other", "select x", "select y"))
    one = replace(ADMIN, may_pause=False)
    for verb in ("approve", "reject", "pin", "retire"):
        refused = fails(answers, f"call rewright.{verb}({theirs.id})", one)
        assert (refused.sqlstate, refused.message) == ("P0002", f"no rewrite {theirs.id}")
    assert fails(answers, f"call rewright.accept({lesson.id})", one).sqlstate == "P0002"
    assert store.rewrites.get(theirs.id).state is State.PROPOSED
    assert not store.resolutions.read(accepted=True)
    run(answers, f"call rewright.approve({ours.id})", one)
    for verb in ("pause", "resume"):
        assert fails(answers, f"call rewright.{verb}()", one).sqlstate == "42501"


@pytest.mark.parametrize("session", [JOE, ADMIN])
def test_relations_show_the_own_database(answers: LocalAnswers, store: Store, session: SessionView) -> None:
    store.rewrites.add(replace(NEW, database="other"))
    store.log.add([LogEntry(at=3000.0, database="other", role="joe", query="select 'secret'")])
    store.queries.record([QuerySeen("other", "joe", "k", "select $1", "select 'secret'")])
    store.sessions.replace("w", [SessionSeen("w:1", "w", "other", "joe")])
    for relation in ("rewrites", "log", "queries", "sessions"):
        found = run(answers, f"select count(*) from rewright.{relation} where database <> 'app'", session)
        assert found.rows == ((0,),), relation


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("call rewright.approve(99)", "P0002"),
        ("call rewright.approve()", "42883"),
        ("call rewright.approve(1, 2)", "42883"),
        ("call rewright.approve(1 + 1)", "42883"),
        ("call rewright.approve(null)", "42883"),
        ("call rewright.approve('one')", "42883"),
        ("call rewright.pause(1)", "42883"),
        ("call rewright.accept(1, 'x')", "42883"),
    ],
)
def test_wrong_calls(answers: LocalAnswers, text: str, state: str) -> None:
    assert fails(answers, text, ADMIN).sqlstate == state


def test_show_last(answers: LocalAnswers) -> None:
    last = LastQuery("original", None, "not rewritten: volatile function random()")
    found = run(answers, "SHOW rewright.last", replace(JOE, last=last))
    assert (found.rows, found.tag) == ((("original | not rewritten: volatile function random()",),), "SHOW")
    assert last_text(LastQuery("replacement", 7, "", 0.0123, 0.0001)) == (
        "replacement | rewrite 7 | 12.3 ms | overhead 0.10 ms"
    )


def test_connections_as_administrators_see_them(answers: LocalAnswers, store: Store) -> None:
    rows = [
        SessionSeen("w0:11", "w0", "app", "joe", state="active", server="db:5432"),
        SessionSeen("w0:12", "w0", "app", "eve", state="idle", client="10.0.0.9:1", server="db:5432"),
        SessionSeen("w0:13", "w0", "other", "joe", state="idle"),
    ]
    store.sessions.replace("w0", rows)
    store.sessions.replace("w1", [SessionSeen("w1:14", "w1", "app", "joe", state="idle in transaction")])
    clients = "select pid, role, state from rewright.clients order by pid"
    joes = ((11, "joe", "active"), (14, "joe", "idle in transaction"))
    assert run(answers, clients).rows == joes
    assert run(answers, clients, ADMIN).rows == (joes[0], (12, "eve", "idle"), joes[1])
    pools = "select role, cl_active, cl_idle, sv_active, sv_idle, workers from rewright.pools order by role"
    assert run(answers, pools).rows == (("joe", 2, 0, 2, 0, 2),)
    assert run(answers, pools, ADMIN).rows == (("eve", 0, 1, 0, 1, 1), ("joe", 2, 0, 2, 0, 2))
    servers = "select pid, server from rewright.servers where role = 'eve'"
    assert run(answers, servers).rows == ()
    assert run(answers, servers, ADMIN).rows == ((12, "db:5432"),)
    stats = "select role, slow_query_count, slow_query_time_ms, served_count from rewright.stats"
    assert run(answers, stats, ADMIN).rows == (("joe", 3, 30.0, 0),)
    assert run(answers, stats, replace(JOE, role="eve")).rows == ()


def test_sessions_are_ended_by_admins(store: Store) -> None:
    asked: list[tuple[int, str]] = []

    async def killer(pid: int, database: str) -> bool:
        asked.append((pid, database))
        return pid == 11

    answers = make(store, Config(), kill=killer)
    assert answers is not None
    assert fails(answers, "call rewright.kill(11)").sqlstate == "42501"
    for wrong in ("()", "(11, 'x')", "('x')", "(null)", "(10 + 1)"):
        assert fails(answers, f"call rewright.kill{wrong}", ADMIN).sqlstate == "42883"
    for nobody in (0, -1, 12, 2**31):
        assert fails(answers, f"call rewright.kill({nobody})", ADMIN).sqlstate in {"P0002", "42883"}
    one = replace(ADMIN, may_pause=False)
    assert run(answers, "call rewright.kill(11)", one).notices == ("session 11 is terminated",)
    assert asked == [(12, "app"), (11, "app")]


SLOW_LAST = LastQuery("original", None, "no rewrite is known", 1.5, text="select 42 /* x */")


@pytest.mark.parametrize(
    ("status", "reason", "said"),
    [
        ("new", "", "slow: waiting for the optimiser"),
        (
            "nothing",
            "not optimised: it uses function s2.leak(integer), whose owner is alice",
            "not optimised: it uses function s2.leak(integer), whose owner is alice",
        ),
        (
            "nothing",
            "tried, and nothing faster was found",
            "not optimised: tried, and nothing faster was found",
        ),
        ("failed", "ValueError", "not optimised: the optimiser failed (ValueError); its log says why"),
    ],
)
def test_why_a_slow_query_was_not_optimised(store: Store, status: str, reason: str, said: str) -> None:
    """The same in SHOW rewright.last, in rewright.log and in the records that pages and commands show."""
    answers = optimising(store)
    key = template_key("app", normalized("select 7"))
    # found out with another role's execution, which was not the first
    for role in ("eve", "joe"):
        store.queries.record([QuerySeen("app", role, key, "select $1", "select 7")])
        if role == "eve" and status != "new":
            store.queries.set_status("app", key, status, reason)
    store.log.add([LogEntry(at=3000.0, database="app", role="joe", template_key=key, reason="slow")])
    assert run(answers, "show rewright.last", replace(JOE, last=SLOW_LAST)).rows == (
        (f"original | {said} | 1500.0 ms",),
    )
    assert run(answers, "select reason from rewright.log where id = 3").rows == ((said,),)
    # it may name what the query names
    others = run(answers, "select reason from rewright.log where id = 3", replace(JOE, role="eve"))
    assert others.rows == ((HIDDEN,),)
    assert [one.reason for one in store.log.read(after_id=2)] == [said]


def test_why_a_slow_query_waits_for_a_person(store: Store) -> None:
    answers = optimising(store)
    key = template_key("app", normalized("select 7"))
    one = store.rewrites.add(replace(NEW, level=Level.PROVED, modulo=("float-order", "tie-order")))
    store.queries.record([QuerySeen("app", "joe", key, "select $1", "select 7")])
    store.queries.set_status("app", key, "rewritten", rewrite_text(one, {"tie-order"}))
    asked = replace(JOE, last=SLOW_LAST)
    said = f"rewrite {one.id} is proposed: it needs approval because of `tie-order`"
    assert run(answers, "show rewright.last", asked).rows == ((f"original | {said} | 1500.0 ms",),)
    store.rewrites.act(one.id, Action.REJECT, reason="no", by="ann")
    assert run(answers, "show rewright.last", asked).rows == (
        (f"original | rewrite {one.id} is rejected | 1500.0 ms",),
    )


def test_nobody_optimises(answers: LocalAnswers) -> None:
    assert run(answers, "show rewright.last", replace(JOE, last=SLOW_LAST)).rows == (
        ("original | not optimised: no optimiser is configured ([databases] optimiser_dsn) | 1500.0 ms",),
    )


def optimising(store: Store) -> LocalAnswers:
    made = make(store, Config(databases={"*": Database(optimiser_dsn="postgresql://x")}))
    assert made is not None
    return made


def test_explain_rewrite_is_read() -> None:
    assert recognise("explain (rewrite, analyze, format json) select f(')') from t;") == ExplainRewrite(
        "select f(')') from t", analyze=True, format="json"
    )
    assert recognise("explain (rewrite off) select 1") is None


# -- parameters


@pytest.mark.parametrize(
    ("text", "types", "values", "rows"),
    [
        ("select id from rewright.log where query = $1", (25,), ("select 'mine'",), ((1,),)),
        ("select query from rewright.log where id = $1", (20,), (1,), (("select 'mine'",),)),
        (
            "select id from rewright.log where id in ($2, $1) order by 1 limit $3",
            (20, 20, 20),
            (1, 2, 1),
            ((1,),),
        ),
        ("select id from rewright.log where id between $1 and $2 order by 1", (20, 20), (1, 9), ((1,), (2,))),
        ("select id from rewright.log where role = any($1)", (1009,), (["joe"],), ((1,),)),
        ("select id from rewright.log where duration_ms > $1::float8", (701,), (1.0,), ((1,),)),
        (
            "select id from rewright.log where log_time < $1",
            (1184,),
            (datetime.fromtimestamp(1500, UTC),),
            ((1,),),
        ),
        ("select $2 from rewright.log where id = 1", (25, 25), ("unused", "word"), (("word",),)),
        ("select id from rewright.log where $1 is null and id = 1", (25,), (None,), ((1,),)),
    ],
)
def test_parameters_of_selects(
    answers: LocalAnswers, text: str, types: tuple[int, ...], values: tuple[object, ...], rows: object
) -> None:
    answer = answers.match(text)
    assert answer is not None
    assert answer.parameters == types
    outcome = asyncio.run(answer.run(JOE, values))
    assert isinstance(outcome, LocalRows)
    assert outcome.rows == rows
    assert outcome.columns == answer.columns


def test_parameters_of_calls(answers: LocalAnswers, store: Store) -> None:
    rewrite = store.rewrites.add(NEW)
    answer = answers.match("call rewright.reject($2, $1)")
    assert answer is not None
    assert answer.parameters == (25, 20)
    asyncio.run(answer.run(ADMIN, ("too slow", rewrite.id)))
    kept = store.rewrites.get(rewrite.id)
    assert (kept.state, kept.reason) == (State.REJECTED, "too slow")


@pytest.mark.parametrize(
    "text",
    [
        "select (select count(*) from range(100000000000)) from rewright.settings",
        "with recursive r (n) as (select 1 union all select n + 1 from r) select count(*) from r, rewright.settings",
        "select length(repeat('x', 2000000000)) from rewright.settings",
        "select 1 from rewright.settings order by length(repeat('x', 2000000000))",
        "select 1 from rewright.settings limit length(repeat('x', 2000000000))",
        "select 1 from rewright.settings, range(length(repeat('x', 2000000000)))",
        "select repeat(x, 2000000000) from (select 'x' as x) s, rewright.settings",
    ],
)
def test_what_a_text_is_described_with_does_not_run_it(answers: LocalAnswers, text: str) -> None:
    """Columns are asked for in the event loop: a stranger's query that ran there would stop all sessions."""
    before = time.process_time()
    assert answers.match(text) is not None
    assert time.process_time() - before < 2


DOUBLED = "name as x from rewright.settings"
for _ in range(40):
    DOUBLED = f"x || x as x from (select {DOUBLED}) s"
DOUBLED = f"select max(length(x)) from (select {DOUBLED}) s"


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("select max(length(repeat(name, 2000000000))) from rewright.settings", "54000"),
        ("select max(length(repeat(x, 2000))) from (select repeat(name, 2000) x from rewright.settings) s", "54000"),
        ("select max(length(lpad(name, 2000000000, 'x'))) from rewright.settings", "54000"),
        ("select max(length(rpad(name, 2000000000, 'x'))) from rewright.settings", "54000"),
        ("select max(length(replace(x, 'r', x))) from (select repeat(name, 9999) x from rewright.settings) s", "54000"),
        ("select max(length(printf('%2000000000s', name))) from rewright.settings", "0A000"),
        ("select max(length(format('{:>2000000000}', name))) from rewright.settings", "0A000"),
        (DOUBLED, "0A000"),
        (
            "with recursive r as (select name as x from rewright.settings union all select x || x from r) select x from r",
            "0A000",
        ),
        ("select max(length(main.repeat(name, 2000000000))) from rewright.settings", "0A000"),
        ("select max(length(system.main.repeat(name, 2000000000))) from rewright.settings", "0A000"),
    ],
)  # fmt: skip
def test_what_would_be_too_large_is_not_made(answers: LocalAnswers, text: str, sqlstate: str) -> None:
    """DuckDB makes a text in one go: neither a cancel nor the time limit ends that."""
    before = time.process_time()
    assert fails(answers, text).sqlstate == sqlstate
    assert time.process_time() - before < 2


@pytest.mark.parametrize(
    "text",
    [
        "select count(*) from rewright.log where log_time > now() - interval '1 hour'",
        "select name, n from rewright.settings, generate_series(1, 2) g (n) order by name, n limit 5",
        "select upper(name), coalesce(setting, repeat(name, 2)) from rewright.settings limit 1 offset 1",
        "select name || ' = ' || setting || ';' from rewright.settings",
        "select lpad(name, 40, '.'), replace(name, '.', ' ') from rewright.settings",
    ],
)
def test_ordinary_calls_are_answered(answers: LocalAnswers, text: str) -> None:
    assert run(answers, text).rows


@pytest.mark.parametrize(
    "reads",
    [
        "current_setting('secret_directory')",
        "(select value from duckdb_settings() where name = 'home_directory')",
        "(select max(path) from duckdb_databases())",
        "getenv('HOME')",
        "(select count(*) from glob('*'))",
        "(select count(*) from information_schema.tables)",
        '(select count(*) from "/etc/passwd")',
        "(select count(*) from sqlite_master)",
        "(select count(*) from other)",
    ],
)
@pytest.mark.parametrize(
    "text", ["select {} from rewright.log", "select id from rewright.log where {} is null"]
)
def test_nothing_of_the_machine_is_told_with_our_relations(
    answers: LocalAnswers, reads: str, text: str
) -> None:
    with pytest.raises(SqlError) as told:
        run(answers, text.format(reads))
    assert told.value.sqlstate in {"42501", "42P01", "42883", "25006", "0A000"}
    assert "/root" not in str(told.value)


def test_queries_with_the_usual_words_are_answered(answers: LocalAnswers) -> None:
    text = """with mine as (select role, duration_ms, log_time, row_number() over (order by id) as n from rewright.log)
        select role, count(*) filter (where duration_ms > 1), round(sum(duration_ms)::numeric, 2),
               date_trunc('hour', max(log_time)), string_agg(role || '!', ', ' order by n),
               coalesce(nullif(lower(max(role)), ''), 'none'), (select count(*) from rewright.settings) > 1
        from mine where role like 'j%' and n between 1 and 9 group by 1 having count(*) > 0
        order by 1 limit 5"""
    assert run(answers, text).rows
