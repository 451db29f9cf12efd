"""A folder as people have it, asked as it is: every file is served whole or listed with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rewright.engines.duckdb.errors import LakeError, NotResolved
from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.messy_folder import messy_folder

QUESTIONS: tuple[tuple[str, list[tuple[Any, ...]]], ...] = (
    ("SELECT count(*) FROM sales", [(200,)]),
    ("SELECT year, count(*), sum(amount) FROM sales GROUP BY year ORDER BY year", [(2023, 100, 49500), (2024, 100, 49500)]),
    ("SELECT count(*) FROM sales WHERE year = 2023 AND order_no < 10", [(10,)]),
    ("SELECT sum(amount), count(note), count(channel) FROM orders", [(280.5, 1, 3)]),
    ("SELECT id, note FROM orders WHERE note IS NOT NULL", [(3, "late")]),
    ("SELECT year, count(channel) FROM orders GROUP BY year ORDER BY year", [(2022, 0), (2023, 0), (2024, 3)]),
    ("SELECT country, sum(hits) FROM visits GROUP BY country ORDER BY country", [("de", 11), ("fr", 4)]),
    ("SELECT sum(hits) FROM visits WHERE month = 2", [(7,)]),
    ("SELECT day, sum(n) FROM events GROUP BY day ORDER BY day", [(date(2024, 5, 1), 10), (date(2024, 5, 2), 10)]),
    ("SELECT count(*) FROM events WHERE day >= DATE '2024-05-02'", [(5,)]),
    ("SELECT count(*) FROM logs", [(20,)]),
    ("SELECT part, count(*) FROM logs WHERE level = 'warn' GROUP BY part ORDER BY part", [("2024-01", 1), ("2024-02", 2), ("2024-03", 3), ("2024-04", 4)]),
    ("SELECT count(*) FROM logs WHERE seen < TIMESTAMP '2024-03-01'", [(6,)]),
    ("SELECT people FROM exports_1 WHERE city = 'Ulm'", [(126,)]),
    ("SELECT sum(weight) FROM exports_2", [(4,)]),
    ("SELECT sum(till) FROM north_data", [(3,)]),
    ("SELECT sum(till) FROM south_data", [(12,)]),
    ("SELECT dish FROM menu ORDER BY price DESC LIMIT 2", [("Bœuf – rôti",), ("Café “noir”",)]),
    ("SELECT stadt FROM staedte ORDER BY einwohner", [("Göß",), ("Köln",)]),
    ("SELECT name FROM wide ORDER BY n", [("Łódź",), ("Kraków",)]),
    ("SELECT name, n FROM bare ORDER BY n DESC LIMIT 1", [("Zürich", 4)]),
    ("SELECT rate FROM rates WHERE currency = 'USD'", [(1.1,)]),
    ("SELECT sum(price) FROM prices", [(6,)]),
    ("SELECT p.player FROM league_people_players p JOIN league_teams t ON p.team = t.team WHERE t.points > 4", [("Bob",)]),
    ("SELECT count(*) FROM league_people_players", [(3,)]),
    ("SELECT sum(planned), sum(spent), count(*) FROM budget", [(220, 205.5, 3)]),
    ("SELECT sum(stations) FROM brands", [(37,)]),
    ('SELECT sum("Salary"), count(*) FROM "company_Staff"', [(4500, 3)]),
    ("SELECT \"Name\" FROM \"company_Staff\" WHERE \"Hired\" > DATE '2021-01-01' AND \"Active\"", [("Cem",)]),
    ("SELECT \"Place\" FROM \"company_Sites\" WHERE \"Code\" = '007'", [("Bonn",)]),
    ("SELECT count(*), sum(pay), count(zip) FROM hr_employees", [(3, 19.5, 2)]),
    ("SELECT name FROM hr_employees WHERE zip = '01067' AND born < DATE '1991-01-01'", [("Eva",)]),
    ("SELECT e.name, sum(l.days) FROM hr_employees e JOIN hr_leave l ON l.employee_id = e.id GROUP BY e.name ORDER BY 1", [("Eva", 8), ("Gus", 2)]),
    ("SELECT count(*) FROM invoices WHERE user_plan = 'pro'", [(4,)]),
    ("SELECT user_address_city, sum(total) FROM invoices GROUP BY user_address_city ORDER BY 1", [("Bonn", 220.0), ("Ulm", 60.0)]),
    ("SELECT sum(quantity) FROM invoices_lines", [(9,)]),
    ("SELECT i.user_plan, sum(l.quantity) FROM invoices i JOIN invoices_lines l ON l.invoice_id = i.id GROUP BY 1 ORDER BY 1", [("free", 4), ("pro", 5)]),
    ("SELECT sku FROM invoices_lines WHERE invoice_id = 5 AND position = 2", [("s1",)]),
    ("SELECT name, longitude, latitude FROM places WHERE geometry_type = 'Point'", [("Zoo", 7.1, 50.7)]),
    ("SELECT max(rank) FROM places", [(9,)]),
    ("SELECT wind FROM wind WHERE at_night", [(3.5,)]),
    ("SELECT sum(wind) FROM gusts", [(8.0,)]),
    ("SELECT meaning FROM codes WHERE code = 2", [("two",)]),
)  # fmt: skip

RESOLVED: tuple[tuple[str, list[tuple[Any, ...]]], ...] = (
    ("SELECT AVG(weight) AS mean FROM devices", [(31.55,)]),
    ("SELECT SUM(balance) AS total FROM devices", [(-52235,)]),
    ("SELECT MAX(temp) AS hottest FROM devices WHERE temp > 0", [(21.3,)]),
    ("SELECT device FROM devices WHERE weight > 50", [("motor",)]),
    ("SELECT AVG(load) AS mean FROM devices", [(0.375,)]),
    ("SELECT device FROM devices WHERE bought >= DATE '2024-02-20' ORDER BY device", [("gauge",), ("valve",)]),
    ("SELECT SUM(fee) AS total FROM tariffs", [(2246.5,)]),
    ("SELECT year, SUM(harvested) AS total FROM harvest GROUP BY year ORDER BY year", [(2020, 30), (2021, 12), (2022, 31)]),
)  # fmt: skip
"""Asked by names that exist but hold texts, or by rows where there are columns."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, embedder: CachedEmbedder) -> Iterator[Lake]:
    folder = messy_folder(tmp_path_factory.mktemp("messy"))
    with open_lake(
        folder, catalog=tmp_path_factory.mktemp("catalog") / "messy.db", embedder=embedder
    ) as opened:
        yield opened


