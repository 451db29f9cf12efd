"""Three small lakes in the manner of strangers, and queries over schemas that they do not have, with their
answers.

`python -m bench.strange_lakes --out DIR` writes the tables below DIR and `dev_pairs.jsonl` beside them, for
`lake_bench --data DIR` and `lake_confidence --labelled DIR`. German and Spanish names; camelCase, codes with
lookup tables, units in names, dates in three columns, wide months; lookalike tables, two references to one
table, uneven spellings, parts to be united. The values are drawn at random from a seed; the queries
(`strange/pairs.jsonl`) were written by hand, with the real SQL that answers them.

With `--further FOLDER` instead: the lake of 82 real tables (`lakeB`), and further pairs over it
(`strange/further.jsonl`).
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import itertools
import json
import random
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rewright.lake.api import open_lake
from rewright.lake.batch import plain
from rewright.lake.embedding import best_embedder

_PAIRS = Path(__file__).parent / "strange" / "pairs.jsonl"
_FURTHER = Path(__file__).parent / "strange" / "further.jsonl"


class _Writer:
    """Writes CSV files of one lake, with values drawn from one generator."""

    def __init__(self, folder: Path, seed: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.rng = random.Random(seed)

    def table(self, name: str, header: str, rows: Iterable[Sequence[Any]]) -> None:
        with (self._folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header.split(), *rows])

    def day(self, first: int, last: int) -> dt.date:
        return dt.date(first, 1, 1) + dt.timedelta(self.rng.randrange((last - first) * 365))


def shop_de_es(folder: Path, seed: int = 7) -> None:
    """A German shop, a Spanish company, its sales by year, and weather by day, month and year."""
    w = _Writer(folder, seed)
    r = w.rng
    surnames = [
        "Müller",
        "Schmidt",
        "Schneider",
        "Fischer",
        "Weber",
        "Meyer",
        "Wagner",
        "Becker",
        "Schulz",
        "Hoffmann",
        "Koch",
        "Richter",
        "Klein",
    ]
    given = ["Anna", "Lukas", "Marie", "Paul", "Sophie", "Leon", "Emma", "Jonas", "Laura", "Felix"]
    towns = ["Hamburg", "Berlin", "München", "Köln", "Leipzig", "Stuttgart", "Bremen", "Dresden"]
    people = [
        (10001 + i, r.choice(surnames), r.choice(given), f"{r.randrange(10000, 99999)}", r.choice(towns), f"{w.day(1950, 2004):%d.%m.%Y}")
        for i in range(90)
    ]  # fmt: skip
    w.table("kunden", "KdNr Nachname Vorname PLZ Ort Geburtsdatum", people)
    groups = ["Werkzeug", "Farben und Lacke", "Gartenbedarf", "Elektro", "Sanitär"]
    w.table("warengruppen", "Nr Bezeichnung", [(i + 1, g) for i, g in enumerate(groups)])
    things = [
        "Hammer",
        "Säge",
        "Bohrer",
        "Pinsel",
        "Wandfarbe",
        "Lack",
        "Schaufel",
        "Rechen",
        "Kabel",
        "Lampe",
        "Steckdose",
        "Dichtung",
        "Schlauch",
        "Zange",
    ]
    articles = [
        (500 + i, f"{thing} {size}", r.randint(1, 5), round(r.uniform(0.1, 12), 2), r.randint(0, 400))
        for i, (thing, size) in enumerate(itertools.product(things, ("klein", "groß", "Profi")))
    ]
    w.table("artikel", "ArtNr Bezeichnung WarengruppenNr Gewicht_kg Lagerbestand", articles)
    states = ["offen", "geliefert", "geliefert", "storniert"]
    orders = [
        (70000 + i, r.choice(people)[0], f"{w.day(2021, 2024):%d.%m.%Y}", r.choice(states), r.choice(["Rechnung", "Kreditkarte", "PayPal"]))
        for i in range(260)
    ]  # fmt: skip
    w.table("bestellungen", "BestNr KdNr Bestelldatum Status Zahlungsart", orders)
    w.table(
        "bestellpositionen",
        "BestNr PosNr ArtNr Menge Einzelpreis",
        [
            (order[0], line + 1, r.choice(articles)[0], r.randint(1, 20), f"{r.uniform(1, 90):.2f}".replace(".", ","))
            for order in orders for line in range(r.randint(1, 4))
        ],
    )  # fmt: skip
    departments = ["Ventas", "Contabilidad", "Logística", "Recursos Humanos", "Informática"]
    cities = ["Madrid", "Sevilla", "Valencia", "Madrid", "Bilbao"]
    w.table(
        "departamentos",
        "id_departamento nombre ciudad",
        [(i + 1, d, c) for i, (d, c) in enumerate(zip(departments, cities, strict=True))],
    )
    first, last = (
        ["María", "José", "Lucía", "Carlos", "Elena", "Pablo"],
        ["García", "López", "Martínez", "Sánchez", "Pérez"],
    )
    jobs = ["vendedor", "contable", "analista", "jefe", "técnico"]
    w.table(
        "empleados",
        "id_empleado nombre apellido puesto salario_anual fecha_contratacion id_departamento",
        [
            (i + 1, r.choice(first), r.choice(last), r.choice(jobs), r.randrange(18000, 62000, 500), w.day(2005, 2023), r.randint(1, 5))
            for i in range(70)
        ],
    )  # fmt: skip
    goods = ["camisa", "pantalón", "zapatos", "abrigo", "bufanda"]
    for year in (2021, 2022, 2023):
        sold = [
            (w.day(year, year + 1), r.choice(["Centro", "Norte", "Sur", "Puerto"]), r.choice(goods), r.randint(1, 9), round(r.uniform(10, 400), 2))
            for _ in range(60)
        ]  # fmt: skip
        w.table(f"ventas_{year}", "fecha tienda producto unidades importe", sold)
    stations = [
        "Burgos Aeropuerto",
        "Cádiz Puerto",
        "Girona Centro",
        "Huesca Norte",
        "Lugo Este",
        "Murcia Sur",
    ]
    w.table(
        "estaciones",
        "cod_estacion nombre_estacion provincia altitud_m",
        [(f"EST{i:02d}", name, name.split()[0], r.randrange(5, 1400)) for i, name in enumerate(stations)],
    )
    w.table(
        "clima_diario",
        "cod_estacion dia mes anio temp_max temp_min lluvia_mm",
        [
            (f"EST{s:02d}", day, month, year, round(r.uniform(12, 38), 1), round(r.uniform(-5, 15), 1), round(max(0, r.gauss(1, 4)), 1))
            for s, year, month, day in itertools.product(range(6), (2022, 2023), range(1, 13), (5, 20))
        ],
    )  # fmt: skip
    firms = ["Textil", "Moda", "Hilos", "Tejidos", "Cueros", "Lanas", "Algodonera", "Botones"]
    w.table(
        "proveedores",
        "codigo razon_social pais telefono",
        [
            (f"P{i:03d}", f"{f} S.A.", ["ESP", "FRA", "PRT", "ITA"][i % 4], f"9{r.randrange(10**7, 10**8)}")
            for i, f in enumerate(firms)
        ],
    )


def fleet_camel(folder: Path, seed: int = 8) -> None:
    """Vehicles, trips, sensors, budgets: camelCase, shortened words, codes with lookup tables, units in
    names.
    """
    w = _Writer(folder, seed)
    r = w.rng
    regions = [("NE", "North East"), ("NW", "North West"), ("SO", "South")]
    w.table("regionLkp", "regionCd regionDesc", regions)
    named = [
        "Harbor Plant",
        "Mill Creek",
        "Old Quarry",
        "Airport Depot",
        "River Works",
        "Hill Station",
        "Main Yard",
    ]
    sites = [(f"S{i:02d}", name, regions[i % 3][0]) for i, name in enumerate(named)]
    w.table("siteLkp", "siteCd siteDesc regionCd", sites)
    sensors = [
        (
            900 + i,
            r.choice(sites)[0],
            w.day(2015, 2022),
            r.choice(["TX-100", "TX-200", "HY-9"]),
            r.choice("YYN"),
        )
        for i in range(40)
    ]
    w.table("sensorMaster", "sensorId siteCd installDt modelNo activeFlg", sensors)
    w.table(
        "sensorReadings",
        "sensorId yr mo dy tempF humidityPct battMv",
        [
            (r.choice(sensors)[0], r.choice([2021, 2022]), r.randint(1, 12), r.randint(1, 28), round(r.uniform(10, 104), 1), round(r.uniform(20, 95), 1), r.randrange(2900, 3700))
            for _ in range(600)
        ],
    )  # fmt: skip
    fuels = [("D", "Diesel"), ("G", "Gasoline"), ("E", "Electric"), ("H", "Hybrid")]
    w.table("fuelTypLkp", "cd dsc", fuels)
    makes = [("Ford", "Transit"), ("Ford", "F150"), ("Toyota", "Hilux"), ("Tesla", "Semi"), ("Volvo", "FH16"), ("Iveco", "Daily")]  # fmt: skip
    vehicles = [
        (f"VIN{r.randrange(10**6, 10**7)}", make, model, r.randint(2010, 2023), r.randrange(500, 240000), r.choice(fuels)[0], r.choice(sites)[0])
        for make, model in makes for _ in range(8)
    ]  # fmt: skip
    w.table("fleetVehicles", "vin makeNm mdlNm mdlYr odoKm fuelTyp homeSiteCd", vehicles)
    first, last = (
        ["Amy", "Bo", "Cal", "Dee", "Eli", "Fay", "Gus", "Hal"],
        ["Stone", "Reyes", "Olsen", "Park", "Quinn", "Ward"],
    )
    drivers = [(300 + i, r.choice(first), r.choice(last), w.day(2023, 2029)) for i in range(25)]
    w.table("driverRoster", "driverId fstNm lstNm licExpDt", drivers)
    w.table(
        "tripLog",
        "tripId vin driverId startTs distKm avgSpdKmh tripPurp",
        [
            (i + 1, r.choice(vehicles)[0], r.choice(drivers)[0], f"{w.day(2022, 2024)} {r.randint(0, 23):02d}:15:00", round(r.uniform(2, 520), 1), round(r.uniform(18, 98), 1), r.choice(["DLV", "SVC", "PRS"]))
            for i in range(400)
        ],
    )  # fmt: skip
    months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    w.table(
        "energyUseWide",
        " ".join(["siteCd", "yr", *(f"{m}Kwh" for m in months)]),
        [(s[0], y, *(r.randrange(2000, 90000) for _ in months)) for s in sites for y in (2021, 2022, 2023)],
    )
    departments = [
        ("FIN", "Finance"),
        ("OPS", "Operations"),
        ("HRS", "Human Resources"),
        ("ITS", "IT Services"),
    ]
    staff = [
        (4000 + i, f"{r.choice(last)}, {r.choice(first)}", w.day(2001, 2023), r.choice(departments)[0], r.randint(1, 9))
        for i in range(60)
    ]  # fmt: skip
    w.table("staffMaster", "empNo empFullNm hireDt deptCd payGrd", staff)
    heads = r.sample(staff, len(departments))
    w.table(
        "deptLkp",
        "deptCd deptNm mgrEmpNo",
        [(*d, head[0]) for d, head in zip(departments, heads, strict=True)],
    )
    w.table(
        "budgetFact",
        "deptCd fiscalYr acctCat amtUsd",
        [
            (d[0], year, kind, r.randrange(1000, 99000))
            for d in departments
            for year in (2021, 2022, 2023)
            for kind in ("TRAVEL", "SALARY", "SUPPLIES", "TRAINING")
        ],
    )
    for quarter in (1, 2, 3):
        w.table(
            f"incidents_q{quarter}",
            "incidentNo vin sevCd occurDt repairCost",
            [
                (quarter * 1000 + i, r.choice(vehicles)[0], r.choice(["1-LOW", "2-MED", "3-HIGH"]), dt.date(2023, 3 * quarter - r.randint(0, 2), r.randint(1, 28)), f"${r.uniform(50, 9800):,.2f}")
                for i in range(45)
            ],
        )  # fmt: skip


def clubs_clinic(folder: Path, seed: int = 9) -> None:
    """Football with double references, prescriptions with uneven spellings, orders in two parts."""
    w = _Writer(folder, seed)
    r = w.rng
    countries = [
        ("ENG", "England"),
        ("ESP", "Spain"),
        ("ITA", "Italy"),
        ("GER", "Germany"),
        ("FRA", "France"),
    ]
    w.table("fb_countries", "iso country_name", countries)
    named = ["Northport FC", "Real Sierra", "Milano Calcio", "Rhein 04", "Olympique Sud", "Kingsway United", "Atletico Mar", "Torino Nord"]  # fmt: skip
    homes = ["ENG", "ESP", "ITA", "GER", "FRA", "ENG", "ESP", "ITA"]
    clubs = [(i + 1, n, c, r.randrange(20, 60) * 1000) for i, (n, c) in enumerate(zip(named, homes, strict=True))]  # fmt: skip
    w.table("fb_clubs", "club_id club ctry stadium_cap", clubs)
    last = ["Silva", "Costa", "Moreau", "Klein", "Rossi", "Hughes", "Walker", "Santos", "Ibarra", "Lange"]
    players = [
        (100 + i, f"{r.choice('ABCDJMRT')}. {r.choice(last)}", r.choice(clubs)[0], r.choice(["GK", "DF", "MF", "FW"]), r.choice(countries)[0], w.day(1986, 2005), f"1.{r.randint(70, 99)}")
        for i in range(110)
    ]  # fmt: skip
    w.table("fb_players", "pid pname club_id pos nat dob ht_m", players)
    w.table(
        "fb_matches",
        "mid dt home_club away_club hg ag att",
        [
            (i + 1, w.day(2021, 2024), a[0], b[0], r.randint(0, 4), r.randint(0, 3), r.randrange(8000, 60000))
            for i, (a, b) in enumerate(itertools.permutations(clubs, 2))
        ],
    )
    w.table(
        "fb_goals",
        "mid pid minute type",
        [
            (r.randint(1, 56), r.choice(players)[0], r.randint(1, 93), r.choice(["open play", "penalty", "free kick"]))
            for _ in range(190)
        ],
    )  # fmt: skip
    w.table(
        "fb_transfers",
        "pid from_club to_club season fee_eur_m",
        [
            (r.choice(players)[0], a[0], b[0], r.choice(["2021/22", "2022/23", "2023/24"]), round(r.uniform(0, 80), 1))
            for a, b in (r.sample(clubs, 2) for _ in range(60))
        ],
    )  # fmt: skip
    drugs = [("A10BA02", "metformin", "diabetes"), ("C10AA01", "simvastatin", "cholesterol"), ("N02BE01", "paracetamol", "pain"), ("R03AC02", "salbutamol", "asthma")]  # fmt: skip
    w.table("rx_drug", "atc substance indication", drugs)
    sexes = ["F", "M", "f", "Male", "FEMALE", " m "]
    smokes = ["smoker", "non-smoker", "Non Smoker", "ex-smoker", "SMOKER"]
    patients = [
        (f"PT{1000 + i}", r.choice(sexes), r.randint(1931, 2010), r.choice(smokes), r.choice(["Leeds", "York", "Hull", "leeds", "YORK"]))
        for i in range(80)
    ]  # fmt: skip
    w.table("rx_patients", "pt_no sex yob smoke_stat town", patients)
    w.table(
        "rx_prescriptions",
        "rx_no pt_no atc qty issued gp_code",
        [
            (i + 1, r.choice(patients)[0], r.choice(drugs)[0], r.randrange(14, 112, 14), f"{w.day(2020, 2024):%d/%m/%Y}", r.choice(["G01", "G02", "G03"]))
            for i in range(300)
        ],
    )  # fmt: skip
    doctors = [("G01", "Dr Adams", "Mill Lane"), ("G02", "Dr Bose", "High Street"), ("G03", "Dr Clark", "Abbey Road")]  # fmt: skip
    w.table("rx_gp", "gp_code gp_name practice", doctors)
    paid = ["Paid", "paid", "PAID", "pending", "Pending", "refunded"]
    for name, year in (("orders_archive", 2021), ("orders_current", 2023)):
        w.table(
            name,
            "order_ref placed_on cust_email channel total_gbp pay_status",
            [
                (f"{name[7].upper()}{i:04d}", w.day(year, year + 1), f"{r.choice(['ann', 'bob', 'cy', 'di', 'ed'])}@{r.choice(['mail.com', 'post.org'])}", r.choice(["web", "shop", "phone"]), f"{r.uniform(5, 2500):,.2f}", r.choice(paid))
                for i in range(120)
            ],
        )  # fmt: skip
    reasons = ["damaged", "wrong size", "late", "changed strategy"]
    w.table(
        "returns_log",
        "order_ref reason refund_amt",
        [(f"{part}{r.randrange(120):04d}", r.choice(reasons), round(r.uniform(5, 200), 2)) for part in "AC" for _ in range(30)],
    )  # fmt: skip
    who = [("ann", "Bell"), ("bob", "Cole"), ("cy", "Dunn"), ("di", "Ezra"), ("ed", "Fox")]
    w.table(
        "cust_master",
        "email full_name signup tier",
        [
            (f"{n}@{d}", f"{n.title()} {s}", w.day(2018, 2021), r.choice(["gold", "silver", "bronze"]))
            for n, s in who
            for d in ("mail.com", "post.org")
        ],
    )
    titles = itertools.product(("How to", "Best of", "Inside", "Learn"), ("Baking", "Guitar", "Chess", "Rust", "Yoga", "Cycling"))  # fmt: skip
    w.table(
        "yt_videos",
        "vid title lang secs views_k likes_k",
        [(f"v{i}", f"{a} {b}", r.choice(["en", "de", "fr"]), r.randint(30, 3600), r.randrange(1, 9000), r.randrange(1, 400)) for i, (a, b) in enumerate(titles)],
    )  # fmt: skip


LAKES = {"shop_de_es": shop_de_es, "fleet_camel": fleet_camel, "clubs_clinic": clubs_clinic}


def make(out: Path, distractors: Path | None) -> int:
    """Write lakes and pairs; returns how many pairs. `distractors`: a folder of tables to hide the lakes' own
    among.
    """
    others = sorted(distractors.glob("*.csv")) if distractors is not None else []
    for i, (name, build) in enumerate(LAKES.items()):
        build(out / name)
        for file in others[i :: len(LAKES)]:
            if not (out / name / file.name).exists():
                shutil.copy(file, out / name / file.name)
    pairs = [json.loads(line) for line in _PAIRS.read_text(encoding="utf-8").splitlines()]
    with (out / "dev_pairs.jsonl").open("w", encoding="utf-8") as answered:
        for pair in pairs:
            answered.write(json.dumps(_answered(out, pair), ensure_ascii=False) + "\n")
    return len(pairs)


def further(out: Path, folder: Path) -> int:
    """Copy a lake and write the further pairs over it; returns how many pairs."""
    pairs = [json.loads(line) for line in _FURTHER.read_text(encoding="utf-8").splitlines()]
    shutil.copytree(folder, out / pairs[0]["lake"], dirs_exist_ok=True)
    with (out / "dev_pairs.jsonl").open("w", encoding="utf-8") as answered:
        for pair in pairs:
            answered.write(json.dumps(_answered(out, pair), ensure_ascii=False) + "\n")
    return len(pairs)


def _answered(out: Path, pair: dict[str, Any]) -> dict[str, Any]:
    with open_lake(
        out / pair["lake"], catalog=out / f"{pair['lake']}.db", embedder=best_embedder(semantic=False)
    ) as lake:
        rows = lake.execute(pair["golden_query"])
        needed = [t.name for t in lake.tables() if t.name.lower() in pair["golden_query"].lower()]
    # no lake of these has noisy copies laid over it: the tag would ask for one
    tags = ["Noise in the table" if tag == "Noise" else tag for tag in pair["difficulty_tags"]]
    return {
        **pair,
        "difficulty": "medium",
        "difficulty_tags": tags,
        "required_tables": needed,
        "result_columns": list(rows.columns),
        "result_rows": [[plain(v) for v in row] for row in rows.rows],
        "ordered": "ORDER BY" in pair["user_query"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--distractors", type=Path, help="a folder of CSV tables to hide the lakes' own among"
    )
    parser.add_argument("--further", type=Path, help="the folder of lakeB: write the further pairs over it")
    args = parser.parse_args()
    made = further(args.out, args.further) if args.further else make(args.out, args.distractors)
    print(f"{made} pairs in {args.out / 'dev_pairs.jsonl'}")


if __name__ == "__main__":
    main()
