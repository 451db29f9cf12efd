"""Synthetic lakes of our own invention, written into a folder: a bakery chain, a harbour, partitioned
readings.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

TOWNS = (
    "Aldersby",
    "Brackwater",
    "Corvin Hollow",
    "Dunmere",
    "Eastlow",
    "Farrowgate",
    "Glenholt",
    "Hartswell",
)
BAKERS = ("Ida Quill", "Jon Thrupp", "Kara Voss", "Lev Ormond", "Mina Sallow", "Ned Fairlie")
PASTRIES = ("Rye loaf", "Seed roll", "Plum tart", "Oat biscuit", "Walnut braid", "Honey cake")


def write(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def bakery(folder: Path) -> Path:
    """Shops, staff, products, sales (by reference), two years of the same survey, lookup of towns."""
    rng = random.Random(5)
    write(
        folder / "bk_shop.csv",
        ["ShopId", "Town", "Opened"],
        [[i + 1, town, 1980 + 3 * i] for i, town in enumerate(TOWNS)],
    )
    write(
        folder / "bk_baker.csv",
        ["BakerId", "FullName", "Gender", "HomeShopId"],
        [[i + 1, b, "FM"[i % 2], 1 + i % 4] for i, b in enumerate(BAKERS)],
    )
    write(
        folder / "bk_pastry.csv",
        ["PastryId", "Name", "PriceCents", "Vegan"],
        [[i + 1, p, 150 + 40 * i, "NY"[i % 2]] for i, p in enumerate(PASTRIES)],
    )
    sales = [
        [i + 1, rng.randint(1, 8), rng.randint(1, 6), rng.randint(1, 9), f"2021-{rng.randint(1, 12):02d}-15"]
        for i in range(400)
    ]
    write(folder / "bk_sale.csv", ["SaleId", "ShopId", "PastryId", "Qty", "SoldOn"], sales)
    for year in (2019, 2023):
        write(
            folder / f"taste_survey_{year}.csv",
            ["district", "respondents", "mean_score"],
            [[t, rng.randint(20, 90), round(rng.uniform(5, 9), 1)] for t in TOWNS],
        )
    write(
        folder / "town_codes.csv",
        ["town_name", "town_code"],
        [[t, t[:2].upper() + str(i)] for i, t in enumerate(TOWNS)],
    )
    write(
        folder / "rainfall.csv",
        ["town_code", "month", "rain_mm"],
        [[t[:2].upper() + str(i), m, rng.randint(5, 200)] for i, t in enumerate(TOWNS) for m in range(1, 13)],
    )
    return folder


def noisy_harbour(folder: Path) -> Path:
    """One table with every kind of damage, undamaged in `truth.txt`'s terms below."""
    rows = []
    for i in range(60):
        flag = ("Norway", "Chile", "Malta")[i % 3]
        length = 1100 + 37 * i
        day = 1 + i % 28
        rows.append(
            [
                i + 1,
                (f" {flag}", flag.upper(), flag, f"{flag}  ", flag, flag)[i % 6],
                (f"{length:,}", f"{length} t", str(length), f"{length:,} t")[i % 4],
                (
                    f"2020-03-{day:02d}",
                    f"{day:02d}.03.2020",
                    f"March {day}, 2020",
                    f"2020/03/{day:02d} 00:00",
                )[i % 4],
                ("yes", "Y", "TRUE", "no", "N", "false")[i % 6],
            ]
        )
    write(folder / "vessels.csv", ["nr", "flag_state", "tonnage", "arrived", "insured"], rows)
    return folder


def foreign_shop(folder: Path) -> Path:
    """Named in German and Spanish; orders in two parts whose spellings differ; two
    references to the staff.
    """
    rng = random.Random(11)
    people = [
        (200 + i, name, f"{1950 + i}-03-04") for i, name in enumerate(("Anna Vogt", "Ben Lang", "Cleo Marx"))
    ]
    write(folder / "kunden.csv", ["KdNr", "Nachname", "Geburtsdatum"], [list(p) for p in people])
    write(
        folder / "tiendas.csv",
        ["cod_tienda", "nombre_tienda", "ciudad"],
        [["T1", "Centro", "Burgos"], ["T2", "Puerto", "Gijón"], ["T3", "Norte", "León"]],
    )
    spellings = {"alt": ("Paid", "paid", "paid", "Open"), "neu": ("PAID", "PAID", "paid", "open")}
    for part, states in spellings.items():
        write(
            folder / f"bestellungen_{part}.csv",
            ["BestNr", "KdNr", "Betrag", "Zahlstatus"],
            [
                [
                    f"{part[0]}{i}",
                    rng.choice(people)[0],
                    f"{rng.randint(1, 99)},{rng.randint(10, 99)}",
                    states[i % 4],
                ]
                for i in range(40)
            ],
        )
    staff = [
        [9000 + 7 * i, name, "ABC"[i % 3]]
        for i, name in enumerate(("Ida", "Jon", "Kim", "Lea", "Max", "Nia"))
    ]
    write(folder / "staffMaster.csv", ["empNo", "empFullNm", "unitCd"], staff)
    write(
        folder / "unitLkp.csv",
        ["unitCd", "unitNm", "headEmpNo"],
        [["A", "Bakery", 9021], ["B", "Kitchen", 9000], ["C", "Counter", 9035]],
    )
    roles = ["GK", "DF", "MF", "FW"]
    write(
        folder / "fb_players.csv",
        ["pid", "pname", "pos", "secs"],
        [[i, f"P. Player{i}", roles[i % 4], 600 * i] for i in range(24)],
    )
    clubs = ["Northport", "Milano", "Rhein", "Sud", "Kingsway", "Mar"]
    write(folder / "fb_clubs.csv", ["club_id", "club"], [[50 + 3 * i, c] for i, c in enumerate(clubs)])
    write(
        folder / "fb_matches.csv",
        ["mid", "home_club", "away_club", "hg", "ag"],
        [[1 + 6 * i + j, 50 + 3 * i, 50 + 3 * j, i, j] for i in range(6) for j in range(6) if i != j],
    )
    return folder
