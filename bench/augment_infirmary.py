"""One small lake of an infirmary, three base tables over it: codes whose first parts are keys, and such parts by chance.

`python -m bench.augment_infirmary --seed 1`: serial numbers that begin with a model, diagnoses with their group, assays with a
laboratory, a ward's months, rows that only count, bills and statuses that give the target away. `--cases` names some.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from bench.augment_folder import Case, Folder, main


def analysers(folder: Folder) -> None:
    """Faults of a device: its model stands in its serial number, its site is labelled elsewhere, and each fault was logged."""
    chance = folder.chance
    models = [f"{stem}-{size}" for stem in ("RX", "LUM", "CT") for size in (100, 200, 350, 400, 900)]
    quality = dict(zip(models, folder.noise(len(models)), strict=True))
    sites = list(range(1, 41))
    damp = dict(zip(sites, folder.noise(len(sites)), strict=True))
    rows, cables, bills = [], [], []
    log: list[list[object]] = []
    for number in chance.sample(range(1000, 9999), 420):
        model, site = chance.choice(models), chance.choice(sites)
        serial = f"{model}/{number}"
        faults = max(0, round(9 + 2.2 * quality[model] + 1.8 * damp[site] + chance.gauss(0, 1.2)))
        rows.append([serial, site, chance.randint(2008, 2021), faults])
        log += [[serial, chance.choice(["stuck", "leak", "error"])] for _ in range(faults)]
        cables.append([serial, round(chance.gauss(2, 0.4), 2), chance.choice(["ok", "worn"])])
        bills.append([serial, round(84.5 * faults * chance.uniform(0.999, 1.001), 2), chance.randint(1, 9)])
    folder.table("analysers", ["serial_no", "site", "built", "faults"], rows)
    folder.table(
        "device_models",
        ["model", "parts", "list_price"],
        ([m.replace("-", " "), chance.randint(90, 400), round(22_000 - 3_000 * quality[m])] for m in models),
    )
    folder.table(
        "sites", ["site_id", "humidity"], ([f"Site {s:02d}", round(55 + 8 * damp[s], 1)] for s in sites)
    )
    folder.table("fault_log", ["serial_no", "kind"], log)
    folder.table("cable_checks", ["serial_no", "length", "state"], cables)
    folder.table("repair_bills", ["serial_no", "amount", "visits"], bills)
    folder.cases.append(
        Case("analysers", "faults", [{"device_models"}, {"sites"}], {"fault_log", "repair_bills"})
    )


def stays(folder: Folder) -> None:
    """Days of a stay: the group of its diagnosis (`J45.9` is of `J45`) and how the ward was staffed that month; meals were counted."""
    chance = folder.chance
    groups = chance.sample([f"{letter}{n:02d}" for letter in "AEIJKM" for n in range(10, 60)], 36)
    gravity = dict(zip(groups, folder.noise(len(groups)), strict=True))
    wards = [f"{side} {floor}" for side in ("East", "West") for floor in range(1, 5)]
    months = [(2021 + n // 12, n % 12 + 1) for n in range(24)]
    pairs = [(w, m) for w in wards for m in months]
    staff = dict(zip(pairs, folder.noise(len(pairs)), strict=True))
    rows, meals, beds = [], [], []
    for number in range(900):
        group, ward, (year, month) = chance.choice(groups), chance.choice(wards), chance.choice(months)
        days = max(1, round(12 + 3 * gravity[group] - 2.5 * staff[ward, (year, month)] + chance.gauss(0, 2)))
        stay = f"{chance.choice(groups)}{number:04d}"
        admitted = date(year, month, chance.randint(1, 28))
        rows.append(
            [
                stay,
                f"{group}.{chance.randint(0, 9)}",
                ward,
                admitted.isoformat(),
                chance.randint(18, 95),
                days,
            ]
        )
        meals.append([stay, 3 * days - chance.randint(0, 1), chance.choice(["light", "full"])])
        beds.append([stay, chance.randint(1, 60), round(chance.gauss(21, 1), 1)])
    folder.table("stays", ["stay", "diagnosis", "ward", "admitted_on", "age", "days"], rows)
    folder.table("diagnosis_groups", ["grp", "severity", "chapter_page"], ([g, round(50 + 9 * gravity[g], 1), chance.randint(1, 700)] for g in groups))  # fmt: skip
    folder.table("ward_staffing", ["ward", "month", "nurses"], ([w, f"{y}-{m:02d}", round(14 + 3 * staff[w, (y, m)], 1)] for w, (y, m) in pairs))  # fmt: skip
    folder.table("meals", ["stay", "trays", "diet"], meals)
    folder.table("beds", ["stay", "bed", "room_temperature"], beds)
    folder.cases.append(Case("stays", "days", [{"diagnosis_groups"}, {"ward_staffing"}], {"meals"}))


def orders(folder: Folder) -> None:
    """Hours until a result is there: the assay's first two parts of three, and the round of the clinic; order numbers begin
    with letters and digits that a table of lockers has by chance.
    """
    chance = folder.chance
    assays = [
        f"{lab}-{what}"
        for lab in ("CHEM", "HEM", "MIC", "IMM")
        for what in ("GLU", "NA", "CRP", "TSH", "FER", "B12")
    ]
    effort = dict(zip(assays, folder.noise(len(assays)), strict=True))
    clinics = chance.sample(range(100, 999), 70)
    far = dict(zip(clinics, folder.noise(len(clinics)), strict=True))
    rows, rounds, forms = [], [], []
    status: list[list[object]] = []
    for clinic in clinics:
        rounds += [[f"K{clinic}", chance.choice(["van", "bike"]), round(40 + 12 * far[clinic] + chance.gauss(0, 2), 1)] for _ in range(5)]  # fmt: skip
    for number in chance.sample(range(10_000, 99_999), 700):
        assay, clinic = chance.choice(assays), chance.choice(clinics)
        order = f"{chance.choice('ABCDEFGH')}{chance.randint(1, 9)}-{number}"
        hours = round(30 + 7 * effort[assay] + 5 * far[clinic] + chance.gauss(0, 4), 1)
        rows.append([order, f"{assay}-{chance.randint(1, 12):02d}", clinic, chance.randint(1, 5), hours])
        status.append(
            [order, "late" if hours > 36 else "due" if hours > 26 else "early", chance.choice("xyz")]
        )
        forms.append([order, chance.randint(1, 4), round(chance.gauss(80, 9))])
    folder.table("orders", ["order_no", "assay", "clinic", "priority", "turnaround_hours"], rows)
    folder.table("assays", ["assay", "steps", "reagent"], ([a.replace("-", "/").lower(), round(20 + 4 * effort[a]), chance.choice("pqr")] for a in assays))  # fmt: skip
    folder.table("courier_rounds", ["clinic_code", "vehicle", "minutes"], rounds)
    folder.table("lockers", ["locker", "width", "keys_lent"], ([f"{a}{n}", round(chance.gauss(40, 4), 1), chance.randint(0, 9)] for a in "ABCDEFGH" for n in range(1, 10)))  # fmt: skip
    folder.table("order_status", ["order_no", "status", "shift"], status)
    folder.table("paper_forms", ["order_no", "pages", "gram"], forms)
    folder.cases.append(
        Case("orders", "turnaround_hours", [{"assays"}, {"courier_rounds"}], {"order_status"})
    )


PARTS: tuple[Callable[[Folder], None], ...] = (analysers, stays, orders)


if __name__ == "__main__":
    main(__doc__, PARTS)
