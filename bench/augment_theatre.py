"""One small lake of a theatre, three base tables over it: a gain by several ways, none at all, and one beside a leak.

`python -m bench.augment_theatre --seed 1`: titles as catalogues write them, days beside many times of a day, a table whose rows
only count, amounts that make the target together, areas that are the first half of a code. `--cases` names some.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from bench.augment_folder import Case, Folder, main


def performances(folder: Folder) -> None:
    """Seats sold of an evening: what the play is worth, and the evening's weather, measured several times; the rota tells nothing."""
    chance = folder.chance
    plays = [
        "The Seagull",
        "Hamlet",
        "Twelfth Night",
        "The Cherry Orchard",
        "Medea",
        "Tartuffe",
        "Faust",
        "Ghosts",
    ]
    fame = dict(zip(plays, [1.2, 1.6, 0.1, -0.6, -1.2, 0.7, -0.2, -1.5], strict=True))
    days = [date(2022, 9, 1) + timedelta(days=n) for n in chance.sample(range(600), 320)]
    rain = dict(zip(days, folder.noise(len(days)), strict=True))
    rows, weather, rota = [], [], []
    for number, day in enumerate(sorted(days)):
        play = chance.choice(plays)
        sold = 420 + 60 * fame[play] - 50 * rain[day] + chance.gauss(0, 40)
        rows.append([f"V{number:04d}", day.isoformat(), play, chance.choice(["main", "studio"]), round(sold)])
        weather += [
            [
                f"{day:%d/%m/%Y} {hour}:00",
                round(3 + rain[day] + chance.gauss(0, 0.4), 2),
                chance.randint(0, 9),
            ]
            for hour in (16, 18, 20)
        ]
        rota.append(
            [f"V{number:04d}", chance.choice("ABCDE"), chance.randint(3, 12), round(chance.gauss(8, 1), 1)]
        )
    folder.table("performances", ["performance", "played_on", "play", "stage", "seats_sold"], rows)
    folder.table(
        "play_catalogue",
        ["title", "requests_a_year"],
        (
            [(p[4:] + ", The" if p.startswith("The ") else p).upper(), round(900 + 300 * fame[p])]
            for p in plays
        ),
    )
    folder.table("evening_weather", ["measured_at", "rain_mm", "wind"], weather)
    folder.table("door_rota", ["performance", "team", "ushers", "hours"], rota)
    folder.cases.append(Case("performances", "seats_sold", [{"play_catalogue"}, {"evening_weather"}]))


def actors(folder: Folder) -> None:
    """The fee of an actor follows the years on stage, which the base has; no other table tells anything."""
    chance = folder.chance
    names = [f"{a} {b}" for a in ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gwen", "Hal", "Ida", "Jon", "Kit", "Lea")
             for b in ("Abbot", "Brook", "Croft", "Drake", "Eliot", "Frost", "Grant", "Hardy", "Irwin", "Joyce")]  # fmt: skip
    years = {n: chance.randint(1, 30) for n in names}
    agents = [f"Agency {i}" for i in range(1, 16)]
    folder.table(
        "actors",
        ["actor", "agent", "years_on_stage", "fee"],
        (
            [n, chance.choice(agents), years[n], round(200 + 11 * years[n] + chance.gauss(0, 70))]
            for n in names
        ),
    )
    folder.table(
        "dressing_rooms",
        ["actor", "room", "floor_area", "lamp_watts"],
        (
            [n, chance.randint(1, 40), round(chance.gauss(12, 3), 1), chance.choice([40, 60, 75])]
            for n in names
        ),
    )
    folder.table(
        "auditions",
        ["name", "held_on", "mark", "panel"],
        (
            [n.upper(), (date(2021, 1, 1) + timedelta(days=chance.randint(0, 900))).isoformat(),
             round(chance.gauss(6, 1.5), 1), chance.choice("pqrs")]
            for n in names
            for _ in range(chance.randint(1, 6))
        ),
    )  # fmt: skip
    folder.table(
        "agencies",
        ["agent", "founded", "clients"],
        ([a, chance.randint(1950, 2015), chance.randint(4, 300)] for a in agents),
    )
    folder.cases.append(Case("actors", "fee", []))


def subscribers(folder: Folder) -> None:
    """What a subscriber spends: how often they came, and the part of town; the invoices make the sum together."""
    chance = folder.chance
    areas = [f"{a}{n}" for a in ("N", "SE", "W") for n in range(1, 9)]
    means = dict(zip(areas, folder.noise(len(areas)), strict=True))
    numbers = chance.sample(range(10_000, 99_999), 450)
    area = {n: chance.choice(areas) for n in numbers}
    came = {n: max(1, round(6 + 2.5 * chance.gauss(0, 1))) for n in numbers}
    spent = {n: round(260 + 45 * means[area[n]] + 20 * came[n] + chance.gauss(0, 45), 2) for n in numbers}
    folder.table(
        "subscribers",
        ["subscriber", "postcode", "since", "spent"],
        (
            [n, f"{area[n]} {chance.randint(1, 9)}{chance.choice('ABD')}{chance.choice('EFG')}", chance.randint(1995, 2022), spent[n]]
            for n in numbers
        ),
    )  # fmt: skip
    folder.table(
        "visits",
        ["subscriber_id", "visited_on", "door"],
        (
            [f"S-{n}", (date(2023, 1, 5) + timedelta(days=chance.randint(0, 300))).isoformat(), chance.choice("xyz")]
            for n in numbers
            for _ in range(came[n])
        ),
    )  # fmt: skip
    invoices: list[list[object]] = []
    for n in numbers:
        cuts = sorted(chance.random() for _ in range(chance.randint(1, 3)))
        shares = [b - a for a, b in zip([0.0, *cuts], [*cuts, 1.0], strict=True)]
        invoices += [[f"{n}/{i + 1}", n, round(spent[n] * share / 1.2, 2)] for i, share in enumerate(shares)]
    folder.table("invoices", ["invoice", "subscriber", "net"], invoices)
    folder.table("areas_of_town", ["area", "income"], ([a, round(31_000 + 6_000 * means[a])] for a in areas))
    folder.cases.append(Case("subscribers", "spent", [{"visits"}, {"areas_of_town"}], {"invoices"}))


PARTS: tuple[Callable[[Folder], None], ...] = (performances, actors, subscribers)


if __name__ == "__main__":
    main(__doc__, PARTS)
