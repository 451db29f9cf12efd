"""One lake of an orchard, four base tables over it: what AUGMENT finds, beside the exhaustive choice.

`python -m bench.augment_orchard --seed 1`: codes with signs and leading zeros on one side only, accents, numbers as text with
a unit or a decimal comma, weeks and quarters beside days, rows that tell by being there, walks as decoys. `--cases` names some.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from bench.augment_folder import Case, Folder, main


def walks(folder: Folder, stem: str, key: str, keys: list[object], n: int) -> None:
    """Decoys: several walks over the keys in their order, and classes, that tell nothing."""
    chance = folder.chance
    for i in range(n):
        level, rows = [0.0, 0.0, 0.0], []
        for k in keys:
            level = [x + chance.gauss(0, 1) for x in level]
            rows.append([k, *(round(x, 2) for x in level), chance.choice("abcdef"), chance.randint(0, 99)])
        folder.table(f"{stem}_{i + 1}", [key, "level", "rate", "share", "class", "tally"], rows)


def plots(folder: Folder) -> None:
    """Tonnes of a plot: soil under codes without signs, the number of sprayings, the owner's training; receipts are the target."""
    chance = folder.chance
    numbers = chance.sample(range(1, 900), 240)
    codes = [f"{chance.choice('BCD')}-{n:03d}" for n in numbers]
    soil, sprays = (dict(zip(codes, folder.noise(240), strict=True)) for _ in range(2))
    owners = [
        f"{a} {b}"
        for a in ("José", "Zoë", "Bjørn", "Renée", "Jürgen", "Anaïs")
        for b in ("Núñez", "Ødegård", "Müller", "Côté", "Leclère")
    ]
    skill = dict(zip(owners, folder.noise(30), strict=True))
    owner = {c: chance.choice(owners) for c in codes}
    tonnes = {
        c: 22 + 2.6 * soil[c] + 2.0 * sprays[c] + 2.2 * skill[owner[c]] + chance.gauss(0, 2) for c in codes
    }
    folder.table(
        "plots",
        ["plot", "owner", "planted", "tonnes"],
        ([c, owner[c], chance.randint(1985, 2015), round(tonnes[c], 2)] for c in codes),
    )
    folder.table(
        "soil_samples",
        ["plot_ref", "humus", "lab"],
        (
            [
                c.replace("-", "").lower(),
                "n/a" if chance.random() < 0.05 else f"{5 + 0.8 * soil[c]:.2f}".replace(".", ",") + " %",
                chance.choice(["north", "south"]),
            ]
            for c in codes
        ),
    )
    folder.table(
        "sprayings",
        ["plot_id", "sprayed_on", "agent"],
        (
            [
                f"Plot {c}",
                (date(2023, 3, 1) + timedelta(days=chance.randint(0, 120))).isoformat(),
                chance.choice("xyz"),
            ]
            for c in codes
            for _ in range(max(1, round(9 + 2.5 * sprays[c])))
        ),
    )
    plain = str.maketrans("éëøïüúñåôèØ", "eeoiuunaoeO")
    folder.table(
        "owner_courses",
        ["grower", "days_of_course"],
        ([o.translate(plain).upper(), round(20 + 5 * skill[o])] for o in owners),
    )
    folder.table(
        "press_receipts",
        ["plot", "litres"],
        ([c, round(tonnes[c] * 640 + chance.gauss(0, 60))] for c in codes),
    )
    folder.table("hail_claims", ["plot", "claimed_on"], ([c, "2023-09-30"] for c in codes if tonnes[c] < 18))
    walks(folder, "plot_survey", "plot", list(codes), 5)
    walks(folder, "owner_survey", "owner", list(owners), 2)
    folder.cases.append(
        Case(
            "plots",
            "tonnes",
            [{"soil_samples"}, {"sprayings"}, {"owner_courses"}],
            {"press_receipts", "hail_claims"},
        )
    )


