"""Two small lakes of messy CSV, JSON and Parquet files, asked by somebody who knows roughly what is in there.

`python -m bench.messy_lakes --out FOLDER` writes FOLDER/<lake>/ and FOLDER/<lake>.jsonl for `rewright bench
lake --data FOLDER --pairs FOLDER/<lake>.jsonl`.

`depot`, a wholesaler, was worked on; `town`, a town's services, is kept aside: of it only totals are looked at.
Tables are drawn from a seed and kept clean in memory, where the answers come from (`strange/messy.txt`); the
files are what people make of them: another sign between fields, decimal commas, units, codes whose meaning is
in a table of another name, a file a year, a year a column, objects in objects, totals below.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
from pathlib import Path
from typing import Any

import duckdb

from bench.lake_pairs import record
from bench.strangers_handwritten import read

_PAIRS = Path(__file__).parent / "strange" / "messy.txt"
Rows = list[dict[str, Any]]

COUNTRIES = {
    "DE": "Germany", "FR": "France", "NL": "Netherlands", "PL": "Poland", "IT": "Italy", "ES": "Spain",
    "SE": "Sweden", "AT": "Austria",
}  # fmt: skip
CATEGORIES = {"FST": "Fasteners", "PNT": "Paint", "TLS": "Hand tools", "PWR": "Power tools", "GRD": "Garden"}
REASONS = {1: "Damaged in transit", 2: "Wrong item", 3: "No longer needed", 4: "Arrived late"}
CHANNELS = {"W": "web", "P": "phone", "S": "shop"}
SITES = {"A1": "Bremen", "A2": "Leipzig", "B1": "Lyon", "B2": "Gdansk"}


def euro(value: float) -> str:
    """`1.234,50 EUR`."""
    return f"{value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".") + " EUR"


def day(draw: random.Random, year: int) -> dt.date:
    return dt.date(year, 1, 1) + dt.timedelta(days=draw.randrange(365))


def depot(draw: random.Random) -> dict[str, Rows]:
    """A wholesaler: accounts, orders, products, stock, returns, staff."""
    words = ("Nord", "Alpen", "Delta", "Kraft", "Linde", "Vega", "Monte", "Brio", "Tarn", "Ostsee")
    ends = ("Bau", "Handel", "Service", "Holz", "Technik")
    accounts = [
        {
            "id": 4000 + i,
            "name": f"{draw.choice(words)} {draw.choice(ends)} {i}",
            "country": draw.choice(list(COUNTRIES)),
            "segment": draw.choice(("retail", "trade", "public")),
            "since": day(draw, draw.randrange(2008, 2023)),
            "credit": draw.randrange(20, 400) * 250.0,
        }
        for i in range(60)
    ]
    things = ("Bolt", "Varnish", "Hammer", "Drill", "Rake", "Screw", "Primer", "Pliers", "Sander", "Hose")
    products = [
        {
            "sku": f"P-{100 + i}",
            "title": f"{things[i % 10]} {draw.choice('XYZ')}{i}",
            "category": list(CATEGORIES)[(0, 1, 2, 3, 4)[i % 5]],
            "weight": round(draw.uniform(0.1, 18), 1),
            "price": round(draw.uniform(2, 190), 2),
        }
        for i in range(40)
    ]
    suppliers = [
        {"sku": p["sku"], "supplier": f"SUP{draw.randrange(1, 8):02}", "lead_days": draw.randrange(2, 45)}
        for p in products
        for _ in range(draw.randrange(1, 3))
    ]
    orders = [
        {
            "ref": f"{year}-{i:04}",
            "account": draw.choice(accounts)["id"],
            "placed": day(draw, year),
            "channel": draw.choice(list(CHANNELS)),
            "status": draw.choice(("open", "shipped", "shipped", "shipped", "cancelled")),
        }
        for year in (2023, 2024)
        for i in range(180)
    ]
    items = [
        {"ref": o["ref"], "sku": p["sku"], "quantity": draw.randrange(1, 30), "price": p["price"]}
        for o in orders
        for p in draw.sample(products, draw.randrange(1, 4))
    ]
    stock = [
        {"sku": p["sku"], "site": s, "on_hand": draw.randrange(0, 500)}
        for p in products
        for s in SITES
        if draw.random() < 0.6
    ]
    returned = [
        {"ref": i["ref"], "sku": i["sku"], "reason": draw.choice(list(REASONS)), "when": day(draw, 2024)}
        for i in draw.sample(items, 70)
    ]
    first = ("Anna", "Piotr", "Luc", "Greta", "Otto", "Ines", "Karl", "Mira")
    last = ("Sommer", "Nowak", "Martin", "Berg", "Rossi", "Lang", "Weber")
    staff = [
        {
            "id": 10 + i,
            "name": f"{draw.choice(first)} {draw.choice(last)}{i}",
            "site": draw.choice(list(SITES)),
            "job": draw.choice(("driver", "picker", "clerk", "manager")),
            "salary": draw.randrange(28, 90) * 1000,
        }
        for i in range(45)
    ]
    budget = [
        {"site": s, "year": y, "budget": draw.randrange(100, 900) * 1000}
        for s in SITES
        for y in range(2021, 2025)
    ]
    return {
        "accounts": accounts, "products": products, "suppliers": suppliers, "orders": orders, "items": items,
        "stock": stock, "returned": returned, "staff": staff, "budget": budget,
        "countries": [{"code": c, "name": n} for c, n in COUNTRIES.items()],
        "categories": [{"code": c, "name": n} for c, n in CATEGORIES.items()],
        "reasons": [{"code": c, "name": n} for c, n in REASONS.items()],
        "sites": [{"code": c, "city": n, "area": 1000 + 700 * i} for i, (c, n) in enumerate(SITES.items())],
    }  # fmt: skip


def write_depot(tables: dict[str, Rows], folder: Path) -> None:
    write(folder / "crm" / "accounts.csv", [
        {"acct_no": a["id"], "acct_name": a["name"], "ctry": a["country"], "seg": a["segment"],
         "since": f"{a['since']:%d.%m.%Y}", "credit_lim": euro(a["credit"])}
        for a in tables["accounts"]
    ], ";")  # fmt: skip
    write(folder / "iso_list.csv", [{"alpha2": c["code"], "label": c["name"]} for c in tables["countries"]])
    write(folder / "prod_cat.csv", [{"cat": c["code"], "descr": c["name"]} for c in tables["categories"]])
    write(folder / "return_codes.csv", [{"cd": c["code"], "txt": c["name"]} for c in tables["reasons"]], "\t")
    for year in (2023, 2024):
        form = "%Y-%m-%d" if year == 2023 else "%d/%m/%Y"
        write(folder / "orders" / f"{year}.csv", [
            {"order_ref": o["ref"], "acct_no": o["account"], "placed_on": f"{o['placed']:{form}}",
             "chan": CHANNELS[o["channel"]], "state": o["status"]}
            for o in tables["orders"] if o["placed"].year == year
        ])  # fmt: skip
    parquet(folder / "order_lines.parquet", [
        {"order_ref": i["ref"], "sku": i["sku"], "qty": i["quantity"], "unit_pr": i["price"]}
        for i in tables["items"]
    ])  # fmt: skip
    (folder / "catalog.json").write_text(json.dumps([
        {"sku": p["sku"], "title": p["title"], "details": {"cat": p["category"], "weight": f"{p['weight']} kg"},
         "list_price": p["price"],
         "sources": [{"supplier": s["supplier"], "lead_days": s["lead_days"]}
                     for s in tables["suppliers"] if s["sku"] == p["sku"]]}
        for p in tables["products"]
    ]))  # fmt: skip
    rows = [{"sku": s["sku"], "wh": s["site"], "on_hand": s["on_hand"]} for s in tables["stock"]]
    rows.append({"sku": "Total", "wh": "", "on_hand": sum(s["on_hand"] for s in tables["stock"])})
    write(folder / "stock_count.csv", rows)
    write(folder / "warehouses.csv", [
        {"wh": s["code"], "town": s["city"], "area": f"{s['area']:,} m2"} for s in tables["sites"]
    ], ";")  # fmt: skip
    write(folder / "rma_2024.csv", [
        {"order_ref": r["ref"], "sku": r["sku"], "rsn": r["reason"], "received": f"{r['when']:%b %d, %Y}"}
        for r in tables["returned"]
    ], ";")  # fmt: skip
    write(folder / "personnel.csv", [
        {"pers_no": s["id"], "full_name": s["name"], "wh": s["site"], "function": s["job"],
         "gross_pay": f"${s['salary']:,}"}
        for s in tables["staff"]
    ], ";")  # fmt: skip
    write(folder / "budget_by_site.csv", [
        {"wh": s, **{str(b["year"]): b["budget"] for b in tables["budget"] if b["site"] == s}} for s in SITES
    ])  # fmt: skip


DISTRICTS = {"NO": "Northgate", "SO": "Southbank", "HA": "Harbour", "OL": "Old Town", "WE": "Westfield"}
OFFENCES = {"BUR": "Burglary", "THF": "Theft", "VAN": "Vandalism", "NOI": "Noise complaint"}
SPECIES = {"TIL": "Lime", "ACE": "Maple", "QUE": "Oak", "BET": "Birch", "PLA": "Plane"}


def town(draw: random.Random) -> dict[str, Rows]:
    """A town's services: schools, pupils, teachers, incidents, libraries, trees, permits, buses."""
    schools = [
        {
            "id": f"S{i:02}",
            "name": f"{draw.choice(('Hill', 'River', 'Park', 'Mill', 'Abbey'))} School {i}",
            "district": draw.choice(list(DISTRICTS)),
            "kind": draw.choice(("primary", "secondary")),
            "opened": draw.randrange(1890, 2015),
        }
        for i in range(24)
    ]
    pupils = [
        {"school": s["id"], "year": y, "pupils": draw.randrange(90, 900)}
        for s in schools
        for y in range(2020, 2025)
    ]
    subjects = ("Maths", "Physics", "History", "Music", "English")
    teachers = [
        {
            "id": i,
            "name": f"{draw.choice(('Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn'))} T{i}",
            "school": draw.choice(schools)["id"],
            "subject": draw.choice(subjects),
            "hired": day(draw, draw.randrange(1995, 2024)),
        }
        for i in range(110)
    ]
    incidents = [
        {
            "id": f"{year}/{i}",
            "day": day(draw, year),
            "kind": draw.choice(list(OFFENCES)),
            "district": draw.choice(list(DISTRICTS)),
            "damage": round(draw.uniform(20, 9000), 2),
        }
        for year in (2022, 2023, 2024)
        for i in range(150)
    ]
    branches = [
        {"id": i, "name": n, "district": d, "seats": 20 + 15 * i}
        for i, (n, d) in enumerate((("Central", "OL"), ("Quay", "HA"), ("Meadow", "WE"), ("Mill", "NO")), 1)
    ]
    loans = [
        {"branch": draw.choice(branches)["id"], "day": day(draw, 2024), "items": draw.randrange(1, 9), "member": draw.randrange(500)}
        for _ in range(900)
    ]  # fmt: skip
    trees = [
        {
            "id": i,
            "species": draw.choice(list(SPECIES)),
            "district": draw.choice(list(DISTRICTS)),
            "planted": draw.randrange(1930, 2020),
            "height": round(draw.uniform(2, 31), 1),
        }
        for i in range(400)
    ]
    permits = [
        {
            "id": 9000 + i,
            "applicant": f"{draw.choice(('Stone', 'Bright', 'Acorn', 'Keel'))} {draw.choice(('Ltd', 'Homes', 'Works'))}",
            "kind": draw.choice(("company", "private")),
            "purpose": draw.choice(("extension", "new build", "demolition")),
            "fee": draw.randrange(8, 300) * 12.5,
            "granted": draw.random() < 0.7,
            "district": draw.choice(list(DISTRICTS)),
        }
        for i in range(160)
    ]
    stops = [
        {"id": f"BS{i}", "name": f"Stop {i}", "district": draw.choice(list(DISTRICTS))} for i in range(30)
    ]
    lines = [
        {"id": n, "name": f"Line {n}", "operator": draw.choice(("CityBus", "Tramways"))} for n in range(1, 9)
    ]
    calls = [
        {"line": b["id"], "stop": s["id"], "position": k}
        for b in lines
        for k, s in enumerate(draw.sample(stops, 7), 1)
    ]
    return {
        "schools": schools, "pupils": pupils, "teachers": teachers, "incidents": incidents, "branches": branches,
        "loans": loans, "trees": trees, "permits": permits, "stops": stops, "lines": lines, "calls": calls,
        "districts": [{"code": c, "name": n, "residents": 4000 + 1310 * i} for i, (c, n) in enumerate(DISTRICTS.items())],
        "offences": [{"code": c, "name": n} for c, n in OFFENCES.items()],
        "species": [{"code": c, "name": n} for c, n in SPECIES.items()],
    }  # fmt: skip