def notes_of(lake: Lake, table: str) -> str:
    found = lake.index.table(table)
    assert found is not None
    return "\n".join(found.notes)


@pytest.mark.parametrize(("question", "answer"), QUESTIONS, ids=[q for q, _ in QUESTIONS])
def test_questions_are_answered_right(lake: Lake, question: str, answer: list[tuple[Any, ...]]) -> None:
    assert lake.execute(question).rows == answer
    assert lake.query(question).resolution.kind == "bound"


def test_fifty_questions_and_no_wrong_answer_told_surely(lake: Lake) -> None:
    right, surely_wrong = 0, []
    for question, answer in (*QUESTIONS, *RESOLVED):
        told = lake.query(question, "resolve")
        rows = told.rows.rows if told.rows is not None else []
        if _plain(rows) == _plain(answer):
            right += 1
        elif told.resolution.confidence >= 0.7:
            surely_wrong.append((question, rows))
    assert len(QUESTIONS) + len(RESOLVED) >= 50
    assert right >= 45
    assert not surely_wrong


def _plain(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(round(float(v), 6) if isinstance(v, (int, float)) else v for v in row) for row in rows]


@pytest.mark.parametrize(("question", "answer"), RESOLVED, ids=[q for q, _ in RESOLVED])
def test_a_column_of_the_name_that_was_asked_for_is_the_one(
    lake: Lake, question: str, answer: list[tuple[Any, ...]]
) -> None:
    told = lake.query(question, "resolve")
    assert told.rows is not None
    assert _plain(told.rows.rows) == _plain(answer)


def test_a_named_column_that_cannot_be_calculated_with_is_refused_with_what_it_holds(lake: Lake) -> None:
    """Not answered from another column of numbers."""
    with pytest.raises(NotResolved) as refused:
        lake.query("SELECT AVG(device) AS mean FROM devices", threshold=0.7)
    assert "devices.device holds texts that cannot be read as numbers: " in (refused.value.hint or "")


def test_what_is_not_served_is_listed_with_the_reason(lake: Lake) -> None:
    told = {broken.path.name: broken.reason for broken in lake.broken()}
    assert told.keys() == {"README.txt", "thoughts.txt", "ebcdic.csv"}
    assert told["README.txt"] == told["thoughts.txt"] == "not served: prose, not a table"
    assert told["ebcdic.csv"] == "its encoding is not known"


def test_what_was_decided_is_said(lake: Lake) -> None:
    assert "channel is in 1 of 3 files, NULL in the others" in notes_of(lake, "orders")
    assert "amount is BIGINT and DOUBLE by file: read as DOUBLE" in notes_of(lake, "orders")
    assert "left out as a footer: Total 220 205.5" in notes_of(lake, "budget")
    assert "left out as a footer: Total 4500" in notes_of(lake, "company_Staff")
    assert "footer" not in notes_of(lake, "brands")
    assert "Windows-1252" in notes_of(lake, "menu")
    assert "Windows-1251" in notes_of(lake, "kyrillisch")
    assert "user_plan" in notes_of(lake, "invoices")


def test_a_name_that_two_files_could_have_is_nobodys(lake: Lake) -> None:
    """`data` is in two folders: neither is it."""
    with pytest.raises(LakeError):
        lake.execute("SELECT * FROM data")


def test_archives_lead_nowhere_else(lake: Lake, tmp_path: Path) -> None:
    assert not list(lake.folder.parent.rglob("escape.csv"))


def test_copies_cannot_be_named_by_clients(lake: Lake) -> None:
    copy = next(path for path in lake.folders[0].parent.parent.rglob("*.jsonl"))
    for text in (
        f"SELECT * FROM '{copy}'",
        f"SELECT * FROM read_json('{copy}')",
        f"SELECT * FROM read_text('{copy}')",
    ):
        with pytest.raises(LakeError):
            lake.execute(text)