def market_days(folder: Folder) -> None:
    """The price of a variety on a day: the week's weather, the quarter's fuel, market holidays that only have rows, the variety."""
    chance = folder.chance
    days = [date(2021, 1, 4) + timedelta(days=2 * n) for n in range(400)]
    kinds = ["Gala", "Fuji", "Elstar", "Braeburn", "Jonagold"]
    weeks = sorted({d.isocalendar()[:2] for d in days})
    heat = dict(zip(weeks, folder.noise(len(weeks)), strict=True))
    quarters = sorted({(d.year, (d.month - 1) // 3 + 1) for d in days})
    fuel = dict(zip(quarters, folder.noise(len(quarters)), strict=True))
    free = set(chance.sample(days, 90))
    fame = dict(zip(kinds, [1.4, -0.9, 0.2, -1.3, 0.8], strict=True))
    rows: list[list[object]] = []
    for d in days:
        for k in kinds:
            price = 120 + 9 * heat[d.isocalendar()[:2]] + 8 * fuel[d.year, (d.month - 1) // 3 + 1]
            price += 14 * (d in free) + 7 * fame[k] + chance.gauss(0, 9)
            rows.append([d.isoformat(), k, chance.randint(1, 30), round(price, 1)])
    folder.table("market_days", ["day", "variety", "crates", "price"], rows)
    folder.table(
        "weekly_heat",
        ["week", "degrees"],
        ([f"{y}-W{w:02d}", f"{15 + 4 * heat[y, w]:.1f} °C"] for y, w in weeks),
    )
    folder.table(
        "fuel_by_quarter",
        ["period", "per_litre"],
        ([f"Q{q} {y}", round(1.6 + 0.2 * fuel[y, q], 3)] for y, q in quarters),
    )
    folder.table(
        "market_feasts",
        ["held_on", "feast"],
        ([d.strftime("%d.%m.%Y"), chance.choice(["fair", "parade"])] for d in free),
    )
    folder.table(
        "variety_guide",
        ["name", "sweetness"],
        ([f"Malus domestica '{k}'", round(6 + fame[k], 1)] for k in kinds),
    )
    walks(folder, "daily_index", "day", [d.isoformat() for d in days], 5)
    walks(folder, "weekly_index", "week", [f"{y}-W{w:02d}" for y, w in weeks], 2)
    folder.cases.append(
        Case(
            "market_days",
            "price",
            [{"weekly_heat"}, {"fuel_by_quarter"}, {"market_feasts"}, {"variety_guide"}],
        )
    )


def pickers(folder: Folder) -> None:
    """Whether a picker comes back: the pay of the team (two joins), the last note of many, the way to work; gifts come after."""
    chance = folder.chance
    numbers = chance.sample(range(1, 2000), 420)
    codes = {n: f"P{n:04d}" for n in numbers}
    teams = [
        f"Team {a}"
        for a in (
            "Ash",
            "Birch",
            "Cedar",
            "Elm",
            "Fir",
            "Hazel",
            "Larch",
            "Maple",
            "Oak",
            "Pine",
            "Rowan",
            "Yew",
        )
    ]
    pay = dict(zip(teams, folder.noise(12), strict=True))
    team = {n: chance.choice(teams) for n in numbers}
    note, way = (dict(zip(numbers, folder.noise(420), strict=True)) for _ in range(2))
    back = {n: int(1.1 * pay[team[n]] + note[n] - 0.9 * way[n] + chance.gauss(0, 0.8) > 0) for n in numbers}
    folder.table(
        "pickers",
        ["picker", "age", "returned"],
        ([codes[n], chance.randint(18, 66), back[n]] for n in numbers),
    )
    folder.table("rosters", ["picker_no", "team"], ([n, team[n]] for n in numbers))
    folder.table(
        "team_pay",
        ["team", "bonus"],
        ([t.replace("Team ", "").lower(), round(300 + 60 * pay[t])] for t in teams),
    )
    rows: list[list[object]] = []
    for n in numbers:
        start = date(2023, 6, 1) + timedelta(days=chance.randint(0, 20))
        for i in range(5):
            mark = note[n] if i == 4 else chance.gauss(0, 1)
            rows.append(
                [
                    codes[n].replace("P", "P-"),
                    (start + timedelta(days=9 * i)).isoformat(),
                    round(6 + 1.5 * mark, 1),
                ]
            )
    folder.table("foremen_notes", ["picker", "noted_on", "mark"], rows)
    folder.table(
        "commutes", ["id", "distance"], ([f"p{n}", f"{max(0.2, 12 + 4 * way[n]):.1f} km"] for n in numbers)
    )
    folder.table(
        "farewell_gifts",
        ["picker", "gift_sent"],
        ([codes[n], "2023-12-0" + str(chance.randint(1, 9))] for n in numbers if not back[n]),
    )
    walks(folder, "picker_file", "picker", [codes[n] for n in numbers], 4)
    walks(folder, "team_file", "team", list(teams), 2)
    folder.cases.append(
        Case("pickers", "returned", [{"team_pay"}, {"foremen_notes"}, {"commutes"}], {"farewell_gifts"}, 2)
    )


def trees(folder: Folder) -> None:
    """Growth of a tree, called by row and number in one code: both stand in columns of their own elsewhere, and rows alone."""
    chance = folder.chance
    places = [(r, t) for r in range(1, 31) for t in chance.sample(range(1, 60), 12)]
    stocks = ["M.9", "MM.106", "M.26", "B.118", "G.41", "P.22"]
    force = dict(zip(stocks, [-1.3, 0.6, -0.2, 1.5, -0.9, 0.4], strict=True))
    stock = {p: chance.choice(stocks) for p in places}
    water = dict(zip(range(1, 31), folder.noise(30), strict=True))
    light = dict(zip(places, folder.noise(len(places)), strict=True))
    grown = {
        p: 30 + 3 * force[stock[p]] + 3.2 * water[p[0]] + 3 * light[p] + chance.gauss(0, 3) for p in places
    }
    folder.table(
        "trees",
        ["tree", "row", "rootstock", "grown_cm"],
        ([f"R{r:02d}/T{t:03d}", f"Row {r}", stock[r, t], round(grown[r, t], 1)] for r, t in places),
    )
    folder.table(
        "canopy_light",
        ["row_no", "tree_no", "lux"],
        ([r, t, round(900 + 150 * light[r, t])] for r, t in places),
    )
    folder.table(
        "drip_lines",
        ["line", "litres"],
        ([f"row-{r:02d}", f"{40 + 8 * water[r]:,.1f}"] for r in range(1, 31)),
    )
    folder.table(
        "stock_catalogue",
        ["stock", "vigour"],
        ([s.replace(".", ""), round(50 + 15 * force[s], 1)] for s in stocks),
    )
    folder.table(
        "crown_inches",
        ["tree", "inches"],
        ([f"R{r:02d}/T{t:03d}", round(grown[r, t] / 2.54, 2)] for r, t in places),
    )
    walks(folder, "tree_scan", "tree", [f"R{r:02d}/T{t:03d}" for r, t in places], 4)
    walks(folder, "row_scan", "row", [f"Row {r}" for r in range(1, 31)], 2)
    folder.cases.append(
        Case("trees", "grown_cm", [{"canopy_light"}, {"drip_lines"}, {"stock_catalogue"}], {"crown_inches"})
    )


PARTS: tuple[Callable[[Folder], None], ...] = (plots, market_days, pickers, trees)


if __name__ == "__main__":
    main(__doc__, PARTS)
