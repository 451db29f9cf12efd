"""Indexes that are advised: for what a plan compares, joins and sorts by, not only for what a scan throws away."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from rewright.engines.postgres.hinting import HintingSession
from rewright.engines.postgres.scratch import ScratchServer
from rewright.engines.postgres.session import SessionError
from rewright.hints.advice import Advice, advise
from rewright.hints.hypothetical import Hypothetical, missing
from rewright.hints.indexes import comparisons, keys_of_scan, wanted
from rewright.hints.recommend import Options, advised
from tests.hints.test_planning import join, plan, scan

SETUP = """
create table parent (id int primary key, kind text not null, size int not null, label varchar);
create table child (id int primary key, parent_id int not null, made date not null, at timestamp not null, n int not null);
create table tiny (id int, n int);
create table part (id bigint, "Member Id" int, at timestamp, doc json, code varchar) partition by range (at);
create table part1 partition of part for values from ('2020-01-01') to ('2021-01-01');
create table part2 partition of part for values from ('2021-01-01') to ('2022-01-01');
insert into part select i, i % 5000, timestamp '2020-01-02' + i * interval '10 minutes', '{}', 'c' || i
  from generate_series(1, 60000) i;
insert into parent select i, 'k' || i % 40, i, 'l' || i from generate_series(1, 4000) i;
insert into child select i, 1 + i * 7 % 4000, date '2020-01-01' + i % 900, timestamp '2020-01-01' + i * interval '1 hour', i % 97
  from generate_series(1, 24000) i;
insert into tiny select i, i from generate_series(1, 50) i;
create index parent_size on parent (size, kind);
analyze;
"""


# -- what a plan says


def keys(text: str, alias: str = "c") -> tuple[str, ...]:
    return keys_of_scan(plan(scan("child", 1, Alias=alias, Filter=text)).root)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(c.parent_id = p.id)", ("parent_id",)),
        ("(p.id = c.parent_id)", ("parent_id",)),
        ("((c.n > 5) AND (c.parent_id = $1))", ("parent_id", "n")),
        ("((5 < c.n) AND (c.n < 9) AND (c.made > '2020-01-01'::date))", ("n",)),
        ("((c.n = 3) AND (NOT (ANY (c.parent_id = (hashed SubPlan 1).col1))))", ("n",)),
        ("((c.n = 3) AND EXISTS(SubPlan 1))", ("n",)),
        ("(c.parent_id = (InitPlan 1).col1)", ("parent_id",)),
        ("(c.n = ANY ('{1,2}'::integer[]))", ("n",)),
        ("((c.made)::timestamp = '2020-01-01'::timestamp)", ("(cast(madeastimestamp))",)),
        ('("c"."Odd name" = 3)', ('"Odd name"',)),
        ("(c.n = c.parent_id)", ()),
        ("((c.n = 3) OR (c.n = p.id))", ()),
        ("(p.id = 7)", ()),
        ("(((", ()),
    ],
)
def test_the_keys_of_a_scan_are_its_own_columns(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(k.replace(" ", "").lower() if k.startswith("(") else k for k in keys(text)) == expected


def test_a_join_is_told_from_both_sides() -> None:
    node = plan(
        join("Hash Join", scan("p", 5), scan("c", 5), 9, **{"Hash Cond": "(p.id = c.parent_id)"})
    ).root
    assert {(c.alias, c.key) for c in comparisons(node)} == {("p", "id"), ("c", "parent_id")}


def test_columns_of_a_sort_come_after_what_is_compared() -> None:
    child = scan("child", 5, Alias="c", Filter="(c.n = 3)")
    top = plan({"Node Type": "Sort", "Sort Key": ["c.at DESC"], "Plan Rows": 5, "Plans": [child]})
    assert ("n", "at") in {index.keys for index in wanted(top)}


# -- on a server


@pytest.fixture(scope="module")
def dsn(scratch_server: ScratchServer, module_database: str) -> str:
    found = scratch_server.dsn(module_database)
    with psycopg.connect(found, autocommit=True) as connection:
        connection.execute(SETUP)
    return found


@pytest.fixture
def session(dsn: str) -> Iterator[HintingSession]:
    with HintingSession(dsn, own=True) as opened:
        yield opened


CORRELATED = "select p.id, (select max(c.n) from child c where p.id = c.parent_id) from parent p"


def statements(found: tuple[Advice, ...]) -> list[str]:
    return [one.statement for one in found if one.statement.startswith("CREATE INDEX")]


@pytest.mark.server
def test_what_did_not_end_in_time_is_advised_on_as_well(session: HintingSession) -> None:
    found = advised(session, CORRELATED, Options(run_seconds=0.02, budget_seconds=5))
    assert statements(found) == ["CREATE INDEX ON public.child (parent_id)"]


@pytest.mark.server
def test_what_is_not_run_is_advised_on_by_its_plan(session: HintingSession) -> None:
    (advice,) = advised(session, CORRELATED, Options(execute=False))
    assert advice.statement == "CREATE INDEX ON public.child (parent_id)"
    assert "for each row outside 24,000 rows of child would be read" in advice.reason


@pytest.mark.server
def test_parameters_are_planned_generically(session: HintingSession) -> None:
    text = CORRELATED + " where p.kind = $1"
    assert statements(advised(session, text, Options(execute=False))) == [
        "CREATE INDEX ON public.child (parent_id)"
    ]


@pytest.mark.server
@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("""select * from part where "Member Id" = 17""", '"Member Id"'),
        ("select * from part where code = 'c700'", "code"),
        ("select count(*) from part where doc::text = 'x'", "(CAST(doc AS text))"),
    ],
)
def test_an_index_is_one_of_all_partitions(session: HintingSession, text: str, keys: str) -> None:
    assert statements(advised(session, text)) == [f"CREATE INDEX ON public.part ({keys})"]


@pytest.mark.server
def test_a_condition_that_keeps_few_is_evidence_enough(session: HintingSession) -> None:
    (advice,) = advised(session, "select * from child where at = $1", Options(execute=False))
    assert advice.statement == "CREATE INDEX ON public.child (at)"
    assert "24,000 rows of child would be read to keep about 1" in advice.reason


@pytest.mark.server
@pytest.mark.parametrize(
    "text",
    [
        "select count(*) from child where to_char(at, 'YYYY-MM-DD HH24') = '2020-03-01 07'",
        "select count(*) from tiny t where exists (select 1 from tiny u where u.n = t.id + 1)",
        "select count(*) from parent where size = 77",
        "select count(*) from part where at::text = 'x'",
        "select p.id, (select max(t.n) from tiny t where t.id = p.id) from parent p",
    ],
)
def test_none_is_advised_that_can_not_be_built_or_is_there_or_is_of_a_small_table(
    session: HintingSession, text: str
) -> None:
    assert statements(advised(session, text)) == []


class Built(HintingSession):
    """A server with HypoPG: indexes are made by somebody else's session, and dropped again."""

    builder: psycopg.Connection[tuple[object, ...]]
    made: list[str]

    def extension_schema(self, name):
        assert name == "hypopg"
        return "public"

    def ask(self, statement, values=()):
        if "hypopg_create_index" in statement:
            name = f"made_{len(self.made)}"
            try:
                self.builder.execute(values[0].replace("INDEX ON", f"INDEX {name} ON", 1).encode())
            except psycopg.Error as error:
                raise SessionError(str(error), "42P17") from error
            self.made.append(name)
            return [(name,)]
        if "hypopg_reset" in statement:
            for name in self.made:
                self.builder.execute(f"drop index {name}".encode())
            self.made.clear()
            return [("",)]
        return super().ask(statement, values)


