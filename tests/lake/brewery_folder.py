"""A small brewery's folder: twenty files of as many kinds, and questions by somebody who knows no name in it.

English by two hands and a Polish taproom and warehouse; a workbook, a database, GeoJSON, Arrow, an archive, nested JSON,
Hive folders whose parts drift, three encodings, totals, units, codes with a list beside, years and months across, an
older copy, a text that is no table. `write` gives the questions with their answers.
"""

from __future__ import annotations

import bz2
import gzip
import json
import sqlite3
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl

from tests.lake.brewery_questions import QUESTIONS

Question = tuple[str, list[Any]]
"""SQL by imagined names, and the rows that answer it, in any order."""

_DRAW = "CREATE MACRO n(i, salt, m) AS CAST(md5_number_lower(concat(salt, '-', i)) % m AS INTEGER)"
_PICK = "CREATE MACRO pick(i, salt, choices) AS choices[1 + n(i, salt, len(choices))]"

_CLEAN = {
    "beers": "SELECT 'B' || (10 + i) AS code, (['Jasny Lew', 'Ciemna Noc', 'Zielona Góra', 'Śnieżka', 'Złoty Róg', 'Dębowe', "
    "'Żubr Mały', 'Łąka', 'Miodny', 'Świt'])[i + 1] AS name, (['lager', 'stout', 'ipa', 'wheat', 'lager', 'porter', 'lager', "
    "'saison', 'ale', 'ipa'])[i + 1] AS style, 4 + n(i, 'alc', 50) / 10.0 AS strength, 8 + n(i, 'pr', 90) / 10.0 AS price "
    "FROM range(10) t(i)",
    "brews": "SELECT 500 + i AS id, 'B' || (10 + n(i, 'wb', 10)) AS beer, 'T' || (1 + n(i, 'wt', 8)) AS tank, "
    "2022 + i // 60 AS year, make_date(2022 + CAST(i // 60 AS INTEGER), 1, 1) + n(i, 'wd', 365) AS day, "
    "10 + n(i, 'wv', 400) / 10.0 AS volume, n(i, 'wf', 9) = 0 AS dumped FROM range(120) t(i)",
    "tanks": "SELECT 'T' || (1 + i) AS code, pick(i, 'tm', ['steel', 'steel', 'copper', 'oak']) AS material, "
    "5 * (2 + n(i, 'tc', 20)) AS capacity, 2001 + n(i, 'tb', 20) AS built FROM range(8) t(i)",
    "washes": "SELECT 'T' || (1 + n(i, 'xt', 8)) AS tank, DATE '2023-02-01' + n(i, 'xd', 200) AS day, "
    "20 + 5 * n(i, 'xm', 12) AS minutes FROM range(50) t(i)",
    "hops": "SELECT i + 1 AS id, (['Saaz', 'Lublin', 'Cascade', 'Citra', 'Magnum', 'Fuggle'])[i + 1] AS variety, "
    "(['CZ', 'PL', 'US', 'US', 'DE', 'GB'])[i + 1] AS country, 3 + n(i, 'ha', 120) / 10.0 AS alpha FROM range(6) t(i)",
    "purchases": "SELECT i + 1 AS id, 1 + n(i, 'ph', 6) AS hop, DATE '2023-01-01' + n(i, 'pd', 360) AS day, "
    "5 + n(i, 'pk', 60) AS kilos, 100 + n(i, 'pc', 9000) / 10.0 AS cost FROM range(60) t(i)",
    "taprooms": "SELECT * FROM (VALUES ('Old Mill', 'Kraków', 45, 19.94, 50.06), ('Station', 'Wrocław', 80, 17.03, 51.11), "
    "('Harbour', 'Gdańsk', 62, 18.65, 54.35), ('Loft', 'Łódź', 28, 19.46, 51.76)) t(name, city, seats, lon, lat)",
    "kegs": "SELECT 'K' || (100 + i) AS serial, 2021 + i // 40 AS year, pick(i, 'ks', [20, 30, 50]) AS litres, "
    "pick(i, 'kw', ['full', 'empty', 'out', 'lost']) AS state FROM range(80) t(i)",
    "visits": "SELECT i + 1 AS id, pick(i, 'vt', ['Old Mill', 'Station', 'Harbour', 'Loft']) AS taproom, "
    "DATE '2024-01-01' + n(i, 'vd', 300) AS day, 1 + n(i, 'vg', 8) AS guests, 15 + n(i, 'va', 2000) / 10.0 AS bill FROM range(200) t(i)",
    "readings": "SELECT 'T' || (1 + n(i, 'rt', 8)) AS tank, TIMESTAMP '2024-05-01 00:00:00' + i * INTERVAL 3 HOUR AS taken, "
    "40 + n(i, 'rv', 180) AS tenths FROM range(160) t(i)",
    "orders": "SELECT 9000 + i AS id, pick(i, 'oc', ['Bar Mewa', 'Hotel Polonia', 'Sklep U Ani', 'Pub Zamek', 'Bistro 7']) AS customer, "
    "DATE '2024-02-01' + n(i, 'od', 100) AS day, n(i, 'op', 3) > 0 AS paid FROM range(40) t(i)",
    "lines": "SELECT 9000 + CAST(i // 3 AS INTEGER) AS order_id, 'B' || (10 + n(i, 'lb', 10)) AS beer, 1 + n(i, 'lq', 12) AS crates, "
    "60 + n(i, 'lp', 60) AS price FROM range(120) t(i)",
    "staff": "SELECT 'E' || (1 + i) AS id, (['Adam Nowak', 'Beata Lis', 'Celina Wrona', 'Darek Kos', 'Ewa Sowa', 'Filip Zając', "
    "'Gosia Ryba', 'Henryk Bąk', 'Iga Mróz', 'Jan Dąb'])[i + 1] AS name, pick(i, 'sj', ['brewer', 'driver', 'cellar', 'bar']) AS job, "
    "4000 + 50 * n(i, 'ss', 60) AS salary, 2010 + n(i, 'sh', 14) AS since FROM range(10) t(i)",
    "budget": "SELECT d AS department, CAST(m AS INTEGER) AS month, 1000 + n(m, 'bu' || d, 9000) AS amount "
    "FROM (VALUES ('brewhouse'), ('taprooms'), ('marketing'), ('transport')) x(d), range(1, 13) y(m)",
    "suppliers": "SELECT 'S' || (1 + i) AS id, (['Słodownia Strzegom', 'Hurt Chmiel', 'Szkło-Pak', 'Etykiety Kowal', 'CO2 Serwis'])[i + 1] "
    "AS name, (['malt', 'hops', 'bottles', 'labels', 'gas'])[i + 1] AS goods, (['Strzegom', 'Lublin', 'Toruń', 'Poznań', 'Kielce'])[i + 1] "
    "AS town, 7 + 7 * n(i, 'zd', 6) AS days FROM range(5) t(i)",
    "deliveries": "SELECT 300 + i AS id, 'S' || (1 + n(i, 'ds', 5)) AS supplier, 2022 + i // 35 AS year, "
    "1 + n(i, 'dm', 12) AS month, 200 + n(i, 'dv', 90000) / 10.0 AS value FROM range(70) t(i)",
    "malt": "SELECT k AS kind, 2020 + CAST(y AS INTEGER) AS year, 900 + n(y, 'mp' || k, 900) AS price "
    "FROM (VALUES ('pale'), ('munich'), ('caramel'), ('black')) x(k), range(5) t(y)",
    "tests": "SELECT i + 1 AS id, 500 + n(i, 'qb', 120) AS brew, pick(i, 'qd', ['D0', 'D0', 'D0', 'D1', 'D2', 'D3']) AS defect, "
    "30 + n(i, 'qs', 21) AS score FROM range(150) t(i)",
    "defects": "SELECT * FROM (VALUES ('D0', 'none'), ('D1', 'diacetyl'), ('D2', 'sour'), ('D3', 'oxidised')) t(code, label)",
    "water": "SELECT DATE '2024-03-01' + CAST(i AS INTEGER) AS day, 65 + n(i, 'wp', 20) AS ph10, 80 + n(i, 'wh', 90) AS hardness "
    "FROM range(90) t(i)",
    "returns": "SELECT i + 1 AS id, 'B' || (10 + n(i, 'eb', 10)) AS beer, n(i, 'ep', 40) AS bottles, "
    "(n(i, 'ev', 4000) - 2000) / 10.0 AS balance FROM range(50) t(i)",
}  # fmt: skip

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class _Folder:
    """The clean tables, and the folder that is written of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = duckdb.connect(config={"threads": 1})
        for made in (_DRAW, _PICK, *(f"CREATE TABLE {name} AS {sql}" for name, sql in _CLEAN.items())):
            self.db.execute(made)

    def rows(self, sql: str) -> list[Any]:
        return self.db.execute(sql).fetchall()

    def lines(self, header: str, sql: str, by: str = ",") -> str:
        """A text of separated columns; None is empty."""
        rows = (by.join("" if v is None else str(v) for v in row) for row in self.rows(sql))
        return "\n".join([header, *rows]) + "\n"

    def text(self, name: str, text: str, encoding: str = "utf-8") -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))


def _comma(column: str) -> str:
    return f"replace(CAST(CAST({column} AS DECIMAL(9, 1)) AS VARCHAR), '.', ',')"


def _texts(f: _Folder) -> None:
    beers = f"SELECT code, name, style, {_comma('strength')} || ' %', {_comma('price')} || ' zł' FROM beers ORDER BY 1"
    f.text("piwa.csv", f.lines("kod;nazwa;gatunek;alk;cena", beers, ";"), "cp1250")
    for year, volume in ((2022, "CAST(volume AS INTEGER)"), (2023, "volume")):
        more = "" if year == 2022 else ", CASE WHEN dumped THEN 'y' ELSE 'n' END"
        header = "brew_no,beer_cd,tnk,brew_dt,hl" + (",dumped" if more else "")
        sql = f"SELECT id, beer, tank, day, {volume}{more} FROM brews WHERE year = {year}"
        f.text(f"brew_log/year={year}/data.csv", f.lines(header, sql))
    staff = "SELECT id, name, job, replace(printf('%,d', salary), ',', ' ') || ' PLN', since FROM staff"
    total = f"Total;;;{f.rows('SELECT sum(salary) FROM staff')[0][0]} PLN;"
    f.text("hr/crew.csv", f.lines("emp;nm;role;mth_pay;start_yr", staff, ";") + total + "\n")
    f.text(
        "hr/crew_old.csv", f.lines("emp;nm;role", "SELECT id, name, job FROM staff WHERE since < 2018", ";")
    )
    suppliers = "SELECT id, name, goods, town, days FROM suppliers"
    header = "dostawca_nr\tdostawca\ttowar\tmiasto\ttermin_dni"
    f.text("magazyn/dostawcy.tsv", f.lines(header, suppliers, "\t"), "utf-16")
    for year in (2022, 2023):
        sql = f"SELECT id, supplier, month, {_comma('value')} FROM deliveries WHERE year = {year}"
        f.text(f"magazyn/dostawy_{year}.csv", f.lines("nr;dostawca_nr;miesiac;wartosc", sql, ";"))
    returns = (
        f"SELECT id, beer, bottles, CASE WHEN balance < 0 THEN '(' || {_comma('-balance')} || ')' ELSE "
        f"{_comma('balance')} END FROM returns"
    )
    f.text("magazyn/zwroty.csv", f.lines("nr;kod;butelki;saldo", returns, ";"))
    f.text("qa/fault_cds.csv", f.lines("fault_cd,meaning", "SELECT * FROM defects"))
    f.text("README.txt", "These are the brewery's files.\nAsk Beata before you change anything, please.\n")


def _wide(f: _Folder) -> None:
    """Months and years across."""
    months = ", ".join(f"max(amount) FILTER (month = {i})" for i in range(1, 13))
    f.text(
        "budget24.csv",
        f.lines(
            ",".join(("dept", *_MONTHS)), f"SELECT department, {months} FROM budget GROUP BY 1 ORDER BY 1"
        ),
    )
    years = ", ".join(f"max(price) FILTER (year = {y})" for y in range(2020, 2025))
    header = "malt_kind,2020,2021,2022,2023,2024"
    f.text("malt_px.csv", f.lines(header, f"SELECT kind, {years} FROM malt GROUP BY 1 ORDER BY 1"))


def _packed(f: _Folder) -> None:
    visits = "SELECT id, taproom, strftime(day, '%d.%m.%Y'), guests, bill || ' zł' FROM visits"
    (f.folder / "rachunki.csv.bz2").write_bytes(
        bz2.compress(f.lines("rachunek,lokal,data,goscie,kwota", visits).encode())
    )
    water = "SELECT day, ph10 / 10.0, hardness || ' mg/l' FROM water"
    (f.folder / "h2o.csv.gz").write_bytes(
        gzip.compress(("# well 2, Mrs Sowa\n" + f.lines("dt,ph,hardn", water)).encode())
    )
    with zipfile.ZipFile(f.folder / "kegs.zip", "w") as packed:
        for year in (2021, 2022):
            sql = f"SELECT serial, litres || ' l', upper(state[:1]) FROM kegs WHERE year = {year}"
            packed.writestr(f"keg_list_{year}.csv", f.lines("keg_sn,vol,st", sql))


def _kinds(f: _Folder) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Tanks"
    for row in (["Cellar equipment"], [], ["tnk", "matl", "cap_hl", "built_yr"], *f.rows("FROM tanks")):
        sheet.append(list(row))
    sheet = book.create_sheet("CIP")
    for row in (["tnk", "dt", "dur_min"], *f.rows("FROM washes")):
        sheet.append(list(row))
    book.save(f.folder / "cellar.xlsx")
    with sqlite3.connect(f.folder / "hops.db") as kept:
        kept.execute(
            "CREATE TABLE variety (vid INTEGER PRIMARY KEY, vname TEXT, origin TEXT, alpha_pct REAL)"
        )
        kept.execute("CREATE TABLE buys (buy_no INTEGER, vid INTEGER, buy_dt TEXT, kg INTEGER, eur REAL)")
        hops = f.rows("SELECT id, variety, country, CAST(alpha AS DOUBLE) FROM hops")
        kept.executemany("INSERT INTO variety VALUES (?, ?, ?, ?)", hops)
        bought = f.rows("SELECT id, hop, CAST(day AS VARCHAR), kilos, CAST(cost AS DOUBLE) FROM purchases")
        kept.executemany("INSERT INTO buys VALUES (?, ?, ?, ?, ?)", bought)
    kept.close()
    _json(f)
    f.db.execute(f"COPY (SELECT id AS test_no, brew AS brew_no, defect AS fault_cd, score FROM tests) TO '{f.folder / 'qa' / 'panel.parquet'}'")  # fmt: skip
    _arrow(f)


def _json(f: _Folder) -> None:
    points: Iterable[Any] = f.rows(
        "SELECT name, city, seats, CAST(lon AS DOUBLE), CAST(lat AS DOUBLE) FROM taprooms"
    )
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
            "properties": {"lokal": name, "miasto": city, "miejsca": seats},
        }
        for name, city, seats, lon, lat in points
    ]
    f.text("lokale.geojson", json.dumps({"type": "FeatureCollection", "features": features}))
    orders = []
    for number, customer, day, paid in f.rows("FROM orders"):
        lines = f.rows(f"SELECT beer, crates, price FROM lines WHERE order_id = {number}")
        held = [{"beer_cd": beer, "crates": crates, "px": price} for beer, crates, price in lines]
        orders.append(
            {
                "order_no": number,
                "client": {"name": customer, "pays": "cash" if number % 2 else "invoice"},
                "placed": str(day),
                "paid": paid,
                "lines": held,
            }
        )
    f.text("wholesale.jsonl", "".join(json.dumps(order) + "\n" for order in orders))


def _arrow(f: _Folder) -> None:
    import pyarrow as pa
    from pyarrow import feather

    held = f.rows("SELECT tank, taken, tenths / 10.0 FROM readings")
    columns = {"tnk": [r[0] for r in held], "ts": [r[1] for r in held], "degc": [float(r[2]) for r in held]}
    feather.write_feather(pa.table(columns), f.folder / "probe.feather")


def write(folder: Path) -> list[Question]:
    """Write the files; the same each time."""
    f = _Folder(folder)
    (folder / "qa").mkdir()
    for part in (_texts, _wide, _packed, _kinds):
        part(f)
    return [(asked, [list(row) for row in f.rows(clean)]) for asked, clean in QUESTIONS]
