"""Questions as people type and speak them: short forms, contraries, enumerations, who is above whom, revenue.

Over a tram depot, a schema that shares no word with another set.
"""

from __future__ import annotations

import psycopg
import pytest

from rewright.ask.api import Asker
from rewright.ask.context import ColumnContext, Context, Join, TableContext
from rewright.ask.context_reading import read_context
from rewright.ask.reading.api import Reader, Reading
from rewright.ask.reading.typed import typed_out
from rewright.engines.postgres.catalog import snapshot
from rewright.engines.postgres.scratch import ScratchServer
from tests.ask.readings import assert_read, assert_refused, table


def _enumerated(made: TableContext, column: str, *labels: str) -> TableContext:
    """The table with a column of an enumerated type."""
    own = ColumnContext.of(made.ref, column, f"{column}_kind", values=labels, enumerated=True, distinct=2)
    return TableContext.of(made.ref, [*made.columns, own], rows=made.rows)


@pytest.fixture(scope="module")
def reader() -> Reader:
    fitter = table(
        "fitter", 9, fitter_id="int4 key", full_name="text unique:Ada Birk,Olaf Rehn", hamlet="text:Ost,Nord",
        mentor_id="int4 *3 null"
    )  # fmt: skip
    tram = table(
        "tram", 30, tram_id="int4 key", fleet_name="text unique", fitter_id="int4 *9", livery="text:red,blue",
        is_private="bool", scrapped_on="date null"
    )  # fmt: skip
    logbook = table(
        "logbook", 50, logbook_id="int4 key", tram_id="int4 *20", failed="int4", size_bytes="int8", written="date"
    )  # fmt: skip
    ticket = table(
        "ticket", 90, ticket_id="int4 key", tram_id="int4 *20", sold_on="date", seats="int4", seat_price="numeric",
        channel="text:kiosk,app"
    )  # fmt: skip
    fee = table(
        "levy", 90, levy_id="int4 key", tram_id="int4 *20", paid_on="date", toll="numeric", way="text:cheque,coin"
    )  # fmt: skip
    loan = table("loan", 40, loan_id="int4 key", fitter_id="int4 *9", wrench_id="int4 *7", lent_on="date")
    wrench = table(
        "wrench", 7, wrench_id="int4 key", label="text unique", vin_number="text unique", worth="numeric"
    )  # fmt: skip
    outing = table(
        "outing", 60, outing_id="int4 key", tram_id="int4 *20", ran_on="date", visitors="int4", donations="numeric",
        stars="int4"
    )  # fmt: skip
    sand = table(
        "sanding", 60, sanding_id="int4 key", tram_id="int4 *20", strewn_on="date", sand_kg="numeric",
        sand_sort="text:quartz,chert"
    )  # fmt: skip
    crewship = table("crewship", 40, tram_id="int4 *30", fitter_id="int4 *9", since="date")
    tram = _enumerated(tram, "status", "ready", "failed")
    tables = [fitter, tram, logbook, ticket, sand, crewship, fee, loan, wrench, outing]
    at = {(t.ref.name, c.name): c for t in tables for c in t.columns}
    keys = [
        ("tram", "fitter_id", "fitter"),
        ("fitter", "mentor_id", "fitter"),
        ("logbook", "tram_id", "tram"),
    ]
    keys += [("levy", "tram_id", "tram"), ("loan", "fitter_id", "fitter"), ("loan", "wrench_id", "wrench")]
    keys += [("outing", "tram_id", "tram"), ("ticket", "tram_id", "tram"), ("sanding", "tram_id", "tram")]
    joins = [Join(at[many, key], at[one, f"{one}_id"], 1.0) for many, key, one in keys]
    return Reader(Context.of(tables=tables, joins=joins))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("trams which havent been scrapped", "trams which haven't been scrapped"),
        ("what % of trams failed?", "what percentage of trams failed?"),
        ("% of trams that failed", "percentage of trams that failed"),
        ("trams w/o tickets", "trams without tickets"),
        ("# of trams", "number of trams"),
        ("whats the livery of Ada", "what is the livery of Ada"),
        ("trams named 'dont stop w/o me'", "trams named 'dont stop w/o me'"),
        ("the antenna ants want % of nothing", "the antenna ants want % of nothing"),
    ],
)
def test_what_is_typed_short_is_written_out_but_for_quotes(typed: str, said: str) -> None:
    assert typed_out(typed) == said


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("what % of trams failed?", ["filter (where tram.status = 'failed')", "100.0"]),
        ("how many trams are ready", ["count(*)", "tram.status = 'ready'"]),
        ("list the public trams", ["not tram.is_private"]),
        ("scrapped trams", ["tram.fleet_name", "tram.scrapped_on is not null"]),
        ("trams and who owns them", ["tram.fleet_name"]),
        ("most used livery", ["group by tram.livery", "order by count(*) desc"]),
        ("which livery is used most often?", ["group by tram.livery", "order by count(*) desc"]),
        ("are there more red trams or more blue trams?", ["from public.tram", "in ('red', 'blue')"]),
        ("which trams has nobody sanded?", ["not exists (select from public.sanding"]),
        ("revenue per channel", ["sum((ticket.seats * ticket.seat_price))", "group by ticket.channel"]),
        ("sand by sort and year", ["sum(sanding.sand_kg)", "sanding.sand_sort", "extract(year"]),
        ("tickets per month in 2023", ["count(*)", "date_trunc('month', ticket.sold_on)"]),
        ("who is Ada Birk's mentor?", ["in (select fitter.mentor_id", "fitter.full_name = 'Ada Birk'"]),
        ("who mentors Olaf Rehn", ["in (select fitter.mentor_id", "fitter.full_name = 'Olaf Rehn'"]),
        ("the hamlet of the mentor of Olaf Rehn", ["select fitter.hamlet", "in (select fitter.mentor_id"]),
        ("trams that took more than 60 kg in total", ["having sum(sanding.sand_kg) > 60"]),
        ("logbooks larger than 5 MB", ["logbook.size_bytes > 5000000"]),
        ("how many scrapped trams are there", ["count(*)", "tram.scrapped_on is not null"]),
        ("total toll paid by cheque", ["sum(levy.toll)", "levy.way = 'cheque'"]),
        ("total toll paid by way", ["sum(levy.toll)", "group by levy.way"]),
        (
            "who borrowed the most wrenches?",
            ["from public.loan", "fitter.full_name", "order by count(*) desc"],
        ),
        ("which wrenches have never been borrowed?", ["not exists (select from public.loan"]),
        ("fitters who borrowed more than 3 wrenches", ["from public.loan", "having count(*) > 3"]),
        ("how many wrenches did Ada Birk borrow?", ["count(*) from public.loan", "'Ada Birk'"]),
        ("the 3 most valuable wrenches", ["order by wrench.worth desc", "limit 3"]),
        ("wrenches that have 'M5' in their vin number", ["wrench.vin_number ilike '%M5%'"]),
        (
            "donations per visitor for each livery",
            ["sum(outing.donations)::float8 / nullif(sum(outing.visitors), 0)"],
        ),
        (
            "ratio of good outings (stars > 3) to bad outings (stars < 3) by livery, sorted by descending ratio",
            ["filter (where outing.stars > 3)", "filter (where outing.stars < 3)", "desc"],
        ),
        (
            "What is the fault rate of each tram? The fault rate is the number of logbooks divided by the number of tickets.",
            ["::float8 / nullif("],
        ),
        (
            "top 3 liveries and channels by number of tickets",
            ["group by tram.livery, ticket.channel", "order by count(*) desc nulls last limit 3"],
        ),
        ("total size of logbooks in kb", ["sum(logbook.size_bytes)", "/ 1000"]),
    ],
)
def test_everyday_forms_are_read(reader: Reader, question: str, parts: list[str]) -> None:
    if question == "trams and who owns them":
        assert_refused(reader, question)
        return
    assert_read(reader, question, parts)