def write_town(tables: dict[str, Rows], folder: Path) -> None:
    write(folder / "schools.csv", [
        {"sch": s["id"], "sch_name": s["name"], "dist": s["district"], "level": s["kind"], "est": s["opened"]}
        for s in tables["schools"]
    ], ";")  # fmt: skip
    write(folder / "rolls.csv", [
        {"sch": s["id"], **{f"y{p['year']}": p["pupils"] for p in tables["pupils"] if p["school"] == s["id"]}}
        for s in tables["schools"]
    ])  # fmt: skip
    (folder / "faculty.json").write_text("\n".join(json.dumps(
        {"no": t["id"], "name": t["name"], "post": {"sch": t["school"], "subject": t["subject"]},
         "start": f"{t['hired']:%d.%m.%Y}"}) for t in tables["teachers"]))  # fmt: skip
    write(folder / "quarters.csv", [
        {"code": d["code"], "title": d["name"], "pop": f"{d['residents']:,}"} for d in tables["districts"]
    ], ";")  # fmt: skip
    write(folder / "inc_types.csv", [{"typ": c["code"], "meaning": c["name"]} for c in tables["offences"]])
    for year in (2022, 2023, 2024):
        write(folder / f"police_log_{year}.csv", [
            {"case_no": i["id"], "dt": f"{i['day']:%m/%d/%Y}", "typ": i["kind"], "dist": i["district"],
             "loss": f"£{i['damage']:,.2f}"}
            for i in tables["incidents"] if i["day"].year == year
        ])  # fmt: skip
    write(folder / "library_branches.csv", [
        {"br": b["id"], "br_name": b["name"], "dist": b["district"], "seating": f"{b['seats']} seats"}
        for b in tables["branches"]
    ])  # fmt: skip
    parquet(folder / "checkouts.parquet", [
        {"br": b["branch"], "on_day": b["day"], "n_items": b["items"], "card": b["member"]} for b in tables["loans"]
    ])  # fmt: skip
    write(folder / "tree_register.csv", [
        {"tree_no": t["id"], "sp": t["species"], "dist": t["district"], "planted": t["planted"],
         "ht": f"{t['height']} m".replace(".", ",")}
        for t in tables["trees"]
    ], ";")  # fmt: skip
    write(folder / "sp_key.csv", [{"sp": c["code"], "common": c["name"]} for c in tables["species"]])
    (folder / "permits.json").write_text(json.dumps([
        {"permit": p["id"], "applicant": {"name": p["applicant"], "type": p["kind"]}, "works": p["purpose"],
         "fee": f"£ {p['fee']:.2f}", "granted": "yes" if p["granted"] else "no", "dist": p["district"]}
        for p in tables["permits"]
    ]))  # fmt: skip
    write(folder / "bus_stops.csv", [
        {"stop": s["id"], "stop_name": s["name"], "dist": s["district"]} for s in tables["stops"]
    ])  # fmt: skip
    write(folder / "bus_lines.csv", [
        {"line": b["id"], "line_name": b["name"], "run_by": b["operator"]} for b in tables["lines"]
    ])  # fmt: skip
    parquet(folder / "timetable.parquet", [
        {"line": c["line"], "stop": c["stop"], "seq": c["position"]} for c in tables["calls"]
    ])  # fmt: skip


