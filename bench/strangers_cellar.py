"""The folders of a wine growers' cooperative, as its offices keep them, with pairs written by hand before the
resolver was read: of the last fourteen (`cellar_kept`) only totals were looked at.

`python -m bench.strangers_cellar --out FOLDER` writes FOLDER/cellar/, FOLDER/cellar.jsonl and
FOLDER/cellar_kept.jsonl for `rewright bench lake --data FOLDER --pairs FOLDER/cellar.jsonl`.

Tables are drawn from a seed and kept clean in memory, where the answers come from (`strange/cellar.txt`). The
files are German, Spanish and English: CSV in Windows-1252 with title rows, workbooks with several sheets,
objects within objects, a zip archive, years and months as columns, an older state of two tables, codes whose
meaning is in a table beside. Needs openpyxl.
"""

from __future__ import annotations

import argparse
import datetime as dt
import io
import json
import random
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import openpyxl

from bench.lake_pairs import record, told_lines, told_pair
from bench.messy_lakes import Rows, day, load, parquet

_PAIRS = Path(__file__).parent / "strange" / "cellar.txt"
_SEED = 41
_KEPT_FROM = 26
"""The pairs from this one on are looked at by totals only."""
YEARS = (2021, 2022, 2023, 2024)
VILLAGES = (
    ("HP", "Heppenheim", "Bergstrasse", 106),
    ("BH", "Bensheim", "Bergstrasse", 115),
    ("ZW", "Zwingenberg", "Bergstrasse", 97),
    ("OD", "Odernheim", "Nahe", 145),
    ("MZ", "Monzingen", "Nahe", 168),
    ("KU", "Kirchheim", "Pfalz", 131),
)
VARIETIES = (
    ("RIE", "Riesling", "weiß"),
    ("SIL", "Silvaner", "weiß"),
    ("GRB", "Grauburgunder", "weiß"),
    ("SPB", "Spätburgunder", "rot"),
    ("DOR", "Dornfelder", "rot"),
    ("STL", "Sankt Laurent", "rot"),
)
CLASSES = (("QBA", "Qualitätswein"), ("KAB", "Kabinett"), ("SPL", "Spätlese"), ("AUS", "Auslese"))
COUNTRIES = (("DE", "Germany"), ("CH", "Switzerland"), ("NL", "Netherlands"), ("DK", "Denmark"))
AGENTS = (
    ("F01", "Cuprozin", "fungicida"),
    ("F02", "Delan", "fungicida"),
    ("I07", "Mimic", "insecticida"),
    ("H03", "Basta", "herbicida"),
    ("F09", "Netzschwefel", "fungicida"),
)
MONTHS = ("Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez")


def german(value: float, digits: int = 2) -> str:
    """`1.234,50`."""
    return f"{value:,.{digits}f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def drawn(draw: random.Random) -> dict[str, Rows]:
    """The clean tables."""
    growers = _growers(draw)
    parcels = _parcels(draw, growers)
    lots = _lots(draw)
    wines = _wines(draw, lots)
    return {
        "growers": growers,
        "parcels": parcels,
        "harvests": _harvests(draw, parcels),
        "lots": lots,
        "wines": wines,
        **_codes(),
        **_vineyard(draw, parcels),
        **_cellar(draw, lots, wines),
        **_trade(draw, wines),
        **_office(draw),
        **_weather(draw),
    }


def _codes() -> dict[str, Rows]:
    return {
        "villages": [dict(zip(("code", "name", "district", "altitude"), v, strict=True)) for v in VILLAGES],
        "varieties": [dict(zip(("code", "name", "colour"), v, strict=True)) for v in VARIETIES],
        "classes": [{"code": c, "name": n} for c, n in CLASSES],
        "countries": [{"code": c, "name": n} for c, n in COUNTRIES],
        "agents": [dict(zip(("code", "name", "kind"), a, strict=True)) for a in AGENTS],
    }


def _growers(draw: random.Random) -> Rows:
    first = ("Anton", "Berta", "Clemens", "Dora", "Emil", "Frieda", "Georg", "Hanna", "Jörg", "Käthe")
    last = ("Antes", "Freiberger", "Hillenbrand", "Mohr", "Schäfer", "Seitz", "Weiß")
    return [
        {
            "id": 1100 + i,
            "name": f"{last[i % 7]}, {first[(i // 7) % 10]}",
            "village": draw.choice(VILLAGES)[0],
            "joined": day(draw, draw.randrange(1968, 2023)),
            "kind": draw.choice("VVVA"),
        }
        for i in range(70)
    ]


