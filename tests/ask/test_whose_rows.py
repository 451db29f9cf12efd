"""Questions that name no table, or call it by its key: who earns the most, lifts of a table chairlift, revenue of passes."""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def firm() -> Reader:
    posts = table(
        "posts", 4, post_id="int4 key", title="text unique:Engineer,Clerk,Cook,Driver", top_pay="numeric"
    )
    people = table(
        "people_list",
        80,
        worker_id="int4 key",
        full_name="text unique",
        gender="text:female,male",
        born_on="date",
        hired_on="date",
        left_on="date null",
        post_id="int4 *4",
        salary="numeric",
        newsletter="bool",
    )
    candidates = table(
        "candidates", 50, candidate_id="int4 key", person="text unique", stage="text:hired,refused"
    )
    talks = table(
        "talks",
        90,
        talk_id="int4 key",
        worker_id="int4 *80",
        talker_id="int4 *9",
        score="int4",
        why="text:pay,post",
    )
    return reader_of(
        [posts, people, candidates, talks],
        "people_list.post_id posts.post_id",
        "talks.worker_id people_list.worker_id",
        "talks.talker_id people_list.worker_id",
    )


@pytest.fixture(scope="module")
def resort() -> Reader:
    lifts = table("chairlift", 9, lift_id="int4 key", name="text unique:Church,Link", built_yr="int4")
    rides = table("lift_day", 900, lift_id="int4 *9", day="date", rides="int4")
    guests = table("guest", 300, guest_id="int4 key", name="text unique", country="text:Italy,France")
    passes = table(
        "ski_pass",
        600,
        pass_no="int4 key",
        guest_id="int4 *300",
        product="text:day pass,season pass",
        valid_from="date",
        price="numeric",
    )
    courses = table("course", 8, course_id="int4 key", title="text unique", days="int4", fee_each="numeric")
    return reader_of(
        [lifts, rides, guests, passes, courses],
        "lift_day.lift_id chairlift.lift_id",
        "ski_pass.guest_id guest.guest_id",
    )


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who earns the most?", ["people_list.full_name", "order by people_list.salary desc"]),
        ("Who has the lowest salary?", ["people_list.full_name", "order by people_list.salary asc"]),
        ("Which engineer earns the least?", ["people_list.full_name", "title = 'Engineer'", "salary asc"]),
        ("Which engineer is paid the most?", ["people_list.full_name", "title = 'Engineer'", "salary desc"]),
        ("average salary of women and of men", ["avg(people_list.salary)", "group by people_list.gender"]),
        ("How old is the youngest worker?", ["min(extract(year from age("]),
        ("Which workers are paid more than 5000?", ["people_list.salary > 5000"]),
        ("How many workers subscribed to the newsletter?", ["where people_list.newsletter"]),
        ("What is the average score per worker?", ["talks.worker_id = people_list.worker_id"]),
    ],
)
def test_rows_are_those_of_what_is_ranked_or_compared(firm: Reader, question: str, parts: list[str]) -> None:
    assert_read(firm, question, parts)


def test_a_verb_with_a_date_is_no_state_of_others(firm: Reader) -> None:
    assert_read(
        firm, "How many workers were hired in 2019?", ["people_list.hired_on >= date '2019-01-01'"], "stage"
    )


@pytest.mark.parametrize(
    "question",
    [
        "What reasons did workers give for leaving?",
        "number of workers with and without a newsletter",
    ],
)
def test_what_would_be_a_guess_is_refused(firm: Reader, question: str) -> None:
    assert_refused(firm, question)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which lifts are older than 2000?", ["chairlift.name", "chairlift.built_yr < 2000"]),
        ("Which courses take longer than 3 days?", ["course.days > 3"]),
        ("What is the revenue from season passes?", ["sum(ski_pass.price)", "product = 'season pass'"]),
        ("How much money did we make with day passes?", ["sum(ski_pass.price)", "product = 'day pass'"]),
        ("revenue from passes by product", ["sum(ski_pass.price)", "group by ski_pass.product"]),
        ("passes per month", ["count(*)", "ski_pass.valid_from"]),
    ],
)
def test_tables_by_their_keys_and_revenue_by_what_was_sold(
    resort: Reader, question: str, parts: list[str]
) -> None:
    assert_read(resort, question, parts)


@pytest.mark.parametrize("question", ["What is the revenue from courses?", "Which lifts are older than 30?"])
def test_prices_of_what_is_offered_are_no_revenue_and_ages_no_years(resort: Reader, question: str) -> None:
    assert_refused(resort, question)


def test_headcount_is_the_number_of_employees() -> None:
    staff = table(
        "employees", 40, employee_id="int4 key", employee_name="text unique", site="text:Ghent,Porto"
    )
    assert_read(reader_of([staff]), "headcount by site", ["count(*)", "group by employees.site"])
