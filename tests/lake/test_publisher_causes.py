"""What went wrong on a publishing house's lake at first sight: names of things that are called by their table, full
names, keys of few values, units that say what is counted, and prices of another table told surely.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rewright.lake.api import Lake, open_lake
from rewright.lake.embedding import CachedEmbedder
from tests.lake.asking import asked, columns_of, rows_of, table


@pytest.fixture
def house(tmp_path: Path, embedder: CachedEmbedder) -> Iterator[Lake]:
    """Books of a house: who edits, prints and sells them."""
    staff = [f"{500 + i},{'AB'[i % 2]}nn Hale {chr(65 + i)},{'EM'[i % 2]}D,{500 + i % 4}" for i in range(24)]
    table(tmp_path, "hr_employees_export", "Staff no,Full name,Dept,Reports to", staff)
    table(tmp_path, "hr_dept", "Dept,Dept name", ["ED,Editorial", "MD,Marketing"])
    books = [f"B{2000 + i},Title {i},{501 + i % 5},{100 + 8 * (i * 7 % 40)} pp" for i in range(80)]
    table(tmp_path, "titles_works", "work_id,TTL,ED_NO,EXTENT", books)
    jobs = [f"{i},B{2000 + i % 60},{1 + i % 4},{40 + i * 13 % 300},{20 + i % 7}" for i in range(90)]
    table(tmp_path, "translation_jobs", "no,work_id,ph,Pages,hrs", jobs)
    houses = ["1,Clays,Bungay", "2,Pustet,Regensburg", "3,Wilco,Amersfoort", "4,Liber,Barcelona"]
    table(tmp_path, "prod_print_houses", "ph,house,place", houses)
    runs = [f"{i},{1 + i % 4},B{2000 + i % 80},{500 + 10 * (i % 30)}" for i in range(120)]
    table(tmp_path, "prod_printings", "job,ph,work_id,run_qty", runs)
    table(tmp_path, "fleet_cls", "cls,cls_name,seats", ["A,Turbo,196", "B,Flirt,268", "C,Pacer,121"])
    vans = [f"{1700 + i},{'ABC'[i % 3]},{1990 + i % 30}" for i in range(60)]
    table(tmp_path, "fleet_veh", "veh_no,cls,built", vans)
    with open_lake(tmp_path, embedder=embedder) as lake:
        yield lake


def test_a_full_name_is_the_name_also_of_who_is_grouped_by(house: Lake) -> None:
    answer = asked(
        house,
        "SELECT m.employee_name AS manager, count(*) AS n FROM employees e JOIN employees m"
        " ON e.manager_id = m.employee_id GROUP BY m.employee_name ORDER BY n DESC, manager",
    )
    assert rows_of(answer) == [(f"{'AB'[i % 2]}nn Hale {chr(65 + i)}", 6) for i in (0, 2, 1, 3)]


def test_the_key_that_is_written_is_used_where_its_values_are_few(house: Lake) -> None:
    answer = asked(
        house,
        "SELECT e.employee_name AS editor, count(*) AS books FROM books b JOIN employees e"
        " ON b.editor_id = e.employee_id GROUP BY e.employee_name ORDER BY books DESC, editor",
    )
    assert [n for _, n in rows_of(answer)] == [16] * 5


def test_what_prints_is_called_by_the_table_of_houses(house: Lake) -> None:
    answer = asked(
        house,
        "SELECT p.printer_name, sum(r.copies) AS copies FROM printings r JOIN printers p"
        " ON r.printer_id = p.printer_id GROUP BY p.printer_name ORDER BY copies DESC",
    )
    found = columns_of(answer)
    assert found["printer_name"] == "prod_print_houses.house"
    assert found["copies"] == "prod_printings.run_qty"


def test_a_name_behind_its_tables_own_name_is_a_name(house: Lake) -> None:
    answer = asked(
        house,
        "SELECT m.model_name, count(*) AS n FROM vehicles v JOIN vehicle_models m ON v.model_id = m.model_id"
        " GROUP BY m.model_name ORDER BY m.model_name",
    )
    assert rows_of(answer) == [("Flirt", 20), ("Pacer", 20), ("Turbo", 20)]


def test_values_say_what_they_are_a_number_of(house: Lake) -> None:
    found = columns_of(asked(house, "SELECT title, pages FROM works ORDER BY pages DESC, title LIMIT 3"))
    assert found["pages"] == "titles_works.EXTENT"


def test_an_unnamed_table_is_doubted_where_others_say_the_rest(
    tmp_path: Path, embedder: CachedEmbedder
) -> None:
    products = [f"{9780000 + i},{'HPEA'[i % 4]},2015-03-{1 + i % 28:02d}" for i in range(80)]
    table(tmp_path, "titles_products", "ean,bdg,onSale", products)
    table(tmp_path, "ref_binding", "bdg,descr", ["H,hardback", "P,paperback", "E,e-book", "A,audiobook"])
    sales = [f"{i},{9780000 + i % 80},2023-{1 + i % 12:02d}-05,{8 + i % 40}.5" for i in range(200)]
    table(tmp_path, "sucursal_ventas", "venta,ean,fecha,precio", sales)
    with open_lake(tmp_path, embedder=embedder) as lake:
        answer = asked(
            lake,
            "SELECT count(*) AS n, round(avg(price), 2) AS price FROM editions"
            " WHERE format = 'paperback' AND release_date >= '2020-01-01'",
        )
        assert {m.real_table for m in answer.resolution.columns} > {"sucursal_ventas"}
        assert answer.resolution.confidence <= 0.6
