"""What went wrong on a port's lake at first sight: a place before a table's name, a table's own key, ids, units,
people taken for days, a namesake that lacks the column.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rewright.lake import names
from rewright.lake.api import Lake
from rewright.lake.resolve.likeness import lexical
from tests.lake.asking import asked, columns_of, rows_of, table

_TOWNS = ("Alder", "Birch", "Corby", "Dunmore", "Esk", "Farne", "Goole", "Hythe", "Ilford", "Jarrow")


def write_lake(folder: Path) -> None:
    depot = folder / "dep"
    depot.mkdir()
    crates = [f"CR{3000 + 7 * i},{'ABCD'[i % 4]}{i % 4}G1,{900 + 13 * i}" for i in range(60)]
    table(depot, "crt_mst", "crt_no,form,tare_kg", crates)
    table(depot, "crt_forms", "form,dsc", ["A0G1,plain", "B1G1,tall", "C2G1,cooled", "D3G1,tank"])
    labels = [f"CR{3000 + 7 * i},L{i}" for i in range(0, 60, 5)]
    table(depot, "labels_stock", "crt_no,label", labels)
    hoists = [f"HX{i},{['NOR', 'SUD', 'BOX'][i % 3]},{40 + 5 * i} t" for i in range(9)]
    table(folder, "hoists", "hxe,trm,swl", hoists)
    deals = [
        f"C{50 + i},{_TOWNS[i % 10]} Ltd,{1 + i % 28:02d}.03.{2001 + i},{5 + i} yrs,{9000 + 10 * i}"
        for i in range(20)
    ]
    table(folder, "deals", "Deal,Lessee,Commencement,Term,Rent", deals)
    table(folder, "stays", "stay,from_dt,nts", [f"{i},2024-02-{1 + i % 28:02d},{i % 9}" for i in range(50)])
    checks = [
        f"{700 + i},{9000 + i % 30},2023-01-{1 + i % 28:02d},{i % 12},{'D' if i % 5 == 0 else ''},{['Aerts', 'Bakker'][i % 2]}"
        for i in range(80)
    ]
    table(folder, "chk_insp", "insp_no,yard_no,insp_dt,def_ct,det,psx", checks)
    visits = [f"{i},2024-03-{1 + i % 20:02d},2024-03-{3 + i % 20:02d},{2020 + i % 5}" for i in range(60)]
    table(folder, "visits", "visit_no,ata,atd,yr", visits)
    plots = [f"{i},P-{i:03d},{i * 7},{'abcd'[i % 4]}" for i in range(40)]
    table(folder, "plot", "plot_id,plot_code,reach,rent_class", plots)
    table(folder, "plot_1", "plot_1_id,plot_1_code,category,colour", plots)


def test_the_place_before_a_tables_name_is_left_out(lake: Lake) -> None:
    answer = asked(
        lake,
        "SELECT t.description, COUNT(*) AS crates FROM crates c JOIN crate_forms t ON c.form_code = t.form_code "
        "GROUP BY t.description ORDER BY t.description",
    )
    assert rows_of(answer) == [("cooled", 15), ("plain", 15), ("tall", 15), ("tank", 15)]


def test_a_code_of_the_tables_things_is_its_key(lake: Lake) -> None:
    answer = asked(lake, "SELECT hoist_code, safe_working_load FROM hoists WHERE safe_working_load >= 70")
    assert columns_of(answer)["hoist_code"] == "hoists.hxe"


def test_an_id_is_the_column_called_as_the_thing_and_years_are_its_unit(lake: Lake) -> None:
    told = columns_of(
        asked(
            lake,
            "SELECT deal_id, term_years FROM lease_deals WHERE start_date < '2008-01-01' ORDER BY deal_id",
        )
    )
    assert told == {"deal_id": "deals.Deal", "term_years": "deals.Term", "start_date": "deals.Commencement"}


def test_who_does_something_is_no_day(lake: Lake) -> None:
    answer = asked(
        lake, "SELECT inspector, COUNT(*) AS n FROM inspections WHERE detained = 'D' GROUP BY inspector"
    )
    assert columns_of(answer)["inspector"] == "chk_insp.psx"


def test_a_namesake_that_is_not_read_is_a_doubt(lake: Lake) -> None:
    """`plot` is what was asked for; `plot_1` has a colour, and may be another thing."""
    answer = lake.query(
        "SELECT shade, COUNT(*) AS n FROM plots WHERE shade = 'a' GROUP BY shade", "resolve", threshold=0.0
    )
    assert answer.resolution.confidence <= 0.6


@pytest.mark.parametrize(
    ("one", "other"),
    [("arrival", "ata"), ("landings", "desembarques"), ("pilotages", "lotsungen"), ("duty", "droits"), ("fog", "nebel"),
     ("direction", "richtung"), ("containers", "cntr_mst")],
)  # fmt: skip
def test_words_of_ports(one: str, other: str) -> None:
    assert lexical(names.words(one), names.words(other)) >= 0.6


def test_the_language_of_a_name_is_none_of_its_words() -> None:
    asked_for = names.words("species_name")
    assert lexical(asked_for, names.words("nombre_en")) > lexical(asked_for, names.words("nombre_cientifico"))


def test_who_names_the_unit_is_told_the_number(lake: Lake) -> None:
    answer = asked(
        lake, "SELECT deal_id, term_years FROM lease_deals WHERE start_date < '2003-01-01' ORDER BY deal_id"
    )
    assert rows_of(answer) == [("C50", 5), ("C51", 6)]


def test_days_are_taken_from_days(lake: Lake) -> None:
    answer = asked(lake, "SELECT AVG(departure_date - arrival_date) AS stay FROM ship_visits")
    assert columns_of(answer) == {"departure_date": "visits.atd", "arrival_date": "visits.ata"}