@pytest.mark.parametrize(
    "question",
    [
        "trams heavier than 1 gb",  # only logbooks have a size in bytes
        "list tickets by seats",  # an order or groups?
    ],
)
def test_what_only_looks_like_them_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_only_the_ones_that_are_done_follows_up(reader: Reader) -> None:
    before = reader.read("how many red trams are there?")
    assert isinstance(before, Reading)
    after = reader.read("only the ones that are scrapped", previous=before)
    assert isinstance(after, Reading)
    assert "tram.livery = 'red'" in after.sql
    assert "tram.scrapped_on is not null" in after.sql


@pytest.mark.parametrize("question", ["and public ones?", "and not private?", "what about the public ones?"])
def test_the_contrary_of_what_was_asked_takes_its_place(reader: Reader, question: str) -> None:
    before = reader.read("how many private trams are there?")
    assert isinstance(before, Reading)
    after = reader.read(question, previous=before)
    assert isinstance(after, Reading), after.why
    assert after.sql.endswith("where not tram.is_private")


def test_a_reading_keeps_the_question_as_it_was_asked(reader: Reader) -> None:
    assert reader.read("what % of trams failed?").question == "what % of trams failed?"
    assert reader.read("trams w/o jam").question == "trams w/o jam"


SCHEMA = """
create type mood as enum ('calm', 'cross', 'gone');
create table shepherd (sh_id int primary key, full_name text, parent_id int, mood mood, paper json);
insert into shepherd select i, 'S' || i, nullif(1 + i / 4, i), (array['calm','cross']::mood[])[1 + i % 2], '{}'
from generate_series(1, 20) i;
create table flock (flock_id int primary key, previous_id int);
insert into flock select i, i / 2 * 2 + 1 from generate_series(1, 20) i;
create table pasture (pasture_id uuid primary key, herd uuid);
create table fence (fence_no int primary key, pasture_id uuid);
insert into pasture select gen_random_uuid() from generate_series(1, 5);
insert into fence select row_number() over (), pasture_id from pasture;
"""


@pytest.mark.server
def test_enumerations_uuids_and_superiors_are_in_the_context(
    scratch_server: ScratchServer, module_database: str
) -> None:
    with psycopg.connect(scratch_server.dsn(module_database), autocommit=True) as connection:
        connection.execute(SCHEMA.encode())
        context = read_context(connection, snapshot(connection))
        joins = {(j.many.table.name, j.many.name, j.one.table.name) for j in context.joins}
        columns = {(t.ref.name, c.name): c for t in context.tables for c in t.columns}
        assert columns["shepherd", "mood"].values == ("calm", "cross", "gone")
        assert columns["shepherd", "paper"].nulls == 0
        assert ("shepherd", "parent_id", "shepherd") in joins
        assert ("fence", "pasture_id", "pasture") in joins
        # some would be the one before themselves
        assert ("flock", "previous_id", "flock") not in joins
        asker = Asker(connection)
        assert asker.ask("how many shepherds are cross?").rows == ((10,),)
        # a label that no row has, and a text that is no label
        assert asker.ask("how many shepherds are gone?").rows == ((0,),)
        assert not asker.ask("how many shepherds have the mood 'glum'?").error
