"""A join that the resolver finds counts no row twice, or says that it does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake

_CITIES = ("Ulm", "Bonn", "Kiel", "Jena", "Hof")
_STAFF = ("Ann", "Bob", "Cid", "Dan", "Eve", "Flo", "Gus")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    folder: Path = tmp_path_factory.mktemp("shops")
    paid = "".join(f"{i},{i % 5 + 100},{i * 3 % 17 + 1}\n" for i in range(40))
    visits = "".join(f"{i % 5 + 100},{_CITIES[i % 5]},2024-01-{i // 5 + 1:02d}\n" for i in range(25))
    shifts = "".join(f"{i},{i % 5 + 100},{_STAFF[i % 7]}\n" for i in range(35))
    (folder / "payments.csv").write_text("payment_id,store_no,paid_amount\n" + paid)
    (folder / "store_visits.csv").write_text("store_no,city,visit_day\n" + visits)
    (folder / "shifts.csv").write_text("shift_no,store_no,employee\n" + shifts)
    with open_lake(folder, catalog=folder.parent / "shops.db") as opened:
        yield opened


def _paid_by_city() -> list[tuple[str, int]]:
    return sorted(
        (city, sum(i * 3 % 17 + 1 for i in range(40) if i % 5 == at)) for at, city in enumerate(_CITIES)
    )


@pytest.mark.parametrize(
    "query",
    [
        # one imagined table, in two real ones
        "select city, sum(amount) as total from payments group by city order by city",
        # a table joined by what the client calls its id
        "select v.city, sum(p.amount) from payments p join stores v on p.store_id = v.id group by 1 order by 1",
        "select v.city, sum(p.amount) from payments p, stores v where p.store_id = v.store_id group by 1 order by 1",
    ],
)
def test_sums_count_each_row_once(lake: Lake, query: str) -> None:
    answer = lake.query(query, "resolve")
    assert answer.rows is not None
    assert [(city, int(total)) for city, total in answer.rows.rows] == _paid_by_city()
    assert answer.resolution.once == {"store_visits": ("store_no", "city")}


def test_rows_are_counted_once(lake: Lake) -> None:
    answer = lake.query("select city, count(*) as n from payments group by city order by city", "resolve")
    assert answer.rows is not None
    assert answer.rows.rows == [(city, 8) for city in sorted(_CITIES)]


def test_rows_are_listed_once(lake: Lake) -> None:
    answer = lake.query(
        "select payment_id, amount from payments where city = 'Kiel' order by payment_id", "resolve"
    )
    assert answer.rows is not None
    assert answer.rows.rows == [(i, i * 3 % 17 + 1) for i in range(40) if i % 5 == 2]
    assert answer.resolution.once == {"store_visits": ("store_no", "city")}


def test_what_is_shown_of_both_is_listed_as_it_is(lake: Lake) -> None:
    answer = lake.query("select city, amount from payments order by city, amount", "resolve")
    assert answer.rows is not None
    assert answer.resolution.once == {}


def test_several_values_for_one_row_are_a_doubt(lake: Lake) -> None:
    found = lake.query(
        "select employee, sum(paid_amount) from payments group by employee", "resolve"
    ).resolution
    assert found.confidence < 0.7
    assert "rows of payments are counted once for each of their rows in shifts" in found.doubts


def test_joins_that_the_client_wrote_mean_what_they_say(lake: Lake) -> None:
    query = "select v.city, sum(p.amount) from payments p join visits v on p.store_no = v.store_no group by 1 order by 1"
    answer = lake.query(query, "resolve")
    assert answer.rows is not None
    assert [(city, int(total)) for city, total in answer.rows.rows] == [
        (c, 5 * n) for c, n in _paid_by_city()
    ]
    assert not answer.resolution.once


def test_two_ids_of_two_tables_refer_to_nothing(lake: Lake) -> None:
    """Which of them has several rows for one of the other's cannot be told."""
    query = "select s.employee, count(*) as n from shifts s join stores v on s.shift_id = v.store_id group by s.employee"
    assert not lake.query(query, "resolve").resolution.once


def test_the_greatest_needs_no_such_care(lake: Lake) -> None:
    found = lake.query(
        "select employee, max(paid_amount) from payments group by employee", "resolve"
    ).resolution
    assert not found.once
    assert not any("counted once" in doubt for doubt in found.doubts)