def write(file: Path, rows: Rows, between: str = ",") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [list(rows[0]), *[list(row.values()) for row in rows]]

    def field(value: Any) -> str:
        text = "" if value is None else str(value)
        return f'"{text}"' if between in text else text

    file.write_text("".join(between.join(map(field, line)) + "\n" for line in lines), encoding="utf-8")


def parquet(file: Path, rows: Rows) -> None:
    with duckdb.connect() as db:
        load(db, "t", rows)
        db.execute(f"COPY t TO '{file}' (FORMAT parquet)")


def load(db: duckdb.DuckDBPyConnection, name: str, rows: Rows) -> None:
    types = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN", dt.date: "DATE"}
    columns = ", ".join(f'"{c}" {types[type(v)]}' for c, v in rows[0].items())
    db.execute(f'CREATE TABLE "{name}" ({columns})')
    db.executemany(
        f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(rows[0]))})', [list(r.values()) for r in rows]
    )


LAKES = {"depot": (depot, write_depot, 1), "town": (town, write_town, 2)}


def make(out: Path, name: str) -> int:
    """Write one lake and its pairs; returns how many pairs."""
    drawn, written, seed = LAKES[name]
    tables = drawn(random.Random(seed))
    (out / name).mkdir(parents=True, exist_ok=True)
    written(tables, out / name)
    told = next(lake for lake in read(_PAIRS.read_text()) if lake.name == name)
    with duckdb.connect() as db:
        for table, rows in tables.items():
            load(db, table, rows)
        lines = [record(db, f"{name}-{i:02d}", name, pair) for i, pair in enumerate(told.pairs)]
    (out / f"{name}.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    return len(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lake", action="append", choices=LAKES, help="this lake alone")
    args = parser.parse_args()
    for name in args.lake or LAKES:
        print(f"{name}: {make(args.out, name)} pairs")


if __name__ == "__main__":
    main()
