"""The exports of a hospital trust, with sixty pairs written by hand before the resolver was read.

`python -m bench.strangers_hospital --out FOLDER` writes FOLDER/hospital/, FOLDER/hospital.jsonl and
FOLDER/hospital_kept.jsonl (each third pair, of which only totals are looked at) for `rewright bench lake --data FOLDER
--pairs FOLDER/hospital.jsonl`.

Rows are drawn from a seed and kept clean in memory, where the answers come from; `strange/hospital.txt` says what is
written of them. Each department keeps its own: the patient system's tables are in SQLite, an Italian clinic that was
taken over has Italian headers, the laboratory's contractor Dutch ones, finance has workbooks, theatres send JSON. One
thing has several names and codes, years and months are columns, and older states and copies lie beside.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import shutil
from pathlib import Path
from typing import Any

import duckdb

from bench.lake_pairs import record
from bench.lake_writer import Writer, keep_pairs, read, rows_as_table

_TOLD = Path(__file__).parent / "strange" / "hospital.txt"
_SEED = 1804
Row = dict[str, Any]
_SITES = (
    ("STM", "St Mary's Hospital", "Ashford", 1911),
    ("RVH", "Riverside Hospital", "Millbrook", 1974),
    ("CLN", "Clinica del Lago", "Lugano", 1988),
    ("NTH", "Northgate Community Hospital", "Harlow", 2003),
)
_SPECIALITIES = (
    "Cardiology", "Orthopaedics", "Paediatrics", "Oncology", "Neurology", "General Surgery", "Obstetrics", "Geriatrics",
    "Respiratory Medicine", "Gastroenterology",
)  # fmt: skip
_WARDS = (
    "Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Juniper", "Larch", "Maple", "Oak", "Pine", "Rowan", "Spruce",
    "Willow", "Yew", "Alder",
)  # fmt: skip
_ILLNESSES = (
    ("I21", "Acute myocardial infarction", "Circulatory"), ("I50", "Heart failure", "Circulatory"),
    ("I63", "Cerebral infarction", "Circulatory"), ("S72", "Fracture of femur", "Injury"),
    ("S52", "Fracture of forearm", "Injury"), ("S06", "Intracranial injury", "Injury"),
    ("J18", "Pneumonia", "Respiratory"), ("J44", "Chronic obstructive pulmonary disease", "Respiratory"),
    ("J45", "Asthma", "Respiratory"), ("C34", "Malignant neoplasm of bronchus and lung", "Neoplasms"),
    ("C50", "Malignant neoplasm of breast", "Neoplasms"), ("C18", "Malignant neoplasm of colon", "Neoplasms"),
    ("K35", "Acute appendicitis", "Digestive"), ("K80", "Cholelithiasis", "Digestive"),
    ("K57", "Diverticular disease", "Digestive"), ("G40", "Epilepsy", "Nervous system"),
    ("G35", "Multiple sclerosis", "Nervous system"), ("E11", "Type 2 diabetes mellitus", "Endocrine"),
    ("N39", "Urinary tract infection", "Genitourinary"), ("O80", "Single spontaneous delivery", "Pregnancy"),
)  # fmt: skip
_OPERATIONS = (
    ("W37", "Total hip replacement", "Orthopaedic", 95), ("W40", "Total knee replacement", "Orthopaedic", 90),
    ("H01", "Emergency appendicectomy", "Abdominal", 55), ("J18", "Cholecystectomy", "Abdominal", 70),
    ("K40", "Coronary artery bypass", "Cardiac", 210), ("K75", "Coronary angioplasty", "Cardiac", 60),
    ("R17", "Elective caesarean", "Obstetric", 45), ("B27", "Mastectomy", "Breast", 110),
    ("H07", "Right hemicolectomy", "Abdominal", 150), ("A05", "Craniotomy", "Neurosurgery", 180),
)  # fmt: skip
_DRUGS = (
    ("Amoxicillin", "J01", "capsule", 500), ("Flucloxacillin", "J01", "capsule", 500), ("Gentamicin", "J01", "injection", 80),
    ("Paracetamol", "N02", "tablet", 500), ("Morphine", "N02", "injection", 10), ("Codeine", "N02", "tablet", 30),
    ("Bisoprolol", "C07", "tablet", 5), ("Atenolol", "C07", "tablet", 50), ("Atorvastatin", "C10", "tablet", 40),
    ("Simvastatin", "C10", "tablet", 20), ("Metformin", "A10", "tablet", 850), ("Insulin glargine", "A10", "injection", 100),
    ("Salbutamol", "R03", "inhaler", 100), ("Tiotropium", "R03", "inhaler", 18), ("Warfarin", "B01", "tablet", 3),
    ("Enoxaparin", "B01", "injection", 40), ("Levetiracetam", "N03", "tablet", 500), ("Omeprazole", "A02", "capsule", 20),
)  # fmt: skip
_CLASSES = (
    ("J01", "Antibacterials"), ("N02", "Analgesics"), ("C07", "Beta blockers"), ("C10", "Lipid lowering"),
    ("A10", "Antidiabetics"), ("R03", "Airway drugs"), ("B01", "Anticoagulants"), ("N03", "Antiepileptics"), ("A02", "Antacids"),
)  # fmt: skip
_TESTS = (
    ("HB", "Haemoglobin", "g/L", 120, 160), ("WBC", "White cell count", "10^9/L", 4, 11), ("NA", "Sodium", "mmol/L", 133, 146),
    ("K", "Potassium", "mmol/L", 3, 5), ("CRE", "Creatinine", "umol/L", 60, 110), ("CRP", "C-reactive protein", "mg/L", 0, 10),
    ("GLU", "Glucose", "mmol/L", 4, 8), ("TSH", "Thyrotropin", "mU/L", 0, 5),
)  # fmt: skip
_GRADES = (
    ("CON", "Consultant", 9), ("REG", "Registrar", 7), ("FY1", "Foundation doctor", 6), ("SN", "Staff nurse", 5),
    ("CHN", "Charge nurse", 6), ("HCA", "Healthcare assistant", 3), ("PHA", "Pharmacist", 7), ("PHY", "Physiotherapist", 6),
)  # fmt: skip
_GIVEN = [
    "Amara",
    "Ben",
    "Chloe",
    "Dev",
    "Elena",
    "Farid",
    "Grace",
    "Hugo",
    "Iris",
    "Jonas",
    "Keira",
    "Liam",
    "Mona",
    "Noah",
    "Olga",
    "Piero",
    "Rhea",
    "Samir",
    "Tilda",
    "Viktor",
]
_FAMILY = [
    "Abbott",
    "Bianchi",
    "Carver",
    "Dunne",
    "Evans",
    "Ferrari",
    "Greene",
    "Hughes",
    "Iqbal",
    "Jansen",
    "Khan",
    "Lopez",
    "Marsh",
    "Novak",
    "Osei",
    "Patel",
    "Quinn",
    "Rossi",
    "Singh",
    "Turner",
    "Ueda",
    "Vermeer",
    "Walsh",
    "Young",
]
_TOWNS = ("Ashford", "Millbrook", "Harlow", "Lugano", "Denby", "Kingsley", "Thornton")
_BLOOD = ("O+", "O-", "A+", "A-", "B+", "B-", "AB+", "AB-")


def drawn(rng: random.Random) -> dict[str, list[Row]]:
    """The clean tables, by name."""
    held = _places(rng)
    held |= _people(rng, held)
    held |= _codes(rng)
    for draw in (_stays, _care, _clinics, _estate, _finance, _others):
        held |= draw(rng, held)
    return held


def _day(rng: random.Random, first: int, last: int) -> dt.date:
    return dt.date(first, 1, 1) + dt.timedelta(
        days=rng.randrange((dt.date(last, 12, 31) - dt.date(first, 1, 1)).days)
    )


def _places(rng: random.Random) -> dict[str, list[Row]]:
    sites = [{"code": c, "name": n, "city": t, "opened": y} for c, n, t, y in _SITES]
    wards = [
        {
            "id": 100 + i,
            "code": f"W{i + 1:02d}",
            "name": f"{name} Ward",
            "site": _SITES[i % 4][0],
            "speciality": _SPECIALITIES[i % 10],
            "beds": rng.randrange(12, 36),
            "floor": rng.randrange(0, 6),
        }
        for i, name in enumerate(_WARDS)
    ]
    practices = [
        {
            "code": f"G{81000 + 7 * i}",
            "name": f"{_FAMILY[i]} Practice",
            "town": _TOWNS[i % 7],
            "patients": rng.randrange(2500, 18000),
        }
        for i in range(22)
    ]
    return {"sites": sites, "wards": wards, "practices": practices}


def _people(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    patients = [
        {
            "id": 700000 + 13 * i,
            "given": rng.choice(_GIVEN),
            "family": rng.choice(_FAMILY),
            "sex": rng.choice(("F", "M")),
            "born": _day(rng, 1931, 2022),
            "town": rng.choice(_TOWNS),
            "practice": rng.choice(held["practices"])["code"],
            "blood": rng.choice(_BLOOD),
        }
        for i in range(600)
    ]
    staff = [
        {
            "id": 3000 + i,
            "given": rng.choice(_GIVEN),
            "family": rng.choice(_FAMILY),
            "grade": (grade := rng.choice(_GRADES))[0],
            "speciality": rng.choice(_SPECIALITIES),
            "site": rng.choice(_SITES)[0],
            "hired": _day(rng, 1995, 2024),
            "salary": grade[2] * 7000 + rng.randrange(0, 9000, 50),
        }
        for i in range(180)
    ]
    return {"patients": patients, "staff": staff}


def _codes(rng: random.Random) -> dict[str, list[Row]]:
    return {
        "illnesses": [{"code": c, "title": t, "chapter": k} for c, t, k in _ILLNESSES],
        "operations": [{"code": c, "title": t, "family": g} for c, t, g, _ in _OPERATIONS],
        "classes": [{"code": c, "label": t} for c, t in _CLASSES],
        "tests": [{"code": c, "name": n, "unit": u, "low": a, "high": b} for c, n, u, a, b in _TESTS],
        "grades": [{"code": c, "label": t, "band": b} for c, t, b in _GRADES],
        "severities": [
            {"level": i + 1, "label": t}
            for i, t in enumerate(("Near miss", "Low harm", "Moderate harm", "Severe harm", "Death"))
        ],
        "modalities": [
            {"code": c, "label": t}
            for c, t in (
                ("CT", "Computed tomography"),
                ("MR", "Magnetic resonance"),
                ("US", "Ultrasound"),
                ("XR", "Plain X-ray"),
            )
        ],
        "drugs": [
            {
                "code": f"D{200 + 3 * i}",
                "name": n,
                "class": k,
                "form": f,
                "strength": s,
                "price": round(rng.uniform(0.4, 60), 2),
            }
            for i, (n, k, f, s) in enumerate(_DRUGS)
        ],
    }


def _stays(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    consultants = [s["id"] for s in held["staff"] if s["grade"] == "CON"]
    admissions, diagnoses, surgery = [], [], []
    for i in range(1800):
        came = _day(rng, 2022, 2024)
        admissions.append(
            {
                "id": 50000 + i,
                "patient": rng.choice(held["patients"])["id"],
                "ward": rng.choice(held["wards"])["code"],
                "admitted": came,
                "discharged": came + dt.timedelta(days=int(rng.expovariate(0.18))),
                "kind": rng.choices(("emergency", "elective", "maternity"), (5, 4, 1))[0],
                "outcome": rng.choices(("home", "transfer", "died", "nursing home"), (80, 9, 4, 7))[0],
                "consultant": rng.choice(consultants),
            }
        )
        for place, code in enumerate(rng.sample(_ILLNESSES, rng.choice((1, 1, 2, 3)))):
            diagnoses.append({"admission": 50000 + i, "place": place + 1, "code": code[0]})
        if rng.random() < 0.3:
            done = rng.choice(_OPERATIONS)
            surgery.append(
                {
                    "admission": 50000 + i,
                    "code": done[0],
                    "day": came + dt.timedelta(days=1),
                    "surgeon": rng.choice(consultants),
                    "theatre": f"T{rng.randrange(1, 9)}",
                    "minutes": max(15, int(rng.gauss(done[3], 20))),
                    "blood_loss": rng.randrange(10, 900, 10),
                }
            )
    theatres = [
        {"code": f"T{i + 1}", "site": _SITES[i % 4][0], "laminar": i % 3 == 0, "size": 30 + 2 * i}
        for i in range(8)
    ]
    return {"admissions": admissions, "diagnoses": diagnoses, "surgery": surgery, "theatres": theatres}


def _care(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    patients = [p["id"] for p in held["patients"]]
    prescriptions = [
        {
            "admission": rng.choice(held["admissions"])["id"],
            "drug": rng.choice(held["drugs"])["code"],
            "days": rng.randrange(1, 15),
            "daily": rng.choice((1, 2, 3, 4)),
        }
        for _ in range(2200)
    ]
    results = []
    for i in range(3000):
        test = rng.choice(_TESTS)
        value = round(max(0.1, rng.gauss((test[3] + test[4]) / 2, (test[4] - test[3]) / 2)), 1)
        day = _day(rng, 2021, 2024)
        results.append(
            {"id": i, "patient": rng.choice(patients), "test": test[0], "day": day, "year": day.year, "value": value,
             "urgent": rng.random() < 0.2}
        )  # fmt: skip
    images = [
        {
            "id": 9000 + i,
            "patient": rng.choice(patients),
            "modality": rng.choice(("CT", "MR", "US", "XR")),
            "part": rng.choice(("chest", "abdomen", "head", "knee", "spine", "pelvis")),
            "ordered": (day := _day(rng, 2023, 2024)),
            "reported": day + dt.timedelta(days=rng.randrange(0, 12)),
            "dose": round(rng.uniform(0.1, 25), 1),
        }
        for i in range(900)
    ]
    births = [
        {
            "id": i,
            "mother": rng.choice([p["id"] for p in held["patients"] if p["sex"] == "F"]),
            "born": _day(rng, 2022, 2024),
            "grams": int(rng.gauss(3350, 480)),
            "sex": rng.choice(("F", "M")),
            "delivery": rng.choices(("vaginal", "caesarean", "forceps"), (6, 3, 1))[0],
            "apgar": rng.choices((6, 7, 8, 9, 10), (1, 2, 5, 9, 5))[0],
        }
        for i in range(260)
    ]
    units = [
        {
            "unit": f"BU{10000 + i}",
            "group": rng.choice(_BLOOD),
            "collected": (day := _day(rng, 2024, 2024)),
            "expires": day + dt.timedelta(days=42),
            "volume": rng.choice((250, 280, 300, 450)),
        }
        for i in range(420)
    ]
    return {
        "prescriptions": prescriptions,
        "results": results,
        "images": images,
        "births": births,
        "units": units,
    }


def _clinics(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    clinics = [
        {
            "code": f"C{i + 10}",
            "name": f"{s} clinic",
            "speciality": s,
            "room": f"{rng.choice('ABC')}{rng.randrange(100, 140)}",
        }
        for i, s in enumerate(_SPECIALITIES)
    ]
    visits = [
        {
            "id": 80000 + i,
            "clinic": rng.choice(clinics)["code"],
            "patient": rng.choice(held["patients"])["id"],
            "day": (day := _day(rng, 2022, 2024)),
            "year": day.year,
            "status": rng.choices(("attended", "did not attend", "cancelled"), (8, 1, 1))[0],
            "waited": int(rng.expovariate(0.02)),
        }
        for i in range(2400)
    ]
    referrals = [
        {
            "id": i,
            "practice": rng.choice(held["practices"])["code"],
            "speciality": rng.choice(_SPECIALITIES),
            "received": _day(rng, 2023, 2024),
            "priority": rng.choices(("routine", "urgent", "two week wait"), (6, 3, 1))[0],
        }
        for i in range(700)
    ]
    crews = [
        {
            "call": f"A{i:04d}",
            "day": _day(rng, 2024, 2024),
            "category": rng.choice((1, 2, 3, 4)),
            "station": rng.choice(("Ashford North", "Millbrook", "Harlow East", "Denby")),
            "site": rng.choice(("STM", "RVH", "NTH")),
            "handover": int(rng.gammavariate(3, 9)),
        }
        for i in range(800)
    ]
    waiting = [
        {"speciality": s, "month": month, "people": rng.randrange(80, 900)}
        for s in _SPECIALITIES
        for month in ("jan", "feb", "mar", "apr", "may", "jun")
    ]
    return {"clinics": clinics, "visits": visits, "referrals": referrals, "crews": crews, "waiting": waiting}


def _estate(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    wards = [w["code"] for w in held["wards"]]
    incidents = [
        {
            "id": 400 + i,
            "day": _day(rng, 2022, 2024),
            "ward": rng.choice(wards),
            "kind": rng.choice(
                ("fall", "medication error", "pressure ulcer", "infection", "equipment failure")
            ),
            "severity": rng.choices((1, 2, 3, 4, 5), (30, 40, 20, 8, 2))[0],
            "closed": rng.random() < 0.8,
        }
        for i in range(500)
    ]
    makers = ("Dräger", "Philips", "Siemens Healthineers", "GE HealthCare", "Baxter", "Mindray")
    devices = [
        {
            "tag": f"EQ-{1000 + i}",
            "kind": rng.choice(
                ("ventilator", "infusion pump", "defibrillator", "monitor", "ultrasound scanner", "bed")
            ),
            "maker": rng.choice(makers),
            "ward": rng.choice(wards),
            "bought": (bought := _day(rng, 2008, 2023)),
            "cost": rng.randrange(400, 90000, 50),
            "service": bought + dt.timedelta(days=rng.randrange(2, 10) * 365),
        }
        for i in range(320)
    ]
    energy = [
        {
            "site": s[0],
            "year": y,
            "month": m,
            "electricity": rng.randrange(90000, 420000),
            "gas": rng.randrange(4000, 60000),
        }
        for s in _SITES
        for y in (2022, 2023, 2024)
        for m in range(1, 13)
    ]
    occupancy = [
        {"ward": w, "year": y, "rate": round(rng.uniform(61, 99.5), 1)}
        for w in wards
        for y in (2020, 2021, 2022, 2023, 2024)
    ]
    opinions = [
        {
            "ward": w,
            "question": q,
            "year": y,
            "score": round(rng.uniform(2.4, 5), 2),
            "answers": rng.randrange(12, 190),
        }
        for w in wards
        for q in ("cleanliness", "food", "kindness", "noise at night", "information")
        for y in (2022, 2023, 2024)
    ]
    complaints = [
        {
            "id": i,
            "received": _day(rng, 2022, 2024),
            "site": rng.choice(_SITES)[0],
            "topic": rng.choice(
                ("waiting time", "communication", "clinical care", "food", "parking", "staff attitude")
            ),
            "upheld": rng.random() < 0.35,
            "days": rng.randrange(3, 120),
        }
        for i in range(340)
    ]
    return {
        "incidents": incidents, "devices": devices, "energy": energy, "occupancy": occupancy, "opinions": opinions,
        "complaints": complaints,
    }  # fmt: skip


def _finance(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    suppliers = [
        {"id": 10 + i, "name": f"{f} {k}", "country": c, "rating": rng.randrange(1, 6)}
        for i, (f, k, c) in enumerate(
            (
                f,
                rng.choice(("Medical", "Pharma", "Surgical", "Linen", "Foods")),
                rng.choice(("GB", "IT", "NL", "DE", "CH")),
            )
            for f in _FAMILY
        )
    ]
    items = [
        {
            "sku": f"S{5000 + i}",
            "name": f"{rng.choice(('Sterile', 'Large', 'Small', 'Paediatric', 'Disposable'))} {thing}",
            "supplier": rng.choice(suppliers)["id"],
            "stock": rng.randrange(0, 2400),
            "least": rng.randrange(20, 300),
            "cost": round(rng.uniform(0.05, 180), 2),
        }
        for i, thing in enumerate(
            [
                "gloves",
                "gown",
                "catheter",
                "syringe",
                "bandage",
                "mask",
                "drape",
                "suture",
                "cannula",
                "swab",
                "needle",
                "dressing",
                "splint",
                "electrode",
                "tube",
                "stent",
            ]
            * 5
        )
    ]
    orders = [
        {
            "id": f"PO{i:05d}",
            "sku": rng.choice(items)["sku"],
            "day": (day := _day(rng, 2022, 2024)),
            "year": day.year,
            "units": rng.randrange(10, 900, 10),
            "amount": round(rng.uniform(20, 9000), 2),
        }
        for i in range(900)
    ]
    centres = [
        {"code": 4000 + 10 * i, "name": name, "head": rng.choice(held["staff"])["id"]}
        for i, name in enumerate(
            (
                "Nursing",
                "Theatres",
                "Pharmacy",
                "Estates",
                "Catering",
                "Radiology",
                "Laboratory",
                "Administration",
            )
        )
    ]
    budgets = [
        {
            "centre": c["code"],
            "year": y,
            "planned": (p := rng.randrange(300, 9000) * 1000),
            "actual": int(p * rng.uniform(0.85, 1.2)),
        }
        for c in centres
        for y in (2022, 2023, 2024)
    ]
    gifts = [
        {
            "id": i,
            "donor": rng.choice(("private", "company", "foundation", "legacy")),
            "fund": rng.choice(("Children's Fund", "Scanner Appeal", "Garden Fund", "Cancer Care")),
            "day": _day(rng, 2021, 2024),
            "amount": rng.choice((10, 25, 50, 100, 250, 500, 1000, 5000)),
        }
        for i in range(420)
    ]
    return {
        "suppliers": suppliers,
        "items": items,
        "orders": orders,
        "centres": centres,
        "budgets": budgets,
        "gifts": gifts,
    }


def _others(rng: random.Random, held: dict[str, list[Row]]) -> dict[str, list[Row]]:
    staff = [s["id"] for s in held["staff"]]
    courses = [
        {
            "staff": rng.choice(staff),
            "course": rng.choice(
                ("Fire safety", "Life support", "Infection control", "Data protection", "Manual handling")
            ),
            "day": _day(rng, 2022, 2024),
            "mark": rng.randrange(45, 101),
            "passed": rng.random() < 0.9,
        }
        for _ in range(700)
    ]
    duties = [
        {
            "staff": rng.choice(staff),
            "day": (day := _day(rng, 2022, 2024)),
            "year": day.year,
            "kind": rng.choice(("E", "L", "N")),
            "hours": rng.choice((7.5, 8, 11.5, 12)),
        }
        for _ in range(2600)
    ]
    jabs = [
        {
            "staff": rng.choice(staff),
            "vaccine": rng.choice(("influenza", "hepatitis B", "measles", "covid")),
            "day": _day(rng, 2021, 2024),
        }
        for _ in range(500)
    ]
    trials = [
        {
            "id": f"TR-{i + 1:03d}",
            "title": f"{rng.choice(('Efficacy', 'Safety', 'Feasibility', 'Long-term outcome'))} of {d[0].lower()} in {t.lower()}",
            "phase": rng.choice((1, 2, 3, 4)),
            "sponsor": rng.choice(("University of Harlow", "Novamed", "Lago Research", "Medical Council")),
            "begun": _day(rng, 2018, 2024),
            "recruited": rng.randrange(0, 400),
            "target": rng.randrange(50, 500),
            "open": rng.random() < 0.5,
        }
        for i, (d, (_, t, _)) in enumerate((rng.choice(_DRUGS), rng.choice(_ILLNESSES)) for _ in range(60))
    ]
    cars = [
        {
            "plate": f"{rng.choice('ABCDE')}{rng.randrange(10, 99)} {''.join(rng.choices('KLMNPR', k=3))}",
            "make": rng.choice(("Ford", "Fiat", "Renault", "Toyota")),
            "fuel": rng.choice(("diesel", "petrol", "electric")),
            "km": rng.randrange(2000, 240000),
            "site": rng.choice(_SITES)[0],
        }
        for _ in range(45)
    ]
    meals = [
        {"ward": w["code"], "day": _day(rng, 2024, 2024), "diet": rng.choice(("normal", "vegetarian", "halal", "diabetic", "soft")),
         "portions": rng.randrange(1, 30)}
        for w in held["wards"]
        for _ in range(30)
    ]  # fmt: skip
    permits = [{"staff": rng.choice(staff), "zone": rng.choice("ABCD"), "fee": rng.choice((0, 120, 240)), "until": _day(rng, 2024, 2026)}
               for _ in range(110)]  # fmt: skip
    phones = [
        {
            "ext": 2000 + i,
            "place": rng.choice(_WARDS) + " Ward",
            "kind": rng.choice(("desk", "cordless", "fax")),
        }
        for i in range(140)
    ]
    return {"courses": courses, "duties": duties, "jabs": jabs, "trials": trials, "cars": cars, "meals": meals,
            "permits": permits, "phones": phones}  # fmt: skip


def make(out: Path) -> dict[str, int]:
    """Write the lake and its pairs; returns how many pairs each file has."""
    told = read(_TOLD)
    folder = out / "hospital"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with duckdb.connect(config={"threads": 1}) as db:
        for name, rows in drawn(random.Random(_SEED)).items():
            rows_as_table(db, name, out / "hospital.flat", rows)
        (out / "hospital.flat").unlink()
        writer = Writer(db, folder)
        for line in told.files:
            writer.write(*line)
        found = [record(db, f"hospital-{i:02d}", "hospital", pair) for i, pair in enumerate(told.pairs)]
    return keep_pairs(out, "hospital", found, lambda i: i % 3 == 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    for name, count in make(parser.parse_args().out).items():
        print(f"{name}: {count} pairs")


if __name__ == "__main__":
    main()