def _parcels(draw: random.Random, growers: Rows) -> Rows:
    return [
        {
            "id": f"P-{i:03}",
            "grower": draw.choice(growers)["id"],
            "village": draw.choice(VILLAGES)[0],
            "variety": draw.choice(VARIETIES)[0],
            "hectares": draw.randrange(8, 190) / 100,
            "planted": draw.randrange(1971, 2020),
            "slope": draw.randrange(1, 48),
            "organic": draw.random() < 0.3,
        }
        for i in range(1, 161)
    ]


def _harvests(draw: random.Random, parcels: Rows) -> Rows:
    return [
        {
            "parcel": p["id"],
            "year": year,
            "day": dt.date(year, 9, 5) + dt.timedelta(draw.randrange(45)),
            "kg": round(p["hectares"] * draw.uniform(5200, 10400), 1),
            "oechsle": draw.randrange(68, 112),
        }
        for year in YEARS
        for p in parcels
        if draw.random() < 0.9
    ]


def _lots(draw: random.Random) -> Rows:
    return [
        {
            "id": f"{year % 100}-{i:02}",
            "year": year,
            "variety": draw.choice(VARIETIES)[0],
            "tank": f"T{draw.randrange(1, 25):02}",
            "litres": draw.randrange(9, 180) * 100,
            "alcohol": draw.randrange(105, 146) / 10,
            "sugar": draw.randrange(10, 420) / 10,
        }
        for year in YEARS
        for i in range(1, 19)
    ]


def _wines(draw: random.Random, lots: Rows) -> Rows:
    names = ("Steinkopf", "Schlossberg", "Kalkgasse", "Paulus", "Centgericht", "Stemmler")
    return [
        {
            "sku": f"W{500 + i}",
            "label": f"{names[i % 6]} {draw.choice(VARIETIES)[1]} Nr. {i}",
            "lot": lot["id"],
            "class": draw.choice(CLASSES)[0],
            "price": draw.randrange(59, 196) / 10,
        }
        for i, lot in enumerate(draw.sample(lots, 40))
    ]


def _vineyard(draw: random.Random, parcels: Rows) -> dict[str, Rows]:
    sprayings = [
        {
            "parcel": draw.choice(parcels)["id"],
            "day": day(draw, draw.choice(YEARS)),
            "agent": draw.choice(AGENTS)[0],
            "dose": draw.randrange(4, 60) / 10,
            "reason": draw.choice(("mildiu", "oídio", "polilla", "botritis")),
        }
        for _ in range(300)
    ]
    hail = [
        {
            "parcel": p["id"],
            "year": year,
            "loss": draw.randrange(5, 91),
            "paid": draw.randrange(200, 9000) + 0.5,
        }
        for year in YEARS[1:]
        for p in draw.sample(parcels, 25)
    ]
    payouts = [
        {"variety": v[0], "year": year, "price": draw.randrange(80, 240) / 100}
        for v in VARIETIES
        for year in YEARS
    ]
    return {"sprayings": sprayings, "hail": hail, "payouts": payouts}


def _cellar(draw: random.Random, lots: Rows, wines: Rows) -> dict[str, Rows]:
    tanks = [
        {
            "id": f"T{i:02}",
            "material": draw.choice(("steel", "steel", "oak", "concrete")),
            "capacity": draw.randrange(2, 25) * 10,
            "hall": draw.choice("ABC"),
        }
        for i in range(1, 25)
    ]
    analyses = [
        {
            "lot": lot["id"],
            "day": dt.date(lot["year"], 11, 2) + dt.timedelta(60 * k),
            "ph": draw.randrange(295, 372) / 100,
            "so2": draw.randrange(18, 55),
            "lab": draw.choice(("Eigenlabor", "LUFA Speyer", "Dr. Kern")),
        }
        for lot in lots
        for k in range(3)
    ]
    bottlings = [
        {"sku": w["sku"], "day": day(draw, 2024), "bottles": draw.randrange(400, 6400)}
        for w in wines
        for _ in range(draw.randrange(1, 4))
    ]
    barrels = [
        {
            "id": f"B{i}",
            "oak": draw.choice(("Allier", "Spessart", "Missouri")),
            "volume": draw.choice((225, 300, 500)),
            "bought": day(draw, draw.randrange(2015, 2024)),
            "cost": draw.randrange(520, 980) + 0.9,
        }
        for i in range(1, 61)
    ]
    tastings = [
        {
            "sku": w["sku"],
            "day": dt.date(2024, 3, 1),
            "judge": j,
            "points": draw.randrange(140, 195) / 10,
        }
        for w in wines
        for j in draw.sample(("Albers", "Braun", "Castell", "Diehl", "Egli"), 3)
    ]
    return {
        "tanks": tanks,
        "analyses": analyses,
        "bottlings": bottlings,
        "barrels": barrels,
        "tastings": tastings,
    }


