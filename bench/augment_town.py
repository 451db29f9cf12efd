"""One lake of a town's offices, eight base tables over it: what AUGMENT finds, beside the exhaustive choice.

`python -m bench.augment_town --seed 1`: all tables lie in one folder, as offices would leave them. Gains are skewed,
bent and partly told by the base's own columns; keys are written as spreadsheets write them (`104.0`, `2022-03` beside
days, a column a year), and some tables give the target away. A seed's first run is told; seed 0 is for looking at.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta

from bench.augment_folder import Case, Folder, main


def library(town: Folder) -> None:
    """A day's loans of a branch; the weather is known by month, the branch by its name."""
    branches = town.places(8)
    days = [date(2022, 1, 3) + timedelta(days=2 * n) for n in range(180)]
    months = sorted({d.strftime("%Y-%m") for d in days})
    damp = dict(zip(months, town.noise(len(months)), strict=True))
    size = {b: math.exp(town.chance.gauss(0, 0.6)) for b in branches}
    rows = []
    for d in days:
        b = town.chance.choice(branches)
        loans = 200 + 40 * damp[d.strftime("%Y-%m")] + 35 * math.log(size[b]) + town.chance.gauss(0, 22)
        rows.append([d.isoformat(), b, d.weekday(), round(loans)])
    town.table("library_days", ["day", "branch", "weekday", "loans"], rows)
    town.table("rain_by_month", ["month", "rain_mm"], ([m, round(60 + 18 * damp[m], 1)] for m in months))
    town.table("branch_floors", ["branch", "floor_m2"], ([b, round(300 * size[b])] for b in branches))
    town.others("branch", "branch", branches, 2)
    town.cases.append(Case("library_days", "loans", [{"rain_by_month"}, {"branch_floors"}]))


def meters(town: Folder) -> None:
    """Meter numbers that another office's spreadsheet keeps as decimals."""
    numbers = town.chance.sample(range(101, 999), 210)
    age, leak = (dict(zip(numbers, town.noise(210), strict=True)) for _ in range(2))
    town.table(
        "water_meters",
        ["meter", "rooms", "use_m3"],
        (
            [
                n,
                town.chance.randint(1, 6),
                round(90 + 14 * age[n] + 11 * max(leak[n], -0.5) + town.chance.gauss(0, 8), 1),
            ]
            for n in numbers
        ),
    )
    town.table(
        "meter_ages",
        ["meter", "years_in_use"],
        ([f"{n}.0" if town.chance.random() < 0.95 else "", round(12 + 3 * age[n], 1)] for n in numbers),
    )
    town.table(
        "pipe_checks", ["meter_nr", "loss_rate"], ([n, round(math.exp(0.5 * leak[n]), 3)] for n in numbers)
    )
    town.others("meter", "meter", numbers)
    town.cases.append(Case("water_meters", "use_m3", [{"meter_ages"}, {"pipe_checks"}]))


def districts(town: Folder) -> None:
    """A district's turnout by year; incomes stand in a column for each year."""
    names, years = town.places(40), [2015, 2016, 2017, 2018, 2019, 2020]
    income = {(n, y): town.chance.gauss(0, 1) for n in names for y in years}
    age = {n: town.chance.gauss(0, 1) for n in names}
    town.table(
        "turnouts",
        ["district", "year", "turnout"],
        (
            [n, y, round(61 + 5 * income[n, y] + 4 * age[n] + town.chance.gauss(0, 3), 1)]
            for n in names
            for y in years
        ),
    )
    town.table(
        "income_wide",
        ["district", *map(str, years)],
        ([n, *(round(31_000 + 4_000 * income[n, y]) for y in years)] for n in names),
    )
    town.table(
        "age_profile",
        ["district", "median_age", "under_18"],
        ([n.upper(), round(41 + 4 * age[n], 1), town.chance.randint(900, 4000)] for n in names),
    )
    town.table(
        "wide_noise",
        ["district", *map(str, years)],
        ([n, *(round(town.chance.gauss(50, 9), 1) for _ in years)] for n in names),
    )
    town.others("district", "district", names, 2)
    town.cases.append(Case("turnouts", "turnout", [{"income_wide"}, {"age_profile"}]))


