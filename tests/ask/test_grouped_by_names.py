"""By what rows are grouped and which of two words is meant, where keys happen to be unique and flags are another's."""

from __future__ import annotations

import pytest

from rewright.ask.context import Context, Join
from rewright.ask.reading.api import Reader, Reading, Refusal
from tests.ask.readings import THRESHOLD, assert_read, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    """Inns with a status, their kind told in rows of their own, stays, and coupons that may be active."""
    inn = table("inn", 9, inn_id="int4 key", name="text", status="text:active,closed", state="text:CA,NY")
    kind = table("kind", 9, inn_id="int4 *9", kind_name="text *4")
    stay = table(
        "stay",
        80,
        stay_id="int4 key",
        inn_id="int4 *9",
        booked_on="date *70",
        paid_on="date *60",
        bill="int4",
    )
    coupon = table("coupon", 20, coupon_id="int4 key", stay_id="int4 *20", is_active="bool")
    at = {(t.ref.name, c.name): c for t in (inn, kind, stay, coupon) for c in t.columns}
    joins = [
        Join(at["kind", "inn_id"], at["inn", "inn_id"], 0.95),
        Join(at["stay", "inn_id"], at["inn", "inn_id"], 1.0),
        Join(at["coupon", "stay_id"], at["stay", "stay_id"], 1.0),
    ]
    return Reader(Context.of(tables=[inn, kind, stay, coupon], joins=joins))


@pytest.fixture(scope="module")
def tagged() -> Reader:
    """Inns, their areas, owners and guests in rows of their own; more is known of owners, guests seldom share names."""
    inn = table("inn", 9, inn_id="int4 key", name="text", stars="int4")
    area = table("area", 9, id="int4 key", inn_id="int4 unique", area_name="text *4")
    owner = table("owner", 9, id="int4 key", inn_id="int4 *9", name="text *8", phone="text *9")
    guest = table("guest", 40, id="int4 key", inn_id="int4 *9", name="text *38")
    at = {(t.ref.name, c.name): c for t in (inn, area, owner, guest) for c in t.columns}
    joins = [Join(at[t, "inn_id"], at["inn", "inn_id"], 1.0) for t in ("area", "owner", "guest")]
    return Reader(Context.of(tables=[inn, area, owner, guest], joins=joins))


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        ("How many inns are there in each area?", ["group by area.area_name"], "area.id"),
        ("What are the average stars of the inns in each area?", ["group by area.area_name"], "area.id"),
        ("Which areas are there?", ["select distinct area.area_name"], ""),
        ("Which areas have inns with more than 3 stars?", ["select distinct area.area_name"], ""),
        ("Which owners are there?", ["select owner.name"], "distinct"),
        ("Which guests are there?", ["select guest.name"], "distinct"),
    ],
)
def test_a_row_of_which_only_a_name_is_known_is_its_name(
    tagged: Reader, question: str, parts: list[str], without: str
) -> None:
    assert_read(tagged, question, parts, without)


@pytest.mark.parametrize(
    ("question", "parts", "without"),
    [
        ("How many inns are there of each kind?", ["group by kind.kind_name"], "kind.inn_id,"),
        ("How many inns are active?", ["inn.status = 'active'"], "is_active"),
        ("How many inns are in California?", ["inn.state = 'CA'"], ""),
        ("total bill for each inn in 2022, by booked date", ["booked_on >= date '2022-01-01'", "group by inn.inn_id"], ""),
    ],
)  # fmt: skip
def test_rows_are_told_by_their_names(reader: Reader, question: str, parts: list[str], without: str) -> None:
    assert_read(reader, question, parts, without)


def test_a_noun_before_another_only_tells_its_kind(reader: Reader) -> None:
    found = reader.read("Which inn kind has the most stays?")
    assert isinstance(found, Reading), found.why
    assert found.sql.startswith("select kind.kind_name from")


def test_what_is_not_there_is_not_looked_for_by_a_way_nobody_spoke_of(reader: Reader) -> None:
    found = reader.read("Which coupons have no kind?")
    assert isinstance(found, Refusal) or found.confidence < THRESHOLD, found.sql


def test_what_a_verb_says_of_other_rows_is_not_left_out(reader: Reader) -> None:
    found = reader.read("How many inns were stayed per state?")
    assert isinstance(found, Refusal) or "public.stay" in found.sql or found.confidence < THRESHOLD


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("What is the pass rate of each course?", False),
        ("What is the daily rate of each guide?", True),
        ("What is the average rate of the guides?", True),
    ],
)
def test_a_rate_of_rows_is_no_column_of_others(question: str, read: bool) -> None:
    course = table("course", 9, code="text key", title="text unique")
    guide = table("guide", 9, id="int4 key", name="text unique", daily_rate="numeric *9")
    enrolment = table(
        "enrolment", 90, id="int4 key", course_code="text *9", guide_id="int4 *9", passed="bool"
    )
    at = {(t.ref.name, c.name): c for t in (course, guide, enrolment) for c in t.columns}
    joins = [
        Join(at["enrolment", "course_code"], at["course", "code"], 1.0),
        Join(at["enrolment", "guide_id"], at["guide", "id"], 1.0),
    ]
    found = Reader(Context.of(tables=[course, guide, enrolment], joins=joins)).read(question)
    assert isinstance(found, Reading) is read
    if isinstance(found, Refusal):
        assert found.why == "it is not clear of what pass rate is a share"
    else:
        assert "guide.daily_rate" in found.sql
