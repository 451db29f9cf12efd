"""What went wrong on a film festival's lake at first sight: plurals, rates counted by the night, ways in and out, letters
that are short for something else.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.engines.duckdb.errors import NotResolved
from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.opposites import of_one_side, opposed
from rewright.lake.resolve.likeness import head_of, lexical
from tests.lake.asking import asked, columns_of, rows_of, table


def write_lake(folder: Path) -> None:
    inns = [
        f"I{i},Inn {name},{40 + 10 * i} €,{12 + 9 * i}"
        for i, name in enumerate(("Rose", "Crown", "Swan", "Bell"))
    ]
    table(folder, "inn_list", "Inn,Inn name,Rate/night,Rooms", inns)
    stays = [f"{i},I{i % 4},{['cook', 'clown', 'singer'][i % 3]},{1 + i % 5}" for i in range(60)]
    table(folder, "visitor_list", "Visitor no,Inn,Function,Nts", stays)
    parcels = [
        f"{i},{['Swift', 'Mole', 'Otter'][i % 3]},2024-03-{1 + i % 9:02d},2024-03-{2 + i % 9 + i % 3 * 3:02d}"
        for i in range(90)
    ]
    table(folder, "crate_traffic", "mvt,fwd,out_dt,in_dt", parcels)
    reels = [
        f"R{i},{['KR', 'IT', 'FR', 'PL'][i % 4]},{['DCP', '35mm'][i % 2]},{2 + i % 30} kg" for i in range(80)
    ]
    table(folder, "reels", "cpy,frm,carr,wt", reels)
    shown = [f"{i},{['Al', 'Bo', 'Cy'][i % 3]} {i},{80 + i % 40}" for i in range(50)]
    table(folder, "flm", "flm_id,ttl,rt_min", shown)


@pytest.mark.parametrize(
    ("plural", "one"),
    [("movies", "movie"), ("calories", "calorie"), ("cities", "city"), ("prizes", "prize"), ("sizes", "size"), ("courses", "course"),
     ("houses", "house"), ("causes", "cause"), ("expenses", "expense"), ("purchases", "purchase"), ("buses", "bus"), ("statuses", "status"),
     ("gases", "gas"), ("classes", "class"), ("boxes", "box"), ("matches", "match"), ("dishes", "dish"), ("quizzes", "quizz"),
     ("series", "series"), ("species", "species"), ("status", "status"), ("analysis", "analysis"), ("moves", "move"), ("bus", "bus")],
)  # fmt: skip
def test_a_plural_meets_its_singular(plural: str, one: str) -> None:
    assert names.singular(plural) == one


@pytest.mark.parametrize(
    ("one", "other"), [("movies", "flm"), ("prizes", "awards"), ("expenses", "cost"), ("nights", "Nts")]
)
def test_plurals_have_synonyms_and_are_cut(one: str, other: str) -> None:
    assert lexical(names.words(one), names.words(other)) >= 0.6


@pytest.mark.parametrize("name", ["Rate/night", "rate_per_night", "Rate / Nights"])
def test_what_it_is_counted_by_is_not_what_is_counted(name: str) -> None:
    assert head_of(names.words(name)) == "rate"


def test_a_stroke_between_alternatives_says_nothing() -> None:
    assert names.words("city/town") == ("city", "town")
    assert names.words("nights") == ("night",)


def test_nights_of_guests_are_no_rates(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT i.inn_name, SUM(g.nights) AS nights FROM guests g JOIN inns i ON g.inn_id = i.inn_id "
        "WHERE g.role = 'clown' GROUP BY i.inn_name ORDER BY i.inn_name",
    )
    assert columns_of(answer)["nights"] == "visitor_list.Nts"
    assert rows_of(answer) == [("Inn Bell", 15), ("Inn Crown", 15), ("Inn Rose", 15), ("Inn Swan", 15)]


@pytest.mark.parametrize(
    ("out", "into"),
    [("out_dt", "arrival_date"), ("dispatch_date", "in_dt"), ("sent_on", "received_on"), ("departure", "check_in")],
)  # fmt: skip
def test_ways_in_and_out_are_opposites(out: str, into: str) -> None:
    assert opposed(out, into)
    assert opposed(into, out)


def test_places_in_places_are_not_the_same() -> None:
    assert opposed("continent", "country")
    assert opposed("home_city", "home_country")
    assert not opposed("country", "city_country")
    assert not of_one_side("player_count", "country")


def test_what_arrives_comes_in(lake: Lake) -> None:
    assert of_one_side("arrival_date", "in_dt")
    answer = asked(
        lake,
        "SELECT forwarder, AVG(arrival_date - dispatch_date) AS days FROM crate_movements GROUP BY forwarder ORDER BY days",
    )
    assert columns_of(answer) == {
        "forwarder": "crate_traffic.fwd",
        "arrival_date": "crate_traffic.in_dt",
        "dispatch_date": "crate_traffic.out_dt",
    }


def test_movies_are_films(lake: Lake) -> None:
    answer = asked(lake, "SELECT COUNT(*) AS n FROM movies WHERE runtime > 100")
    assert columns_of(answer) == {"runtime": "flm.rt_min"}


def test_between_guesses_nobody_is_asked_to_choose(lake: Lake) -> None:
    with pytest.raises(NotResolved) as refused:
        lake.query(
            "SELECT diagnosis_name, COUNT(*) AS n FROM guests GROUP BY diagnosis_name",
            "resolve",
            threshold=0.7,
        )
    assert "no column is like diagnosis_name" in (refused.value.hint or "")
    assert "which is meant" not in (refused.value.hint or "")


def test_what_is_asked_of_one_table_and_held_by_the_other_is_a_doubt(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT i.inn_name, SUM(v.rooms) AS rooms FROM visitors v JOIN inns i ON v.inn = i.inn "
        "WHERE v.function = 'cook' GROUP BY i.inn_name",
    )
    assert columns_of(answer)["rooms"] == "inn_list.Rooms"
    assert answer.resolution.confidence <= 0.6


def test_letters_that_only_may_be_short_for_it_are_a_doubt(lake: Lake) -> None:
    """`frm` may be cut from `format`, but holds codes, and is short for `from`."""
    answer = asked(lake, "SELECT format, COUNT(*) AS reels, SUM(weight) AS weight FROM reels GROUP BY format")
    assert columns_of(answer)["format"] == "reels.frm"
    assert answer.resolution.confidence <= 0.6
