"""Words that could be two things are read as what their neighbours say, or the question is refused.

Over a bindery, a schema that shares no word with another set.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    binder = table(
        "binder",
        12,
        binder_id="int4 key",
        full_name="text unique:Ida Holm,Per Lund",
        email="text null",
        wage="numeric",
        role="text:stitcher,gilder",
        above_id="int4 *3 null",
    )
    cloth = table(
        "cloth", 9, cloth_id="int4 key", cloth_name="text unique", weave="text:twill,satin", stock="int4 null"
    )
    volume = table(
        "volume", 80, volume_id="int4 key", title="text unique", cloth_id="int4 *9", make="text:Leipzig,Gent", leaves="int4 *40",
        signatures="text *4:8,12,16,24", num_stitched="int4 *30", price="numeric",
    )  # fmt: skip
    job = table(
        "job",
        300,
        job_id="int4 key",
        binder_id="int4 *12",
        volume_id="int4 *80",
        done_on="date",
        minutes="int4",
    )
    bill = table(
        "settlement", 90, settlement_id="int4 key", receipt_number="text unique", receipt_date="date", due_on="date", settled_on="date",
        kind="text:share,fixed", worth="numeric", tax="numeric",
    )  # fmt: skip
    tally = table("tally", 50, tally_id="int4 key", cloth_id="int4 *9", weekday="text:Mon,Tue", count="int4")
    memo = table(
        "memo", 70, memo_id="int4 key", binder_id="int4 *12", topic="text:parcel,holiday", sent_on="date", read_on="date null"
    )  # fmt: skip
    parcel = table("outgoing_parcel_daily", 60, row_no="int4 key", binder_id="int4 *12", grams="int4")
    guild = table("guild", 5, guild_id="int4 key", guild_name="text unique:Ost,Nord")
    term = table("term", 8, term_id="int4 key", term_name="text unique")
    pupil = table("pupil", 60, pupil_id="int4 key", pupil_name="text unique", guild_id="int4 *5 null")
    taken = table("lesson_taken", 400, pupil_id="int4 *60", cloth_id="int4 *9", term_id="int4 *8")
    return reader_of(
        [binder, cloth, volume, job, bill, tally, memo, parcel, guild, term, pupil, taken],
        *("volume.cloth_id cloth.cloth_id", "job.binder_id binder.binder_id", "job.volume_id volume.volume_id"),
        "binder.above_id binder.binder_id",
        *("tally.cloth_id cloth.cloth_id", "memo.binder_id binder.binder_id", "outgoing_parcel_daily.binder_id binder.binder_id"),
        *("pupil.guild_id guild.guild_id", "lesson_taken.pupil_id pupil.pupil_id"),
        *("lesson_taken.cloth_id cloth.cloth_id", "lesson_taken.term_id term.term_id"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "part", "without"),
    [
        ("How many jobs did each binder make in 2023?", "group by binder.binder_id", "make"),
        ("How many volumes are there for each make?", "group by volume.make", ""),
        ("Which receipts have a worth over 100?", "settlement.receipt_number", "receipt_date"),
        ("What is the average worth of share settlements?", "settlement.kind = 'share'", "100.0"),
        ("Which binders have never sent a parcel?", "not exists (select from public.outgoing_parcel_daily", "memo"),
        ("Which binders have a memo on parcel?", "memo.topic = 'parcel'", "outgoing"),
        ("What is the most common weekday of tallies?", "order by sum(tally.count) desc", "count(*)"),
        ("What is the total price of volumes sold by cloth?", "sum(volume.price) from public.volume join public.cloth", ""),
        ("How many pupils are there in each term?", "count(distinct pupil.pupil_id)", "count(*)"),
        ("How many minutes did each gilder work?", "where binder.role = 'gilder' group by binder.binder_id", ""),
        ("Which month had the most holiday?", "where memo.topic = 'holiday'", ""),
        ("Who works under Ida Holm?", "binder.above_id in (select binder.binder_id from public.binder where", ""),
        ("Which cloths are out of stock?", "cloth.stock = 0", "null"),
        ("Which binders have no e-mail address?", "binder.email is null", ""),
        ("What is the highest paid binder's email?", "binder.email", ""),
        ("What is the average number of stitched volumes per make?", "avg(volume.num_stitched)", ""),
    ],
)  # fmt: skip
def test_neighbours_tell_what_a_word_is(reader: Reader, question: str, part: str, without: str) -> None:
    assert_read(reader, question, [part], without)


@pytest.mark.parametrize(
    "question",
    [
        "What is the average price per leaf of volumes?",
        "How many memos did each binder read?",
        "What is the total number of volumes glued per make?",
        "Which settlements have a tax above 5% of the worth?",
        "What is the total number of minutes worked by binder in 2023?",
        "What is the total number of signatures of volumes?",
        "What is the ratio of pupils in the guild Ost to all pupils?",
        "What share of pupils is in the guild Ost?",
        "Return the name of each binder and the minutes of the longest job in minutes.",
    ],
)
def test_what_may_be_either_is_refused(reader: Reader, question: str) -> None:
    assert_refused(reader, question)


def test_revenue_is_a_sum_and_a_name_comes_before_a_number() -> None:
    sale = table(
        "sale", 90, sale_id="int4 key", price="numeric", sold_on="date", gateway_ref="text *80", gateway_name="text *4", voucher_number="text *70",
        voucher_date="date",
    )  # fmt: skip
    reader = reader_of([sale])
    assert_read(reader, "What was the revenue in May 2023?", ["sum(sale.price)"], "sale_id")
    assert_read(
        reader, "How many sales are there per gateway?", ["group by sale.gateway_name"], "gateway_ref"
    )
    assert_read(
        reader, "How many sales are there per voucher?", ["group by sale.voucher_number"], "voucher_date"
    )
