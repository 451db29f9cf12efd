"""Lakes that are told whole in a text of `bench/strange`: clean tables drawn by SQL, the files made of them, pairs.

`python -m bench.strangers_told --lake harbour --out FOLDER` writes FOLDER/harbour/, FOLDER/harbour.jsonl and
FOLDER/harbour_kept.jsonl (each third pair, of which only totals are looked at) for `rewright bench lake --data FOLDER
--pairs FOLDER/harbour.jsonl`. `lake_writer` says what the lines mean.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import duckdb

from bench.lake_pairs import record
from bench.lake_writer import Writer, keep_pairs, read

_TOLD = Path(__file__).parent / "strange"
LAKES = (
    "harbour",
    "festival",
    "forest",
    "zoo",
    "railway",
    "publisher",
    "brigade",
    "furniture",
    "carhire",
    "vetclinic",
    "campsite",
)
_DRAWS = (
    # md5 of DuckDB, unlike its hash(), is the same in each version
    "CREATE MACRO n(i, salt, m) AS CAST(md5_number_lower(concat(salt, '-', i)) % m AS INTEGER)",
    "CREATE MACRO pick(i, salt, choices) AS choices[1 + n(i, salt, len(choices))]",
    "CREATE MACRO day(i, salt, first, years) AS make_date(first, 1, 1) + n(i, salt, 365 * years)",
)


def make(lake: str, out: Path) -> dict[str, int]:
    """Write the lake and its pairs; returns how many pairs each file has."""
    told = read(_TOLD / f"{lake}.txt")
    folder = out / lake
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with duckdb.connect(config={"threads": 1}) as db:
        for macro in _DRAWS:
            db.execute(macro)
        for name, sql in told.clean:
            db.execute(f'CREATE TABLE "{name}" AS {sql}')
        writer = Writer(db, folder)
        for line in told.files:
            writer.write(*line)
        found = [record(db, f"{lake}-{i:02d}", lake, pair) for i, pair in enumerate(told.pairs)]
    return keep_pairs(out, lake, found, lambda i: i % 3 == 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lake", choices=LAKES, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    for name, count in make(args.lake, args.out).items():
        print(f"{name}: {count} pairs")


if __name__ == "__main__":
    main()