def parcels(town: Folder) -> None:
    """Whether a parcel is late: by its carrier's class and the logarithm of the way; refunds come only afterwards."""
    codes = [f"RX{n}" for n in town.chance.sample(range(10_000, 99_999), 420)]
    way = {c: math.exp(town.chance.gauss(3, 0.9)) for c in codes}
    carrier = {c: town.chance.choice(["Hart", "Nimbus", "Ovo", "Pell"]) for c in codes}
    slow = {"Hart": -1.0, "Nimbus": 1.3, "Ovo": 0.2, "Pell": -0.4}
    late = {
        c: int(1.1 * (math.log(way[c]) - 3) + slow[carrier[c]] + town.chance.gauss(0, 0.6) > 0) for c in codes
    }
    town.table(
        "parcels", ["parcel", "grams", "late"], ([c, town.chance.randint(50, 9000), late[c]] for c in codes)
    )
    town.table("routes_driven", ["parcel_ref", "km"], ([c.lower(), round(way[c], 1)] for c in codes))
    town.table(
        "handover_notes",
        ["parcel", "carrier", "clerk"],
        ([c, carrier[c], town.chance.choice(["A", "B", "C"])] for c in codes if town.chance.random() < 0.96),
    )
    town.table(
        "refunds_paid",
        ["parcel", "refund"],
        ([c, round(town.chance.uniform(3, 9), 2) if late[c] else ""] for c in codes),
    )
    town.others("parcel", "parcel", codes)
    town.cases.append(Case("parcels", "late", [{"routes_driven"}, {"handover_notes"}], {"refunds_paid"}))


def flats(town: Folder) -> None:
    """Prices by a certificate's letter and the quarter's income; a tax office and last year's register copy them."""
    quarters = town.places(30)
    wealth = dict(zip(quarters, town.noise(30), strict=True))
    flats_of = [f"F-{n}" for n in town.chance.sample(range(1000, 9999), 330)]
    quarter = {f: town.chance.choice(quarters) for f in flats_of}
    letter = {f: town.chance.choice("ABCDEFG") for f in flats_of}
    area = {f: town.chance.uniform(30, 140) for f in flats_of}
    price = {
        f: 60_000
        + 1_400 * area[f]
        + 45_000 * wealth[quarter[f]]
        - 17_000 * ("ABCDEFG".index(letter[f]) - 3)
        + town.chance.gauss(0, 18_000)
        for f in flats_of
    }
    town.table(
        "flats_sold",
        ["flat", "quarter", "m2", "price"],
        ([f, quarter[f], round(area[f]), round(price[f], -2)] for f in flats_of),
    )
    town.table("energy_papers", ["flat", "letter"], ([f, letter[f]] for f in flats_of))
    town.table(
        "quarter_incomes",
        ["quarter", "mean_income"],
        ([q, round(28_000 * math.exp(0.3 * wealth[q]))] for q in quarters),
    )
    town.table("room_lists", ["flat", "rooms"], ([f, round(area[f] / 24)] for f in flats_of))
    town.table("tax_values", ["flat", "assessed"], ([f, round(0.62 * price[f])] for f in flats_of))
    town.table(
        "dollar_list",
        ["flat", "price_usd"],
        ([f, round(1.09 * price[f] + town.chance.gauss(0, 300), -2)] for f in flats_of),
    )
    town.others("flat", "flat", flats_of)
    town.cases.append(
        Case("flats_sold", "price", [{"energy_papers"}, {"quarter_incomes"}], {"tax_values", "dollar_list"})
    )