def _trade(draw: random.Random, wines: Rows) -> dict[str, Rows]:
    words = ("Adler", "Krone", "Löwen", "Post", "Traube", "Vinothek", "Hof", "Linde")
    clients = [
        {
            "id": 70100 + i,
            "name": f"{words[i % 8]} {chr(65 + i // 8)}",
            "country": draw.choice(("DE", "DE", "CH", "NL", "DK")),
            "sort": draw.choice(("trade", "restaurant", "private")),
        }
        for i in range(56)
    ]
    orders = [
        {
            "no": year * 1000 + i,
            "client": draw.choice(clients)["id"],
            "day": day(draw, year),
            "year": year,
        }
        for year in YEARS[1:]
        for i in range(1, 121 + 10 * (year - 2022))
    ]
    lines = [
        {"no": o["no"], "sku": w["sku"], "bottles": draw.randrange(1, 31) * 6, "price": w["price"]}
        for o in orders
        for w in draw.sample(wines, draw.randrange(1, 4))
    ]
    return {"clients": clients, "orders": orders, "lines": lines}


def _office(draw: random.Random) -> dict[str, Rows]:
    first = ("Ute", "Ralf", "Sonja", "Timo", "Vera", "Klaus", "Nadja", "Oskar", "Pia", "Quirin")
    staff = [
        {
            "id": 31 + i,
            "name": f"{first[i % 10]} {('Lang', 'Kunz', 'Ebert', 'Hahn')[i // 10]}",
            "department": draw.choice(("Keller", "Vertrieb", "Verwaltung", "Außenbetrieb")),
            "start": day(draw, draw.randrange(2001, 2024)),
            "wage": draw.randrange(2400, 5200) + 0.5,
        }
        for i in range(38)
    ]
    tours = [
        {
            "day": day(draw, 2024),
            "language": draw.choice(("de", "en", "nl", "fr")),
            "visitors": draw.randrange(4, 46),
            "takings": draw.randrange(40, 700) + 0.0,
        }
        for _ in range(130)
    ]
    ledger = [
        {
            "account": a,
            "month": f"{y}-{m:02}",
            "amount": draw.randrange(-90000, 160000) / 4,
        }
        for a in ("Glas", "Korken", "Fracht", "Verkauf", "Strom")
        for y in (2023, 2024)
        for m in range(1, 13)
    ]
    energy = [
        {"hall": h, "year": y, "month": m, "kwh": draw.randrange(900, 9000)}
        for h in "ABC"
        for y in (2022, 2023, 2024)
        for m in MONTHS
    ]
    machines = [
        {"id": f"M{i:02}", "kind": draw.choice(("Traktor", "Vollernter", "Presse", "Stapler")),
         "built": draw.randrange(1998, 2023), "hours": draw.randrange(300, 9800)}
        for i in range(1, 29)
    ]  # fmt: skip
    repairs = [
        {"machine": draw.choice(machines)["id"], "day": day(draw, draw.choice(YEARS)),
         "cost": draw.randrange(90, 6200) + 0.25, "garage": draw.choice(("Landtechnik Ihrig", "Agrarservice Pfeil"))}
        for _ in range(110)
    ]  # fmt: skip
    return {
        "staff": staff,
        "tours": tours,
        "ledger": ledger,
        "energy": energy,
        "machines": machines,
        "repairs": repairs,
    }


