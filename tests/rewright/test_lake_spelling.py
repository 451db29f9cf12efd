"""Names with capital letters, asked for without quotes, and expressions over names that are found."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.fixtures.lake_server import make_files, served_lake

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def spelled_lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("spelled")
    make_files(home / "files")
    rows = [f"{100 + i},{['Köln', 'Mainz'][i % 2]},{i},2024-01-{i + 1:02}" for i in range(20)]
    (home / "files" / "Filialen.csv").write_text("Nr,Ort,Größe,Date\n" + "\n".join(rows) + "\n")
    with served_lake(home) as dsn:
        yield dsn


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("select nr / 7 from Filialen where nr = 100", (14,)),
        ("select Nr / 7 from FILIALEN where NR = 100", (14,)),
        ('select f.ort, count(*) from "Filialen" f group by f.ort order by 1', ("Köln", 10)),
        ("select count(*) from filialen where ort ~ 'l'", (10,)),
        ("select to_char(max(größe), 'FM099') from filialen", ("019",)),
        ("select count(*) from filialen where date >= date '2024-01-05'", (16,)),
        ("with filialen as (select 1 as nr from countries) select sum(nr) from filialen", (20,)),
        ("select c.city, f.nr from cities c, filialen f where c.population = 1000 + f.nr - 100 order by 2 limit 1",
         ("City 0", 100)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("prepare", [False, True])
def test_a_name_without_quotes_is_the_lakes_own(
    spelled_lake: str, sql: str, row: tuple[object, ...], prepare: bool
) -> None:
    told: list[str] = []
    with psycopg.connect(spelled_lake, autocommit=True) as lake:
        lake.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        assert lake.execute(sql.encode(), prepare=prepare).fetchone() == row
    assert not [one for one in told if "confidence" in one]


NUMBERS = range(100, 120)
PLACES = {"Köln", "Mainz"}


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("ort_name ~ 'l'", {True, False}),
        ("to_char(store_number, 'FM0999')", {f"0{number}" for number in NUMBERS}),
        (
            "format('%s-%s', ort_name, store_number)",
            {f"{'Mainz' if number % 2 else 'Köln'}-{number}" for number in NUMBERS},
        ),
        ("initcap(ort_name)", PLACES),
        ("ort_name::varchar(2)", {"Kö", "Ma"}),
    ],
)
def test_what_is_asked_of_names_that_are_found_is_postgresqls(
    spelled_lake: str, expression: str, values: set[object]
) -> None:
    with psycopg.connect(spelled_lake, autocommit=True) as lake:
        lake.execute("set rewright.lake_confidence = 0")
        assert {
            row[0] for row in lake.execute(f"select {expression}, store_number from branches".encode())
        } == values


def test_what_postgresql_would_not_take_is_refused(spelled_lake: str) -> None:
    """It was answered with something else, and with confidence."""
    with psycopg.connect(spelled_lake, autocommit=True) as lake:
        lake.execute("set rewright.lake_confidence = 0")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match=r"make_interval\(days => bigint\)"):
            lake.execute("select make_interval(days => store_number) from branches")
