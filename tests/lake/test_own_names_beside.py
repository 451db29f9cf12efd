"""A code beside what it is of is shown by its own name; a table's thing is what names each of its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder

_STATES = {
    "AK": "Alaska",
    "AL": "Alabama",
    "AZ": "Arizona",
    "CA": "California",
    "CO": "Colorado",
    "FL": "Florida",
}


@pytest.fixture
def lake(tmp_path: Path, embedder: CachedEmbedder) -> Any:
    folder = tmp_path / "lake"
    folder.mkdir()
    people = "".join(
        f"{i},{name},{code},{1_000 * (i + 7)}\n" for i, (code, name) in enumerate(_STATES.items())
    )
    (folder / "usa_states.csv").write_text("Rank,State,Postal,Population\n" + people)
    races = "".join(f"{code},District {i},{i * 3 % 7}\n" for code in _STATES for i in range(1, 5))
    (folder / "races_2016.csv").write_text("state,seat,num_polls\n" + races)
    visits = "".join(f"{code},{20 + i},{i % 4}\n" for code in _STATES for i in range(5))
    (folder / "trips.csv").write_text("state,hours,guests\n" + visits)
    cases = "".join(
        f"{name} Corp.,{'Texas' if i % 2 else 'Ohio'},{name} v. {'Texas' if i % 2 else 'Ohio'},2018-0{i + 1}-01\n"
        for i, name in enumerate(_STATES.values())
    )
    (folder / "county_lawsuits.csv").write_text("plaintiff,defendant,case_name,filed\n" + cases)
    with open_lake(folder, catalog=tmp_path / "c.db", embedder=embedder) as opened:
        yield opened


def _shown(lake: Lake, query: str, *, told: float = 0.0) -> list[Any]:
    answer = lake.query(query, "resolve", threshold=told)
    assert answer.rows is not None
    return answer.rows.rows


def test_the_state_of_a_seat_is_shown_as_it_stands_beside_it(lake: Lake) -> None:
    query = "SELECT seat_state, seat_name FROM house_races WHERE num_polls > 4"
    assert {state for state, _ in _shown(lake, query, told=0.8)} <= set(_STATES)


def test_the_state_of_what_does_not_stand_there_is_shown_by_its_name(lake: Lake) -> None:
    query = "SELECT governor_state, seat_name FROM house_races WHERE num_polls > 4"
    assert {state for state, _ in _shown(lake, query)} <= set(_STATES.values())


def test_a_tables_thing_is_what_names_each_row(lake: Lake) -> None:
    query = "SELECT lawsuit FROM court_cases WHERE filed_on >= DATE '2018-05-01'"
    assert sorted(_shown(lake, query)) == [("Colorado v. Ohio",), ("Florida v. Texas",)]


def test_what_is_asked_by_its_own_name_stays(lake: Lake) -> None:
    query = "SELECT plaintiff FROM court_cases WHERE filed_on >= DATE '2018-05-01'"
    assert sorted(_shown(lake, query)) == [("Colorado Corp.",), ("Florida Corp.",)]
