"""What prompts may hold at each level of sharing: marked values in cells, comments, questions and documents,
every prompt scanned.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from rewright.ask.context_reading import read_context
from rewright.ask.describe import Description
from rewright.ask.disclosure import Disclosure
from rewright.ask.execution import ExecutionError, Rows
from rewright.ask.lookups import look_up, names_in
from rewright.ask.mentions import Mentions
from rewright.ask.pipeline import Pipeline, PipelineSettings
from rewright.ask.ports import Comparison, Difference, Document, Draft
from rewright.ask.running import PostgresRunner
from rewright.ask.safety import Rules
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from tests.ask.scripted import CONFIRM, ScriptedModel, plan, query

pytestmark = pytest.mark.server

MARKS = ("Zebrowski", "zebra road", "ZX-81", "77123", "zebramail", "Zcomment")
SCHEMA = """
create table person (id int primary key, name text, street text, code text, income int, mail text);
insert into person values (1, 'Zebrowski', 'zebra road', 'ZX-81', 77123, 'a@zebramail.org'), (2, 'Other',
'elsewhere', 'B', 5, null);
comment on table person is 'Zcomment: people';
comment on column person.code is 'Zcomment: ZX-81 is a computer';
create table member (id int primary key, fullname text);
insert into member select i, 'member ' || i from generate_series(1, 600) i;
insert into member values (601, 'quintilla O''Marsh');
create table visit (id int primary key, person int references person, at date);
insert into visit select i, 1 + i % 2, date '2020-01-01' + i from generate_series(1, 50) i;
"""
PROBES = (
    "select * from person",
    "select name, income from person limit 1",
    "select name::int from person",
    "select max(income), string_agg(name, ',') from person",
)
FINAL = "select name from person where street = $1"


@pytest.fixture(scope="module")
def people(scratch_server: ScratchServer, module_database: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as made:
        made.execute(SCHEMA.encode())
        yield made


class Parting:
    """A checker that tells every pair apart, by rows made of the queries' values."""

    def compare(self, first: str, second: str) -> Comparison:
        setup = ("INSERT INTO person (id, name, street) VALUES (1, 'Zebrowski', 'zebra road')",)
        return Comparison("differ", Difference(setup, "Zebrowski", f"{first} {second}"[:0] + "77123"))


def script(final: str) -> dict[str, list[Any]]:
    """Every stage is reached: linking, exploring, errors, choice, judges, critic, refinement, lessons."""
    violation = {"stage": "values", "problem": "another spelling", "fragment": "street"}
    explore = "[EXPLORE]\n" + ";\n".join(PROBES) + ";"
    return {
        "logical plan": [{"steps": ["find the person"]}],
        "schema pruning (delete)": [{"tables": ["visit"]}],
        "schema pruning (keep)": [{"columns": ["person.street", "person.name"]}],
        "semantic linking": [
            {"tables": [{"table": "person", "role": "target", "columns": ["name", "street"], "why": "who"}]}
        ],
        "profile a table": [{"queries": [{"sql": sql} for sql in PROBES]}],
        "choose columns": [
            {"keep": ["person.name"], "queries": list(PROBES)},
            {"keep": ["person.name", "person.street"], "rejected": [{"column": "person.id", "reason": "no"}]},
        ],
        "plan the query": [plan("person", outputs=["name"])],
        "plan the query (values)": [
            {"signals": [{"phrase": "road", "column": "person.street", "value": "$1"}]}
        ],
        "write the query": [
            explore,
            query("select nme from person"),
            query("select name::int from person"),
            query(final),
            CONFIRM,
        ]
        * 3,
        "choose between two readings": [{"choice": "A"}],
        "judge the query": [{"faithful": False, "missing": ["spelling"]}, {"faithful": True}],
        "criticise the query": [{"violations": [violation]}],
        "blame one stage": [
            {"stage": "values", "violations": [violation], "lesson": "streets are written small"}
        ],
    }


def asked(people: psycopg.Connection[Any], share: str, final: str = FINAL) -> tuple[ScriptedModel, Any]:
    catalog = snapshot(people)
    model = ScriptedModel(script(final))
    draft = "select name from person where street = 'zebra road' and code <> 'ZX-81' and income < 77123"
    made = Pipeline(
        model,
        PostgresRunner(people, Rules(catalog)),
        read_context(people, catalog),
        PipelineSettings(share=share, small_tokens=0, document_tokens=10_000),  # type: ignore[arg-type]
        documents=[Document("rules", "A good code is 'ZX-81'. People live on zebra road.")],
        reader=lambda *_: Draft(draft, "people of Zebrowski", 0.9),
        comparer=Parting(),
    )
    return model, made.answer("Who lives on Zebra Road, as 'Zebrowski' does?", evidence="code ZX-81 is good")


def test_no_value_is_in_any_prompt_where_values_are_hidden(people: psycopg.Connection[Any]) -> None:
    for share in ("schema", "statistics"):
        model, outcome = asked(people, share)
        assert len(set(model.tasks())) >= 11
        said = model.prompts()
        for mark in MARKS:
            assert mark.lower() not in said.lower(), (share, mark)
        assert "values are withheld" in said
        assert outcome.sql == "select name from person where street = 'zebra road'"
        assert outcome.rows.rows == (("Zebrowski",),)


