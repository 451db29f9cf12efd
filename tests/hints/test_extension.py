"""Against the real pg_hint_plan: what we print is honoured, or refused before it gets there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.session import SessionError
from rewright.hints.base import HintSet, JoinHint, Leading, MemoizeHint, Parallel, Rows, SetHint
from rewright.hints.injection import inject
from rewright.hints.levels import names_of
from rewright.hints.obedience import complaints
from rewright.hints.recommend import Options, recommend

pytestmark = [pytest.mark.server, pytest.mark.long]

SLOW = """select count(*), sum(length(b.x)) from a join b on b.a_id = a.id
where upper(a.x) = 'A' and lower(a.y) = 'b' and upper(b.x) = 'A' and lower(b.y) = 'b'"""
SCRIPTS = Path(__file__).parents[2] / "hints" / "scripts"


@pytest.mark.parametrize(
    "hint",
    [
        JoinHint("MergeJoin", frozenset({"a", "b"})),
        JoinHint("NoHashJoin", frozenset({"a", "b"})),
        Leading(tree=("b", "a")),
        Leading(order=("a", "b")),
        Rows(frozenset({"a", "b"}), "#", 777),
        MemoizeHint(frozenset({"a", "b"}), negated=True),
        Parallel("a", 2, "hard"),
        SetHint("enable_sort", "off"),
    ],
)
def test_each_kind_is_used_and_shows_in_the_plan(hinting, hint):
    text = "select count(*) from a join b on b.a_id = a.id"
    before, _ = hinting.plan(text)
    plan, report = hinting.plan(inject(text, HintSet((hint,))))
    assert report.clean
    assert len(report.used) == 1
    assert complaints(HintSet((hint,)), plan, report, before, names_of(text)) == []


def test_used_but_not_obeyed_is_seen(hinting):
    """A hash join on an inequality is reported used and cannot be."""
    text = "select count(*) from small a join small b on b.id < a.id"
    hints = HintSet((JoinHint("HashJoin", frozenset({"a", "b"})),))
    before, _ = hinting.plan(text)
    plan, report = hinting.plan(inject(text, hints))
    assert report.used
    assert complaints(hints, plan, report, before, names_of(text))


KEYWORDS = (
    "select",
    "HashJoin",
    "Leading",
    "Set",
    "#5",
    "*2",
    "hard",
    "(",
    ")",
    '"',
    "'",
    '""',
    "a b",
    "A",
    "Ä",
    "--",
    "$1",
)
names = st.one_of(
    st.sampled_from(KEYWORDS),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(
        lambda s: "/*" not in s and "*/" not in s and len(s.encode()) < 60
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(names, min_size=2, max_size=2, unique=True))
def test_any_alias_is_honoured(hinting, pair):
    one, two = pair
    quoted = ['"' + name.replace('"', '""') + '"' for name in pair]
    text = f"select count(*) from a as {quoted[0]} join b as {quoted[1]} on {quoted[1]}.a_id = {quoted[0]}.id"
    hints = HintSet((JoinHint("MergeJoin", frozenset({one, two})),))
    plan, report = hinting.plan(inject(text, hints))
    assert report.clean, report
    assert plan.joins[0].operator == "Merge Join"


def test_two_comments_are_an_error_of_the_extension(hinting):
    with pytest.raises(SessionError, match="hint syntax error"):
        hinting.plan("/*+ Set(geqo off) */ select /*+ Set(geqo off) */ count(*) from a join b on a.id = b.id")


def test_recommends_the_join_that_the_estimates_forbid(hinting):
    found = recommend(hinting, SLOW, Options(run_seconds=10, budget_seconds=60))
    assert found.hints, found.reason
    assert JoinHint("HashJoin", frozenset({"a", "b"})) in found.hints.hints
    assert found.seconds_after is not None
    assert (found.seconds_before or 10) > 5 * found.seconds_after
    assert any(e.q_error > 100 for e in found.estimates)
    assert [a.statement for a in found.advice if "CREATE STATISTICS" in a.statement], found.advice


def test_nothing_to_gain_is_said(hinting):
    found = recommend(hinting, "select name from small where id = 3")
    assert not found.hints
    assert found.reason


def test_functions_with_queries_inside_get_no_hints(skewed, hinting):
    with psycopg.connect(skewed, autocommit=True) as connection:
        connection.execute(
            "create or replace function inside(int) returns bigint language sql as 'select count(*) from a'"
        )
    found = recommend(hinting, "select inside(a.id) from a join b on b.a_id = a.id")
    assert not found.hints
    assert "functions" in found.reason


def test_a_hint_in_the_text_is_left_alone(hinting):
    assert not recommend(hinting, "select /*+ SeqScan(a) */ * from a").hints


def test_fourteen_relations_take_geqo_off(hinting):
    tables = ", ".join(f"small s{i}" for i in range(13))
    text = f"select count(*) from a, {tables} where " + " and ".join(
        f"s{i}.id = a.id + {i}" for i in range(13)
    )
    order = ("a", *(f"s{i}" for i in range(13)))
    alone = HintSet((Leading(order=order),))
    _, ignored = hinting.plan(inject(text, alone))
    _, obeyed = hinting.plan(inject(text, alone.with_hint(SetHint("geqo", "off"))))
    assert ignored.not_used
    assert not obeyed.not_used


def test_client_messages_are_silent_outside_of_the_trying_session(skewed):
    messages = []
    with psycopg.connect(skewed, autocommit=True) as connection:
        connection.add_notice_handler(lambda d: messages.append(d.message_primary))
        connection.execute("load 'pg_hint_plan'")
        hints = HintSet((JoinHint("HashJoin", frozenset({"a", "b"})),))
        connection.execute(inject("select count(*) from a join b on b.a_id = a.id", hints).encode())
    assert messages == []


def test_without_the_extension_only_keywords_are_offered(skewed, monkeypatch):
    monkeypatch.setattr(HintingSession, "_find_extension", lambda _self: "")
    with HintingSession(skewed) as session:
        assert not session.support.extension
        found = recommend(session, SLOW, Options(run_seconds=2, budget_seconds=20))
        assert not found.hints.for_extension


@pytest.mark.parametrize("script", sorted(path.name for path in SCRIPTS.iterdir()))
def test_scripts_run(hint_server, script):
    psql = shutil.which("psql")
    assert psql, "psql is needed"
    database = hint_server.create_database()
    dsn = hint_server.dsn(database)
    variables = {
        "role": "scratch",
        "database": database,
        "query_id": "42",
        "hints": "HashJoin(a b)",
        "application": "",
    }
    flags = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute((SCRIPTS / "create_extension.sql").read_text().encode())
    done = subprocess.run(
        [psql, "-X", "-v", "ON_ERROR_STOP=1", *flags, "-f", str(SCRIPTS / script), dsn],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("alter role scratch reset all")


def test_aliases_that_repeat_are_told_apart_and_hinted(hinting):
    text = SLOW + " and a.id <= (select max(a.id) from a where a.id > 0)"
    found = recommend(hinting, text, Options(run_seconds=10, budget_seconds=60))
    assert "a_2" in found.text
    assert found.hints, found.reason
    hinted = inject(found.text, found.hints)
    assert isinstance(hinted, str)
    assert hinting.run(hinted).digest == hinting.run(text).digest


def test_a_query_that_does_not_end_says_so(hinting):
    text = "select count(*) from b x, b y, b z where x.id % 7 = y.id % 5 and y.id % 3 = z.id % 11"
    found = recommend(hinting, text, Options(run_seconds=0.2, budget_seconds=5))
    assert not found.hints
    assert found.stopped_at == 0.2
    assert "ended within" in found.reason


def test_relations_inside_of_views_are_hinted(hinting, skewed):
    with psycopg.connect(skewed, autocommit=True) as connection:
        connection.execute(
            "create or replace view inner_b as select bb.a_id, bb.id from b bb where upper(bb.x) = 'A' and lower(bb.y) = 'b';"
            "create or replace view outer_ab as select aa.id, v.id as b_id from a aa join inner_b v on v.a_id = aa.id"
            " where upper(aa.x) = 'A' and lower(aa.y) = 'b'"
        )
    try:
        hinting._catalog = None
        text = "select o.id, o.b_id from outer_ab o"
        found = recommend(hinting, text, Options(run_seconds=10, budget_seconds=60))
        assert JoinHint("HashJoin", frozenset({"aa", "bb"})) in found.hints.hints, found.reason
        # a view that is named twice has each of its relations twice: none of them can be named
        twice = "select o.id from outer_ab o join outer_ab p on p.id = o.id"
        names = names_of(
            twice, lambda _, name: hinting.catalog.find_table(name, ("public",)).definition or None
        )
        assert {"aa", "bb", "v"} <= names.repeated
    finally:
        with psycopg.connect(skewed, autocommit=True) as connection:
            connection.execute("drop view outer_ab, inner_b")


def test_functions_inside_of_views_count(hinting, skewed):
    with psycopg.connect(skewed, autocommit=True) as connection:
        connection.execute(
            "create or replace function inside(int) returns bigint language sql as 'select count(*) from a';"
            "create or replace view calling as select inside(a.id) from a join b on b.a_id = a.id"
        )
    try:
        hinting._catalog = None
        found = recommend(hinting, "select * from calling")
        assert not found.hints
        assert "functions" in found.reason
    finally:
        with psycopg.connect(skewed, autocommit=True) as connection:
            connection.execute("drop view calling")
