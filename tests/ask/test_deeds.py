"""Readings that took being joined for what a question says: deeds that no row tells, rows that are not named, numbers
of another kind. Each has a relative that is read.

A publisher of board games; names and questions made up.
"""

from __future__ import annotations

import pytest

from rewright.ask.reading.api import Reader
from tests.ask.readings import assert_read, assert_refused, reader_of, table


@pytest.fixture(scope="module")
def reader() -> Reader:
    studio = table(
        "studio",
        20,
        studio_id="int4 key",
        studio_name="text unique",
        town="text *9:Lund,Ghent",
        head_id="int4 *18",
    )
    designer = table(
        "designer", 60, designer_id="int4 key", designer_name="text unique", studio_id="int4 *20", stage="text *3:hired,trial,left"
    )  # fmt: skip
    game = table(
        "game", 90, game_id="int4 key", game_name="text unique", designer_id="int4 *60", genre="text *3:party,war,family",
        parts_per_day="int4 *20", licence_expiry="date *80 null",
    )  # fmt: skip
    fair = table("fair", 12, fair_id="int4 key", fair_name="text unique", country="text *4:Chad,Peru")
    stand = table(
        "stand", 150, stand_id="int4 key", game_id="int4 *80", fair_id="int4 *12", width_cm="int4 *30", first_day="date *50",
        last_day="date *50",
    )  # fmt: skip
    tester = table("tester", 40, tester_id="int4 key", tester_name="text unique", city="text *6:Lund,Turin")
    verdict = table(
        "verdict", 300, verdict_id="int4 key", tester_id="int4 *40", game_id="int4 *80", rating="int4 *10",
        status="text *3:read,unread,archived", read_at="timestamp *200 null", sent_at="timestamp *290",
    )  # fmt: skip
    return reader_of(
        [studio, designer, game, fair, stand, tester, verdict],
        "studio.head_id designer.designer_id", "designer.studio_id studio.studio_id", "game.designer_id designer.designer_id",
        "stand.game_id game.game_id", "stand.fair_id fair.fair_id", "verdict.tester_id tester.tester_id", "verdict.game_id game.game_id",
    )  # fmt: skip


def test_owning_and_visiting_are_more_than_being_joined(reader: Reader) -> None:
    assert_refused(reader, "Which games own a fair?")
    assert_refused(reader, "Which designers visited Peru?")
    assert_refused(reader, "Which designers manage a game?")
    assert_read(reader, "Which designers own a game?", ["game.designer_id = designer.designer_id"])


def test_who_refers_to_others_does_not_lead_them(reader: Reader) -> None:
    assert_refused(reader, "Which games own a designer?")


def test_by_whom_may_be_each_or_not_be_said(reader: Reader) -> None:
    for question in (
        "How many games were issued by each designer?",
        "How many games were issued per designer?",
        "How many games were issued for each designer?",
    ):
        assert_read(reader, question, ["count(*)", "game.designer_id = designer.designer_id"])


def test_nobody_is_told_by_what_was_made(reader: Reader) -> None:
    assert_refused(reader, "Who designed the Lund fair?")
    assert_read(reader, "Which game has the most stands?", ["count(*) desc"])


def test_a_table_of_members_does_not_say_who_directs() -> None:
    play = table("play", 20, play_id="int4 key", play_name="text unique")
    actor = table("actor", 60, actor_id="int4 key", actor_name="text unique")
    cast = table("play_cast", 200, play_id="int4 *20", actor_id="int4 *60", role="text *90")
    reader = reader_of(
        [play, actor, cast], "play_cast.play_id play.play_id", "play_cast.actor_id actor.actor_id"
    )
    assert_refused(reader, "How many actors directed a play?")
    assert_read(reader, "How many actors appeared in a play?", ["play_cast.actor_id = actor.actor_id"])


def test_rows_asked_for_are_named(reader: Reader) -> None:
    assert_refused(reader, "Which games have a licence with an expiry in 2026?")
    assert_read(reader, "Which games have a licence expiry in 2026?", ["select game.game_name"])


def test_a_rate_is_no_length(reader: Reader) -> None:
    assert_refused(reader, "What is the longest game?")
    assert_read(reader, "What is the longest stand?", ["(stand.last_day - stand.first_day) desc"])


def test_all_rows_that_belong_to_one_each(reader: Reader) -> None:
    assert_refused(reader, "Which designers made every game?")
    assert_read(
        reader,
        "Which games were shown at every fair?",
        ["count(distinct", "= (select count(distinct fair_id)"],
    )


def test_what_only_absent_rows_lead_to_is_said_of_them(reader: Reader) -> None:
    found = assert_read(
        reader, "Which games have no stand in Peru?", ["where stand.game_id = game.game_id and fair.country"]
    )
    assert found.sql.count("game.game_id") == 1
    assert_read(reader, "Which games have no stand?", ["not exists (select from stand"])


def test_a_state_told_by_a_value_and_a_time(reader: Reader) -> None:
    assert_refused(reader, "What percentage of verdicts were read?")
    assert_read(reader, "How many verdicts were sent in 2024?", ["verdict.sent_at >= date '2024-01-01'"])


def test_the_highest_of_many_ratings_may_be_their_average(reader: Reader) -> None:
    assert_refused(reader, "Which game has the highest rating?")
    assert_read(reader, "Which game has the highest average rating?", ["avg(verdict.rating) desc"])


def test_groups_of_which_each_row_has_several(reader: Reader) -> None:
    assert_refused(reader, "How many testers are there in each genre?")
    assert_read(reader, "How many games are there in each genre?", ["select game.genre, count(*)"])
