"""A small town's folder, of its offices' and a shop's exports, and questions by somebody who knows no name in it.

German, French, Dutch and English headers and abbreviations, units, totals, files by year and month, years and
months across, lists of codes, nested JSON. `write` gives the questions with their answers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Question = tuple[str, list[list[Any]]]
"""SQL by imagined names, and the rows that answer it, in any order."""

_PLACES = ("Altstadt", "Nordstadt", "Weststadt", "Hafen", "Lindenhof", "Bergheim", "Seefeld", "Auwiesen")
_DIAGNOSES = {
    "I10": "Essential hypertension",
    "J18": "Pneumonia",
    "E11": "Type 2 diabetes",
    "S72": "Fracture of femur",
    "N39": "Urinary tract infection",
}
_STATES = {"P": "pending", "S": "shipped", "C": "cancelled"}
_NURSES = (
    "Ada Mensah",
    "Bo Lind",
    "Cy Okafor",
    "Di Marsh",
    "Ed Quinn",
    "Flo Baptiste",
    "Gus Hale",
    "Hana Sato",
)
_GOODS = (
    ("Théière", "Cuisine"), ("Lampe", "Maison"), ("Carnet", "Papeterie"), ("Stylo", "Papeterie"), ("Bol", "Cuisine"),
    ("Coussin", "Maison"), ("Bougie", "Maison"), ("Agenda", "Papeterie"),
)  # fmt: skip


def write(folder: Path) -> list[Question]:
    """Write the files; the same each time."""
    rng = random.Random(77)
    parts = (_population, _dog_tax, _ward, _roster, _orders, _goods, _events, _waste, _loans)
    return [question for part in parts for question in part(folder, rng)]


def _german(number: float, digits: int = 2) -> str:
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def _file(folder: Path, name: str, lines: Iterable[str], encoding: str = "utf-8") -> None:
    (folder / name).write_text("\n".join(lines) + "\n", encoding=encoding)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _population(folder: Path, rng: random.Random) -> list[Question]:
    held = {
        (year, place): (rng.randint(900, 14000), rng.randint(8, 140) / 10)
        for year in (2021, 2022, 2023)
        for place in _PLACES
    }
    total = {year: sum(n for (y, _), (n, _) in held.items() if y == year) for year in (2021, 2022, 2023)}
    for year in total:
        rows = [f"{p};{_german(held[year, p][0], 0)};{_german(held[year, p][1], 1)} km²" for p in _PLACES]
        lines = ["Ortsteil;Einw_ges;Fläche", *rows, f"Summe;{_german(total[year], 0)};"]
        _file(folder, f"einwohner_{year}.csv", lines, "cp1252")
    many = [[p, held[2023, p][0]] for p in _PLACES if held[2023, p][0] > 5000]
    area = f"{_german(held[2021, 'Hafen'][1], 1)} km²"
    return [
        ("SELECT SUM(einwohner) FROM bevoelkerung WHERE jahr = 2022", [[total[2022]]]),
        ("SELECT ortsteil, einwohner FROM bevoelkerung WHERE jahr = 2023 AND einwohner > 5000", many),
        ("SELECT jahr, SUM(einwohner) FROM einwohner GROUP BY jahr", [[y, n] for y, n in total.items()]),
        ("SELECT flaeche FROM stadtteile WHERE stadtteil = 'Hafen' AND jahr = 2021", [[area]]),
    ]


def _dog_tax(folder: Path, rng: random.Random) -> list[Question]:
    years = range(2019, 2023)
    held = {(p, year): rng.randint(100_000, 3_000_000) / 100 for p in _PLACES[:6] for year in years}
    rows = [";".join([p, *(f"{_german(held[p, y])} €" for y in years)]) for p in _PLACES[:6]]
    _file(folder, "hundesteuer.csv", ["Stadtbezirk;2019;2020;2021;2022", *rows])
    by_year = [[y, sum(held[p, y] for p in _PLACES[:6])] for y in years]
    shown = [[p, f"{_german(held[p, 2020])} €"] for p in _PLACES[:6]]
    return [
        ("SELECT bezirk, betrag FROM hundesteuer WHERE jahr = 2020", shown),
        ("SELECT jahr, SUM(betrag) FROM hundesteuer GROUP BY jahr", by_year),
        (
            "SELECT SUM(revenue) FROM dog_tax WHERE district = 'Hafen'",
            [[sum(held["Hafen", y] for y in years)]],
        ),
    ]


def _ward(folder: Path, rng: random.Random) -> list[Question]:
    _file(folder, "dx_codes.csv", ["cd,descr", *(f"{k},{v}" for k, v in _DIAGNOSES.items())])
    held = []
    for i in range(60):
        day, stay = rng.randint(1, 18), rng.randint(1, 10)
        degrees, weight = rng.randint(358, 402) / 10, rng.randint(450, 1100) / 10
        held.append(
            (f"P{1000 + i}", day, stay, rng.choice(list(_DIAGNOSES)), degrees, weight, rng.choice("MF"))
        )
    rows = [
        f"{name},2024-03-{day:02},2024-03-{day + stay:02},{code},{degrees} °C,{weight} kg,{sex},{stay}"
        for name, day, stay, code, degrees, weight, sex in held
    ]
    _file(folder, "ward_obs.csv", ["pt_id,adm_dt,dis_dt,dx_cd,temp,wgt,sex_cd,los_d", *rows])
    of = {code: [one for one in held if one[3] == code] for code in _DIAGNOSES}
    women = [one[5] for one in held if one[6] == "F"]
    joined = (
        "SELECT d.description, COUNT(*) FROM admissions a JOIN diagnoses d ON a.diagnosis_code = d.code "
        "GROUP BY d.description"
    )
    stays = _mean([one[2] for one in of["E11"]])
    return [
        ("SELECT COUNT(*) FROM patients WHERE diagnosis = 'Pneumonia'", [[len(of["J18"])]]),
        ("SELECT AVG(weight) FROM patients WHERE sex = 'F'", [[_mean(women)]]),
        ("SELECT ROUND(AVG(weight), 1) FROM patients WHERE sex = 'F'", [[round(_mean(women), 1)]]),
        ("SELECT patient_id FROM admissions WHERE temperature > 39.5", [[p[0]] for p in held if p[4] > 39.5]),
        (joined, [[_DIAGNOSES[code], len(found)] for code, found in of.items()]),
        ("SELECT AVG(length_of_stay) FROM patients WHERE diagnosis_code = 'E11'", [[stays]]),
        ("SELECT COUNT(*) FROM patients WHERE gender = 'female'", [[len(women)]]),
        (
            "SELECT discharge_date FROM patients WHERE patient_id = 'P1007'",
            [[f"2024-03-{sum(held[7][1:3]):02}"]],
        ),
    ]


def _roster(folder: Path, rng: random.Random) -> list[Question]:
    units = ("ICU", "Surgery", "Maternity")
    held = [(name, rng.choice((50, 60, 80, 100)), units[i % 3]) for i, name in enumerate(_NURSES)]
    rows = [f"{name},Band {5 + i % 3},{share} %,{unit}" for i, (name, share, unit) in enumerate(held)]
    _file(folder, "staff_roster.csv", ["nurse_nm,grade,fte,unit", *rows])
    counts = [[unit, sum(one[2] == unit for one in held)] for unit in units]
    return [
        ("SELECT name FROM nurses WHERE ward = 'ICU'", [[one[0]] for one in held if one[2] == "ICU"]),
        ("SELECT department, COUNT(*) FROM nurses GROUP BY department", counts),
        ("SELECT name FROM employees WHERE fte < 0.7", [[one[0]] for one in held if one[1] < 70]),
    ]


def _orders(folder: Path, rng: random.Random) -> list[Question]:
    _file(folder, "status.csv", ["stat_cd,label", *(f"{k},{v}" for k, v in _STATES.items())])
    people, held = ("Kim", "Lee", "Patel", "Rossi", "Silva", "Novak"), []
    for month, name in ((1, "jan"), (2, "feb"), (3, "mar")):
        made = [
            (5000 + 25 * month + i, rng.choice(people), (month, rng.randint(1, 28)), rng.randint(500, 250_000) / 100, rng.choice("PSC"))
            for i in range(25)
        ]  # fmt: skip
        rows = [
            f'{no},{who},{day:02}/{m:02}/2024,"${paid:,.2f}",{state}'
            for no, who, (m, day), paid, state in made
        ]
        _file(folder, f"orders-{name}.csv", ["order_no,cust,placed,amt,stat_cd", *rows])
        held += made
    february = [one for one in held if one[2][0] == 2]
    by_person = [[p, sum(one[3] for one in february if one[1] == p)] for p in {one[1] for one in february}]
    between = sum((2, 15) <= one[2] < (3, 10) for one in held)
    joined = "SELECT s.label, AVG(o.amount) FROM purchases o JOIN order_status s ON o.status_code = s.code GROUP BY s.label"
    means = [[label, _mean([one[3] for one in held if one[4] == code])] for code, label in _STATES.items()]
    large = [[one[0]] for one in held if one[1] == "Rossi" and one[3] > 1500]
    dated = "SELECT COUNT(*) FROM orders WHERE order_date >= '2024-02-15' AND order_date < '2024-03-10'"
    return [
        ("SELECT SUM(amount) FROM orders", [[sum(one[3] for one in held)]]),
        ("SELECT COUNT(*) FROM orders WHERE status = 'shipped'", [[sum(one[4] == "S" for one in held)]]),
        ("SELECT customer, SUM(amount) FROM orders WHERE month = 'feb' GROUP BY customer", by_person),
        ("SELECT order_id FROM orders WHERE customer = 'Rossi' AND total > 1500", large),
        (dated, [[between]]),
        (joined, means),
    ]


def _goods(folder: Path, rng: random.Random) -> list[Question]:
    held = [(name, kind, rng.randint(150, 9000) / 100, rng.randint(50, 3000)) for name, kind in _GOODS]
    rows = [
        f"SK{i:03};{n};{_german(paid)} €;{kind};{grams} g" for i, (n, kind, paid, grams) in enumerate(held, 1)
    ]
    _file(folder, "produits.csv", ["réf;désignation;prix_ttc;catég;poids", *rows], "cp1252")
    shown = [[n, f"{_german(paid)} €"] for n, kind, paid, _ in held if kind == "Papeterie"]
    means = [
        [k, _mean([one[2] for one in held if one[1] == k])] for k in dict.fromkeys(one[1] for one in held)
    ]
    return [
        ("SELECT designation, prix FROM produits WHERE categorie = 'Papeterie'", shown),
        ("SELECT category, AVG(price) FROM products GROUP BY category", means),
    ]


def _events(folder: Path, rng: random.Random) -> list[Question]:
    held: list[Any] = [
        {
            "event_id": 900 + i,
            "ts": f"2024-02-{rng.randint(1, 28):02}T10:00:00Z",
            "user": {
                "id": rng.randint(1, 15),
                "plan": rng.choice(["free", "pro", "team"]),
                "geo": {"country": rng.choice(["DE", "FR", "NL"])},
            },
            "basket": [
                {"sku": f"SK{rng.randint(1, 8):03}", "qty": rng.randint(1, 4)}
                for _ in range(rng.randint(0, 3))
            ],
        }
        for i in range(50)
    ]
    _file(folder, "web_events.jsonl", map(json.dumps, held))
    countries = [[c, sum(e["user"]["geo"]["country"] == c for e in held)] for c in ("DE", "FR", "NL")]
    one = sum(item["qty"] for e in held for item in e["basket"] if item["sku"] == "SK003")
    team = sum(item["qty"] for e in held for item in e["basket"] if e["user"]["plan"] == "team")
    joined = (
        "SELECT SUM(i.quantity) FROM events e JOIN items i ON i.event_id = e.event_id WHERE e.plan = 'team'"
    )
    pro = sum(e["user"]["plan"] == "pro" for e in held)
    return [
        ("SELECT COUNT(*) FROM events WHERE user_plan = 'pro'", [[pro]]),
        ("SELECT country, COUNT(*) FROM events GROUP BY country", countries),
        ("SELECT SUM(quantity) FROM basket_items WHERE sku = 'SK003'", [[one]]),
        (joined, [[team]]),
    ]


def _waste(folder: Path, rng: random.Random) -> list[Question]:
    quarters = ("Centrum", "Oost", "Zuid", "Noord")
    held = [
        (quarter, year, kind, rng.randint(20, 900))
        for year in (2022, 2023)
        for quarter in quarters
        for kind in ("GFT", "papier", "rest")
    ]
    rows = [f"{quarter},{year},{kind},{tons} ton" for quarter, year, kind, tons in held]
    total = f"Totaal,,,{sum(one[3] for one in held)} ton"
    _file(folder, "afval.csv", ["wijk,jr,fractie,hoeveelheid", *rows, total])
    paper = sum(one[3] for one in held if one[1:3] == (2023, "papier"))
    sums = [[q, sum(one[3] for one in held if one[0] == q)] for q in quarters]
    return [
        ("SELECT SUM(gewicht) FROM afval WHERE jaar = 2023 AND soort = 'papier'", [[paper]]),
        ("SELECT wijk, SUM(hoeveelheid) FROM afval GROUP BY wijk", sums),
    ]


def _loans(folder: Path, rng: random.Random) -> list[Question]:
    held = {branch: [rng.randint(100, 900) for _ in range(4)] for branch in ("Centre", "Gare", "Rivière")}
    rows = [",".join([branch, *map(str, counts)]) for branch, counts in held.items()]
    _file(folder, "prets_bibliotheque.csv", ["agence,janv,fevr,mars,avr", *rows])
    march = [[branch, counts[2]] for branch, counts in held.items()]
    return [
        ("SELECT SUM(loans) FROM library_loans WHERE branch = 'Gare'", [[sum(held["Gare"])]]),
        ("SELECT agence, prets FROM prets WHERE mois = 'mars'", march),
    ]