def _weather(draw: random.Random) -> dict[str, Rows]:
    stations: Rows = [
        {"id": "S1", "name": "Eckweg", "elevation": 131},
        {"id": "S2", "name": "Hemsberg", "elevation": 212},
        {"id": "S3", "name": "Frühlingsplätzchen", "elevation": 174},
    ]
    weather = []
    for year in (2023, 2024):
        for n in range(365):
            low = round(draw.uniform(-6, 6) + 11 - abs(n - 200) / 16, 1)
            weather += [
                {
                    "station": s["id"],
                    "day": dt.date(year, 1, 1) + dt.timedelta(n),
                    "tmin": round(low - s["elevation"] / 100, 1),
                    "tmax": round(low + draw.uniform(3, 15), 1),
                    "rain": draw.choice((0.0, 0.0, 0.0, round(draw.uniform(0.2, 24), 1))),
                }
                for s in stations
            ]
    return {"stations": stations, "weather": weather}


# --- files ---


def written(t: dict[str, Rows], root: Path) -> None:
    """What the offices keep."""
    _stammdaten(t, root / "stammdaten")
    _weinbau(t, root / "weinbau")
    _keller(t, root / "keller")
    _sales(t, root / "sales")
    _campo(t, root / "campo")
    _wetter(t, root / "wetter")
    _verwaltung(t, root / "verwaltung")
    (root / "README.txt").write_text("Ablage der Genossenschaft.\nBitte nichts umbenennen!\n")


def _stammdaten(t: dict[str, Rows], at: Path) -> None:
    members = [
        {"Mitglied_Nr": g["id"], "Name": g["name"], "Ort_Kz": g["village"], "Beitritt": f"{g['joined']:%d.%m.%Y}",
         "Art": g["kind"]}
        for g in t["growers"]
    ]  # fmt: skip
    text(
        at / "mitglieder.csv",
        members,
        ";",
        title=("Winzergenossenschaft Mitgliederliste", "Stand 01.02.2024"),
    )
    text(at / "mitglieder_alt.csv", members[:52], ";")
    text(at / "gemeinden.csv", [
        {"Kz": v["code"], "Gemeinde": v["name"], "Bereich": v["district"], "Hoehe": f"{v['altitude']} m"}
        for v in t["villages"]
    ], ";")  # fmt: skip
    text(at / "rebsorten.tsv", [
        {"sorte": v["code"], "bezeichnung": v["name"], "farbe": v["colour"]} for v in t["varieties"]
    ], "\t", "utf-8")  # fmt: skip
    text(at / "laender.csv", [{"iso2": c["code"], "country_en": c["name"]} for c in t["countries"]])


def _weinbau(t: dict[str, Rows], at: Path) -> None:
    parcels = [
        {"parc_no": p["id"], "mbr_no": p["grower"], "loc": p["village"], "var": p["variety"],
         "area": f"{german(p['hectares'])} ha", "planted": p["planted"], "slope": f"{p['slope']} %",
         "bio": "ja" if p["organic"] else "nein"}
        for p in t["parcels"]
    ]  # fmt: skip
    text(at / "parcels_v3.csv", parcels, ";")
    text(at / "parcels_v2.csv", parcels[:131], ";")
    for year in YEARS:
        form = "%Y-%m-%d" if year == 2023 else "%d.%m.%Y"
        text(at / "lese" / f"lese_{year}.csv", [
            {"Parzelle": h["parcel"], "Datum": f"{h['day']:{form}}", "Menge_kg": german(h["kg"], 1),
             "Oechsle": f"{h['oechsle']}°"}
            for h in t["harvests"] if h["year"] == year
        ], ";")  # fmt: skip
    rows = [
        [v["code"], *[p["price"] for p in t["payouts"] if p["variety"] == v["code"]]] for v in t["varieties"]
    ]
    book(at / "traubengeld.xlsx", {"Auszahlung": [["Traubengeld EUR je kg"], [], ["Sorte", *YEARS], *rows]})
    for year in YEARS[1:]:
        text(at / f"hagel_{year}.csv", [
            {"parz": h["parcel"], "verlust": f"{h['loss']} %", "entschaedigung": f"{german(h['paid'])} €"}
            for h in t["hail"] if h["year"] == year
        ], ";")  # fmt: skip