def test_the_same_run_shows_them_at_samples(people: psycopg.Connection[Any]) -> None:
    model, _ = asked(people, "samples", "select name from person where street = 'zebra road'")
    said = model.prompts().lower()
    assert all(mark.lower() in said for mark in MARKS)


def disclosure_of(people: psycopg.Connection[Any], share: str) -> Disclosure:
    context = read_context(people, snapshot(people))
    return Disclosure(share, Mentions(context), Description(context).column_name)  # type: ignore[arg-type]


def test_placeholders_come_back_as_the_data_spells_them(people: psycopg.Connection[Any]) -> None:
    hidden = disclosure_of(people, "schema")
    assert hidden.words("Does zEBROWSKI live on Zebra  road?") == "Does $1 live on $2?"
    assert "$2: a text of the question that is a value of person.street" in hidden.legend()
    assert (
        hidden.restore("select '$1', '%$2%', $2, $9")
        == "select 'Zebrowski', '%zebra road%', 'zebra road', $9"
    )
    assert hidden.restore("select '") == "select '"


def test_a_quote_in_a_value_can_not_end_its_literal(people: psycopg.Connection[Any]) -> None:
    hidden = disclosure_of(people, "schema")
    sent = hidden.words('Who is "x\'; drop table person; --"?')
    assert sent == "Who is $1?"
    assert hidden.restore("select $1") == "select 'x''; drop table person; --'"
    assert hidden.restore("select 'a $1'") == "select 'a x''; drop table person; --'"


def test_words_of_the_question_stay(people: psycopg.Connection[Any]) -> None:
    hidden = disclosure_of(people, "schema")
    question = "How many people have more than 3 visits in 2020?"
    assert hidden.words(question) == question
    assert hidden.query("select 1 from person where id > 3") == "select 1 from person where id > 3"
    query_of_reader = "select 1 where income > 4711 and code = 'ZX-9'"
    assert hidden.query(query_of_reader) == "select 1 where income > <number> and code = $1"
    hidden.restore("select 1 where income > 4711 and code = 'ZX-9' and code <> 'free'")
    shown = hidden.query("select 1 where income > 4711 and code = 'ZX-9' and code <> 'free'")
    assert shown == "select 1 where income > 4711 and code = $1 and code <> 'free'", (
        "what a model wrote is its own"
    )


def test_an_alias_may_be_any_text(people: psycopg.Connection[Any]) -> None:
    hidden = disclosure_of(people, "schema")
    sent = hidden.query(
        'select "name" as "of Zebrowski", count(*) as "n" from person order by "of Zebrowski"'
    )
    assert sent == 'select "name" as "alias 1", count(*) as "alias 2" from person order by "alias 1"'
    hidden.restore('select 1 as "its own"')
    assert hidden.query('select 1 as "its own"') == 'select 1 as "its own"'
    shown = disclosure_of(people, "samples")
    assert shown.query('select 1 as "of Zebrowski"') == 'select 1 as "of Zebrowski"'


def test_a_name_among_many_is_looked_up(people: psycopg.Connection[Any]) -> None:
    catalog = snapshot(people)
    context = read_context(people, catalog)
    assert not next(c for t in context.tables for c in t.columns if c.name == "fullname").values
    for share, written in (("schema", "$1"), ("samples", "'quintilla O''Marsh'")):
        final = f"select id from member where fullname = {written}"
        replies = {
            "plan the query": [plan("member")],
            "write the query": [query(final), CONFIRM],
            "judge the query": [{"faithful": True}],
        }
        model = ScriptedModel(replies)
        settings = PipelineSettings(share=share)  # type: ignore[arg-type]
        made = Pipeline(model, PostgresRunner(people, Rules(catalog)), context, settings)
        outcome = made.answer("Which id has Quintilla O'Marsh, the member?")
        assert outcome.rows is not None
        assert outcome.rows.rows == ((601,),)
        assert ("quintilla" in model.prompts().lower()) == (share == "samples")
        assert "is a value of member.fullname" in model.prompts()


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which papers did Ana de la Cruz write?", ["Ana de la Cruz"]),
        ('How many people like "deep blue" in New York?', ["deep blue", "New York"]),
        ("Who is Zebrowski?", []),
        ("List the Person with the most Visits", []),
        ("how many visits are there", []),
        ("who used part BR/77#2 of zed@mail.example?", ["BR/77#2", "zed@mail.example"]),
    ],
)
def test_what_is_taken_for_a_name(people: psycopg.Connection[Any], question: str, names: list[str]) -> None:
    assert names_in(question, Mentions(read_context(people, snapshot(people)))) == names


def test_what_can_not_be_looked_up_is_not_known(people: psycopg.Connection[Any]) -> None:
    class Slow(PostgresRunner):
        def run(self, sql: str, *, rows: int | None = None, seconds: float | None = None) -> Rows:
            raise ExecutionError("canceling statement due to statement timeout", "57014")

    description = Description(read_context(people, snapshot(people)))
    assert look_up(Slow(people, Rules()), description, ["x"]) == []
    hostile = look_up(
        PostgresRunner(people, Rules(snapshot(people))), description, ["x'; drop table member; --"]
    )
    assert hostile == []
    assert people.execute("select count(*) from member").fetchone() == (601,)
