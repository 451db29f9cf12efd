"""One lake of a harbour, twelve base tables over it: what AUGMENT finds, beside the exhaustive choice.

`python -m bench.augment_harbour --seed 1`: months as the base's own key, decimals that are no whole numbers, two hops, tables
that help only by their difference, tables that give the target away, and a base for which nothing helps. `--cases` names some.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta

from bench.augment_folder import Case, Folder, main


def port_calls(folder: Folder) -> None:
    """Hours at the berth: by the ship's draught, whose register writes numbers after a prefix, and the day's wind."""
    chance = folder.chance
    ships = chance.sample(range(9_100_000, 9_900_000), 90)
    days = [date(2023, 1, 1) + timedelta(days=n) for n in range(200)]
    draught = dict(zip(ships, folder.noise(90), strict=True))
    wind = dict(zip(days, folder.noise(200), strict=True))
    rows: list[list[object]] = []
    for day in days:
        for _ in range(3):
            ship = chance.choice(ships)
            hours = 30 + 6 * draught[ship] + 5 * max(wind[day], -0.3) + chance.gauss(0, 3.5)
            rows.append([ship, day.isoformat(), chance.choice("EW"), round(hours, 1)])
    folder.table("port_calls", ["imo", "arrival", "side", "hours"], rows)
    folder.table(
        "draughts",
        ["imo_number", "draught_m", "built"],
        ([f"IMO {s}", round(11 + 1.5 * draught[s], 2), chance.randint(1985, 2021)] for s in ships),
    )
    folder.table(
        "wind_log", ["date", "gusts"], ([d.strftime("%d.%m.%Y"), round(34 + 9 * wind[d], 1)] for d in days)
    )
    folder.others("ship", "imo", ships, 2)
    folder.cases.append(Case("port_calls", "hours", [{"draughts"}, {"wind_log"}]))


def monthly_tonnes(folder: Folder) -> None:
    """Tonnes of a berth by month: the base's months are days, those of the other tables are words and numbers."""
    chance = folder.chance
    berths = [f"Berth {n}" for n in range(1, 9)]
    months = [date(2014 + m // 12, m % 12 + 1, 1) for m in range(96)]
    trade, strike = (dict(zip(months, folder.noise(96), strict=True)) for _ in range(2))
    folder.table(
        "berth_months",
        ["berth", "month", "tonnes"],
        (
            [b, m.isoformat(), round(9000 + 1500 * trade[m] - 1100 * strike[m] + chance.gauss(0, 900))]
            for b in berths
            for m in months
        ),
    )
    folder.table(
        "trade_index",
        ["month", "exports"],
        ([m.strftime("%Y-%m"), round(100 + 8 * trade[m], 1)] for m in months),
    )
    folder.table(
        "strike_hours",
        ["period", "hours_lost"],
        ([m.strftime("%b %Y"), round(40 + 12 * strike[m], 1)] for m in months),
    )
    folder.others("berth", "berth", berths, 2)
    folder.cases.append(Case("berth_months", "tonnes", [{"trade_index"}, {"strike_hours"}]))


def quay_depths(folder: Folder) -> None:
    """Silt at a mark along the quay: marks are metres with a half or a quarter, written with more or fewer zeros."""
    chance = folder.chance
    marks = sorted(chance.sample([n / 4 for n in range(10, 2400) if n % 4], 220))
    flow, stone = (dict(zip(marks, folder.noise(220), strict=True)) for _ in range(2))
    folder.table(
        "quay_silt",
        ["mark_m", "silt_cm"],
        ([m, round(40 + 7 * flow[m] + 5 * stone[m] + chance.gauss(0, 4), 1)] for m in marks),
    )
    folder.table(
        "current_meters", ["mark_m", "flow"], ([f"{m:.3f}", round(1 + 0.2 * flow[m], 3)] for m in marks)
    )
    folder.table("quay_stones", ["mark_m", "age"], ([m, round(60 + 9 * stone[m])] for m in marks))
    folder.others("quay", "mark_m", marks, 2)
    folder.cases.append(Case("quay_silt", "silt_cm", [{"current_meters"}, {"quay_stones"}]))


def container_checks(folder: Folder) -> None:
    """Whether customs open a container: by the risk of the land that the shipper's town lies in, two joins away."""
    chance = folder.chance
    towns = folder.places(40)
    lands = ["Ardia", "Belmar", "Corvo", "Delos", "Estia", "Farrow", "Gallia", "Hesper"]
    land = {t: chance.choice(lands) for t in towns}
    risk = dict(zip(lands, [1.6, -1.2, 0.3, -0.6, 1.1, -1.5, 0.7, -0.2], strict=True))
    boxes = [
        f"{chance.choice(['MSK', 'HLX', 'CMA'])}U{n}" for n in chance.sample(range(100_000, 999_999), 500)
    ]
    shipped = {b: chance.choice(towns) for b in boxes}
    weight = dict(zip(boxes, folder.noise(500), strict=True))
    opened = {
        b: int(1.2 * risk[land[shipped[b]]] + 0.9 * weight[b] + chance.gauss(0, 0.7) > 0) for b in boxes
    }
    folder.table(
        "container_checks",
        ["container", "shipped_from", "opened"],
        ([b, shipped[b], "yes" if opened[b] else "no"] for b in boxes),
    )
    folder.table(
        "weigh_bridge",
        ["container_no", "gross_kg"],
        ([f"{b[:4].lower()} {b[4:]}", round(18_000 + 3_000 * weight[b])] for b in boxes),
    )
    folder.table("town_lands", ["town", "land"], ([t.upper(), land[t]] for t in towns))
    folder.table(
        "land_risks", ["land", "alerts", "grade"], ([x, round(50 + 20 * risk[x], 1), "x"] for x in lands)
    )
    folder.table(
        "seals_broken",
        ["container", "broken_on"],
        ([b, "2023-05-0" + str(chance.randint(1, 9)) if opened[b] else ""] for b in boxes),
    )
    folder.others("container", "container", boxes)
    folder.cases.append(
        Case(
            "container_checks",
            "opened",
            [{"weigh_bridge"}, {"land_risks", "town_lands"}],
            {"seals_broken"},
            2,
        )
    )


def tug_fuel(folder: Folder) -> None:
    """Fuel burnt on a job: the reading after it less the one before, each in a table of its own."""
    chance = folder.chance
    jobs = chance.sample(range(10_000, 99_999), 260)
    before = {j: chance.gauss(0, 6) for j in jobs}
    burnt = dict(zip(jobs, folder.noise(260), strict=True))
    folder.table(
        "tug_jobs",
        ["job", "tows", "fuel"],
        ([j, chance.randint(1, 4), round(80 + 10 * burnt[j] + chance.gauss(0, 4), 1)] for j in jobs),
    )
    folder.table("gauge_out", ["job", "litres"], ([j, round(900 + 10 * before[j], 1)] for j in jobs))
    folder.table(
        "gauge_in",
        ["job_id", "litres_left"],
        ([j, round(820 + 10 * (before[j] - burnt[j]), 1)] for j in jobs),
    )
    folder.others("job", "job", jobs)
    folder.cases.append(Case("tug_jobs", "fuel", [{"gauge_out"}, {"gauge_in"}]))


def fish_prices(folder: Folder) -> None:
    """The price of a kind of fish on a day: by the month's catch of that kind, and fuel by week's day of the month."""
    chance = folder.chance
    kinds = ["cod", "hake", "sole", "ling", "bass", "mullet"]
    days = [date(2022, 1, 1) + timedelta(days=3 * n) for n in range(120)]
    months = sorted({d.strftime("%Y-%m") for d in days})
    catch = {(k, m): chance.gauss(0, 1) for k in kinds for m in months}
    rows: list[list[object]] = []
    for d in days:
        for k in kinds:
            price = 9 - 1.4 * catch[k, d.strftime("%Y-%m")] + chance.gauss(0, 0.8)
            rows.append([d.strftime("%d/%m/%Y"), k.title(), round(price, 2)])
    folder.table("fish_auction", ["sold_on", "fish", "price"], rows)
    folder.table(
        "landings",
        ["species", "month", "kg"],
        ([k, m, round(4000 + 700 * catch[k, m])] for k in kinds for m in months),
    )
    folder.table("species_rules", ["species", "min_cm"], ([k, chance.randint(20, 45)] for k in kinds))
    folder.cases.append(Case("fish_auction", "price", [{"landings"}]))


def ferry_routes(folder: Folder) -> None:
    """Passengers of a route by year: fares stand in columns called by year with a prefix, and the fleet in files."""
    chance = folder.chance
    routes = [f"{a} - {b}" for a, b in zip(folder.places(45), folder.places(45), strict=True)]
    years = list(range(2013, 2021))
    fare = {(r, y): chance.gauss(0, 1) for r in routes for y in years}
    speed = dict(zip(routes, folder.noise(45), strict=True))
    folder.table(
        "ferry_years",
        ["route", "year", "passengers"],
        (
            [r, y, round(math.exp(9 - 0.35 * fare[r, y] + 0.3 * speed[r] + chance.gauss(0, 0.2)))]
            for r in routes
            for y in years
        ),
    )
    folder.table(
        "fares",
        ["route", *(f"{y}" for y in years)],
        ([r, *(round(20 + 3 * fare[r, y], 2) for y in years)] for r in routes),
    )
    folder.table(
        "timetable",
        ["Route", "knots"],
        ([r.replace(" - ", "-"), round(18 + 3 * speed[r], 1)] for r in routes),
    )
    folder.others("route", "route", routes, 2)
    folder.cases.append(Case("ferry_years", "passengers", [{"fares"}, {"timetable"}]))


def crane_faults(folder: Folder) -> None:
    """Faults of a crane: the loads of its lifts (the largest tells) and the maker's series; a class of them is a leak."""
    chance = folder.chance
    cranes = [f"CR-{n:04d}" for n in chance.sample(range(1, 4000), 180)]
    load = dict(zip(cranes, folder.noise(180), strict=True))
    series = {c: chance.choice(["A1", "B2", "C3", "D4"]) for c in cranes}
    weight = {"A1": -1.2, "B2": 0.1, "C3": 1.3, "D4": -0.2}
    faults = {c: 12 + 2.5 * load[c] + 2.2 * weight[series[c]] + chance.gauss(0, 1.6) for c in cranes}
    folder.table(
        "cranes",
        ["crane", "reach_m", "faults"],
        ([c, chance.randint(20, 60), round(faults[c], 1)] for c in cranes),
    )
    lifts: list[list[object]] = []
    for c in cranes:
        lifts += [
            [c, round(38 + 4 * v, 1)]
            for v in [load[c], *(load[c] - abs(chance.gauss(0, 3)) for _ in range(chance.randint(3, 9)))]
        ]
    folder.table("lifts", ["crane_id", "tonnes"], lifts)
    folder.table(
        "crane_papers",
        ["crane", "series", "colour"],
        ([c.lower(), series[c], chance.choice(["red", "grey"])] for c in cranes),
    )
    folder.table(
        "repair_bands",
        ["crane", "band"],
        ([c, ["low", "mid", "high"][min(2, max(0, int((faults[c] - 8) // 4)))]] for c in cranes),
    )
    folder.others("crane", "crane", cranes)
    folder.cases.append(Case("cranes", "faults", [{"lifts"}, {"crane_papers"}], {"repair_bands"}))


def pilots(folder: Folder) -> None:
    """A pilot's grade, three words: by the hours on the bridge and the last test before; a score is the grade itself."""
    chance = folder.chance
    people = [
        f"{a} {b}" for a, b in zip(folder.places(120), chance.sample(folder.places(120), 120), strict=True)
    ]
    hours, test = (dict(zip(people, folder.noise(120), strict=True)) for _ in range(2))
    merit = {p: hours[p] + test[p] + chance.gauss(0, 0.5) for p in people}
    grade = {p: "first" if merit[p] > 0.8 else "second" if merit[p] > -0.8 else "third" for p in people}
    folder.table(
        "pilots", ["pilot", "since", "grade"], ([p, chance.randint(1990, 2020), grade[p]] for p in people)
    )
    folder.table(
        "bridge_hours", ["name", "hours"], ([p.upper(), round(3000 + 800 * hours[p])] for p in people)
    )
    tests: list[list[object]] = []
    for p in people:
        for y in range(2018, 2023):
            value = test[p] if y == 2022 else chance.gauss(0, 1)
            tests.append([p, y, round(60 + 10 * value, 1)])
    folder.table("simulator_tests", ["pilot", "year", "points"], tests)
    folder.table("board_scores", ["pilot", "score"], ([p, round(50 + 12 * merit[p], 2)] for p in people))
    folder.others("pilot", "pilot", people, 2)
    folder.cases.append(Case("pilots", "grade", [{"bridge_hours"}, {"simulator_tests"}], {"board_scores"}))


def sheds(folder: Folder) -> None:
    """The rent of a shed, in a base where nothing helps: ten tables by its number that tell nothing."""
    chance = folder.chance
    numbers = chance.sample(range(1, 900), 150)
    folder.table(
        "sheds",
        ["shed", "m2", "rent"],
        ([n, chance.randint(40, 900), round(math.exp(chance.gauss(7, 0.5)))] for n in numbers),
    )
    for i, what in enumerate(
        ("locks", "doors", "lights", "alarms", "roofs", "floors", "gates", "taps", "fans", "lifts_in")
    ):
        folder.table(
            f"shed_{what}",
            ["shed", f"{what}_count", f"{what}_checked", "remark"],
            (
                [n, chance.randint(0, 9 + i), round(chance.expovariate(0.1), 1), chance.choice("uvwxyz")]
                for n in numbers
            ),
        )
    folder.cases.append(Case("sheds", "rent", []))


def dock_wages(folder: Folder) -> None:
    """Wages by person and quarter: overtime by both, written otherwise; the rate by the person's trade."""
    chance = folder.chance
    people = [f"W{n}" for n in chance.sample(range(1000, 9999), 60)]
    quarters = [f"{y} Q{q}" for y in (2020, 2021, 2022) for q in (1, 2, 3, 4)]
    trade = {p: chance.choice(["rigger", "clerk", "diver", "driver", "cook"]) for p in people}
    rate = {"rigger": 0.4, "clerk": -0.8, "diver": 1.7, "driver": -0.1, "cook": -1.2}
    extra = {(p, q): chance.gauss(0, 1) for p in people for q in quarters}
    folder.table(
        "dock_wages",
        ["worker", "quarter", "trade", "wage"],
        (
            [p, q, trade[p], round(8000 + 900 * extra[p, q] + 1000 * rate[trade[p]] + chance.gauss(0, 500))]
            for p in people
            for q in quarters
        ),
    )
    folder.table(
        "overtime",
        ["worker_no", "quarter", "hours"],
        ([p.lower(), q.replace(" ", "-"), round(30 + 10 * extra[p, q], 1)] for p in people for q in quarters),
    )
    folder.table("trade_rates", ["trade", "per_hour"], ([t, round(24 + 5 * r, 2)] for t, r in rate.items()))
    folder.table(
        "wages_last_month",
        ["worker", "quarter", "euros"],
        (
            [p, q, round(0.33 * (8000 + 900 * extra[p, q] + 1000 * rate[trade[p]]))]
            for p in people
            for q in quarters
        ),
    )
    folder.others("worker", "worker", people, 2)
    folder.cases.append(Case("dock_wages", "wage", [{"overtime", "wages_last_month"}]))


def buoys(folder: Folder) -> None:
    """How far a buoy drifts: by its chain, by its place's current (two joins by place and chart), beside the base's depth."""
    chance = folder.chance
    numbers = [f"B{n:03d}" for n in chance.sample(range(1, 999), 240)]
    charts = [f"{chance.randint(100, 999)}{c}" for c in "ABCDEFGHIJKLMNOPQRST"]
    bays = folder.places(60)
    chart = {b: chance.choice(charts) for b in bays}
    current = dict(zip(charts, folder.noise(20), strict=True))
    bay = {n: chance.choice(bays) for n in numbers}
    chain, depth = (dict(zip(numbers, folder.noise(240), strict=True)) for _ in range(2))
    folder.table(
        "buoys",
        ["buoy", "bay", "depth_m", "drift_m"],
        (
            [
                n,
                bay[n],
                round(20 + 5 * depth[n], 1),
                round(
                    12 + 1.5 * depth[n] + 1.6 * chain[n] + 2 * current[chart[bay[n]]] + chance.gauss(0, 1.2),
                    1,
                ),
            ]
            for n in numbers
        ),
    )
    folder.table(
        "chains", ["buoy_ref", "links"], ([n.replace("B", "b-"), round(200 + 30 * chain[n])] for n in numbers)
    )
    folder.table("bay_charts", ["bay", "chart"], ([b, chart[b]] for b in bays))
    folder.table("chart_currents", ["chart", "knots"], ([c, round(2 + 0.6 * current[c], 2)] for c in charts))
    folder.others("buoy", "buoy", numbers)
    folder.others("bay", "bay", bays, 2)
    folder.cases.append(Case("buoys", "drift_m", [{"chains"}, {"chart_currents"}], hops=2))


QUAYS: tuple[Callable[[Folder], None], ...] = (
    port_calls, monthly_tonnes, quay_depths, container_checks, tug_fuel, fish_prices,
    ferry_routes, crane_faults, pilots, sheds, dock_wages, buoys,
)  # fmt: skip


if __name__ == "__main__":
    main(__doc__, QUAYS)