def _keller(t: dict[str, Rows], at: Path) -> None:
    text(at / "tanks.csv", [
        {"vessel": k["id"], "mat": k["material"], "cap_hl": k["capacity"], "hall": k["hall"]} for k in t["tanks"]
    ], "|")  # fmt: skip
    parquet(at / "lots.parquet", [
        {"lot_no": x["id"], "vintage": x["year"], "var": x["variety"], "vessel": x["tank"], "vol_l": x["litres"],
         "abv": x["alcohol"], "rs_gl": x["sugar"]}
        for x in t["lots"]
    ])  # fmt: skip
    lines(at / "lab.jsonl", (
        {"lot_no": a["lot"], "taken": f"{a['day']:%Y-%m-%d}", "result": {"ph": a["ph"], "so2": {"free": a["so2"]}},
         "labor": a["lab"]}
        for a in t["analyses"]
    ))  # fmt: skip
    jury = [
        {"sku": w["sku"], "round": "2024-03-01",
         "panel": [{"judge": s["judge"], "pts": s["points"]} for s in t["tastings"] if s["sku"] == w["sku"]]}
        for w in t["wines"]
    ]  # fmt: skip
    (at / "jury.json").write_text(json.dumps(jury), encoding="utf-8")
    text(at / "barricas.csv", [
        {"barrica": b["id"], "roble": b["oak"], "volumen_l": b["volume"], "comprada": f"{b['bought']:%d/%m/%Y}",
         "coste": f"{german(b['cost'])} €"}
        for b in t["barrels"]
    ], ";")  # fmt: skip
    packed(at / "abfuellung.zip", "bottling_log.csv", [
        {"sku": b["sku"], "on_day": f"{b['day']:%b %d, %Y}", "btl": b["bottles"]} for b in t["bottlings"]
    ])  # fmt: skip


def _sales(t: dict[str, Rows], at: Path) -> None:
    at.mkdir(parents=True, exist_ok=True)
    (at / "wines.json").write_text(json.dumps([
        {"sku": w["sku"], "label": {"text": w["label"], "cls": w["class"]}, "lot_no": w["lot"],
         "price": f"{german(w['price'])} €"}
        for w in t["wines"]
    ], ensure_ascii=False), encoding="utf-8")  # fmt: skip
    text(at / "qual_codes.csv", [{"cls": c["code"], "txt": c["name"]} for c in t["classes"]])
    text(at / "clients.csv", [
        {"cust_no": c["id"], "company": c["name"], "ctry": c["country"], "grp": c["sort"]} for c in t["clients"]
    ], encoding="utf-8-sig")  # fmt: skip
    sheets = {
        str(year): [[f"Bestellungen {year}"], ["order_no", "cust_no", "ordered"]]
        + [[o["no"], o["client"], o["day"]] for o in t["orders"] if o["year"] == year]
        for year in YEARS[1:]
    }
    book(at / "orders.xlsx", sheets)
    parquet(at / "order_items.parquet", [
        {"order_no": x["no"], "sku": x["sku"], "btl": x["bottles"], "unit_pr": x["price"]} for x in t["lines"]
    ])  # fmt: skip


def _campo(t: dict[str, Rows], at: Path) -> None:
    text(at / "tratamientos.csv", [
        {"parcela": s["parcel"], "fecha": f"{s['day']:%d/%m/%Y}", "cod_producto": s["agent"],
         "dosis": f"{german(s['dose'], 1)} l/ha", "motivo": s["reason"]}
        for s in t["sprayings"]
    ], ";")  # fmt: skip
    text(at / "productos.csv", [
        {"cod_producto": a["code"], "nombre": a["name"], "tipo": a["kind"]} for a in t["agents"]
    ], ";")  # fmt: skip


def _wetter(t: dict[str, Rows], at: Path) -> None:
    text(at / "stations.csv", [
        {"stn": s["id"], "stn_name": s["name"], "elev": f"{s['elevation']} m"} for s in t["stations"]
    ])  # fmt: skip
    for year in (2023, 2024):
        text(at / "daily" / f"year={year}" / "data.csv", [
            {"stn": w["station"], "day": w["day"], "tmin": f"{w['tmin']} °C", "tmax": f"{w['tmax']} °C",
             "rain_mm": w["rain"]}
            for w in t["weather"] if w["day"].year == year
        ], ",", "utf-8")  # fmt: skip