@pytest.fixture
def built(dsn: str) -> Iterator[Built]:
    with psycopg.connect(dsn, autocommit=True) as builder, Built(dsn, own=True) as opened:
        opened.builder, opened.made = builder, []
        yield opened
        assert opened.made == []


@pytest.mark.server
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CORRELATED, ["CREATE INDEX ON public.child (parent_id, n)"]),
        (
            "select p.label, c.at from parent p join child c on c.parent_id = p.id where p.id between 5 and 9",
            ["CREATE INDEX ON public.child (parent_id)"],
        ),
        ("select * from child order by at desc limit 5", ["CREATE INDEX ON public.child (at)"]),
        ("select max(at) from child where n = 7 and made < date '2020-05-01'", None),
        ("select * from child where made = $1", ["CREATE INDEX ON public.child (made)"]),
        ("select * from parent where label = 'l7'", ["CREATE INDEX ON public.parent (label)"]),
        ("select count(*) from child where to_char(at, 'YYYY-MM-DD HH24') = '2020-03-01 07'", []),
        ("select count(*), sum(c.n) from parent p join child c on c.parent_id = p.id", []),
        ("select * from parent where size = 7", []),
        ("""select * from part where "Member Id" = 17""", ['CREATE INDEX ON public.part ("Member Id")']),
    ],
)
def test_what_the_planner_would_take_is_advised(built: Built, text: str, expected: list[str] | None) -> None:
    found = advised(built, text, Options(execute="$" not in text))
    if expected is None:
        (one,) = statements(found)
        assert one.startswith("CREATE INDEX ON public.child (n")
    else:
        assert statements(found) == expected
    assert all("(HypoPG)" in one.reason for one in found if one.statement.startswith("CREATE INDEX"))


@pytest.mark.server
def test_none_is_tried_when_time_is_up(built: Built) -> None:
    found, _ = built.plan(CORRELATED)
    assert (
        Hypothetical(built, "public", CORRELATED, 0.0).helpful(found, missing(built, wanted(found))) is None
    )
    assert advise(built, found, (), text=CORRELATED, until=0.0) == ()
