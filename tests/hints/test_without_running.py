"""What is said of a query that may not be run: from statistics, from logs, from HypoPG."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rewright.engines.postgres.hinting import HintingSession, HintReport
from rewright.engines.postgres.scratch import ScratchServer
from rewright.hints.base import JoinHint
from rewright.hints.cardinality import Judgement, estimates_of, supposed
from rewright.hints.conditions import Condition, read_condition
from rewright.hints.levels import names_of
from rewright.hints.logs import plans_of, read_log
from rewright.hints.pricing import price
from rewright.hints.recommend import Options, recommend
from rewright.hints.statistics import judge
from tests.hints.test_planning import join, plan, scan

SLOW = (
    "select count(*), sum(length(b.x)) from a join b on b.a_id = a.id"
    " where upper(a.x) = 'A' and lower(a.y) = 'b' and upper(b.x) = 'A' and lower(b.y) = 'b'"
)
TEXT = "select * from a join b on a.x = b.x join c on c.x = b.x"
NO_RUN = Options(execute=False)


def never() -> bool:
    pytest.fail("a query was run")


# -- pure parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(p.city = 17)", [Condition("city", "", "=", "17")]),
        (
            "((upper(x) = 'A'::text) AND (n > 5))",
            [Condition("", "upper(x)", "=", "A"), Condition("n", "", ">", "5")],
        ),
        ("(3 < t.a)", [Condition("a", "", ">", "3")]),
        ("((e.doc ->> 'kind'::text) = 'view'::text)", [Condition("", "doc ->> 'kind'", "=", "view")]),
        ("((v)::text = 'x'::text)", [Condition("v", "", "=", "x")]),
        ("(hashed SubPlan 1)", []),
        ("", []),
        ("(((", []),
    ],
)
def test_conditions_are_read_back(text, expected):
    assert read_condition(text) == expected


def test_a_doubt_moves_the_joins_above():
    names = names_of(TEXT)
    low = join("Nested Loop", scan("a", 1), scan("b", 5), 10)
    top = plan(join("Nested Loop", low, scan("c", 5), 20))
    doubt = Judgement(frozenset("a"), "Seq Scan", 1, 0, 10_000, "why", "statistics")
    assert doubt.likely == 100
    assert supposed([doubt], top, names) == {
        frozenset("a"): 100,
        frozenset("ab"): 1000,
        frozenset("abc"): 2000,
    }


def test_no_doubt_within_reason():
    mild = Judgement(frozenset("a"), "Seq Scan", 50, 0, 10_000, "why", "statistics")
    assert not mild.unreasonable
    assert supposed([mild], plan(scan("a", 50)), names_of(TEXT)) == {}


def test_a_price_counts_the_repetitions():
    names = names_of(TEXT)
    loop = plan(join("Nested Loop", scan("a", 1), scan("b", 5, **{"Total Cost": 40}), 10))
    hashed = plan(join("Hash Join", scan("a", 1), scan("b", 5), 10))
    rows = {frozenset("a"): 1001.0}
    assert price(loop, names, {}) == loop.cost
    assert price(loop, names, rows) == loop.cost + 1000 * 40
    assert price(hashed, names, rows) < loop.cost + 100


# -- statistics


@pytest.fixture(scope="module")
def worlds(hint_server: ScratchServer) -> str:
    database = hint_server.create_database()
    dsn = hint_server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in (
            "create table corr (id int primary key, city int, county int, at int, label text, week int, day int)",
            "insert into corr select i, i / 100, i / 400, i, case when i % 10 < 7 then 'hot' else 'l' || i end, i % 50, i % 25 from generate_series(1, 30000) i",
            "create table other (id int primary key, label text, k int)",
            "insert into other select i, 'l' || i, i from generate_series(1, 20000) i",
            "create table fresh (id int, x int)",
            "create table grown (id int, at int)",
            "insert into grown select i, i from generate_series(1, 20000) i",
            "alter table fresh set (autovacuum_enabled = off)",
            "alter table grown set (autovacuum_enabled = off)",
            "select pg_stat_force_next_flush()",
            "analyze corr, other, grown",
            "insert into grown select i, i from generate_series(20001, 30000) i",
            "insert into fresh select i, i from generate_series(1, 20000) i",
            "select pg_stat_force_next_flush()",
        ):
            connection.execute(statement)
    return dsn


@pytest.fixture
def session(worlds: str) -> Iterator[HintingSession]:
    with HintingSession(worlds) as opened:
        yield opened


@pytest.mark.server
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("select * from corr where city = 17 and county = 4", "city, county follow the order of the rows"),
        ("select * from corr where week = 7 and day = 7", "nothing says whether they go together"),
        ("select * from corr where id % 7 = 3", "no statistics on id % 7"),
        ("select * from fresh where x = 5", "never analyzed"),
        ("select * from grown where at > 25000", "rows of grown changed since its last ANALYZE"),
        (
            "select * from corr c join other o on o.label = c.label where o.k < 5",
            "one of them in 70% of the rows",
        ),
    ],
)
def test_what_statistics_cannot_carry_is_doubted(session, text, reason):
    found, _ = session.plan(text)
    assert any(reason in one.reason for one in judge(session, found, names_of(text))), judge(
        session, found, names_of(text)
    )


@pytest.mark.server
@pytest.mark.parametrize(
    "text",
    ["select * from corr where city = 17", "select * from other where id = 3 and label = 'l3'", "select 1"],
)
def test_what_they_can_carry_is_not(session, text):
    found, _ = session.plan(text)
    assert judge(session, found, names_of(text)) == ()


@pytest.mark.server
def test_a_hash_join_from_statistics_alone(hinting):
    found = recommend(hinting, SLOW, Options(execute=False, allow=never))
    assert JoinHint("HashJoin", frozenset({"a", "b"})) in found.hints.hints, found
    assert not found.measured
    assert found.cost_after is not None
    assert found.cost_after < found.cost_before
    assert found.seconds_before is None
    assert any("CREATE STATISTICS" in one.statement for one in found.advice)


@pytest.mark.server
def test_a_query_thought_too_dear_is_not_run(hinting):
    found = recommend(hinting, SLOW, Options(max_cost=1.0, allow=never))
    assert not found.measured


@pytest.mark.server
def test_nothing_is_claimed_where_nothing_is_doubted(hinting):
    found = recommend(hinting, "select * from small s join small t on t.id = s.id", NO_RUN)
    assert not found.hints
    assert "not run" in found.reason


# -- indexes


HYPOTHETICAL = "<13556>btree_corr_city"


class Hypothetical(HintingSession):
    """HypoPG's replies as its version 1.3.1 gave them to the same statements on PostgreSQL 15. There is no
    build of it that every machine's embedded server can load (Debian's for 18 needs a newer C library), so
    they are recorded.
    """

    used = True
    asked: list[str]

    def extension_schema(self, name):
        assert name == "hypopg"
        return "public"

    def ask(self, statement, values=()):
        self.asked.append(statement)
        if "hypopg_create_index" in statement:
            assert values == ["CREATE INDEX ON public.corr (city)"]
            return [(HYPOTHETICAL,)]
        return [("",)] if "hypopg_reset" in statement else super().ask(statement, values)

    def plan(self, text, settings=None):
        if self.used and any("create_index" in one for one in self.asked) and "reset" not in self.asked[-1]:
            recorded = scan(
                "corr", 99, **{"Node Type": "Index Scan", "Index Name": HYPOTHETICAL, "Total Cost": 9.77}
            )
            return plan(recorded), HintReport()
        return super().plan(text, settings)


@pytest.mark.server
@pytest.mark.parametrize("used", [True, False])
def test_an_index_is_advised_only_if_the_planner_would_use_it(worlds, used):
    text = "select * from corr where city = 17"
    with Hypothetical(worlds) as session:
        session.asked, session.used = [], used
        found = recommend(session, text).advice
        assert session.asked[-1] == "select public.hypopg_reset()"
    assert [(one.statement, "(HypoPG)" in one.reason) for one in found] == [
        ("CREATE INDEX ON public.corr (city)", True)
    ] * used


@pytest.mark.server
def test_an_index_is_advised_without_hypopg(session):
    (advice,) = recommend(session, "select * from corr where city = 17").advice
    assert advice.statement == "CREATE INDEX ON public.corr (city)"


# -- auto_explain


def logged(dsn: str, form: str, text: str) -> str:
    """The message that auto_explain writes for one execution, as the server sends it to a client that
    listens.
    """
    heard: list[str] = []
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.add_notice_handler(lambda d: heard.append(d.message_primary or ""))
        for statement in (
            "load 'auto_explain'",
            "set auto_explain.log_min_duration = 0",
            "set auto_explain.log_analyze = on",
            "set auto_explain.log_timing = off",
            f"set auto_explain.log_format = {form}",
            "set client_min_messages = log",
        ):
            connection.execute(statement)
        heard.clear()
        connection.execute(text.encode())
    (message,) = [one for one in heard if "plan:" in one]
    return message


def write(path: Path, message: str, kind: str) -> Path:
    file = path / f"server.{kind}"
    if kind == "log":
        indented = message.replace("\n", "\n\t")
        file.write_text(
            f"2026-01-01 00:00:00.000 UTC [1] LOG:  starting\nnoise\n2026-01-01 UTC [1] u@d LOG:  {indented}\n"
            "2026-01-01 UTC [1] u@d ERROR:  other\n\tdetail\n"
        )
    elif kind == "json":
        file.write_text("not json\n" + json.dumps({"error_severity": "LOG", "message": message}) + "\n[1]\n")
    else:
        cells = ["x"] * 13 + ['"' + message.replace('"', '""') + '"'] + ["x"] * 12
        file.write_text("short,row\n" + ",".join(cells) + "\n")
    return file


@pytest.mark.sampled(3)
@pytest.mark.server
@pytest.mark.parametrize("kind", ["log", "csv", "json"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_actual_rows_from_logs(skewed, hinting, tmp_path, form, kind):
    entries = list(read_log(write(tmp_path, logged(skewed, form, SLOW), kind)))
    assert [one.text for one in entries] == [SLOW]
    spelled = SLOW.replace("select", "SELECT  /* note */ ", 1)
    plans = plans_of(spelled, entries)
    assert plans_of(SLOW.replace("'A'", "'B'"), entries) == []
    direct = hinting.execute_plan(SLOW, 20)
    names = names_of(SLOW)
    ours, theirs = ({e.aliases: e.actual for e in estimates_of(p, names)} for p in (plans[0], direct))
    assert ours == theirs
    found = recommend(hinting, SLOW, Options(execute=False, allow=never), logged=plans)
    assert JoinHint("HashJoin", frozenset({"a", "b"})) in found.hints.hints, found
    assert "log" in found.reason


@pytest.mark.server
def test_every_operator_of_a_text_plan_is_read(skewed, tmp_path, hinting):
    text = (
        "with c as materialized (select a_id, count(*) n from b group by a_id) select s.id, (select max(n) from c c2 where c2.a_id > s.id)"
        " from small s left join c on c.a_id = s.id where s.id in (select a_id from b x where x.id < 90) order by 1 limit 5"
    )
    (entry,) = read_log(write(tmp_path, logged(skewed, "text", text), "log"))
    direct = hinting.execute_plan(text, 20)
    assert [n.alias for n in entry.plan.walk()] == [n.alias for n in direct.walk()]
    assert [(n.operator, n.join_type) for n in entry.plan.joins] == [
        (n.operator, n.join_type) for n in direct.joins
    ]


@pytest.mark.parametrize(
    "content",
    ["", "\0\xff", "LOG:  duration: 1.0 ms  plan:\n\t{", "LOG:  duration: 1.0 ms  plan:\n\tQuery Text: x"],
)
def test_a_log_of_nothing_useful(tmp_path, content):
    file = tmp_path / "x.log"
    file.write_text(content)
    assert list(read_log(file)) == []