def _verwaltung(t: dict[str, Rows], at: Path) -> None:
    staff = [["Nr", "Name", "Abteilung", "Eintritt"]]
    staff += [[s["id"], s["name"], s["department"], s["start"]] for s in t["staff"]]
    pay = [["Vertraulich"], ["Nr", "Brutto"], *[[s["id"], f"{german(s['wage'])} €"] for s in t["staff"]]]
    book(at / "personal.xlsx", {"Mitarbeiter": staff, "Gehaelter": pay})
    tours = [
        {"datum": f"{x['day']:%d.%m.%Y}", "sprache": x["language"], "gaeste": x["visitors"],
         "einnahmen": f"{german(x['takings'])} €"}
        for x in t["tours"]
    ]  # fmt: skip
    total = {"datum": "Summe", "sprache": "", "gaeste": sum(x["visitors"] for x in t["tours"]),
             "einnahmen": f"{german(sum(x['takings'] for x in t['tours']))} €"}  # fmt: skip
    text(at / "fuehrungen_2024.csv", [*tours, total], ";")
    text(at / "ledger.csv", [
        {"acct": x["account"], "mon": x["month"],
         "amt": f"({-x['amount']:,.2f})" if x["amount"] < 0 else f"{x['amount']:,.2f}"}
        for x in t["ledger"]
    ])  # fmt: skip
    text(at / "strom.csv", [
        {"halle": h, "jahr": y,
         **{e["month"]: e["kwh"] for e in t["energy"] if (e["hall"], e["year"]) == (h, y)}}
        for h in "ABC" for y in (2022, 2023, 2024)
    ], ";")  # fmt: skip
    text(at / "maschinen.csv", [
        {"masch_nr": m["id"], "art": m["kind"], "baujahr": m["built"], "stunden": f"{m['hours']:,} h"}
        for m in t["machines"]
    ], ";")  # fmt: skip
    lines(at / "werkstatt.jsonl", (
        {"masch_nr": r["machine"], "datum": f"{r['day']:%d.%m.%Y}",
         "rechnung": {"betrag": r["cost"], "firma": r["garage"]}}
        for r in t["repairs"]
    ))  # fmt: skip


def _csv(rows: Rows, between: str, title: tuple[str, ...] = ()) -> str:
    listed = [list(rows[0]), *[list(row.values()) for row in rows]]
    fields = ([f'"{v}"' if between in str(v) else str(v) for v in line] for line in listed)
    return "".join(f"{line}\n" for line in [*title, *map(between.join, fields)])


def text(
    file: Path, rows: Rows, between: str = ",", encoding: str = "cp1252", title: tuple[str, ...] = ()
) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_csv(rows, between, title), encoding=encoding)


def packed(file: Path, member: str, rows: Rows) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(member, _csv(rows, ","))


def lines(file: Path, objects: Iterable[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in objects), encoding="utf-8")


def book(file: Path, sheets: dict[str, list[list[Any]]]) -> None:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    held = io.BytesIO()
    made.save(held)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(held.getvalue())


def make(out: Path) -> dict[str, int]:
    """Write the lake and its pairs; returns how many pairs each file has."""
    tables = drawn(random.Random(_SEED))
    written(tables, out / "cellar")
    listed = told_lines(_PAIRS.read_text(encoding="utf-8"))
    told = [told_pair(line.removeprefix("-- "), listed) for line in listed if line.startswith("-- ")]
    with duckdb.connect(config={"threads": 1}) as db:
        for name, rows in tables.items():
            load(db, name, rows)
        found = [record(db, f"cellar-{i:02d}", "cellar", pair) for i, pair in enumerate(told)]
    for name, half in (("cellar", found[:_KEPT_FROM]), ("cellar_kept", found[_KEPT_FROM:])):
        written_ = "".join(json.dumps(p, ensure_ascii=False) + "\n" for p in half)
        (out / f"{name}.jsonl").write_text(written_, encoding="utf-8")
    return {"cellar": _KEPT_FROM, "cellar_kept": len(found) - _KEPT_FROM}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    for name, count in make(parser.parse_args().out).items():
        print(f"{name}: {count} pairs")


if __name__ == "__main__":
    main()