def stays(town: Folder) -> None:
    """Days in hospital: many readings a patient, of which the largest tells, and one referral each."""
    patients = [f"{town.chance.randint(10, 99)}/{n}" for n in town.chance.sample(range(1000, 9999), 240)]
    worst, frail = (dict(zip(patients, town.noise(240), strict=True)) for _ in range(2))
    town.table(
        "hospital_stays",
        ["patient", "ward", "days"],
        (
            [
                p,
                town.chance.choice("NSW"),
                round(9 + 2.2 * worst[p] + 1.8 * frail[p] + town.chance.gauss(0, 1.3), 1),
            ]
            for p in patients
        ),
    )
    readings: list[list[object]] = []
    for p in patients:
        top = worst[p]
        readings += [
            [p, round(38 + 0.6 * v, 2)]
            for v in [top, *(top - abs(town.chance.gauss(0, 2.5)) for _ in range(town.chance.randint(2, 7)))]
        ]
    town.table("temperature_readings", ["patient_no", "celsius"], readings)
    town.table(
        "referrals",
        ["patient", "frailty", "source"],
        (
            [p.replace("/", "-"), round(5 + 1.5 * frail[p], 1), town.chance.choice(["gp", "clinic"])]
            for p in patients
        ),
    )
    town.others("patient", "patient", patients)
    town.cases.append(Case("hospital_stays", "days", [{"temperature_readings"}, {"referrals"}]))


def clubs(town: Folder) -> None:
    """Gate money by club and season; the other office writes the season in its own way."""
    names = [f"{p} {e}" for p, e in zip(town.places(26), ["Rovers", "United"] * 13, strict=True)]
    seasons = [f"{y}/{y % 100 + 1}" for y in range(2012, 2021)]
    points = {(n, s): town.chance.gauss(0, 1) for n in names for s in seasons}
    town.table(
        "gate_money",
        ["club", "season", "pounds"],
        (
            [n, s, round(80_000 + 15_000 * points[n, s] + town.chance.gauss(0, 9_000))]
            for n in names
            for s in seasons
        ),
    )
    town.table(
        "league_points",
        ["team", "season", "points"],
        ([n.upper(), s.replace("/", "-"), round(50 + 12 * points[n, s])] for n in names for s in seasons),
    )
    town.table(
        "club_colours",
        ["club", "colour", "founded"],
        ([n, town.chance.choice(["red", "blue", "white"]), town.chance.randint(1870, 1930)] for n in names),
    )
    town.table("season_rules", ["season", "substitutes"], ([s, town.chance.randint(2, 5)] for s in seasons))
    town.others("club", "club", names, 2)
    town.cases.append(Case("gate_money", "pounds", [{"league_points"}]))


def lamps(town: Folder) -> None:
    """Faults of street lamps by their voltage, whose readings are kept in a file for each year, and by their make."""
    lamps_of = [f"L{n:05d}" for n in town.chance.sample(range(100, 60_000), 260)]
    volt = dict(zip(lamps_of, town.noise(260), strict=True))
    make = {lamp: town.chance.choice(["Orla", "Tex", "Vant"]) for lamp in lamps_of}
    faults = {
        lamp: 6
        + 1.6 * volt[lamp]
        + {"Orla": -2, "Tex": 0.5, "Vant": 1.4}[make[lamp]]
        + town.chance.gauss(0, 1)
        for lamp in lamps_of
    }
    town.table(
        "street_lamps",
        ["lamp", "height_m", "faults"],
        ([lamp, town.chance.randint(4, 9), round(faults[lamp], 1)] for lamp in lamps_of),
    )
    for year in (2019, 2020, 2021):
        town.table(
            f"voltages_{year}",
            ["lamp", "volts"],
            (
                [lamp, round(230 + 4 * (volt[lamp] + town.chance.gauss(0, 0.5)), 1)]
                for lamp in lamps_of
                for _ in range(2)
            ),
        )
    town.table("lamp_makers", ["lamp_id", "maker"], ([lamp.lower(), make[lamp]] for lamp in lamps_of))
    town.table(
        "fault_classes",
        ["lamp", "class"],
        ([lamp, "ABCDE"[min(4, max(0, int(faults[lamp] // 3)))]] for lamp in lamps_of),
    )
    town.others("lamp", "lamp", lamps_of)
    voltages = {"voltages", *(f"voltages_{y}" for y in (2019, 2020, 2021))}
    town.cases.append(Case("street_lamps", "faults", [voltages, {"lamp_makers"}], {"fault_classes"}))


OFFICES: tuple[Callable[[Folder], None], ...] = (
    library,
    meters,
    districts,
    parcels,
    flats,
    stays,
    clubs,
    lamps,
)


if __name__ == "__main__":
    main(__doc__, OFFICES)
