"""What the reader writes, run over a lake as a session runs it: each kind of query, with its rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.ask.answer import Answer
from rewright.ask.api import Asker
from rewright.ask.sessions import Before, Remembered, Session, Wanted
from rewright.ask.sources.lake import LakeSource
from rewright.lake.api import open_lake
from rewright.wiring.lake_answers import session_answers

pytestmark = pytest.mark.server

FILES = {
    "hut.csv": (
        "hut_id,hut_name,canton,elevation_m,area_m2\n1,Alp One,Uri,2100,400\n2,Tierberg,Bern,2795,200\n"
        "3,Kesch,Bern,2625,100\n4,Low Barn,Uri,900,50\n"
    ),
    "stay.csv": (
        "stay_id,hut_id,guest,arrived_on,nights\n1,1,Ann,2024-01-10,1\n2,1,Bob,2024-02-11,2\n"
        "3,2,Ann,2024-02-12,3\n4,3,Cy,2024-03-01,2\n5,3,Ann,2023-07-01,5\n"
    ),
}
ANSWERS = {
    "Which huts have no stays?": [("Low Barn",)],
    "Which huts are above 2000 metres in Bern?": [("Kesch",), ("Tierberg",)],
    "How many stays does each hut have?": [("Alp One", 2), ("Kesch", 2), ("Tierberg", 1)],
    "Which hut is the highest?": [("Tierberg",)],
    "How many nights were spent per month of 2024, and the running total?": [
        ("2024-01-01", 1, 1),
        ("2024-02-01", 5, 6),
        ("2024-03-01", 2, 8),
    ],
    "What share of huts is in Bern?": [(0.5,)],
    "Which huts are higher than the average?": [("Kesch",), ("Tierberg",)],
    "What is the median number of nights of stays?": [(2.0,)],
    "What is the highest hut of each canton?": [("Bern", "Tierberg", 2795), ("Uri", "Alp One", 2100)],
}


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    folder: Path = tmp_path_factory.mktemp("huts")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    catalog = tmp_path_factory.mktemp("catalog") / "huts.db"
    with open_lake(folder, catalog=catalog) as lake, session_answers(lake) as answers:
        yield Asker(LakeSource(lake, "huts", answers))


class Log:
    """Remembers what was asked, as the store does."""

    def __init__(self) -> None:
        self.kept: dict[str, Remembered] = {}

    def validated(self, question: str) -> Remembered | None:
        return None

    def again(self, key: str) -> Remembered | None:
        return self.kept.get(key)

    def add(self, answer: Answer, key: str, role: str) -> int:
        if key and answer.sql:
            self.kept[key] = Remembered(answer.sql, answer.reading, answer.confidence)
        return 0


def test_a_question_follows_up_the_one_before(asker: Asker) -> None:
    talk = Asker(asker.source, follows=True)
    talk.ask("How many huts are there in each canton?")
    assert talk.ask("what about Uri?").rows == (("Uri", 2),)


def test_one_that_is_remembered_is_followed_up_too(asker: Asker) -> None:
    session = Session(lambda: asker.source, "state", "ann", Log(), 0.75)
    first = Wanted("How many huts are there in each canton?")
    session.ask(first, Before())
    again = session.ask(first, Before())
    assert again.answer.remembered
    followed = session.ask(Wanted("what about Uri?"), again.before)
    assert "where hut.canton = 'Uri' group by hut.canton" in followed.answer.sql


def plain(value: object) -> object:
    try:
        return float(str(value))
    except ValueError:
        return str(value)[:10] if str(value)[:4].isdigit() else str(value)


@pytest.mark.parametrize("question", ANSWERS)
def test_the_rows_of_what_is_read(asker: Asker, question: str) -> None:
    answer = asker.ask(question)
    assert not answer.refused
    assert not answer.error, answer.sql
    found = sorted(tuple(map(plain, row)) for row in answer.rows)
    assert found == sorted(tuple(map(plain, row)) for row in ANSWERS[question]), answer.sql
