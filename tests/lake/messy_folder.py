"""A folder as people have it: partitions, drift, encodings, workbooks, databases, archives, nested JSON,
totals, prose.

Owns the making of it; nothing is left to chance, so that answers can be told beforehand.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import sqlite3
import zipfile
from contextlib import closing
from datetime import date
from pathlib import Path

import duckdb
import openpyxl
import pyarrow as pa
from pyarrow import feather, ipc


def messy_folder(root: Path) -> Path:
    """Write the folder and return it."""
    _partitions(root)
    _parts(root)
    _same_names(root)
    _encodings(root)
    _packed(root)
    _totals(root)
    _as_typed(root)
    _workbook(root)
    _database(root)
    _nested(root)
    _arrow(root)
    _prose(root)
    return root


def _write(path: Path, text: str, encoding: str = "utf-8") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))


def _partitions(root: Path) -> None:
    for year in (2023, 2024):
        rows = "".join(f"{i},{i * 10}\n" for i in range(100))
        _write(root / f"sales/year={year}/data.csv", "order_no,amount\n" + rows)
    # a later year has a column more, amounts with cents, and notes for the first time
    _write(root / "orders/year=2022/part.csv", "id,amount,note\n1,10,\n2,20,\n")
    _write(root / "orders/year=2023/part.csv", "id,amount,note\n3,30.5,late\n4,40,\n")
    _write(root / "orders/year=2024/part.csv", "id,amount,note,channel\n5,50,,web\n6,60,,shop\n7,70,,web\n")
    for country, month in (("de", "01"), ("de", "02"), ("fr", "01")):
        _write(
            root / f"visits/country={country}/month={month}/visits.csv",
            f"page,hits\nhome,{int(month) * 3}\nhelp,1\n",
        )
    for day in ("2024-05-01", "2024-05-02"):
        folder = root / f"events/day={day}"
        folder.mkdir(parents=True)
        with duckdb.connect() as db:
            db.execute(
                f"COPY (SELECT range AS n, 'x' AS kind FROM range(5)) TO '{folder / '0.parquet'}' (FORMAT parquet)"
            )


def _parts(root: Path) -> None:
    for month in range(1, 5):
        _write(
            root / f"logs/2024-{month:02}.csv",
            "seen,level\n" + f"2024-{month:02}-03 10:00:00,info\n2024-{month:02}-04 11:00:00,warn\n" * month,
        )
    # numbered, but of different kinds
    _write(root / "exports/1.csv", "city,people\nBonn,330\nUlm,126\n")
    _write(root / "exports/2.csv", "part,weight\nbolt,3\nnut,1\n")


def _same_names(root: Path) -> None:
    _write(root / "north/data.csv", "store,till\nA,1\nB,2\n")
    _write(root / "south/data.csv", "store,till\nC,3\nD,4\nE,5\n")


def _encodings(root: Path) -> None:
    _write(root / "menu.csv", "dish,price\nCafé “noir”,3\nBœuf – rôti,20\nThé,2\n", "cp1252")
    _write(root / "staedte.csv", "stadt;einwohner\nKöln;1000\nGöß;20\n", "latin-1")
    _write(root / "wide.csv", "name,n\nŁódź,1\nKraków,2\n", "utf-16")
    _write(root / "bare.csv", "name,n\nalpha,1\nbeta,2\nZürich,4\n", "utf-16-le")
    _write(root / "kyrillisch.csv", "имя,город\nАнна,Москва\nИван,Казань\n", "cp1251")
    (root / "ebcdic.csv").write_bytes("name,town\nAnna,Ulm\nIvan,Wels\n".encode("cp037"))


def _packed(root: Path) -> None:
    (root / "rates.csv.gz").write_bytes(gzip.compress(b"currency,rate\nEUR,1\nUSD,1.1\n"))
    (root / "prices.csv.bz2").write_bytes(bz2.compress(b"sku,price\na,1\nb,2\nc,3\n"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("teams.csv", "team,points\nreds,3\nblues,5\n")
        archive.writestr("people/players.csv", "player,team\nAda,reds\nBob,blues\nCy,reds\n".encode("cp1252"))
        archive.writestr(
            "README.txt", "These are the teams of the league, and who plays for them.\nAsk Ada.\n"
        )
        archive.writestr("../../escape.csv", "a,b\n1,2\n")
    (root / "league.zip").write_bytes(packed.getvalue())


def _totals(root: Path) -> None:
    _write(root / "budget.csv", "dept,planned,spent\nIT,100,90\nHR,50,55\nOps,70,60.5\n\nTotal,220,205.5\n")
    # the last row only looks like a total: it is no sum
    _write(root / "brands.csv", "brand,stations\nShell,10\nEsso,20\nTotal,7\n")


def _as_typed(root: Path) -> None:
    """Numbers and dates as people type them, and years as columns."""
    rows = (
        ("pump", "14.0 kg", "21.3 °C", "90 %", '"(53,465)"', "2024-01-31", "12.50"),
        ("valve", "9.8 kg", "-4.0 °C", "5 %", '"1,200"', "31.03.2024", "3.10"),
        ("motor", "102 kg", "7.7 °C", "40 %", "35", "15 Feb 2024", "99.99"),
        ("gauge", "0.4 kg", "n/a", "15 %", '"(5)"', "2024-04-02", "7.00"),
    )
    head = "device,weight,temp,load,balance,bought,price\n"
    _write(root / "devices.csv", head + "".join(",".join(row) + "\n" for row in rows))
    _write(root / "harvest.csv", "farm,2020,2021,2022\nHill,10,12,9\nVale,20,,22\n")
    _write(root / "tariffs.csv", 'zone;fee\nA;"1.234,50 €"\nB;"12,00 €"\nC;"1.000,00 €"\n')


def _workbook(root: Path) -> None:
    book = openpyxl.Workbook()
    staff = book.active
    assert staff is not None
    staff.title = "Staff"
    for row in (
        ["Staff of the north"],
        ["as of", date(2024, 1, 1)],
        [],
        ["Name", "Salary", "Hired", "Active"],
    ):
        staff.append(row)
    for i, name in enumerate(("Ann", "Ben", "Cem")):
        staff.append([name, 1000 + 500 * i, date(2020 + i, 3, 1), i != 1])
    staff.append(["Total", 4500])
    sites = book.create_sheet("Sites")
    for row in (["Code", "Place"], ["007", "Bonn"], ["008", "Kiel"]):
        sites.append(row)
    book.create_sheet("Empty")
    book.save(root / "company.xlsx")


def _database(root: Path) -> None:
    with closing(sqlite3.connect(root / "hr.sqlite")) as db:
        db.execute(
            "CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, zip TEXT, pay REAL, born TEXT)"
        )
        db.executemany(
            "INSERT INTO employees VALUES (?, ?, ?, ?, ?)",
            [
                (1, "Eva", "01067", 10.5, "1990-01-02"),
                (2, "Flo", "80331", None, "1985-12-31"),
                (3, "Gus", None, 9, None),
            ],
        )
        db.execute("CREATE TABLE leave (employee_id INTEGER, days INTEGER)")
        db.executemany("INSERT INTO leave VALUES (?, ?)", [(1, 5), (1, 3), (3, 2)])
        db.commit()


def _nested(root: Path) -> None:
    invoices = [
        {
            "id": i,
            "total": 10.0 * i,
            "user": {
                "id": i % 3,
                "plan": "pro" if i % 2 else "free",
                "address": {"city": "Ulm" if i < 4 else "Bonn"},
            },
            "lines": [{"sku": f"s{j}", "quantity": j + 1} for j in range(i % 3)],
            "tags": ["a", "b"][: i % 3],
        }
        for i in range(1, 8)
    ]
    _write(root / "invoices.json", json.dumps(invoices))
    places = [("Zoo", 5, {"type": "Point", "coordinates": [7.1, 50.7]}),
              ("Lake", 9, {"type": "Polygon", "coordinates": [[[7.0, 50.0], [7.5, 50.0], [7.0, 50.0]]]})]  # fmt: skip
    features = [
        {"type": "Feature", "properties": {"name": n, "rank": r}, "geometry": g} for n, r, g in places
    ]
    _write(root / "places.geojson", json.dumps({"type": "FeatureCollection", "features": features}))


def _arrow(root: Path) -> None:
    table = pa.table({"wind": [3.5, 4.5], "at_night": [True, False]})
    feather.write_feather(table, root / "wind.feather")
    with pa.OSFile(str(root / "gusts.arrow"), "wb") as out, ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)


def _prose(root: Path) -> None:
    _write(
        root / "README.txt",
        "This folder holds the sales of the shops, by year.\nAsk the north office, please, about orders.\n",
    )
    _write(
        root / "thoughts.txt",
        "We met on Monday, as ever.\nNothing was decided; Ann, Ben and Cem will write.\nMore next week.\n",
    )
    _write(root / "codes.txt", "code|meaning\n1|one\n2|two\n")
